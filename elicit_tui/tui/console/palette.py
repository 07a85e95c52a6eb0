"""Every action by its name: the library's palette, with its keys named and themes tried."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Final

from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.command import Command, CommandInput, CommandPalette, Hit, Hits
from textual.containers import Vertical
from textual.content import Content
from textual.system_commands import SystemCommandsProvider
from textual.widgets import Input, OptionList, Static
from textual.worker import Worker, WorkerError

from elicit_tui.tui.console.action_keys import WearTheme
from elicit_tui.tui.console.bars import ClickBar, Part
from elicit_tui.tui.console.palette_entries import PLAIN, Entry, found, in_order
from elicit_tui.tui.console.spans import shortened_within
from elicit_tui.tui.console.wanted_words import wanted_words
from elicit_tui.tui.textual_terminal import run_pointed, running_search
from elicit_tui.tui.theme import use_theme

if TYPE_CHECKING:
    from textual.await_complete import AwaitComplete
    from textual.timer import Timer

    from elicit_tui.tui.console.controller import Controller

ENTER: Final = (" Enter", "command_list('select')")
KEYS: Final = (
    (" ↑↓", " Choose ", None),
    (" Esc", " Back ", "escape"),
)
"""What works in it beside Enter: key, words, and what a click on them does."""
FRAMES: Final = 3
"""Rows around the line that is typed in: its frame, and the air above it."""
FOOT: Final = 4
"""Rows that are kept below the list for what is said of an entry, and for the keys."""
LEAST_BESIDE: Final = 12
"""Cells; of what is longer no less than this is shown."""
LONGEST_KEY: Final = 6
"""Cells of what is shown whole beside a name, which is cut for it."""
TRIED_SECONDS: Final = 0.12
"""Whoever goes through the list faster sees none of the themes in between."""


WIDEST: Final = 100
"""Cells that the palette takes at most, as its style has it."""
AROUND: Final = 6
"""Cells beside its rows: the frame, the air within it and a scrollbar."""


class Found(Hit):
    """What was found, in one row; while it is pointed at more of it is shown below the list."""

    said = ""
    """What is said of it."""
    verb = ""
    """What Enter does."""


def in_one_row(title: Content, beside: str, width: int) -> Content:
    """A title, and at the end of its row what stands beside it; of both the title is cut last.

    For a key it is cut first: nothing else is as short.
    """
    room = min(WIDEST, width) - AROUND
    keeps = cell_len(beside) + 2 if 0 < cell_len(beside) <= LONGEST_KEY else 0
    title = title.truncate(room - keeps, ellipsis=True)
    left = room - title.cell_length - 2
    if not beside or left < cell_len(beside[:LEAST_BESIDE]):
        return title
    shown = shortened_within(beside, left)
    gap = " " * (room - title.cell_length - cell_len(shown))
    return Content.assemble(title, gap, shown)


class Finder(SystemCommandsProvider):
    """Finds commands by their names, then by the line below them, then by a name in short."""

    @property
    def _entries(self) -> list[Entry]:
        commands = self.app.get_system_commands(self.screen)
        return [command for command in commands if isinstance(command, Entry)]

    async def discover(self) -> Hits:
        """All of them, what is at hand first."""
        for number, each in enumerate(in_order(self._entries)):
            yield self._hit(each, number, ())

    async def search(self, query: str) -> Hits:
        """Those that are found, the nearest first."""
        words = wanted_words(query)
        for number, each in enumerate(found(self._entries, query)):
            yield self._hit(each, number, words)

    def _hit(self, each: Entry, number: int, words: Sequence[str]) -> Found:
        shown = self._marked(Content.from_markup(each.title), words)
        row = in_one_row(shown, each.traits.beside, self.app.size.width)
        found = Found(1 / (1 + number), row, each.callback, text=each.words)
        found.said = Content.from_markup(each.help).plain
        found.verb = each.traits.verb
        return found

    def _marked(self, title: Content, words: Sequence[str]) -> Content:
        for word in words:
            for place in re.finditer(re.escape(word), title.plain, re.IGNORECASE):
                title = title.stylize(self.match_style or "reverse", *place.span())
        return title


class Palette(CommandPalette):
    """What is searched for and run; a theme that is pointed at is worn until one goes on."""

    app: Controller

    BINDINGS: ClassVar[list[BindingType]] = [
        # As in fzf; before the line that is typed in, and before the key that opens a palette.
        Binding("ctrl+n,ctrl+j", "cursor_down", "Next command", show=False, priority=True),
        Binding(
            "ctrl+p,ctrl+k", "command_list('cursor_up')", "Previous", show=False, priority=True
        ),
    ]

    def __init__(self) -> None:
        super().__init__([Finder], id="--command-palette")
        self._worn_before = ""
        self._opens = True
        self._trial: Timer | None = None

    def compose(self) -> ComposeResult:
        """The library's parts, and below them what is said of the one pointed at, and the keys."""
        yield from super().compose()
        with Vertical(id="palette-foot"):
            yield Static(id="palette-said", markup=False)
            yield ClickBar(id="palette-keys")

    def on_mount(self) -> None:
        """Name the keys; those of the screen below do nothing now."""
        self._worn_before = self.app.theme
        self._name_keys(PLAIN.verb)

    def _name_keys(self, verb: str) -> None:
        key, action = ENTER
        parts = [
            Part(((key, "accent"), (words, "plain")), action, self)
            for key, words, action in (*([(key, f" {verb} ", action)] if verb else []), *KEYS)
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

    def on_resize(self) -> None:
        """The list ends above what is said of the one it points at."""
        around = self.query_one(CommandInput).size.height + FRAMES
        self.query_one(OptionList).styles.max_height = max(4, self.size.height - around - FOOT)

    @on(OptionList.OptionHighlighted)
    def _point(self, event: OptionList.OptionHighlighted) -> None:
        found = event.option.hit if isinstance(event.option, Command) else None
        said, verb = (found.said, found.verb) if isinstance(found, Found) else ("", PLAIN.verb)
        self._say(said)
        self._name_keys(verb)

    def _say(self, words: str) -> None:
        """Below the list; without words the screen over which it lies is whole there."""
        said = self.query_one("#palette-said", Static)
        said.update(words)
        said.visible = bool(words)

    @on(Input.Changed)
    def _say_nothing(self) -> None:
        """What it points at next may be nothing, which Enter does nothing with."""
        self._say("")
        self._name_keys("")

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
