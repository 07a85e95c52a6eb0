"""A file that others could have written is told loudly; a pipe in its place is not waited for."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path
from shlex import quote

import pytest

from elicit_tui import paths
from elicit_tui.config import CommandLine, load
from elicit_tui.config.loading import check
from elicit_tui.errors import ConfigError

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="modes and owners of POSIX")

NOBODY = 65534
NO_MANAGED = Path("/nonexistent/managed.toml")
AS_ROOT = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away"
)


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The person's own file, at its own place."""
    path = tmp_path / "elicit-tui" / "config.toml"
    path.parent.mkdir(mode=0o700)
    path.write_text('approval_policy = "never"\n')
    path.chmod(0o600)
    monkeypatch.setattr(paths, "config_file", lambda: path)
    return path


def told() -> tuple[str, ...]:
    return load(environment={}, managed_path=NO_MANAGED).notices


def found() -> list[str]:
    return [str(problem) for problem in check(environment={}, managed_path=NO_MANAGED).problems]


def test_a_file_that_nobody_else_writes_is_not_worth_a_word(config: Path) -> None:
    assert told() == ()
    assert found() == []


@pytest.mark.parametrize("place", ["file", "directory"])
def test_what_everybody_may_write_is_told_and_a_problem(config: Path, place: str) -> None:
    exposed = config if place == "file" else config.parent
    exposed.chmod(0o777)
    (sentence,) = told()
    assert sentence.startswith(f"{config}: ")
    assert f"`chmod o-w {exposed}` mends that" in sentence
    assert found() == [sentence]
    assert check(environment={}, managed_path=NO_MANAGED).notices == ()
    exposed.chmod(0o1777)  # a directory as /tmp: nobody replaces what is another's
    assert bool(told()) is (place == "file")


def test_where_each_link_to_it_stands_is_looked_at(config: Path, tmp_path: Path) -> None:
    everybodys = tmp_path / "everybody's"
    everybodys.mkdir()
    config.rename(tmp_path / "own.toml")
    (everybodys / "between").symlink_to("../own.toml")
    config.symlink_to(everybodys / "between")
    assert told() == ()
    for directory in (everybodys, config.parent):
        directory.chmod(0o777)
        (sentence,) = told()
        assert (
            f"its directory can be written by everybody; `chmod o-w {quote(str(directory))}`"
            in (sentence)
        )
        directory.chmod(0o1777)
        assert told() == ()


def test_the_file_behind_a_link_is_looked_at(config: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.toml"
    other.write_text("")
    other.chmod(0o666)
    config.unlink()
    config.symlink_to(other)
    assert any(f"`chmod o-w {other}`" in sentence for sentence in told())


@AS_ROOT
def test_the_file_of_another_user_is_told_and_a_checkout_is_no_problem_to_root(
    config: Path,
) -> None:
    os.chown(config, NOBODY, -1)
    assert "belongs to another user" in "".join(told())
    assert "belongs to another user" in "".join(found())
    named = check(CommandLine(config_file=config), environment={}, managed_path=NO_MANAGED)
    assert named.problems == ()
    assert "belongs to another user" in "".join(named.notices)


def test_a_pipe_at_its_place_is_refused_at_once(config: Path) -> None:
    config.unlink()
    os.mkfifo(config)
    with pytest.raises(ConfigError, match="is no regular file"):
        told()


def test_a_link_that_leads_nowhere_is_no_missing_file(config: Path) -> None:
    config.unlink()
    config.symlink_to(config.parent / "gone.toml")
    with pytest.raises(ConfigError, match="is a link to a file that is not there"):
        told()


def test_no_file_is_written_through_a_link_of_another_user(
    config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    link, before = config.with_name("report.xml"), config.read_bytes()
    link.symlink_to(config)
    paths.rewrite_file(link, b"ours")
    assert config.read_bytes() == b"ours"
    config.write_bytes(before)
    monkeypatch.setattr(paths, "_ours", lambda: (os.geteuid() + 1,))
    with pytest.raises(OSError, match="a link that another user made"):
        paths.rewrite_file(link, b"<xml/>")
    assert config.read_bytes() == before


def test_a_pipe_that_nobody_reads_is_not_waited_for(config: Path) -> None:
    pipe = config.with_name("report.xml")
    os.mkfifo(pipe)
    with pytest.raises(OSError, match="No such device"):
        paths.rewrite_file(pipe, b"<xml/>")
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    paths.rewrite_file(pipe, b"<xml/>")
    assert os.read(reading, 100) == b"<xml/>"
    os.close(reading)


def test_a_pipe_on_the_command_line_is_read(config: Path) -> None:
    reading, writing = os.pipe()
    writer = threading.Thread(target=lambda: (os.write(writing, b"rules = []"), os.close(writing)))
    writer.start()
    named = CommandLine(config_file=Path(f"/dev/fd/{reading}"))
    assert load(named, environment={}, managed_path=NO_MANAGED).notices == ()
    writer.join()
    os.close(reading)
