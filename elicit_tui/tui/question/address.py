"""The address of a page: drawn whole, on the clipboard, as a QR code."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from threading import Thread
from typing import Any, Final
from urllib.parse import urlsplit

from textual.app import App
from textual.content import Content

from elicit_tui.paths import program
from elicit_tui.text import neutral
from elicit_tui.text.hosts import registrable_domain, spellings

# A URL as a person can judge it: whole, its registrable domain set off, both spellings.


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


# Copying text: by the terminal itself (OSC 52, works over SSH) and by the desktop's own tool.

_TIMEOUT_SECONDS = 2.0
HANDED_OVER: Final = "Handed to the clipboard of your terminal."
"""No terminal says whether it took it."""


def copy(app: App[Any], text: str) -> None:
    """Put `text` on the clipboard in every way there is; none of them can fail loudly."""
    app.copy_to_clipboard(text)
    command = _desktop_command()
    if command is not None:
        Thread(target=_hand_over, args=(command, text), daemon=True).start()


def _desktop_command() -> list[str] | None:
    if sys.platform == "darwin":
        return ["/usr/bin/pbcopy"]
    if sys.platform == "win32":
        return _found("clip")
    if os.environ.get("WAYLAND_DISPLAY") and (found := _found("wl-copy")):
        return found
    if os.environ.get("DISPLAY"):
        return _found("xclip", "-selection", "clipboard")
    return None


def _found(name: str, *arguments: str) -> list[str] | None:
    path = program(name)
    return None if path is None else [path, *arguments]


def _hand_over(command: list[str], text: str) -> None:
    try:
        subprocess.run(
            command,
            input=text.encode("utf-8"),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_TIMEOUT_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return


# A URL as a QR code of text blocks, for a phone's camera.

_STYLE = "black on white"


def qr_code(url: str, width: int, height: int) -> Content | None:
    """The code, dark on light whatever the theme; None when it does not fit into these cells."""
    import segno
    from segno.encoder import DataOverflowError

    try:
        code = segno.make(url, error="l", micro=False)
    except (DataOverflowError, ValueError):
        return None
    rows = [[bool(module) for module in row] for row in code.matrix_iter(border=2)]
    if len(rows[0]) > width or (len(rows) + 1) // 2 > height:
        return None
    if len(rows) % 2:
        rows.append([False] * len(rows[0]))
    signs = {(False, False): " ", (True, False): "▀", (False, True): "▄", (True, True): "█"}
    lines = [
        "".join(signs[upper, lower] for upper, lower in zip(rows[row], rows[row + 1], strict=True))
        for row in range(0, len(rows), 2)
    ]
    return Content("\n").join(Content.styled(line, _STYLE) for line in lines)
