"""The questions of the store on Redis: each change is one script, each watcher reads one stream.

A script compares a question's version and sets what `transitions` made of it. In a cluster the
stream is on another node, and a death between the script and its note leaves a change out of it.
Such a change is found by a look at everything, after each lost connection and every `LOOK_SECONDS`.
"""

from __future__ import annotations

import asyncio
import math
import time
from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Final

from elicit_tui.elicitation import new_id
from elicit_tui.errors import StoreError
from elicit_tui.store import redis_layout as layout
from elicit_tui.store import redis_scripts as scripts
from elicit_tui.store import transitions
from elicit_tui.store.redis_layout import columns_of, key, name_in, pairs
from elicit_tui.store.redis_server import (
    BLOCK_SECONDS,
    MOST_TRIES,
    PATIENCE_SECONDS,
    RedisAddress,
    RedisServer,
)
from elicit_tui.store.sealed_questions import Creation, SealedQuestions, Transition
from elicit_tui.store.sealing import Sealer, Secrets
from elicit_tui.store.store import Answer, Asker, Changes, Role, Waiting
from elicit_tui.store.transitions import KEPT_SECONDS, StoredQuestion

RESTORE_SECONDS: Final = 15.0
"""How long whoever asked may take to put again what Redis lost."""
LOST_SECONDS: Final = 0.2
"""How often it is looked whether they have."""
LOOK_SECONDS: Final = 30.0
"""How often everything is looked at, whatever the stream says."""
SWEEP_SECONDS: Final = 5.0
"""How often a process that watches says that it lives, and ends what dead ones left."""
BACKSTOP_SECONDS: Final = 2 * KEPT_SECONDS
"""After this Redis itself drops what ended and nobody cleared away."""
_CLOCK_SECONDS: Final = 1.0
"""A difference of two clocks is taken anew when it is another one by this much."""
_NEVER: Final = -math.inf


class RedisQuestions(SealedQuestions):
    """The part of a `Store` on Redis that is about questions."""

    patience_sec = PATIENCE_SECONDS

    def __init__(
        self, address: RedisAddress, role: Role, secret: bytes, clock: Callable[[], datetime]
    ) -> None:
        self.server = RedisServer(address)
        self._role: Role = role
        self._clock = clock
        # An engine on Redis has no key file: the owner's secret is on each machine.
        self._secrets = Secrets(Path(), secret)
        self._life = new_id()
        self._clock_is_ahead = 0.0
        """How many seconds our clock is ahead of the server's."""
        self._closed = False
        self._known: dict[str, StoredQuestion] = {}
        """What was last seen of each question, until it is forgotten."""
        self._sessions: dict[str, Asker] = {}
        """Those that began in this process."""
        self._swept_at = time.monotonic()
        self._versions: dict[str, bytes] = {}
        """Of what was last seen: a question that was put again looks as it did, and is another."""
        self._told: dict[str, tuple[StoredQuestion, bytes]] = {}
        """What `changes` has told, with its version."""
        self._missing: dict[str, float] = {}
        """What waited and is not there any more, with when that was seen."""
        self._whole_look_at = _NEVER
        """When `changes` looked at everything; `_NEVER`: it has to, before it goes on."""
        self._interruptions_then = 0

    @abstractmethod
    async def _sweep(self) -> None:
        """Say that this process lives, put again what Redis lost, end what dead ones left."""

    @property
    def _life_id(self) -> str:
        return self._life

    @property
    def _ahead(self) -> float:
        return self._clock_is_ahead

    def _now(self) -> float:
        return self._clock().timestamp()

    def _sealer(self) -> Sealer:
        # With a secret of the owner's there is no key to make, and nothing to ask about.
        return self._secrets.sealer(lambda: False)

    def _seconds(self, reply: Sequence[bytes]) -> float:
        """The server's time as `TIME` tells it; the difference of the clocks is learned from it."""
        seconds = int(reply[0]) + int(reply[1]) / 1e6
        ahead = self._now() - seconds
        # Machines differ in their clocks, so all times in the store are the server's. The
        # difference is taken anew only when it is clearly another one: a slow answer must not make
        # times jitter.
        if abs(ahead - self._clock_is_ahead) > _CLOCK_SECONDS:
            self._clock_is_ahead = ahead
        return seconds

    def _refuse_when_closed(self) -> None:
        if self._closed:
            raise StoreError("The store is closed.")

    # Questions

    async def _create(self, session: str, question_id: str, make: Creation) -> StoredQuestion:
        self._refuse_when_closed()
        # Each time round something of another process came between, or what stands there cannot be
        # read.
        for _ in range(MOST_TRIES):
            at, there, _ = await self._fetch(session, question_id)
            question = make(there, at)
            if there is not None:
                return self._learn(question)
            columns = [part for pair in columns_of(question).items() for part in pair]
            done = await self.server.run(
                scripts.CREATE,
                [key(session, name) for name in (f"q:{question_id}", "questions", "session")]
                + list(self._same_node),
                session,
                question_id,
                *columns,
            )
            if done == b"ended":
                raise StoreError("The session that asks has ended.")
            if done == b"done":
                # A death between the script and this note is found by the look at everything.
                await self._noted(session, question_id)
                return self._learn(question)
        raise StoreError("What stands under the id of this question cannot be read.")

    async def _change(self, question_id: str, transition: Transition) -> StoredQuestion | None:
        session = await self._session_of(question_id)
        if session is None:
            return None
        for _ in range(MOST_TRIES):
            at, question, version = await self._fetch(session, question_id)
            if question is None:
                self._ends_while_lost(question_id, session, transition, at)
                return None
            after = transition(question, at)
            # What came between makes `_set` fail, and the rules are asked again with what stands
            # there now. A transition that changes nothing, as one that came too late, is not
            # written.
            if after == question or await self._set(question, version, after):
                return self._learn(after)
        raise StoreError("The question is being changed by too many at once.")

    def _ends_while_lost(
        self, question_id: str, session: str, transition: Transition, at: float
    ) -> None:
        """Let a question of this process that Redis has lost end; it is not put again then."""
        known = self._known.get(question_id)
        if session in self._sessions and known is not None:
            after = transition(known, at)
            if after.state == "settled":
                self._learn(after)

    async def _set(self, before: StoredQuestion, version: bytes, after: StoredQuestion) -> bool:
        """Set what is another one now, if nobody has changed the question meanwhile."""
        old, new = columns_of(before), columns_of(after)
        # What is the same is not sent.
        parts = [part for name in new if new[name] != old.get(name) for part in (name, new[name])]
        done = await self.server.run(
            scripts.CHANGE,
            [key(after.session, f"q:{after.id}"), *self._same_node],
            version,
            after.session,
            after.id,
            len(parts),
            int(BACKSTOP_SECONDS * 1000) if after.state == "settled" else 0,
            *parts,
            *(name for name in old if name not in new),
        )
        if done:
            await self._noted(after.session, after.id)
        return bool(done)

    @property
    def _same_node(self) -> tuple[str, ...]:
        """The keys that a script notes its change in, where all keys are on one node."""
        return () if self.server.facts.cluster else (layout.LOG, layout.NUMBER)

    async def _noted(self, session: str, question_id: str) -> None:
        """Note a change in the stream where its script could not."""
        if self.server.facts.cluster:
            await self.server.run(scripts.NOTE, [layout.LOG, layout.NUMBER], session, question_id)

    async def _read(self, question_id: str) -> StoredQuestion | None:
        session = await self._session_of(question_id)
        if session is None:
            return None
        _, question, _ = await self._fetch(session, question_id)
        if question is None:
            self._known.pop(question_id, None)
            return None
        return self._learn(question)

    async def _fetch(
        self, session: str, question_id: str
    ) -> tuple[float, StoredQuestion | None, bytes]:
        """The server's time, a question as it stands, and its version."""
        time_, reply = await self.server.run(scripts.READ, [key(session, f"q:{question_id}")])
        columns = pairs(reply)
        question = layout.question_at(session, question_id, columns)
        return self._seconds(time_), question, columns.get(b"version", b"0")

    async def _session_of(self, question_id: str) -> str | None:
        self._refuse_when_closed()
        # A question that this process has never seen: any session may have it.
        if question_id not in self._known:
            await self._questions_of(None)
        known = self._known.get(question_id)
        return None if known is None else known.session

    def _learn(self, question: StoredQuestion) -> StoredQuestion:
        """Remember what a question looks like, unless it is the late look of an earlier attempt."""
        before = self._known.get(question.id)
        another = before is None or before.session != question.session
        if before is None or another or before.attempt <= question.attempt:
            self._known[question.id] = question
        return question

    def _is_copy(self, question: StoredQuestion) -> bool:
        """Whether a stranger put it under the id of one that is known: its seals do not open."""
        known = self._known.get(question.id)
        in_another = known is not None and known.session != question.session
        return in_another and self._all_opened(question).unreadable is not None

    async def _questions_of(self, sessions: Iterable[str] | None) -> dict[str, StoredQuestion]:
        """Every question of these sessions, or of all that there are, oldest first."""
        if sessions is None:
            # The ended ones too, whose questions can still be read for `KEPT_SECONDS`.
            reply = await self.server.all_of(
                [("HKEYS", layout.SESSIONS), ("ZRANGE", layout.ENDED, "0", "-1")]
            )
            sessions = [name_in(name) for names in reply for name in names]
        sessions = tuple(dict.fromkeys(sessions))
        ids = await self.server.all_of(
            [("ZRANGE", key(session, "questions"), "0", "-1") for session in sessions]
        )
        named = zip(sessions, ids, strict=True)
        places = [(session, name_in(name)) for session, names in named for name in names]
        return await self._fetch_all(places)

    async def _fetch_all(self, places: Iterable[tuple[str, str]]) -> dict[str, StoredQuestion]:
        """These questions, oldest first, without those that are gone."""
        places = list(places)
        # One way there and back for all of them.
        replies = await self.server.all_of(
            [("HGETALL", key(session, f"q:{name}")) for session, name in places]
        )
        found = zip(places, map(pairs, replies), strict=True)
        questions = {}
        # By `number`, since each session lists its own only.
        for (session, name), columns in sorted(found, key=lambda one: layout.number_in(one[1])):
            question = layout.question_at(session, name, columns)
            if question is not None and not self._is_copy(question):
                questions[question.id] = self._learn(question)
                self._versions[question.id] = columns.get(b"version", b"0")
        return questions

    async def waiting(self) -> tuple[Waiting, ...]:
        """All questions that are not settled, oldest first."""
        self._refuse_when_closed()
        found = (await self._questions_of(None)).values()
        return tuple(self._waiting(record) for record in found if record.state != "settled")

    async def answer(self, question_id: str, answer: Answer) -> Waiting | None:
        """Answer, if nobody was faster; a question that Redis lost may be put again yet."""
        give_up = time.monotonic() + RESTORE_SECONDS
        # None means that there is no such question. Known, and not settled, it may have been lost.
        while (given := await super().answer(question_id, answer)) is None:
            known = self._known.get(question_id)
            if known is None or known.state == "settled" or time.monotonic() >= give_up:
                break
            await asyncio.sleep(LOST_SECONDS)
        return given

    # Changes

    async def changes(self, since: int = 0, wait_sec: float = 0) -> Changes:
        """What changed after the number `since`; a process that asks is told of its own alone."""
        self._refuse_when_closed()
        give_up = time.monotonic() + wait_sec
        # Whoever begins has been told nothing yet.
        if since == 0:
            self._told.clear()
            self._whole_look_at = _NEVER
        while True:
            if self._whole_look_is_due:
                # The stream is an index, never the truth: it may be cut, lost or late, and in a
                # cluster the note of a change may be missing. Whenever it could have missed
                # something, all questions are looked at and compared with what was told.
                since, found = await self._whole_look()
            else:
                since, found = await self._next_entries(since, give_up - time.monotonic())
            if found or time.monotonic() >= give_up:
                # Told at once, and remembered with its version: a look at everything then finds
                # only what is new.
                self._told.update(
                    (record.id, (record, self._versions[record.id])) for record in found
                )
                return Changes(since, tuple(map(self._waiting, found)))
            if time.monotonic() - self._swept_at >= SWEEP_SECONDS:
                await self._sweep()

    async def _next_entries(
        self, since: int, wait_sec: float
    ) -> tuple[int, Sequence[StoredQuestion]]:
        """What the stream says after this number, and its last one; empty when nothing came."""
        entries = await self.server.stream(layout.LOG, since, wait_sec)
        if not entries:
            if await self._number() != since:  # It began anew.
                self._whole_look_at = _NEVER
            return since, ()
        if entries[0][0] != since + 1:  # Something is cut off.
            self._whole_look_at = _NEVER
            return since, ()
        # A question that changed often stands in it as often, and is read once.
        places = dict.fromkeys(
            (name_in(at.get(b"s", b"")), name_in(at.get(b"q", b""))) for _, at in entries
        )
        mine = [place for place in places if self._only is None or place[0] in self._only]
        found = await self._fetch_all(mine)
        # It was put again.
        for name in found:
            self._missing.pop(name, None)
        return entries[-1][0], tuple(found.values())

    @property
    def _only(self) -> Iterable[str] | None:
        """The sessions that this process is told of: its own where it asks; None: all."""
        return self._sessions if self._sessions and self._role != "answerer" else None

    @property
    def _whole_look_is_due(self) -> bool:
        """Whether the stream alone does not tell what changed."""
        # What is missing is looked for soon, as somebody waits for it.
        every = BLOCK_SECONDS if self._missing else LOOK_SECONDS
        late = time.monotonic() - self._whole_look_at >= every
        return late or self.server.interruptions != self._interruptions_then

    async def _whole_look(self) -> tuple[int, Sequence[StoredQuestion]]:
        """Everything that is not as it was told, and the number to read the stream on from."""
        # Both before the look: what happens while it looks is then seen once more, not missed.
        interruptions, number = self.server.interruptions, await self._number()
        found = await self._questions_of(self._only)
        self._whole_look_at, self._interruptions_then = time.monotonic(), interruptions
        changed = [
            record
            for record in found.values()
            # The version, not the look: what was put again looks as before.
            if record.id not in self._told or self._told[record.id][1] != self._versions[record.id]
        ]
        waited = {name for name, (record, _) in self._told.items() if record.state != "settled"}
        at = time.monotonic()
        # Gone from Redis, and it was never settled: Redis lost it. Whoever asked gets some time to
        # put it again, and only then it counts as ended.
        self._missing = {name: self._missing.get(name, at) for name in waited - found.keys()}
        for name, since in tuple(self._missing.items()):
            if at - since >= RESTORE_SECONDS:  # Nobody is left who would put it again.
                del self._missing[name]
                self._known.pop(name, None)
                # Told as ended though nothing in Redis says so: that is what it is to whoever waits
                # for it.
                changed.append(transitions.abandon(self._told[name][0], self._now() - self._ahead))
        # What is settled and gone is never told again.
        kept = waited | found.keys()
        for table in (self._told, self._versions):
            for name in table.keys() - kept:
                del table[name]
        return number, changed

    async def _number(self) -> int:
        """The number of the last change."""
        return layout.figures_in(await self.server.run(scripts.LAST, [layout.NUMBER]))
