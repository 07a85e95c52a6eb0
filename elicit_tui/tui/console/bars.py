"""The bars around a pane: what can be clicked, the keys that work, the search."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final, cast

from rich.cells import cell_len
from textual.binding import ActiveBinding, Binding, BindingType
from textual.message import Message
from textual.strip import Strip

from elicit_tui.dataclass import dataclass
from elicit_tui.tui.console.spans import Line, shortened, text_of
from elicit_tui.tui.console.views import SpanView
from elicit_tui.tui.one_line import OneLine

if TYPE_CHECKING:
    from textual import events
    from textual.css.query import DOMQuery
    from textual.dom import DOMNode
    from textual.screen import Screen

    from elicit_tui.tui.console.controller import Controller
    from elicit_tui.tui.ordered_app import OrderedApp
    from elicit_tui.tui.widgets.buttons import KeyButton


# One-line bars whose parts can be clicked: the top bar, the banner, the bar of keys.


@dataclass(frozen=True)
class Part:
    """Some spans, and the action that a click on them runs."""

    spans: Line
    action: str | None = None
    node: DOMNode | None = None
    """Whose action it is; None: the screen's."""

    @property
    def width(self) -> int:
        """Its width in cells."""
        return cell_len(text_of(self.spans))


CUT: Final = Part(((" …", "dim"),))


def _cells(parts: Sequence[Part]) -> int:
    return sum(part.width for part in parts)


def _key_alone(part: Part) -> Part:
    """The key of a part, without what it does."""
    return Part((part.spans[0], (" ", "plain")), part.action, part.node)


def _cut(parts: Sequence[Part], room: int) -> list[Part]:
    """As many as there is room for, with a mark where some are left out."""
    shown = list(parts)
    if _cells(shown) <= room:
        return shown
    while shown and _cells(shown) > room - CUT.width:
        shown.pop()
    # Where the first has no room one that is shorter has: a mark alone says nothing.
    alone = [part for part in parts if part.width <= room - CUT.width and part is not CUT]
    return [*(shown or alone[:1]), CUT]


class ClickBar(SpanView):
    """Parts from the left, and others at the right edge while there is room.

    Of those at the right the last one stays longest, and those that take more than their share of
    the bar go before what is at the left does; what is left out there has a mark.
    """

    right_share: ClassVar[float] = 1 / 3
    """Parts at the right that take no more than this stay, whatever the others need."""

    DEFAULT_CSS = """
    ClickBar {
        height: 1;
        width: 100%;
        overflow: hidden;
        background: $panel;
    }
    """

    can_focus = False
    _named: frozenset[str] = frozenset()

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._parts: tuple[Part, ...] = ()
        self._right: tuple[Part, ...] = ()
        self._places: list[tuple[int, int, Part]] = []

    def show(self, parts: Sequence[Part], right: Sequence[Part] = ()) -> None:
        """Draw these parts."""
        fresh = tuple(parts), tuple(right)
        if fresh != (self._parts, self._right):
            self._parts, self._right = fresh
            self.refresh()

    def tells_right(self, width: int) -> bool:
        """Whether what is left out at the right has a mark too, where that takes nobody's room."""
        return False

    def arrangements(self, width: int) -> Iterator[tuple[Sequence[Part], Sequence[Part]]]:
        """What stands at the left and at the right: the widest first, what is cut last."""
        right = self._right
        yield self._parts, right
        while len(right) > 1 and _cells(right) > width * self.right_share:
            right = right[1:]
            yield self._parts, right

    def render_line(self, y: int) -> Strip:
        """The bar."""
        width = self.size.width
        for left, right in self.arrangements(width):
            if _cells(left) + _cells(right) < width:
                break
        shown = _cut(left, width - _cells(right) - 1)
        gap = max(0, width - _cells(shown) - _cells(right))
        left_out = self.tells_right(width) and len(right) < len(self._right)
        if left_out and CUT not in shown and gap >= CUT.width:
            right, gap = (CUT, *right), gap - CUT.width
        placed, places, x = [*shown, Part(((" " * gap, "plain"),)), *right], [], 0
        for part in placed:
            if part.action:
                places.append((x, x + part.width, part))
            x += part.width
        self._places = places
        return self.strip_of(tuple(span for part in placed for span in part.spans), width)

    async def on_click(self, event: events.Click) -> None:
        """Run the action of the part under the pointer."""
        for start, end, part in self._places:
            if start <= event.x < end and part.action:
                await self.app.run_action(part.action, part.node or self.screen)


NARROW: Final = 80
"""Columns that a terminal has at the least, by old custom."""

AT_MOST: Final = 5
"""Keys of a pane that are named where not all have room."""
AT_LEAST: Final = 4
"""With fewer of them the palette has its key alone, and on a narrow screen none: the help does."""

ALWAYS: Final = ("command_palette", "quit", "help")


class KeyBar(ClickBar):
    """The keys that work here, the nearest ones first; each can be clicked."""

    DEFAULT_CSS = """
    KeyBar {
        dock: bottom;
    }
    """

    def __init__(
        self, fills_with: type[DOMNode] | None = None, *, names_field: bool = False
    ) -> None:
        """`fills_with`: of nodes of this kind rarer keys are named too, where there is room.

        `names_field`: so are the keys of the field that has the focus.
        """
        super().__init__()
        self._fills_with = fills_with
        self._names_field = names_field
        self._field: tuple[Part, ...] = ()
        self._stay = 0
        """How many of these, the first ones, are named wherever a key is."""
        self._rarer: tuple[Part, ...] = ()

    def on_mount(self) -> None:
        """Follow the focus: its keys come first."""
        self.screen.bindings_updated_signal.subscribe(self, self._follow)
        if self._fills_with is None:  # Beside panes there are no buttons.
            self.screen.screen_layout_refresh_signal.subscribe(self, self._laid_out)
        self.call_after_refresh(self._follow, self.screen)

    def _laid_out(self, screen: Screen[object]) -> None:
        """Buttons may have come into sight, or gone."""
        named = self._keys_on_buttons
        if named != self._named:
            self._named = named
            self.refresh()

    def tells_right(self, width: int) -> bool:
        """Not where the palette and the help are named, which have all keys."""
        return self._fills_with is None or width < NARROW

    def follow(self) -> None:
        """Name the keys of what has the focus now."""
        self._follow(self.screen)

    def _follow(self, screen: Screen[object]) -> None:
        if self.is_attached and screen is self.screen:
            # The library works them out each time that they are asked for.
            active = list(screen.active_bindings.values())
            self.show(self._keys(active), self._always(active))
            rarer = self._keys(active, rarer=True) if self._fills_with is not None else []
            of_field = partial(self._keys_of_field, active)
            more = tuple(of_field("own_keys")), (*rarer, *of_field("rarer_keys"))
            if more != (self._field, self._rarer):
                self._field, self._rarer = more
                self._stay = min(len(self._field), len(getattr(self.screen, "field_keys", ())))
                self.refresh()

    def arrangements(self, width: int) -> Iterator[tuple[Sequence[Part], Sequence[Part]]]:
        """The keys of what one does here stay as far as there is room; two blanks part them.

        What a button in sight names is not named here too. Rarer keys are named as far as there is
        room for them beside all that, and then those of the field. On a narrow screen, where keys
        are left out all the same, the way out stays.
        """
        if not self.tells_right(width):
            yield from self._of_a_pane(width)
            return
        parts = [part for part in self._parts if self._key_of(part) not in self._named]
        # Where the palette has no room beside these, or there are none, none is kept free for it.
        fits = bool(parts) and _cells(parts) + _cells(self._right) < width
        ends = self._right if fits else self._right[-2:]
        for count in range(len(self._rarer), 0, -1):
            rarer = (*self._rarer[:count], *self._mark(count))
            yield (*self._field, *parts, *rarer), self._right
            yield (*self._field, *parts, *rarer), ends
        for count in range(len(self._field), self._stay - 1, -1):
            field, mark = self._field[:count], self._mark(0) or [CUT] * (count < len(self._field))
            named = (*field, *parts, *mark)
            yield named, self._right
        yield named, self._right[-2:]
        if width >= NARROW:
            yield named, self._right[-1:]

    def _of_a_pane(self, width: int) -> Iterator[tuple[Sequence[Part], Sequence[Part]]]:
        """All keys where there is room; else few of them, as the palette and the help have all."""
        for count in range(len(self._rarer), -1, -1):
            yield (*self._parts, *self._rarer[:count], *self._mark(count)), self._right
        for count in range(AT_MOST, -1, -1):
            mark = [CUT] if self._rarer or count < len(self._parts) else []
            if count >= AT_LEAST or width >= NARROW:
                yield (*self._parts[:count], *mark), self._right
            if count < AT_LEAST:
                palette = map(_key_alone, self._right[:-2]) if width >= NARROW else ()
                gone = () if mark or width >= NARROW else (CUT,)
                yield (*self._parts[:count], *mark), (*palette, *gone, *self._right[-2:])

    @staticmethod
    def _key_of(part: Part) -> str:
        return text_of(part.spans).split()[0]

    def _mark(self, count: int) -> Sequence[Part]:
        """What stands behind so many of the rarer keys."""
        return [CUT] if count < len(self._rarer) else []

    @property
    def _keys_on_buttons(self) -> frozenset[str]:
        """The keys that buttons in sight name: they need no room here."""
        buttons = cast("DOMQuery[KeyButton]", self.screen.query("KeyButton"))
        return frozenset(button.key for button in buttons if button.in_sight)

    def _keys(self, active: Sequence[ActiveBinding], *, rarer: bool = False) -> list[Part]:
        seen: set[str] = set()
        parts: list[Part] = []
        last: list[Part] = []
        in_frame = {node: getattr(node, "in_frame", ()) for node in {each.node for each in active}}
        for node, binding, enabled, _tooltip in active:
            wanted = binding.show is not rarer and enabled and node is not self.app
            wanted = wanted and binding.action not in in_frame[node]
            if rarer and self._fills_with is not None and not isinstance(node, self._fills_with):
                continue
            named = wanted and binding.action not in ALWAYS and key_label(node, binding)
            if named and binding.action not in seen:
                seen.add(binding.action)
                mends = binding.action in getattr(node, "remedies", ())
                those = last if binding.action in getattr(node, "named_last", ()) else parts
                those.insert(0 if mends else len(those), self._part(node, binding))
        return [*parts, *last]

    def _keys_of_field(self, active: Sequence[ActiveBinding], kind: str) -> Iterator[Part]:
        """The keys of its own that the field with the focus has; a click cannot stand for all."""
        focused = self.screen.focused if self._names_field else None
        by_screen = focused is not None and kind == "own_keys"
        of_screen = getattr(self.screen, "field_keys", ()) if by_screen else ()
        named = tuple(dict.fromkeys((*of_screen, *getattr(focused, kind, ()))))
        # What the dialog has on a key goes before what the field has there.
        elsewhere = (each.binding for each in active if named and each.node is not focused)
        others = set(map(self.app.get_key_display, elsewhere))
        for key, does in named:
            if key not in others or (key, does) in of_screen:
                yield Part(((f" {key}", "accent"), (f" {does} ", "plain")))

    def _always(self, active: Sequence[ActiveBinding]) -> list[Part]:
        """The ways to everything else, to the end and to help, whatever else there is room for."""
        found = {
            binding.action: self._part(node, binding)
            # Of two keys of one action the first is the one that is named.
            for node, binding, _, _ in reversed(active)
            if binding.action in ALWAYS and key_label(node, binding)
        }
        return [found[action] for action in ALWAYS if action in found]

    def _part(self, node: DOMNode, binding: Binding) -> Part:
        key = self.app.get_key_display(binding)
        spans: Line = ((f" {key}", "accent"), (f" {key_label(node, binding)} ", "plain"))
        return Part(spans, binding.action, node)


def key_label(node: DOMNode, binding: Binding) -> str:
    """What a key does here and now, in a word or two; empty for one that another stands for."""
    worded = getattr(node, "worded", None) if binding.description else None
    words = worded(binding.action) if worded is not None else None
    if words is not None:
        return str(words)
    if binding.action in ("choose", "submit"):
        return str(getattr(node, "verb", binding.description))
    return {"command_palette": "Commands"}.get(binding.action, binding.description)


def keys_in_frame(
    app: Controller, ways: Mapping[str, tuple[str, str]], room: int
) -> Mapping[str, str]:
    """Of these actions (each with its id and what it does) those that a frame has room to name.

    With key and words; what it names needs no room in the bar.
    """
    named, taken = {}, 0
    for action, (action_id, does) in ways.items():
        words = f"{app.key_of(action_id)} {does}"
        taken += cell_len(words) + 2
        if taken <= room:
            named[action] = words
    return named


# The line above a list or a text that narrows it to what is searched for.


class SearchLine(OneLine):
    """Narrows what stands below it; Enter goes to what is found, Escape ends the search."""

    app: OrderedApp[int]

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", "To what is found"),
        Binding("escape", "leave(True)", "End search", key_display="Esc"),
        Binding("down", "leave", "Down", show=False),
    ]

    @dataclass
    class Left(Message):
        """The person goes on to what stands below it."""

        line: SearchLine
        down: bool
        """Whether it was by the arrow that goes down."""

        @property
        def control(self) -> SearchLine:
            """The search line."""
            return self.line

    def __init__(self, placeholder: str, *, verb: str = "To the list", id: str) -> None:
        """`verb`: what Enter does, for the bar of keys; empty while it does nothing."""
        super().__init__(placeholder=placeholder, classes="search", id=id, compact=True)
        self._sought = placeholder
        self.verb = verb

    def on_resize(self) -> None:
        """Say what is searched as far as there is room."""
        super().on_resize()
        self.placeholder = shortened(self._sought, self.content_size.width)

    @property
    def selected_with_focus(self) -> bool:
        """Whoever searches again looks for something else."""
        return True

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Enter goes to what is found, if anything is."""
        if action == "submit" and not self.verb:
            return False
        return super().check_action(action, parameters)

    async def action_submit(self) -> None:
        """What is typed behind Enter is meant for what Enter leads to."""
        await super().action_submit()
        self.app.keys_follow(self)

    def action_leave(self, clear: bool = False) -> None:
        """Go on to what stands below; `clear`: all of it, no longer what was searched for."""
        if clear:
            self.value = ""
        self.post_message(self.Left(self, down=not clear))
