"""A page is given to the system's browser: to one with a window, apart from this terminal."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from elicit_tui.responders import browser
from elicit_tui.responders.browser import open_in_browser

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a script as a browser")

WRITES = """
import os, sys
nowhere = os.stat(os.devnull).st_rdev
streams = ["nowhere" if os.fstat(number).st_rdev == nowhere else "here" for number in range(3)]
with open({log!r}, "w") as log:
    print(sys.argv[1], os.getcwd(), os.getsid(0), *streams, sep="\\n", file=log)
"""
PAGE = "https://example.com/sign-in?a=b&c=d"


@pytest.fixture
def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a browser of ours writes what it was given."""
    log = tmp_path / "opened"
    script = tmp_path / "browser"
    script.write_text(f"#!{sys.executable} -IS\n{WRITES.format(log=str(log))}")
    script.chmod(0o700)
    monkeypatch.setenv("BROWSER", f"{script} %s")
    return log


@pytest.fixture
def input_here() -> Iterator[None]:
    """An input of this process that its children would read as well."""
    kept, (read, write) = os.dup(0), os.pipe()
    os.dup2(read, 0)
    yield
    os.dup2(kept, 0)
    for number in (kept, read, write):
        os.close(number)


@pytest.mark.usefixtures("input_here")
def test_a_page_is_opened_whole_apart_from_this_terminal_and_directory(opened: Path) -> None:
    assert open_in_browser(PAGE)
    page, directory, session, *streams = opened.read_text().splitlines()
    assert (page, directory, streams) == (PAGE, "/", ["nowhere"] * 3)
    assert int(session) != os.getsid(0)


def test_no_module_of_the_environment_stands_in_for_the_system_s_own(
    opened: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "webbrowser.py").write_text("raise SystemExit(0)")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert open_in_browser(PAGE)
    assert opened.read_text().startswith(PAGE)


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "https://a b/",
        "https://%61.example/",
        "https://example.com/\u202eedoc",
        "https://ex\u0430mple.com/",
    ],
)
def test_what_is_no_page_is_given_to_no_browser(opened: Path, url: str) -> None:
    assert not open_in_browser(url)
    assert not opened.exists()


def test_a_browser_that_fails_has_opened_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BROWSER", "false")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert not open_in_browser(PAGE)


def test_a_browser_that_would_draw_in_this_terminal_is_none(
    opened: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lynx = tmp_path / "lynx"
    (tmp_path / "browser").rename(lynx)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setenv("BROWSER", "lynx")
    assert not open_in_browser(PAGE)
    assert not opened.exists()


def test_a_browser_that_stays_in_front_has_opened_the_page(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Stays:
        def __init__(self, *_: object, **__: object) -> None:
            pass

        def wait(self, timeout: float) -> int:
            raise subprocess.TimeoutExpired("browser", timeout)

    monkeypatch.setattr(browser.subprocess, "Popen", Stays)
    assert open_in_browser(PAGE)


def test_where_no_program_can_be_started_nothing_is_opened(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    assert not open_in_browser(PAGE)
