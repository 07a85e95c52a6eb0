"""Servers added, changed and removed in the console: written to the file, then part of this run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from elicit_tui.errors import ElicitTuiError
from elicit_tui.text import neutral_line

if TYPE_CHECKING:
    from elicit_tui.elicitation.settings import ServerSettings
    from elicit_tui.tui.console.controller import Controller
    from elicit_tui.tui.console.run import ConsoleRun
    from elicit_tui.tui.console.servers import ServerRecord

Reload = Callable[[], Mapping[str, "ServerSettings"]]
"""The servers as the configuration has them now. Raises ConfigError."""

NEXT_RUN: Final = "It is there the next time that elicit-tui starts."


class ServerEditing:
    """What the keys of the list of servers do to the person's own file."""

    def __init__(self, app: Controller, run: ConsoleRun | None, reload: Reload | None) -> None:
        self._app = app
        self._run = run
        self._reload = reload
        self._path = Path(app.config_path)

    def change(self, record: ServerRecord | None, *, remove: bool) -> None:
        """Ask for a new server, for what is to be another of one of the file, or to remove it."""
        from elicit_tui.tui.console.screens.server_dialogs import RemoveServerScreen, ServerScreen

        path = str(self._path)
        if record is None:
            self._app.push_screen(ServerScreen(path, self._save_new))
            return
        name, target = record.name, self._target(record)
        if target is None:
            return
        if remove:
            self._app.push_screen(RemoveServerScreen(name, path), partial(self._remove, name))
            return
        present = {"name": name, "target": target, "enabled": record.settings.enabled}
        self._app.push_screen(ServerScreen(path, self._save, present))

    def _target(self, record: ServerRecord) -> str | None:
        """How the file says that a server is reached; None, and why, where it does not."""
        from elicit_tui.config.editing import target_of

        try:
            target = target_of(self._path, record.name)
        except ElicitTuiError as error:
            self._tell(str(error))
            return None
        if target is None:
            self._tell(f"{record.name} does not come from {self._path}.")
        return target

    def _save_new(self, values: Mapping[str, Any]) -> str:
        if values["name"] in self._app.state.servers:
            return f"There is a server {values['name']} already."
        return self._save(values)

    def _save(self, values: Mapping[str, Any]) -> str:
        from elicit_tui.config.editing import put_server

        name = values["name"].strip()
        try:
            put_server(self._path, name, values["target"], enabled=values["enabled"])
            self._take_over(name)
        except ElicitTuiError as error:
            return str(error).removeprefix("--with ")
        return ""

    def _remove(self, name: str, sure: bool | None) -> None:
        if not sure:
            return
        from elicit_tui.config.editing import remove_server

        try:
            remove_server(self._path, name)
            self._take_over(name)
        except ElicitTuiError as error:
            self._tell(str(error))

    def _take_over(self, name: str) -> None:
        """Let this run have the server as the file has it now."""
        if self._run is None or self._reload is None:
            self._tell(NEXT_RUN, severity="information")
            return
        self._run.take_over(name, self._reload().get(name))

    def _tell(self, words: str, severity: Any = "warning") -> None:
        self._app.notify(neutral_line(words, 400), severity=severity, markup=False)
