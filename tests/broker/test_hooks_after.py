"""What hooks may do to an answer before it goes out: refuse it, or change what may be changed."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from elicit_tui.broker import Resolved
from elicit_tui.broker.hook_steps import _change, listener_for
from elicit_tui.elicitation import Call, ElicitationRequest, Outcome, Review, decline
from elicit_tui.elicitation.settings import ElicitationSettings, Rule, Settings
from elicit_tui.errors import HookError
from elicit_tui.hooks import Hooks, Reply
from tests.broker.conftest import BenchFactory, form_request, run
from tests.broker.hooked import BLUE, PASS, RED, Prepared, Sends, hook, said

RESULT = "ElicitationResult"
TOKEN = "ghp_0123456789abcdefghij0123456789abcd"
TEXTS = {name: {"type": "string"} for name in ("colour", "note", "tint")}
OPEN = {"requestedSchema": {"type": "object", "properties": TEXTS}}


def shown(reply: Reply | HookError | None, **more: Any) -> Prepared:
    """One result hook that says this to every answer."""
    layer = more.get("layer", "user")
    return Prepared((hook(RESULT, **more),), **{f"{layer}_1": reply})


@pytest.mark.parametrize("reply", [PASS, said("accept"), said("accept", RED)])
def test_an_answer_that_a_hook_leaves_as_it_is_stays_the_persons(
    bench: BenchFactory, reply: Reply
) -> None:
    async def body() -> None:
        hooks = shown(reply)
        table = bench(responder=Sends(RED), hooks=hooks)
        outcome = await table.broker.resolve(form_request())
        assert (outcome.decided_by, outcome.content, outcome.answered) == ("user", RED, None)
        assert table.told == []
        ((key, seen),) = hooks.heard
        assert (key, seen and seen.content) == ("hooks[1]", RED)

    run(body())


@pytest.mark.parametrize("action", ["decline", "cancel"])
def test_a_hook_may_refuse_what_the_person_sent_and_they_are_told(
    bench: BenchFactory, action: str
) -> None:
    async def body() -> None:
        table = bench(responder=Sends(RED), hooks=shown(said(action, None, "Not on Fridays.")))
        request = form_request()
        outcome = await table.broker.resolve(request)
        verb = "Declined" if action == "decline" else "Cancelled"
        why = f"{verb} by the hook hooks[1]: Not on Fridays."
        assert (outcome.action, outcome.decided_by, outcome.reason) == (action, "hook", why)
        assert table.told == [f"{why} The answer did not go out."]
        recorded = table.ledger.row(request.id).details["answered"]
        assert (recorded["action"], recorded["decidedBy"], recorded["content"]) == (
            *("accept", "user", RED),
        )

    run(body())


@pytest.mark.parametrize(
    ("reply", "action", "decided_by", "told"),
    [
        (said("decline"), "decline", "user", None),
        (said("cancel"), "cancel", "hook", None),
        (said("accept", BLUE), "decline", "user", "what was refused; it stays refused."),
        (HookError("failed"), "decline", "user", "The hook hooks[1] failed."),
    ],
)
def test_a_refusal_stays_one_whatever_a_hook_says(
    bench: BenchFactory, reply: Any, action: str, decided_by: str, told: str | None
) -> None:
    async def body() -> None:
        face = Sends(None)
        table = bench(responder=face, hooks=shown(reply))
        outcome = await table.broker.resolve(form_request())
        assert (outcome.action, outcome.decided_by) == (action, decided_by)
        assert len(face.shown) == 1
        assert [one.endswith(told or "") for one in table.told] == [True] * (told is not None)

    run(body())


def test_a_change_goes_out_in_the_hooks_name_and_each_field_of_it_is_told(
    bench: BenchFactory,
) -> None:
    async def body() -> None:
        sent = {**RED, "note": "the password is swordfish"}
        changed = {"tint": "x" * 100}
        table = bench(responder=Sends(sent), hooks=shown(said("accept", changed)))
        request = form_request(params=OPEN)
        outcome = await table.broker.resolve(request)
        assert (outcome.action, outcome.decided_by, outcome.content) == ("accept", "hook", changed)
        assert outcome.reason == "Changed by the hook hooks[1]: colour, note, tint."
        assert (outcome.key, outcome.layer, outcome.via) == ("hooks[1]", "user", "hook")
        (told,) = table.told
        assert told.startswith(
            'The hook hooks[1] changed the answer: colour from "red" to nothing; '
            'note from "the password is •••" to nothing; tint from nothing to "xxx'
        )
        assert "x" * 60 not in told
        row = table.ledger.row(request.id)
        assert row.details["changed"] == ["colour", "note", "tint"]
        assert row.details["answered"]["content"]["colour"] == "red"

    run(body())


@pytest.mark.parametrize("tool", ["paint", "*"])
def test_a_hook_of_a_tool_changes_no_answer_that_may_be_of_another(
    bench: BenchFactory, tool: str
) -> None:
    async def body() -> None:
        hooks = Prepared((hook(RESULT, tool=tool),), user_1=said("accept", BLUE))
        table = bench(responder=Sends(RED), hooks=hooks)
        calls = (Call("tools/call", "paint"), Call("tools/call", "list"))
        outcome = await table.broker.resolve(form_request(calls=calls))
        assert outcome.content == (RED if tool == "paint" else BLUE)
        assert len(table.told) == 1
        assert ("which does not count: the question may be of" in table.told[0]) is (
            tool == "paint"
        )

    run(body())


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ({"colour": 5}, "put in what requestedSchema does not allow: "),
        ({"colour": "red", "tint": TOKEN}, "put in what looks like a secret (content.tint)."),
    ],
)
def test_what_may_not_go_out_has_the_person_asked_once_more_and_that_hook_no_more(
    bench: BenchFactory, content: dict[str, Any], why: str
) -> None:
    async def body() -> None:
        face = Sends(RED, BLUE)
        both = (hook(RESULT), hook(RESULT, position=2))
        hooks = Prepared(both, user_1=said("accept", content))
        table = bench(responder=face, hooks=hooks)
        outcome = await table.broker.resolve(form_request(params=OPEN))
        assert (outcome.decided_by, outcome.content) == ("user", BLUE)
        assert why in table.told[0]
        assert len(table.told) == 1
        again = "Send it again if it is to go out as it is."
        assert face.shown[1].note == f"{table.told[0]} {again}"
        # What the person sends then is another answer: the other hooks see it from the beginning.
        assert [key for key, _ in hooks.heard] == ["hooks[1]", "hooks[2]"]
        assert TOKEN not in str(table.told)

    run(body())


def test_a_secret_of_the_person_is_not_blamed_on_a_hook_that_changed_something_else(
    bench: BenchFactory,
) -> None:
    async def body() -> None:
        mine = {"colour": "red", "tint": TOKEN}
        face = Sends(mine)
        table = bench(responder=face, hooks=shown(said("accept", {**mine, "colour": "blue"})))
        outcome = await table.broker.resolve(form_request(params=OPEN))
        assert (outcome.decided_by, len(face.shown)) == ("hook", 1)
        assert TOKEN not in str(table.told)

    run(body())


def test_a_secret_that_the_person_acknowledged_lets_no_other_one_of_a_hook_pass(
    bench: BenchFactory,
) -> None:
    async def body() -> None:
        mine = {"colour": "red", "tint": TOKEN}
        face = Sends(mine)
        both = {"colour": TOKEN.upper().replace("GHP", "ghp"), "tint": TOKEN}
        table = bench(responder=face, hooks=shown(said("accept", both)))
        outcome = await table.broker.resolve(form_request(params=OPEN))
        assert (outcome.decided_by, outcome.content) == ("user", mine)
        assert len(face.shown) == 2
        assert "The hook hooks[1] put in what looks like a secret" in table.told[0]

    run(body())


def test_a_hook_that_fails_at_an_answer_has_the_person_asked_once_more(
    bench: BenchFactory,
) -> None:
    async def body() -> None:
        face = Sends(RED, BLUE)
        hooks = shown(HookError("did not answer within 10 s"))
        table = bench(responder=face, hooks=hooks)
        outcome = await table.broker.resolve(form_request())
        assert (outcome.decided_by, outcome.content) == ("user", BLUE)
        assert table.told == ["The hook hooks[1] did not answer within 10 s."]
        assert len(hooks.heard) == 1

    run(body())


def test_an_answer_given_after_a_hook_failed_is_shown_to_the_hooks_before_it_too(
    bench: BenchFactory,
) -> None:
    async def body() -> None:
        both = (hook(RESULT), hook(RESULT, position=2))
        hooks = Prepared(both, user_2=HookError("failed"))
        table = bench(responder=Sends(RED, BLUE), hooks=hooks)
        await table.broker.resolve(form_request())
        seen = [(key, outcome and outcome.content) for key, outcome in hooks.heard]
        assert seen == [("hooks[1]", RED), ("hooks[2]", RED), ("hooks[1]", BLUE)]

    run(body())


def test_what_an_answers_file_says_is_changed_by_no_hook_of_ones_own(bench: BenchFactory) -> None:
    async def body() -> None:
        entry = (Rule("accept", server="paint", content=RED),)
        table = bench(answers=entry, hooks=shown(said("accept", BLUE)))
        outcome = await table.broker.resolve(form_request())
        assert (outcome.decided_by, outcome.content) == ("answers", RED)
        assert table.told == [
            "The hook hooks[1] changed the answer, which does not count: "
            "what an answers file says goes out as it is."
        ]
        refusing = bench(answers=entry, hooks=shown(said("decline")))
        assert (await refusing.broker.resolve(form_request())).decided_by == "hook"
        managed = bench(answers=entry, hooks=shown(said("accept", BLUE), layer="managed"))
        outcome = await managed.broker.resolve(form_request())
        assert (outcome.decided_by, outcome.content) == ("hook", BLUE)
        rule = bench(Settings(rules=entry), hooks=shown(said("accept", BLUE)))
        assert (await rule.broker.resolve(form_request())).decided_by == "hook"

    run(body())


def test_a_page_has_no_content_that_a_hook_could_change(bench: BenchFactory) -> None:
    page = {"mode": "url", "url": "https://example.com", "elicitationId": "1"}

    async def body() -> None:
        table = bench(responder=Sends({}), hooks=shown(said("accept", BLUE)))
        outcome = await table.broker.resolve(form_request(params=page))
        assert (outcome.decided_by, outcome.content) == ("user", None)
        assert [told.rpartition(": ")[2] for told in table.told] == [
            "this has no content that could be changed."
        ]

    run(body())


def test_what_nobody_answered_is_shown_to_no_hook(bench: BenchFactory) -> None:
    async def body() -> None:
        for settings, request, decided_by in (
            (Settings(elicitation=ElicitationSettings(timeout_sec=0.01)), {}, "deadline"),
            (Settings(), {"message": "Enter your GitHub password."}, "guardian"),
        ):
            hooks = shown(said("decline"))
            outcome = await bench(settings, hooks=hooks).broker.resolve(form_request(**request))
            assert outcome.decided_by == decided_by
            assert hooks.heard == []

    run(body())


def test_an_answer_of_a_hook_is_shown_to_those_that_see_answers(bench: BenchFactory) -> None:
    async def body() -> None:
        both = (hook(), hook(RESULT, layer="managed"))
        hooks = Prepared(both, user_1=said("accept", BLUE), managed_1=said("decline"))
        outcome = await bench(hooks=hooks).broker.resolve(form_request())
        assert (outcome.action, outcome.key) == ("decline", "managed.hooks[1]")

    run(body())


def test_an_answer_that_is_taken_back_while_a_hook_looks_at_it_goes_nowhere(
    bench: BenchFactory,
) -> None:
    async def body() -> None:
        hooks = shown(None)
        table = bench(responder=Sends(RED), hooks=hooks)
        request = form_request()
        answering = table.asks(request)
        await asyncio.wait_for(hooks.reached.wait(), 30)
        table.broker.withdraw(request.id, "The server took it back.")
        outcome = await answering
        assert (outcome.action, outcome.decided_by) == (None, "server")
        assert hooks.left.is_set()

    run(body())


def test_an_answer_whose_server_is_muted_while_a_hook_looks_at_it_goes_nowhere(
    bench: BenchFactory,
) -> None:
    async def body() -> None:
        hooks = shown(None)
        table = bench(responder=Sends(RED), hooks=hooks)
        answering = table.asks()
        await asyncio.wait_for(hooks.reached.wait(), 30)
        table.broker.mute("paint")
        outcome = await answering
        assert (outcome.action, outcome.content) == ("cancel", None)
        assert outcome.reason.startswith("You muted ")

    run(body())


def test_who_is_told_how_a_question_ended_hears_how_long_it_waited() -> None:
    told: list[int | None] = []

    class Told(Hooks):
        def resolved(self, request: ElicitationRequest, review: Review, outcome: Outcome) -> None:
            told.append(outcome.waited_ms)

    outcome = decline("user", "No.", waited_ms=1500)
    listener_for(Told((), "none"))(Resolved(form_request(), Review(), outcome))
    assert told == [1500]


def test_what_a_hook_changed_is_told_in_one_line_whatever_it_was() -> None:
    told = _change("parts", {"parts": ["a", "b"]}, {"parts": {"c": [1, 2]}})
    assert told == 'parts from ["a", "b"] to {"c": [1, 2]}'
    assert _change("parts", {}, {"parts": []}) == "parts from nothing to []"
