"""The nouns of the house: server, request, finding, outcome, question, settings.

Plain frozen values that every room above may import; nothing here reads a file, draws or speaks
the wire.
"""

from elicit_tui.elicitation.finding import MASK, Finding, Review, Severity, Verdict
from elicit_tui.elicitation.outcome import (
    Action,
    DecidedBy,
    Outcome,
    accept,
    cancel,
    decline,
    unsent,
)
from elicit_tui.elicitation.question import Deadline, Question, Responder
from elicit_tui.elicitation.request import (
    Call,
    ElicitationRequest,
    Era,
    Method,
    new_id,
    now,
    rfc3339,
)
from elicit_tui.elicitation.server import ServerIdentity, Transport

__all__ = [
    "MASK",
    "Action",
    "Call",
    "Deadline",
    "DecidedBy",
    "ElicitationRequest",
    "Era",
    "Finding",
    "Method",
    "Outcome",
    "Question",
    "Responder",
    "Review",
    "ServerIdentity",
    "Severity",
    "Transport",
    "Verdict",
    "accept",
    "cancel",
    "decline",
    "new_id",
    "now",
    "rfc3339",
    "unsent",
]
