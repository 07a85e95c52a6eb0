"""Every action by its name: the library's palette, with its keys named and themes tried."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from textual import on
from textual.app import ComposeResult
from textual.command import Command, CommandPalette, DiscoveryHit, Hit, Hits
from textual.content import Content
from textual.system_commands import SystemCommandsProvider
from textual.widgets import Input, OptionList
from textual.worker import Worker, WorkerError

from elicit_tui.tui.console.action_keys import WearTheme
from elicit_tui.tui.console.bars import ClickBar, Part
from elicit_tui.tui.console.palette_entries import Entry, found, in_order
from elicit_tui.tui.textual_terminal import run_pointed, running_search
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
    """Finds commands by their names, then by the line below them, then by a name in short."""

    @property
    def _entries(self) -> list[Entry]:
        commands = self.app.get_system_commands(self.screen)
        return [command for command in commands if isinstance(command, Entry)]

    async def discover(self) -> Hits:
        """All of them, what is at hand first."""
        for title, help_text, action, _ in in_order(self._entries):
            yield DiscoveryHit(title, action, help=help_text)

    async def search(self, query: str) -> Hits:
        """Those that are found, the nearest first."""
        words = query.casefold().split()
        for number, each in enumerate(found(self._entries, query)):
            shown = self._marked(Content.from_markup(each.title), words)
            yield Hit(1 / (1 + number), shown, each.callback, help=each.help)

    def _marked(self, title: Content, words: list[str]) -> Content:
        for word in words:
            for place in re.finditer(re.escape(word), title.plain, re.IGNORECASE):
                title = title.stylize(self.match_style or "reverse", *place.span())
        return title


class Palette(CommandPalette):
    """What is searched for and run; a theme that is pointed at is worn until one goes on."""

    app: Controller

    def __init__(self) -> None:
        super().__init__([Finder], id="--command-palette")
        self._worn_before = ""
        self._opens = True
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

    def on_descendant_focus(self) -> None:
        """What was typed while it opened stands in its line, so that Enter runs what that finds."""
        if self._opens:
            self._opens = False
            self.app.keys_go_on()

    @on(Input.Submitted)
    def _run_once_found(self, event: Input.Submitted) -> None:
        """Enter runs what all that was typed finds, and nothing that its beginning found."""
        search = running_search(self)
        if search is not None:
            event.stop()
            event.prevent_default()
            self.run_worker(self._run_first_of(search), exclusive=True, group="run")

    async def _run_first_of(self, search: Worker[None]) -> None:
        try:
            await search.wait()
        except WorkerError:
            return  # More was typed meanwhile.
        if self.query_one(OptionList).highlighted is not None:
            run_pointed(self)

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
