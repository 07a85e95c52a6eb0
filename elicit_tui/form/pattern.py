"""Patterns of a schema, run with a time limit whatever they are.

A pattern that cannot be translated, is too long or takes too long is *not enforced*: it is
remembered with the reason, and from then on costs nothing.
"""

from __future__ import annotations

import time
from typing import Any, Final

from elicit_tui.form.ecma import Untranslatable, translated

SECONDS_EACH: Final = 0.1
"""One search; measured by `regex` in processor time."""
SECONDS_TOGETHER: Final = 0.3
"""All searches of one judgement."""
MAX_PATTERN: Final = 4_000
"""Characters of one pattern; compiling takes time too."""
MAX_PATTERNS: Final = 50_000
"""Characters of all patterns of one schema together."""


class Patterns:
    """The compiled patterns of one schema, and those that are not enforced."""

    def __init__(self) -> None:
        self.unenforced: dict[str, str] = {}
        """Pattern to the reason, in words that follow "the pattern is not checked: "."""
        self._compiled: dict[str, Any] = {}
        self._characters = 0
        self._left = SECONDS_TOGETHER

    def new_run(self) -> None:
        """A judgement starts; the time for all of its patterns is full again."""
        self._left = SECONDS_TOGETHER

    def compilable(self, pattern: str) -> bool:
        """Whether the pattern can be run at all; False also marks it as not enforced."""
        return self._compile(pattern) is not None

    def search(self, pattern: str, text: str) -> bool | None:
        """Whether the pattern is found anywhere in the text; None when it is not enforced."""
        compiled = self._compile(pattern)
        if compiled is None:
            return None
        if self._left <= 0:
            self.unenforced[pattern] = "the patterns of this form take too long together"
            return None
        limit = min(SECONDS_EACH, self._left)
        started = time.process_time()
        try:
            return compiled.search(text, timeout=limit) is not None
        except (TimeoutError, MemoryError, RecursionError):
            self.unenforced[pattern] = "it takes too long to run"
            return None
        finally:
            self._left -= time.process_time() - started

    def _compile(self, pattern: str) -> Any:
        if pattern in self.unenforced:
            return None
        if pattern not in self._compiled:
            self._characters += len(pattern)
            try:
                self._compiled[pattern] = self._fresh(pattern)
            except Untranslatable as reason:
                self.unenforced[pattern] = str(reason)
                return None
        return self._compiled[pattern]

    def _fresh(self, pattern: str) -> Any:
        if len(pattern) > MAX_PATTERN or self._characters > MAX_PATTERNS:
            raise Untranslatable("it is too long")
        import regex

        try:
            return regex.compile(translated(pattern), regex.V1, cache_pattern=False)
        except (regex.error, RecursionError, OverflowError, ValueError, MemoryError) as error:
            raise Untranslatable("it is not a pattern of ECMA-262") from error
