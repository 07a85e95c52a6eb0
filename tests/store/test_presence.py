"""The look whether somebody is there, which opens nothing else of the store."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from elicit_tui.errors import StoreMissing
from elicit_tui.store.living import PRESENCE_SECONDS
from elicit_tui.store.sqlite import SqliteStore
from elicit_tui.store.sqlite_tables import somebody_is_there
from tests.ledger.world import Clock

pytestmark = pytest.mark.anyio


async def test_somebody_is_there_for_ten_minutes_after_a_key_in_what_lives_and_answers(
    tmp_path: Path,
) -> None:
    clock, path = Clock(), tmp_path / "store.sqlite3"

    def there() -> bool:
        return somebody_is_there(path, 5, clock=clock)

    asking = await SqliteStore.open(path, "asker", clock=clock)
    answering = await SqliteStore.open(path, "answerer", clock=clock)
    try:
        assert not there()
        await asking.heartbeat(clock())
        assert not there()  # Who asks is nobody who answers.
        await answering.heartbeat(clock())
        assert there()
        clock.advance(seconds=PRESENCE_SECONDS)
        assert there()
        clock.advance(seconds=1)
        assert not there()
        await answering.heartbeat(clock() - timedelta(seconds=1))
        assert there()
    finally:
        await answering.close()
        await asking.close()
    assert not there()


async def test_an_inbox_that_died_is_nobody_though_its_keys_stand_there(tmp_path: Path) -> None:
    clock, path = Clock(), tmp_path / "store.sqlite3"
    answering = await SqliteStore.open(path, "answerer", clock=clock)
    await answering.heartbeat(clock())
    for lock in path.with_suffix(".lives").iterdir():
        lock.unlink()
    assert not somebody_is_there(path, 5, clock=clock)
    await answering.close()


def test_no_store_is_made_by_who_only_looks(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite3"
    with pytest.raises(StoreMissing):
        somebody_is_there(path, 5)
    assert list(tmp_path.iterdir()) == []
