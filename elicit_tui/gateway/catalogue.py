"""What each server offered when it was last seen: an agent's lists need no running server.

One file a server in the state directory, 0600, named by a digest of how the server is started, so
that another program under the same name is never listed by it. It is only for lists: a call
always waits for the server's live definition.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from elicit_tui.elicitation.settings import ServerSettings
from elicit_tui.host.offers import objects
from elicit_tui.paths import replace_file, state_directory

VERSION: Final = 2
"""Of the first, an entry may be one that not every agent can read."""
MOST_BYTES: Final = 64 * 1024 * 1024
"""A larger file is not ours."""

KINDS: Final = ("tools", "prompts", "resources", "templates")

Entry = dict[str, Any]
"""One entry of a list exactly as the server wrote it."""


@dataclass(frozen=True)
class Catalogue:
    """The lists of one server, as they came, all pages of them."""

    tools: list[Entry] = field(default_factory=list)
    prompts: list[Entry] = field(default_factory=list)
    resources: list[Entry] = field(default_factory=list)
    templates: list[Entry] = field(default_factory=list)
    instructions: str | None = None


class CatalogueFiles:
    """The catalogues on disk. What cannot be read or written is as if it had never been seen."""

    def __init__(self, directory: Path | None = None) -> None:
        self._directory = directory or state_directory() / "gateway" / "catalogues"

    def _path(self, server: ServerSettings) -> Path:
        started = json.dumps(
            [server.name, server.command, server.args, server.cwd, server.url, server.protocol]
        )
        return self._directory / f"{hashlib.sha256(started.encode()).hexdigest()[:32]}.json"

    def read(self, server: ServerSettings) -> Catalogue | None:
        """The last known catalogue of a server; None when there is none."""
        path = self._path(server)
        try:
            if path.stat().st_size > MOST_BYTES:
                return None
            kept = json.loads(path.read_bytes())
        except (OSError, ValueError, RecursionError):
            return None
        return _catalogue(kept)

    def write(self, server: ServerSettings, catalogue: Catalogue) -> None:
        """Keep what a server offers now, in place of what it offered before."""
        kept = json.dumps({"version": VERSION, **vars(catalogue)}).encode()
        with contextlib.suppress(OSError):
            replace_file(self._path(server), kept)


def _catalogue(kept: Any) -> Catalogue | None:
    if not isinstance(kept, Mapping) or kept.get("version") != VERSION:
        return None
    instructions = kept.get("instructions")
    return Catalogue(
        **{kind: objects(kept.get(kind)) for kind in KINDS},
        instructions=instructions if isinstance(instructions, str) else None,
    )
