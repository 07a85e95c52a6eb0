"""`config check`: the same code as the start, with every problem of every layer at once."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from elicit_tui.config.command_line import CommandLine
from elicit_tui.config.documents import Document
from elicit_tui.config.hooks import hooks_that_cannot_run
from elicit_tui.config.loading import load, managed_document, user_document, user_faults
from elicit_tui.config.trust import ROOT
from elicit_tui.config.validating import Diagnostic
from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation.settings import Settings
from elicit_tui.elicitation.toml_spelling import dotted
from elicit_tui.errors import ConfigError, ManagedConfigError, UsageError


@dataclass(frozen=True)
class Checked:
    """What is wrong, and what is only worth knowing."""

    problems: tuple[Diagnostic, ...] = ()
    notices: tuple[str, ...] = ()


def check(
    command_line: CommandLine | None = None,
    config_path: Path | None = None,
    environment: Mapping[str, str] | None = None,
    managed_path: Path | None = None,
    managed_owner: int = ROOT,
    faces: Callable[[Settings], Iterable[Diagnostic]] = lambda settings: (),
) -> Checked:
    """Read all layers as a start would; never raises for what is written in them.

    `faces`: what a face finds wrong that only it knows, such as the name of a theme.
    """
    environment = os.environ if environment is None else environment
    command_line = command_line or CommandLine()
    problems: list[Diagnostic] = []
    managed: Document | None = None
    try:
        managed = managed_document(managed_path, managed_owner)
    except ManagedConfigError as error:
        problems += [Diagnostic(sentence) for sentence in error.problems]
    user = user_document(command_line.config_file or config_path)
    if user is not None:
        problems += [*user.problems, *user_faults(user, managed, environment)]
    if problems:
        return _checked(problems, user.notices if user is not None else (), user)
    try:
        settings = load(command_line, config_path, environment, managed_path, managed_owner)
    except ConfigError as error:
        return Checked(tuple(Diagnostic(sentence) for sentence in error.problems))
    except UsageError as error:
        return Checked((Diagnostic(str(error)),))
    refusals = [server.refused for server in settings.servers.values() if server.refused]
    problems = [
        *_cannot_start(settings, environment),
        *hooks_that_cannot_run(settings),
        *faces(settings),
    ]
    return _checked(problems, (*settings.notices, *refusals), user)


def _checked(problems: list[Diagnostic], notices: Iterable[str], user: Document | None) -> Checked:
    """With who else could have written the user's file, which a start only tells."""
    exposed = user.exposed if user is not None else ()
    known = {str(problem) for problem in exposed}
    return Checked((*exposed, *problems), tuple(note for note in notices if note not in known))


def _cannot_start(settings: Settings, environment: Mapping[str, str]) -> list[Diagnostic]:
    problems = []
    for server in settings.servers.values():
        key = dotted("mcp_servers", server.name)
        origin = settings.origin(key)
        for name in server.missing:
            message = f"the environment has no {name}, so this server cannot start"
            problems.append(Diagnostic(message, key, origin.file, origin.line))
        for sentence in server.unsendable_headers(environment):
            problems.append(Diagnostic(sentence, key, origin.file, origin.line))
    return problems
