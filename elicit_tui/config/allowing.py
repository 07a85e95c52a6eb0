"""Which servers managed configuration lets run, and as what."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final
from urllib.parse import SplitResult, urlsplit

from elicit_tui.config.expansion import Expansion, find
from elicit_tui.elicitation.settings import ServerSettings

_PORTS: Final = {"http": 80, "https": 443}
_ITS_ENTRY_DOES_NOT: Final = "its [[managed.allow]] entry does not"


def admitted(
    server: ServerSettings,
    table: Mapping[str, Any],
    environment: Mapping[str, str],
    directories: tuple[Path, ...],
) -> ServerSettings:
    """A user's server under the `[managed]` table: as it may run, or with `refused` set."""
    mode = table.get("servers")
    if mode is None:
        return server
    if mode == "only":
        return replace(
            server,
            refused=f"The server {server.name} may not run: managed configuration "
            'lets only its own servers run (managed.servers = "only").',
        )
    reasons = []
    for entry in table.get("allow", []):
        if not fnmatchcase(server.name, entry["name"]):
            continue
        why = _mismatch(server, entry)
        if why is None:
            return _as_entry(server, entry, environment, directories)
        reasons.append(why)
    # The first entry of its name says best what was meant.
    return _refused(server, reasons[0] if reasons else "no [[managed.allow]] entry has its name")


def _refused(server: ServerSettings, why: str) -> ServerSettings:
    sentence = f"The server {server.name} may not run: {why} (managed configuration)."
    return replace(server, refused=sentence)


def _mismatch(server: ServerSettings, entry: Mapping[str, Any]) -> str | None:
    if "url" in entry:
        if server.url is None or not url_below(server.url, entry["url"]):
            return "its url is not one that [[managed.allow]] lists"
        return None
    if server.command != entry.get("command") or list(server.args) != entry.get("args", []):
        return "its command and args are not ones that [[managed.allow]] lists"
    return None


def _as_entry(
    server: ServerSettings,
    entry: Mapping[str, Any],
    environment: Mapping[str, str],
    directories: tuple[Path, ...],
) -> ServerSettings:
    """The server with the entry's env, cwd and system path; a user's own would change what runs."""
    if server.command is None:
        return server
    expansion = Expansion(environment)
    values = expansion.table(entry.get("env", {}))
    for key, value in server.env.items():
        # What it sets itself has to be what the entry sets.
        if values.get(key) != value:
            return _refused(server, f"it sets env.{key}, which {_ITS_ENTRY_DOES_NOT}")
    if server.cwd is not None and server.cwd != entry.get("cwd"):
        return _refused(server, f"it sets cwd, which {_ITS_ENTRY_DOES_NOT}")
    missing = (*server.missing, *(n for n in expansion.missing if n not in server.missing))
    server = replace(server, env=values, cwd=entry.get("cwd"), missing=missing)
    return at_system_path(server, directories)


def at_system_path(server: ServerSettings, directories: tuple[Path, ...]) -> ServerSettings:
    """A managed or allowed command, found where the system keeps programs, or refused.

    It gets the system's `PATH`, so that a script's interpreter is looked up there too; one that its
    own table sets holds instead.
    """
    if server.command is None:
        return server
    found = find(server.command, directories)
    path = os.pathsep.join(str(directory) for directory in directories)
    if found is None:
        why = f"its command {server.command} is not in the system path {path}"
        return replace(_refused(server, why), fixed_path=True)
    return replace(server, command=found, fixed_path=True, env={"PATH": path, **server.env})


def url_below(url: str, allowed: str) -> bool:
    """Whether an address has the same scheme, host and port, and a path equal or below at a `/`.

    Anything that servers and clients read differently is refused: userinfo, backslashes, spaces
    and control characters, `.` and `..` segments, encoded slashes, dots or backslashes.
    """
    candidate, limit = _parts(url), _parts(allowed)
    if candidate is None or limit is None:
        return False
    if _origin(candidate) != _origin(limit):
        return False
    # A query belongs to the address: then nothing below it is meant.
    if limit.query:
        return candidate.path == limit.path and candidate.query == limit.query
    # With a slash behind it, or `/api` would allow `/apiary`.
    base = limit.path.rstrip("/")
    return candidate.path.rstrip("/") == base or candidate.path.startswith(base + "/")


def _parts(url: str) -> SplitResult | None:
    if not url.isascii() or any(character <= " " or character == "\\" for character in url):
        return None
    try:
        parts = urlsplit(url)
        usable = parts.scheme in _PORTS and parts.hostname and parts.port != 0
    except ValueError:
        return None
    if not usable or "@" in parts.netloc or "\x7f" in url or "%" in parts.netloc:
        return None
    lowered = parts.path.lower()
    # What a server may decode to a slash, a dot or a percent sign again.
    if any(code in lowered for code in ("%2f", "%5c", "%2e", "%25", "%00")):
        return None
    # `..;a` is a parent to servers that take what follows a semicolon for a parameter.
    if any(segment.partition(";")[0] in (".", "..") for segment in parts.path.split("/")):
        return None
    return parts


def _origin(parts: SplitResult) -> tuple[str, str, int]:
    # A dot at the end names the same host.
    host = (parts.hostname or "").rstrip(".").lower()
    return parts.scheme, host, parts.port if parts.port is not None else _PORTS[parts.scheme]
