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
from elicit_tui.tui.console.dialog import WritingDialog

if TYPE_CHECKING:
    from elicit_tui.tui.console.calls import CallRecord


class KeepCallScreen(WritingDialog[None]):
    """Asks for the name of the file; one that is there is not written over."""

    wide = False

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "send", "Write it", id="keep.write"),
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
        yield from self.ending("Write it", "keep.write")

    def on_mount(self) -> None:
        """Start in the name."""
        self.say("")
        self.query_one(Input).focus()

    @on(Input.Submitted)
    def action_send(self) -> None:
        """Write the file, where there is none of this name."""
        path = Path(self.query_one(Input).value.strip())
        try:
            self._call.write(path)
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or str(error)
            self.say(neutral_line(f"{path}: {why}.", 400))
            return
        words = f"elicit-tui call @{path} makes it again."
        self.app.notify(neutral_line(words, 300), title="Kept", markup=False, timeout=12)
        self.dismiss(None)
