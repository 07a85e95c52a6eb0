"""The questions that wait, and those that were stopped before a person saw them."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from elicit_tui.text import countdown, neutral_line
from elicit_tui.tui.console.found import SEVERITIES
from elicit_tui.tui.console.panels.pane import Pane
from elicit_tui.tui.console.rows import RowList
from elicit_tui.tui.console.session import Session, Stopped
from elicit_tui.tui.console.spans import Line, Role, shortened
from elicit_tui.tui.console.waiting import Waiting
from elicit_tui.tui.console.words import WHO, age

NARROW = 60


def _risk(verdict: str) -> tuple[str, Role]:
    """The verdict with its sign; nothing where there is nothing to look at twice."""
    if verdict == "allow":
        return "", "dim"
    sign, role = SEVERITIES[verdict]
    return f"{sign} {verdict}", role


class QuestionsPane(Pane):
    """Two lists; Enter opens what the cursor is on."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("D", "decline_all", "Decline all", key_display="D", id="questions.decline_all"),
        Binding("m", "mute", "Mute", id="questions.mute"),
    ]

    DEFAULT_CSS = """
    QuestionsPane { layout: vertical; }
    QuestionsPane #waiting { height: 1fr; }
    QuestionsPane #stopped { height: 40%; min-height: 5; }
    """

    def __init__(self, session: Session) -> None:
        super().__init__(session, id="questions-pane")
        self._stopped: dict[str, Stopped] = {}

    def compose(self) -> ComposeResult:
        """Waiting above, stopped below."""
        waiting = RowList(
            row_height=2,
            empty="Nothing waits. When a server asks something it opens here by itself, "
            "or joins this list while you are typing elsewhere.",
            id="waiting",
        )
        waiting.add_class("box", "first")
        waiting.border_title = "Waiting for you"
        yield waiting
        stopped = RowList(
            empty="Nothing was stopped. What the guardian or your policy refuses is kept here "
            "to be looked at.",
            verb="Look",
            id="stopped",
        )
        stopped.add_class("box")
        stopped.border_title = "Stopped before you saw it"
        yield stopped

    @property
    def _stacked(self) -> bool:
        return self.size.width < NARROW

    def on_resize(self) -> None:
        """Where it is narrow a stopped question has two lines."""
        self.draw()

    def draw(self) -> None:
        """Both lists."""
        if not self.ready:
            return
        waiting = tuple(entry.question.id for entry in self.session.questions)
        self.query_one("#waiting", RowList).show(waiting, self._waiting_row)
        self._stopped = {entry.key: entry for entry in reversed(self.session.stopped)}
        stopped = self.query_one("#stopped", RowList)
        stopped.row_height = 2 if self._stacked else 1
        stopped.show(tuple(self._stopped), self._stopped_row)

    def _waiting_row(self, key: str, width: int) -> list[Line]:
        entry = self.session.questions.get(key)
        if entry is None:
            return [()]
        request = entry.question.request
        sign, role = _risk(entry.question.review.verdict)
        left = countdown(entry.deadline.remaining)
        times = f"{age(entry.age)} old" + (f" · {left} left" if left else "")
        tool = f" · {neutral_line(request.call.name, 60)}" if request.call else ""
        name = shortened(f"{request.server.name}{tool}", max(8, width - len(times) - len(sign) - 6))
        gap = max(1, width - len(name) - len(times) - len(sign) - 5)
        first: Line = (
            (" ", "plain"),
            (name, "strong"),
            (f"  {sign}" if sign else "  ", role),
            (" " * gap, "plain"),
            (f"{times} ", "dim"),
        )
        message = neutral_line(request.message or request.url or "(no message)", 300)
        put_off: Role = "dim" if entry.put_off else "plain"
        later = "later · " if entry.put_off else ""
        return [first, ((f"   {shortened(later + message, width - 4)}", put_off),)]

    def _stopped_row(self, key: str, width: int) -> list[Line]:
        entry = self._stopped[key]
        who = WHO[entry.outcome.decided_by]
        name = entry.request.server.name
        message = neutral_line(entry.request.message or entry.request.url or "(no message)", 300)
        if self._stacked:
            gap = max(1, width - len(name) - len(who) - 4)
            first: Line = (
                (" ✗ ", "bad"),
                (shortened(name, width - 6), "strong"),
                (f"{' ' * gap}{who}", "dim"),
            )
            return [first, ((f"   {shortened(message, width - 4)}", "plain"),)]
        room = width - len(who) - len(name) - 8
        return [
            (
                (" ✗ ", "bad"),
                (name, "strong"),
                (f"  {shortened(message, room).ljust(max(0, room))}", "plain"),
                (f"  {who}", "dim"),
            )
        ]

    @property
    def entry(self) -> Waiting | None:
        """The waiting question under the cursor."""
        return self.session.questions.get(self.query_one("#waiting", RowList).key)

    @property
    def server(self) -> str | None:
        """The server of the row under the cursor of the focused list."""
        stopped = self.query_one("#stopped", RowList)
        if stopped.has_focus and stopped.key in self._stopped:
            return self._stopped[stopped.key].request.server.name
        return self.entry.server if self.entry else None

    @on(RowList.Chosen, "#waiting")
    def _open_waiting(self, event: RowList.Chosen) -> None:
        entry = self.session.questions.get(event.key)
        if entry is not None:
            self.app.stage.open(entry)

    @on(RowList.Chosen, "#stopped")
    def _look(self, event: RowList.Chosen) -> None:
        from elicit_tui.tui.console.screens.stopped import StoppedScreen

        entry = self._stopped.get(event.key)
        if entry is not None:
            self.app.push_screen(StoppedScreen(entry))

    def opened(self) -> None:
        """What told of a stopped question has done its work."""
        self.app.clear_notifications()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what makes sense for the row under the cursor."""
        if not self.ready or action not in ("decline_all", "mute"):
            return True
        return (self.entry if action == "decline_all" else self.server) is not None

    @on(RowList.Highlighted)
    def _other_row(self) -> None:
        self.refresh_bindings()

    def action_decline_all(self) -> None:
        """Decline every waiting question of this row's server."""
        if self.server is not None:
            self.app.decline_all(self.server)

    def action_mute(self) -> None:
        """Mute this row's server for this run, or let it ask again."""
        if self.server is not None:
            self.app.toggle_mute(self.server)
