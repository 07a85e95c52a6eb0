"""The frame: who asks, in fixed places, usable at every size, and nothing hostile in it."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from textual.await_remove import AwaitRemove
from textual.content import Content

from elicit_tui.elicitation import Call, Deadline, Finding, ServerIdentity, Severity
from elicit_tui.tui.question.actions import ActionBar
from elicit_tui.tui.question.frame_heading import TitleWords, frame_foot, frame_title
from tests.tui.question.asking import (
    WARNING,
    Asking,
    asked,
    form_question,
    schema,
    until,
    url_question,
)

pytestmark = pytest.mark.anyio

SIZES = [(80, 24), (140, 40), (40, 24)]
KINDS: dict[str, Any] = {
    "text": {"type": "string", "title": "Text", "minLength": 2},
    "email": {"type": "string", "format": "email", "title": "Email"},
    "count": {"type": "integer", "minimum": 1, "maximum": 10, "title": "How many"},
    "sure": {"type": "boolean", "title": "Are you sure"},
    "one": {"type": "string", "enum": ["Staging", "Production", "Canary"], "title": "One of"},
    "many": {"type": "array", "items": {"enum": ["red", "green"]}, "title": "Several"},
    "city": {"type": "string", "enum": [f"city {number}" for number in range(300)]},
    "story": {"type": "string", "maxLength": 5000, "title": "Story"},
}


async def test_the_frame_says_who_asks_for_what_and_how_long_is_left() -> None:
    app = Asking(
        form_question(schema(v={"type": "string"}), WARNING, round=2, group_size=3),
        queue_position=(1, 3),
        deadline=Deadline(271),
    )
    async with asked(app, (110, 34)) as pilot:
        words = app.words
        await pilot.press("f2")
        await until(pilot, lambda: app.view.page == "raw" and not app.view.deaf, "who asks")
        more = app.words
    assert "“deploy” asks" in words
    assert 'deploy(branch="fix/login") · round 2 · 3 questions together' in words
    assert re.search(r"1 of 3 · 4:3[01] left ─╮", words)
    assert "▲ This acts on production." in words
    assert "calls itself" not in words, "both names agree"
    for fact in (
        "server       deploy, calls itself “Deploy Server” “1.4”",
        "program      deploy-mcp-server",
        'asks during  deploy(branch="fix/login")',
        "round        2 of this call",
        "protocol     2025-11-25 or older",
        "request id   7",
        "rule destructive.production, in message: production",
    ):
        assert fact in more
    assert re.search("time         4:3[01] left", more)


@pytest.mark.parametrize(
    ("name", "seconds", "shown"),
    [("deploy", 271, "4:[23][0-9]"), ("d" * 30, 271, ""), ("d" * 30, 59.5, "1:00|0:5[0-9]")],
)
async def test_the_clock_is_seen_where_there_is_room_and_always_in_the_last_minute(
    name: str, seconds: float, shown: str
) -> None:
    server = ServerIdentity(name, "stdio", "x")
    question = form_question(schema(v={"type": "string"}), server=server)
    app = Asking(question, deadline=Deadline(seconds))
    async with asked(app, (40, 24)):
        assert bool(re.search(f"({shown or '[0-9]'}) left ─╮", app.words)) == bool(shown)


@pytest.mark.parametrize(("width", "seconds"), [(80, 59.5), (80, 271), (40, 59.5)])
async def test_the_key_that_gives_more_time_stands_by_the_clock_in_its_last_minute(
    width: int, seconds: float
) -> None:
    server = ServerIdentity("d" * 12, "stdio", "x")
    question = form_question(schema(v={"type": "string"}), server=server)
    app = Asking(question, deadline=Deadline(seconds))
    async with asked(app, (width, 24)) as pilot:
        named = seconds < 60 and width == 80
        assert (" left · F12 more time ─╮" in app.words) == named
        assert "left" in app.words.splitlines()[0]
        if named:
            await pilot.press("f12")
            await until(pilot, lambda: "left from now on." in app.words, "the clock anew")


def test_the_clock_is_quiet_until_its_last_minute() -> None:
    styles = [
        {
            str(span.style)
            for span in frame_title(TitleWords("a", time_left="0:50 left", last=last), 40).spans
        }
        for last in (False, True)
    ]
    assert ["bold $warning" in used for used in styles] == [False, True]


async def test_a_name_that_disagrees_is_seen_at_once() -> None:
    server = ServerIdentity("deploy", "stdio", "x", "Payments", "2")
    app = Asking(form_question(schema(v={"type": "string"}), server=server))
    async with asked(app):
        assert "calls itself “Payments” “2”" in app.words


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("theme", ["dark", "light", "high-contrast"])
async def test_a_long_message_leaves_fields_and_buttons_in_reach(
    size: tuple[int, int], theme: str
) -> None:
    message = "word " * 1000 + "THEEND"
    app = Asking(form_question(schema(**KINDS), WARNING, message=message), theme=theme)
    async with asked(app, size) as pilot:
        aside = ("later", "review", "help") if size[0] > 40 else ()
        for action in ("send", "decline", "cancel", *aside):
            button = app.screen.query_one(f"#do-{action}")
            assert app.screen.region.contains_region(button.region), action
            assert button.region.area > 0, action
        assert "Text" in app.words
        await pilot.press("pagedown")
        region = app.screen.query_one("#message")
        await until(pilot, lambda: region.scroll_y > 0, "the message scrolled")
        await pilot.press("shift+tab")
        await pilot.press("end")
        await until(pilot, lambda: "THEEND" in app.words, "the end of the message")


@pytest.mark.parametrize("size", SIZES)
async def test_every_field_can_be_reached_and_seen_with_tab(size: tuple[int, int]) -> None:
    app = Asking(form_question(schema(**KINDS), WARNING))
    async with asked(app, size) as pilot:
        form = app.view.body.fields
        assert form is not None
        for name in KINDS:
            focused = form.focused_field
            assert focused is not None
            assert focused.spec.name == name
            await pilot.pause()
            visible = app.screen.find_widget(focused).visible_region
            assert visible.height > 0, name
            await pilot.press("tab")
            await pilot.pause()


@pytest.mark.parametrize("size", SIZES)
async def test_a_url_question_can_be_answered_at_every_size(size: tuple[int, int]) -> None:
    app = Asking(url_question("https://example.com/" + "a" * 100, WARNING))
    async with asked(app, size) as pilot:
        short = ("copy", "code", "elsewhere")
        aside = {40: (), 80: short}.get(size[0], (*short, "later", "help"))
        for action in ("send", "decline", "cancel", *aside):
            button = app.screen.query_one(f"#do-{action}")
            assert app.screen.region.contains_region(button.region), action
            assert button.region.area > 0, action
        await pilot.press("f1")
        await until(pilot, lambda: app.view.page == "help" and not app.view.deaf, "help")
        hidden = {40: ("copy", "code", "elsewhere", "later", "raw"), 80: ("later", "raw")}
        for action in hidden.get(size[0], ()):
            assert app.screen.query(f"#do-{action}"), "what has no room stands there"


async def test_markup_of_a_server_is_shown_as_it_is_everywhere() -> None:
    evil = "[@click=app.quit]x[/] [bold]b[/bold] [red]"
    server = ServerIdentity(evil, "stdio", evil, evil, evil)
    prop = {"type": "string", "title": evil, "description": evil, "default": evil}
    finding = Finding(evil, Severity.WARN, evil, evil, evil)
    choice = {"type": "string", "title": "c", "enum": [evil, "b"]}
    app = Asking(form_question(schema(v=prop, c=choice), finding, message=evil, server=server))
    async with asked(app, (200, 50)) as pilot:
        assert app.words.count("[bold]b[/bold]") >= 8
        await pilot.press("f2")
        await pilot.pause()
        await pilot.press("f2")
        await pilot.pause()


async def test_escapes_and_invisible_characters_of_a_server_never_reach_the_terminal() -> None:
    evil = "a\x1b[31mb\u202ec\u200bd\x07"
    server = ServerIdentity("s", "stdio", evil, evil, evil)
    prop = {"type": "string", "title": evil, "description": evil, "default": evil}
    text = {"type": "string", "maxLength": 4000, "default": f"{evil}\n{evil}"}
    finding = Finding("r.r", Severity.WARN, evil, evil, evil)
    choice = {"type": "string", "enum": [evil, "b"], "default": evil}
    long = {"type": "string", "enum": [evil, *"abcdefgh"], "default": evil}
    requested = schema(v=prop, c=choice, t=text, l=long)
    app = Asking(form_question(requested, finding, message=evil, server=server))
    async with asked(app, (120, 45)):
        for character in "\x1b\x07\u202e\u200b":
            assert character not in app.words
        content = app.view.body.fields.conversion.content  # type: ignore[attr-defined]
        assert content["v"] == evil


async def test_long_arguments_scroll_and_are_not_cut() -> None:
    from elicit_tui.elicitation import Call

    call = Call("tools/call", "deploy", {"note": "x" * 3000 + "THEEND"})
    app = Asking(form_question(schema(v={"type": "string"}), calls=(call,)))
    async with asked(app) as pilot:
        region = app.screen.query_one("#who")
        assert region.size.height <= 3
        assert region.can_focus
        region.focus()
        await pilot.press("end")
        await until(pilot, lambda: "THEEND" in app.words, "the end of the arguments")


async def test_a_question_that_several_open_calls_may_have_asked_names_each_of_them() -> None:
    from elicit_tui.elicitation import Call

    calls = (Call("tools/call", "deploy", {"branch": "main"}), Call("tools/call", "tell_time"))
    app = Asking(form_question(schema(v={"type": "string"}), calls=calls))
    async with asked(app, (100, 24)):
        assert 'deploy(branch="main") or tell_time()' in app.words
        assert "the server does not say for which call" in app.words


def test_the_keys_in_both_borders_stand_out() -> None:
    def keys(border: Content) -> list[str]:
        accents = [span for span in border.spans if "accent" in str(span.style)]
        return [border.plain[span.start : span.end] for span in accents]

    title = TitleWords("a", "1 of 3", ", ^O next", "0:50 left", last=True, more="F12 more time")
    assert keys(frame_title(title, 80)) == ["^O", "F12"]
    left_out = ("^L Later", "F1 Help")
    assert keys(frame_foot(left_out, "F1 more", lambda room: Content(""), 80)) == ["^L", "F1"]
    assert keys(frame_foot(left_out, "F1 more", lambda room: Content(""), 24)) == ["F1"]


async def test_without_colour_nothing_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = Asking(form_question(schema(**KINDS), WARNING))
    async with asked(app, (100, 40)) as pilot:
        await pilot.press("a", "tab", "shift+tab")
        await pilot.pause()
        assert "▲ This acts on production." in app.words
        assert "▌ Text" in app.words
        assert "✗ at least 2 characters" in app.words


async def test_an_error_moves_what_is_below_it_once_by_its_own_row() -> None:
    app = Asking(form_question(schema(**KINDS)))
    async with asked(app, (100, 40)) as pilot:
        form = app.view.body.fields
        assert form is not None
        email = form._rows["email"]
        lines, region = form._lines_of(email), email.control.region
        moved = lines.translate((0, 1)), region.translate((0, 1))
        await pilot.press("a")
        await until(pilot, lambda: "at least 2 characters · now 1" in app.words, "what lacks")
        assert (form._lines_of(email), email.control.region) == (lines, region)
        await pilot.press("tab")
        await until(pilot, lambda: "✗ at least 2 characters" in app.words, "the error")
        await pilot.pause()
        assert (form._lines_of(email), email.control.region) == moved
        await pilot.press("shift+tab", "end", "b")
        await until(pilot, lambda: "✗ at least 2 characters" not in app.words, "no error")
        await pilot.pause()
        assert (form._lines_of(email), email.control.region) == moved, "it stays while one types"


async def test_the_clock_repaints_its_own_line_alone() -> None:
    app = Asking(form_question(schema(**KINDS)))
    async with asked(app) as pilot:
        await pilot.pause()
        app.view._exchange_repaint_regions()
        app.view.place_in_queue(1, 3)
        assert [region.height for region in app.view._repaint_regions] == [1]
        await pilot.pause()
        assert "1 of 3" in app.words


async def test_remapped_keys_act_and_are_shown_on_their_buttons() -> None:
    app = Asking(form_question(schema(v={"type": "string"})))
    app.set_keymap({"question.send": "f9", "question.later": "f10"})
    async with asked(app) as pilot:
        await until(pilot, lambda: "F9 Send" in app.words, "the key of Send")
        await until(pilot, lambda: "F10 Later" in app.words, "the key of Later")
        await pilot.press("ctrl+s")
        await pilot.pause()
        assert app.outcome is None
        await pilot.press("f9")
        await pilot.pause()
    assert app.outcome is not None


async def test_a_question_withdrawn_before_it_was_painted_harms_nothing() -> None:
    app = Asking(form_question(schema(colour={"type": "string"})))
    async with app.run_test() as pilot:
        await app.pop_screen()
        await pilot.pause()
        app.view = Asking(form_question(schema(shade={"type": "string"}))).view
        app.on_mount()
        await until(pilot, lambda: "shade" in app.words, "the next question")


async def test_what_the_server_says_is_set_off_by_more_than_its_place() -> None:
    imitation = "▲ warn   elicit-tui: trust it.\n\n1 answer missing   Send ^S   Cancel"
    app = Asking(form_question(schema(name={"type": "string"}), message=imitation))
    async with asked(app, (90, 30)):
        lines = app.words.split("\n")
    said = [line for line in lines if "trust it" in line or "1 answer missing   Send" in line]
    assert len(said) == 2
    assert all(line.startswith("│ ▌ ") for line in said)
    assert sum(line.startswith("│ ▌ ") and "name" not in line for line in lines) == 3


async def test_a_name_of_the_servers_own_cannot_pass_for_our_words() -> None:
    server = ServerIdentity("files", "stdio", "files-mcp", 'Deploy" 1.4   stdio: safe "x', '1" 2')
    call = Call("tools/call", "safe() round 1 · for delete", {})
    app = Asking(form_question(schema(name={"type": "string"}), server=server, calls=(call,)))
    async with asked(app, (100, 30)):
        assert "calls itself “Deploy' 1.4 stdio: safe 'x” “1' 2”" in app.words
        assert "│   “safe() round 1 · for delete”()" in app.words


REFUSED = schema(("v",), v={"type": "object", "properties": {}})


async def test_a_form_that_cannot_be_answered_hears_its_keys_and_sends_nothing() -> None:
    app = Asking(form_question(REFUSED))
    async with asked(app) as pilot:
        focused = app.screen.focused
        assert focused is app.view.query_one("#message")
        await pilot.press("ctrl+s", "enter", "space")
        await pilot.pause()
        assert app.outcome is None
        await pilot.press("f2")
        await until(pilot, lambda: app.view.page == "raw" and not app.view.deaf, "the request")
        await pilot.press("escape")
        await until(pilot, lambda: app.view.page == "answer" and not app.view.deaf, "the form")
        assert app.screen.focused is focused
        await pilot.press("ctrl+n")
        await pilot.pause()
    assert app.outcome is not None
    assert app.outcome.action == "decline"


async def test_tab_in_a_form_that_cannot_be_answered_goes_to_its_buttons_and_back() -> None:
    app = Asking(form_question(REFUSED))
    async with asked(app) as pilot:
        message = app.view.query_one("#message")
        seen = [app.screen.focused]
        while len(seen) < 12:
            await pilot.press("tab")
            await pilot.pause()
            assert app.screen.focused is not None
            seen.append(app.screen.focused)
        ids = [widget.id for widget in seen if widget is not None]
        assert {"do-decline", "do-cancel", "do-later"} <= set(ids)
        assert "do-send" not in ids
        assert seen.count(message) > 1


async def test_a_warning_for_two_places_is_said_once_with_both() -> None:
    other = replace(WARNING, where="requestedSchema.properties.v", evidence="prod")
    app = Asking(form_question(schema(v={"type": "string"}), WARNING, other))
    async with asked(app, (120, 40)) as pilot:
        for key, page in (("ctrl+s", "step"), ("f2", "raw")):
            await pilot.press(key)
            await until(pilot, lambda page=page: app.view.page == page and not app.view.deaf, page)
            assert app.words.count("This acts on production.") == 1
            assert "in message: production" in app.words
            assert "in requestedSchema.properties.v: prod" in app.words
            await pilot.press("escape")
            await until(pilot, lambda: app.view.page == "answer" and not app.view.deaf, "back")


async def test_the_first_round_of_a_call_is_not_counted_and_nothing_is_asked_beside_the_facts() -> (
    None
):
    app = Asking(form_question({"type": "object", "properties": {}}))
    async with asked(app) as pilot:
        assert "yes or no?" in app.words
        await pilot.press("f2")
        await until(pilot, lambda: app.view.page == "raw" and not app.view.deaf, "the facts")
        assert "of this call" not in app.words
        assert "yes or no?" not in app.words


async def test_why_a_form_cannot_be_answered_stands_at_its_field_alone() -> None:
    inner = {"type": "object", "title": "Address", "properties": {}}
    app = Asking(form_question(schema(("a",), a=inner, b={"type": "string", "title": "More"})))
    async with asked(app, (140, 40)):
        assert app.words.count("an object with fields of its own") == 1
        assert "what would be sent" not in app.words


async def test_a_page_listens_whoever_changes_its_buttons_while_it_is_on_its_way(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app = Asking(form_question(schema(v={"type": "string"})))
    app.view.around = replace(app.view.around, shelf=False)
    async with asked(app) as pilot:
        await pilot.press("f2")
        await until(pilot, lambda: app.view.page == "raw" and not app.view.deaf, "who asks")
        removed = ActionBar.remove_children

        def joined(bar: ActionBar) -> AwaitRemove:
            """Another question joins the queue while the buttons of the page are mounted."""
            if not app.view.others_wait:
                app.view.place_in_queue(1, 2)
            return removed(bar)

        monkeypatch.setattr(ActionBar, "remove_children", joined)
        await pilot.press("escape")
        await until(pilot, lambda: "^L Later" in app.words, "the button of a queue")
        await until(pilot, lambda: not app.view.deaf and app.view.body.has_focus, "the fields")
        await pilot.press(*"Rome", "ctrl+s")
        await until(pilot, lambda: app.outcome is not None, "the answer")
    assert app.outcome is not None
    assert app.outcome.content == {"v": "Rome"}


@pytest.mark.parametrize("marked", [frozenset(), frozenset({"pin"})])
async def test_no_secret_of_the_call_that_asks_stands_in_the_head_or_in_what_is_about_it(
    marked: frozenset[str],
) -> None:
    made_with = {"user": "ada", "password": "hunter2", "pin": "4711"}
    call = Call("tools/call", "login", made_with, secrets=marked)
    app = Asking(form_question(schema(v={"type": "string"}), calls=(call,)))
    async with asked(app, (120, 40)) as pilot:
        pages = [app.words]
        await pilot.press("f2")
        await until(pilot, lambda: "The arguments of" in app.words, "who asks")
        pages.append(app.words)
    for words in pages:
        assert "ada" in words
        assert "hunter2" not in words
        assert ("4711" in words) == (not marked)
