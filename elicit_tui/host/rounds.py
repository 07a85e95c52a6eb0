"""Drives one call to its end: rounds of questions, and pages that must be visited first."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final, Protocol

from elicit_tui.broker import Broker
from elicit_tui.elicitation import Call, ElicitationRequest, Outcome
from elicit_tui.errors import LimitReached, ProtocolCallError, ServerError
from elicit_tui.host.answers import elicit_result
from elicit_tui.host.exchange import Exchange, Judged, Round
from elicit_tui.host.url_required import MOST_RETRIES, url_elicitations
from elicit_tui.text import neutral_line

FIRST_PAUSE_SECONDS: Final = 0.05
LONGEST_PAUSE_SECONDS: Final = 2.0

URL_ELICITATION_REQUIRED: Final = -32042
METHOD_NOT_FOUND: Final = -32601


class Link(Protocol):
    """What the driver needs of its connection."""

    async def exchange(self, exchange: Exchange) -> dict[str, Any]:
        """Send one request and return its answer as it came."""
        ...

    async def watched(self, questions: Sequence[ElicitationRequest]) -> tuple[Outcome, ...]:
        """Resolve questions side by side, while noticing when the server goes away."""
        ...

    def url_question(self, call: Call, params: Any, attempt: int, group: int) -> ElicitationRequest:
        """A page to be visited, as a question of this server."""
        ...

    def round_started(self, call: Call, number: int, group_size: int) -> None:
        """Tell who watches that questions came."""
        ...


async def drive(
    link: Link, broker: Broker, call: Call, most_rounds: int
) -> tuple[dict[str, Any], int]:
    """The server's result, exactly as it came, and how many rounds it took.

    Raises ProtocolCallError, ServerError, or LimitReached when `most_rounds` rounds passed in
    which no person was asked.
    """
    exchange = Exchange(call=call)
    number = without_person = retries = 0
    pause = FIRST_PAUSE_SECONDS
    while True:
        try:
            result = await link.exchange(exchange)
        except ProtocolCallError as error:
            retries += 1
            pages = url_elicitations(error) if error.code == URL_ELICITATION_REQUIRED else ()
            questions = [link.url_question(call, page, retries, len(pages)) for page in pages]
            if not questions or retries > MOST_RETRIES:
                raise
            consents = await link.watched(questions)
            if any(consent.action != "accept" for consent in consents):
                raise
            exchange = replace(exchange, round=retries + 1, answering=tuple(questions))
            continue
        asked = exchange.asked
        if asked is None:
            return result, number
        number += 1
        link.round_started(call, number, len(asked.let_through))
        await _refuse_what_cannot_be_answered(broker, asked)
        outcomes = await _outcomes(link, asked)
        if not any(outcome.decided_by in ("user", "deadline") for outcome in outcomes.values()):
            without_person += 1
            if without_person > most_rounds:
                raise LimitReached(
                    f"The call of {neutral_line(call.name, 100)} went on for {most_rounds} rounds "
                    "in which no person was asked (elicitation.rounds allows more).",
                    code="rounds",
                )
        if asked.elicitations:
            pause = FIRST_PAUSE_SECONDS
        else:
            await asyncio.sleep(pause)
            pause = min(pause * 2, LONGEST_PAUSE_SECONDS)
        exchange = _next(call, asked, outcomes, number + 1)


def _next(call: Call, asked: Round, outcomes: dict[str, Outcome], number: int) -> Exchange:
    extra: dict[str, Any] = {}
    if asked.elicitations:
        extra["inputResponses"] = {
            judged.key: elicit_result(outcomes[judged.key]) for judged in asked.elicitations
        }
    if asked.request_state is not None:
        extra["requestState"] = asked.request_state
    answering = tuple(
        judged.request for judged in asked.elicitations if not outcomes[judged.key].in_group
    )
    return Exchange(call=call, round=number, extra=extra, answering=answering)


async def _outcomes(link: Link, asked: Round) -> dict[str, Outcome]:
    outcomes = {
        judged.key: judged.outcome for judged in asked.elicitations if judged.outcome is not None
    }
    questions = asked.let_through
    resolved = await link.watched([judged.request for judged in questions]) if questions else ()
    for judged, outcome in zip(questions, resolved, strict=True):
        outcomes[judged.key] = outcome
    return outcomes


async def _refuse_what_cannot_be_answered(broker: Broker, asked: Round) -> None:
    """A round with something in it that was never advertised ends the call.

    inputResponses has no place for an error, and to leave an entry out would be an answer that
    the server cannot tell from a fault of ours.
    """
    if asked.defect is None and not asked.refused_methods:
        return
    sentence = asked.defect or (
        f"The server asked for {asked.refused_methods[0]}, which was not advertised to it."
    )
    for judged in asked.let_through:
        await _withdrawn(broker, judged, sentence)
    if asked.defect is not None:
        raise ServerError(asked.defect, code="invalid_answer")
    raise ProtocolCallError(METHOD_NOT_FOUND, sentence)


async def _withdrawn(broker: Broker, judged: Judged, sentence: str) -> None:
    broker.withdraw(judged.request.id, f"Its call ended: {sentence}")
    await broker.resolve(judged.request)
