"""The top of a question: who asks, the place in the queue, the time left, and the room there is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any, Final, Literal, TypeVar

from textual.containers import Vertical
from textual.content import Content
from textual.geometry import Region, Size
from textual.widget import Widget

from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation import (
    Deadline,
    ElicitationRequest,
    Question,
    Severity,
    hints_of,
    what_changed,
)
from elicit_tui.form.field import Field
from elicit_tui.responders.browser import open_in_browser
from elicit_tui.text import countdown, readable_json
from elicit_tui.tui.names_on_screen import key_of, naming_keys
from elicit_tui.tui.question import frame_words
from elicit_tui.tui.question.actions import BY_ACTION, Action
from elicit_tui.tui.question.seen_texts import TextRegion
from elicit_tui.tui.question_gate import PaintedGuard
from elicit_tui.tui.secret_arguments import is_long_text

# The style sheet of a question, and the classes by which it tightens where there is no room.

_NARROW: Final = 64
"""Columns; with fewer, what stood side by side stands one below the other."""
_WIDE: Final = 120
"""Columns; from here on the JSON that would be sent stands beside the form."""
_HEIGHTS: Final = ((30, "-short"), (22, "-low"), (16, "-tiny"), (13, "-least"))
"""Rows; with fewer, the class that takes room from everything but the fields and the buttons."""

_CARD: Final = Size(100, 32)
"""On a screen of its own that is at least so large, a question that is short enough is a card in
the middle, as high as it needs; a longer one has all of the screen."""
CARD_COLUMNS: Final = 132
"""A card grows no wider than this, as the style sheet has it."""
_CARD_TEXT: Final = 80
"""Cells in which a card's text stands, for a guess of its lines."""
_CARD_FIELDS: Final = 8
"""A card is in the middle: what grows while one types would move all of it."""
_TOO_MANY: Final = 10_000
_AROUND: Final = 13
"""Rows of a card that are neither message, findings nor body."""
_WITHOUT_FIELDS: Final = 7
"""Rows of a small frame that are neither message, findings nor body."""

FRAME_CSS: Final = Path(__file__).with_name("question.tcss").read_text(encoding="utf-8")


def card_rows(question: Question) -> int:
    """How many rows a card of this question takes, before anything is laid out; rather too many."""
    request, form = question.request, question.form
    if form is not None and (len(form.fields) > _CARD_FIELDS or any(map(_may_grow, form.fields))):
        return _TOO_MANY
    rows = _AROUND + _lines(request.message) + _lines(question.note)
    rows += sum(_lines(finding.advice) for finding in question.review.findings)
    rows += _lines(frame_words.called(request))
    if request.traits.about_call:
        definitions = (request.definition, request.definition_before or {})
        described = sum(
            _lines(str(definition.get("description", ""))) + 1 for definition in definitions
        )
        arguments = dict(request.call.arguments) if request.call is not None else {}
        return rows + described + _lines(readable_json(arguments)) + 8
    if form is None:
        return rows + _lines(request.url) + 8
    return rows + sum(_field_rows(field) for field in form.fields) + _lines(form.description)


def _may_grow(field: Field) -> bool:
    """Whether what is sent for a choice may have to be said below it."""
    return any(choice.label != str(choice.value) for choice in field.choices)


def _field_rows(field: Field) -> int:
    """Its label beside its control, what is said below, and the blank line."""
    control = max(len(field.choices), 5 if is_long_text(field) else 1)
    rows = _lines(field.description) + sum(map(_lines, field.notes)) + _lines(field.hint)
    return max(min(control, 8), len(field.title) // 20 + 1) + rows + 1


def _lines(text: str | None) -> int:
    return sum(len(line) // _CARD_TEXT + 1 for line in text.split("\n")) if text else 0


def tighten(frame: Widget, question: Question, size: Size) -> None:
    """Give the frame the classes of its size."""
    roomy = size.width >= _CARD.width and size.height >= _CARD.height
    short = card_rows(question) <= size.height
    tighter = {name: size.height < rows for rows, name in _HEIGHTS}
    # Only beside fields is the blank row above the buttons worth one of theirs.
    tighter["-low"] |= tighter["-short"] and (frame.app.is_inline or question.form is None)
    form = question.form
    # In half the columns all of it takes about twice as many rows.
    fields = 2 * sum(map(_field_rows, form.fields)) if form is not None else _TOO_MANY
    spare = fields + 2 * _lines(question.request.message) + _WITHOUT_FIELDS <= size.height
    frame.update_classes(
        {
            **tighter,
            "-spare": spare and not question.to_acknowledge,
            "-narrow": size.width < _NARROW,
            "-wide": size.width >= _WIDE,
            "-card": roomy and short and not frame.app.is_inline,
        }
    )


# The words in the top border: who asks, the place in the queue, the time left.

LINE_STYLES: Final = {
    Severity.NOTE: "$border-blurred",
    Severity.WARN: "$warning",
    Severity.BLOCK: "$error",
}
"""Of the frame, by what was found."""

LAST_SECONDS: Final = 60.0
"""The clock is strong from here on."""


def weight_of(question: Question, content: Mapping[str, Any]) -> Severity:
    """How much the frame of a question weighs: as the worst finding that binds this answer."""
    request = question.request
    bind = [finding for finding in question.to_acknowledge if finding.binds(content)]
    found = max((finding.severity for finding in bind), default=Severity.NOTE)
    if request.traits.about_call and "destructive" in hints_of(request.definition):
        return max(found, Severity.WARN)
    return max(found, Severity.WARN) if what_changed(request) else found


@dataclass(frozen=True)
class TitleWords:
    """What stands in the upper border of a question."""

    left: str
    """Who asks."""
    place: str = ""
    hint: str = ""
    """What brings the next question; left out where it does not fit."""
    time_left: str = ""
    last: bool = False
    """Whether the clock is in its last minute."""
    more: str = ""
    """What gives more time; left out where it does not fit."""


def frame_title(words: TitleWords, width: int, line_style: str = "$border-blurred") -> Content:
    """All in one border title `width` cells wide, with the border's line drawn in the middle.

    The clock goes where there is no room for it, but for its last minute, before which names go.
    """
    left = words.left
    clock = Content.styled(words.time_left, "bold $warning" if words.last else "$faint")
    place = Content.styled(words.place, "$foreground")
    hint, more = _lit(words.hint), _lit(words.more)
    ways = [
        _right(place + hint, clock, more),
        _right(place, clock, more),
        _right(place, clock),
        *([] if words.last else [_right(place, Content(""))]),
    ]
    left_cells = Content(left).cell_length
    right = next((way for way in ways if left_cells + way.cell_length + 3 <= width), ways[-1])
    right_cells = right.cell_length
    if not right:
        return Content.styled(left, "bold $foreground")
    line = width - left_cells - right_cells - 2
    if line < 1:
        room = max(width - right_cells - 2, 4)
        cut = Content(left).truncate(room, ellipsis=True)
        left, line = cut.plain, max(width - cut.cell_length - right_cells - 2, 0)
    return Content.assemble(
        (left, "bold $foreground"),
        (f" {'─' * line} ", line_style),
        right,
    )


_CORNERS: Final = 8
"""Cells of the lower border that its words do not have."""


def frame_foot(
    without_button: Sequence[str], leads_on: str, keys: Callable[[int], Content], width: int
) -> Content:
    """The lower border: what has no button; where there is no room for it, what `leads_on` to it.

    Before that the `keys` of what has the focus, for so many cells.
    """
    if not without_button:
        return Content("")
    room = width - _CORNERS
    left_out = [_lit(words, "$faint") for words in without_button]
    whole = Content.styled("… ", "$faint") + Content("  ").join(left_out)
    if whole.cell_length <= room or not leads_on:
        return whole
    more = _lit(leads_on, "$faint")
    named = keys(room - more.cell_length - 2)
    return Content("  ").join([part for part in (named, more) if part])


def _right(*parts: Content) -> Content:
    return Content.styled(" · ", "$faint").join(part for part in parts if part)


def _lit(words: str, style: str = "$foreground") -> Content:
    """What a key does, the key before it as bars and buttons show it."""
    key = next(iter(words.lstrip(", ").split()), "")
    return naming_keys(words, key, style=style) if key else Content("")


_Frame = TypeVar("_Frame", bound="Titled")


class Titled(PaintedGuard, Vertical):
    """A frame whose title tells who asks, the place in the queue and the time left.

    For another second its line alone is drawn, not all of it.
    """

    def __init__(
        self,
        heading: str,
        deadline: Deadline,
        queue_position: tuple[int, int],
        hint: str,
        *,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        """`queue_position` is (place from 1, how many); `hint`: what brings the next one."""
        super().__init__(id=id, classes=classes)
        self.deadline = deadline
        self._heading = heading
        self._hint = hint
        self._queue_position = queue_position
        self.weight = Severity.NOTE
        """How much its frame weighs: grey, amber or red."""
        self.ended_before = 0
        """How many questions ended in this place since it was empty last."""
        self._entitled: tuple[TitleWords, int] | None = None
        self._entitling = False
        self._below = Content("")

    def weigh(self, weight: Severity) -> None:
        """Draw the frame, and the button that accepts, in the colour of what was found."""
        if weight is self.weight:
            return
        self.weight = weight
        self.update_classes(
            {"-warns": weight is Severity.WARN, "-blocks": weight is Severity.BLOCK}
        )
        self._entitled = None

    def place_in_queue(self, place: int, of: int) -> None:
        """Show another place in the queue."""
        self._queue_position = (place, of)
        self.retitle()

    @property
    def others_wait(self) -> bool:
        """Whether other questions stand in the queue."""
        return self._queue_position[1] > 1

    def retitle(self) -> None:
        """Tell what is so just now. The clock is quiet until the last minute."""
        place, of = self._queue_position
        left = self.deadline.remaining
        last = left is not None and left <= LAST_SECONDS
        clock = countdown(left)
        place, whole = place + self.ended_before, of + self.ended_before
        queued = f"{place} of {whole}" if whole > 1 else ""
        hint = self._hint if of > 1 else ""
        time_left = f"{clock} left" if clock else ""
        more = f"{key_of(self, BY_ACTION['more_time'])} more time" if last else ""
        self.entitle(TitleWords(self._heading, queued, hint, time_left, last, more))

    def entitle(self, words: TitleWords) -> None:
        """Put these words into the border, which is as wide as the screen until it is laid out."""
        width = (self.outer_size.width or self.app.size.width) - 6
        wanted = (words, max(width, 10))
        if wanted != self._entitled:
            self._entitled = wanted
            self._entitling = True
            line = LINE_STYLES[self.weight]
            self.border_title = frame_title(*wanted, line_style=line)
            self._entitling = False

    def say_below(
        self, without_button: Sequence[str], leads_on: str, keys: Callable[[int], Content]
    ) -> None:
        """Put what `frame_foot` makes of these into the lower border."""
        words = frame_foot(without_button, leads_on, keys, self.app.size.width)
        if not words.is_same(self._below):
            self._below = self.border_subtitle = words

    def refresh(self: _Frame, *regions: Region, **wanted: Any) -> _Frame:
        """Draw the frame again; for a new title only its line."""
        if self._entitling:
            line = Region(0, 0, self.outer_size.width, 1)
            regions = (line.translate((-self.content_offset.x, -self.content_offset.y)),)
        return super().refresh(*regions, **wanted)


# The dim line of who asks: which call it belongs to, who else has it, for whom it is asked.

AsItStands = Callable[[ElicitationRequest], ElicitationRequest]
"""Gives a request without the calls that have ended since it came."""


def unchanged(request: ElicitationRequest) -> ElicitationRequest:
    """The request, where nobody knows of its calls."""
    return request


def nothing_known(name: str) -> Sequence[str]:
    """Nothing was answered before."""
    return ()


@dataclass(frozen=True)
class Surroundings:
    """What the application that shows a question knows around it."""

    review: Literal["always", "risky", "never"] = "risky"
    """When the page that shows what will be sent comes by itself (`elicitation.review`)."""
    queue_position: tuple[int, int] = (1, 1)
    """Its place among those that wait, from 1, and how many there are."""
    opener: Callable[[str], bool] = open_in_browser
    """Hands a URL to the system's browser, away from the event loop; says whether it started."""
    actions: tuple[Action, ...] = ()
    """What else the application can do, for the help page."""
    origin: str = ""
    """For whom another process asks: an agent, and where it works."""
    standing: str = ""
    """Who else has it, and whether its agent still waits."""
    as_it_stands: AsItStands = unchanged
    known: Callable[[str], Sequence[str]] = nothing_known
    """What the same server was answered before for a field of this name, the newest first."""
    last: Mapping[str, Any] = field(default_factory=dict)
    """What the same server was answered last in this form, as content."""
    shelf: bool = True
    """Whether Later leads somewhere while no other waits."""


class WhoAsks(TextRegion):
    """Drawn again only when what it says has changed; away where it has nothing to say."""

    def __init__(self, request: ElicitationRequest, around: Surroundings) -> None:
        self._request = request
        self._standing = around.standing
        self._origin = frame_words.wanted_by(request, around.origin)
        self._as_it_stands = around.as_it_stands
        self._drawn = self._content(0)
        super().__init__(self._content, id="who")
        named, claimed = request.server.name, request.server.calls_itself
        claims = not frame_words.names_agree(named, claimed)
        self.set_class(claims, "-claims", update=False)
        self.display = bool(self._drawn)

    @property
    def request(self) -> ElicitationRequest:
        """What is asked; of the calls that it may belong to, those that have not ended."""
        return self._as_it_stands(self._request)

    def _content(self, width: int) -> Content:
        about = [part for part in (self._standing, self._origin) if part]
        return frame_words.who(self.request, about)

    def tell(self, standing: str) -> None:
        """Who else has it, and where its agent is; empty: nobody has, and its agent waits."""
        self._standing = standing
        rows = self._content(0)
        if not rows.is_same(self._drawn):
            self._drawn = rows
            self.draw_again()
            self.display = bool(rows)
