"""A question of ours: whether a tool may be called."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from textual import events
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from elicit_tui.elicitation import Scope
from elicit_tui.form.field import Typed
from elicit_tui.form.schema_reading import read_form
from elicit_tui.tui.names_on_screen import naming_keys
from elicit_tui.tui.question import frame_words, overlays
from elicit_tui.tui.question.actions import (
    APPROVAL,
    CANCEL,
    CANCEL_AFTER,
    NOTING,
    STEP_CALL,
    STEP_SESSION,
    TO_NOTE,
    Action,
    ActionBar,
    PageName,
    PageTurned,
)
from elicit_tui.tui.question.approval_panel import ApprovalPanel
from elicit_tui.tui.question.body import Body, ShownPage
from elicit_tui.tui.question.frame import QuestionFrame
from elicit_tui.tui.question.seen_texts import PartToSee, hides_some
from elicit_tui.tui.widgets.control import FROM_BEFORE
from elicit_tui.tui.widgets.form_view import FormView
from elicit_tui.tui.widgets.rows_view import Begun

_SESSION = (
    "{} allows this tool for this session, with any arguments, until the server ends or the tool's "
    "definition changes; it is never written to disk."
)
_SESSION_BRIEFLY = "{} allows any arguments until the server ends or the tool changes"
_HANDED = "What you decide is handed to the agent, which may be asked in its own terminal too."
_SHORT = 30
"""Rows; with fewer, what stands at the foot is said in brief."""

NOTE: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "note": {
            "type": "string",
            "title": "Your note",
            "description": "Goes to the agent alone, and only if you decline.",
        }
    },
}
"""What a refusal may carry."""


class NoteLine(FormView):
    """One line for a note: an empty one is none."""

    empty_is_an_answer = False


class Foot(Static):
    """What more a yes means than this call, in sight whatever the call's own text takes."""

    def __init__(self, body: ApprovalBody) -> None:
        self._body = body
        super().__init__("", markup=False, id="foot")

    def on_mount(self) -> None:
        """In the first drawing too."""
        self.tell()

    def tell(self) -> None:
        """Say it in as many words as there is room for."""
        frame, key = self._body.frame, self._body.frame.key("session")
        named = f"Once all is read, {key}" if self._body.reads_on else key
        if not self._body.for_session:
            self.update(_HANDED)
        elif self.app.size.height < _SHORT:
            named = f"Then {key}" if self._body.reads_on else key
            self.update(naming_keys(_SESSION_BRIEFLY.format(named), key))
        else:
            keys = [do.key for do in frame.around.actions if do.name == "app.allowances"]
            told = _SESSION.format(named)
            told += f" {keys[0]} lists and revokes it." if keys else ""
            self.update(naming_keys(told, key, *keys))


class NotedCall(Vertical):
    """The call, and below it the line for a note, which a no opens where an agent can use one."""

    DEFAULT_CSS = """
    NotedCall > #note { display: none; }
    NotedCall.-noted > #note { display: block; }
    """

    def __init__(self, body: ApprovalBody) -> None:
        self._body = body
        self.foot = Foot(body)
        note = [] if body.note_line is None else [body.note_line]
        super().__init__(body.panel, self.foot, *note, id="middle")

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """The buttons are those of the note, or of the call, and stay when one goes to them."""
        self._body.turn_to_note(event.widget is not self._body.panel)

    def on_form_view_changed(self, event: FormView.Changed) -> None:
        """A letter of the note came or went."""
        event.stop()
        frame = self._body.frame
        if self._body.typed and not frame.decided:
            frame.answers_changed()

    def on_form_view_focused(self, event: FormView.Focused) -> None:
        """The note is written now: other keys act."""
        event.stop()
        self._body.frame.summarise()

    def on_form_view_finished(self, event: FormView.Finished) -> None:
        """The no was chosen before its note was begun: Enter ends both."""
        event.stop()
        self._body.frame.post_message(ActionBar.Chosen("decline"))


class ApprovalBody(Body):
    """The call, whole. It has the focus itself: Enter decides nothing, `y` and `n` decide."""

    def __init__(self, frame: QuestionFrame) -> None:
        super().__init__(frame.question, frame.accept)
        self.frame = frame
        self._panel = ApprovalPanel(self.question)
        draft = self.question.draft
        self.note_line: FormView | None = None
        self._told_of_note = False
        self._note_was_open = False
        self.reads_on = False
        """Whether the keys that allow it show first what was never on the screen."""
        self._at_note = False
        """Whether the buttons are those of the note."""
        self._was_in_note = False
        """Whether the person was writing when another page came over the call."""
        if self.question.takes_note:
            whence = dict.fromkeys(draft.touched, FROM_BEFORE)
            begun = Begun(draft.entries, draft.touched, whence)
            self.note_line = NoteLine(read_form(NOTE), begun, id="note")
        self._whole = NotedCall(self)
        self._whole.set_class(self.typed, "-noted")

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
        if page == "step":
            return STEP_CALL if self.frame.shown.scope == "once" else STEP_SESSION
        offered: tuple[Action, ...] = NOTING if self._at_note else APPROVAL
        if self.note_line is not None and not self._note_was_open:
            offered = (TO_NOTE, *offered[1:])
        if self._leads_back_elsewhere:
            offered = tuple(CANCEL_AFTER if do is CANCEL else do for do in offered)
        return tuple(do for do in offered if do.name != "session" or self.for_session)

    @property
    def for_session(self) -> bool:
        """Whether it can be allowed for more than this call."""
        return "session" in self.question.request.traits.scopes

    def summary(self) -> Content:
        """The letters that decide, and before them what was not seen; in the note, how it ends."""
        if self.writes_note:
            return naming_keys(self._ends_of_note, "Enter", "PgDn", self.frame.key("cancel"))
        if self.goes_on:
            return frame_words.goes_on_below("allow")
        yes, no = self.frame.key("yes"), self.frame.key("no")
        if self.note_line is not None and not self._note_was_open:
            does = "looks once more" if self.leads_to_a_page else "calls"
            return naming_keys(f"{yes} {does}, {no} declines with a note", yes, no)
        does = "looks once more" if self.leads_to_a_page else "calls it once"
        return naming_keys(f"{yes} {does}, {no} declines", yes, no)

    @property
    def _ends_of_note(self) -> str:
        """What ends a note; while the call goes on below, what shows more of that."""
        back = f"{self.frame.key('cancel')} goes back"
        more = self._panel.scroll_y < self._panel.max_scroll_y
        if self.frame.has_class("-narrow"):
            return f"Enter declines, {'PgDn reads on' if more else back}"
        ends = f"Enter declines with this note, {back}"
        return f"{ends}, PgDn reads on" if more else ends

    def focus(self) -> None:
        """The call, where no key decides by accident; whoever was writing goes on."""
        if self._was_in_note and self.note_line is not None:
            self.note_line.focus_first()
        else:
            self._panel.focus()

    def to_be_seen(self, page: PageName) -> tuple[PartToSee, ...] | None:
        """The call."""
        return None if page == "step" else (self._panel,)

    def seen(self, content: Mapping[str, Any], *, page_read: bool) -> frozenset[str]:
        """The call."""
        return frozenset() if self._panel.unseen else frozenset({"call"})

    @property
    def takes_yes(self) -> bool:
        """As every question that has nothing else to answer."""
        return True

    @property
    def takes_send(self) -> bool:
        """In the note, where `y` is a letter: outside it the key that sent the call's form is none.

        Who presses it once more has not read what this asks.
        """
        return self._at_note

    @property
    def accepting(self) -> str:
        """The call."""
        return "calls it"

    def does_by(self, action: str) -> str:
        """The call, or the tool from now on."""
        return "allows it for this session" if action == "session" else self.accepting

    def accepts_by(self, button: Action) -> None:
        """What allows more than the call does so once all of it was read, as this one."""
        if button.reads_on != self.reads_on:
            self.reads_on = button.reads_on
            self._whole.foot.tell()

    @property
    def goes_on(self) -> bool:
        """Whether some of the call, or of what is said of it, was never on the screen."""
        return self.frame.page == "answer" and hides_some(self._panel, self.frame.to_be_seen)

    @property
    def leads_to_a_page(self) -> bool:
        """Where something was found in it."""
        return self.frame.page == "answer" and bool(self.question.to_acknowledge)

    def resized(self) -> None:
        """There is room for more words, or for fewer."""
        if self._whole.foot.is_mounted:
            self._whole.foot.tell()

    def covered(self) -> None:
        """Another page lies over it."""
        focused = self.frame.screen.focused
        if focused is not None and self._whole in focused.ancestors:
            self._was_in_note = self.writes_note

    @property
    def has_focus(self) -> bool:
        """Whether something of the question has it."""
        focused = self.frame.screen.focused
        return focused is not None and self.frame in focused.ancestors

    def keep_draft(self) -> None:
        """Write the note down, to the last letter."""
        if self.note_line is not None:
            self.question.draft.write(self.note_line.entries, self.note_line.touched)

    @property
    def typed(self) -> bool:
        """Whether there is a note."""
        return self.note is not None

    @property
    def would_be_lost(self) -> bool:
        """A note, and the call of somebody else that waits; one's own can be made again."""
        return self.typed or self._leads_back_elsewhere

    @property
    def _leads_back_elsewhere(self) -> bool:
        """Whether the key that cancels leads back from everything else, at a stranger's call."""
        call = self.question.request.call
        return self.frame.around.shelf and not (call is not None and call.own)

    @property
    def note(self) -> str | None:
        """What a person who declines tells the agent."""
        if self.note_line is None:
            return None
        written = self.note_line.entries.get("note")
        return (written.text.strip() or None) if isinstance(written, Typed) else None

    @property
    def writes_note(self) -> bool:
        """Whether the person writes the note just now."""
        return self.note_line is not None and self.note_line.has_focus_within

    def turn_to_note(self, at_note: bool) -> None:
        """The keys go to the note, or to the call: the buttons say what those do there."""
        if at_note != self._at_note:
            self._at_note = at_note
            self.frame.show_actions()

    def opens_note(self) -> bool:
        """Go to the line for a note, in which each letter is its own; the first time only."""
        if self.note_line is None or self._note_was_open:
            return False
        self._note_was_open = True
        self._whole.add_class("-noted")
        self.note_line.focus_first()
        self._note_came_or_went()
        return True

    def put_away(self) -> bool:
        """From the note back to the call; one that is empty is put away."""
        if not self.writes_note:
            return False
        self._panel.focus()
        self._whole.set_class(self.typed, "-noted")
        self._note_came_or_went()
        return True

    def _note_came_or_went(self) -> None:
        self.frame.call_after_refresh(self.frame.summarise)
        self.frame.call_after_refresh(self.frame.post_message, PageTurned(self.question))

    def send(self, shown: ShownPage) -> None:
        """Allow this call; what was found in it is acknowledged by a second step."""
        if not self._drops_note("send" if self.writes_note else "yes"):
            self._step_or_allow("once")

    def _step_or_allow(self, scope: Scope) -> None:
        found = self.question.to_acknowledge
        if not found:
            self.go_through(ShownPage(scope=scope))
        elif not self.frame.shows_unseen():
            text = overlays.second_step_of_call(found, self.frame.room, scope)
            self.frame.turn_to(ShownPage("step", text, found=found, scope=scope))

    def go_through(self, shown: ShownPage) -> None:
        """The second step was taken, or none was needed."""
        allowed = "the call" if shown.scope == "once" else "the tool for this session"
        self.accept(f"You allowed {allowed}.", shown, scope=shown.scope)

    def session(self) -> None:
        """Allow it, and those of the same tool that follow."""
        if self.for_session and not self._drops_note("session"):
            self._step_or_allow("session")

    def _drops_note(self, action: str) -> bool:
        """Say once that a note goes out with a no only."""
        if self.note is None or self._told_of_note:
            return False
        self._told_of_note = True
        again = f"{self.frame.key(action)} again calls it without your note"
        self.frame.say(f"{again}, {self.frame.key('decline')} declines with it.", "bold $accent")
        return True
