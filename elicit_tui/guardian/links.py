"""A URL as the rules see it: cut at its delimiters, never tidied, never decoded first."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import unquote_plus

from elicit_tui.elicitation import Severity
from elicit_tui.guardian.reading import Reading
from elicit_tui.guardian.rule import GuardianRule, Sighting, house_rule


class Url(NamedTuple):
    """A URL cut at its delimiters, nothing decoded; each part is empty where there is none."""

    raw: str
    scheme: str
    """In lower case, blanks left out as a browser does."""
    authority: str
    host: str
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


def host_of(url: str) -> str:
    """The host of a URL in lower case, read as plainly as possible; empty when there is none."""
    return cut(url).host


Trouble = Iterator[tuple[Severity, str]]
"""How grave each thing is that is wrong with a URL, and its evidence."""


def url_rule(
    name: str, find: Callable[[Url, Reading], Trouble], *, pages: bool = True, host: bool = False
) -> GuardianRule:
    """A rule of the house about the URL that a request wants opened.

    `pages`: only where that is a page of the web. `host`: a trusted domain quiets it.
    """

    def look(reading: Reading) -> Iterator[Sighting]:
        text = reading.request.url or ""
        url = cut(text if len(text) <= 16_000 else text[:8_000] + text[-8_000:])
        if reading.mode == "url" and (url.is_page or not pages):
            for severity, evidence in find(url, reading):
                yield Sighting(severity, "url", evidence)

    return house_rule(name, look, about_host=host)
