"""Where arguments are written as JSON: from one value that is still to be written to the next."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any, ClassVar, Final

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets.text_area import Selection

from elicit_tui.form.field import Problem
from elicit_tui.form.shape import secret_names, text_names
from elicit_tui.text import quoted, readable_json
from elicit_tui.text.hostile_json import strict_json
from elicit_tui.tui.console.json_places import (
    Written,
    next_line,
    nulls_in,
    one_more,
    place_of,
    written_in,
)
from elicit_tui.tui.names_on_screen import key_of
from elicit_tui.tui.widgets.control import CLEAR
from elicit_tui.tui.widgets.seen_writing import SeenAsPainted, SeenWriting
from elicit_tui.tui.widgets.text_block import TextEditor, part_of

_KEY: Final = re.compile(r'^\s*"((?:[^"\\]|\\.)*)":')
_ITEM: Final = re.compile(r' *(?:null|true|false|-?[0-9][^",]*|"(?:[^"\\]|\\.)*")')
"""A value of a list, alone in its line."""
_CLOSED: Final = re.compile(r" *[}\]]")
"""Where an object or a list ends that is an item of a list, alone in its line."""
_BEGUN: Final = re.compile(r'(?:: ?|^ *|[\[,] ?)"$')
"""The quote with which a value begins."""
_ESCAPING: Final = re.compile(r"(?<!\\)(?:\\\\)*\\$")
"""A backslash that makes the next sign one of the text."""
_ESCAPES: Final = {
    "n": "a line break",
    "r": "a carriage return",
    "t": "a tab",
    "b": "a backspace",
    "f": "a form feed",
    "u": "the beginning of a sign's number",
}
"""What a backslash makes of the letter behind it."""
_QUOTE: Final = re.compile(r'(?<!\\)(?:\\\\)*"')
_QUOTED: Final = re.compile(r'(?<!\\)(?:\\\\)*\\"')
"""A quotation mark that is one of the text."""


ALL: Final = Binding("ctrl+a", "select_all", "All of it", show=False, id="arguments.all")
PASTED_AS_JSON: Final = "Pasted as JSON in the place of the text."


class JsonEditor(SeenWriting, SeenAsPainted, TextEditor):
    """An editor that begins with what is required; Tab goes from value to value."""

    BINDINGS: ClassVar[list[BindingType]] = [
        # What begins anew is named instead.
        Binding(CLEAR.key, CLEAR.action, "Clear", id=CLEAR.id, show=False),
        Binding("tab", "next_value", "Next value", id="arguments.next_value"),
        Binding(
            "shift+tab",
            "previous_value",
            "Previous value",
            show=False,
            id="arguments.previous_value",
        ),
        ALL,
    ]

    def __init__(self, schema: Any, *, id: str) -> None:
        """`schema`: of what is written."""
        super().__init__("", id=id, show_line_numbers=False)
        self._text_names = text_names(schema)
        self.secrets = secret_names(schema)
        self._ended: tuple[int, int] | None = None
        """The place behind a text that was ended by its quote just now."""
        self._escaped = ""
        """The letter that was typed behind a backslash, and means something else there."""
        self._went_round = ""
        """The text whose values were gone through to the end, and begun with once more."""
        self._was_filled = False
        """Whether no value was still to be written when it was begun."""

    class SeenWhole(Message):
        """All of it was on the screen."""

    @property
    def typed(self) -> str:
        """The text as it stands here."""
        return self.text

    @property
    def in_sight(self) -> tuple[int, int]:
        """The first letter of the lines that are painted, and the one behind the last."""
        return part_of(self, self._painted)

    def seen_whole(self) -> Message:
        """That all of it was."""
        return self.SeenWhole()

    def read_on(self) -> None:
        """Scroll to the first line that was never on the screen."""
        line = 1 + self.text.count("\n", 0, self.first_unseen)
        row = self.wrapped_document.location_to_offset((line - 1, 0)).y
        self.scroll_to(y=row, animate=False, immediate=True)

    def begin(self, text: str, *, own: bool = True) -> None:
        """Have this JSON; what is typed goes to the first value that is still to be written.

        Where none is, it takes the place of the first value. `own`: the person has written it, or
        seen it already.
        """
        self.take_back(text, own=own)
        self._escaped = ""
        self._begin_writing()

    def take_back(self, text: str, *, own: bool) -> None:
        """Have JSON that somebody went away from, with the cursor where it begins."""
        self.show(text)
        (self.counts_as_own if own else self.is_of_others)()

    def begin_anew(self, text: str) -> None:
        """Have this in place of what is written, which the key that undoes brings back."""
        self.replace(text, (0, 0), self.document.end)
        self.follow_writing()
        self._begin_writing()

    @property
    def is_begun(self) -> bool:
        """Whether there are values that are still to be written."""
        return bool(self._nulls)

    @property
    def _nulls(self) -> int:
        return nulls_in(self.text)

    @property
    def lacks(self) -> str:
        """How many values are still to be written, in few words; empty where none is."""
        nulls = self._nulls
        return f"{nulls} still null" if nulls else ""

    def _begin_writing(self) -> None:
        """Select what is to be written first; where all is written, the first value."""
        values = [*written_in(self.text)]
        self._was_filled = not self._select_next(_blank(values), 0)
        if self._was_filled:
            self._select_next(values, 0)

    def _select_next(self, values: Iterable[Written], place: int) -> bool:
        """Select the first of these values behind a place; False: there is none."""
        behind = (value for value in values if value.begin >= place and value.end > place)
        return self._select(next(behind, None))

    def _select(self, value: Written | None) -> bool:
        if value is not None:
            self.selection = Selection(self._location(value.begin), self._location(value.end))
        return value is not None

    def go_to(self, problem: Problem) -> None:
        """Select the value that is at fault, if it is there: what is typed takes its place."""
        if (place := place_of(problem, self.text)) is not None:
            begin, end = (self._location(offset) for offset in place)
            self.selection = Selection(begin, end)

    def _location(self, offset: int) -> tuple[int, int]:
        return self.text.count("\n", 0, offset), offset - self.text.rfind("\n", 0, offset) - 1

    @property
    def _place(self) -> tuple[int, int]:
        """Where what is selected begins in the text, and where it ends."""
        begin, end = map(self._offset, sorted(self.selection))
        return begin, end

    def _offset(self, place: tuple[int, int]) -> int:
        row, column = place
        return sum(len(line) + 1 for line in self.text.split("\n")[:row]) + column

    def action_next_value(self) -> None:
        """Go to the next value that is still to be written; from the last one to the button.

        Before that, once, round to one that was left above. Where all is written, to the next
        value; round to the first one where all was from the beginning.
        """
        values, (_, place) = [*written_in(self.text)], self._place
        blank = _blank(values)
        if self._select_next(blank, place):
            return
        written = not blank
        if written and self._select_next(values, place):
            return
        if self.is_begun and self._went_round != self.text:
            here, self._went_round = self.selection, self.text
            nulls = [value for value in blank if value.sign == "null"]
            if self._select_next(nulls, 0) and self.selection != here:
                return
        if not (written and self._was_filled and self._select_next(values, 0)):
            self.screen.focus_next()

    def action_previous_value(self) -> None:
        """Go back to the value before, written or not; from the first one out of the editor."""
        place, _ = self._place
        before = [value for value in written_in(self.text) if value.behind < place]
        if not self._select(before[-1] if before else None):
            self.screen.focus_previous()

    @property
    def escape_hint(self) -> str:
        """What became of a backslash that was typed, which may be meant as such."""
        if not self._escaped:
            return ""
        means = _ESCAPES[self._escaped]
        return f"In JSON \\{self._escaped} is {means}. A backslash is written \\\\."

    def on_paste(self, event: events.Paste) -> None:
        """What is pasted into a text is text, whatever signs it has; of JSON it says so.

        But JSON over all of one takes its place, where no text is wanted; and over the only text of
        a list a list has its values there.
        """
        text = json.dumps(event.text.rstrip("\r\n"), ensure_ascii=False)
        row, _ = self.selection.end
        parsed = _parsed(event.text)
        told = self._pasted_as_text(row) if isinstance(parsed, (list, dict)) else ""
        if isinstance(parsed, list) and parsed and self._is_only_of_a_list:
            told = ""
            self._select_quotes_too()
            self._write(readable_json(parsed, indent=None)[1:-1])
        elif not isinstance(parsed, str) and self._is_whole_of_no_text:
            told = PASTED_AS_JSON
            self._select_quotes_too()
            self._write(event.text.strip())
        elif self._is_null_of_a_text and not event.text.lstrip().startswith('"'):
            self._write(text)
            self.move_cursor_relative(columns=-1)
        elif _is_within_a_text(self.text.split("\n")[row], *self._columns):
            self._write(text[1:-1])
        else:
            return
        if told:
            self.app.notify(told, markup=False)
        event.stop()
        event.prevent_default()

    def _pasted_as_text(self, row: int) -> str:
        key = quoted(self._key_of(row), 40)
        return (
            f"Pasted as one text, which {key} takes. {key_of(self, ALL)} selects all of the JSON."
        )

    def _write(self, text: str) -> None:
        self.replace(text, *self.selection, maintain_selection_offset=False)

    async def _on_key(self, event: events.Key) -> None:
        """What is typed in place of a text's null stands in quotes, with or without its own.

        A quotation mark and a line break within a text are written as such. A comma behind the last
        value of a list adds one more.
        """
        row, column = self.selection.end
        line = self.text.split("\n")[row]
        if event.is_printable and _ESCAPING.search(line[: self._columns[0]]):
            self._escaped = event.character if event.character in _ESCAPES else ""
        ended, self._ended = self._ended, None
        goes_on = ended == (row, column) and self.selection.is_empty
        if self._stands_there(event.character, behind_a_text=goes_on):
            event.stop()
            event.prevent_default()
            return
        quote = event.character == '"' and not _ESCAPING.search(line[:column])
        stands = line[column : column + 1] == '"' and self.selection.is_empty
        if quote and stands and not _quotes_within(line[:column]):
            # The quote that ends the text stands there already; so does one that begins it.
            typed, by = "", 0 if _BEGUN.search(line[:column]) else 1
            self._ended = (row, column + by) if by else None
        elif quote and _is_within_a_text(line, *self._columns):
            typed, by = '\\"', 0
        elif event.key == "enter" and _is_within_a_text(line, *self._columns):
            typed, by = "\\n", 0
        elif event.key == "enter":
            first, begin = min(self.selection)
            typed, by = next_line(self.document.get_line(first)[:begin]), 0
        elif event.character == "," and self._ends_a_list(row, column):
            event.stop()
            event.prevent_default()
            self._add_to_list(row, column)
            return
        elif goes_on and event.character is not None and event.character.isalnum():
            # It did not end there: that quotation mark is one of the text.
            self.selection = Selection((row, column - 1), (row, column))
            typed, by = f'\\"{event.character}"', -1
        elif event.is_printable and self._is_null_of_a_text:
            typed, by = f'"{event.character}"'.replace('"""', '""'), -1
        else:
            await super()._on_key(event)
            return
        event.stop()
        event.prevent_default()
        if typed:
            self._write(typed)
        self.move_cursor_relative(columns=by)

    def _stands_there(self, typed: str | None, *, behind_a_text: bool) -> bool:
        """Take the blank, quote or bracket of whoever types JSON, where it needs no writing.

        That is a blank before a value, the quote that begins a text in place of the one that is
        selected, and a bracket of the list in which the value stands. A bracket that is typed over
        all of a text takes its place, where no text is wanted.
        """
        if typed in ("[", "{") and self._is_whole_of_no_text:
            self._select_quotes_too()
            self._write(typed)
            return True
        if typed == " " and self.selected_text == "null":
            return True
        if typed == '"' and self._is_whole_text:
            self._write("")
            return True
        row, column = self.selection.end
        above, line, below, *_ = ["", *self.text.split("\n"), ""][row:]
        if typed == '"' and above.endswith("[") and line[:column].lstrip() == '"[':
            self.replace("", (row, column - 1), (row, column))
            return True
        if typed == "]" and behind_a_text and below.lstrip().startswith("]"):
            self.move_cursor((row + 1, below.index("]") + 1))
            return True
        return False

    def _ends_a_list(self, row: int, column: int) -> bool:
        """Whether this is right behind a value that is the last of a list, on a line of its own."""
        line, *below = self.text.split("\n")[row:]
        ends = bool(_ITEM.fullmatch(line) or _CLOSED.fullmatch(line))
        is_last = bool(below) and below[0].lstrip().startswith("]")
        return ends and self.selection.is_empty and column == len(line) and is_last

    def _add_to_list(self, row: int, column: int) -> None:
        """Have one more value in the list, as the last one is made, selected to be written."""
        lines = self.text.split("\n")
        indent = lines[row][: len(lines[row]) - len(lines[row].lstrip())]
        more = [indent + line for line in one_more(lines[: row + 1], indent)]
        self.replace("\n".join([",", *more]), (row, column), (row, column))
        if not self._select_next(_blank(written_in(self.text)), self._offset((row + 1, 0))):
            self.move_cursor((row + len(more), len(more[-1])))

    @property
    def _columns(self) -> tuple[int, int]:
        """Where what is selected begins and ends in its line; of more than one line nowhere."""
        (first, begin), (last, end) = self.selection
        return (min(begin, end), max(begin, end)) if first == last else (0, 0)

    @property
    def _is_null_of_a_text(self) -> bool:
        return self.selected_text == "null" and self._wants_text(self.selection.start[0])

    @property
    def _is_whole_text(self) -> bool:
        """Whether all that stands between the quotes of a text is selected."""
        line = self.text.split("\n")[self.selection.end[0]]
        begin, end = self._columns
        return begin < end and bool(_BEGUN.search(line[:begin])) and line[end : end + 1] == '"'

    @property
    def _is_whole_of_no_text(self) -> bool:
        """Whether all of a text is selected, where the schema does not want one."""
        return self._is_whole_text and not self._wants_text(self.selection.end[0])

    @property
    def _is_only_of_a_list(self) -> bool:
        """Whether all of the only text of a list is selected, or the null in its place."""
        row, _ = self.selection.end
        above, line, below, *_ = ["", *self.text.split("\n"), ""][row:]
        alone = line.strip() == (f'"{self.selected_text}"' if self._is_whole_text else "null")
        alone = alone and self._wants_text(row)
        return alone and above.endswith("[") and below.lstrip().startswith("]")

    def _select_quotes_too(self) -> None:
        if self._is_whole_text:
            (row, _), (begin, end) = self.selection.end, self._columns
            self.selection = Selection((row, begin - 1), (row, end + 1))

    def _wants_text(self, row: int) -> bool:
        """Whether the value in this line is of a key that takes a text, or a list of them."""
        return self._key_of(row) in self._text_names

    def _key_of(self, row: int) -> str:
        """The key of the value in this line; empty where there is none."""
        lines = self.text.split("\n")[: row + 1]
        named = next((found for line in reversed(lines) if (found := _KEY.match(line))), None)
        return named[1] if named is not None else ""


def _parsed(text: str) -> Any:
    """The value that a text is as JSON; the text itself where it is none."""
    try:
        return strict_json(text)
    except ValueError:
        return text


def _blank(values: Iterable[Written]) -> list[Written]:
    return [value for value in values if value.is_blank]


def _quotes_within(begun: str) -> bool:
    """Whether a quotation within the text of this line has begun, and has not ended yet."""
    *_, opened = [0, *(quote.end() for quote in _QUOTE.finditer(begun))]
    return len(_QUOTED.findall(begun[opened:])) % 2 == 1


def _is_within_a_text(line: str, begin: int, end: int) -> bool:
    """Whether these columns of a line of JSON lie in a text that ends in this line."""
    return all(len(_QUOTE.findall(part)) % 2 for part in (line[:begin], line[end:]))


def hint_of(text: str, pos: int) -> str:
    """What may be meant by a sign that stands where none can; empty of all else."""
    if text[pos : pos + 1] == "\\":
        return " A backslash is written \\\\."
    if not text[pos : pos + 1].isalpha():
        return ""
    if text[:pos].rstrip().endswith('"'):
        return ' Within a text a quotation mark is written \\".'
    return ' A text stands in quotes: "…".'
