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
from elicit_tui.policy import Policy, ToolGate

TABLE = """
policy      mode     hints                person   | kind  reason names
*           approve  *                    *        | allow default_tools_approval_mode = "approve"
*           auto     silent               *        | allow default_tools_approval_mode = "auto"
*           auto     reads                *        | allow default_tools_approval_mode = "auto"
*           auto     destructive+reads    *        | allow default_tools_approval_mode = "auto"
*           auto     harmless             *        | allow default_tools_approval_mode = "auto"
*           writes   reads                *        | allow default_tools_approval_mode = "writes"
*           writes   destructive+reads    *        | allow default_tools_approval_mode = "writes"
never       *        *                    *        | deny  approval_policy = "never"
no-calls    *        *                    *        | deny  approval_policy.granular.tool_calls = false
*           *        *                    there    | ask   default_tools_approval_mode
*           *        *                    nobody   | deny  nobody is there to ask
*           *        *                    answers  | deny  with answers nobody is asked
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
) -> ToolGate:
    server = ServerSettings("s", command="x", default_tools_approval_mode=mode)  # type: ignore[arg-type]
    decider = Policy(
        Settings(approval_policy=POLICIES[policy], servers={"s": server}),
        () if person == "answers" else None,
        person_present=person != "nobody",
    )
    return decider.tool_gate(server, "t", HINTS[hints], "digest", "process")


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
        assert result.kind == kind, (case, result)
        assert reason in result.reason, (case, result)
        if kind == "deny":
            assert 'mcp_servers.s.tools.t.approval_mode = "approve"' in result.reason
            assert result.remedy == "mcp_servers.s.tools.t.approval_mode"
    assert used == set(range(len(table)))


def test_a_tools_own_mode_stands_before_the_servers() -> None:
    server = ServerSettings(
        "s",
        command="x",
        default_tools_approval_mode="approve",
        tools={"t": ToolSettings("prompt")},
    )
    policy = Policy(Settings(servers={"s": server}))
    assert policy.tool_gate(server, "t", None, "d", "p").kind == "ask"
    assert policy.tool_gate(server, "u", None, "d", "p").kind == "allow"


@pytest.mark.parametrize(
    ("lists", "key"),
    [
        ({"disabled_tools": ("t",)}, "disabled_tools"),
        ({"enabled_tools": ("u",)}, "enabled_tools"),
        ({"enabled_tools": ("t",), "disabled_tools": ("t",)}, "disabled_tools"),
    ],
)
def test_a_tool_that_the_owner_does_not_offer_is_denied_with_the_list_named(
    lists: dict[str, Any], key: str
) -> None:
    server = ServerSettings("s", command="x", default_tools_approval_mode="approve", **lists)
    result = Policy(Settings(servers={"s": server})).tool_gate(server, "t", None, "d", "p")
    assert result.kind == "deny"
    assert result.key == f"mcp_servers.s.{key}"


def test_what_is_allowed_for_the_session_ends_with_the_process_or_the_definition() -> None:
    server = ServerSettings("s", command="x", default_tools_approval_mode="prompt")
    policy = Policy(Settings(servers={"s": server}))

    def kind(tool: str = "t", digest: str = "d", process: str = "p") -> str:
        return policy.tool_gate(server, tool, None, digest, process).kind

    policy.allow_for_session("s", "t", "d", "p")
    assert kind() == "allow"
    assert kind(tool="u") == "ask"
    assert kind(digest="changed") == "ask"
    assert kind() == "ask", "an allowance that ended does not come back"
    policy.allow_for_session("s", "t", "d", "p")
    assert kind(process="restarted") == "ask"
    assert policy.allowances == ()


def test_allowances_can_be_seen_and_revoked() -> None:
    server = ServerSettings("s", command="x", default_tools_approval_mode="prompt")
    policy = Policy(Settings(servers={"s": server}))
    for tool in ("a", "b"):
        policy.allow_for_session("s", tool, "d", "p")
    assert [each.tool for each in policy.allowances] == ["a", "b"]
    policy.revoke("s", "a")
    assert [each.tool for each in policy.allowances] == ["b"]
    policy.revoke("s")
    assert policy.allowances == ()


def test_never_stands_before_what_was_allowed_for_the_session() -> None:
    server = ServerSettings("s", command="x", default_tools_approval_mode="prompt")
    policy = Policy(Settings(approval_policy="never", servers={"s": server}))
    policy.allow_for_session("s", "t", "d", "p")
    assert policy.tool_gate(server, "t", None, "d", "p").kind == "deny"


def test_a_locked_server_says_that_only_the_administrator_can_change_it() -> None:
    server = ServerSettings("s", command="x", default_tools_approval_mode="prompt", layer="managed")
    settings = Settings(
        servers={"s": server}, provenance={"mcp_servers.s": Provenance("managed", True)}
    )
    result = Policy(settings, person_present=False).tool_gate(server, "t", None, "d", "p")
    assert "administrator" in result.reason


def test_a_tools_hostile_name_is_quoted_in_the_key_that_would_allow_it() -> None:
    server = ServerSettings("s", command="x", default_tools_approval_mode="prompt")
    policy = Policy(Settings(servers={"s": server}), person_present=False)
    result = policy.tool_gate(server, 'a"]\n\x1b[2J\u202e', None, "d", "p")
    assert result.remedy == 'mcp_servers.s.tools."a\\"]\\u000a\\u001b[2J\\u202e".approval_mode'
    assert all(character.isprintable() for character in result.reason)
