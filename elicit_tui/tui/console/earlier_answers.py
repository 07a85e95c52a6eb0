"""What a server was answered in this run, offered again in the same field of its next question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from elicit_tui.elicitation.finding import MASK
from elicit_tui.elicitation.keeping import kept_arguments
from elicit_tui.text import neutral_line

if TYPE_CHECKING:
    from elicit_tui.broker.contracts import Resolved

LONGEST: Final = 300
KEPT_VALUES: Final = 20
KEPT_FIELDS: Final = 500


class EarlierAnswers:
    """By server and field the texts that the person sent, the newest first; never a secret."""

    def __init__(self) -> None:
        self._texts: dict[tuple[str, str], list[str]] = {}

    def remember(self, event: Resolved) -> None:
        """Take note of what the person sent, as far as it can be seen whole and told."""
        outcome = event.outcome
        if outcome.action != "accept" or outcome.decided_by != "user" or not outcome.content:
            return
        told = kept_arguments(outcome.content, event.review, "redacted") or {}
        for name, value in outcome.content.items():
            shown = isinstance(value, str) and value == told.get(name) != MASK
            if shown and value and neutral_line(value, LONGEST) == value:
                self._put(event.request.server.name, name, value)

    def _put(self, server: str, name: str, value: str) -> None:
        before = self._texts.pop((server, name), [])
        others = [text for text in before if text != value]
        self._texts[server, name] = [value, *others][:KEPT_VALUES]
        if len(self._texts) > KEPT_FIELDS:
            del self._texts[next(iter(self._texts))]

    def known(self, server: str, name: str) -> Sequence[str]:
        """What this server was sent for a field of this name."""
        return self._texts.get((server, name), ())
