"""A call written to a file that can be committed, and made again by name."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Input, Static

from elicit_tui.elicitation.saved_call import SUFFIX, SavedCall
from elicit_tui.text import neutral_line
from elicit_tui.tui.console.dialog import Dialog, DialogButton
from elicit_tui.tui.widgets.buttons import KeyButton, KeyRow

if TYPE_CHECKING:
    from elicit_tui.tui.console.calls import CallRecord


class KeepCallScreen(Dialog[None]):
    """Asks for the name of the file; one that is there is not written over."""

    wide = False

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "write", "Write it", id="keep.write"),
    ]

    def __init__(self, record: CallRecord) -> None:
        super().__init__("Keep this call", neutral_line(str(Path.cwd()), 60))
        self._call = SavedCall(record.server, record.call.name, dict(record.call.arguments))

    def body(self) -> ComposeResult:
        """The name, and what may stand in the file."""
        plain = re.sub(r"[^A-Za-z0-9_-]+", "-", f"{self._call.server}-{self._call.tool}")
        yield Input(f"{plain[:80]}{SUFFIX}", id="keep-name", compact=True)
        yield Static(
            "Its arguments stand in the file as you sent them: look at it before you share it. "
            f"Files that end in {SUFFIX} are in the command palette of a console started here.",
            id="about",
            markup=False,
        )
        yield Static("", id="trouble", markup=False)
        with KeyRow(classes="buttons"):
            yield DialogButton("Write it", "keep.write", id="write", main=True)
            yield DialogButton("Back", "dialog.back", id="back")

    def on_mount(self) -> None:
        """Start in the name."""
        self.query_one("#trouble").display = False
        self.query_one(Input).focus()

    @on(Input.Submitted)
    @on(KeyButton.Pressed, "#write")
    def action_write(self) -> None:
        """Write the file, where there is none of this name."""
        path = Path(self.query_one(Input).value.strip())
        try:
            self._call.write(path)
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or str(error)
            trouble = self.query_one("#trouble", Static)
            trouble.update(neutral_line(f"{path}: {why}.", 400))
            trouble.display = True
            return
        words = f"elicit-tui call @{path} makes it again."
        self.app.notify(neutral_line(words, 300), title="Kept", markup=False, timeout=12)
        self.dismiss(None)

    @on(KeyButton.Pressed, "#back")
    def _back_pressed(self) -> None:
        self.action_leave()
