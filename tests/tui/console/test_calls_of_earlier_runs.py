"""What a console keeps of its calls, and what the next run shows of them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from elicit_tui.elicitation import Action, Call
from elicit_tui.elicitation.settings import ContentPolicy, GuardianSettings, HistorySettings
from elicit_tui.paths import state_directory
from elicit_tui.runtime.opening import LazyGuardian
from elicit_tui.tui.console.call_words import shown_standing
from elicit_tui.tui.console.calls import AnsweredQuestion, CallRecord, CallState
from elicit_tui.tui.console.kept_calls import LARGEST_FILE, KeptCalls
from elicit_tui.tui.console.outcome_words import duration
from elicit_tui.tui.console.screens.arguments import ArgumentsScreen
from elicit_tui.tui.console.screens.result_reader import ResultScreen
from elicit_tui.tui.console.written_later import until_written as written_by_then
from tests.tui.console.stand import console
from tests.tui.console.test_calls import calls_of, tool
from tests.tui.console.test_kept_calls import LOGIN, PIXELS, SECRET, TOOLS, entry

pytestmark = pytest.mark.anyio


async def one_run(path: Path, content: ContentPolicy = "redacted") -> None:
    """A console in which one call is made, with a password and a key among its arguments."""
    tools = {"alpha": [tool("enter", LOGIN)]}
    history = HistorySettings(content=content)
    async with console(path, servers=["alpha"], tools=tools, history=history) as stand:
        offer = stand.app.state.servers["alpha"].offers[0]
        stand.app.call_offer("alpha", offer)
        await stand.until(lambda: isinstance(stand.app.screen, ArgumentsScreen))
        await stand.press(*"h1", "tab", *"hunter2", "tab", *SECRET, "ctrl+s")
        await stand.until(lambda: [call.state for call in stand.app.state.calls] == ["answered"])


async def test_a_call_is_found_again_by_the_next_run_without_what_is_secret(
    tmp_path: Path,
) -> None:
    await one_run(tmp_path)
    file = state_directory() / "calls.json"
    until_written()
    assert file.stat().st_mode & 0o777 == 0o600
    assert not any(word in file.read_text() for word in ("hunter2", SECRET))
    tools = {"alpha": [tool("enter", LOGIN)]}
    async with console(tmp_path, servers=["alpha"], tools=tools, size=(140, 40)) as stand:
        await stand.press("3")
        await stand.until(lambda: "of an earlier run, secrets masked" in stand.text())
        assert '"host": "h1"' in stand.text()
        assert "password, remark" in stand.text().split("not kept")[1]
        await stand.press("a")
        await stand.until(lambda: isinstance(stand.app.screen, ArgumentsScreen))
        await stand.press("ctrl+s")
        await stand.until(lambda: calls_of(stand))
        assert calls_of(stand)[0].arguments == {"host": "h1"}


@pytest.mark.parametrize("action", ["decline", "cancel", None])
async def test_a_call_whose_question_was_refused_has_the_same_sign_in_the_next_run(
    tmp_path: Path, action: Action | None
) -> None:
    ended = CallRecord("alpha", Call("tools/call", "clear", {}))
    ended.answered.append(AnsweredQuestion("Sure?", action, "said no"))
    ended.end("answered", result={})
    KeptCalls("redacted").add(ended, {}, None)
    until_written()
    (kept,) = KeptCalls("redacted").read()
    assert shown_standing(kept) == shown_standing(ended)


@pytest.mark.parametrize(
    "part",
    [
        {"type": "image", "data": PIXELS, "mimeType": "image/png"},
        {
            "type": "resource",
            "resource": {"uri": "a://b", "blob": PIXELS},
        },
    ],
)
def test_a_picture_or_other_data_is_kept_as_it_came_or_said_not_to_be(part: dict[str, Any]) -> None:
    kept = kept_again("redacted", {"content": [part]})
    assert kept.result is None
    assert "holds a picture or other data" in kept.no_result
    assert kept_again("full", {"content": [part]}).result == {"content": [part]}


def test_what_a_call_took_and_what_became_of_its_approval_are_the_same_in_the_next_run() -> None:
    ended = CallRecord("alpha", Call("tools/call", "clear", {}))
    ended.confirmation = "accepted by you"
    ended.end("answered", result={})
    ended.started, ended.ended, ended.waited = 0.0, 8.7, 8.3
    KeptCalls("redacted").add(ended, {}, None)
    until_written()
    (kept,) = KeptCalls("redacted").read()
    assert (round(kept.own_seconds, 1), kept.waited) == (0.4, 8.3)
    assert kept.confirmation == "accepted by you"


def test_a_call_has_its_id_in_the_next_run_unless_what_is_written_is_none_of_ours() -> None:
    ended = CallRecord("alpha", Call("tools/call", "look", {}), state="answered", result={})
    store = KeptCalls("redacted")
    store.add(ended, {}, None)
    until_written()
    assert [kept.call.id for kept in store.read()] == [ended.call.id]
    file = state_directory() / "calls.json"
    file.write_text(file.read_text().replace(ended.call.id, "\\u001b[2J"))
    (kept,) = store.read()
    assert re.fullmatch("[0-9a-f]{32}", kept.call.id)


def test_what_is_told_of_the_seconds_of_a_call_is_the_same_in_the_next_run() -> None:
    ended = CallRecord("alpha", Call("tools/call", "look", {}), state="answered", result={})
    ended.started, ended.ended, ended.waited = 0.0, 30.04, 29.97
    store = KeptCalls("redacted")
    store.add(ended, {}, None)
    until_written()
    (kept,) = store.read()
    assert duration(kept.own_seconds) == duration(ended.own_seconds) == "0.1 s"
    assert duration(kept.waited) == duration(ended.waited) == "30 s"


def kept_again(content: ContentPolicy, result: dict[str, Any], **arguments: Any) -> CallRecord:
    """What the next run has of a call with this result."""
    ended = CallRecord("alpha", Call("tools/call", "look", arguments))
    ended.end("answered", result=result)
    KeptCalls(content).add(ended, LOGIN, LazyGuardian(GuardianSettings()))
    until_written()
    return KeptCalls(content).read()[-1]


def saying(text: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}]}


@pytest.mark.parametrize("content", ["redacted", "full"])
def test_what_came_back_is_there_in_the_next_run_as_far_as_the_history_may_keep_it(
    content: ContentPolicy,
) -> None:
    assert kept_again(content, saying("It rains.")).result == saying("It rains.")
    assert (kept_again(content, saying(SECRET)).result == saying(SECRET)) is (content == "full")


def test_what_came_back_is_not_kept_where_it_is_too_large_or_tells_what_was_not_kept() -> None:
    large = kept_again("full", saying("x" * 1_100_000))
    assert large.result is None
    assert "too large to be kept (at most 1,000,000 characters" in large.no_result
    for said in ("hunter2", "It is HUNTER2: hunter2."):
        told = kept_again("redacted", saying(said), password="hunter2")
        assert told.result is None
        assert "holds an argument that is not" in told.no_result


async def test_a_result_of_an_earlier_run_is_read_as_any_other(tmp_path: Path) -> None:
    kept_again("redacted", saying("It rains."))
    async with console(tmp_path, servers=["alpha"], size=(140, 40)) as stand:
        await stand.press("3")
        await stand.until(lambda: "result · 9 bytes  of an earlier run" in stand.text())
        assert "It rains." in stand.text()
        await stand.press("z")
        await stand.until(lambda: isinstance(stand.app.screen, ResultScreen))


async def test_a_call_that_another_console_makes_meanwhile_is_found_and_said_to_be_of_that(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, servers=["alpha"], size=(140, 40)) as stand:
        await stand.press("3")
        await stand.until(lambda: "No call yet" in stand.text())
        kept_again("redacted", saying("It rains."))
        await stand.press("5")
        await stand.until(lambda: "look" in stand.text())
        await stand.press("enter")
        await stand.until(lambda: "result · 9 bytes  of another console" in stand.text())


async def test_how_big_a_result_is_gives_way_to_the_run_that_it_is_of(tmp_path: Path) -> None:
    kept_again("redacted", saying("It rains."))
    async with console(tmp_path, servers=["alpha"], size=(80, 24)) as stand:
        await stand.press("3")
        await stand.until(lambda: "It rains." in stand.text())
        (head,) = [line for line in stand.text().splitlines() if "result" in line and "run" in line]
        assert "of an earlier run, secrets masked " in head


def test_the_last_hundred_calls_are_kept() -> None:
    for number in range(103):
        kept_again("full", saying(str(number)))
    kept = KeptCalls("full").read()
    assert [record.result for record in (kept[0], kept[-1])] == [saying("3"), saying("102")]


def test_of_calls_that_do_not_fit_into_the_file_the_oldest_go_and_no_others() -> None:
    for number in range(3):
        kept_again("full", saying(str(number)))
    file = state_directory() / "calls.json"
    first, *_ = json.loads(file.read_text())
    first["asked"] = [{"message": "火" * 1_300_000}]
    file.write_text(json.dumps([first, first]))
    assert kept_again("full", saying("newest")).result == saying("newest")
    assert len(json.loads(file.read_text())) == 2
    assert file.stat().st_size < LARGEST_FILE


def test_a_file_of_calls_that_cannot_be_read_is_not_written_over() -> None:
    file = state_directory() / "calls.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    for spoilt in ("[{", "{}"):
        file.write_text(spoilt)
        KeptCalls("full").add(CallRecord("alpha", Call("tools/call", "look", {})), {}, None)
        until_written()
        assert file.read_text() == spoilt
        assert KeptCalls("full").read() == []


def test_two_consoles_keep_the_calls_of_each_other() -> None:
    """Each in a process of its own, so that no lock of threads helps."""
    made = """
import sys
from elicit_tui.elicitation import Call
from elicit_tui.tui.console.calls import CallRecord
from elicit_tui.tui.console.kept_calls import KeptCalls
for number in range(15):
    ended = CallRecord("alpha", Call("tools/call", f"{sys.argv[1]}-{number}", {}))
    ended.end("answered", result={})
    end = {"began": "2026-01-01T00:00:00", "seconds": 0, "state": "answered", "standing": ""}
    KeptCalls("full")._add(ended, {**end, "failure": None}, {}, None)
"""
    consoles = [subprocess.Popen([sys.executable, "-c", made, name]) for name in "ab"]
    assert [console.wait(120) for console in consoles] == [0, 0]
    assert len(KeptCalls("full").read()) == 30


def until_written() -> None:
    """What ended or was noted last is written by a thread of its own."""
    written_by_then(20)


async def test_where_nothing_may_be_kept_no_call_is(tmp_path: Path) -> None:
    await one_run(tmp_path, "none")
    until_written()
    assert not (state_directory() / "calls.json").exists()


@pytest.mark.parametrize(
    "written",
    [
        "nonsense",
        "{}",
        '[1, null, {"server": "alpha"}]',
        '[{"server": "alpha", "method": "rm -rf", "name": "x", "arguments": {}}]',
        "[" * 100_000,
    ],
)
async def test_a_file_of_calls_that_was_spoilt_is_no_trouble(tmp_path: Path, written: str) -> None:
    state_directory().mkdir(parents=True, exist_ok=True)
    (state_directory() / "calls.json").write_text(written)
    async with console(tmp_path, servers=["alpha"], tools=TOOLS) as stand:
        await stand.press("3")
        await stand.until(lambda: "No call yet" in stand.text())


async def test_a_note_at_a_call_is_found_by_its_words_in_the_next_run_too(tmp_path: Path) -> None:
    async with console(tmp_path, servers=["alpha"], tools=TOOLS) as stand:
        entry(stand, "alpha: first")()
        await stand.until(lambda: calls_of(stand) and "done" in stand.text())
        await stand.press("3", "n")
        await stand.until(lambda: "A note at this call" in stand.text())
        await stand.press(*"for Ada", "enter")
        await stand.until(lambda: "your note   for Ada" in stand.text())
        stand.app.state.calls.start("alpha", Call("tools/call", "last", {})).end("answered")
        await stand.press("slash", *"for ada")
        await stand.until(lambda: "last" not in stand.text())
        assert "for Ada" in stand.text()
    until_written()
    async with console(tmp_path, servers=["alpha"], tools=TOOLS) as stand:
        await stand.press("3")
        await stand.until(lambda: "your note   for Ada" in stand.text())
        await stand.press("n", *["backspace"] * 7, "ctrl+s")
        await stand.until(lambda: "your note" not in stand.text())


async def test_the_next_run_lists_the_calls_as_they_began(tmp_path: Path) -> None:
    slow, quick = (CallRecord("alpha", Call("tools/call", name, {})) for name in ("slow", "quick"))
    quick.began = slow.began + timedelta(seconds=0.2)
    for record in (quick, slow):
        record.end("answered", result={})
        KeptCalls("full").add(record, {}, None)
        until_written()
    slow.note = "for Ada"
    KeptCalls("full").note(slow)
    until_written()
    kept = KeptCalls("full").read()
    assert [(record.call.name, record.note) for record in kept] == [
        ("slow", "for Ada"),
        ("quick", ""),
    ]


@pytest.mark.parametrize(("state", "said"), [("answered", True), ("refused", False)])
async def test_only_of_a_call_that_was_answered_it_is_said_that_what_came_back_is_not_kept(
    tmp_path: Path, state: CallState, said: bool
) -> None:
    record = CallRecord("alpha", Call("tools/call", "clear", {}))
    record.end(state)
    KeptCalls("redacted").add(record, {}, None)
    until_written()
    async with console(tmp_path, servers=["alpha"], size=(140, 40)) as stand:
        await stand.press("3")
        await stand.until(lambda: "a calls it again" in stand.text())
        assert ("what came back is not kept" in stand.text()) == said


def test_what_a_call_asked_is_found_in_the_next_run_unless_it_tells_what_was_not_kept() -> None:
    for message, kept in (("Sure?", ["Sure?"]), ("Is hunter2 right?", [])):
        ended = CallRecord("alpha", Call("tools/call", "look", {"password": "hunter2"}))
        ended.questions = 1
        asked = AnsweredQuestion(message, "accept", "accepted by you", sent='{"sure": true}')
        ended.answered.append(asked)
        ended.end("answered", result=saying("Done."))
        KeptCalls("redacted").add(ended, LOGIN, LazyGuardian(GuardianSettings()))
        until_written()
        found = KeptCalls("redacted").read()[-1]
        assert [end.message for end in found.answered] == kept
        assert [*found.answered] == [asked][: len(kept)]
