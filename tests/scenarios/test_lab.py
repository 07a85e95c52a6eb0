"""Every broken server of the lab is found, and the branch is named; its mended twin is green."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.cli.running import Ended, run
from tests.scenarios.lab import (
    CONFIRM,
    FORMS,
    GUESTS,
    NAMED,
    SEAT,
    SURE,
    TABLE_SIZES,
    YES_OR_NO,
)

LAB = Path(__file__).with_name("lab.py")

BRANCHES: dict[str, tuple[str, ...]] = {
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
    "changes_its_words": ("accept",),
    "shows_half_of_it_on_decline": ("decline",),
    "acts_on_a_false_confirmation": ("no",),
    "acts_on_the_refusing_choice": ("no",),
    "books_twice": ("accept",),
    "asks_in_other_words": ("decline",),
    "asks_otherwise_in_the_later_era": ("accept",),
    "breaks_its_output_schema": ("accept",),
}
"""Where each flaw shows, at least, under `--branches`."""
GONE_WRONG: dict[str, tuple[str, ...]] = {
    "accepts_a_wrong_type": ("guests has the wrong type",),
    "accepts_nothing": ("guests is missing",),
    "accepts_any_number": ("guests is out of range",),
    "accepts_no_multiple": ("seats is no multiple of 2",),
    "accepts_a_title": ("seat is a title and no value",),
    "takes_over_what_it_did_not_ask": ("an extra property",),
    "reads_the_content_of_a_decline": ("a decline with content",),
    "books_for_each_answer": ("the answer twice",),
    "acts_on_a_late_answer": ("an accept that comes after a decline",),
    "hangs_after_a_late_answer": ("an accept that comes after a decline",),
    "logs_what_was_typed": ("what is typed comes back in the result only",),
    "repeats_what_was_declined": ("a decline with content",),
}
"""And under `--answers-gone-wrong`."""
PUSHED_ONLY = {"books_for_each_answer", "acts_on_a_late_answer", "hangs_after_a_late_answer"}
"""In a round each question has one answer, which comes in time."""
CHANGING = ("changes_its_schema", "changes_its_words")
"""Asked otherwise, later on, than when the snapshots were written."""
LATER_ERA_ONLY = {"asks_otherwise_in_the_later_era"}
WATCHED = {"leaves_a_trace_when_cancelled", "books_twice", "acts_on_a_late_answer"}
"""What the result does not show."""
CONTENT = {
    json.dumps(form): content
    for form, content in (
        (CONFIRM, "{}"),
        (GUESTS, "{ guests = 3 }"),
        (TABLE_SIZES, "{ seats = 4 }"),
        (SEAT, '{ seat = "bar" }'),
        (SURE, "{ confirm = true }"),
        (YES_OR_NO, '{ answer = "y" }'),
        (NAMED, '{ name = "Ada Lovelace" }'),
    )
}
HANDSHAKE, MODERN = ERAS = ("2025-11-25", "2026-07-28")


def scenario(tool: str, watched: Path) -> str:
    form = FORMS[tool.removesuffix("_mended")]
    content = CONTENT[json.dumps(form)]
    lines = [
        *("[[scenario]]", f'name = "{tool}"', f'server = "{tool}"', f'call = "{tool}"'),
        'expect = { structured = { "/booked" = true, "/tables" = 1 } }',
        *("[[scenario.answers]]", 'message = "Book*"', f"content = {content}"),
    ]
    if tool.removesuffix("_mended") in WATCHED:
        lines.insert(4, f"watch = [{json.dumps(str(watched))}]\nchanges = 1")
    if "second" in tool:
        lines += ["[[scenario.answers]]", 'message = "Really*"', "content = {}"]
    return "\n".join(lines)


def run_lab(directory: Path, tools: list[str], *options: str, later: bool) -> Ended:
    """Test these tools of the lab, each by one scenario on a server of its own, in both eras."""
    file = directory / "lab.toml"
    file.write_text("\n\n".join(scenario(tool, directory / tool) for tool in tools))
    how = " later" if later else ""
    servers = (f"{tool}={sys.executable} {LAB} {directory / tool}{how}" for tool in tools)
    return run(
        *(word for server in servers for word in ("--with", server)),
        *("test", str(file), "--output", "json", "--timeout", "3"),
        *("--eras", "both", *options),
        seconds=280,
    )


EITHER = pytest.mark.parametrize(
    ("option", "flaws"),
    [("--branches", BRANCHES), ("--answers-gone-wrong", GONE_WRONG)],
    ids=["branches", "answers gone wrong"],
)


def test_the_lab_has_each_flaw_once() -> None:
    assert [*BRANCHES, *GONE_WRONG] == list(FORMS)


@pytest.mark.timeout(300)
@EITHER
def test_each_broken_server_is_found_and_the_way_is_named(
    tmp_path: Path, option: str, flaws: dict[str, tuple[str, ...]]
) -> None:
    if changing := [flaw for flaw in CHANGING if flaw in flaws]:
        assert run_lab(tmp_path, changing, "--update", later=False).code == 0
    ended = run_lab(tmp_path, list(flaws), option, later=True)
    assert ended.code == ended.document["exitCode"] == 1, ended.stderr
    found: dict[tuple[str, str], set[str]] = {}
    for each in ended.document["runs"]:
        ways = found.setdefault((each["scenario"], each["era"]), set())
        if not each["passed"]:
            ways.add(each["branch"])
    missed = {
        (flaw, era): set(ways) - found[flaw, era]
        for flaw, ways in flaws.items()
        for era in ERAS
        if not (era == MODERN and flaw in PUSHED_ONLY)
        and not (era == HANDSHAKE and flaw in LATER_ERA_ONLY)
        and not found[flaw, era] >= set(ways)
    }
    assert missed == {}
    early = {flaw for (flaw, _), ways in found.items() if "accept" in ways}
    assert early == {flaw for flaw, ways in flaws.items() if "accept" in ways}


@pytest.mark.timeout(300)
@EITHER
def test_each_mended_twin_is_green(
    tmp_path: Path, option: str, flaws: dict[str, tuple[str, ...]]
) -> None:
    if mended := [f"{flaw}_mended" for flaw in CHANGING if flaw in flaws]:
        assert run_lab(tmp_path, mended, "--update", later=False).code == 0
    ended = run_lab(tmp_path, [f"{flaw}_mended" for flaw in flaws], option, later=True)
    assert [run for run in ended.document["runs"] if not run["passed"]] == []
    assert ended.code == 0
    ways = {(run["branch"], run["era"]) for run in ended.document["runs"]}
    for era in ERAS:
        tried = [
            way
            for flaw, found in flaws.items()
            for way in found
            if not (era == MODERN and flaw in PUSHED_ONLY)
        ]
        assert {(way, era) for way in tried} <= ways
    if option == "--branches":
        for tool in ended.document["coverage"]:
            assert set(tool["branches"].values()) == {"passed"}
