from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from elicit_tui.elicitation import Review, accept, cancel
from elicit_tui.errors import LedgerError
from elicit_tui.ledger import Ledger
from elicit_tui.ledger.chain import Head, LastRecord, chained
from tests.ledger.world import Clock, request


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ledger.sqlite3"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def ledger(path: Path, clock: Clock) -> Iterator[Ledger]:
    """Four questions of three records each, a day apart."""
    with closing(Ledger.open(path, clock=clock)) as opened:
        for number in range(4):
            asked = request(f"Question {number}?", clock=clock, id=f"question{number}")
            opened.asked(asked, Review())
            opened.decided(asked, accept("user", "Sent.", {"environment": "a"}), Review())
            opened.sent(asked.id)
            clock.advance(days=1)
        yield opened


def edit(path: Path, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(statement, values)
        connection.commit()


def test_a_whole_chain_verifies_and_prints_its_head(ledger: Ledger) -> None:
    found = ledger.verify()
    assert (found.ok, found.records, found.first) == (True, 12, 1)
    assert found.head == ledger.head() is not None
    assert ledger.verify(head=found.head).ok


def test_an_empty_ledger_is_whole_and_holds_no_head(path: Path) -> None:
    with closing(Ledger.open(path)) as ledger:
        assert ledger.head() is None
        assert (ledger.verify().ok, ledger.verify().head) == (True, None)
        assert not ledger.verify(head="0" * 64).ok


CHANGES: dict[str, tuple[str, int]] = {
    "another answer": ("body = replace(body, '\"accept\"', '\"cancel\"')", 5),
    "another time": ("time = '2020-01-01T00:00:00.000Z'", 5),
    "another question": ("question = 'question0'", 5),
    "another event": ("event = 'sent'", 5),
    "another hash": ("hash = '" + "a" * 64 + "'", 5),
    "no JSON": ("body = 'x'", 5),
    "no object": ("body = '[]'", 5),
    "deep nesting": ("body = '" + "[" * 100_000 + "'", 5),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_record_is_found(ledger: Ledger, path: Path, change: str) -> None:
    what, number = CHANGES[change]
    edit(path, f"UPDATE records SET {what} WHERE number = {number}")
    found = ledger.verify()
    assert (found.ok, found.broken_at, found.records) == (False, number, number - 1)
    assert found.problem


def test_a_changed_record_with_a_fitting_hash_breaks_the_next(ledger: Ledger, path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        read = connection.execute("SELECT hash, body FROM records WHERE number IN (4, 5)")
        (previous, _), (_, body) = read.fetchall()
    body = body.replace('"accept"', '"cancel"')
    edit(
        path,
        "UPDATE records SET body = ?, hash = ? WHERE number = 5",
        body,
        chained(5, previous, body),
    )
    assert ledger.verify().broken_at == 6


@pytest.mark.parametrize("number", [1, 2, 7, 11])
def test_a_removed_record_is_found(ledger: Ledger, path: Path, number: int) -> None:
    edit(path, f"DELETE FROM records WHERE number = {number}")
    found = ledger.verify()
    assert (found.ok, found.broken_at) == (False, number)


def test_a_removed_record_is_found_also_when_the_rest_moved_up(ledger: Ledger, path: Path) -> None:
    edit(path, "DELETE FROM records WHERE number = 7")
    for number in range(8, 13):
        edit(path, "UPDATE records SET number = ? WHERE number = ?", number - 1, number)
    assert ledger.verify().broken_at == 7


def test_two_exchanged_records_are_found(ledger: Ledger, path: Path) -> None:
    for old, new in ((4, 100), (5, 4), (100, 5)):
        edit(path, "UPDATE records SET number = ? WHERE number = ?", new, old)
    assert ledger.verify().broken_at == 4


def kept_head(path: Path) -> Path:
    return path.with_name("ledger.sqlite3-head")


def test_a_cut_tail_is_found_by_the_head_that_is_kept_beside_the_ledger(
    ledger: Ledger, path: Path
) -> None:
    edit(path, "DELETE FROM records WHERE number > 9")
    found = ledger.verify()
    assert not found.ok
    assert found.problem is not None
    assert found.problem.startswith(
        "The ledger is shorter than it was: record 12, its last one once, is not there any more."
    )
    assert str(kept_head(path)) in found.problem


def test_a_cut_tail_is_known_after_more_was_written_than_was_cut_off(
    ledger: Ledger, path: Path, clock: Clock
) -> None:
    edit(path, "DELETE FROM records WHERE number > 9")
    with closing(Ledger.open(path, clock=clock)) as other:
        for one in (ledger, other) * 4:
            one.asked(request(), Review())
            assert "record 12" in str(one.verify().problem)
    # The owner, who cut it, says so.
    kept_head(path).unlink()
    ledger.asked(request(), Review())
    assert ledger.verify().ok
    assert kept_head(path).stat().st_mode & 0o777 == 0o600


def test_a_ledger_that_was_made_anew_is_shorter_than_the_old_one(
    ledger: Ledger, path: Path
) -> None:
    ledger.close()
    for file in path.parent.glob("ledger.sqlite3*"):
        if file != kept_head(path):
            file.unlink()
    with closing(Ledger.open(path)) as anew:
        anew.asked(request(), Review())
        assert "shorter than it was" in str(anew.verify().problem)


def test_a_ledger_that_was_emptied_is_shorter_than_it_was(ledger: Ledger, path: Path) -> None:
    edit(path, "DELETE FROM records")
    assert "record 12" in str(ledger.verify().problem)


def test_an_older_head_or_none_is_no_fault_of_the_ledger(ledger: Ledger, path: Path) -> None:
    older = kept_head(path).read_bytes()
    ledger.asked(request(), Review())
    for left in (older, b"", b"no head at all\n"):
        kept_head(path).write_bytes(left)
        assert ledger.verify().ok
    kept_head(path).unlink()
    kept_head(path).mkdir()
    ledger.asked(request(), Review())
    assert ledger.verify().ok


def test_a_head_behind_a_link_is_not_written(ledger: Ledger, path: Path) -> None:
    precious = path.with_name("precious")
    precious.write_text("as it was")
    kept_head(path).unlink()
    kept_head(path).symlink_to(precious)
    ledger.asked(request(), Review())
    assert precious.read_text() == "as it was"


@pytest.mark.skipif(not Path("/dev/fd").is_dir(), reason="open files are listed there")
def test_a_head_that_is_kept_leaves_no_file_open(ledger: Ledger, path: Path) -> None:
    head = Head(path)
    before = len(list(Path("/dev/fd").iterdir()))
    for number in range(20):
        head.keep(LastRecord(number, "a" * 64))
    assert len(list(Path("/dev/fd").iterdir())) == before


def test_a_pruned_head_is_not_missed(ledger: Ledger, path: Path, clock: Clock) -> None:
    kept = kept_head(path).read_bytes()
    ledger.prune(clock())
    kept_head(path).write_bytes(kept)
    assert ledger.verify().ok


def test_a_cut_tail_is_found_with_a_head_that_was_written_down(ledger: Ledger, path: Path) -> None:
    head = ledger.head()
    edit(path, "DELETE FROM records WHERE number > 9")
    kept_head(path).unlink()
    assert ledger.verify().ok
    found = ledger.verify(head=head)
    assert not found.ok
    assert found.problem is not None
    assert "cut off" in found.problem


def test_an_earlier_head_is_still_there_after_more_was_written(ledger: Ledger) -> None:
    head = ledger.head()
    ledger.asked(request(), Review())
    assert head is not None
    assert ledger.verify(head=head.upper() + "\n").ok
    assert ledger.verify(head=head).records == 13


def test_a_removed_beginning_is_found(ledger: Ledger, path: Path) -> None:
    edit(path, "DELETE FROM records WHERE number <= 6")
    found = ledger.verify()
    assert (found.ok, found.broken_at) == (False, 1)


def test_a_prune_leaves_a_marker_and_the_chain_whole(ledger: Ledger, clock: Clock) -> None:
    head = ledger.head()
    pruned = ledger.prune(clock() - timedelta(days=2))
    assert (pruned.records, pruned.through) == (6, 6)
    assert [row.id for row in ledger.rows()] == ["question2", "question3"]
    found = ledger.verify(head=head)
    assert (found.ok, found.first, found.records) == (True, 7, 7)


def test_a_prune_of_everything_and_a_second_one_leave_the_chain_whole(
    ledger: Ledger, clock: Clock, path: Path
) -> None:
    ledger.prune(clock() - timedelta(days=2))
    clock.advance(days=1)
    assert ledger.prune(clock()).records == 7
    assert list(ledger.rows()) == []
    assert ledger.verify().ok
    ledger.asked(request(), Review())
    assert ledger.verify().records == 2
    edit(path, "DELETE FROM records WHERE event = 'pruned'")
    assert not ledger.verify().ok


def test_the_chain_begins_where_the_last_prune_says_also_beside_the_marker_of_the_first(
    ledger: Ledger, clock: Clock
) -> None:
    heads = [ledger.head()]
    for days, records in ((2, 6), (1, 3)):
        assert ledger.prune(clock() - timedelta(days=days)).records == records
        heads.append(ledger.head())
    for head in heads:
        found = ledger.verify(head=head)
        assert (found.ok, found.first, found.records) == (True, 10, 5)


def test_a_beginning_removed_after_a_prune_is_found(
    ledger: Ledger, clock: Clock, path: Path
) -> None:
    ledger.prune(clock() - timedelta(days=2))
    edit(path, "DELETE FROM records WHERE number <= 9")
    found = ledger.verify()
    assert (found.ok, found.broken_at) == (False, 7)


def test_a_prune_cuts_no_question_in_two(path: Path, clock: Clock) -> None:
    with closing(Ledger.open(path, clock=clock)) as ledger:
        old, long, other = (request(id=name, clock=clock) for name in ("old", "long", "other"))
        ledger.asked(old, Review())
        ledger.decided(old, cancel("nobody", "Nobody is there."), Review())
        ledger.asked(long, Review())
        ledger.decided(long, cancel("nobody", "Nobody is there."), Review())
        ledger.asked(other, Review())
        ledger.sent(other.id)
        clock.advance(days=3)
        ledger.sent(long.id)
        assert ledger.prune(clock()).records == 2
        assert [row.id for row in ledger.rows()] == ["long", "other"]
        assert ledger.verify().ok


def test_a_prune_keeps_a_question_that_waits_and_all_that_came_after_it(
    ledger: Ledger, clock: Clock
) -> None:
    waits = request("Delete it?", clock=clock, id="waits")
    ledger.asked(waits, Review())
    later = request(clock=clock, id="later")
    ledger.asked(later, Review())
    ledger.decided(later, accept("user", "Sent.", {}), Review())
    clock.advance(days=9)
    assert ledger.prune(clock()) == (12, 12, ("waits",))
    assert [row.id for row in ledger.rows()] == ["waits", "later"]
    assert ledger.prune(clock()) == (0, None, ("waits",))
    ledger.decided(waits, accept("user", "Sent.", {}), Review())
    assert ledger.row("waits").message == "Delete it?"
    clock.advance(days=1)
    assert ledger.prune(clock()).kept_by == ()
    assert list(ledger.rows()) == []
    assert ledger.verify().ok


def test_a_prune_of_what_is_open_too_takes_no_word_of_a_question_from_its_outcome(
    ledger: Ledger, clock: Clock
) -> None:
    waits = request("Delete it?", clock=clock, id="waits")
    ledger.asked(waits, Review())
    clock.advance(days=9)
    assert ledger.prune(clock(), also_open=True) == (13, 13, ())
    assert list(ledger.rows()) == []
    ledger.decided(waits, accept("user", "Sent.", {}), Review())
    row = ledger.row("waits")
    assert (row.server, row.message, row.action) == ("deploy", "Delete it?", "accept")
    assert row.waited_ms == 9 * 86_400_000
    assert ledger.verify().ok


def test_nothing_to_prune_writes_nothing(ledger: Ledger, clock: Clock) -> None:
    head = ledger.head()
    assert ledger.prune(clock() - timedelta(days=99)).through is None
    assert ledger.head() == head


def test_what_was_pruned_is_gone_from_the_disk(path: Path, clock: Clock) -> None:
    with closing(Ledger.open(path, clock=clock)) as ledger:
        # Some builds of SQLite overwrite what is deleted by themselves.
        ledger._connection.execute("PRAGMA secure_delete = OFF")
        asked = request("UNMISTAKABLE " * 50, clock=clock)
        ledger.asked(asked, Review())
        ledger.decided(asked, cancel("nobody", "Nobody is there."), Review())
        clock.advance(days=1)
        ledger.prune(clock())
        stored = b"".join(file.read_bytes() for file in path.parent.iterdir())
    assert b"UNMISTAKABLE" not in stored


def test_a_damaged_row_is_said_and_does_not_crash(ledger: Ledger, path: Path) -> None:
    for body in ("x", "[]", "[" * 100_000, json.dumps({"findings": 5})):
        edit(path, "UPDATE records SET body = ? WHERE number = 5", body)
        with pytest.raises(LedgerError, match="history verify"):
            list(ledger.rows())


def test_an_index_that_lies_is_no_way_around(ledger: Ledger, path: Path) -> None:
    assert len(list(ledger.rows())) == 4
    edit(path, "UPDATE records SET question = 'question0' WHERE question = 'question1'")
    assert len(list(ledger.rows())) == 3
    assert ledger.verify().broken_at == 4
