"""A server's table becomes ServerSettings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from elicit_tui.config.expansion import REFERENCE, Expansion, NoExpansion
from elicit_tui.config.keys import SERVER
from elicit_tui.elicitation.request import AGENT
from elicit_tui.elicitation.settings import Layer, OAuthSettings, ServerSettings, ToolSettings
from elicit_tui.elicitation.toml_spelling import toml_value
from elicit_tui.text.hosts import is_loopback, is_web_address

GATEWAY_COMMANDS: Final = ("doctor", "install", "snippet", "status", "token", "uninstall")
"""What follows `elicit-tui gateway` and is no server's name."""

ONE_WAY: Final = "needs exactly one of command and url"
WITH_COMMAND: Final = "goes with command, not with url"
WITH_URL: Final = "goes with url, not with command"
NO_ADDRESS: Final = "must be an http or https address"

LAST_PORT: Final = 65535

_STDIO_ONLY = ("args", "env", "cwd")
REMOTE_ONLY = ("transport", "http_headers", "bearer_token_env_var", "oauth")


_OF_THE_CONNECTION: Final = frozenset(
    "connection content-length expect host keep-alive proxy-connection "
    "te trailer transfer-encoding upgrade".split()
)
"""Headers by which a request reaches another server than its url names, or other bytes than ours
(RFC 9110, 7.2 and 7.6.1; RFC 9112, 6.3)."""


def reserved(name: str) -> str | None:
    """Why no server can have this name, in words; None where one can."""
    if name == AGENT:
        return f"{AGENT} is a reserved name: what an agent itself asks comes under it"
    if name in GATEWAY_COMMANDS:
        return f"{name} is a reserved name: `elicit-tui gateway {name}` is a command"
    return None


def header_fault(name: str) -> str | None:
    """Why nobody may set this header of a request, as a clause; None where one may."""
    if name.strip().lower() in _OF_THE_CONNECTION:
        return "belongs to the connection: it follows from the url and is never set"
    return None


_LISTS: Final = ("enabled_tools", "disabled_tools", "elicitation_modes")
_READ_APART: Final = ("tools", "args", "env", "http_headers", "command", "cwd", "url", "oauth")
"""Keys of a server whose values are more than themselves: expanded, or tables of their own."""


def server_from(
    name: str,
    table: Mapping[str, Any],
    layer: Layer,
    environment: Mapping[str, str],
    *,
    expand_all: bool = True,
) -> ServerSettings:
    """The settings of one server; `expand_all` False (managed): only env and http_headers."""
    expansion = Expansion(environment)
    # How a server is started or reached: an administrator's words for that are taken as they stand.
    launch = expansion if expand_all else NoExpansion()
    # Named here, so that a variable that is not set is found at the start.
    token_name = table.get("bearer_token_env_var")
    if token_name is not None:
        expansion.want(token_name)
    values: dict[str, Any] = {
        key: tuple(value) if key in _LISTS else value
        for key, value in table.items()
        if key in SERVER.keys and key not in _READ_APART
    }
    values["oauth"] = _oauth(table.get("oauth", {}), expansion)
    for key in ("command", "cwd", "url"):
        if key in table:
            values[key] = launch.text(table[key])
    values["args"] = launch.texts(table.get("args", []))
    values["env"] = expansion.table(table.get("env", {}))
    values["http_headers"] = expansion.table(table.get("http_headers", {}))
    values["header_variables"] = _header_variables(table.get("http_headers", {}))
    values["tools"] = {
        tool: ToolSettings(own.get("approval_mode")) for tool, own in table.get("tools", {}).items()
    }
    return ServerSettings(name=name, layer=layer, missing=expansion.missing, **values)


def _header_variables(headers: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """The variables that a header is made of, to be told with a fault of it."""
    found = {name: tuple(dict.fromkeys(REFERENCE.findall(text))) for name, text in headers.items()}
    return {name: variables for name, variables in found.items() if variables}


def _oauth(table: Mapping[str, Any], wanted: Expansion) -> OAuthSettings:
    if "client_secret_env" in table:
        wanted.want(table["client_secret_env"])
    lists = {"scopes": tuple(table["scopes"])} if "scopes" in table else {}
    return OAuthSettings(**{**table, **lists})


def faults(table: Mapping[str, Any], server: ServerSettings) -> Iterator[tuple[str | None, str]]:
    """What does not fit together in one server's table: the key, if one is to blame, and why."""
    if (reason := reserved(server.name)) is not None:
        yield None, reason
    if ("command" in table) == ("url" in table):
        yield None, ONE_WAY
        return
    if "command" in table:
        for key in REMOTE_ONLY:
            if key in table:
                yield key, WITH_URL
        if not table["command"].strip():
            yield "command", "must not be empty"
    else:
        for key in _STDIO_ONLY:
            if key in table:
                yield key, WITH_COMMAND
        # Not at the top: a local server's start waits for every import before it.
        from elicit_tui.elicitation.hiding import is_variable

        name = table.get("bearer_token_env_var")
        if name is not None and not is_variable(name):
            yield "bearer_token_env_var", "must be the name of an environment variable"
        # With a variable in it the address is not known before the run.
        known = server.url is not None and REFERENCE.search(server.url) is None
        if known and not is_web_address(server.url or ""):
            yield "url", NO_ADDRESS
        yield from _oauth_faults(server.oauth, is_variable)
        for header in table.get("http_headers", {}):
            if (why := header_fault(header)) is not None:
                yield "http_headers", f"{toml_value(header)} {why}"


def _oauth_faults(
    oauth: OAuthSettings, is_variable: Callable[[str], bool]
) -> Iterator[tuple[str | None, str]]:
    if oauth.client_secret_env is not None:
        if not is_variable(oauth.client_secret_env):
            yield "oauth", "client_secret_env must be the name of an environment variable"
        if oauth.client_id is None:
            yield "oauth", "client_secret_env goes with client_id"
    if not oauth.needs_person:
        # Without an issuer the server would choose who gets to see the credentials.
        for key in ("client_id", "client_secret_env", "issuer"):
            if getattr(oauth, key) is None:
                yield "oauth", f'grant = "{oauth.grant}" needs {key}'
    if oauth.callback_port is not None and oauth.callback_port > LAST_PORT:
        yield "oauth", "callback_port must be a port"
    for key in ("issuer", "client_metadata_url"):
        value = getattr(oauth, key)
        if value is not None and not is_web_address(value):
            yield "oauth", f"{key} {NO_ADDRESS}"
    document = oauth.client_metadata_url
    if document is not None and is_web_address(document):
        parts = urlsplit(document)
        if parts.scheme != "https" or parts.path in ("", "/"):
            yield "oauth", "client_metadata_url must be https and name a document"


def in_the_clear(server: ServerSettings) -> str | None:
    """The key of a secret that anybody on the way to this server can read; None where none can."""
    if server.url is None or not is_web_address(server.url):
        return None
    parts = urlsplit(server.url)
    # On this machine nobody is on the way.
    if parts.scheme != "http" or is_loopback(parts.hostname or ""):
        return None
    if server.bearer_token_env_var is not None:
        return "bearer_token_env_var"
    return "http_headers" if server.http_headers else None
