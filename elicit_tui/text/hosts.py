"""A host as a person can judge it: in letters and in ASCII, and the part that somebody registered.

Nothing is ever fetched: the public suffix list is the one that ships with its library.
"""

from __future__ import annotations

import ipaddress
import re
from contextlib import suppress
from functools import lru_cache
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from elicit_tui.text.neutral import neutral_line

LONGEST_HOST: Final = 253
LONGEST_LABEL: Final = 63
"""Characters (RFC 1035); decoding takes time that grows with the square of a label's."""
_MISREAD: Final = re.compile(r"[\\\x00-\x20\x7f]")


@lru_cache(maxsize=1)
def _extract() -> Any:
    import tldextract

    return tldextract.TLDExtract(
        suffix_list_urls=(), cache_dir=None, include_psl_private_domains=False
    )


def is_web_address(url: str) -> bool:
    """Whether a text is an absolute http or https address with a host, and a port that can be."""
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def host_of(url: str) -> str:
    """The host that a browser goes to; empty where it may read the URL as another one.

    A browser reads `\\` as `/`, and drops what is invisible, so that another host comes first.
    """
    if _MISREAD.search(url):
        return ""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def registrable_domain(host: str) -> str:
    """The part of a host that somebody registered, `example.co.uk` of `a.b.example.co.uk`.

    The whole host where there is no such part: an address, a name without dots. The first call
    loads the public suffix list, which takes a tenth of a second.
    """
    found = _extract()(host)
    domain = f"{found.domain}.{found.suffix}" if found.domain and found.suffix else host
    # What the library makes of an odd host may not stand at its end.
    return domain if host.endswith(domain) else host


def without_percents(host: str) -> str:
    """The host as a browser reads it: percent-encoding undone, each kind of full stop a dot.

    Hostile text, and no host name at all where what comes out could not be one.
    """
    if "%" not in host:
        return host
    # Full stops of East Asian writing, which browsers read as dots.
    return re.sub("[\u3002\uff0e\uff61]", ".", unquote(host)).lower()


def unicode_host(host: str) -> str:
    """The host with its punycode labels decoded, legal names or not: hostile text."""
    return ".".join(_decoded(label) for label in host.split("."))


def _decoded(label: str) -> str:
    if not label.startswith("xn--") or len(label) > LONGEST_LABEL:
        return label
    try:
        return label[4:].encode("ascii").decode("punycode")
    except ValueError:
        return label


def spellings(host: str) -> tuple[str, ...]:
    """The host in letters and in ASCII where it is not plainly both, as neutral text.

    A percent-encoded host is shown as what a browser makes of it.
    """
    if host.isascii() and "xn--" not in host and "%" not in host:
        return ()
    host = without_percents(host)
    in_letters, in_ascii = unicode_host(host), "not a legal host name"
    if len(host) <= LONGEST_HOST:
        import idna

        # Where idna finds no legal name (its error is a UnicodeError), what stands there stays.
        with suppress(UnicodeError):
            in_letters = idna.decode(host) if host.isascii() else host
        with suppress(UnicodeError):
            in_ascii = host if host.isascii() else idna.encode(host, uts46=True).decode("ascii")
    shown = (neutral_line(in_letters, None), neutral_line(in_ascii, None))
    return tuple(dict.fromkeys(shown))


def ip_address_of(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """The IP address that a host is, if it is one."""
    try:
        # Without the zone of an IPv6 address.
        return ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return None


def is_loopback(host: str) -> bool:
    """Whether a host is this computer itself."""
    address = ip_address_of(host)
    if address is not None:
        # An IPv4 address in the spelling of IPv6 is the same machine.
        mapped = getattr(address, "ipv4_mapped", None)
        return bool((mapped or address).is_loopback or address.is_unspecified)
    return host == "localhost" or host.endswith(".localhost")
