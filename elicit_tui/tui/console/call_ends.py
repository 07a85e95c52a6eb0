"""How a call ended: by what was raised, and by what became of each question that it asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from elicit_tui.elicitation.keeping import kept_content
from elicit_tui.errors import ElicitTuiError, Interrupted, ProtocolCallError, ToolRefused
from elicit_tui.text import neutral, neutral_line, readable_json
from elicit_tui.tui.console.calls import AnsweredQuestion
from elicit_tui.tui.console.outcome_words import ending

if TYPE_CHECKING:
    from elicit_tui.broker.contracts import Resolved
    from elicit_tui.elicitation import ElicitationRequest
    from elicit_tui.elicitation.settings import ContentPolicy
    from elicit_tui.tui.console.calls import CallRecord, CallState

MESSAGE_CHARACTERS: Final = 120
SENT_CHARACTERS: Final = 2_000
"""Of what was sent that a call tells; the history has all of it."""
FAILURE_CHARACTERS: Final = 4_000


def end_with(record: CallRecord, error: ElicitTuiError) -> None:
    """The call came to nothing, as this says."""
    if isinstance(error, Interrupted):
        record.end("cancelled", failure=record.cancelled_by)
        return
    words = str(error)
    if isinstance(error, ProtocolCallError):
        words = f"The server answered with error {error.shown_code}: {error.message}"
    state: CallState = "refused" if isinstance(error, ToolRefused) else "failed"
    record.end(state, failure=neutral(words, FAILURE_CHARACTERS))


def message_of(request: ElicitationRequest) -> str:
    """What a question said, or the page that it was about, in one neutral line."""
    return neutral_line(request.message or request.url or "(no message)", MESSAGE_CHARACTERS)


def note_question(record: CallRecord, event: Resolved, policy: ContentPolicy) -> None:
    """Have the end of a question told at its call, as far as the history may keep it."""
    request, outcome = event.request, event.outcome
    of_one = len(request.calls) == 1
    if of_one and outcome.decided_by == "user":
        record.waited += event.waited_ms / 1000
    if request.traits.about_call:
        record.confirmation = ending(outcome)
        return
    content = kept_content(outcome.content, event.review, policy)
    sent = neutral_line(readable_json(content, indent=None), SENT_CHARACTERS) if content else ""
    end = AnsweredQuestion(message_of(request), outcome.action, ending(outcome), of_one, sent)
    record.answered.append(end)
