"""`login`, `logout` and `logins` as a person or a script uses them."""

from __future__ import annotations

import re
import subprocess

import httpx2

from tests.cli.running import run
from tests.cli.terminal import Terminal
from tests.logins.browser import CANARIES, LoginServer


def given(server: LoginServer) -> tuple[str, str]:
    return ("--with", f"remote={server.url}")


def page_on(screen: str) -> str:
    found = re.search(r"http://\S+/authorize\?\S+", screen)
    assert found is not None, screen
    return found[0]


def pasted_for(page: str) -> str:
    return str(httpx2.get(page, timeout=30).headers["location"])


def test_a_person_logs_in_with_a_pasted_address_and_logs_out(server: LoginServer) -> None:
    with Terminal(["login", "remote", "--plain", *given(server)], columns=2000) as terminal:
        screen = terminal.wait_for("/open, /agree")
        assert "=== Log in to remote? ===" in screen
        assert "The server says" not in screen
        terminal.type(pasted_for(page_on(screen)) + "\r")
        terminal.wait_for("the word yes")
        listed = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True)
        terminal.type("yes\r")
        terminal.wait_for("Logged in to remote")
        assert terminal.end() == 0
        shown = terminal.shown
    assert not any(canary in listed.stdout for canary in CANARIES)
    assert "access-canary" not in shown
    assert "refresh-canary" not in shown

    listed = run("logins", "--output", "json", *given(server)).document
    (row,) = listed
    assert (row["servers"], row["issuer"], row["scopes"], row["keptIn"]) == (
        ["remote"],
        server.origin,
        ["read"],
        "file",
    )
    called = run("call", "remote", "read_it", *given(server))
    assert (called.code, called.stdout) == (0, "read_it done\n")
    shown = run("logins", *given(server))
    place = f"at {server.origin} as "
    assert shown.stdout.startswith(f"remote: {place}")
    explained = run("config", "explain", "remote", *given(server))
    assert f"Logged in {place}" in " ".join(explained.stdout.split())
    tools = run("tools", "remote", *given(server))
    assert f"(logged in {place}" in tools.stdout
    row = run("history", "list", "--output", "json").document[0]
    assert (row["kind"], row["action"], row["decidedBy"]) == ("authorization", "accept", "user")

    done = run("logout", "remote", *given(server))
    assert done.code == 0
    assert "was told" in done.stdout
    assert server.asked[-1] == "revoke"
    assert run("logins", *given(server)).stdout == "No login is kept on this machine.\n"


def test_without_a_person_the_exit_code_is_4_and_the_command_is_named(server: LoginServer) -> None:
    for arguments in (["login", "remote"], ["call", "remote", "read_it"], ["tools", "remote"]):
        ended = run(*arguments, *given(server))
        assert ended.code == 4
        assert "Log in with: elicit-tui login remote" in ended.stderr
    assert server.asked == []


def test_a_server_without_http_wants_no_login() -> None:
    ended = run("login", "demo")
    assert ended.code == 2
    assert "wants no login: it runs on this machine" in ended.stderr
