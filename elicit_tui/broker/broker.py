"""The way of one elicitation, from request to outcome: one direction, one place."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Protocol

from elicit_tui.broker.admission import defect, malformed
from elicit_tui.broker.ask import ask
from elicit_tui.broker.events import BrokerEvent, Listener, Notice, Requested, Resolved
from elicit_tui.broker.flood import FloodGate
from elicit_tui.broker.pending import Pending, PendingQueue
from elicit_tui.broker.record import Record
from elicit_tui.elicitation import (
    Deadline,
    ElicitationRequest,
    Finding,
    Outcome,
    Question,
    Responder,
    Review,
    cancel,
    decline,
    unsent,
)
from elicit_tui.elicitation.settings import Settings
from elicit_tui.text import neutral_line

if TYPE_CHECKING:
    from elicit_tui.form import Form
    from elicit_tui.ledger import Ledger
    from elicit_tui.policy import Policy

CLOSE_SECONDS: Final = 5.0
"""How long `close` waits for responders to take their questions off the screen."""

REPEATS: Final = 3
"""How often content that the judge refuses is given back to its responder."""


class Guardian(Protocol):
    """What the broker needs of the guardian."""

    def review(self, request: ElicitationRequest) -> Review:
        """All findings about one request; must not raise."""
        ...

    def outgoing(
        self, content: Mapping[str, Any], schema: Mapping[str, Any] | None = None
    ) -> tuple[Finding, ...]:
        """Secrets that an answer seems to hold; must not raise."""
        ...


@dataclass
class _Open:
    """A request that was let in and has no outcome yet."""

    request: ElicitationRequest
    arrived: float
    told: bool = False
    """Whether watchers and the ledger know that it was asked."""
    settled: asyncio.Future[Outcome] | None = None
    task: asyncio.Task[Any] | None = None
    ended: Outcome | None = None
    """An end that came before the question was asked: withdrawn, gone or shut down."""


class Broker:
    """Gives every request exactly one outcome, recorded before it is sent.

    `admit` (steps 2 to 4) is synchronous, for the place that sees raw messages; `resolve`
    (steps 5 to 9) runs as long as a person thinks. Everything runs on one event loop.
    """

    def __init__(
        self,
        settings: Settings,
        policy: Policy,
        guardian: Guardian,
        ledger: Ledger,
        responder: Responder,
        *,
        count_rate: bool = True,
    ) -> None:
        self._settings = settings
        self._policy = policy
        self._guardian = guardian
        self._responder = responder
        self._record = Record(ledger, self._emit)
        self._flood = FloodGate(settings.elicitation.limits, count_rate=count_rate)
        self._open: dict[str, _Open] = {}
        self._queue = PendingQueue()
        self._muted: set[str] = set()
        self._flooding: set[str] = set()
        self._listeners: list[Listener] = []
        self._closed = False

    # Watching

    def subscribe(self, listener: Listener) -> None:
        """Tell this listener of every event, on the event loop, in order."""
        self._listeners.append(listener)

    def notice(self, server: str, sentence: str) -> None:
        """Tell the person something about a server that is no question's end."""
        self._emit(Notice(server, sentence))

    def _emit(self, event: BrokerEvent) -> None:
        for listener in tuple(self._listeners):
            listener(event)

    @property
    def pending(self) -> tuple[Pending, ...]:
        """The questions that wait for a person, oldest first."""
        return tuple(self._queue)

    def waiting(self, call_id: str) -> bool:
        """Whether a person is being asked for this call, so that its clocks stand still."""
        return any(
            pending.question.request.call is not None
            and pending.question.request.call.id == call_id
            for pending in self._queue
        )

    # Steps 2 to 4

    def admit(self, request: ElicitationRequest) -> Outcome | None:
        """Whether a request may go on: None if so, else its outcome, already recorded."""
        outcome = self._gate(request)
        if outcome is None:
            self._open[request.id] = _Open(request, time.monotonic())
            return None
        self._emit(Requested(Question(request)))
        if outcome.in_group:
            self._record.group(request, outcome)
        else:
            outcome = self._record.closed(request, outcome)
        self._emit(Resolved(request, Review(), outcome, 0))
        return outcome

    def _gate(self, request: ElicitationRequest) -> Outcome | None:
        name = request.server.name
        sentence = defect(request)
        if sentence is not None:
            return malformed(request, sentence)
        if self._closed:
            return cancel("shutdown", "elicit-tui is ending.")
        outcome = self._policy.surfaces(request)
        if outcome is not None:
            return outcome
        if name in self._muted:
            return cancel("policy", f"You muted {name} for this run.", in_group=True)
        over = self._flood.enter(name)
        if over is None:
            return None
        if name not in self._flooding:
            self._flooding.add(name)
            self.notice(name, f"{over} What is over the limit is cancelled.")
        return cancel("flood", over, key="elicitation.limits", in_group=True)

    # Steps 5 to 9

    async def resolve(self, request: ElicitationRequest) -> Outcome:
        """The outcome of one request, recorded; admits it first if nobody has yet.

        Cancelling this call withdraws the request: it is recorded as the server's doing.
        """
        if request.id not in self._open:
            outcome = self.admit(request)
            if outcome is not None:
                return outcome
        entry = self._open[request.id]
        entry.task = asyncio.current_task()
        review = Review()
        try:
            review = self._guardian.review(request)
            outcome = await self._decide(entry, review)
        except asyncio.CancelledError:
            gone = entry.ended or unsent("server", "The server withdrew the question.")
            self._finish(entry, review, gone)
            raise
        except Exception as error:  # noqa: BLE001 - a fault of ours still ends in one outcome
            outcome = cancel(
                "nobody",
                "The question could not be put to anybody: "
                f"{type(error).__name__}: {neutral_line(str(error))}",
            )
        return self._finish(entry, review, outcome)

    async def _decide(self, entry: _Open, review: Review) -> Outcome:
        request = entry.request
        question = self._tell(entry, review)
        if entry.ended is not None:
            return entry.ended
        outcome = self._policy.weigh(request, review)
        if outcome is not None:
            return outcome
        form = _form_of(request)
        answer = self._policy.answer(request, review, form)
        if answer.outcome is not None:
            return self._validated(form, answer.outcome) or cancel(
                answer.outcome.decided_by, "The prepared content does not satisfy requestedSchema."
            )
        notes = [note for note in (question.note, answer.note) if note]
        question = replace(question, note=" ".join(notes) or None)
        return await self._ask(entry, question, form)

    def _tell(self, entry: _Open, review: Review) -> Question:
        """Write down and announce that it was asked, once; its note says what is wrong there."""
        entry.told = True
        note = self._record.asked(entry.request, review)
        question = Question(entry.request, review, note=note)
        self._emit(Requested(question))
        return question

    async def _ask(self, entry: _Open, question: Question, form: Form | None) -> Outcome:
        self._replace_older(question.request)
        for _ in range(REPEATS):
            entry.settled = asyncio.get_running_loop().create_future()
            pending = Pending(
                question, Deadline(self._settings.elicitation.timeout_sec), entry.settled
            )
            if entry.ended is not None:
                return entry.ended
            self._queue.add(pending)
            try:
                outcome = await ask(self._responder, pending)
            finally:
                self._queue.remove(pending)
                entry.settled = None
            valid = self._validated(form, outcome)
            if valid is not None:
                return valid
            question = replace(question, note="The last answer does not satisfy the form.")
        return cancel("policy", "The content given does not satisfy requestedSchema.")

    def _replace_older(self, request: ElicitationRequest) -> None:
        """`concurrent = "replace"`: a newer question ends its server's older ones."""
        if self._settings.elicitation.concurrent != "replace":
            return
        self._queue.settle_where(
            lambda pending: _replaced_by(pending.question.request, request),
            cancel(
                "policy",
                "A newer question of the same server replaced it "
                '(elicitation.concurrent = "replace").',
                key="elicitation.concurrent",
            ),
        )

    def _validated(self, form: Form | None, outcome: Outcome) -> Outcome | None:
        """Step 8: the outcome if it may go out, None if its content is not valid."""
        if outcome.action != "accept":
            return outcome
        if form is None:
            return replace(outcome, content=None)
        content: Mapping[str, Any] = outcome.content if outcome.content is not None else {}
        if form.judge(content):
            return None
        return replace(outcome, content=content)

    def _finish(self, entry: _Open, review: Review, outcome: Outcome) -> Outcome:
        request = entry.request
        if not entry.told:
            self._tell(entry, review)
        self._open.pop(request.id, None)
        self._flood.leave(request.server.name)
        outcome = self._record.decided(request, self._with_outgoing(review, outcome), outcome)
        waited_ms = round((time.monotonic() - entry.arrived) * 1000)
        self._emit(Resolved(request, review, outcome, waited_ms))
        return outcome

    def _with_outgoing(self, review: Review, outcome: Outcome) -> Review:
        """The review as the record needs it: what looks like a secret in an answer is masked."""
        if outcome.action != "accept" or not outcome.content:
            return review
        return replace(review, findings=review.findings + self._guardian.outgoing(outcome.content))

    def sent(self, request: ElicitationRequest) -> None:
        """The answer has left for the server."""
        self._record.sent(request)

    # Ends from outside

    def withdraw(self, request_id: str, sentence: str) -> None:
        """The server took the question back; nothing can be sent for it."""
        self._end(lambda entry: entry.request.id == request_id, unsent("server", sentence))

    def server_gone(self, server: str, sentence: str) -> None:
        """A server went away: all its questions end, and nothing can be sent."""
        self._end(lambda entry: entry.request.server.name == server, unsent("server", sentence))

    def refused_on_the_wire(self, request: ElicitationRequest, sentence: str) -> None:
        """An admitted request that was answered with an error before it could be resolved."""
        entry = self._open.get(request.id)
        if entry is not None:
            self._finish(entry, Review(), malformed(request, sentence))

    def decline_all(self, server: str) -> int:
        """The person declines every waiting question of one server; how many there were."""
        return self._queue.settle_where(
            lambda pending: pending.question.request.server.name == server,
            decline("user", f"You declined all waiting questions of {server}."),
        )

    def mute(self, server: str) -> None:
        """For this run, cancel what this server asks, and what of it waits."""
        self._muted.add(server)
        self._queue.settle_where(
            lambda pending: pending.question.request.server.name == server,
            cancel("user", f"You muted {server} for this run."),
        )

    def unmute(self, server: str) -> None:
        """Let this server ask again."""
        self._muted.discard(server)
        self._flooding.discard(server)

    @property
    def muted(self) -> frozenset[str]:
        """The servers that the person muted for this run."""
        return frozenset(self._muted)

    async def close(self) -> None:
        """End every question truthfully: cancel, by shutdown. Returns once all are recorded."""
        self._closed = True
        self._end(
            lambda entry: True, cancel("shutdown", "elicit-tui ended before an answer was given.")
        )
        tasks = {entry.task for entry in self._open.values() if entry.task is not None}
        tasks.discard(asyncio.current_task())
        if tasks:
            await asyncio.wait(tasks, timeout=CLOSE_SECONDS)
        for entry in tuple(self._open.values()):
            if entry.ended is not None:
                self._finish(entry, Review(), entry.ended)
        self._record.flush()

    def _end(self, matches: Any, outcome: Outcome) -> None:
        for entry in tuple(self._open.values()):
            if entry.ended is None and matches(entry):
                entry.ended = outcome
                if entry.settled is not None and not entry.settled.done():
                    entry.settled.set_result(outcome)


def _replaced_by(older: ElicitationRequest, newer: ElicitationRequest) -> bool:
    """Questions of one round stand side by side; anything else of the same server is replaced."""
    same_round = (
        older.call is not None
        and newer.call is not None
        and older.call.id == newer.call.id
        and older.round == newer.round
        and older.era == "modern"
    )
    return older.server.name == newer.server.name and older.id != newer.id and not same_round


def _form_of(request: ElicitationRequest) -> Form | None:
    """The form of a form-mode request; None in url mode."""
    if request.mode != "form":
        return None
    from elicit_tui.form import read_form

    return read_form(request.requested_schema or {})
