"""Finds the servers in a file of another program, and whose file it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import tomli

from elicit_tui.config.importing import jsonc
from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation.toml_spelling import in_ascii
from elicit_tui.errors import ConfigError

Dialect = Literal["codex", "json", "vscode"]
"""`json`: the `mcpServers` object of .mcp.json, Claude Desktop and Cursor."""


class NoServersError(ConfigError):
    """The file could be read, and has no place where servers stand."""


@dataclass(frozen=True)
class Source:
    """The servers of one file, as their program wrote them."""

    dialect: Dialect
    servers: Mapping[str, Any]


def recognise(text: str, file: str) -> Source:
    """The servers of a Codex TOML file or of a JSON file. Raises ConfigError."""
    document = _document(text, file)
    servers = document.get("mcp_servers")
    if isinstance(servers, Mapping):
        return Source("codex", servers)
    servers = document.get("mcpServers")
    if isinstance(servers, Mapping):
        return Source("json", servers)
    inner = document.get("mcp")
    holder = inner if isinstance(inner, Mapping) else document
    servers = holder.get("servers")
    if isinstance(servers, Mapping):
        return Source("vscode", servers)
    raise NoServersError(
        [f"{file}: has no servers: neither mcp_servers, mcpServers nor servers is a table in it"]
    )


def _document(text: str, file: str) -> Mapping[str, Any]:
    try:
        document = jsonc.loads(text)
    except ValueError as json_error:
        try:
            document = tomli.loads(text)
        except (ValueError, RecursionError, OverflowError) as toml_error:
            fault = str(json_error if text.lstrip().startswith("{") else toml_error)
            reason = in_ascii(fault, 200)
            raise ConfigError([f"{file}: is neither JSON nor TOML: {reason}"]) from None
    if not isinstance(document, Mapping):
        raise ConfigError([f"{file}: is not an object or a table"])
    return document
