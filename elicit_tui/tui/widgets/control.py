"""What every field's widget has in common: raw entry in and out, and the field's own keys."""

from __future__ import annotations

from textual.binding import Binding, BindingType
from textual.message import Message

from elicit_tui.form import EmptyOnPurpose, Entry, Field, Unset, is_unset
from elicit_tui.tui.key_names import key_of
from elicit_tui.tui.widgets.guarded import Guarded

CLEAR = Binding("ctrl+u", "clear_field", "Clear the field", id="field.clear", show=False)
EMPTY = Binding("ctrl+e", "empty_field", "Empty on purpose", id="field.empty", show=False)
DEFAULT = Binding("ctrl+d", "default_field", "Back to the default", id="field.default", show=False)
UNDO = Binding("ctrl+z", "undo_field", "Undo the last field key", id="field.undo", show=False)
FIELD_BINDINGS: list[BindingType] = [CLEAR, EMPTY, DEFAULT, UNDO]


class FieldChanged(Message):
    """A person changed the entry of one field."""

    def __init__(self, control: FieldControl) -> None:
        super().__init__()
        self.field_control = control


class FieldFinished(Message):
    """The person is through with a field and wants the next one; nothing is sent by this."""

    def __init__(self, control: FieldControl) -> None:
        super().__init__()
        self.field_control = control


class FieldMoved(Message):
    """The line that a person edits, or the bar in a list, is another one."""

    def __init__(self, control: FieldControl) -> None:
        super().__init__()
        self.field_control = control


class FieldControl(Guarded):
    """Base of every field's widget. It holds a raw entry and knows nothing of conversion."""

    spec: Field
    leads_to = ""
    """The button to which Enter goes on from here; empty where another field follows."""
    _undo: Entry | None = None

    @property
    def can_take_empty(self) -> bool:
        """Whether "empty on purpose" means anything here: a text, or a list, that may be empty."""
        least = self.spec.min_length or self.spec.min_items
        return self.spec.kind in ("string", "email", "uri", "multi") and not least

    @property
    def entry(self) -> Entry:
        """The raw entry as it stands on the screen."""
        raise NotImplementedError

    def put(self, entry: Entry) -> None:
        """Show another entry, without telling anyone."""
        raise NotImplementedError

    @property
    def not_taken(self) -> str:
        """What was typed here and is no part of the entry; empty where nothing is."""
        return ""

    @property
    def kept(self) -> str | None:
        """What is chosen here whatever was typed, in words; None where it is unset."""
        return None

    @property
    def searches(self) -> bool:
        """Whether a search leaves some of the choices out: then Esc ends it."""
        return False

    def end_search(self) -> bool:
        """Show all choices again; whether a search had left some of them out."""
        return False

    def height_for(self, width: int) -> int:
        """Rows needed at this width, in cells."""
        return 1

    @property
    def flows(self) -> bool:
        """Whether it takes as much width as it needs (choices), or a fixed one (lines)."""
        return False

    @property
    def edited_line(self) -> int:
        """The row of the widget, from 0, on which the person acts: it has to be seen."""
        return 0

    @property
    def count(self) -> str | None:
        """A live count for the hint, such as `now 12`; None when there is nothing to count."""
        return None

    @property
    def warning(self) -> str | None:
        """What the person cannot see in the entry, in words."""
        return None

    @property
    def aside(self) -> str | None:
        """What the widget had to cut, whole."""
        return None

    @property
    def may_become_right(self) -> bool:
        """Whether typing on can mend what is wrong with it."""
        return False

    @property
    def sends(self) -> str | None:
        """What goes out where its words do not say it, as JSON; None where they do."""
        return None

    @property
    def own_keys(self) -> tuple[tuple[str, str], ...]:
        """Keys of this kind of field, as (key, what it does)."""
        return ()

    @property
    def keys(self) -> tuple[tuple[str, str], ...]:
        """All keys that act inside this field just now."""
        own = self.own_keys
        # Early: a short line has room for the first ones alone.
        keys = [*own[:1], ("Tab", "next"), *own[1:]]
        keys.append((key_of(self, CLEAR), "clear"))
        if self.can_take_empty:
            keys.append((key_of(self, EMPTY), "empty on purpose"))
        if self.has_default:
            keys.append((key_of(self, DEFAULT), "default"))
        return (*keys, *self._way_on)

    @property
    def _way_on(self) -> tuple[tuple[str, str], ...]:
        """What Enter does in the last field, where it is no key of the field itself."""
        return (("Enter", f"to {self.leads_to}"),) if self.leads_to else ()

    @property
    def takes_back(self) -> bool:
        """Whether one of these keys replaced something that can be brought back."""
        return self._undo is not None

    @property
    def has_default(self) -> bool:
        """Whether the schema has a default that can be filled in."""
        return not is_unset(self.spec.initial)

    def changed(self) -> None:
        """Tell the form that the person changed this field."""
        self.post_message(FieldChanged(self))

    def moved(self) -> None:
        """Tell the form that the person acts on another line."""
        self.post_message(FieldMoved(self))

    def _replace(self, entry: Entry) -> None:
        self._undo = self.entry
        self.put(entry)
        self.changed()

    def action_clear_field(self) -> None:
        """Leave the field unset."""
        self._replace(Unset())

    def action_empty_field(self) -> None:
        """Send it, and send it empty."""
        if self.can_take_empty:
            self._replace(EmptyOnPurpose())

    def action_default_field(self) -> None:
        """Bring the schema's default back."""
        if self.has_default:
            self._replace(self.spec.initial)

    def action_undo_field(self) -> None:
        """Bring back what the last of these keys replaced."""
        if self._undo is not None:
            undo, self._undo = self._undo, None
            self.put(undo)
            self.changed()
