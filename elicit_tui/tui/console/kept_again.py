"""Calls kept in files: shown as a list, and made again, also where their server is gone."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from elicit_tui import paths
from elicit_tui.elicitation.saved_call import SavedCall
from elicit_tui.errors import ElicitTuiError
from elicit_tui.text import neutral, neutral_line, quoted
from elicit_tui.tui.console.kept_words import of_file

if TYPE_CHECKING:
    from elicit_tui.tui.console.calls import CallRecord
    from elicit_tui.tui.console.controller import Controller

Repeat = Callable[["CallRecord"], None]


def list_kept(app: Controller) -> None:
    """Show the calls that are kept in files; the one that is chosen is made again."""
    from elicit_tui.tui.console.screens.kept_files import KeptFilesScreen

    def chosen(path: Path | None) -> None:
        if path is not None:
            app.call_kept(path)

    app.push_screen(KeptFilesScreen(), chosen)


def make_again(app: Controller, path: Path, repeat: Repeat) -> None:
    """Make the call of a file once more by `repeat`; ask for its server where that is gone."""
    try:
        saved = SavedCall.read(path)
    except ElicitTuiError as error:
        app.notify(neutral(str(error), 400), severity="warning", markup=False)
        return
    servers = app.state.servers
    if saved.server in servers or not servers:
        repeat(of_file(saved))
        return
    from elicit_tui.tui.console.screens.kept_files import OtherServerScreen

    offering = {
        name: any((offer.kind, offer.name) == ("tool", saved.tool) for offer in record.offers)
        for name, record in servers.items()
    }
    there = sorted(offering.items(), key=lambda each: not each[1])
    app.push_screen(OtherServerScreen(saved, there), partial(_take_to, app, path, saved, repeat))


def _take_to(
    app: Controller, path: Path, saved: SavedCall, repeat: Repeat, server: str | None
) -> None:
    if server is None:
        return
    saved = saved._replace(server=server)
    try:
        paths.rewrite_file(path, saved.written)
    except OSError as error:
        words = f"{path} still names the server that is gone: {error.strerror}."
        app.notify(neutral_line(words, 300), severity="warning", markup=False)
    else:
        app.notify(f"{neutral_line(path.name, 80)} is for {quoted(server, 40)} now.", markup=False)
    repeat(of_file(saved))
