from __future__ import annotations

import io

import pytest

from elicit_tui.cli.presence import person_present, wants_plain_prompts


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
