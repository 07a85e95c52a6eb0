"""Scenarios run side by side: how many at once, in which order, what is told, what is ended."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from mcp.server.mcpserver import Context, MCPServer
from pydantic import BaseModel

from elicit_tui.elicitation.eras import HANDSHAKE, MODERN
from elicit_tui.elicitation.settings import ServerSettings, Settings
from elicit_tui.errors import ServerError
from elicit_tui.scenarios import (
    Options,
    PreparedAnswer,
    Scenario,
    Suite,
    processors,
    run_scenarios,
)
from elicit_tui.scenarios.lane import Lane
from elicit_tui.scenarios.result import Run, RunEvent
from elicit_tui.scenarios.scenario import Expectation
from elicit_tui.scenarios.snapshots import snapshot_file
from tests.broker.conftest import form_request
from tests.scenarios.test_running import (
    ACCEPT,
    SETTINGS,
    counts,
    fails_later,
    in_order,
    painting,
    painting_in,
    scenario,
    trial_of,
    ways,
)

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("open_lanes", "hurry")]


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many calls were under way together, at the beginning of each."""
    from elicit_tui.scenarios.lane import Trial

    seen: list[int] = []
    under_way, call = [0], Trial.call

    async def counted(self: Trial, lane: Lane) -> None:
        under_way[0] += 1
        seen.append(under_way[0])
        try:
            await call(self, lane)
        finally:
            under_way[0] -= 1

    monkeypatch.setattr(Trial, "call", counted)
    return seen


async def run_all(
    scenarios: Sequence[Scenario], make: Callable[[], Any], suite: Suite, **options: Any
) -> list[Run]:
    names = {one.server for one in scenarios}
    places = {
        name: ServerSettings(name, command="-", default_tools_approval_mode="approve")
        for name in names
    }
    chosen = Options(
        **{"eras": (HANDSHAKE,), "snapshots": False, **options},
        in_process=dict.fromkeys(names, make),
    )
    settings = Settings(servers=places)
    await asyncio.wait_for(run_scenarios(settings, scenarios, chosen, suite), 60)
    return suite.runs


def several(tmp_path: Path, count: int, **more: Any) -> list[Scenario]:
    expect = Expectation(text="painted")
    file = tmp_path / "paints.toml"
    return [
        Scenario(
            f"paints {number}",
            "paint",
            "paint",
            answers=(ACCEPT,),
            expect=expect,
            file=file,
            **more,
        )
        for number in range(count)
    ]


@pytest.mark.parametrize(("options", "most"), [({}, 1), ({"jobs": 1}, 1), ({"jobs": 2}, 2)])
async def test_never_more_calls_are_under_way_than_there_may_be(
    tmp_path: Path, at_once: list[int], options: dict[str, int], most: int
) -> None:
    runs = await run_all(
        several(tmp_path, 4), lambda: painting(in_order), Suite(), branches=True, **options
    )
    assert len(runs) == 4 * 5
    assert [run.failures for run in runs if not run.passed] == []
    assert max(at_once) == most
    assert all(run.seconds > 0 for run in runs)


async def test_scenarios_that_wait_for_each_others_turn_all_end(
    tmp_path: Path, at_once: list[int]
) -> None:
    def counts_refusals(number: int, action: str) -> str:
        return "painted" if action == "accept" else f"not painted {number}"

    runs = await run_all(
        several(tmp_path, 3),
        lambda: painting(counts_refusals),
        Suite(),
        jobs=3,
        branches=True,
        fresh=True,
    )
    assert [run.failures for run in runs] == [[]] * 15
    assert max(at_once) == 3


async def test_what_is_watched_is_changed_by_one_way_at_a_time(
    tmp_path: Path, at_once: list[int]
) -> None:
    state = tmp_path / "state"

    watching = several(tmp_path, 2, watch=(str(state),), changes=1)
    runs = await run_all(watching, lambda: painting_in(state), Suite(), jobs=3, branches=True)
    assert [run.failures for run in runs] == [[]] * 10
    assert max(at_once) == 1


@pytest.mark.parametrize("alike", [True, False])
async def test_ways_that_are_tried_side_by_side_all_end_and_are_told_in_order(
    tmp_path: Path, at_once: list[int], alike: bool
) -> None:
    one = scenario(tmp_path, expect=Expectation(text="painted*"))
    make = (lambda: painting(in_order)) if alike else (lambda: painting(counts))
    runs = await run_all([one], make, Suite(), jobs=4, branches=True, answers_gone_wrong=True)
    refused = ["accept", "decline", "cancel", "deadline", "call cancelled"]
    assert [run.branch for run in runs][:5] == refused
    assert len(runs) > 5
    assert {run.branch for run in runs if run.kind == "gone wrong"} >= {"an extra property"}
    # So few are not worth another process where one serves them all.
    assert max(at_once) == (1 if alike else 4)


async def test_scenarios_are_told_in_their_order_each_in_every_revision(tmp_path: Path) -> None:
    runs = await run_all(
        several(tmp_path, 2), lambda: painting(in_order), Suite(), eras=(HANDSHAKE, MODERN), jobs=2
    )
    assert [(run.scenario.name, run.era) for run in runs] == [
        (f"paints {number}", era) for number in range(2) for era in (HANDSHAKE, MODERN)
    ]


async def test_what_ended_is_kept_where_the_run_is_broken_off_before_what_comes_first(
    tmp_path: Path,
) -> None:
    server, second_ended = MCPServer("paint"), asyncio.Event()

    @server.tool()
    async def paint(context: Context, wait: bool) -> str:
        if wait:
            await asyncio.Event().wait()
        return "painted"

    first, second = (
        Scenario(f"waits {wait}", "paint", "paint", {"wait": wait}, file=tmp_path / "a.toml")
        for wait in (True, False)
    )

    def heard(event: RunEvent) -> None:
        if event.event == "connected" and event.run.scenario == second:
            second_ended.set()

    suite = Suite()
    options = Options(eras=(HANDSHAKE,), snapshots=False, jobs=2, in_process={"paint": server})
    running = asyncio.ensure_future(run_scenarios(SETTINGS, [first, second], options, suite, heard))
    await asyncio.wait_for(second_ended.wait(), 30)
    for _ in range(1000):
        if len(asyncio.all_tasks()) < 3:
            break
        await asyncio.sleep(0.001)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert [run.scenario for run in suite.runs] == [second]


async def test_each_files_snapshots_are_written_and_compared(tmp_path: Path) -> None:
    both = [
        Scenario("paints", "paint", "paint", answers=(ACCEPT,), file=tmp_path / f"{name}.toml")
        for name in "ab"
    ]
    suite, files = Suite(), [str(snapshot_file(one.file)) for one in both]
    await run_all(both, lambda: painting(in_order), suite, snapshots=True, update=True)
    assert suite.snapshot_files == files
    again = Suite()
    await run_all(both, lambda: painting(in_order), again, snapshots=True, update=True)
    assert again.snapshot_files == []
    runs = await run_all(
        both, lambda: painting(in_order), Suite(), snapshots=True, need_snapshots=True
    )
    assert [(run.failures, run.notes) for run in runs] == [([], [])] * 2


def test_the_revisions_of_one_run_are_compared_also_where_no_snapshots_are(tmp_path: Path) -> None:
    one = ways(scenario(tmp_path), snapshots=False)
    for era, message, told in ((HANDSHAKE, "Paint?", False), (MODERN, "Really?", True)):
        run = Run(one.scenario, era, "accept", asked=[form_request(message)])
        run.protocol_version = era
        one._compare(run)
        assert bool(run.failures) is told
        assert run.notes == []


class Agreed(BaseModel):
    """A form whose one box is the whole question."""

    agree: bool


@pytest.mark.parametrize(
    ("content", "options", "told"),
    [
        ({"agree": False}, {"branches": True}, "reads as a no"),
        ({"agree": True}, {"branches": True}, "nothing here says what acting is"),
        ({"agree": True}, {"answers_gone_wrong": True}, "nothing here says what acting is"),
        ({"agree": True}, {}, None),
    ],
)
async def test_an_author_is_told_why_nothing_is_tried_or_nothing_can_be_told(
    tmp_path: Path, content: dict[str, Any], options: dict[str, Any], told: str | None
) -> None:
    def server() -> MCPServer:
        paints = MCPServer("paint")

        @paints.tool()
        async def paint(context: Context) -> str:
            return (await context.elicit("Paint it?", Agreed)).action

        return paints

    one = scenario(tmp_path, PreparedAnswer(content=content))
    base, *_ = await run_all([one], server, Suite(), **options)
    assert [told is not None and told in note for note in base.notes] == [True] * (told is not None)


async def test_a_watched_server_that_does_not_start_a_second_time_is_told(tmp_path: Path) -> None:
    state, made = tmp_path / "state", []

    def paints(number: int, action: str) -> str:
        state.write_text("painted")
        return "painted"

    def once() -> MCPServer:
        made.append(True)
        if len(made) > 1:
            raise ServerError("It is gone\x1b.")
        return painting(paints)

    one = scenario(tmp_path, expect=Expectation(text="painted"), watch=(str(state),))
    (run,) = await run_all([one], once, Suite(), branches=True)
    assert run.failures == ["it could not be called a second time: It is gone␛."]


async def test_that_a_process_does_otherwise_the_second_time_is_told_once(tmp_path: Path) -> None:
    one = scenario(tmp_path, expect=Expectation(text="painted"))
    runs = await run_all([one], lambda: painting(fails_later), Suite(), branches=True)
    notes = [note for run in runs for note in run.notes if "ends otherwise" in note]
    assert len(notes) == 1


async def test_what_a_server_broke_is_told_unless_its_call_failed_which_says_more() -> None:
    class Broken:
        def broken_rules(self) -> list[str]:
            return ["It wrote no message."]

    for error, told in ((None, ["It wrote no message."]), (ServerError("It went away."), [])):
        trial, lane = trial_of(), Lane(SETTINGS, "paint")
        broken: Any = Broken()
        lane.connection, trial._lane, trial.run.error = broken, lane, error
        run = await trial.judge()
        assert [each for each in run.failures if "no message" in each] == told


def test_questions_that_came_in_another_order_stand_by_the_answers_that_were_theirs() -> None:
    trial = trial_of(steps=2)
    first, second, third = (form_request(f"{name}?") for name in "abc")
    trial.script.asked = [(1, first), (None, third), (0, second)]
    outcome: Any = type("Resolved", (), {"outcome": None})()
    trial._outcomes = {each.id: outcome for each in (first, second)}
    assert [request for request, _ in trial.by_step()] == [second, first]


async def test_the_server_of_a_second_accept_and_of_each_way_is_ended(
    tmp_path: Path,
    open_lanes: set[Lane],
) -> None:
    state = tmp_path / "state"
    made: list[MCPServer] = []

    def make() -> MCPServer:
        made.append(painting_in(state))
        return made[-1]

    one = scenario(tmp_path, expect=Expectation(text="painted"), watch=(str(state),))
    # The accept, its second one and four ways by themselves; where nothing is watched two in all.
    for watched, servers in ((one, 6), (scenario(tmp_path, expect=one.expect), 2)):
        made.clear()
        runs = await run_all([watched], make, Suite(), branches=True)
        assert [run.failures for run in runs] == [[]] * 5
        answered = [[each.outcome.action for each in run.resolved] for run in runs]
        assert answered == [["accept"], ["decline"], *[["cancel"]] * 3]
        assert (open_lanes, len(made)) == (set(), servers)


async def test_of_a_scenario_that_fails_nothing_else_is_called_or_told(tmp_path: Path) -> None:
    state, made = tmp_path / "state", []

    def make() -> MCPServer:
        made.append(True)
        return painting(in_order)

    fails = Expectation(questions=2)
    for watch in ((str(state),), ()):
        one = scenario(tmp_path, expect=fails, watch=watch)
        (run,) = await run_all([one], make, Suite(), branches=True, answers_gone_wrong=True)
        assert "there were 1 questions, not 2" in run.failures
        assert run.notes == []
    assert len(made) == 2


@pytest.mark.parametrize(("counted", "jobs"), [(3, 3), (None, 1)])
def test_where_no_system_tells_which_processors_may_be_used_all_of_them_are_counted(
    monkeypatch: pytest.MonkeyPatch, counted: int | None, jobs: int
) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda process: {0, 1, 2, 5}, raising=False)
    assert processors() == 4
    monkeypatch.delattr("os.sched_getaffinity")
    monkeypatch.setattr("os.cpu_count", lambda: counted)
    assert processors() == jobs
