"""Which required arguments a call lacks, and how each is given on the command line."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import islice
from typing import Any, Final

from elicit_tui.errors import UsageError
from elicit_tui.text import neutral_line, readable_json

MOST_NAMED: Final = 20
MOST_SHOWN: Final = 4
"""Of those that are named: how they are given."""
SHAPE_CHARACTERS: Final = 120

_VALUES: Final = {
    "string": "TEXT",
    "integer": "INTEGER",
    "number": "NUMBER",
    "boolean": "true|false",
}


def refuse_missing(
    names: Collection[str], schema: Mapping[str, Any], whose: str, *, may_ask: bool
) -> None:
    """Raise UsageError where `names` lack some that the schema requires.

    `whose`: what is called (`The tool`). `may_ask`: it can be called all the same.
    """
    wanted, given = schema.get("required"), frozenset(names)
    required = wanted if isinstance(wanted, list) else []
    missing = [name for name in required if isinstance(name, str) and name not in given]
    if not missing:
        return
    one = len(missing) == 1
    named = ", ".join(repr(neutral_line(name, 80)) for name in missing[:MOST_NAMED])
    more = ", …" if len(missing) > MOST_NAMED else ""
    ways = " ".join(_ways(missing[:MOST_SHOWN], schema))
    rest = " …" if len(missing) > MOST_SHOWN else ""
    sentence = (
        f"{whose} needs the argument{'' if one else 's'} {named}{more}. "
        f"Give {'it' if one else 'them'} as {ways}{rest}."
    )
    if may_ask:
        sentence += " If it asks for what is missing, --incomplete calls it as it stands."
    raise UsageError(sentence)


def _ways(names: Collection[str], schema: Mapping[str, Any]) -> Iterator[str]:
    """Each as it is typed, with a word for its value: `count=INTEGER`, `rows:='[{"a": 1}, …]'`."""
    from elicit_tui.form.shape import shape
    from elicit_tui.form.skeleton import kind_of, settled

    properties = schema.get("properties")
    known = properties if isinstance(properties, Mapping) else {}
    for name in names:
        key, part = neutral_line(name, 80), settled(known.get(name), schema) or {}
        kind, choices = kind_of(part), part.get("enum")
        items = settled(part.get("items"), schema) if kind == "array" else None
        of_items = _VALUES.get(kind_of(items))
        if isinstance(choices, list) and choices:
            yield f"{key}={'|'.join(_choices(choices))}"
        elif kind in ("object", "array") and not of_items:
            yield f"{key}:='{neutral_line(shape(part, schema), SHAPE_CHARACTERS)}'"
        else:
            yield f"{key}={_VALUES.get(kind) or of_items or 'VALUE'}"


def _choices(choices: list[Any]) -> Iterator[str]:
    for choice in islice(choices, MOST_SHOWN):
        # As it is typed: a text without quotes, `true` and what else is none as JSON has it.
        text = choice if isinstance(choice, str) else readable_json(choice, indent=None)
        yield neutral_line(text, 40)
    if len(choices) > MOST_SHOWN:
        yield "…"
