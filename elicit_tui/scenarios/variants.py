"""The ways that are tried from one accepting scenario: its branches, and answers gone wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from elicit_tui.elicitation import Action, ElicitationRequest, Outcome
from elicit_tui.form import Field, Form, read_form
from elicit_tui.form.field import TEXT_KINDS
from elicit_tui.scenarios.scenario import PreparedAnswer, Scenario
from elicit_tui.scenarios.script import Step

MOST_FIELDS: Final = 20
"""Fields of one question that are answered wrongly, one after the other."""

MARKER: Final = "elicit-tui was not asked for this"
"""The value of a property that the form does not have: a server must not take it over."""


@dataclass(frozen=True)
class Wrong:
    """What is sent past the judge for one question."""

    question: int
    """From 0."""
    kind: Literal["invalid", "extra", "decline with content", "twice", "late"]
    content: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Variant:
    """One way through a scenario."""

    name: str
    steps: tuple[Step, ...]
    kind: Literal["as written", "refused", "gone wrong"] = "as written"
    wrong: Wrong | None = None
    refuses: int | None = None
    """The number of the question that is refused, from 0."""
    deadline: bool = False
    """Whether a question waits until its deadline passes."""


def as_written(scenario: Scenario) -> Variant:
    """The scenario itself; its name says which way it goes."""
    ways = [each.action for each in scenario.answers]
    refused = next((number for number, way in enumerate(ways) if way != "accept"), None)
    name = "accept" if refused is None else branch_name(ways[refused], refused, len(ways))
    return Variant(name, tuple(map(Step, scenario.answers)))


def branch_name(way: str, number: int, count: int) -> str:
    """`decline`, or where there are several questions `decline 2`; counted from 1."""
    return way if count == 1 else f"{way} {number + 1}"


def branches(scenario: Scenario) -> Iterator[Variant]:
    """Each question declined, cancelled and left to its deadline, the ones before it accepted."""
    for number in range(len(scenario.answers)):
        ways: tuple[Action, ...] = ("decline", "cancel")
        for way in ways:
            yield _refusing(scenario, number, way, Step(_instead(scenario, number, way)))
        waiting = Step(scenario.answers[number], "wait")
        yield replace(_refusing(scenario, number, "deadline", waiting), deadline=True)


def _refusing(scenario: Scenario, number: int, way: str, step: Step) -> Variant:
    steps = (*map(Step, scenario.answers[:number]), step)
    name = branch_name(way, number, len(scenario.answers))
    return Variant(name, steps, "refused", refuses=number)


def _instead(scenario: Scenario, number: int, action: Action) -> PreparedAnswer:
    return PreparedAnswer(action=action, message=scenario.answers[number].message)


def answers_gone_wrong(
    scenario: Scenario, asked: Sequence[tuple[ElicitationRequest, Outcome]]
) -> Iterator[Variant]:
    """Each question answered past the judge in every wrong way that its schema has.

    `asked` are the questions of the accepting run with their outcomes, by their answers' order.
    """
    steps = tuple(map(Step, scenario.answers))
    for number, (request, outcome) in enumerate(asked):
        where = f"question {number + 1}: " if len(asked) > 1 else ""
        content = dict(outcome.content or {})
        if request.mode == "form":
            form = read_form(request.requested_schema)
            for name, wrong in _invalid(form, content):
                yield _wrong(f"{where}{name}", steps, Wrong(number, "invalid", wrong))
            extra = Wrong(number, "extra", {**content, "elicit_tui_extra": MARKER})
            if form.judge_of_schema.faults(extra.content or {}):
                extra = replace(extra, kind="invalid")
            yield _wrong(f"{where}an extra property", steps, extra)
            declined = Wrong(number, "decline with content", content)
            yield _wrong(f"{where}a decline with content", steps, declined)
        if request.era == "handshake" and request.wire_id is not None:
            yield _wrong(f"{where}the answer twice", steps, Wrong(number, "twice"))
            yield replace(
                _refusing(scenario, number, "late", Step(_instead(scenario, number, "decline"))),
                name=f"{where}an accept that comes after a decline",
                kind="gone wrong",
                wrong=Wrong(number, "late", content if request.mode == "form" else None),
            )


def _wrong(name: str, steps: tuple[Step, ...], wrong: Wrong) -> Variant:
    return Variant(name, steps, "gone wrong", wrong)


def _invalid(form: Form, content: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Contents that the schema does not allow, each with what is wrong about it."""
    for field in form.fields[:MOST_FIELDS]:
        if not field.sendable:
            continue
        if field.required and field.name in content:
            without = {name: value for name, value in content.items() if name != field.name}
            yield f"{field.title} is missing", without
        for what, values in (
            ("has the wrong type", _of_another_type(field)),
            ("is out of range", _out_of_range(field, content.get(field.name))),
            ("is a title and no value", _titles(field)),
        ):
            for value in values:
                wrong = {**content, field.name: value}
                if form.judge(wrong):
                    yield f"{field.title} {what}", wrong
                    break


def _of_another_type(field: Field) -> Iterator[Any]:
    text = field.kind in TEXT_KINDS or field.kind == "single"
    yield 1234567 if text and not field.each_line else "elicit-tui"


def _out_of_range(field: Field, sent: Any) -> Iterator[Any]:
    """Values of the right type beyond a limit; the judge says which of them are."""
    if field.kind in ("number", "integer"):
        for low in (field.minimum, field.exclusive_minimum):
            if low is not None:
                yield int(low) - 1
        for high in (field.maximum, field.exclusive_maximum):
            if high is not None:
                yield int(high) + 1
        if field.multiple_of:
            yield field.multiple_of / 2
    elif field.kind == "single":
        yield "elicit-tui"
    elif field.kind == "multi":
        yield ["elicit-tui"]
        yield []
        yield [choice.value for choice in field.choices]
    elif field.kind not in ("boolean", "unsupported"):
        if field.max_length is not None and field.max_length < 100_000:
            yield "x" * (field.max_length + 1)
        yield from ("", "elicit-tui", "!", str(sent) * 2)


def _titles(field: Field) -> Iterator[Any]:
    for choice in field.choices:
        if choice.label != choice.value:
            yield [choice.label] if field.kind == "multi" else choice.label
