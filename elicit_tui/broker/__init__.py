"""The broker: every request that enters leaves with exactly one outcome."""

from elicit_tui.broker.broker import Broker
from elicit_tui.broker.contracts import (
    Allowance,
    Allowances,
    BrokerEvent,
    Notice,
    Requested,
    Resolved,
)
from elicit_tui.broker.options import BrokerOptions

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
