"""Textual's style sheets, parsed once for all applications of a process and not by each anew."""

from __future__ import annotations

import sys
from typing import Any

_parsed: dict[tuple[object, ...], Any] = {}


def share_parsed_styles() -> None:
    """Let every application use what an earlier one parsed of the same text and variables.

    An application of these tests stands for a moment, and a tenth of that it would parse.
    """
    if "textual.css.stylesheet" not in sys.modules:
        return
    from textual.css.stylesheet import Stylesheet

    parse: Any = Stylesheet._parse_rules

    def parse_once(self: Any, css: str, read_from: Any, *more: Any, **named: Any) -> Any:
        key = (frozenset(self._variables.items()), css, read_from, more, *named.items())
        if key not in _parsed:
            _parsed[key] = parse(self, css, read_from, *more, **named)
        return _parsed[key]

    Stylesheet._parse_rules = parse_once  # type: ignore[method-assign]
