"""A URL as a person can judge it: whole, its registrable domain set off, both spellings."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from textual.content import Content

from elicit_tui.text import neutral
from elicit_tui.text.hosts import registrable_domain, spellings


@dataclass(frozen=True)
class Address:
    """A URL taken apart for showing; every text is safe to draw."""

    shown: str
    """The whole URL, invisible characters made visible."""
    before: str
    domain: str
    """The registrable domain (or the whole host where there is none), as it stands in `shown`."""
    after: str
    spellings: tuple[str, ...]
    """The host in Unicode and in ASCII, where they differ."""

    def content(self) -> Content:
        """The URL; underlined and strong, so that no colour is needed: the registrable domain."""
        if not self.domain:
            return Content(self.shown)
        return Content.assemble(
            (self.before, "$faint"),
            (self.domain, "bold $accent underline"),
            (self.after, "$faint"),
        )


def address_of(url: str) -> Address:
    """Take a URL apart; one that cannot be is shown whole with nothing set off."""
    shown = neutral(url).replace("\n", "⏎").replace("\t", "⇥")
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        host = ""
    if not host:
        return Address(shown, shown, "", "", ())
    if "%" in host:
        # What somebody registered does not stand there: only the spellings say where it leads.
        return Address(shown, shown, "", "", spellings(host))
    domain = registrable_domain(host)
    start = shown.lower().find(host, shown.find("//") + 2)
    userinfo_end = shown.rfind("@", 0, _authority_end(shown))
    if userinfo_end >= 0:
        start = shown.lower().find(host, userinfo_end)
    at = start + len(host) - len(domain) if start >= 0 else -1
    if at < 0 or shown[at : at + len(domain)].lower() != domain:
        return Address(shown, shown, "", "", spellings(host))
    return Address(
        shown,
        shown[:at],
        shown[at : at + len(domain)],
        shown[at + len(domain) :],
        spellings(host),
    )


def _authority_end(url: str) -> int:
    start = url.find("//") + 2
    ends = [place for sign in "/?#" if (place := url.find(sign, start)) >= 0]
    return min(ends, default=len(url))
