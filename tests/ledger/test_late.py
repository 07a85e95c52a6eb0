"""What finds the ledger in use and is no accept waits beside it, and stands in it once."""

from __future__ import annotations

import os
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from elicit_tui.broker import BrokerEvent
from elicit_tui.broker.record import Record
from elicit_tui.elicitation import (
    Call,
    Finding,
    Review,
    Severity,
    accept,
    cancel,
    decline,
    ended_unsent,
    unsent,
)
from elicit_tui.elicitation.settings import HistorySettings
from elicit_tui.errors import LedgerError, LedgerInUse
from elicit_tui.ledger import LateRecords, Ledger, late
from elicit_tui.runtime.opening import UnavailableLedger, open_ledger
from tests.ledger.world import Clock, request


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ledger.sqlite3"


@pytest.fixture
def ledger(path: Path) -> Iterator[Ledger]:
    with closing(Ledger.open(path, patient=False)) as opened:
        yield opened


@pytest.fixture(autouse=True)
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waits that are in vain are short here."""
    monkeypatch.setattr("elicit_tui.database.BUSY_SECONDS", 0.05)
    monkeypatch.setattr("elicit_tui.ledger.ledger.BUSY_SECONDS", 0.05)


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Within this another program holds the ledger."""
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        yield


def left(path: Path) -> list[Path]:
    return sorted(path.with_name("ledger.sqlite3-late").glob("*"))


def test_a_refusal_waits_for_nobody_who_holds_the_ledger_and_is_read_once_it_is_free(
    ledger: Ledger, path: Path
) -> None:
    asked = request()
    with held(path):
        ledger.decided(asked, decline("user", "No."), Review())
        assert [row.id for row in ledger.rows()] == []
    (row,) = ledger.rows()
    assert (row.message, row.action, row.decided_by) == ("Which environment?", "decline", "user")
    assert ledger.row(asked.id) == row
    assert ledger.verify().ok
    assert left(path) == []


def test_whoever_writes_next_takes_in_what_was_left_before_in_its_order(path: Path) -> None:
    clock = Clock()
    with closing(Ledger.open(path, clock=clock, patient=False)) as ledger:
        *early, late = (request(id=name) for name in "hcfaegdb")
        with held(path):
            for asked in early:
                ledger.decided(asked, cancel("nobody", "Nobody was there."), Review())
                clock.advance(seconds=1)
        clock.advance(hours=1)
        ledger.asked(late, Review())
        rows = list(ledger.rows())
        assert [row.id for row in rows] == list("hcfaegdb")
        assert rows[0].decided_at == "2026-11-01T12:00:00.000Z"
        assert ledger.verify().records == 15


def test_what_was_asked_before_is_not_asked_twice(ledger: Ledger, path: Path) -> None:
    asked = request()
    ledger.asked(asked, Review())
    with held(path):
        ledger.decided(asked, decline("user", "No."), Review())
    assert [row.action for row in ledger.rows()] == ["decline"]
    assert ledger.verify().records == 2


def test_an_end_that_was_left_is_not_overwritten_by_one_that_was_guessed(
    ledger: Ledger, path: Path
) -> None:
    asked = request()
    ledger.asked(asked, Review())
    with held(path):
        ledger.decided(asked, decline("user", "No."), Review())
    assert not ledger.abandoned(asked.id, cancel("store", "The process ended."))
    assert [row.decided_by for row in ledger.rows()] == ["user"]


def test_a_death_between_the_record_and_the_removal_writes_nothing_twice(
    ledger: Ledger, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with held(path):
        ledger.decided(request(), decline("user", "No."), Review())
    with monkeypatch.context() as dying:
        dying.setattr(LateRecords, "forget", lambda *_: None)
        assert len(list(ledger.rows())) == 1
        assert len(left(path)) == 1
    assert len(list(ledger.rows())) == 1
    assert ledger.verify().records == 2
    assert left(path) == []


def test_what_fails_to_be_taken_in_stays_where_it_is(ledger: Ledger, path: Path) -> None:
    with held(path):
        ledger.decided(request(), decline("user", "No."), Review())
    ledger._connection.execute("PRAGMA query_only = ON")
    with pytest.raises(LedgerError):
        ledger.sent("another")
    assert len(left(path)) == 1


def test_an_accept_is_never_left_for_later(ledger: Ledger, path: Path) -> None:
    with held(path), pytest.raises(LedgerInUse):
        ledger.decided(request(), accept("user", "Yes.", {}), Review())
    assert left(path) == []
    assert not LateRecords(path).leave(request(), accept("user", "Yes.", {}), Review())


def test_an_accept_that_is_withheld_has_that_as_its_record(ledger: Ledger, path: Path) -> None:
    asked = request()
    with held(path):
        given = Record(ledger, lambda event: None).decided(
            asked, accept("user", "Yes.", {}), Review()
        )
    assert given.action == "cancel"
    (row,) = ledger.rows()
    assert (row.action, row.reason) == ("cancel", given.reason)


def test_a_ledger_that_could_not_even_be_opened_has_its_refusals_too(path: Path) -> None:
    Ledger.open(path).close()
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        unavailable = open_ledger(HistorySettings(path=str(path)))
        assert isinstance(unavailable, UnavailableLedger)
        refused = request()
        unavailable.decided(refused, unsent("nobody", "Nobody was there."), Review())
        unavailable.sent(refused.id)
        with pytest.raises(LedgerError, match="in use"):
            unavailable.decided(request(), accept("user", "Yes.", {}), Review())
    with closing(Ledger.open(path)) as ledger:
        assert [(row.decided_by, row.state) for row in ledger.rows()] == [("nobody", "sent")]


def test_what_is_told_after_the_answer_left_waits_beside_a_ledger_in_use(
    ledger: Ledger, path: Path
) -> None:
    asked, told = request(id="abc"), list[BrokerEvent]()
    record = Record(ledger, told.append)
    record.asked(asked, Review())
    record.decided(asked, accept("user", "Yes.", {}), Review())
    with held(path):
        record.sent(asked)
        record.withdrawn(asked, "The server took it back.")
        for _ in range(7):
            record.group(asked, cancel("flood", "Too many.", in_group=True))
        record.end()
    one, flood = ledger.rows()
    assert (one.state, one.details["withdrawal"]) == ("sent", "The server took it back.")
    assert (flood.count, flood.decided_by) == (7, "flood")
    assert (ledger.verify().records, left(path), told) == (5, [], [])


def test_an_accept_that_its_server_took_back_while_others_held_the_ledger_is_so_in_it(
    ledger: Ledger, path: Path
) -> None:
    asked = request()
    ledger.decided(asked, accept("user", "Yes.", {}), Review())
    with held(path):
        ledger.decided(asked, ended_unsent("withdrew", "It took it back."), Review())
    assert [row.decided_by for row in ledger.rows()] == ["server"]


DAMAGED = (
    *(b"", b"{", b"[1, 2]", b"\xff", b"5", b"[" * 100_000),
    *(b'["q", "t", []]', b'["q", "t", {"sent": []}]', b'["q", 5, {}]', b'[5, "t", {}]'),
    # Half a character, which no column takes.
    *(rb'["\ud800", "t", {"sent": {}}]', rb'["q", "\ud800", {"sent": {}}]'),
    rb'["q", "t", {"\ud800": {}}]',
)


def test_what_is_damaged_there_is_left_and_hides_nothing(ledger: Ledger, path: Path) -> None:
    with held(path):
        ledger.decided(request(), decline("user", "No."), Review())
    folder = left(path)[0].parent
    for number in range(late.MOST_AT_ONCE + 1):
        (folder / f"0{number:04}.json").write_bytes(DAMAGED[number % len(DAMAGED)])
    assert len(list(ledger.rows())) == 1
    assert len(left(path)) == late.MOST_AT_ONCE + 1
    assert ledger.verify().ok


@pytest.mark.skipif(sys.platform == "win32", reason="modes of POSIX")
def test_what_waits_is_its_owner_s_alone(ledger: Ledger, path: Path) -> None:
    mask = os.umask(0)
    try:
        with held(path):
            ledger.decided(request(), decline("user", "No."), Review())
    finally:
        os.umask(mask)
    (file,) = left(path)
    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)


def test_where_it_cannot_be_left_either_that_is_said(ledger: Ledger, path: Path) -> None:
    path.with_name("ledger.sqlite3-late").write_bytes(b"")
    with held(path), pytest.raises(LedgerInUse, match="in use"):
        ledger.decided(request(), decline("user", "No."), Review())


def test_what_is_left_for_later_keeps_no_more_than_the_owner_wants(path: Path) -> None:
    call = Call("tools/call", "deploy", {"branch": "main"})
    asked = request(kind="approval", calls=(call,))
    given = accept("user", "Yes.", {"environment": "staging"})
    with closing(Ledger.open(path, content="none", patient=False)) as ledger:
        with held(path):
            refused = decline("hook", "No.", answered=given)
            ledger.decided(asked, refused, Review())
        row = ledger.row(asked.id)
    assert row.details["contentPolicy"] == "none"
    assert "arguments" not in row.details
    assert row.details["answered"]["content"] is None


def test_what_was_found_with_an_answer_that_is_left_for_later_is_not_lost(
    ledger: Ledger, path: Path
) -> None:
    asked = request()
    ledger.asked(asked, Review())
    found = Finding("acme.ticket", Severity.WARN, "message", "4711", "Look twice.")
    with held(path):
        ledger.decided(asked, decline("user", "No."), Review((found,)))
    assert ledger.row(asked.id).verdict == "warn"


@pytest.mark.parametrize("read", ["rows", "row", "verify"])
def test_however_the_ledger_is_read_what_was_left_beside_it_is_there(
    ledger: Ledger, path: Path, read: str
) -> None:
    with held(path):
        ledger.decided(request(id="abc"), decline("user", "No."), Review())
    if read == "verify":
        assert ledger.verify().records == 2
    else:
        (row,) = ledger.rows() if read == "rows" else (ledger.row("abc"),)
        assert (row.id, row.action) == ("abc", "decline")
    assert left(path) == []
