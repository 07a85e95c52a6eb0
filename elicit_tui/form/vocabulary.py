"""Which keywords a form draws, which the judge alone checks, and which mean nothing here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from elicit_tui.form.limits import NULLABLE
from elicit_tui.text import neutral_line

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
