"""`elicit-tui login`, `logout` and `logins`: remote servers that want a login."""

from __future__ import annotations

import argparse
import asyncio
import os
from collections.abc import Iterator
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any

from elicit_tui.cli import exit_codes
from elicit_tui.cli.asking import PersonForLogins
from elicit_tui.cli.interrupts import Interrupts
from elicit_tui.cli.narration import Narration
from elicit_tui.cli.output import TEXT_OR_JSON, Output
from elicit_tui.cli.run_settings import load_settings, named_server
from elicit_tui.elicitation import rfc3339
from elicit_tui.elicitation.own_questions import shown_address
from elicit_tui.errors import LimitReached, LoginError, ProtocolCallError, ServerError, UsageError
from elicit_tui.logins import Login, LoginShelf
from elicit_tui.paths import logins_directory
from elicit_tui.policy import Policy
from elicit_tui.runtime import RunOptions, open_runtime
from elicit_tui.text import neutral_line

if TYPE_CHECKING:
    from elicit_tui.elicitation.settings import ServerSettings, Settings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the three commands."""
    command = getattr(parser, "command", "")
    if command != "logins":
        parser.add_argument("server", metavar="SERVER", help="its name in the configuration")
    if command == "login":
        parser.add_argument("--plain", action="store_true", help="line prompts instead of a form")
    if command == "logins":
        parser.add_argument("--output", choices=TEXT_OR_JSON, default="text", help="as shown")


def run(namespace: argparse.Namespace) -> int:
    """Log in, log out, or list the logins of this machine."""
    narration = Narration()
    named = [namespace.server] if namespace.command != "logins" else []
    settings = load_settings(namespace, narration, named)
    if namespace.command == "logins":
        return _list(settings, namespace.output)
    server = named_server(settings, namespace.server)
    if not server.may_log_in:
        why = "runs on this machine" if server.url is None else "has a bearer token or header"
        raise UsageError(f"The server {server.name} wants no login: it {why}.")
    if namespace.command == "logout":
        return _log_out(settings, server, narration)
    return _log_in(settings, server, namespace, narration)


def shelf_of(settings: Settings) -> LoginShelf:
    """Where the logins of this machine are kept."""
    return LoginShelf(logins_directory(), settings.logins.store)


def login_of(settings: Settings, server: ServerSettings) -> Login | None:
    """A server's login that is of use, without asking a keyring; None: there is none."""
    known = _kept_login(settings, server)
    return known if known is not None and known.is_of_use else None


def _kept_login(settings: Settings, server: ServerSettings) -> Login | None:
    """What is known of a server's login, be it only the registration of a client."""
    # A login belongs to a client. Where the configuration names one, no other client's is meant.
    if not server.may_log_in:
        return None
    client_id = server.oauth.client_id
    return next(
        (
            login
            for login in shelf_of(settings).kept()
            if login.server_url == server.url and client_id in (None, login.client_id)
        ),
        None,
    )


def described(login: Login) -> str:
    """Where, as what and until when, on one line."""
    scopes = ", ".join(neutral_line(scope, 60) for scope in login.scopes[:12]) or "no scopes named"
    # A keyring is not read for this, as it might ask for its password: that the login is there has
    # to do.
    until = "no end was named" if login.until is None else f"until {rfc3339(login.until)}"
    renewed = ", renewed by itself" if login.refresh_token or login.kept_in == "keyring" else ""
    return (
        f"at {shown_address(login.issuer)} as {neutral_line(login.client_id, 120)}, for "
        f"{scopes}, {until}{renewed}; kept in {_place(login)}"
    )


def login_data(settings: Settings, server: ServerSettings) -> dict[str, Any] | None:
    """A server's login as `logins --output json` has it; None: there is none."""
    login = login_of(settings, server)
    return None if login is None else _row(settings, login)


def login_sentence(settings: Settings, server: ServerSettings) -> str:
    """Whether we are logged in to a server, and what happens where it wants that."""
    login = login_of(settings, server)
    if login is not None:
        return f"Logged in {described(login)}."
    decision = Policy(settings).judge_login(server.name)
    change = f" {decision.change}" if decision.change else ""
    return f"Not logged in. If the server wants that: {decision.sentence}{change}"


def _place(login: Login) -> str:
    return "the keyring" if login.kept_in == "keyring" else str(logins_directory())


# login


def _log_in(
    settings: Settings, server: ServerSettings, namespace: argparse.Namespace, narration: Narration
) -> int:
    output = Output()
    output.claim()
    try:
        with Interrupts() as interrupts:
            work = _connected(settings, server, namespace, narration, output)
            failure = asyncio.run(interrupts.run(work))
    finally:
        output.release()
    if failure is not None:
        narration.error(failure)
        return exit_codes.code_of(failure)
    login = login_of(settings, server)
    if login is None:
        output.prose(f"{server.name} answers without a login.")
    else:
        output.prose(f"✓ Logged in to {server.name} {described(login)}.")
    return exit_codes.OK


async def _connected(
    settings: Settings,
    server: ServerSettings,
    namespace: argparse.Namespace,
    narration: Narration,
    output: Output,
) -> Exception | None:
    """Connect, which asks for the login where there is none; what went wrong."""
    person = PersonForLogins(narration, output, plain=namespace.plain)
    opened = open_runtime(
        settings,
        responder=lambda queue: person.responder(settings, queue),
        options=RunOptions(person_present=person.present, log_file=namespace.log_file),
    )
    # To connect is all that is wanted: the login is asked for on the way, where the server has one.
    async with opened as runtime:
        person.follow(runtime)
        try:
            connection = await runtime.host.connect(server.name)
            # Some servers connect anybody, and want the login only when something is asked of them.
            await connection.tools()
        except (ServerError, LimitReached, ProtocolCallError) as error:
            return error
    return None


# logout


def _log_out(settings: Settings, server: ServerSettings, narration: Narration) -> int:
    shelf, known = shelf_of(settings), _kept_login(settings, server)
    if known is None:
        narration.tell(f"there is no login to {server.name} on this machine.")
        return exit_codes.OK
    revoked = asyncio.run(_end(server, shelf, known, narration))
    at = shown_address(known.issuer)
    there = f" and {at} was told" if revoked else f"; {at} was not told, and its tokens may live on"
    Output().prose(f"✓ Logged out of {server.name}: the tokens are gone from here{there}.")
    return exit_codes.OK


async def _end(
    server: ServerSettings, shelf: LoginShelf, known: Login, narration: Narration
) -> bool:
    """Take a login back at its authorization server, and forget it; whether the server was told."""
    from elicit_tui.host.login_requests import revoked

    async with AsyncExitStack() as held:
        try:
            # Under the lock to the end, so that no other process renews the tokens while they are
            # taken back, nor keeps new ones once they are gone.
            await held.enter_async_context(shelf.lock(known.key))
            login = shelf.read(known.key)
            told = login is not None and await revoked(server, os.environ, login)
        except LoginError as error:
            narration.tell(f"the authorization server was not told: {error}")
            told = False
        shelf.forget(known.key)
    return told


# logins


def _list(settings: Settings, output_format: str) -> int:
    logins = shelf_of(settings).kept()
    rows = [_row(settings, login) for login in logins]
    output = Output()
    output.text_or_json(
        output_format, lambda: output.prose("\n".join(_lines(rows, logins))), lambda: rows
    )
    return exit_codes.OK


def _row(settings: Settings, login: Login) -> dict[str, Any]:
    return {
        "servers": [
            name
            # By the key: a server that takes another client's login has none here.
            for name, server in settings.servers.items()
            if (known := _kept_login(settings, server)) is not None and known.key == login.key
        ],
        "url": login.server_url,
        "issuer": login.issuer,
        "resource": login.resource,
        "clientId": login.client_id,
        "scopes": list(login.scopes),
        "until": None if login.until is None else rfc3339(login.until),
        "keptIn": login.kept_in,
    }


def _lines(rows: list[dict[str, Any]], logins: tuple[Login, ...]) -> Iterator[str]:
    if not rows:
        yield "No login is kept on this machine."
    for row, login in zip(rows, logins, strict=True):
        names = ", ".join(row["servers"]) or f"(not configured) {shown_address(row['url'])}"
        if login.is_of_use:
            yield f"{names}: {described(login)}"
        else:
            yield f"{names}: logged out by {shown_address(login.issuer)}; log in again"
