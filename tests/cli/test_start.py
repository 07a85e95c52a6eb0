"""What a command loads before it does anything, and what it costs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import run, run_program

LOADED = (
    "import sys; from elicit_tui.cli import run; code = run(sys.argv[1:]);"
    "print('LOADED', *sorted({name.partition('.')[0] for name in sys.modules}), file=sys.stderr)"
)


def loaded_by(*arguments: str) -> set[str]:
    """The top-level modules in memory after a command ran."""
    done = run_program(LOADED, *arguments)
    line = done.stderr.strip().splitlines()[-1]
    assert line.startswith("LOADED "), done.stderr
    return set(line.split()[1:])


@pytest.mark.parametrize(
    "arguments",
    [
        ("--help",),
        ("--version",),
        ("call", "--help"),
        ("config", "path"),
        ("config", "show"),
        ("config", "check"),
        ("history", "list"),
        ("check",),
    ],
    ids=" ".join,
)
def test_a_command_without_servers_loads_neither_the_sdk_nor_textual(
    arguments: tuple[str, ...],
) -> None:
    assert not loaded_by(*arguments) & {"mcp", "mcp_types", "textual", "rich", "pydantic"}


def test_the_version_and_the_help_need_no_configuration_and_no_argument_parser() -> None:
    assert not loaded_by("--version") & {"argparse", "tomli", "asyncio", "json"}
    assert not loaded_by("--help") & {"argparse", "tomli", "asyncio", "json"}


def test_the_version_is_printed_alone() -> None:
    from elicit_tui import __version__

    ended = run("--version")
    assert (ended.code, ended.stdout, ended.stderr) == (0, f"elicit-tui {__version__}\n", "")


def test_the_help_names_every_command_and_every_exit_code() -> None:
    from elicit_tui.cli.command_table import COMMANDS

    shown = run("--help").stdout
    for command in COMMANDS.values():
        assert command.usage in shown
        assert command.summary in shown
    for code in ("0", "1", "2", "3", "4", "5", "130"):
        assert f"\n  {code} " in shown


def test_every_command_has_a_help_of_its_own() -> None:
    from elicit_tui.cli.command_table import COMMANDS

    for name in COMMANDS:
        ended = run(name, "--help")
        assert ended.code == 0, ended.stderr
        assert "elicit-tui" in ended.stdout
        assert ended.stderr == ""


def test_nothing_is_read_from_the_working_directory(tmp_path: Path) -> None:
    for name in ("config.toml", "elicit-tui.toml", ".elicit-tui.toml", ".mcp.json"):
        (tmp_path / name).write_text("this is not = a configuration [")
    assert run("config", "show", cwd=tmp_path).code == 0
