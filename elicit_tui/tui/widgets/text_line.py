"""One line of text: plain, email or uri."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.reactive import Reactive
from textual.strip import Strip
from textual.widgets import Input

from elicit_tui.form import Entry, Field, Unset
from elicit_tui.tui.widgets.control import FIELD_BINDINGS, FieldFinished
from elicit_tui.tui.widgets.letters import odd_letter
from elicit_tui.tui.widgets.typed_control import TypedControl
from elicit_tui.tui.widgets.unseen import drawn_safely


class TextLine(Input, TypedControl, inherit_bindings=True):
    """A line to type in; blank is unset until the person says "empty on purpose"."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *FIELD_BINDINGS,
        Binding("enter", "next_field", "Next field", show=False),
    ]

    DEFAULT_CSS = """
    TextLine {
        height: 1; border: none; padding: 0; background: $well; color: $foreground;
        &:focus { border: none; background: $well-focus; background-tint: transparent; }
        &.-invalid, &.-invalid:focus { border: none; }
        &>.input--selection { background: $well-focus; color: $foreground; text-style: reverse; }
        &>.input--placeholder { color: $faint; text-style: italic; }
    }
    """

    virtual_size = Reactive(Size(0, 0))
    """How long the text is. The library lays the whole screen out for each letter that makes it
    longer; this line stays as wide as it is, and scrolls."""

    def __init__(self, spec: Field, entry: Entry) -> None:
        self.spec = spec
        super().__init__(select_on_focus=False)
        self.cursor_blink = False
        self.put(entry)

    def render_line(self, y: int) -> Strip:
        """A line that nothing in the text can take over."""
        return drawn_safely(super().render_line(y))

    @property
    def typed(self) -> str:
        """The text as it stands in the line."""
        return self.value

    def write(self, text: str) -> None:
        """Type a text where the cursor stands, in place of what is selected."""
        self.replace(text, *self.selection)

    def put(self, entry: Entry) -> None:
        """Show an entry; text that is empty counts as empty on purpose."""
        text = self.text_of(entry)
        with self.prevent(Input.Changed):
            self.value = text
            self.cursor_position = len(text)

    def on_input_changed(self, event: Input.Changed) -> None:
        """A letter came or went: a blank line is unset again."""
        event.stop()
        self.set_blank(Unset())
        self.changed()

    async def on_input_submitted(self, event: Input.Submitted) -> None:
        """Nothing is sent by Enter."""
        event.stop()

    def action_next_field(self) -> None:
        """Enter goes on to the next field; from the last one it goes nowhere."""
        self.post_message(FieldFinished(self))

    def action_empty_field(self) -> None:
        """Empty on purpose; with text in the line the key goes to its end, as in a shell."""
        if self.value or not self.can_take_empty:
            self.action_end()
        else:
            super().action_empty_field()

    def on_key(self, event: events.Key) -> None:
        """Take letters that are not printable by themselves."""
        letter = odd_letter(event)
        if letter is not None:
            event.stop()
            event.prevent_default()
            self.write(letter)

    def on_paste(self, event: events.Paste) -> None:
        """Pasted lines and columns become one line, with blanks: nothing of them is dropped."""
        lines = event.text.expandtabs(1).splitlines()
        if lines:
            event.stop()
            event.prevent_default()
            # The library takes a first text for its initial value, and scrolls to no caret then.
            self._initial_value = False
            self.write(" ".join(lines))
