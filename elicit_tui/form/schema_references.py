"""What a schema refers to, and how deep it is, found in a bounded part of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import islice
from typing import Any, Final

from elicit_tui.form.limits import objects, resolve

_MOST_OBJECTS: Final = 1_000
"""In which references are looked for, each time."""


def references(
    parts: Iterable[tuple[str, Any]], root: Mapping[str, Any]
) -> Iterator[tuple[str, str, bool]]:
    """Each reference in some named parts of a schema, with the name of its part.

    Last, whether it leads out of the schema or back to where it stands.
    """
    inside = lru_cache(maxsize=None)(lambda reference: set(_refs(resolve(reference, root))))
    for name, part in parts:
        for reference in _refs(part):
            met, waiting = set[str](), [reference]
            while waiting and reference not in met:
                found = inside(waiting.pop()) - met
                met |= found
                waiting += found
            yield name, reference, reference in met or not reference.startswith("#")


def _refs(value: Any) -> Iterator[str]:
    for part in islice(objects(value), _MOST_OBJECTS):
        for key in ("$ref", "$dynamicRef", "$recursiveRef"):
            if key in part:
                yield str(part[key])


def depth(value: Any, limit: int = 12) -> int:
    """How many objects of a JSON value stand in one another, up to a limit."""
    inside = value.values() if isinstance(value, Mapping) else value
    if limit == 0 or not isinstance(value, (Mapping, list)):
        return 0
    deepest = max((depth(part, limit - 1) for part in islice(inside, 50)), default=0)
    return deepest + isinstance(value, Mapping)
