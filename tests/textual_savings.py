"""Work of Textual that no test sees, and that it does for each application of a process anew."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from inspect import CO_VARARGS, CO_VARKEYWORDS, isfunction
from types import SimpleNamespace
from typing import Any

_parsed: dict[tuple[object, ...], Any] = {}


def save_work() -> None:
    """Leave it out from now on, where Textual is loaded: an application stands for a moment."""
    if "textual.app" in sys.modules:
        _share_parsed_styles()
        _join_lines_when_read()
        _count_parameters_at_once()


def _share_parsed_styles() -> None:
    """Let every application use what an earlier one parsed of the same text and variables.

    An application of these tests stands for a moment, and a tenth of that it would parse.
    """
    from textual.css.stylesheet import Stylesheet

    parse: Any = Stylesheet._parse_rules

    def parse_once(self: Any, css: str, read_from: Any, *more: Any, **named: Any) -> Any:
        key = (frozenset(self._variables.items()), css, read_from, more, *named.items())
        if key not in _parsed:
            _parsed[key] = parse(self, css, read_from, *more, **named)
        return _parsed[key]

    Stylesheet._parse_rules = parse_once  # type: ignore[method-assign]


class Later(Sequence[Any]):
    """A sequence that is made when somebody reads it."""

    def __init__(self, make: Callable[[], Sequence[Any]]) -> None:
        self._make = make

    @cached_property
    def _made(self) -> Sequence[Any]:
        return self._make()

    def __getitem__(self, place: Any) -> Any:
        return self._made[place]

    def __len__(self) -> int:
        return len(self._made)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._made)


def _join_lines_when_read() -> None:
    """Let an update of the screen join what its widgets drew when it is written somewhere.

    The applications of these tests have no terminal, and a tenth of their time went into updates
    that nobody wrote. Each widget is drawn as often, and at the same time, as on a terminal.
    """
    from textual._compositor import Compositor, LayoutUpdate

    joined: Any = Compositor._render_chops
    joined_whole = Compositor.render_full_update

    def joined_later(self: Any, crop: Any, is_rendered_line: Any) -> Any:
        cuts = self.cuts
        drawn = [*self._get_renders(crop)]
        drawing = SimpleNamespace(cuts=cuts, _get_renders=lambda crop: drawn)
        return Later(lambda: joined(drawing, crop, is_rendered_line))

    def joined_whole_later(self: Any, simplify: bool = False) -> Any:
        if simplify:
            return joined_whole(self, simplify)
        region = self.size.region
        self._dirty_regions.clear()
        lines = self._render_chops(region, lambda y: True)
        return LayoutUpdate(Later(lambda: [line.values() for line in lines]), region)  # type: ignore[arg-type]

    Compositor._render_chops = joined_later  # type: ignore[method-assign]
    Compositor.render_full_update = joined_whole_later  # type: ignore[method-assign]


def _count_parameters_at_once() -> None:
    """Read off a function how many parameters it has, instead of inspecting each for a while.

    A pilot that waits asks it of a new function each time.
    """
    from textual import _callback

    inspected: Any = _callback._count_parameters

    def counted(function: Any) -> int:
        if not isfunction(function) or function.__dict__:  # It may say itself what it takes.
            return int(inspected(function))
        code = function.__code__
        more = bool(code.co_flags & CO_VARARGS) + bool(code.co_flags & CO_VARKEYWORDS)
        return code.co_argcount + code.co_kwonlyargcount + more

    _callback._count_parameters = counted
