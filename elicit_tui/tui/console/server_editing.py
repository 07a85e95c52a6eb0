"""Servers added, taken over, changed and removed: written to the file, then part of this run."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from elicit_tui.elicitation.toml_spelling import dotted
from elicit_tui.errors import ElicitTuiError
from elicit_tui.text import neutral_line, quoted
from elicit_tui.tui.console.outcome_words import plural
from elicit_tui.tui.console.under_way import once_sure, under_way

if TYPE_CHECKING:
    from elicit_tui.tui.console.controller import Controller
    from elicit_tui.tui.console.screens.server_dialogs import AtField
    from elicit_tui.tui.console.servers import ServerRecord

AGAIN: Final = "The next demo begins without it."
NEXT_RUN: Final = "It is there the next time that elicit-tui starts."


class ServerEditing:
    """What the keys of the list of servers do to the person's own file."""

    def __init__(self, app: Controller) -> None:
        self._app = app
        self._file = app.own_file
        self._path = Path(app.config_path)

    def add(self) -> None:
        """Ask for a new server."""
        from elicit_tui.tui.console.screens.server_dialogs import ServerScreen

        self._app.write_in(ServerScreen(str(self._path), self._save))

    def take_over(self) -> None:
        """Show the servers of other programs, to choose those that are to be in the file."""
        from elicit_tui.tui.console.screens.server_dialogs import OtherServersScreen

        if self._file is None:
            return
        try:
            servers = self._file.elsewhere()
        except ElicitTuiError as error:
            self._tell(str(error))
            return
        if servers:
            self._app.write_in(OtherServersScreen(str(self._path), servers, self._take))
        else:
            sentence = "No other program on this machine has a server that is missing here."
            self._tell(sentence, severity="information")

    def change(self, record: ServerRecord) -> None:
        """Ask for what is to be another of a server of the file."""
        from elicit_tui.policy.decision import who_can_change
        from elicit_tui.tui.console.screens.server_dialogs import ServerScreen

        if record.settings.layer == "managed":
            key = dotted("mcp_servers", record.name)
            self._tell(who_can_change(self._app.state.settings, key, f"{key} is managed."))
            return
        target = self._target(record)
        if target is not None:
            present: dict[str, Any] = {
                "name": record.name,
                "target": target,
                "enabled": record.settings.enabled,
            }
            save = partial(self._save, was=record.name)
            sure = partial(once_sure, self._app, record.name)
            present |= self._beside(record)
            self._app.write_in(ServerScreen(str(self._path), save, present, sure))

    def remove(self, record: ServerRecord) -> None:
        """Ask whether a server is to go from the file."""
        from elicit_tui.tui.console.screens.server_dialogs import RemoveServerScreen

        if self._target(record) is not None:
            ending = under_way(self._app.state, record.name)
            keeps = self._app.state.settings.history.content != "none"
            screen = RemoveServerScreen(ending, str(self._path), keeps_calls=keeps)
            self._app.push_screen(screen, partial(self._remove, record.name))

    def _target(self, record: ServerRecord) -> str | None:
        """How the file says that a server is reached; None, and why, where it does not."""
        from elicit_tui.config.editing import target_of

        try:
            target = target_of(self._path, record.name)
        except ElicitTuiError as error:
            self._tell(str(error))
            return None
        if target is None:
            self._tell(f"{quoted(record.name, 40)} does not come from {self._path}.")
        return target

    def _beside(self, record: ServerRecord) -> dict[str, str | None]:
        """When its calls are asked before, its folder and its environment, as lines.

        None where that cannot be written as lines.
        """
        from elicit_tui.config.editing import approval_mode_of, surroundings_of

        cwd, env = surroundings_of(self._path, record.name)
        lines = "\n".join(f"{name}={value}" for name, value in env.items())
        return {
            "approval_mode": approval_mode_of(self._path, record.name),
            "cwd": cwd,
            "env": lines if _environment(lines) == dict(env) else None,
        }

    def _save(self, values: Mapping[str, Any], was: str | None = None) -> str | AtField:
        from elicit_tui.config.editing import BesideTarget, put_server
        from elicit_tui.tui.console.screens.server_dialogs import AtField

        name = values["name"].strip()
        if name != was and name in self._app.state.servers:
            return AtField("name", f"There is a server {quoted(name, 40)} already.")
        env = _environment(values["env"]) if "env" in values else None
        if isinstance(env, str):
            return AtField("env", env)
        if variable := _VARIABLE.match(values["target"]):
            named, place = (
                quoted(variable[1], 40),
                "env in the file" if env is None else "Environment",
            )
            return AtField("target", f"{named} is a variable: it belongs under {place}.")
        cwd = from_home(values["cwd"].strip(), quoted=False)
        was_in_file = self._path.read_bytes() if self._path.exists() else b""
        try:
            put_server(
                self._path,
                name,
                from_home(values["target"]),
                was=was,
                enabled=values["enabled"],
                beside=BesideTarget(cwd, env, values.get("approval_mode")),
            )
            if was is not None:
                self._say_changed(name, was_in_file, restarts=self._runs(was, values))
            before = "" if was in (None, name) else str(was)
            if before:
                self._move(before, name)
            self._run_anew(name, was=before)
            self._app.state.pointed_server = name
            if was is None:
                self._say_where(name)
        except ElicitTuiError as error:
            return str(error)
        return ""

    def _runs(self, was: str, values: Mapping[str, Any]) -> bool:
        """Whether a server is under way, and goes on with what was filled in."""
        record = self._app.state.servers.get(was)
        under_way = record is not None and record.state in ("ready", "starting")
        return under_way and values["enabled"] and self._app.runtime is not None

    def _say_changed(self, name: str, before: bytes, *, restarts: bool) -> None:
        """Whether a server is another now: a bar that was only moved has chosen nothing."""
        changed = self._path.read_bytes() != before
        words = f"is written in {self._path}." if changed else "is as it was: nothing was changed."
        words += " It is restarted." * restarts
        self._tell(f"{quoted(name, 40)} {words}", severity="information")

    def _say_where(self, *names: str) -> None:
        """In the demo: which runs have what was just written to the file."""
        if self._file is not None and self._file.is_of_demo and names:
            all_of_them = ", ".join(quoted(name, 40) for name in names)
            stands = "stands" if len(names) == 1 else "stand"
            words = f"{all_of_them} {stands} in {self._path}: “elicit-tui” starts with it. {AGAIN}"
            self._tell(words, severity="information")

    def _move(self, old: str, new: str) -> None:
        """What is known of a server by its name is known of it under the new one."""
        from elicit_tui.elicitation.saved_call import rename_server
        from elicit_tui.tui.console.kept_calls import KeptCalls

        state, runtime = self._app.state, self._app.runtime
        if runtime is not None:  # A run that is still being opened knows the old name alone.
            state.rename_server(old, new)
            if old in self._app.muted:
                runtime.broker.mute(new)
                runtime.broker.unmute(old)
        self._app.remembered.rename(old, new)
        KeptCalls(state.settings.history.content).rename(old, new)
        folders = self._app.remembered.all_folders()
        kept = sum(rename_server(folder, old, new) for folder in folders)
        if kept:
            verb = "names" if kept == 1 else "name"
            words = f"{plural(kept, 'kept call')} {verb} it {quoted(new, 40)} now."
            self._tell(words, severity="information")

    def _take(self, names: Sequence[str]) -> str:
        assert self._file is not None
        try:
            self._file.take(names)
            self._run_anew(*names)
            self._app.state.pointed_server = names[0]
            self._say_where(*names)
        except ElicitTuiError as error:
            return str(error)
        return ""

    def _remove(self, name: str, sure: bool | None) -> None:
        if not sure:
            return
        from elicit_tui.config.editing import remove_server

        try:
            remove_server(self._path, name)
            self._run_anew(name)
        except ElicitTuiError as error:
            self._tell(str(error))

    def _run_anew(self, *names: str, was: str = "") -> None:
        """Let this run have these servers as the file has them now; `was`: as one was called."""
        now = self._file.reload() if self._file is not None else None
        for name in names:
            if now is None or not self._app.take_over(name, now, was):
                self._tell(NEXT_RUN, severity="information")

    def _tell(self, sentence: str, severity: Any = "warning") -> None:
        self._app.notify(neutral_line(sentence, 400), severity=severity, markup=False)


_VARIABLE: Final = re.compile(r"\s*([A-Za-z_]\w*)=")
"""What stands before a command in a shell and is no part of it."""
_WORD: Final = re.compile(r"""(?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+""")
"""A word of a command line, its quotes included."""


def from_home(line: str, *, quoted: bool = True) -> str:
    """The line with a home folder in place of each `~` that begins a word, as a shell has it.

    `quoted`: it is a command line, whose words may be quoted; else it is one path.
    """

    def expanded(word: str) -> str:
        person, slash, rest = word.partition("/")
        if not person.startswith("~"):
            return word
        home = os.path.expanduser(person)  # noqa: PTH111 - never raises
        return (shlex.quote(home) if quoted and home != person else home) + slash + rest

    return _WORD.sub(lambda word: expanded(word[0]), line) if quoted else expanded(line)


def _environment(lines: str) -> dict[str, str] | str:
    """What lines of KEY=VALUE say; else the sentence that says what is wrong with one."""
    environment = {}
    for line in filter(str.strip, lines.split("\n")):
        name, equals, value = line.partition("=")
        if not equals or not name.strip():
            return f"Environment: “{neutral_line(line, 60)}” is not KEY=VALUE."
        environment[name.strip()] = value
    return environment
