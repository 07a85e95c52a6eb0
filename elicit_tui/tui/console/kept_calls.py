"""The calls that were made, found again by the next run: what was called, how it ended, its result.

What may be kept of the arguments follows `history.content`, as for answers: a secret is left out,
and asked for when the call is made again; in a result it is masked. Logs stay with their run.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, get_args

from elicit_tui import paths
from elicit_tui.elicitation import (
    Action,
    Call,
    ElicitationRequest,
    Method,
    ServerIdentity,
    new_id,
)
from elicit_tui.elicitation.keeping import kept_content
from elicit_tui.elicitation.shapes import masked
from elicit_tui.text import ascii_json, neutral, neutral_line
from elicit_tui.tui.console.calls import KEPT_CALLS, AnsweredQuestion, CallRecord, CallState
from elicit_tui.tui.console.kept_results import (
    TOO_LARGE,
    is_too_large,
    make_room,
    may_be_kept,
    named_file,
    remove_files_but_those_of,
    tells,
    written_down,
)
from elicit_tui.tui.console.written_later import write_later

if TYPE_CHECKING:
    from elicit_tui.elicitation.settings import ContentPolicy
    from elicit_tui.runtime.opening import LazyGuardian

FILE_NAME: Final = "calls.json"
LARGEST_FILE: Final = 8_000_000
"""The oldest calls go until the others fit into it."""
LARGEST_READ: Final = 4 * LARGEST_FILE
LARGEST_CALL: Final = 400_000
"""One that is larger, by names of others, is not kept."""
LARGEST_ARGUMENTS: Final = 20_000
"""Characters of their JSON; longer ones are not kept."""
KEPT_QUESTIONS: Final = 10
LARGEST_QUESTION: Final = 500
"""Characters of what one asked, and of what was sent for it."""
NOT_KEPT: Final = "what came back is not kept"
_ID: Final = re.compile("[0-9a-f]{32}")
_UNIT: Final = "milliseconds"
"""Of when they began: calls are listed in that order."""


class KeptCalls:
    """One private file of the person's; what cannot be read or written is not kept, and no more."""

    def __init__(self, policy: ContentPolicy) -> None:
        self._policy = policy
        self._file = paths.state_directory() / FILE_NAME

    def read(self) -> list[CallRecord]:
        """The calls of earlier runs, as they began; none where nothing may be kept."""
        try:
            records = map(_record, [] if self._policy == "none" else self._written())
        except (OSError, ValueError, RecursionError):
            return []
        calls = (record for record in records if record is not None)
        return sorted(calls, key=lambda record: record.began.astimezone())

    @property
    def written_at(self) -> int:
        """When they were last written, also by others, in nanoseconds; 0: never."""
        try:
            return self._file.stat().st_mtime_ns
        except OSError:
            return 0

    def add(
        self, record: CallRecord, schema: Mapping[str, Any], guardian: LazyGuardian | None
    ) -> None:
        """Keep a call that has ended. `schema`: of its arguments."""
        if self._policy != "none":
            write_later(self._add, record, _end(record), schema, guardian)

    def note(self, record: CallRecord) -> None:
        """Keep the note of a call that is kept already."""

        def noted(calls: list[Any]) -> bool:
            own = _those_of(record, calls)
            for call in own:
                call["note"] = record.note
            return bool(own)

        write_later(self._change, noted)

    def remove(self, record: CallRecord) -> None:
        """Keep a call no more."""

        def removed(calls: list[Any]) -> bool:
            own = _those_of(record, calls)
            calls[:] = [call for call in calls if call not in own]
            return bool(own)

        write_later(self._change, removed)

    def rename(self, old: str, new: str) -> None:
        """The calls of a server are found under its new name."""

        def renamed(calls: list[Any]) -> bool:
            own = [call for call in calls if isinstance(call, dict) and call.get("server") == old]
            for call in own:
                call["server"] = new
            return bool(own)

        write_later(self._change, renamed)

    def forget(self, before: datetime) -> int:
        """Remove the calls that began before then; how many there were."""
        gone = 0

        def later(calls: list[Any]) -> bool:
            nonlocal gone
            kept = [call for call in calls if not _began_before(call, before)]
            gone = len(calls) - len(kept)
            calls[:] = kept
            return gone > 0

        self._change(later)
        return gone

    def _change(self, change: Callable[[list[Any]], bool]) -> None:
        """Change the calls of the file, which other consoles do too; `change`: whether it did.

        What cannot be read is not written over.
        """
        if self._policy == "none":
            return
        try:
            with paths.sole_writer(self._file):
                calls = self._written()
                if change(calls):
                    make_room(calls)
                    paths.replace_file(self._file, _fitting(calls))
                    remove_files_but_those_of(calls)
        except (OSError, ValueError, RecursionError):
            return

    def _add(
        self,
        record: CallRecord,
        end: dict[str, Any],
        schema: Mapping[str, Any],
        guardian: LazyGuardian | None,
    ) -> None:
        server, call = record.server, record.call
        if masked(call.name) != call.name:
            return  # A resource's address with a secret in it.
        arguments = self._harmless(server, call.arguments, schema, guardian)
        withheld = [name for name in call.arguments if name not in arguments]
        what = {"server": server, "method": call.method, "name": call.name, "id": call.id}
        secret = {name: call.arguments[name] for name in withheld}
        result, record.no_result = may_be_kept(record.result, secret, self._policy)
        asked = _asked(record, secret)
        written = {**what, "arguments": arguments, "withheld": withheld, **asked, **end}
        written |= {"in_shell": True} if record.in_shell else {}

        def added(calls: list[Any]) -> bool:
            written.update(written_down(result, record.no_result))
            record.no_result = str(written.get("no_result") or "")
            written["note"] = record.note  # It may have been written meanwhile.
            calls[:] = [*calls, written][-KEPT_CALLS:]
            return len(ascii_json(written)) <= LARGEST_CALL

        self._change(added)

    def _harmless(
        self,
        server: str,
        arguments: Mapping[str, Any],
        schema: Mapping[str, Any],
        guardian: LazyGuardian | None,
    ) -> dict[str, Any]:
        """The arguments without those that may not be kept."""
        if (
            not arguments
            or guardian is None
            or len(ascii_json(dict(arguments))) > LARGEST_ARGUMENTS
        ):
            return {}
        if self._policy == "full":
            return dict(arguments)
        identity = ServerIdentity(server, "stdio", "")
        asked = {"message": "", "requestedSchema": dict(schema)}
        review = guardian.review(ElicitationRequest(identity, asked))
        harmless = {}
        for name, value in arguments.items():
            alone = {name: value}
            if kept_content(alone, review, "redacted") == alone and not guardian.outgoing(alone):
                harmless[name] = value
        return harmless

    def _written(self) -> list[Any]:
        """The calls in the file. Raises OSError, ValueError, RecursionError."""
        try:
            with self._file.open("rb") as stream:
                written = json.loads(stream.read(LARGEST_READ))
        except FileNotFoundError:
            return []
        if not isinstance(written, list):
            raise ValueError("these are no calls")
        return written


def _fitting(calls: list[Any]) -> bytes:
    """The newest of these calls, as many as fit into the file."""
    room, kept = LARGEST_FILE, deque[str]()
    for call in reversed(calls):
        spelled = ascii_json(call)
        room -= len(spelled) + 1
        if room < 1:
            break
        kept.appendleft(spelled)
    return f"[{','.join(kept)}]".encode()


def is_lost(record: CallRecord) -> bool:
    """Whether what came back is too large for a later run, and was not saved."""
    is_new = record.result is not None and not record.ended_as and not record.is_saved
    return is_new and (record.no_result == TOO_LARGE or is_too_large(record.result))


def _those_of(record: CallRecord, calls: list[Any]) -> list[dict[str, Any]]:
    """Of what is written there, this call."""
    place = {"server": record.server, "name": record.call.name}
    began = {record.began.isoformat(timespec=unit) for unit in ("seconds", _UNIT)}
    those = (call for call in calls if isinstance(call, dict) and place.items() <= call.items())
    return [call for call in those if call.get("began") in began]


def _began_before(written: Any, moment: datetime) -> bool:
    record = _record(written)
    return record is not None and record.began.astimezone() < moment


def _asked(record: CallRecord, withheld: Mapping[str, Any]) -> dict[str, Any]:
    """The last questions of it and how they ended, unless one tells an argument that is not kept.

    What was sent for them is masked already as its record is.
    """
    asked = [
        {
            "message": neutral_line(masked(end.message), LARGEST_QUESTION),
            "action": end.action,
            "summary": neutral_line(end.summary, 200),
            "of_one": end.of_one,
            "sent": neutral_line(end.sent, LARGEST_QUESTION),
        }
        for end in [*record.answered][-KEPT_QUESTIONS:]
    ]
    whole = [[end.message, end.summary, end.sent] for end in record.answered]
    told = tells(asked, withheld) or tells(whole, withheld)
    return {"asked": [] if told else asked, "questions": record.questions}


def _answered(written: Any) -> Iterator[AnsweredQuestion]:
    for end in written if isinstance(written, list) else ():
        texts = (
            neutral_line(str(end[key]), LARGEST_QUESTION) for key in ("message", "summary", "sent")
        )
        message, summary, sent = texts
        action: Action | None = next(a for a in (*get_args(Action), None) if a == end["action"])
        yield AnsweredQuestion(message, action, summary, bool(end["of_one"]), sent)


def _end(record: CallRecord) -> dict[str, Any]:
    refusal = {} if record.refusal is None else {"refused": record.refusal.action}
    return {
        **refusal,
        "began": record.began.isoformat(timespec=_UNIT),
        "seconds": round(record.elapsed, 3),
        "waited": round(record.waited, 3),
        "held": round(record.held, 3),
        "confirmation": neutral_line(record.confirmation, 200),
        "state": "failed" if record.is_error else record.state,
        "standing": neutral_line(record.standing, 200),
        "failure": neutral(masked(record.failure), 1_000) if record.failure else None,
    }


def _id(written: Any) -> str:
    """The id by which the records of what it asked name it; a new one where it has none of ours."""
    written_id = str(written.get("id") or "")
    return written_id if _ID.fullmatch(written_id) else new_id()


def _refusal(written: Any, standing: str) -> AnsweredQuestion | None:
    if "refused" not in written:
        return None
    action: Action | None = next(a for a in (*get_args(Action), None) if a == written["refused"])
    return AnsweredQuestion("", action, standing)


def _record(written: Any) -> CallRecord | None:
    """A call of the file; None where it is none of ours."""
    try:
        arguments, withheld = written["arguments"], written["withheld"]
        state: CallState = next(s for s in get_args(CallState) if s == written["state"])
        method: Method = next(m for m in get_args(Method) if m == written["method"])
        call = Call(method, str(written["name"]), dict(arguments), _id(written))
        standing = neutral_line(str(written["standing"]), 200)
        missing = NOT_KEPT if state == "answered" else ""  # Of any other end nothing came back.
        return CallRecord(
            str(written["server"]),
            call,
            began=datetime.fromisoformat(written["began"]),
            started=0.0,
            ended=float(written["seconds"]),
            waited=float(written.get("waited") or 0.0),
            held=float(written.get("held") or 0.0),
            confirmation=neutral_line(str(written.get("confirmation") or ""), 200),
            state=state,
            note=neutral(str(written.get("note") or ""), 1_000),
            failure=neutral(written["failure"], 1_000) if written["failure"] else None,
            ended_as=standing,
            in_shell=written.get("in_shell") is True,
            answered=deque(_answered(written.get("asked")), KEPT_QUESTIONS),
            questions=int(written.get("questions") or 0),
            refused_before=_refusal(written, standing),
            withheld=tuple(neutral_line(str(name), 80) for name in withheld),
            result=dict(written["result"]) if written.get("result") is not None else None,
            result_file=named_file(written),
            no_result=neutral_line(str(written.get("no_result") or missing), 200),
        )
    except (KeyError, TypeError, ValueError, StopIteration):
        return None
