"""Buttons one row high that name their keys, and the row in which they stand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final, Literal, TypeAlias, get_args

from textual import events
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.content import Content
from textual.geometry import NULL_OFFSET, Region, Size, Spacing
from textual.layout import ArrangeResult, Layout, WidgetPlacement
from textual.message import Message
from textual.widget import Widget

# A button one row high that names its key: in questions and in the console's dialogs.

Meaning: TypeAlias = Literal["accepts", "stays", "loses"]
"""What a button does that is pressed: it accepts, it leaves all as it is, or something is lost by
it, or goes through although something speaks against it."""


class KeyButton(Widget, can_focus=True):
    """A key, and what it does, as in the bars of keys; a click or Enter presses it.

    The filled one is green where it accepts, amber where it loses something or goes through with a
    warning, and grey where it leaves all as it is; where the keys are it has brackets.
    The library's button has so many styles that a row of them costs more than the fields above.
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "press", "Press", show=False)]

    DEFAULT_CSS = """
    KeyButton {
        width: auto; height: 1; background: transparent; padding: 0; text-wrap: nowrap;
        pointer: pointer;
        &.-loses { color: $warning; }
        &.-main { text-style: bold; color: $background; background: $success; }
        &.-main.-stays { color: $background; background: $faint; }
        &.-main.-loses { color: $background; background: $warning; }
        &.-aside, &.-calm { color: $faint; }
        &.-calm { text-style: italic; }
        &:hover { background: $well-focus; color: $foreground; }
        &:focus { background: $accent; color: $background; text-style: bold underline; }
        &.-accepts:focus { background: $success; }
        &.-main.-stays:focus { background: $accent; }
        &.-loses:focus { background: $warning; }
    }
    """

    class Pressed(Message):
        """The button was pressed."""

        def __init__(self, button: KeyButton) -> None:
            super().__init__()
            self.button = button

        @property
        def control(self) -> KeyButton:
            """The button, for `@on` with a selector."""
            return self.button

    def __init__(
        self,
        label: str,
        key: str,
        *,
        id: str,
        main: bool = False,
        aside: bool = False,
        means: Meaning | None = None,
    ) -> None:
        """`main`: filled, the one that is right for most; `aside`: at the right edge, calm."""
        super().__init__(id=id, classes="-main" if main else "-aside" if aside else None)
        self.means(means)
        self.aside = aside
        self._label = label
        self._main = main
        self.key = key

    def fill(self, main: bool, *, calm: bool = False) -> None:
        """Be the filled one, or not; `calm`: it leads nowhere yet."""
        if main != self._main:
            self._main = main
            self.set_class(main, "-main")
            self.refresh()
        self.set_class(calm, "-calm")

    def means(self, meaning: Meaning | None) -> None:
        """Have the colour of what becomes of it when it is pressed."""
        for each in get_args(Meaning):
            self.set_class(each == meaning, f"-{each}")

    @property
    def label(self) -> str:
        """What it does."""
        return self._label

    @property
    def words(self) -> str:
        """Its key, and what it does."""
        return f"{self.key} {self._label}"

    @property
    def cells(self) -> int:
        """Its width, with a blank at each side, or a bracket."""
        return Content(self.words).cell_length + 2

    @property
    def in_sight(self) -> bool:
        """Whether all of it is on the screen."""
        if not self.is_on_screen:
            return False
        place = self.screen.find_widget(self)
        return place.visible_region == place.region

    def name_key(self, key: str) -> bool:
        """Show another key; says whether it is another one."""
        if key == self.key:
            return False
        self.key = key
        self.refresh(layout=True)
        return True

    def name_words(self, label: str) -> None:
        """Say other words."""
        self._label = label
        self.refresh(layout=True)

    def render(self) -> Content:
        """Its key as in a bar, but not on a colour, where it could not be read."""
        style = "bold" if self._main or self.has_focus else "bold $accent"
        before, after = "[]" if self.has_focus else "  "
        return Content.assemble(before, (self.key, style), f" {self._label}", after)

    def on_click(self) -> None:
        """A click presses it."""
        self.action_press()

    def action_press(self) -> None:
        """Say that it was pressed."""
        self.post_message(self.Pressed(self))


# Buttons side by side: what decides at the left, the rest at the right edge as far as it fits.

MISSING_SIGN: Final = " (*)"
"""Behind a count of what is missing: what marks it in the form."""
_GAP = 1
_BETWEEN = 2
"""Cells at least between both groups."""


def _cells(buttons: Sequence[KeyButton]) -> int:
    return sum(button.cells for button in buttons)


def _gap(buttons: Sequence[KeyButton], width: int) -> int:
    """Between those at the left: none where that saves a row, or is room for all at the right."""
    left = [button for button in buttons if not button.aside]
    apart, room = _GAP * (len(left) - 1), width - _cells(left)
    right = width - _cells(buttons) - _BETWEEN * (len(left) < len(buttons))
    return 0 if room >= 0 and (room < apart or 0 <= right < apart) else _GAP


def _fitting(buttons: Sequence[KeyButton], width: int) -> list[KeyButton]:
    """Those at the right edge for which there is room beside the others, the first ones first."""
    taken = _cells([button for button in buttons if not button.aside])
    taken += _gap(buttons, width) * (sum(not button.aside for button in buttons) - 1) + _BETWEEN
    fitting = []
    for button in buttons:
        if button.aside and taken + button.cells <= width:
            fitting.append(button)
            taken += button.cells
    return fitting


class _Flow(Layout):
    """From the left, and on in the next row; closer together where that saves a row."""

    name = "flow"

    def arrange(
        self, parent: Widget, children: list[Widget], size: Size, greedy: bool = True
    ) -> ArrangeResult:
        """The place of each button."""
        buttons = [child for child in children if isinstance(child, KeyButton)]
        left = [button for button in buttons if not button.aside]
        gap = _gap(buttons, size.width)
        placements, x, y = [], 0, 0
        for button in left:
            if x and x + button.cells > size.width:
                x, y = 0, y + 1
            place = Region(x, y, button.cells, 1)
            placements.append(WidgetPlacement(place, NULL_OFFSET, Spacing(), button))
            x += button.cells + gap
        fitting = _fitting(buttons, size.width)
        x = size.width - _cells(fitting)
        for button in fitting:
            place = Region(x, 0, button.cells, 1)
            placements.append(WidgetPlacement(place, NULL_OFFSET, Spacing(), button))
            x += button.cells
        return placements


_FLOW = _Flow()


class KeyRow(Container):
    """Holds nothing but `KeyButton`s; what is told beside them stands at the right edge."""

    DEFAULT_CSS = """
    KeyRow { height: auto; width: 100%; text-align: right; }
    """

    _told = ""

    def tell(self, words: str) -> None:
        """Say this in their first row, where it has room there."""
        if words != self._told:
            self._told = words
            self.refresh()

    def render(self) -> Content:
        """What is told, without its sign where that saves it: the buttons are drawn over it."""
        buttons = [button for button in self.query_children(KeyButton) if button.display]
        taken = _cells(buttons) + _GAP * (len(buttons) - 1) + _BETWEEN
        room = self.content_size.width - taken
        ways = (self._told, self._told.replace(MISSING_SIGN, ""))
        told = next((words for words in ways if Content(words).cell_length <= room), "")
        return Content.styled(told, "bold")

    @property
    def layout(self) -> Layout:
        """Ours, whatever a style says."""
        return _FLOW

    def on_resize(self, event: events.Resize) -> None:
        """What has no place is no Tab stop either."""
        self.fit()

    def fit(self) -> None:
        """Take out what there is no room for, and put back what there is."""
        buttons = [button for button in self.query_children(KeyButton) if button.display]
        fitting = _fitting(buttons, self.content_size.width)
        for button in buttons:
            button.can_focus = not button.aside or button in fitting
