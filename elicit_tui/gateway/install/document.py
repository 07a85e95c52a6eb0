"""An agent's configuration as text: one entry put in or taken out, everything else as it was.

Every change is read again before it leaves: what is not exactly the old document with that one
change is refused, so a text that is not understood is left alone.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from elicit_tui.config.importing import jsonc
from elicit_tui.elicitation.toml_spelling import in_ascii
from elicit_tui.errors import ConfigError
from elicit_tui.gateway.agents import Agent
from elicit_tui.gateway.install import json_text, toml_text

BOM: Final = b"\xef\xbb\xbf"
NOT_UNDERSTOOD: Final = "its way of writing servers is not understood"


@dataclass(frozen=True)
class AgentDocument:
    """The text of one file, and under which key its servers stand."""

    file: str
    """As it is told to a person."""
    key: str
    toml: bool
    text: str = ""
    marked: bool = False
    """It begins with a byte order mark."""

    def as_bytes(self) -> bytes:
        """What stands in the file."""
        return (BOM if self.marked else b"") + self.text.encode()

    @property
    def servers(self) -> Mapping[str, Any]:
        """The servers, by name, as the file has them."""
        servers: Mapping[str, Any] = self.values.get(self.key, {})
        return servers

    @property
    def has_table(self) -> bool:
        """Whether there is a table of servers, also an empty one."""
        return self.key in self.values

    @property
    def values(self) -> Mapping[str, Any]:
        """Everything that stands in it. Raises ConfigError."""
        return self._values(self.text)

    def with_entry(self, name: str, entry: Mapping[str, Any]) -> AgentDocument:
        """The document with this server, in the place of one of its name. Raises ConfigError."""

        def change() -> str:
            if not self.toml:
                return json_text.put(self.text, (self.key,), name, entry)
            text = toml_text.taken(self.text, self._path(name))[0] if old else self.text
            return toml_text.put(text, toml_text.table(self._path(name), entry))

        old = name in self.servers
        return self._changed(change, {**self.servers, name: entry})

    def without(self, name: str) -> tuple[AgentDocument, str]:
        """The document without this server, and the text of that. Raises ConfigError."""
        kept = ""

        def change() -> str:
            nonlocal kept
            if self.toml:
                text, kept = toml_text.taken(self.text, self._path(name))
            else:
                text, kept = json_text.taken(self.text, (self.key,), name)
            return text

        others = {key: value for key, value in self.servers.items() if key != name}
        return self._changed(change, others), kept

    def with_text(self, name: str, kept: str) -> AgentDocument:
        """The document with a server as `without` once took it out. Raises ConfigError."""

        def change() -> str:
            if self.toml:
                return toml_text.put(self.text, kept)
            return json_text.put_back(self.text, (self.key,), kept)

        changed = self._changed(change, None)
        others = {key: value for key, value in changed.servers.items() if key != name}
        if name not in changed.servers or others != dict(self.servers):
            raise self._refused(f"{name!r} cannot be put back")
        return changed

    def without_servers(self) -> AgentDocument:
        """The document without the empty table of servers that an entry of ours once made."""
        values = self._values(self.text)
        if self.toml or values.get(self.key) != {}:
            return self
        return replace(self, text=json_text.taken(self.text, (), self.key)[0])

    def _path(self, name: str) -> tuple[str, str]:
        return (self.key, name)

    def _changed(self, change: Any, servers: Mapping[str, Any] | None) -> AgentDocument:
        before = self._values(self.text)
        try:
            text = change()
        except KeyError:
            raise self._refused("a server stands there in a way that cannot be taken out") from None
        except ValueError as error:
            raise self._refused(str(error)) from None
        try:
            after = self._values(text)
        except ConfigError:
            raise self._refused(NOT_UNDERSTOOD) from None
        if servers is not None:
            wanted = {**before, self.key: servers}
            # A table whose last entry went is gone or empty; both mean the same.
            if not servers:
                wanted.pop(self.key)
                after = {key: value for key, value in after.items() if key != self.key or value}
            if _same(after) != _same(wanted):
                raise self._refused(NOT_UNDERSTOOD)
        return replace(self, text=text)

    def _values(self, text: str) -> dict[str, Any]:
        import tomli

        if not text.strip():
            return {}
        try:
            values = tomli.loads(text) if self.toml else jsonc.loads(text)
        except (ValueError, RecursionError, OverflowError) as error:
            kind = "TOML" if self.toml else "JSON"
            said = in_ascii(str(error), 200)
            raise self._refused(f"it is not {kind}: {said}") from None
        if not isinstance(values, dict):
            raise self._refused("it is no object")
        if not isinstance(values.get(self.key, {}), dict):
            raise self._refused(f"{self.key} is no table of servers")
        return values

    def _refused(self, why: str) -> ConfigError:
        return ConfigError([f"{self.file}: {why}; it is left as it is"])


def _same(values: Any) -> str:
    """A text by which two documents are compared; NaN is equal to itself here."""
    return json.dumps(values, sort_keys=True, default=repr)


def read_toml(raw: bytes, file: str) -> AgentDocument:
    """The document of ours or of Codex in these bytes. Raises ConfigError."""
    return _decoded(raw, AgentDocument(file, "mcp_servers", toml=True))


def _decoded(raw: bytes, document: AgentDocument) -> AgentDocument:
    marked = raw.startswith(BOM)
    try:
        text = raw[len(BOM) :].decode() if marked else raw.decode()
    except UnicodeDecodeError:
        raise ConfigError([f"{document.file}: it is not UTF-8 text; it is left as it is"]) from None
    return replace(document, text=text, marked=marked)


def read_document(agent: Agent, raw: bytes, file: str) -> AgentDocument:
    """The document of an agent in these bytes, checked to be one. Raises ConfigError."""
    toml = agent.shape == "codex"
    document = _decoded(raw, AgentDocument(file, agent.servers_key, toml))
    text = document.text
    known = document.servers
    if not document.toml and text.strip():
        # A reader forgives a key that stands twice, and takes the last.
        try:
            json_text.put(text, (document.key,), next(iter(known), ""), {})
        except ValueError as error:
            raise ConfigError([f"{file}: {error}; it is left as it is"]) from None
    return document
