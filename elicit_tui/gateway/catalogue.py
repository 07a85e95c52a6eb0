"""What each server offered when it was last seen: an agent's lists need no running server.

One file a server in the state directory, 0600, named by a digest of how the server is started, with
which environment and which headers: another program or another account under the same name is
never listed by it. It is only for lists: a call always waits for the server's live definition.

A file counts only as this program wrote it for that very server: it begins with a digest that
nobody makes without the key beside it. Whatever else is found there is as if nothing were.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Any, Final

from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation.settings import ServerSettings
from elicit_tui.errors import ConfigError
from elicit_tui.gateway.fit_to_pass import MOST_NESTED
from elicit_tui.host.number_text import json_line, read_float
from elicit_tui.paths import replace_file, state_directory
from elicit_tui.text.hostile_json import too_deep

VERSION: Final = 3
MOST_BYTES: Final = 4 * 1024 * 1024
"""Of one server. A larger one is not remembered: every start would take the time to read it."""
MOST_FILES: Final = 256
"""Of servers that were configured once; the ones that were not written for longest go first."""
KEY_BYTES: Final = 32

LISTED: Final = ("tools", "prompts", "resources", "templates")

Entry = dict[str, Any]
"""One entry of a list exactly as the server wrote it."""


@dataclass(frozen=True)
class Lists:
    """What there is to offer, of each kind."""

    tools: list[Entry] = field(default_factory=list)
    prompts: list[Entry] = field(default_factory=list)
    resources: list[Entry] = field(default_factory=list)
    templates: list[Entry] = field(default_factory=list)


@dataclass(frozen=True)
class Catalogue(Lists):
    """The lists of one server, as they came, all pages of them."""

    instructions: str | None = None


class CatalogueFiles:
    """The catalogues on disk. What cannot be read or written is as if it had never been seen."""

    def __init__(self, directory: Path | None = None) -> None:
        """`directory`: where they are; by default in the directory for state, if there is one."""
        if directory is None:
            with contextlib.suppress(ConfigError):
                directory = state_directory() / "gateway" / "catalogues"
        self._directory = directory

    def read(self, server: ServerSettings) -> Catalogue | None:
        """The last known catalogue of a server; None when there is none."""
        if self._directory is None:
            return None
        try:
            key = self._key(self._directory, create=False)
            started = _digest(key, _how_started(server))
            kept = _own_bytes(self._directory / f"{started}.json", MOST_BYTES)
            digest, _, body = kept.partition(b"\n")
            # By its beginning: what was changed, or made for another server, is as if it were not
            # there.
            if digest.decode() != _digest(key, started.encode() + body):
                return None
            return _catalogue(json.loads(body, parse_float=read_float))
        except (OSError, ValueError, RecursionError):
            return None

    def write(self, server: ServerSettings, catalogue: Catalogue) -> None:
        """Keep what a server offers now, in place of what it offered before."""
        if self._directory is None:
            return
        with contextlib.suppress(OSError, ValueError):
            key = self._key(self._directory, create=True)
            started = _digest(key, _how_started(server))
            body = json_line({"version": VERSION, **vars(catalogue)})
            path = self._directory / f"{started}.json"
            kept = _digest(key, started.encode() + body).encode() + b"\n" + body
            if len(kept) > MOST_BYTES:
                path.unlink(missing_ok=True)
                return
            replace_file(path, kept)
            self._prune(path)

    def _key(self, directory: Path, *, create: bool) -> bytes:
        """The key of all digests; made where there is none. Raises OSError, ValueError."""
        path = directory / "key"
        try:
            key = _own_bytes(path, KEY_BYTES)
        except FileNotFoundError:
            key = b""
        # Of another length: cut short, or not ours.
        if len(key) != KEY_BYTES:
            if not create:
                raise ValueError("no key")
            replace_file(path, os.urandom(KEY_BYTES))
            # Two processes may make one at once: what stands there now is the key of both.
            key = _own_bytes(path, KEY_BYTES)
        return key

    def _prune(self, written: Path) -> None:
        """Remove the oldest files when there are too many."""
        # The one that was just written never goes.
        paths = [path for path in written.parent.glob("*.json") if path != written]
        if len(paths) >= MOST_FILES:
            paths.sort(key=lambda path: path.stat().st_mtime, reverse=True)
            for path in paths[MOST_FILES - 1 :]:
                path.unlink(missing_ok=True)


def _digest(key: bytes, text: bytes) -> str:
    """A digest that nobody makes, or tries out guesses by, who does not have the key."""
    return hashlib.blake2b(text, key=key, digest_size=32).hexdigest()


def _how_started(server: ServerSettings) -> bytes:
    """Everything by which this server may be another one, or offer other things."""
    variable = server.bearer_token_env_var
    how = {
        "name": server.name,
        "command": [server.command, server.args, server.cwd, server.fixed_path],
        "env": sorted(server.env.items()),
        "url": [server.url, server.transport],
        "headers": sorted(server.http_headers.items()),
        # Another account behind the same address may offer other things.
        "token": None if variable is None else os.environ.get(variable),
        "protocol": server.protocol,
        "elicitation": server.advertised_modes,
    }
    return json.dumps(how).encode()


def _own_bytes(path: Path, most: int) -> bytes:
    """The content of a regular file that is the person's alone. Raises OSError, ValueError."""
    # No link is followed, and a pipe that somebody put there hangs nobody.
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    with os.fdopen(os.open(path, flags), "rb") as file:
        status = os.fstat(file.fileno())
        shared = os.name == "posix" and (
            status.st_uid != os.geteuid() or stat.S_IMODE(status.st_mode) & 0o077
        )
        if not stat.S_ISREG(status.st_mode) or shared or status.st_size > most:
            raise ValueError("not ours")
        return file.read(most + 1)


def _catalogue(kept: Any) -> Catalogue | None:
    if not isinstance(kept, Mapping) or kept.get("version") != VERSION:
        return None
    lists = {kind: kept.get(kind) for kind in LISTED}
    instructions = kept.get("instructions")
    entries = [
        entry for listing in lists.values() if isinstance(listing, list) for entry in listing
    ]
    sound = (
        all(isinstance(listing, list) for listing in lists.values())
        and all(isinstance(entry, dict) and not too_deep(entry, MOST_NESTED) for entry in entries)
        and (instructions is None or isinstance(instructions, str))
    )
    return Catalogue(**lists, instructions=instructions) if sound else None  # type: ignore[arg-type]
