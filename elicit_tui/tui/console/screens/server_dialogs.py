"""A server to be added to the configuration, or changed there: its name, how it is reached."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Final

from rich.cells import cell_len
from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.screen import Screen
from textual.widgets import OptionList, Static

from elicit_tui.config.editing import DEFAULT_MODE
from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation import Draft
from elicit_tui.elicitation.settings import APPROVAL_MODES, ASK_BEFORE_CALLS
from elicit_tui.form.conversion import entry_for
from elicit_tui.form.field import Entry, Typed, Unset
from elicit_tui.form.schema_reading import read_form
from elicit_tui.text import neutral, neutral_line, quoted
from elicit_tui.tui.console.dialog import (
    DialogButton,
    SureDialog,
    WritingDialog,
    filled,
    half_typed,
)
from elicit_tui.tui.console.named_after import free_name, looks_like_command, name_for
from elicit_tui.tui.console.results import at_home
from elicit_tui.tui.console.screens.confirmations import UnderWay
from elicit_tui.tui.console.server_words import START_IT
from elicit_tui.tui.console.spans import padded
from elicit_tui.tui.widgets import FormView
from elicit_tui.tui.widgets.buttons import KeyRow
from elicit_tui.tui.widgets.choices import MANY
from elicit_tui.tui.widgets.control import IN_FILE, UNWRITTEN
from elicit_tui.tui.widgets.rows_view import Begun


@dataclass(frozen=True)
class AtField:
    """Why what was filled in cannot be written, where one field is at fault."""

    name: str
    sentence: str


Save = Callable[[Mapping[str, Any]], "str | AtField"]
"""Writes what was filled in, by field, unset as ""; the sentence why it cannot, or nothing."""

_FIELDS: Final[Mapping[str, Mapping[str, Any]]] = {
    # It is pasted first, and the name of a new one is read from it; it is what changes most.
    "target": {
        "type": "string",
        "title": "Command or URL",
        "description": "npx -y some-server, or https://example.com/mcp",
    },
    "name": {"type": "string", "title": "Name", "description": "what you call it by"},
    "enabled": {"type": "boolean", "title": START_IT},
    "approval_mode": {
        "type": "string",
        "title": ASK_BEFORE_CALLS,
        "description": "a tool's own setting in the file wins",
        "oneOf": [{"const": mode, "title": words} for mode, words in APPROVAL_MODES.items()],
    },
    "cwd": {
        "type": "string",
        "title": "Folder",
        "description": "for a command: where it runs; your home, if unset",
    },
    "env": {
        "type": "string",
        "title": "Environment",
        "description": "for a command: KEY=VALUE, one a line; ${NAME} copies your own",
        "maxLength": 20_000,
    },
}

_NEW: Final[Mapping[str, Any]] = {"enabled": True, "approval_mode": DEFAULT_MODE}
"""What a server has before anything is filled in."""
GOES_ON: Final = "more below: Tab"
AIR_BELOW: Final = 1
"""Rows behind the last field in which nothing stands."""
BY_DEFAULT: Final = "by default"
"""Whence what the file has nothing of."""
_OPTIONAL: Final = ("cwd", "env")


class ServerScreen(WritingDialog[None]):
    """Writes what is filled in to the configuration, where it is right."""

    wide = False

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "send", "Write it", id="server.write"),
        # Before the same key of the variables, which selects all of them.
        Binding("f7", "begin_anew", "Begin anew", id="server.begin_anew", priority=True),
    ]

    def __init__(
        self,
        path: str,
        save: Save,
        present: Mapping[str, Any] | None = None,
        once_sure: Callable[[Callable[[], object]], None] | None = None,
    ) -> None:
        """`present`: the server that is there; None adds one.

        A field whose value there is None is left as it stands. `once_sure` asks before it does
        what ends something; None: nothing is under way.
        """
        title = "Change a server" if present else "Add a server"
        super().__init__(title, neutral_line(at_home(Path(path)), 70))
        self._save = save
        self._once_sure = once_sure
        self._present = {**_NEW, **(present or {})}
        fields = {
            name: spec for name, spec in _FIELDS.items() if self._present.get(name, "") is not None
        }
        required = [name for name in fields if name not in _OPTIONAL]
        schema = {"type": "object", "properties": fields, "required": required}
        self._form = read_form(schema, purpose="arguments")
        self._named_after = ""
        """What the command or the address is called here by itself."""
        self._continued: str | None = None
        """The field one was in the middle of when this was left, a moment ago."""

    def body(self) -> ComposeResult:
        """Its fields."""
        entries = self._as_it_was
        left = self._half_typed.get(self._was, Draft())
        self._continued = left.continues
        whence = self._whence | dict.fromkeys(left.touched, UNWRITTEN)
        if isinstance(target := left.entries.get("target"), Typed):
            self._named_after = self._name_for(target.text.strip())
        begun = Begun({**entries, **left.entries}, left.touched, whence, left.continues)
        form_view = FormView(self._form, begun, leads_to="Write it", id="server-form")
        form_view.verb, form_view.may_have_lines = "", False
        form_view.empty_is_an_answer = False
        yield form_view
        yield from self.ending("Write it", "server.write")

    @property
    def _as_it_was(self) -> dict[str, Entry]:
        """What the file has of it, or a new one begins with."""
        return {
            field.name: entry_for(field, self._present[field.name])
            for field in self._form.fields
            if self._present.get(field.name, "") != ""
        }

    @property
    def _whence(self) -> dict[str, str]:
        return {
            name: BY_DEFAULT if self._present[name] == _NEW.get(name) else IN_FILE
            for name in (self._as_it_was if self._was else ())
        }

    @property
    def _is_another(self) -> bool:
        """Whether anything stands there otherwise than it was."""
        return any(
            filled(form_view.entries) != filled(self._as_it_was)
            for form_view in self.query(FormView)
        )

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """It is begun anew where that brings something back."""
        if action == "begin_anew":
            return self._is_another
        return super().check_action(action, parameters)

    def why_not(self, action: str) -> str:
        """It may stand there as it was."""
        return {"begin_anew": "Nothing is changed here that could be taken back."}.get(action, "")

    def action_begin_anew(self) -> None:
        """Have what the file holds; the key that undoes takes that back, field by field."""
        form_view = self.query_one(FormView)
        self._named_after = ""
        self._half_typed.pop(self._was, None)
        form_view.start_afresh(self._as_it_was, self._whence)
        self.set_focus(None)  # What stands there now is selected, as when this was opened.
        self._begin()

    def _begin(self) -> None:
        """At what one most likely came for."""
        form_view = self.query_one(FormView)
        if self._present["enabled"]:
            form_view.focus_first()
        else:
            form_view.focus_field("enabled")

    def on_mount(self) -> None:
        """Start where one was, or came for."""
        self.say("")
        form_view = self.query_one(FormView)
        if self._continued is not None:
            form_view.focus_field(self._continued)
        else:
            self._begin()
        for moved in ("scroll_y", "virtual_size"):
            self.watch(form_view, moved, self.tell_lacks, init=False)
        self.screen_layout_refresh_signal.subscribe(self, self._keep_buttons_in_sight)

    def _keep_buttons_in_sight(self, screen: Screen[Any]) -> None:
        """While something is told above, the fields have what is left of the room."""
        hidden = not self.query_one("#send", DialogButton).in_sight
        gives_way = bool(self.query("Toast")) and (hidden or self.has_class("-pressed"))
        self.set_class(gives_way, "-pressed")

    def on_resize(self) -> None:
        """There may be room for more of the fields, or for fewer."""
        self.call_after_refresh(self.tell_lacks)

    def tell_lacks(self) -> None:
        """Where nothing is missing, that there are fields below those in sight."""
        super().tell_lacks()
        form_view = self.query_one(FormView)
        rows_below = form_view.max_scroll_y - form_view.scroll_y
        if rows_below > AIR_BELOW and not self.lacks:
            self.query_one(KeyRow).tell(GOES_ON)

    @property
    def _half_typed(self) -> dict[str, Draft]:
        return self.app.state.half_added

    @property
    def _was(self) -> str:
        """Its name in the file; empty of a new one."""
        return str(self._present.get("name", ""))

    def action_leave(self) -> None:
        """Go back; what was typed is there when this is opened again."""
        left = half_typed(self.query_one(FormView))
        self._half_typed.pop(self._was, None)
        if left.touched and self._is_another:
            self._half_typed[self._was] = left
            again = self.app.key_of("servers.edit" if self._was else "servers.add")
            self.app.notify(f"What you filled in is kept: {again} goes on with it.", markup=False)
        super().action_leave()

    def action_send(self) -> None:
        """Write it, where it is right."""
        form_view = self.query_one(FormView)
        conversion = form_view.conversion
        if conversion.problems:
            form_view.reveal_problems()
            return
        if self._fault_of_name:
            self.say(self._fault_of_name)
            form_view.focus_field("name")
            return
        if self._once_sure is None:
            self._write()
        else:
            self._once_sure(self._write)

    def on_form_view_changed(self, event: events.Event) -> None:
        """A new server is called after what it is, for as long as nobody calls it otherwise."""
        event.prevent_default()  # Else nothing is wrong any more.
        event.stop()
        if not self._was:
            self._name_it()
        self.say(self._fault_of_name)
        self.tell_lacks()
        self.refresh_bindings()

    @property
    def lacks(self) -> str:
        """What is not filled in yet."""
        return self.query_one(FormView).lacks

    def _name_for(self, target: str) -> str:
        """A name for a new server that no other one here has."""
        return free_name(name_for(target), self.app.state.servers)

    def _name_it(self) -> None:
        name = self._name_for(self._typed("target"))
        if self._typed("name") in ("", self._named_after) and name != self._named_after:
            named, form_view = Typed(name) if name else Unset(), self.query_one(FormView)
            form_view.put({"name": named}, {"name": "from what is above"} if name else None)
        self._named_after = name

    def _typed(self, field: str) -> str:
        entry = self.query_one(FormView).entries.get(field)
        return entry.text.strip() if isinstance(entry, Typed) else ""

    @property
    def _fault_of_name(self) -> str:
        """That it is none; one that stands in the file may be any."""
        name = self._typed("name")
        return "" if name == self._was else looks_like_command(name)

    def _write(self) -> None:
        unset = {field.name: "" for field in self._form.fields}
        conversion = self.query_one(FormView).conversion
        trouble = self._save({**unset, **conversion.content})
        if isinstance(trouble, AtField):
            self.say(trouble.sentence)
            self.query_one(FormView).focus_field(trouble.name)
        elif trouble:
            self.say(trouble)
        else:
            self._half_typed.pop(self._was, None)
            self.dismiss(None)


class OtherServersScreen(WritingDialog[None]):
    """Writes the servers of other programs that are chosen; none is chosen beforehand."""

    wide = False

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "choose", "Choose", id="server.choose"),
        Binding("ctrl+s", "send", "Import", id="server.import"),
    ]

    def __init__(
        self,
        path: str,
        servers: Mapping[str, tuple[str, str]],
        take: Callable[[Sequence[str]], str],
    ) -> None:
        """`servers`: whose each is, and its TOML; `take` gives the sentence why it cannot."""
        super().__init__("Servers of other programs", neutral_line(at_home(Path(path)), 70))
        self._servers = servers
        self._names = tuple(servers)
        self._column = min(24, max(cell_len(neutral_line(name, 60)) for name in servers))
        self._take = take
        self._chosen: set[str] = set()

    def body(self) -> ComposeResult:
        """The names, and what would be written of the one that is pointed at."""
        yield OptionList(*map(self._row, self._names), id="other-servers", compact=True)
        yield Static("", id="about", markup=False)
        yield from self.ending("Import", "server.import")

    def on_mount(self) -> None:
        """Start at the first one."""
        self.say("")
        names = self.query_one(OptionList)
        names.highlighted = 0
        names.focus()

    def _row(self, name: str) -> Text:
        row = f"{MANY[name in self._chosen]} {padded(neutral_line(name, 60), self._column)}  "
        whose = neutral_line(self._servers[name][0], 200)
        return Text(f"{row}{whose}", no_wrap=True, overflow="ellipsis")

    @on(OptionList.OptionHighlighted)
    def _show_pointed(self, event: OptionList.OptionHighlighted) -> None:
        whose, toml = self._servers[self._names[event.option_index]]
        self.query_one("#about", Static).update(neutral(f"# {whose}\n{toml}", 4000))

    @on(OptionList.OptionSelected)
    def action_choose(self) -> None:
        """Choose the one that is pointed at, or not."""
        names = self.query_one(OptionList)
        if names.highlighted is not None:
            name = self._names[names.highlighted]
            self._chosen ^= {name}
            names.replace_option_prompt_at_index(names.highlighted, self._row(name))
            self.say("")
            self.tell_lacks()

    @property
    def lacks(self) -> str:
        """A choice."""
        return "" if self._chosen else "none chosen"

    def action_send(self) -> None:
        """Write what is chosen."""
        chosen = [name for name in self._names if name in self._chosen]
        trouble = self._take(chosen) if chosen else "None is chosen: Space chooses one."
        if trouble:
            self.say(trouble)
        else:
            self.dismiss(None)


class RemoveServerScreen(SureDialog):
    """Result: True to take it out of the configuration."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "sure", "Remove", id="server.remove_it"),
        Binding("escape,n", "leave", "Keep", key_display="n", id="server.keep"),
    ]

    def __init__(self, ending: UnderWay, path: str, *, keeps_calls: bool) -> None:
        """`keeps_calls`: whether a later run finds the calls of this one."""
        self._server = quoted(ending.server, 40)
        self._under_way = ending
        super().__init__(f"Remove {self._server}?")
        self._path = neutral_line(at_home(Path(path)), 200)
        self._keeps_calls = keeps_calls

    def body(self) -> ComposeResult:
        """What becomes of it, and of what is under way."""
        ends = (
            f"It is ended, and its table is taken out of {self._path}. "
            "Everything else there stays as it is."
        )
        yield from self.reading("\n\n".join([ends, *self._under_way.words, self._what_stays]))
        with KeyRow(classes="buttons"):
            yield DialogButton("Keep", "server.keep", id="stay", main=True)
            yield DialogButton("Remove", "server.remove_it", id="sure")

    @property
    def _what_stays(self) -> str:
        """What is known of its calls, and where that is found."""
        until = "and in the history, also in the next runs" * self._keeps_calls
        stay = f"Its calls and your notes stay under Calls {until or 'until you leave'}."
        return f"{stay} Calls that you kept in files, and what it asked, stay too."
