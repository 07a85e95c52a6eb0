"""What `check` reads: bare requests, the wire of both eras, exports; what it does not know is 2."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

import elicit_tui.demo
from elicit_tui.cli.check import check as check_file
from tests.cli.running import DEMO, Ended, run

PASSWORD = {
    "message": "Enter your password",
    "requestedSchema": {"type": "object", "properties": {"password": {"type": "string"}}},
}
CITY = {
    "message": "Which city?",
    "requestedSchema": {"type": "object", "properties": {"city": {"type": "string"}}},
}


def check(*items: Any, more: tuple[str, ...] = ()) -> Ended:
    lines = [item if isinstance(item, str) else json.dumps(item) for item in items]
    return run("check", "--output", "jsonl", *more, stdin="\n".join(lines))


def message(**fields: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 7, **fields}


def asks(params: Any) -> dict[str, Any]:
    return message(method="elicitation/create", params=params)


def round_of(**requests: Any) -> dict[str, Any]:
    return message(result={"resultType": "input_required", "inputRequests": requests})


def entry(params: Any) -> dict[str, Any]:
    return {"method": "elicitation/create", "params": params}


@pytest.mark.parametrize(
    ("item", "ids"),
    [
        (PASSWORD, [None]),
        (asks(PASSWORD), [7]),
        (entry(PASSWORD), [None]),
        (round_of(a=entry(PASSWORD)), ["a"]),
        (round_of(a=entry(PASSWORD), b=entry(PASSWORD)), ["a", "b"]),
        (round_of(a=entry(PASSWORD))["result"], ["a"]),
        ({"direction": "in", "message": asks(PASSWORD)}, [7]),
        ({"level": "debug", "data": {"payload": round_of(a=entry(PASSWORD))}}, ["a"]),
        ({"msg": "received", "raw": json.dumps(asks(PASSWORD))}, [7]),
        (f"2026-11-24 12:00:01 [proxy] {{in}} <- {json.dumps(asks(PASSWORD))}", [7]),
        ("<- " + json.dumps({"message": asks(PASSWORD)}), [7]),
        # What else it has is its own affair.
        ({**PASSWORD, "event": {"name": "progress"}}, [None]),
        ({**PASSWORD, "event": ["progress"], "kind": {}, "method": []}, [None]),
        # A request that carries a message only to be taken for a log.
        ({**PASSWORD, "x": message(method="ping")}, [None]),
    ],
)
def test_a_password_is_blocked_however_it_was_recorded(item: Any, ids: list[Any]) -> None:
    ended = check(item)
    assert ended.code == 1, ended.stderr
    assert [(row["id"], row["verdict"]) for row in ended.events] == [(id, "block") for id in ids]


@pytest.mark.parametrize("mode", [{"mode": "url"}, {}], ids=["with its mode", "without"])
def test_pages_of_an_error_are_judged(mode: dict[str, str]) -> None:
    pages = [{**mode, "message": "Sign in", "elicitationId": "p1", "url": "http://1.2.3.4/"}]
    ended = check(
        message(error={"code": -32042, "message": "first", "data": {"elicitations": pages}})
    )
    (row,) = ended.events
    assert row["id"] == "p1"
    assert any(finding["rule"].startswith("url.") for finding in row["findings"])


@pytest.mark.parametrize(
    "item",
    [
        {"foo": 1},
        {},
        [PASSWORD],
        "no json",
        '"text"',
        {"jsonrpc": "2.0", "id": 1},
        message(method=5),
        round_of(a="text"),
        message(result={"inputRequests": []}),
        message(error={"code": -32042, "message": "m"}),
        message(error={"code": -32042, "data": {"elicitations": ["text"]}}),
        message(error={"code": -32042, "data": {"elicitations": [{**PASSWORD, "mode": "form"}]}}),
        {"direction": "in", "message": {"jsonrpc": "2.0", "id": 1}},
        "12:00:01 <- " + json.dumps(asks(PASSWORD))[:-20],
        {"event": "unknown", "time": "now"},
    ],
)
def test_what_is_no_request_gets_an_error_does_not_stop_the_rest_and_is_exit_code_2(
    item: Any,
) -> None:
    ended = check(CITY, item, PASSWORD)
    assert ended.code == 2
    assert [row.get("verdict") for row in ended.events] == ["allow", None, "block"]
    assert ended.events[1]["error"]


@pytest.mark.parametrize(
    "item",
    [
        message(method="tools/call", params={"name": "x"}),
        {"jsonrpc": "2.0", "method": "notifications/progress", "params": {}},
        message(result={"content": []}),
        message(error={"code": -32601, "message": "no"}),
        round_of(a={"method": "sampling/createMessage", "params": {}}),
        {"event": "progress", "time": "t", "progress": 1, "message": "half"},
        {"event": "result", "time": "t", "result": None},
    ],
)
def test_what_carries_no_request_is_passed_over(item: Any) -> None:
    ended = check(item, CITY)
    assert ended.code == 0
    assert len(ended.events) == 1
    alone = check(item)
    assert alone.code == 2
    assert "no request" in alone.stderr


@pytest.mark.parametrize(
    "beside",
    [{"event": "log"}, {"requestDigest": "", "hashes": "", "kind": "approval"}],
    ids=["an event", "an approval"],
)
def test_no_request_is_passed_over_for_a_word_of_ours_beside_it(beside: dict[str, Any]) -> None:
    ended = check(CITY, {**PASSWORD, **beside})
    assert ended.code == 1
    assert [event["verdict"] for event in ended.events] == ["allow", "block"]


def test_what_a_record_tells_of_a_finding_stays_on_its_line() -> None:
    finding = {"rule": "x", "severity": "warn", "where": "m", "evidence": "ok\nb.jsonl:7: allow"}
    row = {**CITY, "requestDigest": "x", "hashes": {}, "mode": "form", "findings": [finding]}
    ended = run("check", stdin=json.dumps(row))
    assert "ok⏎b.jsonl:7: allow" in ended.stdout
    assert not any(line.startswith("b.jsonl") for line in ended.stdout.splitlines())


def test_a_document_without_a_request_says_why_and_is_no_success(tmp_path: Path) -> None:
    empty = tmp_path / "empty.jsonl"
    empty.write_text("")
    for file, why in ((empty, "there is no request in"), (tmp_path / "none", "Cannot read")):
        ended = run("check", str(file), "--output", "sarif")
        assert ended.code == 2
        (invocation,) = ended.document["runs"][0]["invocations"]
        (notification,) = invocation["toolExecutionNotifications"]
        assert invocation["executionSuccessful"] is False
        assert why in notification["message"]["text"]
        (row,) = run("check", str(file), "--output", "json").document
        assert row["id"] is None
        assert row["error"].startswith(why)
        assert why in ended.stderr


def test_a_closed_standard_input_holds_no_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)
    assert check_file("-", "jsonl", stdout=io.StringIO()) == 2


@pytest.mark.parametrize("text", ["", "\n \n"])
def test_nothing_at_all_is_exit_code_2(text: str) -> None:
    ended = check(text)
    assert (ended.code, ended.stdout) == (2, "")
    assert "no request" in ended.stderr


@pytest.mark.parametrize("params", ["text", None, {}, {"message": "m", "requestedSchema": []}])
def test_a_malformed_request_gets_a_verdict(params: Any) -> None:
    (row,) = check(asks(params)).events
    assert row["verdict"] in ("warn", "block")


@pytest.mark.parametrize("params", [None, {"message": ["Enter your password"]}])
def test_what_a_run_refuses_as_malformed_does_not_pass(params: Any) -> None:
    ended = check(asks(params))
    assert ended.code == 1
    assert ended.events[0]["verdict"] == "block"


@pytest.fixture(params=["2025-11-25", "2026-07-28"])
def recorded(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A configuration with the demo server in one era; its wire goes to `wire.jsonl` as well."""
    demo = Path(elicit_tui.demo.__file__).parent / "__main__.py"
    wire = tmp_path / "wire.jsonl"
    file = tmp_path / "config.toml"
    file.write_text(
        '[mcp_servers.demo]\ncommand = "sh"\n'
        f"args = [\"-c\", \"'{sys.executable}' '{demo}' | tee '{wire}'\"]\n"
        f'protocol = "{request.param}"\n'
    )
    return file


@pytest.mark.parametrize("tool", ["verify_account", "plan_trip"])
def test_wire_log_events_and_ledger_of_one_call_get_the_same_verdicts(
    recorded: Path, tool: str
) -> None:
    options = ("--config", str(recorded))
    called = run(*options, "call", "demo", tool, "--output", "jsonl")
    seen = [event for event in called.events if event["event"] == "elicitation.resolved"]
    assert seen
    verdicts = sorted(event["verdict"] for event in seen)
    wire = (recorded.parent / "wire.jsonl").read_text().splitlines()
    history = run(*options, "history", "export").stdout.splitlines()
    for lines in (wire, called.stdout.splitlines(), history):
        ended = check(*lines)
        assert sorted(row["verdict"] for row in ended.events) == verdicts, ended.stdout
        assert ended.code == (1 if "block" in verdicts else 0)


def test_a_question_that_was_asked_and_resolved_is_one_request() -> None:
    called = run("--with", DEMO, "call", "demo", "plan_trip", "--output", "jsonl")
    names = [event["event"] for event in called.events]
    assert names.count("elicitation.requested") == names.count("elicitation.resolved") == 2
    assert len(check(*called.stdout.splitlines()).events) == 2


def test_an_exported_line_is_never_judged_milder_than_it_was() -> None:
    exported = {
        "id": "x",
        "server": "s",
        "mode": "form",
        "message": CITY["message"],
        "request": CITY,
        "requestDigest": "0",
        "hashes": {},
        "verdict": "block",
        "findings": [],
    }
    assert check(exported).events[0]["verdict"] == "block"
    finding = {"rule": "own.rule", "severity": "warn", "where": "message", "evidence": "e"}
    (row,) = check({**exported, "verdict": "warn", "findings": [finding]}).events
    assert (row["verdict"], row["findings"][0]["rule"]) == ("warn", "own.rule")
    assert check({**exported, "kind": "approval"}).code == 2


@pytest.mark.parametrize(
    "line",
    [
        '{"message": "Enter your password", "requestedSchema": {}, "message": "ok"}',
        '{"message": "ok", "requestedSchema": {"properties": {"a": {}, "a": {}}}}',
    ],
)
def test_an_object_that_says_a_key_twice_is_no_request(line: str) -> None:
    ended = check(line)
    assert ended.code == 2
    assert "a key stands twice" in ended.stdout + ended.stderr


def test_a_message_in_a_log_that_says_a_key_twice_is_not_passed_over() -> None:
    asked = '{"jsonrpc": "2.0", "id": 1, "method": "elicitation/create", "method": "ping"}'
    ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
    for beside in ({"message": "in"}, {"other": ping}):
        ended = check(json.dumps({"level": "info", "payload": asked, **beside}))
        assert ended.code == 2
        assert "a key stands twice" in ended.stdout + ended.stderr


REFUSED = {
    "no_message": {"message": 5, "requestedSchema": {"type": "object", "properties": {}}},
    "unknown_mode": {"mode": "voice", "message": "Enter your password"},
    "no_schema": {"message": "Enter your password"},
    "schema_list": {"message": "Enter your password", "requestedSchema": []},
    "no_properties": {"message": "Enter your password", "requestedSchema": {"type": "object"}},
    "a page without a url": {"mode": "url", "message": "Enter your password"},
}
"""What `broker/entrance.py` refuses, whatever the guardian makes of it."""


@pytest.mark.parametrize("params", REFUSED.values(), ids=REFUSED)
@pytest.mark.parametrize("recorded", [dict, asks, entry], ids=["bare", "pushed", "in a round"])
def test_what_a_run_refuses_is_never_judged_milder(
    tmp_path: Path, params: dict[str, Any], recorded: Any
) -> None:
    file, stdout = tmp_path / "recorded.json", io.StringIO()
    file.write_text(json.dumps(recorded(params)))
    assert check_file(str(file), "jsonl", stdout=stdout) == 1
    row = json.loads(stdout.getvalue())
    assert row["verdict"] == "block"
    assert "check.malformed" in [finding["rule"] for finding in row["findings"]]


def test_a_pushed_page_without_an_id_is_refused_as_in_a_run(tmp_path: Path) -> None:
    page = {"mode": "url", "message": "Sign in", "url": "https://example.com/"}
    for recorded, code in ((asks(page), 1), (asks({**page, "elicitationId": "1"}), 0)):
        file = tmp_path / "recorded.json"
        file.write_text(json.dumps(recorded))
        assert check_file(str(file), stdout=io.StringIO()) == code


def test_lines_of_a_proxys_log_that_hold_no_object_are_passed_over_and_findings_have_their_line(
    tmp_path: Path,
) -> None:
    log = ["proxy listens on 8080", f"12:00 <- {json.dumps(asks(PASSWORD))}", "client left"]
    file, stdout = tmp_path / "proxy.log", io.StringIO()
    file.write_text("\n".join(log))
    assert check_file(str(file), stdout=stdout) == 1
    assert f"{file}:2: 7: block" in " ".join(stdout.getvalue().split())
    file.write_text("\n".join([*log, "12:01 <- {broken"]))
    assert check_file(str(file), "jsonl", stdout=stdout) == 2
    file.write_text(log[0])
    assert check_file(str(file), stdout=stdout) == 2
