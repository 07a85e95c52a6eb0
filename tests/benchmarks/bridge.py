"""What an agent waits for its hook where that has nothing to say, beside bare Python."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import median

from tests.benchmarks.measure import Runs, in_turn, ratio, surroundings, table

PROMISED_MS = 150
COMMAND = {
    "hook_event_name": "PermissionRequest",
    "cwd": "/home/ada/project",
    "tool_name": "Bash",
    "tool_input": {"command": "make release", "description": "Build it"},
}
OWN = {**COMMAND, "tool_name": "mcp__elicit-tui__deploy__deploy"}
HOOK = (sys.executable, "-m", "elicit_tui", "bridge", "claude-code")
CONFIG = """
[mcp_servers.deploy]
command = "deploy-mcp-server"
[mcp_servers.search]
url = "https://mcp.example.com"
"""


def hooks(folder: Path) -> Sequence[Runs]:
    """Each prompt for which it has nothing to say, as a shell gives it."""
    found = []
    for name, prompt in (("our own gateway's tool", OWN), ("nobody there", COMMAND)):
        file = folder / f"{name.replace(' ', '-')}.json"
        file.write_text(json.dumps(prompt))
        command = ["/bin/sh", "-c", f'exec "$@" < "{file}"', "hook", *HOOK]
        found.append(Runs(name, command))
    return found


def main(times: int = 15) -> None:
    """Print what each takes, and whether it is within what is promised."""
    with ExitStack() as closing:
        home = Path(closing.enter_context(tempfile.TemporaryDirectory()))
        config = home / ".config" / "elicit-tui" / "config.toml"
        config.parent.mkdir(parents=True)
        config.write_text(CONFIG)
        config.chmod(0o600)
        environment = surroundings(HOME=str(home))
        bare = Runs("python -c pass", [sys.executable, "-c", "pass"])
        runs = [bare, *hooks(home)]
        in_turn(runs, times, environment)
    print("A hook of an agent that has nothing to say (medians)")
    print(table(runs, bare))
    for each in runs[1:]:
        took, least = 1000 * median(each.wall), 1000 * min(each.wall)
        said = "within" if took <= PROMISED_MS else "OVER"
        print(
            f"{each.name}: {took:.0f} ms, at best {least:.0f} ms, "
            f"{ratio(each.wall, bare.wall):.1f} times bare Python; {said} {PROMISED_MS} ms"
        )


if __name__ == "__main__":
    main()
