"""The plugin in an author's pytest: scenario files are tests, and a fixture calls servers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import tomli

from tests.cli.running import DEMO, run
from tests.scenarios.runs import CACHE, scenarios
from tests.scenarios.test_lint import form

ROOT = Path(__file__).parent.parent.parent
OWN = """
import asyncio, shlex
import pytest
from mcp.server.mcpserver import Context, MCPServer
from mcp_types import CallToolResult
from pydantic import BaseModel

server = MCPServer("journeys")
right, wrong = {"city": "Rome"}, {"expect": {"text": "booked*"}}

GUESTS = {"type": "object", "properties": {"guests": {"type": "integer", "maximum": 8}}}
BOOKED = {"expect": True, "on_refusal": False}

class Place(BaseModel):
    city: str

@server.tool()
async def book(context: Context) -> str:
    answer = await context.elicit("Where to?", Place)
    return f"booked {answer.data.city}" if answer.action == "accept" else "nothing"

@server.tool()
async def acts(context: Context) -> str:
    answer = await context.elicit("Where to?", Place)
    return "booked"

def test_a_call_in_this_process(elicit):
    ended = elicit.call(server, "book", answers=[right])
    assert (ended.text, ended.questions) == ("booked Rome", ("Where to?",))
    assert ended.actions == ("accept",)
    assert elicit.call(server, "book", answers=[elicit.declined()]).text == "nothing"

def test_every_branch_in_this_process(elicit):
    tried = elicit.branches(server, "book", answers=[right], gone_wrong=True, **wrong)
    assert {"accept", "decline", "cancel", "deadline", "City is missing"} <= set(tried)

def test_a_server_that_is_made_anew(elicit):
    made = []
    def anew():
        made.append(server)
        return server
    elicit.branches(anew, "book", answers=[right], **wrong)
    assert len(made) > 1

def test_a_server_that_acts_on_a_no(elicit):
    elicit.branches(server, "acts", answers=[right], **wrong)

@server.tool()
async def drops(context: Context) -> str:
    answer = await context.elicit("Delete all tables of production? This cannot be undone.", Place)
    return f"dropped {answer.action}"

def test_an_answer_that_a_warning_stops(elicit):
    elicit.branches(server, "drops", answers=[right], expect={"text": "dropped*"})

def test_an_answer_despite_a_warning(elicit):
    answer = elicit.accepted(right, despite=["destructive.*"])
    assert elicit.call(server, "drops", answers=[answer]).text == "dropped accept"

def test_a_question_without_an_answer(elicit):
    elicit.call(server, "book")

def test_a_server_of_its_own(elicit):
    ended = elicit.call(DEMO, "clear_cache", answers=[True])
    assert ended.structured == {"cleared": True}

@pytest.mark.anyio
async def test_in_a_coroutine(elicit):
    assert elicit.call(server, "book", answers=[right]).text == "booked Rome"

@server.tool()
async def tells(context: Context) -> CallToolResult:
    answer = await context.elicit("Where to?", Place)
    return CallToolResult(content=[], is_error=answer.action == "cancel")

def test_what_a_call_came_to(elicit):
    no = elicit.cancelled("Where*")
    cancelled = elicit.call(server, "tells", answers=[no], is_error=True)
    assert (cancelled.is_error, cancelled.actions) == (True, ("cancel",))
    assert cancelled.structured is None and cancelled.text == ""
    given = elicit.accepted(right, message="Where*")
    assert not elicit.call(server, "tells", answers=[given]).is_error
    ended = elicit.call(shlex.split(DEMO), "clear_cache", answers=[True])
    assert ended.structured == {"cleared": True}

def test_a_call_that_fails(elicit):
    no = elicit.cancelled("Where*")
    with pytest.raises(AssertionError, match="the tool says isError"):
        elicit.call(server, "tells", answers=[no])
    with pytest.raises(AssertionError, match="isError is not said"):
        elicit.call(server, "tells", answers=[right], is_error=True)
    assert elicit.call(server, "tells", answers=[no], is_error=None).is_error

@server.tool()
async def believes(context: Context) -> dict[str, bool]:
    answer = await context.session.elicit_form("How many?", GUESTS, context.request_id)
    return {"booked": answer.action == "accept"}

def test_a_server_that_checks_nothing(elicit):
    told = {key: {"structured": {"/booked": at}} for key, at in BOOKED.items()}
    with pytest.raises(AssertionError, match="(?s)too large.*it acted all the same"):
        elicit.branches(server, "believes", answers=[{"guests": 3}], gone_wrong=True, **told)

@server.tool()
async def waits() -> str:
    await asyncio.Event().wait()

def test_a_call_that_does_not_end(elicit):
    with pytest.raises(AssertionError, match="did not end within 0.5 seconds .seconds."):
        elicit.call(server, "waits", seconds=0.5)

def test_what_is_watched(elicit, tmp_path):
    state = tmp_path / "state"
    def anew():
        state.write_text("")
        return server
    with pytest.raises(AssertionError, match="is the same after the accept"):
        elicit.branches(anew, "book", answers=[right], watch=[state], changes=1, **wrong)
"""
COMMAND = DEMO.partition("=")[2]


def run_pytest(directory: Path, *arguments: str, ci: str = "") -> str:
    """Run pytest there with this plugin and few others; what it printed."""
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-p", "elicit_tui.pytest_plugin"),
            *("-p", "anyio", "-p", "no:cacheprovider", "-v", *arguments),
        ],
        cwd=directory,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "CI": ci},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    return done.stdout + done.stderr


def test_the_fixture_calls_servers_in_this_process_and_out_of_it(tmp_path: Path) -> None:
    (tmp_path / "test_own.py").write_text(OWN.replace("DEMO", repr(COMMAND)))
    shown = run_pytest(tmp_path, "test_own.py", "-k", "not trio")
    for name in (
        "a_call_in_this_process",
        "every_branch_in_this_process",
        "a_server_that_is_made_anew",
        "a_server_of_its_own",
        "what_a_call_came_to",
        "a_call_that_does_not_end",
        "a_call_that_fails",
        "a_server_that_checks_nothing",
        "what_is_watched",
    ):
        assert f"test_own.py::test_{name} PASSED" in shown, shown
    assert "test_in_a_coroutine[asyncio] PASSED" in shown
    assert "3 failed, 11 passed" in shown, shown
    # What to write is told as Python, and nothing of what comes of an answer that was not given.
    assert 'elicit.accepted({…}, despite=["destructive.' in shown
    assert "it acted all the same" not in shown.partition("a_warning_stops")[2].partition("____")[0]
    assert "✗ decline" in shown
    assert 'it acted all the same: the text is "booked"' in shown
    assert "a question that was not expected: Where to?" in shown
    assert "pytest_plugin/" not in shown


def test_each_way_of_a_scenario_file_is_a_test_with_a_name(tmp_path: Path) -> None:
    wrong = CACHE.replace("clears", "empties").replace("= true }", "= false }")
    file = scenarios(tmp_path, CACHE + wrong, "cache.toml")
    given = ("--elicit-with", DEMO)
    shown = run_pytest(tmp_path, "cache.toml", *given)
    assert "cache.toml::clears the cache: accept PASSED" in shown
    assert "cache.toml::clears the cache: every other way PASSED" in shown
    assert "2 failed, 2 passed" in shown
    assert "structured /cleared is true, not false" in shown
    file.write_text(CACHE)
    assert run("--with", DEMO, "test", str(file), "--update").code == 0
    shown = run_pytest(tmp_path, *given, "-p", "xdist", "-n", "2", "--dist", "loadgroup")
    for way in ("accept", "decline", "cancel", "deadline", "an extra property"):
        assert f"PASSED cache.toml::clears the cache: {way}" in shown
    assert "failed" not in shown


def test_in_ci_a_question_with_nothing_to_compare_it_with_fails_as_in_the_command(
    tmp_path: Path,
) -> None:
    file = scenarios(tmp_path, CACHE, "cache.toml")
    given = ("cache.toml", "--elicit-with", DEMO)
    shown = run_pytest(tmp_path, *given, ci="true")
    assert "cache.toml::clears the cache: accept FAILED" in shown
    assert "no snapshot to compare with (CI is set)" in shown
    assert run("--with", DEMO, "test", str(file), "--update").code == 0
    shown = run_pytest(tmp_path, *given, ci="true")
    assert "cache.toml::clears the cache: accept PASSED" in shown
    assert "failed" not in shown


def test_without_snapshots_a_scenario_that_refuses_and_one_that_asks_nothing_pass(
    tmp_path: Path,
) -> None:
    file = scenarios(tmp_path, REFUSES_AND_FAILS, "cache.toml")
    ended = run("--with", DEMO, "test", str(file), "--branches", "--answers-gone-wrong")
    assert ended.code == 0, ended.stdout
    shown = run_pytest(tmp_path, "cache.toml", "--elicit-with", DEMO)
    for way in ("keeps the cache: decline", "keeps the cache: every other way", "fails: accept"):
        assert f"cache.toml::{way} PASSED" in shown, shown
    assert "4 passed" in shown, shown
    assert "failed" not in shown


REFUSES_AND_FAILS = """
[[scenario]]
name = "keeps the cache"
server = "demo"
call = "clear_cache"
expect = { structured = { "/cleared" = false } }

[[scenario.answers]]
action = "decline"

[[scenario]]
name = "fails"
server = "demo"
call = "fail"
expect = { is_error = true, questions = 0 }
"""


INI = """
[pytest]
elicit_with =
    SERVER
elicit_eras = 2025-11-25 2026-07-28
elicit_scenarios = here/*.toml
"""


def test_which_files_hold_scenarios_and_in_which_revisions_is_said_in_the_ini_file(
    tmp_path: Path,
) -> None:
    (tmp_path / "pytest.ini").write_text(INI.replace("SERVER", DEMO))
    (tmp_path / "here").mkdir()
    scenarios(tmp_path / "here", CACHE, "cache.toml")
    scenarios(tmp_path, CACHE, "elsewhere.toml")
    (tmp_path / "here" / "other.toml").write_text("[tool]\n# [[scenario]]\n")
    (tmp_path / "here" / "bytes.toml").write_bytes(b"[[scenario]]\n\xff")
    (tmp_path / "here" / "large.toml").write_text(CACHE + "#" * 1024 * 1024)
    shown = run_pytest(tmp_path, "--collect-only")
    ways = [line.strip() for line in shown.splitlines() if "Scenario" in line]
    assert ways == [
        "<ScenarioFile cache.toml>",
        *(
            f"<ScenarioWay clears the cache: {way} in {era}>"
            for era in ("2025-11-25", "2026-07-28")
            for way in ("accept", "every other way")
        ),
    ], shown


def test_a_way_that_the_questions_have_no_more_is_told_as_such(tmp_path: Path) -> None:
    file = scenarios(tmp_path, CACHE, "cache.toml")
    assert run("--with", DEMO, "test", str(file), "--update").code == 0
    kept = file.with_name("cache.snapshots.json")
    questions = json.loads(kept.read_text())
    older = form("guests", required=True)
    questions["clears the cache"] = {"2024-01-01": [older], **questions["clears the cache"]}
    kept.write_text(json.dumps(questions))
    shown = run_pytest(tmp_path, "cache.toml", "--elicit-with", DEMO, "-k", "decline or null")
    assert "The questions have no such way any more: Guests is null" in shown, shown
    assert "1 failed, 3 passed" in shown


def test_a_server_that_nobody_named_is_told_at_collection(tmp_path: Path) -> None:
    scenarios(tmp_path, CACHE, "cache.toml")
    shown = run_pytest(tmp_path, "cache.toml")
    assert "There is no server 'demo': --elicit-with demo=…" in shown


def test_the_package_gives_pytest_its_plugin() -> None:
    project = tomli.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["entry-points"]["pytest11"] == {"elicit-tui": "elicit_tui.pytest_plugin"}
    assert "pytest" in project["optional-dependencies"]
