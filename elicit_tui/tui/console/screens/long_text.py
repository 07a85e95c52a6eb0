"""One text with the whole screen to itself, and from there in the person's own editor."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets.text_area import Selection

from elicit_tui.text import neutral_line
from elicit_tui.tui.console.dialog import Dialog
from elicit_tui.tui.console.json_editor import JsonEditor
from elicit_tui.tui.widgets.control import CLEAR
from elicit_tui.tui.widgets.own_editor import EditorTrouble, edit_in_editor
from elicit_tui.tui.widgets.text_block import TextEditor


class LongTextArea(TextEditor):
    """All of the screen but the frame."""

    DEFAULT_CSS = """
    LongTextArea { border: none; padding: 0 1; background: transparent; height: 1fr; }
    LongTextArea:focus { border: none; }
    """


class LongJsonArea(LongTextArea, JsonEditor):
    """The same of JSON, with the keys of its editor."""

    BINDINGS: ClassVar[list[BindingType]] = [
        # Nothing begins it anew here.
        Binding(CLEAR.key, CLEAR.action, "Clear", id=CLEAR.id),
    ]

    def go_on(self, text: str, place: Selection | None) -> None:
        """Have this JSON, which is gone on with where it was left."""
        self.take_back(text, own=True)
        self._was_filled = True
        if place is not None:
            self.selection = place

    def action_next_value(self) -> None:
        """There is no button behind the last value: from there it always goes round."""
        self._went_round = ""
        super().action_next_value()


class LongTextScreen(Dialog[str]):
    """Result: the text as it stands. Every way out takes it, so that nothing typed is lost."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,ctrl+s", "leave", "Back with it", key_display="Esc", id="long_text.back"),
        Binding("f4", "editor", "Your editor", id="long_text.editor"),
    ]

    def __init__(
        self,
        title: str,
        text: str,
        schema: Mapping[str, Any] | None = None,
        place: Selection | None = None,
    ) -> None:
        """`schema`: of what is JSON; None: it is other text. `place`: what is selected in JSON."""
        super().__init__(neutral_line(title, 60))
        self._text = text
        self._schema = schema
        self._place = place

    def body(self) -> ComposeResult:
        """The text, wrapped."""
        if self._schema is None:
            yield LongTextArea(self._text, soft_wrap=True, tab_behavior="focus", id="long-text")
        else:
            yield LongJsonArea(self._schema, id="long-text")

    def on_mount(self) -> None:
        """Go on at its end; in JSON where one was."""
        area = self.query_one(LongTextArea)
        area.focus()
        if isinstance(area, LongJsonArea):
            area.go_on(self._text, self._place)
        else:
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
