"""The form under the prompt in a real terminal that breaks lines: tmux, looked at cell by cell."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cli.running import COMMAND, DEMO, environment
from tests.cli.terminal import SECONDS
from tests.keys import CLEAR

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="there is no tmux here")

PROMPT = "$"
GLANCE = 0.05
"""Between two looks at the terminal: each is a process of its own."""
ANSWERS = {
    "book_table": "You declined, so no table was booked.",
    "clear_cache": "You declined, so the cache stays.",
    "sign_in": "You declined, so you are not signed in.",
}


class Window:
    """A window of tmux with a shell in it."""

    def __init__(self, folder: Path, columns: int, lines: int) -> None:
        self._tmux = ("tmux", "-S", str(folder / "tmux"), "-f", "/dev/null")
        call = folder / "call"
        call.write_text(f'#!/bin/sh\nexec {" ".join(COMMAND)} --with "{DEMO}" call demo "$@"\n')
        call.chmod(0o755)
        self._env = environment(HOME=str(folder), PS1=f"{PROMPT} ", TERM="xterm-256color")
        self._env["PATH"] = f"{folder}:{self._env['PATH']}"
        size = ("-x", str(columns), "-y", str(lines))
        self._run("new-session", "-d", *size, "env", "-u", "ENV", f"PS1={PROMPT} ", "sh")
        self.wait_until(lambda: self.rows == [PROMPT])

    def _run(self, *arguments: str) -> str:
        done = subprocess.run(
            [*self._tmux, *arguments],
            env=self._env,
            capture_output=True,
            text=True,
            check=True,
            timeout=SECONDS,
        )
        return done.stdout

    def type(self, text: str) -> None:
        """Type text as it is; a line break is Enter."""
        self._run("send-keys", "-l", text.replace("\n", "\r"))

    def narrow(self, columns: int) -> None:
        """Make the window this wide, in one step."""
        self._run("resize-window", "-x", str(columns))

    @property
    def rows(self) -> list[str]:
        """Every row from the top of the scrollback, blank ones too, down to the last with text."""
        return self._run("capture-pane", "-p", "-S", "-").rstrip("\n").split("\n")

    @property
    def screen(self) -> str:
        """What stands on the screen now."""
        return self._run("capture-pane", "-p")

    @property
    def has_the_form_elsewhere(self) -> bool:
        """Whether the other screen is shown, on which no line is ever broken."""
        return self._run("display-message", "-p", "#{alternate_on}").strip() == "1"

    def wait_until(self, holds: Callable[[], bool]) -> None:
        """Look again and again until it is so."""
        end = time.monotonic() + SECONDS
        while not holds():
            assert time.monotonic() < end, "\n".join(self.rows)
            time.sleep(GLANCE)

    def type_until(self, text: str, holds: Callable[[], bool]) -> None:
        """Type again and again until it is so: a form is deaf while it is new."""
        for _ in range(10):
            self.type(text)
            end = time.monotonic() + 3
            while time.monotonic() < end:
                if holds():
                    return
                time.sleep(GLANCE)
        raise AssertionError("\n".join(self.rows))

    def close(self) -> None:
        """End the terminal and what runs in it."""
        self._run("kill-server")


@pytest.fixture
def window(
    tmp_path: Path, request: pytest.FixtureRequest
) -> Iterator[Callable[[int, int], Window]]:
    """Opens windows of a given size."""
    opened: list[Window] = []

    def open_window(columns: int, lines: int) -> Window:
        opened.append(Window(tmp_path, columns, lines))
        return opened[-1]

    yield open_window
    for each in opened:
        each.close()


@pytest.mark.parametrize(
    ("columns", "lines", "tool", "narrower", "above"),
    [
        (100, 40, "book_table", [60], 0),
        (100, 40, "book_table", [80, 60], 30),
        (80, 24, "book_table", [60], 30),
        (80, 24, "book_table", [60, 40], 0),
        (80, 24, "clear_cache", [40], 30),
        (80, 24, "clear_cache", [50, 80], 0),
        (80, 24, "clear_cache", [50, 80], 9),
        (80, 24, "clear_cache", [50, 80], 30),
        (140, 40, "sign_in", [80, 50, 80, 140], 0),
        (140, 40, "sign_in", [80, 50, 80, 140], 50),
        (140, 40, "book_table", [80, 50, 80, 140], 50),
    ],
)
def test_a_window_of_another_width_holds_the_prompt_and_one_line(
    window: Callable[[int, int], Window],
    columns: int,
    lines: int,
    tool: str,
    narrower: list[int],
    above: int,
) -> None:
    terminal = window(columns, lines)
    earlier: list[str] = []
    if above:
        terminal.type(f"seq {above}\n")
        earlier = [f"{PROMPT} seq {above}", *map(str, range(1, above + 1))]
        terminal.wait_until(lambda: terminal.rows == [*earlier, PROMPT])
    terminal.type(f"call {tool}\n")
    terminal.wait_until(lambda: "╰" in terminal.screen)
    if tool == "book_table":
        terminal.type_until(CLEAR + "Mallory", lambda: "Mallory" in terminal.screen)
    for width in narrower:
        terminal.narrow(width)
        terminal.wait_until(lambda: terminal.has_the_form_elsewhere and "╰" in terminal.screen)
    line = f"✗ {tool} · declined"
    terminal.type_until("\x0e", lambda: line in terminal.screen)
    expected = [*earlier, f"{PROMPT} call {tool}", line, ANSWERS[tool], PROMPT]
    terminal.wait_until(lambda: terminal.rows[-1] == PROMPT)
    assert terminal.rows == expected


@pytest.mark.parametrize("above", [0, 12, 50])
def test_a_window_resized_faster_than_a_form_is_drawn_holds_the_prompt_and_one_line(
    window: Callable[[int, int], Window], above: int
) -> None:
    terminal = window(140, 40)
    earlier = [f"{PROMPT} seq {above}", *map(str, range(1, above + 1))] if above else []
    if above:
        terminal.type(f"seq {above}\n")
        terminal.wait_until(lambda: terminal.rows == [*earlier, PROMPT])
    terminal.type("call clear_cache\n")
    terminal.wait_until(lambda: "╰" in terminal.screen)
    for width in (110, 80, 50, 80, 140):
        terminal.narrow(width)
    line = "✗ clear_cache · declined"
    terminal.type_until("\x0e", lambda: line in terminal.screen)
    expected = [*earlier, f"{PROMPT} call clear_cache", line, ANSWERS["clear_cache"], PROMPT]
    terminal.wait_until(lambda: terminal.rows[-1] == PROMPT)
    assert terminal.rows == expected
