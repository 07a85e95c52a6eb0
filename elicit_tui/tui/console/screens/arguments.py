"""The arguments of a call: as a form, or as JSON where the schema goes beyond one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Static

from elicit_tui.elicitation import Draft
from elicit_tui.form.conversion import whole_entry
from elicit_tui.form.field import Entry, Typed, Unset, is_unset
from elicit_tui.form.form import Form
from elicit_tui.form.schema_reading import read_form
from elicit_tui.form.shape import secret_names, shape
from elicit_tui.form.skeleton import skeleton
from elicit_tui.text import neutral, neutral_line, quoted, readable_json
from elicit_tui.text.hostile_json import strict_json
from elicit_tui.tui.console.argument_values import Completion, ValueList
from elicit_tui.tui.console.dialog import CutText, DialogButton, filled, half_typed, written_down
from elicit_tui.tui.console.json_editor import JsonEditor, hint_of
from elicit_tui.tui.console.screens.offering_values import OffersValues
from elicit_tui.tui.console.servers import VERBS, Offer
from elicit_tui.tui.console.spans import shortened
from elicit_tui.tui.console.state import HalfWritten
from elicit_tui.tui.secret_arguments import shown_arguments
from elicit_tui.tui.widgets import FormView
from elicit_tui.tui.widgets.control import FROM_BEFORE, FROM_FILE
from elicit_tui.tui.widgets.lines import TextLine
from elicit_tui.tui.widgets.rows_view import Begun
from elicit_tui.tui.widgets.text_block import TextBlock

if TYPE_CHECKING:
    from textual import events
    from textual.await_complete import AwaitComplete
    from textual.screen import Screen
    from textual.timer import Timer

_ROWS_OF_A_FIELD = 4
_ROWS_AROUND = 16
"""A form that surely fits is no taller than its fields."""
_ROWS_OF_A_PLAIN_FIELD = 2
_SHAPE_CHARACTERS = 320
"""Of what the JSON is to look like; About has all of it."""
_JUDGED_SECONDS = 0.4
"""So long after a key JSON is judged: in the middle of a word it is wrong anyway."""
_BESIDES_CHARACTERS = 160
"""So much of what no field has is told whole beside the form; what is longer stays JSON."""

_JSON_HINT = (
    "Type over the selected value; Tab goes to the next. To add an entry to a list: End, then a "
    "comma, after its last one."
)


class ArgumentsScreen(OffersValues):
    """Result: the arguments to call with; those of a file are still to be seen."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "send", "Call", id="arguments.call"),
        Binding("f5", "turn", "Form/JSON", id="arguments.turn"),
        Binding("f2", "about", "About", id="arguments.about"),
        # Before the same keys of a field of several lines: there one selects all of it, and the
        # other leads to the editor.
        Binding("f7", "skeleton", "Begin anew", id="arguments.skeleton", priority=True),
        Binding("f4", "at_length", "Whole screen", id="arguments.at_length", priority=True),
    ]

    def __init__(
        self,
        server: str,
        offer: Offer,
        arguments: Mapping[str, Any] | None = None,
        of_file: bool = False,
    ) -> None:
        super().__init__(f"{VERBS[offer.kind]} {neutral_line(offer.shown, 60)}", server)
        self.verb = VERBS[offer.kind]
        self._server = server
        self._offer = offer
        self._form: Form = read_form(offer.schema, purpose="arguments")
        self._given = dict(arguments or {})
        self._whence = FROM_FILE if of_file else FROM_BEFORE
        made = "" if arguments is None else readable_json(self._given, indent=None)
        self._place = (server, offer.key, made)
        """Where what was typed is found again; of a call that is made again a place of its own."""
        self._json = self._form.beyond is not None
        self.set_class(self._json, "-beyond")
        self._begun_with = ""
        """The JSON that stood there before anybody wrote in it."""
        self._besides: dict[str, Any] = {}
        """What of the arguments no field of the form can hold: it is sent as it is."""
        self._came_back: dict[str, Any] = dict(self._given)
        """What the JSON says that was not written in it just now."""
        self._judging: Timer | None = None
        self._continued: str | None = None
        """The field one was in the middle of when this was left, a moment ago."""

    def body(self) -> ComposeResult:
        """What it does, its fields, what is missing."""
        about = self._offer.description.partition("\n\n")[0]
        if self._form.beyond is not None:
            beyond = neutral(self._form.beyond, 300).rstrip(".")
            like = shortened(shape(self._offer.schema), _SHAPE_CHARACTERS)
            about = f"{beyond}: write the arguments as JSON.\n{like}"
        if about:
            yield CutText(about, id="about")
        if self._form.beyond is None:
            kept = self.app.state.half_besides.get(self._place)
            entries = self._take_apart(self._given)
            self._besides = self._besides if kept is None else kept
            left = self.app.state.half_typed.get(self._place, Draft())
            self._continued = left.continues
            whence = dict.fromkeys(entries, self._whence) | dict.fromkeys(left.touched, FROM_BEFORE)
            stands = {**entries, **left.entries}
            begun = Begun(stands, left.touched, whence, left.continues, left.unread)
            form_view = FormView(self._form, begun)
            form_view.known = frozenset(name for name in whence if whence[name] == FROM_BEFORE)
            yield form_view
            yield ValueList()
        yield Static(_JSON_HINT, id="json-hint", markup=False)
        yield JsonEditor(self._offer.schema, id="arguments-json")
        yield Static("", id="besides", markup=False)
        yield self.unseen_line
        yield from self.ending(self.verb, "arguments.call")

    def on_mount(self) -> None:
        """Start in the first field."""
        self._begin_json(
            self._given or skeleton(self._offer.schema), own=self._whence == FROM_BEFORE
        )
        if (written := self.app.state.half_written.get(self._place)) is not None:
            self._json_area.take_back(written.text, own=not written.hidden)
            self._json = True
            self._came_back = self._read_json(go_there=False) or {}
        record = self.app.state.servers.get(self._server)
        if record is not None and self._form.beyond is None:
            self.app.state.remember_calls()
            self.completion = Completion(self.app.state, record, self._offer)
        self._json = self._json or self._besides_is_json
        self.screen_layout_refresh_signal.subscribe(self, self._keep_buttons_in_sight)
        self._show()

    def _keep_buttons_in_sight(self, screen: Screen[Any]) -> None:
        """A form that is higher than was thought, or has known values below it, is scrolled."""
        if self.has_class("-fits") and not self.query_one("#send", DialogButton).in_sight:
            self.remove_class("-fits")

    @property
    def _json_area(self) -> JsonEditor:
        return self.query_one("#arguments-json", JsonEditor)

    def _begin_json(self, content: Mapping[str, Any], *, own: bool = True) -> None:
        """Show it as JSON; what is typed goes to the first value that is still to be written."""
        self._begun_with = readable_json(dict(content))
        self._json_area.begin(self._begun_with, own=own)

    def _show(self) -> None:
        rows = _ROWS_AROUND + sum(
            _ROWS_OF_A_FIELD if field.description else _ROWS_OF_A_PLAIN_FIELD
            for field in self._form.fields
        )
        self.set_class(not self._json and rows <= self.app.size.height, "-fits")
        self._json_area.display = self.query_one("#json-hint").display = self._json
        for form_view in self.query(FormView):
            form_view.display = not self._json
            if self._continued is not None and not self._json:
                form_view.focus_field(self._continued)
            elif not self._json:
                form_view.focus_first()
        if self._json:
            self._json_area.focus()
        self.say("")
        self.tell_besides()
        self.count_unseen()
        self.tell_lacks()

    def action_turn(self) -> None:
        """From the form to its JSON and back; what no field can hold goes along, and is told."""
        if self._json:
            content = self._read_json()
            if content is None:
                return
            before, entries = self._besides, self._take_apart(content)
            if self._besides_is_json:
                names = ", ".join(quoted(name, 40) for name in list(self._besides)[:4])
                self.say(f"No field of the form can hold {names}: it stays JSON.")
                self._besides = before
                return
            same = [name for name in entries if self._came_back.get(name, ...) == content[name]]
            self.query_one(FormView).start_afresh(entries, dict.fromkeys(same, self._whence))
        else:
            form_view = self.query_one(FormView)
            # What is required and not there yet is seen to be.
            written = {**self._beside_the_form, **written_down(form_view)}
            content = {**skeleton(self._offer.schema), **written}
            given = {*form_view.from_elsewhere, *self._besides}
            self._came_back = {name: content[name] for name in given if name in content}
            self._begin_json(content, own=not form_view.unseen)
        self._json = not self._json
        self._show()

    def _take_apart(self, content: Mapping[str, Any]) -> dict[str, Entry]:
        """What these arguments are in the fields of the form; what no field can hold is kept.

        What is required, and still to be written, is neither.
        """
        required = skeleton(self._offer.schema)
        content = {
            name: content[name] for name in content if content[name] != required.get(name, ...)
        }
        fields = (field for field in self._form.fields if field.name in content)
        entries = {field.name: whole_entry(field, content[field.name]) for field in fields}
        in_fields = {name for name, entry in entries.items() if not is_unset(entry)}
        self._besides = {name: content[name] for name in content if name not in in_fields}
        return entries

    @property
    def _besides_is_json(self) -> bool:
        """Whether it is too long to be told, or what a field of the form would be wanted for."""
        wanted = {field.name for field in self._form.fields if field.required}
        is_long = len(readable_json(self._besides, indent=None)) > _BESIDES_CHARACTERS
        return is_long or bool(wanted & self._besides.keys())

    @property
    def _beside_the_form(self) -> dict[str, Any]:
        """What goes out besides the fields, less what was written into a field since."""
        content = self.query_one(FormView).conversion.content
        return {name: value for name, value in self._besides.items() if name not in content}

    def tell_besides(self) -> None:
        """What no field has is told as long as the form is shown."""
        line = self.query_one("#besides", Static)
        besides = self._beside_the_form if self._besides and not self._json else {}
        line.display = bool(besides)
        shown = shown_arguments(besides, secret_names(self._offer.schema))
        words = neutral_line(readable_json(shown, indent=None), None)
        line.update(f"Also sent, as no field has it: {words}")

    def on_form_view_changed(self, event: events.Event) -> None:
        """What was written into a field takes the place of what no field had."""
        self.tell_besides()

    def action_skeleton(self) -> None:
        """Begin anew: with the arguments of the call that is made again; from those with none.

        The key that undoes brings back what stood there, in a form field by field.
        """
        if self._json:
            given = readable_json(self._given)
            is_given = not self._given or self._json_area.text == given
            required = readable_json(skeleton(self._offer.schema))
            self._json_area.begin_anew(required if is_given else given)
            self._json_area.focus()
            self.count_unseen()
        else:
            form_view = self.query_one(FormView)
            own = {**self._form.initial(), **self._take_apart(self._given)}
            is_given = filled(form_view.entries) == filled(own)
            entries = self._take_apart({} if is_given else self._given)
            self.tell_besides()
            form_view.start_afresh(entries, dict.fromkeys(entries, self._whence))
            self.set_focus(None)  # What stands there now is selected, as when this was opened.
            form_view.focus_first()
        self.say("")

    def action_at_length(self) -> None:
        """Write the text of the field one is in, or the JSON, on the whole screen."""
        from elicit_tui.tui.console.screens.long_text import LongTextScreen

        line = self._written_in_words
        if self._json:
            area = self._json_area
            whole = LongTextScreen("Arguments", area.text, self._offer.schema, area.selection)
            self.app.write_in(whole, self._take_json)
        elif line is not None:
            taken = partial(self._take_text, line)
            self.app.write_in(LongTextScreen(line.spec.title, line.typed), taken)

    def _take_json(self, text: str | None) -> None:
        if text is not None:
            self._json_area.begin(text, own=not self._json_area.hidden)
            self._json_area.focus()
            self._read_json()

    def _take_text(self, line: TextLine | TextBlock, text: str | None) -> None:
        """Have it in its field; one of several lines gets a block for them."""
        if text is None or text == line.typed:
            return
        if "\n" in text and isinstance(line, TextLine):
            self.run_worker(self.query_one(FormView).write_lines(line, text))
        else:
            entry = Typed(text) if text else Unset()
            self.query_one(FormView).put({line.spec.name: entry})

    def action_about(self) -> None:
        """Show whole what it says of itself, and what is known of its server."""
        from elicit_tui.tui.console.screens.about import AboutScreen

        if (record := self.app.state.servers.get(self._server)) is not None:
            self.app.push_screen(AboutScreen(record, self._offer, self._as_sent()))

    def _as_sent(self) -> dict[str, Any] | None:
        """The params of the request as it stands, without its secrets; None: its JSON is none.

        Of a template that cannot be filled in yet, it is the template.
        """
        content = self._read_json() if self._json else self._content
        if content is None:
            return None
        shown = shown_arguments(content, secret_names(self._offer.schema))
        if self._offer.kind == "template":
            from elicit_tui.host.uri_templates import filled

            unfit = self._form.judge(content)
            return {"uri": self._offer.name if unfit else filled(self._offer.name, shown)}
        return {"name": self._offer.name, "arguments": dict(shown)}

    def action_leave(self) -> None:
        """Go back; what was typed is there when the same is to be called."""
        for form_view in self.query(FormView):
            self.app.state.half_typed[self._place] = half_typed(form_view)
            self.app.state.half_besides[self._place] = self._besides
        self.app.state.half_written.pop(self._place, None)
        if self._json and self._json_area.text != self._begun_with:
            area = self._json_area
            self.app.state.half_written[self._place] = HalfWritten(area.text, area.hidden)
        super().action_leave()

    def dismiss(self, result: dict[str, Any] | None = None) -> AwaitComplete:
        """Leave with these arguments, and nothing half typed, or with none."""
        if result is not None:
            self.app.state.half_typed.pop(self._place, None)
            self.app.state.half_besides.pop(self._place, None)
            self.app.state.half_written.pop(self._place, None)
        return super().dismiss(result)

    @on(JsonEditor.Changed, "#arguments-json")
    def _judge_soon(self) -> None:
        if self._judging is not None:
            self._judging.stop()
        self._judging = self.set_timer(_JUDGED_SECONDS, self._judge_json)

    def _judge_json(self) -> None:
        """Say what is wrong with what was written, while one writes."""
        content = self._read_json(go_there=False) if self._json else None
        self.tell_lacks()
        area = self._json_area
        if content is not None and (area.is_begun or area.text == self._begun_with):
            self.say("")  # What is not there yet is no mistake; what is undone is none any more.
        elif content is not None and not self._tell_problems(content):
            self.say(area.escape_hint)

    def _tell_problems(self, content: Mapping[str, Any], *, go_there: bool = False) -> bool:
        """Say what the tool would not take; whether there is something. `go_there`: in the JSON."""
        problems = self._form.judge(content)
        self.say("\n".join(str(problem) for problem in problems[:4]))
        for problem in problems[:1] if go_there else ():
            self._json_area.focus().go_to(problem)
        return bool(problems)

    def _read_json(self, *, go_there: bool = True) -> dict[str, Any] | None:
        """What is written, or None and why not. `go_there`: the cursor goes to the mistake."""
        try:
            # An editor that was emptied says as much as an empty object.
            content = strict_json(self._json_area.text.strip() or "{}")
        except json.JSONDecodeError as error:
            if go_there:
                self._json_area.focus().move_cursor((error.lineno - 1, error.colno - 1))
            place = f"line {error.lineno}, column {error.colno}"
            hint = hint_of(self._json_area.text.strip(), error.pos)
            self.say(f"This is not JSON: {error.msg} ({place}).{hint}")
            return None
        except ValueError as error:
            self.say(f"This is not JSON: {error}.")
            return None
        if isinstance(content, dict):
            return content
        self.say("Arguments are a JSON object: { … }.")
        return None

    def action_send(self) -> None:
        """Call with what stands there, if it is what the tool asks for."""
        if self._json:
            if self._judging is not None:
                self._judging.stop()
            content = self._read_json()
            if content is not None and not self._tell_problems(content, go_there=True):
                self.take_once_seen(content, self._json_area)
            return
        form_view = self.query_one(FormView)
        if problems := form_view.conversion.problems:
            if not self.reads_on(form_view):
                form_view.reveal_problems()
                self.count_unseen()  # From here on the key may read on.
                self.say("\n".join(each.message for each in problems if each.field is None))
            return
        left, again = form_view.not_taken(), f"{self.app.key_of('arguments.call')} again"
        if left is not None:
            title, not_taken, kept = left
            self.say(f"{title}: {not_taken}. {again} {kept}.")
            return
        if not (self._besides and self._tell_problems(self._content)):
            self.take_once_seen(self._content, form_view)

    @property
    def _content(self) -> dict[str, Any]:
        """What the form would send, with what no field of it has."""
        return {**self._beside_the_form, **self.query_one(FormView).conversion.content}

    @property
    def written_in(self) -> FormView | JsonEditor:
        """Where the arguments stand just now."""
        return self._json_area if self._json else self.query_one(FormView)

    # Its keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Some keys are of the form, some of the JSON, some of a field of text."""
        if action == "turn":
            return self._form.beyond is None
        if action == "skeleton":
            return self._json or bool(self._place[2])
        if action == "at_length":
            return self._json or self._written_in_words is not None
        return super().check_action(action, parameters)

    def why_not(self, action: str) -> str:
        """Some keys are of the form, some of the JSON, some of a field of text."""
        return {
            "turn": "No form can have these arguments: they are written as JSON.",
            "skeleton": "JSON is begun anew; the fields of a form are cleared one by one.",
            "at_length": "Only a text that is shown is written on the whole screen.",
        }.get(action, "")

    def worded(self, action: str) -> str | None:
        """The key says what the button says."""
        return self.does if action == "send" else None

    @property
    def _written_in_words(self) -> TextLine | TextBlock | None:
        """The field of text that has the focus, of one line or of several."""
        focused, line = self.focused, self.typed_in
        shown = line if line is not None and not line.is_masked else None
        return focused if isinstance(focused, TextBlock) else shown
