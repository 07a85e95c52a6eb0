"""The page of a url question: where it leads, and what became of opening it."""

from __future__ import annotations

from textual import events
from textual.content import Content

from elicit_tui.responders.browser import may_open
from elicit_tui.tui.question.address import Address, address_of
from elicit_tui.tui.question.page import Page
from elicit_tui.tui.question.qr import qr_code

_ROOMY = 9
"""With fewer rows the address comes first, with no words of ours before it."""

_OPENED = Content.styled(
    "● Opened. When you are done on that page, come back and choose “Finished”; "
    "if it did not open, “Try again”.",
    "bold $accent",
)


_BEFORE = (
    "Nothing is opened, fetched or sent before you choose it. What you do on that page stays "
    "between you and it."
)
_NO_ROOM = "▲ The QR code of this address needs a larger window. It can be copied instead."


class UrlPanel(Page):
    """Shows the URL whole. Nothing here fetches or opens anything."""

    called = "the address"

    def __init__(self, url: str, opened: bool = False) -> None:
        self.url = url
        self.address: Address = address_of(url)
        self.elsewhere = False
        """Whether the person opens the page themselves, from the copy or the code."""
        self._said: Content | None = _OPENED if opened else None
        self._code = False
        self._roomy = True
        text, self.decides = self._drawn()
        super().__init__(text, id="url")

    @property
    def can_open(self) -> bool:
        """Whether it may be acted on: opened, copied or drawn as a code, by one rule."""
        return may_open(self.url)

    def say_opened(self) -> None:
        """Say that it was opened, and what comes next."""
        self.say(_OPENED)

    def say(self, text: Content | None) -> None:
        """Show a sentence above the URL: what happened, what to do."""
        self._said = text
        self._redraw()

    @property
    def shows_code(self) -> bool:
        """Whether the QR code is on the screen."""
        return self._code

    def show_code(self, shown: bool) -> None:
        """Show the QR code, or hide it; it takes the place of all else but the buttons."""
        if shown != self._code:
            self._code = shown
            if self.parent is not None:
                self.parent.set_class(shown, "-code")
            self.call_after_refresh(self._redraw)

    def toggle_code(self) -> None:
        """Show the QR code, or hide it."""
        self.show_code(not self._code)

    def on_resize(self, event: events.Resize) -> None:
        """Have the address in view, whatever the height."""
        roomy = event.size.height >= _ROOMY
        if roomy != self._roomy or self._code:
            self._roomy = roomy
            self._redraw()

    def _redraw(self) -> None:
        self.tell(*self._drawn())

    def _drawn_code(self) -> Content | None:
        """The code, whole: a part of one is of no use. Above it the address, if there is room."""
        leads = Content.assemble(
            ("leads to  ", "$faint"), (self.address.domain.lower(), "bold $accent")
        )
        width, height = self.size.width - 1, self.size.height
        for above in ([self.address.content(), leads], [leads], []):
            rows = sum(len(part.wrap(max(width, 1))) for part in above)
            code = qr_code(self.url, width, height - rows)
            if code is not None:
                return Content("\n").join([*above, code])
        return None

    def _drawn(self) -> tuple[Content, Content]:
        """All of it, and its beginning that has to be seen before it is opened."""
        code = self._drawn_code() if self._code else None
        if code is not None:
            return code, Content("")
        address = self.address
        whose = [address.content()]
        if address.domain:
            label = "leads to".ljust(15 if address.spellings else 8)
            whose.append(
                Content.assemble((f"{label}  ", "$faint"), (address.domain.lower(), "bold $accent"))
            )
        for said, spelling in zip(("in letters", "in ASCII  "), address.spellings, strict=False):
            whose.append(Content.assemble((f"host {said}  ", "$faint"), (spelling, "bold")))
        parts = [] if self._said is None else [self._said]
        if self._code:
            parts.append(Content.styled(_NO_ROOM, "$warning"))
        if self._roomy and self._said is not _OPENED:
            ask = "The server asks you to open this page in your browser:"
            parts.append(Content.styled(ask, "$faint"))
        parts.append(Content("\n").join(whose))
        if not self.can_open:
            parts.append(
                Content.styled(
                    "■ This cannot be opened or copied: only plain http and https addresses are.",
                    "bold $error",
                )
            )
        if self._said is _OPENED:
            return Content("\n\n").join(parts), Content("")
        words = Content.styled(_BEFORE, "$faint")
        return Content("\n\n").join([*parts, words]), Content("\n\n").join(parts)
