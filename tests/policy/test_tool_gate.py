# ruff: noqa: E501 - a table row is one line
"""Design section 6, "Tool approval", as a table: the first row that fits decides."""

from __future__ import annotations

import itertools
from fnmatch import fnmatchcase
from typing import Any

import pytest

from elicit_tui.elicitation.settings import (
    GranularApproval,
    Provenance,
    ServerSettings,
    Settings,
    ToolSettings,
)
from elicit_tui.policy import Decision, Policy

TABLE = """
policy      mode     hints                person   | kind  reason names
*           approve  *                    *        | allow default_tools_approval_mode = "approve"
*           auto     silent               *        | allow default_tools_approval_mode = "auto"
*           auto     reads                *        | allow default_tools_approval_mode = "auto"
*           auto     destructive+reads    *        | allow default_tools_approval_mode = "auto"
*           auto     harmless             *        | allow default_tools_approval_mode = "auto"
*           writes   reads                *        | allow default_tools_approval_mode = "writes"
*           writes   destructive+reads    *        | allow default_tools_approval_mode = "writes"
never       *        *                    *        | decline approval_policy = "never"
no-calls    *        *                    *        | decline approval_policy.granular.tool_calls = false
*           *        *                    there    | ask   default_tools_approval_mode
*           *        *                    nobody   | cancel nobody is there to ask
*           *        *                    answers  | cancel with answers nobody is asked
"""
POLICIES: dict[str, Any] = {
    "on-request": "on-request",
    "never": "never",
    "granular": GranularApproval(mcp_elicitations=False),
    "no-calls": GranularApproval(tool_calls=False),
}
HINTS: dict[str, Any] = {
    "silent": None,
    "reads": {"readOnlyHint": True},
    "harmless": {"destructiveHint": False},
    "destructive": {"destructiveHint": True},
    "destructive+reads": {"destructiveHint": True, "readOnlyHint": True},
    "lying": {"destructiveHint": "yes", "readOnlyHint": "true"},
}


def gate(
    policy: str = "on-request", mode: str = "auto", hints: str = "silent", person: str = "there"
) -> Decision:
    server = ServerSettings("s", command="x", default_tools_approval_mode=mode)  # type: ignore[arg-type]
    decider = Policy(
        Settings(approval_policy=POLICIES[policy], servers={"s": server}),
        () if person == "answers" else None,
        person_present=person != "nobody",
    )
    return decider.judge_call("s", "t", {"name": "t", "annotations": HINTS[hints]}, allowed=False)


def kind_of(decision: Decision) -> str:
    """The table's word for what becomes of a call."""
    if decision.outcome is None:
        return "ask" if decision.asks else "allow"
    return f"{decision.outcome.action} {decision.outcome.decided_by}"


def of(settings: Settings, tool: str = "t", *, allowed: bool = False, **more: Any) -> Decision:
    return Policy(settings, **more).judge_call("s", tool, {"name": tool}, allowed=allowed)


def test_every_combination_of_policy_mode_hints_and_person_is_as_the_table_says() -> None:
    table = [
        (line.partition("|")[0].split(), *line.partition("|")[2].split(None, 1))
        for line in TABLE.strip().splitlines()[1:]
    ]
    used = set()
    modes = ("auto", "prompt", "writes", "approve")
    for case in itertools.product(POLICIES, modes, HINTS, ("there", "nobody", "answers")):
        index, (_, kind, reason) = next(
            (index, row)
            for index, row in enumerate(table)
            if all(fnmatchcase(*pair) for pair in zip(case, row[0], strict=True))
        )
        used.add(index)
        result = gate(*case)
        assert kind_of(result).split()[0] == kind, (case, result)
        assert reason in result.sentence, (case, result)
        if result.outcome is not None:
            assert 'mcp_servers.s.tools.t.approval_mode = "approve"' in result.sentence
            assert result.outcome.reason == result.sentence
            assert result.outcome.decided_by == ("policy" if kind == "decline" else "nobody")
    assert used == set(range(len(table)))


def test_a_tools_own_mode_stands_before_the_servers() -> None:
    server = ServerSettings(
        "s",
        command="x",
        default_tools_approval_mode="approve",
        tools={"t": ToolSettings("prompt")},
    )
    settings = Settings(servers={"s": server})
    assert kind_of(of(settings)) == "ask"
    assert kind_of(of(settings, "u")) == "allow"


@pytest.mark.parametrize(
    ("lists", "key", "how"),
    [
        ({"disabled_tools": ("t",)}, "disabled_tools", "lists it"),
        ({"enabled_tools": ("u",)}, "enabled_tools", "does not list it"),
        ({"enabled_tools": ("t",), "disabled_tools": ("t",)}, "disabled_tools", "lists it"),
    ],
)
def test_a_tool_that_the_owner_does_not_offer_is_denied_with_the_list_named(
    lists: dict[str, Any], key: str, how: str
) -> None:
    server = ServerSettings("s", command="x", default_tools_approval_mode="approve", **lists)
    result = of(Settings(servers={"s": server}), allowed=True)
    assert kind_of(result) == "decline policy"
    assert (result.key, result.layer) == (f"mcp_servers.s.{key}", "default")
    assert f"mcp_servers.s.{key} (default) {how}." in result.sentence


def test_never_stands_before_what_was_allowed_for_the_session() -> None:
    server = ServerSettings("s", command="x", default_tools_approval_mode="prompt")
    settings = Settings(approval_policy="never", servers={"s": server})
    assert kind_of(of(settings, allowed=True)) == "decline policy"
    assert kind_of(of(Settings(servers={"s": server}), allowed=True)) == "allow"


@pytest.mark.parametrize(("mode", "asks"), [("auto", False), ("writes", True), ("prompt", True)])
def test_a_tool_that_its_server_does_not_list_is_silent(mode: Any, asks: bool) -> None:
    server = ServerSettings("s", command="x", default_tools_approval_mode=mode)
    policy = Policy(Settings(servers={"s": server}))
    assert policy.judge_call("s", "t", None, allowed=False).asks is asks


@pytest.mark.parametrize(
    ("mode", "words", "hints", "said"),
    [
        ("auto", "may destroy", "destructive", "“t” says of itself that it can destroy something"),
        ("writes", "may write", "silent", "“t” does not say of itself that it only reads"),
        ("prompt", "every call", "reads", "“t” is confirmed at every call"),
    ],
)
def test_who_is_asked_reads_why_first_and_then_which_key_changes_it(
    mode: str, words: str, hints: str, said: str
) -> None:
    result = gate(mode=mode, hints=hints)
    assert result.note == (
        f"{said}, so you are asked first. "
        f"Change it with “Ask before calls”, now “{words}”: "
        f'mcp_servers.s.default_tools_approval_mode = "{mode}" (default).'
    )
    refused = gate(mode=mode, hints=hints, person="nobody")
    assert refused.sentence == (
        f"{said}, so it needs a confirmation, and nobody is there to ask. "
        'mcp_servers.s.tools.t.approval_mode = "approve" would allow it without asking. '
        f'Now mcp_servers.s.default_tools_approval_mode = "{mode}" (default) holds.'
    )


def test_who_is_asked_under_a_lock_reads_whose_it_is() -> None:
    server = ServerSettings("s", command="x", default_tools_approval_mode="prompt", layer="managed")
    locked = {"mcp_servers.s": Provenance("managed", True)}
    result = of(Settings(servers={"s": server}, provenance=locked))
    assert result.note == (
        "“t” is confirmed at every call, so you are asked first. "
        "mcp_servers.s.default_tools_approval_mode is locked by managed configuration; only the "
        "administrator can change it."
    )


def test_a_locked_server_says_that_only_the_administrator_can_change_it() -> None:
    server = ServerSettings("s", command="x", default_tools_approval_mode="prompt", layer="managed")
    settings = Settings(
        servers={"s": server}, provenance={"mcp_servers.s": Provenance("managed", True)}
    )
    assert "administrator" in of(settings, person_present=False).sentence


def test_a_tools_hostile_name_is_quoted_in_the_key_that_would_allow_it() -> None:
    server = ServerSettings("s", command="x", default_tools_approval_mode="prompt")
    result = of(Settings(servers={"s": server}), 'a"]\n\x1b[2J\u202e', person_present=False)
    assert 'mcp_servers.s.tools."a\\"]\\u000a\\u001b[2J\\u202e".approval_mode' in result.sentence
    assert result.sentence.isprintable()
    unlisted = ServerSettings("s", command="x", enabled_tools=("t",))
    refused = of(Settings(servers={"s": unlisted}), "a\n\x1b[2J\u202e")
    assert kind_of(refused) == "decline policy"
    assert refused.sentence.isprintable()
