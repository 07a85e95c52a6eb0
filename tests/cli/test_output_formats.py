"""Each format that a command offers has a writer of its own, and goes by no other's."""

from __future__ import annotations

import argparse
import importlib
import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from elicit_tui.cli import listing
from elicit_tui.cli.command_table import COMMANDS
from elicit_tui.cli.dispatch import write_end
from elicit_tui.cli.inbox import subcommands
from elicit_tui.cli.parser import Parser, parse
from elicit_tui.elicitation import Review, now
from elicit_tui.errors import ElicitTuiError
from elicit_tui.ledger import Ledger
from elicit_tui.paths import ledger_file
from elicit_tui.store.store import Waiting
from tests.ledger.world import request

ARGUMENTS: dict[str, tuple[str, ...]] = {
    "call": ("nowhere", "tool"),
    "prompt": ("nowhere", "prompt"),
    "read": ("nowhere", "uri:x"),
    "tools": (),
    "prompts": (),
    "resources": (),
    "inbox list": (),
    "inbox show": ("abc",),
    "inbox grants": (),
    "test": ("scenario.toml",),
    "lint": ("scenario.toml",),
    "check": ("requests.json",),
    "config show": (),
    "config check": (),
    "config explain": ("demo",),
    "history list": (),
    "history show": ("abc",),
    "history export": (),
    "history verify": (),
    "history prune": ("--before", "2020-01-01"),
    "logins": (),
}
"""With what each command that takes `--output` is run here, until it writes; no server starts."""


def offered(parser: argparse.ArgumentParser, name: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each command that takes `--output`, below this one too, with the formats that it offers."""
    for action in parser._actions:
        if "--output" in action.option_strings:
            yield name, tuple(map(str, action.choices or ()))
        if isinstance(action, argparse._SubParsersAction):
            for word, below in action.choices.items():
                yield from offered(below, f"{name} {word}")


def all_offered() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for name, command in COMMANDS.items():
        parser = Parser()
        parser.command = name
        importlib.import_module(command.module).add_arguments(parser)
        found.update(offered(parser, name))
    return found


OFFERED = all_offered()


@pytest.fixture(autouse=True)
def something_to_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A recorded question, one that waits, a scenario that is not run, a recorded request."""
    with closing(Ledger.open(ledger_file())) as ledger:
        ledger.asked(request(id="abc"), Review())
    known: dict[str, Any] = dict.fromkeys((field.name for field in fields(Waiting)), None)
    known.update(id="abc", state="open", kind="elicitation", server="demo", put_at=now())

    async def waiting(settings: Any) -> list[Waiting]:
        return [Waiting(**{**known, "unreadable": "It is sealed.", "agent_state": "waits"})]

    async def no_run(*arguments: Any) -> None:
        return None

    monkeypatch.setattr(subcommands, "_waiting", waiting)
    monkeypatch.setattr("elicit_tui.scenarios.run_scenarios", no_run)
    monkeypatch.setattr(listing, "servers_to_start", lambda *given: [])
    monkeypatch.chdir(tmp_path)
    scenario = '[[scenario]]\nname = "a"\nserver = "demo"\ncall = "tell_time"\n'
    (tmp_path / "scenario.toml").write_text(scenario + 'expect = { text = "*" }\n')
    asked = {"message": "Which?", "requestedSchema": {"type": "object", "properties": {}}}
    kept = json.dumps({"a": {"2025-11-25": [asked]}})
    (tmp_path / "scenario.snapshots.json").write_text(kept)
    (tmp_path / "requests.json").write_text('{"message": "Which?"}')


def written(command: str, how: str) -> None:
    """Run a command until it has written in this format, which its parser need not know."""
    name, *words = command.split()
    module, namespace = parse(name, [*words, *ARGUMENTS[command]])
    namespace.output = how
    try:
        module.run(namespace)
    except ElicitTuiError as error:
        assert name in ("call", "prompt", "read"), "it ended before it wrote"
        write_end(module, namespace, error)


def test_every_command_with_formats_is_tried_here() -> None:
    assert OFFERED.keys() == ARGUMENTS.keys()
    assert all("json" in formats for formats in OFFERED.values())


@pytest.mark.parametrize(
    ("command", "how"), [(command, how) for command in OFFERED for how in OFFERED[command]]
)
def test_a_format_that_is_offered_is_written(
    command: str, how: str, capfd: pytest.CaptureFixture[str]
) -> None:
    written(command, how)
    if how == "json":
        assert capfd.readouterr().out.startswith(("{", "["))


@pytest.mark.parametrize("command", sorted(ARGUMENTS))
def test_a_format_without_a_writer_of_its_own_fails_and_is_not_written_as_another(
    command: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(KeyError, match="yaml"):
        written(command, "yaml")
    assert capfd.readouterr().out == ""
