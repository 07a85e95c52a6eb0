"""Every broken server of the lab is found, and the branch is named; its mended twin is green."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from pathlib import Path

import pytest

from tests.cli.running import Ended, run
from tests.forks import forks_of
from tests.scenarios.careless import AGREED, CARELESS, PARTY, WISHES
from tests.scenarios.careless import SEAT as LISTED_SEAT
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
    "leaves_a_trace_when_cancelled": ("accept",),
    "forgets_the_second_no": ("decline 2", "cancel 2"),
    "changes_its_words": ("accept",),
    "shows_half_of_it_on_decline": ("decline",),
    "acts_on_a_false_confirmation": ("no",),
    "acts_on_the_refusing_choice": ("no",),
    "books_twice": ("accept",),
    "asks_in_other_words": ("decline",),
    "asks_otherwise_in_the_later_era": ("accept",),
    "breaks_its_output_schema": ("accept",),
    "acts_while_it_asks": ("accept",),
    "acts_when_its_question_waits": ("deadline",),
    "acts_when_its_call_is_cancelled": ("call cancelled",),
    "acts_and_says_that_it_failed": ("decline",),
    "acts_though_its_page_was_declined": ("decline",),
    "asks_again_with_a_page": ("decline",),
    "breaks_its_output_schema_on_a_no": ("decline", "cancel", "deadline"),
    "says_that_it_acted_and_did_not": ("accept",),
    "asks_two_at_once_in_the_later_era": ("accept",),
    "prints_beside_its_messages": ("accept",),
    "ends_with_an_exit_code": ("accept",),
    "answers_twice": ("accept",),
}
"""Where each flaw shows, at least, under `--branches`."""
GONE_WRONG: dict[str, tuple[str, ...]] = {
    "accepts_a_wrong_type": ("guests has the wrong type",),
    "accepts_nothing": ("guests is missing",),
    "accepts_any_number": ("guests is too small", "guests is too large"),
    "accepts_no_multiple": ("seats is no multiple of 2",),
    "accepts_a_title": ("seat is a title and no value",),
    "takes_over_what_it_did_not_ask": ("an extra property",),
    "reads_the_content_of_a_decline": ("a decline with content",),
    "books_for_each_answer": ("the answer twice",),
    "acts_on_a_late_answer": ("an accept that comes after a decline",),
    "hangs_after_a_late_answer": ("an accept that comes after a decline",),
    "logs_what_was_typed": ("what is typed comes back in the result only",),
    "repeats_what_was_declined": ("a decline with content",),
    "fails_with_what_was_typed": ("what is typed comes back in the result only",),
    "breaks_without_an_optional_field": ("what is optional is left out",),
    "takes_a_fraction": ("Guests is no whole number",),
    "takes_null": ("Guests is null",),
    "takes_any_text_for_a_yes": ("I agree has the wrong type",),
    "falls_back_to_a_choice": ("Seat has the wrong type", "Seat is no choice"),
    "hangs_on_what_it_cannot_read": ("Guests has the wrong type",),
    "crashes_on_what_it_did_not_ask": ("an extra property",),
    "tells_its_progress_what_was_typed": ("what is typed comes back in the result only",),
}
"""And under `--answers-gone-wrong`."""
PUSHED_ONLY = {
    "books_for_each_answer",
    "acts_on_a_late_answer",
    "acts_when_its_call_is_cancelled",
    "hangs_after_a_late_answer",
    "tells_its_progress_what_was_typed",
}
"""In a round each question has one answer, which comes in time; each has a progress of its own."""
REMEMBERING = ("forgets_to_ask_again", "remembers_the_answer_as_a_default")
"""What a second call shows, which may be meant so: it is told, and fails nothing."""
CHANGING = ("changes_its_schema", "changes_its_words")
"""Asked otherwise, later on, than when the snapshots were written."""
LATER_ERA_ONLY = {"asks_otherwise_in_the_later_era", "asks_two_at_once_in_the_later_era"}
WATCHED = {
    "leaves_a_trace_when_cancelled",
    "books_twice",
    "acts_on_a_late_answer",
    "acts_while_it_asks",
    "acts_when_its_call_is_cancelled",
    "acts_and_says_that_it_failed",
    "says_that_it_acted_and_did_not",
}
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
        (PARTY, "{ guests = 3 }"),
        (LISTED_SEAT, '{ seat = "bar" }'),
        (AGREED, "{ agreed = true }"),
        (WISHES, '{ name = "Ada Lovelace", outdoors = true }'),
    )
}
HANGING = ("hangs_on_decline", "hangs_after_a_late_answer", "hangs_on_what_it_cannot_read")
"""What takes as long as it may."""
PARTS = 3
"""Of the other flaws, each by itself, so that they can be looked for side by side."""
ALL = {**FORMS, **CARELESS}
PAGES = {"acts_though_its_page_was_declined"}
HANDSHAKE, MODERN = ERAS = ("2025-11-25", "2026-07-28")


def scenario(tool: str, watched: Path) -> str:
    form = ALL[tool.removesuffix("_mended")]
    content = f"content = {CONTENT[json.dumps(form)]}"
    if tool.removesuffix("_mended") in PAGES:
        content = 'action = "accept"'
    lines = [
        *("[[scenario]]", f'name = "{tool}"', f'server = "{tool}"', f'call = "{tool}"'),
        'expect = { structured = { "/booked" = true, "/tables" = 1 } }',
        *("[[scenario.answers]]", 'message = "Book*"', content),
    ]
    if tool.removesuffix("_mended") in WATCHED:
        lines.insert(4, f"watch = [{json.dumps(str(watched))}]\nchanges = 1")
    if "second" in tool:
        lines += ["[[scenario.answers]]", 'message = "Really*"', "content = {}"]
    return "\n".join(lines)


@pytest.fixture(scope="module")
def lab() -> Iterator[str]:
    """The command line of the lab's servers, without tool and state: forks of one process."""
    with forks_of(LAB, "--nursery") as words:
        yield " ".join(words)


def run_lab(
    lab: str, directory: Path, tools: list[str], *options: str, later: bool, seconds: float = 3
) -> Ended:
    """Test these tools of the lab, each by one scenario on a server of its own, in both eras."""
    file = directory / "lab.toml"
    file.write_text("\n\n".join(scenario(tool, directory / tool) for tool in tools))
    how = " later" if later else ""
    servers = (f"{tool}={lab} {tool} {directory / tool}{how}" for tool in tools)
    return run(
        *(word for server in servers for word in ("--with", server)),
        *("test", str(file), "--output", "json", "--timeout", str(seconds), "-j", "4"),
        *("--eras", "both", *options),
        seconds=280,
    )


def parts(flaws: Collection[str]) -> Iterator[list[str]]:
    """These flaws in parts of about the same size, those that hang by themselves."""
    others = [flaw for flaw in flaws if flaw not in HANGING]
    yield [flaw for flaw in flaws if flaw in HANGING]
    yield from (others[part::PARTS] for part in range(PARTS))


EITHER = pytest.mark.parametrize(
    ("option", "ways", "flaws"),
    [
        pytest.param(option, ways, part, id=f"{option.strip('-')} {number}")
        for option, ways in (("--branches", BRANCHES), ("--answers-gone-wrong", GONE_WRONG))
        for number, part in enumerate(parts(ways))
    ],
)


def test_the_lab_has_each_flaw_once() -> None:
    assert sorted([*BRANCHES, *GONE_WRONG, *REMEMBERING]) == sorted(ALL)


@pytest.mark.timeout(300)
@EITHER
def test_each_broken_server_is_found_and_the_way_is_named(
    lab: str, tmp_path: Path, option: str, ways: dict[str, tuple[str, ...]], flaws: list[str]
) -> None:
    if changing := [flaw for flaw in CHANGING if flaw in flaws]:
        assert run_lab(lab, tmp_path, changing, "--update", later=False).code == 0
    # Where every way has a process of its own, those that hang do so at the same time.
    alone, seconds = (["--fresh"], 1.5) if flaws[0] in HANGING else ([], 3)
    ended = run_lab(lab, tmp_path, flaws, option, *alone, later=True, seconds=seconds)
    assert ended.code == ended.document["exitCode"] == 1, ended.stderr
    found: dict[tuple[str, str], set[str]] = {}
    for each in ended.document["runs"]:
        failed = found.setdefault((each["scenario"], each["era"]), set())
        if not each["passed"]:
            failed.add(each["branch"])
    missed = {
        (flaw, era): set(ways[flaw]) - found[flaw, era]
        for flaw in flaws
        for era in ERAS
        if not (era == MODERN and flaw in PUSHED_ONLY)
        and not (era == HANDSHAKE and flaw in LATER_ERA_ONLY)
        and not found[flaw, era] >= set(ways[flaw])
    }
    assert missed == {}
    early = {flaw for (flaw, _), failed in found.items() if "accept" in failed}
    assert early == {flaw for flaw in flaws if "accept" in ways[flaw]}


def twins() -> dict[str, list[str]]:
    """Each right tool, with the flaws that it is the mended twin of: few are not the same."""
    found: dict[tuple[object, ...], list[str]] = {}
    for flaw in (*BRANCHES, *GONE_WRONG):
        alike = (json.dumps(ALL[flaw]), flaw in WATCHED, flaw in PAGES, "second" in flaw)
        found.setdefault((*alike, flaw if flaw in CHANGING else ""), []).append(flaw)
    return {f"{flaws[0]}_mended": flaws for flaws in found.values()}


TWINS = twins()


@pytest.mark.timeout(300)
@pytest.mark.parametrize("mended", list(parts(TWINS))[1:], ids=range(PARTS))
def test_each_mended_twin_is_green_in_every_way(
    lab: str, tmp_path: Path, mended: list[str]
) -> None:
    if changing := [f"{flaw}_mended" for flaw in CHANGING if f"{flaw}_mended" in mended]:
        assert run_lab(lab, tmp_path, changing, "--update", later=False).code == 0
    options = ("--branches", "--answers-gone-wrong")
    ended = run_lab(lab, tmp_path, mended, *options, later=True)
    assert [run for run in ended.document["runs"] if not run["passed"]] == []
    assert ended.code == 0
    ways = {(run["scenario"], run["branch"], run["era"]) for run in ended.document["runs"]}
    must = {
        (twin, way, era)
        for twin in mended
        for flaw in TWINS[twin]
        for way in (*BRANCHES.get(flaw, ()), *GONE_WRONG.get(flaw, ()))
        for era in ERAS
        if not (era == MODERN and flaw in PUSHED_ONLY)
    }
    assert must <= ways
    for tool in ended.document["coverage"]:
        assert set(tool["branches"].values()) == {"passed"}
        assert tool["wrongAnswers"]["passed"] == tool["wrongAnswers"]["tried"]


def test_what_a_second_call_does_otherwise_is_told(lab: str, tmp_path: Path) -> None:
    ended = run_lab(lab, tmp_path, list(REMEMBERING), "--branches", later=False)
    assert ended.code == 0
    told = [(run["scenario"], note) for run in ended.document["runs"] for note in run["notes"]]
    said = {flaw: {note for name, note in told if name == flaw} for flaw in REMEMBERING}
    assert any("its question did not come" in note for note in said[REMEMBERING[0]])
    assert any("its questions are others" in note for note in said[REMEMBERING[1]])
