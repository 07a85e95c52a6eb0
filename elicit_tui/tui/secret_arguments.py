"""Which arguments of a call are secrets, and a call's arguments as they may be shown."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from rich.cells import cell_len

from elicit_tui.elicitation.finding import MASK
from elicit_tui.elicitation.shapes import is_secret_name
from elicit_tui.form.field import Field, is_unset
from elicit_tui.form.shape import says_secret

_PAIR: Final = re.compile(
    r'"(?P<name>(?:[^"\\]|\\.)*)"\s*:\s*'
    r'(?:"(?P<text>(?:[^"\\]|\\.)*)|(?P<number>-?[0-9][^,}\s]*))?'
)
"""A name in a line of JSON; its value, if that is a text, ended or not, or a number."""


def is_secret(name: str, marked: Collection[str]) -> bool:
    """Whether an argument is one: by its name, or because its schema says so (`marked`)."""
    return name in marked or is_secret_name(name)


def is_secret_field(field: Field) -> bool:
    """The same of a field of a form, by its schema."""
    return is_secret(field.name, (field.name,) if says_secret(field.schema) else ())


def hides_typing(field: Field) -> bool:
    """Whether what is typed into it is not shown: a secret of which a server suggests nothing."""
    return is_secret_field(field) and is_unset(field.initial)


def is_long_text(field: Field) -> bool:
    """Whether it has a block to type in: text of several lines, but no one line of a secret."""
    return field.each_line or (field.multiline and not hides_typing(field))


def dots(text: str) -> str:
    """A dot for each letter: as long, and as wide."""
    return "".join("＊" if cell_len(letter) > 1 else "•" for letter in text)


def shown_arguments(arguments: Mapping[str, Any], marked: Collection[str]) -> dict[str, Any]:
    """The arguments with a mask for each secret among them, however deep."""
    return {
        name: MASK if value not in ("", None) and is_secret(name, marked) else _shown(value, marked)
        for name, value in arguments.items()
    }


def masked_line(line: str, marked: Collection[str]) -> str:
    """A line of JSON with a dot for each letter of a secret: it stays as long, and as wide."""
    shown = line
    for pair in _secrets(line, marked):
        begin, end = pair.span("text" if pair["text"] is not None else "number")
        shown = shown[:begin] + dots(line[begin:end]) + shown[end:] if begin < end else shown
    return shown


def names_secret(line: str, marked: Collection[str]) -> bool:
    """Whether a line of JSON has the name of a secret, whatever its value."""
    return any(_secrets(line, marked))


def _secrets(line: str, marked: Collection[str]) -> Iterator[re.Match[str]]:
    return (pair for pair in _PAIR.finditer(line) if is_secret(pair["name"], marked))


def _shown(value: Any, marked: Collection[str]) -> Any:
    if isinstance(value, Mapping):
        return shown_arguments(value, marked)
    return [_shown(item, marked) for item in value] if isinstance(value, list) else value
