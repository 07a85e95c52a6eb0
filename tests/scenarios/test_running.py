"""How ways are run: what is shared, in which order it is told, what a way keeps of its server."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from mcp.server.mcpserver import Context, MCPServer

from elicit_tui.broker import Notice, Requested, Resolved
from elicit_tui.elicitation import Deadline, Question, Review, accept, decline
from elicit_tui.elicitation.eras import HANDSHAKE, MODERN
from elicit_tui.elicitation.settings import (
    ServerSettings,
    Settings,
)
from elicit_tui.errors import Interrupted, LimitReached, ProtocolCallError, ServerError
from elicit_tui.host.events import LogMessage, Progress, ServerLog
from elicit_tui.scenarios import Options, PreparedAnswer, Scenario, Suite, run_scenarios
from elicit_tui.scenarios.lane import Lane, Trial
from elicit_tui.scenarios.one_scenario import Ways, all_of, goes_on
from elicit_tui.scenarios.result import Run, RunEvent
from elicit_tui.scenarios.running import _chains, _InOrder, processors
from elicit_tui.scenarios.scenario import Expectation
from elicit_tui.scenarios.snapshots import Snapshots
from elicit_tui.scenarios.ways import Way, Wrong, as_written
from tests.broker.conftest import form_request
from tests.scenarios.test_watching import Nothing

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("hurry")]

ACCEPT = PreparedAnswer(content={})
PLACE = ServerSettings("paint", command="-", default_tools_approval_mode="approve")
SETTINGS = Settings(servers={"paint": PLACE})


def scenario(tmp_path: Path, *answers: PreparedAnswer, **more: Any) -> Scenario:
    file = tmp_path / "paints.toml"
    return Scenario("paints", "paint", "paint", answers=answers or (ACCEPT,), file=file, **more)


def ways(one: Scenario, settings: Settings = SETTINGS, **options: Any) -> Ways:
    snapshots = Snapshots(one.file)
    chosen = Options(**{"eras": (HANDSHAKE,), **options})
    free = asyncio.Semaphore(1)
    return Ways(settings, one, chosen.eras[0], chosen, snapshots, free, lambda event: None)


# In which order


def test_scenarios_whose_servers_share_what_is_watched_run_one_after_the_other() -> None:
    def unit(name: str, server: str, *watch: str) -> Ways:
        return ways(Scenario(name, server, "t", watch=watch, file=Path("a.toml")))

    def chained(*units: Ways) -> list[list[str]]:
        return [[each.scenario.name for each in chain] for chain in _chains(units)]

    free = [unit("a", "one"), unit("b", "one"), unit("c", "two")]
    assert chained(*free) == [["a"], ["b"], ["c"]]
    assert chained(unit("a", "one"), unit("b", "two"), unit("a", "one")) == [["a", "a"], ["b"]]
    assert chained(unit("a", "one", "f"), unit("b", "two"), unit("c", "three", "f")) == [
        ["a", "c"],
        ["b"],
    ]
    # Another scenario of a server that is watched may change it as well.
    assert chained(unit("a", "one"), unit("b", "two"), unit("c", "one", "f")) == [["a", "c"], ["b"]]
    joined = (unit("a", "one", "f"), unit("b", "two", "g"), unit("c", "three", "f", "g"))
    assert chained(*joined) == [["a", "b", "c"]]


def test_the_ends_of_runs_are_told_in_the_order_of_their_scenarios() -> None:
    first, second = (ways(Scenario(name, "paint", "t")) for name in "ab")
    told: list[RunEvent] = []
    suite = Suite()
    ended = _InOrder([first, second], suite, told.append)
    runs = [Run(first.scenario, HANDSHAKE, str(number)) for number in range(5)]
    second.runs, second.over = [runs[3]], True
    first.runs = [runs[0], None, runs[2]]
    ended.tell_ended()
    assert suite.runs == runs[:1]
    ended.tell_ended()
    first.runs[1] = runs[1]
    ended.tell_ended()
    assert suite.runs == runs[:3]
    first.over = True
    ended.tell_ended()
    assert suite.runs == runs[:4]
    assert [event.run for event in told] == suite.runs
    ended.tell_the_rest()
    assert len(suite.runs) == 4
    cut = Suite()
    broken = _InOrder([first], cut, told.append)
    first.told_runs, first.over, first.runs = 0, False, [None, runs[4]]
    broken.tell_ended()
    assert cut.runs == []
    broken.tell_the_rest()
    broken.tell_the_rest()
    assert cut.runs == [runs[4]]


async def test_where_one_part_fails_the_others_end_with_it() -> None:
    ended: list[str] = []

    async def works() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            # As the end of a process, it takes its time.
            for _ in range(10):
                await asyncio.sleep(0)
            ended.append("works")

    async def fails() -> None:
        await asyncio.sleep(0)
        raise ServerError("It went away.")

    with pytest.raises(ServerError):
        await asyncio.wait_for(all_of([works(), fails()]), 30)
    assert ended == ["works"]


def test_a_server_that_answered_or_was_let_go_serves_the_next_way() -> None:
    run = Run(Scenario("a", "b", "c"), HANDSHAKE, "x")
    for error, on in (
        (None, True),
        (ProtocolCallError(-1, "no"), True),
        (Interrupted("x"), True),
        (ServerError("gone"), False),
        (LimitReached("late"), False),
    ):
        run.error = error
        assert goes_on(run) is on
    assert processors() >= 1


# On which process


def painting(act: Callable[[int, str], str]) -> MCPServer:
    """A server whose tool asks once; `act` makes its text of how often it was called, and how."""
    server, calls = MCPServer("paint"), [0]

    @server.tool()
    async def paint(context: Context) -> str:
        calls[0] += 1
        return act(calls[0], (await context.elicit("Paint it?", Nothing)).action)

    return server


async def outcome(
    one: Scenario, make: Callable[[], MCPServer], **options: Any
) -> tuple[dict[str, Run], int]:
    """The runs by the names of their ways, and how many servers were made for them."""
    made: list[MCPServer] = []

    def new() -> MCPServer:
        made.append(make())
        return made[-1]

    chosen = Options(
        **{"eras": (HANDSHAKE,), "branches": True, "snapshots": False, **options},
        in_process={"paint": new},
    )
    suite = Suite()
    await asyncio.wait_for(run_scenarios(SETTINGS, [one], chosen, suite), 60)
    return {run.branch: run for run in suite.runs}, len(made)


def in_order(number: int, action: str) -> str:
    return "painted" if action == "accept" else "not painted"


def counts(number: int, action: str) -> str:
    return f"painted {number}" if action == "accept" else "not painted"


def fails_later(number: int, action: str) -> str:
    if number > 1 and action == "accept":
        raise ValueError("only once")
    return in_order(number, action)


def painting_in(state: Path) -> MCPServer:
    """A server whose accepted calls leave a line in a file."""

    def paints(number: int, action: str) -> str:
        if action == "accept":
            state.write_text((state.read_text() if state.exists() else "") + "painted\n")
        return in_order(number, action)

    return painting(paints)


async def test_a_process_that_answers_alike_serves_many_ways_and_one_that_counts_does_not(
    tmp_path: Path,
) -> None:
    one = scenario(tmp_path, expect=Expectation(text="painted*"))
    runs, made = await outcome(one, lambda: painting(in_order))
    assert list(runs) == ["accept", "decline", "cancel", "deadline", "call cancelled"]
    assert [run.failures for run in runs.values()] == [[]] * 5
    assert made == 2
    _, made = await outcome(one, lambda: painting(in_order), fresh=True)
    assert made == 5

    _, made = await outcome(one, lambda: painting(counts))
    assert made == 6
    _, made = await outcome(one, lambda: painting(in_order), branches=False)
    assert made == 1


async def test_what_fails_on_a_process_that_served_others_is_tried_alone_and_that_counts(
    tmp_path: Path,
) -> None:
    def spoils(number: int, action: str) -> str:
        return "painted" if action == "accept" or number > 2 else "not painted"

    one = scenario(tmp_path, expect=Expectation(text="painted"))
    runs, _ = await outcome(one, lambda: painting(spoils))
    assert [run.failures for run in runs.values()] == [[]] * 5
    notes = [note for run in runs.values() for note in run.notes]
    assert any("fails on a process that served other ways before" in note for note in notes)

    def acts(number: int, action: str) -> str:
        return "painted"

    runs, _ = await outcome(one, lambda: painting(acts))
    assert not runs["decline"].passed
    assert "it acted all the same" in runs["decline"].failures[0]


async def test_where_the_accept_fails_no_other_way_is_tried(tmp_path: Path) -> None:
    one = scenario(tmp_path, expect=Expectation(text="other"))
    runs, made = await outcome(one, lambda: painting(in_order))
    assert (list(runs), runs["accept"].passed, made) == (["accept"], False, 1)
    refuses = scenario(tmp_path, PreparedAnswer("decline"))
    runs, _ = await outcome(refuses, lambda: painting(in_order))
    assert list(runs) == ["decline"]


async def test_a_process_that_does_otherwise_when_it_is_called_again_is_told(
    tmp_path: Path,
) -> None:
    one = scenario(tmp_path, expect=Expectation(text="painted"))
    runs, _ = await outcome(one, lambda: painting(fails_later))
    notes = [note for run in runs.values() for note in run.notes]
    assert any("a second call on one process ends otherwise" in note for note in notes)
    assert all(run.passed for run in runs.values())


# What a way keeps


def trial_of(wrong: Wrong | None = None, steps: int = 1) -> Trial:
    one = Scenario("a", "paint", "c", answers=(ACCEPT,) * steps)
    way = as_written(one)
    if wrong is not None:
        way = Way("wrong", way.steps, "gone wrong", wrong)
    return Trial(one, HANDSHAKE, way, None, lambda event: None)


def test_where_a_server_says_what_was_typed_beside_its_result_is_noted() -> None:
    wrong = Wrong(0, "typed", {})
    for event, where in (
        (ServerLog("paint", f"got {wrong.typed}."), {"its standard error"}),
        (LogMessage("paint", "info", None, {"a": [wrong.typed]}), {"its log"}),
        (Progress("paint", "c", 1.0, None, wrong.typed), {"its progress"}),
        (Progress("paint", "c", 1.0), set()),
        (ServerLog("paint", f"got {Wrong(1, 'typed', {}).typed}."), set()),
        (ServerLog("paint", f"got {Wrong(0, 'decline with content', {}).typed}."), set()),
    ):
        trial, types_nothing = trial_of(wrong), trial_of()
        trial.on_host_event(event)
        types_nothing.on_host_event(event)
        assert (trial.run.came_back, types_nothing.run.came_back) == (where, set())


def naming() -> MCPServer:
    """A server whose tool asks for a name, and says in the next call what it was."""
    server, names = MCPServer("paint"), [""]

    @server.tool()
    async def paint(context: Context) -> str:
        await context.report_progress(1, message=f"the last was {names[-1]}")
        answer = await context.session.elicit_form("Whose?", NAMED, context.request_id)
        name = (answer.content or {}).get("name")
        names.append(str(name))
        return in_order(1, answer.action if isinstance(name, str) else "cancel")

    return server


NAMED = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}


async def test_what_was_typed_and_comes_back_when_another_way_is_tried_is_a_leak_of_its_own(
    tmp_path: Path,
) -> None:
    one = scenario(
        tmp_path, PreparedAnswer(content={"name": "Ada"}), expect=Expectation(text="painted")
    )
    runs, made = await outcome(one, naming, answers_gone_wrong=True)
    assert {name: run.failures for name, run in runs.items() if not run.passed} == {
        "what is typed comes back in the result only": ["what was typed came back in its progress"],
        "a decline with content": ["what came with a decline came back in its progress"],
    }
    # The accept, all ways on one process, and these two alone.
    assert made == 4


async def test_a_rule_that_a_process_broke_late_is_no_less_broken_where_the_way_alone_is_fine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def newly_broken(self: Lane) -> list[str]:
        return ["It wrote no message."] if len(self.trials) == BRANCHES_AND_BEFORE else []

    monkeypatch.setattr(Lane, "newly_broken", newly_broken)
    one = scenario(tmp_path, expect=Expectation(text="painted"))
    runs, _ = await outcome(one, lambda: painting(in_order))
    failed = {name: run.failures for name, run in runs.items() if not run.passed}
    # Its call ended as it was to: what else ended with the process is told as well.
    assert failed == {"call cancelled": ["It wrote no message."]}


BRANCHES_AND_BEFORE = 2 + 4
"""Two accepts show that a process answers alike, then it is declined, cancelled, left, given up."""


async def test_the_questions_of_the_server_alone_are_a_ways() -> None:
    told: list[str] = []
    one = Scenario("a", "paint", "c", answers=(ACCEPT,))
    trial = Trial(one, HANDSHAKE, as_written(one), None, lambda event: told.append(event.event))
    asked, ours = form_request(), replace(form_request(), kind="approval")
    for request in (asked, ours):
        trial.on_broker_event(Requested(Question(request)))
        trial.on_broker_event(Resolved(request, Review(), accept("answers", "", {})))
    trial.on_broker_event(Notice("paint", "Something."))
    assert told == ["requested", "resolved"]
    assert list(trial._outcomes) == [asked.id]


async def test_a_wrong_answer_goes_past_the_judge_for_its_own_question_alone() -> None:
    asked, other = form_request("One?"), form_request("Two?")
    given = accept("answers", "By the scenario.", {"a": 1})
    for kind, content in (("invalid", {"a": "x"}), ("extra", {"b": 1})):
        trial = trial_of(Wrong(1, kind, content), steps=2)  # type: ignore[arg-type]
        trial.script.asked = [(0, other), (1, asked)]
        changed = trial.instead(asked, given)
        assert (changed.action, changed.content) == ("accept", content)
        assert "Sent past the judge: wrong." in changed.reason
        assert trial.script.wrong_message == "One?"
        assert trial.instead(other, given) is given
        ruled = replace(given, decided_by="rule")
        assert trial.instead(asked, ruled) is ruled
    declined = trial_of(Wrong(0, "decline with content", {"a": 1}))
    declined.script.asked = [(0, asked)]
    changed = declined.instead(asked, given)
    assert (changed.action, changed.content) == ("decline", {"a": 1})
    late = trial_of(Wrong(0, "late", {"a": 1}))
    late.script.asked = [(0, asked)]
    no = decline("answers", "No.")
    assert late.instead(asked, no) is no
    assert late._late is not None
    assert (late._late[1].action, late._late[1].content) == ("accept", {"a": 1})
    right = trial_of()
    right.script.asked = [(0, asked)]
    assert right.instead(asked, given) is given


def test_only_behind_a_refusal_a_question_that_no_answer_is_for_is_no_problem() -> None:
    assert not trial_of().script.refuse_the_rest
    assert not trial_of(Wrong(0, "twice", {})).script.refuse_the_rest
    assert trial_of(Wrong(0, "extra", {})).script.refuse_the_rest


async def test_a_question_outside_of_every_way_is_cancelled() -> None:
    found = await Lane(SETTINGS, "paint").respond(Question(form_request()), Deadline(60))
    assert (found.action, found.decided_by) == ("cancel", "answers")


async def test_what_a_server_asks_once_its_way_was_judged_is_no_longer_of_that_way() -> None:
    here, trial = Lane(SETTINGS, "paint"), trial_of()
    await trial.call(here)
    await trial.judge()
    found = await here.respond(Question(form_request()), Deadline(60))
    assert (found.action, found.reason) == (
        "cancel",
        "Cancelled: no call of the scenario is open.",
    )
    assert trial.script.asked == []
    await here.close()


def test_what_a_server_broke_is_said_once() -> None:
    class Broken:
        def __init__(self) -> None:
            self.rules = ["one"]

        def broken_rules(self) -> list[str]:
            return self.rules

    there = Lane(SETTINGS, "paint")
    assert there.newly_broken() == []
    broken: Any = Broken()
    there.connection = broken
    assert there.newly_broken() == ["one"]
    assert there.newly_broken() == []
    broken.rules.append("two")
    assert there.newly_broken() == ["two"]


async def test_a_scenario_is_tried_in_each_revision_that_is_wanted(tmp_path: Path) -> None:
    one = scenario(tmp_path, expect=Expectation(text="painted"))
    suite = Suite()
    options = Options(
        eras=(HANDSHAKE, MODERN), snapshots=False, in_process={"paint": painting(in_order)}
    )
    await asyncio.wait_for(run_scenarios(SETTINGS, [one], options, suite), 60)
    assert [run.era for run in suite.runs] == [HANDSHAKE, MODERN]
    assert suite.runs[0].passed
    # It pushes its question, which the later revision does not have.
    assert not suite.runs[1].passed
    assert any("pushes its questions" in note for note in suite.runs[1].notes)


async def test_a_scenario_may_ask_more_in_a_minute_than_a_person_is_to_be_asked(
    tmp_path: Path,
) -> None:
    server, questions = MCPServer("paints"), Settings().elicitation.limits.per_minute + 1

    @server.tool()
    async def paint(context: Context) -> str:
        for number in range(questions):
            await context.elicit(f"Paint wall {number}?", Nothing)
        return "painted"

    tried = scenario(tmp_path, *(ACCEPT,) * questions)
    options = Options(eras=(HANDSHAKE,), snapshots=False, in_process={"paint": server})
    suite = Suite()
    await run_scenarios(SETTINGS, [tried], options, suite)
    assert [run.failures for run in suite.runs] == [[]]
