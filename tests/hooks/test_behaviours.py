"""Every cell through the broker: programs and a server that are real, a person that is scripted."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from elicit_tui.elicitation import ElicitationRequest
from tests.broker.conftest import form_request, run
from tests.hooks.cells import CELLS, EVENTS, PERSON, SENT, Cell, Ended, expected
from tests.hooks.conftest import Person, RunFactory
from tests.hooks.world import Receiver, command, hook, read


@pytest.mark.parametrize("cell", CELLS, ids=str)
def test_what_a_hook_does_decides_what_becomes_of_a_question(
    start: RunFactory, receiver: Receiver, log: Path, tmp_path: Path, cell: Cell
) -> None:
    child = tmp_path / "child"
    if cell.sort == "command":
        one = hook(cell.event, cell.command(log, child), timeout_sec=cell.seconds)
    else:
        one = hook(cell.event, url=receiver.url, timeout_sec=cell.seconds)
        receiver.behaviour, receiver.text = cell.behaviour, cell.said

    async def body() -> None:
        there = start(one, person=Person(SENT, SENT))
        if cell.event == "Waiting":
            there.hooks.waiting(asked(), "claude")
        else:
            outcome = await there.broker.resolve(asked())
        await there.close()
        ran = len(read(log)) if cell.sort == "command" else len(receiver.got)
        assert ran == 1, f"a hook of the event {cell.event} ran {ran} times: what runs it?"
        if cell.fails:
            assert f"hooks[1] {'' if cell.has_power else f'({cell.event}) '}" in there.told
            assert cell.fails in there.told
        elif cell.behaviour != "answers":
            assert "The hook hooks[1]" not in there.told
        if cell.event == "Waiting":
            return
        ended = Ended(str(outcome.action), outcome.decided_by, outcome.content)
        assert ended == expected(cell, PERSON)
        if ended.decided_by == "hook":
            assert outcome.key == "hooks[1]"
        if cell.has_power and cell.behaviour == "declines" and cell.sort == "command":
            assert "not on a Friday" in outcome.reason
        shown = there.person.shown
        if cell.has_power and cell.fails:
            assert len(shown) == (2 if cell.event == "ElicitationResult" else 1)
            assert cell.fails in (shown[-1].note or "")
        row = there.ledger.row(there.resolved[0].request.id)
        assert (row.action, row.decided_by) == (outcome.action, outcome.decided_by)

    run(body())
    if cell.behaviour == "leaves":
        assert_gone(int(child.read_text()))


def asked() -> ElicitationRequest:
    schema = {"type": "object", "properties": {"value": {"type": "string"}}}
    return form_request(params={"requestedSchema": schema})


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
        assert time.monotonic() - started < 30  # The hook takes a minute.
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
    hooks = [
        hook(event, command("passes", log), position=number, include=("message",))
        for number, event in enumerate(EVENTS, start=1)
    ]

    async def body() -> None:
        there = start(*hooks, person=Person({evil: evil}), approvals_reviewer="user")
        request = form_request(evil, evil, params=params)
        there.hooks.waiting(request, evil)
        await there.broker.resolve(request)
        await there.close()

    run(body())
    told = read(log)
    assert sorted(one["input"]["hook_event_name"] for one in told) == sorted(EVENTS)
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
        there = start(hook("Asked", command("passes", log)), person=Person({"colour": "red"}))
        await there.broker.resolve(form_request())
        await there.close()

    run(body())
    environment: dict[str, Any] = read(log)[0]["environment"]
    assert "GITHUB_TOKEN" not in environment
    assert {"PATH", "HOME"} <= set(environment)
