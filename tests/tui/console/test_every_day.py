"""The clock of a question, the states of calls, pictures and themes, as a daily user needs them."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from textual.color import Color
from textual.events import CursorPosition, Key

from elicit_tui import paths
from elicit_tui.elicitation import Action, Call
from elicit_tui.elicitation.settings import ConsoleSettings, ElicitationSettings
from elicit_tui.host.offers import Tool
from elicit_tui.tui.console.calls import AnsweredQuestion, Calls, CallState
from elicit_tui.tui.console.results import results_directory
from elicit_tui.tui.terminal_answers import BackgroundTold, KindTold
from elicit_tui.tui.textual_terminal import PasteParser
from elicit_tui.tui.theme import THEME_NAMES, use_theme
from tests.tui.console.stand import Stand, console
from tests.tui.console.test_contrast import faint_words

pytestmark = pytest.mark.anyio


# The clock


async def test_typing_moves_the_end_and_a_key_gives_all_of_the_time_again(tmp_path: Path) -> None:
    settings = ElicitationSettings(timeout_sec=300)
    async with console(tmp_path, elicitation=settings) as stand:
        request = stand.ask("alpha")
        await stand.shown(request)
        pending = stand.app.state.questions.open
        assert pending is not None
        pending.deadline._end = pending.deadline._clock() + 20
        await stand.press("O")
        assert 55 < (pending.deadline.remaining or 0) <= 60
        await stand.press("f12")
        assert (pending.deadline.remaining or 0) > 290
        assert "left from now on" in stand.text()
        await stand.press("f1")
        assert "More time" in stand.text()
        await stand.press("escape")
        await stand.press("ctrl+n")


async def test_a_question_without_a_clock_says_that_it_waits(tmp_path: Path) -> None:
    async with console(tmp_path, elicitation=ElicitationSettings(timeout_sec=0)) as stand:
        await stand.shown(stand.ask("alpha"))
        await stand.press("f12")
        assert "No clock runs" in stand.text()
        await stand.press("ctrl+n")


# The calls by their state


async def test_calls_are_listed_by_their_state(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        for name, state in (("fine", "answered"), ("broken", "failed"), ("refused", "refused")):
            stand.app.state.calls.start("alpha", Call("tools/call", name, {})).end(state, result={})
        await stand.press("3")
        await stand.until(lambda: "broken" in stand.text())
        seen = []
        for _ in range(4):
            await stand.press("f")
            text = stand.text()
            seen.append({name for name in ("fine", "broken", "refused") if f"  {name}" in text})
        everything = {"fine", "broken", "refused"}
        assert seen == [{"broken"}, {"refused"}, {"fine"}, everything]
        await stand.press("f")
        await stand.until(lambda: "Esc All calls" in stand.text() and "  fine" not in stand.text())
        await stand.press("escape")
        await stand.until(lambda: "  fine" in stand.text() and "All calls" not in stand.text())


@pytest.mark.parametrize("state", ["answered", "failed"])
@pytest.mark.parametrize(
    ("action", "filed"),
    [("accept", None), ("decline", "cancelled or refused"), ("cancel", "cancelled or refused")],
)
def test_a_call_is_filed_under_what_is_said_of_it(
    state: CallState, action: Action, filed: str | None
) -> None:
    record = Calls().start("alpha", Call("tools/call", "deploy", {}))
    record.answered.append(AnsweredQuestion("Now?", action, "so it ended"))
    record.end(state, result={})
    by_state = "done" if state == "answered" else "failed"
    assert record.filed_under == (filed or by_state)


# Pictures


async def test_the_palette_saves_a_picture_of_the_screen(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        stand.app.take_picture()
        await stand.until(lambda: results_directory().is_dir() and [*results_directory().iterdir()])
        (picture,) = results_directory().iterdir()
        assert picture.suffix == ".svg"
        assert "alpha" in picture.read_text()
        assert stat.S_IMODE(picture.stat().st_mode) == 0o600


# Themes


async def test_a_theme_that_was_chosen_lasts_until_the_configuration_names_another(
    tmp_path: Path,
) -> None:
    async with console(tmp_path) as stand:
        stand.app.wear("nord")
        assert stand.app.theme == "elicit-nord"
    async with console(tmp_path) as stand:
        assert stand.app.theme == "elicit-nord"
    async with console(tmp_path, console=ConsoleSettings(theme="light")) as stand:
        assert stand.app.theme == "elicit-light"


async def test_the_look_follows_what_the_terminal_says_of_its_background(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        assert stand.app.theme == "elicit-dark"
        stand.app.post_message(BackgroundTold(250, 250, 245))
        await stand.until(lambda: stand.app.theme == "elicit-light")
        stand.app.wear("high-contrast")
        stand.app.post_message(BackgroundTold(250, 250, 245))
        await stand.pilot.pause()
        assert stand.app.theme == "elicit-high-contrast"


@pytest.mark.parametrize(
    "chunks",
    [
        ("a\x1b]11;rgb:ffff/ffff/dddd\x1b\\b",),
        ("a\x1b]", "11;rgb:ff", "ff/ffff/dddd\x07b"),
        ("a\x1b]11;rgba:ff/ff/dd/ff\x1b", "\\b"),
    ],
)
def test_what_the_terminal_answers_is_no_key(chunks: tuple[str, ...]) -> None:
    parser = PasteParser()
    events = [event for chunk in chunks for event in parser.feed(chunk)]
    told = [event.colour for event in events if isinstance(event, BackgroundTold)]
    assert told == [(255, 255, 221)]
    assert [event.key for event in events if hasattr(event, "key")] == ["a", "b"]


@pytest.mark.parametrize(
    "chunks",
    [
        ("a\x1b[20;1R\x1b[>0;276;0cb",),
        ("a\x1b[2", "0;1R\x1b[>0;27", "6;0cb"),
        ("a\x1b[20;1R", "\x1b[>", "0;276;0c", "b"),
    ],
)
def test_which_terminal_it_is_and_where_its_cursor_stands_are_no_keys(
    chunks: tuple[str, ...],
) -> None:
    parser = PasteParser()
    told = [event for chunk in chunks for event in parser.feed(chunk)]
    assert [event.kind for event in told if isinstance(event, KindTold)] == ["0;276;0"]
    assert [(event.x, event.y) for event in told if isinstance(event, CursorPosition)] == [(0, 19)]
    assert [event.key for event in told if hasattr(event, "key")] == ["a", "b"]


@pytest.mark.parametrize("name", ["mine.toml", "mine"])
async def test_a_file_of_the_owners_is_a_theme(tmp_path: Path, name: str) -> None:
    mine = paths.config_file().parent / "mine.toml"
    mine.parent.mkdir(parents=True, exist_ok=True)
    mine.write_text('dark = false\naccent = "#aa0055"\nbackground = "#fffff8"\n')
    async with console(tmp_path, console=ConsoleSettings(theme=name)) as stand:
        assert stand.app.theme == "elicit-own"
        assert "there is no theme" not in stand.notices()
        titles = [command.title for command in stand.app.get_system_commands(stand.app.screen)]
        assert f"Theme: {name}" in titles
        accent = Color.parse(stand.app.theme_variables["accent"])
        assert max(abs(a - b) for a, b in zip(accent.rgb, (0xAA, 0, 0x55), strict=True)) < 4
        mine.write_text('accent = "no colour"\n')
        use_theme(stand.app, name)
        assert stand.app.theme == "elicit-dark"


async def test_a_theme_that_nobody_knows_is_told_at_the_start_with_those_that_are_known(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, console=ConsoleSettings(theme="nosuch")) as stand:
        assert stand.app.theme == "elicit-dark"
        assert "there is no theme “nosuch”: known are auto, dark, light, " in stand.notices()


async def test_every_theme_of_the_library_can_be_read(tmp_path: Path) -> None:
    async with console(tmp_path, failures={"beta": "It was not found."}) as stand:
        for name in THEME_NAMES:
            use_theme(stand.app, name)
            await redrawn(stand)
            assert not faint_words(stand.app, 4.0), name


async def redrawn(stand: Stand) -> None:
    for _ in range(2):
        await stand.pilot.pause()


# What a row would open


async def test_a_wide_screen_shows_the_row_that_is_pointed_at(tmp_path: Path) -> None:
    async with console(tmp_path, size=(140, 40)) as stand:
        await stand.press("2")
        oslo = stand.ask("alpha", "How far is Oslo?")
        await stand.shown(oslo)
        stand.ask("alpha", "How far is Bergen?")
        await stand.press("ctrl+l")
        await stand.lists_what_waits()
        await stand.until(lambda: "City *" in stand.text())
        assert stand.text().count("How far is Oslo?") == 2
        await stand.press("down")
        await stand.until(lambda: stand.text().count("How far is Bergen?") == 2)
        stand.ask("alpha", "Enter your password", PASSWORD)
        await stand.until(lambda: stand.app.screen.query_one("#stopped").can_focus)
        await stand.press("tab")
        await stand.until(lambda: "asked this; it was" in stand.text())


async def test_a_question_is_told_beside_the_list_as_a_tool_is_with_its_choices_in_a_column(
    tmp_path: Path,
) -> None:
    properties = {
        "seat": {"type": "string", "title": "Where do you want to sit", "enum": ["bar", "window"]},
        "guests": {"type": "integer", "minimum": 1, "default": 2},
    }
    async with console(tmp_path, servers=["alpha"], size=(140, 40)) as stand:
        await stand.press("2")
        schema = {"type": "object", "properties": properties, "required": ["seat"]}
        await stand.shown(stand.ask(schema=schema))
        await stand.press("ctrl+l")
        await stand.lists_what_waits()
        await stand.until(lambda: "one of bar, window" in stand.text())
        rows = {"Where do you": "one of", "guests": "integer · at least 1 · default 2"}
        lines = stand.text().splitlines()
        found = [(line, said) for line in lines for name, said in rows.items() if name in line]
        columns = [line.index(said) for line, said in found]
        assert len(columns) == 2
        assert columns[0] == columns[1]


PASSWORD = {"type": "object", "properties": {"password": {"type": "string"}}}


PATH = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}


def reads() -> dict[str, list[Tool]]:
    tool = Tool.read({"name": "read", "inputSchema": PATH})
    assert tool is not None
    return {"alpha": [tool]}


async def test_what_is_typed_while_a_call_opens_stands_whole_in_its_line(tmp_path: Path) -> None:
    async with console(tmp_path, tools=reads()) as stand:
        await stand.press("enter")
        await stand.until(lambda: "Enter Call" in stand.text())
        # All at once, as it comes from a terminal while the console is at work.
        for key in ("enter", "slash", *"tmp", "ctrl+s"):
            await stand.app.on_event(
                Key(key, {"slash": "/"}.get(key, key if len(key) == 1 else None))
            )
        await stand.until(lambda: len(stand.app.state.calls))
        (record,) = stand.app.state.calls
        assert record.call.arguments == {"path": "/tmp"}


async def test_what_was_typed_for_a_call_that_was_left_is_there_again(tmp_path: Path) -> None:
    async with console(tmp_path, tools=reads()) as stand:
        await stand.press("enter", "enter")
        await stand.until(lambda: "^S Call" in stand.text())
        await stand.press(*"half", "escape")
        await stand.until(lambda: "^S Call" not in stand.text())
        await stand.press("enter")
        await stand.until(lambda: "^S Call" in stand.text())
        assert "half" in stand.text()
        assert "from before" in stand.text()
        # Left once more without a key: it is still there, and one goes on where one was.
        await stand.press("escape")
        await stand.until(lambda: "^S Call" not in stand.text())
        await stand.press("enter")
        await stand.until(lambda: "^S Call" in stand.text())
        await stand.press(*"way", "ctrl+s")
        await stand.until(lambda: len(stand.app.state.calls))
        assert not stand.app.state.half_typed
        (record,) = stand.app.state.calls
        assert "halfway" in record.call.arguments.values()
