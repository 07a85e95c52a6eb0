"""A server to be added to the configuration, or changed there: its name, how it is reached."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Static

from elicit_tui.form import entry_for, read_form
from elicit_tui.text import neutral, neutral_line
from elicit_tui.tui.console.dialog import Dialog, DialogButton, SureDialog
from elicit_tui.tui.widgets import FormView
from elicit_tui.tui.widgets.buttons import KeyButton, KeyRow

if TYPE_CHECKING:
    from textual import events

Save = Callable[[Mapping[str, Any]], str]
"""Writes name, target and enabled; the sentence why it cannot, or nothing."""

_FIELDS: Final[Mapping[str, Mapping[str, Any]]] = {
    "name": {"type": "string", "title": "Name", "description": "what you call it by"},
    "target": {
        "type": "string",
        "title": "Command or URL",
        "description": "npx -y some-server --flag, or https://example.com/mcp",
    },
    "enabled": {"type": "boolean", "title": "Start it", "default": True},
}


class ServerScreen(Dialog[None]):
    """Writes what is filled in to the configuration, where it is right."""

    wide = False

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "send", "Write it", id="server.write"),
    ]

    def __init__(self, path: str, save: Save, present: Mapping[str, Any] | None = None) -> None:
        """`present`: the server that is there; None adds one."""
        super().__init__("Change a server" if present else "Add a server", neutral_line(path, 70))
        self._save = save
        self._present = dict(present or {})
        fields = {name: spec for name, spec in _FIELDS.items() if not present or name != "name"}
        needed = [name for name in fields if name != "enabled"]
        schema = {"type": "object", "properties": fields, "required": needed}
        self._form = read_form(schema, purpose="arguments")

    def body(self) -> ComposeResult:
        """Its fields."""
        entries = {
            field.name: entry_for(field, self._present[field.name])
            for field in self._form.fields
            if field.name in self._present
        }
        yield FormView(self._form, entries or None, id="server-form")
        yield Static("", id="trouble", markup=False)
        with KeyRow(classes="buttons"):
            yield DialogButton("Write it", "server.write", id="send", main=True)
            yield DialogButton("Back", "dialog.back", id="back")

    def on_mount(self) -> None:
        """Start in the first field."""
        self._say("")
        self.query_one(FormView).focus_first()

    def action_send(self) -> None:
        """Write it, where it is right."""
        form_view = self.query_one(FormView)
        conversion = form_view.conversion
        if conversion.problems:
            form_view.reveal_problems()
            return
        trouble = self._save({"enabled": True, **self._present, **conversion.content})
        if trouble:
            self._say(trouble)
        else:
            self.dismiss(None)

    def _say(self, words: str) -> None:
        trouble = self.query_one("#trouble", Static)
        trouble.update(neutral(words, 600))
        trouble.display = bool(words)

    @on(KeyButton.Pressed, "#send")
    def _send_pressed(self) -> None:
        self.action_send()

    @on(KeyButton.Pressed, "#back")
    def _back_pressed(self) -> None:
        self.action_leave()

    def on_form_view_finished(self, event: FormView.Finished) -> None:
        """From the last field Enter goes on to the button that writes."""
        event.stop()
        self.query_one("#send").focus()

    def on_form_view_changed(self, event: events.Event) -> None:
        """What was wrong before may be right now."""
        event.stop()
        self._say("")


class RemoveServerScreen(SureDialog):
    """Result: True to take it out of the configuration."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "sure", "Remove", id="server.remove_it"),
        Binding("escape,n", "leave", "Keep", key_display="n", id="server.keep"),
    ]

    def __init__(self, name: str, path: str) -> None:
        super().__init__(f"Remove {neutral_line(name, 40)}?")
        self._path = path

    def body(self) -> ComposeResult:
        """What becomes of it."""
        yield Static(
            f"It is ended, and its table is taken out of {neutral_line(self._path, 200)}. "
            "Everything else there stays as it is.",
            markup=False,
        )
        with KeyRow(classes="buttons"):
            yield DialogButton("Remove", "server.remove_it", id="sure")
            yield DialogButton("Keep", "server.keep", id="stay", main=True)
