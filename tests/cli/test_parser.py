from __future__ import annotations

import argparse
import importlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from elicit_tui.cli.command_table import COMMANDS
from elicit_tui.cli.parser import HelpShown, Parser, find_command, parse
from elicit_tui.config.servers import GATEWAY_COMMANDS
from elicit_tui.errors import UsageError


@pytest.mark.parametrize(
    ("argv", "name", "rest"),
    [
        ([], "run", []),
        (["run"], "run", []),
        (["--approval-policy", "never"], "run", ["--approval-policy", "never"]),
        (["call", "s", "t"], "call", ["s", "t"]),
        (["--with", "call=x", "call", "call", "t"], "call", ["--with", "call=x", "call", "t"]),
        (["--strict", "call", "s", "t"], "call", ["--strict", "s", "t"]),
        (["--output=json", "tools"], "tools", ["--output=json"]),
        (["--config", "run", "demo"], "demo", ["--config", "run"]),
        (["--config"], "run", ["--config"]),
        (["--fresh", "test", "f"], "test", ["--fresh", "f"]),
        (["-j", "4", "--github", "test", "f"], "test", ["-j", "4", "--github", "f"]),
        (["--incomplete", "call", "s", "t"], "call", ["--incomplete", "s", "t"]),
        (["--server", "call", "history"], "history", ["--server", "call"]),
        (["--config", "f", "--version"], "run", ["--config", "f", "--version"]),
    ],
)
def test_the_command_is_the_first_word_that_is_no_option_or_its_value(
    argv: list[str], name: str, rest: list[str]
) -> None:
    assert find_command(argv) == (name, rest)


def test_a_mistyped_command_is_answered_with_the_nearest_one() -> None:
    with pytest.raises(UsageError, match="Did you mean history"):
        find_command(["histroy"])
    with pytest.raises(UsageError, match=r"no command 'cal'\. Did you mean call"):
        find_command(["--output", "json", "cal", "s", "t"])
    with pytest.raises(UsageError, match=r"no command 'xyzzy'\. See"):
        find_command(["--with", "a=b", "xyzzy"])


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["--frsh", "test", "f"], "no option '--frsh' before a command. Did you mean --fresh"),
        (["--fresh", "call", "s", "t"], "no option '--fresh' before a command"),
        (["--nonsense=1"], "no option '--nonsense' before a command"),
    ],
)
def test_an_option_that_is_none_of_the_command_is_told(argv: list[str], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        find_command(argv)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_of_a_command_may_stand_before_it(name: str) -> None:
    parser = Parser()
    parser.command = name
    importlib.import_module(COMMANDS[name].module).add_arguments(parser)
    for each in parsers(parser):
        for option, action in each._option_string_actions.items():
            words = [option] if action.nargs == 0 else [option, "call"]
            assert find_command([*words, name, "x"]) == (name, [*words, "x"])


@pytest.mark.parametrize(
    "arguments",
    [
        ["s", "t", "a=1", "b:=2", "--output", "json", "--strict"],
        ["--output", "json", "s", "--strict", "t", "a=1", "b:=2"],
        ["s", "--strict", "t", "a=1", "--output=json", "b:=2"],
    ],
)
def test_options_and_arguments_come_in_any_order(arguments: list[str]) -> None:
    _, namespace = parse("call", arguments)
    assert (namespace.server, namespace.name, namespace.pairs) == ("s", "t", ["a=1", "b:=2"])
    assert (namespace.output, namespace.strict) == ("json", True)


def test_the_shared_options_are_taken_from_anywhere() -> None:
    _, namespace = parse("call", ["s", "--with", "a=b", "t", "--config", "f", "--with=c=d"])
    assert namespace.with_servers == ["a=b", "c=d"]
    assert namespace.config == Path("f")
    assert namespace.log_file is None
    assert namespace.approval_policy is None


def test_a_log_file_that_cannot_be_written_is_a_wrong_option(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be written: Is a directory"):
        parse("call", ["--log-file", str(tmp_path), "s", "t"])
    _, namespace = parse("call", ["--log-file", str(tmp_path / "log"), "s", "t"])
    assert namespace.log_file.read_bytes() == b""


def test_a_command_with_commands_of_its_own_takes_the_shared_options_after_them() -> None:
    _, namespace = parse("config", ["show", "--config", "f", "--output", "json"])
    assert (namespace.config, namespace.output) == (Path("f"), "json")


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("call", []),
        ("call", ["s"]),
        ("call", ["s", "t", "--nonsense"]),
        ("call", ["s", "t", "--output", "yaml"]),
        ("call", ["s", "t", "--timeout", "0"]),
        ("call", ["s", "t", "--timeout", "nan"]),
        ("call", ["s", "t", "--timeout", "soon"]),
        ("call", ["s", "t", "--approval-policy", "always"]),
        ("call", ["s", "t", "--outp", "json"]),
        ("read", ["s", "u", "--arguments", "{}"]),
        ("tools", ["--approval-policy", "never"]),
        ("config", ["--approval-policy=never", "show"]),
        ("run", ["extra"]),
    ],
)
def test_wrong_usage_is_an_error_of_ours(name: str, arguments: list[str]) -> None:
    with pytest.raises(UsageError):
        parse(name, arguments)


def test_a_time_that_no_calendar_can_say_is_told_between_what_it_may_be() -> None:
    with pytest.raises(UsageError, match=r"'1e9' is not .* above 0 and below 1000000000"):
        parse("call", ["s", "t", "--timeout", "1e9"])


def test_a_commands_help_ends_the_parsing(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(HelpShown):
        parse("call", ["--help"])
    assert "--answers FILE" in capsys.readouterr().out


def parsers(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """The parser and those of the commands below it."""
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                yield from parsers(below)


ALL = {**COMMANDS, **{name: own for each in COMMANDS.values() for name, own in each.own.items()}}
"""With the own commands that are modules."""


@pytest.mark.parametrize("name", ALL)
def test_the_help_of_every_command_fits_a_terminal_of_eighty_columns(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    parser = Parser(prog=f"elicit-tui {name}")
    parser.command = name
    importlib.import_module(ALL[name].module).add_arguments(parser)
    for each in parsers(parser):
        assert [line for line in each.format_help().splitlines() if len(line) > 80] == []


@pytest.mark.parametrize(
    "argv",
    [["--wiht", "x=y", "call", "s", "t"], ["--wiht=x=y", "tools"], ["-w", "tools"]],
)
def test_an_unknown_option_before_a_command_is_told_as_one(argv: list[str]) -> None:
    with pytest.raises(UsageError, match="There is no option") as raised:
        find_command(argv)
    if "--wiht" in argv[0]:
        assert "Did you mean --with?" in str(raised.value)


@pytest.mark.parametrize(
    "line",
    [
        "history prune --before 1d --yes",
        "history prune --before 1d --limit 3",
        "inbox answer abc --eras",
        "config check --branch",
        "call demo tell_time --era both",
    ],
)
def test_no_option_of_another_command_is_suggested(line: str) -> None:
    name, *rest = line.split()
    with pytest.raises(UsageError, match="There is no option") as raised:
        parse(name, rest)
    assert "Did you mean" not in str(raised.value)


def test_a_commands_own_command_suggests_its_own_options() -> None:
    with pytest.raises(UsageError, match=r"Did you mean --before\?.*history prune --help"):
        parse("history", ["prune", "--befoer", "1d", "--before", "2d"])
    with pytest.raises(UsageError, match=r"Did you mean --config"):
        parse("history", ["list", "--confg", "x"])
    with pytest.raises(UsageError, match=r"Did you mean --approval-policy"):
        parse("call", ["demo", "tell_time", "--aproval-policy", "never"])


def test_an_unknown_option_after_a_command_is_answered_with_the_nearest_one() -> None:
    with pytest.raises(UsageError, match=r"'--wiht'\. Did you mean --with"):
        parse("call", ["s", "t", "--wiht", "x=y"])
    with pytest.raises(UsageError, match=r"'--answer'\. Did you mean --answers"):
        parse("call", ["s", "t", "--answer=x"])


def test_no_server_can_have_the_name_of_a_command_of_the_gateway() -> None:
    assert COMMANDS["gateway"].own.keys() == set(GATEWAY_COMMANDS)


def test_a_command_of_the_gateway_has_its_own_options_and_help_and_any_other_word_is_a_server(
    capsys: pytest.CaptureFixture[str],
) -> None:
    _, namespace = parse("gateway", ["--yes", "install", "--config", "c", "cursor", "docs"])
    assert (namespace.command, namespace.agent, namespace.servers) == (
        "install",
        "cursor",
        ["docs"],
    )
    assert parse("gateway", ["instal", "docs"])[1].servers == ["instal", "docs"]
    assert parse("gateway", ["token"])[1].token_command == "list"
    with pytest.raises(UsageError, match="gateway status takes no --approval-policy"):
        parse("gateway", ["status", "--approval-policy", "never"])
    with pytest.raises(HelpShown):
        parse("gateway", ["doctor", "--help"])
    assert "--longest" in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [[], ["--limit", "3"], ["--server", "list"]])
def test_a_history_without_a_command_lists(arguments: list[str]) -> None:
    _, namespace = parse("history", arguments)
    assert namespace.history_command == "list"
