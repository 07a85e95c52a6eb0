"""The secret that seals, and what can be read without it: nothing."""

from __future__ import annotations

import base64
import os
import re
import sqlite3
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from elicit_tui.elicitation import Call
from elicit_tui.errors import SealError, SecretError
from elicit_tui.store.sealed_questions import _tool
from elicit_tui.store.sealing import (
    BlobPlace,
    Sealer,
    Secrets,
    fresh_secret,
    secret_from,
    secret_in_file,
)
from elicit_tui.store.store import Asker, Store
from tests.broker.conftest import form_request
from tests.store.conftest import SqliteEngine, only_sqlite
from tests.store.world import ME, answer, put, question, the_file, typed

pytestmark = [pytest.mark.anyio]

SECRET = bytes(range(32))


@only_sqlite
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


@only_sqlite
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
    assert secret_from("NAME", base64.b64encode(SECRET).decode()) == SECRET
    assert len(secret_from("NAME", fresh_secret())) == 32
    for wrong in (
        "not base64!",
        f"{long[:8]}!{long[8:]}",
        base64.b64encode(b"x" * 31).decode(),
        "",
    ):
        with pytest.raises(SecretError) as error:
            secret_from("NAME", wrong)
        assert "NAME" in str(error.value)
        assert not wrong or wrong not in str(error.value)


def test_a_secret_or_a_key_that_cannot_be_used_is_told_by_its_place(tmp_path: Path) -> None:
    file = tmp_path / "secret"
    shown = re.escape(str(file))
    with pytest.raises(SecretError, match=f"secret in {shown} .* cannot be read: No such file"):
        secret_in_file(file)
    file.write_bytes(b"\xff")
    file.chmod(0o600)
    with pytest.raises(SecretError, match=f"secret in {shown} .* is no base64"):
        secret_in_file(file)
    with pytest.raises(SecretError, match=r"key .* cannot be read: Not a directory"):
        Secrets(file / "key").sealer(lambda: False)
    with pytest.raises(SealError, match="sealed with a key that is gone"):
        Secrets(tmp_path / "key").with_id("id")


def test_a_key_is_on_the_disk_before_anything_is_sealed_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda file: written.append(os.fstat(file).st_size))
    Secrets(tmp_path / "key").sealer(lambda: False)
    assert written == [32]


@only_sqlite
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


@only_sqlite
async def test_a_lost_key_is_not_made_again_while_a_paused_call_is_sealed_with_it(
    engine: SqliteEngine,
) -> None:
    one, other = await engine.open("listener"), await engine.open("listener")
    await one.calls.begin("owner", "a", b"erase")
    await one.calls.paused("owner", "a", b"waits")
    key = engine.path.with_suffix(".key")
    key.unlink()
    with pytest.raises(SecretError, match="is gone"):
        await other.calls.begin("owner", "b", b"another")
    assert not key.exists()
    await one.calls.drop("owner", "a")
    await other.calls.begin("owner", "b", b"another")
    assert len(key.read_bytes()) == 32


@only_sqlite
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
@only_sqlite
async def test_a_key_behind_a_link_is_not_followed(engine: SqliteEngine, tmp_path: Path) -> None:
    key = engine.path.with_suffix(".key")
    key.parent.mkdir(parents=True)
    (tmp_path / "mine").write_bytes(SECRET)
    key.symlink_to(tmp_path / "mine")
    with pytest.raises(SecretError, match="is a symbolic link"):
        await put(await engine.open("asker"))


def bytes_on_disk(engine: SqliteEngine) -> bytes:
    """The file, its log and its index, and a copy that SQLite makes of them."""
    copy = engine.path.with_name("copy.sqlite3")
    with the_file(engine.path) as file, closing(sqlite3.connect(copy)) as target:
        file.backup(target)
    found = [one.read_bytes() for one in engine.path.parent.iterdir() if one.is_file()]
    copy.unlink()
    return b"\n".join(found)


WORDS = (b"Which environment", b"secret-project", b"stag", b"production", b"pts/3", b"laptop")


@only_sqlite
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


@only_sqlite
async def test_the_address_of_a_resource_does_not_stand_in_clear(
    asking: Store, answering: Store, engine: SqliteEngine
) -> None:
    await put(asking, question(calls=(Call("resources/read", "file:///home/me/secret-plan"),)))
    (waiting,) = await answering.waiting()
    assert waiting.tool is None
    assert waiting.question is not None
    assert waiting.question.request.calls[0].name == "file:///home/me/secret-plan"
    assert b"secret-plan" not in bytes_on_disk(engine)


@only_sqlite
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


@only_sqlite
async def test_what_was_settled_while_somebody_read_is_gone_once_they_have_left(
    asking: Store, engine: SqliteEngine
) -> None:
    waiting, other = [await put(asking, question("m" * 20_000)) for _ in range(2)]
    with the_file(engine.path) as file:
        file.execute("BEGIN")
        select = "SELECT asked FROM questions WHERE id = ?"
        (blob,) = file.execute(select, (waiting.id,)).fetchone()
        await asking.settle(waiting.id, answer(waiting).outcome)
        # A change that ends nothing does not make the end before it forgotten.
        await asking.mark_agent(other.id, "left")
    parts = [blob[at : at + 24] for at in range(12, len(blob) - 24, 4000)]
    assert any(part in bytes_on_disk(engine) for part in parts)
    await asking.heartbeat()
    left = bytes_on_disk(engine)
    assert not [part for part in parts if part in left]


@only_sqlite
async def test_what_is_deleted_is_overwritten_and_nothing_is_sorted_on_disk(
    engine: SqliteEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect = sqlite3.connect

    def careless(*given: Any, **more: Any) -> sqlite3.Connection:
        """As a build of SQLite that does neither by itself."""
        connection = connect(*given, **more)
        connection.execute("PRAGMA secure_delete = OFF")
        connection.execute("PRAGMA temp_store = FILE")
        return connection

    monkeypatch.setattr(sqlite3, "connect", careless)
    store = await engine.open("asker")
    connection = store._file._connection  # type: ignore[attr-defined]
    in_memory = 2
    assert connection.execute("PRAGMA secure_delete").fetchone()[0] == 1
    assert connection.execute("PRAGMA temp_store").fetchone()[0] == in_memory


def test_what_an_earlier_release_sealed_and_named_is_read_and_named_so_by_this_one() -> None:
    sealer = Sealer(SECRET)
    assert sealer.key_id == "e29cdf6a22fe3144"
    digest = "ab22c7c9d44d2748cce91e5fcee3d7b5de4589bcb7038facb2c0b8910d5c51db"
    assert sealer.digest("session", b"blue") == digest
    sealed = bytes.fromhex("6e6e6e6e6e6e6e6e6e6e6e6ebfda8fbb138b47ce47204c20c0d7265eb920d5fc")
    place = BlobPlace("session", "question", 1, "answer", "digest")
    assert sealer.open(place, sealed) == b"blue"


@pytest.mark.parametrize(
    ("calls", "shown"),
    [
        ((), None),
        ((Call("tools/call", "deploy"),), "deploy"),
        ((Call("prompts/get", "greet"),), "greet"),
        ((Call("resources/read", "file:///home/me/secret.txt"),), None),
    ],
)
def test_of_a_call_only_a_name_stands_in_clear(calls: tuple[Call, ...], shown: str | None) -> None:
    assert _tool(form_request(calls=calls)) == shown
