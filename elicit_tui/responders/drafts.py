"""What was typed into a form and not sent, kept for when the same form is asked again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from elicit_tui.elicitation import ElicitationRequest
from elicit_tui.text.digest import digest

if TYPE_CHECKING:
    from elicit_tui.form import Entry


class Drafts:
    """Entries by server and schema, in memory and for this run only."""

    def __init__(self) -> None:
        self._held: dict[tuple[str, str], dict[str, Entry]] = {}

    def take(self, request: ElicitationRequest) -> dict[str, Entry]:
        """What was typed for this form before; empty when nothing was."""
        return dict(self._held.get(_key(request), {}))

    def keep(self, request: ElicitationRequest, entries: Mapping[str, Entry]) -> None:
        """Hold what was typed; nothing typed is nothing held."""
        if entries:
            self._held[_key(request)] = dict(entries)

    def drop(self, request: ElicitationRequest) -> None:
        """The answer went out."""
        self._held.pop(_key(request), None)


def _key(request: ElicitationRequest) -> tuple[str, str]:
    return request.server.name, digest(request.requested_schema)
