# ruff: noqa: E501 - a case is one line
"""The administrator's configuration against a user who tries."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from elicit_tui.config import load
from elicit_tui.config.allowing import url_below
from elicit_tui.config.loading import check_managed_text
from elicit_tui.config.locks import AS_STRICT
from elicit_tui.config.merging import leaves
from elicit_tui.elicitation.settings import GranularApproval, Settings
from elicit_tui.errors import ConfigError, ManagedConfigError, UsageError
from tests.config.conftest import Machine


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


# Servers


def test_nothing_of_a_users_table_of_a_managed_server_is_read(machine: Machine) -> None:
    program = machine.program("tool")
    machine.managed('[mcp_servers.a]\ncommand = "tool"\nargs = ["safe"]\n')
    machine.user(
        '[mcp_servers.a]\ncommand = "/tmp/evil"\nargs = ["evil"]\ncwd = "/tmp"\n'
        'env = { LD_PRELOAD = "/tmp/evil.so" }\ndefault_tools_approval_mode = "approve"\n'
        '[mcp_servers.a.tools.t]\napproval_mode = "approve"\n'
    )
    settings = machine.load()
    server = settings.servers["a"]
    assert (server.command, server.args, server.cwd) == (str(program), ("safe",), None)
    assert "LD_PRELOAD" not in server.env
    assert (server.default_tools_approval_mode, server.tools) == ("auto", {})
    assert any("locked by managed configuration" in notice for notice in settings.notices)


@pytest.mark.parametrize(
    ("managed", "user", "expected"),
    [
        ("ask", "decline", "decline"),
        ("ask", "cancel", "cancel"),
        ("ask", "off", "off"),
        ("decline", "off", "off"),
        ("decline", "ask", "decline"),
        ("off", "ask", "off"),
        ("decline", "cancel", "decline"),
    ],
)
def test_a_user_may_only_make_a_managed_server_stricter(
    machine: Machine, managed: str, user: str, expected: str
) -> None:
    machine.managed(f'[mcp_servers.a]\ncommand = "/bin/x"\nelicitations = "{managed}"\n')
    machine.user(f'[mcp_servers.a]\nelicitations = "{user}"\n')
    assert machine.load().servers["a"].elicitations == expected


def test_a_user_may_leave_a_managed_server_out_but_not_bring_one_back(machine: Machine) -> None:
    machine.managed(
        '[mcp_servers.a]\ncommand = "/x"\n[mcp_servers.b]\ncommand = "/x"\nenabled = false\n'
    )
    machine.user("[mcp_servers.a]\nenabled = false\n[mcp_servers.b]\nenabled = true\n")
    servers = machine.load().servers
    assert (servers["a"].enabled, servers["b"].enabled) == (False, False)


def test_with_cannot_take_a_managed_name(machine: Machine) -> None:
    machine.managed('[mcp_servers.a]\ncommand = "/x"\n')
    with pytest.raises(UsageError, match="exists already"):
        machine.load(with_servers=("a=evil",))


def test_where_only_managed_servers_run_a_users_are_refused_by_name(machine: Machine) -> None:
    machine.managed('[managed]\nservers = "only"\n[mcp_servers.a]\ncommand = "/x"\n')
    machine.user('[mcp_servers.b]\ncommand = "/x"\n')
    settings = machine.load()
    assert settings.servers["a"].refused is None
    assert 'managed.servers = "only"' in (settings.servers["b"].refused or "")
    with pytest.raises(ConfigError, match="only its own servers"):
        machine.load(with_servers=("c=/x",))


ALLOW = '[managed]\nservers = "allow"\n[[managed.allow]]\nname = "team-*"\n'


@pytest.mark.parametrize(
    ("name", "table", "runs"),
    [
        ("team-a", 'command = "tool"\nargs = ["-x"]', True),
        ("team-a", 'command = "${T}"\nargs = ["${X}"]', True),
        ("TEAM-a", 'command = "tool"\nargs = ["-x"]', False),
        ("mine", 'command = "tool"\nargs = ["-x"]', False),
        ("team-a", 'command = "tool"', False),
        ("team-a", 'command = "tool"\nargs = ["-x", "--evil"]', False),
        ("team-a", 'command = "./tool"\nargs = ["-x"]', False),
        ("team-a", 'command = "/tmp/tool"\nargs = ["-x"]', False),
        ("team-a", 'url = "https://tool/"', False),
        ("team-a", 'command = "tool"\nargs = ["-x"]\nenv = { REGION = "eu" }', True),
        ("team-a", 'command = "tool"\nargs = ["-x"]\nenv = { REGION = "us" }', False),
        ("team-a", 'command = "tool"\nargs = ["-x"]\nenv = { PATH = "/tmp" }', False),
        ("team-a", 'command = "tool"\nargs = ["-x"]\nenv = { LD_PRELOAD = "/tmp/e" }', False),
        ("team-a", 'command = "tool"\nargs = ["-x"]\ncwd = "/srv"', True),
        ("team-a", 'command = "tool"\nargs = ["-x"]\ncwd = "/tmp"', False),
    ],
)
def test_a_users_server_runs_only_as_an_allowed_one(
    machine: Machine, name: str, table: str, runs: bool
) -> None:
    program = machine.program("tool")
    machine.managed(
        ALLOW + 'command = "tool"\nargs = ["-x"]\nenv = { REGION = "eu" }\ncwd = "/srv"\n'
    )
    machine.user(f'[mcp_servers."{name}"]\n{table}\n')
    server = machine.load({"T": "tool", "X": "-x"}).servers[name]
    if not runs:
        assert server.refused is not None
        assert "managed configuration" in server.refused
        return
    assert server.refused is None
    assert server.command == str(program)
    assert (server.env["REGION"], server.cwd) == ("eu", "/srv")
    assert server.fixed_path


def test_a_managed_command_is_found_in_the_system_path_and_never_in_path(
    machine: Machine, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "evil"
    elsewhere.mkdir()
    machine.program("tool", elsewhere)
    machine.managed('[mcp_servers.a]\ncommand = "tool"\n')
    refused = machine.load({"PATH": str(elsewhere)}).servers["a"]
    assert "not in the system path" in (refused.refused or "")
    program = machine.program("tool")
    server = machine.load({"PATH": str(elsewhere)}).servers["a"]
    assert (server.command, server.refused, server.fixed_path) == (str(program), None, True)
    assert server.env["PATH"] == str(machine.programs)


def test_a_directory_or_a_file_that_is_no_program_is_not_a_command(machine: Machine) -> None:
    (machine.programs / "tool").mkdir()
    machine.managed('[mcp_servers.a]\ncommand = "tool"\n')
    assert machine.load().servers["a"].refused is not None


@pytest.mark.parametrize(
    ("url", "allowed"),
    [
        ("https://mcp.example.com/team", True),
        ("https://mcp.example.com/team/", True),
        ("https://mcp.example.com/team/a?x=1", True),
        ("HTTPS://MCP.Example.COM/team", True),
        ("https://mcp.example.com:443/team", True),
        ("https://mcp.example.com./team", True),
        ("https://mcp.example.com/teammate", False),
        ("https://mcp.example.com/", False),
        ("https://mcp.example.com/Team", False),
        ("http://mcp.example.com/team", False),
        ("https://mcp.example.com:8443/team", False),
        ("https://mcp.example.com.evil.com/team", False),
        ("https://evil.com/mcp.example.com/team", False),
        ("https://mcp.example.com@evil.com/team", False),
        ("https://user@mcp.example.com/team", False),
        ("https://user:word@mcp.example.com/team", False),
        ("https://mcp.example.com/team/../admin", False),
        ("https://mcp.example.com/team/..;/admin", False),
        ("https://mcp.example.com/team/./a", False),
        ("https://mcp.example.com/team%2f..%2fadmin", False),
        ("https://mcp.example.com/team/%2e%2e/admin", False),
        ("https://mcp.example.com/team/%252e%252e/admin", False),
        ("https://mcp.example.com\\@evil.com/team", False),
        ("https://mcp.example.com/team\\..\\admin", False),
        ("https:\\\\mcp.example.com/team", False),
        ("https://mcp.example.com/team\n", False),
        (" https://mcp.example.com/team", False),
        ("https://mcp.example.com\t/team", False),
        ("https://mcp.exаmple.com/team", False),  # a Cyrillic letter
        ("https://mcp.example.com:0/team", False),
        ("https://mcp.example.com:x/team", False),
        ("https://[::1/team", False),
        ("https:///team", False),
        ("//mcp.example.com/team", False),
        ("", False),
    ],
)
def test_a_url_is_allowed_at_or_below_the_entrys_own(url: str, allowed: bool) -> None:
    assert url_below(url, "https://mcp.example.com/team") is allowed
    assert url_below(url, "https://mcp.example.com/team/") is allowed


def test_an_entry_for_a_whole_host_allows_its_paths() -> None:
    assert url_below("https://a.example/x", "https://a.example")
    assert url_below("https://a.example", "https://a.example/")
    assert not url_below("https://a.example/x", "https://a.example/?only=this")


def test_a_users_allowed_url_is_compared_after_expansion(machine: Machine) -> None:
    machine.managed(ALLOW + 'url = "https://a.example/mcp"\n')
    machine.user('[mcp_servers.team-a]\nurl = "https://${HOST}/mcp"\n')
    assert machine.load({"HOST": "a.example"}).servers["team-a"].refused is None
    assert machine.load({"HOST": "a.example.evil.com"}).servers["team-a"].refused is not None
    assert machine.load({}).servers["team-a"].refused is not None


def test_with_under_an_allow_list_must_match_it(machine: Machine) -> None:
    machine.managed(ALLOW + 'url = "https://a.example/mcp"\n')
    settings = machine.load(with_servers=("team-x=https://a.example/mcp/x",))
    assert settings.servers["team-x"].refused is None
    with pytest.raises(ConfigError, match="--with"):
        machine.load(with_servers=("team-x=https://evil.example/mcp",))


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


def loads(machine: Machine, **more: Any) -> Settings:
    return load(
        environment={}, managed_path=machine.managed_file, **{"managed_owner": os.getuid(), **more}
    )


@pytest.mark.parametrize("mode", [0o664, 0o646, 0o666, 0o620, 0o602])
def test_a_managed_file_that_others_can_write_is_not_trusted(machine: Machine, mode: int) -> None:
    machine.managed('approval_policy = "never"\n')
    machine.managed_file.chmod(mode)
    with pytest.raises(ManagedConfigError, match="can be written by its group or by others"):
        loads(machine)


@pytest.mark.parametrize("mode", [0o775, 0o757, 0o777, 0o1777])
def test_a_directory_that_others_can_write_is_not_trusted(machine: Machine, mode: int) -> None:
    machine.managed('approval_policy = "never"\n')
    machine.managed_directory.chmod(mode)
    with pytest.raises(ManagedConfigError, match="its directory can be written"):
        loads(machine)


def test_a_managed_file_of_another_owner_is_not_trusted(machine: Machine) -> None:
    machine.managed('approval_policy = "never"\n')
    with pytest.raises(ManagedConfigError, match="does not belong"):
        loads(machine, managed_owner=os.getuid() + 1)


def test_a_link_to_a_file_is_not_trusted(machine: Machine, tmp_path: Path) -> None:
    target = tmp_path / "target.toml"
    target.write_text('approval_policy = "never"\n')
    target.chmod(0o644)
    machine.managed_file.symlink_to(target)
    with pytest.raises(ManagedConfigError, match="is a symbolic link"):
        loads(machine)
    target.unlink()
    with pytest.raises(ManagedConfigError, match="is a symbolic link"):
        loads(machine)


def test_a_link_to_the_directory_is_not_trusted(machine: Machine, tmp_path: Path) -> None:
    machine.managed('approval_policy = "never"\n')
    link = tmp_path / "link"
    link.symlink_to(machine.managed_directory, target_is_directory=True)
    with pytest.raises(ManagedConfigError, match="its directory is a symbolic link"):
        load(environment={}, managed_path=link / "managed.toml", managed_owner=os.getuid())


def test_a_directory_or_a_pipe_in_place_of_the_file_is_refused(machine: Machine) -> None:
    machine.managed_file.mkdir(mode=0o755)
    with pytest.raises(ManagedConfigError):
        loads(machine)
    machine.managed_file.rmdir()
    os.mkfifo(machine.managed_file, 0o644)
    with pytest.raises(ManagedConfigError, match="neither a file nor a directory"):
        loads(machine)


def test_without_a_managed_file_nothing_is_locked(machine: Machine) -> None:
    assert loads(machine).managed_file is None
    machine.managed_directory.rmdir()
    machine.managed_directory.write_text("")
    assert loads(machine).managed_file is None


def test_by_default_the_file_must_be_roots(machine: Machine) -> None:
    machine.managed('approval_policy = "never"\n')
    if os.getuid() == 0:
        os.chown(machine.managed_file, 12345, -1)
    with pytest.raises(ManagedConfigError, match="does not belong to root"):
        load(environment={}, managed_path=machine.managed_file)
