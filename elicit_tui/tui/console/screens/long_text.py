"""One text with the whole screen to itself, and from there in the person's own editor."""

from __future__ import annotations

from collections.abc import Collection
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from elicit_tui.text import neutral_line
from elicit_tui.tui.console.dialog import Dialog
from elicit_tui.tui.console.json_editor import ALL
from elicit_tui.tui.console.json_places import next_line
from elicit_tui.tui.widgets.own_editor import EditorTrouble, edit_in_editor
from elicit_tui.tui.widgets.text_block import TextEditor


class LongTextArea(TextEditor):
    """All of the screen but the frame."""

    DEFAULT_CSS = """
    LongTextArea { border: none; padding: 0 1; background: transparent; height: 1fr; }
    LongTextArea:focus { border: none; }
    """


class LongJsonArea(LongTextArea):
    """The same of JSON: some keys of its editor hold here too."""

    BINDINGS: ClassVar[list[BindingType]] = [ALL]

    def on_key(self, event: events.Key) -> None:
        """A line that is begun has the blanks of the one before."""
        if event.key == "enter":
            event.prevent_default()
            row, column = min(self.selection)
            begun = next_line(self.document.get_line(row)[:column])
            self.replace(begun, *self.selection, maintain_selection_offset=False)


class LongTextScreen(Dialog[str]):
    """Result: the text as it stands. Every way out takes it, so that nothing typed is lost."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,ctrl+s", "leave", "Back with it", key_display="Esc", id="long_text.back"),
        Binding("f4", "editor", "Your editor", id="long_text.editor"),
    ]

    def __init__(self, title: str, text: str, secrets: Collection[str] | None = None) -> None:
        """`secrets`: as of a `TextEditor`."""
        super().__init__(neutral_line(title, 60))
        self._text = text
        self._secrets = secrets

    def body(self) -> ComposeResult:
        """The text, wrapped."""
        area = LongTextArea if self._secrets is None else LongJsonArea
        yield area(self._text, soft_wrap=True, tab_behavior="focus", id="long-text")

    def on_mount(self) -> None:
        """Go on at its end."""
        area = self.query_one(LongTextArea)
        area.secrets = self._secrets
        area.focus()
        area.move_cursor(area.document.end)
        self.call_after_refresh(self.app.keys_go_on)

    def action_leave(self) -> None:
        """Back to the field, with the text."""
        self.dismiss(self.query_one(LongTextArea).text)

    def action_editor(self) -> None:
        """Hand the text to $VISUAL or $EDITOR and take back what was saved."""
        self.app.run_worker(self._write_in_editor(self.query_one(LongTextArea)))

    async def _write_in_editor(self, area: LongTextArea) -> None:
        try:
            area.show(await edit_in_editor(self.app, area.text))
        except EditorTrouble as trouble:
            self.app.notify(str(trouble), severity="warning", markup=False)
