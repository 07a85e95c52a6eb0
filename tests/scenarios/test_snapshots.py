"""What a server asked last time is kept, compared, and never lost."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from mcp.server.mcpserver import Context, MCPServer

from elicit_tui.elicitation import ElicitationRequest, ServerIdentity
from elicit_tui.elicitation.eras import HANDSHAKE, MODERN
from elicit_tui.elicitation.settings import ServerSettings, Settings
from elicit_tui.errors import UsageError
from elicit_tui.scenarios.one_scenario import Options
from elicit_tui.scenarios.result import Suite
from elicit_tui.scenarios.running import run_scenarios
from elicit_tui.scenarios.scenario import Expectation, PreparedAnswer
from elicit_tui.scenarios.snapshots import Snapshots, question_snapshot, snapshot_file
from tests.broker.conftest import form_request
from tests.cli.running import DEMO, Ended, run, run_program
from tests.scenarios.painting import COLOURED, PAINTS
from tests.scenarios.runs import CACHE, failures, outcome_of, scenarios
from tests.scenarios.test_watching import Nothing


def test_a_changed_question_is_told_until_it_is_taken_over(tmp_path: Path) -> None:
    file = scenarios(tmp_path, CACHE.replace('message = "Clear*"\n', ""))
    assert "no snapshot yet" in str(outcome_of(file).document["runs"][0]["notes"])
    written = outcome_of(file, "--update")
    snapshots = tmp_path / "scenarios.snapshots.json"
    assert written.document["snapshotsWritten"] == [str(snapshots)]
    assert outcome_of(file).document["runs"][0]["notes"] == []
    kept = snapshots.read_text().replace("Clear the demo's cache?", "Really clear it?")
    snapshots.write_text(kept.replace('"properties": {}', '"properties": {"why": {}}'))
    changed = outcome_of(file)
    assert changed.code == 1
    assert 'changed /message: "Really clear it?" became' in failures(changed)
    assert "changed /requestedSchema/properties/why" in failures(changed)
    assert outcome_of(file, "--update").code == 0
    assert outcome_of(file).code == 0
    snapshots.write_text("[")
    assert run("--with", DEMO, "test", str(file)).code == 2


def test_fields_that_are_asked_in_another_order_are_told(tmp_path: Path) -> None:
    def asked(*fields: str) -> list[Any]:
        return [{"requestedSchema": {"properties": {field: {} for field in fields}}}]

    snapshots = Snapshots(tmp_path / "scenarios.toml")
    snapshots.take_over("book", "2025-11-25", asked("city", "day"))
    assert snapshots.differences("book", "2025-11-25", asked("city", "day")) == []
    (told,) = snapshots.differences("book", "2025-11-25", asked("day", "city")) or [""]
    assert "changed /requestedSchema/properties (order)" in told
    # As with all else that is told, an update ends that.
    snapshots.take_over("book", "2025-11-25", asked("day", "city"))
    assert snapshots.write()
    kept = Snapshots(tmp_path / "scenarios.toml")
    assert kept.differences("book", "2025-11-25", asked("day", "city")) == []


@pytest.mark.parametrize("kept", ["{", "[]"])
def test_damaged_snapshots_say_what_to_do_also_to_an_update(tmp_path: Path, kept: str) -> None:
    file = scenarios(tmp_path, CACHE)
    snapshots = file.with_name("scenarios.snapshots.json")
    snapshots.write_text(kept)
    ended = run("--with", DEMO, "test", str(file), "--update")
    assert ended.code == 2
    assert "remove the file, and --update writes it anew" in " ".join(ended.stderr.split())
    assert snapshots.read_text() == kept


def test_no_secret_of_an_address_is_kept_in_a_snapshot() -> None:
    for url in ("https://me:pw@a.example/x?token=pw#pw", "https://[a/x?token=pw"):
        params = {"mode": "url", "message": "Open it", "url": url, "elicitationId": "1"}
        request = ElicitationRequest(ServerIdentity("s", "stdio", "s"), params, era="handshake")
        assert "pw" not in str(question_snapshot(request))


def on_a_full_disk(*arguments: str) -> Ended:
    """Run `elicit-tui ARGUMENTS` where no file can become larger than a megabyte."""
    program = (
        "import resource, sys; from elicit_tui.cli import run;"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, resource.RLIM_INFINITY));"
        "sys.exit(run(sys.argv[1:]))"
    )
    return run_program(program, *arguments)


@pytest.mark.skipif(sys.platform == "win32", reason="links of POSIX")
def test_a_link_that_came_with_a_scenario_leads_to_no_file_outside_of_its_folder(
    tmp_path: Path,
) -> None:
    (tmp_path / "cloned").mkdir()
    file = scenarios(tmp_path / "cloned", CACHE)
    file.with_name("scenarios.snapshots.json").symlink_to(tmp_path / "profile")
    ended = run("--with", DEMO, "test", str(file), "--update")
    assert ended.code == 2
    assert "leads out of its folder, and is not followed" in " ".join(ended.stderr.split())
    assert not (tmp_path / "profile").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="there is no RLIMIT_FSIZE")
def test_a_full_disk_takes_no_snapshot_that_was_there(tmp_path: Path) -> None:
    file = scenarios(tmp_path, CACHE)
    snapshots = file.with_name("scenarios.snapshots.json")
    before = json.dumps({"another": {"2025-11-25": [{"message": "m" * 1_500_000}]}})
    snapshots.write_text(before)
    snapshots.chmod(0o640)
    test = ("--with", DEMO, "test", str(file), "--update", "--output", "json")
    ended = on_a_full_disk(*test)
    assert ended.code == ended.document["exitCode"] == 2
    assert "scenarios.snapshots.json cannot be written" in ended.stderr
    assert ended.document["error"]["code"] == "usage"
    assert ended.document["runs"][0]["passed"]
    assert snapshots.read_text() == before
    assert sorted(tmp_path.iterdir()) == [snapshots, file]
    assert run(*test).code == 0
    assert snapshots.stat().st_mode & 0o777 == 0o640
    assert set(json.loads(snapshots.read_text())) == {"another", "clears the cache"}


def test_a_question_or_a_file_that_is_nested_too_deep_is_told_and_breaks_nothing(
    tmp_path: Path,
) -> None:
    file = tmp_path / "paints.toml"
    snapshots = Snapshots(file)
    snapshots.between_eras("paints", HANDSHAKE, [question_snapshot(COLOURED)])
    deep: dict[str, Any] = {}
    for depth in range(1, 900):
        deep = {"a": deep}
        if depth in (50, 60, 61, 62, 899):
            asked = [question_snapshot(form_request(params={"requestedSchema": deep}))]
            snapshots.take_over("paints", HANDSHAKE, asked)
            snapshots.write()
            assert Snapshots(file).differences("paints", HANDSHAKE, asked) == []
    (told,) = snapshots.between_eras("paints", MODERN, asked)
    assert "(nested too deep)" in told
    nested = '{"a":' * 900 + "1" + "}" * 900
    snapshot_file(file).write_text(f'{{"paints": {{"{HANDSHAKE}": [{nested}]}}}}')
    with pytest.raises(UsageError, match="are none; remove the file"):
        Snapshots(file)


@pytest.mark.anyio
async def test_an_update_takes_over_what_a_run_asked_that_passed_and_nothing_else(
    tmp_path: Path,
) -> None:
    server = MCPServer("paints")

    @server.tool()
    async def paint(context: Context) -> str:
        await context.elicit("Paint it?", Nothing)
        return "painted"

    scenario = replace(PAINTS, answers=(PreparedAnswer("decline"),), file=tmp_path / "paints.toml")
    place = ServerSettings("paint", command="-", default_tools_approval_mode="approve")
    options = Options(eras=(HANDSHAKE,), update=True, in_process={"paint": server})
    for text, passed in (("not painted", False), ("painted", True)):
        suite = Suite()
        tried = replace(scenario, server="paint", expect=Expectation(text=text))
        await run_scenarios(Settings(servers={"paint": place}), [tried], options, suite)
        assert [run.passed for run in suite.runs] == [passed]
        assert snapshot_file(tried.file).exists() is passed
