"""The calls of this run: what was asked of a server, how far it is, what came back."""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal

from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation import Action, Call
from elicit_tui.text import readable_json

if TYPE_CHECKING:
    from elicit_tui.tui.console.results import Link

KEPT_CALLS: Final = 100
COMPARED: Final = 2_000
"""Characters of an argument that tell calls apart."""
KEPT_LOG_LINES: Final = 1_000
KEPT_ANSWERED: Final = 50

CallState = Literal["running", "answered", "failed", "cancelled", "refused"]

SIGNS: Final = {"running": "◐", "answered": "●", "failed": "✗", "cancelled": "○", "refused": "✗"}
UNSENT: Final = {
    "running": "waiting",
    "failed": "never sent",
    "cancelled": "cancelled, never sent",
}
"""How a call stands, by its state, that did not go out."""
_BECAME: Final[dict[Action | None, str]] = {
    "decline": "declined",
    "cancel": "cancelled",
    None: "not answered",
}
"""Of a question that may have been another call's."""


@dataclass(frozen=True)
class AnsweredQuestion:
    """How one question of a call ended; the texts are neutral."""

    message: str
    action: Action | None
    summary: str
    """Who decided what, in a few words."""
    of_one: bool = True
    """Whether it is of this call for sure: the server says so, or no other ran."""
    sent: str = ""
    """What was sent, as JSON, masked as the record is; empty where nothing was or may be told."""

    @cached_property
    def sent_texts(self) -> Mapping[str, str]:
        """The same as texts by field; what was cut, or is no object, is one text."""
        try:
            sent = json.loads(self.sent) if self.sent else {}
        except (ValueError, RecursionError):
            sent = None
        return _spelled(sent) if isinstance(sent, Mapping) else {"sent": self.sent}


@dataclass(eq=False)
class CallRecord:
    """One call as the console shows it."""

    server: str
    call: Call
    of_file: bool = False
    """Whether a file has it, which anybody may have written."""
    began: datetime = field(default_factory=datetime.now)
    started: float = field(default_factory=time.monotonic)
    ended: float | None = None
    state: CallState = "running"
    sent: bool = True
    """Whether its server may have it; of one of an earlier run that did not, `ended_as` says so."""
    waited: float = 0.0
    """Seconds of its time that the person took to answer what it asked."""
    held: float = 0.0
    """Seconds of its time before it went out in which the person was not waited for either."""
    round: int = 1
    progress: float | None = None
    total: float | None = None
    progress_message: str = ""
    log: deque[str] = field(default_factory=lambda: deque(maxlen=KEPT_LOG_LINES))
    logged: int = 0
    questions: int = 0
    """How many it asked and got an outcome for, also of those that are not kept."""
    answered: deque[AnsweredQuestion] = field(default_factory=lambda: deque(maxlen=KEPT_ANSWERED))
    confirmation: str = ""
    """What became of our own question whether it may be made; empty where that was not asked."""
    result: dict[str, Any] | None = None
    links: tuple[Link, ...] | None = None
    """What its result points to; None: nobody looked yet."""
    size: tuple[str, ...] | None = None
    """How big its result is, in words; None: nobody looked yet."""
    result_words: str | None = None
    """What a search looks at of its result; None: nobody searched yet."""
    failure: str | None = None
    cancelled_by: str = "You cancelled it."
    """What is said of it once it is cancelled."""
    note: str = ""
    """What the person wrote down of it, as they typed it."""
    ended_as: str = ""
    """How one of an earlier run stood at its end; empty for those of this run."""
    refused_before: AnsweredQuestion | None = None
    """Of one of an earlier run: the refusal that it ended with."""
    secret: frozenset[str] = frozenset()
    """The names of arguments that its schema calls secret."""
    withheld: tuple[str, ...] = ()
    """The arguments of one of an earlier run that were not kept."""
    in_shell: bool = False
    """Whether it was made by `elicit-tui call`, in whichever run of that."""
    is_saved: bool = False
    """Whether what came back was saved to files."""
    no_result: str = ""
    """Why what came back is not kept for another run; empty where it is, or nothing did."""
    result_file: str = ""
    """Of one of an earlier run: the file with what came back, until that is read."""

    @cached_property
    def shown_arguments(self) -> Mapping[str, Any]:
        """What it was made with, without the secrets in it."""
        from elicit_tui.tui.secret_arguments import shown_arguments

        return shown_arguments(self.call.arguments, self.secret)

    @property
    def secret_arguments(self) -> tuple[str, ...]:
        """The names of the arguments that are secrets, or hold one."""
        shown = self.shown_arguments
        return tuple(name for name, value in self.call.arguments.items() if shown[name] != value)

    @cached_property
    def argument_texts(self) -> Mapping[str, str]:
        """The beginning of each argument as a text, by its name; of what is no text its JSON.

        Spelled once: the list is drawn with every key, and each row looks at those beside it too.
        """
        return _spelled(self.shown_arguments)

    @property
    def told_texts(self) -> Mapping[str, str]:
        """The same, then what was answered to what it asked: calls may differ in that alone."""
        told = dict(self.argument_texts)
        for end in reversed(self.answered):
            for name, text in end.sent_texts.items():
                told.setdefault(name, text)
        return told

    @property
    def at(self) -> str:
        """When it began, by the clock on the wall; of another day that day."""
        if self.began.date() != datetime.now().date():
            return f"{self.began:%m-%d %H:%M}"
        return f"{self.began:%H:%M}"

    @property
    def at_second(self) -> str:
        """The same to the second: calls that are compared were often made in one minute."""
        return f"{self.at}{self.began::%S}"

    @property
    def elapsed(self) -> float:
        """Seconds since it began, or that it took."""
        return (self.ended if self.ended is not None else time.monotonic()) - self.started

    @property
    def own_seconds(self) -> float:
        """Of these the ones in which neither the person nor its turn was waited for."""
        return max(self.elapsed - self.waited - self.held, 0.0)

    def went_out(self) -> None:
        """Its server has it: what came before that was no time of its own."""
        if not self.sent:
            self.sent, self.held = True, self.own_seconds

    @property
    def is_error(self) -> bool:
        """Whether the tool itself says that it failed (spec: tools, `isError`)."""
        return bool(self.result and self.result.get("isError"))

    @property
    def refusal(self) -> AnsweredQuestion | None:
        """The last question of an ended call that was surely its own, and got no accept."""
        return self.refused_before or self._refused(of_one=True)

    @property
    def maybe_refused(self) -> AnsweredQuestion | None:
        """The last one that may have been its own, where none surely was."""
        return None if self.refusal is not None else self._refused(of_one=False)

    def _refused(self, *, of_one: bool) -> AnsweredQuestion | None:
        if self.state not in ("answered", "failed"):
            return None
        ends = reversed(self.answered)
        return next((e for e in ends if e.action != "accept" and e.of_one is of_one), None)

    @property
    def standing(self) -> str:
        """How it stands; where a question of it was refused, what became of that."""
        if self.ended_as:
            return self.ended_as
        if not self.sent and self.state in UNSENT:
            return UNSENT[self.state]
        if self.refusal is not None:
            return f"question {self.refusal.summary}"
        if self.state == "refused" and self.confirmation:
            return f"not called, {self.confirmation}"
        if self.is_error:
            return "failed"
        if self.maybe_refused is not None:
            return f"a question {_BECAME[self.maybe_refused.action]}"
        return "done" if self.state == "answered" else self.state

    @property
    def filed_under(self) -> str:
        """By which filter it is found."""
        if self.state in ("cancelled", "refused") or self.refusal is not None:
            return "cancelled or refused"
        if self.state == "running":
            return "running"
        return "failed" if self.state == "failed" or self.is_error else "done"

    def is_like(self, other: CallRecord) -> bool:
        """Whether it is another call of the same, whatever its arguments were."""
        return self is not other and _what(self) == _what(other)

    def add_log(self, text: str) -> None:
        """Remember a log line; the oldest are let go."""
        self.log.append(text)
        self.logged += 1

    def came_back(self, result: dict[str, Any] | None, why_not: str) -> None:
        """What an earlier run had as its result is read; `why_not` where it could not be."""
        self.result_file, self.size = "", None
        self.result, self.no_result = result, "" if result is not None else why_not

    def end(self, state: CallState, *, result: Any = None, failure: str | None = None) -> None:
        """The call is over."""
        self.state, self.result, self.failure = state, result, failure
        self.ended = time.monotonic()


class Calls:
    """The newest calls; the oldest finished ones are let go."""

    def __init__(self, kept: int = KEPT_CALLS) -> None:
        self._kept = kept
        self._records: dict[str, CallRecord] = {}

    def __iter__(self) -> Iterator[CallRecord]:
        return reversed(tuple(self._records.values()))

    def __len__(self) -> int:
        return len(self._records)

    def get(self, call_id: str | None) -> CallRecord | None:
        """The call with this id of ours."""
        return None if call_id is None else self._records.get(call_id)

    def remove(self, record: CallRecord) -> None:
        """Have this one no more, if it is still there."""
        self._records.pop(record.call.id, None)

    @property
    def running(self) -> tuple[CallRecord, ...]:
        """The calls that have not ended."""
        return tuple(record for record in self._records.values() if record.state == "running")

    def like(self, record: CallRecord) -> tuple[CallRecord, ...]:
        """The other calls of the same that have a result, in the order to compare it with them.

        First those before it that succeeded, the newest first, then those behind it that did; what
        failed, or was refused, comes behind them.
        """
        same = [c for c in self._records.values() if c is record or c.is_like(record)]
        at = same.index(record) if record in same else len(same)
        ordered = (*reversed(same[:at]), *same[at + 1 :])
        with_result = (each for each in ordered if each.result is not None)
        return tuple(sorted(with_result, key=lambda other: other.filed_under != "done"))

    def can_compare(self, record: CallRecord | None) -> bool:
        """Whether a call has a result, and so has another one of the same."""
        return record is not None and record.result is not None and bool(self.like(record))

    def remember(self, kept: Iterable[CallRecord]) -> None:
        """Have these calls too, made in other runs, as far as they are not there already."""
        known = {_made(record) for record in self._records.values()}
        all_of_them = [*self._records.values(), *(r for r in kept if _made(r) not in known)]
        all_of_them.sort(key=lambda record: record.began.astimezone())
        self._records = {record.call.id: record for record in all_of_them}

    def start(self, server: str, call: Call, schema: Any = None) -> CallRecord:
        """Remember a call that begins. `schema`: of its arguments."""
        from elicit_tui.form.shape import secret_names

        record = CallRecord(server, call, secret=secret_names(schema))
        self._records[call.id] = record
        finished = [key for key, old in self._records.items() if old.state != "running"]
        for key in finished[: max(0, len(self._records) - self._kept)]:
            del self._records[key]
        return record


def _spelled(values: Mapping[str, Any]) -> dict[str, str]:
    """The beginning of each as a text, by its name; of what is no text its JSON."""
    texts = (
        (name, value if isinstance(value, str) else readable_json(value, indent=None))
        for name, value in values.items()
    )
    return {name: text[:COMPARED] for name, text in texts}


def _made(record: CallRecord) -> tuple[str, str, str]:
    """What was called and when, as a file has it: nothing else is the same in every run."""
    return record.server, record.call.name, record.began.isoformat(timespec="milliseconds")


def _what(record: CallRecord) -> tuple[str, str, str]:
    """What was called, whatever its arguments were."""
    return record.server, record.call.method, record.call.name
