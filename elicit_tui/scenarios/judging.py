"""Whether a run came to what it must: the expectations, and what a refusal may never do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from elicit_tui.elicitation.request import MODERN
from elicit_tui.errors import ProtocolCallError
from elicit_tui.form.json_values import same_json
from elicit_tui.scenarios.result import Run
from elicit_tui.scenarios.scenario import Scenario, text_of
from elicit_tui.scenarios.script import Script
from elicit_tui.scenarios.variants import MARKER, Variant
from elicit_tui.scenarios.watching import Watched
from elicit_tui.text import ascii_json, neutral_line

INTERNAL_ERROR: Final = -32603
PUSHES: Final = (
    "this server pushes its questions (as `ctx.elicit` does), which 2026-07-28 does not have: there"
    " a tool returns them (InputRequiredResult; `Resolve` and `Elicit` of the Python SDK). Until it"
    " does, write --eras 2025-11-25"
)
_NO_PUSH: Final = "no back-channel for server-initiated requests"
"""What the Python SDK's server says then."""


def faults_of(
    run: Run,
    variant: Variant,
    base: Run | None,
    script: Script,
    watched: Watched,
    *,
    alive: bool,
) -> list[str]:
    """What is not as it must be, as sentences; `base` is the accepted run that it departs from."""
    if base is None:
        faults = _as_written(run, script, watched)
    else:
        faults = _departed(run, variant, base, script, watched, alive=alive)
    return [*watched.problems, *faults]


def unmoved(scenario: Scenario, watched: Watched) -> list[str]:
    """What the accept that is done leaves as it was, so that no refusal can be told from it."""
    if not scenario.acts:
        return []
    said = "is the same after the accept: that a refusal leaves it alone shows nothing"
    return [f"watch: {each} {said}" for each in watched.unchanged]


def _as_written(run: Run, script: Script, watched: Watched) -> Iterator[str]:
    expect = run.scenario.expect
    if run.scenario.refuses:
        yield from _acted_on(watched)
    if run.scenario.acts:
        for each in watched.never_there:
            yield f"watch: {each} is not there, also after the accept: nothing is watched"
    yield from script.problems
    yield from _not_by_the_scenario(run)
    result = run.result
    if isinstance(run.error, ProtocolCallError) and expect.is_error:
        # A call that is refused by an error of the protocol has failed as well.
        result = {"isError": True, "content": [{"type": "text", "text": run.error.message}]}
    elif run.error is not None:
        yield _told(run.error)
    if run.error is None or result is not None:
        for number in script.unused:
            yield f"answer {number + 1} was not used: its question did not come"
    if expect.questions is not None and len(script.asked) != expect.questions:
        yield f"there were {len(script.asked)} questions, not {expect.questions}"
    if result is not None:
        yield from expect.faults(result)


def hint_of(run: Run) -> str | None:
    """What to do about a server that pushes its questions in the revision that has no such way."""
    if run.passed or run.protocol_version != MODERN or run.resolved:
        return None
    said = str(run.error or "") + text_of(run.result or {})
    return PUSHES if _NO_PUSH in said else None


def _not_by_the_scenario(run: Run) -> Iterator[str]:
    """Questions that something else decided: policy, the guardian, a limit."""
    for event in run.resolved:
        if event.outcome.decided_by != "answers":
            message = neutral_line(event.request.message, 80) or "(no message)"
            yield f"{message}: {event.outcome.reason}"


def _departed(
    run: Run,
    variant: Variant,
    base: Run,
    script: Script,
    watched: Watched,
    *,
    alive: bool,
) -> Iterator[str]:
    kind = variant.wrong.kind if variant.wrong is not None else None
    if run.error is not None and not _is_clean(run.error):
        yield _told(run.error)
        return
    if not alive:
        yield "the server no longer answers afterwards"
    number = variant.wrong.question if variant.wrong is not None else variant.refuses
    if number is not None and not any(each == number for each, _ in script.asked):
        yield f"question {number + 1} did not come"
        return
    if kind == "twice":
        yield from script.problems
        if run.result is not None:
            yield from run.scenario.expect.faults(run.result)
        return
    if kind == "extra":
        if MARKER in ascii_json(run.result):
            yield "it took over a property that the form does not have"
        return
    if run.result is not None and accepted_again(run.scenario, base, run.result):
        said = neutral_line(text_of(run.result), 160)
        yield f"it acted all the same: {said or 'the result is the accepted one'}"
    yield from _acted_on(watched)
    if kind is None and number is not None:
        yield from _asked_again(script, number)


def _acted_on(watched: Watched) -> Iterator[str]:
    for each in watched.changed:
        yield f"{each} changed"


def accepted_again(scenario: Scenario, base: Run, result: Mapping[str, Any]) -> bool:
    """Whether a result is the one that an accept has: what `expect` describes, else the same."""
    if scenario.expect.tells_acceptance:
        return not scenario.expect.faults(result)
    accepted = base.result or {}
    return all(
        same_json(result.get(key), accepted.get(key)) for key in ("content", "structuredContent")
    )


def _asked_again(script: Script, number: int) -> Iterator[str]:
    """A question that came once more after it was refused."""
    place = next(place for place, (each, _) in enumerate(script.asked) if each == number)
    refused = script.asked[place][1]
    for _, request in script.asked[place + 1 :]:
        same = request.message == refused.message
        if same and same_json(request.requested_schema, refused.requested_schema):
            yield f"it asks again what was refused: {neutral_line(request.message, 120)}"
            return


def _is_clean(error: Exception) -> bool:
    """Whether an end by this error is a refusal, and no breakdown of the server."""
    return isinstance(error, ProtocolCallError) and error.code != INTERNAL_ERROR


def _told(error: Exception) -> str:
    if isinstance(error, ProtocolCallError):
        return f"error {error.shown_code}: {neutral_line(error.message, 400)}"
    return str(error) or type(error).__name__
