"""`config show`: each effective value, the layer it came from and whether it is locked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, fields
from typing import Any, Final

from elicit_tui.config.keys import SERVER
from elicit_tui.config.merging import GRANULAR_FLAGS, leaves
from elicit_tui.config.nodes import Value
from elicit_tui.config.servers import REMOTE_ONLY
from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation.hiding import hidden, hidden_arguments, hidden_under, stars
from elicit_tui.elicitation.settings import (
    GranularApproval,
    OAuthSettings,
    ServerSettings,
    Settings,
)
from elicit_tui.elicitation.toml_spelling import dotted
from elicit_tui.paths import ledger_file

OAUTH: Final = tuple(item.name for item in fields(OAuthSettings))


@dataclass(frozen=True)
class Shown:
    """One key as `config show` prints it."""

    key: str
    value: Any
    layer: str
    locked: bool

    def as_json(self) -> dict[str, Any]:
        """The value under its key in `config show --output json`."""
        return {"value": self.value, "layer": self.layer, "locked": self.locked}


class AsWritten(dict[str, str]):
    """An environment in which every name is there and stands for itself: `${NAME}`.

    Settings loaded with it show references as they were written, never the secrets behind them.
    """

    def __contains__(self, name: object) -> bool:
        return True

    def __missing__(self, name: str) -> str:
        return f"${{{name}}}"


def show(settings: Settings, written: Settings | None = None) -> tuple[Shown, ...]:
    """Every key with its effective value, defaults too.

    `written` are the same settings loaded with AsWritten: servers and hooks are shown from them.
    """
    written = written or settings
    lists = _lists(settings, written)
    return (*_plain(settings), *lists, *_servers(settings, written))


def _row(settings: Settings, key: str, value: Any) -> Shown:
    origin = settings.origin(key)
    return Shown(key, value, origin.layer, origin.locked)


def _plain(settings: Settings) -> Iterator[Shown]:
    for path in leaves():
        if path == ("approval_policy",):
            yield _row(settings, "approval_policy", _policy(settings))
            continue
        value: Any = settings
        for part in path:
            value = getattr(value, part)
        # The path that holds, also where none is set.
        if path == ("history", "path"):
            value = str(ledger_file(value))
        yield _row(settings, ".".join(path), _hidden(path[-1], _json(value)))


def _policy(settings: Settings) -> Any:
    policy = settings.approval_policy
    if isinstance(policy, GranularApproval):
        return {"granular": {flag: getattr(policy, flag) for flag in GRANULAR_FLAGS}}
    return policy


def _lists(settings: Settings, written: Settings) -> Iterator[Shown]:
    for rule in settings.guardian.rules:
        values = {key: value for key, value in asdict(rule).items() if key != "layer"}
        key = dotted("guardian", "rules", rule.id)
        yield Shown(key, values, rule.layer, rule.layer == "managed")
    for entry in settings.rules:
        values = {
            key: _json(value)
            for key, value in asdict(entry).items()
            # What an entry leaves out is left out here as well.
            if value not in (None, (), False) and key not in ("layer", "position")
        }
        key = f"rules[{entry.position}]"
        if entry.layer == "managed":
            key = f"managed.{key}"
        yield Shown(key, values, entry.layer, entry.layer == "managed")
    for hook in written.hooks:
        values = {
            key: _json(value)
            for key, value in asdict(hook).items()
            if value not in (None, ()) and key not in ("layer", "position", "fixed_path")
        }
        for key in ("command", "url"):
            # The words of a command may hold secrets, as the arguments of a server may.
            if key in values:
                values[key] = _hidden("args" if key == "command" else key, values[key])
        yield Shown(hook.key, values, hook.layer, hook.layer == "managed")


def _servers(settings: Settings, written: Settings) -> Iterator[Shown]:
    for name, effective in settings.servers.items():
        # As it is written. A server that only the real settings have is shown from them.
        server = written.servers.get(name, effective)
        for key, node in SERVER.keys.items():
            here = dotted("mcp_servers", name, key)
            if isinstance(node, Value) and not (server.command and key in REMOTE_ONLY):
                value = _hidden(key, _json(getattr(server, key)))
                # A value that is empty is shown where somebody set it so.
                if value is not None and (value not in ([], {}) or here in settings.provenance):
                    yield _server_row(settings, effective, here, value)
        for key in OAUTH:
            here = dotted("mcp_servers", name, "oauth", key)
            if here in settings.provenance:
                value = _json(getattr(server.oauth, key))
                yield _server_row(settings, effective, here, value)
        for tool, own in server.tools.items():
            here = dotted("mcp_servers", name, "tools", tool, "approval_mode")
            if own.approval_mode is not None:
                yield _server_row(settings, effective, here, own.approval_mode)
        # What is amiss is found with the real environment: in the other one no variable is missing.
        for key in ("missing", "refused"):
            if value := getattr(effective, key):
                here = dotted("mcp_servers", name, key)
                yield _server_row(settings, effective, here, _json(value))


def _server_row(settings: Settings, server: ServerSettings, key: str, value: Any) -> Shown:
    origin = settings.provenance.get(key)
    locked = server.layer == "managed"
    return Shown(key, value, origin.layer if origin else "default", locked)


def _hidden(key: str, value: Any) -> Any:
    """A server's value without its literal secrets; references stay readable."""
    if isinstance(value, Mapping):
        return {name: hidden_under(name, text, stars) for name, text in value.items()}
    if key == "args":
        return hidden_arguments(value, stars)
    return hidden(value, stars) if key in ("command", "url") and value else value


def _json(value: Any) -> Any:
    if isinstance(value, tuple):
        return list(value)
    return dict(value) if isinstance(value, Mapping) else value
