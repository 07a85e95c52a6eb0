"""A question of ours: whether a tool may be called."""

from __future__ import annotations

from typing import Any, Final

from textual.containers import Vertical
from textual.content import Content

from elicit_tui.form import Typed, read_form
from elicit_tui.tui.question.actions import APPROVAL, Action, ActionBar, PageName
from elicit_tui.tui.question.approval_panel import ApprovalPanel
from elicit_tui.tui.question.frame import Body, QuestionFrame
from elicit_tui.tui.widgets.form_view import FormView

NOTE: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "note": {
            "type": "string",
            "title": "Your note",
            "description": "If you say no: one line to the agent. The server never gets it.",
        }
    },
}
"""What a refusal may carry."""


class NotedCall(Vertical):
    """The call, and below it the line for a note where an agent can use one."""

    def __init__(self, body: ApprovalBody) -> None:
        self._body = body
        parts = [body.panel] if body.note_line is None else [body.panel, body.note_line]
        super().__init__(*parts, id="middle")

    def on_form_view_changed(self, event: FormView.Changed) -> None:
        """A letter of the note came or went."""
        event.stop()
        if self._body.typed and not self._body.view.decided:
            self._body.view.answers_changed()

    def on_form_view_finished(self, event: FormView.Finished) -> None:
        """Enter decides nothing; say what does."""
        event.stop()
        view = self._body.view
        view.say(f"{view.key('decline')} declines with this note.", "bold $accent")

    def on_descendant_focus(self) -> None:
        """In the note a letter is a letter."""
        self._body.view.summarise()

    def on_descendant_blur(self) -> None:
        """Outside it one may decide."""
        self.call_later(self._body.view.summarise)


class ApprovalBody(Body):
    """The call, whole; not calling is the harmless choice, and has the focus."""

    def __init__(self, view: QuestionFrame) -> None:
        super().__init__(view)
        self._panel = ApprovalPanel(self.question.request, view.around)
        draft = self.question.draft
        self.note_line: FormView | None = None
        if self.question.takes_note:
            self.note_line = FormView(
                read_form(NOTE), draft.entries, touched=draft.touched, id="note"
            )
        self._whole = NotedCall(self)

    @property
    def panel(self) -> ApprovalPanel:
        """What would be called with what."""
        return self._panel

    @property
    def whole(self) -> NotedCall:
        """The call, and the line for a note."""
        return self._whole

    def actions(self, page: PageName) -> tuple[Action, ...]:
        """Not calling first."""
        return APPROVAL

    def summary(self) -> Content:
        """That nothing happens by itself, and the letters that decide where they do."""
        if self.note_line is not None and self.note_line.has_focus_within:
            return Content("called only if you allow it")
        return Content("y calls it once, n does not")

    def focus(self) -> None:
        """Not calling is the harmless choice."""
        self.view.query_one(ActionBar).focus_on("decline")

    @property
    def has_focus(self) -> bool:
        """Whether something of the question has it."""
        focused = self.view.screen.focused
        return focused is not None and self.view in focused.ancestors

    def keep_draft(self) -> None:
        """Write the note down, to the last letter."""
        if self.note_line is not None:
            self.question.draft.write(self.note_line.entries, self.note_line.touched)

    @property
    def typed(self) -> bool:
        """Whether there is a note."""
        return self.note is not None

    @property
    def note(self) -> str | None:
        """What a person who declines tells the agent."""
        if self.note_line is None:
            return None
        written = self.note_line.entries.get("note")
        return (written.text.strip() or None) if isinstance(written, Typed) else None

    def send(self, page: PageName) -> None:
        """Allow this call."""
        self.accept("The person allowed the call.", None, scope="once")

    def session(self) -> None:
        """Allow it, and those of the same tool that follow."""
        self.accept("The person allowed the tool for the session.", None, scope="session")
