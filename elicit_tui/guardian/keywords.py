"""The keywords that a schema may hold, and what one of them makes of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

COMBINATORS: Final = (
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
    "dependentSchemas",
    "patternProperties",
    "propertyNames",
    "dependencies",
    "unevaluatedProperties",
    "prefixItems",
    "contains",
    "additionalItems",
)
"""Keywords that make a puzzle of a schema."""
KNOWN: Final = frozenset(
    (
        "type",
        "title",
        "description",
        "default",
        "enum",
        "enumNames",
        "oneOf",
        "anyOf",
        "items",
        "minItems",
        "maxItems",
        "uniqueItems",
        "minLength",
        "maxLength",
        "pattern",
        "format",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "examples",
        "example",
        "const",
        "$comment",
        "deprecated",
        "readOnly",
        "writeOnly",
        "$id",
        "$schema",
        "placeholder",
        "properties",
        "required",
        "additionalProperties",
        "contentEncoding",
        "contentMediaType",
    )
)
"""Keywords that an honest form has: the spec's own, and harmless neighbours."""
TYPES: Final = frozenset(("string", "number", "integer", "boolean", "array"))
"""What a field may be."""


def are_choices(options: Any) -> bool:
    """Whether a `oneOf` or `anyOf` lists the choices of a select."""
    return isinstance(options, list) and all(
        isinstance(option, Mapping) and "const" in option for option in options
    )
