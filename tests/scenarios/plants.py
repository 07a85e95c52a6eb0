"""Which planted faults `elicit-tui test` sees, in servers of four kinds, and their right twins.

    python -m tests.scenarios.plants [KIND…]

Each fault has the scenario that its author would write; every way is tried in both eras. One line
each: red with the first sentence, or green. The exit code is 1 where a fault is green or a twin is
not. Kinds whose packages are not installed are told.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tests.benchmarks.measure import surroundings
from tests.forks import forks_of
from tests.scenarios.test_lab import scenario

HERE: Final = Path(__file__).parent
PYTHON: Final = HERE.parent / "python"
NODE: Final = HERE.parent / "node"

FAULTS: Final = (
    "changes_its_words",
    "shows_half_of_it_on_decline",
    "acts_on_a_false_confirmation",
    "acts_on_the_refusing_choice",
    "books_twice",
    "asks_in_other_words",
    "fails_with_what_was_typed",
    "logs_what_was_typed",
    "asks_otherwise_in_the_later_era",
    "prints_beside_its_messages",
    "breaks_its_output_schema",
    "answers_twice",
    "ends_with_an_exit_code",
    "acts_when_its_call_is_cancelled",
)
TWINS: Final = (
    "changes_its_words",
    "acts_on_a_false_confirmation",
    "acts_on_the_refusing_choice",
    "books_twice",
    "asks_in_other_words",
    "fails_with_what_was_typed",
    "logs_what_was_typed",
)
"""The faults whose right twins differ; those of the others are the same as one of these."""
ONE_ERA: Final = ("asks_otherwise_in_the_later_era", "acts_when_its_call_is_cancelled")
"""What the other era is compared with; a call is open while its question waits only there."""
_DIVERTED: Final = "its standard output is no way to the client: the SDK keeps that and diverts it"
_NOT_RUNNING: Final = " no code of the tool runs while its question waits"
CANNOT_BE: Final = {
    (kind, fault): _DIVERTED
    for kind in ("python-sdk", "fastmcp")
    for fault in ("prints_beside_its_messages", "answers_twice")
} | {
    ("python-sdk", "acts_when_its_call_is_cancelled"): "with Resolve" + _NOT_RUNNING,
    ("typescript", "acts_when_its_call_is_cancelled"): "with inputRequired" + _NOT_RUNNING,
}
"""What servers of a kind cannot do, and why."""


@dataclass(frozen=True)
class Kind:
    """How servers of one kind are started, without tool and state."""

    program: Path
    script: Path
    forks: bool = True

    @property
    def installed(self) -> bool:
        return self.program.exists()

    @contextmanager
    def command(self) -> Iterator[str]:
        if not self.forks:
            yield f"{self.program} {self.script}"
            return
        with forks_of(self.script, "--nursery", python=self.program) as words:
            yield " ".join(words)


KINDS: Final = {
    "raw": Kind(Path(sys.executable), HERE / "lab.py"),
    "python-sdk": Kind(Path(sys.executable), HERE / "planted_sdk.py"),
    "fastmcp": Kind(PYTHON / ".venv" / "bin" / "python", PYTHON / "planted_server.py"),
    "typescript": Kind(
        NODE / "node_modules" / "node" / "bin" / "node", NODE / "planted_server.mjs", forks=False
    ),
}


@dataclass(frozen=True)
class Line:
    """What came of one server."""

    kind: str
    tool: str
    verdict: str
    """`red`, `green`, `n/a`, or `part` for what is red in one era only."""
    why: str
    right: bool

    def __str__(self) -> str:
        mark = " " if self.right else "!"
        return f"{mark} {self.kind:10} {self.tool:38} {self.verdict:5} {self.why}"


def tried(kind: str, faults: Sequence[str] = FAULTS, twins: Sequence[str] = TWINS) -> list[Line]:
    """Try these faults and twins in servers of one kind."""
    possible = [each for each in faults if (kind, each) not in CANNOT_BE]
    tools = [*possible, *(f"{each}_mended" for each in twins)]
    with tempfile.TemporaryDirectory() as place, KINDS[kind].command() as command:
        here = Path(place)
        if changing := [each for each in tools if each.startswith("changes_its_words")]:
            _test(here, command, changing, "--update", later="")
        document = _test(here, command, tools, "--branches", "--answers-gone-wrong", later=" later")
    impossible = (
        Line(kind, each, "n/a", CANNOT_BE[kind, each], right=True)
        for each in faults
        if each not in possible
    )
    return [*(_line(kind, tool, document) for tool in tools), *impossible]


def _test(here: Path, command: str, tools: Sequence[str], *options: str, later: str) -> Any:
    file = here / "planted.toml"
    file.write_text("\n\n".join(scenario(tool, here / tool) for tool in tools))
    servers = (f"--with={tool}={command} {tool} {here / tool}{later}" for tool in tools)
    how = ("--output", "json", "--timeout", "30", "--eras", "both", *options)
    ended = subprocess.run(
        [sys.executable, "-m", "elicit_tui", *servers, "test", str(file), *how],
        env=surroundings(HOME=str(here), CI=""),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if ended.returncode not in (0, 1):
        raise SystemExit(ended.stderr or ended.stdout)
    return json.loads(ended.stdout)


def _line(kind: str, tool: str, document: Any) -> Line:
    runs = [each for each in document["runs"] if each["scenario"] == tool]
    red = [each for each in runs if not each["passed"]]
    twin = tool.endswith("_mended")
    if not red:
        return Line(kind, tool, "green", f"{len(runs)} ways", right=twin and bool(runs))
    first = red[0]
    why = f"{first['branch']} {first['era']}: {first['failures'][0]}"
    green = {each["era"] for each in runs} - {each["era"] for each in red}
    if green and not twin and tool not in ONE_ERA:
        return Line(kind, tool, "part", f"green in {', '.join(green)}; {why}", right=False)
    return Line(kind, tool, "red", why, right=not twin)


def main(kinds: Sequence[str]) -> int:
    right = True
    for kind in kinds or KINDS:
        if not KINDS[kind].installed:
            print(f"  {kind:10} is not installed")
            continue
        for line in tried(kind):
            print(line, flush=True)
            right = right and line.right
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
