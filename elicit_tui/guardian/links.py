"""A URL as the rules see it: cut at its delimiters, never tidied, never decoded first."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final
from urllib.parse import unquote_plus

from elicit_tui.elicitation import Severity
from elicit_tui.guardian.reading import Reading
from elicit_tui.guardian.rule import Sighting
from elicit_tui.text.hosts import ip_address_of

SCHEME: Final = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]*):")
"""The scheme of a URL, at its beginning."""


@dataclass(frozen=True)
class UrlParts:
    """A URL cut at its delimiters, nothing decoded."""

    raw: str
    scheme: str
    authority: str
    host: str
    rest: str
    query: str
    fragment: str

    @property
    def parameters(self) -> Iterator[tuple[str, str]]:
        """Names in lower case and decoded values, of query and fragment."""
        for part in (self.query, self.fragment.lstrip("/").lstrip("?")):
            for pair in re.split(r"[&;?]", part)[:200]:
                name, equals, value = pair.partition("=")
                if equals:
                    yield unquote_plus(name).strip().lower(), unquote_plus(value)


@lru_cache(maxsize=8)
def cut(url: str) -> UrlParts | None:
    """The URL cut at its delimiters; None where no authority follows a scheme."""
    match = re.match(r"([a-zA-Z][a-zA-Z0-9+.-]*)://([^/?#\\]*)(.*)\Z", url, re.DOTALL)
    if match is None:
        return None
    scheme, authority, rest = match[1].lower(), match[2], match[3]
    before_fragment, _, fragment = rest.partition("#")
    host = authority.rpartition("@")[2].lower()
    host = host[1:].partition("]")[0] if host[:1] == "[" else host.partition(":")[0].rstrip(".")
    return UrlParts(url, scheme, authority, host, rest, before_fragment.partition("?")[2], fragment)


def host_of(url: str) -> str:
    """The host of a URL in lower case, read as plainly as possible; empty when there is none."""
    parts = cut(url)
    return parts.host if parts is not None else ""


def urls_of(reading: Reading) -> Iterator[str]:
    """The URL that a request wants opened, shortened in the middle; empty where it names none."""
    if reading.mode == "url":
        url = reading.request.url
        if url is None:
            yield ""
        else:
            yield url if len(url) <= 16_000 else url[:8_000] + url[-8_000:]


def pages_of(reading: Reading) -> Iterator[UrlParts]:
    """The same, where it leads to a page of the web."""
    for url in urls_of(reading):
        parts = cut(url)
        if parts is not None and parts.scheme in ("http", "https"):
            yield parts


def at_url(severity: Severity, evidence: str) -> Sighting:
    """A sighting in the URL."""
    return Sighting(severity, "url", evidence)


def is_obfuscated_address(host: str) -> bool:
    """Whether a host is an IP address in a spelling that hides it."""
    labels = host.split(".")
    number = r"(?:0x[0-9a-f]*|\d+)"
    return (
        ip_address_of(host) is None
        and len(labels) <= 4
        and all(re.fullmatch(number, label) for label in labels)
    )
