"""Who is asked: the store where a person answers from another terminal, or the agent's own client.

A client's own form is trusted only as far as it goes: where it cannot hold what is asked, or turns
it down faster than anybody reads, the question goes to the store.

It is one responder among others. Policy and guardian have spoken before it, the judge and the
ledger come after it, whoever answers.

The way of one question: whoever is chosen once (`_chosen`) is asked, and where that is the client
and no person seems to have answered, the store is asked after it. `auto` prefers the store where
somebody sits at it, something has to be acknowledged, or a form of the client cannot hold what is
asked.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from typing import Any, Final, Literal

from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation import (
    Deadline,
    Finding,
    Outcome,
    Question,
    accept,
    cancel,
    decline,
    now,
)
from elicit_tui.elicitation.eras import ERAS
from elicit_tui.elicitation.request import AGENT
from elicit_tui.elicitation.settings import AskVia
from elicit_tui.gateway.agent_answers import AgentAnswers
from elicit_tui.gateway.agents import agent_called
from elicit_tui.gateway.clock import Clock
from elicit_tui.gateway.held_call import HeldCall, agent_state
from elicit_tui.gateway.held_calls import TAKEN_BACK, HeldCalls
from elicit_tui.gateway.other_terminal import OtherTerminal
from elicit_tui.gateway.requester import ClientSilent, Requester, hold_seconds, runs_alone
from elicit_tui.text import neutral, neutral_line

Way = Literal["store", "client"]

TOO_FAST_SECONDS: Final = 1.0
"""Nobody reads a question and turns it down in less."""


@dataclass(frozen=True)
class AskedInClient:
    """A question that stands in the agent's own client, where no inbox can answer it."""

    server: str
    tool: str | None
    since: datetime


class Asking:
    """The responder of one session."""

    def __init__(
        self,
        held_calls: HeldCalls,
        other_terminal: OtherTerminal,
        clock: Clock,
        *,
        ask_via: AskVia,
        hold_sec: float | Literal["auto"],
        client_asked: Callable[[Sequence[AskedInClient]], None],
        agent_answers: AgentAnswers,
    ) -> None:
        """`hold_sec`: how long a client may stay silent; then its question is taken away.

        `client_asked`: told what the agent's own client shows, each time when that is another.
        """
        self._held_calls = held_calls
        self._other_terminal = other_terminal
        self._clock = clock
        self._ask_via = ask_via
        self._hold_sec = hold_sec
        self._ways: dict[str, Way] = {}
        self.agent_answers = agent_answers
        self._too_much: set[tuple[str | None, frozenset[str]]] = set()
        """The kinds of fields that a client's form accepted without content, by its name."""
        self._alone: set[str | None] = set()
        """Agents whose client turned its last question down faster than anybody reads, by name."""
        self._in_client: dict[str, AskedInClient] = {}
        """What its client shows now, by the question's id."""
        self._client_asked = client_asked

    def forget(self, question_id: str) -> None:
        """Forget how a question was asked: it has its outcome."""
        self._ways.pop(question_id, None)

    async def respond(self, question: Question, deadline: Deadline) -> Outcome:
        """Ask whoever is to be asked."""
        held_calls = self._held_calls.of_request(question.request)
        # Taken back while the broker's earlier steps were at it.
        if held_calls and all(held.withdrawn for held in held_calls):
            return cancel("withdrawn", TAKEN_BACK)
        # A person may see it from here on: if its agent leaves now, the call is not just cancelled.
        for held in held_calls:
            held.has_asked = True
        if await self._way(question, held_calls) == "client":
            # A client shows it at once, so that its time begins now.
            deadline.start()
            with self._shown_in_client(question):
                outcome = await self._of_client(question, held_calls)
            if outcome is not None:
                return outcome
            # What the broker sends back, such as content that its judge refuses, is asked there
            # too.
            self._ways[question.id] = "store"
        return await self._of_store(question, deadline, held_calls)

    # The choice

    async def _way(self, question: Question, held_calls: Sequence[HeldCall]) -> Way:
        """Chosen once per question; a client that stayed silent is not asked again."""
        chosen = self._ways.get(question.id)
        if chosen is None:
            chosen = self._ways[question.id] = await self._chosen(question, held_calls)
        return chosen

    async def _chosen(self, question: Question, held_calls: Sequence[HeldCall]) -> Way:
        found = self._client_of(question, held_calls)
        if self._ask_via == "console" or found is None or not self._can_hold(question, found[1]):
            return "store"
        if self._ask_via == "client":
            return "client"
        if _needs_acknowledgement(question) or await self._other_terminal.somebody_is_there():
            return "store"
        return "client"

    def _client_of(
        self, question: Question, held_calls: Sequence[HeldCall]
    ) -> tuple[HeldCall, Requester] | None:
        """The request of the agent whose client can show this question."""
        request = question.request
        if "client" not in request.traits.accepted_by:
            return None
        # What a client can only confirm is asked of it with an empty form.
        mode = "form" if request.traits.client_confirms else request.mode
        for held in held_calls:
            # A client that has a round of this call will call again for the next one.
            in_a_round = () if held.with_client is None else (held.with_client,)
            for requester in (*held.requesters, *in_a_round):
                known = agent_called(requester.agent.name)
                drops = known.drops_forms and not requester.http
                if mode in requester.agent.modes and not drops:
                    return held, requester
        return None

    # The agent's own client

    @contextmanager
    def _shown_in_client(self, question: Question) -> Iterator[None]:
        """Within this the question stands in the client, and nowhere else."""
        call = question.request.call
        tool = call.name if call is not None else None
        self._in_client[question.id] = AskedInClient(question.request.server.name, tool, now())
        self._client_asked(tuple(self._in_client.values()))
        try:
            yield
        finally:
            del self._in_client[question.id]
            self._client_asked(tuple(self._in_client.values()))

    def _can_hold(self, question: Question, requester: Requester) -> bool:
        """Whether this client's form can hold the fields of a question, as far as is known."""
        kinds = _kinds(question)
        name = requester.agent.name
        return agent_called(name).can_show(kinds) and not any(
            # A form that has all these kinds, and perhaps others too.
            known == name and kinds >= too_much
            for known, too_much in self._too_much
        )

    def _is_believed(
        self, question: Question, outcome: Outcome, requester: Requester, began: float
    ) -> bool:
        """Whether a client's answer may be a person's.

        An accept is judged like any other. One without the content that its form has to give was
        not filled in: that form cannot hold it, and does not get its like again.
        """
        if outcome.action == "accept":
            form = question.form
            if form is None or outcome.content or not any(field.required for field in form.fields):
                self._alone.discard(requester.agent.name)
                return True
            # Learned from what it did: an accept without the content that its form has to give was
            # not filled in by anybody, and a form with the same kinds of fields would fare no
            # better.
            self._too_much.add((requester.agent.name, _kinds(question)))
            return False
        # The owner wants its clients asked: a no is believed, whoever says it.
        if self._ask_via != "auto":
            return True
        # A client without a person behind it declines what it is asked by itself, and does so at
        # once.
        if self._clock.time() - began < TOO_FAST_SECONDS:
            self._alone.add(requester.agent.name)
            return False
        self._alone.discard(requester.agent.name)
        return not runs_alone(requester)

    def seems_alone(self, requester: Requester) -> bool:
        """Whether no user comes back to this agent, by what is known of it."""
        return runs_alone(requester) or requester.agent.name in self._alone

    async def _of_client(
        self, question: Question, held_calls: Sequence[HeldCall]
    ) -> Outcome | None:
        """What the client answered; None when that was no person's answer, or there was none."""
        found_client = self._client_of(question, held_calls)
        began = self._clock.time()
        try:
            answer = await self._put(question, held_calls, _params(question))
            outcome = _outcome(question, answer)
            if found_client and not self._is_believed(question, outcome, found_client[1], began):
                return None
            if outcome.action != "accept":
                return outcome
            to_acknowledge = question.to_acknowledge_for(outcome.content)
            if not to_acknowledge:
                return outcome
            # What only the answer brought to light: the client's person could not have seen it
            # beforehand.
            found = set(to_acknowledge).difference(question.review.findings)
            if found and self._ask_via == "auto":
                # Its form cannot acknowledge. A person at the console can, and finds the answer
                # there as the agent's.
                if question.form is not None and outcome.content:
                    entries = question.form.entries_for(outcome.content)
                    question.draft.fill_in(entries, frozenset(outcome.content))
                return None
            return await self._acknowledged(question, held_calls, outcome)
        except ClientSilent:
            return None

    async def _acknowledged(
        self, question: Question, held_calls: Sequence[HeldCall], outcome: Outcome
    ) -> Outcome:
        """An accept once the client's person has taken the second step. Raises ClientSilent."""
        found = question.to_acknowledge_for(outcome.content)
        second = await self._put(question, held_calls, _second_step(question, found))
        if second.get("action") != "accept":
            return decline("client", "The client declined the second step.", via="client")
        return replace(outcome, acknowledged=frozenset(finding.id for finding in found))

    async def _put(
        self, question: Question, held_calls: Sequence[HeldCall], params: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        """Show one form on the client and wait for what it says. Raises ClientSilent.

        What is none of the three actions says nothing: a round comes past the SDK's models.
        """
        found = self._client_of(question, held_calls)
        if found is None:
            raise ClientSilent
        answer = await self._shown_by(*found, question, params)
        if answer.get("action") not in ("accept", "decline", "cancel"):
            raise ClientSilent
        return answer

    async def _shown_by(
        self,
        held: HeldCall,
        requester: Requester,
        question: Question,
        params: Mapping[str, Any],
    ) -> Mapping[str, Any]:
        # A client of the modern era is asked in the answer to its call, and answers with the next
        # one.
        if ERAS[requester.era].rounds:
            return await self._in_a_round(question, held, requester, params)
        asking = asyncio.ensure_future(requester.elicit(params))
        return await self._within(asking, held, requester)

    async def _in_a_round(
        self,
        question: Question,
        held: HeldCall,
        requester: Requester,
        params: Mapping[str, Any],
    ) -> Mapping[str, Any]:
        try:
            wanted = question.request.wire_id
            with held.rounds.asking(wanted, params, once=held.is_task) as answer:
                # Questions that come together go out together: one turn of the loop gathers them.
                await asyncio.sleep(0)
                held.changed()
                return await self._within(answer, held, requester, in_a_round=True)
        finally:
            # The question is gone, so that a request that is held may be answered otherwise now.
            held.changed()

    async def _within(
        self,
        asking: asyncio.Future[Mapping[str, Any]],
        held: HeldCall,
        requester: Requester,
        *,
        in_a_round: bool = False,
    ) -> Mapping[str, Any]:
        """Wait as long as a client may stay silent, and while the request is there that asks it.

        `in_a_round`: that request has ended, and another one brings the answer.
        """
        silence = asyncio.ensure_future(self._clock.sleep(hold_seconds(self._hold_sec, requester)))
        gone = asyncio.ensure_future(_gone(held, None if in_a_round else requester))
        try:
            await asyncio.wait((asking, silence, gone), return_when=asyncio.FIRST_COMPLETED)
            if not asking.done():
                raise ClientSilent
            return asking.result()
        finally:
            for waiter in (asking, silence, gone):
                waiter.cancel()

    # The store

    async def _of_store(
        self, question: Question, deadline: Deadline, held_calls: Sequence[HeldCall]
    ) -> Outcome:
        with (
            self.agent_answers.awaited(question) as answered,
            self._held_calls.waiting_for(question),
        ):
            return await self._first_of(question, deadline, answered, held_calls)

    async def _first_of(
        self,
        question: Question,
        deadline: Deadline,
        answered: asyncio.Future[Outcome],
        held_calls: Sequence[HeldCall],
    ) -> Outcome:
        """Whoever answers first: a person, or the agent where the owner lets it."""
        answer = self._other_terminal.respond(question, deadline, lambda: agent_state(held_calls))
        person = asyncio.ensure_future(answer)
        try:
            await asyncio.wait((person, answered), return_when=asyncio.FIRST_COMPLETED)
            # Where both came in one turn of the loop the person's counts.
            return person.result() if person.done() else answered.result()
        finally:
            if not person.done():
                person.cancel()
                # It takes the question out of the store. That is waited for, as nobody may answer
                # it any more.
                await asyncio.gather(person, return_exceptions=True)


async def _gone(held: HeldCall, requester: Requester | None) -> None:
    """Returns when the request that carries the client's form is over."""
    with held.listening() as changed:
        # In a round no request is held that could end: this then only ends when it is cancelled.
        while requester is None or requester in held.requesters:
            changed.clear()
            await changed.wait()


def _kinds(question: Question) -> frozenset[str]:
    """The kinds of fields that a question has."""
    fields = question.form.fields if question.form is not None else ()
    return frozenset(field.kind for field in fields)


def _needs_acknowledgement(question: Question) -> bool:
    return question.request.traits.client_confirms or bool(question.to_acknowledge)


def _params(question: Question) -> dict[str, Any]:
    """The question as the client is asked it: who asks stands before the server's own message."""
    request = question.request
    note = f"\n\n({neutral_line(question.note, 500)})" if question.note else ""
    if request.traits.client_confirms:
        return {"mode": "form", "message": f"{request.message}{note}", "requestedSchema": _YES_NO}
    asks = "" if request.server.name == AGENT else f"{request.server.name} asks: "
    message = f"{asks}{neutral(request.message)}{note}"
    if request.mode == "url":
        elicitation_id = request.elicitation_id or request.id
        return {
            "mode": "url",
            "message": message,
            "url": request.url,
            "elicitationId": elicitation_id,
        }
    return {"mode": "form", "message": message, "requestedSchema": request.requested_schema or {}}


_YES_NO: Final[Mapping[str, Any]] = {"type": "object", "properties": {}}


def _second_step(question: Question, findings: Sequence[Finding]) -> dict[str, Any]:
    """The deliberate step, in our words: each finding, and whether to go on in spite of it."""
    lines = "\n".join(
        f"- {neutral_line(finding.advice or finding.rule, 300)}" for finding in findings
    )
    server = neutral_line(question.request.server.name, 80)
    return {
        "mode": "form",
        "message": f"Before your answer goes to {server}:\n{lines}\nSend it all the same?",
        "requestedSchema": _YES_NO,
    }


def _outcome(question: Question, answer: Mapping[str, Any]) -> Outcome:
    """What a client answered. Raises ClientSilent where it gave what is no content of a form."""
    action = answer.get("action")
    if action == "accept":
        content = answer.get("content")
        is_form = question.request.mode == "form"
        # Never read as an empty answer: what its person meant would be sent as nothing.
        if is_form and content is not None and not isinstance(content, Mapping):
            raise ClientSilent
        held = (content or {}) if is_form else None
        # A client's form cannot choose a scope; the first one holds for the least.
        scope = next(iter(question.request.traits.scopes), None)
        return accept("client", "The agent's client answered.", held, via="client", scope=scope)
    if action == "decline":
        return decline("client", "The agent's client declined.", via="client")
    return cancel("client", "The agent's client dismissed the question.", via="client")
