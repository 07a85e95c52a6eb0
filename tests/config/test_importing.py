# ruff: noqa: E501 - a case is one line
"""Files written after the documentation of Codex, Claude, VS Code and Cursor."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from elicit_tui.config import load
from elicit_tui.config.importing import import_from, import_text
from elicit_tui.elicitation.settings import OAuthSettings, ServerSettings, ToolSettings
from elicit_tui.errors import ConfigError
from tests.bounds import bounded

CODEX = """
model = "gpt-5.5"
approval_policy = "on-request"

[mcp_servers.context7]
command = "npx"
args = ["-y", "@upstash/context7-mcp"]
env_vars = ["LOCAL_TOKEN"]
startup_timeout_ms = 20000
tool_timeout_sec = 45

[mcp_servers.context7.env]
MY_ENV_VAR = "MY_ENV_VALUE"

[mcp_servers.figma]
url = "https://mcp.figma.com/mcp"
bearer_token_env_var = "FIGMA_OAUTH_TOKEN"
http_headers = { "X-Figma-Region" = "us-east-1" }
env_http_headers = { "X-Team" = "FIGMA_TEAM" }

[mcp_servers.chrome_devtools]
url = "http://localhost:3000/mcp"
enabled_tools = ["open", "screenshot"]
disabled_tools = ["screenshot"]
startup_timeout_sec = 20
default_tools_approval_mode = "prompt"
enabled = false
required = true
[mcp_servers.chrome_devtools.tools.open]
approval_mode = "approve"
"""
MCP_JSON = """
{"mcpServers": {
  "github": {"type": "http", "url": "https://api.githubcopilot.com/mcp/",
             "headers": {"Authorization": "Bearer ${GITHUB_PAT}"}},
  "asana": {"type": "sse", "url": "${ASANA_URL:-https://mcp.asana.com}/sse"},
  "db": {"command": "npx", "args": ["-y", "@bytebase/dbhub", "--dsn", "postgresql://ro:pass@db:5432/a"],
         "env": {"CACHE_DIR": "/tmp", "API_KEY": "k3y"}}
}}
"""
CLAUDE_DESKTOP = """
{"globalShortcut": "",
 "mcpServers": {
  "filesystem": {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "/Users/me/Desktop"]},
  "brave-search": {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-brave-search"],
                   "env": {"BRAVE_API_KEY": "BSAabcdefghijklmnopqrstuvwxyz"}}
}}
"""
VSCODE = """
{
  // what VS Code prompts for
  "inputs": [{"type": "promptString", "id": "perplexity-key", "description": "Key", "password": true}],
  "servers": {
    /* stdio */
    "Perplexity": {"type": "stdio", "command": "npx", "args": ["-y", "server-perplexity-ask"],
      "env": {"PERPLEXITY_API_KEY": "${input:perplexity-key}"}, "envFile": "${workspaceFolder}/.env"},
    "fetch": {"type": "stdio", "command": "uvx", "args": ["mcp-server-fetch", "${userHome}/x"],
      "cwd": "${workspaceFolder}", "dev": {"watch": "src/**"}},
    "remote": {"type": "http", "url": "https://api.example.com/mcp",
      "headers": {"X-Version": "1", "X-Key": "${env:REMOTE_KEY}"},},
  },
}
"""
CURSOR = """
{"mcpServers": {
  "local": {"type": "stdio", "command": "python", "args": ["${workspaceFolder}/tools/server.py"],
            "env": {"API_KEY": "${env:API_KEY}"}, "envFile": ".env"},
  "remote": {"url": "https://api.example.com/mcp",
             "headers": {"Authorization": "Bearer ${env:MY_SERVICE_TOKEN}"},
             "auth": {"CLIENT_ID": "abc"}}
}}
"""


class Everything(dict[str, str]):
    """An environment that has every name, with a value that tells it."""

    def __contains__(self, name: object) -> bool:
        return True

    def __missing__(self, name: str) -> str:
        return f"<{name}>"


@pytest.fixture
def servers(tmp_path: Path) -> Callable[[str], dict[str, ServerSettings]]:
    def imported(text: str) -> dict[str, ServerSettings]:
        path = tmp_path / "config.toml"
        path.write_text(import_text(text).toml)
        settings = load(
            config_path=path,
            environment=Everything(ASANA_URL="https://asana.example"),
            managed_path=tmp_path / "none",
        )
        return dict(settings.servers)

    return imported


Servers = Callable[[str], dict[str, ServerSettings]]


def test_codex(servers: Servers) -> None:
    found = servers(CODEX)
    assert list(found) == ["context7", "figma", "chrome_devtools"]
    first = found["context7"]
    assert (first.command, first.args) == ("npx", ("-y", "@upstash/context7-mcp"))
    assert first.env == {"MY_ENV_VAR": "MY_ENV_VALUE", "LOCAL_TOKEN": "<LOCAL_TOKEN>"}
    assert (first.startup_timeout_sec, first.tool_timeout_sec) == (20, 45)
    figma = found["figma"]
    assert figma.bearer_token_env_var == "FIGMA_OAUTH_TOKEN"
    assert figma.http_headers == {"X-Figma-Region": "us-east-1", "X-Team": "<FIGMA_TEAM>"}
    chrome = found["chrome_devtools"]
    assert (chrome.enabled, chrome.enabled_tools) == (False, ("open", "screenshot"))
    assert chrome.tools == {"open": ToolSettings("approve")}
    assert chrome.default_tools_approval_mode == "prompt"
    assert any("required" in note for note in import_text(CODEX).notes)


def test_mcp_json(servers: Servers) -> None:
    found = servers(MCP_JSON)
    assert found["github"].http_headers == {"Authorization": "Bearer <GITHUB_PAT>"}
    assert (found["asana"].transport, found["asana"].url) == ("sse", "https://asana.example/sse")
    assert found["db"].args[:3] == ("-y", "@bytebase/dbhub", "--dsn")
    assert found["db"].args[3] == "<DB_ARG_4>"
    assert found["db"].env == {"CACHE_DIR": "/tmp", "API_KEY": "<API_KEY>"}
    told = import_text(MCP_JSON)
    assert "pass@db" not in told.toml + "".join(told.notes)
    assert "k3y" not in told.toml + "".join(told.notes)
    assert any("set DB_ARG_4" in note for note in told.notes)
    assert any(
        "set ASANA_URL in the environment; there is no default here, which was https://mcp.asana.com"
        in note
        for note in told.notes
    )


def test_claude_desktop(servers: Servers) -> None:
    found = servers(CLAUDE_DESKTOP)
    assert found["filesystem"].args[-1] == "/Users/me/Desktop"
    assert found["brave-search"].env == {"BRAVE_API_KEY": "<BRAVE_API_KEY>"}
    assert "BSAabc" not in import_text(CLAUDE_DESKTOP).toml


def test_a_header_of_the_connection_is_left_out(servers: Servers) -> None:
    entry = '{"mcpServers": {"a": {"url": "https://a.example", "headers": {"Host": "b.example"}}}}'
    assert servers(entry)["a"].http_headers == {}
    assert "the header Host belongs to the connection" in "\n".join(import_text(entry).notes)


def test_vs_code(servers: Servers) -> None:
    found = servers(VSCODE)
    assert list(found) == ["Perplexity", "fetch", "remote"]
    assert found["Perplexity"].env == {"PERPLEXITY_API_KEY": "<PERPLEXITY_KEY>"}
    assert found["fetch"].args == ("mcp-server-fetch", "<HOME>/x")
    assert found["fetch"].cwd == "<WORKSPACE_FOLDER>"
    assert found["remote"].http_headers == {"X-Version": "1", "X-Key": "<REMOTE_KEY>"}
    notes = "\n".join(import_text(VSCODE).notes)
    for said in ("set PERPLEXITY_KEY", "envFile", "dev has no equal", "set WORKSPACE_FOLDER"):
        assert said in notes


def test_cursor(servers: Servers) -> None:
    found = servers(CURSOR)
    assert found["local"].args == ("<WORKSPACE_FOLDER>/tools/server.py",)
    assert found["local"].env == {"API_KEY": "<API_KEY>"}
    assert found["remote"].http_headers == {"Authorization": "Bearer <MY_SERVICE_TOKEN>"}
    assert any("auth has no equal" in note for note in import_text(CURSOR).notes)


@pytest.mark.parametrize(
    "table",
    [
        '{"command": "x", "env": {"GITHUB_TOKEN": "S3CRET"}}',
        '{"command": "x", "env": {"OPENAI_KEY": "S3CRET"}}',
        '{"command": "x", "env": {"DB_PASSWORD": "S3CRET"}}',
        '{"command": "x", "env": {"HARMLESS": "ghp_S3CRETaaaaaaaaaaaaaaaa"}}',
        '{"command": "x", "env": {"DATABASE": "postgres://me:S3CRET@host/db"}}',
        '{"command": "x", "args": ["--token", "S3CRET"]}',
        '{"command": "x", "args": ["--api-key=S3CRET"]}',
        '{"command": "x", "args": ["--header", "sk-proj-S3CRETaaaaaaaaaaaa"]}',
        '{"command": "x", "args": ["redis://:S3CRET@host"]}',
        '{"url": "https://x.example/mcp?api_key=S3CRET"}',
        '{"url": "https://me:S3CRET@x.example/mcp"}',
        '{"url": "https://x.example", "headers": {"Authorization": "Bearer S3CRET"}}',
        '{"url": "https://x.example", "bearer_token": "S3CRET"}',
        '{"url": "https://x.example", "headers": {"X-Api-Key": "S3CRET"}}',
        '{"url": "https://x.example", "headers": {"Cookie": "a=S3CRET"}}',
    ],
)
def test_a_secret_is_named_and_not_copied(table: str) -> None:
    told = import_text(f'{{"mcpServers": {{"a": {table}}}}}')
    assert "S3CRET" not in told.toml
    assert "S3CRET" not in "".join(told.notes)
    assert "not copied: set " in "".join(told.notes)


def test_ordinary_values_are_copied() -> None:
    told = import_text(
        '{"mcpServers": {"a": {"command": "docker", "args": ["run", "-i", "--rm", '
        '"ghcr.io/github/github-mcp-server:v1.2", "--root=/Users/me/Documents/Project2026/x"], '
        '"env": {"REGION": "eu-west-1", "PORT": 8080, "DEBUG": true}}}}'
    )
    assert told.notes == ()
    assert "ghcr.io/github/github-mcp-server:v1.2" in told.toml
    assert 'PORT = "8080"' in told.toml
    assert 'DEBUG = "true"' in told.toml


@pytest.mark.parametrize(
    "text",
    ["", "{", "[1]", "{}", '{"mcpServers": []}', "a = ", "{" * 50_000, '{"a": ' * 5_000],
)
def test_a_file_without_servers_is_refused_in_words(text: str) -> None:
    with pytest.raises(ConfigError):
        import_text(text)


def test_comments_inside_strings_stay() -> None:
    told = import_text('{"mcpServers": {"a": {"url": "https://x.example//a/*b*/,]"} /* , */ , }}')
    assert "https://x.example//a/*b*/,]" in told.toml


def test_hostile_names_cannot_write_toml_of_their_own() -> None:
    name = 'a]\\n[mcp_servers.evil]\\ncommand = \\"evil'
    told = import_text(
        f'{{"mcpServers": {{"{name}": {{"command": "x"}}, "b": {{"x\\ny": 1, "command": "y"}}}}}}'
    )
    assert "[mcp_servers.evil]" not in told.toml.splitlines()
    assert [line for line in told.toml.splitlines() if not line.startswith("#")] == [
        "[mcp_servers.b]",
        'command = "y"',
    ]


def test_nothing_is_written_or_launched(tmp_path: Path) -> None:
    path = tmp_path / "mcp.json"
    arguments = json.dumps([str(tmp_path / "made")])
    path.write_text('{"mcpServers": {"a": {"command": "touch", "args": ' + arguments + "}}}")
    import_from(path)
    assert [each.name for each in tmp_path.iterdir()] == ["mcp.json"]


def test_a_file_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    for path in (tmp_path / "none", tmp_path):
        with pytest.raises(ConfigError, match="cannot be read"):
            import_from(path)


def test_the_result_is_a_plain_value() -> None:
    value: Any = import_text('{"mcpServers": {"a": {"command": "x"}}}')
    assert value.toml == '[mcp_servers.a]\ncommand = "x"\n'


KEPT_BACK = [
    # a server's table, what of it may not be copied, what stays
    (
        {"command": "x", "args": ["--header", "Authorization: Bearer abc.def"]},
        "abc.def",
        "Authorization: Bearer ${A_ARG_2}",
    ),
    (
        {"command": "x", "args": ["--header=Authorization: Bearer abc.def"]},
        "abc.def",
        "--header=Authorization: Bearer ${A_ARG_1}",
    ),
    ({"command": "x", "args": ["-H", "X-Api-Key: ab cd"]}, "cd", "X-Api-Key: ${A_ARG_2}"),
    (
        {"command": "docker", "args": ["run", "-e", "DB_PASSWORD=hunter2", "img"]},
        "hunter2",
        "DB_PASSWORD=${A_ARG_3}",
    ),
    ({"command": "x", "args": ["--token", "hunter2"]}, "hunter2", "${A_ARG_2}"),
    ({"command": "x", "args": ["--token", "${USER}-hunter2"]}, "hunter2", "${A_ARG_2}"),
    ({"command": "x", "args": ["-u", "me:hunter2"]}, "hunter2", "${A_ARG_2}"),
    (
        {
            "command": "sh",
            "args": ["-c", "API_TOKEN=hunter2 exec srv --db-password 'hunter2' ${X}"],
        },
        "hunter2",
        "API_TOKEN=${A_ARG_2} exec srv --db-password '${A_ARG_2_2}' ${X}",
    ),
    (
        {"command": "sh", "args": ["-c", 'curl -H "Authorization: Bearer hunter2" x']},
        "hunter2",
        "Authorization: Bearer ${A_ARG_2}",
    ),
    ({"command": "sh", "args": ["-c", 'srv \'{"token": "hunter2"}\'']}, "hunter2", "${A_ARG_2}"),
    (
        {"command": "API_TOKEN=hunter2 srv --port 80"},
        "hunter2",
        "API_TOKEN=${A_COMMAND} srv --port 80",
    ),
    ({"command": "x", "env": {"API_TOKEN": "${USER}:hunter2"}}, "hunter2", "${API_TOKEN}"),
    (
        {"command": "x", "env": {"NOTE": "${USER} password: hunter2!"}},
        "hunter2",
        "${USER} password: ${NOTE}",
    ),
    ({"command": "x", "env": {"URL": "postgres://${USER}:hunter2@db/x"}}, "hunter2", "${URL}"),
    ({"command": "x", "cwd": "/srv/ghp_0123456789abcdefghij0123456789abcd"}, "ghp_", "${A_CWD}"),
    ({"url": "https://h/x?region=${R}&api_key=hunter2"}, "hunter2", "${A_URL}"),
    (
        {"url": "https://h/x", "headers": {"Authorization": "Bearer ${P}hunter2"}},
        "hunter2",
        "Bearer ${A_AUTHORIZATION}",
    ),
    (
        {"url": "https://h/x", "bearer_token_env_var": "sk-proj-0123456789abcdefghij"},
        "sk-proj",
        "bearer_token_env_var is no name",
    ),
    ({"command": "x", "env_vars": ["ghp_0123456789abcdefghij0123456789abcd"]}, "ghp_", "command"),
    ({"command": "x", "env": {"A": "${API_KEY:-hunter2}"}}, "hunter2", "${API_KEY}"),
    ({"url": "https://h/x", "env": {"API_KEY": "hunter2"}}, "hunter2", "env does not go with url"),
    (
        {"url": "https://h/x", "args": ["--token", "hunter2"]},
        "hunter2",
        "args does not go with url",
    ),
    ({"url": "https://h/x", "env_http_headers": {"X": "hunter 2"}}, "hunter", "names no variable"),
    ({"command": "x", "env_vars": [{"name": "hunter 2"}]}, "hunter", "names no variable"),
    ({"url": "h", "oauth": {"client_secret_env": "hunter 2"}}, "hunter", "no name of a variable"),
]


@pytest.mark.parametrize(("table", "secret", "stays"), KEPT_BACK)
def test_a_secret_is_left_out_wherever_it_stands(
    table: dict[str, Any], secret: str, stays: str
) -> None:
    told = import_text(json.dumps({"mcpServers": {"a": table}}))
    everything = told.toml + "".join(told.notes)
    assert secret not in everything
    assert stays in everything.replace('\\"', '"')


NOT_WITH_COMMAND = "does not go with command and is left out"


@pytest.mark.parametrize(
    ("table", "note"),
    [
        ({"command": "x", "args": "--all"}, "a: args is no list and is left out"),
        ({"command": "x", "env": ["A=1"]}, "a: env is no table and is left out"),
        ({"command": "x", "env_vars": "A"}, "a: env_vars is no list and is left out"),
        ({"command": "x", "cwd": ["/srv"]}, "a: cwd is not a text and is left out"),
        ({"url": "https://h/x", "headers": "X: 1"}, "a: headers is no table and is left out"),
        ({"command": "x", "disabled": 1}, "a: disabled is neither true nor false and is left out"),
        ({"command": "x", "startup_timeout_ms": True}, "a: startup_timeout_ms: true is left out"),
        ({"command": "x", "oauth": {"client_id": "b"}}, f"a: oauth {NOT_WITH_COMMAND}"),
        (
            {"command": "x", "bearer_token_env_var": "B"},
            f"a: bearer_token_env_var {NOT_WITH_COMMAND}",
        ),
        ({"command": "${cwd}/x"}, "a: ${cwd} has no equal here"),
    ],
)
def test_what_cannot_be_taken_over_is_never_without_a_word(
    table: dict[str, Any], note: str
) -> None:
    assert import_text(json.dumps({"mcpServers": {"a": table}})).notes == (note,)


@pytest.mark.parametrize("table", [{"url": "https://h/x", "env": {}}, {"command": "x", "url": ""}])
def test_what_is_empty_is_left_out_without_a_word(table: dict[str, Any]) -> None:
    assert import_text(json.dumps({"mcpServers": {"a": table}})).notes == ()


@pytest.mark.parametrize("none", [None, ""])
def test_a_command_that_is_none_is_not_how_a_server_is_reached(
    none: str | None, servers: Servers
) -> None:
    entry = {"mcpServers": {"a": {"command": none, "url": "https://h/x"}}}
    assert servers(json.dumps(entry))["a"].url == "https://h/x"


def test_how_a_server_is_logged_in_to_is_taken_over(servers: Servers) -> None:
    oauth = {"client_id": "us", "scopes": ["read"], "callback_port": 8080}
    found = servers(json.dumps({"mcpServers": {"a": {"url": "https://h/x", "oauth": oauth}}}))
    assert found["a"].oauth == OAuthSettings("us", scopes=("read",), callback_port=8080)


def test_a_server_that_is_disabled_stays_so_whatever_else_its_file_says(servers: Servers) -> None:
    entry = '{"mcpServers": {"a": {"command": "x", "disabled": true, "enabled": true}}}'
    assert servers(entry)["a"].enabled is False


@pytest.mark.parametrize(
    "argument",
    [
        "--key=${KEY}",
        "Authorization: Bearer ${TOKEN}",
        "postgres://${USER}:${PASSWORD}@db/x",
        "${HOME}/Library/Application2/Support-x9/server-files",
        "@modelcontextprotocol/server-filesystem-v2",
        "/Users/me2/Projects/My-Server/dist/index.js",
        "1000:1000",
        "https://mcp.example.com/mcp",
        "--log-level=debug",
    ],
)
def test_what_is_no_secret_is_copied(argument: str) -> None:
    table = {"command": "x", "args": ["-u", argument]}
    told = import_text(json.dumps({"mcpServers": {"a": table}}))
    assert json.dumps(argument) in told.toml
    assert told.notes == ()


@pytest.mark.parametrize(
    "text",
    [
        '"\\' * 40_000,
        '{"a": "' + '\\"' * 40_000,
        "/*" * 40_000,
        "{" + ",/*" * 30_000,
        '{"mcpServers": {},\n' + "/" * 120 + '\n"theme": "dark"}',
        '{"mcpServers": {},\n' + "// see // that " * 10_000 + '\n"theme": "dark"',
        json.dumps({"mcpServers": {"a": {"command": "a-" * 40_000 + " " + "token " * 10_000}}}),
        json.dumps({"mcpServers": {"a": {"command": "${" * 40_000, "args": ["://" * 20_000]}}}),
        '{"mcpServers": {"a": {"command": "x", "startup_timeout_ms": 1' + "0" * 400 + "}}}",
        '{"mcpServers": {"a": {"command": "x", "startup_timeout_ms": 1' + "0" * 5000 + "}}}",
        '{"mcpServers": {"a": {"command": 1' + "0" * 4000 + ', "args": [1e999]}}}',
        '[mcp_servers.a]\ncommand = "x"\nstartup_timeout_ms = 1' + "0" * 400,
    ],
)
def test_a_file_made_to_be_slow_or_to_crash_is_read_in_time(text: str) -> None:
    with bounded(10), contextlib.suppress(ConfigError):
        import_text(text)
