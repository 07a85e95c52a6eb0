"""What waits in a console's own form is told of in other terminals, and answered there alone."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from elicit_tui.broker import waiting_here
from elicit_tui.broker.waiting_here import AskedHere, NoteOfConsole, waiting_in_consoles
from elicit_tui.elicitation import Call
from tests.cli.asking_gateway import inbox
from tests.tui.console.stand import console

pytestmark = pytest.mark.anyio

SINCE = "2026-01-02T03:04:05Z"


async def test_the_inbox_names_what_waits_in_a_console_until_it_is_answered_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting_here, "terminal", lambda: "pts/7")
    async with console(tmp_path) as stand:
        request = stand.ask("alpha", "A secret word?", calls=(Call("tools/call", "plan", {}),))
        await stand.shown(request)
        await stand.until(waiting_in_consoles)
        listed = await inbox("list")
        assert listed.code == 0
        assert "alpha plan waits in the console on pts/7 since" in listed.stderr
        assert "and is answered there." in listed.stderr
        assert "secret" not in listed.stdout + listed.stderr, "no word of the question leaves it"
        await stand.press("ctrl+n")
        await stand.until(lambda: stand.outcomes and not waiting_in_consoles())
        assert "waits in the console" not in (await inbox("list")).stderr


async def test_an_inbox_that_is_open_says_what_waits_in_a_console(tmp_path: Path) -> None:
    note = NoteOfConsole()
    note.stands((AskedHere("alpha", "plan", SINCE),))
    async with console(tmp_path, servers=[], inbox=True) as stand:
        await stand.until(lambda: "alpha plan waits in the console on" in stand.text())
        assert "Nothing waits here." in stand.text()
        note.end()
        await stand.until(lambda: "alpha plan waits" not in stand.text())
        assert "Nothing waits." in stand.text()


def test_a_note_that_says_no_time_costs_nobody_the_others(tmp_path: Path) -> None:
    note, damaged = NoteOfConsole(), NoteOfConsole()
    for each in (note, damaged):
        each.stands((AskedHere("alpha", None, SINCE),))
    path = sorted(waiting_here.NOTES.path.glob("*.json"))[0]
    path.write_text(path.read_text().replace(SINCE, "2026-01-02T03:04:05"))
    (found,) = waiting_in_consoles()
    assert len([*found.sentences]) == 1
    for each in (note, damaged):
        each.end()


def test_of_a_console_that_is_gone_nothing_waits(tmp_path: Path) -> None:
    child = os.fork()
    if not child:
        NoteOfConsole().stands((AskedHere("alpha", None, SINCE),))
        os._exit(0)  # As if it were killed: nobody takes its note away.
    os.waitpid(child, 0)
    assert [*waiting_here.NOTES.path.glob("*.json")]
    assert waiting_in_consoles() == []
    assert not [*waiting_here.NOTES.path.glob("*.json")]


def test_nothing_in_a_note_can_act_on_a_terminal_and_no_flood_fills_it(tmp_path: Path) -> None:
    note = NoteOfConsole()
    note.stands((AskedHere("al\x1b[31mpha", "pl\nan", SINCE),), 7)
    (found,) = waiting_in_consoles()
    first, second = found.sentences
    assert "\x1b" not in first
    assert "\n" not in first
    assert second.startswith("7 more wait")
    note.end()
