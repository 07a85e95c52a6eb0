"""What a new server is called: after its command or its address, and by no command."""

from __future__ import annotations

import re
import shlex
from collections.abc import Container
from ipaddress import ip_address
from itertools import count
from pathlib import PurePath
from typing import Final
from urllib.parse import urlsplit

from elicit_tui.text import quoted
from elicit_tui.text.hosts import is_web_address

_RUNNERS: Final = frozenset(
    "npx bunx uvx uv node bun deno python python3 pipx docker podman npm pnpm yarn sudo env".split()
)
"""Programs that run what stands behind them, which the server is called after."""
_ORDERS: Final = frozenset("run exec tool dlx x".split())
"""What such a program is told to do."""
_KIND: Final = r"(?:mcp[-_.]?server|server[-_.]?mcp|server|mcp)"
_AROUND: Final = re.compile(rf"^{_KIND}[-_.]+|[-_.]+{_KIND}$")
"""What nearly all of them have in their names."""
_HOST_AROUND: Final = frozenset("www mcp api com org net io dev app".split())
_SAYS_NOTHING: Final = frozenset(
    "index main __main__ cli run start app dist build out src bin lib . .. ~ /".split()
)
"""Files and folders that many packages have: the folder around them is called after the server."""
_NO_NAME: Final = re.compile(r"[\s/\\:]")


def name_for(target: str) -> str:
    """A name for a server that is reached so: short and plain; empty where nothing suggests one."""
    if is_web_address(target):
        host = urlsplit(target).hostname or ""
        try:
            address = ip_address(host)
        except ValueError:
            labels = host.split(".")
        else:
            return "localhost" if address.is_loopback else host * (address.version == 4)
        return _plain(next((label for label in reversed(labels) if label not in _HOST_AROUND), ""))
    try:
        words = shlex.split(target)
    except ValueError:
        return ""
    program = next((word for word in words if "=" not in word), "")
    if PurePath(program).name in _RUNNERS:
        behind = words[words.index(program) + 1 :]
        telling = (word for word in behind if not word.startswith("-") and word not in _ORDERS)
        program = next((word for word in telling if word not in _RUNNERS), "")
    return _plain(_telling_part(PurePath(program)))


def free_name(name: str, taken: Container[str]) -> str:
    """The name, with a number behind it where another one is called so."""
    numbered = (f"{name}-{number}" for number in count(2))
    return next(each for each in numbered if each not in taken) if name in taken else name


def _telling_part(path: PurePath) -> str:
    """Of a file the name that says what it is: its own, else that of the nearest folder."""
    names = (part for part in reversed(path.parts) if _without_ending(part) not in _SAYS_NOTHING)
    return next(names, path.name)


def _without_ending(name: str) -> str:
    return re.sub(r"\.(?:[cm]?[jt]s|py|exe|sh)$", "", name)


def _plain(name: str) -> str:
    name = re.sub(r"(?<=.)[@:].*", "", name)  # The version of a package or an image.
    name = _without_ending(name)
    short = _AROUND.sub("", name) or name
    return short if re.fullmatch(r"[\w.-]+", short) else ""


def looks_like_command(name: str) -> str:
    """That a name is none but a command or an address; empty where it may be one."""
    name = name.strip()
    if not _NO_NAME.search(name):
        return ""
    return (
        f"{quoted(name, 40)} looks like a command: that belongs above. A name has no blank, "
        "“/” or “:”."
    )
