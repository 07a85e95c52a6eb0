"""`login`, `logout` and `logins` as a person or a script uses them."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

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


HOOKS = "".join(
    f'[[hooks]]\nevent = "{event}"\ncommand = ["sh", "-c", "cat >> heard"]\n'
    for event in ("Asked", "Elicitation", "ElicitationResult", "Resolved")
)


def test_a_person_logs_in_with_a_pasted_address_and_logs_out(
    server: LoginServer, sealed_machine: Path
) -> None:
    folder = sealed_machine / ".config" / "elicit-tui"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text(HOOKS)
    log = ("--log-file", str(sealed_machine / "log"))
    arguments = ["login", "remote", "--plain", *log, *given(server)]
    with Terminal(arguments, columns=2000) as terminal:
        screen = terminal.wait_for("/open, /agree")
        assert "=== Log in to remote? ===" in screen
        assert "The server says" not in screen
        terminal.type(pasted_for(page_on(screen)) + "\r")
        terminal.wait_for("the word yes")
        processes = subprocess.run(
            ["ps", "-eo", "args"], capture_output=True, text=True, check=True
        )
        terminal.type("yes\r")
        terminal.wait_for("Logged in to remote")
        assert terminal.end() == 0
        # What was pasted stands there once, as it was typed.
        shown = [processes.stdout, terminal.shown.replace("code-canary", "typed", 1)]

    def ran(*arguments: str) -> str:
        ended = run(*arguments, *log, *given(server))
        assert ended.code == 0
        shown.extend((ended.stdout, ended.stderr))
        return ended.stdout

    (row,) = json.loads(ran("logins", "--output", "json"))
    assert (row["servers"], row["issuer"], row["scopes"], row["keptIn"]) == (
        ["remote"],
        server.origin,
        ["read"],
        "file",
    )
    assert "read_it done" in ran("call", "remote", "read_it", "--output", "json")
    place = f"at {server.origin} as "
    assert ran("logins").startswith(f"remote: {place}")
    assert f"Logged in {place}" in " ".join(ran("config", "explain", "remote").split())
    assert f"(logged in {place}" in ran("tools", "remote")
    (told,) = [json.loads(line) for line in ran("history", "export").splitlines()]
    assert (told["kind"], told["action"], told["decidedBy"]) == ("authorization", "accept", "user")

    server.change(forget_access=True, token_status=503)
    ended = run("call", "remote", "read_it", *log, *given(server))
    shown.extend((ended.stdout, ended.stderr))
    assert (ended.code, "its login could not be renewed (HTTP 503)" in ended.stderr) == (4, True)
    server.change(token_status=None)

    assert "was told" in ran("logout", "remote")
    assert server.asked[-1] == "revoke"
    assert ran("logins") == "No login is kept on this machine.\n"

    files = {path: path.read_bytes() for path in sealed_machine.rglob("*") if path.is_file()}
    heard = files[sealed_machine / "heard"].decode()
    assert all(f'"{event}"' in heard for event in ("Asked", "ElicitationResult", "Resolved"))
    for canary in CANARIES:
        assert not any(canary in text for text in shown)
        assert not [path for path, content in files.items() if canary.encode() in content]


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
