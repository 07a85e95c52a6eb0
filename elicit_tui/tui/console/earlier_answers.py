"""What a server was answered before, offered again in its next question."""

from __future__ import annotations

import time
from collections.abc import Hashable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from elicit_tui.elicitation.finding import MASK, Review
from elicit_tui.elicitation.keeping import kept_arguments
from elicit_tui.errors import LedgerError
from elicit_tui.form.json_values import json_key
from elicit_tui.form.shape import secret_names
from elicit_tui.text import CUT_ENDS, neutral, neutral_line

if TYPE_CHECKING:
    from elicit_tui.broker.contracts import Resolved
    from elicit_tui.elicitation import ElicitationRequest
    from elicit_tui.ledger.rows import Row

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


LOOKED_THROUGH: Final = 200
"""Questions of earlier runs, the last ones; all of them would be waited for."""
LOOKED_SECONDS: Final = 0.5
"""So long at the most: the question that is asked now is drawn behind it."""


def sent_before(ledger: Any, request: ElicitationRequest) -> Mapping[str, Any]:
    """What this server was sent in earlier runs for the same form, as far as it was recorded whole.

    Of the same message if there is one, else last. A ledger that could not be opened has none.
    """
    if not request.requested_schema or not hasattr(ledger, "decided_last"):
        return {}
    found: Mapping[str, Any] = {}
    message, is_of = neutral(request.message), _Asking(request).is_of
    until = time.monotonic() + LOOKED_SECONDS
    try:
        for row in ledger.decided_last(LOOKED_THROUGH):
            if row.message == message and is_of(row):
                return _whole(row, request)
            if not found and is_of(row):
                found = _whole(row, request)
            if time.monotonic() > until:
                break
    except LedgerError:
        return {}
    return found


class _Asking:
    """One form of one server, for many rows to be compared with."""

    def __init__(self, request: ElicitationRequest) -> None:
        self._sent = request.server.name, "accept", "user"
        self._schema = request.requested_schema

    @cached_property
    def _key(self) -> Hashable:
        return json_key(self._schema)

    def is_of(self, row: Row) -> bool:
        """Whether the person sent it, to this server, for this form."""
        if (row.server, row.action, row.decided_by) != self._sent:
            return False
        schema = row.request.get("requestedSchema") if isinstance(row.request, Mapping) else None
        # A key takes far longer, and tells apart no more than true and 1.
        return bool(schema == self._schema) and json_key(schema) == self._key


def _whole(row: Row, request: ElicitationRequest) -> Mapping[str, Any]:
    """Of an answer what is no secret, and was neither cut nor masked where it was recorded."""
    content = row.content if isinstance(row.content, Mapping) else {}
    found = [*row.findings, *row.details.get("outgoing", ())]
    places = ".".join(str(finding.get("where")) for finding in found).split(".")
    secret = {*secret_names(request.requested_schema), *places}
    told = kept_arguments(content, Review(), "redacted") or {}
    return {
        name: value
        for name, value in content.items()
        if name not in secret and told.get(name) == value and not _is_altered(value)
    }


def _is_altered(value: Any) -> bool:
    texts = value if isinstance(value, list) else [value]
    texts = [text for text in texts if isinstance(text, str)]
    return any(MASK in text or "⟨" in text or text.endswith(CUT_ENDS) for text in texts)


def _places(request: ElicitationRequest) -> tuple[Hashable, Hashable]:
    """Where the answer to a form is kept: of this message, and of whatever message it has."""
    form = request.server.name, json_key(request.requested_schema)
    return (*form, request.message), form
