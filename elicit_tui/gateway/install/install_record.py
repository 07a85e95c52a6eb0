"""What `install` did, so that `uninstall` can undo it: a note and copies in our state folder.

All 0600, and written before an agent's file is touched: a death in between leaves enough to put
things back.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, field
from pathlib import Path

from elicit_tui.dataclass import dataclass
from elicit_tui.errors import ConfigError, StoreError
from elicit_tui.gateway.agents import Agent
from elicit_tui.gateway.install.places import shown_path
from elicit_tui.paths import replace_file, state_directory
from elicit_tui.store.nouns import read


@dataclass(frozen=True)
class InstallRecord:
    """One installation: what stood in the two files before, and what was made of them."""

    agent: str
    file: str
    created: bool
    """There was no such file."""
    after: str
    """SHA-256 of the file as it was left."""
    private: bool
    """Nobody else could read it."""
    made_table: bool
    """It had no table of servers."""
    taken: Mapping[str, str] = field(default_factory=dict)
    """The servers that were taken over, as they stood in the file."""
    ours: str = ""
    """Our configuration, where servers were put into it."""
    ours_created: bool = False
    ours_after: str = ""
    moved: Mapping[str, str] = field(default_factory=dict)
    """The same servers as they were put into our configuration (TOML)."""


def sha256_of(content: bytes) -> str:
    """The digest by which a file is known again, in hex."""
    return hashlib.sha256(content).hexdigest()


class Records:
    """The record of one agent's file, and the copies of what stood there."""

    def __init__(self, agent: Agent, path: Path) -> None:
        name = f"{agent.key}-{sha256_of(str(path).encode('utf-8', 'surrogateescape'))[:12]}"
        self._folder = state_directory() / "gateway" / "installed"
        self._note = self._folder / f"{name}.json"
        self.copy = self._folder / f"{name}.copy"
        """The agent's file before, byte for byte."""
        self.copy_of_ours = self._folder / f"{name}.config.copy"

    def read(self) -> InstallRecord | None:
        """The record; None: there is none. Raises ConfigError for a note that is broken."""
        try:
            return read(InstallRecord, self._note.read_bytes())
        except FileNotFoundError:
            return None
        except (OSError, StoreError) as error:
            why = error.strerror if isinstance(error, OSError) else "it is damaged"
            after = (
                f" As the file was before: {shown_path(self.copy)}." if self.copy.exists() else ""
            )
            raise ConfigError(
                [
                    f"{shown_path(self._note)}: this note of what install did cannot be read:"
                    f" {why}. Remove it: then uninstall takes out the gateway's entry, and what was"
                    f" moved is put back by hand.{after}"
                ]
            ) from None

    def copied(self, copy: Path) -> bytes | None:
        """What stood in a file before; None: there was none, or the copy is gone."""
        try:
            return copy.read_bytes()
        except FileNotFoundError:
            return None

    def write(self, record: InstallRecord, before: bytes | None, ours_before: bytes | None) -> None:
        """Keep the record, and what stood in the two files. Raises OSError."""
        # Copies first: a record that is there has what it needs to undo.
        for path, content in ((self.copy, before), (self.copy_of_ours, ours_before)):
            if content is None:
                path.unlink(missing_ok=True)
            else:
                replace_file(path, content)
        replace_file(self._note, json.dumps(asdict(record), indent=2).encode())

    def forget(self) -> None:
        """Remove the record and the copies: the installation is undone."""
        for path in (self._note, self.copy, self.copy_of_ours):
            path.unlink(missing_ok=True)
