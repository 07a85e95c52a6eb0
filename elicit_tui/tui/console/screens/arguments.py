"""The arguments of a call: as a form, or as JSON where the schema goes beyond one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Static, TextArea

from elicit_tui.form import Form, entry_for, read_form
from elicit_tui.text import neutral, neutral_line, readable_json
from elicit_tui.tui.console.dialog import Dialog, DialogButton
from elicit_tui.tui.console.servers import VERBS, Offer
from elicit_tui.tui.widgets import FormView
from elicit_tui.tui.widgets.buttons import KeyButton, KeyRow

if TYPE_CHECKING:
    from textual import events

_ROWS_OF_A_FIELD = 4
_ROWS_AROUND = 12
"""A form that surely fits is no taller than its fields."""


class ArgumentsScreen(Dialog[dict[str, Any]]):
    """Result: the arguments to call with."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "send", "Call", id="arguments.call"),
        Binding("f5", "turn", "Form/JSON", id="arguments.turn"),
        Binding("f2", "about", "More", id="arguments.about"),
    ]

    def __init__(
        self, server: str, offer: Offer, arguments: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(f"{VERBS[offer.kind]} {neutral_line(offer.shown, 60)}", server)
        self._server = server
        self._offer = offer
        self._form: Form = read_form(offer.schema, purpose="arguments")
        self._given = dict(arguments or {})
        self._json = self._form.beyond is not None

    def body(self) -> ComposeResult:
        """What it does, its fields, what is missing."""
        about = self._offer.description.partition("\n\n")[0]
        if self._form.beyond is not None:
            about = f"{neutral(self._form.beyond, 300)} Write the arguments as JSON."
        if about:
            yield Static(about, id="about", markup=False)
        if self._form.beyond is None:
            entries = {
                field.name: entry_for(field, self._given[field.name])
                for field in self._form.fields
                if field.name in self._given
            }
            yield FormView(self._form, entries or None, id="arguments-form")
        yield TextArea("", id="arguments-json", show_line_numbers=False)
        yield Static("", id="trouble", markup=False)
        with KeyRow(classes="buttons"):
            yield DialogButton(VERBS[self._offer.kind], "arguments.call", id="send", main=True)
            yield DialogButton("Back", "dialog.back", id="back")

    def on_mount(self) -> None:
        """Start in the first field."""
        self._json_area.text = self._starting_json()
        self._show()

    @property
    def _json_area(self) -> TextArea:
        return self.query_one("#arguments-json", TextArea)

    def _starting_json(self) -> str:
        content = self._given
        if not content:
            required = self._offer.schema.get("required")
            names = required if isinstance(required, list) else ()
            content = dict.fromkeys(name for name in names if isinstance(name, str))
        return readable_json(content)

    def _show(self) -> None:
        rows = len(self._form.fields) * _ROWS_OF_A_FIELD + _ROWS_AROUND
        self.set_class(not self._json and rows <= self.app.size.height, "-low")
        self._json_area.display = self._json
        for form_view in self.query(FormView):
            form_view.display = not self._json
            if not self._json:
                form_view.focus_first()
        if self._json:
            self._json_area.focus()
        self._say("")

    def action_turn(self) -> None:
        """From the form to its JSON and back; the form keeps what it can show."""
        if self._form.beyond is not None:
            self._say("These arguments go beyond a form; they are written as JSON.")
            return
        if self._json:
            content = self._read_json()
            if content is None:
                return
            known = {field.name: field for field in self._form.fields}
            form_view = self.query_one(FormView)
            form_view.start_afresh()
            form_view.put(
                {
                    name: entry_for(known[name], value)
                    for name, value in content.items()
                    if name in known
                }
            )
        else:
            content = dict(self.query_one(FormView).conversion.content)
            self._json_area.text = readable_json(content)
        self._json = not self._json
        self._show()

    def action_about(self) -> None:
        """Show whole what it says of itself, and what is known of its server."""
        from elicit_tui.tui.console.screens.about import AboutScreen

        self.app.push_screen(AboutScreen(self.app.state.servers[self._server], self._offer))

    def _read_json(self) -> dict[str, Any] | None:
        try:
            content = json.loads(self._json_area.text, parse_constant=_no_constant)
        except json.JSONDecodeError as error:
            self._say(f"This is not JSON: {error.msg} (line {error.lineno}).")
            return None
        except (ValueError, RecursionError) as error:
            self._say(f"This is not JSON: {error}.")
            return None
        if not isinstance(content, dict):
            self._say("Arguments are a JSON object: { … }.")
            return None
        return content

    def action_send(self) -> None:
        """Call with what stands there, if it is what the tool asks for."""
        if self._json:
            content = self._read_json()
            if content is None:
                return
            problems = self._form.judge(content)
            if problems:
                self._say("\n".join(_told(problem) for problem in problems[:4]))
                return
            self.dismiss(content)
            return
        form_view = self.query_one(FormView)
        conversion = form_view.conversion
        if conversion.problems:
            form_view.reveal_problems()
            general = [problem.message for problem in conversion.problems if problem.field is None]
            self._say("\n".join(general))
            return
        left = form_view.not_taken()
        if left is not None:
            title, typed, kept = left
            key = self.app.key_of("arguments.call")
            self._say(f"{title}: nothing was chosen for “{typed}”. {key} again {kept}.")
            return
        self.dismiss(dict(conversion.content))

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
        """From the last field Enter goes on to the button that calls."""
        event.stop()
        self.query_one("#send").focus()

    def on_form_view_changed(self, event: events.Event) -> None:
        """What was wrong before may be right now."""
        event.stop()
        self._say("")


def _told(problem: Any) -> str:
    return f"{problem.field}: {problem.message}" if problem.field else str(problem.message)


def _no_constant(word: str) -> Any:
    raise ValueError(f"{word} is not a JSON value")
