from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from elicit_tui.elicitation import (
    Call,
    ElicitationRequest,
    Finding,
    Outcome,
    Question,
    Review,
    ServerIdentity,
    Severity,
)
from elicit_tui.elicitation.settings import GranularApproval, Rule, ServerSettings, Settings
from elicit_tui.form.schema_reading import read_form
from elicit_tui.policy import Decision, Policy

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "environment": {"type": "string", "enum": ["staging", "production"]},
        "replicas": {"type": "integer", "minimum": 1, "maximum": 10, "default": 3},
        "note": {"type": "string"},
    },
    "required": ["environment", "replicas"],
}
GOOD = {"environment": "staging", "replicas": 2}
WARNED = Finding("destructive.production", Severity.WARN, "message", "production", "Look.")


def asked(
    message: str = "Select target", tool: str | None = "deploy", schema: Any = None, **params: Any
) -> ElicitationRequest:
    return ElicitationRequest(
        ServerIdentity("deploy", "stdio", "x"),
        {"message": message, "requestedSchema": SCHEMA if schema is None else schema, **params},
        calls=(Call("tools/call", tool),) if tool else (),
        wire_id=1,
    )


def asked_for(*tools: str) -> ElicitationRequest:
    calls = tuple(Call("tools/call", tool) for tool in tools)
    return replace(asked(), calls=calls)


def answer(
    *rules: Rule,
    request: ElicitationRequest | None = None,
    findings: tuple[Finding, ...] = (),
    answers: tuple[Rule, ...] | None = None,
    **settings: Any,
) -> Decision:
    request = request or asked()
    policy = Policy(Settings(rules=rules, **settings), answers)
    return policy.answer(Question(request, Review(findings), read_form(request.requested_schema)))


def outcome_of(found: Decision) -> Outcome:
    assert found.outcome is not None
    return found.outcome


@pytest.mark.parametrize(
    ("globs", "fits"),
    [
        ({}, True),
        ({"server": "dep*"}, True),
        ({"server": "Deploy"}, False),
        ({"tool": "deploy"}, True),
        ({"tool": "roll*"}, False),
        ({"mode": "form"}, True),
        ({"mode": "url"}, False),
        ({"message": "Select *"}, True),
        ({"message": "select *"}, False),
        ({"message": "Select ?arget"}, True),
        ({"message": "Select [tT]arget"}, True),
        ({"server": "deploy", "message": "Delete *"}, False),
    ],
)
def test_an_entry_matches_when_every_glob_it_has_fits(globs: dict[str, str], fits: bool) -> None:
    found = answer(Rule("decline", **globs))
    assert (found.outcome is not None) is fits


def test_a_star_in_brackets_matches_only_a_star() -> None:
    rule = Rule("decline", message="Delete [*]")
    assert answer(rule, request=asked("Delete *")).outcome is not None
    assert answer(rule, request=asked("Delete everything")).outcome is None


def test_a_message_of_several_lines_is_matched_whole() -> None:
    assert answer(Rule("decline", message="A*Z"), request=asked("A\nb\nZ")).outcome is not None


def test_a_rule_for_a_tool_does_not_answer_a_question_outside_a_tool_call() -> None:
    assert answer(Rule("decline", tool="*"), request=asked(tool=None)).outcome is None


def test_the_first_rule_that_matches_decides() -> None:
    found = answer(
        Rule("decline", message="Delete *", position=1),
        Rule("accept", server="deploy", content=GOOD, position=2),
        Rule("cancel", position=3),
    )
    outcome = outcome_of(found)
    assert (outcome.action, outcome.decided_by, outcome.content) == ("accept", "rule", GOOD)
    assert outcome.key == "rules[2]"


@pytest.mark.parametrize(
    ("content", "named"),
    [
        ({"environment": "canary", "replicas": 2}, "environment"),
        ({"environment": "staging", "replicas": 11}, "replicas"),
        ({"replicas": 2}, "environment"),
        ({"environment": "staging", "replicas": "2"}, "replicas"),
    ],
)
def test_content_that_does_not_fit_is_never_sent_and_the_field_is_named(
    content: dict[str, Any], named: str
) -> None:
    found = answer(Rule("accept", server="deploy", content=content))
    assert found.outcome is None
    assert named in (found.note or "")
    outcome = outcome_of(answer(answers=(Rule("accept", content=content),)))
    assert (outcome.action, outcome.decided_by, outcome.key) == ("cancel", "answers", None)
    assert named in outcome.reason


def test_an_accept_rule_without_a_server_asks_but_an_answers_entry_may_do_without() -> None:
    assert answer(Rule("accept", content=GOOD)).outcome is None
    assert outcome_of(answer(answers=(Rule("accept", content=GOOD),))).action == "accept"


def test_a_form_without_fields_is_never_answered_by_a_rule() -> None:
    request = asked(schema={"type": "object", "properties": {}})
    found = answer(Rule("accept", server="deploy", content={}), request=request)
    assert found.outcome is None
    assert (found.note or "").endswith("so it is a yes or no for a person.")


def test_only_an_explicitly_empty_content_answers_a_form_without_fields() -> None:
    request = asked(schema={"type": "object", "properties": {}})
    explicit = outcome_of(answer(request=request, answers=(Rule("accept", content={}),)))
    assert (explicit.action, explicit.content) == ("accept", {})
    for entry in (
        Rule("accept", use_defaults=True, content={}, despite=("x",)),
        Rule("accept", use_defaults=True),
        Rule("accept", content={"a": 1}),
    ):
        outcome = outcome_of(answer(request=request, answers=(entry,)))
        assert outcome.action == ("accept" if entry.content == {} else "cancel")
    assert "only an explicit content = {} answers it" in outcome.reason


@pytest.mark.parametrize(
    ("pattern", "text"), [("(", "x"), ("^(a+)+$", "a" * 40 + "b"), ("^(a|a)*$", "a" * 40 + "b")]
)
def test_a_pattern_that_cannot_be_enforced_is_never_accepted_unasked(
    pattern: str, text: str
) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string", "pattern": pattern}}}
    request = asked(schema=schema)
    content = {"a": text}
    found = answer(Rule("accept", server="deploy", content=content), request=request)
    assert found.outcome is None
    assert "a: " in (found.note or "")
    outcome = outcome_of(answer(request=request, answers=(Rule("accept", content=content),)))
    assert outcome.action == "cancel"


def test_every_warning_must_be_listed_in_despite() -> None:
    findings = (
        WARNED,
        Finding("deception.urgency", Severity.WARN, "message", "now", "Wait."),
    )
    some = Rule("accept", server="deploy", content=GOOD, despite=("destructive.*",))
    every = Rule("accept", server="deploy", content=GOOD, despite=("destructive.*", "deception.*"))
    found = answer(some, findings=findings)
    assert found.outcome is None
    assert "deception.urgency" in (found.note or "")
    assert outcome_of(answer(every, findings=findings)).action == "accept"


def test_a_block_is_not_accepted_whatever_despite_lists() -> None:
    findings = (Finding("credentials.token", Severity.BLOCK, "message", "token", "No."),)
    rule = Rule("accept", server="deploy", content=GOOD, despite=("*",))
    assert answer(rule, findings=findings).outcome is None
    entry = Rule("accept", content=GOOD, despite=("*",))
    outcome = outcome_of(answer(answers=(entry,), findings=findings))
    assert outcome.action == "cancel"
    assert "credentials.token" in outcome.reason


def test_once_entries_answer_one_question_each_in_their_order() -> None:
    question = Question(asked(), form=read_form(SCHEMA))
    first = Rule("accept", content={**GOOD, "note": "1"}, once=True, position=1)
    second = Rule("accept", content={**GOOD, "note": "2"}, once=True, position=2)
    policy = Policy(Settings(), (first, second))
    results = [policy.answer(question).outcome for _ in range(3)]
    assert [r and r.content and r.content.get("note") for r in results] == ["1", "2", None]
    assert results[2] is not None
    assert (results[2].action, results[2].decided_by) == ("cancel", "answers")


def test_defaults_fill_what_content_leaves_out_only_when_the_entry_says_so() -> None:
    content = {"environment": "production"}
    bare = outcome_of(answer(answers=(Rule("accept", content=content),)))
    assert bare.action == "cancel"
    assert "replicas" in bare.reason
    filled = outcome_of(answer(answers=(Rule("accept", content=content, use_defaults=True),)))
    assert filled.content == {"environment": "production", "replicas": 3}


def test_content_wins_over_a_default() -> None:
    entry = Rule("accept", content=GOOD, use_defaults=True)
    assert outcome_of(answer(answers=(entry,))).content == GOOD


def test_a_managed_rule_stands_before_an_answers_file_and_a_users_rule_does_not() -> None:
    entry = Rule("accept", content=GOOD)
    managed = answer(Rule("decline", layer="managed"), answers=(entry,))
    assert outcome_of(managed).decided_by == "rule"
    own = answer(Rule("decline", layer="user"), answers=(entry,))
    assert outcome_of(own).decided_by == "answers"


def test_a_managed_rule_that_wants_a_person_is_not_answered_by_a_file() -> None:
    found = answer(Rule("ask", layer="managed"), answers=(Rule("accept", content=GOOD),))
    outcome = outcome_of(found)
    assert (outcome.action, outcome.decided_by) == ("cancel", "answers")
    assert "managed" in outcome.reason


def test_a_rules_ask_is_declined_where_granular_rules_is_false() -> None:
    found = answer(Rule("ask"), approval_policy=GranularApproval(rules=False))
    outcome = outcome_of(found)
    assert (outcome.action, outcome.decided_by) == ("decline", "policy")
    assert "approval_policy.granular.rules = false" in outcome.reason
    assert (outcome.key, outcome.layer) == ("approval_policy.granular.rules", "default")


def test_a_hostile_field_name_cannot_break_the_reason_into_lines() -> None:
    name = "a\n\x1b[31m::error::"
    schema = {
        "type": "object",
        "properties": {name: {"type": "string"}},
        "required": [name],
    }
    request = asked(schema=schema)
    entry = Rule("accept", content={"x": 1})
    outcome = outcome_of(answer(request=request, answers=(entry,)))
    assert outcome.action == "cancel"
    assert "\n" not in outcome.reason
    assert "\x1b" not in outcome.reason


@pytest.mark.parametrize("severity", [Severity.WARN, Severity.BLOCK])
def test_the_place_of_a_finding_cannot_break_the_reason_into_lines(severity: Severity) -> None:
    place = "requestedSchema.properties.a\n\x1b[31m.title"
    finding = Finding("own\n\x1b[31m.rule", severity, place, "x", "No.")
    entry = Rule("accept", content=GOOD)
    outcome = outcome_of(answer(answers=(entry,), findings=(finding,)))
    assert outcome.action == "cancel"
    assert outcome.reason.isprintable()
    weighed = Policy(Settings()).weigh(Review((finding,)))
    assert (weighed.outcome is not None) == (severity is Severity.BLOCK)
    assert weighed.sentence.isprintable()
    assert weighed.change is None or weighed.change.isprintable()


@pytest.mark.parametrize(
    ("content", "findings", "why"),
    [
        ({"environment": "moon"}, (), "the content is not valid: environment"),
        (GOOD, (WARNED,), "the guardian warns: destructive.production"),
    ],
)
def test_where_a_managed_accept_cannot_answer_no_looser_entry_does(
    content: Any, findings: tuple[Finding, ...], why: str
) -> None:
    managed = Rule("accept", server="deploy", content=content, layer="managed", position=3)
    loose = Rule("accept", server="deploy", content=GOOD, despite=("destructive.*",))
    by_file = outcome_of(answer(managed, answers=(loose,), findings=findings))
    assert (by_file.action, by_file.decided_by, by_file.content) == ("cancel", "answers", None)
    assert "Rule 3 (managed) matched but did not answer: " in by_file.reason
    assert why in by_file.reason
    own = answer(managed, loose, findings=findings)
    assert (own.outcome, own.asks) == (None, True)
    assert why in own.sentence


def test_a_refused_server_is_declined_with_the_administrators_reason() -> None:
    own = ServerSettings("deploy", command="x", refused="The server deploy may not run: no.")
    outcome = Policy(Settings(servers={"deploy": own})).surfaces(asked()).outcome
    assert outcome is not None
    assert (outcome.action, outcome.decided_by, outcome.layer) == ("decline", "policy", "managed")
    assert outcome.key == "mcp_servers.deploy"
    assert "may not run" in outcome.reason


@pytest.mark.parametrize("answers", [False, True])
def test_a_question_of_several_open_calls_is_accepted_only_by_the_first_entry_of_each(
    answers: bool,
) -> None:
    def action(*entries: Rule, tools: tuple[str, ...] = ("deploy", "tell_time")) -> str | None:
        request = asked_for(*tools)
        found = (
            answer(request=request, answers=entries)
            if answers
            else answer(*entries, request=request)
        )
        return found.outcome.action if found.outcome is not None else None

    unanswered = "cancel" if answers else None
    narrow = Rule("accept", server="deploy", tool="deploy*", content=GOOD)
    wide = replace(narrow, tool=None, content={**GOOD, "note": "wide"})
    assert action(narrow, tools=("deploy", "deploy_again")) == "accept"
    assert action(wide) == "accept"
    assert action(narrow) == unanswered
    assert action(narrow, wide) == unanswered
    assert action(wide, narrow) == "accept"
    assert action(narrow, tools=()) == unanswered


@pytest.mark.parametrize("layer", ["managed", "user"])
@pytest.mark.parametrize("action", ["decline", "cancel", "ask"])
@pytest.mark.parametrize("tools", [("list", "delete_all"), ("delete_all", "list")])
def test_what_refuses_a_tool_refuses_each_question_that_may_be_of_it(
    tools: tuple[str, ...], action: Any, layer: Any
) -> None:
    refusing = Rule(action, server="deploy", tool="delete_*", layer=layer)
    wide = Rule("accept", server="deploy", content=GOOD)
    outcome = answer(refusing, wide, request=asked_for(*tools)).outcome
    assert (outcome.action if outcome is not None else "ask") == action
    assert outcome_of(answer(refusing, wide, request=asked_for("list"))).action == "accept"
    if layer == "managed":
        file = replace(wide, layer="command line")
        by_file = outcome_of(answer(refusing, request=asked_for(*tools), answers=(file,)))
        assert by_file.action == ("cancel" if action == "ask" else action)


def test_where_a_managed_accept_has_the_word_for_one_of_several_calls_no_file_accepts() -> None:
    managed = Rule("accept", server="deploy", tool="deploy", content=GOOD, layer="managed")
    request = asked_for("deploy", "rollback")
    for entry in (Rule("accept", content=GOOD), Rule("accept", tool="rollback", content=GOOD)):
        outcome = outcome_of(answer(managed, request=request, answers=(entry,)))
        assert (outcome.action, outcome.decided_by, outcome.key) == ("cancel", "answers", None)
        assert "each of the calls" in outcome.reason
    # It may still refuse.
    for entry in (Rule("decline"), Rule("decline", tool="rollback")):
        assert outcome_of(answer(managed, request=request, answers=(entry,))).action == "decline"


def test_a_call_whose_tool_is_asked_about_makes_no_refusal_of_another_a_question() -> None:
    asks = Rule("ask", tool="list", layer="managed")
    refuses = Rule("decline", tool="delete_all", layer="managed")
    assert outcome_of(answer(asks, refuses, request=asked_for("list", "delete_all"))).action == (
        "decline"
    )


@pytest.mark.parametrize("use_defaults", [False, True])
def test_a_form_that_could_not_be_read_is_left_to_a_person_and_no_answer_to_a_file(
    use_defaults: bool,
) -> None:
    entry = Rule("accept", server="deploy", content=GOOD, use_defaults=use_defaults)
    unread = Question(asked(), form=None)
    by_rule = Policy(Settings(rules=(entry,))).answer(unread)
    assert by_rule.outcome is None
    assert "the form could not be read" in (by_rule.note or "")
    by_file = outcome_of(Policy(Settings(), (entry,)).answer(unread))
    assert (by_file.action, by_file.key) == ("cancel", None)
    assert "the form could not be read" in by_file.reason


def test_an_entry_that_asks_sends_nothing_also_where_it_has_content() -> None:
    outcome = outcome_of(answer(answers=(Rule("ask", content=GOOD, position=2),)))
    assert (outcome.action, outcome.decided_by, outcome.content) == ("cancel", "answers", None)
    assert "answers entry 2 asks" in outcome.reason


def test_an_entry_of_another_server_answers_nothing_and_is_not_spent() -> None:
    others = Rule("accept", server="other", content=GOOD, once=True)
    outcome = outcome_of(answer(answers=(others,)))
    assert (outcome.action, outcome.decided_by) == ("cancel", "answers")
    assert "no entry of the answers file matches" in outcome.reason
    own = Rule("accept", content={**GOOD, "note": "own"})
    assert outcome_of(answer(answers=(others, own))).content == own.content


@pytest.mark.parametrize("action", ["accept", "decline", "cancel"])
def test_whatever_an_entry_answers_names_its_key_and_whose_it_is(action: Any) -> None:
    entry = Rule(action, server="deploy", content=GOOD, position=3, layer="managed")
    by_rule = outcome_of(answer(entry))
    assert (by_rule.action, by_rule.key, by_rule.layer) == (action, "rules[3]", "managed")
    by_file = outcome_of(answer(answers=(entry,)))
    assert (by_file.action, by_file.key, by_file.layer) == (action, "answers[3]", "managed")


def test_a_page_is_never_agreed_to_by_an_entry_which_says_so() -> None:
    page = asked(mode="url", url="https://example.com", elicitationId="1")
    entry = Rule("accept", server="deploy", content={})
    by_rule = Policy(Settings(rules=(entry,))).answer(Question(page))
    assert by_rule.outcome is None
    assert "an entry never accepts a URL" in (by_rule.note or "")
    by_file = outcome_of(Policy(Settings(), (entry,)).answer(Question(page)))
    assert by_file.action == "cancel"
    assert "an entry never accepts a URL" in by_file.reason
