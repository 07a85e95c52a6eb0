"""Questions whose forms attack whoever reads, checks or draws them."""

from __future__ import annotations

from collections.abc import Callable

from .wire import ESC, Call, answer_to, ask, asks, deep, done, fails, form, raw

PATTERN = "^(([a-z])+.)+[A-Z]([a-z])+$"


def odd_meta(call: Call) -> None:
    for n, meta in enumerate((1, [], ESC, {ESC: ESC}, {"progressToken": ESC}, None)):
        ask({**form("Which?"), "_meta": meta}, f"q{n}")
    done(call, _meta={ESC: ESC, "elicit-tui": True})


ATTACKS: dict[str, Callable[[Call], None]] = {
    "question_with_huge_integer": lambda call: (
        raw(
            b'{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"mode":"form",'
            b'"message":"How many?","requestedSchema":{"type":"object","properties":{"n":'
            b'{"type":"integer","maximum":1' + b"0" * 100_000 + b"}}}}}"
        ),
        raw(
            b'{"jsonrpc":"2.0","id":"r","method":"elicitation/create","params":{"mode":"form",'
            b'"message":"How many?","requestedSchema":{"type":"object","properties":{"n":'
            b'{"type":"integer","default":1' + b"0" * 4000 + b',"maximum":1e400}}}}}'
        ),
        answer_to("r"),
        done(call),
    ),
    "question_nested_deep": lambda call: (
        raw(
            b'{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"mode":"form",'
            b'"message":"Deep?","requestedSchema":' + deep(100_000) + b"}}"
        ),
        done(call),
    ),
    "question_of_10_megabytes": asks(form("word " * 2_000_000), form("\u202e\x1b[2J" * 2_000_000)),
    "lone_surrogates": lambda call: (
        ask(form("\ud800" * 5, {"\ud800": {"type": "string", "default": "\udfff"}})),
        fails(-32000, "\ud800\udc00\udfff")(call),
    ),
    "enum_of_10000": asks(
        form("Which?", {"one": {"type": "string", "enum": [f"{n}{ESC}" for n in range(10_000)]}})
    ),
    "names_hostile": asks(
        form(
            "Names?",
            {
                name: {"type": "string", "title": name}
                for name in ("__class__", "", "a\nb", ESC, "x" * 100_000, "::error::0wned", " ")
            },
            required=["__class__", "", "a\nb", ESC],
        )
    ),
    "reference_bomb": asks(
        {
            "mode": "form",
            "message": "Refs?",
            "requestedSchema": {
                "type": "object",
                "properties": {"a": {"$ref": "#/$defs/d0"}},
                "$defs": {
                    f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 10} for n in range(30)
                },
            },
        }
    ),
    "pattern_bombs": asks(
        {
            "mode": "form",
            "message": "Patterns?",
            "requestedSchema": {
                "type": "object",
                "properties": {
                    "a": {"type": "string", "pattern": PATTERN, "default": "a" * 5000},
                    "b": {"type": "string", "pattern": "(" * 10_000},
                    "c": {"type": "string", "pattern": "(?:a{1,1000}){1,1000}", "default": "a"},
                    "d": {"type": "string", "pattern": "a" * 1_000_000},
                },
                "patternProperties": {"^(a+)+$": {"type": "string"}, "(": {}},
                "propertyNames": {"pattern": "^(a+)+$"},
                "additionalProperties": {"not": {}},
            },
        }
    ),
    "defaults_odd": asks(
        form(
            "Defaults?",
            {
                "a": {"type": "string", "default": {"a": ["x" * 100_000] * 20}},
                "b": {"type": "integer", "default": "x" * 1_000_000},
                "c": {"type": "boolean", "default": [True] * 10_000},
                "d": {"type": "array", "items": {"enum": ["a"]}, "default": ["b"] * 100_000},
                "e": {"type": "string", "format": "date", "default": ESC},
                "f": {"type": "string", "enum": ["a"], "default": ESC},
                "g": {"type": "number", "minimum": "x", "maximum": [], "default": 1e308},
                "h": {"type": ["string", ESC], "title": 5, "description": [], "minLength": -1},
                "i": {"type": "string", "minLength": 1e300, "maxLength": 10**30},
                "j": {"type": "string", "enum": [1, None, [], {}, True], "enumNames": [1]},
                "k": {"type": "array", "items": {"anyOf": [1, None]}, "minItems": "a"},
                "l": {"type": "string", "oneOf": {"a": 1}},
            },
            required="everything",
            title=[ESC],
        )
    ),
    "messages_odd": asks(
        form(None),
        form(1),
        form([ESC]),
        form(""),
        {},
        None,
        [],
        ESC,
        form("x", []),
        form("x", {"a": 1}),
        {"mode": ESC, "message": ESC},
        {**form("x"), "mode": [1]},
        {**form("x"), "requestedSchema": 1},
    ),
    "odd_meta": odd_meta,
}
