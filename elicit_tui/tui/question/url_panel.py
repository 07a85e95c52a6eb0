"""The page of a url question: where it leads, its code, and what became of opening it."""

from __future__ import annotations

from collections.abc import Iterator

from textual import events
from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget

from elicit_tui.responders.browser import may_open
from elicit_tui.tui.names_on_screen import key_of
from elicit_tui.tui.ordered_app import OrderedApp
from elicit_tui.tui.question.actions import BY_ACTION
from elicit_tui.tui.question.address import Address, address_of, code_size, qr_code
from elicit_tui.tui.question.seen_texts import Page, TextRegion

NOT_OPENED = "■ This cannot be opened or copied: only plain http and https addresses are."

_OPENED = Content.styled(
    "● Opened. When you are done on that page, come back and choose “Finished”; "
    "if it did not open, “Try again”.",
    "bold $accent",
)
_LOGIN_OPENED = Content.styled(
    "● Opened. This goes on by itself when you have logged in there; if it did not open, "
    "“Try again”. A browser on another machine ends at an address that it cannot show: paste that "
    "address here.",
    "bold $accent",
)

_MANY = 1_000
_ASKS = "The server asks you to open this page in your browser:"
_BEFORE = "Nothing is opened, fetched or sent before you choose it."
_STAYS = f"{_BEFORE} What you do on that page stays between you and it."
_BELOW_CODE = 2
"""Rows below the code: the status line and the buttons."""
_BESIDE_TEXT = 3
"""Cells of the panel that its text does not have: its margins."""
_FRAME = 2
"""Rows of a border."""
_CARD_ROWS = 2
"""Rows between the border of a card and what stands in it."""
_CARD_WIDTH = 112
"""Cells of a card at most, as the style sheet has it."""
_BLANK_ROWS = 3
"""Above the address, above the code and below it."""
_BESIDE_CODE = 12
"""Cells of the frame, of what stands around the code in it, and of a card's own margin."""


class UrlPanel(Page):
    """Shows the URL whole. Nothing here fetches or opens anything."""

    called = "the address"

    def __init__(
        self, url: str, opened: bool = False, *, login: bool = False, warned: bool = False
    ) -> None:
        """`login`: it is the page on which one logs in to a server.

        `warned`: something was found about it: then no word of ours soothes.
        """
        self.url = url
        self._login = login
        self._warned = warned
        self.address: Address = address_of(url)
        self.elsewhere = False
        """Whether the person opens the page themselves, from the copy or the code."""
        self._opened = _LOGIN_OPENED if login else _OPENED
        self._message: Content | None = self._opened if opened else None
        self._code = False
        self._rows, self._width = _MANY, 0
        """The room there is; at first it is not known."""
        text, self.decides = self._drawn()
        super().__init__(text, id="url")

    @property
    def can_open(self) -> bool:
        """Whether it may be acted on: opened, copied or drawn as a code, by one rule."""
        return may_open(self.url)

    def say_opened(self) -> None:
        """Say that it was opened, and what comes next."""
        self.say(self._opened)

    def say(self, text: Content | None) -> None:
        """Show a sentence above the URL: what happened, what to do."""
        self._message = text
        self._redraw()

    @property
    def shows_code(self) -> bool:
        """Whether the QR code is on the screen."""
        return self._code

    def show_code(self, shown: bool) -> None:
        """Show the QR code, or hide it; it takes the place of all else but the buttons."""
        if shown != self._code:
            self._code = shown
            if isinstance(self.parent, Widget):
                self.make_room(self.parent)
            self.call_after_refresh(self._redraw)

    def make_room(self, frame: Widget, *, covered: bool = False) -> None:
        """Let the frame give the code its room: all inside it, or the window without it."""
        shown = self._code and not covered
        framed = self._framed_code(frame) is not None
        frame.set_class(shown and framed, "-framed-code")
        below = self._framed_code(frame, beside=self._rows_of_question(frame)) is not None
        frame.set_class(shown and framed and not below, "-code-alone")
        # Where no code has room the page stays as it was, with the reason in it.
        frame.set_class(shown and not framed and self._bare_code([]) is not None, "-code")

    def _framed_code(self, frame: Widget, beside: int = 0) -> Content | None:
        """The code, where it has room inside the frame below all of the address.

        Under a prompt the frame has only part of the terminal's rows. `beside`: rows of the frame
        that something else has.
        """
        if self.app.is_inline:
            return None
        rows = len(self.address.content().wrap(self._framed_width(frame))) + 1 + beside
        rows += _CARD_ROWS if frame.has_class("-card") else 0
        height = self.app.size.height - _FRAME - _BELOW_CODE - rows
        return qr_code(self.url, self._framed_width(frame), height)

    def _framed_width(self, frame: Widget) -> int:
        width = self.app.size.width
        return max(
            (min(width, _CARD_WIDTH) if frame.has_class("-card") else width) - _BESIDE_CODE, 1
        )

    def _rows_of_question(self, frame: Widget) -> int:
        """Of who asks, what is asked and what was found, with the blank rows beside them."""
        width = self._framed_width(frame)
        rows = (part.rows_for(width) for part in frame.query_children(TextRegion))
        return sum(count + 1 for count in rows if count) + _BLANK_ROWS

    def toggle_code(self) -> None:
        """Show the QR code, or hide it."""
        self.show_code(not self._code)

    def on_resize(self, event: events.Resize) -> None:
        """Have the address in view, whatever the height; a card grows with what it says."""
        in_card = isinstance(self.parent, Widget) and self.parent.has_class("-card")
        drawn_for = _MANY if in_card else event.size.height, event.size.width - _BESIDE_TEXT
        if drawn_for != (self._rows, self._width) or self._code:
            self._rows, self._width = drawn_for
            if self._code and isinstance(self.parent, Widget):
                self.make_room(self.parent, covered=not self.display)
            self._redraw()

    def _redraw(self) -> None:
        self.tell(self._drawn())

    def _drawn_code(self) -> tuple[Content, Content] | None:
        """The code, whole, for a part of one is of no use, with the address as there is room.

        None: there is none for the code.
        """
        address = self.address.content()
        leads = Content.assemble(
            ("belongs to  ", "$faint"), (self.address.domain.lower(), "bold $accent")
        )
        if isinstance(self.parent, Widget) and self.parent.has_class("-framed-code"):
            framed = self._framed_code(self.parent)
            if framed is not None:
                lines = framed.split("\n")
                middle = max((self.content_size.width - 1 - lines[0].cell_length) // 2, 0)
                indented = [Content(" " * middle) + line for line in lines]
                blank = [] if self.parent.has_class("-code-alone") else [Content("")]
                return Content("\n").join([address, leads, *blank, *indented]), address
        for above in ([address, leads], [leads], []):
            code = self._bare_code(above)
            if code is not None:
                seen = address if above[:1] == [address] else Content("")
                return Content("\n").join([*above, code]), seen
        return None

    @property
    def _window(self) -> Size:
        return self.app.whole_size if isinstance(self.app, OrderedApp) else self.app.size

    def _bare_code(self, above: list[Content]) -> Content | None:
        """The code, where it has room below these lines in the window without its frame."""
        width, height = self._window
        rows = sum(len(part.wrap(max(width, 1))) for part in above)
        return qr_code(self.url, width, height - _BELOW_CODE - rows)

    def _what_the_code_needs(self) -> str:
        least, copies = code_size(self.url), key_of(self, BY_ACTION["copy"])
        if least is None:
            return f"▲ This address is too long for a QR code. {copies} copies it instead."
        width, height = self._window
        sides = (
            (least.width, width, "columns"),
            (least.height + _BELOW_CODE, height, "rows"),
        )
        lacks = [side for side in sides if side[1] < side[0]]
        needs = " and ".join(f"{needed} {things}" for needed, _, things in lacks)
        has = " and ".join(str(there) for _, there, _ in lacks)
        return f"▲ The QR code needs {needs}; there are {has}. {copies} copies the address."

    def _drawn(self) -> tuple[Content, Content]:
        """All of it, and its beginning that has to be seen before it is opened."""
        if self._code and (code := self._drawn_code()) is not None:
            return code
        drawn = list(self._ways_to_say_it())
        width = max(self._width, 1)
        fitting = (text for text in drawn if len(text[0].wrap(width)) <= self._rows)
        return next(fitting, drawn[-1])

    def _ways_to_say_it(self) -> Iterator[tuple[Content, Content]]:
        """In as many words of ours as there may be room for; the last has the fewest."""
        before = [] if self._message is None else [self._message]
        if self._code:
            before.append(Content.styled(self._what_the_code_needs(), "bold $warning"))
        asks = "This page opens in your browser:" if self._login else _ASKS
        ask = [] if self._message is self._opened else [Content.styled(asks, "$faint")]
        address = [self.address.lines(self._width)]
        if not self.can_open:
            address.append(Content.styled(NOT_OPENED, "bold $error"))
        if self._message is self._opened:
            yield Content("\n\n").join([*before, *address]), Content("")
            return
        stays = _BEFORE if self._login or self._warned else _STAYS
        for asking, words in ((ask, stays), ([], stays), ([], _BEFORE)):
            parts = [*before, *asking, *address]
            said = Content.styled(words, "$faint")
            yield Content("\n\n").join([*parts, said]), Content("\n\n").join(parts)
