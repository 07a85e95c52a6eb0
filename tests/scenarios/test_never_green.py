"""`elicit-tui test` is never green by mistake: what is not told apart, not tried or not ended."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import Ended, run
from tests.forks import ready_python
from tests.scenarios.runs import LONG, outcome_of, scenarios

SERVER = f"s={' '.join(ready_python())} {Path(__file__).parent / 'credulous_server.py'}"
ALL = ("--branches", "--answers-gone-wrong", "--eras", "2025-11-25")
NAMED = '{ name = "Ann" }'


def scenario(tool: str, lines: str, *answers: str) -> str:
    head = f'[[scenario]]\nname = "{tool}"\nserver = "s"\ncall = "{tool}"\n{lines}\n'
    return head + "".join(f"\n[[scenario.answers]]\n{answer}\n" for answer in answers)


def tried(tmp_path: Path, text: str, *options: str) -> Ended:
    return outcome_of(scenarios(tmp_path, text), *ALL, *options, server=SERVER, seconds=LONG)


def failed(ended: Ended) -> dict[str, list[str]]:
    return {run["branch"]: run["failures"] for run in ended.document["runs"] if run["failures"]}


def named(ended: Ended) -> dict[str, Any]:
    return {run["branch"]: run for run in ended.document["runs"]}


BOOKED = 'expect = { structured = { "/booked" = true }, questions = 1 }'
WRONG = {
    "Guests is missing",
    "Guests has the wrong type",
    "Guests is null",
    "Guests is no whole number",
    "Guests is too small",
    "Guests is too large",
}


@pytest.mark.parametrize(
    "lines",
    [
        BOOKED + '\non_refusal = { structured = { "/booked" = false } }',
        'on_refusal = { structured = { "/booked" = false } }',
        BOOKED.replace("structured", 'text = "*true*", structured')
        + '\non_refusal = { text = "*false*" }',
    ],
)
def test_a_server_that_checks_nothing_is_never_green_whatever_on_refusal_says(
    tmp_path: Path, lines: str
) -> None:
    ended = tried(tmp_path, scenario("book", lines, "content = { guests = 3 }"))
    assert ended.code == 1
    faults = failed(ended)
    assert set(faults) >= WRONG
    assert all("acted all the same" in faults[way][0] for way in WRONG)
    assert not {"accept", "decline", "cancel", "a decline with content"} & set(faults)
    (tool,) = ended.document["coverage"]
    assert tool["wrongAnswers"]["passed"] == 2
    assert tool["fields"] == {"Guests": "failed", "Mail": "failed"}


def test_what_on_refusal_says_holds_for_every_no_that_is_sent(tmp_path: Path) -> None:
    lines = 'expect = { text = "Welcome*" }\non_refusal = { text = "no*" }'
    ended = tried(tmp_path, scenario("welcome", lines, f"content = {NAMED}"))
    faults = failed(ended)
    for way in ("decline", "cancel", "a decline with content"):
        assert any("on_refusal: the text is" in each for each in faults[way]), way
        assert "acted all the same" in faults[way][0]
    assert "an accept that comes after a decline" in faults
    alone = scenario("welcome", 'on_refusal = { text = "no*" }', f"content = {NAMED}")
    assert set(failed(tried(tmp_path, alone))) >= {*faults, "Name is missing"}


def test_only_what_is_wrong_counts_as_refused_and_a_leak_is_told_apart(tmp_path: Path) -> None:
    text = scenario(
        "leak",
        'expect = { text = "Welcome*" }\non_refusal = { text = "no*" }',
        "content = " + NAMED,
    )
    ended = tried(tmp_path, text)
    leaking = {"what is typed comes back in the result only", "a decline with content"}
    assert set(failed(ended)) == leaking
    (tool,) = ended.document["coverage"]
    wrong = tool["wrongAnswers"]
    assert wrong["passed"] == wrong["tried"] == len(named(ended)) - 5 - 3
    assert tool["rightAnswers"] == {"passed": 3, "tried": 3}
    assert tool["leaks"] == [
        "what was typed came back in its log",
        "what came with a decline came back in its log",
    ]
    file = scenarios(tmp_path, text)
    lines = run("--with", SERVER, "test", str(file), *ALL, seconds=LONG).stdout.splitlines()
    assert f"  wrong answers: {wrong['tried']} of {wrong['tried']} refused; Name ✓" in lines
    assert "  right answers, oddly sent: 3 of 3 taken" in lines
    assert "  leaked: what was typed came back in its log" in lines


def test_a_server_that_asks_until_it_is_accepted_is_told_so_at_once(tmp_path: Path) -> None:
    text = scenario("insist", 'expect = { text = "Welcome" }', f"content = {NAMED}")
    ended = tried(tmp_path, text, "--timeout", "60")
    sentence = "it asks again after a no, and again: 20 times, then its call was cancelled"
    faults = failed(ended)
    assert faults["decline"] == faults["cancel"] == faults["Name is missing"] == [sentence]
    assert all(run["durationMs"] < 20_000 for run in ended.document["runs"])


def test_a_server_that_asks_for_ever_ends_the_scenario_itself_too(tmp_path: Path) -> None:
    text = scenario("for_ever", "", f"content = {NAMED}")
    faults = failed(tried(tmp_path, text, "--timeout", "60"))
    assert faults == {
        "accept": [
            "a question that was not expected: Your name?",
            "20 questions came that were not expected, then its call was cancelled",
        ]
    }


WHY = 'message = "Why*"\ncontent = { name = "too dear" }'


def test_what_comes_after_a_no_of_the_scenario_is_tried_and_what_is_left_out_is_told(
    tmp_path: Path,
) -> None:
    no = 'message = "How*"\naction = "decline"'
    text = scenario("stay", 'expect = { text = "Not staying: too dear", questions = 2 }', no, WHY)
    ended = tried(tmp_path, text)
    assert ended.code == 0, failed(ended)
    runs = named(ended)
    ways = ("decline 2", "cancel 2", "deadline 2", "call cancelled 2")
    assert {f"decline 1, then {way}" for way in ways} <= set(runs)
    assert "decline 1, then question 2: Name is missing" in runs
    assert not any("question 1" in way for way in runs)
    assert runs["decline 1"]["notes"][-2:] == [
        "left out: the other ways of question 1, which this scenario refuses; one that accepts all "
        "of its questions tries them",
        "as it ends with a refusal, a wrong answer to its other questions is held against errors, "
        "on_refusal and watch only, not against expect",
    ]
    file = scenarios(tmp_path, text)
    lines = run("--with", SERVER, "test", str(file), *ALL, seconds=LONG).stdout.splitlines()
    assert any("not known to be taken" in line for line in lines)


@pytest.mark.parametrize("allowed", [1, 3])
def test_a_question_that_follows_a_decline_alone_may_be_allowed(
    tmp_path: Path, allowed: int
) -> None:
    lines = f'expect = {{ text = "Staying" }}\non_refusal = {{ questions = {allowed} }}'
    ended = tried(tmp_path, scenario("stay", lines, f"content = {NAMED}"))
    # A cancel has no such question, and needs none.
    assert not {"decline", "deadline", "call cancelled"} & set(failed(ended)), failed(ended)
    asked = named(ended)["decline"]["elicitations"]
    assert len(asked) == 2


def test_an_error_is_not_expected_of_a_tool_that_is_not_there(tmp_path: Path) -> None:
    ended = tried(tmp_path, scenario("bok", "expect = { is_error = true }"))
    assert failed(ended) == {
        "accept": ["the server lists no tool bok: a call of it shows nothing"],
    }
    # Where its words are expected they tell why it fails.
    said = tried(tmp_path, scenario("bok", 'expect = { is_error = true, text = "*bok*" }'))
    assert said.code == 0
