from __future__ import annotations

from typing import Any

import pytest

from elicit_tui.elicitation import Finding, Review, Severity
from elicit_tui.elicitation.settings import (
    GranularApproval,
    GuardianSettings,
    Provenance,
    Rule,
    ServerSettings,
    Settings,
)
from elicit_tui.policy import Explanation, Policy


def explained(
    server: dict[str, Any] | None = None,
    *,
    tool: str | None = None,
    mode: str = "form",
    message: str | None = None,
    person: bool = True,
    **settings: Any,
) -> Explanation:
    own = ServerSettings("s", command="x", **(server or {}))
    policy = Policy(Settings(servers={"s": own}, **settings), person_present=person)
    return policy.explain("s", tool, mode, message)


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


def test_a_rule_whose_message_is_not_known_may_match() -> None:
    rules = (Rule("decline", message="Delete *"),)
    unsure = explained(rules=rules)
    assert unsure.result == "ask"
    assert any("may match" in step.sentence for step in unsure.steps)
    assert explained(rules=rules, message="Delete all").result == "decline"
    assert explained(rules=rules, message="Select").result == "ask"


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
    own = ServerSettings("s", command="x")
    block = Review((Finding("credentials.token", Severity.BLOCK, "message", "x", "No."),))
    warn = Review((Finding("deception.urgency", Severity.WARN, "message", "x", "Wait."),))
    policy = Policy(Settings(servers={"s": own}))
    declined = policy.explain("s", message="m", review=block)
    assert declined.result == "decline"
    assert "credentials.token" in declined.steps[-1].sentence
    assert declined.steps[-1].change == 'guardian.on_block = "ask" would ask about it.'
    asked = policy.explain("s", message="m", review=warn)
    assert asked.result == "ask"
    assert any("deception.urgency" in step.sentence for step in asked.steps)
