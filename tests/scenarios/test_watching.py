"""Whatever a scenario watches, its state is found in bounded time and memory."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from elicit_tui.scenarios import watching
from elicit_tui.scenarios.watching import changed, states

pytestmark = pytest.mark.anyio


async def test_a_pipe_a_device_and_what_is_no_name_have_a_state_of_words(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    odd = {
        str(pipe): "is no file",
        "/dev/zero": "is no file",
        "x" * 5000: "cannot be read",
        "a\0b": "cannot be read",
        str(tmp_path / "nothing"): "is not there",
        "x" * 5000 + " y": "cannot be run",
    }
    found = await states(tuple(odd))
    assert {each: state[: len(odd[each])] for each, state in found.items()} == odd


async def test_a_command_that_never_ends_is_ended_and_what_it_prints_is_not_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(watching, "COMMAND_SECONDS", 0.3)
    # Whoever stops reading may do so while the pipe is full.
    monkeypatch.setattr(watching, "CHUNK_BYTES", 1)
    assert await states(["yes and so on"]) == {"yes and so on": "did not end in time"}


async def test_a_file_that_was_written_has_changed(tmp_path: Path) -> None:
    file, other = tmp_path / "file", tmp_path / "other"
    file.write_text("one")
    watched = [str(file), str(other), f"cat {file}"]
    before = await states(watched)
    file.write_text("two")
    other.write_text("new")
    assert changed(before, await states(watched)) == watched
