"""The file and its folder: ours alone, and said when it cannot be used."""

from __future__ import annotations

import asyncio
import functools
import re
import sqlite3
import stat
import sys
import time
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from elicit_tui.database import Writer
from elicit_tui.errors import StoreError, StoreMissing, StoreTooNew
from elicit_tui.store.sqlite import SqliteStore
from elicit_tui.store.sqlite_file import FILE
from elicit_tui.store.store import Store
from tests.store.conftest import SqliteEngine, only_sqlite
from tests.store.world import answer, put, question, sent, the_file

pytestmark = [pytest.mark.anyio]

SECRET = bytes(range(32))


@pytest.mark.skipif(sys.platform == "win32", reason="modes of POSIX")
@only_sqlite
async def test_everything_is_ours_alone(asking: Store, engine: SqliteEngine) -> None:
    await put(asking)
    folder = engine.path.parent
    files = [one for one in folder.rglob("*") if one.is_file()]
    assert {one.suffix for one in files} >= {".sqlite3", ".key", ""}
    assert {stat.S_IMODE(one.stat().st_mode) for one in files} == {0o600}
    folders = [folder, *(one for one in folder.rglob("*") if one.is_dir())]
    assert {stat.S_IMODE(one.stat().st_mode) for one in folders} == {0o700}


@only_sqlite
async def test_a_store_of_a_newer_version_is_left_alone(
    asking: Store, engine: SqliteEngine
) -> None:
    with the_file(engine.path) as file:
        file.execute(f"PRAGMA user_version = {FILE.version + 1}")
    with pytest.raises(StoreTooNew, match=re.escape(f"{engine.path} was written by a newer")):
        await engine.open("asker")


@only_sqlite
async def test_what_waits_in_a_store_of_an_older_version_still_waits(
    asking: Store, engine: SqliteEngine
) -> None:
    waiting = await put(asking)
    with the_file(engine.path) as file:
        file.execute("ALTER TABLE questions DROP COLUMN agent_state")
        file.execute("ALTER TABLE processes DROP COLUMN machine")
        file.execute("DROP TABLE calls")
        file.execute("DROP TABLE call_notes")
        file.execute("DROP INDEX questions_by_end")
        file.execute("DROP INDEX questions_held")
        file.execute("PRAGMA user_version = 1")
    later = await engine.open("answerer")
    assert (await later.calls.begin("owner", "call", b"key")).what == "begins"
    await later.mark_agent(waiting.id, "paused")
    assert [(one.id, one.agent_state) for one in await later.waiting()] == [(waiting.id, "paused")]


@only_sqlite
async def test_a_call_in_a_store_of_an_older_version_is_still_joined(engine: SqliteEngine) -> None:
    earlier = await engine.open("listener")
    await earlier.calls.begin("owner", "call", b"key")
    await earlier.calls.paused("owner", "call", b"come back")
    with the_file(engine.path) as file:
        file.execute("ALTER TABLE calls DROP COLUMN attended")
        file.execute("PRAGMA user_version = 5")
    later = await engine.open("listener")
    assert (await later.calls.begin("owner", "another", b"key")).id == "call"


@only_sqlite
async def test_to_look_for_what_is_over_costs_the_same_however_much_is_kept(
    asking: SqliteStore, engine: SqliteEngine
) -> None:
    costs = []
    for number in (1, 100):
        for text in range(number):
            waiting = await put(asking, question(f"{number} {text}?"))
            await asking.settle(waiting.id, sent())
        steps: list[None] = []
        asking._file._connection.set_progress_handler(lambda to=steps: to.append(None), 1)
        await asking._file.run(asking._sweep)
        asking._file._connection.set_progress_handler(None, 1)
        costs.append(len(steps))
    assert costs[0] == costs[1] > 0


@pytest.mark.skipif(sys.platform == "win32", reason="modes of POSIX")
@only_sqlite
async def test_a_folder_for_locks_that_is_none_is_said(engine: SqliteEngine) -> None:
    engine.path.parent.mkdir(parents=True)
    engine.path.with_suffix(".lives").write_text("")
    with pytest.raises(StoreError):
        await engine.open("asker")


@pytest.mark.skipif(sys.platform == "win32", reason="modes of POSIX")
@only_sqlite
async def test_a_folder_for_locks_where_everybody_may_write_is_said(engine: SqliteEngine) -> None:
    lives = engine.path.with_suffix(".lives")
    lives.mkdir(parents=True)
    lives.chmod(0o777)
    with pytest.raises(StoreError, match="can be written by everybody"):
        await engine.open("asker")


async def test_what_is_no_store_is_said(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite3"
    path.write_text("not a database, but long enough to be read as one" * 20)
    with pytest.raises(StoreError, match="is not a store"):
        await SqliteStore.open(path, "asker")
    path.unlink()
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE mine (number)")
    with pytest.raises(StoreError, match="another program's database"):
        await SqliteStore.open(path, "asker")


async def test_a_file_that_another_process_fills_while_it_is_looked_at_is_no_strangers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "store.sqlite3"
    monkeypatch.setattr("elicit_tui.database.BUSY_SECONDS", 0.05)
    looked: list[str] = []

    class Watched(sqlite3.Connection):
        """Whoever counts the tables of an empty file finds that somebody was faster."""

        def execute(self, sql: str, /, *values: Any) -> sqlite3.Cursor:
            if "count(*) FROM sqlite_master" in sql and not looked:
                looked.append(sql)
                with suppress(StoreError):  # in use: this connection is still looking
                    FILE.connect(path, create=True).close()
            return super().execute(sql, *values)

    opened = functools.partial(sqlite3.connect, factory=Watched)
    monkeypatch.setattr("elicit_tui.database.sqlite3.connect", opened)
    FILE.connect(path, create=True).close()
    assert looked


async def test_of_two_that_make_a_file_at_once_one_makes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "store.sqlite3"
    looked: list[str] = []

    class Slow(sqlite3.Connection):
        """Between its look at an empty file and its first table somebody is faster."""

        def execute(self, sql: str, /, *values: Any) -> sqlite3.Cursor:
            if "journal_mode" in sql and not looked:
                looked.append(sql)
                FILE.connect(path, create=True).close()
            return super().execute(sql, *values)

    opened = functools.partial(sqlite3.connect, factory=Slow)
    monkeypatch.setattr("elicit_tui.database.sqlite3.connect", opened)
    with closing(FILE.connect(path, create=True)) as connection:
        assert connection.execute("SELECT number FROM counter").fetchall() == [(0,)]
    assert looked


async def test_a_store_that_nobody_made_is_not_made_to_look_into_it(tmp_path: Path) -> None:
    with pytest.raises(StoreMissing, match="There is no store"):
        await SqliteStore.open(tmp_path / "none" / "store.sqlite3", "answerer", create=False)
    assert not (tmp_path / "none").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="links of POSIX")
async def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "store.sqlite3").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StoreError, match="symbolic link"):
        await SqliteStore.open(tmp_path / "store.sqlite3", "asker")


@pytest.mark.parametrize("ends", [("", "-wal", "-shm"), ("",), ("-wal",)])
@only_sqlite
async def test_a_store_that_was_removed_while_it_was_open_is_said(
    asking: Store, engine: SqliteEngine, ends: tuple[str, ...]
) -> None:
    for end in ends:
        engine.path.with_name(f"{engine.path.name}{end}").unlink()
    with pytest.raises(StoreError, match="removed or replaced"):
        await put(asking)


@only_sqlite
async def test_a_stuck_lock_is_waited_for_once_and_said(
    asking: Store, answering: Store, engine: SqliteEngine
) -> None:
    waiting = await put(asking)
    with the_file(engine.path) as file:
        file.execute("BEGIN EXCLUSIVE")
        for _ in range(3):
            with pytest.raises(StoreError, match="in use by another program"):
                await answering.answer(waiting.id, answer(waiting))
        file.execute("ROLLBACK")
    won = await answering.answer(waiting.id, answer(waiting))
    assert won is not None
    assert won.state == "answered"


@only_sqlite
async def test_whoever_holds_the_file_for_a_moment_is_waited_for_each_time(
    asking: Store, engine: SqliteEngine
) -> None:
    waiting = await put(asking)
    with the_file(engine.path) as file:
        for state in ("paused", "waiting"):
            file.execute("BEGIN IMMEDIATE")
            marked = asyncio.ensure_future(asking.mark_agent(waiting.id, state))
            await asyncio.wait([marked], timeout=0.4)
            file.execute("ROLLBACK")
            await marked
    (again,) = await asking.waiting()
    assert again.agent_state == "waiting"


async def test_each_step_waits_for_others_as_long_as_whoever_opened_the_file_wants(
    tmp_path: Path,
) -> None:
    path = tmp_path / "store.sqlite3"
    for patience, milliseconds in ((2.0, 2000), (0.25, 250)):
        with closing(FILE.connect(path, create=True, patience=patience)) as connection:
            assert connection.execute("PRAGMA busy_timeout").fetchone()[0] == milliseconds


async def test_what_a_loss_of_power_may_not_take_is_on_the_disk_and_nothing_else_waits_for_it(
    tmp_path: Path,
) -> None:
    path = tmp_path / "store.sqlite3"
    with closing(FILE.connect(path, create=True)) as connection:
        writer = Writer(FILE, path, connection)

        def level() -> int:
            return int(connection.execute("PRAGMA synchronous").fetchone()[0])

        for to_disk, inside in ((False, 1), (True, 2), (False, 1)):
            with writer.writing(to_disk):
                assert level() == inside
            assert level() == 1
        with suppress(ZeroDivisionError), writer.writing(to_disk=True):
            connection.execute("UPDATE counter SET number = 5")
            raise ZeroDivisionError
        assert (level(), connection.in_transaction) == (1, False)
        assert connection.execute("SELECT number FROM counter").fetchone()[0] == 0


@only_sqlite
async def test_a_full_disk_is_said_and_what_waited_stays_whole(
    asking: Store, answering: Store, engine: SqliteEngine
) -> None:
    asked = question()
    await put(asking, asked)
    assert isinstance(asking, SqliteStore)
    limit = asking._file.rows("PRAGMA page_count")[0][0] + 1
    await asking._file.run(lambda: asking._file.do(f"PRAGMA max_page_count = {limit}"))
    with pytest.raises(StoreError, match="no space left"):
        await put(asking, question("m" * 50_000))
    (waiting,) = await answering.waiting()
    assert waiting.question == asked


@only_sqlite
async def test_a_lock_of_another_name_opens_nothing_elsewhere(
    asking: Store, engine: SqliteEngine, tmp_path: Path
) -> None:
    target = tmp_path / "mine"
    target.write_text("mine")
    with the_file(engine.path) as file:
        file.execute(
            "INSERT INTO processes VALUES (?, 1, 'asker', 0, NULL, '')", (f"../../{target.name}",)
        )
    await asking.heartbeat()
    assert target.read_text() == "mine"
    assert 1 not in [each.number for each in await asking.asking_processes()]


@only_sqlite
async def test_an_inbox_whose_process_died_just_now_is_nobody(
    asking: Store, engine: SqliteEngine
) -> None:
    assert not await asking.somebody_is_there()
    pressed = "INSERT INTO processes (life, pid, role, seen_at, last_key_at) VALUES (?, 1, ?, ?, ?)"
    now = time.time()
    with the_file(engine.path) as file:
        # Its lock is gone; nobody has swept its row away yet.
        file.execute(pressed, ("0" * 32, "answerer", now, now))
    assert not await asking.somebody_is_there()
