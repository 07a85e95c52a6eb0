"""One question: what its keys mean on each page, and the one answer that comes of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Final, Literal

from textual import events
from textual.containers import VerticalScroll

from elicit_tui.elicitation import Deadline, Question, cancel, decline
from elicit_tui.text import countdown
from elicit_tui.tui.names_on_screen import key_name
from elicit_tui.tui.ordered_app import OrderedApp
from elicit_tui.tui.question import overlays
from elicit_tui.tui.question.actions import (
    ACCEPTING,
    BY_ACTION,
    ActionBar,
    Later,
    PageTurned,
    as_just_now,
)
from elicit_tui.tui.question.approval_body import ApprovalBody
from elicit_tui.tui.question.body import Body, ShownPage
from elicit_tui.tui.question.form_body import FormBody
from elicit_tui.tui.question.frame import QuestionFrame
from elicit_tui.tui.question.frame_heading import Surroundings
from elicit_tui.tui.question.frame_words import what_is_back
from elicit_tui.tui.question.page_body import PageBody
from elicit_tui.tui.question.seen_texts import Page, scroll_hidden
from elicit_tui.tui.question_gate import MeantElsewhere

FOLLOWS: Final = "Another question is in front now."
CHANGED: Final = "Not called: the tool changed while you read."
FOLLOWS_SECONDS: Final = 4.0
"""So long a question that came to the front by itself says so, unless more is said or typed."""


def body_of(frame: QuestionFrame) -> Body:
    """The fields, the page or the call."""
    if frame.question.request.traits.about_call:
        return ApprovalBody(frame)
    if frame.question.form is not None:
        return FormBody(frame, frame.question.form)
    return PageBody(frame)


class QuestionView(QuestionFrame):
    """Shows one question and posts exactly one `Answered`, or `Later`.

    Whoever holds it takes it off the screen after that, or when the question is withdrawn.
    """

    def __init__(
        self,
        question: Question,
        deadline: Deadline,
        around: Surroundings,
        *,
        startled: bool = False,
        follows: str | None = None,
        id: str | None = None,
    ) -> None:
        """As the frame; `startled`: another question vanished under somebody's typing just before.

        The first Send is not heard then. `follows`: it takes the place of another by itself; what
        the person did with that one, in a word. Where they did nothing, it vanished: the first key
        that accepts only tells so, unless they have acted here before.
        """
        self._follows = follows
        # A second yes to a tool that changed meanwhile may be one more press of the first.
        vanished = follows == "" or question.request.definition_before is not None
        self._meant_elsewhere = MeantElsewhere(typed_into=startled, vanished=vanished)
        self._without_button: tuple[str, ...] = ()
        self._asked: Literal["cancel", "decline"] | None = None
        """Of which end it was said that it takes the same key once more."""
        super().__init__(question, deadline, body_of, around, id=id)

    def painted(self) -> None:
        """Keys that were made before it could be seen went nowhere too."""
        app = self.app
        if self.never_painted and isinstance(app, OrderedApp) and app.typed_ahead.has_dropped():
            self._not_heard = True
        super().painted()
        self._more_was_seen()
        if not self.never_painted:
            self.post_message(PageTurned(self.question))
        if self.never_painted and self._follows is not None and not self._not_heard:
            # The first word is what became of the question before.
            changed = CHANGED if self.question.request.definition_before is not None else FOLLOWS
            here = what_is_back(self.question.draft) or changed
            is_missing = f"{self._follows} {here}".strip()
            self.say(is_missing, "bold $accent")
            self.set_timer(FOLLOWS_SECONDS, self._status.hush_of(is_missing))

    def on_action_bar_fitted(self, event: ActionBar.Fitted) -> None:
        """Name in the lower border the keys that have no button here; else say what shows them."""
        event.stop()
        # The help page has them all.
        self._without_button = event.missing if self.page != "help" else ()
        self.on_status_line_keys_changed()
        # Beside a code that has the whole window there is no border.
        bare = event.missing and self.has_class("-code")
        self._actions.say_more(f"… {self.key('help')}" if bare else "")

    def on_status_line_keys_changed(self) -> None:
        """What has no room above the buttons stands in the border; no key helps at the step."""
        more = "" if self.page == "step" else f"{self.key('help')} more"
        below = self._status.left_out(self._without_button)
        self.say_below(below, more, self._status.keys_without_row)

    def on_page_seen(self, event: Page.Seen) -> None:
        """What accepts is offered once all of it was on the screen."""
        event.stop()
        self._more_was_seen()

    def on_mount(self) -> None:
        """Follow what comes into sight."""
        for part in (self.message, self.body.panel):
            self.watch(part, "scroll_y", self._scrolled, init=False)
        self.watch(self.message, "hides_below", self._scrolled, init=False)

    def on_resize(self, event: events.Resize) -> None:
        """In another layout other things are in sight."""
        self._scrolled()

    def _scrolled(self) -> None:
        self.call_after_refresh(self._more_was_seen)

    def _more_was_seen(self) -> None:
        if self.body.is_judged and not self.decided:
            self.summarise()

    def _fill(self) -> None:
        super()._fill()
        goes_on = self.aside.goes_on if self.page == "step" else self.body.goes_on
        offered = self.offered(self.page) if self.page not in ("raw", "help") else ()
        accepting = [action for action in offered if action.name in ACCEPTING]
        for action in reversed(accepting):  # The first one is what the body leads to.
            named = as_just_now(action, goes_on=goes_on, looks_again=self.body.leads_to_a_page)
            self._actions.become(named)
            self.body.accepts_by(named)
        self._actions.leave_out([action.name for action in accepting[1:] if goes_on])

    def on_paste(self, event: events.Paste) -> None:
        """A paste that no field took."""
        if not self.deaf:
            self.body.pasted(event.text)

    def on_click(self, event: events.Click) -> None:
        """A click on what the lower border says."""
        if self.border_subtitle and self.page != "step" and event.y == self.outer_size.height - 1:
            self.action_help()

    def answers_changed(self) -> None:
        """The person changed something: what was said of ending it is over."""
        self._asked = None
        super().answers_changed()

    def turn_to(self, shown: ShownPage) -> None:
        """Show a page: what was said of ending the question stands there no more."""
        self._asked = None
        super().turn_to(shown)

    def action_focus_next(self) -> None:
        """The next field, button or region."""
        self.went_on()
        self.body.focus_beside(1)

    def action_focus_previous(self) -> None:
        """The one before."""
        self.went_on()
        self.body.focus_beside(-1)

    def action_scroll_hidden(self, pages_down: int) -> None:
        """Scroll the first part that hides something in this direction, from top to bottom."""
        scroll_hidden([part for part in self.query(VerticalScroll) if part.display], pages_down)

    def action_back(self) -> None:
        """From a page to the question, with nothing changed."""
        if self.page != "answer":
            self.turn_to(ShownPage())

    def action_more_time(self) -> None:
        """All of the time anew, where a clock runs at all."""
        if self.decided:
            return
        self.deadline.prolong()
        self.retitle()
        left = countdown(self.deadline.remaining)
        self.tell(f"{left} left from now on." if left else "No clock runs: it waits for you.")

    def action_raw(self) -> None:
        """Who asks, what was found, and the request as it arrived; the same key goes back."""
        if self.page == "raw":
            self.action_back()
        elif self.page == "step":
            self._tell_the_way()
        else:
            left = self.deadline.remaining
            question = replace(self.question, request=self.who.request)
            self.turn_to(ShownPage("raw", (overlays.about(question, left, self.room), None)))

    def action_help(self) -> None:
        """What can be done; the same key goes back."""
        if self.page == "help":
            self.action_back()
        elif self.page == "step":
            self._tell_the_way()
        else:
            actions, form = self.offered("answer"), self.question.form
            text = overlays.help_page(self, actions, form, self.room, self.body.letters)
            self.turn_to(ShownPage("help", (text, None)))

    def action_review(self) -> None:
        """The exact JSON, whether it can be sent yet or not; the same key goes back."""
        if self.page == "review":
            self.action_back()
        elif self.page == "answer":
            self.body.review()
        else:
            self._tell_the_way()

    def _tell_the_way(self) -> None:
        """A key did nothing here: say which ones do, for it looks like a broken one."""
        if self.decided:
            return
        back = f"{self.key('cancel')} goes back"
        accepts, declines = self.key("send"), self.key("decline")
        if self.page == "step":
            self.tell(f"{self.key('anyway')} goes through with it, {back}.")
        elif self.page == "review" and len(self.offered("review")) > 1:
            accepts = self.key("yes") if self.body.takes_yes else accepts
            self.tell(f"{accepts} {self.body.accepting}, {back}.")
        elif self.page != "answer":
            self.tell(f"{back}.")
        elif self.body.takes_yes:
            no = "says no" if self.body.accepting == "says yes" else "declines"
            self.tell(f"{self.key('yes')} {self.body.accepting}, {self.key('no')} {no}.")
        elif isinstance(self.body, PageBody):
            self.tell(f"{accepts} {self.body.accepting}, {declines} declines.")

    # Deciding

    def action_send(self) -> None:
        """Send, open, or say that it is finished: whatever accepts on this page."""
        (self._accept_it if self.body.takes_send else self._tell_the_way)()

    def _accept_it(self) -> None:
        self.accepted_by = "yes" if self.body.takes_yes else "send"
        if self._too_early() or self._is_another() or self._waits("send", "yes"):
            return
        if self.page == "step":
            self.say(f"{self.key('anyway')} goes through with it.")
        elif self.page in ("raw", "help"):
            self.say(f"{self.key('cancel')} goes back first.")
        else:
            self.body.send(self.shown)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Letters are for questions that have nothing to be typed, and for pages to read."""
        return self.page != "answer" if action == "back" else self.body.takes(action, self.page)

    def acts_on(self, event: events.Key) -> bool:
        """The keys of the buttons count in an approval's note too, where a line has its own."""
        if isinstance(self.body, ApprovalBody) and key_name(event.key) == self.key("session"):
            self.action_session()
            return True
        return super().acts_on(event)

    def on_key(self, event: events.Key) -> None:
        """A letter that nothing else took: the field that one came from takes it, or loses one.

        Where there is nothing to type into, it was meant for another question.
        """
        if isinstance(self.body, PageBody) and self.body.typed_key(event):
            event.stop()  # A question mark is a part of the address, and asks for no help.
            event.prevent_default()
            return
        if event.key == "enter" and "enter" not in self.screen.active_bindings:
            self._tell_the_way()
        writes = event.is_printable or event.key == "backspace"
        if writes and isinstance(self.body, FormBody) and self.page == "answer":
            self.body.write(event)
        if not event.is_printable:
            return
        if self.page == "step" and event.key == BY_ACTION["yes"].key and not self.body.takes_yes:
            self.action_yes()
        if event.key not in self.screen.active_bindings:
            self._typed_into_nothing()

    def heard(self, event: events.Event) -> None:
        """Each key tells that somebody looks at this question."""
        super().heard(event)
        if isinstance(event, (events.Key, events.Paste)) and not self.deaf:
            self._meant_elsewhere.key_heard(event.time)

    def turned_away(self, event: events.Event) -> None:
        """Text that came too early was meant for another question.

        The key that closes a page decides nothing: it need not wait until that page is painted.
        """
        if isinstance(event, events.Key) and self._closes_page(event):
            self.action_back()
            return
        super().turned_away(event)
        if isinstance(event, events.Key) and event.is_printable:
            self._typed_into_nothing()

    def _closes_page(self, event: events.Key) -> bool:
        active = self.screen.active_bindings.get(event.key)
        if self.page == "answer" or self.decided or active is None or active.node is not self:
            return False
        return active.binding.action in ("back", "cancel", self.page)

    def _typed_into_nothing(self) -> None:
        if self.body.takes_yes or isinstance(self.body, PageBody):
            self._meant_elsewhere.letter_lost()

    def action_yes(self) -> None:
        """Send, to a question that has nothing else to answer; never on the second step."""
        if self.page != "step":
            self._accept_it()
        elif not self._too_early():
            self.say(f"{self.key('yes')} does not send here: {self.key('anyway')} does.")

    def action_no(self) -> None:
        """Decline, to a question that has nothing else to answer; a note comes first, if any."""
        if self._too_early() or self._waits("decline", "no"):
            return
        body = self.body
        if not (isinstance(body, ApprovalBody) and self.page == "answer" and body.opens_note()):
            self.action_decline()

    def action_anyway(self) -> None:
        """The deliberate second step: go through with what the page shows."""
        self.accepted_by = "anyway"
        if self.page == "step" and not self._too_early():
            self.body.go_through(self.shown)

    def action_session(self) -> None:
        """Allow a call, and those of the same tool that follow."""
        self.accepted_by = "session"
        if not isinstance(self.body, ApprovalBody) or self.page != "answer":
            return
        if not self._too_early() and not self._is_another():
            self.body.session()

    def action_decline(self) -> None:
        """An explicit no, asking once more when something would be lost; a note goes with it."""
        if self._too_early() or self._waits("decline", "no"):
            return
        note = self.body.note
        if not self._asks_once_more("decline", doubtful=self.body.typed and note is None):
            self.decide(decline("user", "You declined.", note=note))

    def action_cancel(self) -> None:
        """Back from a page; else dismiss, asking once more when something could be lost by it."""
        if self.page != "answer":
            self.action_back()
        elif not self._too_early() and not self._uncovers():
            doubtful = self.body.would_be_lost or self._meant_elsewhere.closes_what_lay_over
            if not self._asks_once_more("cancel", doubtful=doubtful):
                self.decide(cancel("user", "You dismissed the question."))

    def _asks_once_more(self, end: Literal["cancel", "decline"], *, doubtful: bool) -> bool:
        """Say, before something is lost by this end, that its key does it the second time."""
        asks = doubtful and self._asked != end
        if asks:
            self._asked = end
            lost = " What you typed is gone then." if self.body.typed else ""
            self.say(f"{self.key(end)} again {end}s.{lost}")
        return asks

    def _uncovers(self) -> bool:
        """Whether Esc put something away instead; what it said before of an end is over."""
        uncovers = self.body.put_away()
        if uncovers and self._asked is not None:
            self._asked = None
            self.hush()
        return uncovers

    def uncovered(self) -> None:
        """What lay over the question is gone."""
        self._meant_elsewhere.uncovered()

    def action_later(self) -> None:
        """Put the question back and keep what was typed; it answers nothing: never too early."""
        if not self.decided:
            self.keep_draft()
            self.post_message(Later(self.question))

    def _is_another(self) -> bool:
        """Whether this accept was meant for the question before, which is gone; then it is said."""
        again = f"{self.key(self.accepted_by)} again"
        if self._meant_elsewhere.was_typed_elsewhere(self.seconds_shown):
            self.say(f"The question that you answered is gone. {again} sends this one.")
            return True
        taken = self._meant_elsewhere.is_taken_for_another(self.seconds_shown)
        if taken:
            self.ask_again(f"This is another question than the one before: {again} answers it.")
        return taken

    def _waits(self, action: str, says: Literal["yes", "no"]) -> bool:
        """Whether this answer comes right behind text for another question; the next one counts."""
        waits = self._meant_elsewhere.is_of_a_burst()
        if waits:
            key = self.key(says if self.body.takes_yes else action)
            self.say(f"What you typed has no place here. {key} again says {says}.")
        return waits

    def _too_early(self) -> bool:
        """Whether a key that decides came too early to be meant for this; then it is said."""
        if self.deaf and not self.decided:
            self.was_not_heard()
        return self.decided or self.deaf

    # A page to open

    def completed(self) -> None:
        """The server said that what its URL asked for is done."""
        if isinstance(self.body, PageBody):
            self.body.completed()

    def action_elsewhere(self) -> None:
        """The person opened the page themselves."""
        self.accepted_by = "elsewhere"
        if not isinstance(self.body, PageBody) or self.page != "answer":
            return
        if not self._too_early() and not self._is_another():
            self.body.elsewhere()

    def action_again(self) -> None:
        """Open the page once more; in a form, fill in what was answered last time."""
        if self.page == "answer" and not self.deaf:
            self.body.again()

    def action_copy(self) -> None:
        """Put the URL on the clipboard, also over SSH."""
        if isinstance(self.body, PageBody) and self.page == "answer":
            self.body.copy()

    action_copy_here = action_copy

    def action_code(self) -> None:
        """Show or hide the QR code."""
        if isinstance(self.body, PageBody) and self.page == "answer":
            self.body.code()
