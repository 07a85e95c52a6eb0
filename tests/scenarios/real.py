"""Real servers that ask, recorded, replayed and branched as their authors would, as a table.

    python -m tests.scenarios.real CACHE [NAME…]

Installs the servers of `real_servers.py` below CACHE from npm and PyPI, starts the backends of
`backends.py` for those that want one, records each tool as a person at a terminal, makes a scenario
of that, takes its questions over, and tries all ways. One line for each tool: server, version,
tool, questions, ways, red ways, whose fault; the failures below it. The exit code is 1 where a
failure is not known to be the server's, or one that is known is not seen.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final

from elicit_tui.elicitation.toml_spelling import toml_value
from tests.benchmarks.measure import surroundings
from tests.cli.terminal import Terminal
from tests.scenarios.real_servers import NPM, PYPI, SERVERS, Server, Tool
from tests.scenarios.test_real_servers import free_port, listening

TESTS: Final = Path(__file__).parent.parent
LONG: Final = 900
PROMPTS: Final = {
    "/send, /back or the number of a field such as /1, /decline or /cancel: ": "/send",
    "/send, /decline or /cancel: ": "/send",
    "/open, /agree, /decline or /cancel: ": "/agree",
    "/finished, /open, /decline or /cancel: ": "/finished",
    "Type the word yes to go on all the same: ": "yes",
}
"""What a person is asked beside the fields, and the answer of one who goes on."""


@dataclass
class Line:
    """What came of one tool."""

    server: str
    version: str
    tool: str
    questions: int = 0
    ways: int = 0
    red: list[tuple[str, str]] = field(default_factory=list)
    """Each failure, with the proof that it is the server's; empty: none is known."""
    unseen: list[str] = field(default_factory=list)
    """Faults of the server that are known and were not seen."""

    @property
    def right(self) -> bool:
        return not self.unseen and all(proof for _, proof in self.red)

    def __str__(self) -> str:
        ways = {failure.partition(": ")[0] for failure, _ in self.red}
        proofs = dict.fromkeys(proof or "OURS, OR NEW" for _, proof in self.red)
        head = f"{' ' if self.right else '!'} {self.server:15} {self.version:10} {self.tool:28} "
        counted = f"{self.questions} asked {self.ways:3} ways {len(ways):3} red"
        failures = [f"    {failure}" for failure, proof in self.red if not proof]
        unseen = [f"    not seen: {each}" for each in self.unseen]
        return "\n".join([f"{head}{counted}  {'; '.join(proofs)}", *failures, *unseen])


class Cache:
    """Where the servers are installed."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.npm = place / "npm" / "node_modules"
        self.python = place / "python" / "bin" / "python"

    def fill(self) -> None:
        """Install what is missing, or is there in another version."""
        if any(self.version(package) != version for package, version in NPM.items()):
            self.npm.parent.mkdir(parents=True, exist_ok=True)
            (self.npm.parent / "package.json").write_text(json.dumps({"dependencies": NPM}))
            subprocess.run(["npm", "install", "--silent"], cwd=self.npm.parent, check=True)
        shutil.copy(TESTS / "node" / "table_server.mjs", self.npm.parent)
        if any(self.version(package) != version for package, version in PYPI.items()):
            venv.create(self.place / "python", with_pip=True)
            pinned = [f"{package}=={version}" for package, version in PYPI.items()]
            subprocess.run([self.python, "-m", "pip", "install", "-q", *pinned], check=True)

    def version(self, package: str) -> str:
        """The version of a package that is installed; empty where it is not."""
        if package not in NPM:
            found = (self.place / "python").glob(f"lib/*/site-packages/{package}-*.dist-info")
            return next((each.name.split("-")[1].removesuffix(".dist") for each in found), "")
        about = self.npm / package / "package.json"
        return str(json.loads(about.read_text())["version"]) if about.exists() else ""


def lines(cache: Cache, server: Server) -> Iterator[Line]:
    """Record, replay and branch each tool of a server."""
    with tempfile.TemporaryDirectory() as place, ExitStack() as stack:
        here = Path(place)
        target = _target(cache, server, here, stack)
        for number, tool in enumerate(server.tools):
            line = Line(server.name, cache.version(server.package), tool.name)
            home = here / str(number)
            home.mkdir()
            _try(line, server, tool, target, home)
            yield line


def _target(cache: Cache, server: Server, here: Path, stack: ExitStack) -> str:
    """What stands behind `--with NAME=`, once all that the server needs is there."""
    backend, port = free_port(), free_port()
    names = {
        "npm": cache.npm,
        "python": cache.python,
        "tests": TESTS,
        "here": here,
        "backend": backend,
        "port": port,
    }
    for name, text in server.files.items():
        filled = text.replace("{here}", str(here)).replace("BACKEND", str(backend))
        (here / name).write_text(filled)
    state, begin = here / "state.json", json.dumps(server.state)
    lay = f"printf %s '{begin}' > {state}\n" if server.backend else ""
    start = here / "start.sh"
    start.write_text(f"{lay}{server.command.format_map(names)}\n")
    if server.backend is not None:
        state.write_text(begin)
        program = TESTS / "scenarios" / "backends.py"
        command: list[str | Path] = [cache.python, program, server.backend, str(backend), state]
        stack.enter_context(listening(command, backend))
    if server.http:
        stack.enter_context(listening(["sh", start], port))
        return f"http://127.0.0.1:{port}/mcp"
    return f"sh {start}"


def _try(line: Line, server: Server, tool: Tool, target: str, here: Path) -> None:
    begin: tuple[str, ...] = (f"--with={server.name}={target}",)
    arguments = [f"{name}:={json.dumps(value)}" for name, value in tool.arguments.items()]
    recorded, scenario = here / "answers.toml", here / "scenario.toml"
    call = (server.name, tool.name, *arguments)
    shown = _recorded(
        [*begin, "call", *call, "--plain", "--allow-tool", "--record", str(recorded)], tool, here
    )
    failures = [] if recorded.exists() else [f"recording: {' '.join(shown.split())[:400]}"]
    if recorded.exists():
        written = _run(here, *begin, "test", "--from", str(recorded), *call).stdout
    elif tool.written:
        config = here / "config.toml"
        config.write_text('[guardian]\non_block = "ask"\n')
        begin = (f"--config={config}", *begin)
        head = f'[[scenario]]\nname = "w"\nserver = "{server.name}"\ncall = "{tool.name}"\n\n'
        written = head + tool.written
    else:
        judge(line, failures, tool.faults)
        return
    scenario.write_text(_expecting(written, tool.expect, here.parent))
    how = ("--output", "json", "--timeout", "60", "--eras", server.eras)
    taken = json.loads(_run(here, *begin, "test", str(scenario), "--update", *how).stdout)
    ways = ("--branches", "--answers-gone-wrong")
    document = json.loads(_run(here, *begin, "test", str(scenario), *ways, *how).stdout)
    line.questions = max(len(run["elicitations"]) for run in taken["runs"])
    line.ways = len(document["runs"])
    failures += [
        f"{run['branch']}: {failure}"
        for run in (*taken["runs"], *document["runs"])
        for failure in run["failures"]
    ]
    judge(line, list(dict.fromkeys(failures)), tool.faults)


def judge(line: Line, failures: Sequence[str], faults: Mapping[str, str]) -> None:
    """Keep each failure with the fault of the server that explains it, and faults not seen."""
    for failure in failures:
        known = next((glob for glob in faults if fnmatchcase(failure, glob)), None)
        line.red.append((failure, faults[known] if known is not None else ""))
    line.unseen = [
        glob for glob in faults if not any(fnmatchcase(failure, glob) for failure in failures)
    ]


def _expecting(written: str, expect: str, here: Path) -> str:
    """The scenario that was made of a recording, with what its author adds to it."""
    lines = [each for each in written.splitlines() if not each.startswith("expect =")]
    added = expect.replace('"state.json"', toml_value(str(here / "state.json")))
    place = next(number for number, each in enumerate(lines) if each.startswith("call ="))
    return "\n".join([*lines[: place + 1], added, *lines[place + 1 :], ""])


def _recorded(arguments: Sequence[str], tool: Tool, home: Path) -> str:
    """What a terminal shows where a person answers all that is asked."""
    left, end, seen = list(tool.typed), time.monotonic() + 120, 0
    with Terminal(arguments, columns=200, HOME=str(home)) as terminal:
        while terminal.read(0.2) and time.monotonic() < end:
            new = terminal.shown[seen:]
            line = next((said for prompt, said in PROMPTS.items() if new.endswith(prompt)), None)
            if line is None and new.endswith("\n> ") and left:
                line = left.pop(0)
            if line is not None:
                seen += len(new)
                terminal.type(f"{line}\n")
        return terminal.shown


def _run(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    ended = subprocess.run(
        [sys.executable, "-m", "elicit_tui", *arguments],
        env=surroundings(HOME=str(home), CI=""),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LONG,
        check=False,
    )
    if ended.returncode not in (0, 1):
        raise SystemExit(ended.stderr or ended.stdout)
    return ended


def main(place: str, *names: str) -> int:
    cache = Cache(Path(place).absolute())
    cache.fill()
    right = True
    for server in SERVERS:
        if names and server.name not in names:
            continue
        for line in lines(cache, server):
            print(line, flush=True)
            right = right and line.right
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
