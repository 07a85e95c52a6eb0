"""Blobs that were put elsewhere, put back or changed do not open."""

from __future__ import annotations

from dataclasses import replace

import pytest

from elicit_tui.errors import SealError, StoreError
from elicit_tui.store.sealing import BlobPlace, Sealer
from elicit_tui.store.store import Store
from tests.store.conftest import SqliteEngine, only_sqlite
from tests.store.world import ME, answer, put, question, sent, the_file, typed

pytestmark = [pytest.mark.anyio]

SECRET = bytes(range(32))


@pytest.mark.parametrize("column", ["asked", "holder", "draft"])
@only_sqlite
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
@only_sqlite
async def test_a_row_that_says_it_is_another_question_does_not_open(
    asking: Store, answering: Store, engine: SqliteEngine, statement: str
) -> None:
    await put(asking, question(draft=typed("stag")))
    with the_file(engine.path) as file:
        file.execute(statement)
    (waiting,) = await answering.waiting()
    assert waiting.question is None
    assert waiting.unreadable == "What is kept there was changed, or belongs elsewhere."


@pytest.mark.parametrize(
    "value",
    [
        "put_at = 1e300",
        "put_at = 'noon'",
        "deadline = 9e999",
        "last_key_at = -1e300",
        "attempt = 'x'",
        "kind = 'odd'",
        "state = 'odd'",
        "lease_ends_at = 'soon', state = 'claimed'",
        "asked = 'text'",
        "decided_by = 'odd'",
        "agent = x'ff'",
    ],
)
@only_sqlite
async def test_a_value_of_no_kind_of_ours_hides_no_other_question_and_can_be_ended(
    asking: Store, answering: Store, engine: SqliteEngine, value: str
) -> None:
    damaged, whole = await put(asking), await put(asking, question("And this?"))
    with the_file(engine.path) as file:
        file.execute(f"UPDATE questions SET {value}, changed = 9 WHERE id = ?", (damaged.id,))
    for waiting in (await answering.waiting(), (await answering.changes()).waiting):
        seen = {one.id: one.unreadable for one in waiting}
        assert seen[whole.id] is None
        assert seen[damaged.id] == "What is kept there was changed, or belongs elsewhere."
    await answering.heartbeat()
    await asking.settle(damaged.id, sent())
    assert [one.id for one in await answering.waiting()] == [whole.id]


@only_sqlite
async def test_a_question_that_does_not_open_is_not_asked_again_and_says_why(
    asking: Store, engine: SqliteEngine
) -> None:
    asked = question()
    waiting = await put(asking, asked)
    await asking.answer(waiting.id, answer(waiting))
    with the_file(engine.path) as file:
        file.execute("UPDATE questions SET asked = zeroblob(50)")
    with pytest.raises(StoreError, match="changed, or belongs elsewhere"):
        await asking.reopen(replace(asked, attempt=2))
    with the_file(engine.path) as file:
        file.execute("UPDATE questions SET asked = NULL")
    with pytest.raises(StoreError, match="The question cannot be read"):
        await asking.reopen(replace(asked, attempt=2))
    still = await asking.get(waiting.id)
    assert still is not None
    assert (still.state, still.attempt) == ("answered", 1)


@only_sqlite
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


@only_sqlite
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


@only_sqlite
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


@only_sqlite
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
