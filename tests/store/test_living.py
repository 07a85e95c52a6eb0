"""Who lives: a lock on a file tells it here, number and start of any process of a machine."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from elicit_tui.store import living
from elicit_tui.store.living import Life, is_over, is_same_process, machine_id, started_at
from elicit_tui.store.redis_layout import Process

posix = pytest.mark.skipif(sys.platform == "win32", reason="locks and modes of POSIX")


@pytest.fixture
def fresh_machine() -> Iterator[None]:
    """The machine is looked at anew in this test, and after it."""
    machine_id.cache_clear()
    yield
    machine_id.cache_clear()


def test_this_process_lives_and_one_that_began_at_another_time_is_another_one() -> None:
    began = started_at(os.getpid())
    assert began is not None
    assert is_same_process(os.getpid(), began)
    assert is_same_process(os.getpid(), began + 1.5)
    for other in (began + 2.5, began - 2.5, 0.0):
        assert not is_same_process(os.getpid(), other)


def test_a_number_that_nobody_has_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody(number: int) -> None:
        raise psutil.NoSuchProcess(number)

    monkeypatch.setattr(psutil, "Process", nobody)
    assert started_at(4_000_000) is None
    assert not is_same_process(4_000_000, 0.0)


def test_a_process_that_may_not_be_looked_at_lives(monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(number: int) -> None:
        raise psutil.AccessDenied(number)

    monkeypatch.setattr(psutil, "Process", forbidden)
    assert is_same_process(1, 0.0)


@posix
def test_a_life_is_over_once_its_lock_is_let_go_and_its_file_goes_with_it(tmp_path: Path) -> None:
    life = Life(tmp_path / "lives")
    file = tmp_path / "lives" / life.id
    assert not is_over(tmp_path / "lives", life.id)
    assert file.exists()
    os.close(life._file)  # As the system does it when the process dies.
    assert is_over(tmp_path / "lives", life.id)
    assert not file.exists()
    assert is_over(tmp_path / "lives", life.id)


@posix
def test_a_life_that_ends_takes_its_file_along(tmp_path: Path) -> None:
    life = Life(tmp_path / "lives")
    life.end()
    assert list((tmp_path / "lives").iterdir()) == []
    assert is_over(tmp_path / "lives", life.id)


@posix
def test_the_name_of_a_life_goes_before_its_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    life, close = Life(tmp_path / "lives"), os.close
    left: list[list[Path]] = []

    def closing(file: int) -> None:
        if file == life._file:
            left.append(list((tmp_path / "lives").iterdir()))
        close(file)

    monkeypatch.setattr(os, "close", closing)
    life.end()
    assert left == [[]]


@posix
def test_a_file_that_lies_there_already_is_nobodys_life(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(living, "new_id", lambda: "0" * 32)
    there = tmp_path / "lives" / ("0" * 32)
    there.parent.mkdir(mode=0o700)
    there.write_text("another's")
    with pytest.raises(FileExistsError):
        Life(tmp_path / "lives")
    assert there.read_text() == "another's"


@posix
def test_who_looks_whether_somebody_lives_leaves_no_file_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lives, life = tmp_path / "lives", Life(tmp_path / "lives")
    still_open: set[int] = set()
    opening, close = os.open, os.close

    def opens(*given: Any, **more: Any) -> int:
        still_open.add(file := opening(*given, **more))
        return file

    def closes(file: int) -> None:
        still_open.discard(file)
        close(file)

    monkeypatch.setattr(os, "open", opens)
    monkeypatch.setattr(os, "close", closes)
    assert not is_over(lives, life.id)
    assert not still_open
    close(life._file)
    assert is_over(lives, life.id)
    assert not still_open
    monkeypatch.setattr(living, "lock_open_file", lambda file: False)
    with pytest.raises(BlockingIOError):
        Life(lives)
    assert not still_open


@posix
def test_a_lock_that_cannot_be_looked_at_ends_nobody(tmp_path: Path) -> None:
    name = "0" * 32
    (tmp_path / "elsewhere").write_text("")
    (tmp_path / name).symlink_to(tmp_path / "elsewhere")
    assert not is_over(tmp_path, name)
    assert (tmp_path / name).is_symlink()


@posix
def test_a_lock_that_is_not_to_be_had_is_no_life(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(living, "lock_open_file", lambda file: False)
    with pytest.raises(OSError, match="is locked"):
        Life(tmp_path / "lives")


def test_a_machine_is_another_one_after_a_start_and_in_another_container(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fresh_machine: None
) -> None:
    installed, boot, namespace = (tmp_path / name for name in ("id", "boot", "ns"))
    monkeypatch.setattr(living, "_MACHINE_FILES", (str(tmp_path / "none"), str(installed)))
    monkeypatch.setattr(living, "_BOOT_FILE", str(boot))
    monkeypatch.setattr(living, "_PID_NAMESPACE", str(namespace))
    seen = []

    def look() -> None:
        machine_id.cache_clear()
        seen.append(machine_id())

    installed.write_text("one\n")
    boot.write_text("first")
    look()  # Nothing is known of its namespace.
    namespace.symlink_to("pid:[1]")
    look()
    boot.write_text("second")
    look()
    namespace.unlink()
    namespace.symlink_to("pid:[2]")
    look()
    installed.write_text("two")
    look()
    assert len(set(seen)) == len(seen)
    assert all(len(one) == 16 and "one" not in one for one in seen)
    look()
    assert seen[-1] == seen[-2]
    # Where no file names it, its network does; what is no text names nothing.
    installed.write_bytes(b"\xff\xfe")
    look()
    assert seen[-1] not in seen[:-1]


def test_a_process_that_is_held_up_lives_on_here_and_is_given_up_elsewhere() -> None:
    began, here = started_at(os.getpid()), machine_id()
    for machine, lives in ((here, True), ("another machine", False)):
        held_up = Process("life", os.getpid(), began, machine, "asker", None, beat_at=100.0)
        assert held_up.lives(130.0, limit=30.0)
        assert held_up.lives(131.0, limit=30.0) is lives
