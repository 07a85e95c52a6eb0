"""The address of a page: drawn whole, on the clipboard, as a QR code."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import lru_cache
from threading import Thread
from typing import Any

from textual.app import App
from textual.content import Content
from textual.geometry import Size

from elicit_tui.dataclass import dataclass
from elicit_tui.paths import program
from elicit_tui.text import neutral
from elicit_tui.text.hosts import host_of, registrable_domain, spellings

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

    def unbroken(self, width: int) -> Content:
        """The URL, on a new line from its registrable domain on where that would be broken."""
        before, domain = (Content(text).cell_length for text in (self.before, self.domain))
        if not 0 < domain <= width or before % width + domain <= width:
            return self.content()
        rest = Content.assemble((self.domain, "bold $accent underline"), (self.after, "$faint"))
        return Content.assemble((self.before, "$faint"), "\n", rest)

    def lines(self, width: int = 0) -> Content:
        """The URL, and below it where it leads and both spellings of its host."""
        lines = [self.unbroken(width)]
        if self.domain:
            label = "belongs to".ljust(15 if self.spellings else 10)
            leads = ((f"{label}  ", "$faint"), (self.domain.lower(), "bold $accent"))
            lines.append(Content.assemble(*leads))
        for spelt_in, spelling in zip(("in letters", "in ASCII  "), self.spellings, strict=False):
            lines.append(Content.assemble((f"host {spelt_in}  ", "$faint"), (spelling, "bold")))
        return Content("\n").join(lines)


def address_of(url: str) -> Address:
    """Take a URL apart; one that cannot be is shown whole with nothing set off."""
    shown = neutral(url).replace("\n", "⏎").replace("\t", "⇥")
    if not (host := host_of(url)):
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


# Copying text: by the terminal itself (OSC 52, works over SSH), by tmux, by the desktop's own tool.

_TIMEOUT_SECONDS = 2.0


def handed_over() -> str:
    """Whom a copy was handed to; nobody says whether they took it."""
    if os.environ.get("TMUX"):
        return "Handed to tmux, for its buffer and your terminal's clipboard."
    if os.environ.get("STY"):
        return "Handed to screen, which keeps it: select it with the mouse."
    return "Handed to the clipboard of your terminal."


def copy(app: App[Any], text: str) -> None:
    """Put `text` on the clipboard in every way there is; none of them can fail loudly."""
    app.copy_to_clipboard(text)
    for command in filter(None, (_tmux_command(), _desktop_command())):
        Thread(target=_hand_over, args=(command, text), daemon=True).start()


def _tmux_command() -> list[str] | None:
    """What tmux takes and passes on; from the programs in it, it takes nothing as shipped."""
    return _found("tmux", "load-buffer", "-w", "-") if os.environ.get("TMUX") else None


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
_QUIET_ZONES = (2, 1)
"""Modules of white around a code; the first for which there is room."""


@lru_cache(maxsize=4)
def _encoded(url: str) -> Any:
    """The code with the least correction, which is the smallest; None: it is too long for any."""
    import segno
    from segno.encoder import DataOverflowError

    try:
        return segno.make(url, error="l", micro=False)
    except (DataOverflowError, ValueError):
        return None


def code_size(url: str) -> Size | None:
    """The fewest cells that the code takes; None: the URL is too long for any."""
    code = _encoded(url)
    return None if code is None else _cells(code, _QUIET_ZONES[-1])


def _cells(code: Any, quiet: int) -> Size:
    modules = code.symbol_size(border=quiet)[0]
    return Size(modules, (modules + 1) // 2)


def qr_code(url: str, width: int, height: int) -> Content | None:
    """The code, dark on light whatever the theme; None when it does not fit into these cells."""
    code = _encoded(url)
    for quiet in _QUIET_ZONES if code is not None else ():
        cells = _cells(code, quiet)
        if cells.width <= width and cells.height <= height:
            rows = code.matrix_iter(border=quiet)
            return _half_blocks([[bool(module) for module in row] for row in rows])
    return None


def _half_blocks(rows: list[list[bool]]) -> Content:
    """Two rows of modules in each line of text."""
    if len(rows) % 2:
        rows.append([False] * len(rows[0]))
    signs = {(False, False): " ", (True, False): "▀", (False, True): "▄", (True, True): "█"}
    lines = [
        "".join(signs[upper, lower] for upper, lower in zip(rows[row], rows[row + 1], strict=True))
        for row in range(0, len(rows), 2)
    ]
    return Content("\n").join(Content.styled(line, _STYLE) for line in lines)
