"""Attacks on what stands around the screen: the record, the home, a build's log, an error."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from elicit_tui.elicitation.toml_spelling import toml_value
from elicit_tui.paths import state_directory
from tests.cli.running import run
from tests.hostile.tricks import COMMAND_LINES
from tests.servers.scripts import added, form, page

COMMANDS = "a ##vso[task.setvariable variable=a]b ##teamcity[message text='c'] ##[error]d"


@pytest.fixture
def accepting(tmp_path: Path) -> list[str]:
    """Options that accept every form of one text."""
    answers = tmp_path / "answers.toml"
    answers.write_text('[[answers]]\ncontent = { name = "x" }\n')
    return ["--answers", str(answers), "--strict", "--output", "json"]


@pytest.mark.parametrize("end", ["", "-wal"])
def test_nothing_is_accepted_once_the_ledger_was_removed_and_that_is_told(
    tmp_path: Path, accepting: list[str], end: str
) -> None:
    ledger = state_directory() / "ledger.sqlite3"
    steps = [
        {"ask": form("First")},
        {"remove": f"{ledger}{end}"},
        {"ask": form("Second")},
        {"ask": form("Third")},
    ]
    done = run(*added(tmp_path, {"t": steps}), "call", "s", "t", *accepting)
    assert done.code == 3, done.stderr
    outcomes = [(one["action"], one["decidedBy"]) for one in done.document["elicitations"]]
    assert outcomes == [("accept", "answers"), ("cancel", "ledger"), ("cancel", "ledger")]
    sent = json.loads(done.document["result"]["content"][0]["text"])
    assert [answer["action"] for answer in sent] == ["accept", "cancel", "cancel"]
    assert "removed or replaced while it was open" in done.stderr
    if not end:
        assert not ledger.exists()


def test_a_ledger_that_was_removed_is_begun_again_by_the_next_start(
    tmp_path: Path, accepting: list[str]
) -> None:
    ledger = state_directory() / "ledger.sqlite3"
    server = added(tmp_path, {"t": [{"ask": form("First")}]})
    assert run(*server, "call", "s", "t", *accepting).code == 0
    ledger.unlink()
    assert run(*server, "call", "s", "t", *accepting).code == 0
    assert len(run("history", "export").stdout.splitlines()) == 1
    verified = run("history", "verify")
    assert verified.code == 1
    assert "shorter than it was" in verified.stdout


PHRASE = "legal winner thank year wave sausage worth useful legal winner thank yellow"
SECRETS = {
    "password: hunter2": "hunter2",
    "DB_PASSWORD=hunter2": "hunter2",
    PHRASE: "sausage",
    "pay to DE89 3704 0044 0532 0130 00": "0532",
    "SSN 078-05-1120": "078-05-1120",
    "card 4111.1111.1111.1111": "1111.1111",
    "card ４１１１１１１１１１１１１１１１": "１１１１",
    "seed JBSWY3DPEHPK3PXP": "JBSWY3DP",
    "AKIA\u200bIOSFODNN7EXAMPLE": "IOSFODNN7",
}
"""What was typed, and what of it may stand in no record."""


@pytest.mark.parametrize("outgoing", ["warn", "off"])
def test_no_secret_that_was_typed_into_a_text_stands_in_the_record(
    tmp_path: Path, outgoing: str
) -> None:
    fields = {f"f{number}": {"type": "string"} for number in range(len(SECRETS))}
    content = dict(zip(fields, SECRETS, strict=True))
    answers, config = tmp_path / "answers.toml", tmp_path / "config.toml"
    answers.write_text(f"[[answers]]\ncontent = {toml_value(content)}\n")
    config.write_text(f'[guardian]\noutgoing = "{outgoing}"\n')
    server = added(tmp_path, {"t": [{"ask": form("x", {"type": "object", "properties": fields})}]})
    done = run("--config", str(config), *server, "call", "s", "t", "--answers", str(answers),
               "--output", "json")  # fmt: skip
    assert json.loads(done.document["result"]["content"][0]["text"])[0]["content"] == content
    kept = done.document["elicitations"][0]["content"]
    exported = json.loads(run("history", "export").stdout)["content"]
    raw = (state_directory() / "ledger.sqlite3").read_bytes()
    for (name, typed), secret in zip(content.items(), SECRETS.values(), strict=True):
        assert secret not in kept[name], typed
        assert secret not in exported[name], typed
    assert b"hunter2" not in raw
    assert b"sausage" not in raw


@pytest.mark.parametrize("output", ["json", "jsonl"])
def test_data_holds_no_command_of_a_build_and_says_the_same(tmp_path: Path, output: str) -> None:
    steps = [{"ask": form(COMMANDS)}, {"stderr": COMMANDS}, {"text": COMMANDS}]
    log = tmp_path / "log"
    server = added(tmp_path, {"t": steps}, version=COMMANDS)
    done = run("--log-file", str(log), *server, "call", "s", "t", "--output", output)
    assert not COMMAND_LINES.search(done.stdout)
    assert not COMMAND_LINES.search(done.stderr)
    assert not COMMAND_LINES.search(log.read_text())
    last = json.loads(done.stdout if output == "json" else done.stdout.splitlines()[-1])
    assert last["result"]["content"][0]["text"] == COMMANDS
    exported = run("history", "export").stdout
    assert not COMMAND_LINES.search(exported)
    assert json.loads(exported)["message"] == COMMANDS


def test_what_is_imported_holds_no_command_of_a_build(tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    server = {"command": "x", "args": [COMMANDS], "env": {"A": COMMANDS}, "odd" + COMMANDS: 1}
    file.write_text(json.dumps({"mcpServers": {"a": server}}))
    done = run("config", "import", str(file))
    assert done.code == 0, done.stderr
    assert not COMMAND_LINES.search(done.stdout)
    assert not COMMAND_LINES.search(done.stderr)
    imported = tmp_path / "imported.toml"
    imported.write_text(done.stdout)
    import tomli

    assert tomli.loads(done.stdout)["mcp_servers"]["a"]["args"] == [COMMANDS]


def test_junit_holds_no_command_of_a_build_and_says_the_same(tmp_path: Path) -> None:
    file, junit = tmp_path / "scenarios.toml", tmp_path / "junit.xml"
    expect = '{ text = "another" }'
    name = toml_value(COMMANDS)
    file.write_text(f'[[scenario]]\nname = {name}\nserver = "s"\ncall = "t"\nexpect = {expect}\n')
    server = added(tmp_path, {"t": [{"text": COMMANDS}]})
    done = run(*server, "test", str(file), "--junit", str(junit))
    assert done.code == 1, done.stderr
    for written in (done.stdout, done.stderr, junit.read_text()):
        assert not COMMAND_LINES.search(written)
    (case,) = ElementTree.parse(junit).getroot().iter("testcase")
    assert COMMANDS in case.get("name", "")


HOMELESS = """
import os, sys
sys.modules["pwd"] = None  # as for a user of a container whom no file knows
sys.argv = ["elicit-tui", *sys.argv[1:]]
from elicit_tui.__main__ import main
sys.exit(main())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="HOME is not asked for there")
def test_without_a_home_nothing_of_the_working_directory_is_read_or_written(
    tmp_path: Path,
) -> None:
    import subprocess

    here = tmp_path / "cloned"
    planted = here / "~" / ".config" / "elicit-tui"
    planted.mkdir(parents=True)
    (planted / "config.toml").write_text('approval_policy = "never"\n')
    environment = {name: value for name, value in os.environ.items() if name != "HOME"}
    before = sorted(here.rglob("*"))

    def homeless(*arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", HOMELESS, *arguments],
            cwd=here,
            env={**environment, "PYTHONPATH": str(Path(__file__).parents[2]), **more},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    server = added(tmp_path, {"t": [{"ask": form("First")}]})
    done = homeless(*server, "call", "s", "t")
    assert done.returncode == 2, done.stderr
    assert "XDG_STATE_HOME" in done.stderr
    assert "history.path" in done.stderr
    assert "internal" not in done.stderr
    assert sorted(here.rglob("*")) == before
    done = homeless(*server, "call", "s", "t", "--output", "json", XDG_STATE_HOME=str(tmp_path))
    assert json.loads(done.stdout)["elicitations"][0]["decidedBy"] == "nobody"
    assert homeless("config", "path").returncode == 2


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="a home that not even root can write")
def test_a_home_that_cannot_be_written_names_what_helps(tmp_path: Path) -> None:
    server = added(tmp_path, {"t": [{"ask": form("First")}]})
    done = run(*server, "call", "s", "t", env={"HOME": "/proc/self"})
    assert "cancelled by nobody" in done.stderr
    assert "XDG_STATE_HOME" in done.stderr
    assert "history.path" in done.stderr


@pytest.mark.parametrize(
    ("url", "really"),
    [
        ("https://ev%69l.com/x", "evil.com"),
        ("https://evil.co%E3%80%82uk/x", "evil.co.uk"),
        ("https://bank.example%2Eevil.com/", "bank.example.evil.com"),
    ],
)
def test_a_percent_encoded_host_is_named_as_a_browser_reads_it(
    tmp_path: Path, url: str, really: str
) -> None:
    server = added(tmp_path, {"t": [{"ask": page(url)}]})
    done = run(*server, "call", "s", "t", "--output", "json")
    (asked,) = done.document["elicitations"]
    assert asked["decidedBy"] == "guardian"
    assert any(really in finding["evidence"] for finding in asked["findings"])


CODES = (-32603, 10**400, 1.5, "x", True, None)


def test_the_code_of_an_error_is_a_text_whatever_the_server_made_of_it(tmp_path: Path) -> None:
    tools = {f"t{n}": [{"error": {"code": code, "message": "no"}}] for n, code in enumerate(CODES)}
    server = added(tmp_path, tools)
    for tool in tools:
        done = run(*server, "call", "s", tool, "--output", "json", "--timeout", "2")
        assert isinstance(done.document["error"]["code"], str), tool
