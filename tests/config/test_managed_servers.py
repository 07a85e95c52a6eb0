"""Which servers may run under an administrator, and what of a user counts for them."""

from __future__ import annotations

from pathlib import Path

import pytest

from elicit_tui.config.allowing import url_below
from elicit_tui.errors import ConfigError, UsageError
from tests.config.conftest import ALLOW, Machine


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


@pytest.mark.parametrize(
    "header", ["Host", "host ", "Transfer-Encoding", "Content-Length", "Connection"]
)
def test_no_header_leads_an_allowed_url_elsewhere(machine: Machine, header: str) -> None:
    machine.managed(
        '[managed]\nservers = "allow"\n'
        '[[managed.allow]]\nname = "*"\nurl = "https://mcp.example.com"\n'
    )
    server = '[mcp_servers.a]\nurl = "https://mcp.example.com/x"\nhttp_headers = '
    machine.user(f'{server}{{ "{header}" = "evil.example" }}\n')
    with pytest.raises(ConfigError, match="belongs to the connection"):
        machine.load()
    machine.user(f'{server}{{ X-Team = "blue" }}\n')
    assert machine.load().servers["a"].refused is None


def test_with_under_an_allow_list_must_match_it(machine: Machine) -> None:
    machine.managed(ALLOW + 'url = "https://a.example/mcp"\n')
    settings = machine.load(with_servers=("team-x=https://a.example/mcp/x",))
    assert settings.servers["team-x"].refused is None
    with pytest.raises(ConfigError, match="--with"):
        machine.load(with_servers=("team-x=https://evil.example/mcp",))


def test_a_tool_is_allowed_for_a_run_only_where_the_administrator_says_nothing_else(
    machine: Machine,
) -> None:
    machine.managed(
        '[mcp_servers.a]\ncommand = "/bin/x"\n'
        '[mcp_servers.b]\ncommand = "/bin/x"\ndefault_tools_approval_mode = "approve"\n'
    )
    machine.user('[mcp_servers.c]\ncommand = "/bin/x"\ndefault_tools_approval_mode = "prompt"\n')
    with pytest.raises(ConfigError, match=r"a\.tools\.t\.approval_mode is locked by managed"):
        machine.load(allowed_tools=(("a", "t"),))
    assert machine.load(allowed_tools=(("b", "t"),)).servers["b"].tools == {}
    settings = machine.load(allowed_tools=(("c", "t"),))
    assert settings.servers["c"].tools["t"].approval_mode == "approve"
    assert settings.origin("mcp_servers.c.tools.t.approval_mode").layer == "command line"
    assert settings.servers["c"].default_tools_approval_mode == "prompt"
