"""`[[hooks]]` become values, and are checked for what could never run."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from shutil import which
from typing import Any

from elicit_tui.config.documents import Document
from elicit_tui.config.expansion import NOT_PLAIN, REFERENCE, Expansion, find, is_plain
from elicit_tui.config.merging import Merged
from elicit_tui.config.servers import NO_ADDRESS, ONE_WAY, WITH_URL
from elicit_tui.config.validating import Diagnostic
from elicit_tui.elicitation.settings import Hook, Provenance, Settings
from elicit_tui.text import neutral_line
from elicit_tui.text.hosts import is_web_address


def all_hooks(
    merged: Merged, environment: Mapping[str, str], directories: tuple[Path, ...]
) -> tuple[Hook, ...]:
    """The hooks of both files, the administrator's first; origins and notices go to `merged`.

    A user's hooks are left out, and told, where `[managed] hooks = "only"`.
    """
    managed, user = merged.managed, merged.user
    firm = [_managed(hook, directories) for hook in _hooks_of(managed, merged)]
    if user is not None and managed is not None and managed.get("managed", "hooks") == "only":
        if user.get("hooks"):
            reason = 'managed configuration lets only its own run (managed.hooks = "only")'
            merged.notices.append(str(user.problem(f"{reason}; yours are ignored", ("hooks",))))
        return tuple(firm)
    return (*firm, *(_expanded(hook, environment) for hook in _hooks_of(user, merged)))


def _hooks_of(document: Document | None, merged: Merged) -> Iterator[Hook]:
    if document is None:
        return
    # Counted from one, as a person reads it, and among the hooks of its own file.
    for index, entry in enumerate(document.get("hooks") or []):
        values: dict[str, Any] = dict(entry)
        for key in ("command", "include"):
            if key in values:
                values[key] = tuple(values[key])
        hook = Hook(layer=document.layer, position=index + 1, **values)
        origin = document.provenance(("hooks", index), locked=document.layer == "managed")
        merged.provenance[hook.key] = origin
        # The administrator's cannot be changed by a user, so they are told as locked.
        yield replace(hook, place=_place(origin))


def _place(origin: Provenance) -> str | None:
    """Where a person finds what has this origin, in short: the file's name and the line."""
    if origin.file is None or origin.line is None:
        return None
    return f"{neutral_line(Path(origin.file).name, 60)}:{origin.line}"


def _managed(hook: Hook, directories: tuple[Path, ...]) -> Hook:
    """A managed hook with its program found where the system keeps programs, never in `PATH`."""
    if hook.command is None:
        return hook
    where = tuple(str(directory) for directory in directories)
    found = find(hook.command[0], directories)
    if found is None:
        why = f"{hook.command[0]} is not in the system path {os.pathsep.join(where)}"
        # It stays in the list, and fails each time: a hook that is not there is no consent.
        return replace(hook, fixed_path=where, cannot_run=why)
    return replace(hook, fixed_path=where, command=(found, *hook.command[1:]))


def _expanded(hook: Hook, environment: Mapping[str, str]) -> Hook:
    """A user's hook with each `${NAME}` replaced; one that the environment lacks stops it."""
    # What is lacking is told here and fails each time, as a hook that does not run must not be
    # passed over.
    expansion = Expansion(environment)
    command = None if hook.command is None else expansion.texts(list(hook.command))
    url = None if hook.url is None else expansion.text(hook.url)
    why = None
    if expansion.missing:
        why = f"the environment has no {', '.join(expansion.missing)}"
    elif url is not None and not is_web_address(url):
        why = "its url is not an http or https address"
    return replace(hook, command=command, url=url, cannot_run=why)


def hook_faults(document: Document) -> Iterator[Diagnostic]:
    """Hooks that do not fit together."""
    for path, entry in document.sound_tables("hooks"):
        if ("command" in entry) == ("url" in entry):
            yield document.problem(ONE_WAY, path)
            continue
        if "command" in entry:
            why = _command_fault(entry["command"], managed=document.layer == "managed")
            if why is not None:
                yield document.problem(why, (*path, "command"))
            if "format" in entry:
                yield document.problem(WITH_URL, (*path, "format"))
        elif REFERENCE.search(entry["url"]):
            # The administrator's hooks are not led by an environment that a user makes. A user's
            # address is looked at again when it is whole.
            if document.layer == "managed":
                yield document.problem("${NAME} does not work in a managed hook", (*path, "url"))
        # An address without references can be judged already now.
        elif not is_web_address(entry["url"]):
            yield document.problem(NO_ADDRESS, (*path, "url"))
        for key in ("format", "include"):
            if key in entry and entry["event"] != "Waiting":
                yield document.problem('goes with event = "Waiting" only', (*path, key))


def _command_fault(command: list[str], *, managed: bool) -> str | None:
    if not command or not command[0].strip():
        return "must name a program"
    if managed and any(REFERENCE.search(word) for word in command):
        return "${NAME} does not work in a managed hook"
    if managed and not is_plain(command[0]):
        return NOT_PLAIN
    # A path that is relative would depend on where elicit-tui is started.
    if not managed and "/" in command[0] and not command[0].startswith(("/", "${")):
        return "must be absolute, or a bare name of PATH: it is never looked up where you stand"
    return None


def hooks_that_cannot_run(settings: Settings) -> Iterator[Diagnostic]:
    """What `config check` says of hooks that would fail each time."""
    for hook in settings.hooks:
        why = hook.cannot_run
        # A program may be gone by now, or be none for this user.
        if why is None and hook.command is not None and which(hook.command[0]) is None:
            why = f"{hook.command[0]} is no program that can be run"
        if why is not None:
            origin = settings.origin(hook.key)
            yield Diagnostic(f"this hook cannot run: {why}", hook.key, origin.file, origin.line)
