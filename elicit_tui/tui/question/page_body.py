"""A question about a page: shown whole, opened on consent, waited for."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from textual import events
from textual.content import Content

from elicit_tui.elicitation import finished
from elicit_tui.elicitation.question import REDIRECT
from elicit_tui.text.hosts import is_web_address
from elicit_tui.tui.names_on_screen import naming_keys
from elicit_tui.tui.question import overlays
from elicit_tui.tui.question.actions import (
    CANCEL,
    REFUSED_FORM,
    STEP_ELSEWHERE,
    STEP_URL,
    UNCOVER,
    URL,
    WAITING,
    Action,
    PageName,
)
from elicit_tui.tui.question.address import copy, handed_over
from elicit_tui.tui.question.body import Body, ShownPage
from elicit_tui.tui.question.frame import QuestionFrame
from elicit_tui.tui.question.frame_words import goes_on_below
from elicit_tui.tui.question.seen_texts import PartToSee, hides_some
from elicit_tui.tui.question.url_panel import UrlPanel

# A question that asks to open a page: consent, opening, and the end of what is done there.

_NO_ADDRESS = "Not taken: paste the address that the page ended at."
_PASTED = "You pasted the address that the page led back to."
_LONGEST_TYPED = 16 * 1024
_BEGINNING = "http"
"""Of each address that a page can end at."""
_NO_BROWSER = (
    "▲ No browser could be started here. The question stays open: copy the address or scan its QR "
    "code, open it elsewhere, then choose “I opened it”."
)
_NO_BROWSER_TO_LOG_IN = (
    "▲ No browser could be started here. Copy the address or scan its QR code, open it elsewhere, "
    "and paste the address here that the page ends at."
)


class PageBody(Body):
    """Nothing is opened, copied or drawn but what may be opened; nothing is fetched, ever."""

    def __init__(self, frame: QuestionFrame) -> None:
        super().__init__(frame.question, frame.accept)
        self.frame = frame
        self.opened = self.question.draft.opened
        self._typed = ""
        """Of the address that a login's page led back to: a terminal may paste it as keys."""
        self.url = UrlPanel(
            self.question.request.url or "",
            self.opened,
            login=self.question.request.traits.takes_redirect,
            warned=bool(self.question.review.findings),
        )

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
        return URL

    def summary(self) -> Content:
        """Whether the page is waited for."""
        if self._begun:
            begun = f"{self._begun[:20]}… {len(self._begun)} characters"
            return Content.styled(f"{begun} · Enter hands it over", "bold")
        if self.opened and self.question.request.traits.takes_redirect:
            return Content.styled("waiting for the page · its last address can be pasted", "bold")
        if self.opened:
            return Content.styled("waiting for the page to be finished", "bold")
        if self.url.shows_code and self.frame.has_class("-narrow"):  # Its button has no room.
            key = self.frame.key("elsewhere")
            return naming_keys(f"opened elsewhere? {key} I opened it", key)
        return goes_on_below() if self.goes_on else Content("")

    @property
    def takes_letters(self) -> bool:
        """Before it is opened; in a login letters may be those of an address."""
        login = self.question.request.traits.takes_redirect
        before = not self.opened and self.url.can_open and not login
        return before and self.frame.page == "answer"

    def takes(self, action: str, page: str) -> bool:
        """A letter copies the address; in a login it may be one of an address that is typed."""
        login = self.question.request.traits.takes_redirect
        copies = action == "copy_here" and not login and page == "answer"
        return copies or super().takes(action, page)

    @property
    def letters(self) -> Mapping[str, str]:
        """Those that open it, decline or copy."""
        page = self.frame.page
        ways = {"send": "yes", "decline": "no", "copy": "copy_here"}
        return {own: letter for own, letter in ways.items() if self.takes(letter, page)}

    @property
    def accepting(self) -> str:
        """Consent."""
        return "agrees"

    @property
    def goes_on(self) -> bool:
        """Whether what opens it would first show the rest, rather than lead to its step."""
        if self.frame.page != "answer" or not (self.opened or self.url.can_open):
            return False
        return not self.leads_to_a_page and hides_some(self.url, self.frame.to_be_seen)

    @property
    def leads_to_a_page(self) -> bool:
        """What opens it, where it is asked about once more."""
        at_address = self.frame.page == "answer" and self.url.can_open
        return at_address and not self.opened and self._has_step

    def covered(self) -> None:
        """The code is put away for the step that opens the page; from others one comes back."""
        if self.frame.page == "step":
            self.url.show_code(False)
        self.url.make_room(self.frame, covered=True)

    def uncovered(self) -> None:
        """The code has the whole window again."""
        self.url.make_room(self.frame)

    def to_be_seen(self, page: PageName) -> tuple[PartToSee, ...] | None:
        """The address."""
        return (self.url,) if page == "answer" else None

    def seen(self, content: Mapping[str, Any], *, page_read: bool) -> frozenset[str]:
        """The address; the step before it is opened shows it too."""
        return frozenset({"url"}) if page_read or not self.url.unseen else frozenset()

    def put_away(self) -> bool:
        """What was typed goes first, then the code, which takes the place of the question."""
        if self._begun:
            self._typed = ""
            self.frame.summarise()
            return True
        shown = self.url.shows_code
        self.url.show_code(False)
        self.frame.summarise()
        self.frame.show_actions()
        return shown

    def send(self, shown: ShownPage) -> None:
        """Agree and open; once it is open: say that it is finished."""
        if self.opened:
            self.accept("You opened the page and finished there.", ShownPage())
        elif self.url.can_open:
            self._step_or_consent(shown.content, elsewhere=shown.content is not None)

    def elsewhere(self) -> None:
        """The person opened it themselves, from the copy or the code: that is consent too."""
        if not self.opened and self.url.can_open:
            self._step_or_consent(self.frame.shown.content, elsewhere=True)

    @property
    def _has_step(self) -> bool:
        """Whether it is asked about once more."""
        return bool(self.question.to_acknowledge) or self.frame.around.review == "always"

    def _step_or_consent(self, pasted: Mapping[str, Any] | None, *, elsewhere: bool) -> None:
        self.url.elsewhere = elsewhere
        found = self.question.to_acknowledge
        if not self._has_step:
            self.go_through(ShownPage(content=pasted))
            return
        going = overlays.GoingThrough(address=self.url.address.content(), elsewhere=elsewhere)
        text = overlays.second_step(self.frame.who.request, found, self.frame.room, going)
        self.frame.turn_to(ShownPage("step", text, pasted, found))

    def go_through(self, shown: ShownPage) -> None:
        """Consent was given: to what was on the screen."""
        if self.frame.shows_unseen():
            return
        if self.url.elsewhere:
            self._consented("You opened the page elsewhere.", shown)
        else:
            self.frame.run_worker(self.open(shown), exclusive=True, group="opening")

    async def open(self, shown: ShownPage) -> None:
        """Hand the address to the system's browser, away from the event loop."""
        started = await asyncio.to_thread(self.frame.opener, self.url.url)
        if not self.frame.decided:  # It may have been, while the browser was starting.
            if started:
                self._consented("You opened the page.", shown)
            else:
                login = self.question.request.traits.takes_redirect
                sentence = _NO_BROWSER_TO_LOG_IN if login else _NO_BROWSER
                self.url.say(Content.styled(sentence, "bold $warning"))
                self.frame.turn_to(ShownPage())

    def _consented(self, reason: str, shown: ShownPage) -> None:
        if not self.question.request.answered_by_retry:
            self.accept(reason, shown)
            return
        draft = self.question.draft
        self._typed = self._begun
        self.opened = draft.opened = True
        draft.acknowledged |= shown.acknowledged
        if shown.content is not None:
            self.accept(_PASTED, shown)
            return
        self.url.say_opened()
        self.frame.turn_to(ShownPage())

    def again(self) -> None:
        """Open the page once more."""
        if self.opened:
            self.frame.run_worker(self.open(ShownPage()), exclusive=True, group="opening")

    def completed(self) -> None:
        """The server said that what its URL asked for is done: the answer can go out."""
        if self.opened and not self.frame.decided:
            self.frame.decide(finished(self.question))

    def pasted(self, text: str) -> None:
        """The address that a login's page led back to, where its browser is on another machine.

        Who has it was on that page, and agrees to it.
        """
        if not self.question.request.traits.takes_redirect or self.frame.page != "answer":
            return
        if not is_web_address(text.strip()) or not self.url.can_open:
            self.frame.say(_NO_ADDRESS)
        elif self.opened:
            self.accept(_PASTED, ShownPage(content={REDIRECT: text}))
        else:
            # It goes out from this page, as long as that is shown, or from its step.
            self.frame.shown = ShownPage(content={REDIRECT: text})
            self._step_or_consent(self.frame.shown.content, elsewhere=True)

    def typed_key(self, event: events.Key) -> bool:
        """Take a key of an address that is typed, or pasted as keys; whether it is one."""
        if not self.question.request.traits.takes_redirect or self.frame.page != "answer":
            return False
        if event.key == "enter" and self._typed:
            address, self._typed = self._typed, ""
            self.pasted(address)
        elif event.key == "backspace" and self._typed:
            self._typed = self._typed[:-1]
        elif event.is_printable and len(self._typed) < _LONGEST_TYPED:
            self._type(event.character or "")
        else:
            return False
        if self._begun:
            self.focus()
        self.frame.summarise()
        return self.opened or bool(self._begun)

    def _type(self, letter: str) -> None:
        """Before the page was opened nothing shows what is typed: a stray letter begins nothing."""
        self._typed += letter
        if not self.opened and not _BEGINNING.startswith(self._typed[: len(_BEGINNING)]):
            self._typed = letter if _BEGINNING.startswith(letter) else ""

    @property
    def _begun(self) -> str:
        """What was typed, as far as it can become an address."""
        return self._typed if self.opened or self._typed.startswith(_BEGINNING) else ""

    def copy(self) -> None:
        """Put the URL on the clipboard, also over SSH."""
        if self.url.can_open:
            copy(self.frame.app, self.url.url)
            self.frame.say(handed_over(), "bold $success")
        else:
            self.frame.say("Not copied: it is no address that may be opened.")

    def code(self) -> None:
        """Show or hide the QR code."""
        if self.url.can_open:
            self.url.toggle_code()
            self.frame.summarise()
            self.frame.show_actions()
        else:
            self.frame.say("No code is drawn: it is no address that may be opened.")
