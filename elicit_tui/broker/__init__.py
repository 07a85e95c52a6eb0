"""The broker: every request that enters leaves with exactly one outcome."""

from elicit_tui.broker.allowances import Allowance, Allowances
from elicit_tui.broker.broker import Broker
from elicit_tui.broker.events import BrokerEvent, Notice, Requested, Resolved

__all__ = [
    "Allowance",
    "Allowances",
    "Broker",
    "BrokerEvent",
    "Notice",
    "Requested",
    "Resolved",
]
