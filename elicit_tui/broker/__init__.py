"""The broker: every request that enters leaves with exactly one outcome.

Questions come in by three doors of `Broker` and meet in `_see_through`: a server's own (`resolve`,
all nine steps), what an agent wants to do (`approve` and `permit`), and a login (`authorize`); to
the last two kinds nobody but a person says yes. What is refused at the door has its outcome there
(`_ended_at_once`). All else has an entry among the open ones (`admitted`). Whatever ends it, inside
or outside, sets that entry's end, and `_finish` alone takes the entry out and writes down how it
ended. What the record says after that is what became of the answer: `sent`, `taken_back`,
`withdrawn_late`, `overruled`.

A responder shows questions. Where that is not this process, two modules speak through the store:
`store_responder` in the process that asks, and `inbox` in each one in which a person answers.
"""

from elicit_tui.broker.broker import Broker
from elicit_tui.broker.contracts import (
    Allowance,
    Allowances,
    BrokerEvent,
    BrokerOptions,
    Notice,
    Requested,
    Resolved,
)

__all__ = [
    "Allowance",
    "Allowances",
    "Broker",
    "BrokerEvent",
    "BrokerOptions",
    "Notice",
    "Requested",
    "Resolved",
]
