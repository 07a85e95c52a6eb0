"""Patterns of a schema: which fields they bind, and how each is run within a time limit.

A pattern that cannot be translated, is too long or takes too long is *not enforced*: it is
remembered with the reason, and from then on costs nothing.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from typing import Any, Final

from elicit_tui.form.ecma import Untranslatable, translated
from elicit_tui.form.limits import objects, resolve

SECONDS_EACH: Final = 0.04
"""One search; measured by `regex` in processor time."""
SECONDS_TOGETHER: Final = 0.15
"""All searches of one judgement."""
SECONDS_OF_SLOWNESS: Final = 0.3
"""What all slow searches may cost as long as the form is open, however often it is judged."""
SLOW: Final = 0.005
"""Seconds from which on a search is a slow one; an honest one takes microseconds."""
MAX_PATTERN: Final = 4_000
"""Characters of one pattern; translating and compiling take time too."""
MAX_PATTERNS: Final = 50_000
"""Characters of all patterns of one schema together."""
MAX_WRITTEN_OUT: Final = 100_000
"""Characters of them with what must stand several times written out: so `regex` compiles them."""


def unchecked(reason: str) -> str:
    """The note that a field carries when its pattern is not enforced."""
    return f"the pattern is not checked: {reason}"


class SchemaPatterns:
    """The patterns of one schema: translated, compiled, and those that are not enforced."""

    def __init__(self) -> None:
        self.unenforced: dict[str, str] = {}
        """Pattern to the reason, as a clause."""
        self._translated: dict[str, str] = {}
        self._compiled: dict[str, Any] = {}
        self._characters = 0
        self._written_out = 0
        # What is left for this judgement, and below it what slow patterns have left for the whole
        # form.
        self._left = SECONDS_TOGETHER
        self._slowness_left = SECONDS_OF_SLOWNESS

    def new_run(self) -> None:
        """A judgement starts; the time for all of its patterns is full again."""
        # A pattern that is slow each time uses up the form's time, and is then no longer run.
        self._left = min(SECONDS_TOGETHER, self._slowness_left)

    def untranslatable(self, pattern: str) -> str | None:
        """Why the pattern cannot be said in `regex`, as a clause; loads nothing."""
        if pattern not in self._translated and pattern not in self.unenforced:
            # Also of those that turn out not to be run: they took time to be read.
            self._characters += len(pattern)
            try:
                self._translated[pattern] = self._translate(pattern)
            except Untranslatable as reason:
                self.unenforced[pattern] = str(reason)
        return self.unenforced.get(pattern)

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
        # Processor time, not the clock: on a busy machine a harmless pattern must not count as a
        # slow one.
        started = time.process_time()
        try:
            found = compiled.search(text, timeout=min(SECONDS_EACH, self._left))
        except (TimeoutError, MemoryError, RecursionError):
            self.unenforced[pattern] = "it takes too long to run"
            return None
        finally:
            self._spend(time.process_time() - started)
        return found is not None

    def _spend(self, seconds: float) -> None:
        self._left -= seconds
        # Only slow searches count against the form; else a long form would use its time up in
        # honest work.
        if seconds >= SLOW:
            self._slowness_left -= seconds

    def _translate(self, pattern: str) -> str:
        if len(pattern) > MAX_PATTERN or self._characters > MAX_PATTERNS:
            raise Untranslatable("it is too long")
        sound = translated(pattern)
        # A pattern of a few characters can be one of millions: `((a{99}){99}){99}`.
        written_out = self._written_out + _written_out(pattern)
        if written_out > MAX_WRITTEN_OUT:
            raise Untranslatable("it repeats too much")
        self._written_out = written_out
        return sound

    def _compile(self, pattern: str) -> Any:
        if self.untranslatable(pattern) is not None:
            return None
        if pattern not in self._compiled:
            import regex

            try:
                self._compiled[pattern] = regex.compile(
                    # V1 as the translation is spelled for it; nothing is kept beyond this form.
                    self._translated[pattern],
                    regex.V1,
                    cache_pattern=False,
                )
            except (regex.error, RecursionError, OverflowError, ValueError, MemoryError):
                self.unenforced[pattern] = "it is not a pattern of ECMA-262"
                return None
        return self._compiled[pattern]


_PIECES: Final = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]|\{(\d+)(?:,\d*)?\}|[()]|.", re.DOTALL)
"""An escape, a class of characters, a count, a bracket of a group, any other character."""


def _written_out(pattern: str) -> int:
    """How many characters a pattern has, roughly, with each least count written out."""
    # One sum for each open group, and the size of the last piece, which a count may repeat.
    sizes, last = [0], 0
    for piece in _PIECES.finditer(pattern):
        if piece[0] == "(":
            sizes.append(0)
            last = 0
        elif piece[0] == ")" and len(sizes) > 1:
            last = sizes.pop()
            sizes[-1] += last
        elif piece[1] is not None:
            # Nine digits are enough to be too much, and int() of a million of them takes for ever.
            times = max(1, int(piece[1][:9]))
            sizes[-1] += last * (times - 1)
            last *= times
        else:
            last = 1
            sizes[-1] += last
    return sum(sizes)


def patterns_of(schema: Any, names: tuple[str, ...], whole: str) -> dict[str, tuple[str, ...]]:
    """Patterns by field, those behind a `$ref` too; at `whole` those of no single field."""
    by_name: dict[str, tuple[str, ...]] = {}
    for name in names:
        found = tuple(_patterns(schema["properties"][name], schema))
        if found:
            by_name[name] = found
    # What is bound together, such as `patternProperties` of the whole form.
    rest = {key: part for key, part in schema.items() if key not in ("properties", "$defs")}
    others = tuple(_patterns(rest, {**schema, "properties": {}}))
    return {**by_name, whole: others} if others else by_name


def _patterns(part: Any, root: Any) -> list[str]:
    found: dict[str, None] = {}
    waiting = [part]
    # A reference is followed once, so that a circle ends.
    followed: set[str] = set()
    while waiting:
        for here in objects(waiting.pop()):
            if isinstance(here.get("pattern"), str):
                found[here["pattern"]] = None
            if isinstance(here.get("patternProperties"), Mapping):
                found.update(dict.fromkeys(here["patternProperties"]))
            reference = here.get("$ref")
            if isinstance(reference, str) and reference not in followed:
                followed.add(reference)
                waiting.append(resolve(reference, root))
    return list(found)
