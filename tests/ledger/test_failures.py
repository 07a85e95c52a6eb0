"""A ledger that cannot be written says so in one sentence, soon, and loses nothing."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from elicit_tui.elicitation import Review, accept, decline, now
from elicit_tui.errors import LedgerError
from elicit_tui.ledger import Ledger
from elicit_tui.ledger.chain import FILE
from tests.ledger.world import request

ROOT = Path(__file__).parents[2]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ledger.sqlite3"


@pytest.fixture
def connection(path: Path) -> sqlite3.Connection:
    """What the ledger writes by."""
    return FILE.connect(path, create=True)


@pytest.fixture
def ledger(connection: sqlite3.Connection, path: Path) -> Iterator[Ledger]:
    with closing(Ledger(connection, path)) as opened:
        yield opened


def one_sentence(error: pytest.ExceptionInfo[LedgerError]) -> str:
    said = str(error.value)
    assert said.startswith("The ledger ")
    assert said.endswith(".")
    assert "\n" not in said
    return said


def test_a_locked_ledger_is_waited_for_once_and_works_again_afterwards(
    ledger: Ledger, path: Path
) -> None:
    asked = request()
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        started = time.monotonic()
        with pytest.raises(LedgerError) as error:
            ledger.asked(asked, Review())
        waited = time.monotonic() - started
        assert "in use by another program" in one_sentence(error)
        started = time.monotonic()
        for _ in range(3):
            with pytest.raises(LedgerError):
                ledger.decided(asked, accept("user", "Sent.", {}), Review())
        assert time.monotonic() - started < waited
        assert ledger.verify().ok
        other.execute("ROLLBACK")
    ledger.asked(asked, Review())
    ledger.decided(asked, accept("user", "Sent.", {}), Review())
    assert ledger.verify().records == 2


def test_a_folder_that_is_a_file_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(LedgerError) as error:
        Ledger.open(tmp_path / "file" / "elicit-tui" / "ledger.sqlite3")
    one_sentence(error)


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="a folder that not even root can write")
def test_a_folder_that_cannot_be_written_is_said() -> None:
    with pytest.raises(LedgerError) as error:
        Ledger.open(Path("/proc/self/elicit-tui/ledger.sqlite3"))
    one_sentence(error)


def test_a_device_is_no_ledger() -> None:
    with pytest.raises(LedgerError, match="is not a file"):
        Ledger.open(Path("/dev/full"))


def test_a_ledger_that_became_read_only_is_said(
    connection: sqlite3.Connection, ledger: Ledger
) -> None:
    connection.execute("PRAGMA query_only = ON")
    with pytest.raises(LedgerError) as error:
        ledger.asked(request(), Review())
    assert "cannot be written" in one_sentence(error)


FULL_DISK = """
import resource, sys
from pathlib import Path
from elicit_tui.elicitation import Review, accept, decline, now
from elicit_tui.errors import LedgerError
from elicit_tui.ledger import Ledger
from tests.ledger.world import request

ledger = Ledger.open(Path(sys.argv[1]))
ledger.asked(request(id="before"), Review())
resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, resource.RLIM_INFINITY))
failures = 0
for number in range(40):
    asked = request("m" * 3000, id=f"question{number}")
    try:
        ledger.asked(asked, Review())
        ledger.decided(asked, accept("user", "Sent.", {}), Review())
    except LedgerError as error:
        failures += 1
        sentence = str(error)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
assert failures > 10, failures
assert ledger.verify().ok, ledger.verify()
ledger.asked(request(id="after"), Review())
print(sentence)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no RLIMIT_FSIZE")
def test_a_full_disk_is_said_and_what_was_there_stays_whole(path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "disk" in done.stdout
    with closing(Ledger.open(path)) as ledger:
        assert ledger.verify().ok
        ids = {row.id for row in ledger.rows()}
    assert {"before", "after"} <= ids


def test_a_disk_of_few_pages_is_full(connection: sqlite3.Connection, ledger: Ledger) -> None:
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.execute(f"PRAGMA max_page_count = {pages + 1}")
    asked = request("m" * 4000, params={"message": "m" * 4000, "more": ["n" * 4000] * 4})
    with pytest.raises(LedgerError, match="no space left") as error:
        ledger.asked(asked, Review())
    one_sentence(error)
    assert ledger.verify().ok


def test_a_closed_ledger_is_a_ledger_error(path: Path) -> None:
    ledger = Ledger.open(path)
    ledger.close()
    for use in (lambda: ledger.sent("x"), ledger.head, ledger.verify, lambda: list(ledger.rows())):
        with pytest.raises(LedgerError) as error:
            use()
        one_sentence(error)


def test_a_prune_whose_space_cannot_be_given_back_is_said_and_has_removed_what_it_should(
    connection: sqlite3.Connection, ledger: Ledger
) -> None:
    asked = request()
    ledger.asked(asked, Review())
    ledger.decided(asked, decline("user", "No."), Review())

    def no_vacuum(action: int, name: str | None, *_: object) -> int:
        return sqlite3.SQLITE_DENY if name == "incremental_vacuum" else sqlite3.SQLITE_OK

    connection.set_authorizer(no_vacuum)
    with pytest.raises(LedgerError) as error:
        ledger.prune(now() + timedelta(days=1))
    one_sentence(error)
    assert list(ledger.rows()) == []
    assert ledger.verify().ok


@pytest.mark.parametrize(
    "made",
    [
        "CREATE TRIGGER lost AFTER INSERT ON records BEGIN DELETE FROM records; END",
        "CREATE VIEW other AS SELECT * FROM records",
    ],
)
def test_a_ledger_that_acts_by_itself_is_not_used(path: Path, made: str) -> None:
    Ledger.open(path).close()
    with closing(sqlite3.connect(path)) as other:
        other.execute(made)
    with pytest.raises(LedgerError) as error:
        Ledger.open(path)
    assert "a trigger or a view" in one_sentence(error)


@pytest.mark.skipif(sys.platform == "win32", reason="modes of POSIX")
def test_a_ledger_where_everybody_may_write_is_not_used(path: Path) -> None:
    Ledger.open(path).close()
    path.parent.chmod(0o777)
    with pytest.raises(LedgerError) as error:
        Ledger.open(path)
    assert "can be written by everybody" in one_sentence(error)
    path.parent.chmod(0o1777)  # as /tmp: nobody removes what is another's
    Ledger.open(path).close()


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away"
)
def test_a_ledger_of_another_user_is_not_used_by_root_either(path: Path) -> None:
    Ledger.open(path).close()
    os.chown(path, 65534, -1)
    with pytest.raises(LedgerError) as error:
        Ledger.open(path)
    assert "belongs to another user" in one_sentence(error)
