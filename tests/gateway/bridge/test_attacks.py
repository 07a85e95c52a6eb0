"""A hook's input is written by whoever starts it, and is as hostile as a server's question."""

from __future__ import annotations

import asyncio
import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from elicit_tui.cli.inbox.waiting_text import details
from elicit_tui.elicitation import Outcome, Severity, decline
from elicit_tui.errors import HookError
from elicit_tui.gateway.bridge import hook_input as reading
from elicit_tui.gateway.bridge.agent_prompt import reply_of, request_of
from elicit_tui.gateway.bridge.hook_input import hook_input
from elicit_tui.gateway.bridge.silence import place_among
from tests.forks import ready_elicit_tui
from tests.gateway.bridge.hooked import (
    COMMAND,
    HOOKS,
    PATIENCE,
    QUESTION,
    Ended,
    Person,
    asked,
    configure,
    hook,
    person,
    rows,
)

pytestmark = pytest.mark.anyio

TOOL = b'{"hook_event_name": "PermissionRequest", "tool_name": '
FORGED: list[bytes] = [
    b"",
    b"not JSON",
    b"\xff\xfe\x00",
    b"[]",
    b"null",
    b"{}",
    b'{"hook_event_name": 5}',
    b'{"hook_event_name": "PermissionRequest"}',
    TOOL + b'"", "tool_input": {}}',
    TOOL + b'"x", "tool_input": []}',
    TOOL + b'["x"], "tool_input": {}}',
    TOOL + b'"a", "tool_name": "b", "tool_input": {}}',
    TOOL + b'"x", "tool_input": {"n": NaN}}',
    TOOL + b'"x", "tool_input": {"n": 1e999}}',
    TOOL + b'"x", "tool_input": {"n": %s}}' % (b"[" * 200 + b"]" * 200),
    b'{"hook_event_name": "Elicitation", "message": "no server"}',
    b'{"hook_event_name": "Elicitation", "mcp_server_name": "%s"}' % (b"x" * 1000),
    b'{"a":' * 100_000,
]


@pytest.mark.parametrize("raw", FORGED, ids=range(len(FORGED)))
def test_what_is_no_prompt_is_refused_in_a_sentence(raw: bytes) -> None:
    with pytest.raises(HookError) as refused:
        hook_input(raw)
    assert len(str(refused.value)) < 100


async def test_the_agent_is_as_without_us_after_forged_input() -> None:
    ended = await asked(b'{"hook_event_name": "PermissionRequest"}')
    assert (ended.code, ended.stdout) == (0, b"")
    assert ended.stderr == (
        "elicit-tui: claude-code wrote no tool_name that is a name; it asks by itself.\n"
        if "tool_name" in ended.stderr
        else "elicit-tui: claude-code wrote no arguments of a tool; it asks by itself.\n"
    )


async def test_input_without_an_end_is_not_waited_for_and_not_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(reading, "MOST_INPUT", 1000)
    monkeypatch.setattr(reading, "INPUT_SECONDS", 0.2)
    reads, writes = os.pipe()
    try:
        os.write(writes, b"x" * 500)
        with pytest.raises(HookError, match="did not end"):
            reading.read_input(reads)
        os.write(writes, b"x" * 1500)
        with pytest.raises(HookError, match="more than"):
            reading.read_input(reads)
    finally:
        os.close(reads)
        os.close(writes)


def test_a_malformed_question_is_declined_as_every_server_s() -> None:
    request = request_of("Claude Code", _read({**QUESTION, "requested_schema": "none"}))
    assert request.requested_schema is None
    assert request.protocol.rounds


def test_a_server_of_the_reserved_name_is_no_agent() -> None:
    with pytest.raises(HookError, match="reserved"):
        request_of("Claude Code", _read({**QUESTION, "mcp_server_name": "agent"}))


async def test_a_question_never_passes_for_another_agent_s() -> None:
    pretends = {
        **COMMAND,
        "tool_name": "Bash",
        "agent": "codex",
        "handed_to": "Codex",
        "server": "deploy",
        "tool_input": {"command": "id", "agent": "codex", "server": "deploy"},
    }
    async with person() as somebody, hook() as started:
        await started.asks(pretends)
        waiting = await somebody.sees()
        assert (waiting.agent, waiting.server, waiting.handed_to) == (
            "claude-code",
            "agent",
            "Claude Code",
        )
        assert waiting.question is not None
        assert waiting.question.request.message == "Let Claude Code run a command?"
        await somebody.answers(decline("user", "No."))
        await started.ended()


async def test_a_command_of_a_megabyte_is_shown_neutral_and_stands_whole() -> None:
    piece = "echo \x1b[2J\u202egnp.exe аdmin\u200b; "
    command = piece * (1024 * 1024 // len(piece))
    async with person() as somebody, hook() as started:
        await started.asks({**COMMAND, "tool_input": {"command": command}})
        waiting = await somebody.sees()
        assert waiting.question is not None
        call = waiting.question.request.call
        assert call is not None
        assert call.arguments["command"] == command
        shown = details(waiting)
        assert not {"\x1b", "\u202e", "\u200b"} & set(shown)
        assert len(shown) > len(command)
        found = waiting.question.review.findings
        assert {"hidden.control", "hidden.direction", "hidden.mixed_letters"} <= {
            each.rule for each in found
        }
        assert max(each.severity for each in found) is Severity.WARN
        await somebody.answers(decline("user", "No."))
        ended = await started.ended()
    assert ended.reply["decision"]["behavior"] == "deny"
    (row,) = rows()
    assert len(json.dumps(row.as_json())) < 20_000


async def test_a_tool_s_name_is_neutral_wherever_it_is_told() -> None:
    request = request_of("Claude Code", _read({**COMMAND, "tool_name": "Ba\x1b[31msh\u202e"}))
    assert request.message.isprintable()


async def test_of_many_at_once_no_more_wait_than_the_limit_lets() -> None:
    configure("[elicitation.limits]\npending = 2\n")
    async with person() as somebody:
        with place_among(2) as first, place_among(2) as second, place_among(2) as third:
            assert (first, second, third) == (True, True, False)
            ended = await asked(COMMAND)
        assert somebody.inbox.waiting == ()
        with place_among(2) as again:
            assert again
    assert (ended.code, ended.stdout) == (0, b"")
    (row,) = rows()
    assert (row.action, row.decided_by) == (None, "nobody")
    assert row.key == "elicitation.limits.pending"


@pytest.mark.timeout(120 + HOOKS)
async def test_of_many_hooks_at_once_each_has_its_own_answer_or_is_silent(tmp_path: Path) -> None:
    """`HOOKS=1000` starts a thousand; whatever becomes of one stands in the record."""
    most, started = 4, ready_elicit_tui()
    configure(f"[elicitation.limits]\npending = {most}\n[bridge]\nhold_sec = 600\n")
    answered: dict[str, str] = {}

    async def answers(somebody: Person) -> None:
        while True:
            command, kind = await answered_next(somebody)
            answered[command] = kind
            assert len(somebody.inbox.waiting) <= most

    async def one(number: int) -> tuple[str, Ended]:
        command = f"make {number}."
        # In a file, so that no hook waits for this process, which has a thousand to start.
        file = tmp_path / f"{number}.json"
        file.write_text(json.dumps({**COMMAND, "tool_input": {"command": command}}))
        with file.open("rb") as prompt:
            async with hook(command=started, stdin=prompt) as running:
                return command, await running.ended()

    async with person() as somebody:
        answering = asyncio.ensure_future(answers(somebody))
        hooks = asyncio.gather(*map(one, range(HOOKS)))
        await asyncio.wait((answering, hooks), return_when=asyncio.FIRST_COMPLETED)
        if answering.done():
            hooks.cancel()
            answering.result()
        ended = dict(await hooks)
        told = {command: each.reply["decision"] for command, each in ended.items() if each.stdout}

        async def all_is_read() -> None:
            """A hook may end before the person reads what became of the answer."""
            while told.keys() - answered.keys() or somebody.inbox.waiting:
                await asyncio.wait((answering,), timeout=0.05)

        await asyncio.wait_for(all_is_read(), PATIENCE)
        answering.cancel()
    assert {each.code for each in ended.values()} == {0}
    for command, decision in told.items():
        assert decision["behavior"] == "deny"
        assert f"not {command}" in decision["message"]
    assert set(told) == {command for command, kind in answered.items() if kind == "sent"}
    assert told
    recorded = Counter((row.decided_by, row.key or row.reason) for row in rows())
    notices = Counter(each.stderr[:150] for each in ended.values() if each.stderr)
    print(f"{HOOKS} hooks: {dict(recorded)}; {dict(notices)}")
    assert sum(recorded.values()) == HOOKS
    assert {who for who, _ in recorded} <= {"user", "nobody"}
    assert sum(count for (who, _), count in recorded.items() if who == "user") == len(told)


async def answered_next(somebody: Person) -> tuple[str, str]:
    """Answer the oldest question; its command, and what the person reads."""
    waiting = await somebody.sees()
    assert waiting.question is not None
    assert waiting.question.request.call is not None
    command = str(waiting.question.request.call.arguments["command"])
    said = await somebody.inbox.answer(waiting.id, decline("user", "No.", note=f"not {command}"))
    await somebody.until(lambda: all(each.id != waiting.id for each in somebody.inbox.waiting))
    return command, said.kind


def test_nothing_but_a_person_s_accept_makes_an_allow() -> None:
    prompt = _read(COMMAND)
    for action in ("decline", "cancel", None):
        outcome = Outcome(action, "user", "…")  # type: ignore[arg-type]
        reply: Any = reply_of(prompt, outcome)
        assert reply is None or reply["hookSpecificOutput"]["decision"]["behavior"] == "deny"


def _read(prompt: Any) -> reading.HookPrompt:
    found = hook_input(json.dumps(prompt).encode())
    assert found is not None
    return found
