"""What an agent's file and ours would be without an installation.

Byte for byte as they were where nobody touched them since; else our entry is taken out, and what
was taken over is put back.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

import tomli

from elicit_tui.config.documents import LARGEST_FILE
from elicit_tui.dataclass import dataclass
from elicit_tui.errors import ConfigError
from elicit_tui.gateway.agents import Agent
from elicit_tui.gateway.install import toml_text
from elicit_tui.gateway.install.document import AgentDocument, read_document, read_toml
from elicit_tui.gateway.install.gateway_entry import NAME
from elicit_tui.gateway.install.install_record import InstallRecord, Records, sha256_of
from elicit_tui.gateway.install.places import FoundFile, shown_path

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
        if record.created or before is not None:
            return Undone(None if record.created else before)
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
            return Undone(None if record.ours_created else before)
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
    shown = shown_path(found.path)
    if len(content) > LARGEST_FILE:
        raise ConfigError([f"{shown}: it is too large; it is left as it is"])
    return read_toml(content, shown)


def with_servers(document: AgentDocument, blocks: Iterator[str]) -> AgentDocument:
    """Our configuration with more servers at its end."""
    text = document.text
    for block in blocks:
        text = toml_text.put(text, block)
    return replace(document, text=text)


def _servers(block: str) -> dict[str, Any]:
    servers: dict[str, Any] = tomli.loads(block).get(SERVERS, {})
    return servers
