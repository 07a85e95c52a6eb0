"""An argument that is a secret is not shown as it is typed, and stands in no file or command."""

from __future__ import annotations

import html
import json
import os
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.cells import cell_len

from elicit_tui.elicitation import Call
from elicit_tui.elicitation.settings import GuardianSettings
from elicit_tui.runtime.opening import LazyGuardian
from elicit_tui.tui.console.calls import CallRecord
from elicit_tui.tui.console.kept_calls import KeptCalls
from elicit_tui.tui.console.kept_results import TELLS
from elicit_tui.tui.console.results import as_command
from elicit_tui.tui.console.screens.arguments import ArgumentsScreen
from elicit_tui.tui.console.screens.keep_call import KeepCallScreen
from elicit_tui.tui.console.screens.long_text import LongTextScreen
from elicit_tui.tui.secret_arguments import masked_line
from tests.tui.console.stand import Stand, console
from tests.tui.console.test_calls import calls_of, tool
from tests.tui.console.test_calls_of_earlier_runs import until_written

pytestmark = pytest.mark.anyio

LOGIN = {
    "type": "object",
    "properties": {
        "user": {"type": "string"},
        "password": {"type": "string"},
        "line": {"type": "string", "title": "Line", "format": "password"},
    },
    "required": ["user", "password"],
}
TOOLS = {"alpha": [tool("login", LOGIN)]}


async def called(stand: Stand) -> None:
    """Call it with secrets."""
    await stand.settled()
    stand.app.call_offer("alpha", stand.app.state.servers["alpha"].offers[0])
    await stand.until(lambda: isinstance(stand.app.screen, ArgumentsScreen))
    await stand.press(*"ada", "tab", *"opensesame", "tab", *"sezame")
    await stand.until(lambda: "••••••" in stand.text())
    assert "sesame" not in stand.text()
    assert "sezame" not in stand.text()
    assert "a secret: not shown as you type" in stand.text()
    await stand.press("ctrl+s")
    await stand.until(lambda: calls_of(stand))


async def test_a_secret_is_not_shown_as_it_is_typed_and_sent_as_it_was(tmp_path: Path) -> None:
    async with console(tmp_path, servers=["alpha"], tools=TOOLS) as stand:
        await called(stand)
        sent = {"user": "ada", "password": "opensesame", "line": "sezame"}
        assert calls_of(stand)[0].arguments == sent


async def typed(stand: Stand) -> None:
    """Write a secret into the form."""
    await stand.settled()
    stand.app.call_offer("alpha", stand.app.state.servers["alpha"].offers[0])
    await stand.until(lambda: isinstance(stand.app.screen, ArgumentsScreen))
    await stand.press(*"ada", "tab", *"opensesame")
    await stand.until(lambda: "••••••" in stand.text())


async def test_a_key_shows_the_secret_of_a_field_until_one_leaves_it(tmp_path: Path) -> None:
    async with console(tmp_path, servers=["alpha"], tools=TOOLS) as stand:
        await typed(stand)
        assert "F6 shows it" in stand.text()
        await stand.press("f6")
        await stand.until(lambda: "opensesame" in stand.text())
        assert "shown until you leave the field" in stand.text()
        await stand.press("f6")
        await stand.until(lambda: "opensesame" not in stand.text())
        await stand.press("f6", "tab")
        await stand.until(lambda: "opensesame" not in stand.text())


async def test_the_json_of_a_form_shows_no_secret_until_one_asks_to_see_it(tmp_path: Path) -> None:
    async with console(tmp_path, servers=["alpha"], tools=TOOLS) as stand:
        await typed(stand)
        await stand.press("f5")
        await stand.until(lambda: '"password": "••••••••••"' in stand.text())
        assert "opensesame" not in stand.text()
        await stand.press("f4")
        await stand.until(lambda: isinstance(stand.app.screen, LongTextScreen))
        await stand.until(lambda: '"password": "••••••••••"' in stand.text())
        await stand.press("escape", "f6")
        await stand.until(lambda: '"password": "opensesame"' in stand.text())
        await stand.press("f6")
        await stand.until(lambda: "opensesame" not in stand.text())
        await stand.press("f2")
        await stand.until(lambda: '"password": "•••"' in stand.text())
        await stand.press("escape", "ctrl+s")
        await stand.until(lambda: calls_of(stand))
        assert calls_of(stand)[0].arguments == {"user": "ada", "password": "opensesame"}


async def test_a_secret_that_is_not_shown_is_not_written_on_the_whole_screen(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, servers=["alpha"], tools=TOOLS) as stand:
        await typed(stand)
        await stand.press("f4")
        await stand.until(lambda: "Only a text that is shown" in stand.notices())
        assert "opensesame" not in stand.text()


async def test_what_no_field_has_is_told_without_its_secrets(tmp_path: Path) -> None:
    async with console(tmp_path, servers=["alpha"], tools=TOOLS) as stand:
        await stand.settled()
        offer = stand.app.state.servers["alpha"].offers[0]
        given = {"user": "ada", "password": "x", "api_token": "opensesame"}
        stand.app.push_screen(ArgumentsScreen("alpha", offer, given))
        await stand.until(lambda: "Also sent, as no field has it" in stand.text())
        assert "opensesame" not in stand.text()


async def test_no_key_for_secrets_is_named_where_there_are_none(tmp_path: Path) -> None:
    tools = {"alpha": [tool("say", {"type": "object", "properties": {"user": {"type": "string"}}})]}
    async with console(tmp_path, servers=["alpha"], tools=tools) as stand:
        await stand.settled()
        stand.app.call_offer("alpha", stand.app.state.servers["alpha"].offers[0])
        await stand.until(lambda: isinstance(stand.app.screen, ArgumentsScreen))
        await stand.press(*"ada", "f5")
        await stand.until(lambda: "Next value" in stand.text())
        assert "F6" not in stand.text()


def test_a_line_of_json_is_masked_letter_by_letter() -> None:
    cases = {
        '  "password": "a\\"b\\u0041c",': '  "password": "•••••••••••",',
        '{"pin": 4711, "user": "ada"}': '{"pin": ••••, "user": "ada"}',
        '"password": "half': '"password": "••••',
        '"password": "密",': '"password": "＊",',
        '"user": "password",': '"user": "password",',
    }
    for line, shown in cases.items():
        assert masked_line(line, ("pin",)) == shown
        assert (len(shown), cell_len(shown)) == (len(line), cell_len(line))


async def test_a_copied_command_takes_secrets_from_the_environment_and_says_so(
    tmp_path: Path,
) -> None:
    async with console(tmp_path, servers=["alpha"], tools=TOOLS) as stand:
        await called(stand)
        await stand.until(lambda: "done" in stand.text())
        await stand.press("e")
        await stand.until(lambda: stand.app.clipboard)
        command = 'elicit-tui call alpha login user=ada password="$PASSWORD" line="$LINE"'
        assert stand.app.clipboard == command
        assert "“password” is a secret: set PASSWORD in your shell first." in stand.notices()
        assert "sesame" not in stand.notices()


async def test_a_kept_call_has_no_secret_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with console(tmp_path, servers=["alpha"], tools=TOOLS) as stand:
        await called(stand)
        await stand.until(lambda: "done" in stand.text())
        await stand.press("w")
        await stand.until(lambda: isinstance(stand.app.screen, KeepCallScreen))
        await stand.until(lambda: "“password”, “line”: a secret, left out" in stand.text())
        await stand.press("enter")
        await stand.until(lambda: "alpha-login.call.json" in stand.notices())
    written = json.loads((tmp_path / "alpha-login.call.json").read_text())
    assert written["arguments"] == {"user": "ada"}


def test_a_shell_reads_the_command_as_it_is_meant() -> None:
    arguments = {"user": "a $HOME", "api key": "x", "2fa_pin": 4711, "odd=key": "y"}
    command = as_command("s", Call("tools/call", "t", arguments), ("api key", "2fa_pin", "odd=key"))
    assert command is not None
    environment = {**os.environ, "API_KEY": "it is 1", "_2FA_PIN": "7"}
    script = f"set -- {command.removeprefix('elicit-tui ')}; printf '%s\\n' \"$@\""
    done = subprocess.run(
        ["sh", "-c", script], env=environment, stdout=subprocess.PIPE, text=True, check=True
    )
    words = ["call", "s", "t", "user=a $HOME", "api key=it is 1", "2fa_pin:=7"]
    assert done.stdout.splitlines() == words
    assert "4711" not in command
    assert shlex.split(command)[0] == "elicit-tui"


@pytest.mark.parametrize("secret", ['pa"ss-w\\ord77', "grün-Haus-77", "two\nlines, mine"])
@pytest.mark.parametrize(
    "echo",
    [str, html.escape, json.dumps, lambda text: json.dumps(json.dumps({"you sent": text}))],
    ids=["as it is", "HTML", "JSON", "JSON in JSON"],
)
def test_a_result_that_tells_a_secret_argument_is_not_kept_however_it_spells_it(
    secret: str, echo: Callable[[str], str]
) -> None:
    ended = CallRecord("alpha", Call("tools/call", "login", {"user": "ada", "password": secret}))
    ended.end("answered", result={"content": [{"type": "text", "text": f"got {echo(secret)}"}]})
    KeptCalls("redacted").add(ended, LOGIN, LazyGuardian(GuardianSettings()))
    until_written()
    (kept,) = KeptCalls("redacted").read()
    assert kept.result is None
    assert kept.no_result == TELLS
