"""While a key would only show what was not on the screen, it says Read on."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from textual.color import Color

from elicit_tui.elicitation import Finding, Question, Review
from elicit_tui.elicitation.own_questions import approval_request
from tests.tui.question.asking import (
    SERVER,
    WARNING,
    Asking,
    asked,
    colour_of,
    form_question,
    schema,
    until,
    url_question,
)
from tests.tui.question.test_seen import ADDRESS, LONG, SMALL_PRINT, approval, ready, remarks

pytestmark = pytest.mark.anyio


async def test_a_form_with_a_default_below_offers_to_read_on_until_that_was_on_the_screen() -> None:
    app = Asking(form_question(remarks(14)))
    async with asked(app) as pilot:
        await until(pilot, lambda: "^S Read on" in app.words, "that it goes on")
        assert "^S Send" not in app.words
        await pilot.press("pagedown", "pagedown")
        await until(pilot, lambda: "^S Send" in app.words, "that it can be sent")
        assert "✓ ready to send 1, 1 by default" in app.words
        await pilot.press("ctrl+s")
        await until(pilot, lambda: app.outcome is not None, "the answer")


NAMES = ("Monica", "Rachel", "Joey", "Chandler", "Ross", "Phoebe")
MANY_DEFAULTS = schema(
    ("name",),
    name={"type": "string", "title": "Name", "description": "Your name"},
    email={"type": "string", "title": "Mail", "format": "email", "description": "Your address"},
    **{f"u{n}": {"type": "string", "title": f"U{n}", "description": "Free"} for n in range(4)},
    number={"type": "number", "title": "Number", "description": "Favorite", "default": 3.14},
    **{
        f"c{n}": {
            "type": "string",
            "title": f"Choice {n}",
            "description": "Your favorite",
            "oneOf": [{"const": f"id-{name}", "title": name} for name in NAMES],
            "default": f"id-{NAMES[n]}",
        }
        for n in range(5)
    },
)


@pytest.mark.parametrize("rows", range(19, 32))
async def test_reading_on_says_what_the_next_key_does_and_needs_no_review_for_a_few_fields(
    rows: int,
) -> None:
    app = Asking(form_question(MANY_DEFAULTS))
    async with asked(app, (100, rows)) as pilot:
        await pilot.press(*"Ada", "tab", *"bad", "ctrl+s")
        await until(pilot, lambda: "✗ an email address" in app.words, "what is wrong")
        await pilot.press("ctrl+u", *"a@b.org")
        await until(pilot, lambda: "^S Read on" in app.words, "that it goes on")
        for _ in range(3):
            await pilot.press("ctrl+s")
            await until(pilot, lambda: bool(app.outcomes) or not app.view.deaf, "it hears again")
            if app.outcomes:
                break
            assert app.view.page == "answer"
            ends = "again sends." in app.words
            assert ends != ("again reads on." in app.words)
            assert ends == ("^S Send" in app.words), app.words
            if ends:
                assert "● Ross" in app.words
                assert 'sends "id-Ross"' in app.words
    assert app.outcome is not None


async def test_a_form_offers_to_read_on_until_the_end_of_its_message_was_on_the_screen() -> None:
    fields = schema((), name={"type": "string", "title": "Name"})
    app = Asking(form_question(fields, message=LONG))
    async with asked(app) as pilot:
        await until(pilot, lambda: "^S Read on" in app.words, "that it goes on")
        assert "◌ not seen to its end: PgDn" in app.words
        assert "can be sent" not in app.words
        while SMALL_PRINT not in app.words:
            assert "^S Send" not in app.words
            await pilot.press("ctrl+s")
            await ready(pilot, app)
        await until(pilot, lambda: "^S Send" in app.words, "that it can be sent")
        assert app.outcome is None


async def test_a_yes_offers_to_read_on_until_the_end_of_its_message_was_on_the_screen() -> None:
    app = Asking(form_question(schema(), message=LONG))
    async with asked(app) as pilot:
        await until(pilot, lambda: "y Read on" in app.words, "that it goes on")
        while "y Yes" not in app.words:
            assert SMALL_PRINT not in app.words
            await pilot.press("pagedown")
            await pilot.pause()
        await pilot.press("y")
        await until(pilot, lambda: app.outcome is not None, "the answer")


async def test_a_review_offers_to_read_on_until_its_end_was_on_the_screen() -> None:
    more = {f"d{n}": {"type": "string", "title": f"D{n}", "default": "x"} for n in range(40)}
    app = Asking(form_question(remarks(14, **more)))
    async with asked(app) as pilot:
        await pilot.press("ctrl+r")
        await until(pilot, lambda: app.view.page == "review" and not app.view.deaf, "the review")
        await until(pilot, lambda: "^S Read on" in app.words, "that it goes on")
        assert "◌ not seen to its end: PgDn" in app.words
        await pilot.press(*["pagedown"] * 6)
        await until(pilot, lambda: "^S Send" in app.words, "that it can be sent")
        assert "✓ ready to send 41" in app.words
        await pilot.press("ctrl+s")
        await until(pilot, lambda: app.outcome is not None, "the answer")


async def test_a_form_that_is_asked_about_once_more_offers_what_leads_there() -> None:
    app = Asking(form_question(remarks(14), WARNING))
    async with asked(app) as pilot:
        await until(pilot, lambda: "◌ 1 not seen yet" in app.words, "that it was judged")
        assert "^S Send" in app.words
        await pilot.press("ctrl+s")
        await until(pilot, lambda: app.view.page == "step", "the step")


async def test_a_small_window_offers_the_second_step_once_the_answer_was_on_it() -> None:
    app = Asking(form_question(schema(v={"type": "string"}), WARNING, message="Where to?"))
    async with asked(app, (40, 15)) as pilot:
        await pilot.press("x", "ctrl+s")
        await until(pilot, lambda: app.view.page == "step" and not app.view.deaf, "the step")
        await until(pilot, lambda: "^Y Read on" in app.words, "that it goes on")
        assert "not seen to its end: PgDn" in app.words
        assert '"v": "x"' not in app.words
        assert "Send it" not in app.words
        await pilot.press("ctrl+y")
        await until(pilot, lambda: '"v": "x"' in app.words, "what is sent")
        assert app.outcome is None
        await until(pilot, lambda: "^Y Send it" in app.words, "that it can be sent")
        await ready(pilot, app)
        await pilot.press("ctrl+y")
        await until(pilot, lambda: app.outcome is not None, "the answer")


async def test_who_scrolls_to_the_end_of_the_second_step_is_offered_it() -> None:
    app = Asking(form_question(schema(v={"type": "string"}), WARNING, message="Where to?"))
    async with asked(app, (40, 15)) as pilot:
        await pilot.press("x", "ctrl+s")
        await until(pilot, lambda: "^Y Read on" in app.words and not app.view.deaf, "the step")
        await pilot.press("pagedown", "pagedown", "pagedown")
        await until(pilot, lambda: "^Y Send it" in app.words, "that it can be sent")
        assert "^Y goes through with it" in app.words
        await pilot.press("ctrl+y")
        await until(pilot, lambda: app.outcome is not None, "the answer")


async def test_a_call_offers_to_read_on_until_the_end_of_its_arguments_was_on_the_screen() -> None:
    app = Asking(approval(comment="Nothing else is touched. " * 60, zone="production"))
    async with asked(app) as pilot:
        await until(pilot, lambda: "y Read on" in app.words, "that it goes on")
        assert "◌ read to the end to allow: PgDn" in app.words
        assert "Allow once" not in app.words
        assert "This session" not in app.words
        await pilot.press("pagedown", "pagedown", "pagedown")
        await until(pilot, lambda: "y Allow once" in app.words, "that it can be called")
        assert "^A This session" in app.words
        await pilot.press("y")
        await until(pilot, lambda: app.outcome is not None, "the answer")


@pytest.mark.parametrize("size", [(140, 40), (80, 24), (40, 15)])
async def test_the_key_that_allows_more_than_a_call_is_said_to_read_on_first(
    size: tuple[int, int],
) -> None:
    app = Asking(approval(**{f"key{number}": "a value" for number in range(60)}))
    async with asked(app, size) as pilot:

        def words() -> str:
            return " ".join(app.words.replace("│", " ").split())

        await until(pilot, lambda: re.search(r"(Then|Once all is read,) \^A allows", words()), "so")
        assert "^A This session" not in app.words
        for _ in range(60):
            if "^A again allows it for this session" in words():
                break
            await pilot.press("ctrl+a")
            await pilot.pause()
        await until(pilot, lambda: "^A again allows it for this session" in words(), "its end")
        assert not re.search(r"(Then|Once all is read,) \^A allows", words())
        await pilot.press("ctrl+a")
        await until(pilot, lambda: app.outcome is not None, "the answer")
        assert app.outcome is not None
        assert app.outcome.scope == "session"


async def test_reading_on_has_no_colour_of_a_danger_and_allowing_after_it_has() -> None:
    question = approval(comment="Nothing else is touched. " * 60)
    destructive = {"description": "Deploys.", "annotations": {"destructiveHint": True}}
    request = approval_request(SERVER, question.request.call, destructive, "")
    app = Asking(Question(request))
    async with asked(app) as pilot:
        await until(pilot, lambda: "y Read on" in app.words, "that it goes on")
        plain, amber = (
            Color.parse(app.theme_variables[name]).rich_color for name in ("foreground", "warning")
        )
        assert colour_of(app, "Read on") == plain
        await pilot.press("pagedown", "pagedown", "pagedown")
        await until(pilot, lambda: "y Allow once" in app.words, "that it can be called")
        assert colour_of(app, "Allow once") == amber


async def test_a_page_offers_to_read_on_until_the_end_of_its_address_was_on_the_screen() -> None:
    app = Asking(url_question(ADDRESS), opener=lambda url: True)
    async with asked(app) as pilot:
        await until(pilot, lambda: "^S Read on" in app.words, "that it goes on")
        assert "^S Open" not in app.words
        await pilot.press("pagedown", "pagedown", "pagedown")
        await until(pilot, lambda: "^S Open" in app.words, "that it can be opened")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: app.outcome is not None, "the answer")


async def test_a_page_that_is_asked_about_once_more_offers_what_leads_there() -> None:
    app = Asking(url_question(ADDRESS, WARNING), opener=lambda url: True)
    async with asked(app) as pilot:
        assert "^S Open" in app.words
        await pilot.press("ctrl+s")
        await until(pilot, lambda: app.view.page == "step", "the step")


async def test_whoever_jumps_to_the_end_of_a_review_has_not_seen_its_middle() -> None:
    more = {f"d{n}": {"type": "string", "title": f"D{n}", "default": "x"} for n in range(60)}
    app = Asking(form_question(remarks(14, **more)))
    async with asked(app) as pilot:
        await pilot.press("ctrl+r")
        await until(pilot, lambda: app.view.page == "review" and not app.view.deaf, "the review")
        await pilot.press("end")
        await until(pilot, lambda: '"d59"' in app.words, "the end")
        await pilot.pause()
        assert "^S Read on" in app.words
        await pilot.press("ctrl+s")
        await until(pilot, lambda: '"d59"' not in app.words, "what was skipped")
        assert app.outcome is None


async def test_whoever_jumps_to_the_end_of_a_message_has_not_seen_its_middle() -> None:
    app = Asking(form_question(schema(), message=LONG))
    async with asked(app) as pilot:
        await pilot.press("end")
        await until(pilot, lambda: SMALL_PRINT in app.words, "the end")
        assert "y Read on" in app.words
        await pilot.press("y")
        await until(pilot, lambda: SMALL_PRINT not in app.words, "what was skipped")
        assert app.outcome is None


async def test_each_line_of_a_message_was_on_the_screen_before_the_yes_to_it() -> None:
    app = Asking(form_question(schema(), message=LONG))
    shown: set[int] = set()
    async with asked(app) as pilot:
        while not app.outcomes:
            shown |= {n for n in range(60) if f" {n}. The weather in town {n} " in app.words}
            await pilot.press("y")
            await ready(pilot, app)
    assert shown == set(range(60)), "nothing of it is skipped"


@pytest.mark.parametrize("review", ["risky", "always"])
async def test_a_review_shows_no_secret_until_one_asks_to_see_it(review: str) -> None:
    secret = {"type": "string", "title": "Password", "format": "password"}
    app = Asking(form_question(schema(v=secret), message="Who?"), review=review)
    async with asked(app, (100, 30)) as pilot:
        await pilot.press(*"opensesame", "ctrl+r")
        await until(pilot, lambda: app.view.page == "review" and not app.view.deaf, "the review")
        assert '"v": "••• not shown: F6 shows it"' in app.words
        assert "opensesame" not in app.words
        await pilot.press("f6")
        await until(pilot, lambda: '"v": "opensesame"' in app.words, "the secret")
        await pilot.press("f6")
        await until(pilot, lambda: "opensesame" not in app.words, "the mask")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: app.outcome is not None, "the answer")
    assert app.outcome is not None
    assert app.outcome.content == {"v": "opensesame"}


async def test_the_second_step_shows_no_secret_until_one_asks_to_see_it() -> None:
    secret = {"type": "string", "title": "Password", "format": "password"}
    app = Asking(form_question(schema(v=secret), WARNING))
    async with asked(app, (100, 30)) as pilot:
        await pilot.press(*"opensesame", "ctrl+s")
        await until(pilot, lambda: app.view.page == "step" and not app.view.deaf, "the step")
        assert "opensesame" not in app.words
        await pilot.press("f6")
        await until(pilot, lambda: '"v": "opensesame"' in app.words, "the secret")
        await pilot.press("ctrl+y")
        await until(pilot, lambda: app.outcome is not None, "the answer")


async def test_a_form_that_lacks_an_answer_reads_on_as_its_key_says_before_it_tells_that() -> None:
    more = {f"d{n}": {"type": "string", "title": f"D{n}", "default": "x"} for n in range(20)}
    app = Asking(form_question(schema(("name",), name={"type": "string"}, **more)))
    async with asked(app) as pilot:
        await until(pilot, lambda: "◌ 1 answer missing" in app.words, "that it was judged")
        pages = 0
        while "^S Read on" in app.words:
            assert "^S Send" not in app.words
            stood, pages = app.words, pages + 1
            await pilot.press("ctrl+s")
            await ready(pilot, app)
            assert app.words != stood
            assert "needs an answer" not in app.words
            assert app.view.page == "answer"
        assert pages > 1
        assert "^S again shows what lacks." in app.words
        await pilot.press("ctrl+s")
        await until(pilot, lambda: "✗ needs an answer" in app.words, "what is missing")
        await pilot.press("a")
        await until(pilot, lambda: "✓ ready to send 21" in app.words, "that it can be sent")
        assert "^S Send" in app.words
        await pilot.press("ctrl+s")
        await until(pilot, lambda: app.outcome is not None, "the answer")


@pytest.mark.parametrize("size", [(80, 24), (40, 12)])
async def test_where_there_is_no_room_for_what_is_read_on_the_key_comes_to_what_lacks(
    size: tuple[int, int],
) -> None:
    more: dict[str, dict[str, object]] = {}
    for n in range(4):
        choices = [f"choice {each} " * 8 for each in range(9)]
        told = {"description": "words " * 60, "default": "long value " * 40}
        more[f"d{n}"] = {"type": "string", **told}
        items = {"type": "string", "enum": choices}
        more[f"e{n}"] = {"type": "array", "items": items, "default": choices[-1:]}
    app = Asking(form_question(schema(("name",), name={"type": "string"}, **more)))
    async with asked(app, size) as pilot:
        for _ in range(2 * len(more)):
            await pilot.press("ctrl+s")
            await ready(pilot, app)
            if "needs an answer" in app.words:
                break
            said = re.sub(r"[\s│]+", " ", app.words)
            does = "reads on." if "^S Read on" in said else "shows what lacks."
            assert f"^S again {does}" in re.sub(r" type search ", " ", said)
        assert "needs an answer" in app.words
    assert app.outcome is None


async def test_what_is_wrong_is_told_before_a_form_is_read_on() -> None:
    more = {f"d{n}": {"type": "string", "title": f"D{n}", "default": "x"} for n in range(20)}
    app = Asking(form_question(schema(mail={"type": "string", "format": "email"}, **more)))
    async with asked(app) as pilot:
        await pilot.press(*"bad")
        await until(pilot, lambda: "◌ 1 to correct" in app.words, "that it was judged")
        assert "^S Send" in app.words
        assert "^S Read on" not in app.words
        await pilot.press("ctrl+s")
        await until(pilot, lambda: "✗ an email address" in app.words, "what is wrong")
        await until(pilot, lambda: "^S Read on" in app.words, "what comes then")
        await pilot.press("ctrl+s")
        await until(pilot, lambda: "✗ an email address" not in app.words, "what is below")
        assert app.outcome is None


async def test_what_the_same_key_does_again_is_reworded_once_all_was_on_the_screen() -> None:
    app = Asking(form_question(MANY_DEFAULTS))
    async with asked(app, (100, 26)) as pilot:
        await pilot.press(*"Ada", "ctrl+s")
        await until(pilot, lambda: "^S again reads on." in app.words, "that it goes on")
        app.view.body.fields.scroll_end(animate=False)
        await until(pilot, lambda: "^S Send" in app.words, "that it can be sent")
        assert "^S again sends." in app.words


@pytest.mark.parametrize("finding", [WARNING, None])
async def test_a_key_that_leads_to_another_look_says_so(finding: Finding | None) -> None:
    found = [finding] if finding else []
    question = form_question(schema(name={"type": "string"}), *found)
    app = Asking(question, review="risky" if finding else "always")
    async with asked(app) as pilot:
        await until(pilot, lambda: "^S Send…" in app.words, "what it leads to")
        await pilot.press("a", "enter")
        said = "That was the last field. Enter or ^S shows it once more."
        await until(pilot, lambda: said in app.words, "what Enter does")


def warned_call() -> Question:
    return replace(approval(zone="production"), review=Review((WARNING,)))


async def test_a_call_and_a_page_that_are_asked_about_once_more_say_so_on_each_of_their_keys() -> (
    None
):
    for question, keys in (
        (url_question("https://example.com/", WARNING), ["^S Open…"]),
        (warned_call(), ["y Allow once…", "^A This session…", "y looks once more"]),
    ):
        app = Asking(question, opener=lambda url: True)
        async with asked(app):
            words = app.words
            assert [key for key in keys if key in words] == keys
