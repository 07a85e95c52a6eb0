from __future__ import annotations

import argparse
import io
from pathlib import Path

import pytest

from elicit_tui.cli.console import demo_settings
from elicit_tui.cli.narration import Narration
from elicit_tui.cli.run_settings import (
    demo_command,
    load_settings,
    named_server,
    servers_to_start,
    startable,
)
from elicit_tui.elicitation.settings import ServerSettings, Settings
from elicit_tui.errors import UsageError
from tests.cli.running import run


def servers(*listed: ServerSettings) -> Settings:
    return Settings(servers={server.name: server for server in listed})


@pytest.mark.parametrize(
    ("server", "said"),
    [
        (ServerSettings("a", command="x", enabled=False), "disabled"),
        (ServerSettings("a", command="x", missing=("TOKEN",)), "TOKEN"),
        (ServerSettings("a", command="x", refused="managed says no"), "managed says no"),
    ],
)
def test_a_server_that_may_not_start_is_wrong_usage_when_named(
    server: ServerSettings, said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        named_server(servers(server), "a")


def test_a_server_that_is_not_there_is_answered_with_what_is() -> None:
    both = servers(ServerSettings("deploy", command="x"), ServerSettings("docs", command="x"))
    with pytest.raises(UsageError, match="Did you mean 'deploy'"):
        named_server(both, "deplyo")
    with pytest.raises(UsageError, match="Configured: deploy, docs"):
        named_server(both, "zzz")
    with pytest.raises(UsageError, match="--with"):
        named_server(Settings(), "zzz")


def test_all_enabled_servers_start_and_refused_ones_are_said() -> None:
    stream = io.StringIO()
    names = startable(
        servers(
            ServerSettings("a", command="x"),
            ServerSettings("b", command="x", enabled=False),
            ServerSettings("c", command="x", refused="managed says no"),
        ),
        Narration(stream),
    )
    assert names == ["a"]
    assert "c: not started. managed says no" in stream.getvalue()


def test_where_no_server_may_start_it_is_said_why() -> None:
    with pytest.raises(UsageError, match=r"No server is configured\. Add one") as none:
        servers_to_start(Settings(), Narration.silent())
    assert "--with NAME=TARGET" in str(none.value)
    refused = servers(ServerSettings("c", command="x", refused="managed says no"))
    with pytest.raises(UsageError, match="disabled or refused"):
        servers_to_start(refused, Narration.silent())


def test_a_name_that_toml_quotes_is_quoted_in_what_to_write() -> None:
    off = servers(ServerSettings("npx -y a", command="x", enabled=False))
    with pytest.raises(UsageError, match=r'mcp_servers\."npx -y a"\.enabled = false'):
        named_server(off, "npx -y a")


def test_a_missing_name_stops_what_names_its_server_and_no_other() -> None:
    settings = servers(
        ServerSettings("a", command="x", missing=("TOKEN",)), ServerSettings("b", command="x")
    )
    with pytest.raises(UsageError, match="TOKEN"):
        named_server(settings, "a")
    assert startable(settings, Narration()) == ["a", "b"], "it fails alone, as it is started"


def namespace(**more: object) -> argparse.Namespace:
    shared = {"config": None, "with_servers": [], "protocol": None, "log_file": None}
    return argparse.Namespace(**{**shared, "approval_policy": None, **more})


def test_the_demo_runs_on_its_own_server_only(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text('[mcp_servers.mine]\ncommand = "x"\n[elicitation]\ntimeout_sec = 7\n')
    settings, name = demo_settings(namespace(config=config), Narration())
    assert (name, list(settings.servers)) == ("demo", ["demo"])
    assert [settings.servers["demo"].command, *settings.servers["demo"].args] == demo_command()
    assert settings.elicitation.timeout_sec == 7


def test_a_server_of_yours_that_is_called_demo_stays_yours(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text('[mcp_servers.demo]\ncommand = "x"\n')
    settings, name = demo_settings(namespace(config=config), Narration())
    assert (name, list(settings.servers)) == ("elicit-tui-demo", ["elicit-tui-demo"])


def test_the_demos_program_is_named_by_its_path_and_not_looked_up() -> None:
    _, program = demo_command()
    assert Path(program).is_absolute()
    assert Path(program).is_file()


def test_what_the_configuration_has_to_say_is_said_once(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text("[approval_policy.granular]\nsandbox_approval = true\n")
    stream = io.StringIO()
    load_settings(namespace(config=config), Narration(stream))
    assert stream.getvalue().count("sandbox_approval") == 1


def test_the_bundled_server_is_there_by_its_name_wherever_a_server_is_named() -> None:
    assert "book_table" in run("tools", "demo").stdout
    assert run("call", "demo", "tell_time").code == 0
    assert run("config", "explain", "demo", "deploy").code == 0
    assert "book_table" not in run("tools").stdout
