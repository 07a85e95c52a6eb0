"""What is taken along of a call: its result on the clipboard or in files, the call as a command."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from elicit_tui import paths
from elicit_tui.errors import ElicitTuiError
from elicit_tui.text import neutral, neutral_line, quoted, readable_json
from elicit_tui.tui.console.results import (
    as_command,
    at_home,
    results_directory,
    variables_of,
    whole_text,
)
from elicit_tui.tui.question.address import copy, handed_over

if TYPE_CHECKING:
    from elicit_tui.tui.console.calls import CallRecord
    from elicit_tui.tui.console.controller import Controller


def copy_text(app: Controller, text: str, what: str = "The text") -> None:
    """Copy a text; nothing in it acts on the terminal that it is pasted into."""
    copy(app, neutral(text))
    app.notify(handed_over(), title=neutral_line(what, 60), markup=False)


def copy_json(app: Controller, value: Any, what: str = "The JSON") -> None:
    """Copy a value as JSON."""
    copy(app, readable_json(value))
    app.notify(handed_over(), title=neutral_line(what, 60), markup=False)


def copy_result(app: Controller, record: CallRecord, *, as_json: bool) -> None:
    """Copy the result of a call, if it has one, as it is shown."""
    if record.result is None:
        return
    if as_json:
        copy_json(app, record.result, "The result, as JSON")
    else:
        copy_text(app, whole_text(record.result), "The result, as text")


def copy_data(app: Controller, record: CallRecord) -> None:
    """Copy the data of a result as JSON; of one without data all that arrived."""
    from elicit_tui.tui.console.result_data import unpacked

    if record.result is not None:
        copy_json(app, unpacked(record.result), "The data, as JSON")


def copy_command(app: Controller, record: CallRecord) -> None:
    """Copy a call as a command line."""
    secrets = record.secret_arguments
    command = as_command(record.server, record.call, secrets)
    if command is None:
        words = "Its name cannot be written safely on a command line."
        app.notify(words, title="Not copied", severity="warning", markup=False)
        return
    copy(app, command)
    parts = (command, *_where_secrets_are(secrets))
    told = "\n".join(neutral_line(part, 300) for part in parts)
    app.notify(told, title=f"The command. {handed_over()}", markup=False)


def _where_secrets_are(secrets: Sequence[str]) -> Iterator[str]:
    variables = variables_of(secrets)
    for name in secrets:
        if name in variables:
            yield f"{quoted(name, 40)} is a secret: set {variables[name]} in your shell first."
        else:
            yield f"{quoted(name, 40)} is a secret, and left out."


def save_picture(app: Controller) -> None:
    """Save the screen as an SVG."""
    drawn = app.export_screenshot(title="elicit-tui")
    try:
        path = paths.new_private_file(results_directory(), "screen", ".svg", drawn.encode())
    except (OSError, ElicitTuiError) as error:
        words = f"Not saved: {neutral_line(str(error))}"
        app.notify(words, severity="error", markup=False)
        return
    app.notify(at_home(path), title="Saved, for your eyes only", markup=False, timeout=15)
