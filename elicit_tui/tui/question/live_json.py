"""Beside the fields of a question: the JSON that would be sent as they stand."""

from __future__ import annotations

from typing import Final

from textual.containers import VerticalScroll
from textual.content import Content
from textual.geometry import Size
from textual.widgets import Static

from elicit_tui.elicitation.finding import MASK
from elicit_tui.text import neutral
from elicit_tui.tui.question.body import frozen
from elicit_tui.tui.question.frame import QuestionFrame
from elicit_tui.tui.question.frame_words import sent_json
from elicit_tui.tui.widgets.form_view import FormView

LIVE_CHARACTERS: Final = 8_000
"""Of the JSON; all of it stands on the review page."""
LIVE_PERCENT: Final = 40
"""Of the width, as the style sheet has it."""
LIVE_SECONDS: Final = 0.1
"""It is drawn so long after a key, so that no key waits for it."""


class LiveJson(VerticalScroll, can_focus=False):
    """There where the question is wide enough; secrets stand in it where their fields show them."""

    def __init__(self, frame: QuestionFrame, fields: FormView) -> None:
        self._frame, self._fields = frame, fields
        self._text = Static("", id="live-text", markup=False)
        self._drawn = Content("")
        self._lines = 0
        self._will_draw = False
        super().__init__(self._text, id="live")
        self.border_title = "what would be sent"

    @property
    def _has_room(self) -> bool:
        form = self._fields.form
        return self._frame.has_class("-wide") and bool(form.fields) and not form.refusal

    def expect(self, size: Size) -> Size:
        """Be there if it will be seen in so much room; what of that is left for the fields."""
        self.display = self._has_room
        beside = size.width * LIVE_PERCENT // 100 if self.display else 0
        return Size(size.width - beside, size.height)

    def draw(self) -> None:
        """As the fields stand, which do not wait for the judge: once it has seen them."""
        self.display = self._has_room
        if self._fields.judged:
            self._draw()

    def draw_soon(self) -> None:
        """Something in the fields is another matter, or a secret is no longer shown there.

        The first time at once: an empty frame would say that nothing is sent.
        """
        if self.display and not self._drawn:
            self._draw()
        elif self.display and not self._will_draw:
            self._will_draw = True
            self.set_timer(LIVE_SECONDS, self._draw)

    def _draw(self) -> None:
        self._will_draw = False
        fields = self._fields
        if not (self.display and fields.is_attached):
            return
        shown = {**fields.conversion.content, **dict.fromkeys(fields.not_shown, MASK)}
        text = sent_json(frozen(shown), self._frame.question.request)
        content = Content(neutral(text, LIVE_CHARACTERS))
        width = max(self._text.size.width, 1)
        # The whole screen is laid out anew only for what scrolls or stops scrolling.
        lines = max(len(content.wrap(width)), self._text.size.height)
        if content != self._drawn:
            self._text.update(content, layout=lines != self._lines)
        self._drawn, self._lines = content, lines
