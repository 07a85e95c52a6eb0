"""One-line bars whose parts can be clicked: the top bar, the banner, the bar of keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.strip import Strip

from elicit_tui.tui.console.lines import Drawn
from elicit_tui.tui.console.spans import Line, cells, text_of

if TYPE_CHECKING:
    from textual import events
    from textual.binding import Binding
    from textual.dom import DOMNode
    from textual.screen import Screen


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
        return cells(text_of(self.spans))


class ClickBar(Drawn):
    """Parts from the left, and one part at the right edge while there is room."""

    DEFAULT_CSS = """
    ClickBar {
        height: 1;
        width: 100%;
        overflow: hidden;
        background: $panel;
    }
    """

    can_focus = False

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._parts: tuple[Part, ...] = ()
        self._right = Part(())
        self._places: list[tuple[int, int, Part]] = []

    def show(self, parts: Sequence[Part], right: Part | None = None) -> None:
        """Draw these parts."""
        fresh = tuple(parts), right or Part(())
        if fresh != (self._parts, self._right):
            self._parts, self._right = fresh
            self.refresh()

    def render_line(self, y: int) -> Strip:
        """The bar."""
        width = self.size.width
        spans: list[tuple[str, object]] = []
        places, used = [], 0
        room = width - (self._right.width + 1 if self._right.spans else 0)
        for part in self._parts:
            if used + part.width > (room if used else width):
                break
            if part.action:
                places.append((used, used + part.width, part))
            spans.extend(part.spans)
            used += part.width
        if self._right.spans and used + self._right.width + 1 <= width:
            gap = width - used - self._right.width
            spans.append((" " * gap, "plain"))
            if self._right.action:
                places.append((used + gap, width, self._right))
            spans.extend(self._right.spans)
        self._places = places
        return self.strip_of(tuple(spans), width)  # type: ignore[arg-type]

    async def on_click(self, event: events.Click) -> None:
        """Run the action of the part under the pointer."""
        for start, end, part in self._places:
            if start <= event.x < end and part.action:
                await self.app.run_action(part.action, part.node or self.screen)


class KeyBar(ClickBar):
    """The keys that work here, the nearest ones first; each can be clicked."""

    DEFAULT_CSS = """
    KeyBar {
        dock: bottom;
    }
    """

    def on_mount(self) -> None:
        """Follow the focus: its keys come first."""
        self.screen.bindings_updated_signal.subscribe(self, self._follow)
        self.call_after_refresh(self._follow, self.screen)

    def _follow(self, screen: Screen[object]) -> None:
        if self.is_attached and screen is self.screen:
            self.show(self._keys(), self._always())

    def _keys(self) -> list[Part]:
        seen: set[str] = set()
        parts = []
        for node, binding, enabled, _tooltip in self.screen.active_bindings.values():
            wanted = binding.show and enabled and node is not self.app
            if wanted and binding.action != "help" and binding.action not in seen:
                seen.add(binding.action)
                parts.append(self._part(node, binding))
        return parts

    def _always(self) -> Part:
        """The way to help, whatever else there is room for."""
        for node, binding, _enabled, _tooltip in self.screen.active_bindings.values():
            if binding.action == "help":
                return self._part(node, binding)
        return Part(())

    def _part(self, node: DOMNode, binding: Binding) -> Part:
        key = self.app.get_key_display(binding)
        words = getattr(node, "verb", "") if binding.action == "choose" else binding.description
        spans: Line = ((f" {key}", "accent"), (f" {words} ", "plain"))
        return Part(spans, binding.action, node)
