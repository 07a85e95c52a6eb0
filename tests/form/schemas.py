"""Random schemas within the spec's subset, and random answers to them, for the property tests."""

from __future__ import annotations

import string
from datetime import timedelta, timezone
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from elicit_tui.form.formats import FORMATS

STEADY = settings(
    derandomize=True,
    deadline=None,
    max_examples=60,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
"""The same examples in every run, on any machine."""

PRINTABLE = st.characters(exclude_categories=("Cc", "Cs"))
TEXT = st.text(PRINTABLE, max_size=12)
NAMES = st.one_of(
    st.sampled_from(["__proto__", "constructor", "toString", "", " ", "a.b", "$ref", "0", "名前"]),
    st.text(string.ascii_letters, min_size=1, max_size=6),
)
NUMBERS = st.one_of(
    st.integers(-1000, 1000),
    st.integers(-(10**40), 10**40),
    st.floats(allow_nan=False, allow_infinity=False),
)
PATTERNS = ["^a+$", "a", "^[a-z]*$", r"^\S*$", "(x|y)?", r"[^\d]", "^.{0,8}$"]


def _bounds(
    low: str, high: str, values: st.SearchStrategy[Any]
) -> st.SearchStrategy[dict[str, Any]]:
    ordered = st.tuples(values, values).map(sorted)
    return st.one_of(
        st.just({}),
        values.map(lambda value: {low: value}),
        values.map(lambda value: {high: value}),
        ordered.map(lambda pair: {low: pair[0], high: pair[1]}),
    )


def _with_words(schema: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    words = st.fixed_dictionaries({}, optional={"title": TEXT, "description": TEXT})
    return st.builds(lambda one, two: {**one, **two}, schema, words)


def _plain_texts() -> st.SearchStrategy[dict[str, Any]]:
    pattern = st.one_of(st.just({}), st.sampled_from(PATTERNS).map(lambda one: {"pattern": one}))
    lengths = _bounds("minLength", "maxLength", st.integers(0, 12))
    return st.builds(lambda one, two: {"type": "string", **one, **two}, lengths, pattern)


def _formatted() -> st.SearchStrategy[dict[str, Any]]:
    return st.sampled_from(sorted(FORMATS)).map(lambda name: {"type": "string", "format": name})


def _numbers() -> st.SearchStrategy[dict[str, Any]]:
    limits = st.one_of(
        _bounds("minimum", "maximum", st.integers(-50, 50)),
        _bounds("exclusiveMinimum", "exclusiveMaximum", st.integers(-50, 50)),
        _bounds("minimum", "exclusiveMaximum", st.floats(-50, 50)),
    )
    step = st.sampled_from([{}, {}, {"multipleOf": 5}, {"multipleOf": 0.5}])
    kind = st.sampled_from(["number", "integer"])
    return st.builds(lambda one, two, three: {"type": one, **two, **three}, kind, limits, step)


def _titled(values: list[str]) -> list[dict[str, Any]]:
    return [{"const": value, "title": f"the {value}"} for value in values]


def _selects() -> st.SearchStrategy[dict[str, Any]]:
    values = st.lists(TEXT, min_size=1, max_size=5, unique=True)
    counts = _bounds("minItems", "maxItems", st.integers(0, 4))
    unique = st.sampled_from([{}, {"uniqueItems": True}])
    single = st.one_of(
        values.map(lambda one: {"type": "string", "enum": one}),
        values.map(lambda one: {"type": "string", "enum": one, "enumNames": one[::-1]}),
        values.map(lambda one: {"type": "string", "oneOf": _titled(one)}),
        st.just({"type": "integer", "enum": [1, 2, 30]}),
    )
    items = st.one_of(
        values.map(lambda one: {"type": "string", "enum": one}),
        values.map(lambda one: {"anyOf": _titled(one)}),
        values.map(lambda one: {"type": "string", "oneOf": _titled(one)}),
        st.just({"type": "string"}),
    )
    many = st.builds(
        lambda one, two, three: {"type": "array", "items": one, **two, **three},
        items,
        counts,
        unique,
    )
    return st.one_of(single, many)


PROPERTIES = _with_words(
    st.one_of(_plain_texts(), _formatted(), _numbers(), st.just({"type": "boolean"}), _selects())
)


@st.composite
def schemas(draw: st.DrawFn) -> dict[str, Any]:
    """A requestedSchema of the subset; each property has a legal answer or simply none fits."""
    properties = draw(st.dictionaries(NAMES, PROPERTIES, min_size=1, max_size=4))
    required = [name for name in properties if draw(st.booleans())]
    return {"type": "object", "properties": properties, "required": required}


DATE_TIMES = st.datetimes(
    timezones=st.integers(-1439, 1439).map(lambda minutes: timezone(timedelta(minutes=minutes)))
).map(lambda moment: moment.isoformat())
URIS = st.builds(
    "{}://{}/{}".format,
    st.sampled_from(["http", "https", "ftp", "x-app+1"]),
    st.sampled_from(["example.com", "user@host:8080", "[::1]:80", "1.2.3.4", "a%20b"]),
    st.text(string.ascii_letters + "/?&=._~-", max_size=10),
)


FORMATTED = {
    "date": st.dates().map(lambda day: day.isoformat()),
    "date-time": DATE_TIMES,
    "email": st.builds(
        "{}@{}".format,
        st.from_regex(r"\A[a-z0-9!#$%&'*+/=?^_`{|}~-]{1,6}(\.[a-z]{1,3})?\Z"),
        st.sampled_from(["a", "example.com", "x-1.example", "[127.0.0.1]", "[IPv6:::1]"]),
    ),
    "uri": URIS,
}
MATCHING = {
    pattern: st.one_of(st.from_regex(pattern).filter(str.isprintable), st.text("ax1", max_size=9))
    for pattern in PATTERNS
}
FREE = st.one_of(TEXT, st.text("axyz", max_size=12))
NEAR = st.integers(-52, 52)
INTEGERS = st.one_of(NEAR, NEAR.map(float), NUMBERS.filter(lambda one: one == one // 1))
REALS = st.one_of(NEAR, NEAR.map(lambda one: one / 2), NUMBERS)


def answers(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Values that are likely to satisfy one property's schema."""
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if "oneOf" in schema or "anyOf" in schema:
        branches = schema.get("oneOf") or schema["anyOf"]
        return st.sampled_from([branch["const"] for branch in branches])
    if schema.get("type") == "array":
        return st.lists(answers(schema["items"]), max_size=schema.get("maxItems", 4))
    if schema.get("type") == "boolean":
        return st.booleans()
    if schema.get("type") in ("number", "integer"):
        return INTEGERS if schema["type"] == "integer" else REALS
    if "format" in schema:
        return FORMATTED[schema["format"]]
    return MATCHING.get(schema.get("pattern", ""), FREE)


@st.composite
def contents(draw: st.DrawFn, schema: dict[str, Any]) -> dict[str, Any]:
    """Content of declared properties, likely to satisfy the schema."""
    chosen = {}
    for name, part in schema["properties"].items():
        if name in schema["required"] or draw(st.booleans()):
            chosen[name] = draw(answers(part))
    return chosen


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8), NUMBERS),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=6), inner, max_size=4)
    ),
    max_leaves=12,
)

KEYWORDS = [
    "$anchor", "$defs", "$dynamicRef", "$id", "$ref", "$schema", "additionalProperties", "allOf",
    "anyOf", "const", "contains", "default", "dependentRequired", "dependentSchemas",
    "description", "else", "enum", "enumNames", "exclusiveMaximum", "exclusiveMinimum", "format",
    "if", "items", "maxItems", "maxLength", "maxProperties", "maximum", "minItems", "minLength",
    "minProperties", "minimum", "multipleOf", "not", "oneOf", "pattern", "patternProperties",
    "prefixItems", "properties", "propertyNames", "required", "then", "title", "type",
    "unevaluatedItems", "unevaluatedProperties", "uniqueItems", "x-other",
]  # fmt: skip
WORDS = st.sampled_from(
    ["string", "number", "integer", "boolean", "array", "object", "null", "#", "#/$defs/a", "a",
     "#/properties/a", "email", "uri", "date", "date-time", "^(a+)+$", "(", "http://x.example/s",
     "https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft-04/schema#"]
)  # fmt: skip


def schema_like() -> st.SearchStrategy[Any]:
    """JSON that looks like a schema but need not be one: hostile, broken, recursive."""
    leaves = st.one_of(WORDS, st.booleans(), st.integers(-3, 30), st.none(), st.floats())
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.lists(inner, max_size=3),
            st.dictionaries(st.sampled_from([*KEYWORDS, "a", "b"]), inner, max_size=5),
        ),
        max_leaves=20,
    )
