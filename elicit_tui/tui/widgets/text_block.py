"""Text of several lines, with the person's own editor on a key."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any, ClassVar, Final

from rich.cells import cell_len
from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Offset, Region
from textual.reactive import reactive
from textual.strip import Strip
from textual.widgets import TextArea

from elicit_tui.form.field import Entry, Field, Typed, Unset
from elicit_tui.tui.names_on_screen import key_of
from elicit_tui.tui.ordered_app import ShowsQuestion
from elicit_tui.tui.secret_arguments import dots, hides_typing, masked_line, names_secret
from elicit_tui.tui.widgets.control import (
    CLEAR,
    FIELD_BINDINGS,
    IN_FILE,
    LINE_BREAK,
    REVEAL,
    UNWRITTEN,
    drawn_safely,
    odd_letter,
)
from elicit_tui.tui.widgets.own_editor import EditorTrouble, edit_in_editor
from elicit_tui.tui.widgets.typed_control import TypedControl

if TYPE_CHECKING:
    from elicit_tui.tui.ordered_app import OrderedApp

# Text of several lines: one set of editing keys, wherever it stands.


class TextEditor(TextArea):
    """Draws nothing that its text could take over the terminal with; one key empties it.

    Secrets in it are not shown, where it is told what they are, until a person asks to see them.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(CLEAR.key, CLEAR.action, "Clear", id=CLEAR.id),
        Binding(REVEAL.key, REVEAL.action, "Secrets", id=REVEAL.id),
        Binding("ctrl+home", "to_start", "Start of the text", show=False),
        Binding("ctrl+end", "to_end", "End of the text", show=False),
        Binding("ctrl+shift+home", "to_start(True)", "Select to the start", show=False),
        Binding("ctrl+shift+end", "to_end(True)", "Select to the end", show=False),
    ]

    secrets: Collection[str] | None = None
    """Names whose values are secrets, beside those that say so, in a text that is JSON; None: it is
    none."""
    _reveals = False

    def render_line(self, y: int) -> Strip:
        """A line that nothing in the text can take over."""
        return drawn_safely(super().render_line(y))

    def get_line(self, line_index: int) -> Text:
        """A line as it is drawn."""
        line = super().get_line(line_index)
        if self.secrets is None or self._reveals:
            return line
        return Text(masked_line(line.plain, self.secrets), end="", no_wrap=True)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Secrets are shown where there are some."""
        if action == "reveal":
            names = self.secrets
            lines = () if names is None else self.document.lines
            return any(names_secret(line, names or ()) for line in lines)
        return super().check_action(action, parameters)

    def action_reveal(self) -> None:
        """Show the secrets in it, or no more."""
        self._reveals = not self._reveals
        self.notify_style_update()
        self.refresh()

    def scroll_cursor_visible(self, center: bool = False, animate: bool = False) -> Offset:
        """Scroll to the cursor. Undoing takes lines away before the cursor leaves them.

        A scrollbar that goes with the lines asks for this in between.
        """
        if self.cursor_location > self.document.end:
            return Offset()
        return super().scroll_cursor_visible(center, animate)

    def action_clear_field(self) -> None:
        """Take all of it away; the key that undoes brings it back."""
        self.clear()

    def action_to_start(self, select: bool = False) -> None:
        """Go to where the text begins, or select as far."""
        self.move_cursor((0, 0), select=select)

    def action_to_end(self, select: bool = False) -> None:
        """Go to where the text ends, or select as far."""
        self.move_cursor(self.document.end, select=select)

    def show(self, text: str) -> None:
        """Have this text, with the caret where it ends."""
        self.text = text
        self.move_cursor(self.document.end)


def part_of(editor: TextEditor, painted: Region) -> tuple[int, int]:
    """The letters of an editor that stand in this part of it, from the first."""
    document, wrapped = editor.document, editor.wrapped_document
    before = [0]
    for line in document.lines:
        before.append(before[-1] + len(line) + len(document.newline))

    def letter(row: int) -> int:
        if row >= wrapped.height:
            return before[-1]
        line, column = wrapped.offset_to_location(Offset(0, row))
        return before[line] + column

    top = editor.scroll_offset.y + painted.y
    return letter(top), letter(top + painted.height)


# A field of several lines, with the person's own editor on a key.

ROWS = 5
ROWS_OF_TEXTS = 3
"""Of a list with one text in each line."""
EDITED_IN_VAIN: Final = "The form ended while the editor was open. Your text is on the clipboard."
MOST_ROWS = 10
"""Of a text that has more lines when its block is made."""
EDITOR = Binding("f4", "open_editor", "Write it in $EDITOR", id="field.editor", show=False)


class TextBlock(TextEditor, TypedControl, inherit_bindings=True):
    """A block to type in; blank is unset until the person says "empty on purpose"."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *FIELD_BINDINGS[:3],
        EDITOR,
        # Where Enter would go on from an empty line, this begins one more.
        LINE_BREAK,
    ]

    DEFAULT_CSS = """
    TextBlock {
        border: none; padding: 0; background: $well; color: $foreground;
        scrollbar-size-vertical: 1;
        &:focus { border: none; background: $well-focus; background-tint: transparent; }
        & .text-area--cursor-line { background: transparent; }
        & .text-area--placeholder { color: $faint; text-style: italic; }
    }
    """

    password: reactive[bool] = reactive(False)
    """Whether a dot stands in place of each letter."""

    def __init__(self, spec: Field, entry: Entry) -> None:
        self.spec = spec
        self.rows = self._least
        if isinstance(entry, Typed):
            self.has_lines(entry.text.count("\n") + 1)
        self._written = ""
        self._visited = False
        super().__init__(
            soft_wrap=True,
            tab_behavior="focus",
            show_line_numbers=False,
            compact=True,
            highlight_cursor_line=False,
        )
        self.cursor_blink = False
        self.password = self._hides = hides_typing(spec)
        self.put(entry)

    def get_line(self, line_index: int) -> Text:
        """A line as it is drawn: of a secret its dots."""
        line = super().get_line(line_index)
        return Text(dots(line.plain), end="", no_wrap=True) if self.password else line

    def watch_password(self) -> None:
        """All of it is drawn otherwise."""
        self.notify_style_update()
        self.refresh()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A secret is shown where it is one."""
        return self._hides if action == "reveal" else super().check_action(action, parameters)

    def action_reveal(self) -> None:
        """Show the secret that stands here, or no more."""
        TypedControl.action_reveal(self)

    @property
    def typed(self) -> str:
        """The text as it stands in the block."""
        return self.text

    def write(self, text: str) -> None:
        """Type a text where the cursor stands, in place of what is selected."""
        self.replace(text, *self.selection, maintain_selection_offset=False)

    @property
    def all_selected(self) -> bool:
        """Whether a letter takes the place of all of it."""
        return bool(self.text) and self.selected_text == self.text

    @property
    def gives_way(self) -> bool:
        """Lines of a file, or for one, are added to; no letter takes the place of all of them."""
        return super().gives_way and self.whence not in (IN_FILE, UNWRITTEN)

    def put(self, entry: Entry) -> None:
        """Show an entry; text that is empty counts as empty on purpose."""
        text = self.text_of(entry)
        self._written = text
        self.text = text
        self.stands(entry)
        self._visited = False
        if self.has_focus:
            self._go_on()

    def on_focus(self, event: events.Focus) -> None:
        """What came back is selected: typing takes its place; all else is gone on with."""
        if event.from_app_focus:
            return
        if self.gives_way:
            self.select_all()
        elif not self._visited:
            self._go_on()

    def _go_on(self) -> None:
        """Whoever comes here for the first time types where the text ends."""
        self._visited = True
        self.move_cursor(self.document.end)

    @property
    def _least(self) -> int:
        return ROWS_OF_TEXTS if self.spec.each_line else ROWS

    def height_for(self, width: int) -> int:
        """A few rows; more text scrolls."""
        return self.rows

    @property
    def in_sight(self) -> tuple[int, int]:
        """The first letter of the lines that are painted, and the one behind the last."""
        return part_of(self, self._painted)

    @property
    def shows_all(self) -> bool:
        """Whether its lines are few, and short."""
        lines, width = self.text.split("\n"), self.styles.width
        most = width.value if width is not None else 0
        return len(lines) <= self.rows and all(cell_len(line) < most for line in lines)

    def has_lines(self, count: int) -> None:
        """Make room for so many lines, as far as that is sensible; told before it is laid out."""
        self.rows = max(self._least, min(count, MOST_ROWS))

    @property
    def edited_line(self) -> int:
        """Where the cursor stands, as far as the block itself has scrolled."""
        cursor = self.wrapped_document.location_to_offset(self.cursor_location)
        return max(0, min(self.rows - 1, cursor.y - self.scroll_offset.y))

    @property
    def own_keys(self) -> tuple[tuple[str, str], ...]:
        """The editor; Enter begins another line, and from an empty one of a list it goes on."""
        return ((key_of(self, EDITOR), "your editor"), ("Enter", self._enter))

    @property
    def _enter(self) -> str:
        return "New line, on an empty one next" if self.spec.each_line else "New line"

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        """Something was typed: a blank block is unset again."""
        event.stop()
        if self.text == self._written:
            return
        self._written = self.text
        self.set_blank(Unset())
        self.changed()

    def on_text_area_selection_changed(self, event: TextArea.SelectionChanged) -> None:
        """The cursor went elsewhere."""
        event.stop()
        self.moved()

    def on_key(self, event: events.Key) -> None:
        """Take letters that are not printable by themselves; Enter ends a list that is written.

        On its empty last line, which is none of its texts, it would only add an empty one. An empty
        line in place of all that came back is what nobody means: it begins one behind that.
        """
        letter = odd_letter(event)
        if event.key == "enter":
            self._let_go()
        if event.key == "enter" and self._is_at_its_end:
            event.stop()
            event.prevent_default()
            self.finish()
        elif letter is not None:
            event.stop()
            event.prevent_default()
            self.write(letter)

    def action_delete_left(self) -> None:
        """Take a letter away, also from what came back: only what is typed replaces all of that."""
        self._let_go()
        super().action_delete_left()

    def action_line_break(self) -> None:
        """Begin another line, wherever the cursor stands."""
        self._let_go()
        self.write("\n")

    def _let_go(self) -> None:
        """Have the cursor at the end of what came back, where that is selected as a whole."""
        if self.gives_way and self.all_selected:
            self.move_cursor(self.document.end)

    @property
    def _is_at_its_end(self) -> bool:
        at_end = self.selection.is_empty and self.cursor_location == self.document.end
        return self.spec.each_line and at_end and self.cursor_location[1] == 0

    def action_empty_field(self) -> None:
        """Empty on purpose; with text in the block the key goes to the end of the line."""
        if self.text:
            self.action_cursor_line_end()
        else:
            super().action_empty_field()

    def action_undo(self) -> None:
        """Take the last edit back; where there is none, what one key replaced comes back."""
        stood = self.text
        super().action_undo()
        if self.text == stood:
            self.action_undo_field()

    def action_open_editor(self) -> None:
        """Hand the text to $VISUAL or $EDITOR and take back what was saved."""
        # Not as a task of its own: it goes on where the question ends meanwhile.
        self.app.run_worker(self._write_in_editor(self.app), exit_on_error=True)

    async def _write_in_editor(self, app: OrderedApp[Any]) -> None:
        around = [each for each in self.ancestors if isinstance(each, ShowsQuestion)]

        def attended() -> None:
            for question in around:
                question.attended()

        try:
            text = await edit_in_editor(app, self.text, attended)
        except EditorTrouble as trouble:
            app.notify(str(trouble), severity="warning", markup=False)
            return
        finally:
            attended()
        if text != self.text and self.is_attached:
            self._replace(Typed(text) if text else Unset())
        elif text != self.text and not self.is_masked:
            app.copy_to_clipboard(text)
            app.notify(EDITED_IN_VAIN, severity="warning", markup=False)
