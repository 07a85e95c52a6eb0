"""A text in the person's own editor."""

from __future__ import annotations

import asyncio
import contextlib
import select
import shlex
import signal
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from textual.app import App, SuspendNotSupported

from elicit_tui.elicitation import Deadline
from elicit_tui.tui.widgets import own_editor, text_block
from elicit_tui.tui.widgets.own_editor import EditorTrouble, edit_in_editor, editor_command
from tests.tui.console.test_terminal import Terminal
from tests.tui.question.asking import Asking, asked, form_question, schema, until


class Screenless(App[None]):
    """Suspends at once, as an app on a real terminal would."""

    @contextlib.contextmanager
    def suspend(self) -> Iterator[None]:
        yield


def editor(monkeypatch: pytest.MonkeyPatch, program: Path, body: str) -> None:
    program.write_text(f"import sys, os, pathlib\nfile = pathlib.Path(sys.argv[-1])\n{body}\n")
    monkeypatch.setenv("EDITOR", shlex.join([sys.executable, str(program)]))


def test_what_the_editor_saved_comes_back_and_the_file_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = tmp_path / "seen"
    editor(
        monkeypatch,
        tmp_path / "editor.py",
        f"pathlib.Path({str(seen)!r}).write_text(f'{{file}} {{file.stat().st_mode}} "
        "{file.parent.stat().st_mode}')\nfile.write_text(file.read_text() + ' more\\n')",
    )
    assert asyncio.run(edit_in_editor(Screenless(), "text")) == "text more"
    file, mode, folder_mode = seen.read_text().split()
    assert not Path(file).exists()
    assert stat.S_IMODE(int(mode)) == 0o600
    assert stat.S_IMODE(int(folder_mode)) == 0o700


def test_an_editor_that_fails_or_is_missing_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor(monkeypatch, tmp_path / "editor.py", "sys.exit(3)")
    with pytest.raises(EditorTrouble, match="exit code 3"):
        asyncio.run(edit_in_editor(Screenless(), "text"))
    monkeypatch.setenv("EDITOR", "no-such-editor-here")
    with pytest.raises(EditorTrouble, match="no-such-editor-here"):
        asyncio.run(edit_in_editor(Screenless(), "text"))


@pytest.mark.parametrize("runs", [True, False])
def test_the_application_comes_back_to_its_terminal_from_an_editor_that_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, runs: bool
) -> None:
    class Suspended(App[None]):
        came_back = False

        @contextlib.contextmanager
        def suspend(self) -> Iterator[None]:
            yield
            self.came_back = True

    editor(monkeypatch, tmp_path / "editor.py", "sys.exit(1)")
    if not runs:
        (tmp_path / "no program").write_text("")
        monkeypatch.setenv("EDITOR", shlex.quote(str(tmp_path / "no program")))
    app = Suspended()
    with pytest.raises(EditorTrouble, match=r"failed: (exit code 1|Permission denied)\."):
        asyncio.run(edit_in_editor(app, "text"))
    assert app.came_back


def test_a_form_under_the_prompt_says_that_it_has_no_editor(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Inline(App[None]):
        def suspend(self) -> Any:
            raise SuspendNotSupported("no")

    monkeypatch.setenv("EDITOR", "true")
    with pytest.raises(EditorTrouble, match="under the prompt"):
        asyncio.run(edit_in_editor(Inline(), "text"))


def test_visual_goes_before_editor_and_no_shell_reads_either(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("EDITOR", "nano")
    monkeypatch.setenv("VISUAL", "code --wait; rm x")
    assert editor_command() == ["code", "--wait;", "rm", "x"]
    monkeypatch.setenv("VISUAL", "'unclosed")
    with pytest.raises(EditorTrouble):
        editor_command()


@pytest.mark.skipif(sys.platform == "win32", reason="there it is another one")
def test_without_a_word_of_the_person_it_is_the_editor_of_the_system_and_vi_comes_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("VISUAL", "EDITOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    for name in ("vi", "nano", "editor"):
        program = tmp_path / name
        program.touch(mode=0o700)
        assert editor_command() == [name]


def test_half_a_character_that_a_server_sent_is_said_and_stays_in_the_field() -> None:
    with pytest.raises(EditorTrouble, match="half a character"):
        asyncio.run(edit_in_editor(Screenless(), "\ud83d and more"))


@pytest.mark.anyio
@pytest.mark.parametrize(("longest", "named"), [(40, False), (4_000, True)])
async def test_help_names_the_key_of_the_editor_only_where_a_text_can_be_long(
    longest: int, named: bool
) -> None:
    fields = schema(v={"type": "string", "maxLength": longest})
    app = Asking(form_question(fields))
    async with asked(app, (100, 60)) as pilot:
        await pilot.press("f1")
        await until(pilot, lambda: "In a field" in app.words, "help")
        assert ("$EDITOR" in app.words) == named


def test_a_file_that_cannot_be_made_is_told_and_the_text_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor(monkeypatch, tmp_path / "editor.py", "")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    with pytest.raises(EditorTrouble, match="A file for the editor failed: No such file"):
        asyncio.run(edit_in_editor(Screenless(), "text"))


@pytest.mark.anyio
async def test_a_text_of_several_lines_is_gone_on_with_and_what_empties_it_is_undone() -> None:
    text = {"type": "string", "maxLength": 4_000, "default": "one\ntwo"}
    app = Asking(form_question(schema(v=text)))
    async with asked(app) as pilot:
        await pilot.press("!")
        await until(pilot, lambda: "two!" in app.words, "the letter at the end")
        await pilot.press("ctrl+u")
        await until(pilot, lambda: "two" not in app.words, "nothing")
        await pilot.press("ctrl+z")
        await until(pilot, lambda: "two!" in app.words, "the text again")


@pytest.mark.anyio
@pytest.mark.parametrize("falls_over", [False, True])
async def test_a_question_whose_time_ran_out_while_an_editor_was_open_goes_on(
    monkeypatch: pytest.MonkeyPatch, falls_over: bool
) -> None:
    now = [0.0]

    async def long_written(app: App[Any], text: str, attended: Callable[[], None]) -> str:
        now[0] += 1_000.0
        if falls_over:
            raise EditorTrouble("The editor fell over.")
        return "written at length"

    monkeypatch.setattr(text_block, "edit_in_editor", long_written)
    question = form_question(schema(v={"type": "string", "maxLength": 4_000}))
    app = Asking(question, deadline=Deadline(300, lambda: now[0]))
    async with asked(app) as pilot:
        await pilot.press("f4")
        await until(pilot, lambda: now[0] > 0, "the editor")
        assert app.deadline.remaining == 60


class WithEditor(Asking):
    """Suspends at once, as on a real terminal."""

    @contextlib.contextmanager
    def suspend(self) -> Iterator[None]:
        self.is_away = True
        yield
        self.is_away = False


@pytest.mark.anyio
async def test_while_an_editor_is_open_all_else_goes_on_and_its_question_counts_as_attended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, done = tmp_path / "begun", tmp_path / "done"
    waits = f"""
import time
pathlib.Path({str(begun)!r}).touch()
for _ in range(600):
    if os.path.exists({str(done)!r}):
        file.write_text("written at length")
        break
    time.sleep(0.05)
"""
    editor(monkeypatch, tmp_path / "editor.py", waits)
    monkeypatch.setattr(own_editor, "ATTENDED_SECONDS", 0.01)
    now = [0.0]
    question = form_question(schema(v={"type": "string", "maxLength": 4_000}))
    app = WithEditor(question, deadline=Deadline(300, lambda: now[0]))
    async with asked(app) as pilot:
        await pilot.press("f4")
        await until(pilot, begun.exists, "the editor")
        now[0] += 1_000.0
        await until(pilot, lambda: app.deadline.remaining == 60, "it is attended meanwhile")
        app.notify("something else")
        await until(pilot, lambda: bool(app._notifications), "the rest goes on")
        assert app.is_away
        done.touch()
        await until(pilot, lambda: "written at length" in app.words, "what was saved")
        assert not app.is_away


@pytest.mark.anyio
async def test_what_was_written_for_a_form_that_ended_meanwhile_is_on_the_clipboard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    come_back = asyncio.Event()

    async def written(app: App[Any], text: str, attended: Callable[[], None]) -> str:
        await come_back.wait()
        return "written at length"

    monkeypatch.setattr(text_block, "edit_in_editor", written)
    app = Asking(form_question(schema(v={"type": "string", "maxLength": 4_000})))
    async with asked(app) as pilot:
        await pilot.press("f4")
        await app.pop_screen()
        come_back.set()
        await until(pilot, lambda: app.clipboard == "written at length", "the clipboard")
        told = [notice.message for notice in app._notifications]
        assert told == [text_block.EDITED_IN_VAIN]


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_an_interrupt_while_an_editor_has_the_terminal_ends_nothing_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, done = tmp_path / "begun", tmp_path / "done"
    waits = f"""
import os, pathlib, sys, time
pathlib.Path({str(begun)!r}).touch()
for _ in range(600):
    if os.path.exists({str(done)!r}):
        pathlib.Path(sys.argv[-1]).write_text("written at length")
        break
    time.sleep(0.05)
"""
    (tmp_path / "editor.py").write_text(waits)
    monkeypatch.setenv("VISUAL", shlex.join([sys.executable, str(tmp_path / "editor.py")]))
    terminal = Terminal(tmp_path)
    try:
        terminal.press_until(b"\x1b[C", "Enter Call")
        terminal.type(b"\r")
        terminal.press_until(b"", "Call book_table")
        terminal.type(b"\x1bOS")
        terminal.press_until(b"", "Your editor")
        terminal.type(b"\x1bOS")
        terminal.read_until(b"\x1b[?1049l")
        end = time.monotonic() + 40
        while not begun.exists():
            assert time.monotonic() < end, terminal.output[-2_000:]
            select.select([], [], [], 0.05)
        terminal.process.send_signal(signal.SIGINT)
        done.touch()
        terminal.press_until(b"", "written at length")
    finally:
        terminal.close()
