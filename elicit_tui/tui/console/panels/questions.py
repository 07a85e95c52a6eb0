"""The questions that wait, and those that were stopped before a person saw them."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical

from elicit_tui.elicitation import ElicitationRequest, Pending, Question
from elicit_tui.text import countdown, neutral, neutral_line
from elicit_tui.tui.console.calls import CallRecord
from elicit_tui.tui.console.outcome_words import age, decided, said, tool_of
from elicit_tui.tui.console.panels.pane import CORNERS, Pane
from elicit_tui.tui.console.screens.records import (
    SEVERITIES,
    StoppedScreen,
    finding_groups,
    stopped_words,
)
from elicit_tui.tui.console.spans import (
    Line,
    Role,
    apart,
    joined,
    labelled,
    shortened,
    text_lines,
)
from elicit_tui.tui.console.state import ConsoleState, Stopped
from elicit_tui.tui.console.views import LineView, RowList
from elicit_tui.tui.textual_terminal import write_subtitle

_NAMED = 24
"""Cells of a server's name in the bar of keys."""


def _risk(verdict: str) -> tuple[str, Role]:
    """The verdict with its sign; nothing where there is nothing to look at twice."""
    if verdict == "allow":
        return "", "dim"
    sign, role = SEVERITIES[verdict]
    return f"{sign} {verdict}", role


class QuestionsPane(Pane):
    """Two lists; Enter opens what the cursor is on."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "last", "History", id="questions.last"),
        Binding("D", "decline_all", "Decline all", key_display="D", id="questions.decline_all"),
        Binding("m", "mute", "Mute server", id="questions.mute"),
    ]

    def __init__(self, state: ConsoleState) -> None:
        super().__init__(state, id="questions-pane")
        self._stopped: dict[str, Stopped] = {}
        self._leads: object = None
        """Where the key leads that shows the last question, as it was last said."""

    def compose(self) -> ComposeResult:
        """Waiting above, stopped below; beside them, where it is wide, the row pointed at."""
        with Vertical(id="question-lists"):
            yield from self._lists()
        preview = LineView(id="question-preview")
        preview.add_class("box")
        preview.can_focus = False
        yield preview

    def _lists(self) -> ComposeResult:
        waiting = RowList(row_height=2, id="waiting")
        waiting.add_class("box", "first")
        waiting.border_title = "Waiting for you"
        yield waiting
        stopped = RowList(
            verb="Look",
            follow=True,
            id="stopped",
        )
        stopped.add_class("box")
        stopped.border_title = "Stopped before you saw it"
        yield stopped

    def on_resize(self) -> None:
        """Where it is narrow a stopped question has two lines."""
        self.draw()

    def take_focus(self) -> None:
        """What waits, the one put off just now; what was stopped where nothing waits."""
        waiting, stopped = self.query_one("#waiting", RowList), self.query_one("#stopped", RowList)
        if self.state.put_off is not None:
            waiting.point_at(self.state.put_off)
            self.state.put_off = None
        self.screen.set_focus(stopped if stopped.keys and not waiting.keys else waiting)

    def chosen(self) -> None:
        """Show the stopped question of which a notice on the screen says that this key does."""
        stopped = self._stopped.get(self.state.take_shown_stopped())
        if stopped is not None:
            rows = self.query_one("#stopped", RowList)
            rows.point_at(stopped.key)
            rows.focus()
            self._show_stopped(stopped)

    def draw(self) -> None:
        """Both lists."""
        if not self.ready:
            return
        keys = tuple(entry.question.id for entry in self.state.questions)
        waiting = self.query_one("#waiting", RowList)
        waited = bool(waiting.keys)
        waiting.empty = self._nothing_waits()
        waiting.show(keys, self._waiting_row)
        below = next(iter(self.state.in_consoles), self.state.last_end)
        last = shortened(below, self.size.width - CORNERS) if keys else ""
        write_subtitle(waiting, last)
        self._stopped = {entry.key: entry for entry in reversed(self.state.stopped)}
        stopped = self.query_one("#stopped", RowList)
        stopped.row_height = 2 if self.stacked else 1
        stopped.empty = self._nothing_stopped
        stopped.show(tuple(self._stopped), self._stopped_row)
        stopped.set_class(not self._stopped, "-none")
        self.state.stopped_unseen = 0
        leads_on = self.app.has_pane("history") and bool(self.state.last_end)
        if self.screen.focused is waiting and not keys and (waited or not leads_on):
            self.take_focus()
        # Tab goes where there is something; where nothing is, the upper list names the keys.
        stopped.can_focus = bool(stopped.keys)
        waiting.can_focus = bool(keys) or leads_on or not stopped.keys
        if (leads := (self._has_last, self._asked_last)) != self._leads:
            self._leads = leads
            self.refresh_bindings()
        self._draw_preview()

    def _draw_preview(self) -> None:
        """What Enter would open, where there is room beside the lists."""
        preview = self.query_one("#question-preview", LineView)
        wide = self.screen.has_class("-wide") or self.app.has_class("-wide")
        preview.display = wide and bool(self.entry or self._stopped)
        if preview.display:
            shown = self._previewed_stopped
            request = shown.request if shown is not None else None
            if request is None and self.entry is not None:
                request = self.entry.question.request
            preview.border_title = self._whose(request).replace("[", "\\[") if request else ""
            preview.show(self._preview_words, keep_place=True)

    @property
    def _previewed_stopped(self) -> Stopped | None:
        """The stopped question beside the lists; None where it is one that waits."""
        stopped = self.query_one("#stopped", RowList)
        shown = self._stopped.get(stopped.key or "")
        return shown if stopped.has_focus or self.entry is None else None

    def _preview_words(self, width: int) -> list[Line]:
        shown = self._previewed_stopped
        if shown is not None:
            return stopped_words(shown, width, self.app.muted)
        return [] if self.entry is None else waiting_words(self.entry.question, width)

    def on_descendant_focus(self) -> None:
        """The other list points at something else, and the keys of the upper one may work now."""
        waiting = self.query_one("#waiting", RowList)
        waiting.empty = self._nothing_waits()
        waiting.refresh()
        self._draw_preview()

    def _nothing_waits(self) -> str:
        """How the last question ended, and what can be done next."""
        last, key = self.state.last_end, self.app.key_of
        nothing = "Nothing waits here." if self.state.in_consoles else "Nothing waits."
        sentence = f"{nothing} The last one was\n{last}" if last else nothing
        if (call := self._asked_last) is not None:
            stands = f"{neutral_line(call.call.name, 60)}, {call.standing}"
            first = "Tab, then " * self.query_one("#stopped", RowList).has_focus
            sentence += f"\n{first}{key('questions.last')} shows the call that asked it: {stands}."
        if not self.app.has_pane("servers"):
            elsewhere = "\n\n".join((sentence, *self.state.in_consoles))
            return (
                f"{elsewhere}\n\nWhat a server asks through an agent is listed here; "
                "“elicit-tui gateway install AGENT” connects an agent."
            )
        return (
            f"{sentence}\n\n"
            f"Call a tool under Servers ({key('pane.servers')}): what it asks opens by itself, "
            "or waits here while you type. "
            f"All that was asked stands under History ({key('pane.history')})."
        )

    @property
    def _nothing_stopped(self) -> str:
        """What would be kept here; where it is wide, too, where a gateway's refusals stand."""
        if self.stacked:
            return (
                "Nothing was stopped. What is refused for you, or asked by a muted server, is kept "
                "here."
            )
        has_history = self.app.has_pane("history")
        where = "stands under History" if has_history else "is in “elicit-tui history list”"
        return (
            "Nothing was stopped. What is refused for you in this run, or asked by a muted server, "
            f"is kept here; what a gateway refuses {where}."
        )

    def _waiting_row(self, key: str, width: int) -> list[Line]:
        entry = self.state.questions.get(key)
        if entry is None:
            return [()]
        put_off = entry.state == "put_off"
        held_by = self.app.held_elsewhere(entry.question)
        sign, role = _risk(entry.question.review.verdict)
        risk: Line = ((f"{sign}  ", role),) if sign else ()
        times: Line = ((f"{held_by or self._times(entry)} ", "dim"),)
        summary = f"   {shortened(self._summary(entry), width - 4)}"
        return [
            apart(
                ((" ", "plain"), (self._whose(entry.question.request), "strong")),
                (*risk, *times),
                width,
            ),
            ((summary, "dim" if put_off or held_by else "plain"),),
        ]

    def _whose(self, request: ElicitationRequest) -> str:
        """The server, and the tool that it asks for."""
        request = self.state.as_it_stands(request)
        return " · ".join(filter(None, (request.server.name, tool_of(request))))

    def _summary(self, entry: Pending) -> str:
        """What became of it, for whom it is asked, and what it says."""
        question = entry.question
        origin = self.app.origin_of(question)
        about = (
            self.app.agent_away(question),
            f"for {origin}" if origin else "",
            _asked(question.request),
        )
        return ("later · " if entry.state == "put_off" else "") + " · ".join(filter(None, about))

    def _times(self, entry: Pending) -> str:
        """How old it is and how long there is to answer; the more urgent one where it is narrow."""
        left, old = countdown(entry.deadline.left), f"{age(entry.age)} old"
        if not left:
            return old
        # The clock of one that cannot be answered yet stands still.
        left = f"{left} {'left' if entry.deadline.started else 'once opened'}"
        return left if self.stacked else f"{old} · {left}"

    def _stopped_row(self, key: str, width: int) -> list[Line]:
        entry = self._stopped[key]
        who = decided(entry.outcome)
        name = entry.request.server.name
        message = said(entry.request, 300)
        if self.stacked:
            first = apart(((" ✗ ", "bad"), (name, "strong")), ((f"{who} ", "dim"),), width)
            return [first, ((f"   {shortened(message, width - 4)}", "plain"),)]
        left: Line = ((" ✗ ", "bad"), (name, "strong"), (f"  {message}", "plain"))
        return [apart(left, ((f" {who} ", "dim"),), width)]

    @property
    def entry(self) -> Pending | None:
        """The waiting question under the cursor."""
        return self.state.questions.get(self.query_one("#waiting", RowList).key)

    @property
    def server(self) -> str | None:
        """The server of the row under the cursor of the focused list."""
        stopped = self.query_one("#stopped", RowList)
        if stopped.has_focus and stopped.key in self._stopped:
            return self._stopped[stopped.key].request.server.name
        if self.entry is not None:
            return self.entry.server
        # The key that muted a server lets it ask again, also where nothing of it is listed now.
        return min(self.app.muted, default=None)

    @on(RowList.Chosen, "#waiting")
    def _open_waiting(self, event: RowList.Chosen) -> None:
        entry = self.state.questions.get(event.key)
        if entry is not None:
            self.app.open_question(entry)

    @on(RowList.Chosen, "#stopped")
    def _look(self, event: RowList.Chosen) -> None:
        entry = self._stopped.get(event.key)
        if entry is not None:
            self._show_stopped(entry)

    def _show_stopped(self, entry: Stopped) -> None:
        self.app.push_screen(StoppedScreen(entry))

    def opened(self) -> None:
        """What told of a stopped question has done its work."""
        self.app.clear_notifications()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what makes sense for the row under the cursor."""
        if action == "last":
            return self.ready and self._has_last
        if not self.ready or action not in ("decline_all", "mute"):
            return True
        return (self.entry if action == "decline_all" else self.server) is not None

    def why_not(self, action: str) -> str:
        """What is done to a waiting question, or to its server, needs one."""
        return "No question waits here."

    def worded(self, action: str) -> str | None:
        """A muted server is let speak again; of whose questions all are declined."""
        # Where all that wait are of one server it stands in every row.
        waiting = {entry.server for entry in self.state.questions}
        if action == "decline_all" and self.server is not None and len(waiting) > 1:
            return f"Decline all of {shortened(neutral_line(self.server, 80), _NAMED)}"
        if action == "last" and self._asked_last is not None:
            return "Its call"
        return "Unmute server" if action == "mute" and self.server in self.app.muted else None

    @on(RowList.Highlighted)
    def _other_row(self) -> None:
        self.refresh_bindings()
        self._draw_preview()

    @property
    def _asked_last(self) -> CallRecord | None:
        """The call that asked the last question."""
        return self.state.calls.get(self.state.asked_last)

    @property
    def _has_last(self) -> bool:
        """Whether nothing waits, and something was asked that stands elsewhere now."""
        waiting = self.query_one("#waiting", RowList)
        leads = waiting.has_focus and self.app.has_pane("history")
        return leads and not waiting.keys and bool(self.state.last_end)

    async def action_last(self) -> None:
        """Show the call that asked last, or the history, where that question stands."""
        if self._asked_last is not None:
            self.app.point_at_call(self.state.asked_last)
        await self.app.show_pane("history" if self._asked_last is None else "calls")

    def action_decline_all(self) -> None:
        """Decline, once that is sure, every waiting question of this row's server."""
        if self.server is not None:
            self.app.decline_all(self.server)

    def action_mute(self) -> None:
        """Mute this row's server for this run, or let it ask again."""
        if self.server is not None:
            self.app.toggle_mute(self.server)


def _asked(request: ElicitationRequest) -> str:
    """What a question says, or the page that it is about, on one line."""
    return neutral_line(request.message or request.url or "(no message)", 300)


def waiting_words(question: Question, width: int) -> list[Line]:
    """A question that waits, before it is opened: what it says, what was found, what it asks."""
    from elicit_tui.tui.console.server_words import field_words

    request = question.request
    message = neutral(request.message or "", 4_000) or "(no message)"
    schema = request.param("requestedSchema")
    asked = field_words(question.form, schema, width) if question.form is not None else []
    findings = (finding.as_json() for finding in question.review.findings)
    return joined(
        [
            text_lines(message, width, "strong"),
            labelled("url", neutral(request.url, 4_000), width) if request.url else [],
            *finding_groups(findings, width),
            asked,
        ]
    )
