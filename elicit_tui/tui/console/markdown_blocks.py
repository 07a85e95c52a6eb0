"""Markdown as the library draws it, but for a diff between fences, whose changes have colours."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Markdown
from textual.widgets.markdown import MarkdownFence

from elicit_tui.tui.console.diffs import CHANGES
from elicit_tui.tui.console.views import COLOURS


class Fence(MarkdownFence):
    """Code, or a diff."""

    _has: Content | None = None

    def set_content(self, content: Content) -> None:
        """Draw other code; what is drawn already stays as it is, also where words stand out."""
        if self._has is None or not content.is_same(self._has):
            self._has = content
            super().set_content(content)

    @classmethod
    def highlight(cls, code: str, language: str, ansi: bool = False, dark: bool = False) -> Content:
        """The code in colours: those of its language, of a diff those of its changes."""
        if language != "diff":
            return super().highlight(code, language, ansi, dark)
        lines = (
            Content.styled(line, f"${COLOURS[CHANGES.get(line[:1], 'plain')]}")
            for line in code.split("\n")
        )
        return Content("\n").join(lines)


class MarkdownBlocks(Markdown):
    """The blocks of a page."""

    BLOCKS = {**Markdown.BLOCKS, "fence": Fence}  # noqa: RUF012 - Textual declares it so
