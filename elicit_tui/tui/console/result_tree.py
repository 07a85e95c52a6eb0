"""A JSON value as a tree to fold and search: what is folded costs nothing, however long it is."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import cached_property, partial
from itertools import chain, islice
from typing import Any, ClassVar, Final

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text
from textual.binding import Binding, BindingType
from textual.strip import Strip
from textual.widgets import Tree
from textual.widgets.tree import TreeNode

from elicit_tui.dataclass import dataclass
from elicit_tui.text import neutral_line, readable_json
from elicit_tui.tui.console.half_pages import HalfPagesOfRows
from elicit_tui.tui.console.spans import Line, Role, marked, pattern_of, text_of
from elicit_tui.tui.console.table_drawing import cut_at_edges
from elicit_tui.tui.console.views import COLOURS, span_style
from elicit_tui.tui.console.wanted_words import wanted_words

Key = str | int
Path = tuple[Key, ...]

GROUP: Final = 100
"""Entries that are unfolded at once; of more there are groups of so many."""
UNFOLDED: Final = 120
"""Lines that stand unfolded when the tree is opened."""
SHOWN_TEXT: Final = 400
"""Characters of a text; Enter shows all of it."""
INNER_TEXT: Final = 16_000_000
"""Characters of a text that is looked at for JSON of its own."""
DATA_WITHIN: Final = 10
"""Lines at the top among which JSON in a text is looked for."""
ENVELOPE: Final = -1
"""The key of what the data arrived in: no entry of an object or array has this one."""
MOST_FOUND: Final = 10_000
INKLINGS: Final = 3
LOOKED_AT: Final = 12
INKLING_CHARACTERS: Final = 24
ROLES: Final[Mapping[type, Role]] = {str: "good", bool: "strong", type(None): "strong"}


@dataclass(frozen=True)
class SameAsAbove:
    """A value that stands in the tree already: its line only says so, and no search finds it."""

    value: Any


@dataclass(frozen=True)
class TreePart:
    """One line of the tree: a value under its key, or a run of a long value's entries."""

    key: Key | None
    value: Any
    inside: Any
    """What it unfolds to: itself, or the JSON that its text is; None: nothing."""
    run: tuple[int, int] | None = None
    """The entries that it stands for, where it is a run of them: from and up to."""
    is_same: bool = False
    """Whether it stands above."""

    @classmethod
    def of(cls, key: Key | None, value: Any) -> TreePart:
        """A value under its key."""
        if isinstance(value, SameAsAbove):
            return cls(key, value.value, None, is_same=True)
        return cls(key, value, value if _folds(value) else json_in(value))

    @property
    def entries(self) -> tuple[int, int]:
        """Which entries of `inside` it unfolds to."""
        return self.run or (0, len(self.inside))

    @property
    def label(self) -> Line:
        """What its line says."""
        if self.run is not None:
            return ((f"{self.run[0]:,} … {self.run[1] - 1:,}", "dim"),)
        if self.key == ENVELOPE:
            return (("as it arrived", "dim"),)
        return (*self._key_words(), *self._value_words())

    @property
    def inkling(self) -> Line:
        """The first plain values within, by which folded lines are told apart."""
        if not isinstance(self.inside, Mapping) or self.run is not None:
            return ()
        few = islice(self.inside.items(), LOOKED_AT)
        plain = [(key, value) for key, value in few if not _folds(value)][:INKLINGS]
        words = [f"{neutral_line(str(key), 20)} {_brief(value)}" for key, value in plain]
        return ((f"  {', '.join(words)}", "dim"),) if words else ()

    def _key_words(self) -> Line:
        if self.key is None:
            return ()
        if isinstance(self.key, int):
            return ((f"{self.key}  ", "dim"),)
        return ((f"{neutral_line(self.key, 80)}  ", "accent"),)

    def _value_words(self) -> Line:
        if self.is_same:
            return (("the same as above", "dim"),)
        if self.inside is None:
            return _scalar(self.value)
        sign = "[{:,}]" if isinstance(self.inside, list) else "{{{:,}}}"
        within = " JSON in a text" if isinstance(self.value, str) else ""
        return ((sign.format(len(self.inside)) + within, "dim"),)


def _folds(value: Any) -> bool:
    return isinstance(value, (Mapping, list)) and bool(value)


def _brief(value: Any) -> str:
    text = value if isinstance(value, str) else readable_json(value, indent=None)
    return neutral_line(text[:INKLING_CHARACTERS], INKLING_CHARACTERS)


def _scalar(value: Any) -> Line:
    role = ROLES.get(type(value), "plain")
    if isinstance(value, str) and len(value) > SHOWN_TEXT:
        begins = readable_json(value[:SHOWN_TEXT], indent=None)[:-1]
        return ((f"{begins}…", role), (f"  {len(value):,} characters", "dim"))
    return ((readable_json(value, indent=None), role),)


def json_in(text: Any) -> Any:
    """The object or array that a text is, as many servers send their results; None if none."""
    if not isinstance(text, str) or len(text) > INNER_TEXT:
        return None
    if text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if _folds(value) else None


def entries_of(value: Any, start: int, end: int) -> Iterator[tuple[Key, Any]]:
    """The keys and values of a part of an object or array."""
    if isinstance(value, Mapping):
        yield from islice(((str(key), item) for key, item in value.items()), start, end)
    else:
        yield from enumerate(value[start:end], start)


def found_in(value: Any, term: str) -> Iterator[Path]:
    """The way to each key or value that holds the words, from the first to the last."""
    wanted = term.casefold()
    left: list[tuple[Path, Any]] = [((), value)]
    while left:
        path, here = left.pop()
        if path and _holds(path[-1], here, wanted):
            yield path
        inside = here if _folds(here) else _inner(here, wanted)
        if inside is not None:
            entries = entries_of(inside, 0, len(inside))
            left.extend(reversed([((*path, key), item) for key, item in entries]))


def found_together(value: Any, words: Sequence[str]) -> Iterator[Path]:
    """The way to each smallest part whose keys and values hold all of the words, in any order."""
    open_parts: list[_Searched] = (
        [_Searched((), entries_of(value, 0, len(value)))] if _folds(value) else []
    )
    while open_parts:
        part = open_parts[-1]
        entry = next(part.entries, None)
        if entry is None:
            open_parts.pop()
            whole = len(part.held) == len(words)
            if whole and part.path and not part.has_one_within:
                yield part.path
            if open_parts:
                open_parts[-1].held |= part.held
                open_parts[-1].has_one_within |= whole
            continue
        key, item = entry
        path, held = (*part.path, key), {word for word in words if _holds(key, item, word)}
        inside = item if _folds(item) else json_in(item) if isinstance(item, str) else None
        if inside is not None:
            open_parts.append(_Searched(path, entries_of(inside, 0, len(inside)), held))
            continue
        if len(held) == len(words):
            part.has_one_within = True
            yield path
        part.held |= held


@dataclass
class _Searched:
    """A part that is being looked through, and which of the words it holds so far."""

    path: Path
    entries: Iterator[tuple[Key, Any]]
    held: set[str] = field(default_factory=set)
    has_one_within: bool = False


def _holds(key: Key, value: Any, wanted: str) -> bool:
    if isinstance(key, str) and wanted in key.casefold():
        return True
    if isinstance(value, SameAsAbove):
        return False
    if isinstance(value, str):
        return wanted in value.casefold() and json_in(value) is None
    return not _folds(value) and wanted in readable_json(value, indent=None)


def _inner(value: Any, wanted: str) -> Any:
    """The JSON of a text, looked into where the words stand in it at all."""
    holds = isinstance(value, str) and wanted in value.casefold()
    return json_in(value) if holds else None


class ResultTree(Tree[TreePart], HalfPagesOfRows):
    """The value unfolded as far as fits; the arrow keys fold, unfold and walk."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,l", "unfold", "Unfold", show=False, id="tree.unfold"),
        Binding("left,h", "fold", "Fold", show=False, id="tree.fold"),
        Binding("j", "cursor_down", "Down", show=False),
        Binding("k", "cursor_up", "Up", show=False),
        Binding("ctrl+f", "page_down", "Page down", show=False),
        Binding("ctrl+b", "page_up", "Page up", show=False),
        Binding("g,ctrl+home", "scroll_home", "Top", show=False),
        Binding("G,ctrl+end", "scroll_end", "End", show=False),
    ]
    ICON_NODE = "▸ "
    ICON_NODE_EXPANDED = "▾ "

    DEFAULT_CSS = """
    ResultTree {
        background: transparent; scrollbar-size-vertical: 1; scrollbar-size-horizontal: 0;
        & > .tree--guides { color: $border-blurred; }
        & > .tree--cursor { background: $well-focus; text-style: none; }
        &:focus { background-tint: transparent; }
        &:focus > .tree--cursor { color: $background; background: $accent; text-style: bold; }
        &:focus > .tree--guides { color: $border-blurred; }
    }
    """

    def __init__(self, value: Any, envelope: Callable[[], Mapping[str, Any]] | None = None) -> None:
        """`envelope`: what the value arrived in, which is a last line that nobody need unfold."""
        super().__init__("", TreePart.of(None, value))
        self._made_envelope = envelope
        self._wanted: re.Pattern[str] | None = None
        """What is looked for: all of it stands out."""
        self.show_root = not _folds(value)
        self.guide_depth = 2
        self._unfold_some()

    def on_mount(self) -> None:
        """What the keys act on is seen at once: JSON in a text, where it is in sight."""
        lines = range(min(DATA_WITHIN, self.last_line + 1))
        self.cursor_line = next((number for number in lines if self._holds_data(number)), 0)

    def _holds_data(self, line: int) -> bool:
        node = self.get_node_at_line(line)
        part = None if node is None else node.data
        return part is not None and isinstance(part.value, str) and part.inside is not None

    def render_line(self, y: int) -> Strip:
        """A line, with a mark where the window cuts it: a cut number is another one."""
        line, width = super().render_line(y), self.scrollable_content_region.width
        hides = self.scroll_x < self.max_scroll_x and bool(line.crop(width - 1, width).text.strip())
        return cut_at_edges(line, width, left=self.scroll_x > 0, right=hides)

    def _unfold_some(self) -> None:
        """Unfold from the outside in, as long as there are few lines."""
        shown, waiting = 0, [self.root]
        while waiting and shown < UNFOLDED:
            node = waiting.pop(0)
            self._load(node)
            shown += len(node.children)
            if shown <= UNFOLDED or node is self.root:
                node.expand()
                waiting += [child for child in node.children if self._unfolds_at_first(child)]

    @staticmethod
    def _unfolds_at_first(node: TreeNode[TreePart]) -> bool:
        return node.allow_expand and node.data is not None and node.data.key != ENVELOPE

    @cached_property
    def _envelope(self) -> Mapping[str, Any]:
        return self._made_envelope() if self._made_envelope is not None else {}

    def _load(self, node: TreeNode[TreePart]) -> None:
        """Make the lines below a line, once."""
        part = node.data
        if part is None or part.inside is None or node.children:
            return
        if part.key == ENVELOPE:
            part = TreePart.of(ENVELOPE, self._envelope)
        self._load_entries(node, part)
        if node is self.root and self._made_envelope is not None:
            node.add("", TreePart(ENVELOPE, None, {}), allow_expand=True)

    def _load_entries(self, node: TreeNode[TreePart], part: TreePart) -> None:
        start, end = part.entries
        step = GROUP
        while end - start > step * GROUP:
            step *= GROUP
        if end - start > GROUP:
            for begin in range(start, end, step):
                run = (begin, min(begin + step, end))
                node.add("", TreePart(None, None, part.inside, run))
            return
        for key, value in entries_of(part.inside, start, end):
            below = TreePart.of(key, value)
            node.add("", below, allow_expand=below.inside is not None)

    def on_tree_node_expanded(self, event: Tree.NodeExpanded[TreePart]) -> None:
        """What was folded is made when it is unfolded."""
        self._load(event.node)

    def render_label(self, node: TreeNode[TreePart], base_style: Style, style: Style) -> Text:
        """A line in the colours of the theme; nothing of it is markup."""
        colours = self.app.theme_variables
        label = Text(self._sign(node), base_style)
        under_cursor = self.has_focus and node is self.cursor_node
        for text, role in marked(self._label_of(node), self._wanted):
            own = span_style(colours[COLOURS[role]], role)
            label.append(text, own + style if under_cursor else style + own)
        return label

    def get_label_width(self, node: TreeNode[TreePart]) -> int:
        """Cells of a line."""
        return cell_len(self._sign(node)) + cell_len(text_of(self._label_of(node)))

    def _sign(self, node: TreeNode[TreePart]) -> str:
        if not node.allow_expand:
            return "  "
        return self.ICON_NODE_EXPANDED if node.is_expanded else self.ICON_NODE

    @staticmethod
    def _label_of(node: TreeNode[TreePart]) -> Line:
        if node.data is None:
            return ()
        folded = node.allow_expand and not node.is_expanded
        return (*node.data.label, *node.data.inkling) if folded else node.data.label

    def action_unfold(self) -> None:
        """Unfold what the cursor is on, or go into it."""
        node = self.cursor_node
        if node is None or not node.allow_expand:
            return
        if node.is_expanded:
            self.action_cursor_down()
        else:
            node.expand()

    def action_fold(self) -> None:
        """Fold what the cursor is on, or go to what it stands in."""
        node = self.cursor_node
        if node is None:
            return
        if node.allow_expand and node.is_expanded:
            node.collapse()
        elif node.parent is not None and not (node.parent.is_root and not self.show_root):
            self.move_cursor(node.parent)

    @property
    def place(self) -> str:
        """Which entry of its array, or of a run of entries, the cursor is on."""
        node = self.cursor_node
        if node is None or node.data is None or node.parent is None or node.parent.data is None:
            return ""
        around = node.parent.data
        counted = isinstance(around.inside, list) or node.data.run is not None
        if not counted or node.data.key == ENVELOPE:
            return ""
        start = around.entries[0] + node.parent.children.index(node)
        return f"{(node.data.run or (start,))[0] + 1:,} of {len(around.inside):,}"

    # What a person looks for

    def find(self, term: str) -> Sequence[Path]:
        """The way to everything that holds the words; no words: nothing stands out any more.

        That is as they are written, or the smallest parts with each of them, where nothing has
        them so.
        """
        found = self._places_of(partial(found_in, term=term)) if term else []
        wanted = pattern_of(term) if term else None
        if not found and len(words := wanted_words(term)) > 1:
            found = self._places_of(partial(found_together, words=list(dict.fromkeys(words))))
            wanted = pattern_of(*words)
        if wanted != self._wanted:
            self._wanted = wanted
            self.notify_style_update()  # Lines that were drawn are drawn anew.
            self.refresh()
        return found

    def _places_of(self, find: Callable[[Any], Iterator[Path]]) -> list[Path]:
        part = self.root.data
        places = find(part.value) if part is not None else iter(())
        around = ((ENVELOPE, *place) for place in find(self._envelope))
        return list(islice(chain(places, around), MOST_FOUND))

    def go_to(self, place: Path) -> None:
        """Unfold the way to a place and put the cursor there."""
        node = self.root
        for key in place:
            self._load(node)
            node.expand()
            below = self._below(node, key)
            if below is None:
                return
            node = below
        self.call_after_refresh(self._point_at, node)

    def _point_at(self, node: TreeNode[TreePart]) -> None:
        self.move_cursor(node)
        top = max(0, node.line - self.size.height // 3)
        self.scroll_to(y=top, animate=False, immediate=True, force=True)

    def _below(self, node: TreeNode[TreePart], key: Key) -> TreeNode[TreePart] | None:
        """The line of this key; the runs on the way there are unfolded."""
        for child in node.children:
            part = child.data
            if part is None or (part.run is None and part.key == key):
                return child
            if part.run is not None and self._in_run(part, key):
                self._load(child)
                child.expand()
                return self._below(child, key)
        return None

    @staticmethod
    def _in_run(part: TreePart, key: Key) -> bool:
        start, end = part.entries
        if isinstance(key, int):
            return start <= key < end
        return any(name == key for name, _ in entries_of(part.inside, start, end))
