"""What is recorded of a question: whole, neutral, bounded, and found again."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from elicit_tui.elicitation import (
    MASK,
    Answerer,
    Call,
    Finding,
    Review,
    Severity,
    accept,
    cancel,
    decline,
    now,
    unsent,
)
from elicit_tui.errors import LedgerError
from elicit_tui.ledger import Ledger, bodies
from elicit_tui.ledger.bodies import stored_content
from elicit_tui.ledger.rows import _DETAILS, Row
from tests.ledger.world import PASSED, SCHEMA, Clock, request
from tests.text.alphabet import active_left, any_text

WARNED = Review(
    (Finding("destructive.production", Severity.WARN, "message", "production", "Look twice."),),
    sensitive=frozenset({"token"}),
)


def everything_stored(path: Path) -> str:
    files = sorted(path.parent.iterdir())
    return b"".join(file.read_bytes() for file in files).decode("utf-8", "replace")


def test_a_question_is_one_row_of_what_was_asked_found_decided_and_sent(
    ledger: Ledger, clock: Clock
) -> None:
    asked = request(clock=clock, round=2)
    ledger.asked(asked, WARNED)
    assert ledger.row(asked.id).state == "asked"
    clock.advance(seconds=4.2)
    outcome = accept("rule", "Rule 1 of your file.", {"environment": "staging"}, key="rules[1]")
    ledger.decided(asked, outcome, WARNED)
    assert ledger.row(asked.id).state == "decided"
    clock.advance(seconds=1)
    ledger.sent(asked.id)
    (row,) = ledger.rows()
    assert row.state == "sent"
    told = row.as_json()
    hashes = told.pop("hashes")
    assert set(hashes) == {"asked", "decided", "sent"}
    assert hashes["sent"] == ledger.head()
    assert len(told.pop("requestDigest")) == 64
    assert told == {
        "id": asked.id,
        "kind": "elicitation",
        "server": "deploy",
        "tool": "deploy",
        "mode": "form",
        "message": "Which environment?",
        "round": 2,
        "verdict": "warn",
        "findings": [
            {
                "rule": "destructive.production",
                "severity": "warn",
                "where": "message",
                "evidence": "production",
                "advice": "Look twice.",
            }
        ],
        "action": "accept",
        "decidedBy": "rule",
        "reason": "Rule 1 of your file.",
        "key": "rules[1]",
        "layer": None,
        "content": {"environment": "staging"},
        "waitedMs": 4200,
        "askedAt": "2026-11-01T12:00:00.000Z",
        "decidedAt": "2026-11-01T12:00:04.200Z",
        "sentAt": "2026-11-01T12:00:05.200Z",
        "protocolVersion": "2025-11-25",
        "request": {"message": "Which environment?", "requestedSchema": SCHEMA},
        "count": 1,
        "method": "tools/call",
        "callId": asked.call.id if asked.call else None,
        "groupSize": 1,
        "callsItself": "Deploy",
        "version": "1.4",
        "transport": "stdio",
        "address": "deploy-mcp-server",
        "contentPolicy": "redacted",
    }


def test_what_an_agents_own_prompt_was_given_is_handed_and_not_sent(ledger: Ledger) -> None:
    asked = request(kind="approval", handed_to="claude")
    ledger.asked(asked, PASSED)
    ledger.decided(asked, accept("user", "Sent.", {}), PASSED)
    assert ledger.row(asked.id).state == "decided"
    ledger.sent(asked.id)
    row = ledger.row(asked.id)
    assert (row.state, row.sent_at) == ("handed", None)
    assert (row.details["handedTo"], row.mode) == ("claude", None)
    assert row.details["handedAt"] is not None


def test_who_answered_how_and_in_spite_of_what_is_recorded(ledger: Ledger, clock: Clock) -> None:
    tool = Call("tools/call", "deploy")
    asked = request(clock=clock, calls=(tool, Call("prompts/get", "plan"), replace(tool, id="x")))
    ledger.asked(asked, PASSED)
    first = ledger.row(asked.id)
    assert first.tool == "deploy or plan or deploy"
    assert first.details["method"] == "tools/call or prompts/get"
    assert first.details["callIds"] == [call.id for call in asked.calls]
    by = Answerer("me\x1b", None, "desk", tuple(f"{number} sh\x1b" for number in range(80)))
    given = accept("user", "Sent.", {"environment": "a"}, via="inbox")
    outcome = replace(
        given,
        decided_by="hook",
        key="hooks[1]",
        layer="managed",
        via="hook",
        scope="once",
        content={"environment": "b"},
        acknowledged=frozenset({"b", "a"}),
        answered_by=by,
        answered=given,
    )
    outgoing = replace(WARNED, outgoing=WARNED.findings)
    clock.advance(seconds=-5)
    ledger.decided(asked, outcome, outgoing)
    row = ledger.row(asked.id)
    # A clock that was put back waits for nobody.
    assert (row.waited_ms, row.layer, row.verdict) == (0, "managed", "warn")
    told = {name: row.details[name] for name in ("via", "scope", "acknowledged", "changed")}
    assert told == {
        "via": "hook",
        "scope": "once",
        "acknowledged": ["a", "b"],
        "changed": ["environment"],
    }
    assert row.details["answeredBy"]["user"] == "me␛"
    assert len(row.details["answeredBy"]["ancestry"]) == bodies.MOST_ANCESTORS
    assert row.details["answeredBy"]["ancestry"][0] == "0 sh␛"
    assert row.details["answered"]["content"] == {"environment": "a"}
    assert [one["rule"] for one in row.details["outgoing"]] == ["destructive.production"]


def test_what_one_record_holds_is_bounded_in_number_too(ledger: Ledger) -> None:
    finding = WARNED.findings[0]
    many = Review(tuple(replace(finding, where=f"message.{n}") for n in range(500)))
    asked = request(calls=tuple(Call("tools/call", "deploy") for _ in range(500)))
    ledger.asked(asked, many)
    row = ledger.row(asked.id)
    assert len(row.findings) == bodies.MOST_FINDINGS
    assert len(row.details["callIds"]) == bodies.MOST_CALLS


def test_findings_that_came_with_the_question_stand_once(ledger: Ledger, path: Path) -> None:
    asked, later = request(), request()
    ledger.asked(asked, WARNED)
    ledger.decided(asked, decline("user", "No."), WARNED)
    assert ledger.row(asked.id).verdict == "warn"
    ledger.asked(later, PASSED)
    ledger.decided(later, decline("user", "No."), PASSED)
    with closing(sqlite3.connect(path)) as file:
        (count,) = file.execute(
            "SELECT count(*) FROM records WHERE event = 'decided' AND body LIKE '%findings%'"
        ).fetchone()
    assert count == 0


def test_a_question_with_two_ends_comes_once_among_the_last_decided(ledger: Ledger) -> None:
    first, second, third = (request(f"{number}?") for number in range(3))
    for asked in (first, second, third):
        ledger.asked(asked, PASSED)
        ledger.decided(asked, decline("user", "No."), PASSED)
    ledger.decided(second, cancel("withdrawn", "Taken back."), PASSED)
    assert [row.id for row in ledger.decided_last(2)] == [second.id, third.id]


def test_what_a_server_took_back_after_its_answer_is_recorded(ledger: Ledger) -> None:
    asked = request()
    ledger.asked(asked, PASSED)
    ledger.decided(asked, decline("user", "No."), PASSED)
    ledger.sent(asked.id)
    ledger.withdrawn(asked.id, "It took it\x1b back.")
    row = ledger.row(asked.id)
    assert (row.action, row.details["withdrawal"]) == ("decline", "It took it␛ back.")
    assert set(row.hashes) == {"asked", "decided", "sent", "withdrawn"}


def test_findings_that_came_with_the_answer_replace_those_of_the_question(ledger: Ledger) -> None:
    asked = request()
    ledger.asked(asked, PASSED)
    ledger.decided(asked, decline("user", "No."), WARNED)
    assert ledger.row(asked.id).verdict == "warn"


def test_the_form_keeps_the_order_of_the_server(ledger: Ledger) -> None:
    properties = {name: {"type": "string"} for name in ("zebra", "ant", "monkey")}
    asked = request(params={"message": "m", "requestedSchema": {"properties": properties}})
    ledger.asked(asked, PASSED)
    assert list(ledger.row(asked.id).request["requestedSchema"]["properties"]) == list(properties)


@pytest.mark.parametrize(
    ("policy", "kept"),
    [
        ("none", None),
        ("redacted", {"name": "Ada", "token": MASK, "note": MASK}),
        ("full", {"name": "Ada", "token": "s3cr3t-one", "note": "s3cr3t-two"}),
    ],
)
def test_content_is_kept_as_the_owner_wants(path: Path, policy: Any, kept: object) -> None:
    outgoing = Finding("outgoing.key", Severity.WARN, "content.note", "s3…", "Looks like a key.")
    review = Review((*WARNED.findings, outgoing), WARNED.sensitive)
    content = {"name": "Ada", "token": "s3cr3t-one", "note": "s3cr3t-two"}
    with closing(Ledger.open(path, content=policy)) as ledger:
        asked = request()
        ledger.asked(asked, review)
        ledger.decided(asked, accept("user", "Sent.", content), review)
        assert ledger.row(asked.id).content == kept
        stored = everything_stored(path)
    assert ("s3cr3t" in stored) == (policy == "full")


@pytest.mark.parametrize("value", ["the password is swordfish", ["the password is swordfish"]])
def test_what_looks_like_a_secret_is_masked_in_a_field_of_any_name(value: Any) -> None:
    masked = "the password is •••"
    kept = {"Note": masked if isinstance(value, str) else [masked]}
    assert stored_content({"Note": value}, Review(), "redacted") == kept


def test_a_sensitive_list_is_masked_whole() -> None:
    review = Review(sensitive=frozenset({"codes"}))
    assert stored_content({"codes": ["1", "2"]}, review, "redacted") == {"codes": MASK}
    assert stored_content({}, review, "redacted") == {}
    assert stored_content(None, review, "full") is None


@settings(max_examples=60, deadline=None)
@given(any_text)
def test_no_word_of_a_server_is_stored_with_its_effect(text: str) -> None:
    asked = request(text, server=text, params={"message": text, "mode": text, text: [text]})
    body = bodies.asked(asked, Review((Finding("a.b", Severity.NOTE, text, text, text),)))
    outcome = accept("user", text, {text: text})
    body |= bodies.decided(asked, outcome, PASSED, "full", asked.arrived_at)

    def strings(value: object) -> Iterator[str]:
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            yield from (
                string for pair in value.items() for each in pair for string in strings(each)
            )
        elif isinstance(value, list):
            yield from (string for each in value for string in strings(each))

    assert [left for string in strings(body) for left in active_left(string)] == []


def test_a_monstrous_request_is_stored_small_and_its_digest_tells_it_apart(ledger: Ledger) -> None:
    nested: Any = {}
    for _ in range(3000):
        nested = {"properties": nested}
    monsters: list[Any] = [
        {"message": "x" * 10_000_000},
        {"message": "x" * 10_000_000 + "y"},
        {"message": "m", "requestedSchema": {"enum": [str(n) for n in range(100_000)]}},
        {"message": "m", "requestedSchema": nested},
        {"message": "\u202e" * 100_000},
        ["not", "an", "object"],
        "text",
        None,
        {"message": "m", "n": float("nan")},
    ]
    requests = [request(params=params) for params in monsters]
    for asked in requests:
        ledger.asked(asked, PASSED)
        ledger.decided(asked, unsent("policy", "Malformed.", error_code=-32602), PASSED)
    rows = list(ledger.rows())
    assert [row.id for row in rows] == [asked.id for asked in requests]
    assert len({row.request_digest for row in rows}) == len(monsters)
    assert max(len(json.dumps(row.as_json())) for row in rows) < 150_000
    assert rows[0].details["errorCode"] == -32602
    assert ledger.verify().ok


def test_flood_outcomes_are_one_row_for_a_group(ledger: Ledger) -> None:
    ledger.flood("rude", 500, cancel("flood", "More than 30 a minute.", key="elicitation.limits"))
    (row,) = ledger.rows(decided_by="flood")
    assert (row.server, row.count, row.action, row.mode) == ("rude", 500, "cancel", None)
    assert row.asked_at == row.decided_at is not None
    assert set(row.hashes) == {"flood"}


def test_rows_are_found_by_server_action_decider_and_time(ledger: Ledger, clock: Clock) -> None:
    ids = []
    outcomes = (accept("user", "a", {}), decline("guardian", "b"), cancel("nobody", "c"))
    for number, outcome in enumerate(outcomes):
        asked = request(server=f"server{number % 2}", clock=clock)
        ids.append(asked.id)
        ledger.asked(asked, PASSED)
        clock.advance(hours=1)
        ledger.decided(asked, outcome, PASSED)

    def found(**filters: Any) -> list[int]:
        return [ids.index(row.id) for row in ledger.rows(**filters)]

    assert found() == [0, 1, 2]
    assert found(server="server0") == [0, 2]
    assert found(action="decline") == [1]
    assert found(decided_by="nobody") == [2]
    assert found(server="server0", action="accept", decided_by="user") == [0]
    assert found(since=clock() - timedelta(hours=2)) == [1, 2]
    assert found(server="server") == []


def test_a_row_is_found_by_the_beginning_of_its_id(ledger: Ledger) -> None:
    for name in ("abc1", "abd2"):
        ledger.asked(request(id=name), PASSED)
        with pytest.raises(LedgerError, match="No question ''"):
            ledger.row("")
    assert ledger.row("abc").id == "abc1"
    for wrong, said in (
        ("ab", "Several questions begin with 'ab'"),
        ("x", "No question 'x' was recorded"),
        ("", "No question '' was recorded"),
        ("%", "No question '%'"),
    ):
        with pytest.raises(LedgerError, match=said):
            ledger.row(wrong)


def test_a_question_whose_process_is_gone_gets_one_outcome_if_it_has_none(ledger: Ledger) -> None:
    open_one, decided = request(), request()
    gone = cancel("store", "The process that asked ended.")
    for asked in (open_one, decided):
        ledger.asked(asked, PASSED)
    ledger.decided(decided, accept("user", "Sent.", {}), PASSED)
    assert [ledger.abandoned(each.id, gone) for each in (open_one, open_one, decided)] == [
        True,
        False,
        False,
    ]
    assert not ledger.abandoned("unknown", gone)
    assert (ledger.row(open_one.id).action, ledger.row(open_one.id).decided_by) == (
        "cancel",
        "store",
    )
    assert ledger.row(decided.id).decided_by == "user"
    assert ledger.verify().ok


def test_all_that_is_recorded_stands_in_the_row() -> None:
    asked, by = request(id="abc"), Answerer("me", "pts/3", "here")
    given = decline("hook", "No.", answered_by=by, answered=accept("user", "Yes.", {}))
    recorded = {
        *bodies.asked(asked, PASSED),
        *bodies.decided(asked, given, PASSED, "full", now()),
        *bodies.withdrawn("Gone."),
    }
    row = {*Row("abc", "deploy").as_json(), *_DETAILS, "arrivedAt"}
    assert recorded - row == set(), "a field of its own in Row, or its name in _DETAILS of rows.py"


def test_a_question_that_is_decided_anew_keeps_its_moment_and_its_place(
    ledger: Ledger, clock: Clock
) -> None:
    first, second = request(), request()
    for asked in (first, second):
        ledger.asked(asked, PASSED)
        clock.advance(seconds=1)
        ledger.decided(asked, accept("user", "Sent.", {}), PASSED)
    decided_at = ledger.row(first.id).decided_at
    clock.advance(hours=1)
    ledger.decided(first, unsent("server", "It was taken back."), PASSED)
    rows = list(ledger.rows())
    assert [row.id for row in rows] == [first.id, second.id]
    assert (rows[0].decided_by, rows[0].decided_at) == ("server", decided_at)


def test_requests_that_look_alike_once_they_are_neutral_have_digests_of_their_own(
    ledger: Ledger,
) -> None:
    digests = set[str | None]()
    for message in ("Which?\x1b", "Which?␛"):
        asked = request(message)
        ledger.asked(asked, PASSED)
        row = ledger.row(asked.id)
        assert row.message == "Which?␛"
        digests.add(row.request_digest)
    assert len(digests) == 2


def test_what_is_kept_of_an_answer_is_bounded_as_a_whole() -> None:
    content = {f"text{number}": "long " * 2_000 for number in range(100)}
    kept = json.dumps(stored_content(content, Review(), "full"))
    assert len(kept) < 2 * bodies.LONGEST_CONTENT


def test_no_byte_of_what_was_pruned_stays_in_the_file(
    ledger: Ledger, clock: Clock, path: Path
) -> None:
    for message in ("Pruned, all of it?", "Kept, all of it?"):
        asked = request(message, clock=clock)
        ledger.asked(asked, PASSED)
        ledger.decided(asked, decline("user", "No."), PASSED)
        clock.advance(hours=1)
    assert ledger.prune(clock() - timedelta(minutes=90)).records == 2
    stored = everything_stored(path)
    assert "Kept, all of it?" in stored
    assert "Pruned, all of it?" not in stored
