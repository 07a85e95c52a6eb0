"""The one door past the judge: answers that a scenario gives wrong on purpose.

Only `scenarios` imports this (a contract of import-linter says so), and a run has the door only
where a scenario opened it. What goes through is in the ledger like every other answer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from elicit_tui.broker import Broker
from elicit_tui.elicitation import ElicitationRequest, Outcome
from elicit_tui.host.host import Host
from elicit_tui.host.messages import elicit_result, result_message

Instead = Callable[[ElicitationRequest, Outcome], Outcome]
"""What is sent in place of an outcome; the same one where nothing is to be changed."""


class Door:
    """Changes what leaves for the servers of one host; opened before the first connects."""

    def __init__(self, host: Host, instead: Instead) -> None:
        self._host = host
        self._instead = instead
        host.put_between(self._stand_before)

    def _stand_before(self, broker: Broker) -> Broker:
        self._broker = broker
        return cast(Broker, _PastTheJudge(broker, self._instead))

    def send_again(self, request: ElicitationRequest, outcome: Outcome) -> None:
        """Send another answer to a question that has had its own, where that can be done.

        Only in the handshake era is an answer a message of its own.
        """
        connection = self._host.connections.get(request.server.name)
        wire = connection.wire if connection is not None else None
        if wire is None or request.wire_id is None or request.protocol.rounds:
            return
        self._broker.overruled(request, outcome)
        wire.outbox.put(result_message(request.wire_id, elicit_result(outcome)))


class _PastTheJudge:
    """A broker whose outcomes are changed after they were decided, and recorded once more."""

    def __init__(self, broker: Broker, instead: Instead) -> None:
        self._broker = broker
        self._instead = instead

    def __getattr__(self, name: str) -> Any:
        return getattr(self._broker, name)

    async def resolve(self, request: ElicitationRequest) -> Outcome:
        """The broker's outcome, or what the scenario sends in its place."""
        outcome = await self._broker.resolve(request)
        changed = self._instead(request, outcome)
        if changed is not outcome:
            self._broker.overruled(request, changed)
        return changed
