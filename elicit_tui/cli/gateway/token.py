"""`elicit-tui gateway token`: who may use the gateway over HTTP."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from elicit_tui.cli.narration import Narration
from elicit_tui.cli.output import Output
from elicit_tui.errors import UsageError

if TYPE_CHECKING:
    from elicit_tui.gateway.tokens import Tokens


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The commands of `gateway token`."""
    commands = parser.add_subparsers(dest="token_command", metavar="COMMAND", required=True)
    commands.add_parser("list", help="those that are known, by name")
    add = commands.add_parser("add", help="make one and show it, once")
    revoke = commands.add_parser("revoke", help="end its sessions, and let it open none")
    for each in (add, revoke):
        each.add_argument("name", metavar="NAME", help="whose it is")


def run(namespace: argparse.Namespace) -> int:
    """Make, list or revoke. Raises UsageError."""
    from elicit_tui.gateway.tokens import Tokens

    tokens = Tokens()
    if namespace.token_command == "add":
        _show_once(tokens, namespace.name)
        Narration().tell(
            "this token is shown once. A client gives it as "
            "`Authorization: Bearer TOKEN`, from its environment or a 0600 file."
        )
    elif namespace.token_command == "revoke":
        tokens.revoke(namespace.name)
        Narration().tell(f"{namespace.name} is revoked; its sessions end.")
    else:
        for token in tokens.listed():
            Output().text(f"{token.name}  added {token.added}")
    return 0


def _show_once(tokens: Tokens, name: str) -> None:
    """Make a token and write it; one that nobody could see is none. Raises UsageError."""
    output = Output()
    output.text(tokens.add(name))
    if output.failure is not None:
        tokens.revoke(name)
        why = output.failure.strerror or output.failure
        raise UsageError(f"The token could not be shown, so there is no token {name!r}: {why}.")
