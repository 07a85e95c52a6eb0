"""What a text says to whoever decodes it: escapes undone, Base64 and leetspeak read."""

from __future__ import annotations

import base64
import binascii
import html
import re
from collections.abc import Iterator
from typing import Final
from urllib.parse import unquote

_ESCAPED: Final = re.compile(r"&#|%[0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}")
_CODE: Final = re.compile(r"\\[ux]([0-9a-fA-F]{4}|[0-9a-fA-F]{2})")
_BASE64: Final = re.compile(r"(?<![A-Za-z0-9+/=])[A-Za-z0-9+/]{8,400}={0,2}(?![A-Za-z0-9+/=])")
_LEET: Final = str.maketrans("013456789@$€|!+£¢l", "oieasgtbgasciitici")
_WITH_LEET: Final = re.compile(r"(?<!\S)\S*[013456789@$€|!+£¢]\S*")


def unescaped(text: str) -> str | None:
    """The text with every escape undone; None where there is none."""
    if not _ESCAPED.search(text):
        return None
    return _CODE.sub(lambda match: chr(int(match[1], 16)), unquote(html.unescape(text)))


def from_base64(text: str) -> Iterator[str]:
    """Each part of a text that is plain text in Base64."""
    for match in _BASE64.finditer(text):
        try:
            decoded = base64.b64decode(match[0] + "=" * (-len(match[0]) % 4), validate=True)
            words = decoded.decode("ascii")
        except (binascii.Error, ValueError):
            continue
        yield words


def plain_letters(text: str) -> str:
    """Letters as leetspeak writes them, l and i as one."""
    return text.translate(_LEET)


def without_leet(text: str) -> str:
    """The text with plain letters for leetspeak, but in numbers and in the marks behind a word."""

    def letters(match: re.Match[str]) -> str:
        word = match[0]
        core = word.rstrip("!?.,;:)\"'")
        if len(core) == 1 or any(character.isalpha() for character in core):
            core = plain_letters(core)
        return core + word[len(core) :]

    return _WITH_LEET.sub(letters, text).replace("l", plain_letters("l"))
