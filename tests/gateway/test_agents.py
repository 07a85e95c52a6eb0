"""The agents that are known by name, and what each is given to put into its configuration."""

from __future__ import annotations

import json

import pytest
import tomli

from elicit_tui.gateway.agents import UNKNOWN, agent_called, known_agents
from elicit_tui.gateway.install.snippet import NAME, snippet

COMMAND = ["/usr/local/bin/elicit-tui", "gateway", "demo"]


@pytest.mark.parametrize(
    ("name", "seconds"),
    [
        ("claude-code", 1500),
        ("codex-mcp-client", 280),
        ("Visual Studio Code", 900),
        ("cursor-vscode", 50),
        ("gemini-cli-mcp-client", 240),
        ("claude-ai", 200),
        ("somebody-new", 50),
        (None, 50),
    ],
)
def test_a_call_is_held_as_long_as_its_agent_waits(name: str | None, seconds: float) -> None:
    assert agent_called(name).hold_seconds(http=False, progress=False) == seconds


def test_over_http_progress_decides_how_long() -> None:
    claude = agent_called("claude-code")
    assert claude.hold_seconds(http=True, progress=True) == 1500
    assert claude.hold_seconds(http=True, progress=False) == 240


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


@pytest.mark.parametrize("key", sorted(known_agents()))
@pytest.mark.parametrize("environment", [{}, {"XDG_STATE_HOME": '/a "b"'}], ids=["bare", "env"])
def test_an_entry_is_what_that_agent_can_read(key: str, environment: dict[str, str]) -> None:
    agent = known_agents()[key]
    text = snippet(agent, COMMAND, environment)
    if agent.shape in YAML:
        assert f'"{COMMAND[0]}"' in text
        assert json.dumps(environment) in text or not environment
        return
    if agent.shape == "codex":
        entry = tomli.loads(text)["mcp_servers"][NAME]
        assert entry["tool_timeout_sec"] > agent.stdio
        assert entry.get("env", {}) == environment
    elif agent.shape == "opencode":
        entry = json.loads(text)["mcp"][NAME]
        assert entry["command"] == COMMAND
        assert entry.get("environment", {}) == environment
        return
    else:
        entry = json.loads(text)[agent.shape][NAME]
        assert entry.get("env", {}) == environment
    assert [entry["command"], *entry["args"]] == COMMAND
