"""The panel of a form: its fields, and beside them, where there is room, what would be sent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.geometry import Size
from textual.widgets import Static

from elicit_tui.elicitation.finding import MASK
from elicit_tui.text import neutral
from elicit_tui.tui.question.frame_words import sent_json
from elicit_tui.tui.widgets.form_view import FormView

if TYPE_CHECKING:
    from elicit_tui.tui.question.form_body import FormBody

LIVE_CHARACTERS: Final = 8_000
"""Of the JSON beside the form; all of it stands on the review page."""
LIVE_PERCENT: Final = 40
"""Of the width, as the style sheet has it."""
LIVE_SECONDS: Final = 0.1
"""It is drawn so long after a key, so that no key waits for it."""


def frozen(content: Mapping[str, Any]) -> dict[str, Any]:
    """A copy that nothing on the screen can change: the content shown is the content sent."""
    return {
        name: list(value) if isinstance(value, (list, tuple)) else value
        for name, value in content.items()
    }


class FormPanel(Horizontal):
    """The fields, and the JSON beside them where there is room."""

    def __init__(self, body: FormBody) -> None:
        self._body = body
        self._text = Static("", id="live-text", markup=False)
        self._live = Content("")
        self._lines = 0
        self._will_draw = False
        self._beside = VerticalScroll(self._text, id="live", can_focus=False)
        self._beside.border_title = "what would be sent"
        super().__init__(body.fields, self._beside, id="middle")
        self.set_class(body.is_empty, "-empty")

    def on_form_view_changed(self, event: FormView.Changed) -> None:
        """Something was typed or chosen."""
        event.stop()
        if not self._body.frame.decided:
            self._body.frame.answers_changed()
            self._body.name_cancel()
            if self._beside.display and not self._will_draw:
                self._will_draw = True
                self.set_timer(LIVE_SECONDS, self._draw_live)

    def on_form_view_seen_more(self, event: FormView.SeenMore) -> None:
        """There is less to be seen before it can be sent."""
        event.stop()
        if self._body.fields.judged and not self._body.frame.decided:
            self._body.frame.summarise()

    def on_form_view_focused(self, event: FormView.Focused) -> None:
        """Remember where the person is, and name the keys that act there."""
        event.stop()
        self._body.focused(event.field_control)

    def on_form_view_finished(self, event: FormView.Finished) -> None:
        """From the last field Enter goes on to the button that sends."""
        event.stop()
        self._body.finished()

    @property
    def _has_live(self) -> bool:
        form = self._body.form
        return self._body.frame.has_class("-wide") and bool(form.fields) and not form.refusal

    def expect(self, size: Size) -> None:
        """Have all that will be seen in this much room, before anything is painted."""
        self._beside.display = self._has_live
        beside = size.width * LIVE_PERCENT // 100 if self._has_live else 0
        self._body.fields.expect(Size(size.width - beside, size.height))

    def show_live(self) -> None:
        """Have the JSON beside the form, as it stands, if the question is wide enough.

        The fields do not wait for the judge: what it has not seen yet is drawn once it has.
        """
        self._beside.display = self._has_live
        if self._has_live and self._body.fields.judged:
            self._draw_live()

    def _draw_live(self) -> None:
        self._will_draw = False
        if not self._body.fields.is_attached:
            return
        fields = self._body.fields
        shown = {**fields.conversion.content, **dict.fromkeys(fields.not_shown, MASK)}
        text = sent_json(frozen(shown), self._body.question.request)
        content = Content(neutral(text, LIVE_CHARACTERS))
        width = max(self._text.size.width, 1)
        # The whole screen is laid out anew only for what scrolls or stops scrolling.
        lines = max(len(content.wrap(width)), self._text.size.height)
        if content != self._live:
            self._text.update(content, layout=lines != self._lines)
        self._live, self._lines = content, lines
