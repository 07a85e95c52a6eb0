"""The way of one elicitation, from request to outcome: one direction, one place.

Its steps: 1 the host makes a request of what a server sent; 2 it is well formed; 3 policy lets it
surface; 4 it is within its limits, its server not muted; 5 the guardian's verdict; 6 hooks, rules
and answers files; 7 a person is asked; 8 the answer is valid; 9 it is recorded, and goes out.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from elicit_tui.broker.admitted import Admitted, OpenQuestions
from elicit_tui.broker.ask import AskPerson, AskStep, valid
from elicit_tui.broker.contracts import (
    NO_OPTIONS,
    Allowance,
    Allowances,
    BrokerEvent,
    BrokerOptions,
    LedgerWriter,
    Listener,
    Listeners,
    Notice,
    Requested,
    Resolved,
)
from elicit_tui.broker.drafts import Drafts
from elicit_tui.broker.entrance import ENDED, Entrance, malformed
from elicit_tui.broker.hook_steps import HookSteps, listener_for
from elicit_tui.broker.record import Record
from elicit_tui.broker.reviewing import Guardian, review_of, review_of_prompt, review_with_answer
from elicit_tui.elicitation import (
    Call,
    ElicitationRequest,
    Outcome,
    Pending,
    Question,
    Queue,
    Responder,
    Review,
    ServerEnd,
    ServerIdentity,
    approval_request,
    cancel,
    decline,
    ended_unsent,
    finished,
    form_of,
    review_of_call,
    what_changed,
)
from elicit_tui.elicitation.own_questions import TakeRedirect
from elicit_tui.text import neutral_line, quoted
from elicit_tui.text.hostile_json import digest

if TYPE_CHECKING:
    from elicit_tui.policy import Decision, Policy

CLOSE_SECONDS: Final = 5.0
"""How long `close` waits for responders to take their questions off the screen."""


class Broker:
    """Gives every request exactly one outcome, recorded before it is sent.

    `admit` (steps 2 to 4) is synchronous, for the place that sees raw messages; `resolve`
    (steps 5 to 9) runs as long as a person thinks. Everything runs on one event loop.
    """

    def __init__(
        self,
        policy: Policy,
        guardian: Guardian,
        ledger: LedgerWriter,
        responder: Responder,
        options: BrokerOptions = NO_OPTIONS,
    ) -> None:
        self._policy = policy
        self._guardian = guardian
        self._agent = options.agent
        self._listeners = Listeners[BrokerEvent](partial(self.notice, "elicit-tui"))
        self._emit = self._listeners.tell
        self._record = Record(ledger, self._emit)
        self._entrance = Entrance(policy, self.notice, limit_approvals=self._agent is not None)
        self._open = OpenQuestions(self._finish)
        self.queue = Queue() if options.queue is None else options.queue
        """What waits for a person, what is open, and what was put off."""
        self._drafts = Drafts() if options.drafts is None else options.drafts
        settings = policy.settings
        self._ask_step = AskStep(settings, responder, self.queue, self._agent, self._drafts)
        hooks = options.hooks
        self._hook_steps = HookSteps(hooks, policy.why_not, guardian.outgoing, self.notice)
        if hooks is not None:
            hooks.tell_by(self.notice)
            self.subscribe(listener_for(hooks))
        self.allowances = Allowances()
        """What may be called without asking for the rest of the session."""

    # Watching

    def subscribe(self, listener: Listener) -> None:
        """Tell this listener of every event, on the event loop, in order."""
        self._listeners.add(listener)

    def notice(self, server: str, sentence: str) -> None:
        """Tell the person something about a server that is no question's end."""
        self._emit(Notice(server, sentence))

    @property
    def pending(self) -> tuple[Pending, ...]:
        """The questions that wait for an answer, oldest first."""
        return tuple(self.queue)

    def asks_for_call(self, call_id: str) -> bool:
        """Whether a person is being asked for this call, so that its clocks stand still."""
        return any(pending.question.request.may_belong_to(call_id) for pending in self.queue)

    # Steps 2 to 4

    def admit(self, request: ElicitationRequest) -> Outcome | None:
        """Whether a request may go on: None if so, else its outcome, already recorded."""
        found = self._let_in(request)
        return found if isinstance(found, Outcome) else None

    def _let_in(self, request: ElicitationRequest) -> Admitted | Outcome:
        trace: list[Decision] = []
        outcome = self._entrance.refusal(request, trace)
        if outcome is not None:
            return self._ended_at_once(request, outcome, trace)
        return self._enter(Question(request), trace)

    def _enter(self, question: Question, trace: list[Decision]) -> Admitted:
        return self._open.add(Admitted(question, trace=trace))

    def _ended_at_once(
        self, request: ElicitationRequest, outcome: Outcome, trace: Sequence[Decision]
    ) -> Outcome:
        if outcome.in_group:
            # A flood would make whoever listens keep all that a server can write.
            request = request.in_short()
        self._emit(Requested(Question(request)))
        if outcome.in_group:
            self._record.group(request, outcome)
        else:
            outcome = self._record.closed(request, outcome)
        self._emit(Resolved(request, Review(), outcome, tuple(trace)))
        return outcome

    # Steps 5 to 9

    async def resolve(self, request: ElicitationRequest) -> Outcome:
        """The outcome of one request, recorded; admits it first if nobody has yet.

        Cancelling this call withdraws the request: it is recorded as the server's doing.
        """
        # The host has admitted what came on a wire; all others come in here.
        found = self._open.find(request) or self._let_in(request)
        if isinstance(found, Outcome):
            return found
        withdrawn = ended_unsent("withdrew", "The server withdrew the question.")
        return await self._see_through(found, self._decide_elicitation, withdrawn)

    async def _see_through(
        self, entry: Admitted, work: Callable[[Admitted], Awaitable[Outcome]], gone: Outcome
    ) -> Outcome:
        """Whatever happens meanwhile: one outcome, recorded. `gone`: what a cancellation means."""
        # Three ways lead out, and each of them through `_finish`, which writes the one outcome: the
        # work came to one; it was cancelled, which is an end from outside or `gone`; it failed.
        entry.task = asyncio.current_task()
        try:
            outcome = await work(entry)
            self._leave(entry)
            outcome = await entry.still_wanted(outcome)
        except asyncio.CancelledError:
            self._finish(entry, entry.ended or gone)
            raise
        except Exception as error:  # noqa: BLE001 - a fault of ours still ends in one outcome
            outcome = cancel(
                "nobody",
                "The question could not be put to anybody: "
                f"{type(error).__name__}: {neutral_line(str(error))}",
            )
        return self._finish(entry, outcome)

    async def _decide_elicitation(self, entry: Admitted) -> Outcome:
        request = entry.request
        entry.question = replace(entry.question, review=await review_of(self._guardian, request))
        # Told with what the guardian found.
        self._tell(entry)
        if entry.ended is not None:
            return entry.ended
        entry.trace.append(self._policy.weigh(entry.question.review))
        if entry.trace[-1].outcome is not None:
            return entry.trace[-1].outcome
        form = form_of(request)
        entry.question = replace(
            entry.question,
            form=form,
            examine=lambda content: self._guardian.outgoing(content, form),
        )
        ask = self._ask_step.with_notes(entry)
        outcome = await self._ask_in_order(entry, ask)
        return await self._hook_steps.after(entry, outcome, ask)

    async def _ask_in_order(self, entry: Admitted, ask: AskPerson) -> Outcome:
        """Steps 6 and 7: managed hooks, rules or answers, the person's own hooks, the person."""
        managed = await self._hook_steps.before(entry, "managed")
        if managed.outcome is not None:
            return managed.outcome
        answer = self._policy.answer(entry.question)
        entry.trace.append(answer)
        prepared = self._hook_steps.unless_failed(managed, answer.outcome, entry)
        if prepared is not None:
            judged = valid(entry.question, prepared)
            if isinstance(judged, Outcome):
                return judged
            sentence = "The prepared content does not satisfy requestedSchema."
            return cancel(prepared.decided_by, sentence)
        own = await self._hook_steps.before(entry, "user", managed.failed)
        if own.outcome is not None:
            return own.outcome
        entry.trace.append(self._policy.asking)
        if (nobody := self._policy.asking.outcome) is not None:
            return nobody
        return await ask(managed.note, answer.note, own.note)

    def _tell(self, entry: Admitted) -> None:
        """Write down and announce that it was asked, once; its note says what is wrong there."""
        entry.announced = True
        note = self._record.asked(entry.request, entry.question.review)
        entry.question = replace(entry.question, note=note)
        self._emit(Requested(entry.question))

    def _finish(self, entry: Admitted, outcome: Outcome) -> Outcome:
        # `close` does not wait for ever for what comes to this by itself later.
        if entry.outcome is not None:
            return entry.outcome
        request = entry.request
        if not entry.announced:
            self._tell(entry)
        self._open.remove(entry)
        # Done already where the work came to an end by itself.
        self._leave(entry)
        review = review_with_answer(self._guardian, entry.question, outcome)
        outcome = replace(outcome, waited_ms=entry.waited_ms)
        outcome = entry.outcome = self._record.decided(request, outcome, review)
        kept = self._drafts.forget_or_keep(request, outcome)
        self._emit(Resolved(request, review, outcome, tuple(entry.trace), kept))
        return outcome

    def _leave(self, entry: Admitted) -> None:
        """It waits for nobody any more, which makes room for another question."""
        if entry.waits:
            entry.waits = False
            self._entrance.leave(entry.request)

    # The tool gate

    def needs_definition(self, server: str, tool: str) -> bool:
        """Whether `approve` has to know what the tool says of itself."""
        return self._policy.needs_definition(server, tool)

    async def approve(
        self,
        server: ServerIdentity,
        call: Call,
        definition: Mapping[str, Any] | None,
        process: str,
        earlier: Mapping[str, Any] | None = None,
    ) -> Outcome | None:
        """Whether this tool may be called: None without a question, else an approval's outcome.

        `definition` is its live entry of tools/list, None when its server does not list it;
        `process` names the server's process or the connection to it; `earlier` is the definition
        that an accept for this call was just given for, where it is another one by now. Only an
        accept lets the call go out. Settings that let it through, and an allowance, make no
        question and no record; a refusal by policy makes a record. Cancelling this call ends the
        question by `shutdown`.
        """

        def allowance() -> Allowance:
            return Allowance(server.name, call.name, process, digest(definition))

        if any(self.allowances) and self._agent is not None:
            await self._agent.drop_revoked(self.allowances)
        allowed = any(self.allowances) and self.allowances.holds(allowance())
        decision = self._policy.judge_call(server.name, call.name, definition, allowed=allowed)
        if decision.outcome is None and not decision.asks:
            return None
        request = approval_request(server, call, definition, decision.sentence, earlier)
        if decision.outcome is not None:
            return self._ended_at_once(request, decision.outcome, [decision])
        refused = self._entrance.approval_refusal()
        if refused is not None:
            return self._ended_at_once(request, refused, [decision])
        entry = self._enter(Question(request, review_of_call(call)), [decision])
        outcome = await self._see_through(entry, self._decide_confirmation, ENDED)
        if outcome.action == "accept" and outcome.scope == "session":
            self.allowances.add(allowance())
        return outcome

    async def permit(self, request: ElicitationRequest) -> Outcome:
        """The outcome of an agent's own prompt, recorded.

        One without an action leaves it to the agent, which asks the person itself.
        """
        decision = self._policy.judge_prompt()
        if (refused := decision.outcome or self._entrance.end) is not None:
            return self._ended_at_once(request, refused, [decision])
        question = Question(request, review_of_prompt(self._guardian, request))
        entry = self._enter(question, [decision])
        return await self._see_through(entry, self._decide_confirmation, ENDED)

    # Logins

    def may_log_in(self, server: str) -> Decision:
        """Whether a person can be asked to log in to this server: `outcome` says why not."""
        return self._policy.judge_login(server)

    async def authorize(self, request: ElicitationRequest, take: TakeRedirect) -> Outcome:
        """The outcome of one consent to log in (`authorization_request`), recorded.

        `take` is given the address that the person pasted, "" where the page may have led back by
        itself; only with it an accept counts. Cancelling this call ends it by `shutdown`.
        """
        decision = self.may_log_in(request.server.name)
        if (refused := decision.outcome or self._entrance.end) is not None:
            return self._ended_at_once(request, refused, [decision])
        question = Question(request, take_redirect=take)
        entry = self._enter(question, [decision])
        return await self._see_through(entry, self._decide_login, ENDED)

    def page_led_back(self, request_id: str) -> None:
        """The page of a login led back: end its question, if nothing is to be acknowledged yet."""
        for pending in self.queue:
            question = pending.question
            if question.id == request_id and (question.draft.opened or not question.to_acknowledge):
                pending.settle(finished(question))

    async def _decide_login(self, entry: Admitted) -> Outcome:
        review = self._guardian.review(entry.request)
        entry.question = replace(entry.question, review=review)
        self._tell(entry)
        entry.trace.append(self._policy.weigh(review))
        return entry.trace[-1].outcome or await self._by_person(entry)

    async def _by_person(self, entry: Admitted) -> Outcome:
        """A question of ours: hooks may refuse it, and nobody but a person accepts it."""
        ask = self._ask_step.with_notes(entry)
        before = await self._hook_steps.before(entry)
        outcome = before.outcome
        if outcome is None:
            changed = what_changed(entry.request)
            outcome = await ask(changed, entry.trace[0].note, before.note)
        return await self._hook_steps.after(entry, outcome, ask)

    async def _decide_confirmation(self, entry: Admitted) -> Outcome:
        self._tell(entry)
        return await self._by_person(entry)

    def overruled(self, request: ElicitationRequest, outcome: Outcome) -> None:
        """Record what went out past the judge, in place of the outcome that was decided.

        Only the scenarios of a server's author do that (`host.unjudged`).
        """
        question = Question(request, self._guardian.review(request), form_of(request))
        review = review_with_answer(self._guardian, question, outcome)
        self._record.decided(request, outcome, review)
        self._emit(Resolved(request, review, outcome))

    def sent(self, request: ElicitationRequest) -> None:
        """Record that the answer has left for the server."""
        self._record.sent(request)

    # Ends from outside

    def withdraw(self, request_id: str, sentence: str, end: ServerEnd = "withdrew") -> None:
        """End a question that its server took back, or that `end` took; nothing can be sent."""
        self.end_where(lambda request: request.id == request_id, ended_unsent(end, sentence))

    def taken_back(self, request: ElicitationRequest, sentence: str) -> Outcome:
        """Record that the server took a decided question back before its answer left; its end."""
        outcome = ended_unsent("withdrew", sentence)
        self._record.decided(request, outcome, Review())
        self._emit(Resolved(request, Review(), outcome))
        return outcome

    def withdrawn_late(self, request: ElicitationRequest, sentence: str) -> None:
        """Record and tell that the server took a question back whose accept had left before."""
        self._record.withdrawn(request, sentence)
        about = neutral_line(request.message, 60)
        self.notice(request.server.name, f'{sentence} The accept had left before: "{about}".')

    def call_ended(self, request_id: str) -> None:
        """End the question of a call that its server ended; it still waits for an answer."""
        over = cancel("server", "The call that it belongs to has ended.", server_end="call ended")
        self.end_where(lambda request: request.id == request_id, over)

    def server_gone(self, server: str, sentence: str) -> None:
        """End all questions of a server that went away, unsent, and what was allowed of it."""
        self.allowances.drop(server)
        self.end_all(server, ended_unsent("went away", sentence))

    def end_all(self, server: str, outcome: Outcome) -> None:
        """End all questions of a server with this outcome."""
        self.end_where(lambda request: request.server.name == server, outcome)

    def end_where(self, matches: Callable[[ElicitationRequest], bool], outcome: Outcome) -> None:
        """End every matching question with this outcome, also where a hook still looks at it."""
        self._open.end_where(matches, outcome)

    def refused_on_the_wire(self, request: ElicitationRequest, sentence: str) -> None:
        """End an admitted request that was answered with an error before it was resolved."""
        self.end_where(lambda one: one.id == request.id, malformed(request, sentence))

    def decline_all(self, server: str, listed: Collection[Pending]) -> int:
        """Decline what still waits of a server's listed questions; return how many that were."""
        return self.queue.settle_where(
            lambda pending: pending.server == server and pending in listed,
            decline("user", f"You declined all waiting questions of {quoted(server)}."),
        )

    def mute(self, server: str) -> None:
        """For this run, cancel what this server asks, and what of it waits."""
        self._entrance.mute(server)
        self.end_all(server, cancel("user", f"You muted {quoted(server)} for this run."))

    def unmute(self, server: str) -> None:
        """Let this server ask again."""
        self._entrance.unmute(server)

    @property
    def muted(self) -> frozenset[str]:
        """The servers that the person muted for this run."""
        return self._entrance.muted

    async def close(self) -> None:
        """End every question truthfully: cancel, by shutdown. Returns once all are recorded."""
        self._entrance.closed = True
        self.end_where(lambda request: True, ENDED)
        tasks = {entry.task for entry in self._open if entry.task is not None}
        if tasks := tasks - {asyncio.current_task()}:
            await asyncio.wait(tasks, timeout=CLOSE_SECONDS)
        for entry in self._open:
            self._finish(entry, entry.ended or ENDED)
        self._record.end()
