"""What was called: the life of an agent's call in the store, whatever engine keeps it.

    not called → called → ended → read
         └────────┴── its process died: "not run" or "not known", told once

The calls of one owner (an agent's token) lie together, so that every gateway process of that agent
decides about them alike. The rules are here, and change nothing by themselves; an engine carries
them out so that nobody comes between. Times are seconds since 1970 by the engine's own clock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, replace
from itertools import islice
from typing import Final, Literal

from elicit_tui.dataclass import dataclass

CallState = Literal["not called", "called", "ended"]
MakerState = Literal["lives", "dead", "unsure"]
"""Of the process that makes a call; unsure: on another machine, and not heard of just now."""

Begins = Literal["begins", "joins", "not known", "unsure", "full", "too many"]
"""What becomes of a call that an agent makes: see `verdict`."""
MakerOf = Callable[["KeptCall"], MakerState]
"""What is known of the process that makes a call."""

NOBODY: Final = ""
"""Names no process."""
MOST_OUTCOMES: Final = 64
MOST_OUTCOME_BYTES: Final = 16 * 1024 * 1024
MOST_WITHOUT_OUTCOME: Final = 512
"""Calls of one owner that are under way, or of which nobody knows whether they ran."""
READ_SECONDS: Final = 3600.0
"""How long an outcome can be read again."""
UNREAD_SECONDS: Final = 7 * 24 * 3600.0
"""How long an outcome is kept that nobody has read."""
_STATES: Final[tuple[CallState, ...]] = ("not called", "called", "ended")


@dataclass(frozen=True)
class KeptCall:
    """One call as an engine keeps it; what is bytes is sealed."""

    owner: str
    """Whose call it is: whoever shows the same token may come back for it."""
    id: str
    key: str
    """A digest of method, server, tool and arguments: what makes two calls the same."""
    process: str
    """The gateway process that makes it."""
    begun_at: float
    key_id: str
    """Names the secret that sealed it."""
    private: bool = False
    """Whether it is of one session alone: then no other may join or read it."""
    state: CallState = "not called"
    has_id: bool = False
    """Whether the agent was told its id, to come back with."""
    is_left: bool = False
    """Whether the agent has left without it."""
    attended: bool = False
    """Whether a request of the agent waits for it, or its agent has taken it back."""
    is_task: bool = False
    """Whether the agent was given a task: then another call is this one only before its tool is
    called."""
    size: int = 0
    ended_at: float | None = None
    read_at: float | None = None
    paused: bytes | None = None
    """What the agent was answered when it was told to come back."""
    outcome: bytes | None = None
    """What it came to. In a book of calls a blob that is None is one that was not looked at."""

    @property
    def joinable(self) -> bool:
        """Whether an equal call is this one."""
        if self.is_task:
            # From its tool's call on a task is one of its own: an equal call is meant as a second
            # one.
            return self.state == "not called"
        # While a request waits for it an equal call is meant as a second one. Else whoever has its
        # id comes back with it; who has left, or never heard the end, calls again.
        return self.state == "ended" or (not self.attended and (self.has_id or self.is_left))

    @property
    def unread(self) -> bool:
        """Whether its outcome waits for its agent, who has not left without its id."""
        is_for_nobody = self.is_left and not self.has_id
        return self.state == "ended" and self.read_at is None and not is_for_nobody


# The blobs are large and sealed. A book is read without them; who looks at one call gets them.
BLOBS: Final = ("paused", "outcome")
PLAIN: Final = tuple(part.name for part in fields(KeptCall) if part.name not in BLOBS)


@dataclass(frozen=True)
class Verdict:
    """What becomes of a call that an agent makes."""

    what: Begins
    id: str | None = None
    """The earlier call that it joins, or of which nobody knows whether it ran."""
    at: float = 0.0
    """When this was so; `unsure` is tried again with it."""


def verdict(calls: Iterable[KeptCall], new: KeptCall, maker: MakerOf) -> Verdict:
    """Whether a new call begins, among the others of its owner.

    It joins an earlier one that its agent may come back for. Where an equal one was under way and
    its process died, it is not made: nobody knows whether that one ran. Where that process may have
    died (`unsure`) it waits. Where too much waits to be read (`full`), or `too many` calls have no
    outcome, nothing is called.
    """
    calls = tuple(calls)
    for call in calls:
        # One that was read has been told: an equal call is a new one.
        if call.key != new.key or call.read_at is not None:
            continue
        earlier = _of_earlier(call, maker(call))
        # A private call is joined by nobody. That it may have run in a process that died concerns
        # its agent all the same.
        if earlier is not None and not (earlier == "joins" and (call.private or new.private)):
            return Verdict(earlier, call.id)
    # What a private call comes to is not kept here: it needs no place, and is refused for none.
    unread = [] if new.private else [call for call in calls if call.unread]
    size = sum(call.size for call in unread)
    if len(unread) >= MOST_OUTCOMES or size >= MOST_OUTCOME_BYTES:
        return Verdict("full")
    if sum(call.state != "ended" for call in calls) >= MOST_WITHOUT_OUTCOME:
        return Verdict("too many")
    return Verdict("begins")


def _of_earlier(call: KeptCall, maker: MakerState) -> Begins | None:
    """What an equal call that was made earlier means for a new one; None: nothing."""
    if call.state == "ended":
        return "joins" if call.joinable else None
    if maker == "dead":
        # What was not called has certainly not run: the new call begins.
        return "not known" if call.state == "called" else None
    if call.joinable:
        return "joins"
    return "unsure" if call.state == "called" and maker == "unsure" else None


def called(call: KeptCall) -> KeptCall:
    """Its tool is about to be called."""
    return replace(call, state="called") if call.state == "not called" else call


def paused(call: KeptCall, answered: bytes, *, is_task: bool = False) -> KeptCall:
    """Its agent was told to come back, or given a task."""
    if call.state == "ended":
        return call
    return replace(call, has_id=True, paused=answered, is_task=call.is_task or is_task)


def left(call: KeptCall, *, is_left: bool, attended: bool) -> KeptCall:
    """Its agent has left, or is there again; also as it ended, until its agent has read it."""
    if call.read_at is not None:
        return call
    return replace(call, is_left=is_left, attended=attended)


def abandoned(call: KeptCall) -> KeptCall:
    """Nobody makes it any more, as if its process had died."""
    # A process without a name is never alive, so that what is read of it is true.
    return call if call.state == "ended" else replace(call, process=NOBODY)


def ended(call: KeptCall, now: float, outcome: bytes, size: int) -> KeptCall:
    """It has its outcome, once."""
    if call.state == "ended":
        return call
    return replace(call, state="ended", ended_at=now, outcome=outcome, size=size)


def read(call: KeptCall, now: float) -> KeptCall:
    """Its agent was told how it ended, or that nobody knows."""
    return call if call.read_at is not None else replace(call, read_at=now)


def is_behind(there: KeptCall, mine: KeptCall) -> bool:
    """Whether what stands in a store is older than `mine`, as the call's own process knows it.

    One that was read, or that its process makes no more, is over.
    """
    if there.read_at is not None or there.process != mine.process:
        return False
    # What is further than `mine` is there though its process was never told that it is.
    if _way(there) != _way(mine):
        return _way(there) < _way(mine)
    return (there.is_left, there.attended) != (mine.is_left, mine.attended)


def _way(call: KeptCall) -> tuple[int, bool, bool]:
    """How far a call has come, of what no change takes back."""
    return _STATES.index(call.state), call.has_id, call.is_task


def to_forget(calls: Iterable[KeptCall], now: float, maker: MakerOf) -> Iterator[KeptCall]:
    """What is kept no longer: its time is over, or it gives place to what is begun now.

    Place is given by what was read, and by what certainly did not run.
    """
    with_outcome: list[KeptCall] = []
    without: list[KeptCall] = []
    for call in calls:
        if _is_over(call, now, maker):
            yield call
        elif call.state == "ended":
            with_outcome.append(call)
        else:
            without.append(call)
    yield from _to_make_room(with_outcome)
    # One more than there may be: the new call needs room, too.
    too_many = len(without) - MOST_WITHOUT_OUTCOME + 1
    if too_many > 0:
        yield from islice((call for call in without if _harms_nobody(call, maker)), too_many)


def _to_make_room(calls: Iterable[KeptCall]) -> Iterator[KeptCall]:
    """Of calls with an outcome those that are too many or too large, as far as nobody waits."""
    # What was read, or left by who never had its id, goes first, then the oldest: what follows the
    # first that an agent may come back for stays.
    in_order = sorted(calls, key=lambda call: (call.unread, call.ended_at))
    number, size = len(in_order), sum(call.size for call in in_order)
    for call in in_order:
        fits = number <= MOST_OUTCOMES and size <= MOST_OUTCOME_BYTES
        if fits or call.unread:
            return
        yield call
        number, size = number - 1, size - call.size


def _harms_nobody(call: KeptCall, maker: MakerOf) -> bool:
    """Whether a call without an outcome was told of, or will never be made."""
    return call.read_at is not None or (call.state == "not called" and maker(call) == "dead")


def _is_over(call: KeptCall, now: float, maker: MakerOf) -> bool:
    if call.read_at is not None:
        return call.read_at <= now - READ_SECONDS
    if call.ended_at is not None:
        return call.ended_at <= now - UNREAD_SECONDS
    # Young ones are left alone, as a process that is away may come back for them.
    if call.begun_at > now - READ_SECONDS or maker(call) != "dead":
        return False
    # One that was not called, and of which no agent has the id, can harm nobody.
    nobodys = call.state == "not called" and not call.has_id
    return nobodys or call.begun_at <= now - UNREAD_SECONDS
