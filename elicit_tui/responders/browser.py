"""Handing a URL to the system's browser: http and https only, never a browser in this terminal."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from elicit_tui.text.hosts import is_web_address

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
    """Whether this is a page whose URL holds nothing that a shell or a browser could misread.

    A percent-encoded host is one that the person reads differently than the browser.
    """
    plain = url.isascii() and not any(
        character <= " " or character in '"<>\\^`{|}\x7f' for character in url
    )
    return plain and is_web_address(url) and "%" not in urlsplit(url).netloc


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
            # Browsers are looked up by name, in some systems in the current directory first.
            cwd=Path(sys.executable).anchor or None,
        )
    except OSError:
        return False
    try:
        return process.wait(timeout=_STARTED_AFTER_SECONDS) == 0
    except subprocess.TimeoutExpired:
        return True
