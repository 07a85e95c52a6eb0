"""The calls of agents in a store, for every engine: outcomes are sealed here, rules are applied.

An engine gives two things: the calls of an owner, and a change of them between which nobody comes.
In clear stand ids, states, times, sizes and a digest of what was called; what an agent was answered
and what a call came to are blobs.

The one promise here: of a call whose tool may have run nobody says that it did not. So `called` is
written before the tool is called, and where the process that made it dies after that, its agent is
told once that nobody knows, and a call like it begins only then.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace
from typing import TypeVar

from elicit_tui.dataclass import dataclass
from elicit_tui.errors import SealError, StoreError
from elicit_tui.store import calls
from elicit_tui.store.calls import KeptCall, MakerState, Verdict
from elicit_tui.store.sealing import BlobPlace, Sealer, Secrets

Result = TypeVar("Result")


Noted = tuple[str, bytes | None]
"""The id of a call, and what was left for it; None: that does not open."""
MakerSince = Callable[[KeptCall, float], MakerState]
"""What is known of the process that makes a call; it lives where it was heard of after this time,
and is `unsure` where it was not, and may have ended."""


@dataclass(frozen=True)
class Book:
    """The calls of one owner at one moment, oldest first."""

    owner: str
    now: float
    calls: Mapping[str, KeptCall]
    """By their ids; without their blobs."""
    maker: MakerSince
    """Asked only where it matters: it may cost a look at another process."""


@dataclass
class BookChange:
    """What a change makes of a book: calls that are new or different, and such as are no more."""

    puts: list[KeptCall] = field(default_factory=list)
    drops: list[str] = field(default_factory=list)
    begins: bool = False
    """Whether something begins, which an engine that is full refuses; all else it takes."""


@dataclass(frozen=True)
class CallSeen:
    """A call as another process of its owner sees it."""

    call: KeptCall
    maker: MakerState
    paused: bytes | None
    outcome: bytes | None


class SealedCalls(ABC):
    """What a store keeps of calls; everything raises StoreError."""

    # With locks on a shared file the system tells it; elsewhere only beats do.
    needs_beats = False
    """Whether others know that this process lives by what it says alone."""
    _secrets: Secrets
    process: str
    """Names this process in the store."""

    def __init__(self) -> None:
        self._told_calls: defaultdict[str, set[str]] = defaultdict(set)
        """The calls of an owner that are to be forgotten, at the latest when the next begins."""

    @abstractmethod
    def _sealer(self) -> Sealer:
        """Seals what is new; to be called while the engine makes a change."""

    @abstractmethod
    async def _change(self, owner: str, work: Callable[[Book, BookChange], Result]) -> Result:
        """Carry out what `work` notes in the change, unseen by others until it is whole.

        It may be tried more than once.
        """

    @abstractmethod
    async def _look(self, owner: str, call_id: str) -> tuple[KeptCall, MakerSince] | None:
        """One call with its blobs, and what tells of its process."""

    @abstractmethod
    async def _put_note(self, owner: str, call_id: str, seal: Callable[[str], bytes]) -> None:
        """Leave something for the process that makes a call. `seal`: with the key of this name."""

    @abstractmethod
    async def _take_notes(
        self, owner: str, ids: Sequence[str], opened: Callable[[str, str, bytes], Noted]
    ) -> list[Noted]:
        """What was left for these calls, oldest first; it is there no more.

        `opened`: of the id of a call, the name of a key and a blob; where it raises, all stays.
        """

    # Who makes a call

    async def begin(
        self,
        owner: str,
        call_id: str,
        key: bytes,
        *,
        private: bool = False,
        since: float | None = None,
    ) -> Verdict:
        """Begin a call, unless the verdict is another one. `key`: what makes two calls the same.

        One of which nobody knows whether it ran is told so here, and once. `private`: it is of one
        session alone. `since`: as the verdict `unsure` had it, when it is tried again.
        """

        def work(book: Book, change: BookChange) -> tuple[Verdict, set[str]]:
            sealer = self._sealer()
            digest = sealer.digest(owner, key)
            new = KeptCall(
                owner, call_id, digest, self.process, book.now, sealer.key_id, private=private
            )
            asked_at = book.now if since is None else since
            left = self._with_room_made(book, change)
            # Who was heard of since the first look lives, also when this is tried again.
            found = calls.verdict(left, new, lambda c: book.maker(c, asked_at))
            if found.what == "begins":
                change.puts.append(new)
                change.begins = True
            # Noted as read in the very change that tells of it, so it is told once, however many
            # ask at once.
            elif found.what == "not known" and found.id is not None:
                change.puts.append(calls.read(book.calls[found.id], book.now))
            # With the time of the first look, which comes back as `since`.
            return replace(found, at=asked_at), set(change.drops)

        owed = self._told_calls[owner]
        try:
            found, dropped = await self._change(owner, work)
        except (asyncio.CancelledError, StoreError):
            # It may have begun all the same, and nobody makes it.
            owed.add(call_id)
            raise
        owed -= dropped
        return found

    def _with_room_made(self, book: Book, change: BookChange) -> list[KeptCall]:
        """The calls that are left once those that are over are dropped.

        In the same change in which one begins: what was read long ago must not keep it out.
        """
        # Since 0 everybody was heard of: here a process is dead or lives, and `unsure` drops
        # nothing.
        over = calls.to_forget(book.calls.values(), book.now, lambda c: book.maker(c, 0.0))
        change.drops += [*(call.id for call in over), *sorted(self._told_calls[book.owner])]
        return [call for call in book.calls.values() if call.id not in change.drops]

    async def called(self, owner: str, call_id: str) -> None:
        """Note that the tool is about to be called; it must not be before this has returned.

        Raises StoreError also where the store has lost the call: nobody else would know that it
        may have run.
        """
        if not await self._alter(owner, call_id, lambda call, now: calls.called(call)):
            raise StoreError("The store has lost this call, which is therefore not made.")

    async def paused(
        self, owner: str, call_id: str, answered: bytes, *, is_task: bool = False
    ) -> None:
        """Note that the agent was answered so, and will come back."""
        await self._alter(
            owner,
            call_id,
            lambda call, now: calls.paused(
                call, self._sealed(call, "paused", answered), is_task=is_task
            ),
        )

    async def left(self, owner: str, call_id: str, *, is_left: bool, attended: bool) -> None:
        """Note that the agent has left, or is there again; `attended`: as `KeptCall` has it."""
        await self._alter(
            owner, call_id, lambda call, now: calls.left(call, is_left=is_left, attended=attended)
        )

    async def ended(self, owner: str, call_id: str, outcome: bytes) -> None:
        """Keep what a call came to, until it was read."""
        await self._alter(
            owner,
            call_id,
            lambda call, now: calls.ended(
                call, now, self._sealed(call, "outcome", outcome), len(outcome)
            ),
        )

    async def abandon(self, owner: str, call_id: str) -> None:
        """Note that this process makes a call no more, and does not know what came of it."""
        await self._alter(owner, call_id, lambda call, now: calls.abandoned(call))

    async def drop(self, owner: str, call_id: str) -> None:
        """Forget a call that its agent was told all of; where that fails, when the next begins."""
        known = self._told_calls[owner]
        # In the table before it is tried, so that a failure leaves it owed.
        known.add(call_id)

        def work(book: Book, change: BookChange) -> set[str]:
            # All that are owed, not this one alone: a drop that failed while the store was away is
            # made up for.
            change.drops += sorted(known)
            return set(change.drops)

        # The set itself is emptied, as others may have added to it meanwhile.
        known -= await self._change(owner, work)

    async def notes(self, owner: str, ids: Sequence[str]) -> list[tuple[str, bytes]]:
        """What other processes left for these calls, each once."""

        def opened(call_id: str, key_id: str, blob: bytes) -> Noted:
            # What does not open was left by nobody of ours, and costs none of those beside it.
            with suppress(SealError):
                place = self._note_place(owner, call_id)
                return call_id, self._secrets.with_id(key_id).open(place, blob)
            return call_id, None

        found = await self._take_notes(owner, ids, opened)
        return [(call_id, note) for call_id, note in found if note is not None]

    # Whoever its agent comes to

    async def look(self, owner: str, call_id: str) -> CallSeen | None:
        """A call as it stands; None: there is none of this owner's. Raises SealError."""
        found = await self._look(owner, call_id)
        if found is None or found[0].private:
            return None
        call, maker_of = found
        # Of one that has ended nobody needs to know whether its process lives.
        maker: MakerState = "lives" if call.state == "ended" else maker_of(call, 0.0)
        return CallSeen(call, maker, self._opened(call, "paused"), self._opened(call, "outcome"))

    async def read(self, owner: str, call_id: str) -> None:
        """Note that the agent was told how a call ended, or that nobody knows."""
        await self._alter(owner, call_id, calls.read)

    async def leave_note(self, owner: str, call_id: str, note: bytes) -> None:
        """Leave something for the process that makes a call, as long as there is that call."""
        place = self._note_place(owner, call_id)
        await self._put_note(
            owner, call_id, lambda key_id: self._secrets.with_id(key_id).seal(place, note)
        )

    # Seals

    async def _alter(
        self, owner: str, call_id: str, transition: Callable[[KeptCall, float], KeptCall]
    ) -> bool:
        """Change a call; False where there is none of this id."""

        def work(book: Book, change: BookChange) -> bool:
            call = book.calls.get(call_id)
            if call is not None and (after := transition(call, book.now)) != call:
                # A transition that changes nothing writes nothing, however often it is called.
                change.puts.append(after)
            return call is not None

        return await self._change(owner, work)

    @staticmethod
    def _place(call: KeptCall, name: str) -> BlobPlace:
        # The attempt is 0, as a call has no attempts; the key takes the place of the digest.
        return BlobPlace(call.owner, call.id, 0, f"call {name}", call.key)

    @staticmethod
    def _note_place(owner: str, call_id: str) -> BlobPlace:
        return BlobPlace(owner, call_id, 0, "call note", "")

    def _sealed(self, call: KeptCall, name: str, text: bytes) -> bytes:
        return self._secrets.with_id(call.key_id).seal(self._place(call, name), text)

    def _opened(self, call: KeptCall, name: str) -> bytes | None:
        blob: bytes | None = getattr(call, name)
        if blob is None:
            return None
        return self._secrets.with_id(call.key_id).open(self._place(call, name), blob)
