"""Every broken server of the lab is found, and the branch is named; its mended twin is green."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.cli.running import Ended, run
from tests.scenarios.lab import CONFIRM, FORMS, GUESTS

LAB = Path(__file__).with_name("lab.py")

FOUND_IN: dict[str, tuple[str, ...]] = {
    "acts_on_decline": ("decline",),
    "acts_on_cancel": ("cancel",),
    "crashes_on_cancel": ("cancel",),
    "fails_within_on_decline": ("decline",),
    "hangs_on_decline": ("decline",),
    "asks_twice": ("accept",),
    "loses_its_question": ("accept",),
    "changes_its_schema": ("accept",),
    "asks_until_it_is_accepted": ("decline",),
    "leaves_a_trace_when_cancelled": ("cancel",),
    "forgets_the_second_no": ("decline 2", "cancel 2"),
    "accepts_a_wrong_type": ("guests has the wrong type",),
    "accepts_nothing": ("guests is missing",),
    "accepts_any_number": ("guests is out of range",),
    "accepts_a_title": ("seat is a title and no value",),
    "takes_over_what_it_did_not_ask": ("an extra property",),
    "reads_the_content_of_a_decline": ("a decline with content",),
    "books_for_each_answer": ("the answer twice",),
    "acts_on_a_late_answer": ("an accept that comes after a decline",),
    "hangs_after_a_late_answer": ("an accept that comes after a decline",),
}
"""Where each flaw shows, at least."""


def scenario(tool: str, watched: Path) -> str:
    form = FORMS[tool.removesuffix("_mended")]
    content = (
        "{}" if form is CONFIRM else "{ guests = 3 }" if form is GUESTS else '{ seat = "bar" }'
    )
    lines = [
        *("[[scenario]]", f'name = "{tool}"', 'server = "lab"', f'call = "{tool}"'),
        f"watch = [{json.dumps(str(watched))}]",
        'expect = { structured = { "/booked" = true, "/tables" = 1 } }',
        *("[[scenario.answers]]", 'message = "Book*"', f"content = {content}"),
    ]
    if "second" in tool:
        lines += ["[[scenario.answers]]", 'message = "Really*"', "content = {}"]
    return "\n".join(lines)


def run_lab(directory: Path, tools: list[str], *options: str, later: bool) -> Ended:
    """Test these tools of the lab, each by one scenario."""
    file, state = directory / "lab.toml", directory / "state"
    file.write_text("\n\n".join(scenario(tool, state) for tool in tools))
    server = f"lab={sys.executable} {LAB} {state}" + (" later" if later else "")
    return run(
        *("--with", server, "test", str(file), "--output", "json", "--timeout", "3"),
        *options,
        seconds=580,
    )


@pytest.mark.timeout(600)
def test_each_broken_server_is_found_and_the_way_is_named(tmp_path: Path) -> None:
    flaw = "changes_its_schema"
    assert run_lab(tmp_path, [flaw], "--update", later=False).code == 0
    ended = run_lab(tmp_path, list(FORMS), "--branches", "--answers-gone-wrong", later=True)
    assert ended.code == ended.document["exitCode"] == 1, ended.stderr
    found: dict[str, set[str]] = {flaw: set() for flaw in FORMS}
    for each in ended.document["runs"]:
        if not each["passed"]:
            found[each["scenario"]].add(each["branch"])
    missed = {flaw: ways for flaw, ways in FOUND_IN.items() if not found[flaw] >= set(ways)}
    assert missed == {}
    early = {flaw for flaw, ways in found.items() if "accept" in ways}
    assert early == {flaw for flaw, ways in FOUND_IN.items() if "accept" in ways}


@pytest.mark.timeout(600)
def test_each_mended_twin_is_green(tmp_path: Path) -> None:
    twins = [f"{flaw}_mended" for flaw in FORMS]
    assert run_lab(tmp_path, twins, "--update", later=False).code == 0
    ended = run_lab(tmp_path, twins, "--branches", "--answers-gone-wrong", later=True)
    assert [run for run in ended.document["runs"] if not run["passed"]] == []
    assert ended.code == 0
    ways = {run["branch"] for run in ended.document["runs"]}
    assert {way for found in FOUND_IN.values() for way in found} <= ways
    for tool in ended.document["coverage"]:
        assert set(tool["branches"].values()) == {"passed"}
