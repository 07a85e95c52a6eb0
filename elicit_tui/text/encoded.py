"""What a text says to whoever decodes it: escapes undone, Base64 read."""

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
