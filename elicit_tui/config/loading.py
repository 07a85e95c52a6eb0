"""Reads the layers and makes Settings of them: the start and `config check` share this code."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from elicit_tui import paths
from elicit_tui.config.building import settings_from
from elicit_tui.config.command_line import CommandLine
from elicit_tui.config.documents import Document, read, unreadable
from elicit_tui.config.expansion import (
    NOT_PLAIN,
    REFERENCE,
    WANDERS,
    is_plain,
    system_directories,
    wanders,
)
from elicit_tui.config.hooks import all_hooks, hook_faults, hooks_that_cannot_run
from elicit_tui.config.keys import MANAGED, USER
from elicit_tui.config.merging import merge, policy_allowed
from elicit_tui.config.rules import guardian_faults, rule_faults
from elicit_tui.config.server_layers import all_servers
from elicit_tui.config.servers import NO_ADDRESS, ONE_WAY, WITH_COMMAND, faults, server_from
from elicit_tui.config.trust import ROOT, exposed, read_managed
from elicit_tui.config.validating import Diagnostic, KeyPath
from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation.settings import Settings
from elicit_tui.elicitation.toml_spelling import dotted
from elicit_tui.errors import ConfigError, ManagedConfigError, UsageError
from elicit_tui.text.hosts import is_web_address


def load(
    command_line: CommandLine | None = None,
    config_path: Path | None = None,
    environment: Mapping[str, str] | None = None,
    managed_path: Path | None = None,
    managed_owner: int = ROOT,
    directories: Sequence[Path] | None = None,
) -> Settings:
    """The effective settings of a run, each with its origin.

    Raises ConfigError with every problem found, ManagedConfigError for the administrator's file,
    UsageError for the command line. A missing `${NAME}` does not raise: the server it belongs to
    has it in `missing`. `managed_path`, `managed_owner` and `directories` (the system path of
    managed commands) are for tests.
    """
    command_line = command_line or CommandLine()
    environment = os.environ if environment is None else environment
    managed = managed_document(managed_path, managed_owner)
    user = user_document(command_line.config_file or config_path)
    problems = [] if user is None else [*user.problems, *user_faults(user, managed, environment)]
    if problems:
        raise ConfigError([str(problem) for problem in problems])
    merged = merge(managed, user, _flags(command_line))
    # A flag is the person's at this very moment: what it may not do stops the start. The same in a
    # file is told, and the lock holds.
    if merged.looser_flags:
        raise ConfigError(merged.looser_flags)
    where = tuple(system_directories() if directories is None else directories)
    servers = all_servers(merged, command_line, environment, where)
    hooks = all_hooks(merged, environment, where)
    return settings_from(merged, servers, hooks, environment)


def managed_document(path: Path | None = None, owner: int = ROOT) -> Document | None:
    """The administrator's document, trusted and without faults. Raises ManagedConfigError."""
    document = read_managed(path or paths.managed_file(), owner)
    if document is None:
        return None
    problems = (*document.problems, *_all_managed_faults(document))
    if problems:
        raise ManagedConfigError([f"managed configuration {problem}" for problem in problems])
    return document


def user_document(named: Path | None) -> Document | None:
    """The user's document, with its problems; None when there is no file and none was named."""
    if named is not None:
        return _looked_at(named, named=True)
    try:
        path = paths.config_file()
        # A link that leads nowhere is a file that cannot be read: rules that somebody wrote are
        # not gone unsaid.
        path.lstat()
    except (FileNotFoundError, NotADirectoryError, ConfigError):  # or nobody has a home here
        return None
    except OSError:
        pass  # reading it below says why it cannot be read
    return _looked_at(path, named=False)


def _looked_at(path: Path, *, named: bool) -> Document:
    """The user's document; at its own place only a file is read, since a pipe could hang us."""
    try:
        if path.is_symlink() and not path.exists():
            return unreadable("user", str(path), "is a link to a file that is not there")
        if not named and not path.is_file():
            return unreadable("user", str(path), "is no regular file")
        problems, notices = exposed(path, named=named)
    except OSError:
        problems, notices = [], []  # reading it says why it cannot be read
    document = read(path, USER, "user")
    return replace(
        document,
        exposed=tuple(problems),
        notices=(*document.notices, *notices, *map(str, problems)),
    )


def user_faults(
    user: Document, managed: Document | None, environment: Mapping[str, str]
) -> Iterator[Diagnostic]:
    """What does not fit together in a user's document wherever types are right."""
    yield from rule_faults(user)
    yield from guardian_faults(user)
    yield from hook_faults(user)
    yield from _place_faults(user)
    locked = (managed.get("mcp_servers") or {}) if managed is not None else {}
    for path, table in user.sound_tables("mcp_servers"):
        # A locked server's own table is judged where it is made stricter.
        if path[-1] not in locked:
            yield from _server_faults(user, path, table, environment, expand_all=True)


def _all_managed_faults(document: Document) -> Iterator[Diagnostic]:
    yield from managed_faults(document)
    yield from rule_faults(document)
    yield from guardian_faults(document)
    yield from hook_faults(document)
    yield from _place_faults(document)
    for path, table in document.sound_tables("mcp_servers"):
        yield from _server_faults(document, path, table, {}, expand_all=False)


def _place_faults(document: Document) -> Iterator[Diagnostic]:
    for path in (("history", "path"), ("store", "secret_file")):
        place = document.get(*path)
        # With a variable in it the ledger's is not known before the run; that of a secret has none.
        known = isinstance(place, str) and not (path[0] == "history" and REFERENCE.match(place))
        if known and wanders(place):
            yield document.problem(WANDERS, path)


def _server_faults(
    document: Document,
    path: KeyPath,
    table: Mapping[str, Any],
    environment: Mapping[str, str],
    *,
    expand_all: bool,
) -> Iterator[Diagnostic]:
    # Built as at the start, so that what cannot be built is found here.
    server = server_from(str(path[-1]), table, document.layer, environment, expand_all=expand_all)
    for key, message in faults(table, server):
        yield document.problem(message, path if key is None else (*path, key))


def check_managed_file(path: Path) -> list[Diagnostic]:
    """The problems of a file that is to become the administrator's; its owner is not looked at."""
    document = read(path, MANAGED, "managed")
    return [*document.problems, *_all_managed_faults(document)]


def _flags(command_line: CommandLine) -> dict[str, tuple[str, Any]]:
    if command_line.approval_policy is None:
        return {}
    return {"approval_policy": ("--approval-policy", command_line.approval_policy)}


# `config check`: every problem of every layer at once


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
    managed, problems = _checked_managed(managed_path, managed_owner)
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


def _checked_managed(path: Path | None, owner: int) -> tuple[Document | None, list[Diagnostic]]:
    """The administrator's document, or what is wrong with it."""
    try:
        return managed_document(path, owner), []
    except ManagedConfigError as error:
        return None, [Diagnostic(sentence) for sentence in error.problems]


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


# The administrator's file: what must fit together in it, beyond types and names

_EXPANDED = ("env", "http_headers")
_NOT_EXPANDED = "${NAME} works only in env and http_headers of managed configuration"


def managed_faults(document: Document) -> Iterator[Diagnostic]:
    """Every fault of a managed document whose types and names are right."""
    allowed = document.get("allowed_approval_policies")
    policy = document.get("approval_policy")
    unbroken = not {("approval_policy",), ("allowed_approval_policies",)} & document.broken
    if policy is not None and unbroken and not policy_allowed(policy, allowed):
        yield document.problem("is not among allowed_approval_policies", ("approval_policy",))
    for path, table in document.sound_tables("mcp_servers"):
        yield from _launch_faults(document, path, table)
    history = document.get("history", "path")
    if isinstance(history, str) and REFERENCE.search(history):
        yield document.problem(_NOT_EXPANDED, ("history", "path"))
    if document.get("managed", "allow") and document.get("managed", "servers") != "allow":
        yield document.problem(
            '[[managed.allow]] has an effect only with servers = "allow"', ("managed",)
        )
    for path, entry in document.sound_tables("managed", "allow"):
        if ("command" in entry) == ("url" in entry):
            yield document.problem(ONE_WAY, path)
        for key in ("args", "env", "cwd"):
            if key in entry and "url" in entry:
                yield document.problem(WITH_COMMAND, (*path, key))
        if "url" in entry and not is_web_address(entry["url"]):
            yield document.problem(NO_ADDRESS, (*path, "url"))
        yield from _launch_faults(document, path, entry)


def _launch_faults(
    document: Document, path: KeyPath, table: Mapping[str, Any]
) -> Iterator[Diagnostic]:
    for key, value in table.items():
        if key in _EXPANDED:
            continue
        texts = value if isinstance(value, list) else [value]
        if any(isinstance(text, str) and REFERENCE.search(text) for text in texts):
            yield document.problem(_NOT_EXPANDED, (*path, key))
    command = table.get("command")
    if command is not None and not is_plain(command):
        yield document.problem(NOT_PLAIN, (*path, "command"))
    cwd = table.get("cwd")
    if cwd is not None and not Path(cwd).is_absolute():
        yield document.problem("a managed cwd must be absolute", (*path, "cwd"))
