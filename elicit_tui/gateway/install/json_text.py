"""Changes one member of an object in JSON text and leaves every other character as it is.

The text may have comments and trailing commas, as editors write it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, Final

from elicit_tui.config.importing import jsonc
from elicit_tui.dataclass import dataclass

_BLANK: Final = re.compile(r"\s*")
_INDENT: Final = "  "


@dataclass(frozen=True)
class Member:
    """One member of an object: `text[start:end]` is its key and value."""

    key: str
    start: int
    value: int
    end: int


class Twice(ValueError):
    """A key stands twice in one object; which of the two counts depends on the reader."""


def put(text: str, path: Sequence[str], name: str, value: Any) -> str:
    """The text with `value` under `name` in the object at `path`, which is made where needed.

    Raises ValueError for a text that is no such JSON.
    """
    if not text.strip():
        text = text.rstrip("\r\n") + "{}" + newline(text)
    # Comments as blanks: places in it are places in the text.
    plain = jsonc.plain(text)
    at, left = _walk(plain, path)
    if not left:
        for member in _members(plain, at):
            # The value alone is replaced, so that comments around it stay.
            if member.key == name:
                inner = _written(value, text, _indent_of_line(text, member.start))
                return text[: member.value] + inner + text[member.end :]
    # What is missing on the way is made, from the inside out.
    for key in reversed([*left[1:], name] if left else []):
        value = {key: value}
    return _insert(text, plain, at, left[0] if left else name, value)


def put_back(text: str, path: Sequence[str], member: str) -> str:
    """The text with a member as it once stood in the object at `path`. Raises ValueError."""
    if not text.strip():
        text = "{}" + newline(text)
    plain = jsonc.plain(text)
    at, left = _walk(plain, path)
    if left:
        text = _insert(text, plain, at, left[0], _nested(left[1:]))
        return put_back(text, path, member)
    return _insert(text, plain, at, None, member)


def _nested(keys: Sequence[str]) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for key in reversed(keys):
        value = {key: value}
    return value


def taken(text: str, path: Sequence[str], name: str) -> tuple[str, str]:
    """The text without a member, and the member as it stood there. Raises ValueError, KeyError."""
    plain = jsonc.plain(text)
    at, left = _walk(plain, path)
    members = [] if left else _members(plain, at)
    place = next((place for place, entry in enumerate(members) if entry.key == name), None)
    if place is None:
        raise KeyError(name)
    member = members[place]
    close = _end(plain, at) - 1
    # With the blanks before it, so that no empty line is left.
    start = len(text[: member.start].rstrip())
    comma = jsonc.comma_after(text, member.end, close)
    end = member.end if comma is None else comma + 1
    if comma is not None and start == member.start:
        end = _skip(plain, end)
    line_end = text.find("\n", start, member.start)
    # Else what follows would become part of a comment.
    if line_end >= 0 and _would_swallow(text, plain, start, end):
        start = line_end + 1
    shorter = text[:start] + text[end:]
    # The last of several: the comma before it has nothing behind it any more.
    if comma is None and place:
        before = jsonc.comma_after(text, members[place - 1].end, member.start)
        assert before is not None
        shorter = shorter[:before] + shorter[before + 1 :]
    # What is left of an object of one is an empty one, unless a comment stands in it.
    if len(members) == 1:
        after = _end(jsonc.plain(shorter), at)
        if not shorter[at + 1 : after - 1].strip():
            shorter = shorter[:at] + "{}" + shorter[after:]
    return shorter, text[member.start : member.end]


def _would_swallow(text: str, plain: str, start: int, end: int) -> bool:
    """Whether a comment that ends at `start` would go on over what follows `end` in its line."""
    in_comment = start > 0 and plain[start - 1].isspace() and not text[start - 1].isspace()
    return in_comment and text[end:].lstrip(" \t")[:1] not in ("\n", "\r")


def newline(text: str) -> str:
    """How lines end in this text."""
    return "\r\n" if "\r\n" in text else "\n"


def _walk(plain: str, path: Sequence[str]) -> tuple[int, list[str]]:
    """Where the object at `path` begins, or the last one on the way; and the keys not found."""
    at = _skip(plain, 0)
    # Looked at for its faults alone: a key that stands twice is found on the way.
    _members(plain, at)
    for place, key in enumerate(path):
        member = next((entry for entry in _members(plain, at) if entry.key == key), None)
        if member is None:
            return at, list(path[place:])
        at = member.value
    _members(plain, at)
    return at, []


def _members(plain: str, at: int) -> list[Member]:
    """The members of the object that begins here. Raises ValueError, also for what is none."""
    if plain[at : at + 1] != "{":
        raise ValueError("an object was expected")
    decoder = json.JSONDecoder()
    found: list[Member] = []
    at = _skip(plain, at + 1)
    while plain[at : at + 1] != "}":
        key, after = decoder.raw_decode(plain, at)
        colon = _skip(plain, after)
        value = _skip(plain, colon + 1)
        _, end = decoder.raw_decode(plain, value)
        if not isinstance(key, str) or plain[colon : colon + 1] != ":":
            raise ValueError("a key was expected")
        found.append(Member(key, at, value, end))
        at = _skip(plain, end)
        if plain[at : at + 1] == ",":
            at = _skip(plain, at + 1)
        elif plain[at : at + 1] != "}":
            raise ValueError("an object does not end")
    keys = [member.key for member in found]
    if len(set(keys)) < len(keys):
        raise Twice(f"{next(key for key in keys if keys.count(key) > 1)!r} stands in it twice")
    return found


def _end(plain: str, at: int) -> int:
    return json.JSONDecoder().raw_decode(plain, at)[1]


def _skip(plain: str, at: int) -> int:
    match = _BLANK.match(plain, at)
    assert match is not None
    return match.end()


def _insert(text: str, plain: str, at: int, key: str | None, value: Any) -> str:
    """A new last member of the object at `at`; without `key` `value` is the member's text."""
    members = _members(plain, at)
    close = _end(plain, at) - 1
    last = members[-1].end if members else at + 1
    comma = jsonc.comma_after(text, last, close)
    kept = last + len(text[last:close].rstrip())
    outer = _indent_of_line(text, at)
    # As lines where the object has any, or where the whole text is made of them.
    lines = "\n" in text[at:close] or (not members and ("\n" in text[:at] or not text[:at].strip()))
    begin = text[:last] + ("," if members and comma is None else "") + text[last:kept]
    end = "," if comma is not None else ""
    tail = text[kept:close]
    if not lines:
        member = value if key is None else f"{json.dumps(key)}: {json.dumps(value)}"
        return begin + (" " if members else "") + member + end + tail + text[close:]
    own_line = members and "\n" in text[at : members[0].start]
    indent = _indent_of_line(text, members[0].start) if own_line else outer + _unit(text)
    member = value if key is None else f"{json.dumps(key)}: {_written(value, text, indent)}"
    broken = newline(text)
    tail = tail if "\n" in tail else broken + outer
    return f"{begin}{broken}{indent}{member}{end}{tail}{text[close:]}"


def _written(value: Any, text: str, indent: str) -> str:
    """A value in lines of this text's own style, its first one excepted."""
    lines = json.dumps(value, indent=_unit(text)).split("\n")
    return (newline(text) + indent).join(lines)


def _unit(text: str) -> str:
    """One step of indentation, as the first indented line has it."""
    match = re.search(r"\n([ \t]+)\S", text)
    return match.group(1) if match else _INDENT


def _indent_of_line(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]
