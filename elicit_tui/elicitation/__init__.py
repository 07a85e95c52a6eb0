"""The nouns of the house: server, request, finding, outcome, question, settings.

Every room above may import them: values, most of them frozen, the queue, and what a secret looks
like. Nothing here reads a file, draws or speaks the wire.
"""

from elicit_tui.elicitation.eras import Era
from elicit_tui.elicitation.finding import MASK, Finding, Review, Severity, Verdict, Weight
from elicit_tui.elicitation.kind import KINDS, Kind, KindTraits
from elicit_tui.elicitation.outcome import (
    Action,
    Answerer,
    DecidedBy,
    Outcome,
    Scope,
    ServerEnd,
    Via,
    accept,
    cancel,
    decline,
    ended_unsent,
    unsent,
)
from elicit_tui.elicitation.own_questions import (
    LoginPage,
    approval_request,
    authorization_request,
    hints_of,
    prompt_request,
    review_of_call,
    what_changed,
)
from elicit_tui.elicitation.question import (
    Deadline,
    Draft,
    Examine,
    Presence,
    Question,
    Responder,
    finished,
    form_of,
)
from elicit_tui.elicitation.queue import Pending, Queue
from elicit_tui.elicitation.request import (
    Call,
    ElicitationRequest,
    Method,
    ServerIdentity,
    Transport,
    new_id,
    now,
    page_of_error,
    rfc3339,
)

__all__ = [
    "KINDS",
    "MASK",
    "Action",
    "Answerer",
    "Call",
    "Deadline",
    "DecidedBy",
    "Draft",
    "ElicitationRequest",
    "Era",
    "Examine",
    "Finding",
    "Kind",
    "KindTraits",
    "LoginPage",
    "Method",
    "Outcome",
    "Pending",
    "Presence",
    "Question",
    "Queue",
    "Responder",
    "Review",
    "Scope",
    "ServerEnd",
    "ServerIdentity",
    "Severity",
    "Transport",
    "Verdict",
    "Via",
    "Weight",
    "accept",
    "approval_request",
    "authorization_request",
    "cancel",
    "decline",
    "ended_unsent",
    "finished",
    "form_of",
    "hints_of",
    "new_id",
    "now",
    "page_of_error",
    "prompt_request",
    "review_of_call",
    "rfc3339",
    "unsent",
    "what_changed",
]
