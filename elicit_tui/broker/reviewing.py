"""Step 5, guardian: what is found in a question, in what an agent wants to do, and in an answer."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, Protocol

from elicit_tui.elicitation import (
    ElicitationRequest,
    Finding,
    Outcome,
    Question,
    Review,
    Severity,
    review_of_call,
)
from elicit_tui.elicitation.own_questions import texts_of_call
from elicit_tui.text.hostile_json import is_larger_than

if TYPE_CHECKING:
    from elicit_tui.form.form import Form

LARGE: Final = 1_000
"""Parts of a question (`is_larger_than`) from which on the guardian takes more than a moment."""
_FAMILIES: Final = ("deception", "destructive", "hidden", "url")
_MEANT_FOR_PROSE: Final = ("destructive.told", "hidden.link", "hidden.mixed_letters")
"""The words of a command are no sentence whose signs add up, and it may hold an address; mixed
letters are found by `review_of_call`, with their place."""
_NO_FORM: Final = {"type": "object", "properties": {}}


class Guardian(Protocol):
    """Finds what is risky in requests and answers."""

    def review(self, request: ElicitationRequest) -> Review:
        """All findings about one request; must not raise. Large ones come in another thread."""
        ...

    def outgoing(self, content: Mapping[str, Any], form: Form | None) -> tuple[Finding, ...]:
        """Secrets that an answer to this form seems to hold; must not raise."""
        ...


async def review_of(guardian: Guardian, request: ElicitationRequest) -> Review:
    """What the guardian finds; keys, clocks and other servers do not wait for a large question."""
    if is_larger_than(request.params, LARGE):
        return await asyncio.to_thread(_review_of_large, guardian, request)
    return guardian.review(request)


def _review_of_large(guardian: Guardian, request: ElicitationRequest) -> Review:
    # Kept with the request for its record and its draft, which are made on the event loop.
    _ = request.digest, request.digest_of_what_is_asked
    return guardian.review(request)


def review_of_prompt(guardian: Guardian, request: ElicitationRequest) -> Review:
    """What the guardian finds in the command, the change or the arguments; it declines none.

    Its rules are made for what servers write. In a command they may see what is not there, so the
    worst that they come to is a warning, which a person has to acknowledge.
    """
    call = request.call
    if call is None:
        return Review()
    params = {"mode": "form", "message": texts_of_call(call), "requestedSchema": _NO_FORM}
    as_prose = replace(request, kind="elicitation", params=params)
    found = [
        replace(finding, severity=min(finding.severity, Severity.WARN), where="arguments")
        for finding in guardian.review(as_prose).findings
        if finding.rule.partition(".")[0] in _FAMILIES and finding.rule not in _MEANT_FOR_PROSE
    ]
    return Review((*found, *review_of_call(call).findings))


def review_with_answer(guardian: Guardian, question: Question, outcome: Outcome) -> Review:
    """The review with what an answer was found to hold: noted, and masked wherever it is shown."""
    if outcome.action != "accept" or not outcome.content:
        return question.review
    outgoing = guardian.outgoing(outcome.content, question.form)
    return replace(question.review, outgoing=outgoing)
