"""An agent's configuration as text: one entry put in or taken out, everything else as it was.

Every change is read again before it leaves: what is not exactly the old document with that one
change is refused, so a text that is not understood is left alone.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Literal

import tomli

from elicit_tui.config.importing import jsonc
from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation.toml_spelling import in_ascii
from elicit_tui.errors import ConfigError
from elicit_tui.gateway.agents import Agent
from elicit_tui.gateway.install import json_text, toml_text, yaml_text

BOM: Final = b"\xef\xbb\xbf"
NOT_UNDERSTOOD: Final = "its way of writing servers is not understood"


@dataclass(frozen=True)
class AgentDocument:
    """The text of one file, and under which key its servers stand."""

    file: str
    """As it is told to a person."""
    path: tuple[str, ...]
    """The keys that lead to its servers."""
    language: Literal["json", "toml", "yaml"]
    listed: bool = False
    """The servers stand in a list, each with its name."""
    text: str = ""
    marked: bool = False
    """It begins with a byte order mark."""

    def as_bytes(self) -> bytes:
        """What stands in the file."""
        return (BOM if self.marked else b"") + self.text.encode()

    @property
    def servers(self) -> Mapping[str, Any]:
        """The servers, by name, as the file has them."""
        found: Any = _at(self.values, self.path)
        if isinstance(found, list):
            return {
                entry["name"]: {key: value for key, value in entry.items() if key != "name"}
                for entry in found
            }
        servers: Mapping[str, Any] = found or {}
        return servers

    @property
    def has_table(self) -> bool:
        """Whether there is a table of servers, also an empty one."""
        return _at(self.values, self.path) is not None

    @property
    def values(self) -> Mapping[str, Any]:
        """Everything that stands in it. Raises ConfigError."""
        return self._values(self.text)

    def with_entry(self, name: str, entry: Mapping[str, Any]) -> AgentDocument:
        """The document with this server, in the place of one of its name. Raises ConfigError."""

        # Each language has its own way to be changed in the text; comments and order stay.
        def change() -> str:
            if self.language == "json":
                return json_text.put(self.text, self.path, name, entry)
            if self.language == "yaml":
                return yaml_text.put(self.text, self.path, name, entry, self.listed)
            path = (*self.path, name)
            # A table of TOML cannot be changed in its place: the old one is taken out, and a new
            # one put in.
            text = toml_text.taken(self.text, path)[0] if old else self.text
            return toml_text.put(text, toml_text.table(path, entry))

        old = name in self.servers
        return self._changed(change, {**self.servers, name: entry})

    def without(self, name: str) -> tuple[AgentDocument, str]:
        """The document without this server, and the text of that. Raises ConfigError."""
        removed = ""

        def change() -> str:
            nonlocal removed
            if self.language == "toml":
                text, removed = toml_text.taken(self.text, (*self.path, name))
            elif self.language == "yaml":
                text, removed = yaml_text.taken(self.text, self.path, name, self.listed)
            else:
                text, removed = json_text.taken(self.text, self.path, name)
            return text

        others = {key: value for key, value in self.servers.items() if key != name}
        return self._changed(change, others), removed

    def with_text(self, name: str, removed: str) -> AgentDocument:
        """The document with a server as `without` once took it out. Raises ConfigError."""

        def change() -> str:
            if self.language == "toml":
                return toml_text.put(self.text, removed)
            if self.language == "yaml":
                held = {
                    key: value for key, value in yaml_text.loads(removed).items() if key != "name"
                }
                entry = held if self.listed else yaml_text.loads(removed)
                return yaml_text.put(self.text, self.path, name, entry, self.listed)
            return json_text.put_back(self.text, self.path, removed)

        # What comes back is known only as text: what it made of the servers is looked at
        # afterwards.
        changed = self._changed(change, None)
        others = {key: value for key, value in changed.servers.items() if key != name}
        if name not in changed.servers or others != dict(self.servers):
            raise self.refused(f"{name!r} cannot be put back")
        return changed

    def without_servers(self) -> AgentDocument:
        """The document without the empty table of servers that an entry of ours once made."""
        # In TOML each server has a table of its own, and there is no other one above them.
        if self.language == "toml" or self.servers or not self.has_table:
            return self
        if self.language == "yaml":
            return replace(self, text=yaml_text.without(self.text, self.path))
        return replace(self, text=json_text.taken(self.text, self.path[:-1], self.path[-1])[0])

    def _changed(self, change: Any, servers: Mapping[str, Any] | None) -> AgentDocument:
        before = self._values(self.text)
        try:
            text = change()
        # The way in which it stands there has no text of its own that could be taken out.
        except KeyError:
            raise self.refused("a server stands there in a way that cannot be taken out") from None
        except ValueError as error:
            raise self.refused(str(error)) from None
        try:
            after = self._values(text)
        except ConfigError:
            raise self.refused(NOT_UNDERSTOOD) from None
        if servers is not None:
            # A table whose last entry went is gone or empty; both mean the same.
            others = _without(before, self.path)
            same = _same(_without(after, self.path)) == _same(others)
            if not same or _same(replace(self, text=text).servers) != _same(servers):
                raise self.refused(NOT_UNDERSTOOD)
        return replace(self, text=text)

    def _values(self, text: str) -> dict[str, Any]:
        if not text.strip():
            return {}
        try:
            values = self._parsed(text)
        except (ValueError, RecursionError, OverflowError) as error:
            reason = in_ascii(str(error), 200)
            raise self.refused(f"it is not {self.language.upper()}: {reason}") from None
        # A file of comments alone.
        if values is None and self.language == "yaml":
            return {}
        if not isinstance(values, dict):
            raise self.refused("it is no object")
        if not self._holds_servers(_at(values, self.path)):
            raise self.refused(f"{'.'.join(self.path)} is no table of servers")
        return values

    def _parsed(self, text: str) -> Any:
        """What the text says in its language. Raises what that language's reader does."""
        if self.language == "toml":
            return tomli.loads(text)
        if self.language == "yaml":
            return yaml_text.loads(text)
        return jsonc.loads(text)

    def _holds_servers(self, found: Any) -> bool:
        """Whether servers can stand in this: a table, or a list in which each has its own name."""
        if found is None:
            return True
        if not self.listed:
            return isinstance(found, dict)
        if not isinstance(found, list) or not all(isinstance(entry, dict) for entry in found):
            return False
        names = [entry.get("name") for entry in found]
        return all(isinstance(name, str) for name in names) and len(set(names)) == len(names)

    def refused(self, why: str) -> ConfigError:
        """The error of a document that is not understood, and so is left as it is."""
        return ConfigError([f"{self.file}: {why}; it is left as it is"])


def _at(values: Mapping[str, Any], path: Sequence[str]) -> Any:
    """What stands behind these keys; None where nothing does. What is no table is returned."""
    found: Any = values
    for key in path:
        if not isinstance(found, Mapping):
            return found
        found = found.get(key)
        if found is None:
            return None
    return found


def _without(values: Mapping[str, Any], path: Sequence[str]) -> dict[str, Any]:
    """The values without what stands behind these keys, and without tables that held only it."""
    first, *rest = path
    held = dict(values)
    inner = held.pop(first, None)
    if rest and isinstance(inner, Mapping) and (left := _without(inner, rest)):
        held[first] = left
    return held


def _same(values: Any) -> str:
    """A text by which two documents are compared; NaN is equal to itself here."""
    return json.dumps(values, sort_keys=True, default=repr)


def read_toml(raw: bytes, file: str) -> AgentDocument:
    """The document of ours or of Codex in these bytes. Raises ConfigError."""
    return _decoded(raw, AgentDocument(file, ("mcp_servers",), "toml"))


def _decoded(raw: bytes, document: AgentDocument) -> AgentDocument:
    marked = raw.startswith(BOM)
    try:
        text = raw[len(BOM) :].decode() if marked else raw.decode()
    except UnicodeDecodeError:
        raise document.refused("it is not UTF-8 text") from None
    return replace(document, text=text, marked=marked)


def read_document(agent: Agent, raw: bytes, file: str) -> AgentDocument:
    """The document of an agent in these bytes, checked to be one. Raises ConfigError."""
    empty = AgentDocument(file, agent.servers_path, agent.language, agent.listed)
    document = _decoded(raw, empty)
    if not document.text.strip() and agent.begins:
        document = replace(document, text=agent.begins)
    text, servers = document.text, document.servers
    if document.language == "json" and text.strip():
        # A reader forgives a key that stands twice, and takes the last. To change any entry tells.
        try:
            json_text.put(text, document.path, next(iter(servers), ""), {})
        except ValueError as error:
            raise document.refused(str(error)) from None
    return document
