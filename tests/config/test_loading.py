# ruff: noqa: E501 - a case is one line
from __future__ import annotations

from pathlib import Path

import pytest

from elicit_tui.config import CommandLine, load
from elicit_tui.config.expansion import WANDERS
from elicit_tui.config.servers import GATEWAY_COMMANDS
from elicit_tui.elicitation.settings import GranularApproval, Provenance, Settings
from elicit_tui.errors import ConfigError, UsageError
from tests.config.conftest import Machine


def problems_of(machine: Machine, text: str) -> list[str]:
    machine.user(text)
    with pytest.raises(ConfigError) as caught:
        machine.load()
    return [problem.replace(str(machine.user_file), "F") for problem in caught.value.problems]


def test_without_any_file_the_defaults_hold(tmp_path: Path) -> None:
    settings = load(environment={}, managed_path=tmp_path / "none")
    assert settings == Settings()


def test_each_value_says_where_it_stands(machine: Machine) -> None:
    machine.user('# comment\napproval_policy = "never"\n[elicitation.limits]\nper_minute = 5\n')
    settings = machine.load()
    here = str(machine.user_file)
    assert settings.approval_policy == "never"
    assert settings.elicitation.limits.per_minute == 5
    assert settings.origin("approval_policy") == Provenance("user", False, here, 2)
    assert settings.origin("elicitation.limits.per_minute") == Provenance("user", False, here, 4)
    assert settings.origin("elicitation.rounds") == Provenance("default")


def test_the_command_line_stands_above_the_users_file_whole(machine: Machine) -> None:
    machine.user("[approval_policy.granular]\nrules = false\n")
    assert machine.load().approval_policy == GranularApproval(rules=False)
    settings = machine.load(approval_policy="on-request")
    assert settings.approval_policy == "on-request"
    assert settings.origin("approval_policy").layer == "command line"


def test_where_a_thousand_keys_are_unknown_all_are_told_and_the_first_with_what_was_meant(
    machine: Machine,
) -> None:
    text = "".join(f"aproval_policy{number} = 1\n" for number in range(1_000))
    ends = [problem.rpartition(": ")[2] for problem in problems_of(machine, text)]
    meant = "is not a key here; did you mean approval_policy?"
    assert ends == [*[meant] * 100, *["is not a key here"] * 900]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('aproval_policy = "never"', ["F:1: aproval_policy: is not a key here; did you mean approval_policy?"]),
        ("\n\n[elicitation]\ntimeout_secs = 1", ["F:4: elicitation.timeout_secs: is not a key here; did you mean timeout_sec?"]),
        ("timeout_sec = 1", ["F:1: timeout_sec: is not a key here; did you mean elicitation.timeout_sec?"]),
        ('[mcp_servers.a]\ncommand = "x"\nenviron = {}', ["F:3: mcp_servers.a.environ: is not a key here; did you mean env?"]),
        ('approval_policy = "always"', ['F:1: approval_policy: must be one of "on-request", "never", not "always"']),
        ("[elicitation]\nrounds = true", ["F:2: elicitation.rounds: must be a whole number, not true"]),
        ("[elicitation]\ntimeout_sec = -1", ["F:2: elicitation.timeout_sec: must be at least 0, not -1"]),
        ("[elicitation]\ntimeout_sec = inf", ["F:2: elicitation.timeout_sec: must be a number, not inf"]),
        ("[gateway]\nwait_sec = 999999999999", ["F:2: gateway.wait_sec: must be less than 1000000000, not 999999999999"]),
        ("elicitation = 3", ["F:1: elicitation: must be a table, not 3"]),
        ("[rules]\nserver = 's'", ["F:1: rules: must be an array of tables, written [[rules]]"]),
        ('[[rules]]\naction = "ask"\n[[rules]]\nserver = "s"', ["F:3: rules[2]: needs action"]),
        ('[[rules]]\naction = "accept"\ncontent = {}', ["F:1: rules[1]: an accept rule needs server"]),
        ('[[rules]]\naction = "accept"\nserver = "s"', ["F:1: rules[1]: an accept rule needs content"]),
        ('[[rules]]\naction = "decline"\ncontent = {}', ["F:3: rules[1].content: content goes with accept only"]),
        ('[[rules]]\nserver = "s"\naction = "accept"\ncontent = { a = { b = nan } }', ["F:4: rules[1].content.a.b: JSON has no infinity and no NaN"]),
        ('[[rules]]\naction = "ask"\nonce = true', ["F:3: rules[1].once: is not a key here; the nearest is content"]),
        ("[mcp_servers.a]", ["F:1: mcp_servers.a: needs exactly one of command and url"]),
        ('[mcp_servers.a]\ncommand = "x"\nurl = "http://x"', ["F:1: mcp_servers.a: needs exactly one of command and url"]),
        ('[mcp_servers.a]\nurl = "ftp://x"', ["F:2: mcp_servers.a.url: must be an http or https address"]),
        ('[mcp_servers.a]\nurl = "http://x"\nargs = []', ["F:3: mcp_servers.a.args: goes with command, not with url"]),
        ('[mcp_servers.a]\nurl = "http://x"\nhttp_headers = { hOST = "b.example", X = "1" }', ['F:3: mcp_servers.a.http_headers: "hOST" belongs to the connection: it follows from the url and is never set']),
        ('[mcp_servers.a]\ncommand = "x"\nhttp_headers = {}', ["F:3: mcp_servers.a.http_headers: goes with url, not with command"]),
        ('[mcp_servers.a]\ncommand = "x"\n[mcp_servers.a.tools.t]\napproval_mode = "yes"', ['F:4: mcp_servers.a.tools.t.approval_mode: must be one of "auto", "prompt", "writes", "approve", not "yes"']),
        ('[mcp_servers."a\\u001b"]\ncommand = "x"', ['F:1: mcp_servers."a\\u001b": a name must be printable and not empty']),
        ('[managed]\nservers = "only"', ["F:1: managed: only the managed file may have it"]),
        ('allowed_approval_policies = ["never"]', ["F:1: allowed_approval_policies: only the managed file may have it"]),
        ('[[guardian.rules]]\nid = "a.b"\nseverity = "warn"\npattern = "("', ["F:4: guardian.rules[1].pattern: is not a regular expression: missing ) at position 1"]),
        ('[history]\npath = "${NOPE}/x"', ["F:2: history.path: the environment has no NOPE"]),
        ('[history]\npath = "ledger.sqlite3"', [f"F:2: history.path: {WANDERS}"]),
        ('[store]\nsecret_file = "secret"', [f"F:2: store.secret_file: {WANDERS}"]),
        ('[mcp_servers.token]\ncommand = "x"', ["F:1: mcp_servers.token: token is a reserved name: `elicit-tui gateway token` is a command"]),
        ('[mcp_servers.agent]\ncommand = "x"', ["F:1: mcp_servers.agent: agent is a reserved name: what an agent itself asks comes under it"]),
        ("[gateway]\nhold_sec = true", ['F:2: gateway.hold_sec: must be a number or "auto", not true']),
        ('[gateway]\nhold_sec = "soon"', ['F:2: gateway.hold_sec: must be a number or "auto", not "soon"']),
        ('[[hooks]]\ncommand = ["x"]', ["F:1: hooks[1]: needs event"]),
        ('[[hooks]]\nevent = "Asked"', ["F:1: hooks[1]: needs exactly one of command and url"]),
        ('[[hooks]]\nevent = "Asked"\ncommand = []', ["F:3: hooks[1].command: must name a program"]),
        ('[[hooks]]\nevent = "Asked"\ncommand = ["./x"]', ["F:3: hooks[1].command: must be absolute, or a bare name of PATH: it is never looked up where you stand"]),
        ('[[hooks]]\nevent = "Asked"\nurl = "file:///x"', ["F:3: hooks[1].url: must be an http or https address"]),
        ('[[hooks]]\nevent = "Asked"\nurl = "http://x"\nformat = "slack"', ['F:4: hooks[1].format: goes with event = "Waiting" only']),
        ('[[hooks]]\nevent = "Waiting"\ncommand = ["x"]\nformat = "slack"', ["F:4: hooks[1].format: goes with url, not with command"]),
        ('[[hooks]]\nevent = "Waiting"\nurl = "http://x"\ninclude = ["content"]', ['F:4: hooks[1].include: must be one of "message", not "content"']),
        ("a = ", ["F:1: is not TOML: Invalid value (at end of document)"]),
    ],
)  # fmt: skip
def test_a_mistake_is_named_with_file_line_and_key(
    machine: Machine, text: str, expected: list[str]
) -> None:
    assert problems_of(machine, text) == expected


def test_the_ledger_is_in_one_place_wherever_one_stands(machine: Machine) -> None:
    machine.user('[history]\npath = "${PLACE}/ledger"\n')
    assert machine.load({"PLACE": "/var"}).history.path == "/var/ledger"
    with pytest.raises(ConfigError, match=r":2: history[.]path: must be"):
        machine.load({"PLACE": "."})
    for text in ('[history]\npath = "~/ledger"\n', '[store]\nsecret_file = "~/secret"\n'):
        machine.user(text)
        machine.load()


def test_all_mistakes_are_told_at_once(machine: Machine) -> None:
    told = problems_of(
        machine,
        'approval = "never"\n[elicitation]\nreview = 3\n[[rules]]\naction = "accept"\n'
        "[mcp_servers.a]\nenabld = true\n[mcp_servers.b]\nurl = 1\n",
    )
    assert [problem.split(":")[1] for problem in told] == ["1", "3", "7", "9", "4", "4", "6"]


def test_a_file_that_is_not_text_is_a_problem_with_its_line(machine: Machine) -> None:
    machine.user_file.write_bytes(b'approval_policy = "never"\n# \xff\n')
    with pytest.raises(ConfigError, match=":2: is not UTF-8 text"):
        machine.load()


def test_a_byte_order_mark_is_no_mistake(machine: Machine) -> None:
    machine.user_file.write_bytes(b'\xef\xbb\xbfapproval_policy = "never"\n')
    assert machine.load().approval_policy == "never"


def test_a_named_file_must_exist(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read: No such file"):
        load(CommandLine(config_file=tmp_path / "none"), managed_path=tmp_path / "none")


def test_the_working_directory_is_never_read(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("config.toml", "elicit-tui.toml", ".elicit-tui.toml", ".mcp.json", "managed.toml"):
        (tmp_path / name).write_text('[mcp_servers.evil]\ncommand = "evil"\n')
    monkeypatch.chdir(tmp_path)
    settings = load(environment={}, managed_path=tmp_path / "none")
    assert settings.servers == {}


def test_references_take_the_environments_values_and_are_not_expanded_twice(
    machine: Machine,
) -> None:
    machine.user(
        '[mcp_servers.a]\ncommand = "${BIN}/x"\nargs = ["${A}", "$A", "${A:-b}"]\n'
        'env = { R = "-${A}-" }\ncwd = "${BIN}"\n'
    )
    server = machine.load({"BIN": "/opt", "A": "${BIN}"}).servers["a"]
    assert server.command == "/opt/x"
    assert server.args == ("${BIN}", "$A", "${A:-b}")
    assert server.env == {"R": "-${BIN}-"}
    assert server.cwd == "/opt"
    assert server.missing == ()


def test_a_missing_reference_stops_only_its_own_server(machine: Machine) -> None:
    machine.user(
        '[mcp_servers.a]\ncommand = "x"\nenv = { R = "${ONE}${TWO}${ONE}" }\n'
        '[mcp_servers.b]\nurl = "https://${HOST}/"\nbearer_token_env_var = "TOKEN"\n'
        '[mcp_servers.c]\ncommand = "x"\n'
    )
    servers = machine.load().servers
    assert servers["a"].missing == ("ONE", "TWO")
    assert set(servers["b"].missing) == {"HOST", "TOKEN"}
    assert servers["c"].missing == ()


def test_an_address_that_is_a_variable_is_judged_once_it_is_known(machine: Machine) -> None:
    machine.user('[mcp_servers.a]\nurl = "${ADDRESS}"\n')
    assert machine.load().servers["a"].missing == ("ADDRESS",)
    assert machine.load({"ADDRESS": "https://x/mcp"}).servers["a"].url == "https://x/mcp"


def test_each_key_of_a_server_knows_its_layer_and_line(machine: Machine) -> None:
    machine.user('[mcp_servers.a]\ncommand = "x"\ntool_timeout_sec = 5\n')
    origin = machine.load().origin("mcp_servers.a.tool_timeout_sec")
    assert (origin.layer, origin.line) == ("user", 3)


def test_dates_in_content_are_their_text(machine: Machine) -> None:
    machine.user(
        '[[rules]]\nserver = "s"\naction = "accept"\n'
        "content = { day = 2026-01-02, at = 2026-01-02T03:04:05Z, when = 2026-01-02 03:04:05+01:00 }\n"
    )
    assert machine.load().rules[0].content == {
        "day": "2026-01-02",
        "at": "2026-01-02T03:04:05Z",
        "when": "2026-01-02T03:04:05+01:00",
    }


def test_codex_names_without_effect_are_accepted_and_named(machine: Machine) -> None:
    machine.user(
        "[approval_policy.granular]\nsandbox_approval = false\nrequest_permissions = true\n"
        "skill_approval = true\ntool_calls = false\n"
    )
    settings = machine.load()
    assert settings.approval_policy == GranularApproval(tool_calls=False)
    assert len(settings.notices) == 3
    assert "sandbox_approval" in settings.notices[0]
    assert "no effect here" in settings.notices[0]


@pytest.mark.parametrize(
    ("option", "command", "args"),
    [
        ("a=npx -y server", "npx", ("-y", "server")),
        ("a=sh -c 'echo \"$HOME\" *'", "sh", ("-c", 'echo "$HOME" *')),
        ("a=x '${HOME}' ~ $(id) `id`", "x", ("${HOME}", "~", "$(id)", "`id`")),
        ("a=x --k=v", "x", ("--k=v",)),
    ],
)
def test_with_splits_a_command_line_as_a_shell_would_and_expands_nothing(
    machine: Machine, option: str, command: str, args: tuple[str, ...]
) -> None:
    server = machine.load({"HOME": "/h"}, with_servers=(option,)).servers["a"]
    assert (server.command, server.args, server.missing) == (command, args, ())
    assert server.layer == "command line"


def test_with_takes_a_url(machine: Machine) -> None:
    server = machine.load(with_servers=("a=https://example.com/mcp?x=1",)).servers["a"]
    assert (server.url, server.command) == ("https://example.com/mcp?x=1", None)


@pytest.mark.parametrize("option", ["a", "=x", "a=", "a='", "a=http://", "a=''", "a\nb=x"])
def test_with_that_cannot_be_understood_is_wrong_usage(machine: Machine, option: str) -> None:
    with pytest.raises(UsageError):
        machine.load(with_servers=(option,))


def test_with_a_name_that_exists_is_wrong_usage(machine: Machine) -> None:
    machine.user('[mcp_servers.a]\ncommand = "x"\n')
    with pytest.raises(UsageError, match="exists already"):
        machine.load(with_servers=("a=y",))
    with pytest.raises(UsageError, match="exists already"):
        machine.load(with_servers=("b=y", "b=z"))


def test_timeout_stands_above_every_servers_own(machine: Machine) -> None:
    machine.user('[mcp_servers.a]\ncommand = "x"\ntool_timeout_sec = 10\n')
    assert machine.load(timeout=99).servers["a"].tool_timeout_sec == 99


def test_a_hook_that_names_a_missing_variable_says_so_and_stops_nothing_else(
    machine: Machine,
) -> None:
    machine.user('[[hooks]]\nevent = "Waiting"\nurl = "https://x/${TOPIC}"\nformat = "ntfy"\n')
    assert machine.load().hooks[0].cannot_run == "the environment has no TOPIC"
    assert machine.load({"TOPIC": "t"}).hooks[0].url == "https://x/t"


@pytest.mark.parametrize("name", ["agent", *GATEWAY_COMMANDS])
def test_a_reserved_name_is_reserved_on_the_command_line_too(machine: Machine, name: str) -> None:
    with pytest.raises(UsageError, match="reserved name"):
        machine.load(with_servers=(f"{name}=server",))


@pytest.mark.parametrize(
    ("url", "secret", "told"),
    [
        (
            "http://mcp.example/a",
            'bearer_token_env_var = "T"',
            "mcp_servers.a.bearer_token_env_var: sent in the clear",
        ),
        (
            "http://10.0.0.7/a",
            'http_headers = { X-Key = "k" }',
            "mcp_servers.a.http_headers: sent in the clear",
        ),
        ("http://127.0.0.1:8080/a", 'bearer_token_env_var = "T"', None),
        ("http://[::1]/a", 'bearer_token_env_var = "T"', None),
        ("https://mcp.example/a", 'bearer_token_env_var = "T"', None),
        ("http://mcp.example/a", "enabled = true", None),
        ("http://mcp.example/a", 'bearer_token_env_var = "T"\nenabled = false', None),
    ],
)
def test_a_secret_that_anybody_on_the_way_can_read_is_told(
    machine: Machine, url: str, secret: str, told: str | None
) -> None:
    machine.user(f'[mcp_servers.a]\nurl = "{url}"\n{secret}\n')
    notices = machine.load().notices
    assert len(notices) == (0 if told is None else 1)
    assert all(notice.startswith(told or "") for notice in notices)
