"""The line above the buttons: what is missing, and the keys of what has the focus."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from textual.content import Content
from textual.message import Message
from textual.widget import Widget

from elicit_tui.form.field import Entry, is_unset
from elicit_tui.form.form import Conversion, Form
from elicit_tui.tui.names_on_screen import key_name
from elicit_tui.tui.question.frame_words import count
from elicit_tui.tui.question.seen_texts import TextRegion

_APART = 4
"""Cells at least between what is said and the keys."""
_WIDEST = 10_000


class StatusLine(Widget):
    """A summary at the left, the keys at the right; below each other when narrow."""

    DEFAULT_CSS = """
    StatusLine {
        height: 1; width: 100%; padding: 0 1 0 2; text-wrap: nowrap; text-overflow: ellipsis;
    }
    StatusLine.-narrow, StatusLine.-long { height: 2; text-wrap: wrap; }
    StatusLine.-long.-longer { height: 3; }
    """

    def __init__(self) -> None:
        super().__init__(id="status")
        self._summary = Content("")
        self._message: Content | None = None
        """What is said in the place of the summary."""
        self._says_now: Callable[[], str] | None = None
        """What the message would be by now, where that may be another."""
        self._drawn_keys: tuple[tuple[str, str], ...] = ()
        """Those of what has the focus, each with what it does, as they are drawn."""
        self._buttonless_keys: tuple[tuple[str, str], ...] = ()
        """Those without a button, as far as they have room here too."""
        self._question: TextRegion | None = None

    class KeysChanged(Message):
        """Other keys are named now, or there is another room for them."""

    def on_mount(self) -> None:
        """Follow the focus: the keys are those of what has it."""
        self.watch(self.screen, "focused", self._follow, init=False)

    def _follow(self) -> None:
        self.refresh()
        self.post_message(self.KeysChanged())

    def name_keys(self) -> None:
        """Draw the keys of what has the focus, where they are others than those drawn."""
        if self._focused_keys != self._drawn_keys:
            self._follow()

    def watch_for_more(self, message: TextRegion) -> None:
        """Name the key that shows more of a message while some of it is below what is in sight."""
        self._question = message
        self.watch(message, "hides_below", self._follow, init=False)

    @property
    def _more(self) -> str:
        cut = self._question is not None and self._question.display and self._question.hides_below
        return f"… {key_name('pagedown')}" if cut else ""

    @property
    def _focused_keys(self) -> tuple[tuple[str, str], ...]:
        # What the sentence beside them tells of a key is not told twice, or otherwise.
        told = self._summary.plain.split()
        keys = getattr(self.screen.focused, "keys", ())
        return tuple(pair for pair in keys if pair[0] not in told)

    def on_resize(self) -> None:
        """What fitted may need another row now."""
        self._stretch()
        self.post_message(self.KeysChanged())

    def summarise(self, summary: Content) -> None:
        """The standing summary; drawn only when it is another one, not for each letter typed.

        What is said in its place may be another sentence by now, too.
        """
        if self._message is not None and self._says_now is not None:
            better = self._says_now()
            if better != self._message.plain:
                self.say(better, now=self._says_now)
        if not summary.is_same(self._summary):
            self._summary = summary
            self._drawn_anew()

    def say(
        self, text: str, style: str = "bold $warning", *, now: Callable[[], str] | None = None
    ) -> None:
        """A sentence in the summary's place, until `hush`; `now`: what it is later, if another."""
        self._message, self._says_now = Content.styled(text, style), now
        self._drawn_anew()

    def hush(self) -> None:
        """Back to the summary."""
        if self._message is not None:
            self._message = None
            self._drawn_anew()

    def _drawn_anew(self) -> None:
        self._stretch()
        self._follow()

    def left_out(self, without_button: Sequence[str]) -> Sequence[str]:
        """Those that are not named here: none where all, keys and words, have room at the right."""
        key_words = [words.partition(" ")[::2] for words in without_button]
        room = self.size.width - (self._message or self._summary).cell_length - _APART
        named = self._in_words((*self._focused_keys, *key_words), _WIDEST)
        fits = not self.has_class("-narrow") and named.cell_length <= room
        named_here = tuple(key_words) if fits else ()
        if named_here != self._buttonless_keys:
            self._buttonless_keys = named_here
            self.refresh()
        return () if fits else without_button

    def _stretch(self) -> None:
        """What does not fit into one row takes a second one, that of the keys, or a third.

        It is not cut.
        """
        said, width = self._message or self._summary, self.size.width
        rows = len(said.wrap(width)) if 0 < width < said.cell_length else 1
        self.set_class(rows > 1, "-long").set_class(rows > 2, "-longer")

    def hush_of(self, sentence: str) -> Callable[[], None]:
        """What hushes this sentence, and no other that is said by then."""

        def hush() -> None:
            if self._message is not None and self._message.plain == sentence:
                self.hush()

        return hush

    @property
    def _has_one_row(self) -> bool:
        return self.has_class("-narrow") and self.size.height == 1

    def keys_without_row(self, room: int) -> Content:
        """The keys for which there is no row below what is said, for so many cells."""
        said = bool(self._message or self._summary)
        if said and (self._has_one_row or (self.has_class("-narrow") and self.has_class("-long"))):
            return self._in_words(self._focused_keys, room)
        return Content("")

    def _keys(self, room: int) -> Content:
        """What keys do in the widget that has the focus, as far as there is room for them whole."""
        self._drawn_keys = self._focused_keys
        below = [(self._more, "the question goes on")] if self._more else []
        return self._in_words((*below, *self._drawn_keys, *self._buttonless_keys), room)

    def _in_words(self, named: Sequence[tuple[str, str]], room: int) -> Content:
        keys = Content("")
        for key, does in named:
            before = "  " if keys else ""
            more = Content.assemble(before, (key, "bold $accent"), " ", (does, "$faint"))
            if keys.cell_length + more.cell_length > room:
                break
            keys = keys.append(more)
        return keys

    def render(self) -> Content:
        """Both parts, as the width allows."""
        left = self._message or self._summary
        if self.has_class("-narrow"):
            if self._more and self._has_one_row:
                more = Content.assemble("  ", (self._more, "bold $accent"))
                return (
                    left if left.cell_length + more.cell_length > self.size.width else left + more
                )
            keys = self._keys(self.size.width)
            return Content("\n").join([part for part in (left, keys) if part])
        if self.has_class("-long"):
            return left
        keys = self._keys(self.size.width - left.cell_length - _APART)
        gap = max(self.size.width - left.cell_length - keys.cell_length, 1)
        return Content.assemble(left, " " * gap, keys)


def summary(
    form: Form,
    conversion: Conversion,
    entries: Mapping[str, Entry],
    below: int = 0,
    unseen: int = 0,
) -> Content:
    """How many answers are missing and how many are wrong, in words.

    Of those that can be sent: how many are the server's defaults, which nobody may have looked at,
    how many, `unseen`, go out that were not on the screen yet, and how many fields, `below`, are
    left out that nobody has seen.
    """
    if form.refusal is not None:
        return Content.styled("■ cannot be answered here: decline or cancel", "bold $warning")
    if not conversion.problems:
        if form.is_confirmation:
            return Content("yes or no?")
        sent = len(conversion.content)
        unset = f", {below} unset below" if below else ""
        if not sent:
            return Content.styled(f"✓ can be sent, with nothing filled in{unset}", "$success")
        given = [spec for spec in form.fields if not is_unset(spec.initial)]
        same = sum(entries.get(spec.name) == spec.initial for spec in given)
        # In few words: beside them stand the keys, and 40 columns have one line for both.
        answers = f"{sent}, {same} by default" if same else count(sent, "answer")
        if unseen:  # The first key that sends shows these.
            # Not of how many: more are sent with each field that is filled in.
            return Content.styled(f"◌ {unseen} not seen yet · sends {answers}{unset}", "bold")
        return Content.styled(f"✓ ready to send {answers}{unset}", "$success")
    missing, wrong = form.lacking(conversion)
    parts = []
    if missing:
        parts.append(f"{missing if wrong else count(missing, 'answer')} missing (*)")
    if wrong:
        parts.append(f"{wrong} to correct")
    return Content.styled("◌ " + ", ".join(parts), "bold")
