"""The ways of one scenario, each tried when it is asked for: which process serves which."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcp.server.mcpserver import MCPServer

from elicit_tui.elicitation.eras import HANDSHAKE
from elicit_tui.scenarios import OneByOne, Options, PreparedAnswer, Scenario
from elicit_tui.scenarios.lane import Lane
from elicit_tui.scenarios.scenario import Expectation
from tests.scenarios.test_running import (
    SETTINGS,
    counts,
    in_order,
    naming,
    painting,
    painting_in,
    scenario,
)

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("hurry")]


class Tried:
    """The ways of a scenario over servers that are made by `make`, and how many were."""

    def __init__(self, one: Scenario, make: Callable[[], MCPServer], **options: Any) -> None:
        self.made = 0

        def new() -> MCPServer:
            self.made += 1
            return make()

        chosen = Options(
            branches=True, eras=(HANDSHAKE,), snapshots=False, in_process={"paint": new}, **options
        )
        self.ways = OneByOne(SETTINGS, one, HANDSHAKE, chosen)

    async def __call__(self, name: str) -> Any:
        return await asyncio.wait_for(self.ways.way(name), 30)


async def test_the_scenario_runs_once_and_its_other_ways_share_one_process(
    tmp_path: Path, open_lanes: set[Lane]
) -> None:
    one = scenario(tmp_path, expect=Expectation(text="painted*"))
    tried = Tried(one, lambda: painting(in_order))
    base = await tried.ways.base()
    assert base.passed
    assert await tried.ways.base() is base
    assert await tried.ways.names() == ["decline", "cancel", "deadline", "call cancelled"]
    assert tried.made == 1
    for name in ("cancel", "decline"):
        run = await tried(name)
        assert (run.branch, run.passed) == (name, True)
    assert tried.made == 2
    assert await tried("no such way") is None
    assert len(open_lanes) == 1
    await tried.ways.close()
    await tried.ways.close()


async def test_whoever_asks_for_the_other_ways_first_has_the_scenario_run_for_them(
    tmp_path: Path, open_lanes: set[Lane]
) -> None:
    tried = Tried(
        scenario(tmp_path, expect=Expectation(text="painted*")), lambda: painting(in_order)
    )
    assert await tried.ways.names() == ["decline", "cancel", "deadline", "call cancelled"]
    assert (await tried.ways.base()).passed
    assert tried.made == 1
    await tried.ways.close()


@pytest.mark.parametrize("why", ["fresh", "watch"])
async def test_each_way_has_a_process_of_its_own_where_that_is_wanted_or_something_is_watched(
    tmp_path: Path, open_lanes: set[Lane], why: str
) -> None:
    state = tmp_path / "state"
    watch = (str(state),) if why == "watch" else ()

    one = scenario(tmp_path, expect=Expectation(text="painted*"), watch=watch)
    tried = Tried(one, lambda: painting_in(state), fresh=why == "fresh")
    await tried.ways.base()
    first = tried.made
    for name in ("cancel", "decline"):
        assert (await tried(name)).passed
        assert open_lanes == set()
    assert tried.made == first + 2
    await tried.ways.close()


async def test_a_way_that_fails_on_a_process_that_served_others_is_tried_alone_and_that_counts(
    tmp_path: Path, open_lanes: set[Lane]
) -> None:
    def spoils(number: int, action: str) -> str:
        return "painted" if action == "accept" or number > 3 else "not painted"

    one = scenario(tmp_path, expect=Expectation(text="painted"))
    tried = Tried(one, lambda: painting(spoils))
    assert (await tried("decline")).passed
    assert tried.made == 2
    # The fourth call of that process: it acts, and alone it does not.
    assert (await tried("cancel")).passed
    assert tried.made == 3
    assert open_lanes == set()
    # A new process serves what comes next.
    for name in ("decline", "deadline"):
        assert (await tried(name)).passed
        assert tried.made == 4
    await tried.ways.close()

    acts = Tried(one, lambda: painting(lambda number, action: "painted"))
    run = await acts("decline")
    assert "it acted all the same" in run.failures[0]
    await acts.ways.close()


async def test_a_process_that_answers_otherwise_the_second_time_serves_no_other_way(
    tmp_path: Path, open_lanes: set[Lane]
) -> None:
    one = scenario(tmp_path, expect=Expectation(text="painted*"))
    tried = Tried(one, lambda: painting(counts))
    for name in ("decline", "cancel"):
        assert (await tried(name)).passed
        assert open_lanes == set()
    # The scenario itself, the one that was looked at, and one for each way.
    assert tried.made == 4
    await tried.ways.close()


async def test_where_the_scenario_itself_fails_there_are_no_other_ways(
    tmp_path: Path, open_lanes: set[Lane]
) -> None:
    one = scenario(tmp_path, expect=Expectation(text="other"))
    tried = Tried(one, lambda: painting(in_order))
    assert await tried.ways.names() == []
    assert await tried("decline") is None
    assert not (await tried.ways.base()).passed


async def test_what_types_a_text_has_a_process_of_its_own_that_ends_before_it_is_judged(
    tmp_path: Path, open_lanes: set[Lane]
) -> None:
    one = scenario(
        tmp_path, PreparedAnswer(content={"name": "Ada"}), expect=Expectation(text="painted")
    )
    tried = Tried(one, naming, answers_gone_wrong=True)
    assert (await tried("decline")).passed
    shared = set(open_lanes)
    for name in ("what is typed comes back in the result only", "a decline with content"):
        assert (await tried(name)).passed
        assert open_lanes == shared
    assert tried.made == 4
    await tried.ways.close()


async def test_a_rule_that_was_broken_on_a_shared_process_counts_whatever_the_way_does_alone(
    tmp_path: Path, open_lanes: set[Lane], monkeypatch: pytest.MonkeyPatch
) -> None:
    def newly_broken(self: Lane) -> list[str]:
        return ["It wrote no message."] if len(self.trials) > 1 and self in told else []

    told: set[Lane] = set()
    monkeypatch.setattr(Lane, "newly_broken", newly_broken)
    one = scenario(tmp_path, expect=Expectation(text="painted"))
    tried = Tried(one, lambda: painting(in_order))
    assert (await tried("decline")).passed
    told |= open_lanes
    assert (await tried("cancel")).failures == ["It wrote no message."]
