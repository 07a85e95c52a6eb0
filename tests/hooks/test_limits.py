"""What a hook may do, and what it may not, whoever configured it."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import pytest

from elicit_tui.elicitation import (
    Call,
    Review,
    ServerIdentity,
    accept,
)
from elicit_tui.elicitation.settings import Rule
from elicit_tui.errors import HookError
from elicit_tui.hooks import hooks
from elicit_tui.hooks.running import Reply, run_hook
from tests.broker.conftest import form_request, run
from tests.hooks.conftest import Person, RunFactory
from tests.hooks.test_behaviours import assert_gone
from tests.hooks.world import (
    PAGE,
    SENT,
    WARNS,
    Receiver,
    accepting,
    answer,
    command,
    hook,
    read,
)

EMPTY = {"type": "object", "properties": {}}


LIMITS = [
    ({"mode": "url", "url": "https://example.com", "elicitationId": "1"}, {}, "accepts a URL"),
    ({"message": "Enter your API key"}, {"colour": "x"}, "the guardian"),
    ({"message": "Which? ACME"}, {"colour": "x"}, "the guardian warns: acme.ticket"),
    ({"requestedSchema": EMPTY}, {}, "no fields"),
    ({}, {"colour": 5}, "not valid"),
    ({}, {"colour": "x", "more": 1}, "not valid"),
]  # fmt: skip


@pytest.mark.parametrize(("params", "content", "why"), LIMITS)
def test_an_accept_has_the_limits_of_a_rule_and_acknowledges_nothing(
    start: RunFactory, log: Path, params: dict[str, Any], content: dict[str, Any], why: str
) -> None:
    said = {"hookSpecificOutput": {"action": "accept", "content": content}}
    schema = {"requestedSchema": {**schema_of(params), "additionalProperties": False}}

    async def body() -> None:
        one = hook("Elicitation", command("answers", log, json.dumps(said)))
        there = start(one, person=Person(None), approvals_reviewer="user", guardian=WARNS)
        more = params if params.get("mode") == "url" else {**schema, **params}
        outcome = await there.broker.resolve(form_request(params=more))
        assert (outcome.action, outcome.decided_by) == ("decline", "user")
        note = there.person.shown[0].note or ""
        assert note.startswith("The hook hooks[1] accepted, which does not count: ")
        assert why in note
        await there.close()

    run(body())


def schema_of(params: dict[str, Any]) -> dict[str, Any]:
    text = {"type": "object", "properties": {"colour": {"type": "string"}}}
    return params.get("requestedSchema", {**text, "required": ["colour"]})


def test_a_block_stays_declined_whatever_a_hook_says(start: RunFactory, log: Path) -> None:
    async def body() -> None:
        there = start(hook("Elicitation", accepting(log, colour="x")))
        outcome = await there.broker.resolve(form_request("Enter your password to go on"))
        assert outcome.decided_by == "guardian"
        assert read(log) == []
        await there.close()

    run(body())


@pytest.mark.parametrize("event", ["Elicitation", "ElicitationResult"])
@pytest.mark.parametrize("said", ["accept", "decline"])
def test_a_hook_may_refuse_a_tool_call_and_never_allows_one(
    start: RunFactory, log: Path, event: Any, said: str
) -> None:
    async def body() -> None:
        one = hook(event, command("answers", log, answer(said, event)), kind="approval")
        there = start(one, person=Person({}))
        server = ServerIdentity("paint", "stdio", "paint-server")
        outcome = await there.broker.approve(
            server, Call("tools/call", "drop"), {"annotations": {"destructiveHint": True}}, "1"
        )
        assert outcome is not None
        expected = ("decline", "hook") if said == "decline" else ("accept", "user")
        assert (outcome.action, outcome.decided_by) == expected
        told = read(log)[0]["input"]
        assert (told["kind"], told["tool"], told["arguments"]) == ("approval", "drop", {})
        assert "mode" not in told
        if (said, event) == ("accept", "Elicitation"):
            assert "only a person allows a tool call" in (there.person.shown[0].note or "")
        await there.close()

    run(body())


def test_a_refusal_is_never_turned_into_an_accept_and_the_try_is_told(
    start: RunFactory, log: Path
) -> None:
    async def body() -> None:
        said = answer("accept", "ElicitationResult", colour="blue")
        there = start(hook("ElicitationResult", command("answers", log, said)), person=Person(None))
        outcome = await there.broker.resolve(form_request())
        assert (outcome.action, outcome.decided_by) == ("decline", "user")
        assert "would have accepted what was refused; it stays refused" in there.told
        await there.close()

    run(body())


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ({"colour": 5}, "put in what requestedSchema does not allow"),
        ({}, "put in what requestedSchema does not allow"),
        ({"colour": "ghp_0123456789abcdefghij0123456789abcd"}, "looks like a secret"),
    ],
)
def test_content_that_may_not_go_out_has_the_person_asked_once_more(
    start: RunFactory, log: Path, content: dict[str, Any], why: str
) -> None:
    async def body() -> None:
        said = json.dumps({"action": "accept", "content": content})
        one = hook("ElicitationResult", command("answers", log, said))
        there = start(one, person=Person(SENT, {"colour": "green"}))
        outcome = await there.broker.resolve(form_request())
        assert (outcome.decided_by, outcome.content) == ("user", {"colour": "green"})
        assert why in (there.person.shown[1].note or "")
        assert why in there.told
        assert "ghp_" not in there.told
        assert len(read(log)) == 1
        await there.close()

    run(body())


def test_a_secret_that_the_person_sent_is_not_blamed_on_a_hook_that_changed_something_else(
    start: RunFactory, log: Path
) -> None:
    token = {"token": "ghp_0123456789abcdefghij0123456789abcd"}
    texts = {name: {"type": "string"} for name in ("colour", "token")}
    schema = {"requestedSchema": {"type": "object", "properties": texts}}

    async def body() -> None:
        said = json.dumps({"action": "accept", "content": {"colour": "blue", **token}})
        one = hook("ElicitationResult", command("answers", log, said))
        there = start(one, person=Person({**SENT, **token}, {**SENT, **token}))
        outcome = await there.broker.resolve(form_request(params=schema))
        assert (outcome.decided_by, outcome.content) == ("hook", {"colour": "blue", **token})
        assert len(there.person.shown) == 1
        assert token["token"] not in there.told
        await there.close()

    run(body())


def test_a_change_is_recorded_beside_what_the_person_sent_and_is_told(
    start: RunFactory, log: Path
) -> None:
    async def body() -> None:
        said = json.dumps({"action": "accept", "content": {"colour": "blue"}})
        there = start(hook("ElicitationResult", command("answers", log, said)), person=Person(SENT))
        request = form_request()
        outcome = await there.broker.resolve(request)
        assert (outcome.decided_by, outcome.key, outcome.changed) == (
            "hook",
            "hooks[1]",
            ("colour",),
        )
        assert 'changed the answer: colour from "red" to "blue"' in there.told
        row = there.ledger.row(request.id).as_json()
        assert row["content"] == {"colour": "blue"}
        assert (row["decidedBy"], row["key"], row["via"]) == ("hook", "hooks[1]", "hook")
        assert row["changed"] == ["colour"]
        assert row["answered"] == {
            "action": "accept",
            "decidedBy": "user",
            "via": None,
            "content": SENT,
        }
        await there.close()

    run(body())


def test_a_failed_hook_leaves_refusals_in_force_and_lets_nothing_but_a_person_accept(
    start: RunFactory, tmp_path: Path
) -> None:
    logs = [tmp_path / name for name in ("a", "b", "c")]

    async def body() -> None:
        failing = hook("Elicitation", command("crashes", logs[0]), layer="managed")
        mine = hook("Elicitation", accepting(logs[1], colour="blue"))
        rule = Rule("accept", server="paint", content={"colour": "rule"})
        there = start(failing, mine, person=Person(SENT), rules=(rule,))
        outcome = await there.broker.resolve(form_request())
        assert (outcome.decided_by, outcome.content) == ("user", SENT)
        assert "managed.hooks[1] ended with exit code 1" in (there.person.shown[0].note or "")
        there = start(failing, mine, rules=(Rule("decline", server="paint"),))
        assert (await there.broker.resolve(form_request())).decided_by == "rule"
        refusing = hook("Elicitation", command("declines", logs[2]))
        there = start(failing, refusing)
        assert (await there.broker.resolve(form_request())).action == "decline"
        await there.close()

    run(body())


@pytest.mark.parametrize("status", [302, 403, 404, 500])
def test_a_page_that_answers_with_no_success_has_failed_whatever_it_says(
    start: RunFactory, receiver: Receiver, status: int
) -> None:
    receiver.status, receiver.text = status, answer("accept", colour="blue")

    async def body() -> None:
        there = start(hook("Elicitation", url=receiver.url), person=Person(SENT))
        outcome = await there.broker.resolve(form_request())
        assert (outcome.decided_by, outcome.content) == ("user", SENT)
        assert f"answered with HTTP status {status}" in there.told
        await there.close()

    run(body())


def test_compressed_content_is_not_unpacked(start: RunFactory, receiver: Receiver) -> None:
    receiver.encoding, receiver.text = "gzip", answer("accept", colour="blue")

    async def body() -> None:
        there = start(hook("Elicitation", url=receiver.url), person=Person(SENT))
        assert (await there.broker.resolve(form_request())).decided_by == "user"
        assert "answered with compressed content" in there.told
        await there.close()

    run(body())


def test_what_waits_to_be_told_to_one_hook_is_bounded_and_said_once(
    start: RunFactory, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hooks, "MOST_UNTOLD", 2)
    monkeypatch.setattr(hooks, "LAST_SECONDS", 0.0)

    async def body() -> None:
        there = start(hook("Asked", command("hangs", log), timeout_sec=60))
        for _ in range(6):
            there.hooks.asked(form_request(), Review())
        assert there.told.count("cannot keep up; not everything is told to it") == 1
        await there.close()
        assert "was not told of the last" in there.told

    run(body())


@pytest.mark.parametrize(
    ("meant", "chosen"),
    [
        ({}, True),
        ({"kind": "elicitation"}, True),
        ({"kind": "approval"}, False),
        ({"server": "pa*"}, True),
        ({"server": "other"}, False),
        ({"tool": "paint*"}, True),
        ({"tool": "drop"}, False),
        ({"server": "pa*", "tool": "drop"}, False),
    ],
)
def test_a_hook_is_meant_for_what_it_names_alone(meant: dict[str, Any], chosen: bool) -> None:
    one = hook("Asked", ("true",), **meant)
    some = hooks.Hooks([one, hook("Resolved", ("true",), position=2)], "redacted")
    request = replace(form_request(), calls=(Call("tools/call", "paint_it"),))
    assert some.chosen("Asked", request) == ((one,) if chosen else ())
    assert some.chosen("Asked", request, "managed") == ()
    assert some.chosen("Asked", request, "user") == ((one,) if chosen else ())


@pytest.mark.parametrize("event", ["Elicitation", "ElicitationResult"])
def test_hooks_run_in_their_order_and_the_administrators_have_the_last_word(event: Any) -> None:
    managed = hook(event, ("true",), layer="managed")
    mine = [hook(event, ("true",), position=number) for number in (1, 2)]
    some = hooks.Hooks([managed, *mine], "redacted")
    last = event == "ElicitationResult"
    assert some.chosen(event, form_request()) == ((*mine, managed) if last else (managed, *mine))


def test_what_a_hook_warns_of_is_told_by_its_name(start: RunFactory, log: Path) -> None:
    async def body() -> None:
        said = json.dumps({"systemMessage": "Look twice."})
        there = start(hook("Elicitation", command("answers", log, said)), person=Person(SENT))
        assert (await there.broker.resolve(form_request())).decided_by == "user"
        assert "The hook hooks[1] says: Look twice." in there.told
        await there.close()

    run(body())


def test_a_hook_that_cannot_run_fails_and_is_not_run(start: RunFactory, log: Path) -> None:
    async def body() -> None:
        one = hook("Elicitation", command("declines", log), cannot_run="it is anybody's to write")
        there = start(one, person=Person(SENT))
        assert (await there.broker.resolve(form_request())).decided_by == "user"
        assert "cannot run: it is anybody's to write" in there.told
        assert read(log) == []
        await there.close()

    run(body())


def test_what_a_hook_writes_last_before_it_ends_is_read_to_its_end() -> None:
    written = """print('{"action": "accept", "content": {"a": "' + "x" * 900_000 + '"}}')"""
    one = hook("Elicitation", (sys.executable, "-I", "-S", "-c", written), timeout_sec=30)
    for _ in range(3):
        reply = asyncio.run(run_hook(one, b"{}"))
        assert reply.content == {"a": "x" * 900_000}


def test_how_many_notes_a_hook_was_not_told_of_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    async def hangs(*_: object) -> Reply:
        await asyncio.Event().wait()
        return Reply()

    monkeypatch.setattr(hooks, "run_hook", hangs)
    monkeypatch.setattr(hooks, "LAST_SECONDS", 0.01)
    told: list[tuple[str, str]] = []

    async def body() -> None:
        some = hooks.Hooks([hook("Asked", ("true",))], "redacted")
        some.tell_by(lambda server, sentence: told.append((server, sentence)))
        for _ in range(3):
            some.asked(form_request(), Review())
            await asyncio.sleep(0)
        await some.close()
        await hooks.Hooks([hook("Asked", ("true",))], "redacted").close()

    run(body())
    sentence = "The hook hooks[1] (Asked) was not told of the last 3: the run ended."
    assert told == [("paint", sentence)]


def test_hooks_of_no_broker_fail_instead_of_saying_nothing_to_nobody() -> None:
    with pytest.raises(RuntimeError, match="tell_by"):
        hooks.Hooks([], "redacted").tell("s", "Something.")


def test_a_hook_that_fails_again_after_it_had_worked_is_told_of_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ends = iter([HookError("failed"), HookError("failed"), Reply(), HookError("failed")])

    async def run_hook(*_: object) -> Reply:
        end = next(ends)
        if isinstance(end, HookError):
            raise end
        return end

    monkeypatch.setattr(hooks, "run_hook", run_hook)
    told: list[str] = []

    async def body() -> None:
        some = hooks.Hooks([hook("Asked", ("true",))], "redacted")
        some.tell_by(lambda server, sentence: told.append(sentence))
        for _ in range(4):
            some.asked(form_request(), Review())
        await some.close()

    run(body())
    assert told == ["The hook hooks[1] (Asked) failed."] * 2


@pytest.mark.parametrize(
    ("policy", "kept"),
    [("redacted", {"colour": "the password is •••"}), ("none", None)],
)
def test_whoever_is_told_how_a_question_ended_gets_the_values_that_the_record_keeps(
    log: Path, policy: Any, kept: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hooks, "LAST_SECONDS", 30.0)

    async def body() -> None:
        some = hooks.Hooks([hook("Resolved", command("passes", log), timeout_sec=30)], policy)
        sent = accept("user", "Sent.", {"colour": "the password is swordfish"})
        some.resolved(form_request(), Review(), sent, 5)
        await some.close()

    run(body())
    (told,) = read(log)
    assert told["input"].get("content") == kept


def test_what_is_loaded_to_ask_a_page_is_none_of_its_time(
    start: RunFactory, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    receiver.text = answer("accept", colour="blue")

    class Slow(httpx2.AsyncClient):
        def __init__(self, **more: Any) -> None:
            time.sleep(1.2)
            super().__init__(**more)

    monkeypatch.setattr(httpx2, "AsyncClient", Slow)

    async def body() -> None:
        there = start(hook("Elicitation", url=receiver.url, timeout_sec=1), person=Person(SENT))
        assert (await there.broker.resolve(form_request())).decided_by == "hook"
        await there.close()

    run(body())


def test_certificates_that_are_not_there_are_told_and_a_person_is_asked(
    start: RunFactory, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "/nowhere/certificates.pem")

    async def body() -> None:
        there = start(hook("Elicitation", url=receiver.url), person=Person(SENT))
        assert (await there.broker.resolve(form_request())).decided_by == "user"
        assert "could not be reached (FileNotFoundError)" in there.told
        await there.close()

    run(body())


def test_an_accept_that_does_not_count_is_told_by_hook_and_reason(
    start: RunFactory, tmp_path: Path
) -> None:
    logs = [tmp_path / name for name in ("a", "b")]

    async def body() -> None:
        failing = hook("Elicitation", command("crashes", logs[0]), layer="managed")
        late = hook("Elicitation", accepting(logs[1], colour="blue"), place="config.toml:12")
        rule = Rule("accept", server="paint", content={"colour": "rule"})
        there = start(failing, late, person=Person(SENT))
        await there.broker.resolve(form_request())
        why = "accepted, which does not count: another hook failed, so only a person accepts."
        assert f"The hook at config.toml:12 {why}" in there.told
        assert why in (there.person.shown[0].note or "")
        there = start(failing, person=Person(SENT), rules=(rule,))
        await there.broker.resolve(form_request())
        assert f"rules[1] {why}" in there.told
        await there.close()

    run(body())


def test_a_page_is_not_changed_and_the_try_is_told(start: RunFactory, log: Path) -> None:
    async def body() -> None:
        said = answer("accept", "ElicitationResult", colour="blue")
        there = start(hook("ElicitationResult", command("answers", log, said)), person=Person({}))
        outcome = await there.broker.resolve(form_request(params=PAGE))
        assert (outcome.action, outcome.decided_by, outcome.content) == ("accept", "user", None)
        assert "changed the answer, which does not count: this has no content" in there.told
        await there.close()

    run(body())


@pytest.mark.skipif(os.name != "posix", reason="sessions are POSIX's")
def test_what_a_hook_started_in_another_session_ends_when_its_time_is_over(
    start: RunFactory, log: Path, tmp_path: Path
) -> None:
    child = tmp_path / "child"

    async def body() -> None:
        one = hook("Elicitation", command("hangs with a session", log, str(child)), timeout_sec=2)
        there = start(one, person=Person(SENT))
        await there.broker.resolve(form_request())
        await there.close()

    run(body())
    assert_gone(int(child.read_text()))


@pytest.mark.parametrize("event", ["Elicitation", "ElicitationResult"])
def test_a_fault_of_ours_is_no_failure_of_the_hook_and_lets_nothing_go_out(
    start: RunFactory, log: Path, monkeypatch: pytest.MonkeyPatch, event: Any
) -> None:
    async def broken(*_: Any) -> None:
        raise KeyError("ours")

    monkeypatch.setattr("elicit_tui.hooks.hooks.run_hook", broken)

    async def body() -> None:
        there = start(hook(event, command("passes", log)), person=Person(SENT))
        outcome = await there.broker.resolve(form_request())
        assert (outcome.action, outcome.decided_by) == ("cancel", "nobody")
        assert "KeyError" in outcome.reason
        await there.close()

    run(body())
