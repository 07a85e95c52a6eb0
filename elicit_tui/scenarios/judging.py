"""Whether a run came to what it must: the expectations, and what a refusal may never do.

To act means: a part of the text or the structured result that `expect` describes stands there,
where nothing is expected any part of what the accept showed, or what the scenario watches changed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from elicit_tui.elicitation import DecidedBy
from elicit_tui.elicitation.eras import ERAS, HANDSHAKE, era_of, revision_to_try
from elicit_tui.elicitation.outcome import INTERNAL_ERROR
from elicit_tui.errors import Interrupted, ProtocolCallError
from elicit_tui.form.json_values import same_json
from elicit_tui.form.schema_reading import read_form
from elicit_tui.scenarios.acting import shown_of_acceptance
from elicit_tui.scenarios.result import Run
from elicit_tui.scenarios.saying_no import says_no
from elicit_tui.scenarios.scenario import Scenario, advice, excerpt, text_of
from elicit_tui.scenarios.script import Script
from elicit_tui.scenarios.watching import Watched
from elicit_tui.scenarios.ways import MARKER, Asked, Way
from elicit_tui.text import ascii_json, neutral_line

PUSHES: Final = (
    "this server pushes its questions (as `ctx.elicit` does), which 2026-07-28 does not have: there"
    " a tool returns them (InputRequiredResult; `Resolve` and `Elicit` of the Python SDK). Until it"
    " does, write "
)
_NO_PUSH: Final = (
    "no back-channel for server-initiated requests",
    "server-initiated requests is unavailable on 2026-07-28",
    "cannot be sent while serving a request on protocol version 2026-07-28",
)
"""What servers on the Python SDK, FastMCP and the Go SDK say then."""

_AS_WRITTEN: Final[tuple[DecidedBy, ...]] = ("answers",)
_OF_A_WAY: Final[tuple[DecidedBy, ...]] = ("answers", "deadline", "server", "shutdown")
"""Who ends a question of a way that was not written: its script, its clock, a call that ended."""


def faults_of(
    run: Run,
    way: Way,
    base: Run | None,
    script: Script,
    answered: Asked,
    *,
    alive: bool,
) -> list[str]:
    """What is not as it must be, as sentences; `base` is the accepted run that it departs from."""
    watched = run.watched
    if base is None:
        run.refused = run.scenario.refuses or form_refused(run.scenario, answered)
        faults = _as_written(run, script)
    else:
        run.refused = way.refuses is not None
        faults = _departed(run, way, base, script, alive=alive)
    return [*watched.problems, *faults]


def form_refused(scenario: Scenario, answered: Asked) -> bool:
    """Whether a form that was accepted said no, as its author wrote it."""
    return any(
        request.mode == "form"
        and outcome.action == "accept"
        and says_no(read_form(request.requested_schema), outcome.content or {}, answer.refusal)
        for answer, (request, outcome) in zip(scenario.answers, answered, strict=False)
    )


def hint_of(run: Run) -> str | None:
    """What to do about a server that was spoken to in a revision in which it cannot ask."""
    spoken = run.protocol_version
    if run.passed or run.resolved:
        return None
    answer = str(run.error or "") + text_of(run.result or {})
    if spoken and ERAS[era_of(spoken)].rounds and any(refusal in answer for refusal in _NO_PUSH):
        return PUSHES + advice(run.scenario.runner, "eras", HANDSHAKE)
    other = revision_to_try(run.error, spoken)
    if other is None:
        return None
    how = advice(run.scenario.runner, "eras", other)
    return f"a server that asks only in {other} fails so in {spoken}: try {how}"


# The scenario as it is written


def _as_written(run: Run, script: Script) -> Iterator[str]:
    expect, scenario = run.scenario.expect, run.scenario
    yield from script.problems
    if script.broke_off:
        return
    otherwise = list(_not_by_the_scenario(run, _AS_WRITTEN))
    yield from otherwise
    if otherwise:
        # All else is what comes of an answer that was another's.
        return
    if script.problems:
        # All else is what comes of a question without its answer.
        yield from _unused(script)
        return
    yield from _changed_amiss(run, refused=run.refused)
    yield from _unexpected_error(run)
    result = _result_of(run)
    if run.error is None or result is not None:
        yield from _unused(script)
        # The tool was called, asked nothing, and may have done it all the same.
        if scenario.acts and not script.asked:
            yield from _acted_unasked(scenario, result or {}, run.watched)
    if expect.questions is not None and len(script.asked) != expect.questions:
        yield f"there were {len(script.asked)} questions, not {expect.questions}"
    yield from _told_amiss(run, refused=run.refused)


def _changed_amiss(run: Run, *, refused: bool) -> Iterator[str]:
    """What changed after a no, or did not after an accept that acts."""
    if refused:
        yield from _acted_on(run.watched)
    elif run.scenario.acts and run.error is None:
        yield from _must_have_changed(run.scenario, run.watched)


def _result_of(run: Run) -> Mapping[str, Any] | None:
    """What is held against the expectations of a scenario."""
    # A call that is refused by an error of the protocol has failed as well.
    if isinstance(run.error, ProtocolCallError) and run.scenario.expect.is_error:
        return _as_result(run.error)
    return run.result


def _unexpected_error(run: Run) -> Iterator[str]:
    if run.error is not None and _result_of(run) is run.result:
        yield _error_text(run.error)


def _told_amiss(run: Run, *, refused: bool) -> Iterator[str]:
    """What of the result is not as the scenario has it."""
    result, scenario = _result_of(run), run.scenario
    if result is None:
        return
    yield from scenario.expect.faults(result)
    if refused and scenario.on_refusal is not None:
        yield from _named("on_refusal", scenario.on_refusal.faults(result))


def _unused(script: Script) -> Iterator[str]:
    for number in script.unused:
        yield f"answer {number + 1} was not used: its question did not come"


def _acted_unasked(
    scenario: Scenario, result: Mapping[str, Any], watched: Watched
) -> Iterator[str]:
    """What shows that a tool which asks elsewhere did here what it is for, and nobody was asked."""
    shown = list(_acted_on(watched))
    if scenario.expect.tells_acceptance:
        shown += shown_of_acceptance(scenario, None, result)
    if shown:
        yield f"it acted and asked nobody: {'; '.join(shown[:3])}"


def _must_have_changed(scenario: Scenario, watched: Watched) -> Iterator[str]:
    """What an accept that acts has to have changed, and how often."""
    for subject in watched.never_there:
        place = neutral_line(watched.place(subject), 400)
        yield f"watch: {place} is not there, also after the accept: nothing is watched"
    for subject in watched.unchanged:
        if subject not in watched.never_there:
            yield (
                f"watch: {subject} is the same after the accept: either it did not act, or that "
                + ("a refusal leaves it alone shows nothing")
            )
    if scenario.changes is None:
        return
    for subject in watched.changed:
        count = watched.changes(subject)
        if count is None:
            yield f"watch: {subject} has too many lines to be counted (changes)"
        elif count != scenario.changes:
            yield f"watch: {subject} changed {count} times, not {scenario.changes} (changes)"


def _not_by_the_scenario(run: Run, expected: Collection[DecidedBy]) -> Iterator[str]:
    """Questions that something else decided: policy, the guardian, a limit."""
    for event in run.resolved:
        decided_by = event.outcome.decided_by
        if decided_by in expected:
            continue
        message = neutral_line(event.request.message, 80) or "(no message)"
        fault = f"“{message}” was not answered by the scenario. {event.outcome.reason}"
        if decided_by == "guardian":
            rules = (finding.rule for finding in event.review.findings)
            rule = neutral_line(next(rules, "*"), 80)
            fault = f"{fault} {advice(run.scenario.runner, 'blocked', rule)}"
        yield fault


# The other ways


def _departed(run: Run, way: Way, base: Run, script: Script, *, alive: bool) -> Iterator[str]:
    kind = way.wrong.kind if way.wrong is not None else None
    # Looked for in any case, also where the run ends by an error.
    if way.typed is not None:
        run.leaks = list(_came_back(run, way.typed, accepted=kind == "typed"))
        yield from run.leaks
    if script.broke_off:
        yield (
            f"it asks again after a no, and again: {script.unplanned} times, then its call was "
            "cancelled"
        )
        return
    cancelled = way.cancels_the_call and isinstance(run.error, Interrupted)
    # A refusal may be told by an error of the protocol; an internal error is a breakdown.
    if run.error is not None and not cancelled and not _is_clean(run.error):
        yield _error_text(run.error)
        return
    if not alive:
        yield "the server no longer answers afterwards"
    if otherwise := list(_not_by_the_scenario(run, _OF_A_WAY)):
        yield from otherwise
        return
    # What is judged is that one question, which has to have come.
    number = way.wrong.question if way.wrong is not None else way.refuses
    if number is not None and not any(asked == number for asked, _ in script.asked):
        yield f"question {number + 1} did not come"
        return
    if kind == "short" and _failed(run) and not _failed(base):
        why = text_of(run.result or {}) if run.error is None else _error_text(run.error)
        yield f"it fails where what is optional is left out: {neutral_line(why, 160)}"
    if kind == "twice":
        # The second answer must change nothing: all is as after one.
        yield from script.problems
        yield from _unexpected_error(run)
        yield from _told_amiss(run, refused=base.refused)
        yield from _changed_amiss(run, refused=base.refused)
    elif kind == "extra":
        if MARKER in ascii_json(run.result):
            yield "it took over a property that the form does not have"
    elif kind not in ("typed", "short"):
        yield from _acted_all_the_same(run, base)
        yield from _not_as_after_a_no(run, kind)
        if kind is None and number is not None:
            yield from _asked_again(run.scenario, script, base, number)


def _acted_all_the_same(run: Run, base: Run) -> Iterator[str]:
    """What shows that it acted without an accept."""
    scenario = run.scenario
    # Of a scenario that is refused the result is a refusal's in any case.
    if run.result is not None and not scenario.refuses:
        acted = list(_acted_by_result(scenario, base, run.result))
        yield from acted
        # A note only: the words may be all that a model reads, and no act is shown by them.
        run.notes += () if acted else _told_as_acceptance(scenario, base, run.result)
    yield from _acted_on(run.watched)


def _not_as_after_a_no(run: Run, kind: str | None) -> Iterator[str]:
    """Where `on_refusal` does not hold though it must; `kind`: how an answer went wrong, if so."""
    refusal = run.scenario.on_refusal
    if refusal is None:
        return
    # Whoever sends what no client may send can be answered by an error instead of as after a no.
    failed = _failed(run)
    if kind in (None, "late") or (kind == "decline with content" and not failed):
        yield from _not_as_on_refusal(run)
    elif refusal.tells_result and not run.scenario.expect.tells_acceptance and not failed:
        # Nothing else says what becomes of it.
        yield from _not_as_on_refusal(run)


def _acted_on(watched: Watched) -> Iterator[str]:
    for subject in watched.changed:
        yield f"{subject} changed"


def _acted_by_result(scenario: Scenario, base: Run, result: Mapping[str, Any]) -> Iterator[str]:
    shown = list(shown_of_acceptance(scenario, base, result))
    if shown:
        text = neutral_line(text_of(result), 160)
        yield f"it acted all the same: {'; '.join(shown[:3])}" + (f" ({text})" if text else "")


def _told_as_acceptance(scenario: Scenario, base: Run, result: Mapping[str, Any]) -> Iterator[str]:
    """That a refusal is told as the accept was, where nothing that is expected tells them apart."""
    text, instead = text_of(result), scenario.on_refusal
    spoken = scenario.expect.text is not None or (instead is not None and instead.text is not None)
    told_by_structure = scenario.expect.structured and "structuredContent" in result
    if told_by_structure and not spoken and text.strip() and text == text_of(base.result or {}):
        beginning = excerpt(text, 80)
        yield f"its text is the accept's, {beginning}: a model that reads it is told that it acted"


def _not_as_on_refusal(run: Run) -> Iterator[str]:
    expected = run.scenario.on_refusal
    assert expected is not None
    if isinstance(run.error, ProtocolCallError):
        result: Mapping[str, Any] | None = _as_result(run.error)
        if expected.structured or expected.is_error is False:
            yield f"on_refusal: {_error_text(run.error)}"
            return
    else:
        result = run.result
    if result is not None:
        yield from _named("on_refusal", expected.faults(result))


def _named(key: str, faults: list[str]) -> Iterator[str]:
    return (f"{key}: {fault}" for fault in faults)


def _came_back(run: Run, typed: str, *, accepted: bool) -> Iterator[str]:
    """Where a text that was typed stands, though it may not: beside the result of an accept."""
    what = "what was typed" if accepted else "what came with a decline"
    places = set(run.came_back)
    if run.error is not None and typed in f"{run.error} {getattr(run.error, 'data', '')}":
        places.add("the error")
    failed = _failed(run)
    # In the result of an accept it may stand; beside it, or in an error, it has no business.
    if run.result is not None and (failed or not accepted) and typed in ascii_json(run.result):
        places.add("an error" if failed else "the result")
    for where in sorted(places):
        yield f"{what} came back in {where}"


def _asked_again(scenario: Scenario, script: Script, base: Run, number: int) -> Iterator[str]:
    """A question that came after a refusal, and is none that the accept was asked too."""
    # Only what came after the question that was refused.
    place = next(place for place, (asked, _) in enumerate(script.asked) if asked == number)
    refused = script.asked[place][1]
    later = [request for _, request in script.asked[place + 1 :]]
    allowed = scenario.on_refusal.questions if scenario.on_refusal is not None else None
    if allowed is not None:
        if len(later) > allowed:
            many = f"on_refusal: {len(later)} questions came after the refusal"
            yield f"{many}, more than {allowed}"
        return
    known = [(asked.message, asked.mode) for asked in base.asked]
    for request in later:
        message = neutral_line(request.message, 120)
        same_words = request.message == refused.message
        if same_words and same_json(request.requested_schema, refused.requested_schema):
            yield f"it asks again what was refused: {message}"
            return
        if same_words or (request.message, request.mode) not in known:
            yield (
                f"it asks again, in other words, after a refusal: {message} "
                f"({advice(scenario.runner, 'more questions')})"
            )
            return


def _failed(run: Run) -> bool:
    """Whether its call ended by an error, the tool's or one of the protocol."""
    return run.error is not None or (run.result or {}).get("isError") is True


def _as_result(error: ProtocolCallError) -> Mapping[str, Any]:
    return {"isError": True, "content": [{"type": "text", "text": error.message}]}


def _is_clean(error: Exception) -> bool:
    """Whether an end by this error is a refusal, and no breakdown of the server."""
    return isinstance(error, ProtocolCallError) and error.code != INTERNAL_ERROR


def _error_text(error: Exception) -> str:
    if isinstance(error, ProtocolCallError):
        return f"error {error.shown_code}: {neutral_line(error.message, 400)}"
    return str(error) or type(error).__name__
