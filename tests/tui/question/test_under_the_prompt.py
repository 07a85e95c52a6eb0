"""What the form under the prompt leaves on a terminal: the prompt, one line, nothing else."""

from __future__ import annotations

import codecs
import fcntl
import os
import re
import select
import struct
import sys
import termios
import time
from pathlib import Path
from typing import Final

import pyte
import pytest

from elicit_tui.tui.question_gate import DEAF_SECONDS
from elicit_tui.tui.terminal_answers import ASK_KIND
from tests.cli.terminal import SECONDS, WHERE_IS_THE_CURSOR, Terminal
from tests.cli.test_terminal import type_until
from tests.keys import CLEAR, HELP

DEMO = f"demo={sys.executable} -m elicit_tui.demo"
BEGUN = re.compile(r"\x1b(\[[0-9;?<>]*)?$")
"""A sequence that the next read will complete."""

SIGNS = ("✓", "✗", "○")
KEYS_APART = 3.0
"""Seconds: keys closer together are one burst of typing, which a new form throws away."""

PROMPT = "$ elicit-tui call demo"


class ScrollsOnClear(pyte.HistoryScreen):
    """As tmux: what is cleared from the first cell on goes into the scrollback."""

    def erase_in_display(self, how: int = 0, *args: object, **more: object) -> None:
        if self.own is None and (how, self.cursor.x, self.cursor.y) == (0, 0, 0):
            self.history.top.extend(self.buffer[y].copy() for y in range(self.lines))
        super().erase_in_display(how, *args, **more)

    def set_mode(self, *modes: int, **more: object) -> None:
        """The other screen is empty; it has no scrollback, and no line of it is ever broken."""
        if modes == (1049,):
            self.own = (self._rows(), self.cursor.y, self.cursor.x)
            self._kept = len(self.history.top)
            self.erase_in_display(2)
            self.cursor_position()
        super().set_mode(*modes, **more)

    def reset_mode(self, *modes: int, **more: object) -> None:
        if modes == (1049,) and self.own is not None:
            rows, y, x = self.own
            self.own = None
            while len(self.history.top) > self._kept:
                self.history.top.pop()
            self._put(rows, y, x)
        super().reset_mode(*modes, **more)

    own: tuple[list[str], int, int] | None = None

    def _rows(self) -> list[str]:
        return [line.rstrip() for line in self.display]

    def _put(self, rows: list[str], y: int, x: int) -> None:
        """Rows as they stand in a window of this size: broken, and what overflows pushed out."""
        broken: list[str] = []
        at = 0
        for number, row in enumerate(rows):
            if number == y:
                at = len(broken) + x // self.columns
            pieces = range(0, len(row), self.columns) or [0]
            broken += [row[begin : begin + self.columns] for begin in pieces]
        while len(broken) > self.lines and len(broken) > at + 1 and not broken[-1]:
            broken.pop()
        out = max(len(broken) - self.lines, 0)
        self.cursor_position()
        self.erase_in_display(2)
        for row in broken[:out]:
            self.draw(row)
            self.history.top.append(self.buffer[0].copy())
            self.erase_in_display(2)
            self.cursor_position()
        for number, row in enumerate(broken[out:]):
            self.cursor_position(number + 1)
            self.draw(row)
        self.cursor_position(max(at - out, 0) + 1, x % self.columns + 1)

    def narrowed(self, columns: int) -> None:
        """Make the window narrower, as terminals do that break lines."""
        if self.own is not None:
            self.resize(self.lines, columns)
            return
        rows, y, x = self._rows(), self.cursor.y, self.cursor.x
        self.resize(self.lines, columns)
        self._put(rows, y, x)


class Emulated(Terminal):
    """A terminal whose every cell can be looked at, scrollback included."""

    def __init__(
        self,
        home: Path,
        tool: str,
        columns: int,
        lines: int,
        above: str = PROMPT + "\r\n",
        *,
        answers: bool = True,
        kind: str = "",
    ) -> None:
        """`answers`: it says where the cursor stands when it is asked; `kind`: which one it is."""
        self._answers, self._kind = answers, kind
        self.screen = ScrollsOnClear(columns, lines, history=1_000)
        self._stream = pyte.Stream(self.screen)
        self._stream.feed(above)
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._begun = ""
        super().__init__(
            ["--with", DEMO, "call", "demo", tool], columns=columns, lines=lines, HOME=str(home)
        )

    def read(self, seconds: float) -> bool:
        ready, _, _ = select.select([self._ours], [], [], seconds)
        if not ready:
            return True
        try:
            data = os.read(self._ours, 65_536)
        except OSError:
            return False
        fresh = self._decoder.decode(data)
        self.raw += fresh
        whole, begun = re.fullmatch(
            r"(.*?)(\x1b\[?[0-9;?<>]*)?", self._begun + fresh, re.S
        ).groups()
        self._begun = begun or ""
        # The emulator prints the last letter of a sequence that it does not know (kitty, DA2).
        if self._kind and ASK_KIND in whole:
            self.type(f"\x1b[>{self._kind}c")
        whole = re.sub(r"\x1b\[[<>][0-9]*[uc]", "", whole)
        for number, part in enumerate(whole.split(WHERE_IS_THE_CURSOR.decode())):
            if number and self._answers:
                self.type(f"\x1b[{self.screen.cursor.y + 1};{self.screen.cursor.x + 1}R")
            self._stream.feed(part)
        return bool(data)

    def rests(self) -> None:
        """Wait until nothing is drawn for longer than a form that was just painted is deaf."""
        end = time.monotonic() + KEYS_APART
        while time.monotonic() < end:
            if not select.select([self._ours], [], [], DEAF_SECONDS + 0.2)[0] or not self.read(0):
                return

    def resize(self, columns: int, lines: int) -> None:
        """Give the window another size; the process is told by a signal."""
        fcntl.ioctl(self._ours, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        if columns < self.screen.columns:
            self.screen.narrowed(columns)
        self.screen.resize(lines, columns)

    @property
    def everything(self) -> list[str]:
        """Each line that is not blank, from the top of the scrollback."""
        above = [
            "".join(line[x].data for x in range(self.screen.columns))
            for line in self.screen.history.top
        ]
        return [line.rstrip() for line in [*above, *self.screen.display] if line.strip()]


SIZES = [(80, 24), (100, 40), (40, 10)]
ENDS = [
    ("\x0e", "✗ clear_cache · declined"),
    ("\x1b", "○ clear_cache · cancelled"),
    ("\x13", "✓ clear_cache · accepted"),
    ("\x03", "○ clear_cache · interrupted"),
]


@pytest.mark.parametrize(("columns", "lines"), SIZES, ids=lambda size: str(size))
@pytest.mark.parametrize(
    ("key", "line"), ENDS, ids=["declined", "cancelled", "sent", "interrupted"]
)
def test_one_line_is_left_whatever_the_end_and_the_size(
    tmp_path: Path, columns: int, lines: int, key: str, line: str
) -> None:
    with Emulated(tmp_path, "clear_cache", columns, lines) as terminal:
        answer_once_it_listens(terminal, key)
        assert terminal.end() in (0, 1, 130), terminal.raw[-3000:]
        assert terminal.everything[:2] == [PROMPT, line]
        assert len(terminal.everything) == 3, "besides: what the tool answered, or why it did not"


@pytest.mark.parametrize("after", [(100, 24), (80, 40), (100, 40)], ids=str)
def test_a_resize_leaves_no_copy_and_nothing_that_was_typed(
    tmp_path: Path, after: tuple[int, int]
) -> None:
    with Emulated(tmp_path, "book_table", 80, 24) as terminal:
        terminal.wait_for("^S Read on")
        type_until(terminal, CLEAR + "Mallory", "Mallory")
        terminal.resize(*after)
        answer_once_it_listens(terminal, "\x0e")
        assert terminal.end() in (0, 1), terminal.raw[-3000:]
        assert terminal.everything[:2] == [PROMPT, "✗ book_table · declined"]
        assert len(terminal.everything) == 3


@pytest.mark.parametrize(
    "widths", [(95, 90, 82, 76, 70, 60, 50), (79, 77, 74, 66)], ids=["from 100", "from 80"]
)
def test_a_window_that_becomes_narrower_step_by_step_keeps_the_prompt_and_one_line(
    tmp_path: Path, widths: tuple[int, ...]
) -> None:
    columns = 100 if widths[0] > 80 else 80
    with Emulated(tmp_path, "book_table", columns, 24) as terminal:
        terminal.wait_for("^S Read on")
        terminal.rests()
        type_until(terminal, CLEAR + "Mallory", "Mallory")
        for width in widths:
            terminal.resize(width, 24)
            terminal.rests()
            assert any("Mallory" in line for line in terminal.screen.display)
        answer_once_it_listens(terminal, "\x0e")
        assert terminal.end() in (0, 1), terminal.raw[-3000:]
        assert terminal.everything[:2] == [PROMPT, "✗ book_table · declined"]
        assert len(terminal.everything) == 3


def test_a_form_that_begins_on_the_first_line_leaves_nothing_in_the_scrollback(
    tmp_path: Path,
) -> None:
    with Emulated(tmp_path, "clear_cache", 60, 24, above="") as terminal:
        terminal.wait_for("╯")
        terminal.resize(80, 24)
        answer_once_it_listens(terminal, "\x0e")
        assert terminal.end() in (0, 1), terminal.raw[-3000:]
        assert terminal.everything[0] == "✗ clear_cache · declined"
        assert len(terminal.everything) == 2


def test_a_yes_or_no_question_takes_at_most_eight_rows(tmp_path: Path) -> None:
    with Emulated(tmp_path, "clear_cache", 80, 24) as terminal:
        terminal.wait_for("y Yes")
        terminal.wait_for("n No")
        terminal.wait_for("╯")
        frame = [line for line in terminal.screen.display if line[:1] in "╭│╰" and line.strip()]
        assert frame[0].startswith("╭")
        assert len(frame) <= 8
        answer_once_it_listens(terminal, "\x0e")
        terminal.end()


def test_the_first_frame_of_a_form_has_its_buttons(tmp_path: Path) -> None:
    with Emulated(tmp_path, "book_table", 80, 24) as terminal:
        raw = terminal.wait_for("╯")
        assert "^S Read on" in raw
        answer_once_it_listens(terminal, "\x0e")
        terminal.end()


@pytest.mark.parametrize(
    ("size", "above", "answers", "columns", "elsewhere"),
    [
        ((140, 40), 30, True, 100, False),
        ((90, 40), 30, True, 88, False),
        ((80, 24), 30, True, 78, False),
        ((60, 24), 0, True, 58, False),
        ((140, 40), 3, True, 100, True),
        ((140, 12), 30, True, 100, True),
        ((140, 40), 30, False, 60, False),
    ],
)
def test_a_form_is_as_wide_as_the_terminal_up_to_100_columns_where_that_can_leave_nothing(
    tmp_path: Path,
    size: tuple[int, int],
    above: int,
    answers: bool,
    columns: int,
    elsewhere: bool,
) -> None:
    before = "".join(f"{number}\r\n" for number in range(above)) + PROMPT + "\r\n"
    with Emulated(tmp_path, "clear_cache", *size, before, answers=answers) as terminal:
        terminal.wait_for("╯")
        terminal.rests()
        edges = [len(line.rstrip()) for line in terminal.screen.display if line[:1] in "╭╰"]
        assert edges == [columns, columns]
        assert (terminal.screen.own is not None) == elsewhere
        assert any(PROMPT in line for line in terminal.screen.display) != elsewhere
        answer_once_it_listens(terminal, "\x0e")
        assert terminal.end() in (0, 1), terminal.raw[-3000:]
        assert terminal.everything[above : above + 2] == [PROMPT, "✗ clear_cache · declined"]
        assert len(terminal.everything) == above + 3


@pytest.mark.parametrize("parts", [["\x1b[20;1R"], ["\x1b[2", "0;1R"]], ids=["late", "in two"])
def test_an_answer_of_the_terminal_is_never_typed_into_a_field(
    tmp_path: Path, parts: list[str]
) -> None:
    with Emulated(tmp_path, "book_table", 140, 40, answers=False) as terminal:
        terminal.wait_for("^S Read on")
        terminal.rests()
        shown = terminal.screen.display
        for part in parts:
            terminal.type(part)
            terminal.rests()
        type_until(terminal, CLEAR + "Mallory", "Mallory")
        terminal.rests()
        name = next(line for line in terminal.screen.display if "Mallory" in line)
        assert name.split()[-2:] == ["Mallory", "│"]
        assert len(terminal.screen.display) == len(shown)
        answer_once_it_listens(terminal, "\x0e")
        terminal.end()


def test_a_terminal_that_loses_the_form_when_it_breaks_lines_has_it_on_its_other_screen(
    tmp_path: Path,
) -> None:
    before = "\r\n" * 30 + PROMPT + "\r\n"
    with Emulated(tmp_path, "clear_cache", 140, 40, before, kind="0;276;0") as terminal:
        terminal.wait_for("╯")
        assert terminal.screen.own is not None
        answer_once_it_listens(terminal, "\x0e")
        assert terminal.end() in (0, 1), terminal.raw[-3000:]
        assert terminal.everything[:2] == [PROMPT, "✗ clear_cache · declined"]


def test_a_terminal_that_uses_its_free_rows_has_the_form_under_a_prompt_near_its_top(
    tmp_path: Path,
) -> None:
    with Emulated(tmp_path, "clear_cache", 140, 40, kind="65;7006;1") as terminal:
        terminal.wait_for("╯")
        terminal.rests()
        assert terminal.screen.own is None
        assert max(len(line.rstrip()) for line in terminal.screen.display) == 100
        terminal.resize(50, 40)
        answer_once_it_listens(terminal, "\x0e")
        assert terminal.end() in (0, 1), terminal.raw[-3000:]
        assert terminal.everything[:2] == [PROMPT, "✗ clear_cache · declined"]


STATUS: Final = re.compile("missing|PgDn")
"""The line that says what is left to do: it says more of it once the form is judged."""


@pytest.mark.parametrize("size", [(80, 24), (58, 40), (40, 12)], ids=str)
def test_the_first_frame_of_a_form_has_its_fields_where_they_stay(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    with Emulated(tmp_path, "book_table", *size) as terminal:
        terminal.wait_for("╯")
        terminal.rests()
        first = pyte.Screen(*size)
        pyte.Stream(first).feed(f"{PROMPT}\r\n{terminal.raw.split('╯')[0]}")
        assert sum("╭" in line for line in terminal.screen.display) == 1
        fields = [
            [line for line in screen.display if "│" in line and not STATUS.search(line)]
            for screen in (first, terminal.screen)
        ]
        assert fields[0] == fields[1]
        answer_once_it_listens(terminal, "\x0e")
        terminal.end()


def test_another_second_and_another_letter_are_all_that_is_written(tmp_path: Path) -> None:
    with Emulated(tmp_path, "book_table", 80, 24) as terminal:
        terminal.wait_for("^S Read on")
        terminal.rests()
        before, shown = len(terminal.raw), list(terminal.screen.display)
        clocks = {line for line in shown if " left " in line}
        end = time.monotonic() + KEYS_APART
        while any(line in clocks for line in terminal.screen.display):
            assert time.monotonic() < end, "the clock stands still"
            terminal.read(0.1)
        assert len(terminal.raw) - before < 600
        changed = [i for i, line in enumerate(terminal.screen.display) if line != shown[i]]
        assert len(changed) == 1, "the line of the clock"
        before = len(terminal.raw)
        type_until(terminal, CLEAR + "Mallory", "Mallory")
        terminal.rests()
        assert len(terminal.raw) - before < 4_000
        edges = {line.rstrip()[-1:] for line in terminal.screen.display if line[:1] == "│"}
        assert edges == {"│"}
        answer_once_it_listens(terminal, "\x0e")
        terminal.end()


def test_help_under_the_prompt_is_as_high_as_its_words_and_gives_the_rows_back(
    tmp_path: Path,
) -> None:
    with Emulated(tmp_path, "clear_cache", 80, 24) as terminal:
        terminal.wait_for("n No")
        terminal.rests()
        type_until(terminal, HELP, "truthfully.")
        terminal.rests()
        terminal.type(HELP)
        terminal.wait_for("y Yes")
        answer_once_it_listens(terminal, "\x0e")
        assert terminal.end() in (0, 1), terminal.raw[-3000:]
        assert terminal.everything[:2] == [PROMPT, "✗ clear_cache · declined"]
        assert len(terminal.everything) == 3


def answer_once_it_listens(terminal: Emulated, key: str) -> None:
    """Press a key that decides until it is heard: a form is deaf while it is new."""
    seen = time.monotonic()
    while not any(line.startswith("╰") for line in terminal.screen.display):
        assert time.monotonic() - seen < SECONDS, "no form stands there"
        assert terminal.read(0.1), "it ended"
    terminal.rests()
    for _ in range(8):
        terminal.type(key)
        pressed = time.monotonic()
        while time.monotonic() - pressed < KEYS_APART:
            if not terminal.read(0.05) or any(line[:1] in SIGNS for line in terminal.everything):
                return
    raise AssertionError("the form does not listen")


@pytest.mark.parametrize(
    ("ends", "comes_back"),
    [(("\x1b", "\x1b"), False), (("\x03",), True)],
    ids=["cancelled", "interrupted"],
)
def test_what_was_typed_is_there_in_the_next_run_unless_the_person_cancelled(
    tmp_path: Path, ends: tuple[str, ...], comes_back: bool
) -> None:
    with Emulated(tmp_path, "book_table", 80, 24) as terminal:
        terminal.wait_for("^S Read on")
        terminal.rests()
        type_until(terminal, CLEAR + "Mallory", "Mallory")
        for key in ends:
            terminal.rests()
            terminal.type(key)
        assert terminal.end() in (0, 1, 130), terminal.raw[-3000:]
    with Emulated(tmp_path, "book_table", 80, 24) as terminal:
        terminal.wait_for("^S Read on")
        terminal.rests()
        assert any("Mallory" in line for line in terminal.screen.display) == comes_back
        answer_once_it_listens(terminal, "\x0e")
        assert terminal.end() in (0, 1), terminal.raw[-3000:]
