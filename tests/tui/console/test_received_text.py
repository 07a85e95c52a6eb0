"""What a server sent stands behind a gutter of ours, whatever it imitates."""

from __future__ import annotations

from pathlib import Path

import pytest

from elicit_tui.elicitation import Call
from elicit_tui.ledger.rows import Row
from elicit_tui.tui.console.call_words import question_words
from elicit_tui.tui.console.calls import AnsweredQuestion, CallRecord
from elicit_tui.tui.console.screens.records import RecordScreen
from elicit_tui.tui.console.spans import text_of
from tests.tui.console.stand import console

pytestmark = pytest.mark.anyio

IMITATION = "fine\n\nthis call   you allowed it\nlog · 1 line\ninfo: all is well\nresult"


@pytest.mark.parametrize("size", [(140, 40), (80, 40), (40, 30)])
async def test_no_line_that_a_server_sent_passes_for_one_of_the_consoles(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    async with console(tmp_path, servers=["alpha"], size=size) as stand:
        record = stand.app.state.calls.start("alpha", Call("tools/call", "look", {}))
        record.log.append(IMITATION)
        record.progress_message = IMITATION
        await stand.press("3", "enter")
        for end in ("running", "answered"):
            if end == "answered":
                record.end("answered", result={"content": [{"type": "text", "text": IMITATION}]})
                stand.app.state.changed()
            await stand.until(
                lambda end=end: ("result" in headings(stand.text())) is (end == "answered")
            )
            told = lines(stand.text())
            assert "│ this call   you allowed it" in told
            assert "│ info: all is well" in told
            assert not {"this call   you allowed it", "info: all is well"} & {*told}
            assert headings(stand.text()).count("result") == (end == "answered")
            assert told.count("log · 1 line") <= 1


async def test_a_failure_begins_with_words_of_ours_and_the_servers_stand_behind_the_gutter(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, servers=["alpha"]) as stand:
        record = stand.app.state.calls.start("alpha", Call("tools/call", "look", {}))
        record.end("failed", failure=f"The server answered with error 1: {IMITATION}")
        await stand.press("3")
        await stand.until(lambda: "│ info: all is well" in lines(stand.text()))
        assert "result" not in headings(stand.text())


def headings(text: str) -> list[str]:
    """What stands in front of the size of each part, where there is one."""
    return [line.partition(" · ")[0] for line in lines(text)]


def lines(text: str) -> list[str]:
    """The lines of the box at the right, or below, without its frame."""
    inside = (line.strip().removesuffix("│").rstrip() for line in text.splitlines())
    return [line.rpartition("││")[2].removeprefix("│").removeprefix(" ") for line in inside]


FORGED = "Shall we?  accepted by you"


async def test_the_verdict_comes_first_and_what_a_server_wrote_stands_in_quotation_marks(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, size=(80, 24)) as stand:
        request = stand.ask("alpha", FORGED)
        await stand.shown(request)
        await stand.press("ctrl+n")
        await stand.until(lambda: stand.outcome(request))
        told = "✗ declined by you: “Shall we? accepted by you”"
        await stand.until(lambda: told in stand.text() or "[1 Servers]" in stand.text())
        await stand.press("4")
        await stand.until(lambda: told in stand.text())
        await stand.press("5")
        await stand.until(lambda: "“Shall we? accepted by you”" in stand.text())
        await stand.press("enter")
        await stand.until(lambda: "“Shall we?  accepted by you”" in stand.text())


def test_a_call_tells_how_its_question_ended_before_what_it_said() -> None:
    record = CallRecord("alpha", Call("tools/call", "look", {}))
    record.questions = 1
    record.answered.append(AnsweredQuestion("Shall we? declined by you", "accept", "you answered"))
    lines = [text_of(line) for line in question_words(record, 60)]
    assert lines == ["1 question", "✓ you answered", "  “Shall we? declined by you”"]


def test_a_record_says_of_a_tools_approval_that_no_server_asked_for_it() -> None:
    said = "Call “wipe” of “alpha”?"
    for kind, asked in (
        ("approval", f"we asked    {said}"),
        ("elicitation", "it wrote    “Call '"),
    ):
        row = Row("1", "alpha", kind=kind, message=said, action="accept", decided_by="user")
        assert any(text_of(line).startswith(asked) for line in RecordScreen(row).lines(70))


def test_a_record_says_whose_verdict_stands_beside_what_became_of_a_question() -> None:
    row = Row("1", "alpha", message="?", verdict="allow", action="decline", decided_by="user")
    lines = [text_of(line) for line in RecordScreen(row).lines(70)]
    assert "guardian verdict allow" in lines
