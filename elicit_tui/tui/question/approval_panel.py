"""The panel of an approval: what would be called with what, and what the tool says of itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from textual import events
from textual.content import Content

from elicit_tui.elicitation import Question, hints_of
from elicit_tui.elicitation.shown import alike
from elicit_tui.text import as_name, neutral
from elicit_tui.text.spread import texts_as_lines
from elicit_tui.tui.names_on_screen import quoting_signs
from elicit_tui.tui.question import frame_words
from elicit_tui.tui.question.seen_texts import Page

ARGUMENTS_CHARACTERS: Final = 20_000
"""Of a call's arguments; of more than that the beginning and the end."""
DESCRIPTION_CHARACTERS: Final = 4_000
"""Of what a tool says of itself; of a change that is longer the beginning and the end."""
_AROUND_CHANGE = 200
"""Characters that stand as they were before what changed in a long one, and behind it."""
_SAID_FIRST = 3
"""Lines of what a tool says of itself that have to be seen, however much it says."""
_LABEL = 14
_LABEL_STYLES = {"−": "bold $error", "+": "bold $success"}
"""By the sign before a label: what a changed tool said before, and what it says now."""
_BESIDE = 4
"""Cells that the text does not have: its margin, a scrollbar and the blank before it."""


class ApprovalPanel(Page):
    """Shows a tool call whole, before it is made: its arguments as they are sent, then the rest.

    The rest is what the tool says of itself, in one piece, and why the person is asked.
    """

    called = "the call's text"

    def __init__(self, question: Question) -> None:
        self._request = question.request
        self._why = frame_words.why_asked(question)
        self._drawn_for_width = 0
        text, self.decides = self._drawn(60)
        super().__init__(text, id="approval")

    def on_resize(self, event: events.Resize) -> None:
        """Draw it for this width; in another height the same was seen of it."""
        if event.size.width != self._drawn_for_width:
            self._drawn_for_width = event.size.width
            self.tell(self._drawn(event.size.width - _BESIDE))

    def _drawn(self, width: int) -> tuple[Content, Content]:
        """All of it, and its beginning that says what is decided about."""
        call, definition = self._request.call, self._request.definition
        before = self._request.definition_before
        sent = dict(call.arguments) if call is not None else {}
        arguments = texts_as_lines(frame_words.sent_json(sent, self._request))
        shown, self.left_out = frame_words.shortened(arguments, ARGUMENTS_CHARACTERS)
        hints = ("tool claims", _hinted(hints_of(definition)))
        called_with = ("arguments", Content(shown))
        said = _said(_described(definition))
        if self._request.handed_to is not None:
            name = call.name if call is not None else ""
            parts = [_row(called_with, width), _row(("tool", Content(as_name(name))), width)]
        elif before is not None:
            # What changed has to be seen, however long it is.
            hinted = _beside(hints, _hinted(hints_of(before)))
            was, said, left_out = _what_changed(_described(before), _described(definition))
            self.left_out += left_out
            rows = [*hinted, *_beside(("tool says", said), was), called_with]
            parts = [_row(row, width) for row in rows]
        else:
            parts = [_row(row, width) for row in (hints, called_with, ("tool says", said))]
        why = [_row(("why asked", Content(neutral(self._why))), width)] if self._why else []
        text = Content("\n").join([*parts, *why])
        if before is not None or self._request.handed_to is not None:
            return text, Content("\n").join(parts)
        if call is not None and call.own:
            # Who wrote the arguments need not read them.
            self.left_out = 0
            return text, parts[0]
        # What a server says of its tool may be as long as it likes; what is called, too.
        return text, Content("\n").join([*parts[:-1], _begins(parts[-1])])


def _row(row: tuple[str, Content], width: int) -> Content:
    """A label and beside it its text; where it is narrow, what is short follows on one line."""
    label, text = row
    style = _LABEL_STYLES.get(label[:1], "$faint")
    sign = label[:1] if label[:1] in _LABEL_STYLES else ""
    together = Content.assemble((label, style), " ", text)
    if _is_narrow(width) and not sign and together.cell_length <= width and "\n" not in text.plain:
        return together
    head = Content.styled(label.ljust(_LABEL), style)
    return frame_words.hanging(head, text, width, sign)


def _is_narrow(width: int) -> bool:
    """Whether labels have no column of their own."""
    return width - _LABEL < frame_words.LEAST_COLUMN


def _begins(said: Content) -> Content:
    """The first lines of what a tool says of itself."""
    return Content("\n").join(said.split("\n")[:_SAID_FIRST])


def _described(definition: Mapping[str, Any]) -> str:
    described = definition.get("description")
    return described.strip() if isinstance(described, str) else ""


def _said(described: str) -> Content:
    """What a tool says of itself, as far as anybody reads it."""
    text = neutral(described, DESCRIPTION_CHARACTERS)
    return Content(quoting_signs(text) or "nothing about itself")


def _what_changed(before: str, now: str) -> tuple[Content, Content, int]:
    """What a tool said of itself, and says now; how many characters of the change are left out.

    Of what is too long, all that both say alike gives way, but for the words around the change.
    """
    if before == now or max(len(before), len(now)) <= DESCRIPTION_CHARACTERS:
        return _said(before), _said(now), 0
    first = max(alike(before, now) - _AROUND_CHANGE, 0)
    behind = max(alike(before[first:][::-1], now[first:][::-1]) - _AROUND_CHANGE, 0)
    was, was_left = _changed(before, first, behind)
    says, left = _changed(now, first, behind)
    return was, says, was_left + left


def _changed(described: str, first: int, behind: int) -> tuple[Content, int]:
    """A description without what is as before: the first letters of it, and those behind."""
    part = described[first : len(described) - behind]
    shown, left_out = frame_words.shortened(part, DESCRIPTION_CHARACTERS)
    counts = (f"⟨… {count:,} characters as before …⟩" if count else "" for count in (first, behind))
    above, below = counts
    return Content(quoting_signs("\n".join(filter(None, [above, shown, below])))), left_out


def _beside(now: tuple[str, Content], was: Content) -> list[tuple[str, Content]]:
    """A row as it is, or, where it changed, marked, with what stood there before above it."""
    label, text = now
    if was.is_same(text):
        return [now]
    was, text = _marked(was, text)
    return [(f"− {label}", was), (f"+ {label}", text)]


def _marked(before: Content, now: Content) -> tuple[Content, Content]:
    """Two texts, in red and in green what lies between the words with which both begin and end.

    Comparing them any closer would let a long one keep the screen waiting.
    """
    texts = before.plain, now.plain
    begin = alike(*texts)
    end = alike(*(text[begin:][::-1] for text in texts))
    while begin and any(text[begin - 1 : begin].isalnum() for text in texts):
        begin -= 1
    while end and any(text[-end].isalnum() for text in texts):
        end -= 1
    return (
        before.stylize("$faint").stylize("bold $error strike", begin, len(before.plain) - end),
        # What warns keeps its own colour.
        now.stylize_before("bold $success", begin, len(now.plain) - end),
    )


def _hinted(hints: Sequence[str]) -> Content:
    """The tool's hints about itself; that it is destructive stands out."""
    if not hints:
        return Content("nothing")
    return Content(", ").join(
        Content.styled(f"▲ {hint}", "bold $warning") if hint == "destructive" else Content(hint)
        for hint in hints
    )
