"""Whatever string a server chooses, nothing active comes out: one property for each way out."""

from __future__ import annotations

import asyncio
import io
import json
import os
import re
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from elicit_tui.broker import Notice, Resolved
from elicit_tui.cli.check import check
from elicit_tui.cli.dispatch import dispatch
from elicit_tui.cli.narration import Narration
from elicit_tui.cli.output import Output
from elicit_tui.cli.report import Report, event_line
from elicit_tui.cli.result_output import result_text
from elicit_tui.cli.telling import Telling
from elicit_tui.elicitation import (
    Call,
    ElicitationRequest,
    Question,
    Review,
    ServerIdentity,
    accept,
    decline,
)
from elicit_tui.guardian import Guardian
from elicit_tui.host.events import LogMessage, Progress
from elicit_tui.host.server_log import LogFile
from elicit_tui.ledger import Ledger
from elicit_tui.text import neutral_line
from elicit_tui.text.hostile_json import bounded_json
from elicit_tui.tui.console.results import as_text
from tests.hostile.tricks import COMMAND_LINES, EVERYTHING, MARKUP
from tests.responders.typing import answered, person
from tests.text.alphabet import active_left, any_text
from tests.tui.question.asking import Asking, asked, screen_text, until

SERVER = ServerIdentity("server", "stdio", "server-command")
PRINTABLE = re.compile("[ -~\n]*")
few = settings(max_examples=25, deadline=None)
hostile = st.one_of(any_text, any_text.map(lambda text: f"{text}\n::error::x ##[y]{text}"))


def must_be_harmless(written: str) -> None:
    assert active_left(written) == []
    assert not COMMAND_LINES.search(written), written


def request_of(text: str, mode: str = "form") -> ElicitationRequest:
    """A question with `text` in every place that a server fills."""
    server = ServerIdentity("server", "stdio", "server-command", text, text)
    field = {"type": "string", "title": text, "description": text, "default": text}
    one = {"type": "string", "enum": [text, f"{text}2"], "enumNames": [text, text]}
    schema = {
        "type": "object",
        "title": text,
        "description": text,
        "properties": {text: field, "one": {**one, "title": text}, "yes": {"type": "boolean"}},
        "required": [text, "one"],
    }
    params: dict[str, Any] = {"mode": mode, "message": text}
    if mode == "url":
        params |= {"url": f"https://example.com/{text}", "elicitationId": text}
    else:
        params["requestedSchema"] = schema
    return ElicitationRequest(server, params, calls=(Call("tools/call", text, {text: text}),))


def resolved(text: str) -> Resolved:
    request = request_of(text)
    outcome = accept("user", "You sent the form.", {text: text, "one": text})
    return Resolved(request, Guardian().review(request), outcome)


@few
@given(hostile, st.sampled_from(["form", "url"]))
@example(EVERYTHING, "form")
def test_plain_prompts(text: str, mode: str) -> None:
    with person("/help", "", "/cancel", "/cancel", "/cancel") as typist:
        asyncio.run(answered(typist, Question(request_of(text, mode), Review())))
        assert active_left(typist.shown) == []
        assert "\r" not in typist.shown


def widths(app: Asking) -> set[int]:
    return {cell_len(line) for line in screen_text(app).split("\n")}


# An application for each: new ones, and more of them, in what `--long` runs.
@settings(max_examples=12 if os.environ.get("EXAMPLES") == "new" else 5, deadline=None)
@given(any_text, st.sampled_from([(80, 24), (40, 20)]), st.sampled_from(["form", "url"]))
@example(EVERYTHING, (80, 24), "form")
@example(MARKUP, (80, 24), "form")
def test_the_question_on_the_screen(text: str, size: tuple[int, int], mode: str) -> None:
    request = request_of(text, mode)

    async def look() -> list[str]:
        app = Asking(Question(request, Guardian().review(request)))
        async with asked(app, size) as pilot:
            pages = []
            for key in ("f2", "f2", "ctrl+r", "pagedown"):
                pages.append(screen_text(app))
                await pilot.press(key)
                pages.append(screen_text(app))
                # No letter may be wider than it is taken for: each line is as wide as the screen.
                await until(pilot, lambda: widths(app) == {size[0]}, f"whole lines: {pages[-1]}")
            return pages

    for page in asyncio.run(look()):
        assert active_left(page) == []


@few
@given(hostile)
def test_a_result_in_the_console(text: str) -> None:
    blocks = [{"type": text, "text": text}, {"type": "image", "data": text, "mimeType": text}]
    for told in (as_text({"content": blocks}), bounded_json({text: blocks}), as_text({"a": text})):
        assert active_left(told) == []


@few
@given(hostile)
@example(EVERYTHING)
@example("\ud83d\ude00")
def test_json_and_json_lines(text: str) -> None:
    event = resolved(text)
    report = Report("server", "tools/call", text, "full")
    lines = [report.note_event(event)]
    report.result = {"content": [{"type": "text", "text": text}], text: text}
    stream = io.StringIO()
    output = Output(stream)
    report.write(output, "json", 0)
    document = json.loads(stream.getvalue())
    # Two halves of a pair of surrogates are one character behind JSON.
    read = json.loads(json.dumps(text))
    assert document["result"][read] == read
    report.write(output, "jsonl", 0)
    for fields in lines:
        output.json_line(event_line("elicitation.resolved", fields))
    assert PRINTABLE.fullmatch(stream.getvalue())


@few
@given(hostile)
@example(EVERYTHING)
def test_text_in_a_build(text: str) -> None:
    stream = io.StringIO()
    told = Telling(Narration(stream), "redacted")
    told.resolved(resolved(text))
    told.notice(Notice("server", neutral_line(text)))
    told.progress(Progress("server", "call", 1.0, None, text))
    told.log(LogMessage("server", text, text, {text: text}))
    told.log(LogMessage("server", "info", None, text))
    Narration(stream).error(ValueError(text))
    must_be_harmless(stream.getvalue())
    blocks = [{"type": text, "text": text}, {"type": text, "name": text, "uri": text}]
    messages = [{"role": text, "content": {"type": "text", "text": text}}]
    Output(stream).text(result_text({"content": blocks, "messages": messages}))
    must_be_harmless(stream.getvalue())


@few
@given(hostile)
@example(EVERYTHING)
def test_check_in_every_form(text: str) -> None:
    params = request_of(text).params
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory, "requests.jsonl")
        rows = [{"id": text, "server": text, **params}, {"id": text, "url": text, "mode": "url"}]
        file.write_text("\n".join(map(json.dumps, rows)))
        for form in ("text", "json", "jsonl", "sarif"):
            stream = io.StringIO()
            check(str(file), form, stdout=stream)
            if form == "text":
                must_be_harmless(stream.getvalue())
            else:
                assert PRINTABLE.fullmatch(stream.getvalue())


def encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


@few
@given(st.lists(st.one_of(st.binary(max_size=40), hostile.map(encoded))))
def test_the_log_file(pieces: list[bytes]) -> None:
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "log")
        log = LogFile(path)
        for line in b"".join(pieces).split(b"\n"):
            log.write("server", neutral_line(line.decode("utf-8", errors="replace"), 2000))
        log.write("server", "end")
        log.close()
        assert active_left(path.read_text("utf-8")) == []


def ran(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    capsys.readouterr()
    dispatch(arguments)
    told = capsys.readouterr()
    return told.out + told.err


def test_the_ledger_and_the_history(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI", "true")

    @few
    @given(hostile)
    @example(EVERYTHING)
    def holds(text: str) -> None:
        file = Path(tempfile.mkdtemp(dir=tmp_path), "ledger.sqlite3")
        config = file.with_name("config.toml")
        config.write_text(f"[history]\npath = {json.dumps(str(file))}\n")
        event = resolved(text)
        ledger = Ledger.open(file, content="full")
        ledger.asked(event.request, event.review)
        ledger.decided(event.request, decline("user", text), event.review)
        for row in ledger.rows():
            for value in (row.message, row.tool, row.reason):
                assert active_left(value or "") == []
        ledger.close()
        base = ("--config", str(config), "history")
        must_be_harmless(ran(capsys, *base, "list"))
        must_be_harmless(ran(capsys, *base, "show", event.request.id))
        for form in ("json", "jsonl"):
            assert PRINTABLE.fullmatch(ran(capsys, *base, "export", "--output", form))

    holds()


def test_the_configuration_with_hostile_names(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI", "true")

    @few
    @given(hostile.filter(lambda text: not re.search("[\ud800-\udfff]", text)))
    @example(EVERYTHING)
    def holds(text: str) -> None:
        name = json.dumps(text, ensure_ascii=True).replace("\x7f", "\\u007f")
        name = re.sub(
            r"\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}",
            lambda pair: f"\\U{ord(json.loads(f'{chr(34)}{pair[0]}{chr(34)}')):08x}",
            name,
        )
        config = tmp_path / "config.toml"
        config.write_text(
            f"unknown.{name} = {name}\napproval_policy = {name}\n"
            f"[mcp_servers.{name}]\ncommand = {name}\nargs = [{name}]\nodd = {name}\n"
            f"[[rules]]\nserver = {name}\naction = {name}\nmessage = {name}\n"
            f"[[guardian.rules]]\nid = {name}\nseverity = {name}\nadvice = {name}\n"
        )
        base = ("--config", str(config), "config")
        for command in (("check",), ("show",)):
            must_be_harmless(ran(capsys, *base, *command))
        config.write_text(
            f"[mcp_servers.{name}]\ncommand = {name}\n[mcp_servers.good]\ncommand = 'x'\n"
            f"[[rules]]\nserver = {name}\naction = 'decline'\nmessage = {name}\n"
        )
        for command in (
            ("show",),
            ("explain", text),
            ("explain", "good", text, "--message", text),
            ("explain", "unknown"),
        ):
            if not text.startswith("-"):
                must_be_harmless(ran(capsys, *base, *command))

    holds()
