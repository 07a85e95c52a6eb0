"""What a schema may hold: how large it is, where its `$ref`s lead, and which keywords a form knows.

Nothing in it costs more than a moment; of its keywords some are drawn, some only the judge checks,
and some mean nothing here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, Final
from urllib.parse import unquote

from elicit_tui.form.json_values import MISSING
from elicit_tui.text import neutral_line

MAX_NODES: Final = 50_000
"""Values in the whole schema."""
MAX_CHARACTERS: Final = 1_000_000
"""Characters of all keys and strings of the schema together."""
MAX_DEPTH: Final = 40
"""Levels of nesting."""
MAX_PROPERTIES: Final = 300
"""Fields of one form."""
MAX_CHOICES: Final = 5_000
"""Choices of one field."""
MAX_REFERENCES: Final = 16
"""`$ref`s in a row that a field's own schema may take."""
_MOST_OBJECTS: Final = 1_000
"""In which references are looked for, each time."""


def too_large(schema: Any) -> str | None:
    """Why the schema is not looked at any further, or None; walks no more than the limits."""
    nodes = characters = 0
    # Level by level instead of by recursion, as depth is what is to be bounded.
    level: list[Any] = [schema]
    levels = 0
    while level:
        levels += 1
        if levels > MAX_DEPTH:
            return f"its schema is nested more than {MAX_DEPTH} levels deep"
        deeper: list[Any] = []
        for value in level:
            nodes += 1
            if isinstance(value, str):
                characters += len(value)
            elif isinstance(value, Mapping):
                characters += sum(len(key) for key in value)
                deeper.extend(value.values())
            elif isinstance(value, (list, tuple)):
                deeper.extend(value)
            # Before a level is walked: a list of millions is counted, and not entered.
            if nodes + len(deeper) > MAX_NODES:
                return f"its schema has more than {MAX_NODES:,} parts"
            if characters > MAX_CHARACTERS:
                return f"its schema has more than {MAX_CHARACTERS:,} characters"
        level = deeper
    return None


def objects(value: Any) -> Iterator[Mapping[str, Any]]:
    """Every object anywhere in a JSON value: each could be reached as a schema by a `$ref`."""
    stack = [value]
    while stack:
        here = stack.pop()
        if isinstance(here, Mapping):
            yield here
            stack.extend(here.values())
        elif isinstance(here, (list, tuple)):
            stack.extend(here)


NULLABLE: Final = "x-nullable"
"""Marks a flattened schema that also allows null; a server that sends it gains nothing."""


def resolve(reference: Any, root: Any) -> Any:
    """What a local reference points to, or None: another document, or nothing there."""
    if not isinstance(reference, str) or not reference.startswith("#"):
        return None
    pointer = unquote(reference[1:])
    if pointer and not pointer.startswith("/"):
        return None
    found = at_pointer(root, pointer)
    return None if found is MISSING else found


def pointer_part(name: object) -> str:
    """A name as it stands in a JSON pointer (RFC 6901)."""
    return str(name).replace("~", "~0").replace("/", "~1")


def at_pointer(value: Any, pointer: str) -> Any:
    """What stands at a JSON pointer (RFC 6901) in a value; MISSING where nothing does."""
    for part in pointer.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        if isinstance(value, Mapping) and key in value:
            value = value[key]
        elif isinstance(value, list) and _is_index(key) and int(key) < len(value):
            value = value[int(key)]
        else:
            return MISSING
    return value


def _is_index(key: str) -> bool:
    return key.isascii() and key.isdigit() and len(key) < 10


def references(
    parts: Iterable[tuple[str, Any]], root: Mapping[str, Any]
) -> Iterator[tuple[str, str, bool]]:
    """Each reference in some named parts of a schema, with the name of its part.

    Last, whether it is wrong: it leads out of the schema, or back to where it stands.
    """
    # What a reference leads to is looked at once, however many lead there.
    behind: dict[str, set[str]] = {}

    def leads_back(reference: str) -> bool:
        reached, waiting = set[str](), [reference]
        while waiting and reference not in reached:
            if (follows := waiting.pop()) not in behind:
                behind[follows] = set(_refs(resolve(follows, root)))
            waiting += behind[follows] - reached
            reached |= behind[follows]
        return reference in reached

    for name, part in parts:
        for reference in _refs(part):
            yield name, reference, not reference.startswith("#") or leads_back(reference)


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


def flattened(schema: Any, root: Any) -> Mapping[str, Any] | str:
    """One property's schema with its `$ref`, lone `allOf` and "or null" merged in.

    Only what a form draws is taken from it; the judge always has the original. A string says
    why the schema cannot be drawn, as `Field.why_unsupported` does.
    """
    for _ in range(MAX_REFERENCES):
        if not isinstance(schema, Mapping):
            return "has no type"
        if "$ref" in schema:
            target = resolve(schema["$ref"], root)
            if not isinstance(target, Mapping):
                return "refers to something that its schema does not hold"
            schema = _merged(schema, "$ref", target)
        elif (only := _lone(schema.get("allOf"))) is not None:
            schema = _merged(schema, "allOf", only)
        elif (optional := _or_null(schema)) is not None:
            keyword, branch = optional
            schema = {NULLABLE: True, **_merged(schema, keyword, branch)}
        else:
            return schema
    return f"refers on and on, more than {MAX_REFERENCES} times"


def _merged(schema: Mapping[str, Any], keyword: str, target: Any) -> Mapping[str, Any]:
    # What stands beside a reference goes before what it leads to, such as a title of its own.
    own = {key: value for key, value in schema.items() if key != keyword}
    return {**target, **own}


def _lone(branches: Any) -> Any:
    """The only branch of a list of one, if it is an object."""
    if isinstance(branches, list) and len(branches) == 1 and isinstance(branches[0], Mapping):
        return branches[0]
    return None


def _or_null(schema: Mapping[str, Any]) -> tuple[str, Any] | None:
    """The keyword and branch of "this or null", as generated for optional values."""
    for keyword in ("anyOf", "oneOf"):
        branches = schema.get(keyword)
        if not isinstance(branches, list) or len(branches) != 2:
            continue
        rest = [branch for branch in branches if not _is_null(branch)]
        if len(rest) == 1 and isinstance(rest[0], Mapping):
            return keyword, rest[0]
    return None


def _is_null(branch: Any) -> bool:
    return isinstance(branch, Mapping) and branch.get("type") == "null"


# Keywords

ANNOTATIONS: Final = frozenset(
    {
        "$anchor",
        "$comment",
        "$defs",
        "$id",
        "$ref",
        "$schema",
        "$vocabulary",
        "contentEncoding",
        "contentMediaType",
        "contentSchema",
        "default",
        "definitions",
        "deprecated",
        "description",
        "enumNames",
        "examples",
        "readOnly",
        "title",
        "type",
        "writeOnly",
        NULLABLE,
    }
)

STRING_KEYWORDS: Final = frozenset({"minLength", "maxLength", "pattern", "format"})
NUMBER_KEYWORDS: Final = frozenset(
    {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}
)
ARRAY_KEYWORDS: Final = frozenset({"items", "minItems", "maxItems", "uniqueItems"})
SELECT_KEYWORDS: Final = frozenset({"enum", "oneOf", "anyOf", "const"})
ROOT_DRAWN: Final = frozenset({"properties", "required", "additionalProperties"})

_OBJECT_KEYWORDS: Final = frozenset(
    {
        "additionalProperties",
        "dependentRequired",
        "dependentSchemas",
        "maxProperties",
        "minProperties",
        "patternProperties",
        "properties",
        "propertyNames",
        "required",
        "unevaluatedProperties",
    }
)
_ARRAY_JUDGED: Final = frozenset(
    {"contains", "maxContains", "minContains", "prefixItems", "unevaluatedItems"}
)
_ALWAYS_JUDGED: Final = frozenset(
    {"$dynamicRef", "allOf", "anyOf", "const", "else", "enum", "if", "not", "oneOf", "then"}
)
_OF_TYPE: Final = {
    "string": STRING_KEYWORDS,
    "number": NUMBER_KEYWORDS,
    "array": ARRAY_KEYWORDS | _ARRAY_JUDGED,
    "object": _OBJECT_KEYWORDS,
}
_ALL_KNOWN: Final = frozenset().union(*_OF_TYPE.values(), _ALWAYS_JUDGED)


def other_keywords(
    schema: Mapping[str, Any], drawn: Iterable[str], whole: bool = False
) -> list[str]:
    """Notes about the keywords that are not drawn: those that bind, and those nobody knows."""
    rest = [key for key in schema if key not in ANNOTATIONS and key not in set(drawn)]
    kinds = "object" if whole else _plain_type(schema.get("type"))
    binding = [
        key for key in rest if key in _ALWAYS_JUDGED or key in _OF_TYPE.get(kinds, frozenset())
    ]
    unknown = [key for key in rest if key not in _ALL_KNOWN]
    notes = []
    if binding:
        notes.append(f"also checked when you send: {_listed(binding)}")
    if unknown:
        notes.append(f"the form does not know what this means: {_listed(unknown)}")
    return notes


def _plain_type(declared: Any) -> str:
    names = declared if isinstance(declared, list) else [declared]
    name = next((name for name in names if isinstance(name, str) and name != "null"), "")
    return "number" if name == "integer" else name


def _listed(keys: list[str]) -> str:
    more = f" and {len(keys) - 8} more" if len(keys) > 8 else ""
    return ", ".join(neutral_line(key, 40) for key in keys[:8]) + more
