"""The broker: every request that enters leaves with exactly one outcome."""

from elicit_tui.broker.broker import Broker
from elicit_tui.broker.events import BrokerEvent, Notice, Requested, Resolved
from elicit_tui.broker.pending import Pending

__all__ = ["Broker", "BrokerEvent", "Notice", "Pending", "Requested", "Resolved"]
