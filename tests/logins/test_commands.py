"""`login`, `logout` and `logins` as a person or a script uses them."""

from __future__ import annotations

import json
import re
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import httpx2
import pyte
import pytest

from elicit_tui.cli import logins
from elicit_tui.cli.asking import LoginsOnly
from elicit_tui.cli.narration import Narration
from elicit_tui.elicitation import Deadline
from elicit_tui.elicitation.settings import ServerSettings, Settings
from elicit_tui.host import login_requests
from elicit_tui.logins import LoginShelf
from elicit_tui.logins.login import LoginKey
from elicit_tui.paths import lock_open_file
from elicit_tui.tui.question.address import qr_code
from tests.cli.running import run
from tests.cli.terminal import SECONDS, Terminal
from tests.cli.test_terminal import type_until
from tests.hooks.world import answer
from tests.logins.browser import CANARIES, LoginServer, Person, paste
from tests.logins.test_shelf import LOGIN
from tests.tui.question.asking import url_question


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
        assert '=== Log in to "remote"? ===' in screen
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


def test_without_a_person_the_exit_code_is_4_and_the_command_is_named(
    server: LoginServer, tmp_path: Path
) -> None:
    answers = tmp_path / "answers.toml"
    answers.write_text('[[answers]]\naction = "accept"\ncontent = {}\n')
    for arguments in (
        ["login", "remote"],
        ["call", "remote", "read_it", "--answers", str(answers)],
        ["tools", "remote"],
    ):
        ended = run(*arguments, *given(server))
        assert ended.code == 4
        assert "Log in with: elicit-tui login remote" in ended.stderr
    assert server.asked == []


def test_a_list_of_tools_asks_the_person_for_the_login_whatever_a_hook_accepts(
    server: LoginServer, sealed_machine: Path
) -> None:
    folder = sealed_machine / ".config" / "elicit-tui"
    folder.mkdir(parents=True)
    (folder / "accepts").write_text(f"cat > heard; echo '{answer('accept')}'\n")
    hook = f'event = "Elicitation"\ncommand = ["sh", "{folder / "accepts"}"]'
    (folder / "config.toml").write_text(f"[[hooks]]\n{hook}\n")
    with Terminal(["tools", *given(server)], columns=2000, TERM="dumb") as terminal:
        screen = terminal.wait_for("/open, /agree")
        assert "accepted, which does not count: only a person logs in." in screen
        terminal.type(pasted_for(page_on(screen)) + "\r")
        terminal.wait_for("the word yes")
        terminal.type("yes\r")
        terminal.wait_for("remote offers these tools:")
        assert terminal.end() == 0


@pytest.mark.anyio
async def test_while_a_list_is_made_nobody_is_asked_what_a_server_asks() -> None:
    asked = LoginsOnly(Person(paste))
    question = url_question("https://example.com/")
    outcome = await asked.respond(question, Deadline(0))
    assert (outcome.action, outcome.decided_by) == ("cancel", "nobody")


def window(terminal: Terminal) -> list[str]:
    """What stands on the terminal, row by row."""
    screen = pyte.Screen(110, 45)
    pyte.Stream(screen).feed(terminal.raw)
    return [row.rstrip() for row in screen.display]


def wait_until(terminal: Terminal, holds: Callable[[list[str]], bool]) -> None:
    """Read on until this is so of the rows that stand there."""
    end = time.monotonic() + SECONDS
    while not holds(window(terminal)):
        assert time.monotonic() < end, "\n".join(window(terminal))
        terminal.read(0.2)


def shows_its_code(rows: list[str]) -> bool:
    """Whether the whole code of the address above it stands there."""
    code = qr_code("".join(rows).partition("belongs to")[0], 110, 40)
    drawn = [row for row in rows if set("▀▄█") & set(row)]
    return code is not None and drawn == [
        row.rstrip() for row in code.plain.split("\n") if row.strip()
    ]


def test_the_qr_code_under_the_prompt_has_the_whole_terminal_and_gives_it_back(
    server: LoginServer,
) -> None:
    with Terminal(["login", "remote", *given(server)], columns=110, lines=45) as terminal:
        terminal.wait_for("^S Open")
        # The same key takes it away again: it is pressed twice only where it was not heard.
        type_until(terminal, "\x1b[17~", "▀▀▀", 10)
        wait_until(terminal, shows_its_code)
        terminal.type("\x1b[17~")
        wait_until(terminal, lambda rows: any(row.startswith("╭─ elicit-tui") for row in rows))
        type_until(terminal, "\x0e", "was declined")
        assert terminal.end() == 4


def test_the_console_says_that_a_server_wants_a_login_and_a_key_asks_again(
    server: LoginServer,
) -> None:
    with Terminal(given(server), columns=110, lines=45) as terminal:
        terminal.wait_for("^S Open")
        type_until(terminal, "\x0e", "asks you to log in.")
        assert any("wants a login" in row[:40] for row in window(terminal))
        # A question opens once the keys rest: each press is waited for longer than that.
        type_until(terminal, "r", "You log in at", 5)


def test_a_login_is_gone_before_another_process_may_renew_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = []

    class Watched(LoginShelf):
        def forget(self, key: LoginKey) -> bool:
            with (tmp_path / f"{key}.lock").open("r+b") as another:
                free.append(lock_open_file(another.fileno()))
            return super().forget(key)

    async def revoked(*given: object) -> bool:
        return True

    monkeypatch.setattr(login_requests, "revoked", revoked)
    shelf = Watched(tmp_path, "file")
    settings = Settings(servers={"remote": ServerSettings("remote", url=LOGIN.server_url)})
    monkeypatch.setattr(logins, "shelf_of", lambda settings: shelf)
    kept = shelf.save(LOGIN)
    assert logins._log_out(settings, settings.servers["remote"], Narration()) == 0
    assert (free, shelf.read(kept.key)) == ([False], None)


def test_a_server_without_http_wants_no_login() -> None:
    ended = run("login", "demo")
    assert ended.code == 2
    assert "wants no login: it runs on this machine" in ended.stderr
