"""Handing a URL to the system's browser: http and https only, never a browser in this terminal."""

from __future__ import annotations

import subprocess
import sys
from typing import Final
from urllib.parse import urlsplit

_STARTED_AFTER_SECONDS: Final = 5.0

_CHILD: Final = """
import sys, webbrowser
text = {"www-browser", "links", "elinks", "lynx", "w3m", "browsh", "carbonyl"}
try:
    browser = webbrowser.get()
except webbrowser.Error:
    sys.exit(1)
if getattr(browser, "basename", "") in text:
    sys.exit(1)
sys.exit(not browser.open(sys.argv[1]))
"""
"""Run apart and without this terminal: nothing a browser prints can reach it."""


def may_open(url: str) -> bool:
    """Whether this is a plain http or https URL with a host, and nothing a shell could misread."""
    if not url.isascii() or any(
        character <= " " or character in '"<>\\^`{|}\x7f' for character in url
    ):
        return False
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        return False


def open_in_browser(url: str) -> bool:
    """Open the URL in the system's browser; False when none could be started. May take seconds."""
    if not may_open(url):
        return False
    try:
        process = subprocess.Popen(
            [sys.executable, "-I", "-c", _CHILD, url],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError:
        return False
    try:
        return process.wait(timeout=_STARTED_AFTER_SECONDS) == 0
    except subprocess.TimeoutExpired:
        return True
