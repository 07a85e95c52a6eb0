"""What a decision names: its key and layer, fields, findings and tools, bounded and harmless."""

from __future__ import annotations

from typing import Any

import pytest

from elicit_tui.elicitation import (
    ElicitationRequest,
    Finding,
    Outcome,
    Question,
    Review,
    ServerIdentity,
    Severity,
    form_of,
)
from elicit_tui.elicitation.settings import (
    GranularApproval,
    Provenance,
    Rule,
    ServerSettings,
    Settings,
    ToolSettings,
)
from elicit_tui.policy import Decision, Policy
from elicit_tui.text import neutral_line

LONG = "n\x1b[2J\u202e" + "x" * 200
"""A name as an attacker writes it."""
SHORT = neutral_line(LONG, 80)
TEXT = {"type": "string"}


def question(
    properties: dict[str, Any] | None = None, findings: tuple[Finding, ...] = ()
) -> Question:
    schema = {"type": "object", "properties": {"n": TEXT} if properties is None else properties}
    params = {"message": "Which?", "requestedSchema": schema}
    asked = ElicitationRequest(ServerIdentity("s", "stdio", "x"), params, wire_id=1)
    return Question(asked, Review(findings), form_of(asked))


def answered(*rules: Rule, to: Question | None = None, **settings: Any) -> Decision:
    return Policy(Settings(rules=rules, **settings)).answer(to or question())


def called(tool: str = "t", server: dict[str, Any] | None = None, **more: Any) -> Decision:
    settings = ServerSettings("s", command="x", **(server or {}))
    run = {name: more.pop(name) for name in ("person_present",) if name in more}
    policy = Policy(Settings(servers={"s": settings}, **more), **run)
    return policy.judge_call("s", tool, {"name": tool}, allowed=False)


def ending(decision: Decision) -> Outcome:
    assert decision.outcome is not None
    return decision.outcome


def is_cut(sentence: str) -> bool:
    return sentence.isprintable() and SHORT in sentence


@pytest.mark.parametrize("severity", [Severity.WARN, Severity.BLOCK])
def test_a_finding_that_keeps_a_rule_from_answering_is_named_in_short(severity: Severity) -> None:
    accepts = Rule("accept", server="s", content={"n": "a"})
    for named in (
        Finding(LONG, severity, "message", "x", "Look."),
        Finding("acme.rule", severity, LONG, "x", "Look."),
    ):
        step = answered(accepts, to=question(findings=(named,)))
        assert (step.outcome, step.asks) == (None, True)
        assert is_cut(step.sentence)


def test_what_the_guardian_declines_names_rule_and_place_in_short() -> None:
    policy = Policy(Settings())
    for named in (
        Finding(LONG, Severity.BLOCK, "message", "x", "Look."),
        Finding("acme.rule", Severity.BLOCK, LONG, "x", "Look."),
    ):
        assert is_cut(ending(policy.weigh(Review((named,)))).reason)
    warned = policy.weigh(Review((Finding(LONG, Severity.WARN, "message", "x", "Look."),)))
    assert warned.outcome is None
    assert is_cut(warned.sentence)


def test_a_field_whose_pattern_cannot_run_is_named_in_short() -> None:
    properties = {LONG: {**TEXT, "pattern": "^(a|a)*$"}}
    accepts = Rule("accept", server="s", content={LONG: "a" * 40 + "b"})
    step = answered(accepts, to=question(properties))
    assert "its pattern could not be run in time" in step.sentence
    assert is_cut(step.sentence)


@pytest.mark.parametrize(
    "server", [{"default_tools_approval_mode": "prompt"}, {"enabled_tools": ("u",)}, {}]
)
def test_a_tool_is_named_in_short(server: dict[str, Any]) -> None:
    assert is_cut(called(LONG, server).sentence)


@pytest.mark.parametrize(("wrong", "more"), [(5, ""), (6, "; 1 more"), (8, "; 3 more")])
def test_of_content_that_is_not_valid_five_problems_are_named_and_the_rest_counted(
    wrong: int, more: str
) -> None:
    names = [f"field{number}" for number in range(wrong)]
    accepts = Rule("accept", server="s", content=dict.fromkeys(names, 5))
    step = answered(accepts, to=question(dict.fromkeys(names, TEXT)))
    assert step.sentence.count("field") == 5
    assert step.sentence.endswith(f"{more}.")
    assert ("more." in step.sentence) is bool(more)


def test_a_setting_of_a_server_that_no_file_has_is_a_default_though_its_table_is_the_users() -> (
    None
):
    provenance = {"mcp_servers.s": Provenance("user")}
    unset = called(server={"default_tools_approval_mode": "prompt"}, provenance=provenance)
    assert (unset.layer, "(default)" in unset.sentence) == ("default", True)
    provenance["mcp_servers.s.default_tools_approval_mode"] = Provenance("user")
    has = called(server={"default_tools_approval_mode": "prompt"}, provenance=provenance)
    assert (has.layer, "(user)" in has.sentence) == ("user", True)


def test_a_call_that_nobody_can_confirm_ends_by_the_key_of_its_mode() -> None:
    key = "mcp_servers.s.default_tools_approval_mode"
    server = {"default_tools_approval_mode": "prompt"}
    nobody = called(
        server=server, person_present=False, provenance={key: Provenance("command line")}
    )
    outcome = ending(nobody)
    assert (outcome.action, outcome.decided_by) == ("cancel", "nobody")
    assert (outcome.key, outcome.layer) == (key, "command line")
    assert (nobody.key, nobody.layer) == (key, "command line")


@pytest.mark.parametrize(
    ("policy", "key"),
    [
        ("never", "approval_policy"),
        (GranularApproval(tool_calls=False), "approval_policy.granular.tool_calls"),
    ],
)
def test_a_call_that_policy_lets_nobody_confirm_ends_by_the_key_of_the_policy(
    policy: Any, key: str
) -> None:
    outcome = ending(
        called(
            server={"default_tools_approval_mode": "prompt"},
            approval_policy=policy,
            provenance={key: Provenance("command line")},
        )
    )
    assert (outcome.action, outcome.decided_by) == ("decline", "policy")
    assert (outcome.key, outcome.layer) == (key, "command line")


def test_no_tool_of_a_server_that_the_administrator_refuses_is_called() -> None:
    outcome = ending(called(server={"refused": "It is not on the list."}))
    assert (outcome.action, outcome.reason) == ("decline", "It is not on the list.")
    assert (outcome.key, outcome.layer) == ("mcp_servers.s", "managed")


def test_a_tools_table_without_a_mode_leaves_it_to_the_servers() -> None:
    server = {"default_tools_approval_mode": "prompt", "tools": {"t": ToolSettings()}}
    assert called(server=server).asks


def test_a_rule_that_asks_says_which_it_is_and_whether_it_can_be_changed() -> None:
    own = answered(Rule("ask", position=2))
    assert (own.outcome, own.asks, own.key) == (None, True, "rules[2]")
    assert own.note == "Rule 2 (user) asks for a person."
    assert own.change is not None
    assert own.change.startswith("rules[2] decides; ")
    managed = answered(Rule("cancel", layer="managed"))
    assert ending(managed).action == "cancel"
    assert managed.change == "rules[1] is locked by managed configuration."


def test_an_entry_answers_as_often_as_it_is_asked_unless_it_says_once() -> None:
    for once, actions in ((False, ["decline", "decline"]), (True, ["decline", "cancel"])):
        policy = Policy(Settings(), answers=(Rule("decline", once=once),))
        assert [ending(policy.answer(question())).action for _ in "ab"] == actions


@pytest.mark.parametrize(
    ("policy", "named"), [("on-request", '"on-request"'), (GranularApproval(), '"granular"')]
)
def test_a_question_that_may_surface_says_by_which_policy(policy: Any, named: str) -> None:
    key = "approval_policy"
    owner = Settings(approval_policy=policy, provenance={key: Provenance("user")})
    step = Policy(owner).surfaces(question().request)
    assert step.sentence == f"The question may surface: {key} = {named} (user)."
    assert (step.outcome, step.key, step.layer) == (None, key, "user")


@pytest.mark.parametrize("action", ["decline", "cancel"])
def test_a_server_whose_questions_the_owner_refuses_is_refused_by_its_own_key(action: Any) -> None:
    key = "mcp_servers.s.elicitations"
    server = ServerSettings("s", command="x", elicitations=action)
    owner = Settings(servers={"s": server}, provenance={key: Provenance("user")})
    step = Policy(owner).surfaces(question().request)
    outcome = ending(step)
    assert (outcome.action, outcome.decided_by) == (action, "policy")
    assert (outcome.key, outcome.layer) == (key, "user")
    verb = "Declined" if action == "decline" else "Cancelled"
    assert outcome.reason == f'{verb} by policy: {key} = "{action}" (user).'
    assert step.change == f'{key} = "ask" would let it surface.'


@pytest.mark.parametrize(
    ("policy", "key", "would"),
    [
        ("never", "approval_policy", 'approval_policy = "on-request" would let it be confirmed.'),
        (
            GranularApproval(tool_calls=False),
            "approval_policy.granular.tool_calls",
            "approval_policy.granular.tool_calls = true would let it be confirmed.",
        ),
    ],
)
def test_a_call_that_nobody_may_be_asked_about_says_which_value_would_let_them(
    policy: Any, key: str, would: str
) -> None:
    server = {"default_tools_approval_mode": "prompt"}
    decision = called(server=server, approval_policy=policy)
    outcome = ending(decision)
    assert (outcome.action, outcome.decided_by) == ("decline", "policy")
    assert (outcome.key, outcome.layer) == (key, "default")
    assert (decision.change or "").endswith(would)
