"""`elicit-tui history list --calls`: the calls that are kept, of the console and of the shell."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from datetime import timezone
from typing import TYPE_CHECKING, Any, Final

from elicit_tui.cli.history_text import in_plain_columns
from elicit_tui.cli.narration import Narration
from elicit_tui.cli.output import Output
from elicit_tui.elicitation import rfc3339
from elicit_tui.errors import UsageError
from elicit_tui.text import local_time, neutral_line
from elicit_tui.tui.console.call_words import briefly, shown_standing
from elicit_tui.tui.console.kept_calls import KeptCalls
from elicit_tui.tui.console.spans import shortened

if TYPE_CHECKING:
    from elicit_tui.elicitation.settings import ContentPolicy
    from elicit_tui.tui.console.calls import CallRecord

HEADINGS: Final = ("called", "server", "what", "from", "ended")
GAP: Final = 2
_MADE_WITH_CELLS: Final = 200


def list_calls(namespace: argparse.Namespace, policy: ContentPolicy, output: Output) -> None:
    """Write them, the oldest first. Raises UsageError for a filter that is of questions alone."""
    if namespace.action or namespace.decided_by:
        raise UsageError("--action and --decided-by are of questions: a call has neither.")
    calls = [
        record
        for record in KeptCalls(policy).read()
        if namespace.server in (None, record.server)
        and (namespace.since is None or record.began.astimezone() >= namespace.since)
    ]
    calls = calls[-namespace.limit :] if namespace.limit else calls
    if namespace.output == "json":
        output.json([_as_json(record) for record in calls])
    elif namespace.output == "jsonl":
        for record in calls:
            output.json_line(_as_json(record))
    elif calls:
        output.text("\n".join(_table(calls, output)))
    else:
        Narration().say("No call is kept.")


def _table(calls: Sequence[CallRecord], output: Output) -> Iterator[str]:
    """Of what a call was made with a terminal has what there is room for, first what tells most."""
    from rich.console import Console

    width = Console().width if output.on_terminal else None
    lines = [*in_plain_columns([HEADINGS, *map(_cells, calls)])]
    begins = max(map(len, lines)) + GAP
    room = _MADE_WITH_CELLS if width is None else width - begins
    yield shortened(f"{lines[0]:{begins}}with", width or begins + _MADE_WITH_CELLS)
    for line, record in zip(lines[1:], calls, strict=True):
        made_with = briefly(record.argument_texts, room)
        yield shortened(f"{line:{begins}}{made_with}".rstrip(), width or begins + room)


def _cells(record: CallRecord) -> tuple[str, ...]:
    sign, stands, _ = shown_standing(record)
    values = (
        local_time(rfc3339(record.began.astimezone(timezone.utc))) or "-",
        record.server,
        record.call.name,
        "shell" if record.in_shell else "console",
        f"{sign} {stands}",
    )
    return tuple(neutral_line(value) for value in values)


def _as_json(record: CallRecord) -> dict[str, Any]:
    """One row; what came back stands in the console alone."""
    return {
        "server": record.server,
        "method": record.call.method,
        "name": record.call.name,
        "arguments": dict(record.call.arguments),
        "withheld": list(record.withheld),
        "from": "shell" if record.in_shell else "console",
        "beganAt": rfc3339(record.began.astimezone(timezone.utc)),
        "seconds": record.ended,
        "state": record.state,
        "standing": record.standing,
        "note": record.note or None,
    }
