"""How the call of a way may end, and whether its server still answers then."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from elicit_tui.broker import Resolved
from elicit_tui.elicitation import Review, decline
from elicit_tui.elicitation.eras import HANDSHAKE
from elicit_tui.errors import ElicitTuiError, LimitReached, ProtocolCallError, ServerError
from elicit_tui.host.events import ServerLog
from elicit_tui.host.offers import Tool
from elicit_tui.scenarios import lane as lane_module
from elicit_tui.scenarios.lane import Lane, Trial
from elicit_tui.scenarios.result import Run
from elicit_tui.scenarios.scenario import Runner
from elicit_tui.scenarios.script import Step
from elicit_tui.scenarios.ways import Way, Wrong, as_written
from tests.scenarios.painting import ANSWER, COLOURED, PAINTS
from tests.scenarios.test_running import PLACE, SETTINGS

pytestmark = pytest.mark.anyio

TEXT = {"content": [{"type": "text", "text": "not painted"}]}
GONE = "the server no longer answers afterwards"


class Answers:
    """A connection whose call ends so, and whose server lists its tools so afterwards."""

    identity = SimpleNamespace(protocol_version=HANDSHAKE)

    def __init__(self, end: Any = TEXT, tools: Any = (), seconds: float = 7.0) -> None:
        self.settings = replace(PLACE, tool_timeout_sec=seconds)
        self._end, self._tools = end, tools

    async def call(self, call: Any) -> Any:
        if isinstance(self._end, Exception):
            raise self._end
        return SimpleNamespace(result=self._end)

    async def tools(self) -> Any:
        if isinstance(self._tools, Exception):
            raise self._tools
        if self._tools is None:
            await asyncio.Event().wait()
        return self._tools

    async def break_off(self, call_id: str) -> None:
        """Nothing is left of the call."""

    def broken_rules(self) -> list[str]:
        return []


async def run_of(
    connection: Answers, *, refused: bool = True, runner: Runner = "command"
) -> tuple[Run, Lane]:
    """What came of a way over this connection; its question was declined, or it is the scenario."""
    scenario = replace(PAINTS, runner=runner)
    declined = Way("decline", (Step(ANSWER),), "refused", refuses=0)
    base = Run(scenario, HANDSHAKE, "accept", result={"content": []}) if refused else None
    way = declined if refused else as_written(scenario)
    trial, lane = Trial(scenario, HANDSHAKE, way, base, lambda event: None), Lane(SETTINGS, "paint")
    lane.connection = connection  # type: ignore[assignment]

    async def connected() -> Answers:
        return connection

    lane.connect = connected  # type: ignore[method-assign, assignment]
    await trial.call(lane)
    trial.script.asked.append((0, COLOURED))
    trial.on_broker_event(Resolved(COLOURED, Review(), decline("answers", "Declined.")))
    return await trial.judge(), lane


@pytest.mark.parametrize(
    ("tools", "answers"),
    [
        ((), True),
        (ProtocolCallError(-32601, "Method not found"), True),
        (ElicitTuiError("Its list is none."), True),
        (ServerError("It went away."), False),
        (LimitReached("Nothing came."), False),
        (None, False),
    ],
)
async def test_a_server_still_answers_after_a_refusal_if_only_with_an_error(
    tools: Any, answers: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lane_module, "ALIVE_SECONDS", 0.01)
    run, lane = await run_of(Answers(tools=tools))
    assert run.failures == ([] if answers else [GONE])
    assert (len(lane.trials), lane.trial) == (1, None)
    # Of the scenario as it is written that is no matter.
    run, _ = await run_of(Answers(tools=tools), refused=False)
    assert GONE not in run.failures


async def test_of_a_server_that_talks_without_end_nothing_but_a_leak_is_kept_and_each_one_is() -> (
    None
):
    wrong = Wrong(0, "typed")
    trial = Trial(PAINTS, HANDSHAKE, Way("typed", (), wrong=wrong), None, lambda event: None)
    for number in range(10_002):
        trial.on_host_event(ServerLog("paint", f"{number}"))
    assert trial.run.came_back == set()
    trial.on_host_event(ServerLog("paint", f"got {wrong.typed}"))
    assert trial.run.came_back == {"its standard error"}


async def test_a_question_that_was_not_settled_when_its_call_ended_counts_as_unanswered() -> None:
    trial = Trial(PAINTS, HANDSHAKE, as_written(PAINTS), None, lambda event: None)
    settled = replace(COLOURED, id="settled")
    trial.script.asked += [(1, COLOURED), (0, settled)]
    declined = decline("answers", "Declined.")
    trial.on_broker_event(Resolved(settled, Review(), declined))
    assert trial.by_step() == [(settled, declined)]


@pytest.mark.parametrize(
    ("runner", "how"),
    [("command", "--timeout"), ("pytest", "for each call"), ("fixture", "seconds")],
)
async def test_a_call_whose_time_is_over_says_how_to_give_it_more(runner: Runner, how: str) -> None:
    run, _ = await run_of(Answers(LimitReached("Too late.")), runner=runner)
    assert run.failures == [f"The call did not end within 7 seconds ({how})."]
    assert 0 < run.seconds < 60


async def test_another_limit_and_an_error_of_the_server_keep_their_own_words() -> None:
    rounds = LimitReached("More than 10 rounds.", code="rounds")
    for error in (rounds, ServerError("It went away.")):
        run, _ = await run_of(Answers(error, seconds=1))
        assert (run.error, run.failures) == (error, [str(error)])


@pytest.mark.parametrize(("structured", "right"), [({"done": True}, True), ({"done": 1}, False)])
async def test_a_result_that_is_not_as_its_tool_says_fails_any_way(
    structured: dict[str, Any], right: bool
) -> None:
    schema = {"type": "object", "properties": {"done": {"type": "boolean"}}}
    tools = tuple(
        Tool.read({"name": name, "inputSchema": {"type": "object"}, "outputSchema": promised})
        for name, promised in (("other", {"required": ["other"]}), (PAINTS.call, schema))
    )
    for refused in (True, False):
        run, _ = await run_of(
            Answers({**TEXT, "structuredContent": structured}, tools), refused=refused
        )
        told = [each for each in run.failures if "not used" not in each]
        assert (told == []) is right
        assert right or "done" in told[0]
