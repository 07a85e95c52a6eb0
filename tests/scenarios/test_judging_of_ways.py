"""What each way through a scenario may come to, and what not; no server is needed for that."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from elicit_tui.broker import Resolved
from elicit_tui.elicitation import (
    DecidedBy,
    ElicitationRequest,
    Outcome,
    Review,
    accept,
    cancel,
    decline,
)
from elicit_tui.elicitation.eras import HANDSHAKE
from elicit_tui.elicitation.outcome import INTERNAL_ERROR
from elicit_tui.errors import Interrupted, ProtocolCallError, ServerError
from elicit_tui.scenarios.acting import cannot_tell, hides_an_act, shown_of_acceptance
from elicit_tui.scenarios.judging import faults_of
from elicit_tui.scenarios.result import Run
from elicit_tui.scenarios.scenario import Expectation, PreparedAnswer, Scenario
from elicit_tui.scenarios.script import Script, Step
from elicit_tui.scenarios.watching import State, Watched
from elicit_tui.scenarios.ways import (
    MARKER,
    Way,
    Wrong,
)
from tests.scenarios.painting import ANSWER, CHANGED, COLOURED, NOTHING, PAINTS, SAME


def result(text: str, *, failed: bool = False, **structured: Any) -> dict[str, Any]:
    more: dict[str, Any] = {"isError": True} if failed else {}
    if structured:
        more["structuredContent"] = structured
    return {"content": [{"type": "text", "text": text}], **more}


PAINTED = result("painted")


def faults(
    kind: Any,
    given: Mapping[str, Any] | None = PAINTED,
    *,
    error: Exception | None = None,
    watched: Watched = NOTHING,
    scenario: Scenario = PAINTS,
    accepted: Mapping[str, Any] = PAINTED,
    asked: tuple[ElicitationRequest, ...] = (COLOURED,),
    problems: tuple[str, ...] = (),
    came_back: Collection[str] = (),
    does: Any = "answer",
) -> list[str]:
    """What is wrong with a run whose first question was answered in this wrong way."""
    way = Way(kind, (Step(ANSWER, does),), "gone wrong", wrong=Wrong(0, kind))
    run = Run(scenario, HANDSHAKE, kind, "gone wrong", result=given, error=error)
    run.came_back, run.watched = set(came_back), watched
    base = Run(scenario, HANDSHAKE, "accept", result=accepted, refused=scenario.refuses)
    script = Script((), asked=list(enumerate(asked)), problems=list(problems))
    return faults_of(run, way, base, script, (), alive=True)


def test_an_invalid_answer_that_is_acted_on_is_a_fault_and_a_refusal_of_it_is_none() -> None:
    assert faults("invalid") == ["it acted all the same: the result is the accepted one (painted)"]
    assert faults("invalid", result("no", failed=True)) == []
    assert faults("invalid", None, error=ProtocolCallError(-32602, "no")) == []
    assert faults("invalid", result("no"), watched=CHANGED) == ["a.txt changed"]
    assert faults("invalid", asked=()) == ["question 1 did not come"]
    # It may ask once more, as what it was sent was no answer.
    assert faults("invalid", result("no"), asked=(COLOURED, COLOURED)) == []


def test_a_property_that_nobody_asked_for_may_not_come_back() -> None:
    assert faults("extra") == []
    assert faults("extra", watched=CHANGED) == []
    taken = result("painted", extra=MARKER)
    assert faults("extra", taken) == ["it took over a property that the form does not have"]


def test_an_accept_without_what_is_optional_may_fail_only_where_the_whole_one_failed() -> None:
    failed = result("KeyError: colour", failed=True)
    assert faults("short") == []
    assert faults("short", watched=CHANGED) == []
    assert faults("short", failed) == [
        "it fails where what is optional is left out: KeyError: colour"
    ]
    assert faults("short", failed, accepted=failed) == []
    refused = ProtocolCallError(-32602, "No colour.")
    assert faults("short", None, error=refused) == [
        "it fails where what is optional is left out: error -32602: No colour."
    ]
    assert faults("short", None, error=refused, accepted=failed) == []


def test_an_answer_that_comes_twice_counts_once() -> None:
    counts = replace(PAINTS, watch=("a.txt",), expect=Expectation(text="painted"))
    assert faults("twice", scenario=counts, watched=CHANGED) == []
    assert "is the same after the accept" in faults("twice", scenario=counts, watched=SAME)[0]
    twice = faults("twice", result("painted painted"), scenario=counts, watched=CHANGED)
    assert twice == ['the text is "painted painted", not "painted"']
    again = faults("twice", scenario=counts, watched=CHANGED, problems=("It was given back.",))
    assert again == ["It was given back."]
    refused = ProtocolCallError(-32602, "Twice.")
    assert faults("twice", None, error=refused) == ["error -32602: Twice."]
    fails = replace(counts, expect=Expectation(is_error=True, text="Twice*"))
    assert faults("twice", None, scenario=fails, error=refused, watched=SAME) == []


def test_an_answer_that_comes_twice_before_a_no_changes_nothing_either() -> None:
    refuses = replace(
        PAINTS,
        answers=(ANSWER, PreparedAnswer(action="decline")),
        watch=("a.txt",),
        on_refusal=Expectation(is_error=None, text="no"),
    )
    told = result("no")
    assert faults("twice", told, scenario=refuses, watched=SAME) == []
    assert faults("twice", told, scenario=refuses, watched=CHANGED) == ["a.txt changed"]
    assert faults("twice", scenario=refuses, watched=SAME) == [
        'on_refusal: the text is "painted", not "no"'
    ]


def test_what_was_typed_may_come_back_in_the_result_of_its_accept_alone() -> None:
    typed, declined = (Wrong(0, kind).typed for kind in ("typed", "decline with content"))
    echoed = result(f"painted {typed}")
    assert faults("typed", echoed) == []
    assert faults("typed", {**echoed, "isError": True}) == [
        "what was typed came back in an error",
    ]
    assert faults("decline with content", result(f"painted {declined}")) == [
        "what came with a decline came back in the result"
    ]
    assert faults("decline with content", result("no")) == []
    assert faults("typed", came_back={"its log"}) == ["what was typed came back in its log"]
    error = ProtocolCallError(-32602, f"not {typed}")
    assert faults("typed", None, error=error) == ["what was typed came back in the error"]
    hidden = ProtocolCallError(-32602, "no", {"value": typed})
    assert faults("typed", None, error=hidden) == ["what was typed came back in the error"]


def test_a_call_that_was_cancelled_has_to_end_so_and_no_other_one_may() -> None:
    ended = Interrupted("The call was cancelled.")
    assert faults("invalid", None, error=ended, does="cancel the call") == []
    assert faults("invalid", None, error=ended) == ["The call was cancelled."]
    gone = ServerError("It went away.")
    assert faults("invalid", None, error=gone, does="cancel the call") == ["It went away."]
    broken = ProtocolCallError(INTERNAL_ERROR, "Traceback")
    assert faults("invalid", None, error=broken) == ["error -32603: Traceback"]


# The scenario as it is written


def written(
    given: Mapping[str, Any] | None = PAINTED,
    scenario: Scenario = PAINTS,
    *,
    answered: tuple[Outcome, ...] = (),
    error: Exception | None = None,
    watched: Watched = NOTHING,
    used: int = 1,
    problems: tuple[str, ...] = (),
    resolved: tuple[Resolved, ...] = (),
) -> list[str]:
    run = Run(scenario, HANDSHAKE, "accept", result=given, error=error, resolved=list(resolved))
    script = Script(tuple(map(Step, scenario.answers)), problems=list(problems))
    for number in range(used):
        script.asked.append((number, COLOURED))
        script._used.add(number)
    outcomes = [(COLOURED, outcome) for outcome in answered]
    run.watched = watched
    found = faults_of(run, Way("accept", ()), None, script, outcomes, alive=True)
    assert run.refused is (scenario.refuses or any(o.content == {"agree": False} for o in answered))
    return found


def test_an_answer_whose_question_did_not_come_fails_its_scenario() -> None:
    assert written() == []
    assert written(used=0) == ["answer 1 was not used: its question did not come"]
    # Where the call failed that is what comes of it.
    assert written(None, error=ServerError("It went away."), used=0) == ["It went away."]


def test_what_comes_of_a_question_without_its_answer_is_not_told_beside_it() -> None:
    expects = replace(PAINTS, expect=Expectation(text="something else"))
    unexpected = "a question that was not expected: x"
    assert written(scenario=expects, problems=(unexpected,)) == [unexpected]
    # Whose question did not come is said: the glob of its message may be misspelt.
    assert written(scenario=expects, problems=(unexpected,), used=0) == [
        unexpected,
        "answer 1 was not used: its question did not come",
    ]


def test_a_question_that_something_else_decided_is_told_with_the_reason() -> None:
    review = Review()
    ours = Resolved(COLOURED, review, accept("answers", "", {}))
    blocked = Resolved(COLOURED, review, decline("guardian", "It asks for a password."))
    (fault,) = written(resolved=(ours, blocked))
    assert fault.startswith("“Which colour?” was not answered by the scenario. It asks for a pass")


@pytest.mark.parametrize("by", ["deadline", "server", "shutdown", "nobody", "flood"])
def test_a_call_that_ends_ends_the_question_of_a_way_and_not_of_the_scenario_itself(
    by: DecidedBy,
) -> None:
    ended = Resolved(COLOURED, Review(), cancel(by, "It ended."))
    assert len(written(resolved=(ended,))) == 1
    run = Run(PAINTS, HANDSHAKE, "deadline", result=result("no"), resolved=[ended])
    base = Run(PAINTS, HANDSHAKE, "accept", result=PAINTED)
    script = Script((), asked=[(0, COLOURED)])
    found = faults_of(run, Way("x", (), "refused", refuses=0), base, script, (), alive=True)
    assert len(found) == (by in ("nobody", "flood"))


def test_an_error_of_the_protocol_is_the_error_that_was_expected() -> None:
    error = ProtocolCallError(-32602, "No such colour.")
    expects = replace(PAINTS, expect=Expectation(is_error=True, text="No such*"))
    assert written(None, expects, error=error) == []
    assert written(None, expects, error=error, used=0) == [
        "answer 1 was not used: its question did not come"
    ]
    assert written(None, error=error) == ["error -32602: No such colour."]
    assert written(None, expects, error=ServerError("It went away.")) == ["It went away."]
    assert written(scenario=expects)[0] == "isError is not said"
    assert written(result("x", failed=True)) == ["the tool says isError"]


def test_what_a_server_said_is_told_in_so_many_characters() -> None:
    (fault,) = written(result("x" * 1000), replace(PAINTS, expect=Expectation(text="painted")))
    assert fault.startswith('the text is "xxx')
    assert "x…, not" in fault
    assert len(fault) < 250


def test_how_many_questions_there_were_is_held_against_what_is_expected() -> None:
    expects = replace(PAINTS, expect=Expectation(questions=2))
    assert written(scenario=expects) == ["there were 1 questions, not 2"]
    assert written(scenario=replace(PAINTS, expect=Expectation(questions=1))) == []


def test_an_accept_has_to_change_what_is_watched_as_often_as_the_scenario_says() -> None:
    watches = replace(PAINTS, watch=("a.txt",))
    assert written(scenario=watches, watched=CHANGED) == []
    assert "either it did not act" in written(scenario=watches, watched=SAME)[0]
    never = Watched({"a.txt": State()}, {"a.txt": State()}, Path("/there"))
    assert written(scenario=watches, watched=never) == [
        "watch: a.txt (/there/a.txt) is not there, also after the accept: nothing is watched"
    ]
    # One that is to fail need change nothing.
    fails = replace(watches, expect=Expectation(is_error=True))
    assert written(result("x", failed=True), fails, watched=SAME) == []
    assert written(None, watches, error=ServerError("Gone."), watched=SAME) == ["Gone."]
    once = replace(watches, changes=1)
    assert written(scenario=once, watched=CHANGED) == [
        "watch: a.txt has too many lines to be counted (changes)"
    ]


@pytest.mark.anyio
async def test_how_much_an_accept_changed_is_counted_in_lines(tmp_path: Path) -> None:
    from elicit_tui.scenarios.watching import states

    state, once = tmp_path / "state", replace(PAINTS, changes=1)
    name = str(state)
    for before, after, count in (
        (None, "a\n", 1),
        (None, "a", 1),
        ("a\n", "a\nb\n", 1),
        ("a\nb\n", "a\nc\n", 1),
        ("a\na\n", "a\n", 1),
        ("a\n", "a\nb\nc\n", 2),
        ("a\nb\n", "c\na\nb\n", 1),
        ("a\nb\n", "c\n", 2),
        ("a\nb\n", None, 2),
        ("a\n", "a", 0),
    ):
        state.unlink(missing_ok=True)
        found = []
        for text in (before, after):
            state.unlink(missing_ok=True)
            if text is not None:
                state.write_text(text)
            found.append(await states([name], counted=True))
        watched = Watched(*found)
        assert watched.changes(name) == count, (before, after)
        told = [] if count == 1 else [f"watch: {name} changed {count} times, not 1 (changes)"]
        assert written(scenario=once, watched=watched) == told


def test_what_an_accept_leaves_where_the_one_before_left_it_hides_an_act() -> None:
    first, again = (Run(PAINTS, HANDSHAKE, "accept") for _ in range(2))
    first.watched, again.watched = CHANGED, SAME
    (told,) = hides_an_act(first, again)
    assert told.startswith("watch: a.txt is the same after a second accept")
    again.watched = CHANGED
    assert list(hides_an_act(first, again)) == []
    first.watched = again.watched = SAME
    assert list(hides_an_act(first, again)) == []
    # What a server calls its parts is told in neutral text.
    before, after = (State(name, parts={"/a\x1b[31m": name}) for name in "12")
    first.watched = Watched({"a.json": before}, {"a.json": after})
    again.watched = Watched({"a.json": after}, {"a.json": replace(after, digest="3")})
    (told,) = hides_an_act(first, again)
    assert "a.json /a␛[31m is the same" in told
    # Nor is anything told of a part that changed again.
    one, two, three = (State(n, parts={"/once": str(min(n, "2")), "/each": n}) for n in "123")
    first.watched, again.watched = (
        Watched({"a": x}, {"a": y}) for x, y in ((one, two), (two, three))
    )
    (told,) = hides_an_act(first, again)
    assert told.startswith("watch: a /once is the same")


def test_a_scenario_that_says_nothing_by_which_acting_is_known_is_told_so() -> None:
    run = Run(PAINTS, HANDSHAKE, "accept")
    assert "nothing here says what acting is" in str(cannot_tell(run, more_ways=True))
    assert cannot_tell(run, more_ways=False) is None
    for telling in (
        {"expect": Expectation(text="painted")},
        {"expect": Expectation(structured={"/a": 1})},
        {"on_refusal": Expectation(None, text="no*")},
        {"on_refusal": Expectation(is_error=True)},
        {"watch": ("a.txt",)},
    ):
        told = Run(replace(PAINTS, **telling), HANDSHAKE, "accept")  # type: ignore[arg-type]
        assert cannot_tell(told, more_ways=True) is None
    # How many questions may follow says nothing of what is done.
    silent = replace(PAINTS, on_refusal=Expectation(None, questions=1))
    told = Run(silent, HANDSHAKE, "accept")
    assert "nothing here says what acting is" in str(cannot_tell(told, more_ways=True))


def test_of_a_scenario_that_refuses_it_is_not_said_that_its_content_reads_as_a_no() -> None:
    refuses = replace(PAINTS, answers=(PreparedAnswer("decline"),))
    run = Run(refuses, HANDSHAKE, "decline", refused=True)
    for more_ways in (True, False):
        assert cannot_tell(run, more_ways=more_ways) is None
        watches = Run(replace(refuses, watch=("a.txt",)), HANDSHAKE, "decline", refused=True)
        assert "the only answer is a no" in str(cannot_tell(watches, more_ways=more_ways))


def test_values_that_tell_of_nothing_are_an_act_only_where_all_of_them_are_there() -> None:
    nothing = replace(PAINTS, expect=Expectation(structured={"/left": 0, "/open": []}))
    base = Run(nothing, HANDSHAKE, "accept", result=PAINTED)
    assert len(list(shown_of_acceptance(nothing, base, result("x", left=0, open=[])))) == 2
    assert list(shown_of_acceptance(nothing, base, result("x", left=0, open=[1]))) == []
    text = replace(PAINTS, expect=Expectation(text="pain*", structured={"/left": 0}))
    shown = list(shown_of_acceptance(text, base, result("painted", left=0)))
    assert shown == ['the text is "painted"']
    told = replace(text, on_refusal=Expectation(None, text="painted"))
    assert list(shown_of_acceptance(told, base, result("painted", left=0))) == []


def test_what_was_given_as_an_argument_comes_back_whatever_was_done() -> None:
    asked = replace(PAINTS, arguments={"colour": "red", "size": 5})
    base = Run(asked, HANDSHAKE, "accept", result=result("painted", colour="red", done="yes"))
    no = result("not painted", colour="red", done="no")
    assert list(shown_of_acceptance(asked, base, no)) == []
    (shown,) = shown_of_acceptance(PAINTS, base, no)
    assert shown.startswith('structured /colour is "red"')
    within = replace(PAINTS, arguments={"order": [{"colour": "red"}]})
    assert list(shown_of_acceptance(within, base, no)) == []


def test_each_entry_of_a_list_that_an_accept_showed_is_an_act_by_itself() -> None:
    base = Run(PAINTS, HANDSHAKE, "accept", result=result("x", walls=["north", {"side": "east"}]))
    both = result("y", walls=["north", {"side": "none"}, "more"])
    (shown,) = shown_of_acceptance(PAINTS, base, both)
    assert shown.startswith('structured /walls/0 is "north"')
    (shown,) = shown_of_acceptance(PAINTS, base, result("y", walls=[None, {"side": "east"}]))
    assert shown.startswith('structured /walls/1/side is "east"')


def test_the_text_of_an_accept_is_an_act_where_nothing_is_expected_and_no_structure_tells() -> None:
    base = Run(PAINTS, HANDSHAKE, "accept", result={**PAINTED, "content": PAINTED["content"] * 2})
    same = {**base.result, "isError": False, "structuredContent": {}}  # type: ignore[dict-item]
    assert list(shown_of_acceptance(PAINTS, base, same)) == ['the text is "painted\\npainted"']
    base.result = result("painted", left=0)
    assert list(shown_of_acceptance(PAINTS, base, result("painted", left=1))) == []
    base.result = result("  ")
    assert list(shown_of_acceptance(PAINTS, base, {**result("  "), "structuredContent": {}})) == []
    # Where a refusal has its own words, these are no act; the accept's are all the same.
    refuses = replace(PAINTS, on_refusal=Expectation(None, text="not*"))
    base.result = result("painted", colour="red")
    assert list(shown_of_acceptance(refuses, base, result("not painted", colour="red"))) == []
    assert list(shown_of_acceptance(refuses, base, base.result)) != []
