"""The form under the prompt: one app for a queue of questions."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from textual import events
from textual._context import active_app
from textual.css.scalar import Scalar
from textual.pilot import Pilot

from elicit_tui.broker.admitted import Admitted
from elicit_tui.broker.ask import AskStep
from elicit_tui.elicitation import Outcome, Question, Queue
from elicit_tui.elicitation.settings import ConsoleSettings, ElicitationSettings, Settings
from elicit_tui.tui.inline import InlineResponder
from elicit_tui.tui.inline_app import InlineApp, rows_of
from elicit_tui.tui.question.actions import Later
from elicit_tui.tui.question.frame import NOT_HEARD
from elicit_tui.tui.question.view import QuestionView
from elicit_tui.tui.widgets.lines import NumberLine
from tests.tui.question.asking import (
    form_question,
    schema,
    screen_text,
    until,
)

pytestmark = pytest.mark.anyio

TEXT = {"type": "string", "title": "Name"}


def responder(**more: Any) -> InlineResponder:
    return InlineResponder(ElicitationSettings(), Queue(), headless=True, **more)


def ask(who: InlineResponder, question: Question) -> asyncio.Task[Outcome]:
    """Put a question as the broker does."""
    asker = AskStep(Settings(), who, who._queue)
    return asyncio.create_task(asker.ask(Admitted(question), question))


async def shown(who: InlineResponder, message: str) -> Pilot[Any]:
    """A pilot of the app once this question is the one on the screen."""
    end = asyncio.get_running_loop().time() + 10
    while True:
        assert asyncio.get_running_loop().time() < end, f"{message} was never shown"
        app = who.app
        if app is not None and app.is_running:
            views = list(app.query(QuestionView))
            if len(views) == 1 and views[0].question.request.message == message:
                # While it pauses, the pilot draws what is due, out of the app's own tasks.
                active_app.set(app)
                pilot: Pilot[Any] = Pilot(app)
                while views[0].deaf:
                    assert asyncio.get_running_loop().time() < end, f"{message} stays deaf"
                    await pilot.pause()
                return pilot
        await asyncio.sleep(0)


async def test_one_question_is_answered_and_the_app_is_gone_when_it_returns() -> None:
    who = responder()
    task = ask(who, form_question(schema(v=TEXT), message="one"))
    pilot = await shown(who, "one")
    assert who.open
    await pilot.press("a", "ctrl+s")
    outcome = await asyncio.wait_for(task, 30)
    assert outcome.content == {"v": "a"}
    assert not who.open


async def test_several_questions_are_asked_one_after_the_other() -> None:
    who = responder()
    tasks = [ask(who, form_question(schema(v=TEXT), message=m)) for m in ("one", "two")]
    await (await shown(who, "one")).press("1", "ctrl+s")
    await (await shown(who, "two")).press("2", "ctrl+s")
    outcomes = await asyncio.wait_for(asyncio.gather(*tasks), 30)
    assert [outcome.content for outcome in outcomes] == [{"v": "1"}, {"v": "2"}]


@pytest.mark.usefixtures("real_pause")
async def test_no_letter_and_no_send_typed_blindly_reaches_the_next_question() -> None:
    who = responder()
    first = ask(who, form_question(schema(v=TEXT), message="one"))
    second = ask(who, form_question(schema(v=TEXT), message="two"))
    pilot = await shown(who, "one")
    await pilot.press("a")
    for key in ("ctrl+s", "x", "y", "ctrl+s", "ctrl+n", "escape", "z"):
        pilot.app.post_message(events.Key(key, key if len(key) == 1 else None))
    assert (await asyncio.wait_for(first, 30)).content == {"v": "a"}
    pilot = await shown(who, "two")
    assert not second.done()
    await until(pilot, lambda: NOT_HEARD in screen_text(pilot.app), "that nothing was heard")
    await pilot.press("ctrl+s")
    assert (await asyncio.wait_for(second, 30)).content == {}


async def test_later_shows_the_next_question_and_keeps_what_was_typed() -> None:
    who = responder()
    first = ask(who, form_question(schema(v=TEXT), message="one"))
    second = ask(who, form_question(schema(w=TEXT), message="two"))
    await (await shown(who, "one")).press("1", "ctrl+l")
    await (await shown(who, "two")).press("ctrl+n")
    assert (await asyncio.wait_for(second, 30)).action == "decline"
    await (await shown(who, "one")).press("end", "2", "ctrl+s")
    assert (await asyncio.wait_for(first, 30)).content == {"v": "12"}


async def test_later_is_offered_only_while_another_question_waits() -> None:
    who = responder()
    first = ask(who, form_question(schema(v=TEXT), message="one"))
    await shown(who, "one")
    assert who.app is not None
    app = who.app
    assert "Later" not in screen_text(app)
    second = ask(who, form_question(schema(w=TEXT), message="two"))
    pilot: Pilot[Any] = Pilot(app)
    await until(pilot, lambda: "^L Later" in screen_text(app), "where it can go")
    await pilot.press("ctrl+n")
    await (await shown(who, "two")).press("ctrl+n")
    await asyncio.gather(first, second)


async def test_the_form_counts_its_rows_again_once_it_has_other_buttons(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    who = responder()
    first = ask(who, form_question(schema(v=TEXT), message="one"))
    pilot = await shown(who, "one")
    assert who.app is not None
    assert who.app.shown is not None
    app, view = who.app, who.app.shown
    monkeypatch.setattr(InlineApp, "is_inline", True)
    app._take_rows(rows_of(view) - 1)  # As counted while the buttons were being exchanged.
    second = ask(who, form_question(schema(w=TEXT), message="two"))
    await until(pilot, lambda: view.others_wait, "the second question")
    await until(
        pilot, lambda: app.screen.styles.height == Scalar.parse(str(rows_of(view))), "all rows"
    )
    monkeypatch.undo()
    await pilot.press("ctrl+n")
    await (await shown(who, "two")).press("ctrl+n")
    await asyncio.gather(first, second)


async def test_later_with_no_other_question_says_so_and_stays() -> None:
    who = responder()
    task = ask(who, form_question(schema(v=TEXT), message="one"))
    pilot = await shown(who, "one")
    await pilot.press("ctrl+l")
    await pilot.pause()
    assert not task.done()
    await pilot.press("escape")
    assert (await asyncio.wait_for(task, 30)).action == "cancel"


async def test_a_withdrawn_question_leaves_the_screen_and_keeps_what_was_typed() -> None:
    who = responder()
    question = form_question(schema(v=TEXT), message="one")
    task = ask(who, question)
    pilot = await shown(who, "one")
    await pilot.press("a")
    await pilot.pause()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(task, 30)
    assert not who.open
    assert question.draft.typed


async def test_a_send_meant_for_a_withdrawn_question_is_not_heard_by_the_next() -> None:
    who = responder()
    first = ask(who, form_question(schema(v=TEXT), message="one"))
    second = ask(who, form_question(schema(v=TEXT), message="two"))
    await (await shown(who, "one")).press("a")
    first.cancel()
    pilot = await shown(who, "two")
    await pilot.press("b", "ctrl+s")
    await pilot.pause()
    assert not second.done()
    await pilot.press("ctrl+s")
    assert (await asyncio.wait_for(second, 30)).content == {"v": "b"}


@pytest.mark.parametrize("waits", [True, False], ids=["it waited", "it came behind"])
async def test_a_yes_for_a_withdrawn_question_is_not_heard_by_the_one_in_its_place(
    waits: bool,
) -> None:
    who = responder()
    first = ask(who, form_question(schema(), message="one"))
    if waits:
        second = ask(who, form_question(schema(), message="two"))
    await shown(who, "one")
    first.cancel()
    if not waits:
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(first, 30)
        second = ask(who, form_question(schema(), message="two"))
    pilot = await shown(who, "two")
    await pilot.press("y")
    said = "This is another question than the one before"
    await until(pilot, lambda: said in screen_text(pilot.app), "the sentence")
    assert not second.done()
    await shown(who, "two")
    await pilot.press("y")
    assert (await asyncio.wait_for(second, 30)).action == "accept"


async def test_a_withdrawn_question_makes_room_for_the_next() -> None:
    who = responder()
    first = ask(who, form_question(schema(v=TEXT), message="one"))
    second = ask(who, form_question(schema(v=TEXT), message="two"))
    await shown(who, "one")
    first.cancel()
    await (await shown(who, "two")).press("ctrl+n")
    assert (await asyncio.wait_for(second, 30)).action == "decline"


async def test_control_c_interrupts_once_the_terminal_is_restored() -> None:
    interrupted = asyncio.Event()
    who = responder(interrupt=interrupted.set)
    task = ask(who, form_question(schema(v=TEXT), message="one"))
    await (await shown(who, "one")).press("a", "ctrl+c")
    await asyncio.wait_for(interrupted.wait(), 30)
    assert not who.open
    assert not task.done()
    task.cancel()


async def test_a_question_that_cannot_be_shown_is_cancelled_and_the_next_is_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def breaks(self: Any, *values: Any, **more: Any) -> Any:
        raise ZeroDivisionError("broken on purpose")

    monkeypatch.setattr(NumberLine, "put", breaks)
    who = responder()
    first = ask(who, form_question(schema(v={"type": "number"}), message="one"))
    second = ask(who, form_question(schema(v=TEXT), message="two"))
    outcome = await asyncio.wait_for(first, 30)
    assert (outcome.action, outcome.decided_by) == ("cancel", "nobody")
    assert "ZeroDivisionError: broken on purpose" in outcome.reason
    pilot = await shown(who, "two")
    app = who.app
    assert app is not None
    await until(pilot, lambda: not app.typed_ahead.waits, "the painting")
    await pilot.press("ctrl+n")
    assert (await asyncio.wait_for(second, 30)).action == "decline"


async def test_the_keys_of_the_owner_count_under_the_prompt_too() -> None:
    who = responder(console=ConsoleSettings(theme="dark", keys={"question.send": "f10"}))
    task = ask(who, form_question(schema(v=TEXT), message="one"))
    pilot = await shown(who, "one")
    assert "F10 Send" in screen_text(pilot.app)
    await pilot.press("a", "f10")
    outcome = await asyncio.wait_for(task, 30)
    assert outcome.content == {"v": "a"}


async def opened(who: InlineResponder, message: str) -> Pilot[Any]:
    """Agree to the page of a url question, whose end is then waited for."""
    pilot = await shown(who, message)
    await pilot.press("ctrl+s")
    app = who.app
    assert app is not None
    view = app.shown
    assert view is not None
    await until(pilot, lambda: view.body.opened and not view.deaf, "the waiting page")
    return pilot


async def test_a_long_message_has_all_rows_that_a_yes_or_no_question_takes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(InlineApp, "is_inline", True)
    who = responder()
    message = "\n".join(f"line {number}" for number in range(60))
    task = ask(who, form_question(schema(), message=message))
    pilot = await shown(who, message)
    view = pilot.app.query_one(QuestionView)
    whole = pilot.app.size.height - 3  # Above it the prompt stays in view.
    await until(pilot, lambda: view.outer_size.height == whole, "its rows")
    parts = [part for part in view.displayed_children if part is not view.message]
    around = sum(part.outer_size.height for part in parts) + view.gutter.height
    await until(
        pilot, lambda: view.message.outer_size.height >= whole - around - 2, "no row is left empty"
    )
    monkeypatch.undo()
    await pilot.press("n")
    await asyncio.wait_for(task, 30)


async def typed_at_once(who: InlineResponder, *keys: str) -> None:
    """Keys that are in the terminal's buffer before anything is drawn."""
    for _ in range(10_000):
        if who.app is not None and who.app.shown is not None:
            break
        await asyncio.sleep(0)
    assert who.app is not None
    assert who.app.shown is not None
    assert who.app.shown.never_painted
    for key in keys:
        who.app.post_message(events.Key(key, key if len(key) == 1 else None))


@pytest.mark.usefixtures("real_pause")
async def test_text_typed_before_the_first_question_is_drawn_stands_in_its_line() -> None:
    who = responder()
    task = ask(who, form_question(schema(v=TEXT), message="one"))
    await typed_at_once(who, *"Ada", "enter", "y", "ctrl+s", "x")
    pilot = await shown(who, "one")
    await until(pilot, lambda: " Ada " in screen_text(pilot.app), "the text")
    await until(pilot, lambda: NOT_HEARD in screen_text(pilot.app), "that no other key was heard")
    assert not task.done()
    assert who.app is not None
    assert who.app.shown is not None
    await until(pilot, lambda: not who.app.shown.deaf, "it listens")
    await pilot.press("ctrl+s")
    assert (await asyncio.wait_for(task, 30)).content == {"v": "Ada"}


@pytest.mark.usefixtures("real_pause")
@pytest.mark.parametrize("key", ["y", "n", "1"])
async def test_no_letter_typed_before_it_is_drawn_answers_or_chooses(key: str) -> None:
    who = responder()
    fields = schema(v={"type": "boolean"}) if key != "1" else schema(v={"enum": ["a", "b"]})
    task = ask(who, form_question(fields if key != "n" else schema(), message="one"))
    await typed_at_once(who, key)
    pilot = await shown(who, "one")
    await until(pilot, lambda: NOT_HEARD in screen_text(pilot.app), "that it was not heard")
    assert not task.done()
    assert who.app is not None
    assert who.app.shown is not None
    assert not who.app.shown.body.typed
    await until(pilot, lambda: not who.app.shown.deaf, "it listens")
    await pilot.press("escape")
    await pilot.press("escape")
    assert (await asyncio.wait_for(task, 30)).action == "cancel"


async def test_of_two_questions_the_second_one_is_said_to_be_the_second() -> None:
    who = responder()
    tasks = [ask(who, form_question(schema(v=TEXT), message=m)) for m in ("one", "two")]
    pilot = await shown(who, "one")
    await until(pilot, lambda: "1 of 2" in screen_text(pilot.app), "the first")
    await pilot.press("1", "ctrl+s")
    pilot = await shown(who, "two")
    await until(pilot, lambda: "2 of 2" in screen_text(pilot.app), "the second")
    assert "Later" not in screen_text(pilot.app), "no other one waits"
    await pilot.press("2", "ctrl+s")
    await asyncio.wait_for(asyncio.gather(*tasks), 30)


async def test_a_form_that_cannot_be_started_ends_its_questions_and_says_why(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def broken(app: InlineApp, **how: Any) -> None:
        raise OSError("no terminal here")

    who = responder()
    with monkeypatch.context() as patch:
        patch.setattr(InlineApp, "run_async", broken)
        asked = [ask(who, form_question(schema(v=TEXT), message=message)) for message in "ab"]
        for outcome in await asyncio.wait_for(asyncio.gather(*asked), 10):
            assert (outcome.action, outcome.decided_by) == ("cancel", "nobody")
            assert "OSError: no terminal here" in outcome.reason
    next_one = ask(who, form_question(schema(v=TEXT), message="c"))
    pilot = await shown(who, "c")
    await pilot.press("ctrl+s")
    assert (await asyncio.wait_for(next_one, 10)).action == "accept"


async def test_a_later_that_comes_late_hides_no_other_question() -> None:
    who = responder()
    one, two = (form_question(schema(v=TEXT), message=message) for message in ("one", "two"))
    first, second = ask(who, one), ask(who, two)
    await (await shown(who, "one")).press("ctrl+s")
    assert (await asyncio.wait_for(first, 30)).action == "accept"
    pilot = await shown(who, "two")
    third = ask(who, form_question(schema(v=TEXT), message="three"))
    assert who.app is not None
    who.app.post_message(Later(one))
    await pilot.pause()
    pilot = await shown(who, "two")
    await pilot.press("x", "ctrl+s")
    assert (await asyncio.wait_for(second, 30)).content == {"v": "x"}
    await (await shown(who, "three")).press("ctrl+s")
    assert (await asyncio.wait_for(third, 30)).action == "accept"
