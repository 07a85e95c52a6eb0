"""Every kind of field in every spelling: the keys of a person, and what the server must receive."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final


@dataclass(frozen=True)
class Spelling:
    """One property, asked for as `v`; `content` is None when Send must not let it through."""

    words: str
    property: dict[str, Any]
    keys: tuple[str, ...]
    content: dict[str, Any] | None
    required: bool = False

    @property
    def schema(self) -> dict[str, Any]:
        """The requestedSchema that asks for it."""
        required = {"required": ["v"]} if self.required else {}
        return {"type": "object", "properties": {"v": self.property}, **required}


def typed(text: str) -> tuple[str, ...]:
    """The keys for a text."""
    return tuple("space" if character == " " else character for character in text)


TEXT: Final = {"type": "string", "title": "Name"}
INTEGER: Final = {"type": "integer"}
NUMBER: Final = {"type": "number"}
BOOLEAN: Final = {"type": "boolean", "title": "Sure"}
ENUM: Final = {"type": "string", "enum": ["a", "b", "c"]}
NAMED: Final = {**ENUM, "enumNames": ["Alpha", "Beta", "Gamma"]}
TITLED: Final = {
    "type": "string",
    "oneOf": [{"const": "s", "title": "Small"}, {"const": "l", "title": "Large"}],
}
MANY: Final = {
    "type": "array",
    "items": {"type": "string", "enum": ["x", "y", "z"]},
    "minItems": 1,
    "maxItems": 2,
}
MANY_TITLED: Final = {
    "type": "array",
    "items": {"anyOf": [{"const": "x", "title": "Ex"}, {"const": "y", "title": "Why"}]},
}
MANY_ONE_OF: Final = {
    "type": "array",
    "items": {"oneOf": [{"const": "x", "title": "Ex"}, {"const": "y", "title": "Why"}]},
}
THUMB: Final = "\N{THUMBS UP SIGN}"
FAMILY: Final = "\N{MAN}\N{ZERO WIDTH JOINER}\N{WOMAN}"
BIG: Final = 123456789012345678901234567890

SPELLINGS: Final = (
    # Text
    Spelling("a typed text", TEXT, typed("Ada L."), {"v": "Ada L."}),
    Spelling("an untouched text is left out", TEXT, (), {}),
    Spelling("a blank that is required is not sent", TEXT, (), None, required=True),
    Spelling("empty on purpose", TEXT, ("ctrl+e",), {"v": ""}),
    Spelling("empty on purpose where required", TEXT, ("ctrl+e",), {"v": ""}, required=True),
    Spelling("empty on purpose, then cleared", TEXT, ("ctrl+e", "ctrl+u"), {}),
    Spelling("typed and erased", TEXT, ("a", "backspace"), {}),
    Spelling("only blanks", TEXT, ("space", "space"), {"v": "  "}),
    Spelling("a text's default kept", {**TEXT, "default": "x"}, (), {"v": "x"}),
    Spelling("a text's default cleared", {**TEXT, "default": "x"}, ("ctrl+u",), {}),
    Spelling(
        "a required default cleared",
        {**TEXT, "default": "x"},
        ("ctrl+u",),
        None,
        required=True,
    ),
    Spelling(
        "a text's default brought back",
        {**TEXT, "default": "x"},
        ("ctrl+u", "y", "ctrl+d"),
        {"v": "x"},
    ),
    Spelling(
        "a text's default cleared and undone",
        {**TEXT, "default": "x"},
        ("ctrl+u", "ctrl+z"),
        {"v": "x"},
    ),
    Spelling("a default of an empty text", {**TEXT, "default": ""}, (), {"v": ""}),
    Spelling("a default of an empty text cleared", {**TEXT, "default": ""}, ("ctrl+u",), {}),
    Spelling("typed over a default", {**TEXT, "default": "x"}, ("y",), {"v": "y"}),
    Spelling("typed behind a default", {**TEXT, "default": "x"}, ("end", "y"), {"v": "xy"}),
    Spelling("several lines", {**TEXT, "maxLength": 4000}, ("a", "enter", "b"), {"v": "a\nb"}),
    # Lengths count code points
    Spelling(
        "as many code points as may be", {**TEXT, "maxLength": 3}, (THUMB,) * 3, {"v": THUMB * 3}
    ),
    Spelling("one code point too many", {**TEXT, "maxLength": 3}, (THUMB,) * 4, None),
    Spelling(
        "as few code points as may be", {**TEXT, "minLength": 3}, tuple(FAMILY), {"v": FAMILY}
    ),
    Spelling("one code point too few", {**TEXT, "minLength": 3}, (THUMB, THUMB), None),
    # Patterns are not anchored
    Spelling(
        "a pattern inside the text", {**TEXT, "pattern": "[0-9]{2}"}, typed("ab12c"), {"v": "ab12c"}
    ),
    Spelling("a pattern found nowhere", {**TEXT, "pattern": "[0-9]{2}"}, typed("ab1c"), None),
    Spelling("an anchored pattern", {**TEXT, "pattern": "^[a-z]+$"}, typed("abc"), {"v": "abc"}),
    # Letters that cannot be seen are letters
    Spelling("a wide space", TEXT, tuple("a\u3000b"), {"v": "a\u3000b"}),
    Spelling("joined in a block", {**TEXT, "maxLength": 999}, tuple(FAMILY), {"v": FAMILY}),
    # Formats
    Spelling("an email", {**TEXT, "format": "email"}, typed("a@b.co"), {"v": "a@b.co"}),
    Spelling("no email", {**TEXT, "format": "email"}, typed("a.b.co"), None),
    Spelling(
        "a uri", {**TEXT, "format": "uri"}, typed("https://a.b/c?d"), {"v": "https://a.b/c?d"}
    ),
    Spelling("no uri", {**TEXT, "format": "uri"}, typed("a.b"), None),
    Spelling("a date", {**TEXT, "format": "date"}, typed("2028-02-29"), {"v": "2028-02-29"}),
    Spelling("no date", {**TEXT, "format": "date"}, typed("2026-02-29"), None),
    Spelling(
        "a date stepped",
        {**TEXT, "format": "date", "default": "2026-12-31"},
        ("up",),
        {"v": "2027-01-01"},
    ),
    Spelling(
        "a moment",
        {**TEXT, "format": "date-time"},
        typed("2026-01-02T03:04:05.6Z"),
        {"v": "2026-01-02T03:04:05.6Z"},
    ),
    Spelling("no moment", {**TEXT, "format": "date-time"}, typed("2026-01-02T03:04:05"), None),
    # Integers
    Spelling("an integer", INTEGER, typed("-42"), {"v": -42}),
    Spelling("0", INTEGER, ("0",), {"v": 0}),
    Spelling("5.0 for an integer", INTEGER, typed("5.0"), {"v": 5}),
    Spelling("5.5 for an integer", INTEGER, typed("5.5"), None),
    Spelling("a big integer", INTEGER, typed(str(BIG)), {"v": BIG}),
    Spelling("digits apart", INTEGER, typed("1_000"), None),
    Spelling("digits of another script", INTEGER, typed("\u0663"), None),
    Spelling("a default of 0", {**INTEGER, "default": 0}, (), {"v": 0}),
    Spelling("a default of 0 cleared", {**INTEGER, "default": 0}, ("ctrl+u",), {}),
    Spelling("a big default", {**INTEGER, "default": BIG}, (), {"v": BIG}),
    Spelling("out of range", {**INTEGER, "maximum": 9}, typed("10"), None),
    Spelling("stepped up", {**INTEGER, "minimum": 3}, ("up", "up"), {"v": 4}),
    Spelling("no step too far", {**INTEGER, "maximum": 3, "default": 3}, ("up",), {"v": 3}),
    Spelling("by steps", {**INTEGER, "multipleOf": 5, "default": 10}, ("down",), {"v": 5}),
    Spelling("an untouched integer", INTEGER, (), {}),
    # Numbers
    Spelling("a number", NUMBER, typed("-0.5"), {"v": -0.5}),
    Spelling("a number with an exponent", NUMBER, typed("1e3"), {"v": 1000.0}),
    Spelling("a number that is none", NUMBER, typed("NaN"), None),
    Spelling("a number's default of 0", {**NUMBER, "default": 0}, (), {"v": 0}),
    Spelling("a number not touched", NUMBER, (), {}),
    # Booleans
    Spelling("an untouched boolean", BOOLEAN, (), {}),
    Spelling("yes", BOOLEAN, ("right", "space"), {"v": True}),
    Spelling("an explicit no", BOOLEAN, ("n", "space"), {"v": False}),
    Spelling("an explicit no where required", BOOLEAN, ("n", "space"), {"v": False}, required=True),
    Spelling("a required boolean untouched", BOOLEAN, (), None, required=True),
    Spelling("a default of false", {**BOOLEAN, "default": False}, (), {"v": False}),
    Spelling("a yes without its default", {**BOOLEAN, "default": True}, ("ctrl+u",), {}),
    Spelling("back to unset", {**BOOLEAN, "default": True}, ("left", "space"), {}),
    # One of several
    Spelling("nothing is preselected", ENUM, (), {}),
    Spelling("what the arrows lead to", ENUM, ("right", "right"), {"v": "b"}),
    Spelling("a choice", ENUM, ("right", "space"), {"v": "a"}),
    Spelling("a choice by its name", NAMED, ("g", "enter"), {"v": "c"}),
    Spelling("a titled choice", TITLED, ("l", "space"), {"v": "l"}),
    Spelling("a default choice", {**TITLED, "default": "l"}, (), {"v": "l"}),
    Spelling("a default choice cleared", {**NAMED, "default": "c"}, ("ctrl+u",), {}),
    Spelling(
        "one of a long list",
        {"type": "string", "enum": [f"city-{number:03}" for number in range(500)]},
        (*typed("321"), "enter"),
        {"v": "city-321"},
    ),
    Spelling(
        "a choice that is a number",
        {"type": "integer", "enum": [1, 20]},
        ("end", "space"),
        {"v": 20},
    ),
    # Several of several
    Spelling("several chosen", MANY, ("space", "right", "space"), {"v": ["x", "y"]}),
    Spelling("more than may be", MANY, ("space", "right", "space", "right", "space"), None),
    Spelling("chosen and taken out", MANY, ("space", "space"), {}),
    Spelling("several titled", MANY_TITLED, ("w", "e"), {"v": ["x", "y"]}),
    Spelling("several of oneOf", MANY_ONE_OF, ("end", "space"), {"v": ["y"]}),
    Spelling("an untouched list", MANY_TITLED, (), {}),
    Spelling("a list empty on purpose", MANY_TITLED, ("ctrl+e",), {"v": []}),
    Spelling("a default list", {**MANY, "default": ["z"]}, (), {"v": ["z"]}),
    Spelling("a default list cleared", {**MANY, "default": ["z"]}, ("ctrl+u",), {}),
    Spelling(
        "a default list added to", {**MANY, "default": ["z"]}, ("home", "space"), {"v": ["x", "z"]}
    ),
)

EVERYTHING: Final = {
    "type": "object",
    "properties": {
        "text": TEXT,
        "left": TEXT,
        "mail": {"type": "string", "format": "email"},
        "zero": {"type": "integer", "default": 0},
        "big": INTEGER,
        "ratio": NUMBER,
        "sure": BOOLEAN,
        "one": TITLED,
        "many": MANY,
    },
    "required": ["text", "sure"],
}
EVERYTHING_KEYS: Final = (
    *typed("Ada"),
    "tab",
    "tab",
    *typed("a@b.co"),
    "tab",
    "tab",
    *typed(str(BIG)),
    "tab",
    *typed("0.25"),
    "tab",
    "n",
    "space",
    "tab",
    "l",
    "space",
    "tab",
    "space",
)
EVERYTHING_CONTENT: Final = {
    "text": "Ada",
    "mail": "a@b.co",
    "zero": 0,
    "big": BIG,
    "ratio": 0.25,
    "sure": False,
    "one": "l",
    "many": ["x"],
}
