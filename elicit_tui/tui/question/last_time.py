"""What a form begins with; and filled in at once, as the person answered it last time."""

from __future__ import annotations

from elicit_tui.elicitation import Question
from elicit_tui.form.field import Entry, is_unset
from elicit_tui.form.form import Form
from elicit_tui.tui.question.actions import AS_LAST_TIME, TAKE_OUT, Action
from elicit_tui.tui.question.body import FROM_AGENT
from elicit_tui.tui.question.frame import QuestionFrame
from elicit_tui.tui.question.frame_words import count
from elicit_tui.tui.widgets.control import FROM_BEFORE, FROM_LAST_TIME
from elicit_tui.tui.widgets.form_view import FormView
from elicit_tui.tui.widgets.rows_view import Begun


def begun_with(question: Question, form: Form) -> Begun:
    """What stands in the fields when a question is shown, and where it came from.

    An answer that is given back is no surprise. A default of the server's, or what an agent filled
    in, may still hold what nobody saw of it when the person has changed it.
    """
    draft = question.draft
    whence, unread = {}, draft.unread
    if question.attempt == 1:
        by_client = draft.by_client
        whence = {name: FROM_AGENT if name in by_client else FROM_BEFORE for name in draft.touched}
        given = {field.name for field in form.fields if not is_unset(field.initial)}
        unread |= draft.touched & given
    entries = draft.entries if draft.filled else {}
    return Begun(entries, draft.touched, whence, draft.continues, unread)


class LastTime:
    """What was sent in the same form last, for the fields that the person did not change.

    Filled in, it is as if others had written it: nothing of it goes out that was not on the screen.
    """

    def __init__(self, frame: QuestionFrame, fields: FormView) -> None:
        self._frame = frame
        self._fields = fields
        sent = fields.form.entries_for(frame.around.last)
        self._sent = {name: entry for name, entry in sent.items() if not is_unset(entry)}
        self._stood: dict[str, Entry] = {}
        """What stood in the fields that were filled in."""

    @property
    def actions(self) -> tuple[Action, ...]:
        """Its button, if there is something to fill in."""
        return (TAKE_OUT if self._stood else AS_LAST_TIME,) if self._sent else ()

    def turn(self) -> None:
        """Fill it in; if that was done, take it out again where nobody changed it since."""
        frame, fields = self._frame, self._fields
        focused = fields.focused_field
        if self._stood:
            fields.take_out(self._sent, self._stood)
            self._stood = {}
        elif self._sent:
            self._stood = fields.fill_in(self._sent, FROM_LAST_TIME)
        if focused is not None:  # What stands there now is selected.
            frame.screen.set_focus(None)
            fields.focus_field(focused.spec.name)
        for action in self.actions:
            frame.rename_button(action)
        frame.restored = True
        frame.tell(self._words)

    @property
    def _words(self) -> str:
        if not self._sent:
            return "Nothing that you sent in this form is known."
        if not self._stood:
            return "The fields stand as you filled them in."
        filled = f"{count(len(self._stood), 'field')} filled in as last time"
        return f"{filled}: {self._frame.key('again')} takes it back."
