"""Which patterns a field's answer is checked by, its `$ref`s included."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from elicit_tui.form.limits import objects
from elicit_tui.form.reference import resolve


def patterns_of(schema: Any, names: tuple[str, ...], whole: str) -> dict[str, tuple[str, ...]]:
    """Patterns by field; those of the schema that belong to no single field stand at `whole`."""
    by_name: dict[str, tuple[str, ...]] = {}
    for name in names:
        found = tuple(_patterns(schema["properties"][name], schema))
        if found:
            by_name[name] = found
    rest = {key: part for key, part in schema.items() if key not in ("properties", "$defs")}
    others = tuple(_patterns(rest, {**schema, "properties": {}}))
    return {**by_name, whole: others} if others else by_name


def _patterns(part: Any, root: Any) -> list[str]:
    found: dict[str, None] = {}
    waiting = [part]
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
