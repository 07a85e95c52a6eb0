"""Where something is written: a path that stands there already, to be changed and completed."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Input, Static

from elicit_tui import paths
from elicit_tui.text import neutral_line, quoted
from elicit_tui.tui.console.argument_values import MOST_VALUES, ValueList
from elicit_tui.tui.console.dialog import SureDialog, WritingDialog
from elicit_tui.tui.console.result_csv import SUFFIX, csv_of
from elicit_tui.tui.console.result_data import unpacked
from elicit_tui.tui.console.result_table import Row, table_of
from elicit_tui.tui.console.result_tree import json_in
from elicit_tui.tui.console.results import (
    Binary,
    at_home,
    here_in_words,
    results_directory,
    saved_parts,
)
from elicit_tui.tui.one_line import OneLine

if TYPE_CHECKING:
    from elicit_tui.tui.console.calls import CallRecord

LONGEST_NAME: Final = 80
NAMED: Final = 2
"""Files that are named where they are to be written over."""


def plain_name(*words: str) -> str:
    """Words as the name of a file, whatever a server called them."""
    return re.sub(r"[^A-Za-z0-9_-]+", "-", "-".join(words))[:LONGEST_NAME]


def paths_like(typed: str) -> list[str]:
    """What there is that begins as this path does; folders end in a slash."""
    folder, slash, begun = typed.rpartition("/")
    try:
        there = Path(folder + slash or ".").expanduser()
        found = sorted(there.iterdir()) if begun or slash else []
        names = [f"{path.name}/" if path.is_dir() else path.name for path in found]
    except (OSError, RuntimeError):
        return []
    fitting = (name for name in names if name.startswith(begun) and name != begun)
    shown = (name for name in fitting if begun.startswith(".") or not name.startswith("."))
    whole = (f"{folder}{slash}{name}" for name in shown)
    return [path for path in whole if neutral_line(path, 1_000) == path][:MOST_VALUES]


class PlaceDialog(WritingDialog[None]):
    """Takes the path of a new file; what there is already is offered as one types."""

    wide = False

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "to_values", "To the values", priority=True, show=False),
    ]

    def place(self, path: str) -> ComposeResult:
        """The line with a path, and what it may be completed to."""
        yield Static("File name", id="place-label", markup=False)
        yield OneLine(path, id="place", compact=True)
        yield ValueList()

    def on_mount(self) -> None:
        """Start in the path, which gives way to another one."""
        self.say("")
        self._line.focus()

    @property
    def _line(self) -> Input:
        return self.query_one("#place", Input)

    @property
    def typed(self) -> str:
        """The path as it stands there, with the person's folder for `~`."""
        typed = self._line.value.strip()
        try:
            return str(Path(typed).expanduser()) if typed.startswith("~") else typed
        except RuntimeError:
            return typed  # Nobody of this name has a folder.

    @property
    def lacks(self) -> str:
        """A path."""
        return "" if self.typed else "no name"

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Down leads to what the path may be completed to, where there is some."""
        if action == "to_values":
            values = self.query(ValueList)
            return bool(values) and values.first().shown and self._line.has_focus
        return super().check_action(action, parameters)

    @on(Input.Changed, "#place")
    def _offer(self, event: Input.Changed) -> None:
        self.say("")
        self.tell_lacks()
        self.query_one(ValueList).offer("place", self.offered(event.value))

    def offered(self, typed: str) -> Sequence[str]:
        """What the path may be completed to."""
        return paths_like(typed)

    def action_to_values(self) -> None:
        """Go to what the path may be completed to."""
        values = self.query_one(ValueList)
        values.highlighted = 0
        values.focus()

    @on(ValueList.OptionSelected)
    def _take(self, event: ValueList.OptionSelected) -> None:
        event.stop()
        self._line.value = self.query_one(ValueList).value(event.option_index)
        self._line.cursor_position = len(self._line.value)
        self._line.focus()

    @on(ValueList.GoneBack)
    def _back_to_the_line(self, event: events.Event) -> None:
        event.stop()
        self._line.focus()

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.action_send()

    def written_new(
        self,
        path: Path,
        content: bytes,
        write: Callable[[Path, bytes], None] = paths.write_private,
    ) -> str:
        """Write a file that is not there yet; the sentence why it cannot, or nothing."""
        try:
            if path.parent != results_directory() and not path.parent.is_dir():
                return neutral_line(f"There is no folder {path.parent}.", 400)
            write(path, content)
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or str(error)
            return neutral_line(f"{path}: {why}.", 400)
        return ""


class OverwriteScreen(SureDialog):
    """Result: True to write over files that are there."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "sure", "Write over", key_display="y", id="over.sure"),
        Binding("escape,n", "leave", "Back", key_display="n", id="over.stay"),
    ]

    def __init__(self, there: Sequence[Path]) -> None:
        """`there`: the files, one at the least."""
        names = " and ".join(quoted(path.name, 40) for path in there[:NAMED])
        more = f" and {len(there) - NAMED:,} more" if len(there) > NAMED else ""
        super().__init__(f"Write over {names}{more}?")
        self._there = there

    def body(self) -> ComposeResult:
        """What is lost by it."""
        is_there = "is there already" if len(self._there) == 1 else "are there already"
        it = "it" if len(self._there) == 1 else "them"
        shown = "\n".join(neutral_line(at_home(path.absolute()), 300) for path in self._there)
        words = [shown, f"{is_there.capitalize()}: what stands in {it} now is lost."]
        yield from self.asking(words, "over", "Write over", "Back")


class SaveScreen(PlaceDialog):
    """Writes a result to a file, or its parts that are no text each to one."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "send", "Save", id="save.write"),
    ]

    def __init__(
        self,
        record: CallRecord,
        result: Mapping[str, Any],
        shown: Sequence[Row] = (),
        count: int = 0,
    ) -> None:
        """`shown`: the rows of the table that is shown, of so many; none where none is."""
        super().__init__("Save this result", neutral_line(record.server, 60))
        self._record = record
        self._result = result
        # Whoever saves it from elsewhere may want the table too; its blocks are no rows of one.
        data = unpacked(result)
        self._shown = shown or (() if data is result else table_of(data))
        self._count = count or len(self._shown)
        self._name = plain_name("result", record.server, record.call.name)

    def body(self) -> ComposeResult:
        """The path, and what is written."""
        suffix, _ = saved_parts(self._result)[0]
        path = _free(results_directory() / f"{self._name}{suffix}")
        yield from self.place(at_home(path))
        yield Static(self._about, id="about", markup=False)
        yield from self.ending("Save", "save.write")

    @on(Input.Changed, "#place")
    def _say_what(self) -> None:
        self.query_one("#about", Static).update(self._about)

    @property
    def _about(self) -> str:
        """What is written, for whom, and where."""
        # A full stop right behind a path would be a part of it.
        here = quoted(here_in_words(), 60) if here_in_words() != "~" else "your home folder"
        private = "For your eyes only: nobody else may read it."
        told = (self._what, private, f"A name alone is written in {here}.")
        return " ".join(filter(None, told))

    @property
    def _what(self) -> str:
        """What of it is written; empty where that is the text of the result and nothing else."""
        parts = self._parts
        binary = [part for _, part in parts if isinstance(part, Binary)]
        if len(binary) > 1:
            return f"Its {len(binary)} parts that are no text, numbered."
        if binary or not self._shown:
            return ""
        every = f"all {self._count:,} rows"
        shown = every if len(self._shown) == self._count else f"the {len(self._shown):,} rows shown"
        if self._is_csv:
            return f"Written: {shown}, as CSV."
        whole = f"{every}, as JSON" if self._text_has_all else "the text of the result"
        return f"Written: {whole}; with a name in {SUFFIX}: {shown}, as CSV."

    @property
    def _is_csv(self) -> bool:
        """Whether the name that stands there is that of a table, and one is shown."""
        named = self.query("#place")
        return bool(self._shown) and bool(named) and self.typed.lower().endswith(SUFFIX)

    @property
    def _parts(self) -> Sequence[tuple[str, Binary | bytes]]:
        """What is written, with the suffix of its file."""
        return [(SUFFIX, csv_of(self._shown))] if self._is_csv else saved_parts(self._result)

    @cached_property
    def _text_has_all(self) -> bool:
        """Whether the text is the JSON of all rows: beside what is structured it may be less."""
        ((_, text),) = saved_parts(self._result)
        return isinstance(text, bytes) and len(table_of(json_in(text.decode()))) == self._count

    def action_send(self) -> None:
        """Write it; over a file that is there only once that is meant."""
        first = Path(self.typed)
        if not first.name:
            self.say("It needs a name.")
            return
        contents, told = self._contents(first)
        there = [path for path, _ in contents if path.is_file() and not path.is_symlink()]
        if not contents:
            self.say(told[0])
        elif there:
            sure = partial(self._once_sure, contents, told, there)
            self.app.push_screen(OverwriteScreen(there), sure)
        else:
            self._write(contents, told)

    def _contents(self, first: Path) -> tuple[list[tuple[Path, bytes]], list[str]]:
        """What is written to which file, and what is to be said of the rest."""
        contents: list[tuple[Path, bytes]] = []
        told: list[str] = []
        for number, (suffix, part) in enumerate(self._parts, 1):
            path = first if number == 1 else first.with_name(f"{first.stem}-{number}{suffix}")
            try:
                contents.append((path, part.content if isinstance(part, Binary) else part))
            except ValueError as error:
                told.append(f"Part {number} is left out. {error}")
        return contents, told

    def _once_sure(
        self,
        contents: Sequence[tuple[Path, bytes]],
        told: Sequence[str],
        over: Sequence[Path],
        sure: bool | None,
    ) -> None:
        if sure:
            self._write(contents, told, over)

    def _write(
        self,
        contents: Sequence[tuple[Path, bytes]],
        told: Sequence[str],
        over: Sequence[Path] = (),
    ) -> None:
        """Write all of the files or none; of those that are there only what may go, `over`."""
        written: list[Path] = []
        # What is new first: it can be taken away again.
        for path, content in sorted(contents, key=lambda each: each[0] in over):
            write = paths.replace_file if path in over else paths.write_private
            if trouble := self.written_new(path, content, write):
                for new in set(written).difference(over):
                    new.unlink(missing_ok=True)
                self.say(trouble)
                return
            written.append(path)
        self._record.is_saved = True
        places = [at_home(path.absolute()) for path, _ in contents]
        self.app.notify("\n".join([*told, *places]), title="Saved", markup=False, timeout=15)
        self.dismiss(None)


def _free(path: Path) -> Path:
    """The path, or with a number the first like it that nothing is at."""
    number, free = 1, path
    while free.exists():
        number += 1
        free = path.with_name(f"{path.stem}-{number}{path.suffix}")
    return free
