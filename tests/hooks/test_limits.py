"""What a hook may do, and what it may not, whoever configured it."""

from __future__ import annotations

import asyncio
import json
import threading
from pathlib import Path
from typing import Any

import httpx2
import pytest

from elicit_tui.elicitation import (
    Call,
    ServerIdentity,
)
from elicit_tui.elicitation.settings import Rule
from elicit_tui.hooks.running import _client
from tests.broker.conftest import form_request, run
from tests.hooks.conftest import Person, RunFactory
from tests.hooks.world import (
    PAGE,
    SENT,
    WARNS,
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


def test_what_a_hook_warns_of_is_told_by_its_name(start: RunFactory, log: Path) -> None:
    async def body() -> None:
        said = json.dumps({"systemMessage": "Look twice."})
        there = start(hook("Elicitation", command("answers", log, said)), person=Person(SENT))
        assert (await there.broker.resolve(form_request())).decided_by == "user"
        assert "The hook hooks[1] says: Look twice." in there.told
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


def test_a_page_has_as_long_as_its_hook_and_no_managed_one_goes_a_persons_way() -> None:
    for layer, goes in (("user", True), ("managed", False)):
        asked = hook("Elicitation", None, url="https://a.b/c", layer=layer, timeout_sec=77)
        client = run(_client(asked))
        assert (client.timeout.read, client.timeout.connect) == (77, 77)
        assert client.trust_env is goes


def test_keys_and_other_servers_do_not_wait_for_the_certificates_of_a_hook(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = hook("Asked", None, url="https://a.b/c")

    async def turns() -> int:
        others, made = 0, threading.Event()
        real = httpx2.AsyncClient

        def slow(**options: Any) -> httpx2.AsyncClient:
            assert made.wait(5)
            return real(**options)

        monkeypatch.setattr(httpx2, "AsyncClient", slow)
        making = asyncio.ensure_future(_client(asked))
        for _ in range(20):
            await asyncio.sleep(0)
            others += 1
        assert not making.done()
        made.set()
        await making
        return others

    assert run(turns()) == 20
