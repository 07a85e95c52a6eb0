"""What a hook reads, field by field, and in which order those that are only told are told."""

from __future__ import annotations

import asyncio
import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from elicit_tui.elicitation import (
    Call,
    ElicitationRequest,
    Finding,
    Outcome,
    Review,
    Severity,
    accept,
    decline,
)
from elicit_tui.elicitation.settings import Hook
from elicit_tui.errors import HookError
from elicit_tui.hooks import hooks, running
from elicit_tui.hooks.hooks import HookInput, Hooks
from elicit_tui.hooks.running import Reply, run_hook
from tests.broker.conftest import form_request, run
from tests.hooks.world import PAGE, hook

FOUND = Finding("acme.ticket", Severity.WARN, "message", "ACME", "Look.")
REVIEW = Review((FOUND,), sensitive=frozenset({"token"}))
CALL = Call("tools/call", "paint", {"wall": "a\u202eb"})
SENT = accept("user", "Sent.", {"colour": "blue", "token": "t"}, via="console")


def asked(**more: Any) -> ElicitationRequest:
    return form_request(calls=(CALL,), **more)


def head(request: ElicitationRequest, event: str) -> dict[str, Any]:
    return {
        "session_id": "session",
        "cwd": "/home",
        "hook_event_name": event,
        "mcp_server_name": "paint",
        "mode": request.mode,
        "id": request.id,
        "kind": "elicitation",
        "tool": "paint",
        "arguments": {"wall": "a\u202eb"},
        "round": 1,
    }


def test_a_hook_that_is_asked_reads_the_question_and_what_was_found() -> None:
    request, read = asked(), HookInput("session", "/home")
    for event in ("Elicitation", "Asked"):
        message = read.asked(event, request, REVIEW)  # type: ignore[arg-type]
        assert message.isascii()
        assert message.endswith(b"}\n")
        assert json.loads(message) == {
            **head(request, event),
            "message": "Which colour?",
            "requested_schema": request.requested_schema,
            "verdict": "warn",
            "findings": [FOUND.as_json()],
        }


def test_a_hook_reads_the_address_and_the_id_of_a_page() -> None:
    request = asked(params=PAGE)
    told = json.loads(HookInput("session", "/home").asked("Asked", request, Review()))
    assert (told["url"], told["elicitation_id"]) == (PAGE["url"], PAGE["elicitationId"])
    assert (told["mode"], told["verdict"], told["findings"]) == ("url", "allow", [])


def test_a_hook_that_sees_answers_reads_how_it_ended() -> None:
    request, read = asked(), HookInput("session", "/home")
    message = read.answered("ElicitationResult", request, SENT, SENT.content)
    assert json.loads(message) == {
        **head(request, "ElicitationResult"),
        "action": "accept",
        "content": {"colour": "blue", "token": "t"},
        "decided_by": "user",
        "reason": "Sent.",
        "via": "console",
    }
    refused = read.answered("ElicitationResult", request, decline("user", "No."), None)
    assert json.loads(refused) == {
        **head(request, "ElicitationResult"),
        "action": "decline",
        "decided_by": "user",
        "reason": "No.",
    }


class Told:
    """Hooks of which no program runs: keeps which was given what, in order."""

    def __init__(
        self, monkeypatch: pytest.MonkeyPatch, *some: Hook, policy: Any = "redacted"
    ) -> None:
        self.messages: list[tuple[str, dict[str, Any]]] = []
        self.sentences: list[tuple[str, str]] = []
        self.hooks = Hooks(some, policy)
        self.hooks.tell_by(lambda *said: self.sentences.append(said))
        self.reply: Reply | HookError = Reply()
        monkeypatch.setattr(hooks, "run_hook", self._run)

    async def _run(self, one: Hook, message: bytes, *kind: str) -> Reply:
        await asyncio.sleep(0)
        self.messages.append((one.key, json.loads(message)))
        if isinstance(self.reply, HookError):
            raise self.reply
        return self.reply


def test_those_that_are_told_hear_each_question_in_its_order_and_how_it_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def body() -> None:
        events = (hook("Asked", ("x",)), hook("Resolved", ("x",), position=2))
        told = Told(monkeypatch, *events, hook("Asked", ("x",), position=3, server="other"))
        requests = [asked(), asked(), asked()]
        for request in requests:
            told.hooks.asked(request, REVIEW)
        told.hooks.resolved(requests[0], REVIEW, replace(SENT, waited_ms=1500))
        told.hooks.resolved(asked(server="other"), REVIEW, replace(SENT, key="k"))
        await told.hooks.close()
        asked_of = [message for key, message in told.messages if key == "hooks[1]"]
        assert [one["id"] for one in asked_of] == [request.id for request in requests]
        ended = [message for key, message in told.messages if key == "hooks[2]"]
        assert ended[0]["hook_event_name"] == "Resolved"
        # Values as the record keeps them: what is sensitive is masked.
        assert ended[0]["content"]["colour"] == "blue"
        assert ended[0]["content"]["token"] != "t"
        assert (ended[0]["waited_ms"], ended[0]["verdict"]) == (1500, "warn")
        assert ended[0]["findings"] == [FOUND.as_json()]
        assert [one.get("key") for one in ended] == [None, "k"]
        assert [key for key, _ in told.messages if key == "hooks[3]"] == []
        assert told.sentences == []

    run(body())


def test_a_hook_that_sees_an_answer_reads_all_of_it_and_only_what_it_warns_of_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def body() -> None:
        one = hook("ElicitationResult", ("x",))
        told = Told(monkeypatch, one)
        told.reply = Reply("decline", warning="Look twice.")
        request = asked()
        assert await told.hooks.show(one, request, SENT) == told.reply
        assert await told.hooks.ask(one, request, REVIEW) == told.reply
        (_, shown), (_, before) = told.messages
        assert shown["content"] == {"colour": "blue", "token": "t"}
        assert (before["hook_event_name"], before["verdict"]) == ("Elicitation", "warn")
        assert told.sentences == [("paint", "The hook hooks[1] says: Look twice.")] * 2
        told.reply = Reply()
        await told.hooks.ask(one, request, REVIEW)
        assert len(told.sentences) == 2

    run(body())


def test_what_a_waiting_hook_is_told_goes_out_to_the_hooks_of_that_event_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def body() -> None:
        told = Told(monkeypatch, hook("Waiting", ("x",)), hook("Asked", ("x",), position=2))
        request = asked()
        told.hooks.waiting(request, "codex")
        await told.hooks.close()
        ((key, message),) = told.messages
        assert (key, message["hook_event_name"], message["agent"]) == (
            *("hooks[1]", "Waiting", "codex"),
        )
        assert message["command"] == f"elicit-tui inbox answer {request.id}"
        assert "message" not in message

    run(body())


def test_a_program_that_is_not_there_has_failed_and_says_why(tmp_path: Path) -> None:
    for command, why in (
        ((str(tmp_path / "nothing"),), "could not be started: No such file or directory"),
        (("a\0b",), "could not be started: embedded null byte"),
    ):
        with pytest.raises(HookError) as error:
            run(run_hook(hook("Asked", command), b"{}"))
        assert str(error.value) == why


def test_a_hook_gets_who_the_person_is_and_no_other_variable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    variables = {"HOME": "/home/me", "PATH": "/usr/bin", "LC_TIME": "de", "API_KEY": "secret"}
    monkeypatch.setattr(os, "environ", variables)
    assert running._environment(hook("Asked", ("x",))) == {
        name: value for name, value in variables.items() if name != "API_KEY"
    }
    fixed = running._environment(hook("Asked", ("x",), fixed_path=("/bin", "/sbin")))
    assert fixed["PATH"] == os.pathsep.join(("/bin", "/sbin"))


def test_hooks_run_for_the_kind_that_they_name(monkeypatch: pytest.MonkeyPatch) -> None:
    outcome: Outcome = decline("user", "No.")
    told = Told(monkeypatch, hook("Resolved", ("x",), kind="approval"))

    async def body() -> None:
        told.hooks.resolved(asked(), Review(), outcome)
        told.hooks.resolved(replace(asked(), kind="approval"), Review(), outcome)
        await told.hooks.close()
        ((_, message),) = told.messages
        assert message["kind"] == "approval"
        assert "mode" not in message  # It is no server's question.

    run(body())
