"""What `install` did, and what an agent's file and ours would be without it.

A note and copies in our state folder, all 0600 and written before an agent's file is touched: a
death in between leaves enough to put things back. Byte for byte as they were where nobody touched
them since; else our entry is taken out, and what was taken over is put back.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, field, replace
from pathlib import Path
from typing import Any, Final

import tomli

from elicit_tui.config.documents import LARGEST_FILE
from elicit_tui.dataclass import dataclass
from elicit_tui.errors import ConfigError, StoreError
from elicit_tui.gateway.agents import Agent
from elicit_tui.gateway.install import toml_text
from elicit_tui.gateway.install.document import AgentDocument, read_document, read_toml
from elicit_tui.gateway.install.gateway_entry import NAME
from elicit_tui.gateway.install.places import FoundFile, left_as_it_is, shown_path
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
        """Remove the record and the copies: the installation is undone. Raises ConfigError."""
        for path in (self._note, self.copy, self.copy_of_ours):
            try:
                path.unlink(missing_ok=True)
            except OSError as error:
                raise ConfigError(
                    [f"it is undone, but {shown_path(path)} cannot be removed: {error.strerror}"]
                ) from None


SERVERS: Final = "mcp_servers"


@dataclass(frozen=True)
class Undone:
    """The content of a file without the installation; None: there would be none."""

    content: bytes | None
    notes: tuple[str, ...] = ()


def theirs(
    agent: Agent, found: FoundFile, records: Records, record: InstallRecord | None
) -> Undone:
    """What the agent's file would be. Raises ConfigError for one that is not understood."""
    if (
        record is not None
        and found.content is not None
        and sha256_of(found.content) == record.after
    ):
        # Where nobody has written since, the copy is exactly what stood there.
        before = records.copied(records.copy)
        # Of a file that was made there is no copy.
        if record.created or before is not None:
            return Undone(before)
    # No file, and nothing to put back: there is none to make.
    if found.content is None and (record is None or not record.taken):
        return Undone(None)
    document = read_document(agent, found.content or b"", shown_path(found.path))
    notes: list[str] = []
    if NAME in document.servers:
        document, _ = document.without(NAME)
    for name, text in (record.taken if record is not None else {}).items():
        if name in document.servers:
            notes.append(f"{name} stands in {document.file} again and is left as it is")
        else:
            document = document.with_text(name, text)
    if record is not None and record.made_table:
        document = document.without_servers()
    return Undone(document.as_bytes(), tuple(notes))


def ours(found: FoundFile, records: Records, record: InstallRecord | None) -> Undone:
    """What our configuration would be: without what was moved into it and not changed since."""
    if record is None or not record.moved or found.content is None:
        return Undone(found.content)
    if sha256_of(found.content) == record.ours_after:
        before = records.copied(records.copy_of_ours)
        if record.ours_created or before is not None:
            return Undone(before)
    document = own_document(found)
    notes = []
    for name, block in record.moved.items():
        moved = _servers(block).get(name)
        # Only what is as it was moved: what somebody changed since is theirs.
        if document.servers.get(name) == moved and moved is not None:
            document, _ = document.without(name)
        elif name in document.servers:
            notes.append(f"{name} was changed since and stays in {document.file}")
    return Undone(document.as_bytes(), tuple(notes))


def own_document(found: FoundFile) -> AgentDocument:
    """Our configuration as text. Raises ConfigError."""
    content = found.content or b""
    if len(content) > LARGEST_FILE:
        raise left_as_it_is(found.path, "it is too large")
    return read_toml(content, shown_path(found.path))


def with_servers(document: AgentDocument, blocks: Iterator[str]) -> AgentDocument:
    """Our configuration with more servers at its end."""
    text = document.text
    for block in blocks:
        text = toml_text.put(text, block)
    return replace(document, text=text)


def _servers(block: str) -> dict[str, Any]:
    servers: dict[str, Any] = tomli.loads(block).get(SERVERS, {})
    return servers
