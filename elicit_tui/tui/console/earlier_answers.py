"""What a server was answered in this run, offered again in its next question."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from elicit_tui.elicitation.finding import MASK
from elicit_tui.elicitation.keeping import kept_arguments
from elicit_tui.form.json_values import json_key
from elicit_tui.form.shape import secret_names
from elicit_tui.text import neutral_line

if TYPE_CHECKING:
    from elicit_tui.broker.contracts import Resolved
    from elicit_tui.elicitation import ElicitationRequest

LONGEST: Final = 300
KEPT_VALUES: Final = 20
KEPT_FIELDS: Final = 500
KEPT_FORMS: Final = 100
LONGEST_ANSWER: Final = 100_000
"""Characters of an answer, as Python writes it, that is filled in again."""


class EarlierAnswers:
    """What the person sent, by server: texts of a field, and whole forms; never a secret."""

    def __init__(self) -> None:
        self._texts: dict[tuple[str, str], list[str]] = {}
        self._forms: dict[Hashable, Mapping[str, Any]] = {}

    def remember(self, event: Resolved) -> None:
        """Take note of what the person sent, as far as it can be seen whole and told."""
        outcome = event.outcome
        if outcome.action != "accept" or outcome.decided_by != "user" or not outcome.content:
            return
        told = kept_arguments(outcome.content, event.review, "redacted") or {}
        secret = secret_names(event.request.requested_schema)
        content = {
            name: value
            for name, value in outcome.content.items()
            if name not in secret and MASK != told.get(name) == value
        }
        for name, value in content.items():
            if value and isinstance(value, str) and neutral_line(value, LONGEST) == value:
                self._put(event.request.server.name, name, value)
        if content and len(repr(content)) <= LONGEST_ANSWER:
            for place in _places(event.request):
                self._forms.pop(place, None)
                self._forms[place] = content
            while len(self._forms) > 2 * KEPT_FORMS:
                del self._forms[next(iter(self._forms))]

    def _put(self, server: str, name: str, value: str) -> None:
        before = self._texts.pop((server, name), [])
        others = [text for text in before if text != value]
        self._texts[server, name] = [value, *others][:KEPT_VALUES]
        if len(self._texts) > KEPT_FIELDS:
            del self._texts[next(iter(self._texts))]

    def known(self, server: str, name: str) -> Sequence[str]:
        """What this server was sent for a field of this name."""
        return self._texts.get((server, name), ())

    def last(self, request: ElicitationRequest) -> Mapping[str, Any]:
        """What this server was sent last for the same form, of the same message if there is one."""
        found = (self._forms[place] for place in _places(request) if place in self._forms)
        return next(found, {})


def _places(request: ElicitationRequest) -> tuple[Hashable, Hashable]:
    """Where the answer to a form is kept: of this message, and of whatever message it has."""
    form = request.server.name, json_key(request.requested_schema)
    return (*form, request.message), form
