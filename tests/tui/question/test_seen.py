"""What was never on the screen is not accepted by one key: the first one shows it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from elicit_tui.elicitation import Call, Question, question
from elicit_tui.elicitation.own_questions import approval_request
from tests.tui.question.asking import (
    SERVER,
    WARNING,
    Asking,
    answer,
    asked,
    form_question,
    schema,
    typing,
    until,
    url_question,
)

pytestmark = pytest.mark.anyio

WEATHER = "\n".join(f"{n}. The weather in town {n} is fine." for n in range(60))
SMALL_PRINT = "Yes also means that I may tell all of this."
LONG = f"Shall I show you the weather?\n{WEATHER}\n{SMALL_PRINT}"
PLAN = {"type": "string", "title": "Plan", "enum": ["free", "gold-24"], "default": "gold-24"}
ADDRESS = "https://example.com/" + "a" * 1_500 + "/the-end"


def approval(**arguments: Any) -> Question:
    call = Call("tools/call", "deploy", arguments)
    return Question(approval_request(SERVER, call, {"description": "Deploys a service."}, ""))


def remarks(count: int, **more: Any) -> dict[str, Any]:
    """A form with so many fields that may be left out, and a default below them."""
    between = {f"o{n}": {"type": "string", "title": f"Remark {n}"} for n in range(count)}
    return schema((), name={"type": "string", "title": "Name"}, **between, plan=PLAN, **more)


async def ready(pilot: Any, app: Asking) -> None:
    await until(pilot, lambda: bool(app.outcomes) or not app.view.deaf, "it hears again")


@pytest.mark.parametrize("key", ["y", "ctrl+s"])
@pytest.mark.parametrize("size", [(80, 24), (60, 20)], ids=str)
async def test_a_message_is_answered_yes_once_its_end_was_on_the_screen(
    key: str, size: tuple[int, int]
) -> None:
    app = Asking(form_question(schema(), message=LONG))
    async with asked(app, size) as pilot:
        assert SMALL_PRINT not in app.words
        await pilot.press(key)
        await until(pilot, lambda: "The message goes on (" in app.words, "the sentence")
        said = " ".join(app.words.replace("│", " ").split())
        assert " more lines below). y again reads on." in said
        while SMALL_PRINT not in app.words:
            await ready(pilot, app)
            await pilot.press(key)
            assert app.outcome is None
        await until(pilot, lambda: "The message ends. y again says yes." in app.words, "the end")
        await ready(pilot, app)
        await pilot.press(key)
        await until(pilot, lambda: app.outcome is not None, "the answer")
    assert app.outcome is not None
    assert app.outcome.action == "accept"


@pytest.mark.parametrize(("key", "action"), [("n", "decline"), ("escape", "cancel")])
async def test_a_no_needs_nothing_to_be_seen(key: str, action: str) -> None:
    outcome = await answer(Asking(form_question(schema(), message=LONG)), key)
    assert outcome is not None
    assert outcome.action == action


async def test_what_the_person_scrolled_through_is_accepted_at_once() -> None:
    app = Asking(form_question(schema(), message=LONG))
    async with asked(app) as pilot:
        while SMALL_PRINT not in app.words:
            await pilot.press("pagedown")
            await pilot.pause()
        await pilot.press("pageup", "y")
        await until(pilot, lambda: app.outcome is not None, "the answer")
    assert app.outcome is not None
    assert app.outcome.action == "accept"


async def test_what_was_seen_on_a_wide_screen_and_wraps_on_a_narrow_one_is_shown_again() -> None:
    app = Asking(form_question(schema(), message="where to? " * 60))
    async with asked(app, (200, 50)) as pilot:
        await pilot.resize_terminal(40, 20)
        await until(pilot, lambda: app.view.query_one("#message").max_scroll_y > 0, "the wrapping")
        await pilot.press("y")
        await until(pilot, lambda: "goes on" in app.words, "the sentence")
        assert app.outcome is None


@pytest.mark.parametrize(
    ("key", "does"), [("y", "calls it"), ("ctrl+a", "allows it for this session")]
)
async def test_a_call_is_allowed_once_the_end_of_its_arguments_was_on_the_screen(
    key: str, does: str
) -> None:
    app = Asking(approval(comment="Nothing else is touched. " * 60, zone="production"))
    async with asked(app) as pilot:
        assert "production" not in app.words
        await pilot.press(key)
        await until(pilot, lambda: '"zone": "production"' in app.words, "the end of the arguments")
        assert app.outcome is None
        await until(pilot, lambda: "The call's text ends" in app.words, "the sentence")
        assert f"again {does}." in app.words
        await ready(pilot, app)
        await pilot.press(key)
        await until(pilot, lambda: app.outcome is not None, "the answer")
    assert app.outcome is not None
    assert app.outcome.action == "accept"


async def test_a_long_description_of_a_tool_keeps_no_call_waiting() -> None:
    call = Call("tools/call", "deploy", {"service": "docs"})
    definition = {"description": "It deploys. " * 300, "annotations": {"destructiveHint": True}}
    app = Asking(Question(approval_request(SERVER, call, definition, "")))
    async with asked(app) as pilot:
        assert "▲ destructive" in app.words
        await pilot.press("y")
        await until(pilot, lambda: app.outcome is not None, "the answer")


async def test_arguments_that_are_cut_say_so_show_their_end_and_take_one_more_key() -> None:
    app = Asking(approval(comment="x " * 20_000, zone="production"))
    async with asked(app) as pilot:
        await pilot.press("end")
        await until(pilot, lambda: '"zone": "production"' in app.words, "the end of the arguments")
        await pilot.press("y")
        await until(pilot, lambda: '"zone": "production"' not in app.words, "what was skipped")
        while '"zone": "production"' not in app.words:
            await pilot.press("space")
            await pilot.pause()
        await ready(pilot, app)
        await pilot.press("y")
        await pilot.pause()
        assert app.outcome is None
        said = " ".join(app.words.replace("│", " ").split())
        assert "characters of the call's text are not shown. y again calls it." in said
        await pilot.press("pageup")
        while "are left out here" not in app.words:
            assert app.view.body.panel.scroll_y > 0
            await pilot.press("pageup")
            await pilot.pause()
        assert "of 40,0" in app.words
        await ready(pilot, app)
        await pilot.press("y")
        await until(pilot, lambda: app.outcome is not None, "the answer")


async def test_a_message_that_is_cut_shows_its_end() -> None:
    app = Asking(form_question(schema(), message="x " * 40_000 + SMALL_PRINT))
    async with asked(app) as pilot:
        while SMALL_PRINT not in app.words:
            await pilot.press("pagedown")
            await pilot.pause()
        await pilot.press("y")
        await until(pilot, lambda: "characters of the message are not shown" in app.words, "that")
        assert app.outcome is None


@pytest.mark.parametrize("count", [14, 60])
async def test_a_default_below_the_fold_is_shown_before_it_goes_out(count: int) -> None:
    app = Asking(form_question(remarks(count)))
    async with asked(app) as pilot:
        assert "Plan" not in app.words
        await pilot.press(*"Ada", "ctrl+s")
        await until(pilot, lambda: "gold-24" in app.words, "the field")
        assert app.outcome is None
        said = "“Plan” was not on the screen yet. ^S again sends."
        await until(pilot, lambda: said in app.words, "the sentence")
        await ready(pilot, app)
        await pilot.press("ctrl+s")
        await until(pilot, lambda: app.outcome is not None, "the answer")
    assert app.outcome is not None
    assert app.outcome.content == {"name": "Ada", "plan": "gold-24"}


async def test_a_default_that_stood_there_only_until_the_form_came_to_rest_is_shown() -> None:
    between = {f"o{n}": {"type": "string", "title": f"Remark {n}"} for n in range(14)}
    app = Asking(form_question(schema((), plan=PLAN, **between)))
    app.view.body.last_field = "o13"
    async with asked(app) as pilot:
        assert "Plan" not in app.words
        await pilot.press("ctrl+s")
        said = "“Plan” was not on the screen yet. ^S again sends."
        await until(pilot, lambda: said in app.words, "the sentence")
        assert "gold-24" in app.words
        assert app.outcome is None


async def test_a_default_that_another_layout_moved_out_of_view_is_shown() -> None:
    app = Asking(form_question(remarks(5)))
    async with asked(app, (100, 40)) as pilot:
        assert "Plan" in app.words
        await pilot.resize_terminal(50, 18)
        await until(pilot, lambda: "Plan" not in app.words, "the other layout")
        await ready(pilot, app)
        await pilot.press("ctrl+s")
        said = "“Plan” was not on the screen yet."
        await until(pilot, lambda: said in " ".join(app.words.split()), "the sentence")
        assert app.outcome is None


async def test_that_a_default_below_was_not_seen_is_said_before_one_sends() -> None:
    app = Asking(form_question(remarks(14)))
    async with asked(app) as pilot:
        await until(
            pilot, lambda: "◌ 1 not seen yet · sends 1, 1 by default, " in app.words, "the words"
        )
        assert "unset below" in app.words
        await pilot.press("ctrl+r")
        await until(pilot, lambda: "✓ ready to send 1, 1 by default " in app.words, "the review")
        assert "not seen yet" not in app.words
        assert "unset below" not in app.words


async def test_fields_that_are_left_out_need_not_be_seen() -> None:
    fields = {f"o{n}": {"type": "string", "title": f"Remark {n}"} for n in range(30)}
    outcome = await answer(Asking(form_question(schema((), **fields))), "A", "ctrl+s")
    assert outcome is not None
    assert outcome.content == {"o0": "A"}


async def test_a_message_and_fields_that_were_not_seen_are_shown_by_one_key() -> None:
    app = Asking(form_question(remarks(14), message="Where to? " * 100))
    async with asked(app) as pilot:
        await pilot.press("ctrl+s")
        said = "The message goes on, “Plan” was not seen yet. ^S again sends."
        await until(pilot, lambda: said in app.words, "the sentence")
        await ready(pilot, app)
        await pilot.press("ctrl+s")
        await until(pilot, lambda: app.outcome is not None, "the answer")


async def test_what_was_read_in_the_review_goes_out_from_there_at_once() -> None:
    app = Asking(form_question(remarks(14)))
    assert await answer(app, "ctrl+r", "ctrl+s") is not None


async def test_what_was_read_in_the_review_goes_out_from_the_form_at_once() -> None:
    app = Asking(form_question(remarks(14)))
    assert await answer(app, "ctrl+r", "escape", "ctrl+s") is not None


@pytest.mark.parametrize("keys", [("escape", "ctrl+s"), ("ctrl+s",)], ids=["form", "review"])
@pytest.mark.parametrize("size", [(80, 24), (60, 20)], ids=str)
async def test_a_review_that_showed_all_that_goes_out_need_not_be_read_on_to_what_is_left_out(
    keys: tuple[str, ...], size: tuple[int, int]
) -> None:
    app = Asking(form_question(remarks(60)))
    async with asked(app, size) as pilot:
        await pilot.press("ctrl+r")
        await until(pilot, lambda: app.view.page == "review" and not app.view.deaf, "the review")
        assert "gold-24" in app.words
        assert "_meta" not in app.words
        for key in keys:
            await pilot.press(key)
            await ready(pilot, app)
        await until(pilot, lambda: app.outcome is not None, "the answer")
    assert app.outcome is not None
    assert "content.plan" in (app.outcome.seen or ())


async def test_what_a_review_showed_counts_as_seen_in_a_window_that_became_smaller() -> None:
    more = {f"d{n}": {"type": "string", "title": f"D{n}", "default": "x"} for n in range(12)}
    app = Asking(form_question(remarks(2, **more)))
    async with asked(app, (100, 40)) as pilot:
        await pilot.press("ctrl+r")
        await until(pilot, lambda: app.view.page == "review" and not app.view.deaf, "the review")
        await pilot.resize_terminal(60, 16)
        await until(pilot, lambda: '"d11"' not in app.words, "its end is out of sight")
        for key in ("escape", "ctrl+s"):
            await pilot.press(key)
            await ready(pilot, app)
        await until(pilot, lambda: app.outcome is not None, "the answer")


@pytest.mark.parametrize("size", [(80, 24), (80, 12)], ids=str)
async def test_what_was_not_on_the_screen_is_told_in_whole_sentences(size: tuple[int, int]) -> None:
    title = "The plan that this account has from now on"
    between = {f"o{n}": {"type": "string", "title": f"Remark {n}"} for n in range(14)}
    fields = schema((), **between, long={**PLAN, "title": title}, plan=PLAN)
    app = Asking(form_question(fields))
    async with asked(app, size) as pilot:
        await pilot.press("ctrl+s")
        said = "from now…” and 1 more were not on the screen yet. ^S again sends."
        await until(
            pilot, lambda: said in " ".join(app.words.replace("│", " ").split()), "all of it"
        )
        assert app.outcome is None


async def test_a_review_that_goes_on_below_shows_its_end_first() -> None:
    more = {f"d{n}": {"type": "string", "title": f"D{n}", "default": "x"} for n in range(40)}
    app = Asking(form_question(remarks(14, **more)))
    async with asked(app) as pilot:
        await pilot.press("ctrl+r")
        await until(pilot, lambda: app.view.page == "review" and not app.view.deaf, "the review")
        shown: set[int] = set()
        while '"d39": "x"' not in app.words:
            shown |= {n for n in range(40) if f'"d{n}": "x"' in app.words}
            await pilot.press("ctrl+s")
            await ready(pilot, app)
            assert app.outcome is None
        shown |= {n for n in range(40) if f'"d{n}": "x"' in app.words}
        assert shown == set(range(40)), "nothing of it is skipped"
        await pilot.press("ctrl+s")
        await until(pilot, lambda: app.outcome is not None, "the answer")


async def test_the_second_step_is_taken_once_its_end_was_on_the_screen() -> None:
    more = {f"d{n}": {"type": "string", "title": f"D{n}", "default": "x"} for n in range(30)}
    app = Asking(form_question(schema((), **more), WARNING))
    async with asked(app) as pilot:
        await pilot.press("ctrl+s")
        await until(pilot, lambda: app.view.page == "step" and not app.view.deaf, "the step")
        shown: set[int] = set()
        while '"d29": "x"' not in app.words:
            shown |= {n for n in range(30) if f'"d{n}": "x"' in app.words}
            await pilot.press("ctrl+y")
            await ready(pilot, app)
            assert app.outcome is None
        shown |= {n for n in range(30) if f'"d{n}": "x"' in app.words}
        assert shown == set(range(30)), "nothing of it is skipped"
        assert "^Y again sends." in app.words
        await pilot.press("ctrl+y")
        await until(pilot, lambda: app.outcome is not None, "the answer")


async def test_an_address_is_opened_once_its_end_was_on_the_screen() -> None:
    opened: list[str] = []

    def opener(url: str) -> bool:
        opened.append(url)
        return True

    app = Asking(url_question(ADDRESS), opener=opener)
    async with asked(app) as pilot:
        assert "the-end" not in app.words
        await pilot.press("ctrl+s")
        await until(pilot, lambda: "the-end" in app.words, "the end of the address")
        assert "The address ends. ^S again agrees." in app.words
        await ready(pilot, app)
        assert not opened
        await pilot.press("ctrl+s")
        await until(pilot, lambda: app.outcome is not None, "the answer")
    assert opened == [ADDRESS]


async def test_what_a_form_without_fields_says_of_itself_is_seen_before_a_yes() -> None:
    app = Asking(form_question({**schema(), "description": LONG}))
    async with asked(app) as pilot:
        await pilot.press("y")
        await until(pilot, lambda: SMALL_PRINT in app.words, "the end of its words")
        assert app.outcome is None
        await ready(pilot, app)
        await pilot.press("y")
        await until(pilot, lambda: app.outcome is not None, "the answer")


@pytest.mark.parametrize("size", [(80, 24), (140, 40), (60, 20)], ids=str)
async def test_a_question_that_fits_on_the_screen_needs_one_key(size: tuple[int, int]) -> None:
    takes_note = replace(approval(branch="main"), takes_note=True)
    for app, keys in (
        (Asking(form_question(schema(), message="Proceed?\nIt takes a while.")), ("y",)),
        (Asking(form_question(schema(plan=PLAN, note={"type": "string"}))), ("ctrl+s",)),
        (Asking(approval(branch="main")), ("y",)),
        (Asking(takes_note), ("y",)),
        (Asking(url_question("https://example.com/sign-in")), ("ctrl+s",)),
        (Asking(form_question(schema(plan=PLAN), WARNING)), ("ctrl+s", "ctrl+y")),
    ):
        app.view.opener = lambda url: True
        async with asked(app, size) as pilot:
            for key in keys:
                await pilot.press(key)
                await ready(pilot, app)
            await until(pilot, lambda: app.outcome is not None, f"the answer by {keys}")  # noqa: B023


@pytest.mark.usefixtures("real_pause")
async def test_a_key_that_is_held_down_accepts_nothing_that_was_shown_only_just() -> None:
    app = Asking(form_question(schema(), message=LONG))
    async with asked(app) as pilot:
        await pilot.press("y", "y", "y")
        await until(pilot, lambda: " 20. The weather" in app.words, "more of the message")
        assert " 30. The weather" not in app.words
        assert app.outcome is None


@pytest.mark.parametrize("at_once", [False, True])
async def test_a_draft_that_came_back_below_the_fold_is_shown_before_it_goes_out(
    monkeypatch: pytest.MonkeyPatch, at_once: bool
) -> None:
    if not at_once:
        monkeypatch.setattr(question, "AT_ONCE_SECONDS", 0.0)
    app = Asking(form_question(remarks(14)))
    async with asked(app) as pilot:
        await pilot.press("shift+tab", "shift+tab")
        app.view.body.panel.focus_field("plan")  # type: ignore[attr-defined]
        await until(pilot, lambda: "gold-24" in app.words, "the field")
        await pilot.press(*typing("1"), "ctrl+l")
        await until(pilot, lambda: bool(app.later), "later")
    again = Asking(form_question(remarks(14)), draft=app.later[0])
    async with asked(again) as pilot:
        if at_once:  # One goes on in that field: it stands there before a key is pressed.
            await until(pilot, lambda: "gold-24" in again.words, "the field")
            assert again.outcome is None
            return
        await pilot.press("ctrl+s")
        await until(pilot, lambda: "was not on the screen yet" in again.words, "it")
        assert again.outcome is None
