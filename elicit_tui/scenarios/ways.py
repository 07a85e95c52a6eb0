"""The ways that are tried from one accepting scenario: its branches, and answers gone wrong.

All of it is made from one accepting run: what was asked there and what was accepted. A wrong value
is only proposed here; the judge of the form says whether it is wrong, so a schema that allows it is
never tried with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Literal

from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation import Action, ElicitationRequest, Outcome
from elicit_tui.form.field import TEXT_KINDS, Field
from elicit_tui.form.form import Form
from elicit_tui.form.json_values import limit_text
from elicit_tui.form.schema_reading import read_form
from elicit_tui.scenarios.saying_no import contents_that_say_no
from elicit_tui.scenarios.scenario import PreparedAnswer, RunKind, Scenario
from elicit_tui.scenarios.script import Step
from elicit_tui.text import neutral_line

MOST_FIELDS: Final = 20
"""Fields of one question that are answered wrongly, one after the other."""

_MOST_LENGTH: Final = 100_000
"""Of a text that is sent because it is too long, or only just long enough."""

_MOST_EXACT: Final = 2**50
"""Beyond it floats, of which many a judge of numbers is made, know no fractions."""

MARKER: Final = "elicit-tui was not asked for this"
"""The value of a property that the form does not have: a server must not take it over."""


@dataclass(frozen=True)
class Wrong:
    """What is sent past the judge for one question."""

    question: int
    """From 0."""
    kind: Literal["invalid", "extra", "decline with content", "twice", "late", "typed", "short"]
    """`short` is right, and leaves out what is optional."""
    content: Mapping[str, Any] | None = None

    @property
    def acceptable(self) -> bool:
        """Whether it is an answer all the same: odd, or sent too often, and to be taken once."""
        return self.kind in ("extra", "twice", "typed", "short")

    @property
    def typed(self) -> str | None:
        """Stands for what a person types: in the result of its accept alone it may come back.

        Each way has its own, so that it is known from which one a server has it. None: it has none.
        """
        action = {"typed": "accepted", "decline with content": "declined"}.get(self.kind)
        return None if action is None else f"elicit-tui {self.question + 1} {action}"


@dataclass(frozen=True)
class Way:
    """One way through a scenario."""

    name: str
    steps: tuple[Step, ...]
    kind: RunKind = "as written"
    wrong: Wrong | None = None
    refuses: int | None = None
    """The number of the question that is refused, from 0."""
    field: str | None = None
    """The title of the field that is answered wrongly, where it is one."""

    @property
    def typed(self) -> str | None:
        """The text that stands for what a person types, where it types one."""
        return None if self.wrong is None else self.wrong.typed

    @property
    def cancels_the_call(self) -> bool:
        """Whether the call ends without a result."""
        return any(step.does == "cancel the call" for step in self.steps)


Asked = Sequence[tuple[ElicitationRequest, Outcome]]
"""The questions of an accepting run with their outcomes, by the order of the answers."""


def as_written(scenario: Scenario) -> Way:
    """The scenario itself; its name says which way it goes."""
    actions = [answer.action for answer in scenario.answers]
    refused = next((number for number, action in enumerate(actions) if action != "accept"), None)
    name = "accept" if refused is None else branch_name(actions[refused], refused, len(actions))
    return Way(name, tuple(map(Step, scenario.answers)))


def branch_name(refusal: str, number: int, count: int) -> str:
    """`decline`, or where there are several questions `decline 2`; counted from 1."""
    return refusal if count == 1 else f"{refusal} {number + 1}"


def branches(scenario: Scenario, asked: Asked) -> Iterator[Way]:
    """Each question declined, cancelled, left to its deadline and answered with the form's no.

    The questions before it are accepted. While a question that was pushed waits, its call is open,
    and is cancelled too; in a round no request is.
    """
    for number in _accepted(scenario):
        # Both are refusals, and a server may treat them unlike each other.
        actions: tuple[Action, ...] = ("decline", "cancel")
        for action in actions:
            yield _refusing(scenario, number, action, Step(_instead(scenario, number, action)))
        # A deadline that passes: the client sends a cancel by itself.
        yield _refusing(scenario, number, "deadline", Step(scenario.answers[number], "wait"))
        request, outcome = asked[number] if number < len(asked) else (None, None)
        # In a round nothing is open that could be cancelled while a person thinks.
        if request is not None and _is_pushed(request):
            step = Step(scenario.answers[number], "cancel the call")
            yield _refusing(scenario, number, "call cancelled", step)
        if request is None or outcome is None or request.mode != "form":
            continue
        answer = scenario.answers[number]
        form, content = read_form(request.requested_schema), dict(outcome.content or {})
        ways_to_say_no = list(contents_that_say_no(form, content, answer.refusal, request.message))
        for field, no in ways_to_say_no:
            way_name = "no" if len(ways_to_say_no) == 1 else f"no to {neutral_line(field, 60)}"
            # Without defaults: they could put back what the no leaves out.
            step = Step(replace(answer, content=no, use_defaults=False))
            yield _refusing(scenario, number, way_name, step)


def _refusing(scenario: Scenario, number: int, refusal: str, step: Step) -> Way:
    # What comes before it is answered as it is written; what comes after has no step, and is
    # declined.
    steps = (*map(Step, scenario.answers[:number]), step)
    name = branch_name(refusal, number, len(scenario.answers))
    return Way(_after_a_no(scenario, number) + name, steps, "refused", refuses=number)


def _accepted(scenario: Scenario) -> Iterator[int]:
    """The numbers of the questions that have other ways, from 0: those that are accepted."""
    return (at for at, answer in enumerate(scenario.answers) if answer.action == "accept")


def _after_a_no(scenario: Scenario, number: int) -> str:
    """The refusals before a question, as the beginning of a way's name: it is met only so."""
    actions = enumerate(answer.action for answer in scenario.answers[:number])
    noes = [branch_name(no, at, len(scenario.answers)) for at, no in actions if no != "accept"]
    return ", ".join([*noes, "then "]) if noes else ""


def _instead(scenario: Scenario, number: int, action: Action) -> PreparedAnswer:
    return PreparedAnswer(action=action, message=scenario.answers[number].message)


def answers_gone_wrong(scenario: Scenario, asked: Asked) -> Iterator[Way]:
    """Each question answered past the judge in every wrong way that its schema has."""
    steps = tuple(map(Step, scenario.answers))
    for number in _accepted(scenario):
        if number >= len(asked):
            return
        request, outcome = asked[number]
        named = f"question {number + 1}: " if len(asked) > 1 else ""
        where = _after_a_no(scenario, number) + named
        content = dict(outcome.content or {})
        if request.mode == "form":
            form = read_form(request.requested_schema)
            for way in _forms_gone_wrong(form, number, content, steps):
                yield replace(way, name=where + way.name)
        if _is_pushed(request):
            yield _wrong(f"{where}the answer twice", steps, Wrong(number, "twice"))
            yield replace(
                _refusing(scenario, number, "late", Step(_instead(scenario, number, "decline"))),
                name=f"{where}an accept that comes after a decline",
                kind="gone wrong",
                wrong=Wrong(number, "late", content if request.mode == "form" else None),
            )


def _forms_gone_wrong(
    form: Form, number: int, content: dict[str, Any], steps: tuple[Step, ...]
) -> Iterator[Way]:
    """A form answered past the judge: with more, with less and with other than it wants."""
    for field, what, wrong in _invalid(form, content):
        way = _wrong(f"{field} {what}", steps, Wrong(number, "invalid", wrong))
        yield replace(way, field=field)
    extra = Wrong(number, "extra", {**content, "elicit_tui_extra": MARKER})
    # Where the schema forbids what it does not name, such an answer has to be refused; elsewhere
    # it is right, and only the marker must not come back.
    if form.judge_of_schema.faults(extra.content or {}):
        extra = replace(extra, kind="invalid")
    yield _wrong("an extra property", steps, extra)
    typed = _typed(form, content, Wrong(number, "typed"))
    if typed.content != content:
        yield _wrong("what is typed comes back in the result only", steps, typed)
    # What is kept of a question may want another content than its scenario has by now.
    required = (field.name for field in form.fields if field.required)
    short = {name: content[name] for name in required if name in content}
    # A form that wants more than its required fields is not answered by them alone.
    if short != content and not form.judge(short):
        yield _wrong("what is optional is left out", steps, Wrong(number, "short", short))
    declined = _typed(form, content, Wrong(number, "decline with content"))
    yield _wrong("a decline with content", steps, declined)


def _is_pushed(request: ElicitationRequest) -> bool:
    """Whether it is a request of its own, while the call is open."""
    return not request.protocol.rounds and request.wire_id is not None


def _wrong(name: str, steps: tuple[Step, ...], wrong: Wrong) -> Way:
    return Way(name, steps, "gone wrong", wrong)


def _typed(form: Form, content: dict[str, Any], wrong: Wrong) -> Wrong:
    """It, with the content that has what it types wherever the schema allows that text."""
    for field in form.fields:
        if field.kind == "string" and not field.choices and field.name in content:
            marked = {**content, field.name: wrong.typed}
            # Where the schema does not allow it the answer stays as it is.
            content = content if form.judge(marked) else marked
    return replace(wrong, content=content)


def _invalid(form: Form, content: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Contents that the schema does not allow: the field's title, what is wrong, the content."""
    for field in form.fields[:MOST_FIELDS]:
        if not field.sendable:
            continue
        # What is not required may be left out.
        if field.required and field.name in content:
            without = {name: value for name, value in content.items() if name != field.name}
            yield field.title, "is missing", without
        for what, values in (
            ("has the wrong type", _of_another_type(field)),
            ("is null", (None,)),
            ("is no whole number", _fractions(field, content.get(field.name))),
            *_beyond_limits(field, content.get(field.name)),
            (f"is no multiple of {limit_text(field.multiple_of or 1)}", _no_multiples(field)),
            ("is a title and no value", _titles(field)),
        ):
            for value in values:
                wrong = {**content, field.name: value}
                # Only what is wrong by our judge is sent: the first value of each kind that is.
                if form.judge(wrong):
                    yield field.title, what, wrong
                    break


def _of_another_type(field: Field) -> Iterator[Any]:
    text = field.kind in TEXT_KINDS or field.kind == "single"
    yield 1234567 if text and not field.each_line else "elicit-tui"


def _fractions(field: Field, sent: Any) -> Iterator[Any]:
    """A fraction beside a whole number, within the limits."""
    # Near what was accepted, so that nothing but the fraction is wrong.
    start = sent if isinstance(sent, int) else field.minimum or field.maximum or 0
    if field.kind == "integer" and abs(start) < _MOST_EXACT:
        yield from (near for near in (start + 0.5, start - 0.5) if _within(field, near))


def _beyond_limits(field: Field, sent: Any) -> Iterator[tuple[str, Sequence[Any]]]:
    """Values of the right type beyond each limit by itself; the judge says which of them are."""
    if field.kind in ("number", "integer"):
        lows = (field.minimum, field.exclusive_minimum)
        yield "is too small", [int(low) - 1 for low in lows if low is not None]
        highs = (field.maximum, field.exclusive_maximum)
        yield "is too large", [int(high) + 1 for high in highs if high is not None]
    elif field.kind == "single":
        yield "is no choice", ["elicit-tui"]
    elif field.kind == "multi":
        choices = [choice.value for choice in field.choices]
        # As many as must be chosen, one of them none of the choices.
        yield "is no choice", [["elicit-tui", *choices[1 : field.min_items or 1]]]
        yield (
            "has too few choices",
            [choices[: (field.min_items or 0) - 1]] if field.min_items else [],
        )
        yield "has too many choices", [choices]
    elif field.kind in TEXT_KINDS:
        yield from _misfit_texts(field, str(sent))


def _misfit_texts(field: Field, sent: str) -> Iterator[tuple[str, Sequence[str]]]:
    longest, shortest = field.max_length, field.min_length or 0
    if longest is not None and longest < _MOST_LENGTH:
        yield "is too long", [sent[:1] * (longest + 1)]
    if shortest:
        yield "is too short", [sent[: shortest - 1]]
    # No address, no date, nothing of any pattern; within the lengths, so that only the form is
    # wrong.
    odd = ("elicit-tui", "!" * max(1, min(shortest, _MOST_LENGTH)), sent * 2, "")
    yield (
        "has the wrong form",
        [text for text in odd if shortest <= len(text) <= (longest or len(text))],
    )


def _no_multiples(field: Field) -> Iterator[Any]:
    """Numbers of the right type within the limits; the judge says which is no multiple."""
    step = field.multiple_of
    if not step or field.kind not in ("number", "integer"):
        return
    bounds = (field.minimum, field.exclusive_minimum, field.maximum, field.exclusive_maximum)
    start = next((bound for bound in bounds if bound is not None), 0)
    if max(abs(start), step) > _MOST_EXACT:
        return
    # A step and what lies beside it: of a larger one, a few numbers in a row are no multiples too.
    distances = range(int(min(step, 20)) + 3)
    whole_numbers = (int(start) + sign * away for away in distances for sign in (1, -1))
    half_steps = (float(start) + sign * step / 2 for sign in (1, -1, 3, -3))
    for number in whole_numbers if field.kind == "integer" else (*whole_numbers, *half_steps):
        if _within(field, number) and not float(number / step).is_integer():
            yield number


def _within(field: Field, number: float) -> bool:
    """Whether a number keeps a field's limits."""
    return (
        (field.minimum is None or number >= field.minimum)
        and (field.maximum is None or number <= field.maximum)
        and (field.exclusive_minimum is None or number > field.exclusive_minimum)
        and (field.exclusive_maximum is None or number < field.exclusive_maximum)
    )


def _titles(field: Field) -> Iterator[Any]:
    for choice in field.choices:
        if choice.label != choice.value:
            yield [choice.label] if field.kind == "multi" else choice.label
