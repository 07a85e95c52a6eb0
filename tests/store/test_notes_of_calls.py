"""What is left in the store for a call of another process."""

from __future__ import annotations

import threading

import pytest

from elicit_tui.errors import SecretError
from elicit_tui.store.sealing import Sealer
from elicit_tui.store.sqlite import SqliteStore
from elicit_tui.store.store import Store
from tests.store.conftest import SqliteEngine, only_sqlite
from tests.store.test_calls import OWNER, begins, one, other
from tests.store.world import the_file

pytestmark = pytest.mark.anyio
__all__ = ["one", "other"]


async def test_what_is_left_for_a_call_is_taken_once_and_by_no_other(
    one: Store, other: Store
) -> None:
    for name in "ab":
        await begins(one, name, name.encode())
    await other.calls.leave_note(OWNER, "a", b"first")
    await other.calls.leave_note(OWNER, "b", b"for b")
    assert await one.calls.notes(OWNER, ["a", "c"]) == [("a", b"first")]
    assert await one.calls.notes(OWNER, ["a"]) == []
    assert await one.calls.notes(OWNER, ["b"]) == [("b", b"for b")]


async def test_what_is_left_for_calls_is_taken_in_the_order_in_which_it_was_left(
    one: Store, other: Store
) -> None:
    for name in "ab":
        await begins(one, name, name.encode())
    left = [("ab"[number % 2], f"note {number}".encode()) for number in range(16)]
    for name, note in left:
        await other.calls.leave_note(OWNER, name, note)
    assert await one.calls.notes(OWNER, ["b", "a"]) == left


@only_sqlite
async def test_what_is_left_for_a_call_that_is_gone_is_not_kept(
    one: Store, other: Store, engine: SqliteEngine
) -> None:
    await begins(one, "a")
    await other.calls.leave_note(OWNER, "a", b"in time")
    await one.calls.drop(OWNER, "a")
    await other.calls.leave_note(OWNER, "a", b"late")
    with the_file(engine.path) as file:
        assert file.execute("SELECT count(*) FROM call_notes").fetchone() == (0,)


@only_sqlite
async def test_notes_stay_while_their_key_cannot_be_read_and_are_opened_beside_the_loop(
    one: SqliteStore, engine: SqliteEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    await begins(one, "a")
    with_id, troubles = one.calls._secrets.with_id, [SecretError("The key cannot be read.")]
    threads: list[threading.Thread] = []

    def looked_up(key_id: str) -> Sealer:
        threads.append(threading.current_thread())
        return with_id(key_id)

    monkeypatch.setattr(one.calls._secrets, "with_id", looked_up)
    await one.calls.leave_note(OWNER, "a", b"noted")

    def in_trouble(key_id: str) -> Sealer:
        if troubles:
            raise troubles.pop()
        return looked_up(key_id)

    monkeypatch.setattr(one.calls._secrets, "with_id", in_trouble)
    with pytest.raises(SecretError):
        await one.calls.notes(OWNER, ["a"])
    assert await one.calls.notes(OWNER, ["a"]) == [("a", b"noted")]
    assert len(threads) == 2
    assert threading.main_thread() not in threads
