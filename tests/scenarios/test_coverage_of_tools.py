"""What the runs of a tool come to together: which of its ways and fields were tried, and how."""

from __future__ import annotations

from dataclasses import replace

from elicit_tui.cli.github import coverage_summary
from elicit_tui.cli.test import MARKS
from elicit_tui.elicitation.eras import HANDSHAKE, MODERN
from elicit_tui.scenarios.result import Run, Suite, coverage
from elicit_tui.scenarios.scenario import Expectation, PreparedAnswer
from tests.broker.conftest import COLOUR, form_request
from tests.scenarios.painting import ANSWER, COLOURED, PAINTS


def test_fields_and_wrong_answers_count_as_refused_only_where_each_of_them_was() -> None:
    base = Run(PAINTS, HANDSHAKE, "accept", "as written", asked=[COLOURED])
    title = "Colour" if "title" in COLOUR["properties"]["colour"] else "colour"

    def wrong(*failures: str) -> Run:
        return Run(PAINTS, HANDSHAKE, "x", "gone wrong", failures=list(failures), field=title)

    for runs, state in (
        ((wrong("x"), wrong()), "failed"),
        ((wrong(), wrong("x")), "failed"),
        ((wrong(), wrong()), "passed"),
        ((), "untried"),
    ):
        (tool,) = coverage([base, *runs])
        assert tool.fields == {title: state}
        assert tool.wrong_answers == (sum(run.passed for run in runs), len(runs))
        assert "x" not in tool.branches
    (tool,) = coverage([base, replace(base, era=MODERN, failures=["x"])])
    assert (tool.branches["accept in 2025-11-25"], tool.branches["accept in 2026-07-28"]) == (
        "passed",
        "failed",
    )
    assert "accept" not in tool.branches
    assert tool.branches["deadline"] == "untried"
    other = Run(replace(PAINTS, call="draw"), HANDSHAKE, "accept", "as written")
    assert [each.tool for each in coverage([base, other])] == ["paint", "draw"]


def test_the_longest_scenario_of_a_tool_tells_its_branches_and_the_accept_its_fields() -> None:
    long = replace(PAINTS, name="long", answers=(ANSWER, ANSWER))
    shade = {"type": "object", "properties": {"shade": {"type": "string", "title": "Shade"}}}
    asked_later = form_request("Why not?", params={"requestedSchema": shade})
    runs = [
        Run(PAINTS, HANDSHAKE, "accept", "as written", asked=[COLOURED]),
        Run(PAINTS, HANDSHAKE, "decline", "refused", asked=[COLOURED, asked_later]),
        Run(long, HANDSHAKE, "accept", "as written", asked=[COLOURED, COLOURED]),
    ]
    for order in (runs, runs[::-1]):
        (tool,) = coverage(order)
        assert {name for name, state in tool.branches.items() if state == "untried"} == {
            f"{way} {number}" for way in ("decline", "cancel", "deadline") for number in (1, 2)
        }
        assert (tool.branches["accept"], tool.branches["decline"]) == ("passed", "passed")
        assert list(tool.fields) == ["Colour"]


def test_a_way_that_failed_once_is_not_covered_by_another_scenario_of_its_tool() -> None:
    failed, passed = (
        Run(PAINTS, HANDSHAKE, "decline", failures=["x"]),
        Run(PAINTS, HANDSHAKE, "decline"),
    )
    for runs in ((failed, passed), (passed, failed)):
        (tool,) = coverage(runs)
        assert tool.branches["decline"] == "failed"


def test_the_coverage_calls_no_wrong_answer_refused_where_nothing_says_what_acting_is() -> None:
    wrong = Run(PAINTS, HANDSHAKE, "Colour is missing", "gone wrong", field="Colour")
    for scenario, tells in (
        (PAINTS, False),
        (replace(PAINTS, expect=Expectation(text="painted*")), True),
        (replace(PAINTS, watch=("wall.txt",)), True),
    ):
        (tool,) = coverage([Run(scenario, HANDSHAKE, "accept"), replace(wrong, scenario=scenario)])
        assert tool.tells_acting is tells
        suite = Suite([Run(scenario, HANDSHAKE, "accept"), replace(wrong, scenario=scenario)])
        row = next(line for line in coverage_summary(suite, MARKS) if line.startswith("| paint"))
        told = "1 of 1" if tells else "1 of 1, not known to be taken"
        assert f"| {told} |" in row


def test_a_scenario_that_refuses_tells_of_no_wrong_answer_that_it_was_refused() -> None:
    told = replace(PAINTS, expect=Expectation(text="not*"), watch=("wall.txt",))
    assert told.tells_acting
    assert not replace(told, answers=(PreparedAnswer("decline"), ANSWER)).tells_acting


def test_what_is_to_be_taken_and_what_leaked_count_apart_from_what_is_to_be_refused() -> None:
    wrong, right = (
        Run(PAINTS, HANDSHAKE, way, "gone wrong", acceptable=way == "x") for way in ("y", "x")
    )
    for run in (wrong, right):
        leaked = replace(
            run, failures=["it came back in its log"], leaks=["it came back in its log"]
        )
        (tool,) = coverage([Run(PAINTS, HANDSHAKE, "accept"), run, leaked])
        both = (tool.wrong_answers, tool.right_answers)
        assert both == (((0, 0), (2, 2)) if run.acceptable else ((2, 2), (0, 0)))
        assert tool.leaks == ("it came back in its log",)
        acted = replace(leaked, failures=[*leaked.failures, "it acted all the same"])
        (tool,) = coverage([Run(PAINTS, HANDSHAKE, "accept"), acted])
        assert (1, 1) not in (tool.wrong_answers, tool.right_answers)
