"""The questions of the store in one SQLite file, shared by every process of its person.

A change is noticed by `PRAGMA data_version` while somebody waits. `sessions` has the rest of the
store, `endings` how things end in it; no SQL of it stands outside this room.
"""

from __future__ import annotations

import asyncio
import time
from datetime import datetime
from typing import Any, Final

from elicit_tui.elicitation import Answerer, ElicitationRequest, Outcome, Question
from elicit_tui.elicitation.question import Draft
from elicit_tui.errors import StoreError
from elicit_tui.store.file import (
    Asked,
    answer_in,
    place,
    sealed,
    seconds,
    waiting_in,
)
from elicit_tui.store.nouns import written
from elicit_tui.store.sealing import BlobPlace
from elicit_tui.store.sessions import SqliteSessions
from elicit_tui.store.store import (
    LEASE_SECONDS,
    AgentState,
    Answer,
    Asker,
    Changes,
    Waiting,
)

POLL_SECONDS: Final = 0.05
"""How often a waiting process looks whether the file changed: about 0.1 % of a core."""
SWEEP_SECONDS: Final = 1.0
"""How often it looks whether another process died or a lease ran out."""


class SqliteStore(SqliteSessions):
    """A `Store` in the file at `path`; the key and the processes' locks stand beside it."""

    def _row(self, question_id: str) -> Any:
        found = self._file.rows("SELECT * FROM questions WHERE id = ?", question_id)
        return found[0] if found else None

    def _as_it_is(self, question_id: str) -> Waiting | None:
        row = self._row(question_id)
        return None if row is None else waiting_in(self._secrets, row)

    # Who asks

    async def put(
        self, question: Question, asker: Asker, deadline: datetime | None = None
    ) -> Waiting:
        """Let a question wait; raises SecretError where it cannot be sealed."""

        def work() -> Waiting:
            sealer = self._secrets.sealer(self._something_is_sealed)
            request = question.request
            digest = sealer.digest(asker.session, written(request))
            there = self._row(request.id)
            if there is not None:
                if (there["session"], there["digest"]) != (asker.session, digest):
                    raise StoreError("Another question with this id waits already.")
                return waiting_in(self._secrets, there)
            if not self._file.rows("SELECT 1 FROM sessions WHERE session = ?", asker.session):
                raise StoreError("The session that asks has ended.")
            asked = BlobPlace(asker.session, request.id, question.attempt, "asked", digest)
            number = self._file.next_number()
            columns = {
                "id": request.id,
                "number": number,
                "changed": number,
                "session": asker.session,
                "state": "open",
                "attempt": question.attempt,
                "digest": digest,
                "kind": request.kind,
                "agent": asker.agent,
                "server": request.server.name,
                "tool": _tool(request),
                "put_at": self._now(),
                "deadline": seconds(deadline),
                "key_id": sealer.key_id,
                "asked": sealer.seal(asked, written(Asked(question, asker))),
            }
            marks = ", ".join("?" * len(columns))
            self._file.do(
                f"INSERT INTO questions ({', '.join(columns)}) VALUES ({marks})",
                *columns.values(),
            )
            if question.draft.filled:
                self._keep_draft(self._row(request.id), question.draft)
            put = self._as_it_is(request.id)
            assert put is not None
            return put

        return await self._file.write(work)

    def _something_is_sealed(self) -> bool:
        return bool(self._file.rows("SELECT 1 FROM questions WHERE asked IS NOT NULL LIMIT 1"))

    def _keep_draft(self, row: Any, draft: Draft) -> None:
        sealer = self._secrets.with_id(row["key_id"])
        self._file.do(
            "UPDATE questions SET draft = ? WHERE id = ?",
            sealed(sealer, row, "draft", draft),
            row["id"],
        )

    async def answer_of(self, question_id: str) -> Answer | None:
        """The answer that won, for the asker to judge."""

        def work() -> Answer | None:
            row = self._row(question_id)
            return None if row is None else answer_in(self._secrets, row)

        return await self._file.read(work)

    async def settle(self, question_id: str, outcome: Outcome) -> None:
        """Settle a question, which has its outcome."""
        await self._file.write(
            lambda: self._endings.settle(
                "id = ? AND (state <> 'settled' OR decided_by IS NULL)",
                [question_id],
                outcome.action,
                outcome.decided_by,
            )
        )

    async def withdraw(self, question_id: str) -> None:
        """Take a question back."""
        await self._file.write(
            lambda: self._endings.settle("id = ? AND state <> 'settled'", [question_id], None, None)
        )

    async def reopen(self, question: Question) -> None:
        """Open a question again, with what was typed: the last answer does not do."""

        def work() -> None:
            row = self._row(question.id)
            if row is None or row["state"] == "settled":
                raise StoreError("The question has already ended.")
            if row["attempt"] >= question.attempt:
                return
            sealer = self._secrets.with_id(row["key_id"])
            before = waiting_in(self._secrets, row)
            if before.asker is None or before.question is None:
                raise StoreError(before.unreadable or "The question cannot be read.")
            asked = place(row, "asked", question.attempt)
            self._file.do(
                "UPDATE questions SET state = 'open', attempt = ?, changed = ?, asked = ?,"
                " draft = NULL, holder = NULL, holder_life = NULL, lease_ends_at = NULL,"
                " answer = NULL, answer_id = NULL, answerer = NULL WHERE id = ?",
                question.attempt,
                self._file.next_number(),
                sealer.seal(asked, written(Asked(question, before.asker))),
                question.id,
            )
            draft = question.draft if question.draft.filled else before.question.draft
            self._keep_draft(self._row(question.id), draft)

        await self._file.write(work)

    async def mark_agent(self, question_id: str, state: AgentState) -> None:
        """Note that the agent that asked was told to come back, has left, or is back."""
        await self._file.write(
            lambda: self._file.do(
                "UPDATE questions SET agent_state = ?, changed = ? WHERE id = ?",
                state,
                self._file.next_number(),
                question_id,
            )
        )

    # Who answers

    async def waiting(self) -> tuple[Waiting, ...]:
        """All questions that are not settled, oldest first."""
        return await self._file.read(
            lambda: tuple(
                waiting_in(self._secrets, row)
                for row in self._file.rows(
                    "SELECT * FROM questions WHERE state <> 'settled' ORDER BY number"
                )
            )
        )

    async def get(self, question_id: str) -> Waiting | None:
        """One question as it stands."""
        return await self._file.read(lambda: self._as_it_is(question_id))

    async def claim(
        self, question_id: str, by: Answerer, draft: Draft | None = None
    ) -> Waiting | None:
        """Note that somebody pressed a key on a question just now."""

        def work() -> Waiting | None:
            row = self._row(question_id)
            if row is None or row["state"] not in ("open", "claimed"):
                return self._as_it_is(question_id)
            free = row["state"] == "open" or row["lease_ends_at"] <= self._now()
            if not free and row["holder_life"] != self._life.id:
                return self._as_it_is(question_id)
            sealer = self._secrets.with_id(row["key_id"])
            self._file.do(
                "UPDATE questions SET state = 'claimed', changed = ?, last_key_at = ?,"
                " lease_ends_at = ?, holder_life = ?, holder = ? WHERE id = ?",
                self._file.next_number(),
                self._now(),
                self._now() + LEASE_SECONDS,
                self._life.id,
                sealed(sealer, row, "holder", by),
                question_id,
            )
            if draft is not None:
                self._keep_draft(row, draft)
            return self._as_it_is(question_id)

        return await self._file.write(work)

    async def release(self, question_id: str, draft: Draft | None = None) -> None:
        """Give a claim of this process back."""

        def work() -> None:
            row = self._row(question_id)
            if row is None or row["holder_life"] != self._life.id or row["state"] != "claimed":
                return
            if draft is not None:
                self._keep_draft(row, draft)
            self._endings.free("id = ?", question_id)

        await self._file.write(work)

    async def answer(self, question_id: str, answer: Answer) -> Waiting | None:
        """Answer, if nobody was faster."""

        def work() -> Waiting | None:
            row = self._row(question_id)
            if row is None:
                return None
            if (row["attempt"], row["digest"]) == (answer.attempt, answer.digest):
                sealer = self._secrets.with_id(row["key_id"])
                self._file.do(
                    "UPDATE questions SET state = 'answered', changed = ?, answer_id = ?,"
                    " answer = ?, answerer = ?, holder = NULL, holder_life = NULL,"
                    " lease_ends_at = NULL WHERE id = ? AND state IN ('open', 'claimed')",
                    self._file.next_number(),
                    answer.id,
                    sealed(sealer, row, "answer", answer),
                    sealed(sealer, row, "answerer", answer.by),
                    question_id,
                )
            return self._as_it_is(question_id)

        return await self._file.write(work)

    # Everybody

    async def changes(self, since: int = 0, wait_sec: float = 0) -> Changes:
        """What changed after the number `since`."""
        give_up = time.monotonic() + wait_sec
        swept = time.monotonic()
        while True:
            version = self._file.version()
            changes = await self._file.read(lambda: self._changes(since))
            if changes.waiting or time.monotonic() >= give_up:
                return changes
            while self._file.version() == version and time.monotonic() < give_up:
                await asyncio.sleep(POLL_SECONDS)
                if time.monotonic() - swept >= SWEEP_SECONDS:
                    await self._file.run(self._endings.sweep)
                    swept = time.monotonic()

    def _changes(self, since: int) -> Changes:
        rows = self._file.rows("SELECT * FROM questions WHERE changed > ? ORDER BY changed", since)
        return Changes(self._file.number(), tuple(waiting_in(self._secrets, row) for row in rows))


def _tool(request: ElicitationRequest) -> str | None:
    """The one name that may stand in clear; a resource's URI says too much."""
    call = request.call
    return call.name if call is not None and call.method != "resources/read" else None
