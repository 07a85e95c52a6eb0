"""Every combination of policy, server, mode, reviewer, verdict, rule and terminal, as one table.

Written from design sections 1 and 6, not from the code. The first row that fits decides. `*`
matches all, `a/b` either; a granular policy is spelled by its flags, capital where true: M
(mcp_elicitations), T (tool_calls), R (rules).
"""

# ruff: noqa: E501 - a table row is one line

from __future__ import annotations

import itertools
from fnmatch import fnmatchcase
from functools import cache
from types import SimpleNamespace
from typing import Any, NamedTuple

from elicit_tui.elicitation import (
    ElicitationRequest,
    Finding,
    Outcome,
    Question,
    Review,
    ServerIdentity,
    Severity,
    cancel,
)
from elicit_tui.elicitation.settings import (
    GranularApproval,
    GuardianSettings,
    Provenance,
    Rule,
    ServerSettings,
    Settings,
)
from elicit_tui.policy import Policy

TABLE = """
policy       server   mode reviewer verdict rule             person | action  decidedBy reason
*            off      *    *        *       *                *      | error   policy    mcp_servers.s.elicitations = "off" (user)
never        *        *    *        *       *                *      | decline policy    approval_policy = "never" (user)
m??          *        *    *        *       *                *      | decline policy    approval_policy.granular.mcp_elicitations = false (user)
*            decline  *    *        *       *                *      | decline policy    mcp_servers.s.elicitations = "decline" (user)
*            cancel   *    *        *       *                *      | cancel  policy    mcp_servers.s.elicitations = "cancel" (user)
*            ask      *    decline  block   *                *      | decline guardian  guardian.on_block = "decline" (user)

*            ask      *    *        *       decline          *      | decline rule      rule 1 (user)
*            ask      *    *        *       cancel           *      | cancel  rule      rule 1 (user)
M?r          ask      *    *        *       ask              *      | decline policy    approval_policy.granular.rules = false (user)
*            ask      *    *        *       ask              yes    | ask     -         Rule 1 (user) asks for a person
*            ask      form *        allow   accept           *      | accept  rule      rule 1 (user)
*            ask      form *        allow   accept-despite   *      | accept  rule      rule 1 (user)
*            ask      form *        warn    accept-despite   *      | accept  rule      rule 1 (user)
*            ask      url  *        *       accept*          yes    | ask     -         never accepts a URL
*            ask      form *        warn    accept           yes    | ask     -         the guardian warns: deception.urgency in message is not listed in despite
*            ask      form *        block   accept*          yes    | ask     -         the guardian blocks it: credentials.password in message
*            ask      *    *        *       none             yes    | ask     -         -

*            ask      *    *        *       answers-none     *      | cancel  answers   no entry of the answers file matches
*            ask      *    *        *       answers-decline  *      | decline answers   answers entry 1
*            ask      *    *        *       answers-cancel   *      | cancel  answers   answers entry 1
*            ask      *    *        *       answers-ask      *      | cancel  answers   nobody is asked
*            ask      url  *        *       answers-*        *      | cancel  answers   never accepts a URL
*            ask      form *        allow   answers-*        *      | accept  answers   answers entry 1
*            ask      form *        warn    answers-despite  *      | accept  answers   answers entry 1
*            ask      form *        warn    answers-accept   *      | cancel  answers   deception.urgency in message is not listed in despite
*            ask      form *        block   answers-*        *      | cancel  answers   credentials.password in message

*            ask      *    *        *       *                no     | cancel  nobody    -
"""

POLICIES: dict[str, Any] = {
    "on-request": "on-request",
    "never": "never",
    **{
        "".join(
            letter if on else letter.lower() for letter, on in zip("MTR", flags, strict=True)
        ): (GranularApproval(*flags))
        for flags in itertools.product((True, False), repeat=3)
    },
}
SERVERS = ("ask", "decline", "cancel", "off")
MODES = ("form", "url")
REVIEWERS = {
    "decline": ("auto_review", "decline"),
    "ask": ("auto_review", "ask"),
    "advise": ("user", "decline"),
}
FINDINGS = {
    "allow": (Finding("schema.size", Severity.NOTE, "message", "x", "Look."),),
    "warn": (Finding("deception.urgency", Severity.WARN, "message", "now!", "Take your time."),),
    "block": (Finding("credentials.password", Severity.BLOCK, "message", "password", "No."),),
}
CONTENT = {"environment": "staging"}
RULES: dict[str, tuple[str, Rule | None]] = {
    "none": ("rules", None),
    "ask": ("rules", Rule("ask", server="s")),
    "accept": ("rules", Rule("accept", server="s", content=CONTENT)),
    "accept-despite": ("rules", Rule("accept", server="s", content=CONTENT, despite=("dec*",))),
    "decline": ("rules", Rule("decline")),
    "cancel": ("rules", Rule("cancel")),
    "answers-none": ("answers", None),
    "answers-ask": ("answers", Rule("ask", layer="command line")),
    "answers-accept": ("answers", Rule("accept", content=CONTENT, layer="command line")),
    "answers-despite": (
        "answers",
        Rule("accept", content=CONTENT, despite=("deception.*",), layer="command line"),
    ),
    "answers-decline": ("answers", Rule("decline", layer="command line")),
    "answers-cancel": ("answers", Rule("cancel", layer="command line")),
}
FORM: Any = SimpleNamespace(
    is_confirmation=False, refusal=None, unenforced=(), judge=lambda content: ()
)


class Case(NamedTuple):
    policy: str
    server: str
    mode: str
    reviewer: str
    verdict: str
    rule: str
    person: str


class Row(NamedTuple):
    pattern: tuple[str, ...]
    action: str
    decided_by: str
    reason: str

    def fits(self, case: Case) -> bool:
        return all(fnmatchcase(value, glob) for value, glob in zip(case, self.pattern, strict=True))


@cache
def rows() -> list[Row]:
    parsed = []
    for line in TABLE.strip().splitlines()[1:]:
        if line.strip():
            left, _, right = line.partition("|")
            action, decided_by, reason = right.split(None, 2)
            parsed.append(Row(tuple(left.split()), action, decided_by, reason.strip()))
    return parsed


def cases() -> list[Case]:
    return [
        Case(*values)
        for values in itertools.product(
            POLICIES, SERVERS, MODES, REVIEWERS, FINDINGS, RULES, ("yes", "no")
        )
    ]


def settings_of(case: Case) -> Settings:
    """The owner's configuration of a case."""
    table, rule = RULES[case.rule]
    reviewer, on_block = REVIEWERS[case.reviewer]
    return Settings(
        approval_policy=POLICIES[case.policy],
        approvals_reviewer=reviewer,  # type: ignore[arg-type]
        guardian=GuardianSettings(on_block=on_block),  # type: ignore[arg-type]
        rules=(rule,) if rule is not None and table == "rules" else (),
        servers={"s": ServerSettings("s", command="x", elicitations=case.server)},  # type: ignore[arg-type]
        provenance={
            key: Provenance("user")
            for key in ("approval_policy", "guardian.on_block", "mcp_servers.s.elicitations")
        },
    )


def answers_of(case: Case) -> tuple[Rule, ...] | None:
    """The entries of a case's answers file; None without one."""
    table, rule = RULES[case.rule]
    return None if table == "rules" else (rule,) if rule is not None else ()


def row_of(case: Case) -> Row:
    """The first row that fits."""
    row = next((row for row in rows() if row.fits(case)), None)
    assert row is not None, f"no row says what happens to {case}"
    return row


def decide(case: Case) -> tuple[Outcome | None, str | None]:
    """Steps 3, 5 and 6 as the broker takes them; what is asked of nobody is cancelled."""
    policy = Policy(settings_of(case), answers_of(case), person_present=case.person == "yes")
    request = ElicitationRequest(
        ServerIdentity("s", "stdio", "x"), {"mode": case.mode, "message": "m"}, wire_id=1
    )
    review = Review(FINDINGS[case.verdict])
    outcome = policy.surfaces(request).outcome or policy.weigh(review).outcome
    if outcome is not None:
        return outcome, None
    answer = policy.answer(Question(request, review, FORM if case.mode == "form" else None))
    if answer.outcome is None and case.person == "no":
        return cancel("nobody", "-"), None
    return answer.outcome, answer.note


def test_every_combination_ends_as_the_table_says() -> None:
    wrong = []
    for case in cases():
        row = row_of(case)
        outcome, note = decide(case)
        if outcome is None:
            got, reason = ("ask", "-"), note or "-"
        else:
            action = outcome.action or f"error{'' if outcome.error_code == -32602 else '?'}"
            got, reason = (action, outcome.decided_by), outcome.reason
        if got != (row.action, row.decided_by) or row.reason not in reason:
            wrong.append((case, row, got, reason))
    assert wrong == []


def test_every_row_of_the_table_is_needed() -> None:
    used = {row_of(case) for case in cases()}
    assert [row for row in rows() if row not in used] == []


def test_every_outcome_of_the_table_is_one_plain_sentence_with_its_key_and_layer() -> None:
    for case in cases():
        outcome, _ = decide(case)
        if outcome is None or outcome.decided_by == "nobody":
            continue
        assert outcome.reason.endswith("."), outcome.reason
        assert "\n" not in outcome.reason
        if outcome.decided_by in ("policy", "guardian", "rule"):
            assert outcome.key is not None
            assert outcome.layer == "user"


def test_a_server_in_the_modern_era_gets_a_decline_in_place_of_an_error() -> None:
    settings = Settings(servers={"s": ServerSettings("s", command="x", elicitations="off")})
    request = ElicitationRequest(
        ServerIdentity("s", "stdio", "x"), {"message": "m"}, era="modern", wire_id="k"
    )
    outcome = Policy(settings).surfaces(request).outcome
    assert outcome is not None
    assert (outcome.action, outcome.decided_by, outcome.error_code) == ("decline", "policy", None)
    assert (outcome.key, outcome.layer) == ("mcp_servers.s.elicitations", "default")
