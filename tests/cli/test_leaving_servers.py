"""A server that goes away by itself after its result is told, and fails a scenario."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.cli.running import run

LEAVING = f"leaving={sys.executable} {Path(__file__).parent.parent / 'servers' / 'leaving.py'}"
SCENARIO = """
[[scenario]]
name = "{tool}"
server = "leaving"
call = "{tool}"
"""
ASKING = SCENARIO + "[[scenario.answers]]\ncontent = {{}}\n"


@pytest.mark.parametrize("tool", ["at_once", "when_closed"])
def test_a_call_tells_of_a_server_that_ended_with_a_failure_after_its_result(tool: str) -> None:
    ended = run("--with", LEAVING, "call", "leaving", tool, "--allow-tool")
    assert (ended.code, ended.stdout.strip()) == (0, tool)
    assert "exit code 7" in ended.stderr


def test_a_scenario_fails_where_the_server_ends_with_a_failure(tmp_path: Path) -> None:
    file = tmp_path / "leaving.toml"
    file.write_text(SCENARIO.format(tool="at_once") + SCENARIO.format(tool="when_closed"))
    ended = run("--with", LEAVING, "test", str(file), "--output", "json")
    assert ended.code == 1
    for each in ended.document["runs"]:
        assert each["failures"][0] == "The server leaving ended with exit code 7."
        assert all("exit code 7" in failure for failure in each["failures"])


def test_where_ci_is_set_a_question_without_a_snapshot_fails(tmp_path: Path) -> None:
    file = tmp_path / "leaving.toml"
    file.write_text(ASKING.format(tool="drop"))
    arguments = ("--with", LEAVING, "test", str(file), "--output", "json")
    here = run(*arguments, env={"CI": ""})
    assert (here.code, here.document["runs"][0]["notes"]) == (
        0,
        ["no snapshot yet: --update writes it"],
    )
    in_ci = run(*arguments, env={"CI": "true"})
    assert in_ci.code == 1
    (failure,) = in_ci.document["runs"][0]["failures"]
    assert "no snapshot to compare with" in failure
    assert "--update" in failure
    assert run(*arguments, "--update", env={"CI": "true"}).code == 0
    assert run(*arguments, env={"CI": "true"}).code == 0


def test_a_letter_that_looks_like_another_one_in_a_tool_name_is_marked() -> None:
    shown = run("--with", LEAVING, "tools", "leaving").stdout
    assert "  dr⟨U+043E⟩p\n" in shown
    assert "  Москва\n" in shown
    assert "  sauber_größe\n" in shown
    refused = run("--with", LEAVING, "call", "leaving", "dr\u043ep", env={"CI": "true"})
    assert "dr\u043ep" not in refused.stderr
