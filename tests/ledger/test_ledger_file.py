"""The ledger's file: private whatever the umask, and nothing of anybody else's is touched."""

from __future__ import annotations

import os
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest

from elicit_tui.elicitation import (
    accept,
    decline,
)
from elicit_tui.errors import LedgerError
from elicit_tui.ledger import Ledger, LedgerMissing
from tests.ledger.world import PASSED, Clock, request


def test_an_accept_and_a_prune_are_on_the_disk_when_they_return(
    ledger: Ledger, clock: Clock
) -> None:
    statements: list[str] = []
    ledger._connection.set_trace_callback(statements.append)

    def to_disk() -> bool:
        found = "PRAGMA synchronous = FULL" in statements
        statements.clear()
        return found

    refused, accepted = request(clock=clock), request(clock=clock)
    for asked in (refused, accepted):
        ledger.asked(asked, PASSED)
    ledger.decided(refused, decline("user", "No."), PASSED)
    assert not to_disk()
    ledger.decided(accepted, accept("user", "Sent.", {}), PASSED)
    assert to_disk()
    clock.advance(days=1)
    ledger.prune(clock())
    assert to_disk()


def test_a_new_ledger_and_all_its_files_are_private_whatever_the_umask(path: Path) -> None:
    before = os.umask(0)
    try:
        with closing(Ledger.open(path)) as ledger:
            ledger.asked(request(), PASSED)
            modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}
    finally:
        os.umask(before)
    assert modes == {path.name + suffix: 0o600 for suffix in ("", "-wal", "-shm", "-head")}
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(path.parent.parent.stat().st_mode) == 0o700


def test_a_ledger_that_others_could_read_is_made_private(path: Path) -> None:
    Ledger.open(path).close()
    path.chmod(0o644)
    Ledger.open(path).close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_symbolic_link_is_refused_also_one_that_leads_nowhere(path: Path, tmp_path: Path) -> None:
    path.parent.mkdir(parents=True)
    for target in (tmp_path / "nowhere", tmp_path / "real"):
        path.unlink(missing_ok=True)
        path.symlink_to(target)
        with pytest.raises(LedgerError, match="symbolic link"):
            Ledger.open(path)
        assert not target.exists()
        Ledger.open(tmp_path / "real").close()
        (tmp_path / "real").rename(tmp_path / "kept")


def test_what_is_no_ledger_is_left_alone(path: Path) -> None:
    path.parent.mkdir(parents=True)
    path.write_bytes(b"not a database, but long enough to be looked at " * 100)
    with pytest.raises(LedgerError, match="is not a ledger"):
        Ledger.open(path)
    path.unlink()
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE theirs (a)")
        other.commit()
    with pytest.raises(LedgerError, match="another program's database"):
        Ledger.open(path)
    path.unlink()
    path.mkdir()
    with pytest.raises(LedgerError, match="is not a file"):
        Ledger.open(path)


def test_a_ledger_of_a_newer_version_is_left_alone(path: Path) -> None:
    Ledger.open(path).close()
    with closing(sqlite3.connect(path)) as newer:
        newer.execute("PRAGMA user_version = 99")
    with pytest.raises(LedgerError, match="newer version"):
        Ledger.open(path)


def test_reading_does_not_make_a_ledger(path: Path) -> None:
    with pytest.raises(LedgerMissing, match="There is no ledger"):
        Ledger.open(path, create=False)
    assert not path.parent.exists()
