"""The calls that are kept in files: listed, renamed, removed, taken to another server."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import ClassVar, Final

from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Static

from elicit_tui import paths
from elicit_tui.elicitation.saved_call import SUFFIX, SavedCall, new_file
from elicit_tui.text import neutral_line, quoted
from elicit_tui.tui.console.bars import SearchLine
from elicit_tui.tui.console.dialog import Dialog, DialogButton, SureDialog
from elicit_tui.tui.console.kept_words import what_it_calls
from elicit_tui.tui.console.place_in_list import PlacedList
from elicit_tui.tui.console.results import at_home, here_in_words
from elicit_tui.tui.console.screens.saving import PlaceDialog
from elicit_tui.tui.console.spans import Line, apart, shortened
from elicit_tui.tui.console.views import RowList
from elicit_tui.tui.console.wanted_words import has_all, wanted_words
from elicit_tui.tui.widgets.buttons import KeyRow

SEARCHED_CELLS: Final = 400
"""Of what a call is made with."""


def _name(path: Path) -> str:
    return neutral_line(path.name.removesuffix(SUFFIX), 80)


class KeptFilesScreen(Dialog[Path]):
    """Two rows for each, those of this folder first; result: the file whose call is made again."""

    interruptible: ClassVar[bool] = True

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("r", "rename", "Rename", id="kept.rename"),
        Binding("delete", "remove", "Remove", key_display="Del", id="kept.remove"),
        Binding("q", "leave", "Back", show=False),
        Binding("escape", "end_search", "All of them", key_display="Esc"),
        Binding("escape", "leave", "Back", id="dialog.back"),
        Binding("slash", "search", "Search", key_display="/", id="kept.search"),
    ]

    def __init__(self) -> None:
        self._folder = neutral_line(here_in_words(), 60)
        super().__init__("Calls kept in files", self._folder)
        self._files: dict[str, Path] = {}
        self._searched: dict[Path, str] = {}
        """What a search looks at of each file, once it did: they may be many."""

    def body(self) -> ComposeResult:
        """The search, which comes with its key, and the list."""
        search = SearchLine("search", id="kept-search")
        search.display = False
        yield search
        keep = self.app.key_of("calls.keep")
        yield PlacedList(
            row_height=2,
            empty=f"No call is kept in {neutral_line(here_in_words(), 200)}, nor in a folder "
            f"where you kept one before. {keep} under Calls keeps a call in a file.",
            verb="Call",
            id="kept-files",
        )

    def on_mount(self) -> None:
        """Show them."""
        self._list.beside = lambda room: self._folder if cell_len(self._folder) <= room else ""
        self._list.focus()
        self._draw()

    @property
    def _list(self) -> PlacedList:
        return self.query_one("#kept-files", PlacedList)

    @property
    def _search(self) -> SearchLine:
        return self.query_one("#kept-search", SearchLine)

    @on(SearchLine.Changed, "#kept-search")
    def _draw(self) -> None:
        words = wanted_words(self._search.value)
        paths_there = self.app.remembered.kept_files()
        self._files = {
            str(path): path for path in paths_there if not words or has_all(words, self._said(path))
        }
        self._list.show(tuple(self._files), self._row, words)
        self._search.verb = "To the list" if self._files else ""
        self.refresh_bindings()

    def _said(self, path: Path) -> str:
        """What a search looks at: what it is called, where it is, and what it calls."""
        if path not in self._searched:
            called, _ = what_it_calls(self.app, path, SEARCHED_CELLS)
            said = f"{_name(path)} {at_home(path.parent)} {called}"
            self._searched[path] = said.casefold()
        return self._searched[path]

    def action_search(self) -> None:
        """Look for some of them."""
        self._search.display = True
        self._search.focus()

    @on(SearchLine.Submitted, "#kept-search")
    @on(SearchLine.Left, "#kept-search")
    def _to_the_list(self) -> None:
        self._search.display = bool(self._search.value)
        self._list.focus()

    def action_end_search(self) -> None:
        """List all of them again; the cursor stays on what was found."""
        found = self._list.key
        self._search.value = ""
        self._draw()
        self._list.point_at(found or "")
        self._to_the_list()

    def _row(self, key: str, width: int) -> list[Line]:
        path = self._files[key]
        where = "here" if path.parent == paths.here() else neutral_line(at_home(path.parent), 200)
        room = max(4, width - len(_name(path)) - 3)
        first = apart(
            ((f" {_name(path)}", "strong"),), ((f"{shortened(where, room)} ", "dim"),), width
        )
        about, role = what_it_calls(self.app, path, width - 4)
        return [first, ((f"   {shortened(about, width - 4)}", role),)]

    @property
    def _file(self) -> Path | None:
        key = self._list.key
        return None if key is None else self._files.get(key)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Without a file there is nothing to rename or remove, and no search ends that is none."""
        if action == "end_search":
            return bool(self._search.value)
        if action == "search":
            return not self._search.has_focus
        return action not in ("rename", "remove") or bool(self._files)

    @on(RowList.Chosen)
    def _choose(self, event: RowList.Chosen) -> None:
        self.dismiss(self._files[event.key])

    def action_rename(self) -> None:
        """Ask for another name of the file."""
        if self._file is not None:
            self.app.write_in(RenameKeptScreen(self._file), self._renamed)

    def _renamed(self, _: None) -> None:
        """The cursor stays on the file, wherever that stands now."""
        before = set(self._files)
        self._draw()
        for key in self._files.keys() - before:
            self._list.point_at(key)

    def action_remove(self) -> None:
        """Ask whether the file is to go."""
        if (path := self._file) is not None:
            self.app.push_screen(RemoveKeptScreen(path), partial(self._remove, path))

    def _remove(self, path: Path, sure: bool | None) -> None:
        if sure:
            try:
                path.unlink()
            except OSError as error:
                words = f"{path} was not removed: {error.strerror}."
                self.app.notify(neutral_line(words, 300), severity="warning", markup=False)
            self._draw()


class RenameKeptScreen(PlaceDialog):
    """Asks for another path of the file of a call; one that is there is not written over."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "send", "Rename", id="kept.rename_it"),
    ]

    def __init__(self, path: Path) -> None:
        super().__init__(f"Rename {_name(path)}", neutral_line(at_home(path.parent), 60))
        self._path = path

    def body(self) -> ComposeResult:
        """The name."""
        yield from self.place(str(self._path).removesuffix(SUFFIX))
        now = neutral_line(self._path.name, 80)
        yield Static(f"Its name is {now} now; it ends in {SUFFIX}.", id="about", markup=False)
        yield from self.ending("Rename", "kept.rename_it")

    def offered(self, typed: str) -> Sequence[str]:
        """What there is, but the file itself, which is no other one."""
        return [path for path in super().offered(typed) if not self._is_it(Path(path))]

    def _is_it(self, path: Path) -> bool:
        whole = os.path.expanduser(path)  # noqa: PTH111 - never raises
        return Path(whole).absolute() == self._path.absolute()

    def action_send(self) -> None:
        """Have the file under this name."""
        if not self.typed:
            self.say("It needs a name.")
            return
        path = new_file(self.typed)
        try:
            if not self._is_it(path):
                paths.rename_to_new(self._path, path)
        except OSError as error:
            there = isinstance(error, FileExistsError)
            why = " exists." if there else f": {error.strerror}."
            self.say(neutral_line(str(path), 200) + why)
            return
        self.app.remembered.keeps_in(path.absolute().parent)
        self.dismiss(None)


class RemoveKeptScreen(SureDialog):
    """Result: True to remove the file of a call."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "sure", "Remove", id="kept.sure"),
        Binding("escape,n", "leave", "Keep", key_display="n", id="kept.stay"),
    ]

    def __init__(self, path: Path) -> None:
        super().__init__(f"Remove {quoted(path.name.removesuffix(SUFFIX), 40)}?")
        self._path = path

    def body(self) -> ComposeResult:
        """Which file goes."""
        words = f"The file {neutral_line(at_home(self._path.absolute()), 300)} is removed."
        yield from self.reading(f"{words} The calls that were made with it stay under Calls.")
        with KeyRow(classes="buttons"):
            yield DialogButton("Keep", "kept.stay", id="stay", main=True)
            yield DialogButton("Remove", "kept.sure", id="sure")


class OtherServerScreen(Dialog[str]):
    """Asks which server a kept call is for now; result: its name."""

    wide = False

    def __init__(self, saved: SavedCall, servers: Sequence[tuple[str, bool]]) -> None:
        """`servers`: those that there are, and whether each offers the tool."""
        super().__init__(f"No server is called {quoted(saved.server, 40)}")
        self._tool = saved.tool
        self._servers = dict(servers)

    def body(self) -> ComposeResult:
        """Those that there are."""
        words = f"Which one has the tool {quoted(self._tool, 60)} now? It is written into the file."
        yield Static(words, id="about", markup=False)
        yield RowList(verb="This one", id="other-servers")

    def on_mount(self) -> None:
        """Those that offer it first."""
        rows = self.query_one("#other-servers", RowList)
        rows.show(tuple(self._servers), self._row)
        rows.focus()

    def _row(self, name: str, width: int) -> list[Line]:
        has = "offers it" if self._servers[name] else ""
        return [apart(((f" {neutral_line(name, 60)}", "strong"),), ((f"{has} ", "good"),), width)]

    @on(RowList.Chosen)
    def _choose(self, event: RowList.Chosen) -> None:
        self.dismiss(event.key)
