"""What every field's widget has in common: raw entry in and out, its own keys, what was seen."""

from __future__ import annotations

import unicodedata
from abc import abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from rich.segment import Segment
from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.strip import Strip

from elicit_tui.form.field import EmptyOnPurpose, Entry, Field, Unset, is_unset
from elicit_tui.text import stand_in
from elicit_tui.tui.names_on_screen import key_of
from elicit_tui.tui.question_gate import Guarded
from elicit_tui.tui.what_stood import WhatStood
from elicit_tui.tui.widgets.seen_writing import SeenAsPainted

if TYPE_CHECKING:
    from elicit_tui.tui.ordered_app import OrderedApp

# Letters that a terminal sends and Textual takes for none: joiners of emoji, other spaces.


def odd_letter(event: events.Key) -> str | None:
    """The text of a key that is text although Python does not call it printable."""
    character = event.character
    if character is None or len(character) != 1 or character.isprintable():
        return None
    return None if unicodedata.category(character) in ("Cc", "Cs") else character


# Characters that a text field holds and must not draw: safe to look at, and named in words.

_SHOWN = 4


def drawn_safely(strip: Strip) -> Strip:
    """A line of an editable field with a visible character for each active one.

    The field holds the true text, because that is what is sent; drawn as it is, a server's
    default could drive the terminal.
    """
    if all(text.isascii() and text.isprintable() for text, _, control in strip if not control):
        return strip
    return Strip(
        Segment(text, style, control) if control else Segment(stand_in(text), style)
        for text, style, control in strip
    )


def unseen_in(text: str) -> str | None:
    """A sentence that counts and names the active characters in `text`; None without any."""
    if text.isascii() and text.isprintable():
        return None
    drawn = stand_in(text, keep="\n\t")
    found = [true for true, shown in zip(text, drawn, strict=False) if true != shown]
    if not found:
        return None
    names = list(dict.fromkeys(f"U+{ord(character):04X}" for character in found))
    more = ", …" if len(names) > _SHOWN else ""
    things = "1 character" if len(found) == 1 else f"{len(found)} characters"
    return f"holds {things} that cannot be seen: {', '.join(names[:_SHOWN])}{more}"


# What every field's widget has in common: raw entry in and out, and the field's own keys.

FROM_BEFORE: Final = "from before"
"""Whence what a person wrote came back to a form; whatever else is still to be seen."""
FROM_FILE: Final = "from the file"
"""Whence the arguments of a call that was kept came: anybody may have written them."""
IN_FILE: Final = "in the file"
"""Whence what a form over a file changes there."""
UNWRITTEN: Final = "not written yet"
"""Whence what a person wrote into such a form, and left there, came back to it."""
OWN: Final = frozenset({FROM_BEFORE, UNWRITTEN})
FROM_LAST_TIME: Final = "from last time"
"""Whence what a person sent in the same form before was filled in at once."""

CLEAR = Binding("ctrl+u", "clear_field", "Clear the field", id="field.clear", show=False)
EMPTY = Binding("ctrl+e", "empty_field", "Empty on purpose", id="field.empty", show=False)
DEFAULT = Binding("ctrl+d", "default_field", "Back to the default", id="field.default", show=False)
UNDO = Binding("ctrl+z", "undo_field", "Undo the last field key", id="field.undo", show=False)
REVEAL = Binding("f6", "reveal", "Show the secret", id="field.reveal", show=False)
LINE_BREAK = Binding("ctrl+j", "line_break", "Line break", show=False)
FIELD_BINDINGS: list[BindingType] = [CLEAR, EMPTY, DEFAULT, UNDO]


def to_button(label: str) -> str:
    """What a key does that leads from a field to this button, and presses it not."""
    return f"→ {label} button"


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


class FieldLeft(Message):
    """The person goes to the field below, or above where `by` is -1."""

    def __init__(self, control: FieldControl, by: int) -> None:
        super().__init__()
        self.field_control = control
        self.by = by


class LinesPasted(Message):
    """Several lines were pasted into a line of text: it needs room for them."""

    def __init__(self, control: FieldControl, text: str) -> None:
        super().__init__()
        self.field_control = control
        self.text = text


class FieldMoved(Message):
    """The line that a person edits, or the bar in a list, is another one."""

    def __init__(self, control: FieldControl) -> None:
        super().__init__()
        self.field_control = control


class FieldSeen(Message):
    """All that a field sends has been on the screen now."""

    def __init__(self, control: FieldControl) -> None:
        super().__init__()
        self.field_control = control


class FieldControl(SeenAsPainted, Guarded):
    """Base of every field's widget. It holds a raw entry and knows nothing of conversion."""

    app: OrderedApp[Any]
    spec: Field
    leads_to = ""
    """The button to which Enter goes on from here; empty where another field follows."""
    verb = "sends"
    """What becomes of the answer; empty where its value is not told."""
    may_have_lines = True
    """Whether a text may have several lines, where its length allows it."""
    empty_is_an_answer = True
    """Whether one that is empty on purpose is another answer than none."""
    _came_back: tuple[Entry, str] | None = None
    """What stood here when the form was shown, and where it came from; until it is changed."""

    _continues = False

    @property
    def hidden(self) -> bool:
        """Whether some of what it sends was never on the screen, and is not the person's own."""
        return False

    @property
    def shows_all(self) -> bool:
        """Whether all of it is on the screen once the field is, as far as one can know before."""
        return True

    def finish(self) -> None:
        """The person is through with it: what is typed from now on is for the next field."""
        self.post_message(FieldFinished(self))
        self.app.keys_follow(self)

    def see(self) -> None:
        """What was painted last is on the screen."""

    def see_afresh(self) -> None:
        """What stands on the screen now was seen, and nothing that stood there before."""

    def seen_whole(self) -> Message:
        """That all of it was."""
        return FieldSeen(self)

    def came_back(self, whence: str, *, continues: bool = False) -> None:
        """What stands here came back with the form: the first letter typed takes its place.

        The key that undoes brings it back. `continues`: the person was in the middle of it a
        moment ago, and goes on where it ends.
        """
        self._came_back = self.entry, whence
        self._continues = continues

    def is_of_others(self) -> None:
        """What stands here is still to be seen, as far as others wrote it."""

    def is_own(self) -> None:
        """What stands here is what the person wrote."""
        self._came_back = None

    @property
    def gives_way(self) -> bool:
        """Whether what stands here is selected with the focus, so that typing replaces it."""
        return self._came_back is not None and not self._continues

    @property
    def whence(self) -> str:
        """Where what stands here came from (`from before`); empty where it is the person's own."""
        return self._came_back[1] if self._came_back is not None else ""

    @property
    def can_take_empty(self) -> bool:
        """Whether "empty on purpose" means anything here: a text, or a list, that may be empty.

        A text that has a format may not: no format is that of an empty one.
        """
        least = self.spec.min_length or self.spec.min_items
        is_text_or_list = self.spec.kind in ("string", "multi")
        return self.empty_is_an_answer and is_text_or_list and not least

    @property
    @abstractmethod
    def entry(self) -> Entry:
        """The raw entry as it stands on the screen."""

    @abstractmethod
    def put(self, entry: Entry) -> None:
        """Show another entry, without telling anyone."""

    @property
    def not_taken(self) -> str:
        """In words, what was looked for here and not chosen; empty where nothing was."""
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

    @property
    def replaced_by_typing(self) -> bool:
        """Whether what came back here is selected with the focus: a letter takes its place."""
        return False

    @property
    def all_selected(self) -> bool:
        """Whether all that stands here is selected just now."""
        return False

    def height_for(self, width: int) -> int:
        """Rows needed at this width, in cells."""
        return 1

    @property
    def flows(self) -> bool:
        """Whether it takes as much width as it needs (choices), or a fixed one (lines)."""
        return False

    def outgrows(self, width: int) -> bool:
        """Whether it is a line whose text, and the cursor behind it, need more than this width."""
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
    def is_masked(self) -> bool:
        """Whether what is typed is not shown."""
        return False

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
    def rarer_keys(self) -> tuple[tuple[str, str], ...]:
        """Those of them that are named late."""
        return ()

    @property
    def keys(self) -> tuple[tuple[str, str], ...]:
        """All keys that act inside this field just now."""
        own = self.own_keys
        # Early: a short line has room for the first ones alone.
        early = 1 if self.way_on[0] == "Enter" else len(own)
        keys = [*own[:early], self.way_on, *own[early:], *self.rarer_keys]
        keys = list(dict.fromkeys(keys))
        keys.append((key_of(self, CLEAR), "clear"))
        if self.can_take_empty:
            keys.append((key_of(self, EMPTY), "empty on purpose"))
        if self.has_default:
            keys.append((key_of(self, DEFAULT), "default"))
        return tuple(keys)

    @property
    def way_on(self) -> tuple[str, str]:
        """The key that leads on: Enter, where it does nothing else; in the last field to a button.

        It presses none: in no form does an Enter that was meant for a field answer for good.
        """
        leads_on = to_button(self.leads_to) if self.leads_to else "next"
        enter = dict(self.own_keys).get("Enter", leads_on)
        return "Enter" if enter == leads_on else "Tab", leads_on

    @cached_property
    def stood(self) -> WhatStood[Entry]:
        """What one key put another entry in the place of."""
        return WhatStood()

    @property
    def takes_back(self) -> bool:
        """Whether one of these keys replaced something that can be brought back."""
        return bool(self.stood)

    @property
    def has_default(self) -> bool:
        """Whether the schema has a default that can be filled in."""
        return not is_unset(self.spec.initial)

    def changed(self) -> None:
        """Tell the form that the person changed this field."""
        if self._came_back is not None:
            self.has_replaced(self._came_back[0])
            self._came_back = None
        self.post_message(FieldChanged(self))

    def moved(self) -> None:
        """Tell the form that the person acts on another line."""
        self.post_message(FieldMoved(self))

    def _replace(self, entry: Entry) -> None:
        if entry != self.entry:
            self.stood.note(self.entry)
        self.put(entry)
        self.changed()

    def has_replaced(self, entry: Entry) -> None:
        """The key that undoes brings this back, where another entry stands here now."""
        if entry != self.entry:
            self.stood.note(entry)

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
        """Bring back what the last of these keys replaced; again, what was replaced before."""
        if self.stood:
            now = self.entry
            self.put(self.stood.back(now, keeps=not is_unset(now)))
            self.changed()


# A property that no answer exists for: said plainly, nothing to fill in.


class Refusal(FieldControl):
    """Words where a widget would stand; takes no focus."""

    DEFAULT_CSS = "Refusal { color: $warning; text-style: italic; }"

    def __init__(self, spec: Field, entry: Entry) -> None:
        super().__init__()
        self.spec = spec

    @property
    def entry(self) -> Entry:
        """Always unset."""
        return Unset()

    def put(self, entry: Entry) -> None:
        """Nothing can be put here."""

    @property
    def _reason(self) -> str:
        if self.spec.required:
            return "■ cannot be answered here, and the server requires it"
        return "cannot be answered here; it is left out"

    def height_for(self, width: int) -> int:
        """The words, wrapped."""
        return len(Content(self._reason).wrap(max(width, 10)))

    def render(self) -> Content:
        """Why there is nothing to fill in."""
        return Content(self._reason)
