"""Every event with every way in which a program or a page may behave; both are real ones."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any, get_args

import pytest

from elicit_tui.elicitation.settings import HookEvent
from tests.broker.conftest import form_request, run
from tests.hooks.conftest import Person, RunFactory
from tests.hooks.world import Receiver, answer, command, hook, read

EVENTS = get_args(HookEvent)
BEHAVIOURS = ["answers", "passes", "declines", "hangs", "crashes", "nonsense", "floods", "leaves"]
FAILS = {
    "hangs": "did not answer within 1 second",
    "crashes": ("ended with exit code 1: it broke ␛[31m", "could not be reached"),
    "nonsense": "did not answer in JSON",
    "floods": "more than 1 MiB",
}
SENT = {"colour": "red"}
HOOKED = {"colour": "blue"}


def fails_with(behaviour: str, sort: str) -> str:
    words = FAILS[behaviour]
    return words if isinstance(words, str) else words[sort == "url"]


@pytest.mark.parametrize("sort", ["command", "url"])
@pytest.mark.parametrize("behaviour", BEHAVIOURS)
@pytest.mark.parametrize("event", EVENTS)
def test_what_a_hook_does_decides_what_becomes_of_a_question(
    start: RunFactory,
    receiver: Receiver,
    log: Path,
    tmp_path: Path,
    event: HookEvent,
    behaviour: str,
    sort: str,
) -> None:
    if sort == "url" and behaviour == "leaves":
        pytest.skip("a page leaves no process behind")
    said = answer("accept", event, **HOOKED)
    child = tmp_path / "child"
    more = {"answers": [said], "leaves": [str(child)]}.get(behaviour, [])
    limit = 1 if behaviour == "hangs" else 30
    if sort == "command":
        one = hook(event, command(behaviour, log, *more), timeout_sec=limit)
    else:
        one = hook(event, url=receiver.url, timeout_sec=limit)
        receiver.behaviour = behaviour
        receiver.text = {"answers": said, "declines": answer("decline", event)}.get(behaviour, "")

    async def body() -> None:
        there = start(one, person=Person(SENT, SENT))
        if event == "Waiting":
            there.hooks.waiting(form_request(), "claude")
        else:
            outcome = await there.broker.resolve(form_request())
        await there.close()
        ran = len(read(log)) if sort == "command" else len(receiver.got)
        assert ran == 1
        fails = behaviour in FAILS
        if fails:
            assert f"hooks[1] {'' if has_power(event) else f'({event}) '}" in there.told
            assert fails_with(behaviour, sort) in there.told
        if event == "Waiting":
            return
        if not has_power(event):
            assert (outcome.decided_by, outcome.content) == ("user", SENT)
        elif behaviour == "answers":
            assert (outcome.decided_by, outcome.content) == ("hook", HOOKED)
            assert outcome.key == "hooks[1]"
        elif behaviour == "declines":
            assert (outcome.action, outcome.decided_by) == ("decline", "hook")
            if sort == "command":
                assert "not on a Friday" in outcome.reason
        else:
            assert (outcome.decided_by, outcome.content) == ("user", SENT)
            shown = there.person.shown
            assert len(shown) == (2 if fails and event == "ElicitationResult" else 1)
            if fails:
                assert fails_with(behaviour, sort) in (shown[-1].note or "")
        row = there.ledger.row(there.resolved[0].request.id)
        assert (row.action, row.decided_by) == (outcome.action, outcome.decided_by)

    run(body())
    if behaviour == "leaves":
        assert_gone(int(child.read_text()))


def has_power(event: str) -> bool:
    return event in ("Elicitation", "ElicitationResult")


def assert_gone(process: int) -> None:
    end = time.monotonic() + 10
    while time.monotonic() < end:
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return
        state = Path(f"/proc/{process}/stat")
        if state.exists() and state.read_text().split()[2] == "Z":
            return
        time.sleep(0.05)
    raise AssertionError(f"process {process} goes on")


def test_a_withdrawn_question_ends_its_hook(start: RunFactory, log: Path) -> None:
    import asyncio

    async def body() -> None:
        there = start(hook("Elicitation", command("hangs", log), timeout_sec=60))
        request = form_request()
        asking = asyncio.ensure_future(there.broker.resolve(request))
        while not read(log):
            await asyncio.wait({asking}, timeout=0.02)
        started = time.monotonic()
        there.broker.withdraw(request.id, "The server withdrew it.")
        outcome = await asking
        assert time.monotonic() - started < 5
        assert outcome.decided_by == "server"
        await there.close()

    run(body())


def test_a_hostile_text_is_in_no_argument_no_variable_and_no_shell(
    start: RunFactory, log: Path, tmp_path: Path
) -> None:
    trap = tmp_path / "trap"
    evil = f"$(touch {trap})`touch {trap}`; touch {trap}\n\x1b]0;x\x07\u202e' \" ##vso[x] 0wned"
    schema = {"type": "object", "properties": {evil: {"type": "string", "title": evil}}}
    params = {"requestedSchema": schema, "elicitationId": evil}
    events: list[HookEvent] = ["Elicitation", "ElicitationResult", "Asked", "Resolved", "Waiting"]
    hooks = [
        hook(event, command("passes", log), position=number, include=("message",))
        for number, event in enumerate(events, start=1)
    ]

    async def body() -> None:
        there = start(*hooks, person=Person({evil: evil}), approvals_reviewer="user")
        request = form_request(evil, evil, params=params)
        there.hooks.waiting(request, evil)
        await there.broker.resolve(request)
        await there.close()

    run(body())
    told = read(log)
    assert sorted(one["input"]["hook_event_name"] for one in told) == sorted(events)
    for one in told:
        assert "0wned" not in json.dumps([one["arguments"], one["environment"]])
        assert not one["terminal"]
        assert one["cwd"] == os.environ["HOME"]
    assert not trap.exists()
    asked = next(one["input"] for one in told if one["input"]["hook_event_name"] == "Elicitation")
    assert asked["message"] == evil
    assert asked["mcp_server_name"] == evil
    assert asked["requested_schema"] == schema


def test_a_hook_gets_few_variables_of_the_environment(
    start: RunFactory, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", "secret")

    async def body() -> None:
        there = start(hook("Asked", command("passes", log)), person=Person(SENT))
        await there.broker.resolve(form_request())
        await there.close()

    run(body())
    environment: dict[str, Any] = read(log)[0]["environment"]
    assert "GITHUB_TOKEN" not in environment
    assert {"PATH", "HOME"} <= set(environment)
