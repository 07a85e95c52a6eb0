# ruff: noqa: E501 - a case is one line
"""The administrator's configuration against a user who tries."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from elicit_tui.config.merging import AS_STRICT, leaves
from elicit_tui.elicitation.settings import GranularApproval, Settings
from elicit_tui.errors import ConfigError, ManagedConfigError
from tests.config.conftest import ALLOW, Machine
from tests.config.texts import check_managed_text


def value_at(settings: Settings, key: str) -> Any:
    value: Any = settings
    for part in key.split("."):
        value = getattr(value, part)
    return value


LOCKS = [
    # key, what the administrator sets, a looser value, a stricter value (None: there is none)
    ("approval_policy", '"never"', '"on-request"', None),
    ("approval_policy", '"on-request"', None, '"never"'),
    ("approvals_reviewer", '"auto_review"', '"user"', None),
    ("approvals_reviewer", '"user"', None, '"auto_review"'),
    ("elicitation.timeout_sec", "60", "61", "30"),
    ("elicitation.timeout_sec", "60", "0", "30"),
    ("elicitation.timeout_sec", "0", None, "30"),
    ("elicitation.rounds", "10", "11", "9"),
    ("elicitation.concurrent", '"queue"', '"replace"', None),
    ("elicitation.concurrent", '"replace"', '"queue"', None),
    ("elicitation.review", '"risky"', '"never"', '"always"'),
    ("elicitation.limits.per_minute", "10", "11", "9"),
    ("elicitation.limits.pending", "10", "11", "9"),
    ("guardian.on_block", '"decline"', '"ask"', None),
    ("guardian.outgoing", '"warn"', '"off"', None),
    ("guardian.trusted_domains", '["a.com", "b.com"]', '["a.com", "evil.com"]', '["b.com"]'),
    ("guardian.disable", '["url.port"]', '["url.port", "credentials.token"]', "[]"),
    ("console.notify", '"bell"', '"off"', None),
    ("console.theme", '"dark"', '"light"', None),
    ("console.keys", "{ send = 'f2' }", "{ send = 'f3' }", None),
    ("history.content", '"redacted"', '"full"', '"none"'),
    ("history.path", '"/var/a"', '"/tmp/b"', None),
    ("store.secret_env", '"A"', '"B"', None),
    ("store.secret_file", '"/a"', '"/b"', None),
    ("store.url", '"rediss://ours"', '"redis://mine"', None),
    ("store.answer_without_terminal", "false", "true", None),
    ("store.answer_without_terminal", "true", None, "false"),
    ("logins.allow", "false", "true", None),
    ("logins.allow", "true", None, "false"),
    ("logins.issuers", '["https://a", "https://b"]', '["https://a", "https://c"]', '["https://b"]'),
    ("logins.store", '"file"', '"keyring"', None),
    ("bridge.hold_sec", "50", "60", None),
    ("gateway.wait_sec", "60", "30", None),
    ("gateway.hold_sec", "50", '"auto"', None),
    ("gateway.ask_via", '"console"', '"auto"', None),
    ("gateway.ask_via", '"auto"', '"client"', '"console"'),
    ("gateway.prefix", '"always"', '"never"', None),
    ("gateway.elicit_tool", "false", "true", None),
    ("gateway.elicit_tool", "true", None, "false"),
    ("gateway.agent_answers", '"never"', '"allow"', None),
    ("gateway.agent_answers", '"allow"', None, '"never"'),
    ("gateway.tasks", '"never"', '"auto"', None),
]


@pytest.mark.parametrize(("key", "locked", "looser", "stricter"), LOCKS)
def test_a_lock_holds_against_looser_values_and_lets_stricter_ones_pass(
    machine: Machine, key: str, locked: str, looser: str | None, stricter: str | None
) -> None:
    machine.managed(f"{key} = {locked}\n")
    firm = machine.load()
    assert firm.origin(key).layer == "managed"
    assert firm.origin(key).locked
    if looser is not None:
        machine.user(f"{key} = {looser}\n")
        tried = machine.load()
        assert value_at(tried, key) == value_at(firm, key)
        assert tried.origin(key).layer == "managed"
        assert len(tried.notices) == 1
        assert tried.notices[0].startswith(f"{machine.user_file}:1: {key} = ")
        assert "looser than managed configuration allows" in tried.notices[0]
    if stricter is not None:
        machine.user(f"{key} = {stricter}\n")
        kept = machine.load()
        assert value_at(kept, key) != value_at(firm, key)
        assert kept.origin(key).layer == "user"
        assert kept.origin(key).locked
        assert kept.notices == ()


@pytest.mark.parametrize(
    ("managed", "user", "seconds"),
    [
        ("", "", 3600),
        ("elicitation.timeout_sec = 60\n", "", 60),
        ("elicitation.timeout_sec = 7200\n", "", 3600),
        ("elicitation.timeout_sec = 0\n", "", 3600),
        ("elicitation.timeout_sec = 60\n", "gateway.wait_sec = 0\n", 60),
        ("elicitation.timeout_sec = 60\ngateway.wait_sec = 3600\n", "", 3600),
        ("elicitation.timeout_sec = 60\ngateway.wait_sec = 0\n", "", 0),
    ],
)
def test_no_face_gives_a_question_more_time_than_is_locked(
    machine: Machine, managed: str, user: str, seconds: float
) -> None:
    machine.managed(managed or "[gateway]\n")
    machine.user(user or "gateway.wait_sec = 3600\n")
    settings = machine.load()
    timed = settings.with_question_time(settings.gateway.wait_sec, "gateway.wait_sec")
    assert timed.elicitation.timeout_sec == seconds


def test_every_key_that_can_be_locked_is_tried_above() -> None:
    assert {key for key, *_ in LOCKS} == {".".join(path) for path in leaves()}
    assert set(AS_STRICT) <= {key for key, *_ in LOCKS}


@pytest.mark.parametrize(
    ("managed", "user", "expected"),
    [
        ("{ granular = { rules = false } }", '"on-request"', GranularApproval(rules=False)),
        ("{ granular = { rules = false } }", '"never"', "never"),
        (
            "{ granular = { rules = false } }",
            "{ granular = { rules = false, tool_calls = false } }",
            GranularApproval(rules=False, tool_calls=False),
        ),
        (
            "{ granular = { rules = false } }",
            "{ granular = { tool_calls = false } }",
            GranularApproval(rules=False),
        ),
        ('"never"', "{ granular = {} }", "never"),
    ],
)
def test_an_approval_policy_is_compared_by_what_it_lets_surface(
    machine: Machine, managed: str, user: str, expected: Any
) -> None:
    machine.managed(f"approval_policy = {managed}\n")
    machine.user(f"approval_policy = {user}\n")
    assert machine.load().approval_policy == expected


@pytest.mark.parametrize(
    ("allowed", "user", "expected"),
    [
        ('["never"]', None, "never"),
        ('["never"]', '"on-request"', "never"),
        ('["never"]', "{ granular = {} }", "never"),
        ('["on-request"]', '"never"', "never"),
        ('["on-request"]', "{ granular = {} }", GranularApproval()),
        ('["granular"]', '"on-request"', "never"),
        ('["granular"]', "{ granular = {} }", GranularApproval()),
        ('["granular", "on-request"]', None, "on-request"),
    ],
)
def test_only_allowed_approval_policies_hold_and_never_always_does(
    machine: Machine, allowed: str, user: str | None, expected: Any
) -> None:
    machine.managed(f"allowed_approval_policies = {allowed}\n")
    if user is not None:
        machine.user(f"approval_policy = {user}\n")
    assert machine.load().approval_policy == expected


def test_a_flag_looser_than_a_lock_stops_the_start(machine: Machine) -> None:
    machine.managed('approval_policy = "never"\n')
    with pytest.raises(ConfigError, match=r"--approval-policy.*looser"):
        machine.load(approval_policy="on-request")
    machine.managed('allowed_approval_policies = ["never"]\n')
    with pytest.raises(ConfigError, match=r"--approval-policy.*allowed_approval_policies"):
        machine.load(approval_policy="on-request")
    assert machine.load(approval_policy="never").approval_policy == "never"


def test_a_flag_that_says_what_the_lock_says_counts_before_the_users_file(
    machine: Machine,
) -> None:
    machine.managed('approval_policy = "on-request"\n')
    machine.user('approval_policy = "never"\n')
    assert machine.load(approval_policy="on-request").approval_policy == "on-request"
    assert machine.load().approval_policy == "never"


def test_a_users_other_config_file_and_the_environment_change_nothing(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine.managed('approval_policy = "never"\n')
    other = tmp_path / "other.toml"
    other.write_text('approval_policy = "on-request"\n')
    for name in ("XDG_CONFIG_DIRS", "PROGRAMDATA", "ELICIT_TUI_MANAGED", "ELICIT_TUI_CONFIG"):
        monkeypatch.setenv(name, str(tmp_path))
    assert machine.load(dict(os.environ), config_file=other).approval_policy == "never"


def test_managed_rules_and_guardian_rules_come_first(machine: Machine) -> None:
    rule = '[[rules]]\naction = "{}"\n[[guardian.rules]]\nid = "{}"\nseverity = "warn"\npattern = "x"\n'
    machine.managed(rule.format("decline", "acme.a"))
    machine.user(rule.format("ask", "own.a"))
    settings = machine.load()
    assert [(rule.action, rule.layer) for rule in settings.rules] == [
        ("decline", "managed"),
        ("ask", "user"),
    ]
    assert [rule.id for rule in settings.guardian.rules] == ["acme.a", "own.a"]


def test_a_user_cannot_silence_or_replace_a_managed_guardian_rule(machine: Machine) -> None:
    machine.managed('[[guardian.rules]]\nid = "acme.a"\nseverity = "block"\npattern = "x"\n')
    machine.user(
        '[guardian]\ndisable = ["acme.a", "acme.*", "url.port"]\n'
        '[[guardian.rules]]\nid = "acme.a"\nseverity = "note"\npattern = "never"\n'
    )
    guardian = machine.load().guardian
    assert guardian.disable == ("url.port",)
    assert [(rule.id, rule.severity) for rule in guardian.rules] == [("acme.a", "block")]
    assert len(machine.load().notices) == 3


def test_managed_hooks_come_first_and_may_be_the_only_ones(machine: Machine) -> None:
    program = machine.program("audit")
    hook = '[[hooks]]\nevent = "Asked"\ncommand = ["{}"]\n'
    machine.managed(hook.format("audit"))
    machine.user(hook.format("/bin/own"))
    hooks = machine.load().hooks
    assert [(hook.key, hook.command) for hook in hooks] == [
        ("managed.hooks[1]", (str(program),)),
        ("hooks[1]", ("/bin/own",)),
    ]
    assert hooks[0].fixed_path == (str(machine.programs),)
    assert machine.load().origin("managed.hooks[1]").locked
    machine.managed('[managed]\nhooks = "only"\n' + hook.format("audit"))
    settings = machine.load()
    assert [hook.key for hook in settings.hooks] == ["managed.hooks[1]"]
    assert "yours are ignored" in settings.notices[0]


def test_a_managed_hook_is_never_looked_up_in_the_users_path(
    machine: Machine, tmp_path: Path
) -> None:
    machine.program("audit", tmp_path)
    machine.managed('[[hooks]]\nevent = "Asked"\ncommand = ["audit"]\n')
    hook = machine.load({"PATH": str(tmp_path)}).hooks[0]
    assert hook.cannot_run is not None
    assert "not in the system path" in hook.cannot_run


def test_a_managed_hook_may_be_a_page(machine: Machine) -> None:
    machine.managed('[[hooks]]\nevent = "Asked"\nurl = "https://audit.example/asked"\n')
    hook = machine.load().hooks[0]
    assert (hook.url, hook.cannot_run, hook.layer) == (
        "https://audit.example/asked",
        None,
        "managed",
    )


# Servers


def test_references_in_managed_values_are_taken_in_env_and_headers_only(machine: Machine) -> None:
    machine.managed(
        '[mcp_servers.a]\ncommand = "/x"\nenv = { R = "${R}" }\n'
        '[mcp_servers.b]\nurl = "https://a.example"\nhttp_headers = { X = "${R}" }\n'
    )
    servers = machine.load({"R": "eu"}).servers
    assert servers["a"].env["R"] == "eu"
    assert servers["b"].http_headers == {"X": "eu"}
    assert machine.load({}).servers["a"].missing == ("R",)


@pytest.mark.parametrize(
    "text",
    [
        '[mcp_servers.a]\ncommand = "${EVIL}/x"',
        '[mcp_servers.a]\ncommand = "/x"\nargs = ["${EVIL}"]',
        '[mcp_servers.a]\ncommand = "/x"\ncwd = "/${EVIL}"',
        '[mcp_servers.a]\nurl = "https://${EVIL}/"',
        '[history]\npath = "${EVIL}"',
        '[history]\npath = "ledger.sqlite3"',
        '[store]\nsecret_file = "${EVIL}/secret"',
        ALLOW + 'command = "/x"\nargs = ["${EVIL}"]',
        ALLOW + 'url = "https://${EVIL}/"',
        '[mcp_servers.a]\ncommand = "./x"',
        '[mcp_servers.a]\ncommand = "bin/x"',
        '[mcp_servers.a]\ncommand = "/opt/../tmp/x"',
        '[mcp_servers.a]\ncommand = "/x"\ncwd = "here"',
        ALLOW,
        ALLOW + 'command = "/x"\nurl = "https://x"',
        ALLOW + 'url = "https://x"\nargs = []',
        '[[managed.allow]]\nname = "x"\ncommand = "/x"',
        '[managed]\nservers = "some"',
        'approval_policy = "on-request"\nallowed_approval_policies = ["never"]',
        'allowed_approval_policies = "never"',
        '[managed]\nhooks = "some"',
        '[[hooks]]\nevent = "Asked"\ncommand = ["bin/x"]',
        '[[hooks]]\nevent = "Asked"\ncommand = ["/x", "${EVIL}"]',
        '[[hooks]]\nevent = "Asked"\nurl = "https://${EVIL}/"',
        '[mcp_servers.agent]\ncommand = "/x"',
        "unknown = 1",
        "not toml",
    ],
)
def test_a_managed_file_with_a_mistake_stops_the_start(machine: Machine, text: str) -> None:
    machine.managed(text + "\n")
    with pytest.raises(ManagedConfigError) as caught:
        machine.load({"EVIL": "/tmp"})
    assert all(problem.startswith("managed configuration ") for problem in caught.value.problems)
    assert str(machine.managed_file) in str(caught.value)
    assert check_managed_text(text.encode()) != []


# Trust
