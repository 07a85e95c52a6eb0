"""Hands a page to the system's browser; called after consent only."""

from __future__ import annotations

import os
import sys
from urllib.parse import urlsplit

PAGE_SCHEMES = frozenset({"http", "https"})


def may_open(url: str) -> bool:
    """Whether a URL is a page at all: http or https with a host, whatever else is configured."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in PAGE_SCHEMES and bool(parts.hostname)


def open_page(url: str) -> bool:
    """Start the system's browser on a page; False when there is none to start.

    Never a text browser: it would draw into this terminal and take its keys.
    """
    if not may_open(url) or not _has_desktop():
        return False
    import webbrowser

    try:
        browser = webbrowser.get()
    except webbrowser.Error:
        return False
    if type(browser) is webbrowser.GenericBrowser:
        return False  # A foreground program such as lynx or w3m.
    return browser.open(url)


def _has_desktop() -> bool:
    """Whether a window could appear at all."""
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
