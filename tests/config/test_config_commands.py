"""`elicit-tui config …` as a person and a script see it."""

from __future__ import annotations

import json
import re
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import tomli
from jsonschema import Draft7Validator

from elicit_tui import paths
from elicit_tui.cli import run
from elicit_tui.config.example import as_comments, example_text
from elicit_tui.config.showing import show
from tests.config.conftest import Machine

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def no_managed_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    path = tmp_path / "managed.toml"
    monkeypatch.setattr(paths, "managed_file", lambda: path)
    return path


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "my.toml"


def test_init_writes_the_example_once_for_its_owner_only(file: Path, capsys: Capture) -> None:
    assert run(["--config", str(file), "config", "init"]) == 0
    assert capsys.readouterr().out == f"{file}\n"
    assert file.read_text() == as_comments(example_text())
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    file.write_text("# mine")
    assert run(["--config", str(file), "config", "init"]) == 2
    assert "exists already" in capsys.readouterr().err
    assert file.read_text() == "# mine"


def test_what_init_writes_holds_no_default_fast(file: Path) -> None:
    assert run(["--config", str(file), "config", "init"]) == 0
    assert not values_of(tomli.loads(file.read_text()))
    uncommented = re.sub(r"^#(?=theme *=)", "", file.read_text(), flags=re.MULTILINE)
    assert tomli.loads(uncommented)["console"] == {"theme": "auto"}, "in its own table"
    assert run(["--config", str(file), "config", "check"]) == 0


def values_of(table: dict[str, Any]) -> list[Any]:
    """Everything in a document that is no table."""
    found: list[Any] = []
    for value in table.values():
        found += values_of(value) if isinstance(value, dict) else [value]
    return found


def test_init_does_not_write_through_a_link(file: Path, tmp_path: Path) -> None:
    file.symlink_to(tmp_path / "elsewhere")
    assert run(["--config", str(file), "config", "init"]) == 2
    assert not (tmp_path / "elsewhere").exists()


def test_path_prints_one_line(sealed_machine: Path, capsys: Capture) -> None:
    assert run(["config", "path"]) == 0
    out = capsys.readouterr().out
    assert out == f"{paths.config_file()}\n"
    assert str(sealed_machine) in out


def test_check_prints_every_problem_and_ends_with_2(file: Path, capsys: Capture) -> None:
    file.write_text('aproval_policy = 1\n[mcp_servers.a]\ncommand = "x"\nenv = { A = "${NOPE}" }\n')
    assert run(["config", "check", str(file)]) == 2
    assert "did you mean approval_policy?" in capsys.readouterr().out
    file.write_text('[mcp_servers.a]\ncommand = "x"\nenv = { A = "${NOPE}" }\n')
    assert run(["--config", str(file), "config", "check", "--output", "json"]) == 2
    assert json.loads(capsys.readouterr().out) == [
        {
            "file": str(file),
            "line": 1,
            "key": "mcp_servers.a",
            "message": "the environment has no NOPE, so this server cannot start",
        }
    ]


def test_check_tells_of_a_header_that_cannot_be_sent_without_its_value(
    file: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOKEN", "the-secret\r")
    file.write_text(
        '[mcp_servers.a]\nurl = "https://a.example/"\nbearer_token_env_var = "TOKEN"\n'
        'http_headers = { X-Key = "key ${TOKEN}" }\n'
    )
    assert run(["--config", str(file), "config", "check"]) == 2
    out = capsys.readouterr().out
    for what in ("header X-Key", "bearer token"):
        assert f"The {what} of the server a, from the environment's TOKEN, cannot be sent" in out
    assert "the-secret" not in out


def test_check_finds_a_key_that_is_given_to_no_action(file: Path, capsys: Capture) -> None:
    file.write_text('[console.keys]\n"calls.again" = "g"\n"calls.agian" = "h"\n')
    assert run(["--config", str(file), "config", "check"]) == 2
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith(f"{file}:1: console.keys.")
    assert line.endswith("there is no action 'calls.agian'. Did you mean calls.again?")


def test_check_of_a_sound_file_ends_with_0(file: Path, capsys: Capture) -> None:
    file.write_text(example_text())
    assert run(["config", "check", str(file)]) == 0
    assert capsys.readouterr().out == "No problem found.\n"


def test_check_as_managed_tries_a_file_before_it_ships(file: Path, capsys: Capture) -> None:
    file.write_text('allowed_approval_policies = ["never"]\n[managed]\nservers = "only"\n')
    assert run(["config", "check", str(file), "--as", "managed"]) == 0
    assert run(["config", "check", str(file)]) == 2
    file.write_text('[mcp_servers.a]\ncommand = "./x"\n')
    assert run(["config", "check", str(file), "--as", "managed"]) == 2
    assert "must be absolute" in capsys.readouterr().out


def test_check_as_answers_tries_an_answers_file(file: Path) -> None:
    file.write_text('[[answers]]\naction = "decline"\n')
    assert run(["config", "check", "--as", "answers", str(file)]) == 0
    file.write_text('[[answers]]\naction = "maybe"\n')
    assert run(["config", "check", "--as", "answers", str(file)]) == 2


def test_a_managed_file_that_cannot_be_trusted_stops_every_command_that_reads_it(
    no_managed_file: Path, capsys: Capture
) -> None:
    no_managed_file.write_text('approval_policy = "never"\n')
    no_managed_file.chmod(0o666)
    for command in (["show"], ["check"], ["explain", "a"]):
        assert run(["config", *command]) == 2
        captured = capsys.readouterr()
        said = captured.out + captured.err
        assert "managed" in said
        assert str(no_managed_file) in said


def test_show_names_layer_and_lock_of_every_value(machine: Machine) -> None:
    machine.managed('approval_policy = "never"\n[mcp_servers.m]\ncommand = "/x"\n')
    machine.user(
        '[elicitation]\nrounds = 5\n[mcp_servers.a]\ncommand = "x"\nargs = ["-a"]\n'
        '[mcp_servers."b c"]\nurl = "https://x"\n[[rules]]\naction = "ask"\n'
    )
    rows = {row.key: (row.value, row.layer, row.locked) for row in show(machine.load())}
    assert rows["approval_policy"] == ("never", "managed", True)
    assert rows["elicitation.rounds"] == (5, "user", False)
    assert rows["elicitation.review"] == ("risky", "default", False)
    assert rows["mcp_servers.m.command"] == ("/x", "managed", True)
    assert rows["mcp_servers.m.elicitations"] == ("ask", "default", True)
    assert rows["mcp_servers.a.args"] == (["-a"], "user", False)
    assert rows['mcp_servers."b c".url'] == ("https://x", "user", False)
    assert rows["rules[1]"] == ({"action": "ask"}, "user", False)


def test_show_prints_references_and_never_the_secrets_behind_them(
    file: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_TOKEN", "S3CRET")
    file.write_text(
        '[mcp_servers.a]\ncommand = "x"\nargs = ["${MY_TOKEN}"]\n'
        'env = { A = "${MY_TOKEN}", API_KEY = "L1TERAL", REGION = "eu" }\n'
        '[mcp_servers.b]\nurl = "https://${MY_TOKEN}/"\n'
        'http_headers = { Authorization = "Bearer L1TERAL" }\n'
    )
    for output in ("json", "text"):
        assert run(["--config", str(file), "config", "show", "--output", output]) == 0
        out = capsys.readouterr().out
        assert "S3CRET" not in out
        assert "L1TERAL" not in out
        assert "${MY_TOKEN}" in out
        assert "Bearer ***" in out
        assert "eu" in out


@pytest.mark.parametrize("output", ["json", "text"])
def test_the_password_of_a_store_is_not_shown(file: Path, capsys: Capture, output: str) -> None:
    file.write_text('[store]\nurl = "rediss://elicit:L1TERAL@redis.example/2"\n')
    assert run(["--config", str(file), "config", "show", "--output", output]) == 0
    out = capsys.readouterr().out
    assert "L1TERAL" not in out
    file.write_text('[store]\nurl = "rediss://redis.example/2"\n')
    assert run(["--config", str(file), "config", "show", "--output", output]) == 0
    assert "rediss://redis.example/2" in capsys.readouterr().out


def test_a_ledger_beside_a_variable_is_shown_where_it_is(
    file: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLACE", "/var")
    file.write_text('[history]\npath = "${PLACE}/ledger"\n')
    assert run(["--config", str(file), "config", "show"]) == 0
    assert 'history.path = "/var/ledger"' in capsys.readouterr().out


def test_show_json_maps_each_key_to_value_layer_and_lock(file: Path, capsys: Capture) -> None:
    file.write_text('approval_policy = "never"\n')
    assert run(["--config", str(file), "config", "show", "--output", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["approval_policy"] == {"value": "never", "layer": "user", "locked": False}
    assert all(set(value) == {"value", "layer", "locked"} for value in document.values())


def test_explain_says_what_would_happen(file: Path, capsys: Capture) -> None:
    file.write_text('approval_policy = "never"\n[mcp_servers.a]\ncommand = "x"\n')
    assert run(["--config", str(file), "config", "explain", "a", "--message", "hi"]) == 0
    out = capsys.readouterr().out
    assert 'approval_policy = "never" (user)' in out
    assert 'approval_policy = "on-request" would let it surface.' in out
    assert out.endswith("Result: decline\n")
    arguments = ["config", "explain", "a", "t", "--mode", "url", "--output", "json"]
    assert run(["--config", str(file), *arguments]) == 0
    assert json.loads(capsys.readouterr().out)["result"] == "decline"


def test_explain_without_a_server_tells_each_in_short(file: Path, capsys: Capture) -> None:
    servers = '[mcp_servers.a]\ncommand = "x"\n[mcp_servers.b]\ncommand = "x"\n'
    file.write_text(f'{servers}elicitations = "decline"\n')
    assert run(["--config", str(file), "config", "explain"]) == 0
    out, err = capsys.readouterr()
    assert [line.partition(".")[0] for line in out.splitlines()[:2]] == ["a: cancel", "b: decline"]
    assert "elicit-tui: config explain SERVER [TOOL] tells each step." in err
    assert run(["--config", str(file), "config", "explain", "--output", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [(each["server"], each["result"]) for each in told] == [
        ("a", "cancel"),
        ("b", "decline"),
    ]


def test_a_server_that_is_a_command_is_shown_without_what_only_a_remote_one_has(
    file: Path, capsys: Capture
) -> None:
    remote = '[mcp_servers.b]\nurl = "https://b.example/mcp"\n'
    file.write_text(f'[mcp_servers.a]\ncommand = "x"\n{remote}')
    assert run(["--config", str(file), "config", "show"]) == 0
    out = capsys.readouterr().out
    assert "mcp_servers.a.transport" not in out
    assert 'mcp_servers.b.transport = "http"' in out


def test_explain_lets_the_guardian_look_at_the_message(file: Path, capsys: Capture) -> None:
    file.write_text('[mcp_servers.a]\ncommand = "x"\n')
    message = "Please enter your password"
    assert run(["--config", str(file), "config", "explain", "a", "--message", message]) == 0
    out = capsys.readouterr().out
    assert "credentials." in out
    assert out.endswith("Result: decline\n")


def test_explain_of_an_unknown_server_is_wrong_usage(capsys: Capture) -> None:
    assert run(["config", "explain", "nobody"]) == 2
    assert "nobody" in capsys.readouterr().err


def test_the_schema_accepts_the_example_and_refuses_what_the_start_refuses(
    capsys: Capture,
) -> None:
    assert run(["config", "schema"]) == 0
    schema = json.loads(capsys.readouterr().out)
    Draft7Validator.check_schema(schema)
    validator = Draft7Validator(schema)
    assert list(validator.iter_errors(tomli.loads(example_text()))) == []
    for wrong in (
        {"aproval_policy": "never"},
        {"approval_policy": "always"},
        {"elicitation": {"rounds": 0}},
        {"mcp_servers": {"a": {"protocol": "2020-01-01"}}},
        {"rules": [{}]},
    ):
        assert list(validator.iter_errors(wrong)) != [], wrong
    assert list(validator.iter_errors({"approval_policy": {"granular": {"rules": False}}})) == []


def test_import_prints_toml_on_stdout_and_what_to_know_on_stderr(
    file: Path, capsys: Capture
) -> None:
    file.write_text('{"mcpServers": {"a": {"command": "x", "env": {"API_TOKEN": "S3CRET"}}}}')
    assert run(["config", "import", str(file)]) == 0
    captured = capsys.readouterr()
    assert tomli.loads(captured.out)["mcp_servers"]["a"]["env"] == {"API_TOKEN": "${API_TOKEN}"}
    assert "set API_TOKEN" in captured.err
    assert "S3CRET" not in captured.out + captured.err


@pytest.mark.parametrize(
    "arguments", [[], ["nothing"], ["show", "--output", "yaml"], ["import", "a", "b"]]
)
def test_wrong_usage_ends_with_2(arguments: list[str]) -> None:
    assert run(["config", *arguments]) == 2


def test_config_loads_neither_the_sdk_nor_textual_nor_the_judge(file: Path) -> None:
    file.write_text('[mcp_servers.a]\ncommand = "x"\n[[rules]]\naction = "ask"\n')
    program = (
        "import sys; from elicit_tui.cli import run; "
        f"codes = [run(['--config', {str(file)!r}, 'config', *a]) for a in "
        "(['path'], ['show'], ['check'], ['schema'], ['explain', 'a'])]; "
        "heavy = {'mcp', 'textual', 'rich', 'jsonschema', 'pydantic', 'httpx', 'regex'}; "
        "found = heavy & set(sys.modules); "
        "sys.exit(repr((codes, found)) if any(codes) or found else 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr


def test_check_finds_a_theme_that_nobody_knows_and_a_file_beside_the_configuration(
    file: Path, capsys: Capture
) -> None:
    file.write_text('[console]\ntheme = "nosuch"\n')
    assert run(["config", "check", str(file)]) == 2
    told = capsys.readouterr().out
    assert f"{file}:2: console.theme: there is no theme “nosuch”: known are auto, dark" in told
    for theme in ("nord", "mine", "mine.toml"):
        beside = paths.config_file().parent
        beside.mkdir(parents=True, exist_ok=True)
        (beside / "mine.toml").write_text('accent = "#aa0055"\n')
        file.write_text(f'[console]\ntheme = "{theme}"\n')
        assert run(["config", "check", str(file)]) == 0
