"""A URL cut at its delimiters as it was written: a lenient parser forgives what deceives."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import unquote_plus


class Url(NamedTuple):
    """A URL cut at its delimiters, nothing decoded; each part is empty where there is none."""

    raw: str
    scheme: str
    """In lower case, blanks left out as a browser does."""
    authority: str
    host: str
    """In lower case, read as plainly as possible."""
    rest: str
    """Path, query and fragment."""

    @property
    def is_page(self) -> bool:
        """Whether it leads to a page of the web."""
        return self.scheme in ("http", "https") and self.host != ""

    @property
    def path(self) -> str:
        """What stands before query and fragment."""
        return re.split(r"[?#]", self.rest)[0]

    @property
    def parameters(self) -> Iterator[tuple[str, str]]:
        """Names in lower case and decoded values, of path, query and fragment."""
        for pair in re.split(r"[&;?#]", self.rest)[1:400]:
            name, equals, value = pair.lstrip("/").partition("=")
            if equals:
                yield unquote_plus(name).strip().lower(), unquote_plus(value)


@lru_cache(maxsize=8)
def cut(url: str) -> Url:
    """The URL cut at its delimiters; without authority where none follows a scheme."""
    scheme = re.match(r"([a-zA-Z][a-zA-Z0-9+.-]*):", re.sub(r"[\s\x00-\x20]+", "", url))
    match = re.match(r"[a-zA-Z][a-zA-Z0-9+.-]*://([^/?#\\]*)(.*)", url, re.DOTALL)
    authority, rest = match.groups() if match is not None else ("", "")
    host = authority.rpartition("@")[2].lower()
    host = host[1:].partition("]")[0] if host[:1] == "[" else host.partition(":")[0].rstrip(".")
    return Url(url, scheme[1].lower() if scheme is not None else "", authority, host, rest)
