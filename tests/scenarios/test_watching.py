"""Whatever a scenario watches, its state is found in bounded time and memory."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from elicit_tui.scenarios import watching
from elicit_tui.scenarios.watching import Watched, states

pytestmark = pytest.mark.anyio


async def test_a_pipe_a_device_and_what_is_no_name_are_told_as_not_watched(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    odd = {
        str(pipe): "is no file",
        "/dev/zero": "is no file",
        "x" * 5000: "cannot be read",
        "a\0b": "cannot be read",
        "x" * 5000 + " y": "cannot be run",
        "no-such-program --state": "cannot be run",
        "an 'open quotation": "cannot be run",
    }
    found = await states(tuple(odd))
    said = Watched(found, found).problems
    assert len(said) == len(odd)
    for sentence, (each, problem) in zip(said, odd.items(), strict=True):
        assert sentence.startswith(f"watch: {each} {problem}")


async def test_what_could_not_be_watched_afterwards_is_told_too(tmp_path: Path) -> None:
    state = tmp_path / "state"
    state.write_text("one")
    before = await states([str(state)])
    state.unlink()
    os.mkfifo(state)
    assert Watched(before, await states([str(state)])).problems == [f"watch: {state} is no file"]


async def test_a_command_that_never_ends_is_ended_and_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(watching, "COMMAND_SECONDS", 0.3)
    # Whoever stops reading may do so while the pipe is full.
    monkeypatch.setattr(watching, "CHUNK_BYTES", 1)
    found = await states(["yes and so on"])
    said = ["watch: yes and so on did not end within 0.3 seconds"]
    assert Watched(found, found).problems == said


async def test_a_command_that_ends_otherwise_has_changed_though_it_prints_nothing(
    tmp_path: Path,
) -> None:
    file = tmp_path / "file"
    watched = [f"test -e {file}"]
    before = await states(watched)
    assert Watched(before, await states(watched)).changed == []
    file.touch()
    assert Watched(before, await states(watched)).changed == watched


async def test_a_file_that_was_written_has_changed(tmp_path: Path) -> None:
    file, other = tmp_path / "file", tmp_path / "other"
    file.write_text("one")
    watched = [str(file), str(other), f"cat {file}"]
    before = await states(watched)
    assert Watched(before, before).never_there == [str(other)]
    file.write_text("two")
    other.write_text("new")
    seen = Watched(before, await states(watched))
    assert (seen.changed, seen.unchanged, seen.problems, seen.never_there) == (watched, [], [], [])


def _empty_directory(place: Path) -> None:
    (place / "below" / "empty").mkdir()


def _another_name(place: Path) -> None:
    (place / "below" / "file").rename(place / "below" / "renamed")


def _a_link_elsewhere(place: Path) -> None:
    (place / "link").unlink()
    (place / "link").symlink_to("below/twin")


def _a_directory_instead(place: Path) -> None:
    (place / "pipe").unlink()
    (place / "pipe").mkdir()


def _content_far_below(place: Path) -> None:
    (place / "below" / "file").write_text("two")


@pytest.mark.parametrize(
    "change",
    [
        _empty_directory,
        _another_name,
        _a_link_elsewhere,
        _a_directory_instead,
        _content_far_below,
    ],
)
async def test_whatever_changes_in_a_directory_has_changed_it(
    tmp_path: Path, change: Callable[[Path], None]
) -> None:
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "file").write_text("one")
    (tmp_path / "below" / "twin").write_text("one")
    (tmp_path / "link").symlink_to("below/file")
    os.mkfifo(tmp_path / "pipe")
    watched = [str(tmp_path)]
    before = await states(watched)
    assert Watched(before, await states(watched)).changed == []
    change(tmp_path)
    seen = Watched(before, await states(watched))
    assert (seen.changed, seen.problems) == (watched, [])
