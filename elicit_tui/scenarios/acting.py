"""What acting is: the parts of an accepted outcome that a refusal may not show.

What `expect` describes; where nothing is expected, what the accept showed and was not asked for.
"""

from __future__ import annotations

import glob
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Any, Final

from elicit_tui.elicitation.toml_spelling import toml_value
from elicit_tui.form.json_values import MISSING, same_json
from elicit_tui.form.limits import at_pointer, pointer_part
from elicit_tui.scenarios.result import Run
from elicit_tui.scenarios.scenario import Scenario, advice, excerpt, text_of
from elicit_tui.text import neutral_line

CANNOT_TELL: Final = (
    "nothing here says what acting is: a refusal is only held against what the accept showed"
)
SAME_ON_REFUSAL: Final = (
    "on_refusal holds for the accepted result too: nothing here tells a refusal from an act"
)
REFUSAL_ALONE: Final = (
    "watch: whether an accept would change this is not shown where the only answer is a no; the "
    "branches of an accept show it"
)
SAID_NO: Final = (
    "this content reads as a no to what is asked, so that no other way is tried (refusal beside "
    "content says what the no is, empty: that there is none)"
)
_NOTHING: Final[tuple[Any, ...]] = (None, False, "", 0, [], {})
"""Values that stand where nothing was done, and so tell of no act."""
_MOST_LEAVES: Final = 1_000
_MOST_OF_A_LINE: Final = 60


def shown_of_acceptance(
    scenario: Scenario, base: Run | None, result: Mapping[str, Any]
) -> Iterator[str]:
    """The parts of the accepted outcome that a result shows, each in a few words.

    `base`: the accepted run, needed where `expect` describes none.
    What stands there as `on_refusal` says it is no act.
    """
    if scenario.expect.tells_acceptance:
        yield from _expected_parts(scenario, result)
    elif base is not None and not _told_as_refusal(scenario, base, result):
        yield from _parts_of(scenario, base.result or {}, result)


def _told_as_refusal(scenario: Scenario, accepted: Run, result: Mapping[str, Any]) -> bool:
    """Whether a result is what `on_refusal` says, where the accepted one is not."""
    refusal = scenario.on_refusal
    if refusal is None or not refusal.tells_result or refusal.faults(result):
        return False
    # What holds for an accept too tells no refusal from it.
    return bool(refusal.faults(accepted.result or {}))


def shows_acting(scenario: Scenario, accepted: Run) -> bool:
    """Whether the accepted run itself shows what no refusal may; else nothing could be told."""
    if scenario.watch or accepted.result is None:
        return True
    return any(shown_of_acceptance(scenario, accepted, accepted.result))


def _expected_parts(scenario: Scenario, result: Mapping[str, Any]) -> Iterator[str]:
    expect, instead = scenario.expect, scenario.on_refusal
    pointers = dict(expect.structured or {})
    of_refusal = (instead.structured or {}) if instead is not None else {}
    there = {
        pointer: value
        for pointer, value in pointers.items()
        if same_json(at_pointer(result.get("structuredContent"), pointer), value)
    }
    # Where only values that tell of nothing are expected, all of them together are the outcome.
    empty = all(_is_nothing(value) for value in pointers.values()) and expect.text is None
    empty = empty and len(there) == len(pointers)
    for pointer, value in there.items():
        # Only where it is there as it stands after a refusal does that say instead what it is.
        refused = pointer in of_refusal and same_json(of_refusal[pointer], value)
        if not refused and (empty or not _is_nothing(value)):
            yield f"structured {pointer} is {excerpt(value, 60)}"
    # A text that is the error of a result is no act.
    if expect.text is None or result.get("isError") is True:
        return
    spoken = instead.text if instead is not None else None
    refused = spoken is not None and fnmatchcase(text_of(result), spoken)
    if not refused and fnmatchcase(text_of(result), expect.text):
        yield f"the text is {excerpt(text_of(result), 80)}"


def _parts_of(
    scenario: Scenario, accepted: Mapping[str, Any], result: Mapping[str, Any]
) -> Iterator[str]:
    """What a result has of the accepted one, but for what says nothing and what was asked for."""
    same = (
        same_json(result.get(key), accepted.get(key)) for key in ("content", "structuredContent")
    )
    if all(same):
        yield "the result is the accepted one"
        return
    now = dict(_leaves(result.get("structuredContent")))
    for place, value in _leaves(accepted.get("structuredContent")):
        echoed = _echoed(scenario, value)
        # What was given as an argument comes back whatever was done.
        if not _is_nothing(value) and not echoed and same_json(now.get(place, MISSING), value):
            yield f"structured {place} is {excerpt(value, 60)} (expect would tell what acting is)"
    text = text_of(result)
    # With a structured result the words beside it prove nothing.
    if "structuredContent" not in accepted and text.strip() and text == text_of(accepted):
        yield f"the text is {excerpt(text, 80)}"


def _leaves(value: Any) -> Iterator[tuple[str, Any]]:
    """The values in a JSON value that hold no others, with their JSON pointers; bounded."""
    waiting, count = [("", value)], 0
    while waiting and count < _MOST_LEAVES:
        place, value = waiting.pop(0)
        count += 1
        if isinstance(value, Mapping):
            waiting += [(f"{place}/{pointer_part(key)}", part) for key, part in value.items()]
        elif isinstance(value, list):
            waiting += [(f"{place}/{number}", part) for number, part in enumerate(value)]
        else:
            yield place, value


def _echoed(scenario: Scenario, value: Any) -> bool:
    return any(same_json(value, argument) for _, argument in _leaves(scenario.arguments))


def _is_nothing(value: Any) -> bool:
    return any(same_json(value, nothing) for nothing in _NOTHING)


def hides_an_act(accepted: Run, again: Run) -> Iterator[str]:
    """What an accept leaves as it is where the accept before it left it.

    Nor would it show there what a refusal does, if that is what the accept did.
    """
    for subject in accepted.watched.changed:
        parts = [""]
        # Where it did change again, only those of its parts that stayed are in doubt.
        if subject not in again.watched.unchanged:
            moved = again.watched.changed_parts(subject)
            parts = [part for part in accepted.watched.changed_parts(subject) if part not in moved]
        if parts:
            place = neutral_line(" ".join([subject, *parts[:3]]).strip(), 200)
            yield (
                f"watch: {place} is the same after a second accept: a server that acts on a "
                "refusal would leave it the same too, so no other way was tried. "
                f"{advice(accepted.scenario.runner, 'anew')}"
            )


def cannot_tell(run: Run, *, more_ways: bool) -> str | None:
    """That the scenario says nothing by which acting could be told from not acting, if so.

    `more_ways`: whether others than the one that is written are wanted.
    """
    scenario = run.scenario
    if run.refused and not scenario.refuses and more_ways:
        return SAID_NO
    if run.refused or not more_ways:
        return REFUSAL_ALONE if run.refused and scenario.watch else None
    if scenario.tells_acting:
        return None if shows_acting(scenario, run) else SAME_ON_REFUSAL
    return f"{CANNOT_TELL} ({advice(scenario.runner, 'what acting is', _telling(run))})"


def untold(base: Run, *, more_ways: bool) -> Iterator[str]:
    """What the ways of a scenario cannot show, each as a sentence; `more_ways` are wanted."""
    if (why := cannot_tell(base, more_ways=more_ways)) is not None:
        yield why
    if more_ways and base.passed:
        yield from _left_out(base.scenario)


def _left_out(scenario: Scenario) -> Iterator[str]:
    """Which other ways a scenario has not, as an answer of it is a refusal; and what that hides."""
    noes = [at for at, answer in enumerate(scenario.answers, 1) if answer.action != "accept"]
    if not noes:
        return
    which = " and ".join(f"question {at}" for at in noes)
    yield (
        f"left out: the other ways of {which}, which this scenario refuses; one that accepts all "
        "of its questions tries them"
    )
    if len(noes) < len(scenario.answers):
        yield (
            "as it ends with a refusal, a wrong answer to its other questions is held against "
            "errors, on_refusal and watch only, not against expect"
        )


def _telling(accepted: Run) -> str:
    """What `expect` could say of an accepted result, as TOML."""
    result = accepted.result or {}
    for place, value in _leaves(result.get("structuredContent")):
        if not _is_nothing(value) and not _echoed(accepted.scenario, value):
            return f"structured = {{ {toml_value(place)} = {toml_value(value)} }}"
    line = next((line for line in text_of(result).splitlines() if line.strip()), "…")
    return f"text = {toml_value(glob.escape(line[:_MOST_OF_A_LINE]) + '*')}"
