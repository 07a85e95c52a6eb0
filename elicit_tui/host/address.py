"""A remote server's address as it may be shown and recorded."""

from __future__ import annotations

from urllib.parse import urlsplit, urlunsplit


def shown_address(url: str) -> str:
    """The URL without what may be secret in it: user information and the query."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "?"
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path, "…" if parts.query else "", ""))
