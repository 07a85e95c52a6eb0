"""`elicit-tui history`: list, show, export, verify, prune."""

from __future__ import annotations

import argparse
import re
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Final, get_args

from elicit_tui.cli.exit_codes import FAILED, OK
from elicit_tui.cli.history_text import (
    LABEL,
    answer,
    finding_lines,
    plain_table,
    record_lines,
    recorded,
    request,
    terminal_table,
)
from elicit_tui.cli.narration import Narration
from elicit_tui.cli.output import TEXT_OR_JSON, Output
from elicit_tui.cli.run_settings import load_settings
from elicit_tui.elicitation import Action, DecidedBy
from elicit_tui.errors import StoreError, UsageError
from elicit_tui.ledger import Ledger, LedgerMissing
from elicit_tui.paths import ledger_file

if TYPE_CHECKING:
    from elicit_tui.ledger import Ledger, Pruned, Verification
    from elicit_tui.ledger.rows import Row

_MOST_ROWS_OF_TEXT: Final = 50
# A number and its unit: `90m`, `2h`, `7d`.
_AGO: Final = re.compile(r"([0-9]{1,6})([smhdw])")
_UNITS: Final = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
# RFC 3339: a date, then perhaps a time, a fraction of a second, an offset. Without seconds too, as
# people write it.
_WHEN: Final = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})"
    r"(?:[Tt ]([0-9]{2}:[0-9]{2}(?::[0-9]{2})?)(?:\.([0-9]{1,9}))?([Zz]|[+-][0-9]{2}:[0-9]{2})?)?"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The commands of `history` and their options."""
    commands = parser.add_subparsers(dest="history_command", metavar="COMMAND", required=True)
    listing = commands.add_parser("list", help="the questions, one a row, oldest first")
    _add_filters(listing)
    listing.add_argument(
        "--calls",
        action="store_true",
        help="the latest calls instead, of the console and of `call` at a terminal",
    )
    listing.add_argument(
        "--limit",
        metavar="N",
        type=_count,
        help="the latest N only; 0: all (as text: 50 unless told)",
    )
    listing.add_argument("--output", choices=tuple(_ROW_WRITERS), default="text")
    show = commands.add_parser("show", help="one question with all that was recorded")
    show.add_argument("id", metavar="ID", help="its id, or the beginning of it")
    show.add_argument("--output", choices=TEXT_OR_JSON, default="text")
    export = commands.add_parser("export", help="every row as data, on standard output")
    _add_filters(export)
    export.add_argument("--output", choices=("jsonl", "json"), default="jsonl")
    verify = commands.add_parser("verify", help="walk the chain of hashes and print its head")
    verify.add_argument("--head", metavar="HASH", help="an earlier head that must still be there")
    verify.add_argument("--output", choices=TEXT_OR_JSON, default="text")
    prune = commands.add_parser("prune", help="remove what is older; a marker stays in the chain")
    prune.add_argument(
        "--before", metavar="DATE", required=True, type=_moment, help="a date, date-time or 30d"
    )
    prune.add_argument(
        "--also-open",
        action="store_true",
        help="also questions without an outcome, whose process is gone",
    )
    prune.add_argument("--output", choices=TEXT_OR_JSON, default="text")


def _add_filters(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--server", metavar="NAME", help="this server's only")
    parser.add_argument("--action", choices=get_args(Action), help="with this outcome only")
    parser.add_argument(
        "--decided-by",
        metavar="WHO",
        choices=get_args(DecidedBy),
        help=f"decided by this only: {', '.join(get_args(DecidedBy))}",
    )
    parser.add_argument(
        "--since",
        metavar="WHEN",
        type=_moment,
        help="asked since then: 2026-11-21, 2026-11-21T09:00:00Z, or 90m, 2h, 7d ago",
    )


def point_in_time(text: str, current: datetime | None = None) -> datetime:
    """The moment that `text` names, with its zone.

    `2026-11-21` is that day's beginning here; `2026-11-21T09:00:00Z` is RFC 3339, and without an
    offset means the local time; `90m`, `2h`, `7d`, `2w` are that long ago.

    Raises:
        ValueError: it is none of these; the message says what is wanted.
    """
    complaint = (
        f"{text!r} is not a date, an RFC 3339 date-time, or a time ago such as 90m, 2h or 7d"
    )
    ago = _AGO.fullmatch(text)
    when = _WHEN.fullmatch(text)
    try:
        if ago:
            current = current or datetime.now(timezone.utc)
            return current - timedelta(**{_UNITS[ago[2]]: int(ago[1])})
        if when:
            day, time, fraction, offset = when.groups()
            offset = "+00:00" if offset in ("Z", "z") else offset or ""
            # As many digits as Python reads.
            micro = (fraction or "0")[:6].ljust(6, "0")
            time = time or "00:00"
            seconds = "" if time.count(":") == 2 else ":00"
            read = datetime.fromisoformat(f"{day}T{time}{seconds}.{micro}{offset}")
            # Without an offset the time of this machine is meant.
            return read if offset else read.astimezone()
    except (ValueError, OverflowError, OSError):
        pass
    raise ValueError(complaint)


def _moment(text: str) -> datetime:
    try:
        return point_in_time(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0")
    # More rows than that nobody has; of very many figures `int` alone would make no number.
    return int(min(float(text), sys.maxsize))


def run(namespace: argparse.Namespace) -> int:
    """Run one of the commands; returns its exit code: 1 when `verify` finds the chain broken."""
    commands: dict[str, Callable[[argparse.Namespace], int]] = {
        "list": _list,
        "show": _show,
        "export": _list,
        "verify": _verify,
        "prune": _prune,
    }
    return commands[namespace.history_command](namespace)


@contextmanager
def _opened(namespace: argparse.Namespace) -> Iterator[Ledger]:
    """The ledger that the configuration names; LedgerMissing when nothing was recorded yet."""
    history = load_settings(namespace, Narration()).history
    with closing(Ledger.open(ledger_file(history.path), create=False)) as ledger:
        yield ledger


def _list(namespace: argparse.Namespace) -> int:
    output = Output()
    if getattr(namespace, "calls", False):
        from elicit_tui.cli.history_calls import list_calls

        settings = load_settings(namespace, Narration())
        list_calls(namespace, settings.history.content, output)
        return OK
    try:
        with _opened(namespace) as ledger:
            rows: Iterable[Row] = ledger.rows(
                server=namespace.server,
                action=namespace.action,
                decided_by=namespace.decided_by,
                since=namespace.since,
            )
            _write_rows(rows, namespace, output)
    # A ledger that is not there yet is an empty one, and no failure.
    except LedgerMissing as missing:
        _write_rows((), namespace, output)
        Narration().say(f"No question has been recorded yet. {missing}")
    if namespace.history_command == "list" and namespace.output == "text":
        from elicit_tui.tui.console.kept_calls import KeptCalls

        if KeptCalls("full").written_at:
            Narration().say("Calls stand apart: --calls lists them.")
    return OK


def _write_rows(rows: Iterable[Row], namespace: argparse.Namespace, output: Output) -> None:
    limit: int | None = getattr(namespace, "limit", None)
    _ROW_WRITERS[namespace.output](rows, limit, output)


def _write_document(rows: Iterable[Row], limit: int | None, output: Output) -> None:
    output.json([row.as_json() for row in _latest(rows, limit)])


def _write_lines(rows: Iterable[Row], limit: int | None, output: Output) -> None:
    for row in _latest(rows, limit):
        output.json_line(row.as_json())
        # Nobody reads any more: the rest of the ledger need not be read either.
        if output.failure is not None:
            return


def _latest(rows: Iterable[Row], limit: int | None) -> Iterable[Row]:
    # Only the last ones are held, however many there are.
    return deque(rows, maxlen=limit) if limit else rows


def _write_table(rows: Iterable[Row], limit: int | None, output: Output) -> None:
    found = 0
    latest: deque[Row] = deque(maxlen=(_MOST_ROWS_OF_TEXT if limit is None else limit) or None)
    for row in rows:
        found += 1
        latest.append(row)
    if latest:
        table = terminal_table(latest) if output.on_terminal else plain_table(latest)
        output.text(table)
    if found > len(latest):
        Narration().say(f"{found - len(latest)} older ones are not shown; see --limit.")


_ROW_WRITERS: Final = {"text": _write_table, "json": _write_document, "jsonl": _write_lines}


def _show(namespace: argparse.Namespace) -> int:
    if not namespace.id:
        raise UsageError("The id is empty.")
    output = Output()
    with _opened(namespace) as ledger:
        row = ledger.row(namespace.id)
    output.text_or_json(namespace.output, lambda: _write_record(row, output), row.as_json)
    return OK


def _write_record(row: Row, output: Output) -> None:
    """Write it in full; JSON and what else may be copied is never broken at words."""
    output.prose("\n".join(record_lines(row)), LABEL)
    if answered := "\n".join(answer(row)):
        output.text(answered)
    if findings := "\n".join(finding_lines(row)):
        output.prose(findings)
    output.prose("\n".join(["", *recorded(row)]), LABEL)
    if asked := "\n".join(request(row, on_terminal=output.on_terminal)):
        output.text(asked)


def _verify(namespace: argparse.Namespace) -> int:
    output = Output()
    with _opened(namespace) as ledger:
        # The whole chain: with an earlier head it is also seen whether that record is still in it.
        found = ledger.verify(namespace.head)
    output.text_or_json(
        namespace.output,
        lambda: _write_chain(found, output),
        lambda: {
            "ok": found.ok,
            "records": found.records,
            "first": found.first,
            "head": found.head,
            "brokenAt": found.broken_at,
            "problem": found.problem,
        },
    )
    return OK if found.ok else FAILED


def _write_chain(found: Verification, output: Output) -> None:
    if found.ok:
        begin = f", from record {found.first} on" if found.first > 1 else ""
        output.text(f"The chain is whole: {found.records} records{begin}.")
    elif found.broken_at is not None:
        output.text(f"The chain is broken at record {found.broken_at}: {found.problem}")
    else:
        output.text(f"{found.problem}")
    output.text(f"head {found.head or '(none)'}")


def _prune(namespace: argparse.Namespace) -> int:
    from elicit_tui.tui.console.kept_calls import KeptCalls

    output = Output()
    # Before anything is removed: what has died would count as open, and keep what is older.
    _end_what_died(namespace)
    with _opened(namespace) as ledger:
        # Looked at before, as a chain without its broken part would be whole.
        found = ledger.verify()
        pruned = ledger.prune(namespace.before, also_open=namespace.also_open)
        head = ledger.head()
    calls = KeptCalls("full").forget(namespace.before)
    if not found.ok and pruned.through is not None:
        # What was removed can no longer show it: a break must not end unsaid.
        Narration().tell(f"the chain was broken before this: {found.problem}")
    output.text_or_json(
        namespace.output,
        lambda: _write_pruned(pruned, head, calls, output),
        lambda: {
            "records": pruned.records,
            "calls": calls,
            "through": pruned.through,
            "head": head,
            "keptBy": list(pruned.kept_by),
        },
    )
    if pruned.kept_by:
        Narration().tell(_kept(pruned.kept_by))
    return OK


def _write_pruned(pruned: Pruned, head: str | None, calls: int, output: Output) -> None:
    if calls:
        output.text(f"Removed {calls} call{'s' if calls > 1 else ''} that the console kept.")
    if pruned.through is not None:
        output.text(
            f"Removed {pruned.records} records, up to record {pruned.through}; "
            "a marker stays in the chain."
        )
        output.text(f"head {head}")
    elif pruned.kept_by:
        output.text("Nothing was removed.")
    else:
        output.text("Nothing was recorded before then; nothing was removed.")


def _kept(by: Sequence[str]) -> str:
    """Which questions kept what was older, and what to do about it."""
    others = f" (and {len(by) - 1} more)" if len(by) > 1 else ""
    return (
        f"the question {by[0][:8]}{others} has no outcome yet: it may still wait, so it is kept, "
        "and what was recorded after it. Where its process is gone, --also-open removes it too."
    )


def _end_what_died(namespace: argparse.Namespace) -> None:
    """Give each question whose process died its outcome, as an inbox that is opened does."""
    import asyncio

    from elicit_tui.runtime import open_inbox

    async def looked() -> None:
        async with open_inbox(load_settings(namespace, Narration()), "inbox", create=False):
            pass

    # A store that cannot be read ends nothing: its questions are kept.
    with suppress(StoreError):
        asyncio.run(looked())
