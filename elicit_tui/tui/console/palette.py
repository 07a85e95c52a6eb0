"""Every action by its name: the library's palette, with its keys named and themes tried."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from textual import on
from textual.app import ComposeResult
from textual.command import Command, CommandPalette, Hit, Hits
from textual.content import Content
from textual.system_commands import SystemCommandsProvider
from textual.widgets import OptionList

from elicit_tui.tui.console.action_keys import WearTheme
from elicit_tui.tui.console.bars import ClickBar, Part
from elicit_tui.tui.console.servers import distance
from elicit_tui.tui.theme import use_theme

if TYPE_CHECKING:
    from textual.await_complete import AwaitComplete
    from textual.timer import Timer

    from elicit_tui.tui.console.controller import Controller

KEYS: Final = (
    (" Enter", " Run ", "command_list('select')"),
    (" ↑↓", " Choose ", None),
    (" Esc", " Back ", "escape"),
)
"""What works in it: key, words, and what a click on them does."""
TRIED_SECONDS: Final = 0.12
"""Whoever goes through the list faster sees none of the themes in between."""


class Finder(SystemCommandsProvider):
    """Finds commands by words of their title, then by words of the line below it.

    Letters that are scattered over a title find nothing: Enter runs what was written.
    """

    async def search(self, query: str) -> Hits:
        """Those that have every word, the nearest first."""
        words = query.casefold().split()
        for title, help_text, action, _ in self.app.get_system_commands(self.screen):
            shown, below = Content.from_markup(title), Content.from_markup(help_text)
            text = f"{shown.plain}\n{below.plain}".casefold()
            if not all(word in text for word in words):
                continue
            in_title = all(word in shown.plain.casefold() for word in words)
            score = 1 / (1 + distance((shown.plain,), query) + (not in_title))
            yield Hit(score, self._marked(shown, words), action, help=help_text)

    def _marked(self, title: Content, words: list[str]) -> Content:
        for word in words:
            for found in re.finditer(re.escape(word), title.plain, re.IGNORECASE):
                title = title.stylize(self.match_style or "reverse", *found.span())
        return title


class Palette(CommandPalette):
    """What is searched for and run; a theme that is pointed at is worn until one goes on."""

    app: Controller

    def __init__(self) -> None:
        super().__init__([Finder], id="--command-palette")
        self._worn_before = ""
        self._trial: Timer | None = None

    def compose(self) -> ComposeResult:
        """The library's parts, and below them the keys."""
        yield from super().compose()
        yield ClickBar(id="palette-keys")

    def on_mount(self) -> None:
        """Name the keys; those of the screen below do nothing now."""
        self._worn_before = self.app.theme
        parts = [
            Part(((key, "accent"), (words, "plain")), action, self) for key, words, action in KEYS
        ]
        self.query_one("#palette-keys", ClickBar).show(parts)

    @on(OptionList.OptionHighlighted)
    def _try_soon(self, event: OptionList.OptionHighlighted) -> None:
        command = event.option.hit.command if isinstance(event.option, Command) else None
        if self._trial is not None:
            self._trial.stop()
        self._trial = self.set_timer(TRIED_SECONDS, lambda: self._try(command))

    def _try(self, command: object) -> None:
        if isinstance(command, WearTheme):
            use_theme(self.app, command.theme)
        else:
            self._put_back()

    def _put_back(self) -> None:
        if self.app.theme != self._worn_before:
            self.app.theme = self._worn_before

    def dismiss(self, result: None = None) -> AwaitComplete:
        """Take off what was only tried; what is chosen is worn by its command, after this."""
        if self._trial is not None:
            self._trial.stop()
        self._put_back()
        return super().dismiss(result)
