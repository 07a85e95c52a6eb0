"""The dim line of who asks: which call it belongs to, who else has it, for whom it is asked."""

from __future__ import annotations

from collections.abc import Callable

from textual.content import Content

from elicit_tui.elicitation import ElicitationRequest
from elicit_tui.tui.question import frame_words
from elicit_tui.tui.question.text_region import TextRegion

AsItStands = Callable[[ElicitationRequest], ElicitationRequest]
"""Gives a request without the calls that have ended since it came."""


def unchanged(request: ElicitationRequest) -> ElicitationRequest:
    """The request, where nobody knows of its calls."""
    return request


class WhoAsks(TextRegion):
    """Drawn again only when what it says has changed; away where it has nothing to say."""

    def __init__(
        self, request: ElicitationRequest, standing: str, origin: str, as_it_stands: AsItStands
    ) -> None:
        self._request = request
        self._standing = standing
        self._origin = origin
        self._as_it_stands = as_it_stands
        self._told = self._words(0)
        super().__init__(self._words, id="who")
        self.display = bool(self._told)

    @property
    def request(self) -> ElicitationRequest:
        """What is asked; of the calls that it may belong to, those that have not ended."""
        return self._as_it_stands(self._request)

    def _words(self, width: int) -> Content:
        about = [part for part in (self._standing, self._origin) if part]
        return frame_words.who(self.request, about)

    def tell(self, standing: str) -> None:
        """Who else has it, and where its agent is; empty: nobody has, and its agent waits."""
        self._standing = standing
        told = self._words(0)
        if not told.is_same(self._told):
            self._told = told
            self.draw_again()
            self.display = bool(told)
