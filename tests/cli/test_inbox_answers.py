"""`elicit-tui inbox`: what goes out as an answer, and what is looked at before it does."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from elicit_tui import paths
from elicit_tui.elicitation import (
    Answerer,
    Call,
    Draft,
    ElicitationRequest,
    ServerIdentity,
)
from elicit_tui.form.field import Typed
from tests.cli.asking_gateway import (
    ASKER,
    BOUND,
    Gateway,
    answered,
    at_a_terminal,
    inbox,
)
from tests.cli.running import COMMAND, environment, run
from tests.cli.terminal import Terminal
from tests.cli.test_terminal import type_until
from tests.keys import DECLINE, SEND

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals"),
]


async def test_an_agent_that_was_told_to_come_back_is_named_as_it_names_the_question(
    gateway: Gateway,
) -> None:
    asked = gateway.asks()
    (question,) = await gateway.waiting()
    (document,) = (await inbox("list", "--output", "json")).document
    (call,) = document["callIds"]
    assert document["agentState"] == "waiting"
    await gateway.store.mark_agent(question, "paused")
    assert "the agent was told to come back" in (await inbox("list")).stdout
    shown = await inbox("show", call)
    assert f"(it knows this as {call[:8]}); your answer is kept for it." in shown.stdout
    answer = ("answer", call[:8], "environment=staging", "replicas=3")
    done = await at_a_terminal(*answer)
    assert done.code == 0
    assert "Sent. The agent was told to come back: tell it to go on." in done.stderr.replace(
        "\r\n", " "
    ).replace("\n", " ")
    assert (await answered(asked)).action == "accept"


async def test_nothing_waits_and_no_store_is_made_to_see_that(sealed_machine: Path) -> None:
    listed = await inbox("list")
    assert (listed.code, listed.stdout) == (0, "")
    assert "No question of an agent waits" in listed.stderr
    assert (await inbox("list", "--output", "json")).document == []
    assert not await asyncio.to_thread(paths.store_file().exists)


async def test_an_answer_that_is_complete_goes_out_without_a_form(gateway: Gateway) -> None:
    asked = gateway.asks()
    (question,) = await gateway.waiting()
    done = await at_a_terminal("answer", question[:8], "environment=staging", "replicas=3")
    assert done.code == 0
    assert "Sent." in done.stderr
    outcome = await answered(asked)
    assert outcome.content == {"environment": "staging", "replicas": 3}
    row = gateway.ledger.row(question).as_json()
    assert row["via"] == "inbox"
    assert row["answeredBy"]["terminal"]
    assert "python" in row["answeredBy"]["ancestry"][0]


async def test_what_is_missing_is_asked_with_a_form(gateway: Gateway) -> None:
    asked = gateway.asks()
    (question,) = await gateway.waiting()

    def act(terminal: Terminal) -> None:
        terminal.wait_for("canary")
        type_until(terminal, " ", "●")
        type_until(terminal, SEND, "Sent.")

    done = await at_a_terminal("answer", question, "replicas=3", act=act)
    assert done.code == 0
    assert (await answered(asked)).content == {"environment": "staging", "replicas": 3}


WITH_DEFAULTS = {
    "type": "object",
    "properties": {
        "note": {"type": "string"},
        "amount": {"type": "integer", "default": 500},
        "newsletter": {"type": "boolean", "default": True},
    },
}


async def test_what_stands_in_a_form_by_default_is_shown_to_people_and_scripts(
    gateway: Gateway,
) -> None:
    asked = gateway.asks(requestedSchema=WITH_DEFAULTS)
    (question,) = await gateway.waiting()
    shown = (await inbox("show", question)).stdout
    assert "= 500 (the form's default)" in shown
    assert "= true (the form's default)" in shown
    document = (await inbox("show", question, "--output", "json")).document
    assert document["standing"] == {
        "amount": {"value": 500, "from": "default"},
        "newsletter": {"value": True, "from": "default"},
    }
    asked.cancel()


async def test_nothing_goes_out_without_a_look_but_what_was_given(gateway: Gateway) -> None:
    asked = gateway.asks(requestedSchema=WITH_DEFAULTS)
    (question,) = await gateway.waiting()

    def act(terminal: Terminal) -> None:
        terminal.wait_for("More than you gave would go out: amount=500 (the form's default)")
        type_until(terminal, SEND, "Sent.")

    assert (await at_a_terminal("answer", question, "note=ok", act=act)).code == 0
    content = {"note": "ok", "amount": 500, "newsletter": True}
    assert (await answered(asked)).content == content
    asked = gateway.asks(requestedSchema=WITH_DEFAULTS)
    (question,) = await gateway.waiting()
    given = ("answer", question, "note=ok", "amount=7", "newsletter=false")
    assert (await at_a_terminal(*given)).code == 0
    content = {"note": "ok", "amount": 7, "newsletter": False}
    assert (await answered(asked)).content == content


async def test_without_a_terminal_what_else_would_go_out_is_named_and_stays(
    gateway: Gateway, tmp_path: Path
) -> None:
    config = tmp_path / "config.toml"
    config.write_text("[store]\nanswer_without_terminal = true\n")
    asked = gateway.asks(requestedSchema=WITH_DEFAULTS)
    (question,) = await gateway.waiting()

    def answers(*given: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*COMMAND, "--config", str(config), "inbox", "answer", question, *given],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=BOUND,
            env=environment(),
            start_new_session=True,
            check=False,
        )

    refused = await asyncio.to_thread(answers, "note=ok", "newsletter=true")
    assert refused.returncode == 2
    told = " ".join(refused.stderr.split())
    assert "More than you gave would go out: amount=500 (the form's default)." in told
    assert "newsletter" not in told
    assert not asked.done()
    given = await asyncio.to_thread(answers, "note=ok", "newsletter=true", "amount:=500")
    assert given.returncode == 0, given.stderr
    assert (await answered(asked)).content == {"note": "ok", "newsletter": True, "amount": 500}


ELSEWHERE = Answerer("me", "pts/77", "this machine")


async def put_off_elsewhere(gateway: Gateway, question: str, **typed: str) -> None:
    draft = Draft()
    draft.write({name: Typed(text) for name, text in typed.items()}, frozenset(typed))
    await gateway.store.claim(question, ELSEWHERE, draft)
    await gateway.store.release(question, draft)


async def test_what_was_typed_at_another_terminal_goes_out_only_once_it_was_seen_here(
    gateway: Gateway,
) -> None:
    asked = gateway.asks(requestedSchema=schema_of("b", "c"))
    (question,) = await gateway.waiting()
    await put_off_elsewhere(gateway, question, c="typed in another terminal")
    shown = (await inbox("show", question)).stdout
    assert '= "typed in another terminal" (typed before, not sent)' in shown

    def act(terminal: Terminal) -> None:
        terminal.wait_for('More than you gave would go out: c="typed in another terminal"')
        type_until(terminal, SEND, "Sent.")

    assert (await at_a_terminal("answer", question, "b=here", act=act)).code == 0
    assert (await answered(asked)).content == {"b": "here", "c": "typed in another terminal"}


async def test_what_was_typed_is_told_without_what_another_terminal_typed(
    gateway: Gateway,
) -> None:
    asked = gateway.asks(requestedSchema=schema_of("b", "c"))
    (question,) = await gateway.waiting()
    await put_off_elsewhere(gateway, question, c="typed in another terminal")
    loop = asyncio.get_running_loop()

    def act(terminal: Terminal) -> None:
        terminal.wait_for("Your earlier answers are back.")
        loop.call_soon_threadsafe(gateway.broker.withdraw, question, "The server took it back.")
        terminal.wait_for('What you typed: {"b": "here"}')

    assert (await at_a_terminal("answer", question, "b=here", act=act)).code == 1
    assert (await answered(asked)).action is None


def schema_of(*names: str) -> dict[str, Any]:
    return {"type": "object", "properties": {name: {"type": "string"} for name in names}}


async def test_ctrl_s_before_the_form_stops_nothing_and_the_terminal_is_put_back(
    gateway: Gateway,
) -> None:
    gateway.asks()
    (question,) = await gateway.waiting()

    def act(terminal: Terminal) -> None:
        assert terminal.flow_control
        terminal.type(SEND)
        terminal.wait_for("canary")
        assert not terminal.flow_control
        type_until(terminal, DECLINE, "Declined.")
        terminal.end()
        assert terminal.flow_control

    assert (await at_a_terminal("answer", question, act=act)).code == 0


async def test_what_was_typed_is_told_when_the_question_left_meanwhile(gateway: Gateway) -> None:
    asked = gateway.asks()
    (question,) = await gateway.waiting()
    loop = asyncio.get_running_loop()

    def act(terminal: Terminal) -> None:
        terminal.wait_for("canary")
        type_until(terminal, " ", "●")
        loop.call_soon_threadsafe(gateway.broker.withdraw, question, "The server took it back.")
        terminal.wait_for('What you typed: {"environment": "staging", "replicas": 3}')

    done = await at_a_terminal("answer", question, "replicas=3", act=act)
    assert done.code == 1
    assert (await answered(asked)).action is None


async def test_declined_with_a_note_and_cancelled(gateway: Gateway) -> None:
    first = gateway.asks()
    (question,) = await gateway.waiting()
    done = await at_a_terminal("decline", "--note", "use staging instead", question)
    assert done.code == 0
    outcome = await answered(first)
    assert (outcome.action, outcome.note) == ("decline", "use staging instead")
    second = gateway.asks()
    (question,) = await gateway.waiting()
    assert (await at_a_terminal("cancel", question)).code == 0
    assert (await answered(second)).action == "cancel"


async def test_without_a_terminal_nobody_answers(gateway: Gateway) -> None:
    asked = gateway.asks()
    (question,) = await gateway.waiting()
    for command in (("answer", question, "environment=staging"), ("decline", question)):
        refused = await inbox(*command)
        assert refused.code == 2
        assert "terminal" in refused.stderr
    assert not asked.done()
    asked.cancel()


async def test_the_owner_lifts_the_terminal_and_nothing_else(
    gateway: Gateway, tmp_path: Path
) -> None:
    config = tmp_path / "config.toml"
    config.write_text("[store]\nanswer_without_terminal = true\n")
    asked = gateway.asks()
    (question,) = await gateway.waiting()
    command = ("--config", str(config), "inbox", "answer", question, "environment=staging")
    below = await asyncio.to_thread(run, *command, fresh=True)  # a child of who asks
    assert below.code == 2
    assert "belongs to an agent" in below.stderr

    def in_a_session_of_its_own() -> int:
        return subprocess.run(
            [*COMMAND, *command],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=BOUND,
            env=environment(),
            start_new_session=True,
            check=False,
        ).returncode

    assert await asyncio.to_thread(in_a_session_of_its_own) == 0
    assert (await answered(asked)).action == "accept"


async def test_wrong_ids_fields_and_values_are_told(gateway: Gateway) -> None:
    asked = [gateway.asks(), gateway.asks()]
    (question, _) = await gateway.waiting(2)
    for arguments, words in (
        (("answer", "nothing"), "No question 'nothing' waits"),
        (("answer", question, "envronment=staging"), "Did you mean 'environment'?"),
        (("answer", question, "replicas=many"), "replicas"),
        (("answer", question, "--session"), "--session is for calls of a tool"),
        (("revoke",), "--all"),
    ):
        done = await at_a_terminal(*arguments)
        assert done.code == 2, (arguments, done.stderr)
        assert words in done.stderr.replace("\n", " ")
    assert not any(each.done() for each in asked)
    for each in asked:
        each.cancel()


async def test_a_text_of_two_lines_in_a_list_does_not_go_out_as_two(gateway: Gateway) -> None:
    texts = {"type": "array", "items": {"type": "string"}}
    asked = gateway.asks(requestedSchema={"type": "object", "properties": {"texts": texts}})
    (question,) = await gateway.waiting()
    refused = await at_a_terminal("answer", question, r'texts=["a\nb"]')
    assert refused.code == 2
    assert "texts: one text on each line." in refused.stderr
    asked.cancel()


async def test_a_question_with_a_warning_is_never_answered_without_a_look(
    gateway: Gateway,
) -> None:
    asked = gateway.asks("Be careful: which one?")
    (question,) = await gateway.waiting()
    assert (await inbox("show", question, "--output", "json")).document["verdict"] == "warn"

    def act(terminal: Terminal) -> None:
        terminal.wait_for("Be careful: which one?")
        type_until(terminal, DECLINE, "Declined.")

    done = await at_a_terminal("answer", question, "environment=staging", act=act)
    assert done.code == 0
    assert (await answered(asked)).action == "decline"


async def test_a_tool_call_is_allowed_for_the_session(gateway: Gateway) -> None:
    from elicit_tui.elicitation import approval_request

    server = ServerIdentity("prod", "stdio", "deploy-server")
    call = Call("tools/call", "drop", {"table": "users"})
    request = approval_request(server, call, None, "It says it is final.")
    await gateway.store.put(_question(request), ASKER)
    (question,) = await gateway.waiting()
    shown = await inbox("show", question)
    assert f"inbox answer {question[:8]} --session" in shown.stdout
    listed = (await inbox("list")).stdout.splitlines()
    assert "call drop of prod?" in listed[0]
    assert listed[1].strip() == '{"table": "users"}'
    answering = asyncio.ensure_future(at_a_terminal("answer", question, "--session"))
    answer = await asyncio.wait_for(gateway.answer_of(question), BOUND)
    assert (answer.outcome.action, answer.outcome.scope) == ("accept", "session")
    await gateway.store.settle(question, answer.outcome)
    assert (await answering).code == 0


def _question(request: ElicitationRequest) -> Any:
    from elicit_tui.elicitation import Question

    return Question(request)
