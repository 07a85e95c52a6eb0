"""All about a server, and about one thing that it offers: whole, where the panes have to cut it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from elicit_tui.text import neutral_line
from elicit_tui.tui.console.described import offer_words, server_words
from elicit_tui.tui.console.spans import Line, joined
from elicit_tui.tui.console.text_dialog import TextDialog

if TYPE_CHECKING:
    from elicit_tui.tui.console.offers import Offer
    from elicit_tui.tui.console.servers import ServerRecord


class AboutScreen(TextDialog):
    """To be read only."""

    def __init__(self, record: ServerRecord, offer: Offer | None = None) -> None:
        """`offer`: what stands first; without one it is about the server alone."""
        super().__init__(f"About {offer.shown if offer else neutral_line(record.name, 60)}")
        self._record = record
        self._offer = offer

    def words(self, width: int) -> list[Line]:
        """The offer first, then its server."""
        groups = [server_words(self._record, width)]
        if self._offer is not None:
            groups.insert(0, offer_words(self._offer, width))
        return joined(groups)
