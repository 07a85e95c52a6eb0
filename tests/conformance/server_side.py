"""Holds the gateway against the suite's server scenarios, and their list against the truth."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomli

from tests.conformance.gateway import gateway
from tests.conformance.suite import Check, Suite

REVISIONS = ("2025-11-25", "2026-07-28")
EXTENSION = "extension"
"""In the place of the revision of an extension's scenarios."""
LIST = "expected_of_gateway.toml"


@dataclass(frozen=True)
class Expected:
    """One scenario of one revision, and the checks of it that do not apply."""

    scenario: str
    revision: str
    run: bool
    exempt: frozenset[str]


def expectations() -> list[Expected]:
    table: dict[str, Any] = tomli.loads((Path(__file__).parent / LIST).read_text(encoding="utf-8"))
    return [
        Expected(scenario, entry["revision"], kind != "not_run", frozenset(entry.get("checks", ())))
        for kind in ("passes", "does_not_apply", "not_run")
        for entry in table[kind]
        for scenario in entry["scenarios"]
    ]


def hold(suite: Suite) -> list[str]:
    """Run every server scenario; where the list is not true."""
    expected = expectations()
    there = {
        (name, revision) for name, all_ in suite.scenarios("server").items() for revision in all_
    }
    listed = {(entry.scenario, entry.revision) for entry in expected}
    wrong = [f"not in {LIST}: {name} ({revision})" for name, revision in there - listed]
    wrong += [f"no longer in the suite: {name} ({revision})" for name, revision in listed - there]
    with gateway() as (url, token):
        for revision in (*REVISIONS, EXTENSION):
            run = [entry for entry in expected if entry.run and entry.revision == revision]
            found: dict[str, list[Check]] = {}
            if revision != EXTENSION:
                found = suite.of_server(url, token, revision)
            for entry in run:
                if revision == EXTENSION:
                    found |= suite.of_server(url, token, revision, entry.scenario)
                surprises = _surprises(entry, found.get(entry.scenario, []))
                state = "pass" if not entry.exempt else "n/a "
                print(
                    f"{'fail' if surprises else state}  {revision}  {entry.scenario}",
                    flush=True,
                )
                wrong += [f"{entry.scenario} ({revision}) {said}" for said in surprises]
    return wrong


def _surprises(entry: Expected, checks: list[Check]) -> list[str]:
    """What is another than the list says of one scenario."""
    if not checks:
        return ["was not run"]
    failed = {check.id: check for check in checks if not check.passed}
    reached = {check.id for check in checks}
    exempt = entry.exempt & reached
    surprises = [f"fails {one.id}: {one.said}" for one in failed.values() if one.id not in exempt]
    surprises += [f"passes {each}" for each in sorted(exempt - set(failed))]
    if entry.exempt and not exempt:
        surprises.append("has none of the checks that do not apply")
    return surprises
