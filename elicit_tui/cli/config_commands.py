"""`elicit-tui config`: init, show, check, explain, path, schema, import."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from elicit_tui import paths
from elicit_tui.cli.narration import Narration
from elicit_tui.cli.output import TEXT_OR_JSON, Output
from elicit_tui.cli.own_terminal import person_present
from elicit_tui.cli.run_settings import command_line, load_settings
from elicit_tui.elicitation.settings import ConsoleSettings, ServerSettings, Settings
from elicit_tui.errors import UsageError
from elicit_tui.text import neutral_line

if TYPE_CHECKING:
    from elicit_tui.broker.explanation import Explanation
    from elicit_tui.config.validating import Diagnostic


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The commands of `config` and their options."""
    commands = parser.add_subparsers(dest="config_command", metavar="COMMAND", required=True)
    commands.add_parser("init", help="write the example as your own file, once")
    show = commands.add_parser("show", help="the effective values, their layers and locks")
    show.add_argument("--output", choices=TEXT_OR_JSON, default="text")
    check = commands.add_parser("check", help="find every mistake, as the start would")
    check.add_argument("file", metavar="FILE", nargs="?", type=Path)
    check.add_argument("--as", dest="kind", choices=("user", "managed", "answers"), default="user")
    check.add_argument("--output", choices=TEXT_OR_JSON, default="text")
    explain = commands.add_parser("explain", help="what a question or a call would meet")
    explain.add_argument("server", metavar="SERVER", nargs="?", help="absent: each, in short")
    explain.add_argument("tool", metavar="TOOL", nargs="?")
    explain.add_argument("--mode", choices=("form", "url"), default="form")
    explain.add_argument("--message", metavar="TEXT")
    explain.add_argument("--output", choices=TEXT_OR_JSON, default="text")
    commands.add_parser("path", help="where your file is")
    commands.add_parser("schema", help="a JSON Schema that editors complete from")
    importing = commands.add_parser(
        "import", help="other programs' servers as TOML; nothing is launched, nor written unasked"
    )
    importing.add_argument(
        "file", metavar="FILE", nargs="?", type=Path, help="absent: the files of known programs"
    )


def run(namespace: argparse.Namespace) -> int:
    """Run one of the commands; returns its exit code."""
    commands: dict[str, Callable[[argparse.Namespace], int]] = {
        "init": _init,
        "show": _show,
        "check": _check,
        "explain": _explain,
        "path": _path,
        "schema": _schema,
        "import": _import,
    }
    return commands[namespace.config_command](namespace)


def _own_file(namespace: argparse.Namespace) -> Path:
    return namespace.config or paths.config_file()


def _init(namespace: argparse.Namespace) -> int:
    from elicit_tui.config.example import write_example

    path = _own_file(namespace)
    write_example(path)
    Output().text(_line(str(path)))
    return 0


def _path(namespace: argparse.Namespace) -> int:
    Output().text(_line(str(_own_file(namespace))))
    return 0


def _schema(namespace: argparse.Namespace) -> int:
    from elicit_tui.config.example import json_schema

    Output().json(json_schema())
    return 0


def _show(namespace: argparse.Namespace) -> int:
    from elicit_tui.config.loading import load
    from elicit_tui.config.showing import AsWritten, show
    from elicit_tui.elicitation.toml_spelling import toml_value

    settings = load_settings(namespace, Narration())
    # The settings again, with `${NAME}` in place of what the environment has: shown are the
    # references.
    rows = show(settings, load(command_line(namespace), environment=AsWritten()))
    output = Output()

    def write_text() -> None:
        for row in rows:
            origin = f"{row.layer}, locked" if row.locked else row.layer
            value = "(not set)" if row.value is None else toml_value(row.value)
            output.text(_line(f"{row.key} = {value}  # {origin}"))

    output.text_or_json(
        namespace.output, write_text, lambda: {row.key: row.as_json() for row in rows}
    )
    return 0


def _check(namespace: argparse.Namespace) -> int:
    from elicit_tui.config.loading import Checked, check, check_managed_file
    from elicit_tui.config.rules import check_answers

    if namespace.kind != "user" and namespace.file is None:
        raise UsageError(f"--as {namespace.kind} needs a FILE.")
    if namespace.kind == "managed":
        report = Checked(tuple(check_managed_file(namespace.file)))
    elif namespace.kind == "answers":
        report = Checked(tuple(check_answers(namespace.file)))
    else:
        if namespace.file is not None:
            # The file takes the place of the owner's own: what else counts at a start is checked
            # with it.
            namespace.config = namespace.file
        report = check(command_line(namespace), faces=_console_faults)
    _tell(report.problems, report.notices, namespace.output)
    return 2 if report.problems else 0


def _console_faults(settings: Settings) -> Iterator[Diagnostic]:
    """What only the console knows: a theme that is none, a key of an action that is none."""
    yield from _unknown_theme(settings)
    yield from _unknown_actions(settings)


def _unknown_actions(settings: Settings) -> Iterator[Diagnostic]:
    if not settings.console.keys:
        return  # The console is not loaded for nothing.
    from elicit_tui.config.validating import Diagnostic
    from elicit_tui.elicitation.toml_spelling import dotted
    from elicit_tui.tui.console.action_keys import known_keys, no_actions
    from elicit_tui.tui.console.application import ConsoleApp
    from elicit_tui.tui.console.screen import ConsoleScreen

    known = known_keys(ConsoleApp, ConsoleScreen)
    for name, fault in no_actions(settings.console.keys, known).items():
        key = dotted("console", "keys", name)
        origin = settings.origin(key)
        yield Diagnostic(fault, key, origin.file, origin.line)


def _unknown_theme(settings: Settings) -> Iterator[Diagnostic]:
    name, key = settings.console.theme, "console.theme"
    if name == ConsoleSettings().theme:
        return
    from elicit_tui.config.validating import Diagnostic
    from elicit_tui.tui.theme import theme_trouble

    trouble = theme_trouble(name)
    if trouble is not None:
        origin = settings.origin(key)
        yield Diagnostic(trouble, key, origin.file, origin.line)


def _tell(problems: Sequence[Diagnostic], notices: Sequence[str], output_format: str) -> None:
    for notice in notices:
        Narration().tell(notice)
    output = Output()
    output.text_or_json(
        output_format,
        lambda: output.text("\n".join(map(_line, map(str, problems))) or "No problem found."),
        lambda: [problem._asdict() for problem in problems],
    )


def _explain(namespace: argparse.Namespace) -> int:
    if namespace.server is None:
        return _explain_each(namespace)
    settings = load_settings(namespace, Narration(), [namespace.server])
    server = _configured(settings, namespace.server)
    explanation = _explanation(namespace, settings, server.name)
    from elicit_tui.cli.logins import login_data, login_sentence

    output = Output()

    def write_text() -> None:
        _write_explanation(explanation, output)
        if server.may_log_in:
            output.prose(_line(login_sentence(settings, server)))

    output.text_or_json(
        namespace.output,
        write_text,
        lambda: {**explanation.as_json(), "login": login_data(settings, server)},
    )
    return 0


def _explain_each(namespace: argparse.Namespace) -> int:
    """What a question of each server would meet, in short."""
    narration = Narration()
    settings = load_settings(namespace, narration)
    explained = [_explanation(namespace, settings, name) for name in settings.servers]
    output = Output()

    def write_text() -> None:
        for each in explained:
            output.prose(_line(f"{each.question.server}: {each.result}. {each.steps[-1].sentence}"))
        of_what = "SERVER [TOOL] tells each step" if explained else "SERVER: there is none yet"
        narration.tell(f"config explain {of_what}.")

    output.text_or_json(namespace.output, write_text, lambda: [it.as_json() for it in explained])
    return 0


def _explanation(namespace: argparse.Namespace, settings: Settings, server: str) -> Explanation:
    import asyncio

    from elicit_tui.broker.explanation import PossibleQuestion, explain
    from elicit_tui.guardian import Guardian
    from elicit_tui.policy import Policy

    return asyncio.run(
        explain(
            settings,
            Policy(settings, person_present=person_present()),
            Guardian(settings.guardian),
            PossibleQuestion(server, namespace.tool, namespace.mode, namespace.message),
        )
    )


def _configured(settings: Settings, name: str) -> ServerSettings:
    """The server of this name. Raises UsageError."""
    if name not in settings.servers:
        known = ", ".join(sorted(settings.servers)) or "none"
        raise UsageError(f"There is no server {name!r}. Configured: {known}.")
    return settings.servers[name]


def _write_explanation(explanation: Explanation, output: Output) -> None:
    for number, step in enumerate(explanation.steps, start=1):
        output.prose(_line(f"{number}. {step.step}: {step.sentence}"))
        # Where the sentence says already how to change it, that is not said twice.
        if step.change is not None and step.change not in step.sentence:
            output.prose(_line(f"   {step.change}"))
    output.prose(_line(f"Result: {explanation.result}"))


def _import(namespace: argparse.Namespace) -> int:
    if namespace.file is None:
        from elicit_tui.cli.config_import import import_all

        return import_all(_own_file(namespace))
    from elicit_tui.config.importing import import_from

    imported = import_from(namespace.file)
    for note in imported.notes:
        Narration().tell(note)
    Output().text(imported.toml.rstrip("\n"))
    return 0


def _line(text: str) -> str:
    """One line of output: a file may come from anywhere, and be checked in anybody's build."""
    return neutral_line(text, 10_000)
