"""Every word on every screen stands out from what is behind it, in each theme."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.color import Color as RichColor
from rich.style import Style
from textual.color import Color

from elicit_tui.elicitation import Call
from elicit_tui.elicitation.settings import ConsoleSettings
from elicit_tui.tui.console.application import ConsoleApp
from elicit_tui.tui.console.screens.confirmations import Leaves, LeaveScreen
from elicit_tui.tui.console.screens.result_reader import ResultScreen
from elicit_tui.tui.theme import THEMES
from tests.tui.console.stand import Stand, console

pytestmark = pytest.mark.anyio

LEAST = {"dark": 4.5, "light": 4.5, "high-contrast": 7.0}


def contrast(first: Color, second: Color) -> float:
    """The ratio of WCAG 2.1, 1 to 21."""
    lighter, darker = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(color: Color) -> float:
    def part(value: int) -> float:
        share = value / 255
        return share / 12.92 if share <= 0.03928 else ((share + 0.055) / 1.055) ** 2.4

    return 0.2126 * part(color.r) + 0.7152 * part(color.g) + 0.0722 * part(color.b)


def _ratio(style: Style) -> float | None:
    if style.color is None or style.bgcolor is None:
        return None
    pair: list[RichColor] = [style.color, style.bgcolor]
    return contrast(*(Color.from_rich_color(color) for color in pair))


def faint_words(app: ConsoleApp, least: float) -> set[str]:
    """The words on the top screen that stand out less than this."""
    found = set()
    for strip in app.screen._compositor.render_strips(app.size):
        for segment in strip:
            if segment.style is None or not any(letter.isalnum() for letter in segment.text):
                continue
            ratio = _ratio(segment.style)
            if ratio is not None and ratio < least:
                found.add(f"{segment.text.strip()}: {ratio:.1f}")
    return found


async def settled(stand: Stand) -> None:
    for _ in range(3):
        await stand.pilot.pause()


@pytest.mark.parametrize("theme", sorted(THEMES))
async def test_every_word_of_the_panes_can_be_read(tmp_path: Path, theme: str) -> None:
    failures = {"beta": "It was not found in PATH."}
    settings = ConsoleSettings(theme=theme)
    async with console(tmp_path, failures=failures, console=settings) as stand:
        request = stand.ask("alpha", "Shall we?")
        await stand.shown(request)
        await stand.press("ctrl+n")
        await stand.until(lambda: stand.outcomes)
        await settled(stand)
        for key in ("down", "2", "3", "4", "5", "enter", "escape", "f1", "escape", "f3"):
            await stand.press(key)
            await settled(stand)
            assert not faint_words(stand.app, LEAST[theme]), key


@pytest.mark.parametrize("theme", sorted(THEMES))
async def test_every_word_of_the_banner_and_of_a_table_can_be_read(
    tmp_path: Path, theme: str
) -> None:
    settings = ConsoleSettings(theme=theme)
    async with console(tmp_path, servers=["alpha"], console=settings) as stand:
        record = stand.app.state.calls.start("alpha", Call("tools/call", "look", {}))
        rows = [{"host": name, "up": True} for name in ("one", "two")]
        record.end("answered", result={"content": [], "structuredContent": {"rows": rows}})
        await stand.press("4", "slash")
        stand.ask("alpha", "Shall we?")
        await stand.until(lambda: "^O opens" in stand.text())
        await settled(stand)
        assert not faint_words(stand.app, LEAST[theme])
        stand.app.push_screen(ResultScreen(record))
        await stand.until(lambda: "Table · alpha" in stand.text())
        await settled(stand)
        assert not faint_words(stand.app, LEAST[theme])


@pytest.mark.parametrize("theme", sorted(THEMES))
async def test_every_word_of_a_question_can_be_read(tmp_path: Path, theme: str) -> None:
    async with console(tmp_path, console=ConsoleSettings(theme=theme)) as stand:
        request = stand.ask("alpha", "Delete the production database?")
        await stand.shown(request)
        for keys in (("ctrl+s",), ("L",), *[("tab",)] * 7, ("f1",)):
            await stand.press(*keys)
            await settled(stand)
            assert not faint_words(stand.app, LEAST[theme]), keys
        await stand.press("escape")
        await settled(stand)
        await stand.press("ctrl+l")
        await settled(stand)
        assert not faint_words(stand.app, LEAST[theme])


@pytest.mark.parametrize("theme", sorted(THEMES))
async def test_without_colours_an_error_is_no_fainter_than_the_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, theme: str
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with console(tmp_path, console=ConsoleSettings(theme=theme)) as stand:
        request = stand.ask("alpha", "Where to?")
        await stand.shown(request)
        await stand.press("ctrl+s")
        await stand.until(lambda: "✗ needs an answer" in stand.text())
        ratios = {
            word: _ratio(segment.style)
            for strip in stand.app.screen._compositor.render_strips(stand.app.size)
            for segment in strip
            for word in ("Where to?", "✗ needs an answer", "City *")
            if word in segment.text and segment.style is not None
        }
        assert len(ratios) == 3
        assert len(set(ratios.values())) == 1, ratios


def _segments(stand: Stand, words: str) -> list[Style]:
    return [
        segment.style
        for strip in stand.app.screen._compositor.render_strips(stand.app.size)
        for segment in strip
        if words in segment.text and segment.style is not None
    ]


@pytest.mark.parametrize("theme", sorted(THEMES))
async def test_the_safe_button_is_seen_at_a_glance(tmp_path: Path, theme: str) -> None:
    """A block that stands out from what is behind it (WCAG 2.1, 1.4.11)."""
    async with console(tmp_path, console=ConsoleSettings(theme=theme)) as stand:
        stand.app.push_screen(LeaveScreen(Leaves(0, 0, running=1, lost=0, drafts_kept=True)))
        await stand.until(lambda: "Stay" in stand.text())
        await stand.press("tab")
        await settled(stand)
        button = stand.app.screen.query_one("#stay")
        assert not button.has_focus
        behind, ground = button.background_colors
        assert contrast(behind, ground) >= 3


async def test_without_colours_the_key_of_each_button_is_strong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with console(tmp_path) as stand:
        await stand.shown(stand.ask("alpha", "Where to?"))
        assert [style.bold for style in _segments(stand, "Esc")] == [True]
        assert not any(style.bold for style in _segments(stand, " Cancel"))


def test_in_high_contrast_a_warning_is_told_from_what_has_the_keys() -> None:
    theme = THEMES["high-contrast"]
    assert theme.warning is not None
    assert theme.accent is not None
    assert contrast(Color.parse(theme.warning), Color.parse(theme.accent)) > 1.5
