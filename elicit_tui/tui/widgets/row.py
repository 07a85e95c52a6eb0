"""One field in a form: its label, its widget, its hint, what is wrong with it, in which columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import zip_longest

from textual.content import Content

from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation.shown import SeenPart
from elicit_tui.form.field import Entry, Field, Typed, is_unset
from elicit_tui.tui.names_on_screen import quoting_signs
from elicit_tui.tui.secret_arguments import is_long_text
from elicit_tui.tui.widgets.choice_search import ChoiceSearch
from elicit_tui.tui.widgets.choice_strip import ChoiceStrip
from elicit_tui.tui.widgets.control import FieldControl, Refusal
from elicit_tui.tui.widgets.lines import DateLine, NumberLine, TextLine
from elicit_tui.tui.widgets.text_block import TextBlock
from elicit_tui.tui.widgets.typed_control import TypedControl

# How the columns of a form fall at a width: labels, controls, hints; or one below the other.

BAR = 2
"""Cells at the left edge, where the focused row has its bar."""
_GAP = 2
_WIDE = 54
_ROOMY = 60
"""With fewer cells no label is broken to stand beside its control."""
_LABEL_MOST = 24
_HINT_MOST = 34
_CONTROL_LEAST = 24
CONTROL_MOST = 96
"""A line to type in grows no wider than this."""


@dataclass(frozen=True)
class Columns:
    """Widths in cells; `label` 0 means that labels stand above their controls."""

    width: int
    label: int
    hint: int

    @property
    def stacked(self) -> bool:
        """Whether labels stand above their controls."""
        return self.label == 0

    @property
    def control_x(self) -> int:
        """Where controls and what is said below them begin."""
        return BAR if self.stacked else BAR + self.label + _GAP

    @property
    def room(self) -> int:
        """From there to the right edge."""
        return max(self.width - self.control_x, 8)

    @property
    def control(self) -> int:
        """How wide a control with a hint beside it is."""
        return min(CONTROL_MOST, self.room - (self.hint + _GAP if self.hint else 0))

    @property
    def hint_x(self) -> int:
        """Where hints begin."""
        return self.control_x + self.control + _GAP


def columns_for(
    fields: Sequence[Field], hints: Sequence[str], width: int, *, one_line: bool = False
) -> Columns:
    """The columns of a whole form, so that all its rows line up.

    `one_line`: no more of it can be seen; then a label stands beside its control, however narrow.
    """
    longest = max((Content(spec.title).cell_length for spec in fields), default=8) + 2
    label = max(10, min(longest, _LABEL_MOST, width // 3))
    if one_line:
        return Columns(width, label, 0)
    if width < _WIDE:
        return Columns(width, 0, 0)
    if width < _ROOMY and longest > label:
        return Columns(width, 0, 0)
    most = min(_HINT_MOST, width - BAR - label - _GAP - _CONTROL_LEAST - _GAP)
    fitting = [cells for hint in hints if 0 < (cells := Content(hint).cell_length) <= most]
    return Columns(width, label, max(fitting, default=0))


# Which widget shows which kind of field.

SHORT_LIST = 6
"""A select with more choices than this gets a search line."""


def control_for(spec: Field, entry: Entry) -> FieldControl:
    """A new widget for this field, showing this entry."""
    if spec.kind == "unsupported":
        return Refusal(spec, entry)
    if spec.kind == "boolean":
        return ChoiceStrip(spec, entry)
    if spec.kind in ("single", "multi") and not spec.each_line:
        return (ChoiceStrip if len(spec.choices) <= SHORT_LIST else ChoiceSearch)(spec, entry)
    if spec.kind in ("number", "integer"):
        return NumberLine(spec, entry)
    if spec.kind in ("date", "date-time"):
        return DateLine(spec, entry)
    several_lines = isinstance(entry, Typed) and "\n" in entry.text
    if is_long_text(spec) or several_lines:
        return TextBlock(spec, entry)
    return TextLine(spec, entry)


# All words of one field, and where they stand.


class FieldRow:
    """All words of a field around its one widget; the form draws them, so that it stays light.

    A blank line ends every field, whatever is said below its control. While one is in the field, a
    line that was needed there stays, so that nothing jumps under whoever types.
    """

    def __init__(
        self,
        spec: Field,
        entry: Entry,
        columns: Columns,
        restated: Callable[[FieldRow], None],
        whence: str = "",
        *,
        continues: bool = False,
    ) -> None:
        """`restated` is told of other words, which may need another number of lines.

        `whence`: where the entry came from, if the person did not write it into this form.
        `continues`: the person was in the middle of it a moment ago.
        """
        self.spec = spec
        self.control = control_for(spec, entry)
        if whence and not is_unset(entry):
            self.control.came_back(whence, continues=continues)
        self.problem: str | None = None
        self.calm = False
        """Whether the problem is no error yet: somebody is still typing."""
        self.notes = spec.notes
        self.active = False
        self._lines_kept = 0
        """How many lines were needed for what comes and goes, since one came into the field."""
        self._shown = SeenPart.none()
        """Its lines that were on the screen."""
        self.seen = False
        """Whether all that says what it sends was on the screen, at once or line by line."""
        self.answer_seen = False
        """Whether the answer was; what its words do not say of what goes out may not have been."""
        self._restated = restated
        self.lay_out(columns)

    def grow(self, lines: int) -> TextBlock:
        """From now on its text has a block in the place of a line: so many are to come."""
        block = TextBlock(self.spec, self.control.entry)
        block.has_lines(lines)
        if isinstance(self.control, TypedControl):
            block.takes_the_place_of(self.control)
        block.leads_to = self.control.leads_to
        block.empty_is_an_answer = self.control.empty_is_an_answer
        self.control = block
        self.lay_out(self._columns)
        return block

    def lay_out(self, columns: Columns) -> None:
        """Size the control and word everything for these columns."""
        self._columns = columns
        self._lines_kept = 0
        self._beside = self._hint_beside()
        self._size_control()
        self.lines = self._drawn()
        self.forget_seen()

    def _size_control(self) -> None:
        columns = self._columns
        width = columns.control
        if not self._beside and self._is_long:
            width = min(columns.room, CONTROL_MOST)
        elif not self._beside and self.control.flows:
            width = columns.room
        if self.control.height_for(width) > 1 and not self._beside and not self.control.flows:
            width = min(columns.room, CONTROL_MOST)
        self._control_height = self.control.height_for(width)
        self._label_lines = self._wrapped_label()
        self.control.styles.width = width
        self.control.styles.height = self._control_height

    def forget_seen(self) -> None:
        """Its lines are others now, or nobody saw them where they stood."""
        self._shown = SeenPart.none()
        self.seen = self.answer_seen = False

    def on_screen(self, first: int, end: int) -> None:
        """These of its lines are painted, from 0."""
        self._shown = self._shown.with_part(first, end)
        shown = self._shown.first_unseen
        self.answer_seen = shown >= self._answer_height
        self.seen = shown >= self.height_to_see

    @property
    def height(self) -> int:
        """How many lines the field takes, the blank one below it included."""
        return len(self.lines)

    @property
    def height_to_see(self) -> int:
        """How many of its lines, from the first, say what it sends."""
        return self.height - 1 if self.control.sends else self._answer_height

    @property
    def _answer_height(self) -> int:
        return max(self.above + self._control_height, len(self._label_lines))

    @property
    def above(self) -> int:
        """How many of them stand above the control."""
        return len(self._label_lines) if self._columns.stacked else 0

    @property
    def below(self) -> int:
        """How many of them stand below the control."""
        return self.height - self.above - self._control_height

    @property
    def _is_long(self) -> bool:
        """Whether its line holds more text than fits beside a hint."""
        return self.control.outgrows(self._columns.control)

    def _hint_beside(self) -> bool:
        columns = self._columns
        if not columns.hint or Content(longest_hint(self.spec)).cell_length > columns.hint:
            return False
        if not self.control.flows:
            return not self._is_long
        beside, alone = (
            self.control.height_for(width) for width in (columns.control, columns.room)
        )
        return bool(self.hint) and beside <= alone

    @property
    def hint(self) -> str:
        """What is wanted, the live count, and whether the value is the schema's default."""
        parts = [self.spec.hint] if self.spec.hint else []
        if self.control.count is not None:
            parts.append(self.control.count)
        if self._holds_default:
            parts.append("default")
        return " · ".join(parts)

    @property
    def _holds_default(self) -> bool:
        return self.control.has_default and self.control.entry == self.spec.initial

    @property
    def _told_hint(self) -> str:
        """All of the hint where somebody types; elsewhere, that nobody chose what goes out."""
        return self.hint if self._tells_limits else "default" if self._holds_default else ""

    def state(self, problem: str | None, notes: tuple[str, ...], *, calm: bool = False) -> None:
        """Show this problem, or none, and these notes; `calm`: it is no error yet."""
        calm = calm and problem is not None
        if (problem, notes, calm) != (self.problem, self.notes, self.calm):
            self.problem = problem
            self.calm = calm
            self.notes = notes
            self.restate()

    def activate(self, active: bool) -> None:
        """Draw the bar of the focused row, or take it away."""
        if active != self.active:
            self.active = active
            self.restate()

    def restate(self) -> None:
        """Word everything again; the height changes only when an error needs more lines.

        A line that is filled goes on to the right edge, its hint below it, until it is laid out
        anew: one that a letter made shorter does not jump back.
        """
        if self._beside and self._is_long:
            self._beside = False
            self._size_control()
        self.lines = self._drawn()
        self._restated(self)

    def _wrapped_label(self) -> list[Content]:
        room = self._columns.room if self._columns.stacked else self._columns.label
        mark = " *" if self.spec.required else ""
        # The mark stays with the last word of the label.
        *above, last = Content(quoting_signs(self.spec.title)).wrap(max(room - len(mark), 4))
        return [*above, Content(last.plain.rstrip() + mark)]

    # Where its words stand

    def _drawn(self) -> list[Content]:
        return self._stacked() if self._columns.stacked else self._side_by_side()

    def _styled_label(self) -> list[Content]:
        style = "bold $accent" if self.active else "bold"
        return [
            Content.styled(line.plain.rstrip(), style if line.plain.strip() else "")
            for line in self._label_lines
        ]

    def _stacked(self) -> list[Content]:
        """The label above the control, the other words below it."""
        *body, last = [
            *self._styled_label(),
            *[Content("")] * self._control_height,
            *self._below(),
        ]
        # The bar runs down beside all of the field, and ends above its blank line.
        return [*(self._with_bar(line or Content(" ")) for line in body), self._with_bar(last)]

    def _side_by_side(self) -> list[Content]:
        """The label at the left; the control, and below it the other words, at the right."""
        right = [*self._beside_control(), *self._below()]
        lines = zip_longest(self._styled_label(), right, fillvalue=Content(""))
        return [
            self._line(label, words)
            if label or words or row < self._control_height
            else Content("")
            for row, (label, words) in enumerate(lines)
        ]

    def _beside_control(self) -> list[Content]:
        """What stands behind the control, on its first line."""
        lines = [Content("")] * self._control_height
        if self._beside and self._told_hint:
            gap = " " * (self._columns.hint_x - self._columns.control_x)
            lines[0] = Content(gap).append(Content.styled(self._told_hint, "$faint"))
        return lines

    def _line(self, label: Content, words: Content) -> Content:
        gap = max(self._columns.control_x - BAR - label.cell_length, 1)
        return self._with_bar(Content.assemble(label, " " * gap, words))

    def _with_bar(self, line: Content) -> Content:
        bar = Content.styled("▌", "$accent") if self.active and line else Content(" ")
        return Content.assemble(bar, " " * (BAR - 1), line)

    # What it says

    def _below(self) -> list[Content]:
        """The words below the control, and the blank line that ends the field."""
        more = [*self._provenance(), *self._problem()]
        self._lines_kept = max(self._lines_kept, len(more)) if self.active else 0
        more += [Content("")] * (self._lines_kept - len(more))
        return [*self._description(), *self._warning(), *more, Content("")]

    def _description(self) -> list[Content]:
        """What the server says about it, our notes, and what the control says of its answer."""
        room = self._columns.room
        texts = filter(None, (quoting_signs(self.spec.description or ""), *self.notes))
        about = [line for text in texts for line in _styled(text, room, "$faint")]
        return [*about, *(_wrap(self.control.aside, room) if self.control.aside else ())]

    def _warning(self) -> list[Content]:
        warning = self.control.warning
        return _styled(f"▲ {warning}", self._columns.room, "$warning") if warning else []

    @property
    def _sends(self) -> str:
        """What is wanted, where there is no room for it beside the control, and what is sent."""
        wanted = "" if self._beside or self.problem else self._told_hint
        return " · ".join(text for text in (wanted, self.control.sends) if text)

    def _provenance(self) -> list[Content]:
        """What goes out; where the person did not type it just now, what typing does to it too."""
        whence, sends, room = self.control.whence, self._sends, self._columns.room
        replaced = self.active and self.control.replaced_by_typing and self.control.all_selected
        if not whence:
            told = " · ".join(text for text in ("typing replaces it" * replaced, sends) if text)
            return _styled(told, room, "$faint") if told else []
        mark = f"↺ {whence}: typing replaces it" if replaced else f"↺ {whence}"
        edits = f"{mark}, Backspace edits it"
        if replaced and not self.control.is_masked and len(edits) <= room:
            mark = edits
        return _styled(f"{mark} · {sends}" if sends else mark, room, "$accent")

    def _problem(self) -> list[Content]:
        if self._told_beside:
            return []
        sign, style = ("·", "$faint") if self.calm else ("✗", "bold $error")
        return _styled(f"{sign} {self.problem}", self._columns.room, style) if self.problem else []

    @property
    def _told_beside(self) -> bool:
        """Whether the hint beside says the same to whoever types: so nothing moves."""
        return self.calm and self._beside and self.problem == self.hint.replace(" · ", ", ")

    @property
    def _tells_limits(self) -> bool:
        """What is wanted is said where somebody types, and where it was not met."""
        return self.active or self.problem is not None


def _styled(text: str, room: int, style: str) -> list[Content]:
    return [Content.styled(line.plain, style) for line in _wrap(text, room)]


def _wrap(text: str, room: int) -> list[Content]:
    return [line for part in text.split("\n") for line in Content(part).wrap(max(room, 8))]


def longest_hint(spec: Field) -> str:
    """The hint at its longest, so that a count or "default" never moves a column."""
    parts = [spec.hint] if spec.hint else []
    if spec.kind == "multi" or spec.min_length is not None or spec.max_length is not None:
        parts.append("now 000")
    if not is_unset(spec.initial):
        parts.append("default")
    return " · ".join(parts)
