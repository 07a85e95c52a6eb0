"""What single steps of the walk decide: is a server started, is anybody asked, and for how long?"""

from __future__ import annotations

import json
from typing import Any

import pytest

from elicit_tui.elicitation import (
    ElicitationRequest,
    Finding,
    Question,
    Review,
    ServerIdentity,
    Severity,
    form_of,
)
from elicit_tui.elicitation.settings import (
    ElicitationLimits,
    ElicitationSettings,
    GranularApproval,
    GuardianSettings,
    Provenance,
    Rule,
    ServerSettings,
    Settings,
    ToolSettings,
)
from elicit_tui.policy import Policy


def of(server: ServerSettings, origin: str = "", locked: bool = False) -> Policy:
    provenance = {origin: Provenance("managed", locked)} if origin else {}
    return Policy(Settings(servers={"s": server}, provenance=provenance))


def test_a_server_is_started_unless_something_is_against_it() -> None:
    decision = of(ServerSettings("s", command="x"), "mcp_servers.s").may_run("s")
    assert (decision.outcome, decision.key, decision.layer) == (None, "mcp_servers.s", "managed")


@pytest.mark.parametrize(
    ("against", "key", "said", "would"),
    [
        (
            {"enabled": False},
            "mcp_servers.s.enabled",
            "“s” is not started: ",
            ".enabled = true would",
        ),
        ({"missing": ("A", "B")}, "mcp_servers.s", "needs A, B, which", "Setting A, B in the"),
        ({"refused": "Not on the list."}, "mcp_servers.s", "Not on the list.", None),
        # Of several reasons, the one that the person can do least about.
        ({"enabled": False, "missing": ("A",)}, "mcp_servers.s", "needs A, which", "Setting A in"),
        (
            {"enabled": False, "missing": ("A",), "refused": "Not on the list."},
            *("mcp_servers.s", "Not on the list.", None),
        ),
    ],
)
def test_a_server_is_not_started_and_the_key_and_what_would_start_it_are_named(
    against: dict[str, Any], key: str, said: str, would: str | None
) -> None:
    decision = of(ServerSettings("s", command="x", **against), key).may_run("s")
    assert decision.outcome is not None
    assert (decision.outcome.action, decision.outcome.decided_by) == ("decline", "policy")
    assert (decision.outcome.key, decision.outcome.layer) == (key, "managed")
    assert (decision.key, decision.layer) == (key, "managed")
    assert said in decision.sentence
    assert (would or "") in (decision.change or "")
    assert (decision.change is None) is (would is None)


def test_what_disables_a_server_says_its_value_and_whose_it_is() -> None:
    server = ServerSettings("s", command="x", enabled=False)
    decision = of(server, "mcp_servers.s.enabled", locked=True).may_run("s")
    assert decision.sentence == "“s” is not started: mcp_servers.s.enabled = false (managed)."
    assert "only the administrator" in (decision.change or "")


@pytest.mark.parametrize(
    ("server", "needed"),
    [
        ({}, True),
        ({"default_tools_approval_mode": "prompt"}, True),
        ({"default_tools_approval_mode": "approve"}, False),
        ({"tools": {"t": ToolSettings("approve")}}, False),
        ({"tools": {"u": ToolSettings("approve")}}, True),
        ({"disabled_tools": ("t",)}, False),
        ({"refused": "Not on the list."}, False),
    ],
)
def test_what_a_tool_says_of_itself_is_read_only_where_it_has_a_part(
    server: dict[str, Any], needed: bool
) -> None:
    assert of(ServerSettings("s", command="x", **server)).needs_definition("s", "t") is needed


def test_a_mode_that_was_not_advertised_is_named_in_harmless_words_that_end() -> None:
    hostile = "voice\x1b[2J\u202e" + "x" * 80
    asked = ElicitationRequest(
        ServerIdentity("s", "stdio", "x"), {"mode": hostile, "message": "Speak."}, wire_id=1
    )
    outcome = of(ServerSettings("s", command="x")).surfaces(asked).outcome
    assert outcome is not None
    assert (outcome.action, outcome.error_code) == (None, -32602)
    assert (outcome.key, outcome.layer) == ("mcp_servers.s.elicitation_modes", "default")
    named = outcome.reason.split("'")[1]
    assert named.startswith("voice")
    assert named.isprintable()
    assert len(named) == 40


def test_an_agents_own_prompt_is_asked_of_the_person_in_its_place() -> None:
    owner = Settings(provenance={"approval_policy": Provenance("user")})
    decision = Policy(owner).judge_prompt()
    assert decision.outcome is None
    assert (decision.key, decision.layer) == ("approval_policy", "user")
    assert decision.sentence == "You are asked in the agent's place."


def test_never_leaves_an_agents_own_prompt_to_the_agent() -> None:
    owner = Settings("never", provenance={"approval_policy": Provenance("command line")})
    decision = Policy(owner).judge_prompt()
    assert decision.outcome is not None
    assert (decision.outcome.action, decision.outcome.decided_by) == (None, "nobody")
    assert (decision.key, decision.layer) == ("approval_policy", "command line")
    said = 'Nobody is asked here: approval_policy = "never" (command line). The agent asks itself.'
    assert decision.sentence == said


def test_the_flag_for_tool_calls_refuses_an_agents_own_prompt() -> None:
    key = "approval_policy.granular.tool_calls"
    owner = Settings(GranularApproval(tool_calls=False), provenance={key: Provenance("user")})
    decision = Policy(owner).judge_prompt()
    assert decision.outcome is not None
    assert (decision.outcome.action, decision.outcome.decided_by) == ("decline", "policy")
    assert (decision.key, decision.layer) == (key, "user")
    assert decision.sentence == f"Declined by policy: {key} = false (user)."
    assert decision.change == f"{key} = true would let it be confirmed."


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, "You are asked, for as long as you like: elicitation.timeout_sec = 0 (user)."),
        (
            30,
            "You are asked, and without an answer in time it is cancelled: "
            "elicitation.timeout_sec = 30 (user).",
        ),
    ],
)
def test_who_is_asked_is_told_for_how_long(seconds: float, said: str) -> None:
    key = "elicitation.timeout_sec"
    settings = ElicitationSettings(timeout_sec=seconds)
    asking = Policy(Settings(elicitation=settings, provenance={key: Provenance("user")})).asking
    assert (asking.outcome, asking.asks) == (None, True)
    assert (asking.key, asking.layer, asking.sentence) == (key, "user", said)
    assert asking.change == f"{key} sets the time; 0 means none."
    assert asking.note == asking.sentence


@pytest.mark.parametrize("run", [{"person_present": False}, {"answers": ()}])
def test_where_nobody_is_there_a_question_is_cancelled(run: dict[str, Any]) -> None:
    asking = Policy(Settings(), **run).asking
    assert asking.outcome is not None
    assert (asking.outcome.action, asking.outcome.decided_by) == ("cancel", "nobody")
    assert asking.note is None


def test_the_limits_of_a_server_are_told_with_their_keys() -> None:
    key = "elicitation.limits"
    limits = ElicitationSettings(limits=ElicitationLimits(7, 3))
    owner = Settings(elicitation=limits, provenance={key: Provenance("user")})
    decision = Policy(owner).within_limits
    assert decision.sentence == (
        "Over 7 questions a minute or 3 waiting ones of this server are cancelled."
    )
    assert (decision.key, decision.layer, decision.outcome) == (key, "user", None)
    assert decision.change == f"{key}.per_minute and {key}.pending set these limits."


def test_a_run_knows_every_rule_and_every_entry_of_its_answers() -> None:
    rule, entry = Rule("decline"), Rule("cancel")
    assert Policy(Settings(rules=(rule,)), answers=(entry,)).entries == (rule, entry)
    assert Policy(Settings(rules=(rule,))).entries == (rule,)


def test_a_step_says_in_json_whether_the_question_ends_there() -> None:
    for seconds, run in ((5, {}), (5, {"person_present": False})):
        settings = Settings(elicitation=ElicitationSettings(timeout_sec=seconds))
        step = Policy(settings, **run).asking
        told = json.loads(json.dumps(step.as_json()))
        assert told == {
            "step": "ask",
            "sentence": step.sentence,
            "key": step.key,
            "layer": step.layer,
            "ends": bool(run),
            "change": step.change,
        }


@pytest.mark.parametrize(
    ("schema", "content", "why"),
    [
        ({"type": "object", "properties": {"n": {"type": "string"}}}, None, "must have content"),
        (
            {
                "type": "object",
                "properties": {"n\x1b[2J": {"type": "object", "properties": {}}},
                "required": ["n\x1b[2J"],
            },
            *({"n": "x"}, "the form cannot be answered: "),
        ),
    ],
    ids=["no content", "no legal answer"],
)
def test_a_rule_that_cannot_answer_says_why_and_has_the_person_asked(
    schema: dict[str, Any], content: dict[str, Any] | None, why: str
) -> None:
    params = {"message": "Which?", "requestedSchema": schema}
    asked = ElicitationRequest(ServerIdentity("s", "stdio", "x"), params, wire_id=1)
    policy = Policy(Settings(rules=(Rule("accept", server="s", content=content),)))
    step = policy.answer(Question(asked, form=form_of(asked)))
    assert (step.outcome, step.asks) == (None, True)
    assert why in step.sentence
    assert step.sentence.isprintable()


def test_a_question_that_is_blocked_is_declined_with_the_block_and_not_with_a_warning() -> None:
    warned = Finding("acme.ticket", Severity.WARN, "message", "4711", "Look twice.")
    blocked = Finding("acme.secret", Severity.BLOCK, "fields.pin", "PIN", "Do not answer.")
    decision = Policy(Settings()).weigh(Review((warned, blocked)))
    assert decision.outcome is not None
    assert (decision.outcome.action, decision.outcome.decided_by) == ("decline", "guardian")
    assert (decision.outcome.key, decision.outcome.layer) == ("guardian.on_block", "default")
    assert "acme.secret in fields.pin" in decision.outcome.reason
    assert "acme.ticket" not in decision.outcome.reason


@pytest.mark.parametrize(
    ("owner", "key"),
    [
        (Settings(approvals_reviewer="user"), "approvals_reviewer"),
        (Settings(guardian=GuardianSettings(on_block="ask")), "guardian.on_block"),
    ],
)
def test_a_block_that_the_owner_wants_asked_goes_on_and_is_told(owner: Settings, key: str) -> None:
    blocked = Finding("acme.secret", Severity.BLOCK, "fields.pin", "PIN", "Do not answer.")
    decision = Policy(owner).weigh(Review((blocked,)))
    assert (decision.step, decision.outcome) == ("guardian", None)
    assert (decision.key, decision.layer) == (key, "default")
    assert decision.sentence.startswith("The guardian finds acme.secret. ")
