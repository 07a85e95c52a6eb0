"""What a build's log, a pipe and a file get of a hostile server's words."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.hostile.running import run as run_command
from tests.hostile.tricks import COMMAND_LINES, FORBIDDEN, TRICKS
from tests.text.alphabet import active_left

SERVER = f"{sys.executable} {Path(__file__).with_name('server.py')}"


def run(*arguments: str) -> subprocess.CompletedProcess[bytes]:
    return run_command("--with", f"hostile={SERVER}", *arguments)


def must_be_harmless(written: bytes) -> None:
    text = written.decode("utf-8")
    assert active_left(text) == []
    assert not FORBIDDEN.search(text)
    assert not COMMAND_LINES.search(text)


@pytest.mark.parametrize("trick", TRICKS)
def test_a_call_tells_of_a_trick_without_letting_it_act(trick: str) -> None:
    done = run("call", "hostile", trick)
    assert done.returncode in (0, 1), done.stderr[-2000:]
    must_be_harmless(done.stdout)
    must_be_harmless(done.stderr)


@pytest.mark.parametrize("trick", ["everything_at_once", "escapes_in_an_error", "lone_surrogates"])
@pytest.mark.parametrize("form", ["json", "jsonl"])
def test_data_is_printable_ascii_and_exactly_what_the_server_said(trick: str, form: str) -> None:
    done = run("call", "hostile", trick, "--output", form)
    assert re.fullmatch(b"[ -~\n]*", done.stdout)
    must_be_harmless(done.stderr)
    documents = [done.stdout] if form == "json" else done.stdout.splitlines()
    last = json.loads(documents[-1])
    if TRICKS[trick].error is None:
        (content,) = last["result"]["content"]
        assert content["text"].replace("\ufffd", "") or trick == "lone_surrogates"
        if trick != "lone_surrogates":
            assert content["text"] == TRICKS[trick].result


@pytest.mark.parametrize("what", ["tools", "prompts", "resources"])
@pytest.mark.parametrize("form", ["text", "json"])
def test_names_in_lists_do_not_act(what: str, form: str) -> None:
    done = run(what, "hostile", "--output", form)
    assert done.returncode == 0, done.stderr[-2000:]
    must_be_harmless(done.stdout if form == "text" else b"")
    must_be_harmless(done.stderr)
    if form == "json":
        assert re.fullmatch(b"[ -~\n]*", done.stdout)


def test_a_prompt_and_a_resource_do_not_act() -> None:
    for arguments in (("prompt", "hostile", "any"), ("read", "hostile", "file:///hostile")):
        done = run(*arguments)
        must_be_harmless(done.stdout)
        must_be_harmless(done.stderr)
