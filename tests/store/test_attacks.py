"""The store attacked: what was moved, replayed or changed does not open; nothing can be read."""

from __future__ import annotations

import base64
import re
import sqlite3
import stat
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from elicit_tui.elicitation import Call
from elicit_tui.errors import SealError, SecretError, StoreError, StoreTooNew
from elicit_tui.store import Asker, SqliteStore, Store, StoreMissing, secret_from
from elicit_tui.store.sealing import BlobPlace, Sealer
from tests.store.conftest import SqliteEngine
from tests.store.world import ME, answer, put, question, typed

pytestmark = pytest.mark.anyio

SECRET = bytes(range(32))


@contextmanager
def the_file(path: Path) -> Iterator[sqlite3.Connection]:
    """The file in the attacker's hands: the same user, with a copy of SQLite."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        yield connection


# Blobs that were put elsewhere, put back or changed


@pytest.mark.parametrize("column", ["asked", "holder", "draft"])
async def test_a_blob_of_another_row_does_not_open(
    asking: Store, answering: Store, engine: SqliteEngine, column: str
) -> None:
    first, second = await put(asking), await put(asking, question("And this?"))
    for one in (first, second):
        await answering.claim(one.id, ME, typed(one.id))
    with the_file(engine.path) as file:
        file.execute(
            f"UPDATE questions SET {column} = (SELECT {column} FROM questions WHERE id = ?)"
            " WHERE id = ?",
            (first.id, second.id),
        )
    kept, moved = await answering.waiting()
    assert kept.unreadable is None
    assert moved.unreadable == "What is kept there was changed, or belongs elsewhere."
    assert moved.question is None
    assert moved.state == "claimed"


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE questions SET session = 'session-two'",
        "UPDATE questions SET attempt = 2",
        "UPDATE questions SET digest = substr(digest, 2) || 'x'",
        "UPDATE questions SET id = 'another'",
        "UPDATE questions SET asked = draft",
        "UPDATE questions SET asked = zeroblob(5)",
        "UPDATE questions SET asked = x''",
    ],
)
async def test_a_row_that_says_it_is_another_question_does_not_open(
    asking: Store, answering: Store, engine: SqliteEngine, statement: str
) -> None:
    await put(asking, question(draft=typed("stag")))
    with the_file(engine.path) as file:
        file.execute(statement)
    (waiting,) = await answering.waiting()
    assert waiting.question is None
    assert waiting.unreadable == "What is kept there was changed, or belongs elsewhere."


async def test_one_flipped_bit_anywhere_does_not_open(
    asking: Store, answering: Store, engine: SqliteEngine
) -> None:
    await put(asking)
    with the_file(engine.path) as file:
        (blob,) = file.execute("SELECT asked FROM questions").fetchone()
        for place in range(0, len(blob), max(1, len(blob) // 40)):
            changed = bytearray(blob)
            changed[place] ^= 1
            file.execute("UPDATE questions SET asked = ?", (bytes(changed),))
            (waiting,) = await answering.waiting()
            assert waiting.unreadable is not None
        file.execute("UPDATE questions SET asked = ?", (blob,))
    (waiting,) = await answering.waiting()
    assert waiting.question is not None


async def test_an_answer_to_another_question_does_not_open(
    asking: Store, answering: Store, engine: SqliteEngine
) -> None:
    first, second = await put(asking), await put(asking, question("Delete everything?"))
    await answering.answer(first.id, answer(first))
    with the_file(engine.path) as file:
        file.execute(
            "UPDATE questions SET state = 'answered', (answer_id, answer, answerer) ="
            " (SELECT answer_id, answer, answerer FROM questions WHERE id = ?) WHERE id = ?",
            (first.id, second.id),
        )
    with pytest.raises(SealError):
        await asking.answer_of(second.id)


async def test_an_older_answer_that_is_put_back_does_not_open(
    asking: Store, answering: Store, engine: SqliteEngine
) -> None:
    asked = question()
    waiting = await put(asking, asked)
    await answering.answer(waiting.id, answer(waiting, "production"))
    with the_file(engine.path) as file:
        older = file.execute("SELECT answer_id, answer, answerer FROM questions").fetchone()
    await asking.reopen(replace(asked, attempt=2, note="Are you sure?"))
    with the_file(engine.path) as file:
        file.execute(
            "UPDATE questions SET state = 'answered', answer_id = ?, answer = ?, answerer = ?",
            older,
        )
    with pytest.raises(SealError):
        await asking.answer_of(waiting.id)


async def test_an_answer_under_another_id_is_no_answer(
    asking: Store, answering: Store, engine: SqliteEngine
) -> None:
    waiting = await put(asking)
    await answering.answer(waiting.id, answer(waiting))
    with the_file(engine.path) as file:
        file.execute("UPDATE questions SET answer_id = 'another'")
    with pytest.raises(SealError, match="another question"):
        await asking.answer_of(waiting.id)


def test_no_two_places_read_the_same() -> None:
    places = [
        BlobPlace("a", "bc", 1, "asked", "d"),
        BlobPlace("ab", "c", 1, "asked", "d"),
        BlobPlace("a", "bc", 11, "sked", "d"),
        BlobPlace("a", "bc", 1, "askedd", ""),
        BlobPlace("a", "bc", 1, "answer", "d"),
    ]
    assert len({place.additional_data() for place in places}) == len(places)


def test_each_blob_has_a_nonce_of_its_own() -> None:
    sealer = Sealer(SECRET)
    place = BlobPlace("s", "q", 1, "asked", "d")
    assert len({sealer.seal(place, b"same")[:12] for _ in range(100)}) == 100


# Secrets


async def test_another_secret_reads_nothing_and_leaves_the_question_open(
    asking: Store, engine: SqliteEngine
) -> None:
    await put(asking)
    stranger = await engine.open("answerer", secret=SECRET)
    (waiting,) = await stranger.waiting()
    assert waiting.unreadable == "It is sealed with another secret than this process has."
    for attempt in (stranger.claim(waiting.id, ME), stranger.answer(waiting.id, answer(waiting))):
        with pytest.raises(SealError, match="another secret"):
            await attempt
    (still,) = await asking.waiting()
    assert (still.state, still.unreadable) == ("open", None)


async def test_a_secret_of_the_environment_needs_no_key_file(engine: SqliteEngine) -> None:
    asking = await engine.open("asker", secret=SECRET)
    answering = await engine.open("answerer", secret=SECRET)
    asked = question()
    await put(asking, asked)
    (waiting,) = await answering.waiting()
    assert waiting.question == asked
    assert not engine.path.with_suffix(".key").exists()


def test_a_secret_is_base64_of_32_bytes_or_more_and_never_told() -> None:
    long = base64.b64encode(b"x" * 40).decode()
    assert secret_from("NAME", long + "\n") == b"x" * 40
    for wrong in ("not base64!", base64.b64encode(b"x" * 31).decode(), ""):
        with pytest.raises(SecretError) as error:
            secret_from("NAME", wrong)
        assert "NAME" in str(error.value)
        assert not wrong or wrong not in str(error.value)


async def test_a_lost_key_is_not_made_again_while_anything_is_sealed_with_it(
    asking: Store, engine: SqliteEngine
) -> None:
    waiting = await put(asking)
    key = engine.path.with_suffix(".key")
    key.unlink()
    later = await engine.open("asker")
    (seen,) = await later.waiting()
    assert seen.unreadable is not None
    assert "key that is gone" in seen.unreadable
    with pytest.raises(SecretError, match="is gone"):
        await put(later, question(), Asker("session-two"))
    with pytest.raises(SecretError, match="is gone"):
        await put(asking, question())
    assert not key.exists()
    await asking.withdraw(waiting.id)
    await put(later, question(), Asker("session-two"))
    assert len(key.read_bytes()) == 32


async def test_a_key_cut_short_by_a_death_is_made_anew_only_while_nothing_is_sealed(
    engine: SqliteEngine,
) -> None:
    key = engine.path.with_suffix(".key")
    key.parent.mkdir(parents=True)
    key.write_bytes(b"short")
    store = await engine.open("asker")
    await put(store)
    made = key.read_bytes()
    assert len(made) == 32
    key.write_bytes(made[:5])
    with pytest.raises(SecretError):
        await put(await engine.open("asker"), question(), Asker("session-two"))


@pytest.mark.skipif(sys.platform == "win32", reason="links and modes of POSIX")
async def test_a_key_behind_a_link_is_not_followed(engine: SqliteEngine, tmp_path: Path) -> None:
    key = engine.path.with_suffix(".key")
    key.parent.mkdir(parents=True)
    (tmp_path / "mine").write_bytes(SECRET)
    key.symlink_to(tmp_path / "mine")
    with pytest.raises(SecretError, match="is not a file"):
        await put(await engine.open("asker"))


# The file


def bytes_on_disk(engine: SqliteEngine) -> bytes:
    """The file, its log and its index, and a copy that SQLite makes of them."""
    copy = engine.path.with_name("copy.sqlite3")
    with the_file(engine.path) as file, closing(sqlite3.connect(copy)) as target:
        file.backup(target)
    found = [one.read_bytes() for one in engine.path.parent.iterdir() if one.is_file()]
    copy.unlink()
    return b"\n".join(found)


WORDS = (b"Which environment", b"secret-project", b"stag", b"production", b"pts/3", b"laptop")


async def test_nothing_of_a_question_can_be_read_in_the_file_its_log_or_a_copy(
    asking: Store, answering: Store, engine: SqliteEngine
) -> None:
    asked = question(draft=typed("stag"))
    waiting = await put(asking, asked)
    await answering.claim(waiting.id, ME, typed("staging"))
    await answering.answer(waiting.id, answer(waiting, "production"))
    for word in WORDS:
        assert word not in bytes_on_disk(engine), word
    await asking.reopen(replace(asked, attempt=2, note="Which environment again", draft=typed("s")))
    for word in WORDS:
        assert word not in bytes_on_disk(engine), word


async def test_the_address_of_a_resource_does_not_stand_in_clear(
    asking: Store, answering: Store, engine: SqliteEngine
) -> None:
    await put(asking, question(calls=(Call("resources/read", "file:///home/me/secret-plan"),)))
    (waiting,) = await answering.waiting()
    assert waiting.tool is None
    assert waiting.question is not None
    assert waiting.question.request.calls[0].name == "file:///home/me/secret-plan"
    assert b"secret-plan" not in bytes_on_disk(engine)


async def test_what_was_sealed_is_gone_from_the_file_and_its_log_once_it_is_settled(
    asking: Store, answering: Store, engine: SqliteEngine
) -> None:
    waiting = await put(asking, question("m" * 20_000))
    await answering.claim(waiting.id, ME, typed("staging"))
    given = answer(waiting)
    await answering.answer(waiting.id, given)
    with the_file(engine.path) as file:
        blobs = file.execute("SELECT asked, draft, answer FROM questions").fetchone()
    parts = [blob[at : at + 24] for blob in blobs for at in range(12, len(blob) - 24, 4000)]
    assert all(part in bytes_on_disk(engine) for part in parts)
    await asking.settle(waiting.id, given.outcome)
    left = bytes_on_disk(engine)
    assert not [part for part in parts if part in left]


@pytest.mark.skipif(sys.platform == "win32", reason="modes of POSIX")
async def test_everything_is_ours_alone(asking: Store, engine: SqliteEngine) -> None:
    await put(asking)
    folder = engine.path.parent
    files = [one for one in folder.rglob("*") if one.is_file()]
    assert {one.suffix for one in files} >= {".sqlite3", ".key", ""}
    assert {stat.S_IMODE(one.stat().st_mode) for one in files} == {0o600}
    folders = [folder, *(one for one in folder.rglob("*") if one.is_dir())]
    assert {stat.S_IMODE(one.stat().st_mode) for one in folders} == {0o700}


async def test_a_store_of_a_newer_version_is_left_alone(
    asking: Store, engine: SqliteEngine
) -> None:
    with the_file(engine.path) as file:
        file.execute("PRAGMA user_version = 2")
    with pytest.raises(StoreTooNew, match=re.escape(f"{engine.path} was written by a newer")):
        await engine.open("asker")


@pytest.mark.skipif(sys.platform == "win32", reason="modes of POSIX")
async def test_a_folder_for_locks_that_is_none_is_said(engine: SqliteEngine) -> None:
    engine.path.parent.mkdir(parents=True)
    engine.path.with_suffix(".lives").write_text("")
    with pytest.raises(StoreError):
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


async def test_a_store_that_nobody_made_is_not_made_to_look_into_it(tmp_path: Path) -> None:
    with pytest.raises(StoreMissing, match="There is no store"):
        await SqliteStore.open(tmp_path / "none" / "store.sqlite3", "answerer", create=False)
    assert not (tmp_path / "none").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="links of POSIX")
async def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "store.sqlite3").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StoreError, match="symbolic link"):
        await SqliteStore.open(tmp_path / "store.sqlite3", "asker")


async def test_a_store_that_was_removed_while_it_was_open_is_said(
    asking: Store, engine: SqliteEngine
) -> None:
    for one in engine.path.parent.glob("store.sqlite3*"):
        one.unlink()
    with pytest.raises(StoreError, match="removed or replaced"):
        await put(asking)


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


async def test_a_lock_of_another_name_opens_nothing_elsewhere(
    asking: Store, engine: SqliteEngine, tmp_path: Path
) -> None:
    target = tmp_path / "mine"
    target.write_text("mine")
    with the_file(engine.path) as file:
        file.execute(
            "INSERT INTO processes VALUES (?, 1, 'asker', 0, NULL)", (f"../../{target.name}",)
        )
    await asking.heartbeat()
    assert target.read_text() == "mine"
    assert await asking.asking_processes() != (1,)
