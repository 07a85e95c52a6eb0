"""What the driver of a call needs, over one session."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from typing import Any, Final

from elicit_tui.broker import Broker
from elicit_tui.elicitation import Call, ElicitationRequest, Outcome, ServerIdentity
from elicit_tui.errors import ProtocolCallError, ServerError
from elicit_tui.host.exchange import Exchange
from elicit_tui.host.session import Gone, Session, TransportRefused

PROBE_SECONDS: Final = 2.0


class SessionLink:
    """Sends a call's requests and has its questions answered, over one session."""

    def __init__(
        self,
        identity: ServerIdentity,
        session: Session,
        broker: Broker,
        round_started: Callable[[Call, int, int], None],
    ) -> None:
        self._identity = identity
        self._session = session
        self._broker = broker
        self.round_started = round_started

    async def exchange(self, exchange: Exchange) -> dict[str, Any]:
        """Send one request and return its answer as it came."""
        return await self._session.send(exchange)

    async def watched(self, questions: Sequence[ElicitationRequest]) -> tuple[Outcome, ...]:
        """Resolve questions side by side. Raises Gone when the server went away meanwhile."""
        work = [asyncio.ensure_future(self._broker.resolve(question)) for question in questions]
        probe = asyncio.ensure_future(self._probe()) if self._needs_probe else None
        try:
            outcomes = tuple(await asyncio.gather(*work))
        finally:
            ending: list[asyncio.Future[Any]] = [*work, *([probe] if probe is not None else [])]
            for task in ending:
                task.cancel()
            await asyncio.gather(*ending, return_exceptions=True)
        if any(outcome.decided_by == "server" for outcome in outcomes):
            raise Gone
        return outcomes

    @property
    def _needs_probe(self) -> bool:
        """Only there does no open stream show that a server is gone while a person thinks."""
        return self._identity.transport == "http" and self._session.wire.era == "modern"

    async def _probe(self) -> None:
        while True:
            await asyncio.sleep(PROBE_SECONDS)
            # An answer that refuses is a sign of life too; a lost connection ends the connection.
            with contextlib.suppress(ProtocolCallError, TransportRefused, ServerError, Gone):
                await self._session.probe()

    def url_question(self, call: Call, params: Any, attempt: int, group: int) -> ElicitationRequest:
        """A page to be visited, as a question of this server."""
        identifier = params.get("elicitationId")
        return ElicitationRequest(
            server=self._identity,
            params=params,
            era="handshake",
            call=call,
            round=attempt,
            group_size=group,
            wire_id=identifier if isinstance(identifier, str) else "",
        )
