"""What a person typed into a form and has not sent, kept in memory for this run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from elicit_tui.elicitation import ElicitationRequest
from elicit_tui.form.entry import Entry
from elicit_tui.text.digest import digest


@dataclass(frozen=True)
class Draft:
    """Raw entries by field name, which fields the person had touched, and what was opened."""

    entries: Mapping[str, Entry]
    touched: frozenset[str] = field(default_factory=frozenset)
    opened: bool = False
    """Whether the person agreed to a url question's page, whose end is waited for."""

    @property
    def typed(self) -> bool:
        """Whether anything in it came from the person."""
        return bool(self.touched)


def _key(request: ElicitationRequest) -> tuple[str, str]:
    """The server's configured name and the digest of the schema it asks with."""
    return request.server.name, digest(request.requested_schema)


class DraftStore:
    """Drafts by server and schema: offered when the same server asks the same form again."""

    def __init__(self) -> None:
        self._drafts: dict[tuple[str, str], Draft] = {}

    def find(self, request: ElicitationRequest) -> Draft | None:
        """The draft of this server and schema, if anything was typed."""
        return self._drafts.get(_key(request))

    def keep(self, request: ElicitationRequest, draft: Draft) -> None:
        """Remember a draft in which something was typed; an untouched one is not worth keeping."""
        if draft.typed:
            self._drafts[_key(request)] = draft

    def forget(self, request: ElicitationRequest) -> None:
        """Drop the draft once its answer went out."""
        self._drafts.pop(_key(request), None)
