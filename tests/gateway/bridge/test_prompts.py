"""A prompt of an agent itself, put to a person: what its hook says, and what is recorded."""

from __future__ import annotations

import json
from typing import Any

import pytest

from elicit_tui.elicitation import accept, cancel, decline
from elicit_tui.gateway.agents import known_agents
from elicit_tui.gateway.bridge import BRIDGED
from elicit_tui.gateway.bridge.agent_prompt import request_of
from elicit_tui.gateway.bridge.hook_input import hook_input
from elicit_tui.paths import ledger_file
from tests.cli.running import run_program
from tests.gateway.bridge.hooked import (
    COMMAND,
    QUESTION,
    asked,
    configure,
    hook,
    person,
    rows,
)

pytestmark = pytest.mark.anyio


async def test_a_command_is_allowed_once_by_a_person_and_never_for_the_session() -> None:
    async with person() as somebody, hook() as started:
        await started.asks(COMMAND)
        waiting = await somebody.sees()
        question = waiting.question
        assert question is not None
        assert waiting.kind == "approval"
        assert (waiting.agent, waiting.server, waiting.tool) == ("claude-code", "agent", "Bash")
        assert waiting.asker is not None
        assert waiting.asker.directory == "/home/ada/project"
        assert question.request.message == "Let Claude Code run a command?"
        assert question.request.call is not None
        assert question.request.call.arguments == COMMAND["tool_input"]
        assert question.request.traits.scopes == ("once",)
        said = await somebody.answers(accept("user", "Allowed.", None, scope="session"))
        ended = await started.ended()
        grants = await somebody.store.grants()
    assert said.kind == "sent"
    assert said.sentence == "Handed to the agent."
    assert (ended.code, ended.stderr) == (0, "")
    assert ended.reply == {
        "hookEventName": "PermissionRequest",
        "decision": {"behavior": "allow"},
    }
    assert grants == ()
    (row,) = rows()
    assert (row.action, row.decided_by, row.state) == ("accept", "user", "handed")
    assert row.details["handedTo"] == "Claude Code"
    assert row.details["scope"] == "once"
    assert row.as_json()["sentAt"] is None


async def test_a_no_reaches_the_agent_with_the_person_s_note() -> None:
    async with person() as somebody, hook() as started:
        await started.asks(COMMAND)
        await somebody.answers(decline("user", "No.", note="use \x1b[31mstaging\x1b[0m instead"))
        ended = await started.ended()
    decision = ended.reply["decision"]
    assert decision["behavior"] == "deny"
    assert "The user declined this call." in decision["message"]
    assert "staging" in decision["message"]
    assert "\x1b" not in decision["message"]


async def test_a_person_who_dismisses_it_leaves_it_to_the_agent() -> None:
    async with person() as somebody, hook() as started:
        await started.asks(COMMAND)
        said = await somebody.answers(cancel("user", "Dismissed."))
        ended = await started.ended()
    assert said.sentence == "Left to the agent."
    assert (ended.code, ended.stdout) == (0, b"")


async def test_a_server_s_question_is_judged_and_its_answer_given_to_the_agent() -> None:
    async with person() as somebody, hook() as started:
        await started.asks(QUESTION)
        waiting = await somebody.sees()
        assert waiting.server == "deploy"
        again = await somebody.answers(accept("user", "Sent.", {"environment": "moon"}))
        assert again.kind == "reopened"
        said = await somebody.answers(accept("user", "Sent.", {"environment": "staging"}))
        ended = await started.ended()
    assert said.sentence == "Handed to the agent."
    assert ended.reply == {
        "hookEventName": "Elicitation",
        "action": "accept",
        "content": {"environment": "staging"},
    }
    (row,) = rows()
    assert (row.server, row.kind, row.state) == ("deploy", "elicitation", "handed")


@pytest.mark.parametrize(("action", "given"), [(decline, "decline"), (cancel, "cancel")])
async def test_a_server_s_question_can_be_turned_down(action: Any, given: str) -> None:
    async with person() as somebody, hook() as started:
        await started.asks(QUESTION)
        await somebody.answers(action("user", "No."))
        ended = await started.ended()
    assert ended.reply == {"hookEventName": "Elicitation", "action": given}


async def test_a_page_is_agreed_to_without_content() -> None:
    page = {**QUESTION, "mode": "url", "url": "https://example.com/pay", "elicitation_id": "e-1"}
    async with person() as somebody, hook() as started:
        await started.asks({key: page[key] for key in page if key != "requested_schema"})
        waiting = await somebody.sees()
        assert waiting.question is not None
        assert waiting.question.request.url == "https://example.com/pay"
        assert waiting.question.request.elicitation_id == "e-1"
        await somebody.answers(accept("user", "Agreed.", None))
        ended = await started.ended()
    assert ended.reply == {"hookEventName": "Elicitation", "action": "accept"}


async def test_codex_is_asked_for_under_its_own_name() -> None:
    async with person() as somebody, hook(agent="codex") as started:
        await started.asks(COMMAND)
        waiting = await somebody.sees()
        assert waiting.agent == "codex"
        assert waiting.question is not None
        assert waiting.question.request.message == "Let Codex run a command?"
        await somebody.answers(accept("user", "Allowed.", None))
        ended = await started.ended()
    assert ended.reply["decision"] == {"behavior": "allow"}


@pytest.mark.parametrize("prompt", [COMMAND, QUESTION])
async def test_where_nobody_is_there_the_agent_asks_by_itself(prompt: dict[str, Any]) -> None:
    ended = await asked(prompt)
    assert (ended.code, ended.stdout, ended.stderr) == (0, b"", "")
    (row,) = rows()
    assert (row.action, row.decided_by, row.state) == (None, "nobody", "decided")
    assert row.reason is not None
    assert row.reason.startswith("Nobody is there")
    assert row.details["handedTo"] == "Claude Code"


async def test_somebody_who_has_not_pressed_a_key_is_not_there() -> None:
    async with person(there=False):
        ended = await asked(COMMAND)
    assert ended.stdout == b""


async def test_a_notice_that_tells_somebody_lets_it_wait(tmp_path: Any) -> None:
    told = tmp_path / "told"
    command = json.dumps(["/bin/sh", "-c", f"cat > {told}"])
    configure(f'[bridge]\nhold_sec = 3\n[[hooks]]\nevent = "Waiting"\ncommand = {command}\n')
    async with person(there=False) as somebody, hook() as started:
        await started.asks(COMMAND)
        await somebody.answers(accept("user", "Allowed.", None))
        ended = await started.ended()
    assert ended.reply["decision"] == {"behavior": "allow"}
    assert "claude-code: a question of agent waits" in told.read_text()


OWN: list[dict[str, Any]] = [
    {**COMMAND, "tool_name": "mcp__elicit-tui__deploy__deploy"},
    {**COMMAND, "tool_name": "mcp__elicit_tui__elicit"},
    {**COMMAND, "tool_name": "rename", "mcp_server": {"name": "elicit-tui", "source": "user"}},
    {**QUESTION, "mcp_server_name": "elicit-tui"},
    {**COMMAND, "tool_name": "AskUserQuestion"},
    {**COMMAND, "hook_event_name": "PreToolUse"},
]


@pytest.mark.parametrize(
    ("asked", "ours"),
    [
        ({"tool_name": "elicit-tui/deploy"}, True),
        ({"tool_name": "elicit_tui.elicit"}, True),
        ({"tool_name": "mcp__elicit-tui__elicit"}, True),
        ({"tool_name": "x", "mcp_server": {"name": "elicit_tui"}}, True),
        ({"tool_name": "request_user_input"}, True),
        ({"tool_name": "elicit-tui"}, False),
        ({"tool_name": "mcp__elicit-tuition__pay"}, False),
        ({"tool_name": "mcp__other__elicit-tui__pay"}, False),
        ({"tool_name": "x", "mcp_server": {"name": "elicit-tuition"}}, False),
        ({"tool_name": "x", "mcp_server": "elicit-tui"}, False),
        ({"tool_name": "AskUserQuestions"}, False),
        ({"hook_event_name": "Elicitation", "mcp_server_name": "elicit_tui"}, True),
        ({"hook_event_name": "Elicitation", "mcp_server_name": "elicit-tuition"}, False),
        ({"hook_event_name": "Elicitation", "mcp_server_name": "AskUserQuestion"}, False),
    ],
)
def test_only_what_is_asked_elsewhere_for_sure_is_not_asked_here(asked: Any, ours: bool) -> None:
    prompt = hook_input(json.dumps({**COMMAND, **asked}).encode())
    assert prompt is not None
    assert prompt.is_asked_elsewhere is ours


@pytest.mark.parametrize(
    ("tool", "asks"),
    [
        ("Bash", "run a command"),
        ("shell", "run a command"),
        ("Write", "change a file"),
        ("apply_patch", "change a file"),
        ("mcp__web__deploy", "use mcp__web__deploy"),
    ],
)
def test_a_person_reads_what_the_agent_wants_to_do(tool: str, asks: str) -> None:
    prompt = hook_input(json.dumps({**COMMAND, "tool_name": tool}).encode())
    assert prompt is not None
    assert request_of("Codex", prompt).message == f"Let Codex {asks}?"


@pytest.mark.parametrize("prompt", OWN)
async def test_what_our_own_gateway_asks_is_not_asked_twice(prompt: dict[str, Any]) -> None:
    configure("[bridge]\nhold_sec = 1\n")
    async with person():
        ended = await asked(prompt)
    assert (ended.code, ended.stdout, ended.stderr) == (0, b"", "")
    assert not ledger_file().exists(), "the gateway records it"


# What the owner's policy decides


async def test_the_policy_never_denies_the_agent_nothing() -> None:
    configure('approval_policy = "never"\n')
    async with person():
        ended = await asked(COMMAND)
    assert (ended.code, ended.stdout, ended.stderr) == (0, b"", "")
    (row,) = rows()
    assert (row.action, row.decided_by, row.key) == (None, "nobody", "approval_policy")


async def test_the_policy_never_declines_a_server_s_question() -> None:
    configure('approval_policy = "never"\n')
    ended = await asked(QUESTION)
    assert ended.reply == {"hookEventName": "Elicitation", "action": "decline"}


async def test_the_flag_for_tool_calls_denies_what_it_keeps_from_surfacing() -> None:
    configure("[approval_policy.granular]\ntool_calls = false\n")
    ended = await asked(COMMAND)
    assert ended.reply["decision"]["behavior"] == "deny"
    assert "policy" in ended.reply["decision"]["message"]


async def test_the_guardian_and_rules_decide_a_server_s_question_with_nobody_there() -> None:
    configure(
        '[[rules]]\nserver = "deploy"\naction = "accept"\ncontent = { environment = "staging" }\n'
    )
    by_rule = await asked(QUESTION)
    assert by_rule.reply["content"] == {"environment": "staging"}
    secret = {"type": "object", "properties": {"password": {"type": "string"}}}
    blocked = await asked({**QUESTION, "message": "Your password", "requested_schema": secret})
    assert blocked.reply == {"hookEventName": "Elicitation", "action": "decline"}
    assert [row.decided_by for row in rows()] == ["rule", "guardian"]


async def test_a_hook_of_the_owner_s_may_refuse_a_command_and_never_allows_one() -> None:
    for action, given in (("decline", "deny"), ("accept", None)):
        said = json.dumps({"action": action})
        command = json.dumps(["/bin/sh", "-c", f"echo '{said}'"])
        configure(f'[[hooks]]\nevent = "Elicitation"\nkind = "approval"\ncommand = {command}\n')
        ended = await asked(COMMAND)
        assert (ended.reply and ended.reply["decision"]["behavior"]) == given


async def test_what_is_found_in_a_command_has_to_be_acknowledged() -> None:
    dangerous = {**COMMAND, "tool_input": {"command": "git push --force origin main"}}
    async with person() as somebody, hook() as started:
        await started.asks(dangerous)
        waiting = await somebody.sees()
        assert waiting.question is not None
        found = waiting.question.to_acknowledge
        assert [each.rule for each in found] == ["destructive.effect"]
        unread = await somebody.answers(accept("user", "Allowed.", None))
        assert unread.kind == "reopened"
        seen = frozenset(each.id for each in found)
        await somebody.answers(accept("user", "Allowed.", None, acknowledged=seen))
        ended = await started.ended()
    assert ended.reply["decision"] == {"behavior": "allow"}


def test_the_agents_are_those_of_the_table() -> None:
    known = {key: agent.title for key, agent in known_agents().items() if agent.hook_events}
    assert dict(BRIDGED) == known


def test_a_prompt_that_nobody_is_there_for_waits_for_no_event_loop_and_no_questions() -> None:
    program = (
        "import os, sys; from elicit_tui.cli import run;"
        "read, write = os.pipe(); os.write(write, sys.argv[1].encode()); os.close(write);"
        "os.dup2(read, 0); run(['bridge', 'claude-code']); print(*sys.modules, sep='\\n')"
    )
    loaded = set(run_program(program, json.dumps(COMMAND)).stdout.split())
    assert "elicit_tui.store.living" in loaded, "it was looked whether somebody is there"
    assert not loaded & {
        "asyncio",
        "elicit_tui.broker",
        "elicit_tui.guardian",
        "elicit_tui.store.store",
        "elicit_tui.store.transitions",
        "platform",
    }
