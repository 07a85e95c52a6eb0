"""Drives one call to its end: rounds of questions, and pages that must be visited first.

A round is an InputRequiredResult (spec: 2026-07-28, multi round-trip requests); pages come with
error -32042 (spec: 2025-11-25, "URL elicitation required"). Either is followed by the same call:

    ours    tools/call, its arguments
    theirs  InputRequiredResult: inputRequests {"where": a form, "login": a page}, requestState "s1"
    ours    tools/call, its arguments, inputResponses {"where": …, "login": …}, requestState "s1"
    theirs  CallToolResult, or the next round

A server that keeps nothing between the two finds everything in the second request. So each key is
answered, refused questions too, and the state goes back as it came. What a server pushes meanwhile
in the handshake era is no matter of this module: `wire` meets it.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from elicit_tui.broker import Broker
from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation import (
    Call,
    ElicitationRequest,
    Outcome,
    ServerIdentity,
    page_of_error,
)
from elicit_tui.elicitation.request import URL_ELICITATION_REQUIRED
from elicit_tui.errors import (
    INVALID_ANSWER,
    Interrupted,
    LimitReached,
    ProtocolCallError,
    ServerError,
)
from elicit_tui.host.awaiting import doubling_pauses
from elicit_tui.host.events import HostEvent, RoundStarted
from elicit_tui.host.exchange import Exchange, Round
from elicit_tui.host.messages import METHOD_NOT_FOUND, elicit_result
from elicit_tui.host.session import Gone, Session, TransportRefused
from elicit_tui.text import neutral_line

# A server that only says "wait" is asked again after these pauses, from the first to the longest.
FIRST_PAUSE_SECONDS: Final = 0.05
LONGEST_PAUSE_SECONDS: Final = 2.0
# So often a silent server is knocked at while a person thinks.
PROBE_SECONDS: Final = 2.0

# How often one call is made again after pages were visited; then its error is told as it is.
MOST_RETRIES: Final = 5
MOST_PAGES: Final = 16
MOST_ON_RECORD: Final = 1_000
"""Of more pages than that only the number is told."""


@dataclass(frozen=True)
class CallDriver:
    """Sends a call's requests over one session and has the broker answer what comes back."""

    identity: ServerIdentity
    session: Session
    broker: Broker
    call: Call
    most_rounds: int
    """Rounds in which no person was asked."""
    emit: Callable[[HostEvent], None]
    given_up: Callable[[], bool]
    """Whether the call is to end: what is still open is refused, and nothing new is asked."""

    async def run(self) -> tuple[dict[str, Any], int]:
        """The server's result, exactly as it came, and how many rounds it took.

        Raises ProtocolCallError, ServerError, Gone, Interrupted when the call was given up, or
        LimitReached when `most_rounds` rounds passed in which no person was asked.
        """
        exchange = Exchange(call=self.call)
        # The two ways in which a call goes on count apart: `number` counts rounds (modern era),
        # `retries` errors that name pages (handshake era).
        number = without_person = retries = 0
        pauses = doubling_pauses(FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS)
        while True:
            try:
                result = await self.session.send(exchange)
            except ProtocolCallError as error:
                retries += 1
                exchange = await self._after_pages(exchange, error, retries)
                continue
            current = exchange.new_round
            # 2026-07-28: a result that asks is a round; any other one ends the call.
            if current is None:
                return result, number
            if exchange.last:
                # The refusals have left; what it asks now is nobody's question any more.
                raise Interrupted("The call was cancelled.")
            number += 1
            outcomes = await self._answered(current, number)
            # Only rounds that cost nobody's time are counted: a person may be asked for ever.
            without_person += not any(outcome.cost_a_person for outcome in outcomes.values())
            if without_person > self.most_rounds:
                raise self._too_many_rounds()
            # A round that only keeps state means "wait and ask again": ever more slowly.
            if current.elicitations:
                pauses = doubling_pauses(FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS)
            else:
                await asyncio.sleep(next(pauses))
            exchange = self._next(current, outcomes, number + 1)

    async def _after_pages(
        self, exchange: Exchange, error: ProtocolCallError, attempt: int
    ) -> Exchange:
        """The same call once more, once the pages of an error are agreed to; else raises it."""
        pages = await self._pages_visited(error, attempt)
        # No message says that a page was agreed to: the record of each counts as sent when this
        # request has left. What the wire noted of the last request is not this one's.
        return replace(exchange, round=attempt + 1, answering=pages, answered_by_error=False)

    async def _answered(self, current: Round, number: int) -> Mapping[str, Outcome]:
        """What came of a round's questions, by key; raises what ends the call."""
        group = len(current.let_through)
        # Told before anything is refused, so that whoever watches sees each round begin.
        self.emit(RoundStarted(self.identity.name, self.call.id, number, group))
        await self._refuse_what_cannot_be_answered(current)
        return await self._outcomes(current)

    def _next(self, current: Round, outcomes: Mapping[str, Outcome], number: int) -> Exchange:
        # The server finds its answers by the keys that it gave. Its state goes back as it came, and
        # where it gave none there must be none (spec: 2026-07-28, multi round-trip requests).
        extra: dict[str, Any] = {}
        if current.elicitations:
            extra["inputResponses"] = {
                judged.key: elicit_result(outcomes[judged.key]) for judged in current.elicitations
            }
        if current.request_state is not None:
            extra["requestState"] = current.request_state
        # Of a flood only the number is recorded: there is no line of its own that would become
        # "sent".
        answering = tuple(
            judged.request for judged in current.elicitations if not outcomes[judged.key].in_group
        )
        # A run that ends refuses what is open. The refusals still go out, in one last request, for
        # else the server would wait for answers that nobody writes any more.
        ending = any(outcome.decided_by == "shutdown" for outcome in outcomes.values())
        last = ending or self.given_up()
        return Exchange(self.call, round=number, extra=extra, answering=answering, last=last)

    async def _outcomes(self, current: Round) -> dict[str, Outcome]:
        # First what the broker's first steps have refused already, then what came of all others.
        # Both are needed: the answer holds every key of the round.
        outcomes = {
            judged.key: judged.outcome
            for judged in current.elicitations
            if judged.outcome is not None
        }
        questions = current.let_through
        resolved = await self._watched([judged.request for judged in questions])
        for judged, outcome in zip(questions, resolved, strict=True):
            outcomes[judged.key] = outcome
        return outcomes

    async def _watched(self, questions: Sequence[ElicitationRequest]) -> tuple[Outcome, ...]:
        """Resolve questions side by side. Raises Gone when the server went away meanwhile."""
        if not questions:
            return ()
        # Each question has a task; beside them one knocks at a server that no stream would show to
        # be gone. Whoever ends first, nothing of this outlives the round: all are cancelled and
        # waited for, and a question that lost its server has the outcome that the broker gave it.
        work = [asyncio.ensure_future(self.broker.resolve(question)) for question in questions]
        probe = asyncio.ensure_future(self._probe()) if self._needs_probe else None
        try:
            outcomes = tuple(await asyncio.gather(*work))
        finally:
            ending: list[asyncio.Future[Any]] = [*work, *([probe] if probe is not None else [])]
            for task in ending:
                task.cancel()
            await asyncio.gather(*ending, return_exceptions=True)
        # One question that ended because its server did tells it for all of them.
        if any(outcome.decided_by == "server" for outcome in outcomes):
            raise Gone
        return outcomes

    @property
    def _needs_probe(self) -> bool:
        """Only there does no open stream show that a server is gone while a person thinks."""
        return self.identity.transport == "http" and self.session.wire.protocol.stateless

    async def _probe(self) -> None:
        while True:
            await asyncio.sleep(PROBE_SECONDS)
            # An answer that refuses is a sign of life too; a lost connection ends the connection.
            with contextlib.suppress(ProtocolCallError, TransportRefused, ServerError, Gone):
                await self.session.probe()

    async def _pages_visited(
        self, error: ProtocolCallError, attempt: int
    ) -> tuple[ElicitationRequest, ...]:
        """The pages that an error names, once a person has agreed to each; else raises the error.

        2025-11-25: where all of them are agreed to, the same call is made again.
        """
        pages = url_elicitations(error)
        if len(pages) > MOST_PAGES:
            raise await self._too_many_pages(error, pages, attempt) from None
        # An error that names no page is an error as any other.
        if not pages or attempt > MOST_RETRIES:
            raise error
        questions = [self._page(params, attempt, len(pages)) for params in pages]
        # All or none: while one page is left the same call would meet the same error.
        consents = await self._watched(questions)
        if any(consent.action != "accept" for consent in consents):
            raise error
        return tuple(questions)

    def _page(self, params: Mapping[str, Any], attempt: int, group: int) -> ElicitationRequest:
        """One of so many pages that an error says must be visited first, as a question."""
        identifier = params.get("elicitationId")
        return ElicitationRequest(
            server=self.identity,
            params=params,
            era="handshake",
            calls=(self.call,),
            round=attempt,
            group_size=group,
            wire_id=identifier if isinstance(identifier, str) else "",
        )

    async def _too_many_pages(
        self, error: ProtocolCallError, pages: Sequence[Mapping[str, Any]], attempt: int
    ) -> ProtocolCallError:
        """The error with our reason, once the pages are on record as not asked about."""
        sentence = (
            f"The server wants {len(pages):,} pages visited first; no more than {MOST_PAGES} "
            "at once are asked about"
        )
        # These were never shown to anybody, and the record has to have them all the same. A server
        # may name a million, and each costs a line there.
        for params in pages[:MOST_ON_RECORD]:
            question = self._page(params, attempt, len(pages))
            if self.broker.admit(question) is None:
                await self._withdrawn(question, f"{sentence}.")
        return ProtocolCallError(error.code, f"{sentence}. It says: {error.message}", error.data)

    async def _refuse_what_cannot_be_answered(self, current: Round) -> None:
        """A round with something in it that was never advertised ends the call.

        inputResponses has no place for an error, and to leave an entry out would be an answer that
        the server cannot tell from a fault of ours.
        """
        if current.defect is None and not current.refused_methods:
            return
        sentence = current.defect or (
            f"The server asked for {current.refused_methods[0]}, which was not advertised to it."
        )
        # What was let through is open at the broker until it has an outcome. It gets one before the
        # call fails, so that none of this round comes to a screen.
        for judged in current.let_through:
            await self._withdrawn(judged.request, sentence)
        if current.defect is not None:
            raise ServerError(current.defect, code=INVALID_ANSWER)
        raise ProtocolCallError(METHOD_NOT_FOUND, sentence)

    async def _withdrawn(self, request: ElicitationRequest, sentence: str) -> None:
        self.broker.withdraw(request.id, f"Its call ended: {sentence}", "call ended")
        await self.broker.resolve(request)

    def _too_many_rounds(self) -> LimitReached:
        return LimitReached(
            f"The call of {neutral_line(self.call.name, 100)} went on for {self.most_rounds} "
            "rounds in which no person was asked (elicitation.rounds allows more).",
            code="rounds",
        )


def url_elicitations(error: ProtocolCallError) -> tuple[Mapping[str, Any], ...]:
    """The params of each page; what is no page cannot be answered, and does not count."""
    if error.code != URL_ELICITATION_REQUIRED or not isinstance(error.data, Mapping):
        return ()
    listed = error.data.get("elicitations")
    pages = map(page_of_error, listed if isinstance(listed, list) else ())
    return tuple(page for page in pages if page is not None)
