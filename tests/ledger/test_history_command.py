from __future__ import annotations

import json
import re
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from elicit_tui.cli import run
from elicit_tui.cli.history import point_in_time
from elicit_tui.cli.history_text import plain_table, terminal_table
from elicit_tui.elicitation import (
    Answerer,
    Call,
    Finding,
    Outcome,
    Review,
    Severity,
    accept,
    cancel,
    decline,
)
from elicit_tui.elicitation.outcome import SIGNS
from elicit_tui.elicitation.settings import ContentPolicy
from elicit_tui.ledger import Ledger
from elicit_tui.ledger.rows import Row
from elicit_tui.paths import ledger_file
from elicit_tui.tui.console.calls import CallRecord
from elicit_tui.tui.console.kept_calls import KeptCalls
from elicit_tui.tui.console.written_later import until_written
from tests.cli.terminal import Terminal
from tests.ledger.world import Clock, request
from tests.text.alphabet import active_left

HOSTILE = "Which?\n  ::set-env name=x::y\n##vso[task] \x1b[2J\x1b]0;title\x07 [bold]x[/] \u202e"
FOUND = Finding("hidden.escape", Severity.WARN, "message", "␛[2J", "Look twice.")

Tell = Callable[..., tuple[int, str, str]]


@pytest.fixture
def tell(capsys: pytest.CaptureFixture[str]) -> Tell:
    def told(*arguments: str) -> tuple[int, str, str]:
        code = run(["history", *arguments])
        said = capsys.readouterr()
        return code, said.out, said.err

    return told


@pytest.fixture
def recorded() -> Path:
    clock = Clock()
    path = ledger_file()
    with closing(Ledger.open(path, clock=clock)) as ledger:
        review = Review((FOUND,), frozenset({"token"}))
        outcomes = (accept("user", "You sent it.", {"token": "s3cr3t"}), decline("guardian", "No."))
        for number, outcome in enumerate(outcomes):
            asked = request(HOSTILE, server=f"server{number}", clock=clock, id=f"{number}abc")
            ledger.asked(asked, review)
            clock.advance(days=1)
            ledger.decided(asked, outcome, review)
            ledger.sent(asked.id)
        ledger.flood("rude", 500, cancel("flood", "Too many."))
    return path


def test_nothing_recorded_yet_is_no_error(tell: Tell) -> None:
    code, out, err = tell("list")
    assert (code, out) == (0, "")
    assert "No question has been recorded yet" in err
    assert tell("export")[:2] == (0, "")
    assert tell("list", "--output", "json")[:2] == (0, "[]\n")
    assert not ledger_file().exists()


def test_what_needs_a_ledger_says_that_there_is_none(tell: Tell) -> None:
    for arguments in (["show", "x"], ["verify"], ["prune", "--before", "7d"]):
        code, out, err = tell(*arguments)
        assert (code, out) == (2, "")
        assert "There is no ledger" in err


def test_the_list_is_one_line_a_question_with_nothing_active(tell: Tell, recorded: Path) -> None:
    code, out, err = tell("list")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert len(lines) == 4
    assert active_left(out) == []
    assert not re.search(r"(?m)^\s*::|##(vso)?\[", out)
    for word in ("0abc", "server0", "deploy", "warn", "accept by user", "Which?⏎", "[bold]x[/]"):
        assert word in lines[1]
    assert "500 requests over the limit" in lines[3]


def test_the_list_is_filtered_and_cut(tell: Tell, recorded: Path) -> None:
    def ids(*arguments: str) -> list[str]:
        code, out, _ = tell("list", "--output", "jsonl", *arguments)
        assert code == 0
        return [json.loads(line)["server"] for line in out.splitlines()]

    assert ids() == ["server0", "server1", "rude"]
    assert ids("--server", "server1") == ["server1"]
    assert ids("--action", "accept") == ["server0"]
    assert ids("--decided-by", "flood") == ["rude"]
    assert ids("--since", "2026-11-02T12:00:00Z") == ["server1", "rude"]
    assert ids("--limit", "1") == ["rude"]
    for many in ("9" * 30, "9" * 5000):
        assert len(ids("--limit", many)) == 3
    _, out, err = tell("list", "--limit", "1")
    assert (len(out.splitlines()), "2 older" in err) == (2, True)


@pytest.mark.parametrize("arguments", [("list", "--since", "soon"), ("list", "--action", "yes")])
def test_wrong_usage_is_exit_code_2(
    arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        code = run(["history", *arguments])
    except SystemExit as end:
        code = int(str(end.code))
    assert code == 2
    assert capsys.readouterr().out == ""


def test_export_is_printable_ascii_that_reads_back_whole(tell: Tell, recorded: Path) -> None:
    code, out, _ = tell("export")
    assert code == 0
    assert re.fullmatch("[ -~\n]*", out)
    rows = [json.loads(line) for line in out.splitlines()]
    assert rows == json.loads(tell("export", "--output", "json")[1])
    assert rows[0]["content"] == {"token": "•••"}
    assert rows[0]["findings"] == [FOUND.as_json()]
    assert set(rows[0]["hashes"]) == {"asked", "decided", "sent"}


def test_show_tells_everything_and_nothing_active(tell: Tell, recorded: Path) -> None:
    code, out, _ = tell("show", "0a")
    assert code == 0
    assert active_left(out) == []
    assert not re.search(r"(?m)^\s*::|##(vso)?\[", out)
    for word in ("You sent it.", "hidden.escape", "•••", "Look twice.", "requestedSchema"):
        assert word in out
    assert json.loads(tell("show", "0a", "--output", "json")[1])["id"] == "0abc"


def test_show_says_where_the_ids_stand_when_it_knows_none_like_it(
    tell: Tell, recorded: Path
) -> None:
    code, out, told = tell("show", "zz\x1b[2Jz")
    assert (code, out) == (2, "")
    assert told == "elicit-tui: No question 'zz␛[2Jz' was recorded (see elicit-tui history list).\n"


def recorded_as(outcome: Outcome, policy: ContentPolicy) -> str:
    clock = Clock()
    with closing(Ledger.open(ledger_file(), content=policy, clock=clock)) as ledger:
        question = request("Which?", clock=clock, id="abc")
        ledger.asked(question, Review())
        ledger.decided(question, outcome, Review(sensitive=frozenset({"token"})))
    return "abc"


def test_show_tells_who_decided_why_and_the_answer_before_the_record(
    tell: Tell, recorded: Path
) -> None:
    lines = tell("show", "0a")[1].splitlines()
    assert lines[0] == "✓ accept by user"
    order = ("asked ", "server ", "tool ", "message ", "why ", "answer ", "guardian ", "as it is")
    places = [next(n for n, line in enumerate(lines) if line.startswith(word)) for word in order]
    assert places == sorted(places)
    assert places[-1] < min(n for n, line in enumerate(lines) if "Digest" in line)
    assert "requestedSchema" in "".join(lines[places[-1] :])
    assert "requestedSchema" not in "".join(lines[: places[-1]])


@pytest.mark.parametrize(
    ("policy", "content", "said"),
    [
        ("redacted", {"token": "x"}, "(what looked like a secret is masked: •••)"),
        ("redacted", {"name": "x"}, "(nothing was masked)"),
        ("full", {"token": "•••"}, "(nothing was masked)"),
        ("none", {"token": "x"}, 'not kept (history.content = "none")'),
    ],
)
def test_show_says_what_was_done_to_an_answer_for_keeping(
    tell: Tell, policy: ContentPolicy, content: dict[str, str], said: str
) -> None:
    shown = tell("show", recorded_as(accept("user", "You sent it.", content), policy))[1]
    assert re.search(f"(?m)^answer +{re.escape(said)}$", shown)
    assert "contentPolicy" not in shown


@pytest.mark.parametrize(
    ("policy", "note"),
    [
        ("redacted", "use notes.txt, the password is •••"),
        ("full", "use notes.txt, the password is swordfish"),
        ("none", None),
    ],
)
def test_what_a_refusal_told_the_agent_is_kept_as_an_answer_is(
    tell: Tell, policy: ContentPolicy, note: str | None
) -> None:
    told = "use notes.txt, the password is swordfish"
    question = recorded_as(decline("user", "You declined.", note=told), policy)
    shown = tell("show", question)[1]
    assert re.findall("(?m)^note +(.*)$", shown) == ([note] if note else [])
    assert json.loads(tell("export")[1].splitlines()[-1]).get("note") == note


def test_show_speaks_of_no_answer_where_none_was_given(tell: Tell) -> None:
    shown = tell("show", recorded_as(decline("user", "You declined."), "redacted"))[1]
    assert "masked" not in shown
    assert not re.search("(?m)^answer", shown)


def test_show_says_from_where_another_process_answered_and_what_was_taken_back(tell: Tell) -> None:
    ada = Answerer("ada", "pts/3", "desk")
    outcome = accept("user", "You sent it.", {"name": "x"}, via="inbox", answered_by=ada)
    question = recorded_as(outcome, "redacted")
    with closing(Ledger.open(ledger_file())) as ledger:
        ledger.withdrawn(question, "The server took it back.")
    lines = tell("show", question)[1].splitlines()
    assert "from            inbox: ada at pts/3 of desk" in lines
    assert "withdrawn       The server took it back." in lines


def test_show_names_the_page_that_was_to_be_opened(tell: Tell) -> None:
    params = {"mode": "url", "message": "Sign in.", "url": "https://example.com/a"}
    with closing(Ledger.open(ledger_file())) as ledger:
        ledger.asked(request(id="abc", params=params), Review())
    assert "page            https://example.com/a" in tell("show", "abc")[1].splitlines()


def test_on_a_terminal_the_request_pushes_nothing_out_of_view(recorded: Path) -> None:
    with Terminal(["history", "show", "0a"], columns=60) as terminal:
        assert terminal.end() == 0
        shown = terminal.shown
    assert "requestedSchema" not in shown
    assert "--output json shows it" in shown


@pytest.mark.parametrize("command", [("history", "show"), ("inbox", "show"), ("inbox", "answer")])
def test_what_needs_an_id_says_what_to_type(
    command: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(command) == 2
    said = capsys.readouterr().err
    assert f"elicit-tui {' '.join(command)} ID" in said
    assert f"elicit-tui {command[0]} list" in said


def test_verify_prints_the_head_and_fails_on_a_cut_tail(tell: Tell, recorded: Path) -> None:
    code, out, _ = tell("verify")
    assert code == 0
    head = out.split()[-1]
    assert "7 records" in out
    assert tell("verify", "--head", head)[0] == 0
    code, out, _ = tell("verify", "--head", "f" * 64)
    assert (code, "cut off" in out) == (1, True)
    found = json.loads(tell("verify", "--output", "json")[1])
    assert found == {
        "ok": True,
        "records": 7,
        "first": 1,
        "head": head,
        "brokenAt": None,
        "problem": None,
    }


def test_verify_names_the_broken_record(tell: Tell, recorded: Path) -> None:

    with closing(sqlite3.connect(recorded)) as connection:
        connection.execute("DELETE FROM records WHERE number = 4")
        connection.commit()
    code, out, _ = tell("verify")
    assert code == 1
    assert "broken at record 4" in out


def test_prune_says_what_it_removed_and_the_chain_verifies(tell: Tell, recorded: Path) -> None:
    assert "nothing was removed" in tell("prune", "--before", "2020-01-01")[1]
    code, out, _ = tell("prune", "--before", "2026-11-02T12:00:00Z")
    assert code == 0
    assert out == "Nothing was recorded before then; nothing was removed.\n"
    assert tell("prune", "--before", "2026-11-03T00:00:00Z", "--output", "json")[0] == 0
    code, out, _ = tell("verify")
    assert (code, "from record 4 on" in out) == (0, True)


def test_prune_removes_what_the_console_kept_of_calls_too(tell: Tell, recorded: Path) -> None:
    kept = KeptCalls("full")
    for year in (2024, 2026):
        record = CallRecord("a", Call("tools/call", "look"), began=datetime(year, 1, 1))
        record.end("answered", result={})
        kept.add(record, {}, None)
        until_written(20)
    assert "Removed 1 call that" in tell("prune", "--before", "2025-01-01")[1]
    assert [call.began.year for call in kept.read()] == [2026]


def test_prune_does_not_hide_that_the_chain_was_broken(tell: Tell, recorded: Path) -> None:
    with closing(sqlite3.connect(recorded)) as connection:
        connection.execute("DELETE FROM records WHERE number = 2")
        connection.commit()
    code, _, err = tell("prune", "--before", "2026-12-01")
    assert code == 0
    assert "the chain was broken before this: Record 2 is missing." in err


def test_a_terminal_of_any_width_gets_lines_that_fit(recorded: Path) -> None:
    with closing(Ledger.open(recorded)) as ledger:
        rows = list(ledger.rows())
    for width in (20, 40, 80, 119, 120, 200):
        shown = re.sub(r"\x1b\[[0-9;]*m", "", terminal_table(rows, width))
        assert max(len(line) for line in shown.splitlines()) <= width
        assert active_left(shown) == []
    assert plain_table(rows).count("\n") == 3


def test_what_became_of_a_question_is_whole_at_eighty_columns() -> None:
    long = Row("0" * 36, "a-server-with-a-long-name", tool="delete_everything", mode="form")
    row = replace(long, verdict="block", action="decline", decided_by="withdrawn", message="m" * 99)
    shown = terminal_table([row], 80)
    assert f"{SIGNS['decline']} decline by withdrawn  ■ guardian: block" in shown
    assert "a-server-with-a-long-name  delete_everything  mmm" in shown


def table_shown(rows: list[Row], width: int) -> str:
    """The list as a terminal of this width shows it, without colours."""
    shown = re.sub(r"\x1b\[[0-9;]*m", "", terminal_table(rows, width))
    assert max(map(len, shown.splitlines())) <= width
    return shown


@pytest.mark.parametrize("width", [60, 80, 100, 119, 120, 130, 140, 160, 200])
def test_only_tool_and_message_give_way_whatever_the_width(width: int) -> None:
    tools = "set_preferences or choose_colours or clear_cache"
    row = Row("0123456789", "a-server-of-ours", tool=tools, mode="form", verdict="block")
    row = replace(row, asked_at="2026-11-21T09:30:15Z", action="decline", decided_by="withdrawn")
    shown = table_shown([row, replace(row, message="m" * 300)], width)
    when = datetime(2026, 11, 21, 9, 30, tzinfo=timezone.utc).astimezone()
    whole = (f"{when:%Y-%m-%d %H:%M}", "01234567", "a-server-of-ours", "✗ decline by withdrawn")
    for word in (*whole, "block", "set_preferences or"):
        assert shown.count(word) == 2, word
    assert re.search("m{8}…", shown)


@pytest.mark.parametrize("width", [80, 200])
def test_what_the_guardian_found_nothing_in_reads_as_no_contradiction(width: int) -> None:
    row = Row("0" * 8, "demo", tool="x", mode="form", action="decline", decided_by="user")
    shown = table_shown([replace(row, verdict="allow")], width)
    assert "allow" not in shown
    assert "guardian: " not in shown
    assert "▲" in table_shown([replace(row, verdict="warn")], width)
    assert "no warning  decline by user" in plain_table([replace(row, verdict="allow")])


NOW = datetime(2026, 11, 21, 12, tzinfo=timezone.utc)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("90m", NOW - timedelta(minutes=90)),
        ("7d", NOW - timedelta(days=7)),
        ("2w", NOW - timedelta(weeks=2)),
        ("2026-11-20T09:30:00Z", datetime(2026, 11, 20, 9, 30, tzinfo=timezone.utc)),
        ("2026-11-20t09:30:00.25+01:00", datetime(2026, 11, 20, 8, 30, 0, 250000, timezone.utc)),
        ("2026-11-20 09:30", datetime(2026, 11, 20, 9, 30).astimezone()),
        ("2026-11-20", datetime(2026, 11, 20).astimezone()),
    ],
)
def test_a_moment_is_a_date_a_time_or_a_time_ago(text: str, meant: datetime) -> None:
    assert point_in_time(text, NOW) == meant


@pytest.mark.parametrize(
    "text", ["", "soon", "7", "7y", "2026-13-01", "٢٠٢٦-١١-٢٠", "999999w", "2026-11-20T25:00Z"]
)
def test_what_is_no_moment_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a date"):
        point_in_time(text, NOW)


def test_history_loads_neither_the_sdk_nor_a_screen_nor_the_judge(recorded: Path) -> None:
    code = (
        "import sys; from elicit_tui.cli import run; run(['history', 'list']);"
        "run(['history', 'verify']);"
        "loaded = {name.split('.')[0] for name in sys.modules};"
        "print({'mcp', 'textual', 'rich', 'jsonschema'} & loaded)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.endswith("set()\n")
