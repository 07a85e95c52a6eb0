"""With what a scenario is run, and when its questions are compared with their snapshot."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from elicit_tui.elicitation.eras import HANDSHAKE, MODERN
from elicit_tui.elicitation.settings import (
    ElicitationLimits,
    ElicitationSettings,
    Hook,
    Provenance,
    Rule,
    Settings,
)
from elicit_tui.errors import ProtocolCallError, ServerError, UsageError
from elicit_tui.scenarios.result import Run
from elicit_tui.scenarios.scenario_settings import QUESTIONS_A_MINUTE, scenario_settings
from elicit_tui.scenarios.snapshots import snapshot_file
from tests.broker.conftest import form_request
from tests.scenarios.test_running import PLACE, SETTINGS, scenario, ways

pytestmark = pytest.mark.anyio


def test_a_scenario_keeps_of_the_owners_rules_and_hooks_the_administrators_alone() -> None:
    managed_rule = Rule("decline", server="x", layer="managed")
    managed = Hook("Asked", command=("a",), layer="managed", position=1)
    settings = replace(
        SETTINGS,
        servers={"paint": PLACE, "other": replace(PLACE, name="other")},
        rules=(managed_rule, Rule("accept", server="x", layer="user")),
        hooks=(managed, Hook("Asked", command=("b",), layer="user", position=1)),
    )
    found = scenario_settings(settings, "paint", HANDSHAKE, 7.0)
    assert (found.rules, found.hooks, list(found.servers)) == (
        (managed_rule,),
        (managed,),
        ["paint"],
    )
    server = found.servers["paint"]
    assert (server.tool_timeout_sec, found.elicitation.timeout_sec) == (7.0, 7.0)
    assert server.protocol == HANDSHAKE
    assert found.elicitation.limits.per_minute == QUESTIONS_A_MINUTE
    either = scenario_settings(settings, "paint", "auto", 7.0)
    assert either.servers["paint"].protocol == PLACE.protocol


@pytest.mark.parametrize(
    ("limit", "wanted", "held"), [(5, 30.0, 5), (60, 30.0, 30.0), (0, 30.0, 30.0)]
)
def test_what_an_administrator_locked_no_scenario_loosens(
    limit: float, wanted: float, held: float
) -> None:
    place = replace(PLACE, layer="managed", tool_timeout_sec=limit, protocol=HANDSHAKE)
    keys = ("elicitation.timeout_sec", "elicitation.limits.per_minute")
    asking = ElicitationSettings(timeout_sec=limit, limits=ElicitationLimits(per_minute=3))
    managed = Settings(
        servers={"paint": place},
        elicitation=asking,
        provenance=dict.fromkeys(keys, Provenance("managed", locked=True)),
    )
    for era in ("auto", HANDSHAKE):
        found = scenario_settings(managed, "paint", era, wanted)  # type: ignore[arg-type]
        asked = found.elicitation
        server = found.servers["paint"]
        assert (server.tool_timeout_sec, asked.timeout_sec) == (held, held)
        assert (server.protocol, asked.limits.per_minute) == (HANDSHAKE, 3)
    with pytest.raises(UsageError, match=r"paint\.protocol is locked by managed configuration"):
        scenario_settings(managed, "paint", MODERN, wanted)
    # Of a user's own server, and where nothing is locked, it is the scenario's.
    own = replace(managed, servers={"paint": replace(place, layer="user")}, provenance={})
    found = scenario_settings(own, "paint", MODERN, wanted)
    assert (found.servers["paint"].tool_timeout_sec, found.elicitation.timeout_sec) == (30.0, 30.0)
    assert found.servers["paint"].protocol == MODERN


def compared(tmp_path: Path, **options: Any) -> Run:
    one = ways(scenario(tmp_path), **options)
    run = Run(one.scenario, HANDSHAKE, "accept", asked=[form_request()])
    run.protocol_version = HANDSHAKE
    one._compare(run)
    if one.options.update:
        one.snapshots.write()
    return run


def test_a_question_without_a_snapshot_is_a_note_and_in_a_build_a_failure(tmp_path: Path) -> None:
    assert [note.partition(":")[0] for note in compared(tmp_path).notes] == ["no snapshot yet"]
    assert compared(tmp_path).failures == []
    assert "no snapshot to compare with" in compared(tmp_path, need_snapshots=True).failures[0]
    unwanted = compared(tmp_path, need_snapshots=True, snapshots=False)
    assert (unwanted.notes, unwanted.failures) == ([], [])
    taken = compared(tmp_path, update=True, need_snapshots=True)
    assert (taken.notes, taken.failures) == ([], [])
    assert snapshot_file(tmp_path / "paints.toml").exists()
    same = compared(tmp_path, need_snapshots=True)
    assert (same.notes, same.failures) == ([], [])


def test_a_run_that_broke_off_or_asked_nothing_is_not_compared(tmp_path: Path) -> None:
    one = ways(scenario(tmp_path), need_snapshots=True)
    gone = ServerError("x")
    for more in ({"error": gone, "failures": ["x"]}, {"protocol_version": None}, {"asked": []}):
        run = Run(one.scenario, HANDSHAKE, "accept", asked=[form_request()])
        run.protocol_version = HANDSHAKE
        tried = replace(run, **more)  # type: ignore[arg-type]
        told = list(tried.failures)
        one._compare(tried)
        assert (tried.failures, tried.notes) == (told, [])


def test_a_run_whose_error_was_expected_is_compared_as_one_whose_result_says_so(
    tmp_path: Path,
) -> None:
    one = ways(scenario(tmp_path), need_snapshots=True)
    run = Run(one.scenario, HANDSHAKE, "accept", asked=[form_request()])
    run.protocol_version, run.error = HANDSHAKE, ProtocolCallError(-32001, "no")
    one._compare(run)
    assert "no snapshot to compare with" in run.failures[0]
