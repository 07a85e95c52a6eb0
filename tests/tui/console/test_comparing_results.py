"""Two results are compared: which two, by whose choice, and in what they differ."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from threading import Event
from typing import Any
from unittest.mock import patch

import pytest

from elicit_tui.elicitation import Call, Method
from elicit_tui.elicitation.finding import MASK
from elicit_tui.tui.console import line_changes
from elicit_tui.tui.console.call_words import compared_words
from elicit_tui.tui.console.calls import AnsweredQuestion, CallRecord, Calls
from elicit_tui.tui.console.result_data import COMPARED_CHARACTERS, COMPARED_LINES, difference
from elicit_tui.tui.console.screens import result_reader
from elicit_tui.tui.console.spans import Line, text_of
from tests.tui.console.reading import reading, search, text_result
from tests.tui.console.stand import console
from tests.tui.console.test_calls import tool

pytestmark = pytest.mark.anyio


async def test_what_differs_from_the_result_before_is_shown(tmp_path: Path) -> None:
    before, now = ({"state": state, "same": 1} for state in ("red", "green"))
    results = [text_result("x", structuredContent=each) for each in (before, now)]
    async with reading(tmp_path, *results) as (stand, _):
        await stand.press("d")
        await stand.until(lambda: '+  "state": "green"' in stand.text())
        assert '-  "state": "red"' in stand.text()


async def test_results_of_several_texts_are_compared_line_by_line(tmp_path: Path) -> None:
    answers = ('{"name": "Monica"}', '{\n  "name": "Joey",\n  "age": 31\n}')
    results = [text_result("You answered:", f"Raw result:\n{each}", each) for each in answers]
    async with reading(tmp_path, *results) as (stand, _):
        await stand.press("d")
        await stand.until(lambda: '+  "name": "Joey",' in stand.text())
        assert '-{"name": "Monica"}' in stand.text()
        assert "\\n" not in stand.text()


async def test_the_key_that_compares_works_in_the_list_of_calls_too(tmp_path: Path) -> None:
    results = [text_result("one"), text_result("two")]
    async with reading(tmp_path, *results) as (stand, _):
        await stand.press("escape", "d")
        await stand.until(lambda: "-one" in stand.text())


async def test_the_key_that_compares_says_that_there_is_nothing_to_compare_with(
    tmp_path: Path,
) -> None:
    async with reading(tmp_path, text_result("one")) as (stand, _):
        await stand.press("escape", "d")
        await stand.until(lambda: "no other result to compare with" in stand.notices())
        await stand.press("z")


async def test_a_difference_says_with_which_call_it_compares(tmp_path: Path) -> None:
    async with reading(tmp_path, text_result("one"), text_result("two")) as (stand, _):
        await stand.press("d")
        *_, first = stand.app.state.calls
        await stand.until(lambda: f"- only in the call at {first.at}" in stand.text())
        assert "both with the same arguments" in stand.text()
        assert f"Compared with the call at {first.at_second} · alpha" in stand.text()


def test_a_result_is_compared_with_the_newest_earlier_one_or_else_with_the_next() -> None:
    calls = Calls()
    first, other, again, new = (
        calls.start("alpha", Call("tools/call", "look", {"number": number}))
        for number in (1, 2, 1, 3)
    )
    for record in (first, other, again, new):
        record.end("answered", result=text_result("x"))
    assert calls.like(first) == (other, again, new)
    assert calls.like(other) == (first, again, new)
    assert calls.like(again) == (other, first, new)
    assert calls.like(new) == (again, other, first)
    other.result = None
    assert calls.like(new) == (again, first)


def test_a_result_is_compared_with_a_call_that_failed_only_after_those_that_did_not() -> None:
    calls = Calls()
    older, newer, failed, last = (
        calls.start("alpha", Call("tools/call", "look", {"number": number}))
        for number in (1, 2, 3, 3)
    )
    for record in (older, newer, last):
        record.end("answered", result=text_result("x"))
    failed.end("answered", result={"isError": True, **text_result("no")})
    assert calls.like(last) == (newer, older, failed)
    assert calls.like(failed) == (newer, older, last)


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ((), "both with the same arguments"),
        (("Rome", "Rome"), "both with the same arguments and the same answers"),
        (("Rome", "Oslo"), "both with the same arguments, but with other answers to what"),
        ((MASK, MASK), "both with the same arguments"),
        (("Rome",), "both with the same arguments, but with other answers to what"),
    ],
)
async def test_a_difference_tells_whether_what_was_answered_is_the_same_too(
    tmp_path: Path, answers: tuple[str, ...], said: str
) -> None:
    async with reading(tmp_path, text_result("one"), text_result("two")) as (stand, _):
        for call, city in zip(stand.app.state.calls, answers, strict=False):
            end = AnsweredQuestion("Where?", "accept", "accepted by you", sent=city)
            call.answered.append(end)
            call.questions = 1
        await stand.press("d")
        await stand.until(lambda: "-one" in stand.text())
        (line,) = [each for each in stand.text().splitlines() if "both with" in each]
        assert line.strip("│ ").startswith(said)
        assert ("answers" in line) == ("answers" in said)


async def test_what_is_not_kept_of_arguments_is_not_called_the_same(tmp_path: Path) -> None:
    async with reading(tmp_path, text_result("one"), text_result("two")) as (stand, _):
        next(iter(stand.app.state.calls)).withheld = ("password",)
        await stand.press("d")
        words = "both with the same arguments as far as they are kept"
        await stand.until(lambda: words in stand.text())


async def test_the_call_that_is_compared_with_is_the_one_before_and_another_is_chosen(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, servers=["alpha"], tools={"alpha": [tool("look")]}) as stand:
        _, before, last = (
            stand.app.state.calls.start("alpha", Call("tools/call", "look", {"city": city}))
            for city in ("Rome", "Oslo", "Lima")
        )
        for record in stand.app.state.calls:
            words = f"It rains in {record.call.arguments['city']}."
            record.end("answered", result=text_result(words))
        await stand.press("3", "d")
        await stand.until(lambda: "-It rains in Oslo." in stand.text())
        assert f"- only in the call at {before.at_second}  city=Oslo" in stand.text()
        assert f"+ only in this call, at {last.at_second}  city=Lima" in stand.text()
        await stand.until(lambda: "b Compare with…" in stand.text())
        assert "b chooses with which of 2 other calls to compare" in stand.text()
        await stand.press("b")
        await stand.until(lambda: "Compare with" in stand.text())
        assert "city=Lima" not in stand.text()
        await stand.press("down", "enter")
        await stand.until(lambda: "-It rains in Rome." in stand.text())
        assert "Oslo" not in stand.text()
        await stand.press("b")
        await stand.until(lambda: "Compare with" in stand.text())
        await stand.press("escape")
        await stand.until(lambda: "-It rains in Rome." in stand.text())


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (["one"], "There is no other result to compare with."),
        (["one", "two"], "There is one other result alone to compare with."),
        (["one", "two", "three"], "d compares it first, then b chooses."),
    ],
)
async def test_the_key_that_chooses_the_other_call_says_why_it_does_nothing(
    tmp_path: Path, texts: list[str], said: str
) -> None:
    async with reading(tmp_path, *map(text_result, texts)) as (stand, _):
        await stand.press("b")
        await stand.until(lambda: said in stand.notices())


@pytest.mark.parametrize(
    ("method", "said"),
    [
        ("resources/read", "both of the same resource"),
        ("prompts/get", "both with the same arguments"),
    ],
)
async def test_what_was_read_of_a_resource_or_a_prompt_is_compared_too(
    tmp_path: Path, method: Method, said: str
) -> None:
    async with console(tmp_path, servers=["alpha"]) as stand:
        for text in ("It rains.", "It snows."):
            record = stand.app.state.calls.start("alpha", Call(method, "file:///weather"))
            content = {"type": "text", "text": text}
            result = {"contents": [content], "messages": [{"role": "user", "content": content}]}
            record.end("answered", result=result)
        await stand.press("3")
        await stand.until(lambda: "d Compare" in stand.text())
        await stand.press("d")
        await stand.until(lambda: "-It rains." in stand.text() and "+It snows." in stand.text())
        assert said in stand.text()


async def test_of_two_calls_that_differ_late_what_differs_is_told_first(tmp_path: Path) -> None:
    async with console(tmp_path, servers=["alpha"], tools={"alpha": [tool("look")]}) as stand:
        for city in ("Rome", "Oslo"):
            arguments = {
                "name": "Monica Geller-Bing",
                "check": True,
                "text": "x" * 60,
                "city": city,
            }
            call = stand.app.state.calls.start("alpha", Call("tools/call", "look", arguments))
            call.end("answered", result=text_result(city))
        await stand.press("3", "d")
        await stand.until(lambda: "-Rome" in stand.text())
        after, before = (record.at_second for record in stand.app.state.calls)
        assert f"- only in the call at {before}  city=Rome" in stand.text()
        assert f"+ only in this call, at {after}  city=Oslo" in stand.text()


async def test_the_first_of_two_calls_is_compared_with_the_one_behind_it(tmp_path: Path) -> None:
    async with reading(tmp_path, text_result("one"), text_result("two")) as (stand, _):
        await stand.press("escape", "end", "d")
        await stand.until(lambda: "-two" in stand.text() and "+one" in stand.text())


@pytest.mark.parametrize("made", [1, 2])
async def test_the_key_that_compares_is_named_only_where_there_is_something_to_compare(
    tmp_path: Path, made: int
) -> None:
    async with console(tmp_path, servers=["alpha"], size=(140, 40)) as stand:
        for _ in range(made):
            call = Call("tools/call", "look", {})
            stand.app.state.calls.start("alpha", call).end("answered", result=text_result("x"))
        await stand.press("3")
        await stand.until(lambda: "/ Search" in stand.text())
        assert ("d Compare" in stand.text()) == (made > 1)
        stand.app.state.calls.start("alpha", Call("tools/call", "look", {})).end("cancelled")
        stand.app.state.changed()
        await stand.until(lambda: "cancelled" in stand.text())
        await stand.press("home")
        await stand.until(lambda: "z Whole" not in stand.text())
        assert "d Compare" not in stand.text()
        await stand.press("d")
        await stand.until(lambda: "This call has no result." in stand.notices())


async def test_the_key_that_compares_is_not_named_where_both_are_compared(tmp_path: Path) -> None:
    async with reading(tmp_path, text_result("one"), text_result("two")) as (stand, _):
        await stand.until(lambda: "d Compare" in stand.text())
        await stand.press("d")
        await stand.until(lambda: "-one" in stand.text())
        assert "d Compare" not in stand.text()


async def test_a_difference_stays_one_when_it_is_turned_and_leads_back_to_the_result(
    tmp_path: Path,
) -> None:
    results = [
        text_result(f"You {deed}.", structuredContent={"booked": deed == "booked"})
        for deed in ("declined", "booked")
    ]
    async with reading(tmp_path, *results) as (stand, _):
        await stand.press("t", "d")
        await stand.until(lambda: "Data compared with the call" in stand.text())
        assert '+  "booked": true' in stand.text()
        assert "t Compare text" in stand.text()
        for shown, what in (("+You booked.", "Text"), ('+  "booked": true', "Data")):
            await stand.press("t")
            await stand.until(lambda what=what: f"{what} compared with" in stand.text())
            await stand.until(lambda shown=shown: shown in stand.text())
        assert "d Back to Text" in stand.text()
        await stand.press("d")
        await stand.until(lambda: "Text · alpha" in stand.text())


async def test_a_difference_that_is_read_in_one_way_alone_says_so(tmp_path: Path) -> None:
    async with reading(tmp_path, text_result("one"), text_result("two")) as (stand, _):
        await stand.press("d")
        await stand.until(lambda: "-one" in stand.text())
        await stand.press("t")
        await stand.until(lambda: "no other view of this difference" in stand.notices())
        assert "-one" in stand.text()


async def test_two_results_of_the_same_data_and_other_words_are_not_called_the_same(
    tmp_path: Path,
) -> None:
    results = [
        text_result("You declined.", structuredContent={"booked": False}),
        text_result("You cancelled.", structuredContent={"booked": False}),
        text_result("You cancelled.", structuredContent={"booked": False}, isError=True),
    ]
    async with reading(tmp_path, *results[:2]) as (stand, _):
        await stand.press("d")
        await stand.until(lambda: "-You declined." in stand.text())
        assert "+You cancelled." in stand.text()
    said = [line[0][0] for line in difference(results[1], results[2], 80)]
    assert any("isError" in text for text in said)


def told(before: str, now: str) -> list[str]:
    """The lines of the difference between two texts."""
    return [text_of(line) for line in difference(text_result(before), text_result(now), 80)]


def test_a_line_that_begins_like_the_head_of_a_difference_is_in_it() -> None:
    lines = told("-- old comment\nselect 1;\n++i;", "-- new comment\nselect 1;\n++j;")
    assert lines[1:] == ["--- old comment", "+-- new comment", " select 1;", "-++i;", "+++j;"]


def test_a_difference_says_that_not_all_was_compared() -> None:
    begin = "".join(f"{number}\n" for number in range(COMPARED_LINES))
    cut = "Only the first 30,000 lines of each are compared"
    assert told(f"{begin}one", f"{begin}two") == [f"{cut}: they are the same."]
    assert told("one", f"{begin}two")[0] == f"{cut}."
    assert "compared" not in "".join(told("one", "two"))


def test_a_difference_says_that_not_all_of_a_long_line_was_compared() -> None:
    begin = "x" * COMPARED_CHARACTERS
    cut = "Only the first 1,000,000 characters of each are compared"
    assert "".join(told(f"{begin}one", f"{begin}two")) == f"{cut}: they are the same."


def test_results_that_differ_behind_what_is_compared_are_not_called_the_same() -> None:
    before, now = (
        {"content": [], "structuredContent": {"rows": [*range(200_000), last]}} for last in (1, 2)
    )
    assert "As far as they are compared" in text_of(difference(before, now, 80)[0])
    assert text_of(difference(now, now, 80)[0]) == "Both results are the same."


def hosts(*renamed: int) -> str:
    """A list of 3,000 in JSON, of which some have another name."""
    rows = [{"name": f"host{n}{'x' * (n in renamed)}", "load": n % 13} for n in range(3_000)]
    return json.dumps(rows, indent=1)


@pytest.mark.parametrize("renamed", [(3, 2_500, 2_999), (2_900,), (0,)])
def test_each_change_of_a_long_list_is_in_its_difference(renamed: tuple[int, ...]) -> None:
    lines = told(hosts(), hosts(*renamed))
    changed = [line for line in lines if line[:1] in "+-"]
    assert changed == [
        f'{sign}    "name": "host{number}{end}",'
        for number in renamed
        for sign, end in (("-", ""), ("+", "x"))
    ]


def test_what_two_long_texts_differ_in_is_found_part_by_part() -> None:
    random = Random(7)
    for _ in range(30):
        old = [random.choice("abcdefgh") for _ in range(random.randrange(60))]
        new = [line for line in old if random.random() > 0.2]
        new[random.randrange(len(new) + 1) : 0] = [random.choice("xyz")] * random.randrange(9)
        with patch.object(line_changes, "COMPARED_AT_ONCE", 7):
            lines = list(line_changes.unified(old, new))
        patched = applied(old, lines)
        assert patched == new


def applied(old: list[str], lines: list[str]) -> list[str]:
    """An old text with the changes of a unified diff."""
    new, at = [], 0
    for line in lines:
        if line.startswith("@@"):
            begin, count = (*line.split()[1][1:].split(","), "1")[:2]
            start = int(begin) - (count != "0")
            new += old[at:start]
            at = start
        elif line[0] == "+":
            new.append(line[1:])
        else:
            assert old[at] == line[1:]
            new += [line[1:]] * (line[0] == " ")
            at += 1
    return [*new, *old[at:]]


async def test_long_results_are_compared_beside_the_screen_which_says_so(tmp_path: Path) -> None:
    may_go_on = Event()

    def slowly(*results: Any) -> list[Line]:
        assert may_go_on.wait(30)
        return difference(*results)

    one, two = (text_result(f"{word}\n" * 40_000) for word in ("one", "two"))
    with patch.object(result_reader, "difference", slowly):
        async with reading(tmp_path, one, two) as (stand, _):
            await stand.press("d")
            await stand.until(lambda: "Comparing both results …" in stand.text())
            await search(stand, "two")
            await stand.until(lambda: "looking … for “two”" in stand.text())
            may_go_on.set()
            await stand.until(lambda: "1 of 30,000 for “two”" in stand.text())
            assert "Only the first 30,000 lines of each are compared" not in stand.text()
            await stand.press("home")
            await stand.until(lambda: "Only the first 30,000 lines" in stand.text())
            await stand.press("escape")


async def test_words_of_a_change_are_found_where_its_line_was_broken(tmp_path: Path) -> None:
    results = [text_result("x"), text_result("a line that begins here and ends in the last word")]
    async with reading(tmp_path, *results, size=(40, 15)) as (stand, _):
        await stand.press("d")
        await stand.until(lambda: "+ends in the last word" in stand.text())
        await search(stand, "here and ends in")
        await stand.until(lambda: "1 of 1 for" in stand.text())
        await stand.press("escape")


def compared(before: str, after: str) -> list[str]:
    return [text_of(line) for line in difference(text_result(before), text_result(after), 60)]


def test_the_head_of_a_difference_counts_lines_as_git_does() -> None:
    assert compared("a\nb\nc\n", "a\nx\nc\n") == [
        *("@@ -1,3 +1,3 @@", " a", "-b", "+x", " c"),
    ]


def test_a_row_that_is_gone_or_new_is_named_and_not_the_one_before_it() -> None:
    rows = [{"name": f"host{n}", "load": n, "zone": "eu"} for n in range(40)]
    fewer = [row for row in rows if row["name"] not in ("host20", "host30")]
    gone, new = told(json.dumps(rows), json.dumps(fewer)), told(json.dumps(fewer), json.dumps(rows))
    for lines in (gone, new):
        named = [line.rpartition("@@ ")[2] for line in lines if line.startswith("@@")]
        assert named == ['row 21 · name "host20"', 'row 31 · name "host30"']


@pytest.mark.parametrize("width", [80, 40])
def test_a_call_that_failed_says_so_where_it_is_compared(width: int) -> None:
    failed, done = (CallRecord("alpha", Call("tools/call", "look", {})) for _ in range(2))
    failed.end("answered", result={**text_result("Gone."), "isError": True})
    done.end("answered", result=text_result("There."))
    said = [text_of(line) for line in compared_words(failed, done, width)]
    assert "failed" in said[0]
    assert "failed" not in said[1]
