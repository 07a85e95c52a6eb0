"""A question of ours: whether a tool may be called."""

from __future__ import annotations

from typing import Any, Final

from textual import events
from textual.containers import Vertical
from textual.content import Content

from elicit_tui.form import Typed, read_form
from elicit_tui.tui.question.actions import APPROVAL, DO_NOT_CALL, Action, ActionBar, PageName
from elicit_tui.tui.question.approval_panel import ApprovalPanel
from elicit_tui.tui.question.body import Body
from elicit_tui.tui.question.frame import QuestionFrame
from elicit_tui.tui.question.seen import PartToSee
from elicit_tui.tui.widgets.form_view import FormView

NOTE: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "note": {
            "type": "string",
            "title": "Your note",
            "description": "Goes to the agent with a no, never to the server.",
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
        view = self._body.view
        if self._body.typed and not view.decided:
            view.answers_changed()
            if self._body.note in ("y", "n"):
                view.say(f"This is your note. {view.key('send')} calls, {view.key('decline')} not.")

    def on_form_view_finished(self, event: FormView.Finished) -> None:
        """From the note Enter goes on to the button that declines with it."""
        event.stop()
        view = self._body.view
        view.go_on_to("decline", f"Enter or {view.key('decline')} declines with this note.")


class ApprovalBody(Body):
    """The call, whole; not calling is the harmless choice, and has the focus."""

    def __init__(self, view: QuestionFrame) -> None:
        super().__init__(view.question, view.accept)
        self.view = view
        self._panel = ApprovalPanel(self.question.request, view.around)
        draft = self.question.draft
        self.note_line: FormView | None = None
        self._told_of_note = False
        self._was_in_note = False
        """Whether the person was writing when another page came over the call."""
        if self.question.takes_note:
            self.note_line = FormView(
                read_form(NOTE),
                draft.entries,
                touched=draft.touched,
                leads_to=DO_NOT_CALL.label,
                id="note",
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
        """That nothing happens by itself, and the letters that decide where there is no note."""
        if self.note_line is None:
            return Content("y calls it once, n does not")
        return Content("not called yet; what you type is your note")

    def focus(self) -> None:
        """Not calling is the harmless choice; whoever was writing goes on."""
        if self._was_in_note and self.note_line is not None:
            self.note_line.focus_first()
        else:
            self.view.query_one(ActionBar).focus_on("decline")

    def to_be_seen(self, page: PageName) -> tuple[PartToSee, ...]:
        """The call."""
        return (self._panel,)

    @property
    def takes_yes(self) -> bool:
        """Unless a note can be written: then each letter is its own."""
        return self.note_line is None

    @property
    def accepting(self) -> str:
        """The call."""
        return "calls it"

    def covered(self) -> None:
        """Another page lies over it."""
        focused = self.view.screen.focused
        if focused is not None and self._whole in focused.ancestors:
            self._was_in_note = self.note_line in focused.ancestors

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

    def write(self, key: events.Key) -> None:
        """Take a letter that was typed outside of the note as its next one.

        Whoever begins a note without looking where the focus is must not call a tool by its y.
        """
        if self.note_line is not None and not self.note_line.has_focus_within:
            self.note_line.focus_first()
            focused = self.view.screen.focused
            if focused is not None:
                focused.post_message(events.Key(key.key, key.character))

    def send(self, page: PageName) -> None:
        """Allow this call."""
        if not self._drops_note("send"):
            self.accept("You allowed the call.", None, scope="once")

    def session(self) -> None:
        """Allow it, and those of the same tool that follow."""
        if not self._drops_note("session"):
            self.accept("You allowed the tool for this session.", None, scope="session")

    def _drops_note(self, action: str) -> bool:
        """Say once that a note goes out with a no only."""
        if self.note is None or self._told_of_note:
            return False
        self._told_of_note = True
        again = f"{self.view.key(action)} again calls it without your note"
        self.view.say(f"{again}, {self.view.key('decline')} declines with it.", "bold $accent")
        return True
