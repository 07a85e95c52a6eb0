"""What the command line sets of the configuration, as values; argparse is another room's job."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from elicit_tui.config.servers import reserved
from elicit_tui.elicitation.eras import Revision
from elicit_tui.elicitation.settings import NamedPolicy
from elicit_tui.elicitation.toml_spelling import toml_value
from elicit_tui.errors import UsageError
from elicit_tui.text.hosts import is_web_address


class CommandLine(NamedTuple):
    """The options that stand above the user's file and below the managed one."""

    config_file: Path | None = None
    """`--config`: in place of the user's own file."""
    approval_policy: NamedPolicy | None = None
    with_servers: tuple[str, ...] = ()
    """Each `--with NAME=TARGET`."""
    timeout: float | None = None
    """`--timeout` in seconds, in place of every server's `tool_timeout_sec`."""
    protocol: Revision | None = None
    """`--protocol`: the revision of the servers of `--with`."""
    allowed_tools: tuple[tuple[str, str], ...] = ()
    """`--allow-tool`: servers and their tools whose calls in this run need no confirmation."""

    @property
    def added(self) -> tuple[tuple[str, Mapping[str, Any]], ...]:
        """The name and table of each server of `--with`. Raises UsageError."""
        if self.protocol is None:
            return tuple(map(added_server, self.with_servers))
        if not self.with_servers:
            raise UsageError(
                "--protocol pins the servers of --with, and there is none; for a server of the "
                "configuration set mcp_servers.NAME.protocol."
            )
        tables = map(added_server, self.with_servers)
        return tuple((name, {**table, "protocol": self.protocol}) for name, table in tables)


def added_server(option: str) -> tuple[str, Mapping[str, Any]]:
    """The name and table of one `--with NAME=TARGET`. Raises UsageError."""
    name, equals, target = (part.strip() for part in option.partition("="))
    if not equals or not name or not target:
        raise UsageError("--with needs NAME=TARGET: a name, and a URL or a command line.")
    try:
        return name, server_table(name, target)
    except UsageError as error:
        raise UsageError(f"--with {error}") from None


def server_table(name: str, target: str) -> Mapping[str, Any]:
    """The table of a server that is reached so. Raises UsageError, which begins with its name.

    The target is a URL, or a command line split as a POSIX shell would; nothing is expanded.
    """
    if not name or not name.isprintable():
        raise UsageError(f"{toml_value(name)} is no name of a server: it has to be readable.")
    if (reason := reserved(name)) is not None:
        raise UsageError(f"{name}: {reason}.")
    if target.lower().startswith(("http://", "https://")):
        if not is_web_address(target):
            raise UsageError(f"{name}: the target is not an http or https address.")
        return {"url": target}
    try:
        words = shlex.split(target, posix=True)
    except ValueError as error:
        raise UsageError(f"{name}: the command line cannot be split: {error}.") from None
    if not words or not words[0]:
        raise UsageError(f"{name}: the command line is empty.")
    return {"command": words[0], "args": words[1:]}
