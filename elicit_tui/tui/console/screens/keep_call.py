"""A call written to a file that can be committed, and made again by name; a note at a call."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Input, Static

from elicit_tui.elicitation.saved_call import SUFFIX, SavedCall, new_file
from elicit_tui.text import neutral_line, quoted
from elicit_tui.tui.console.dialog import WritingDialog
from elicit_tui.tui.console.kept_calls import KeptCalls
from elicit_tui.tui.console.results import at_home, here_in_words
from elicit_tui.tui.console.screens.saving import PlaceDialog, plain_name
from elicit_tui.tui.one_line import OneLine

if TYPE_CHECKING:
    from elicit_tui.elicitation.settings import ContentPolicy
    from elicit_tui.tui.console.calls import CallRecord


class KeepCallScreen(PlaceDialog):
    """Asks for the name of the file; one that is there is not written over."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "send", "Write it", id="keep.write"),
    ]

    def __init__(self, record: CallRecord) -> None:
        super().__init__("Keep this call", neutral_line(here_in_words(), 60))
        self._secret = record.secret_arguments
        kept = {k: v for k, v in record.call.arguments.items() if k not in self._secret}
        self._call = SavedCall(record.server, record.call.name, kept)
        self._missing = ", ".join(map(quoted, record.withheld))
        """The arguments of an earlier run's call that this machine did not keep."""

    def body(self) -> ComposeResult:
        """The name, and what may stand in the file."""
        yield from self.place(plain_name(self._call.server, self._call.tool))
        contents = (
            "Its arguments stand in the file as you sent them: look at it before you share it. "
        )
        if self._missing:
            contents = f"{self._missing} of an earlier run was not kept: write it into the file. "
        if self._secret:
            names = ", ".join(map(quoted, self._secret))
            contents += f"{names}: a secret, left out, and asked for when the call is made again. "
        about = f"{contents}The file ends in {SUFFIX}. "
        kept = self.app.key_of("calls.kept"), "bold $accent"
        listed = " under Calls lists it and all others."
        yield Static(Content.assemble(about, kept, listed), id="about")
        yield from self.ending("Write it", "keep.write")

    def action_send(self) -> None:
        """Write the file, where there is none of this name."""
        if not self.typed:
            self.say("It needs a name.")
            return
        path = new_file(self.typed)
        if trouble := self.written_new(path, self._call.written):
            self.say(trouble)
            return
        self.app.remembered.keeps_in(path.absolute().parent)
        command = shlex.join(("elicit-tui", "call", f"@{str(path).removesuffix(SUFFIX)}"))
        secret = ", ".join(map(quoted, self._secret))
        once = f" with {secret}=… behind it" if secret else ""
        once = f" once {self._missing} stands in it" if self._missing else once
        words = f"{at_home(path.absolute())}: {command} makes it again{once}."
        self.app.notify(neutral_line(words, 300), title="Kept", markup=False, timeout=12)
        self.dismiss(None)


class NoteScreen(WritingDialog[None]):
    """Asks for a line about a call; it stays on this machine, and an empty one is none."""

    wide = False

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "send", "Write it", id="note.write"),
    ]

    def __init__(self, record: CallRecord, kept: ContentPolicy) -> None:
        """`kept`: what the history keeps; with "none" the note ends with this run."""
        super().__init__("A note at this call", neutral_line(record.call.name, 60))
        self._record = record
        self._kept = kept

    def body(self) -> ComposeResult:
        """The line."""
        yield OneLine(self._record.note, max_length=1_000, id="note-line", compact=True)
        words = "this run alone" if self._kept == "none" else "you, also in the next run"
        yield Static(f"For {words}; no server gets it. / finds it.", id="about", markup=False)
        yield from self.ending("Write it", "note.write")

    def on_mount(self) -> None:
        """Start in the line."""
        self.say("")
        self.query_one(Input).focus()

    @on(Input.Submitted)
    def action_send(self) -> None:
        """Keep it with its call."""
        self._record.note = self.query_one(Input).value.strip()
        KeptCalls(self._kept).note(self._record)
        self.app.state.changed()
        self.dismiss(None)
