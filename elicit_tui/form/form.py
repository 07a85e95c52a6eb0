"""The form: fields, raw input to content, what can be sent of it, and the judge's verdict."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from functools import cached_property
from typing import Any, Final, Literal

from elicit_tui.dataclass import dataclass
from elicit_tui.form.conversion import entry_for, value_of
from elicit_tui.form.field import Entry, Field, Problem, Unset
from elicit_tui.form.json_values import MISSING, is_writable
from elicit_tui.form.judge import Fault, Judge
from elicit_tui.form.pattern import patterns_of, unchecked
from elicit_tui.form.wording import NOT_ASKED_FOR, in_words, place_words
from elicit_tui.text import neutral_line

NEEDS_ANSWER: Final = "needs an answer"
WHOLE_FORM: Final = "the form as a whole"
"""Stands among `unenforced` for a pattern that belongs to no single field."""


@dataclass(frozen=True)
class Conversion:
    """What the entries come to: the content as far as it goes, and what is still wrong with it."""

    content: dict[str, Any]
    """Exactly what would be sent; complete when there are no problems."""
    problems: tuple[Problem, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether the content may be sent."""
        return not self.problems


def problem_in(value: Any, schema: Any) -> Problem | None:
    """The first thing in any JSON value that a JSON Schema does not allow; None when it is valid.

    The problem's field is the place, as a JSON pointer.
    """
    faults = Judge(schema).faults(value)
    if not faults:
        return None
    place = "".join(f"/{part}" for part in faults[0].path)
    return Problem(place or None, in_words(faults[0], None))


@dataclass(frozen=True, eq=False)
class Form:
    """What one schema asks for. Made by `read_form`; texts are neutral, names are raw."""

    schema: Any = dataclasses.field(repr=False)
    """The schema as the server sent it."""
    purpose: Purpose
    judge_of_schema: Judge = dataclasses.field(repr=False)
    fields: tuple[Field, ...] = ()
    """In the server's order, unsupported ones included."""
    title: str | None = None
    description: str | None = None
    notes: tuple[str, ...] = ()
    """What the person should know about the form as a whole."""
    refusal: str | None = None
    """Why no answer to this form exists, as a clause; Decline and Cancel remain."""
    beyond: str | None = None
    """For arguments: why a JSON editor is needed instead of fields, as a clause."""

    @property
    def is_confirmation(self) -> bool:
        """Whether there is nothing to fill in: a plain yes/no question."""
        return not self.fields and self.refusal is None and self.beyond is None

    @cached_property
    def by_name(self) -> Mapping[str, Field]:
        """The fields by their raw names."""
        return {field.name: field for field in self.fields}

    @property
    def schema_problem(self) -> str | None:
        """Why the schema is no JSON Schema that can be judged by, as a clause; None when it is."""
        return self.judge_of_schema.schema_problem

    @property
    def unenforced(self) -> tuple[str, ...]:
        """Names of fields whose pattern could not be run, so far; no rule may accept then."""
        runnable = self.judge_of_schema.patterns.compilable
        return tuple(
            name for name, patterns in self._patterns.items() if not all(map(runnable, patterns))
        )

    @cached_property
    def _patterns(self) -> Mapping[str, tuple[str, ...]]:
        return patterns_of(self.schema, tuple(self.by_name), WHOLE_FORM) if self.fields else {}

    def notes_for(self, name: str) -> tuple[str, ...]:
        """A field's notes, with what became known while its answers were judged."""
        own = self.by_name[name].notes
        reasons = self.judge_of_schema.patterns.unenforced
        late = [reasons[pattern] for pattern in self._patterns.get(name, ()) if pattern in reasons]
        notes = map(unchecked, late)
        # The same reason may be known from reading and from running.
        return (*own, *(note for note in notes if note not in own))

    def initial(self) -> dict[str, Entry]:
        """An entry for each sendable field: the default where there is one, else Unset."""
        return {field.name: field.initial for field in self.fields if field.sendable}

    def entries_for(self, content: Mapping[str, Any]) -> dict[str, Entry]:
        """Content (a draft, a recorded answer) as entries; undeclared names are dropped."""
        return {
            field.name: entry_for(field, content[field.name]) if field.name in content else Unset()
            for field in self.fields
            if field.sendable
        }

    def convert(self, entries: Mapping[str, Entry]) -> Conversion:
        """Raw input to content, judged; absent names count as Unset. Problems in field order."""
        content: dict[str, Any] = {}
        problems: dict[str, Problem] = {}
        for field in self.fields:
            value = value_of(field, entries.get(field.name, Unset())) if field.sendable else MISSING
            if isinstance(value, Problem):
                problems[field.name] = value
            elif value is not MISSING:
                content[field.name] = value
        of_form: list[Problem] = []
        for problem in self.judge(content):
            if problem.field is None:
                of_form.append(problem)
            else:
                # What conversion found comes first: the judge saw content without that value.
                problems.setdefault(problem.field, problem)
        in_order = [problems.pop(field.name) for field in self.fields if field.name in problems]
        return Conversion(content, (*in_order, *problems.values(), *of_form))

    def lacking(self, conversion: Conversion) -> tuple[int, int]:
        """How many required answers are missing, and how many are to be corrected."""
        required = {field.name for field in self.fields if field.required}
        at_fault = {problem.field: problem.message for problem in conversion.problems}
        missing = sum(at_fault.get(name) == NEEDS_ANSWER for name in required)
        return missing, len(at_fault) - missing

    def check_field(self, name: str, entry: Entry) -> str | None:
        """What is wrong with one field's input, cheap enough for each key; None when nothing is.

        Looks at this field alone; what binds several fields together shows in `convert`.
        """
        field = self.by_name.get(name)
        if field is None or not field.sendable:
            return None
        value = value_of(field, entry)
        if isinstance(value, Problem):
            return value.message
        if value is MISSING:
            return NEEDS_ANSWER if field.required else None
        faults = self.judge_of_schema.property_faults(name, value)
        return in_words(faults[0], field, _line(faults[0].path, field)) if faults else None

    def judge(self, content: Any) -> tuple[Problem, ...]:
        """THE verdict on content, whoever answered: by the original schema and the wire's limits.

        An elicitation's answer has no field that was not asked for, whatever the schema allows
        beside its properties: nobody was shown it. Never raises and takes bounded time; whatever
        goes wrong in it is a problem.
        """
        if self.refusal is not None:
            return (Problem(None, f"this form cannot be answered: {self.refusal}"),)
        # First what can never be sent, so that the judge has values that are JSON.
        unfit = unsendable(content, self.purpose)
        if unfit is not None:
            return (unfit,)
        problems: dict[str | None, Problem] = {}
        for fault in self.judge_of_schema.faults(content):
            for problem in self._problems(fault, content):
                # One problem for each field, the first.
                problems.setdefault(problem.field, problem)
        unasked = self._not_asked_for(content)
        if unasked is not None:
            problems.setdefault(None, unasked)
        return tuple(problems.values())

    def _not_asked_for(self, content: Mapping[str, Any]) -> Problem | None:
        if self.purpose != "elicitation" or not isinstance(self.schema, Mapping):
            return None
        declared = self.schema.get("properties")
        if not isinstance(declared, Mapping):
            return None
        for name in content:
            if name not in declared:
                return Problem(None, f"“{neutral_line(str(name), 80)}”: {NOT_ASKED_FOR}")
        return None

    def _problems(self, fault: Fault, content: Mapping[str, Any]) -> list[Problem]:
        if fault.path:
            name = fault.path[0]
            if name in self.by_name:
                field = self.by_name[name]
                words = in_words(fault, field, _line(fault.path[1:], field))
                # Of a field of the form every part is drawn; of any other the place is named.
                inside = "" if field.sendable else place_words(fault.path[1:])
                return [Problem(name, words, inside)]
            return [Problem(None, f"“{neutral_line(str(name), 80)}”: {in_words(fault, None)}")]
        if fault.keyword == "required" and isinstance(fault.expected, list):
            missing = [name for name in fault.expected if name not in content]
            return [
                Problem(name if name in self.by_name else None, _needed(name, self.by_name))
                for name in missing
            ]
        if fault.keyword == "dependentRequired" and isinstance(fault.expected, Mapping):
            return [
                Problem(needed if needed in self.by_name else None, NEEDS_ANSWER)
                for name, others in fault.expected.items()
                for needed in others
                if name in content and needed not in content
            ]
        return [Problem(None, in_words(fault, None))]


def _line(path: tuple[Any, ...], field: Field) -> int | None:
    """Which line a fault is in, for a list of free texts."""
    return path[0] if path and field.each_line and isinstance(path[0], int) else None


def _needed(name: Any, known: Mapping[str, Field]) -> str:
    return NEEDS_ANSWER if name in known else f"“{neutral_line(str(name), 80)}” {NEEDS_ANSWER}"


# What can be sent at all

Purpose = Literal["elicitation", "arguments"]
"""What a form is filled in for: a server's question, or a call of a tool."""


def unsendable(content: Any, purpose: Purpose) -> Problem | None:
    """The first thing that cannot be sent at all, or None.

    An elicitation's content is text, numbers, booleans and lists of texts (spec:
    client/elicitation, `ElicitResult.content`); arguments are any JSON object.
    """
    if not isinstance(content, Mapping):
        return Problem(None, "an object with the answers by name")
    for name, value in content.items():
        if not isinstance(name, str):
            return Problem(None, "names that are texts")
        if purpose == "elicitation" and not _is_flat(value):
            allowed = "a text, a number, yes or no, or a list of texts"
            return Problem(name, f"“{neutral_line(name, 80)}” can only be sent as {allowed}")
        if not _is_writable(value) or not _is_unicode(name):
            return Problem(name, "text and numbers that can be written as JSON")
    return None


def _is_flat(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return all(isinstance(item, str) for item in value)
    return isinstance(value, (str, int, float))


def _is_writable(value: Any) -> bool:
    stack = [value]
    while stack:
        here = stack.pop()
        if isinstance(here, Mapping):
            stack.extend(here.values())
        elif isinstance(here, (list, tuple)):
            stack.extend(here)
        # Half of a surrogate pair is text in Python and cannot be written.
        elif not is_writable(here) or (isinstance(here, str) and not _is_unicode(here)):
            return False
    return True


def _is_unicode(text: str) -> bool:
    """Whether a text can be written as UTF-8: it has no half of a surrogate pair."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
