"""What the console knows: kept by the events of broker and host, drawn by the panels.

Nothing here draws or awaits. An event costs the same however many came before, so that a burst of
thousands leaves the keys alone; `version` tells the panels that there is something to draw.
"""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation import Action, Draft, ElicitationRequest, Outcome, Queue, Review
from elicit_tui.elicitation.outcome import SIGNS
from elicit_tui.elicitation.settings import Settings
from elicit_tui.text import name_line, neutral_line, quoted
from elicit_tui.tui.console.activity import About, Activity
from elicit_tui.tui.console.call_ends import message_of, note_question
from elicit_tui.tui.console.calls import AnsweredQuestion, CallRecord, Calls
from elicit_tui.tui.console.outcome_words import ACTIONS, GUARDIAN, ROLES, asked, ending, plural
from elicit_tui.tui.console.servers import ServerRecord, server_records, startable
from elicit_tui.tui.console.spans import GUTTER, Role

if TYPE_CHECKING:
    from elicit_tui.broker.contracts import BrokerEvent, Notice, Resolved
    from elicit_tui.host.connection import Connection
    from elicit_tui.host.events import HostEvent
    from elicit_tui.tui.console.earlier_answers import EarlierAnswers

KEPT_STOPPED: Final = 100
KEPT_LOST: Final = 20
KEPT_MUTED: Final = 20
"""Of those, what muted servers asked: one that asks on without end pushes nothing else out."""
TOLD_REFUSALS: Final = 3
FLOOD_STEP: Final = 500
"""A flood's outcomes are told in the activity once for so many of them."""


@dataclass(frozen=True)
class Stopped:
    """A question that was refused before a person saw it, kept so that it can be looked at."""

    request: ElicitationRequest
    review: Review
    outcome: Outcome

    @property
    def key(self) -> str:
        """Its key in a list."""
        return self.request.id


class HalfWritten(NamedTuple):
    """JSON that one went away from."""

    text: str
    hidden: bool
    """Whether others wrote some of it that was never on the screen."""


class ConsoleState:
    """One run of the console."""

    def __init__(self, settings: Settings, only: Sequence[str] | None = None) -> None:
        self.settings = settings
        self.began = datetime.now()
        servers = {
            name: server
            for name, server in settings.servers.items()
            if only is None or name in only or not startable(server)
        }
        self.servers: dict[str, ServerRecord] = server_records(servers)
        self.questions = Queue()
        """The broker's, once there is one."""
        self.calls = Calls()
        self._remembers = False
        self.calls_read_at = 0
        """When the calls that are kept had been written as they were read here."""
        self.half_typed: dict[tuple[str, str, str], Draft] = {}
        """What was typed for a call that was not made: by server, what it offers, and, of a call
        that was to be made again, the arguments that it had."""
        self.half_written: dict[tuple[str, str, str], HalfWritten] = {}
        """The same where the arguments were written as JSON, finished or not."""
        self.half_besides: dict[tuple[str, str, str], dict[str, Any]] = {}
        """What of the arguments in such a form no field of it can hold."""
        self.half_added: dict[str, Draft] = {}
        """What was typed of a server that was not written: by its name, empty of a new one."""
        self.ways_to_read: dict[tuple[str, str, str], str] = {}
        """How a person turned the result of a call: by server, method and name."""
        self.activity = Activity()
        self.stopped: deque[Stopped] = deque(maxlen=KEPT_STOPPED)
        self.stopped_unseen = 0
        """How many the guardian stopped since the list of them was looked at."""
        self.notices: deque[Notice] = deque(maxlen=50)
        """Sentences of the broker that no screen has shown yet."""
        self.lost_servers: dict[str, str] = {}
        """Those that ended by themselves, not told yet, each with its reason's first line."""
        self.told_lost: deque[str] = deque(maxlen=KEPT_LOST)
        """Those of which it was told, the last one behind the others."""
        self._ended: deque[Resolved] = deque()
        """Ends of questions that a person may have been looking at, not told yet."""
        self._shown_stopped = ("", 0.0)
        self._refused: deque[Resolved] = deque(maxlen=TOLD_REFUSALS)
        """The last of those that were refused before: a burst of them hides no other end."""
        self.changed_lists: set[str] = set()
        self.completed_urls: dict[tuple[str, str], None] = {}
        """Server and id of pages that are done and wait for their end; no flood hides another."""
        self.version = 0
        self.ended = 0
        """How many questions have ended in this run."""
        self.in_consoles: tuple[str, ...] = ()
        """Of an inbox: what waits in consoles, and is answered there alone; a sentence each."""
        self.last_end = ""
        self.asked_last = ""
        """The call that this question was of, by its id; empty where that is not known."""
        self._knows_guardian = False
        """Whether the activity has said what the guardian is."""
        """When the last question ended, whose it was and what became of it; empty before."""
        self.pointed_server = ""
        """The server that the cursor is to be put on, once it is listed."""
        self.pointed_call = ""
        """The call on which the cursor is to stand once the list is drawn."""
        self.put_off: str | None = None
        """The question that was put off just now: the list of those that wait points at it."""
        self.actions: Counter[str] = Counter()
        """How they ended: accepted, declined, cancelled, stopped."""

    @cached_property
    def earlier_answers(self) -> EarlierAnswers:
        """What the person sent in this run; what reads forms is not loaded before a question."""
        from elicit_tui.tui.console.earlier_answers import EarlierAnswers

        return EarlierAnswers()

    def changed(self) -> None:
        """Something is to be drawn again."""
        self.version += 1

    def rename_server(self, old: str, new: str) -> None:
        """What is known of a server is known of it under its new name, in its place."""
        for record in [*self.servers.values()]:
            name = record.name
            del self.servers[name]
            if name == old:
                record.settings = replace(record.settings, name=new)
            self.servers[record.name] = record
        for call in self.calls:
            if call.server == old:
                call.server = new
        for kept in (self.half_typed, self.half_written, self.half_besides):
            _give_name(kept, old, new)

    def remember_calls(self) -> None:
        """Have the calls of earlier runs too, once they are looked at or their values are."""
        if not self._remembers:
            from elicit_tui.tui.console.kept_calls import KeptCalls

            self._remembers = True
            kept = KeptCalls(self.settings.history.content)
            self.calls_read_at = kept.written_at
            self.have_calls(kept.read())

    def have_calls(self, kept: Iterable[CallRecord]) -> None:
        """Have calls of other runs, also of servers that are here no more."""
        there = len(self.calls)
        self.calls.remember(kept)
        self.version += len(self.calls) != there

    def say(self, server: str, text: str, role: Role = "plain", about: About | None = None) -> None:
        """Add a line of neutral text to the activity."""
        self.activity.add(server, text, role, about)
        self.version += 1

    @property
    def looping(self) -> tuple[ServerRecord, ...]:
        """The servers that ask so often that muting them comes to mind; the worst first."""
        found = [record for record in self.servers.values() if record.loops]
        return tuple(sorted(found, key=lambda record: -(record.flooded + record.questions)))

    # Events of the broker

    def broker_event(self, event: BrokerEvent) -> None:
        """Take note of what the broker tells."""
        from elicit_tui.broker.contracts import Notice, Requested, Resolved

        self.version += 1
        if isinstance(event, Requested):
            record = self.servers.get(event.request.server.name)
            if record is not None and event.request.traits.from_server:
                record.asked()
        elif isinstance(event, Resolved):
            self._resolved(event)
        elif isinstance(event, Notice):
            self.notices.append(event)
            self.activity.add(event.server, neutral_line(event.sentence), "warn")

    def _not_asked(
        self, record: ServerRecord | None, calls: Sequence[CallRecord], event: Resolved
    ) -> None:
        """Tell of a question that nobody saw: over a limit, or of a muted server; not of each."""
        outcome = event.outcome
        flooded = outcome.decided_by == "flood"
        if outcome.unasked:
            self._keep_unasked(event)
        if record is not None:
            record.not_asked += 1
            record.flooded += flooded
            if record.not_asked % FLOOD_STEP != 1:
                return
        why = f"{'over its limit' if flooded else 'not asked'}: {neutral_line(outcome.reason)}"
        request = event.request
        self.activity.add(request.server.name, why, "warn", ("question", request.id))
        message = message_of(request)
        for call in calls:
            if not call.answered:  # Else its own answers stand there.
                end = AnsweredQuestion(message, outcome.action, why, len(calls) == 1)
                call.answered.append(end)

    def _keep_unasked(self, event: Resolved) -> None:
        kept = [stopped for stopped in self.stopped if stopped.outcome.unasked]
        if len(kept) >= KEPT_MUTED:
            self.stopped.remove(kept[0])
        self.stopped.append(Stopped(event.request, event.review, event.outcome))

    def _introduced(self, decided_by: str) -> str:
        """What the guardian is, at the first line of the activity that names it."""
        first = decided_by == "guardian" and not self._knows_guardian
        self._knows_guardian |= first
        return f" ({GUARDIAN})" if first else ""

    def _resolved(self, event: Resolved) -> None:
        request, outcome = event.request, event.outcome
        self.earlier_answers.remember(event)
        self.ended += 1
        stopped = outcome.decided_by in ("guardian", "policy", "flood")
        self.actions["stopped" if stopped else ACTIONS[outcome.action]] += 1
        name = request.server.name
        record = self.servers.get(name)
        calls = [
            made for called in request.calls if (made := self.calls.get(called.id)) is not None
        ]
        for call in calls if request.traits.from_server else ():
            call.questions += 1
        if outcome.in_group or outcome.unasked:
            self._not_asked(record, calls, event)
            return
        sign = SIGNS[outcome.action]
        who = self._introduced(outcome.decided_by)
        told = f"{sign} {ending(outcome)}{who}: {asked(request)}"
        self.activity.add(name, told, ROLES[outcome.action], ("question", request.id))
        of_one = len(request.calls) == 1
        asked_by = calls[0].call.id if of_one and calls else ""
        self.note_last(request, outcome.action, ending(outcome), asked_by)
        for call in calls:
            note_question(call, event, self.settings.history.content)
        if request.traits.about_call and outcome.decided_by in ("policy", "nobody"):
            return  # Told as the end of the call.
        if outcome.decided_by in ("guardian", "policy"):
            self.stopped.append(Stopped(request, event.review, outcome))
            self.last_end = ""  # It stands in their list.
            self.stopped_unseen += outcome.decided_by == "guardian"
            self._refused.append(event)
        elif outcome.decided_by != "rule":
            self._ended.append(event)

    def note_last(
        self, request: ElicitationRequest, action: Action | None, ended: str, asked_by: str = ""
    ) -> None:
        """This question ended last, as `ended` says; `asked_by`: its call, where that is known."""
        said, name = quoted(message_of(request), 60), request.server.name
        self.last_end = f"{datetime.now():%H:%M}  {name}  {SIGNS[action]} {ended}: {said}"
        self.asked_last = asked_by

    def next_end(self) -> Resolved | None:
        """The next end of a question to tell of; None when all were told."""
        return next((ends.popleft() for ends in (self._ended, self._refused) if ends), None)

    def as_it_stands(self, request: ElicitationRequest) -> ElicitationRequest:
        """A request of the calls that have not ended since it came."""
        return request.of_calls_left(self._is_over) if len(request.calls) > 1 else request

    def _is_over(self, call_id: str) -> bool:
        record = self.calls.get(call_id)
        return record is not None and record.state != "running"

    def show_stopped(self, question_id: str, seconds: float) -> None:
        """For so long a notice says that a key shows this stopped question."""
        self._shown_stopped = (question_id, time.monotonic() + seconds)

    def take_shown_stopped(self) -> str:
        """The question of that notice, once; empty where none stands."""
        (question_id, until), self._shown_stopped = self._shown_stopped, ("", 0.0)
        return question_id if time.monotonic() < until else ""

    # Events of the host

    def host_event(self, event: HostEvent) -> None:
        """Take note of what the host tells."""
        from elicit_tui.host import events

        self.version += 1
        if isinstance(event, events.ServerStateChanged):
            self._state_changed(event)
        elif isinstance(event, events.ServerLog):
            # Behind the line that sets off what a server wrote: else it could pass for ours.
            self.activity.add(event.server, f"{GUTTER}{event.line}", "dim")
        elif isinstance(event, events.Progress):
            self._progressed(event)
        elif isinstance(event, events.LogMessage):
            self._logged(event)
        elif isinstance(event, events.CallSent):
            self._sent(event.call_id)
        elif isinstance(event, events.RoundStarted):
            record = self.calls.get(event.call_id)
            if record is not None:
                record.round = event.round
        elif isinstance(event, events.UrlCompleted):
            done = (event.server, event.elicitation_id)
            if done in (
                (waiting.server, waiting.question.request.elicitation_id)
                for waiting in self.questions
            ):
                self.completed_urls[done] = None
        elif isinstance(event, events.ListChanged):
            self.changed_lists.add(event.server)

    def _sent(self, call_id: str) -> None:
        if (record := self.calls.get(call_id)) is not None:
            record.went_out()
            words = f"→ {name_line(record.call.name, 120)}"
            self.say(record.server, words, about=("call", call_id))

    def waits_for_turn(self, call: CallRecord) -> bool:
        """Whether a running call has not gone out yet, as its server has another one to answer."""
        connection = self._connection_of(call)
        if connection is None or call.sent or connection.gate.holds(call.call.id):
            return False
        return connection.open_calls.waits(call.call.id)

    def waits_for_list(self, call: CallRecord) -> bool:
        """Whether a running call has not gone out yet, as its server does not list its tools."""
        connection = self._connection_of(call)
        return connection is not None and connection.gate.awaits_list(call.call.id)

    def has_ended(self, server: str) -> bool:
        """Whether this server did not start, or runs no more."""
        record = self.servers.get(server)
        return record is not None and record.state in ("failed", "closed")

    def _connection_of(self, call: CallRecord) -> Connection | None:
        record = self.servers.get(call.server)
        return record.connection if record is not None else None

    def _state_changed(self, event: object) -> None:
        from elicit_tui.host.events import ServerStateChanged

        assert isinstance(event, ServerStateChanged)
        record = self.servers.get(event.server)
        if record is None:
            return
        if event.state == "failed" and record.state == "ready":
            reason = (event.failure or "").strip().partition("\n")[0]
            self.lost_servers[event.server] = neutral_line(reason, 200)
        record.state, record.failure = event.state, event.failure
        if event.state in ("failed", "closed"):
            record.offers, record.offers_read = (), False
        role: Role = "dim"
        if event.state in ("ready", "failed"):
            role = "good" if event.state == "ready" else "bad"
        words = f"{event.state}: {neutral_line(event.failure)}" if event.failure else event.state
        self.say(event.server, words, role)

    def _progressed(self, event: object) -> None:
        from elicit_tui.host.events import Progress

        assert isinstance(event, Progress)
        record = self.calls.get(event.call_id)
        if record is not None:
            record.progress, record.total = event.progress, event.total
            record.progress_message = neutral_line(event.message or "", 120)

    def _logged(self, event: object) -> None:
        from elicit_tui.host.events import LogMessage

        assert isinstance(event, LogMessage)
        text = neutral_line(event.sentence, 400)
        for call in self.calls.running:
            of_it = call.server == event.server and event.call_id in (None, call.call.id)
            if of_it and call.sent:
                call.add_log(text)
        of_call: About | None = ("call", event.call_id) if event.call_id else None
        self.activity.add(event.server, text, "dim", of_call)

    def summary(self) -> str:
        """What became of the run's questions, in one line; empty when there were none."""
        if not self.ended:
            return ""
        ways = ", ".join(f"{count:,} {way}" for way, count in self.actions.most_common())
        return f"{plural(self.ended, 'question')}: {ways}"


def _give_name(kept: dict[tuple[str, str, str], Any], old: str, new: str) -> None:
    """What is kept by server and other keys stands under the server's new name."""
    for name, offer, arguments in [*kept]:
        if name == old:
            kept[new, offer, arguments] = kept.pop((old, offer, arguments))
