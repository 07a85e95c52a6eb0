from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from elicit_tui.cli.narration import Narration
from elicit_tui.cli.output import Output
from elicit_tui.cli.result_output import result_text
from tests.cli.running import DEMO, SECONDS, environment, run
from tests.cli.terminal import Terminal


def python(program: str, **options: object) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-c", program],
        timeout=SECONDS,
        env=environment(),
        check=False,
        **options,  # type: ignore[call-overload]
    )


def test_a_stray_print_never_reaches_claimed_standard_output() -> None:
    program = (
        "import os; from elicit_tui.cli.output import Output; o = Output(); o.claim();"
        "print('stray'); os.write(1, b'raw\\n'); o.json({'a': '\\x1b'}); o.release();"
        "print('after')"
    )
    done = python(program, capture_output=True)
    assert done.stdout == b'{\n  "a": "\\u001b"\n}\nafter\n'
    assert b"stray" in done.stderr
    assert b"raw" in done.stderr


def test_a_reader_that_goes_away_ends_the_writing_and_not_the_run() -> None:
    read, write = os.pipe()
    os.close(read)
    program = (
        "import sys; from elicit_tui.cli.output import Output, why_data_was_lost; o = Output();"
        "{}; o.text('x' * 100000); o.text('y'); o.release();"
        "sys.stderr.write(f'still here {{why_data_was_lost()}}')"
    )
    for claim in ("o.claim()", "pass"):
        done = python(program.format(claim), stdout=write, stderr=subprocess.PIPE)
        assert done.returncode == 0
        assert done.stderr == b"still here None"
    os.close(write)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a full device")
def test_data_that_could_not_be_written_is_known_to_be_lost() -> None:
    program = (
        "import sys; from elicit_tui.cli.output import Output, why_data_was_lost; o = Output();"
        "o.claim(); o.text('x'); sys.stderr.write(why_data_was_lost().strerror)"
    )
    with Path("/dev/full").open("wb") as full:
        done = python(program, stdout=full, stderr=subprocess.PIPE)
    assert done.stderr == b"No space left on device"


def test_narration_neutralises_and_commands_no_ci_system() -> None:
    stream = io.StringIO()
    Narration(stream).say("::error::boo\n\x1b]0;title\x07")
    written = stream.getvalue()
    assert "\x1b" not in written
    assert not written.startswith("::")
    assert written.endswith("\n")


def test_narration_waits_while_a_form_is_open() -> None:
    stream = io.StringIO()
    narration = Narration(stream)
    with narration.behind_form():
        with narration.behind_form():
            narration.say("one")
        assert stream.getvalue() == ""
    narration.say("two")
    assert stream.getvalue() == "one\ntwo\n"


def test_narration_spells_out_what_its_stream_cannot_write_and_goes_on() -> None:
    raw = io.BytesIO()
    narration = Narration(io.TextIOWrapper(raw, encoding="ascii", newline="\n"))
    narration.say("✓ Zürich")
    narration.say("and more")
    assert raw.getvalue() == b"\\u2713 Z\\xfcrich\nand more\n"


@pytest.mark.parametrize(
    ("encoding", "written"), [("ascii", "\\xe9 \\u2713"), ("latin-1", "é \\u2713")]
)
def test_what_the_encoding_of_standard_output_lacks_is_spelled_out(
    encoding: str, written: str
) -> None:
    pipe = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    output = Output(pipe)
    output.text("é ✓")
    output.prose("after")
    assert pipe.buffer.getvalue() == f"{written}\nafter\n".encode(encoding)  # type: ignore[attr-defined]
    assert output.failure is None


def test_no_line_of_standard_output_commands_a_ci_system() -> None:
    stream = io.StringIO()
    output = Output(stream)
    output.text("a\n  ::add-mask::b")
    output.prose("##[error]c")
    output.json({"d": "##vso[e]"})
    assert "\n  ⟨:⟩:add-mask::b\n⟨#⟩#[error]c\n" in stream.getvalue()
    assert "##" not in stream.getvalue()


def test_output_on_a_redirected_stream_is_never_held() -> None:
    stream = io.StringIO()
    output = Output(stream)
    output.hold()
    output.json_line({"a": 1})
    assert stream.getvalue() == '{"a": 1}\n'


def test_a_result_is_shown_as_neutral_text_that_commands_no_ci_system() -> None:
    result = {
        "content": [
            {"type": "text", "text": "::set-output name=x::y\n\x1b[31mred"},
            {"type": "image", "data": "AAAA", "mimeType": "image/png\x1b"},
            {"type": "resource", "resource": {"uri": "a://b", "text": "inside"}},
            {"type": "resource_link", "name": "n", "uri": "a://c"},
            "not a block",
        ]
    }
    stream = io.StringIO()
    Output(stream).text(result_text(result))
    shown = stream.getvalue()
    assert "\x1b" not in shown
    assert not shown.startswith("::")
    assert "image/png" in shown
    assert "4 characters of base64" in shown
    assert "inside" in shown
    assert "a://c" in shown


def test_a_result_with_structured_content_only_is_shown_as_json() -> None:
    assert '"a": 1' in result_text({"content": [], "structuredContent": {"a": 1}})


@pytest.mark.parametrize(
    "command", [("config", "explain", "demo", "deploy"), ("tools", "demo"), ("--help",)]
)
def test_prose_on_a_terminal_breaks_at_words_and_goes_on_indented(command: tuple[str, ...]) -> None:
    if command[0] != "--help":
        command = ("--with", DEMO, *command)
    with Terminal(command, columns=60, CI="1") as terminal:
        assert terminal.end() == 0
        lines = terminal.shown.splitlines()
    assert max(map(len, lines)) <= 60
    words = {word for line in lines for word in line.split()}
    piped = run(*command).stdout
    assert words >= {word for word in piped.split() if len(word) < 50}
