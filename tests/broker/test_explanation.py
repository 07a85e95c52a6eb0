"""`config explain` prints the trace of the real walk: what it says is what then happens."""

from __future__ import annotations

from typing import Any

import pytest

from elicit_tui.broker.explanation import Explanation, PossibleQuestion, explain
from elicit_tui.elicitation import Finding, Review, Severity
from elicit_tui.elicitation.settings import (
    GranularApproval,
    GuardianSettings,
    Provenance,
    Rule,
    ServerSettings,
    Settings,
)
from elicit_tui.guardian import Guardian
from elicit_tui.policy import Policy
from tests.broker.conftest import run
from tests.broker.hooked import hook
from tests.broker.test_the_decision_table import Finds, met
from tests.policy.test_the_decision_table import (
    FINDINGS,
    Case,
    answers_of,
    row_of,
    settings_of,
)


def explained(
    server: dict[str, Any] | None = None,
    *,
    tool: str | None = None,
    mode: str = "form",
    message: str | None = None,
    person: bool = True,
    findings: tuple[Finding, ...] = (),
    **settings: Any,
) -> Explanation:
    own = ServerSettings("s", command="x", **(server or {}))
    owner = Settings(servers={"s": own}, **settings)
    policy = Policy(owner, person_present=person)
    finds = Finds(Review(findings))
    question = PossibleQuestion("s", tool, mode, message)
    explanation: Explanation = run(explain(owner, policy, finds, question))
    return explanation


@pytest.mark.parametrize(
    ("arguments", "result", "change"),
    [
        ({}, "ask", "elicitation.timeout_sec"),
        ({"person": False}, "cancel", None),
        ({"approval_policy": "never"}, "decline", 'approval_policy = "on-request"'),
        (
            {"approval_policy": GranularApproval(mcp_elicitations=False)},
            "decline",
            "approval_policy.granular.mcp_elicitations = true",
        ),
        (
            {
                "approval_policy": GranularApproval(tool_calls=False),
                "server": {"default_tools_approval_mode": "prompt"},
                "tool": "t",
            },
            "not called",
            "approval_policy.granular.tool_calls = true",
        ),
        ({"server": {"elicitations": "cancel"}}, "cancel", 'mcp_servers.s.elicitations = "ask"'),
        ({"server": {"elicitations": "off"}}, "error", 'mcp_servers.s.elicitations = "ask"'),
        (
            {"server": {"elicitation_modes": ("form",)}, "mode": "url"},
            "error",
            "mcp_servers.s.elicitation_modes",
        ),
        ({"rules": (Rule("decline"),)}, "decline", "rules[1]"),
        (
            {"rules": (Rule("ask"),), "approval_policy": GranularApproval(rules=False)},
            "decline",
            "approval_policy.granular.rules = true",
        ),
        ({"server": {"missing": ("TOKEN",)}}, "not called", "TOKEN"),
        ({"server": {"enabled": False}}, "not called", "mcp_servers.s.enabled = true"),
        ({"server": {"refused": "No."}}, "not called", None),
        ({"server": {"disabled_tools": ("t",)}, "tool": "t"}, "not called", "disabled_tools"),
        (
            {
                "server": {"default_tools_approval_mode": "prompt"},
                "tool": "t",
                "approval_policy": "never",
            },
            "not called",
            'mcp_servers.s.tools.t.approval_mode = "approve"',
        ),
    ],
)
def test_it_says_what_would_happen_and_which_key_would_change_it(
    arguments: dict[str, Any], result: str, change: str | None
) -> None:
    explanation = explained(**arguments)
    assert explanation.result == result
    assert change is None or change in (explanation.steps[-1].change or "")


@pytest.mark.parametrize(
    ("server", "key", "layer"),
    [
        ({"refused": "No."}, "mcp_servers.s", "managed"),
        ({"missing": ("TOKEN",)}, "mcp_servers.s", "user"),
        ({"enabled": False}, "mcp_servers.s.enabled", "user"),
    ],
)
def test_why_a_server_is_not_started_names_its_key_and_the_layer(
    server: dict[str, Any], key: str, layer: str
) -> None:
    set_by_user = {name: Provenance("user") for name in ("mcp_servers.s", "mcp_servers.s.enabled")}
    (step,) = explained(server, provenance=set_by_user).steps
    assert (step.key, step.layer) == (key, layer)
    assert step.outcome is not None
    assert step.outcome.action == "decline"
    # Nor is any of its tools called.
    of_a_tool = explained(server, tool="t", provenance=set_by_user)
    assert (of_a_tool.result, of_a_tool.steps) == ("not called", (step,))


def test_a_rule_whose_message_is_not_known_may_match() -> None:
    rules = (Rule("decline", message="Delete *"),)
    unsure = explained(rules=rules)
    assert unsure.result == "ask"
    assert any("may match" in step.sentence for step in unsure.steps)
    assert explained(rules=rules, message="Delete all").result == "decline"
    known = explained(rules=rules, message="Select")
    assert known.result == "ask"
    assert not any("may match" in step.sentence for step in known.steps)


def test_a_rule_whose_tool_is_not_known_may_match() -> None:
    rules = (Rule("decline", tool="drop_*"),)
    unsure = explained(rules=rules, message="Delete?")
    assert any("rule 1 (user) may match" in step.sentence for step in unsure.steps)
    known = explained(rules=rules, message="Delete?", tool="list")
    assert known.result == "ask"
    assert not any("may match" in step.sentence for step in known.steps)
    assert explained(rules=rules, tool="drop_table").result == "decline"


def test_it_says_who_reviews() -> None:
    steps = explained(guardian=GuardianSettings(on_block="ask")).steps
    assert any('guardian.on_block = "ask"' in step.sentence for step in steps)
    advised = explained(approvals_reviewer="user").steps
    assert any("only advises" in step.sentence for step in advised)


def test_a_locked_key_cannot_be_advised() -> None:
    explanation = explained(
        approval_policy="never", provenance={"approval_policy": Provenance("managed", True)}
    )
    assert "(managed)" in explanation.steps[-1].sentence
    assert "administrator" in (explanation.steps[-1].change or "")


def test_an_explanation_is_json() -> None:
    document = explained(tool="t", message="m").as_json()
    assert document["result"] == "ask"
    assert [step["step"] for step in document["steps"]] == [
        "server",
        "tool call",
        "policy",
        "flood",
        "guardian",
        "rules",
        "ask",
    ]


def test_it_says_what_the_guardian_would_do_with_a_message() -> None:
    block = Finding("credentials.token", Severity.BLOCK, "message", "x", "No.")
    warn = Finding("deception.urgency", Severity.WARN, "message", "x", "Wait.")
    declined = explained(message="m", findings=(block,))
    assert declined.result == "decline"
    assert "credentials.token" in declined.steps[-1].sentence
    assert declined.steps[-1].change == 'guardian.on_block = "ask" would ask about it.'
    asked = explained(message="m", findings=(warn,))
    assert asked.result == "ask"
    assert any("deception.urgency" in step.sentence for step in asked.steps)


def test_the_form_that_is_made_up_for_a_rule_is_no_finding() -> None:
    rules = (Rule("accept", server="s", content={"password": "x"}),)
    own = Settings(servers={"s": ServerSettings("s", command="x")}, rules=rules)
    policy, guardian = Policy(own), Guardian(own.guardian)
    explanation = run(explain(own, policy, guardian, PossibleQuestion("s", message="Go on?")))
    assert explanation.result == "accept"
    phishing = "Please enter your GitHub password to continue."
    declined = run(explain(own, policy, guardian, PossibleQuestion("s", message=phishing)))
    assert declined.result == "decline"


def test_an_accept_of_a_rule_is_said_to_happen_whatever_fields_the_others_name() -> None:
    none_of_ours = Rule("accept", server="another", content={"colour": "x"})
    ours = Rule("accept", server="s", content={"environment": "x"}, position=2)
    explanation = explained(rules=(none_of_ours, ours))
    assert explanation.result == "accept"
    assert explanation.steps[-1].sentence == "Accepted by rule 2 (user)."


def test_what_a_tool_will_say_of_itself_is_not_known_and_both_ways_are_told() -> None:
    step = explained(tool="t", person=False).steps[1]
    assert "may be called" in step.sentence
    assert "If the tool says that it is destructive" in step.sentence
    assert "nobody is there to ask" in step.sentence
    assert "approval_mode" in (step.change or "")


def test_where_what_a_tool_says_changes_nothing_it_is_not_guessed_at() -> None:
    step = explained({"default_tools_approval_mode": "approve"}, tool="t").steps[1]
    assert "destructive" not in step.sentence


def test_who_is_told_of_an_answer_is_named_only_where_there_may_be_one() -> None:
    told = hook("ElicitationResult")
    named = [step.step for step in explained(hooks=(told,)).steps]
    assert named[-1] == "hooks"
    refused = explained(hooks=(told,), approval_policy="never")
    assert refused.result == "decline"
    assert "hooks" not in [step.step for step in refused.steps]
    accepts = Rule("accept", server="s", content={"environment": "x"})
    accepted = explained(hooks=(told,), rules=(accepts,))
    assert (accepted.result, accepted.steps[-1].step) == ("accept", "hooks")


@pytest.mark.parametrize("person", [True, False])
def test_the_setting_that_holds_for_a_tool_is_named_once(person: bool) -> None:
    step = explained(tool="t", person=person).steps[1]
    assert step.sentence.count("default_tools_approval_mode") == 1


def explained_case(case: Case) -> Explanation:
    owner = settings_of(case)
    policy = Policy(owner, answers_of(case), person_present=case.person == "yes")
    finds = Finds(Review(FINDINGS[case.verdict]))
    question = PossibleQuestion("s", None, case.mode, "m")
    explanation: Explanation = run(explain(owner, policy, finds, question))
    return explanation


def test_for_every_row_of_the_table_it_says_what_then_happens() -> None:
    wrong = []
    for case in met():
        row, explanation = row_of(case), explained_case(case)
        said = " ".join(step.sentence for step in explanation.steps)
        last = explanation.steps[-1]
        decided_by = last.outcome.decided_by if last.outcome is not None else "-"
        got = (explanation.result, decided_by)
        if got != (row.action, row.decided_by) or (row.reason != "-" and row.reason not in said):
            wrong.append((case, row, got, said))
    assert wrong == []
