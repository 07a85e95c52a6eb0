"""Steps 7 and 8, ask and validate: the question goes to its responder until its answer is valid."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from elicit_tui.broker.admitted import Admitted
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
from elicit_tui.elicitation.request import AGENT
from elicit_tui.elicitation.settings import ElicitationSettings
from elicit_tui.text import in_seconds

if TYPE_CHECKING:
    from elicit_tui.form import Problem

REPEATS: Final = 3
"""How often a question is asked; an answer that still cannot go out is withheld then."""

Ask = Callable[..., Awaitable[Outcome]]
"""Puts a question to whoever answers; takes notes that say why."""

AgentLeft = Callable[[ElicitationRequest], bool]
"""Whether the agent has left all calls that a question belongs to, and may still come back."""

NOT_VALID: Final = "The last answer does not satisfy the form, so it was not sent."
NOT_ACKNOWLEDGED: Final = "The last answer passed over what was found, so it was not sent."
AWAY: Final = "The agent has left; this cannot be approved until it is back."


def valid(question: Question, outcome: Outcome) -> Outcome | Problem:
    """Step 8: the outcome as it may go out, or the first thing wrong with its content."""
    if outcome.action != "accept":
        return replace(outcome, content=None)
    if question.request.kind == "approval":
        return replace(outcome, content=None, scope=outcome.scope or "once")
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
    if question.request.kind == "approval":
        return "Only a person can approve a tool."
    if question.request.server.name == AGENT:
        return "This is the agent's own question to its user."
    if action != "accept":
        return None
    if question.request.mode != "form" or question.form is None:
        return "Only a person can visit a page."
    if question.to_acknowledge or question.review.verdict != "allow":
        return "This question needs a person's own look."
    if any(finding.rule.startswith("credentials.") for finding in question.review.findings):
        return "It asks for a secret, which only a person gives."
    if isinstance(content, Mapping) and question.examine(content):
        return "The content looks as if it held a secret."
    return None


class AskStep:
    """Puts a question into the queue and to the responder, until its answer can go out."""

    def __init__(
        self,
        settings: ElicitationSettings,
        responder: Responder,
        queue: Queue,
        agent_left: AgentLeft | None = None,
    ) -> None:
        self._settings = settings
        self._responder = responder
        self._queue = queue
        self._agent_left = agent_left

    def with_notes(self, entry: Admitted) -> Ask:
        """A function that asks its question, with notes that say why a person is asked."""

        async def ask(*notes: str | None) -> Outcome:
            told = " ".join(note for note in (entry.question.note, *notes) if note)
            return await self.ask(entry, replace(entry.question, note=told or None))

        return ask

    async def ask(self, entry: Admitted, question: Question) -> Outcome:
        """Ask until there is an outcome that may go out.

        An accept is given back when its content is not valid, and when its giver did not
        acknowledge a warning, an asked block, or what the content was found to hold: no face can
        leave the deliberate step out. So is what an agent answers in place of a person's own word,
        and an approval whose agent is away, as often as it is given: nobody would get its result.
        """
        self._replace_older(question.request)
        given_back = 0
        while True:
            if entry.ended is not None:
                return entry.ended
            outcome = await self._answer(entry, question)
            judged = valid(question, outcome)
            refused = None
            if outcome.decided_by == "agent":
                refused = agent_refusal(question, outcome.action, outcome.content)
            if refused is not None:
                again = replace(question, note=f"An agent answered. {refused}", outgoing=())
            elif not isinstance(judged, Outcome):
                again = replace(question, note=f"{NOT_VALID} {judged}.", outgoing=())
            elif judged.action != "accept":
                return judged
            elif self._is_away(question.request):
                question = replace(question, note=AWAY, attempt=question.attempt + 1)
                continue
            else:
                outgoing = question.examine(judged.content) if judged.content else ()
                found = {finding.id for finding in (*question.to_acknowledge, *outgoing)}
                if found <= judged.acknowledged:
                    return judged
                again = replace(question, note=NOT_ACKNOWLEDGED, outgoing=outgoing)
            given_back += 1
            if given_back == REPEATS:
                return cancel("policy", f"Asked {REPEATS} times. {again.note}")
            question = replace(again, attempt=question.attempt + 1)

    def _is_away(self, request: ElicitationRequest) -> bool:
        """Whether this asks to let a call be made whose agent is not there to get the result."""
        return (
            request.kind == "approval"
            and self._agent_left is not None
            and self._agent_left(request)
        )

    def _replace_older(self, request: ElicitationRequest) -> None:
        """`concurrent = "replace"`: a newer question ends its server's older ones."""
        if self._settings.concurrent != "replace" or request.kind == "approval":
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
        deadline = Deadline(self._settings.timeout_sec)
        pending = entry.pending = Pending(question, deadline)
        self._queue.add(pending)
        started = asyncio.Event()
        deadline.on_start = started.set
        answering = asyncio.ensure_future(self._responder.respond(question, deadline))
        clock = asyncio.ensure_future(started.wait())
        try:
            while True:
                watched: set[asyncio.Future[object]] = {answering, pending.settled}  # type: ignore[arg-type]
                if not deadline.started:
                    watched.add(clock)  # type: ignore[arg-type]
                await asyncio.wait(
                    watched, timeout=deadline.remaining, return_when=asyncio.FIRST_COMPLETED
                )
                if pending.settled.done():
                    return pending.settled.result()
                if answering.done():
                    return answering.result()
                if deadline.remaining == 0:
                    return cancel(
                        "deadline",
                        f"No answer was given within {in_seconds(deadline.seconds)}.",
                        key="elicitation.timeout_sec",
                    )
        finally:
            entry.pending = None
            self._queue.remove(pending)
            clock.cancel()
            answering.cancel()
            await asyncio.gather(answering, clock, return_exceptions=True)


def _replaced_by(older: ElicitationRequest, newer: ElicitationRequest) -> bool:
    """Questions of one round stand side by side; anything else of the same server is replaced.

    Approvals are our own questions, and stay.
    """
    if older.kind == "approval":
        return False
    same_round = (
        older.call is not None
        and newer.call is not None
        and older.call.id == newer.call.id
        and older.round == newer.round
        and older.era == "modern"
    )
    return older.server.name == newer.server.name and older.id != newer.id and not same_round
