"""The agents that are known by name, and what each is given to put into its configuration."""

from __future__ import annotations

import ast
import json
import sys
from typing import Any

import pytest

from elicit_tui.elicitation.settings import GatewaySettings
from elicit_tui.gateway import requester
from elicit_tui.gateway.agents import UNKNOWN, agent_called, known_agents
from elicit_tui.gateway.install.document import read_document
from elicit_tui.gateway.install.gateway_entry import NAME, checks, plain_entry, snippet, starts_us
from elicit_tui.gateway.install.places import installable, own_file
from elicit_tui.gateway.requester import AgentInfo, may_pause
from tests.gateway.held import Request
from tests.gateway.install.agent_file import FILES

COMMAND = ["/usr/local/bin/elicit-tui", "gateway", "demo"]


@pytest.mark.parametrize(
    ("name", "seconds"),
    [
        ("claude-code", 1500),
        ("codex-mcp-client", 280),
        ("Visual Studio Code", 900),
        ("cursor-vscode", 50),
        ("gemini-cli-mcp-client", 240),
        ("qwen-cli-mcp-client-elicit-tui", 240),
        ("mcp", 4),
        ("google-adk", 4),
        ("@cline/core", 50),
        ("copilot-cli", 50),
        ("kilo", 50),
        ("claude-ai", 200),
        ("somebody-new", 50),
        # What only begins like a known name is somebody else.
        ("mcp-of-somebody", 50),
        ("claude-codex", 50),
        (None, 50),
    ],
)
def test_a_call_is_held_as_long_as_its_agent_waits(name: str | None, seconds: float) -> None:
    assert agent_called(name).hold_seconds(http=False, progress=False) == seconds


def test_over_http_progress_decides_how_long() -> None:
    claude = agent_called("claude-code")
    assert claude.hold_seconds(http=True, progress=True) == 1500
    assert claude.hold_seconds(http=True, progress=False) == 240


@pytest.mark.parametrize(
    ("http", "progress", "seconds"), [(True, True, 1500), (True, False, 240), (False, False, 1500)]
)
def test_a_request_is_held_as_it_came_and_asked(http: bool, progress: bool, seconds: float) -> None:
    asks: Any = Request(0.0)
    asks.agent, asks.http, asks.has_token = AgentInfo("claude-code"), http, progress
    assert requester.hold_seconds("auto", asks) == seconds
    assert requester.hold_seconds(7, asks) == 7
    for waits in (seconds - 1, seconds + 1):
        settings = GatewaySettings(wait_sec=waits)
        pauses = may_pause(settings, "claude-code", http=http, progress=progress)
        assert pauses is (waits > seconds)


@pytest.mark.parametrize(("waits", "pauses"), [(0.0, True), (50.0, False), (51.0, True)])
def test_a_call_may_pause_where_its_question_outlasts_the_hold(waits: float, pauses: bool) -> None:
    gateway = GatewaySettings(wait_sec=waits)
    assert may_pause(gateway, "somebody-new", http=False, progress=False) is pauses


def test_how_an_agent_was_started_says_nothing_of_one_that_comes_over_http(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(requester, "_arguments", lambda: ("-p", "do it"))
    asks: Any = Request(0.0)
    asks.agent = AgentInfo("claude-code")
    assert requester.runs_alone(asks)
    asks.http = True
    assert not requester.runs_alone(asks)


def test_no_two_agents_have_the_same_name() -> None:
    names = [name for agent in known_agents().values() for name in agent.names]
    assert len(names) == len(set(names))
    assert known_agents()[UNKNOWN].names == ()


YAML = ("goose", "librechat", "continue")


def test_an_entry_in_yaml_is_laid_out_as_that_agent_writes_it() -> None:
    written = {shape: snippet(known_agents()[shape], COMMAND, {"A": "b: #"}) for shape in YAML}
    assert (
        written["goose"]
        == """\
extensions:
  elicit-tui:
    name: "elicit-tui"
    type: "stdio"
    enabled: true
    cmd: "/usr/local/bin/elicit-tui"
    args: ["gateway", "demo"]
    envs: {"A": "b: #"}
    timeout: 300"""
    )
    assert (
        written["librechat"]
        == """\
mcpServers:
  elicit-tui:
    command: "/usr/local/bin/elicit-tui"
    args: ["gateway", "demo"]
    type: "stdio"
    env: {"A": "b: #"}"""
    )
    assert (
        written["continue"]
        == """\
mcpServers:
  - name: "elicit-tui"
    command: "/usr/local/bin/elicit-tui"
    args: ["gateway", "demo"]
    env: {"A": "b: #"}"""
    )


@pytest.mark.parametrize(
    ("key", "written", "plain"),
    [
        (
            "opencode",
            {"type": "local", "command": ["x", "y"], "environment": {"A": "b"}},
            {"command": "x", "args": ["y"], "env": {"A": "b"}},
        ),
        ("opencode", {"type": "remote", "url": "https://a.b"}, {"url": "https://a.b"}),
        (
            "goose",
            {"type": "stdio", "cmd": "x", "envs": {"A": "b"}, "timeout": 300},
            {"command": "x", "env": {"A": "b"}},
        ),
        ("goose", {"type": "sse", "uri": "https://a.b"}, {"url": "https://a.b"}),
        ("copilot-cli", {"type": "local", "command": "x"}, {"command": "x"}),
        ("cursor", {"type": "odd", "command": "x"}, {"type": "odd", "command": "x"}),
        ("cursor", {"command": "x", "timeout": 7}, {"command": "x", "timeout": 7}),
        ("cline", {"command": "x", "timeout": 7}, {"command": "x"}),
    ],
)
def test_an_entry_of_any_agent_is_read_as_a_command_or_an_address(
    key: str, written: dict[str, Any], plain: dict[str, Any]
) -> None:
    assert plain_entry(known_agents()[key], written) == plain


@pytest.mark.parametrize("key", sorted(known_agents()))
@pytest.mark.parametrize("environment", [{}, {"XDG_STATE_HOME": '/a "b"'}], ids=["bare", "env"])
def test_an_entry_is_what_that_agent_can_read(key: str, environment: dict[str, str]) -> None:
    agent = known_agents()[key]
    text = snippet(agent, COMMAND, environment)
    if agent.python:
        assert_is_python(text, environment)
        return
    written = read_document(agent, text.encode(), "file").servers[NAME]
    entry = plain_entry(agent, written)
    assert [entry["command"], *entry["args"]] == COMMAND
    assert entry.get("env", {}) == environment
    assert starts_us(agent, written)
    if key == "codex":
        assert entry["tool_timeout_sec"] > agent.stdio


@pytest.mark.parametrize(
    ("words", "is_ours"),
    [
        ("/usr/local/bin/elicit-tui gateway demo", True),
        ("C:\\Programs\\elicit-tui.exe gateway", True),
        ("/usr/bin/python3 -m elicit_tui gateway", True),
        ("/usr/local/bin/elicit-tui demo", False),
        ("/usr/bin/python3 -m elicit_tui demo", False),
        ("/usr/bin/python3 -m others_gateway gateway", False),
        ("/usr/local/bin/others gateway", False),
    ],
)
def test_an_entry_is_known_as_ours_by_the_program_and_the_gateway_that_it_starts(
    words: str, is_ours: bool
) -> None:
    command, *arguments = words.split()
    entry = {"command": command, "args": arguments}
    assert starts_us(known_agents()["cursor"], entry) is is_ours


def assert_is_python(text: str, environment: dict[str, str]) -> None:
    """It is Python, and the command and its environment stand in it as they are."""
    constants = [each.value for each in ast.walk(ast.parse(text)) if isinstance(each, ast.Constant)]
    assert {*COMMAND, *environment, *environment.values()} <= set(constants)


def test_every_agent_that_is_installed_has_a_file_of_its_own_in_these_tests() -> None:
    have = {path.stem for path in FILES.iterdir()}
    assert have == set(installable()), "its own file, as it writes it: tests/gateway/agent_files"


def test_who_is_started_to_run_alone_is_known_by_name_or_arguments() -> None:
    assert agent_called("mcp").is_alone([])
    assert agent_called("codex-mcp-client").is_alone(["exec", "--json", "do it"])
    assert not agent_called("codex-mcp-client").is_alone(["--model", "x"])
    assert agent_called("claude-code").is_alone(["-p", "do it"])
    assert agent_called("copilot-cli").is_alone(["--prompt=do it"])
    assert agent_called("fast-agent-mcp").is_alone(["/bin/fast-agent", "go", "-m", "do it"])
    assert not agent_called("fast-agent-mcp").is_alone(["-m", "fast_agent", "go"])
    assert not agent_called("somebody-new").is_alone(["-p"])


def test_what_a_form_of_its_own_cannot_hold_is_known_of_codex() -> None:
    codex = agent_called("codex-mcp-client")
    assert codex.can_show({"string", "single", "boolean"})
    assert codex.can_show(())
    assert not codex.can_show({"string", "integer"})
    assert agent_called("claude-code").can_show({"integer", "multi"})


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        ({"url": "http://127.0.0.1:8765/mcp"}, ["✓ It is reached over HTTP."]),
        ({"env": {}}, []),
        ({"env": {"SECRET_OF_THE_STORE": "s3cret"}}, []),
        (
            {"env": {"SECRET_OF_THE_STORE": "other"}},
            [
                "✗ SECRET_OF_THE_STORE is another there than here: what waits cannot be read.",
            ],
        ),
        (
            {"env": {"XDG_STATE_HOME": "/elsewhere"}},
            [
                "✗ XDG_STATE_HOME is /elsewhere there and not set here: "
                "it has another configuration or store.",
            ],
        ),
        (
            {"env": {"XDG_CONFIG_HOME": "/elsewhere"}},
            [
                "✗ XDG_CONFIG_HOME is /elsewhere there and not set here: "
                "it has another configuration or store.",
            ],
        ),
    ],
)
def test_the_doctor_holds_an_entrys_environment_against_that_of_here(
    monkeypatch: pytest.MonkeyPatch, entry: dict[str, Any], told: list[str]
) -> None:
    started = {"command": sys.executable, "args": ["-m", "elicit_tui", "gateway"]}
    agent = known_agents()["cursor"]
    cursor = own_file(agent)
    cursor.parent.mkdir()
    here = entry if "url" in entry else {**started, **entry}
    cursor.write_text(json.dumps({"mcpServers": {"elicit-tui": here}}))
    if "SECRET_OF_THE_STORE" in entry.get("env", {}):
        monkeypatch.setenv("SECRET_OF_THE_STORE", "s3cret")
    found = checks(agent, cursor, ["elicit-tui", "gateway"], {}, "SECRET_OF_THE_STORE")
    stands, *others = (f"{'✓' if each.well else '✗'} {each.sentence}" for each in found)
    assert stands == "✓ The gateway stands in ~/.cursor/mcp.json."
    starts = f"✓ Its command can be started: {sys.executable}."
    assert others == (told if "url" in entry else [starts, *told])
