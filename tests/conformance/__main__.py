"""Holds host and gateway against the official conformance suite: `python -m tests.conformance`.

Exit code 0 when expected.toml (our host, the client scenarios) and expected_of_gateway.toml (the
server scenarios) are true line by line, 1 when they are not, 2 when the suite could not be brought.
`--only TEXT` runs the client scenarios with this in their name; `--only gateway` the gateway alone.
"""

from __future__ import annotations

import argparse
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import platformdirs
import tomli

from tests.conformance import server_side
from tests.conformance.suite import VERSION, CannotRun, Suite
from tests.forks import end_forks

AT_ONCE = 2
GATEWAY = "gateway"


@dataclass(frozen=True)
class Expected:
    """One scenario of one revision, and what is expected of it."""

    scenario: str
    revision: str
    passes: bool
    run: bool
    reason: str | None


def expectations() -> list[Expected]:
    table = tomli.loads((Path(__file__).parent / "expected.toml").read_text(encoding="utf-8"))
    return [
        Expected(
            scenario,
            entry["revision"],
            kind == "passes",
            kind != "not_applicable",
            entry.get("reason"),
        )
        for kind in ("passes", "fails", "not_applicable")
        for entry in table.get(kind, ())
        for scenario in entry["scenarios"]
    ]


def unlisted(suite: Suite, expected: list[Expected]) -> list[str]:
    """Scenarios that the suite has and the list lacks, and the other way round."""
    there = {
        (name, revision) for name, all_ in suite.scenarios("client").items() for revision in all_
    }
    listed = {(entry.scenario, entry.revision) for entry in expected}
    return [f"not in expected.toml: {name} ({revision})" for name, revision in there - listed] + [
        f"no longer in the suite: {name} ({revision})" for name, revision in listed - there
    ]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.conformance", description=__doc__)
    parser.add_argument("--only", default="", metavar="TEXT")
    only = parser.parse_args().only
    directory = platformdirs.user_cache_path("elicit-tui") / f"conformance-{VERSION}"
    try:
        suite = Suite.bring(directory)
    except CannotRun as error:
        print(error, file=sys.stderr)
        return 2
    # The server scenarios are two processes that mostly wait: beside the others they cost little.
    with ThreadPoolExecutor(1) as beside:
        of_gateway = beside.submit(server_side.hold, suite) if only in ("", GATEWAY) else None
        wrong = client_side(suite, only) if only != GATEWAY else []
        wrong += of_gateway.result() if of_gateway is not None else []
    end_forks()
    for line in wrong:
        print(f"not as expected: {line}", file=sys.stderr)
    print(f"{len(wrong)} surprises")
    return 1 if wrong else 0


def client_side(suite: Suite, only: str) -> list[str]:
    """Run the client scenarios; where expected.toml is not true."""
    expected = expectations()
    wrong = unlisted(suite, expected)
    chosen = [entry for entry in expected if entry.run and only in entry.scenario]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        results = pool.map(lambda entry: suite.passes(entry.scenario, entry.revision), chosen)
        for entry, (passed, said) in zip(chosen, results, strict=True):
            print(f"{'pass' if passed else 'fail'}  {entry.revision}  {entry.scenario}", flush=True)
            if passed != entry.passes:
                state = "passes now" if passed else "does not pass"
                wrong.append(f"{entry.scenario} ({entry.revision}) {state}")
                if not passed:
                    print(said[-3000:], file=sys.stderr)
    return wrong


if __name__ == "__main__":
    sys.exit(main())
