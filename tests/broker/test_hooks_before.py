"""What hooks may do before a person is asked: refuse, accept as a rule may, and nothing else."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from elicit_tui.elicitation import Call
from elicit_tui.elicitation.settings import Rule, Settings
from elicit_tui.errors import HookError
from elicit_tui.hooks import Reply
from tests.broker.conftest import BenchFactory, form_request, run
from tests.broker.gate import approve, settings_with
from tests.broker.hooked import BLUE, PASS, RED, Prepared, Sends, hook, said

FAILED = HookError("ended with exit code 1\x1b[2J")
ONLY_A_PERSON = "accepted, which does not count: another hook failed, so only a person accepts."


def test_an_accept_of_a_hook_goes_out_in_its_name_and_nobody_is_asked(bench: BenchFactory) -> None:
    async def body() -> None:
        hooks = Prepared((hook(), hook(position=2)), user_1=said("accept", BLUE))
        table = bench(hooks=hooks)
        outcome = await table.broker.resolve(form_request())
        assert (outcome.action, outcome.content) == ("accept", BLUE)
        assert (outcome.decided_by, outcome.key) == ("hook", "hooks[1]")
        assert (outcome.layer, outcome.via) == ("user", "hook")
        assert outcome.reason == "Accepted by the hook hooks[1]."
        assert table.person.shown == table.told == []
        assert [key for key, _ in hooks.heard] == ["hooks[1]"]  # The first that answers decides.
        (step,) = (step for step in table.resolved[0].trace if step.step == "hooks")
        named = "Asked before a person: hook hooks[1], hook hooks[2]."
        assert step.sentence == f"{named} The first that answers decides."
        assert (step.key, step.layer) == ("hooks", "user")

    run(body())


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (said("decline"), "Declined by the hook hooks[2]."),
        (said("decline", None, "Not today."), "Declined by the hook hooks[2]: Not today."),
        (said("cancel"), "Cancelled by the hook hooks[2]."),
        (said("cancel", None, "Not now."), "Cancelled by the hook hooks[2]: Not now."),
    ],
)
def test_a_refusal_of_a_hook_ends_the_question_with_its_words(
    bench: BenchFactory, reply: Reply, reason: str
) -> None:
    async def body() -> None:
        hooks = Prepared((hook(), hook(position=2)), user_1=PASS, user_2=reply)
        outcome = await bench(hooks=hooks).broker.resolve(form_request())
        assert (outcome.action, outcome.decided_by) == (reply.action, "hook")
        assert (outcome.key, outcome.reason) == ("hooks[2]", reason)

    run(body())


def test_the_administrators_hooks_come_before_rules_and_rules_before_ones_own(
    bench: BenchFactory,
) -> None:
    async def body() -> None:
        both = (hook(layer="managed"), hook())
        rules = Settings(rules=(Rule("accept", server="paint", content=RED),))
        for managed, decided_by, asked in (
            (said("decline"), "hook", ["managed.hooks[1]"]),
            (PASS, "rule", ["managed.hooks[1]"]),
        ):
            hooks = Prepared(both, managed_1=managed, user_1=said("accept", BLUE))
            outcome = await bench(rules, hooks=hooks).broker.resolve(form_request())
            assert outcome.decided_by == decided_by
            assert [key for key, _ in hooks.heard] == asked
        hooks = Prepared(both, user_1=said("accept", BLUE))
        outcome = await bench(hooks=hooks).broker.resolve(form_request())
        assert (outcome.decided_by, outcome.key) == ("hook", "hooks[1]")

    run(body())


def test_hooks_that_pass_leave_the_question_to_the_person_without_a_word(
    bench: BenchFactory,
) -> None:
    async def body() -> None:
        face = Sends(RED)
        table = bench(responder=face, hooks=Prepared((hook(),)))
        assert (await table.broker.resolve(form_request())).decided_by == "user"
        assert [question.note for question in face.shown] == [None]
        assert table.told == []
        plain = bench(responder=Sends(RED))
        await plain.broker.resolve(form_request())
        assert "hooks" not in [step.step for step in plain.resolved[0].trace]

    run(body())


@pytest.mark.parametrize("failing", ["managed", "user"])
def test_after_a_hook_failed_refusals_count_and_only_a_person_accepts(
    bench: BenchFactory, failing: Any
) -> None:
    both = (hook(layer=failing), hook(position=2))
    why = "The hook hooks[1] ended with exit code 1␛[2J."
    if failing == "managed":
        why = why.replace("hooks[1]", "managed.hooks[1]")

    async def body() -> None:
        face = Sends(RED)
        hooks = Prepared(both, **{f"{failing}_1": FAILED}, user_2=said("accept", BLUE))
        table = bench(responder=face, hooks=hooks)
        outcome = await table.broker.resolve(form_request())
        assert (outcome.decided_by, outcome.content) == ("user", RED)
        assert table.told == [why, f"The hook hooks[2] {ONLY_A_PERSON}"]
        assert face.shown[0].note == " ".join(table.told)
        hooks = Prepared(both, **{f"{failing}_1": FAILED}, user_2=said("decline"))
        outcome = await bench(hooks=hooks).broker.resolve(form_request())
        assert (outcome.action, outcome.key) == ("decline", "hooks[2]")

    run(body())


def test_after_a_managed_hook_failed_no_rule_accepts_and_a_rule_refuses(
    bench: BenchFactory,
) -> None:
    async def body() -> None:
        for rule, decided_by, told in (
            (Rule("accept", server="paint", content=BLUE), "user", [f"rules[1] {ONLY_A_PERSON}"]),
            (Rule("decline", server="paint"), "rule", []),
            (Rule("cancel", server="paint"), "rule", []),
        ):
            hooks = Prepared((hook(layer="managed"),), managed_1=FAILED)
            table = bench(Settings(rules=(rule,)), responder=Sends(RED), hooks=hooks)
            outcome = await table.broker.resolve(form_request())
            assert outcome.decided_by == decided_by
            assert table.told[1:] == told

    run(body())


PAGE = {"mode": "url", "url": "https://example.com", "elicitationId": "1"}


@pytest.mark.parametrize(
    ("params", "content", "why"),
    [
        ({}, {"colour": 5}, "the content is not valid"),
        ({}, None, "must have content"),
        (PAGE, {}, "an entry never accepts a URL"),
    ],
)
def test_an_accept_that_may_not_count_is_told_and_a_person_is_asked(
    bench: BenchFactory, params: dict[str, Any], content: Any, why: str
) -> None:
    async def body() -> None:
        hooks = Prepared((hook(), hook(position=2)), user_1=said("accept", content))
        face = Sends(None)
        table = bench(responder=face, hooks=hooks)
        outcome = await table.broker.resolve(form_request(params=params))
        assert (outcome.action, outcome.decided_by) == ("decline", "user")
        (told,) = table.told
        assert told.startswith("The hook hooks[1] accepted, which does not count: ")
        assert why in told
        assert face.shown[0].note == told
        assert [key for key, _ in hooks.heard] == ["hooks[1]", "hooks[2]"]

    run(body())


@pytest.mark.parametrize("action", ["decline", "cancel", "accept"])
def test_a_hook_of_a_tool_refuses_what_may_be_of_it_and_accepts_only_what_is(
    bench: BenchFactory, action: str
) -> None:
    async def body() -> None:
        hooks = Prepared((hook(tool="delete_*"),), user_1=said(action, RED))
        face = Sends(BLUE, BLUE)
        table = bench(responder=face, hooks=hooks)
        calls = (Call("tools/call", "delete_all"), Call("tools/call", "list"))
        both = await table.broker.resolve(form_request(calls=calls))
        assert (both.action, both.decided_by) == (
            ("accept", "user") if action == "accept" else (action, "hook")
        )
        sentence = "accepted, which does not count: the question may be of a call whose tool"
        assert [sentence in told for told in table.told] == [True] * (action == "accept")
        only = await table.broker.resolve(form_request(calls=calls[:1]))
        assert (only.action, only.decided_by) == (action, "hook")
        other = await table.broker.resolve(form_request(calls=calls[1:]))
        assert (other.action, other.decided_by) == ("accept", "user")

    run(body())


def test_a_hook_allows_no_tool_and_may_refuse_one(bench: BenchFactory) -> None:
    async def body() -> None:
        for reply, decided in ((said("accept", {}), "user"), (said("decline"), "hook")):
            face = Sends({})
            hooks = Prepared((hook(kind="approval"),), user_1=reply)
            table = bench(settings_with(), responder=face, hooks=hooks)
            outcome = await approve(table.broker)
            assert outcome is not None
            assert outcome.decided_by == decided
            told = "accepted, which does not count: only a person allows a tool call."
            assert (told in (table.told or [""])[0]) is (decided == "user")
            assert len(face.shown) == (decided == "user")
            assert all(told in str(question.note) for question in face.shown)

    run(body())


def test_a_question_that_ends_while_a_hook_thinks_waits_for_it_no_longer(
    bench: BenchFactory,
) -> None:
    async def body() -> None:
        hooks = Prepared((hook(), hook(position=2)), user_1=None, user_2=said("accept", BLUE))
        table = bench(hooks=hooks)
        request = form_request()
        answering = table.asks(request)
        await asyncio.wait_for(hooks.reached.wait(), 30)
        table.broker.withdraw(request.id, "The server took it back.")
        assert (await answering).decided_by == "server"
        assert hooks.left.is_set()
        assert [key for key, _ in hooks.heard] == ["hooks[1]"]
        assert table.person.shown == []

    run(body())


def test_hooks_that_are_told_hear_of_each_question_and_of_its_end(bench: BenchFactory) -> None:
    async def body() -> None:
        hooks = Prepared(())
        table = bench(responder=Sends(RED), hooks=hooks)
        request = form_request()
        outcome = await table.broker.resolve(request)
        assert hooks.notes == [("Asked", request, None), ("Resolved", request, outcome)]
        hooks.tell("paint", "A word of a hook.")
        assert table.told == ["A word of a hook."]

    run(body())
