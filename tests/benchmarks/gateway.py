"""A call of an empty tool through the warm gateway, beside a bare pass-through of the SDK.

The agent writes lines and reads lines, so that what is measured is what stands between it and the
server; `stages` says where that time goes. The start is measured against `elicit-tui call` of the
same tool. FastMCP's proxy stands beside it where FASTMCP_PYTHON is the path of an interpreter that
has it.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.benchmarks.measure import ratio, surroundings
from tests.benchmarks.stages import stages

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
EMPTY = {
    "instructions": '""',
    "tools": ['[{"name": "nothing", "inputSchema": {"type": "object"}}]'],
    "calls": {"nothing": '{"content": []}'},
    "prompts/list": '{"prompts": []}',
    "resources/list": '{"resources": []}',
    "resources/templates/list": '{"resourceTemplates": []}',
}
HANDSHAKE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "benchmark", "version": "1"},
}


class Agent:
    """A client that costs next to nothing."""

    def __init__(self, command: Sequence[str], environment: dict[str, str]) -> None:
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            cwd=ROOT,
        )
        self._number = 0
        self.ask("initialize", HANDSHAKE)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def _send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, method: str, params: dict[str, Any]) -> Any:
        """One request and its result."""
        self._number += 1
        self._send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        assert self.process.stdout is not None
        while True:
            answer = json.loads(self.process.stdout.readline())
            if answer.get("id") == self._number:
                return answer["result"]

    def call(self, tool: str) -> float:
        """The seconds of one call."""
        began = time.perf_counter()
        self.ask("tools/call", {"name": tool, "arguments": {}})
        return time.perf_counter() - began

    def close(self) -> None:
        """Hang up."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


def main(rounds: int = 100, calls: int = 10, starts: int = 7) -> None:
    """Print the figures of one run."""
    with tempfile.TemporaryDirectory() as home:
        environment = surroundings(HOME=home)
        results = Path(home, "results.json")
        results.write_text(json.dumps(EMPTY))
        literal = ROOT / "tests" / "servers" / "literal.py"
        server = [sys.executable, str(literal), "2025-11-25", str(results)]
        ours = [sys.executable, "-m", "elicit_tui", "--with", f"lit={' '.join(server)}"]
        gateway = [*ours, "gateway", "lit"]
        warm(environment, server, gateway, rounds, calls)
        stamps = Path(home, "stamps.json")
        stamped = [sys.executable, "-m", "tests.benchmarks.stamped_gateway", str(stamps)]
        stamped += gateway[3:]
        agents = [Agent(command, environment) for command in (stamped, gateway)]
        for agent in agents:
            agent.ask("tools/list", {})
        print(stages(agents[0], stamps, agents[1], "lit__nothing", rounds * calls))
        call = [*ours, "call", "lit", "nothing"]
        first_answers(environment, gateway, call, starts)


def warm(
    environment: dict[str, str],
    server: Sequence[str],
    gateway: Sequence[str],
    rounds: int,
    calls: int,
) -> None:
    """Calls in turn, each against the others of its round."""
    bare = [sys.executable, str(HERE / "passing_server.py"), *server]
    agents = {
        "direct": (Agent(server, environment), "nothing"),
        "bare pass-through of the SDK": (Agent(bare, environment), "nothing"),
        "elicit-tui gateway": (Agent(gateway, environment), "lit__nothing"),
    }
    if "FASTMCP_PYTHON" in environment:
        proxy = [environment["FASTMCP_PYTHON"], str(HERE / "fastmcp_proxy.py"), *server]
        agents["FastMCP's proxy"] = (Agent(proxy, environment), "nothing")
    agents["elicit-tui gateway"][0].ask("tools/list", {})
    taken: dict[str, list[float]] = {name: [] for name in agents}
    for number in range(rounds + 5):
        for name, (agent, tool) in agents.items():
            median = statistics.median(agent.call(tool) for _ in range(calls))
            if number >= 5:
                taken[name].append(median)
    for agent, _ in agents.values():
        agent.close()
    baseline = taken["bare pass-through of the SDK"]
    for name, seconds in taken.items():
        middle = statistics.median(seconds) * 1e6
        print(f"{name:34}{middle:9.0f} µs a call{ratio(seconds, baseline):8.2f}")


def first_answers(
    environment: dict[str, str], gateway: Sequence[str], call: Sequence[str], starts: int
) -> None:
    """From the start of the process to the first answer of a tool, and of `call` to its end."""
    through: list[float] = []
    called: list[float] = []
    for number in range(starts + 1):
        began = time.perf_counter()
        agent = Agent(gateway, environment)
        agent.call("lit__nothing")
        middle = time.perf_counter()
        agent.close()
        again = time.perf_counter()
        subprocess.run(call, env=environment, cwd=ROOT, capture_output=True, check=True)
        if number:
            through.append(middle - began)
            called.append(time.perf_counter() - again)
    print(f"{'gateway, start to first answer':34}{statistics.median(through):9.3f} s", end="")
    print(f"{ratio(through, called):15.2f}")
    print(f"{'elicit-tui call':34}{statistics.median(called):9.3f} s           1.00")


if __name__ == "__main__":
    main()
