"""A result that is read as Markdown: what may be some, and its page."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content, Span
from textual.message import Message
from textual.widgets import Static

from elicit_tui.text import neutral, neutral_line
from elicit_tui.tui.console.diffs import is_diff
from elicit_tui.tui.console.half_pages import HalfPages
from elicit_tui.tui.console.markdown_bounds import is_long, is_long_to_draw
from elicit_tui.tui.console.markdown_parts import parts_of
from elicit_tui.tui.console.result_data import text_in
from elicit_tui.tui.console.result_tree import json_in
from elicit_tui.tui.console.results import blocks
from elicit_tui.tui.console.spans import pattern_of
from elicit_tui.tui.console.wanted_words import has_all, wanted_words

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from textual.widgets import Markdown

HIT: Final = "bold underline $warning"
HERE: Final = "bold not underline reverse $accent"
"""As `span_style` of the views draws what is looked for, and that of it where one is."""
MOST_MARKED: Final = 2_000
"""Of what is found in one part so much is set off: that around the place one is at."""
_MARKS: Final = re.compile(
    r"^(?:#{1,6} \S|```|> \S|\|[^\n]+\|[ \t]*$|[ \t]{0,8}[-*] \S[^\n]*\n[ \t]{0,8}[-*] \S)"
    r"|\*\*[^*\n]+\*\*|\[[^][\n]{1,200}\]\([^() \n]{1,400}\)",
    re.MULTILINE,
)
"""What may be Markdown, and stands in other text too: comments, lists, quotes."""
_SURE_MARKS: Final = re.compile(
    r"^(?:#{2,6} \S|```|\|?[ \t]*:?-{3,}:?[ \t]*\|)"
    r"|(?<!\w)\*\*(?=[^\s*/])[^*\n]*(?<!\s)\*\*(?!\w)"
    r"|\[[^][\n]{1,200}\]\([^() \n]{1,400}\)",
    re.MULTILINE,
)
"""What stands in Markdown and seldom in other text."""


def markdown_of(result: Mapping[str, Any]) -> str:
    """The Markdown of a result; empty where there is none, or too much to be drawn.

    A diff of Markdown is none: drawn, its lines would run together.
    """
    texts = [text for block in blocks(result) if (text := text_in(block)) is not None]
    text = "\n\n".join(texts)
    if is_long(text) or json_in(text) is not None:
        return ""
    marked = not is_diff(text) and _MARKS.search(text)
    drawn = neutral(text) if text and (_is_named(result) or marked) else ""
    return "" if is_long_to_draw(drawn) else drawn


def _is_named(result: Mapping[str, Any]) -> bool:
    return any(_kind_of(block) == "text/markdown" for block in blocks(result))


def is_markdown(result: Mapping[str, Any]) -> bool:
    """Whether what could be drawn as Markdown most likely is; else it is read as text first."""
    return _is_named(result) or bool(_SURE_MARKS.search(markdown_of(result)))


def _kind_of(block: Mapping[str, Any]) -> str:
    resource = block.get("resource")
    kind = resource.get("mimeType") if isinstance(resource, Mapping) else None
    return kind.partition(";")[0].strip().lower() if isinstance(kind, str) else ""


def honest_parser() -> MarkdownIt:
    """A parser that shows where links lead, and HTML as what it is."""
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

    parser = MarkdownIt("gfm-like", {"html": False})

    def show_targets(state: Any) -> None:
        for token in state.tokens:
            token.info = neutral_line(token.info)
            if token.children:
                token.children = list(_with_targets(token.children, Token))

    parser.core.ruler.push("show_targets", show_targets)
    return parser


def _with_targets(tokens: Sequence[Any], token: Any) -> Iterator[Any]:
    """Behind each link where it leads, unless its words say just that; pictures by address.

    What was written as `&#x202e;`, or escaped in an address, has only now become what it is.
    """
    target, term = "", ""
    for part in tokens:
        part.content = neutral(part.content)
        if part.type == "image":
            source = str(part.attrs.get("src", ""))
            yield token("text", "", 0, content=f"[picture: {part.content} {source}]")
            continue
        if part.type == "link_open":
            target, term = str(part.attrs.get("href", "")), ""
        elif part.type == "link_close":
            yield part
            guessed = part.markup == "linkify" and target.endswith(term)
            if term.strip() != target and not guessed:
                yield token("text", "", 0, content=f" ({neutral_line(target, 400)})")
            continue
        else:
            term += part.content
        yield part


class MarkdownPage(VerticalScroll, HalfPages):
    """Markdown to scroll through; nothing is opened by a click."""

    BINDINGS = [  # noqa: RUF012 - Textual declares it so
        Binding("j", "scroll_down", "Down", show=False),
        Binding("k", "scroll_up", "Up", show=False),
        Binding("space,ctrl+f", "page_down", "Page down", show=False),
        Binding("ctrl+b", "page_up", "Page up", show=False),
        Binding("g,ctrl+home", "scroll_home", "Top", show=False),
        Binding("G,ctrl+end", "scroll_end", "End", show=False),
    ]

    DEFAULT_CSS = """
    MarkdownPage { scrollbar-size-vertical: 1; padding: 0 1; }
    MarkdownPage Markdown { padding: 0; background: transparent; }
    MarkdownPage MarkdownH1 { content-align: left middle; margin: 0 0 1 0; color: $accent; }
    MarkdownPage MarkdownH2 { color: $accent; text-style: bold; }
    MarkdownPage MarkdownFence, MarkdownPage MarkdownFence:light { background: $panel; }
    MarkdownPage MarkdownFence > Label { width: 1fr; }
    """

    class Scrolled(Message):
        """Another part of it is in sight."""

    class Drawn(Message):
        """There is more of it than before."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self._characters = max(1, len(text))
        self._parts = deque(parts_of(text))
        """What is not drawn yet."""
        self._draws = True
        """Whether a part is on its way."""
        self._wants_all = False
        self._share: float | None = None
        """How far down one wants to be, once all of it is drawn."""
        self._drawn: dict[Static, Content] = {}
        """The parts in which something stands out, as they are without that."""
        self._found: Sequence[tuple[Static, int]] = ()
        self._wanted = pattern_of("")
        self.finds_each = False
        """Whether each of the words was found alone."""
        self._at: Static | None = None

    def compose(self) -> ComposeResult:
        """The beginning of the page."""
        yield self._next_part()

    def _next_part(self) -> Markdown:
        from elicit_tui.tui.console.markdown_blocks import MarkdownBlocks

        # All of it at once where all is wanted: with each part the whole page is laid out again.
        several = len(self._parts) if self._wants_all else 1
        text = "\n".join(self._parts.popleft() for _ in range(several))
        return MarkdownBlocks(text, parser_factory=honest_parser, open_links=False)

    def on_markdown_table_of_contents_updated(self) -> None:
        """A part is drawn; the next one follows where it is about to be seen."""
        self._draws = False
        self.post_message(self.Drawn())
        self.call_after_refresh(self._go_on)

    def _go_on(self) -> None:
        below = self.virtual_size.height - self.scroll_y - self.size.height
        if self._draws or not (self._wants_all or below < self.size.height):
            return
        if self._parts:
            self._draws = True
            self.mount(self._next_part())
        elif self._share is not None:
            share, self._share = self._share, None
            self.scroll_to(y=share * self.max_scroll_y, animate=False)

    def action_scroll_end(self) -> None:
        """Go to the end, once all of it is drawn."""
        self.begin_at(1)

    def begin_at(self, share: float) -> None:
        """Have so much of it above what is in sight, once all of it is drawn."""
        self._wants_all, self._share = True, share
        self._go_on()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Whoever comes near to the end of what is drawn has more of it."""
        super().watch_scroll_y(old_value, new_value)
        self._go_on()
        self.post_message(self.Scrolled())

    @property
    def place(self) -> str:
        """How far one has read; empty where all of it is in sight."""
        most, left = self.max_scroll_y, sum(map(len, self._parts))
        if not most and not left:
            return ""
        drawn = 1 - left / self._characters
        return f"{drawn * self.scroll_y / most if most else 0:.0%}"

    @property
    def unfinished(self) -> bool:
        """Whether some of it is not drawn yet: what is looked for may stand there."""
        return self._draws or bool(self._parts)

    def find(self, term: str) -> Sequence[tuple[Static, int]]:
        """Each place that holds the words, in what is drawn: its paragraph, and where it begins.

        That is as they are written, or each alone, where they stand so nowhere. All of it is drawn
        for that, part by part; each tells when it is there.
        """
        for part, before in self._drawn.items():
            part.update(before, layout=False)
        self._drawn, self.finds_each = {}, False
        if not term:
            return []
        self._wants_all, self._share = True, None
        self._go_on()
        texts = [(part, part.content) for part in self.query(Static)]
        parts = [(part, drawn) for part, drawn in texts if isinstance(drawn, Content)]
        self._wanted, places = self._pattern(term, [drawn.plain for _, drawn in parts]), []
        for part, drawn in parts:
            starts = [match.start() for match in self._wanted.finditer(drawn.plain)]
            if starts:
                self._drawn[part] = drawn
                part.update(self._marked(drawn, starts), layout=False)
            places += [(part, start) for start in starts]
        self._found = places
        return places

    def _pattern(self, term: str, texts: Sequence[str]) -> re.Pattern[str]:
        pattern, words = pattern_of(term), wanted_words(term)
        if len(words) > 1 and not any(map(pattern.search, texts)):
            self.finds_each = has_all(words, "\n".join(texts).casefold())
        return pattern_of(*words) if self.finds_each else pattern

    def _end(self, drawn: Content, start: int) -> int:
        """Where what was found at this place ends."""
        match = self._wanted.match(drawn.plain, start)
        return match.end() if match else start

    def first_from_here(self, places: Sequence[tuple[Static, int]]) -> int:
        """Which of these places is the first in sight or below; behind the end the first of all."""
        top = self.content_region.y
        below = (number for number, (part, _) in enumerate(places) if part.region.bottom > top)
        return next(below, 0)

    def _marked(self, drawn: Content, starts: Sequence[int], here: int | None = None) -> Content:
        """With what was found set off, as much of it as is told apart: that around `here`."""
        first = 0 if here is None else max(0, bisect_left(starts, here) - MOST_MARKED // 2)
        shown = starts[first : first + MOST_MARKED]
        marks = [Span(start, self._end(drawn, start), HIT) for start in shown]
        if here is not None:
            marks.append(Span(here, self._end(drawn, here), HERE))
        return Content(drawn.plain, [*drawn.spans, *marks], strip_control_codes=False)

    def go_to(self, place: tuple[Static, int]) -> None:
        """Bring a paragraph into sight, and set off the place in it."""
        for part, drawn in self._drawn.items():
            if part in (self._at, place[0]):
                starts = [start for each, start in self._found if each is part]
                here = place[1] if part is place[0] else None
                part.update(self._marked(drawn, starts, here), layout=False)
        self._at = place[0]
        self.scroll_to_widget(self._at, top=True, animate=False, immediate=True)
        self.scroll_relative(y=self._below_middle(*place), animate=False, immediate=True)

    def _below_middle(self, part: Static, start: int) -> int:
        """By how many rows a place in a paragraph is below the middle, where its top is in sight.

        None has to be counted of what ends within the upper half: all before it is read with it.
        """
        drawn, width = self._drawn[part], part.content_size.width
        before = drawn[: self._end(drawn, start)]
        rows = len(before.wrap(width)) if width else 0
        return max(0, rows - self.size.height // 2)
