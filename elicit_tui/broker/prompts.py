"""What is found in what an agent itself wants to do, before a person is asked about it."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from elicit_tui.broker.contracts import Guardian
from elicit_tui.elicitation import ElicitationRequest, Review, Severity, review_of_call
from elicit_tui.elicitation.own_questions import texts_of_call

_FAMILIES: Final = ("deception", "destructive", "hidden", "url")
_MEANT_FOR_PROSE: Final = ("destructive.told", "hidden.link", "hidden.mixed_letters")
"""The words of a command are no sentence whose signs add up, and it may hold an address; mixed
letters are found by `review_of_call`, with their place."""
_NO_FORM: Final = {"type": "object", "properties": {}}


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
