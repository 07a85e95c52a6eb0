"""The terminal: whether a person is at it, and our signs in its colours."""

from __future__ import annotations

import io
import json
from io import StringIO
from pathlib import Path

import pytest

from elicit_tui.cli.check import check
from elicit_tui.cli.output import Output
from elicit_tui.cli.own_terminal import (
    coloured,
    coloured_change,
    person_present,
    wants_plain_prompts,
)
from elicit_tui.elicitation.settings import GuardianSettings


class Stream(io.StringIO):
    def __init__(self, terminal: bool) -> None:
        super().__init__()
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal


@pytest.mark.parametrize(
    ("stdin", "stderr", "ci", "taken", "present"),
    [
        (True, True, None, False, True),
        (True, True, "", False, True),
        (True, True, "0", False, True),
        (True, True, "false", False, True),
        (True, True, "true", False, False),
        (True, True, "1", False, False),
        (True, True, "yes", False, False),
        (False, True, None, False, False),
        (True, False, None, False, False),
        (False, False, None, False, False),
        (True, True, None, True, False),
    ],
)
def test_a_person_is_there_when_stdin_and_stderr_are_terminals_outside_ci(
    stdin: bool, stderr: bool, ci: str | None, taken: bool, present: bool
) -> None:
    environment = {} if ci is None else {"CI": ci}
    assert (
        person_present(
            stdin_taken=taken,
            stdin=Stream(stdin),
            stderr=Stream(stderr),
            environment=environment,
        )
        is present
    )


def test_a_closed_stream_is_no_terminal() -> None:
    closed = Stream(True)
    closed.close()
    io.StringIO.close(closed)
    broken = io.StringIO()
    broken.close()
    assert not person_present(stdin=broken, stderr=Stream(True), environment={})


def test_a_dumb_terminal_gets_plain_prompts() -> None:
    assert wants_plain_prompts({"TERM": "dumb"})
    assert not wants_plain_prompts({"TERM": "xterm"})
    assert not wants_plain_prompts({})


class Terminal(StringIO):
    """Standard output that is a terminal."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


def test_a_sign_of_ours_is_coloured_on_a_terminal() -> None:
    assert coloured("✓ a\n  ✗ b", terminal=True, environment={"TERM": "xterm"}) == (
        "\x1b[32m✓\x1b[39m a\n  \x1b[31m✗\x1b[39m b"
    )


def test_a_difference_is_green_and_red_but_for_its_headings() -> None:
    lines = ["--- a", "+++ b", " c", "-d", "+e"]
    written = [
        coloured_change(line, terminal=True, environment={"TERM": "xterm"}) for line in lines
    ]
    assert written == [*lines[:3], "\x1b[31m-d\x1b[39m", "\x1b[32m+e\x1b[39m"]
    assert [coloured_change(line, terminal=False, environment={}) for line in lines] == lines


@pytest.mark.parametrize(
    ("terminal", "environment"),
    [(False, {}), (True, {"NO_COLOR": "1"}), (True, {"TERM": "dumb"})],
    ids=["a pipe", "NO_COLOR", "a dumb terminal"],
)
def test_no_colour_goes_where_it_is_not_wanted(terminal: bool, environment: dict[str, str]) -> None:
    assert coloured("▲ a", terminal=terminal, environment=environment) == "▲ a"


def test_the_verdicts_of_check_have_their_signs_on_a_terminal_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    file = tmp_path / "one.jsonl"
    asks = {"type": "object", "properties": {"password": {"type": "string"}}}
    file.write_text(json.dumps({"message": "Your password?", "requestedSchema": asks}))
    shown, piped = Terminal(), StringIO()
    for stream in (shown, piped):
        check(str(file), "text", GuardianSettings(), stdout=stream)
    assert f"{file}:1: ■ block\n  ■ block  " in shown.getvalue()
    assert f"{file}:1: block\n  block  " in piped.getvalue()


def test_json_on_a_terminal_shows_other_scripts_as_themselves() -> None:
    shown, piped = Terminal(), StringIO()
    for stream in (shown, piped):
        Output(stream).json({"city": "東京\u200b"})
    assert '"東京\\u200b"' in shown.getvalue()
    assert piped.getvalue().isascii()
    assert json.loads(shown.getvalue()) == json.loads(piped.getvalue()) == {"city": "東京\u200b"}
