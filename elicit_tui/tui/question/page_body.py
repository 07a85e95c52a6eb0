"""A question that asks to open a page: consent, opening, and the end of what is done there."""

from __future__ import annotations

import asyncio

from textual.content import Content

from elicit_tui.elicitation import finished
from elicit_tui.tui.question import overlays
from elicit_tui.tui.question.actions import (
    CANCEL,
    REFUSED_FORM,
    STEP_ELSEWHERE,
    STEP_URL,
    UNCOVER,
    URL,
    VISITED,
    WAITING,
    Action,
    PageName,
)
from elicit_tui.tui.question.body import Body
from elicit_tui.tui.question.clipboard import HANDED_OVER, copy
from elicit_tui.tui.question.frame import QuestionFrame
from elicit_tui.tui.question.seen import PartToSee
from elicit_tui.tui.question.url_panel import UrlPanel

_NO_BROWSER = (
    "▲ No browser could be started here. The question stays open: copy the address or scan its QR "
    "code, open it elsewhere, then choose “I opened it”."
)


class PageBody(Body):
    """Nothing is opened, copied or drawn but what may be opened; nothing is fetched, ever."""

    def __init__(self, view: QuestionFrame) -> None:
        super().__init__(view.question, view.accept)
        self.view = view
        self.opened = self.question.draft.opened
        self._handed_out = False
        """Whether the address was copied or shown as a code: then it may be opened elsewhere."""
        self.url = UrlPanel(self.question.request.url or "", self.opened)

    @property
    def panel(self) -> UrlPanel:
        """The address."""
        return self.url

    def actions(self, page: PageName) -> tuple[Action, ...]:
        """Open what may be opened; finish what was. From the code one key leads back."""
        actions = self._actions(page)
        if page != "answer" or not self.url.shows_code:
            return actions
        return tuple(UNCOVER if action is CANCEL else action for action in actions)

    def _actions(self, page: PageName) -> tuple[Action, ...]:
        if page == "step":
            return STEP_ELSEWHERE if self.url.elsewhere else STEP_URL
        if self.opened:
            return WAITING
        if not self.url.can_open:
            return REFUSED_FORM
        if not self._handed_out:
            return URL
        return (*URL[:3], VISITED, *(action for action in URL[3:] if action is not VISITED))

    def summary(self) -> Content:
        """Whether the page is waited for."""
        if self.opened:
            return Content.styled("waiting for the page to be finished", "bold")
        return Content("opens only if you choose it")

    @property
    def accepting(self) -> str:
        """Consent."""
        return "agrees"

    def covered(self) -> None:
        """The code is put away for the step that opens the page; from others one comes back."""
        if self.view.page == "step":
            self.url.show_code(False)

    def to_be_seen(self, page: PageName) -> tuple[PartToSee, ...] | None:
        """The address."""
        return (self.url,) if page == "answer" else None

    def uncover(self) -> bool:
        """The code takes the place of the question."""
        shown = self.url.shows_code
        self.url.show_code(False)
        self.view.show_actions()
        return shown

    def send(self, page: PageName) -> None:
        """Agree and open; once it is open: say that it is finished."""
        if self.opened:
            self.accept("You opened the page and finished there.", None)
        elif self.url.can_open:
            self._step_or_consent(elsewhere=False)

    def elsewhere(self) -> None:
        """The person opened it themselves, from the copy or the code: that is consent too."""
        if not self.opened and self.url.can_open:
            self._step_or_consent(elsewhere=True)

    def _step_or_consent(self, *, elsewhere: bool) -> None:
        self.url.elsewhere = elsewhere
        found = self.question.to_acknowledge
        self.see(found)
        if not found and self.view.settings.review != "always":
            self.go_through()
            return
        text = overlays.second_step(
            self.view.who.request,
            None,
            None,
            found,
            self.view.room,
            self.url.address.content(),
            elsewhere,
        )
        self.view.turn_to("step", *text)

    def go_through(self) -> None:
        """Consent was given: to what was on the screen."""
        if self.view.shows_unseen():
            return
        if self.url.elsewhere:
            self._consented("You opened the page elsewhere.")
        else:
            self.view.run_worker(self.open(), exclusive=True, group="opening")

    async def open(self) -> None:
        """Hand the address to the system's browser, away from the event loop."""
        started = await asyncio.to_thread(self.view.opener, self.url.url)
        if not self.view.decided:  # It may have been, while the browser was starting.
            if started:
                self._consented("You opened the page.")
            else:
                self._handed_out = True
                self.url.say(Content.styled(_NO_BROWSER, "bold $warning"))
                self.view.turn_to("answer")

    def _consented(self, reason: str) -> None:
        if not self.question.request.answered_by_retry:
            self.accept(reason, None)
            return
        draft = self.question.draft
        self.opened = draft.opened = True
        draft.acknowledged = self.shown
        self.url.say_opened()
        self.view.turn_to("answer")

    def again(self) -> None:
        """Open the page once more."""
        if self.opened:
            self.view.run_worker(self.open(), exclusive=True, group="opening")

    def completed(self) -> None:
        """The server said that what its URL asked for is done: the answer can go out."""
        if self.opened and not self.view.decided:
            self.view.decide(finished(self.question))

    def copy(self) -> None:
        """Put the URL on the clipboard, also over SSH."""
        if self.url.can_open:
            copy(self.view.app, self.url.url)
            self._hand_out()
            self.view.say(HANDED_OVER, "bold $success")
        else:
            self.view.say("Not copied: it is no address that may be opened.")

    def code(self) -> None:
        """Show or hide the QR code."""
        if self.url.can_open:
            self.url.toggle_code()
            self._hand_out()
            self.view.show_actions()
        else:
            self.view.say("No code is drawn: it is no address that may be opened.")

    def _hand_out(self) -> None:
        if not self._handed_out and not self.opened:
            self._handed_out = True
            self.view.show_actions()
