"""Steps 7 and 8, ask and validate: the question goes to its responder until its answer is valid."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, Protocol

from elicit_tui.broker.admitted import Admitted
from elicit_tui.broker.contracts import CallingAgent
from elicit_tui.broker.drafts import Drafts
from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation import (
    Deadline,
    ElicitationRequest,
    Outcome,
    Pending,
    Question,
    Queue,
    Responder,
    cancel,
)
from elicit_tui.elicitation.question import REDIRECT
from elicit_tui.elicitation.request import AGENT
from elicit_tui.elicitation.settings import Settings
from elicit_tui.text import in_seconds, neutral_line

if TYPE_CHECKING:
    from elicit_tui.form.field import Problem


REPEATS: Final = 3
"""How often a question is asked; an answer that still cannot go out is withheld then."""


class AskPerson(Protocol):
    """Puts one question to whoever answers, until there is an outcome that may go out."""

    async def __call__(self, *notes: str | None) -> Outcome:
        """Ask; the notes tell why a person is asked, beside the question's own note."""
        ...


NOT_VALID: Final = "The last answer does not satisfy the form, so it was not sent."
NOT_BACK: Final = (
    "The page has not led back to here yet. Finish there, or paste the address it ended at."
)
NOT_SEEN: Final = "The last answer accepted what was not all on the screen, so it was not sent."
NOT_ACKNOWLEDGED: Final = "The last answer passed over what was found, so it was not sent."
AWAY: Final = "The agent has left; this cannot be approved until it is back."


def valid(question: Question, outcome: Outcome) -> Outcome | Problem:
    """Step 8: the outcome as it may go out, or the first thing wrong with its content."""
    if outcome.action != "accept":
        # A refusal carries no content, whatever its giver filled in.
        return replace(outcome, content=None)
    scopes = question.request.traits.scopes
    if scopes:
        # The narrowest scope where none was chosen, or one that does not belong to this question:
        # in doubt once, and never for a whole session.
        scope = outcome.scope if outcome.scope in scopes else scopes[0]
        return replace(outcome, content=None, scope=scope)
    # A page, or a question of ours: nothing is filled in.
    if question.form is None:
        return replace(outcome, content=None)
    content: Mapping[str, Any] = outcome.content if outcome.content is not None else {}
    problems = question.form.judge(content)
    return problems[0] if problems else replace(outcome, content=content)


def agent_refusal(question: Question, action: str | None, content: Any) -> str | None:
    """Why an agent may not answer this question for its person, in a sentence; None: it may.

    An agent is no person: it consents to nothing. It never approves a tool, answers its own
    question or a page, passes a finding, or fills in a field that asks for a secret.
    """
    traits = question.request.traits
    if "agent" not in traits.accepted_by:
        return f"{traits.only_person.capitalize()}."
    if question.request.server.name == AGENT:
        return "This is the agent's own question to its user."
    if action != "accept":
        return None
    if question.form is None:
        return "Only a person can visit a page."
    if question.review.verdict != "allow":
        return "This question needs a person's own look."
    if any(finding.rule.startswith("credentials.") for finding in question.review.findings):
        return "It asks for a secret, which only a person gives."
    if isinstance(content, Mapping) and question.examine(content):
        return "The content looks as if it held a secret."
    return None


def giver_refusal(question: Question, outcome: Outcome, *, agents: bool) -> str | None:
    """Why this answer is not for who gave it to give, in a sentence; None: it is theirs.

    `agents`: whether the owner lets an agent answer at all (`gateway.agent_answers`).
    """
    traits = question.request.traits
    if outcome.action == "accept" and outcome.decided_by not in traits.accepted_by:
        return f"It was accepted, which does not count: {traits.only_person}."
    if outcome.decided_by == "agent":
        if not agents:
            return "An agent answered. No agent may answer here for its user."
        refused = agent_refusal(question, outcome.action, outcome.content)
        return None if refused is None else f"An agent answered. {refused}"
    return None


def _redirected(question: Question, outcome: Outcome) -> tuple[Outcome, str | None]:
    """An accepted login without the address that was pasted, and why it cannot be accepted yet.

    From here on nobody sees the code in that address: neither a hook nor the ledger.
    """
    take = question.take_redirect
    if take is None or outcome.action != "accept":
        return outcome, None
    # Only with `take_redirect` content is an address, and it is taken out at once.
    pasted = (outcome.content or {}).get(REDIRECT)
    missing = take(pasted) if isinstance(pasted, str) else take("")
    return replace(outcome, content=None), missing


@dataclass(frozen=True)
class _GivenBack:
    """An answer that may not go out."""

    question: Question
    """What is asked again, with a note that says why."""
    is_counted: bool = True
    """Whether it is one of the few that are given back before nobody is asked any more."""


class AskStep:
    """Puts a question into the queue and to the responder, until its answer can go out."""

    def __init__(
        self,
        settings: Settings,
        responder: Responder,
        queue: Queue,
        agent: CallingAgent | None = None,
        drafts: Drafts | None = None,
    ) -> None:
        """`drafts`: has those of the questions of servers; without it each has its own already."""
        self._settings = settings.elicitation
        self._agents = settings.gateway.agent_answers == "allow"
        self._drafts = drafts
        self._responder = responder
        self._queue = queue
        self._agent = agent

    def with_notes(self, entry: Admitted) -> AskPerson:
        """A function that asks its question, with notes that say why a person is asked."""

        async def ask(*notes: str | None) -> Outcome:
            note = " ".join(note for note in (entry.question.note, *notes) if note)
            return await self.ask(entry, replace(entry.question, note=note or None))

        return ask

    async def ask(self, entry: Admitted, question: Question) -> Outcome:
        """Ask until there is an outcome that may go out.

        An accept is given back when its content is not valid, and when its giver did not
        acknowledge a warning, an asked block, or what the content was found to hold: no face can
        leave the deliberate step out. So is what an agent answers in place of a person's own word,
        and an approval whose agent is away, as often as it is given: nobody would get its result.
        """
        # Before it stands in the queue itself, where only older ones are then.
        self._replace_older(question.request)
        # Now, as one of those that this ended may have left it.
        if self._drafts is not None and question.request.traits.from_server:
            draft = self._drafts.draft_for(question.request, entry.is_over)
            question = replace(question, draft=draft)
        given_back = 0
        while True:
            # Also between two attempts: what ended meanwhile is asked nobody again.
            if entry.ended is not None:
                return entry.ended
            judged = self._judged(question, await self._answer(entry, question))
            if isinstance(judged, Outcome):
                return judged
            given_back += judged.is_counted
            if given_back == REPEATS:
                return cancel("policy", f"Asked {REPEATS} times. {judged.question.note}")
            # Another attempt: an answer to the one before is none to this one
            # (`transitions.takes_answer`).
            question = replace(judged.question, attempt=question.attempt + 1)

    def _judged(self, question: Question, outcome: Outcome) -> Outcome | _GivenBack:
        """The outcome that may go out, or the question as it is asked again, with a note why."""
        refused = giver_refusal(question, outcome, agents=self._agents)
        if refused is not None:
            return _GivenBack(replace(question, note=refused, outgoing=()))
        outcome, missing = _redirected(question, outcome)
        judged = valid(question, outcome)
        if not isinstance(judged, Outcome):
            return _GivenBack(replace(question, note=f"{NOT_VALID} {judged}.", outgoing=()))
        if judged.action != "accept":
            return judged
        # Neither counts among the few that are given back: the person did nothing wrong, and what
        # is missing comes from elsewhere.
        if missing is not None:
            return _GivenBack(replace(question, note=missing), is_counted=False)
        if self._is_away(question.request):
            return _GivenBack(replace(question, note=AWAY), is_counted=False)
        # Before what was acknowledged: nobody acknowledges what was not in front of them. A face
        # that cannot know what was on the screen says None, and is not asked for it.
        unseen = question.to_see(judged.content) - (judged.seen or frozenset())
        if judged.seen is not None and unseen:
            parts = neutral_line(", ".join(sorted(unseen)), 200)
            return _GivenBack(replace(question, note=f"{NOT_SEEN} Not shown yet: {parts}."))
        # What the answer itself brought to light is to be acknowledged as well.
        found = question.to_acknowledge_for(judged.content)
        if {finding.id for finding in found} <= judged.acknowledged:
            return judged
        outgoing = tuple(risk for risk in found if risk not in question.review.findings)
        return _GivenBack(replace(question, note=NOT_ACKNOWLEDGED, outgoing=outgoing))

    def _is_away(self, request: ElicitationRequest) -> bool:
        """Whether this asks to let a call be made whose agent is not there to get the result."""
        return (
            request.traits.about_call and self._agent is not None and self._agent.has_left(request)
        )

    def _replace_older(self, request: ElicitationRequest) -> None:
        """`concurrent = "replace"`: a newer question ends its server's older ones."""
        if self._settings.concurrent != "replace" or not request.traits.from_server:
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

    async def _answer(self, entry: Admitted, question: Question) -> Outcome:
        """Wait for the responder, the deadline, or an end from outside, whichever is first.

        The responder's task is ended, and waited for, before this returns: no screen outlives its
        question.
        """
        # An agent waits for its hook as long as it was told, whoever types meanwhile.
        deadline = Deadline(
            self._settings.timeout_sec, fixed=question.request.handed_to is not None
        )
        pending = entry.pending = Pending(question, deadline)
        self._queue.add(pending)
        started = asyncio.Event()
        # Set before the responder begins, which may start the clock at once.
        deadline.on_start = started.set
        answering = asyncio.ensure_future(self._responder.respond(question, deadline))
        clock = asyncio.ensure_future(started.wait())
        try:
            return await _first_end(pending, answering, clock)
        finally:
            entry.pending = None
            # An end from outside stands also where whoever asks is cancelled before it is told of
            # it. An accept does not, as it has reached nobody.
            if pending.settled.done() and pending.settled.result().action != "accept":
                entry.ended = entry.ended or pending.settled.result()
            self._queue.remove(pending)
            clock.cancel()
            answering.cancel()
            # Its screen is gone before the next question may be drawn. Without a bound: whoever did
            # not wait would draw over it, and only the end of the run cannot wait (`Broker.close`).
            await asyncio.gather(answering, clock, return_exceptions=True)


def _replaced_by(older: ElicitationRequest, newer: ElicitationRequest) -> bool:
    """Questions of one round stand side by side; anything else of the same server is replaced.

    Our own questions stay.
    """
    if not older.traits.from_server:
        return False
    same_round = (
        older.call is not None
        and newer.call is not None
        and older.call.id == newer.call.id
        and older.round == newer.round
        # A question that was pushed has no round: it is replaced though it is of the same call.
        and older.protocol.rounds
    )
    return older.server.name == newer.server.name and older.id != newer.id and not same_round


async def _first_end(
    pending: Pending, answering: asyncio.Future[Outcome], clock: asyncio.Future[Any]
) -> Outcome:
    """The outcome that comes first: from outside, of the responder, or that its time is over.

    `clock` is done once the deadline's clock runs.
    """
    deadline = pending.deadline
    while True:
        watched: set[asyncio.Future[object]] = {answering, pending.settled}  # type: ignore[arg-type]
        # The responder starts the clock, when the question is in front of somebody. Until then
        # there is no timeout to wait with, and its start has to wake this.
        if not deadline.started:
            watched.add(clock)
        await asyncio.wait(watched, timeout=deadline.remaining, return_when=asyncio.FIRST_COMPLETED)
        # In this order: an end from outside stands above an answer that came in the same turn.
        if pending.settled.done():
            return pending.settled.result()
        if answering.done():
            # By itself: where this question is called off, the wait above is what raises.
            if answering.cancelled():
                return cancel("nobody", "Whoever was to put the question to a person gave up.")
            return answering.result()
        if deadline.remaining == 0:
            handed = pending.question.request.handed_to is not None
            key = "bridge.hold_sec" if handed else "elicitation.timeout_sec"
            reason = f"No answer was given within {in_seconds(deadline.seconds)}."
            return cancel("deadline", reason, key=key)
