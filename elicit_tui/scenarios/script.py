"""Answers the questions of one run by its steps, in order; nobody is asked."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import field
from fnmatch import fnmatchcase
from typing import Any, Final, Literal

from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation import (
    Deadline,
    ElicitationRequest,
    Outcome,
    Question,
    accept,
    cancel,
    decline,
)
from elicit_tui.form.form import Form
from elicit_tui.form.schema_reading import read_form
from elicit_tui.scenarios.scenario import PreparedAnswer, Runner, advice
from elicit_tui.text import in_seconds, neutral_line

MOST_UNPLANNED: Final = 20
"""Questions without a step before the call is cancelled: a server may ask until it is accepted."""

DEADLINE_SECONDS: Final = 0.3
"""How long a question waits where its deadline is to pass."""


@dataclass(frozen=True)
class Step:
    """What is done with one question."""

    answer: PreparedAnswer
    does: Literal["answer", "wait", "cancel the call"] = "answer"
    """`wait`: nothing at all, until its deadline passes."""


@dataclass
class Script:
    """The responder of a run. What could not go as written is in `problems`."""

    steps: Sequence[Step]
    refuse_the_rest: bool = False
    """Whether further questions are declined and no problem: a refusal came before them."""
    asked: list[tuple[int | None, ElicitationRequest]] = field(default_factory=list)
    """Each question that came, with the number of its step; None where it has none."""
    problems: list[str] = field(default_factory=list)
    runner: Runner = "command"
    most_unplanned: int = MOST_UNPLANNED
    unplanned: int = 0
    """How many questions came that have no step."""
    broke_off: bool = False
    """Whether there were so many of them that the call was cancelled."""
    cancel_call: Callable[[], Awaitable[None]] | None = None
    """Gives up the call that asks, while it waits."""
    wrong_message: str | None = None
    """The message of the question that got a wrong answer; asked again, it is declined."""
    _used: set[int] = field(default_factory=set)

    @property
    def unused(self) -> list[int]:
        """The numbers of the steps that met no question, from 0."""
        return [number for number in range(len(self.steps)) if number not in self._used]

    async def respond(self, question: Question, deadline: Deadline) -> Outcome:
        """Answer one question by the next step that fits it."""
        deadline.start()
        # A login is no question of a tool, and nobody is there to do it.
        if question.request.traits.takes_redirect:
            name = neutral_line(question.request.server.name, 80)
            self.problems.append(f"{name} wants a login first: elicit-tui login {name}")
            return cancel("answers", "Cancelled: a scenario does not log in.")
        # Given back by the broker: the answer was not valid, or passed over something.
        if any(asked.id == question.id for _, asked in self.asked):
            why = question.note or "It was given back."
            self.problems.append(f"{self._place(question.request)}: {why}")
            return cancel("answers", f"The scenario's answer could not be given. {why}")
        number = self._next(question.request)
        self.asked.append((number, question.request))
        if number is None:
            self.unplanned += 1
            if self.unplanned >= self.most_unplanned:
                await self._break_off()
            return self._without_a_step(question.request)
        self._used.add(number)
        step = self.steps[number]
        if step.does == "wait":
            await asyncio.sleep(DEADLINE_SECONDS)
            return cancel("deadline", f"No answer was given within {in_seconds(DEADLINE_SECONDS)}.")
        if step.does == "cancel the call":
            assert self.cancel_call is not None
            await self.cancel_call()
            return cancel("answers", "The scenario cancelled the call.")
        return self._prepared_outcome(question, step.answer, number)

    def _next(self, request: ElicitationRequest) -> int | None:
        if request.message == self.wrong_message:
            return None
        # The first step that fits and is left: two alike are answered in their order.
        left = (number for number in self.unused if self.steps[number].answer.fits(request.message))
        return next(left, None)

    def _place(self, request: ElicitationRequest) -> str:
        number = next((place for place, asked in self.asked if asked.id == request.id), None)
        return "a question" if number is None else f"question {number + 1}"

    async def _break_off(self) -> None:
        """Cancel the call of a server that does not stop asking."""
        # What it still asks until then is answered as ever, and cancels nothing again.
        if self.broke_off:
            return
        self.broke_off = True
        if not self.refuse_the_rest:
            self.problems.append(
                f"{self.unplanned} questions came that were not expected, then its call was "
                "cancelled"
            )
        if self.cancel_call is not None:
            await self.cancel_call()

    def _without_a_step(self, request: ElicitationRequest) -> Outcome:
        if self.refuse_the_rest:
            return decline("answers", "Declined: an earlier question was refused.")
        message = neutral_line(request.message, 120) or "(no message)"
        # One that comes again and again is told once.
        if (problem := f"a question that was not expected: {message}") not in self.problems:
            self.problems.append(problem)
        return cancel("answers", "Cancelled: the scenario has no answer for it.")

    def _prepared_outcome(self, question: Question, answer: PreparedAnswer, number: int) -> Outcome:
        source = f"answer {number + 1} of the scenario."
        if answer.action == "decline":
            return decline("answers", f"Declined by {source}")
        if answer.action == "cancel":
            return cancel("answers", f"Cancelled by {source}")
        # What the guardian warns of passes only by name, as in a rule.
        if warned := _not_listed(question, answer):
            rules, listed = ", ".join(warned), '", "'.join(warned)
            self.problems.append(
                f"question {number + 1}: the guardian warns ({rules}), and despite does not "
                f"list it ({advice(self.runner, 'despite', listed)})"
            )
            return cancel("answers", f"Cancelled: {rules} is not listed in despite.")
        content = None
        if question.request.mode == "form":
            form = question.form or read_form(question.request.requested_schema)
            content = content_of(form, answer)
            for problem in form.judge(content):
                self.problems.append(f"question {number + 1}: {problem}")
                return cancel("answers", "Cancelled: the scenario's answer is not valid.")
        found = question.examine(content) if content else ()
        # Everything that was found is acknowledged: `despite` has let it pass.
        seen = frozenset(finding.id for finding in (*question.to_acknowledge, *found))
        return accept("answers", f"Accepted by {source}", content, acknowledged=seen)


def _not_listed(question: Question, answer: PreparedAnswer) -> list[str]:
    """The rules whose warnings an answer may not pass, each once."""
    rules = dict.fromkeys(finding.rule for finding in question.to_acknowledge)
    return [
        neutral_line(rule, 80)
        for rule in rules
        if not any(fnmatchcase(rule, glob) for glob in answer.despite)
    ]


def content_of(form: Form, answer: PreparedAnswer) -> Mapping[str, Any]:
    """What a prepared answer sends for this form."""
    defaults = form.convert(form.initial()).content if answer.use_defaults else {}
    return {**defaults, **(answer.content or {})}
