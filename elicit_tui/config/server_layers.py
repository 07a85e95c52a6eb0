"""The servers of all layers: managed ones whole, a user's as far as they may run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from elicit_tui.config.allowing import admitted, at_system_path
from elicit_tui.config.command_line import CommandLine
from elicit_tui.config.documents import Document
from elicit_tui.config.merging import Merged, server_key_is_stricter
from elicit_tui.config.servers import in_the_clear, server_from
from elicit_tui.elicitation.settings import Provenance, ServerSettings, ToolSettings
from elicit_tui.elicitation.toml_spelling import dotted
from elicit_tui.errors import ConfigError, UsageError


def all_servers(
    merged: Merged,
    command_line: CommandLine,
    environment: Mapping[str, str],
    directories: tuple[Path, ...],
) -> dict[str, ServerSettings]:
    """Every server by name, with its keys' origins and notices added to `merged`.

    Raises UsageError for a `--with` that does not fit, ConfigError for one that managed
    configuration does not let run.
    """
    managed, user = merged.managed, merged.user
    limits = (managed.get("managed") or {}) if managed is not None else {}

    def as_admitted(server: ServerSettings) -> ServerSettings:
        return admitted(server, limits, environment, directories)

    # Managed ones first: nobody else may have their names.
    servers = _managed(merged, environment, directories)
    for name, table in _tables(user).items():
        # A user's table of a managed name only makes that server stricter (`_made_stricter`).
        if user is not None and name not in servers:
            servers[name] = as_admitted(server_from(name, table, "user", environment))
            _note_origins(merged, user, name, table)
    # In the order of the command line, after all files: none of them can be taken over.
    for name, table in command_line.added:
        if name in servers:
            raise UsageError(f"--with {name}: a server of this name exists already.")
        servers[name] = _of_command_line(name, table, as_admitted)
        merged.provenance[dotted("mcp_servers", name)] = Provenance("command line")
    merged.notices.extend(_sent_in_the_clear(servers))
    return _with_options(servers, command_line, merged)


def _of_command_line(
    name: str, table: Mapping[str, Any], as_admitted: Callable[[ServerSettings], ServerSettings]
) -> ServerSettings:
    """A server of `--with`, which is refused at once where it may not run. Raises ConfigError."""
    # A shell has read it already: nothing in it is expanded once more.
    server = as_admitted(server_from(name, table, "command line", {}, expand_all=False))
    if server.refused is not None:
        raise ConfigError([f"--with: {server.refused}"])
    return server


def _with_options(
    servers: dict[str, ServerSettings], command_line: CommandLine, merged: Merged
) -> dict[str, ServerSettings]:
    """The servers of every layer with `--timeout` and `--allow-tool`."""
    if (seconds := command_line.timeout) is not None:
        servers = {name: _with_timeout(server, seconds, merged) for name, server in servers.items()}
    for name, tool in command_line.allowed_tools:
        if name in servers:
            servers[name] = _with_allowed_tool(servers[name], tool, merged)
    return servers


def _tables(document: Document | None) -> Mapping[str, Any]:
    """The tables of a document's servers, by name."""
    return (document.get("mcp_servers") or {}) if document is not None else {}


def _managed(
    merged: Merged, environment: Mapping[str, str], directories: tuple[Path, ...]
) -> dict[str, ServerSettings]:
    """An administrator's servers, with what the user's tables of their names make stricter."""
    servers = {}
    for name, table in _tables(merged.managed).items():
        server = server_from(name, table, "managed", environment, expand_all=False)
        if merged.managed is not None:
            _note_origins(merged, merged.managed, name, table)
        servers[name] = at_system_path(_made_stricter(server, merged), directories)
    return servers


def _sent_in_the_clear(servers: Mapping[str, ServerSettings]) -> Iterator[str]:
    for name, server in servers.items():
        key = in_the_clear(server) if server.enabled and server.refused is None else None
        if key is not None:
            yield (
                f"{dotted('mcp_servers', name, key)}: sent in the clear, since the url is http and "
                "not https."
            )


def _note_origins(merged: Merged, document: Document, name: str, table: Mapping[str, Any]) -> None:
    locked = document.layer == "managed"
    for path in _paths(("mcp_servers", name), table):
        merged.provenance[dotted(*path)] = document.provenance(path, locked=locked)


def _paths(path: tuple[str, ...], table: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """The path of a table and those of every key below it."""
    yield path
    for key, value in table.items():
        # Keys of these two are names that the owner made up, and settings of nobody.
        if isinstance(value, Mapping) and key not in ("env", "http_headers"):
            yield from _paths((*path, key), value)
        else:
            yield (*path, key)


def _made_stricter(server: ServerSettings, merged: Merged) -> ServerSettings:
    """A managed server with what a user's table of its name may still take away."""
    user = merged.user
    table_path = ("mcp_servers", server.name)
    table = user.get(*table_path) if user is not None else None
    if user is None or table is None:
        return server
    ignored = False
    # Judged against what it came to so far, and not against the managed table.
    for key, value in table.items():
        if server_key_is_stricter(key, value, getattr(server, key)):
            server = replace(server, **{key: value})
            path = (*table_path, key)
            merged.provenance[dotted(*path)] = user.provenance(path, locked=True)
        else:
            ignored = True
    if ignored:
        reason = "this server is locked by managed configuration; what is not stricter is not read"
        merged.notices.append(str(user.problem(reason, table_path)))
    return server


def _with_allowed_tool(server: ServerSettings, tool: str, merged: Merged) -> ServerSettings:
    """The server with `--allow-tool`. Raises ConfigError where managed configuration says else."""
    known = server.tools.get(tool)
    mode = known.approval_mode if known is not None else None
    if (mode or server.default_tools_approval_mode) == "approve":
        return server
    key = dotted("mcp_servers", server.name, "tools", tool, "approval_mode")
    if server.layer == "managed":
        raise ConfigError([f"--allow-tool: {key} is locked by managed configuration."])
    merged.provenance[key] = Provenance("command line")
    return replace(server, tools={**server.tools, tool: ToolSettings(approval_mode="approve")})


def _with_timeout(server: ServerSettings, seconds: float, merged: Merged) -> ServerSettings:
    """The server with `--timeout`; a managed server's own shorter limit stays."""
    limit = server.tool_timeout_sec
    # 0 is no limit, and looser than any.
    if server.layer == "managed" and limit != 0 and (seconds == 0 or seconds > limit):
        return server
    key = dotted("mcp_servers", server.name, "tool_timeout_sec")
    merged.provenance[key] = Provenance("command line", server.layer == "managed")
    return replace(server, tool_timeout_sec=seconds)
