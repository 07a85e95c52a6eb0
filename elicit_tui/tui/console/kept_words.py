"""A call that is kept in a file: as it would be made, and in words for those who choose one."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len

from elicit_tui.elicitation import Call
from elicit_tui.elicitation.saved_call import SavedCall
from elicit_tui.errors import ElicitTuiError
from elicit_tui.text import neutral_line
from elicit_tui.tui.console.call_words import briefly
from elicit_tui.tui.console.calls import CallRecord
from elicit_tui.tui.console.spans import Role

if TYPE_CHECKING:
    from elicit_tui.tui.console.controller import Controller


LARGEST_TOLD: Final = 64_000
"""Bytes; a file that is larger is read when its call is made, and not to tell of it in a list."""


def of_file(saved: SavedCall, secret: frozenset[str] = frozenset()) -> CallRecord:
    """Its call, as it is made from the file."""
    call = Call("tools/call", saved.tool, saved.arguments)
    return CallRecord(saved.server, call, of_file=True, secret=secret)


def what_it_calls(app: Controller, path: Path, room: int) -> tuple[str, Role]:
    """`deploy · deploy  branch=main`, without the secrets in it, or what is wrong with the file.

    `room`: the cells that there are for it.
    """
    from elicit_tui.form.shape import secret_names  # Not loaded before the first painting.

    try:
        status = path.stat()
    except OSError as error:
        return neutral_line(f"{path} cannot be read: {error.strerror}.", 300), "warn"
    if status.st_size > LARGEST_TOLD:
        return f"a file of {status.st_size:,} bytes: Enter reads it", "dim"
    state = (path, status.st_mtime_ns, status.st_size)
    saved = _read(*state)
    if isinstance(saved, str):
        return saved, "warn"
    what = f"{neutral_line(saved.server, 60)} · {neutral_line(saved.tool, 60)}"
    record = app.state.servers.get(saved.server)
    if record is None:
        return f"{what} · there is no such server now: Enter chooses another", "warn"
    tools = (offer for offer in record.offers if offer.kind == "tool")
    schema = next((tool.schema for tool in tools if tool.name == saved.tool), None)
    made_with = _texts(*state, secret_names(schema))
    return f"{what}  {briefly(made_with, room - cell_len(what) - 2)}".rstrip(), "dim"


@lru_cache(maxsize=256)
def _read(path: Path, changed: int, size: int) -> SavedCall | str:
    """The call of a file that has not changed since, or what is wrong with it: read once."""
    try:
        return SavedCall.read(path)
    except ElicitTuiError as error:
        return neutral_line(str(error), 300)


@lru_cache(maxsize=256)
def _texts(path: Path, changed: int, size: int, secret: frozenset[str]) -> Mapping[str, str]:
    """With which arguments it calls, spelled once."""
    saved = _read(path, changed, size)
    return {} if isinstance(saved, str) else of_file(saved, secret).argument_texts
