"""The console's one main screen: the top bar, a pane, the bar of keys."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.reactive import Reactive
from textual.screen import Screen
from textual.widget import Widget

from elicit_tui.text import quoted
from elicit_tui.tui.console.bars import ClickBar, KeyBar, Part
from elicit_tui.tui.console.calls import SIGNS
from elicit_tui.tui.console.outcome_words import plural, time_of_the_first
from elicit_tui.tui.console.panels.pane import Pane
from elicit_tui.tui.console.panels.servers import ServersPane
from elicit_tui.tui.console.spans import line

if TYPE_CHECKING:
    from elicit_tui.tui.console.controller import Controller
    from elicit_tui.tui.console.state import ConsoleState

TIME_FITS: Final = 60
"""Columns from which the bar that tells of questions has room for what is left to them."""
PANES: Final = {
    "servers": "Servers",
    "questions": "Questions",
    "calls": "Calls",
    "activity": "Activity",
    "history": "History",
}
HELD: Final = {
    "servers": "resource templates",
    "calls": "results made",
    "activity": "log events",
    "history": "records recorded ledger log questions asked answered calls made",
}
"""What else one may call what a pane holds."""
INBOX_PANES: Final = ("questions", "activity")
"""Of a console with nothing but the questions of other processes."""

ROOMY: Final = 84


def _pane_keys(panes: Sequence[str]) -> list[BindingType]:
    """A digit for each pane, in their order."""
    return [
        Binding(str(number), f"pane('{name}')", PANES[name], show=False, id=f"pane.{name}")
        for number, name in enumerate(panes, 1)
    ]


STARTS: Final = Binding("r", "start_lost", "Start server", show=False, id="servers.restart")
"""What a notice says of a server that ended; a pane's own key goes before it."""
LEAVES: Final = Binding("q", "app.ask_to_leave", "Leave", show=False)
"""As in other programs; but a letter alone ends nothing: it always asks."""
HABITS: Final[Sequence[BindingType]] = (
    LEAVES,
    STARTS,
    Binding("colon", "app.command_palette", "Commands", show=False),
    Binding(
        "left_square_bracket",
        "turn(-1)",
        "Pane before",
        show=False,
        key_display="[",
        id="console.previous_pane",
    ),
    Binding(
        "right_square_bracket",
        "turn(1)",
        "Next pane",
        show=False,
        key_display="]",
        id="console.next_pane",
    ),
)
"""What other programs have taught a person to press."""


class ConsoleScreen(Screen[None]):
    """Holds the panes; each is made when it is first looked at."""

    app: Controller

    VERTICAL_BREAKPOINTS = [  # noqa: RUF012 - Textual declares it so
        (0, "-low"),
        (20, "-short"),
        (28, "-tall"),
    ]

    BINDINGS: ClassVar[list[BindingType]] = [*_pane_keys(tuple(PANES)), *HABITS]
    pane_names: ClassVar[tuple[str, ...]] = tuple(PANES)
    """The panes that there are; the first one is shown."""

    focused: Reactive[Widget | None] = Reactive(None, repaint=False)
    """What has the focus; as in a question, only what loses it and what gets it are painted."""

    def __init__(self, state: ConsoleState) -> None:
        super().__init__(id="console")
        self.state = state
        first = self.pane_names[0]
        self.pane: Pane = _pane(first, state)
        self._panes: dict[str, Pane] = {first: self.pane}
        self._making = asyncio.Lock()
        self._seen = -1
        self._second = 0.0

    def compose(self) -> ComposeResult:
        """The bars and the first pane."""
        yield ClickBar(id="top")
        yield ClickBar(id="banner")
        with Container(id="panes"):
            yield self.pane
        yield KeyBar(fills_with=Pane)

    def on_mount(self) -> None:
        """Draw what is known already."""
        self.draw()

    def on_resize(self) -> None:
        """The top bar spells out what there is room for."""
        self.draw()

    def on_screen_suspend(self) -> None:
        """What is told stands on the screen above now; it comes back here with the keys."""
        self.query("ToastRack").set(display=False)

    def on_screen_resume(self) -> None:
        """The next key is meant for what the screen above has changed."""
        if self.is_mounted and self.state.version != self._seen:
            self._draw_all()

    async def action_pane(self, name: str) -> None:
        """Show another pane, as its key says; what was told in passing is of the one before."""
        if self.pane is not self._panes.get(name):
            self.app.hush()
        await self.show_pane(name)
        self.pane.came_from = None
        self.pane.chosen()

    async def action_turn(self, by: int) -> None:
        """Show the next pane, or the one before; from the last one the first."""
        shown = next(name for name in self.pane_names if self._panes.get(name) is self.pane)
        at = self.pane_names.index(shown) + by
        await self.action_pane(self.pane_names[at % len(self.pane_names)])

    async def show_pane(self, name: str) -> None:
        """Show another pane."""
        if name not in self.pane_names:
            return
        async with self._making:
            if name not in self._panes:
                fresh = _pane(name, self.state)
                await self.query_one("#panes", Container).mount(fresh)
                self._panes[name] = fresh
        before, self.pane = self.pane, self._panes[name]
        if before is not self.pane:
            self.pane.came_from = before
        # One comes as the other goes, and the bars tell it: all of that is drawn in one frame.
        for pane in self._panes.values():
            pane.display = pane is self.pane
        self.pane.opened()
        self.draw()
        self.pane.draw()
        # Before the others are told that they went: else the focus would go to what stands beside.
        self.pane.take_focus()
        self.query_one(KeyBar).follow()

    @property
    def _lost(self) -> str:
        """The last server of which it was told that it ended, and that has; else empty."""
        told = reversed(self.state.told_lost)
        return next((server for server in told if self.state.has_ended(server)), "")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A server is started that has ended."""
        if action == "start_lost":
            return bool(self._lost) and self.pane.id != "servers-pane"
        return super().check_action(action, parameters)

    def action_start_lost(self) -> None:
        """Start the server again of which it was told last that it ended."""
        lost = self._lost
        self.app.notify(f"Starting {quoted(lost, 40)} again …", markup=False)
        self.app.restart(lost)

    def has_pane(self, name: str) -> bool:
        """Whether there is a pane of this name."""
        return name in self.pane_names

    def tick(self) -> None:
        """Draw what changed, and each second the ages and the times that are left."""
        state, now = self.state, time.monotonic()
        second_passed = now - self._second >= 1.0
        if second_passed:
            self._second = now
            self.pane.each_second()
        has_ages = len(state.questions) or state.calls.running
        if state.version != self._seen or (second_passed and has_ages):
            self._draw_all()

    def _draw_all(self) -> None:
        self._seen = self.state.version
        self.pane.draw()
        self.draw()

    def draw(self) -> None:
        """The bars."""
        if not self.query("#top"):
            return
        right = self._right()
        room = self.size.width - sum(part.width for part in right)
        self.query_one("#top", ClickBar).show(self._tabs(room), right)
        banner = self.query_one("#banner", ClickBar)
        part = self._banner()
        banner.set_class(part is not None, "-shown")
        banner.show([part] if part else [])

    def _tabs(self, room: int) -> list[Part]:
        """The panes; where it is narrow as much of their names as fits, but all of the shown one's.

        The program's own name goes before any letter of theirs. Fewer letters than four are no
        name: then their keys stand alone.
        """
        own = (
            []
            if self.size.width < ROOMY
            else [Part(line((" elicit-tui ", "strong"), ("│ ", "dim")))]
        )
        longest = max(map(len, PANES.values()))
        for letters in range(longest, 3, -1):
            tabs = self._named_tabs(letters)
            for arranged in ([*own, *tabs], tabs):
                if sum(part.width for part in arranged) < room:
                    return arranged
        return self._named_tabs(0)

    def _named_tabs(self, letters: int) -> list[Part]:
        waiting, running = len(self.state.questions), len(self.state.calls.running)
        counts = {
            # No brackets: elsewhere they hold the key of a pane.
            "questions": f" ◆{waiting}" if waiting else "",
            "calls": f" {SIGNS['running']}{running}" if running else "",
        }
        narrow = self.size.width < ROOMY
        losses = {
            "servers": self._failed if narrow else 0,
            "questions": self.state.stopped_unseen,
        }
        parts = []
        for number, name in enumerate(self.pane_names, 1):
            title = PANES[name]
            here = self._panes.get(name) is self.pane
            lost = losses.get(name, 0)
            if not here:
                title = title[:letters]
            before, behind = "[]" if here else "  "
            spans = line(
                (before, "accent"),
                (f"{number} " if title else str(number), "dim"),
                (title, "accent" if here else "plain"),
                (counts.get(name, ""), "accent" if name == "calls" else "warn"),
                (f" ✗{lost}" if lost else "", "bad"),
                (behind, "accent"),
            )
            parts.append(Part(spans, f"screen.pane('{name}')"))
        return parts

    @property
    def _failed(self) -> int:
        """How many servers did not start, or have ended."""
        return sum(record.state == "failed" for record in self.state.servers.values())

    def _right(self) -> list[Part]:
        records = self.state.servers.values()
        ready = sum(record.state == "ready" for record in records)
        running = [record for record in records if record.state not in ("off", "refused")]
        if not running or self.size.width < ROOMY:
            return []
        failed = self._failed
        words = f"{ready} of {len(running)} ready"
        spans = line((f"✗ {failed} failed  " if failed else "", "bad"), (f"{words} ", "dim"))
        return [Part(spans, "screen.pane('servers')")]

    def _banner(self) -> Part | None:
        key = self.app.key_of
        muted = self.app.muted
        looping = [record for record in self.state.looping if record.name not in muted]
        if looping:
            worst = looping[0]
            sentence = (
                f"{plural(worst.flooded, 'question')} cancelled"
                if worst.flooded
                else f"{plural(worst.questions, 'question')} so far"
            )
            return Part(
                line(
                    ("▲ ", "warn"),
                    (worst.name, "strong"),
                    f" asks in a loop: {sentence} · ",
                    (key("console.mute_loop"), "accent"),
                    " mutes it",
                ),
                "app.mute_loop",
            )
        count = len(self.state.questions)
        listed = self._panes.get("questions") is self.pane
        if count and self.state.questions.open is None and not listed:
            waits = f"{plural(count, 'question')} {'waits' if count == 1 else 'wait'} for you"
            # What gives way first is the time: without the key nobody could open it.
            wide = self.size.width >= TIME_FITS
            return Part(
                line(
                    ("◆ ", "warn"),
                    f"{waits}{time_of_the_first(self.state.questions) * wide} · ",
                    (key("console.next_question"), "accent"),
                    " opens",
                ),
                "app.next_question",
            )
        return None


class InboxScreen(ConsoleScreen):
    """The main screen of a console with nothing but the questions of other processes."""

    BINDINGS: ClassVar[list[BindingType]] = [*_pane_keys(INBOX_PANES), *HABITS]
    pane_names: ClassVar[tuple[str, ...]] = INBOX_PANES


def _pane(name: str, state: ConsoleState) -> Pane:
    """Make a pane; what it needs is imported only then."""
    if name == "servers":
        return ServersPane(state)
    if name == "questions":
        from elicit_tui.tui.console.panels.questions import QuestionsPane

        return QuestionsPane(state)
    if name == "calls":
        from elicit_tui.tui.console.panels.calls import CallsPane

        return CallsPane(state)
    if name == "activity":
        from elicit_tui.tui.console.panels.activity import ActivityPane

        return ActivityPane(state)
    from elicit_tui.tui.console.panels.history import HistoryPane

    return HistoryPane(state)
