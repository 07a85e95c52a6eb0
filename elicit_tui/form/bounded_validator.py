"""jsonschema's 2020-12 validator with every keyword counted and the unbounded ones replaced.

The only module that imports jsonschema; loaded when something is judged for the first time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping
from fractions import Fraction
from itertools import islice
from typing import Any, Final

from jsonschema import Draft202012Validator, FormatChecker
from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend
from referencing import Registry

from elicit_tui.form.formats import FORMATS
from elicit_tui.form.json_values import is_integer, is_number, json_key
from elicit_tui.form.limits import objects
from elicit_tui.form.pattern import SchemaPatterns
from elicit_tui.text import neutral_line

MAX_STEPS: Final = 50_000
"""Keywords looked at in one judgement; a legal answer to a large form takes a few thousand."""
MAX_KEYWORDS_DEEP: Final = 100
"""Keywords inside each other. Each takes four frames of Python's stack, and an exhausted stack
makes the Rust code under jsonschema panic instead of raising RecursionError."""
MAX_SUBSCHEMAS: Final = 4_000
"""Objects in a schema, lists of titled constants aside; checking each takes its time."""

# What a branch may hold that is one titled constant; with anything else it is judged in full.
_PLAIN_BRANCH: Final = frozenset({"const", "title", "description"})


class TooMuchWork(Exception):
    """The schema makes the judge go on and on; never leaves `Judge`."""


class Bounds(FormatChecker):
    """What travels with a validator into each subschema: our formats, patterns and step count."""

    def __init__(self, patterns: SchemaPatterns) -> None:
        # None of jsonschema's own formats, which differ from ours.
        super().__init__(formats=())
        self.patterns = patterns
        self.steps = self.depth = 0
        # By the identity of the list, as its schema keeps it alive for as long as this validator.
        self._tallies: dict[int, Counter[Hashable]] = {}
        self._branch_tallies: dict[int, Counter[Hashable] | None] = {}

    def new_run(self) -> None:
        """A judgement starts."""
        self.steps = self.depth = 0

    def enter(self) -> None:
        """One keyword more; raises TooMuchWork past a limit."""
        self.steps += 1
        self.depth += 1
        if self.steps > MAX_STEPS or self.depth > MAX_KEYWORDS_DEEP:
            raise TooMuchWork

    def leave(self) -> None:
        """The keyword is done."""
        self.depth -= 1

    def conforms(self, instance: object, format: str) -> bool:
        """Whether a string has the format; formats that are not ours only describe."""
        known = FORMATS.get(format)
        return known is None or not isinstance(instance, str) or known.check(instance) is None

    def tally(self, values: list[Any]) -> Counter[Hashable]:
        """How often each value stands in an `enum` of the schema; counted once for each list."""
        known = self._tallies.get(id(values))
        if known is None:
            known = self._tallies[id(values)] = Counter(json_key(value) for value in values)
        return known

    def branch_tally(self, branches: list[Any]) -> Counter[Hashable] | None:
        """The same for `anyOf` and `oneOf` of titled constants; None for other branches."""
        if id(branches) not in self._branch_tallies:
            values = (json_key(branch["const"]) for branch in branches)
            self._branch_tallies[id(branches)] = (
                Counter(values) if is_choice_list(branches) else None
            )
        return self._branch_tallies[id(branches)]


def _counted(keyword: Any) -> Any:
    def counted(
        validator: Any, value: Any, instance: Any, schema: Any
    ) -> Iterator[ValidationError]:
        # The one object that jsonschema hands on into each subschema is the format checker, so the
        # count of steps travels with it.
        validator.format_checker.enter()
        try:
            # Some keywords of jsonschema return None where they find nothing.
            yield from keyword(validator, value, instance, schema) or ()
        finally:
            validator.format_checker.leave()

    return counted


def _format(validator: Any, name: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    if not validator.format_checker.conforms(instance, name):
        yield ValidationError("format")


def _pattern(validator: Any, pattern: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    # None, a pattern that is not enforced, finds no fault: whoever accepts is told (`unenforced`).
    if isinstance(instance, str) and _search(validator, pattern, instance) is False:
        yield ValidationError("pattern")


def _search(validator: Any, pattern: str, text: str) -> bool | None:
    return validator.format_checker.patterns.search(pattern, text)  # type: ignore[no-any-return]


def _pattern_properties(
    validator: Any, patterns: Any, instance: Any, schema: Any
) -> Iterator[ValidationError]:
    if isinstance(instance, Mapping):
        for pattern, subschema in patterns.items():
            for key, value in instance.items():
                # Where a pattern is not enforced nothing is known of the keys, and the subschema is
                # not applied.
                if _search(validator, pattern, key):
                    yield from validator.descend(value, subschema, path=key, schema_path=pattern)


def _additional_properties(
    validator: Any, allowed: Any, instance: Any, schema: Any
) -> Iterator[ValidationError]:
    if not isinstance(instance, Mapping):
        return
    declared = schema.get("properties", {})
    patterns = schema.get("patternProperties", {})
    for key, value in instance.items():
        if key in declared or any(
            # In doubt a key counts as declared: else a pattern that cannot be run would forbid what
            # it means to allow.
            _search(validator, pattern, key) is not False
            for pattern in patterns
        ):
            continue
        if allowed is False:
            yield ValidationError("additionalProperties", path=(key,))
        else:
            yield from validator.descend(value, allowed, path=key)


def _multiple_of(
    validator: Any, step: Any, instance: Any, schema: Any
) -> Iterator[ValidationError]:
    # Exactly: with floats 0.3 is no multiple of 0.1.
    if is_number(instance) and (_exact(instance) / _exact(step)).denominator != 1:
        yield ValidationError("multipleOf")


def _exact(number: int | float) -> Fraction:
    """A fraction as written in decimals (0.07 is a multiple of 0.01), a whole number as it is."""
    return Fraction(number) if is_integer(number) else Fraction(repr(number))


def _unique_items(
    validator: Any, wanted: Any, instance: Any, schema: Any
) -> Iterator[ValidationError]:
    if not wanted or not isinstance(instance, list):
        return
    # Items that cannot be sorted jsonschema compares each with each other, a hundred thousand of
    # them five billion times. A key by value takes one pass.
    if len({json_key(item) for item in instance}) != len(instance):
        yield ValidationError("uniqueItems")


def _enum(validator: Any, values: Any, instance: Any, schema: Any) -> Iterator[ValidationError]:
    if json_key(instance) not in validator.format_checker.tally(values):
        yield ValidationError("enum")


def _any_of(validator: Any, branches: Any, instance: Any, schema: Any) -> Any:
    tally = validator.format_checker.branch_tally(branches)
    if tally is None:
        return Draft202012Validator.VALIDATORS["anyOf"](validator, branches, instance, schema)
    # A tally counts equal constants in all branches: `anyOf` wants one at least, `oneOf` exactly
    # one.
    return () if tally[json_key(instance)] else (ValidationError("anyOf"),)


def _one_of(validator: Any, branches: Any, instance: Any, schema: Any) -> Any:
    tally = validator.format_checker.branch_tally(branches)
    if tally is None:
        return Draft202012Validator.VALIDATORS["oneOf"](validator, branches, instance, schema)
    return () if tally[json_key(instance)] == 1 else (ValidationError("oneOf"),)


def is_choice_list(branches: Any) -> bool:
    """Whether each branch is one titled constant, as selects are spelled."""
    return isinstance(branches, list) and all(
        isinstance(branch, Mapping)
        and "const" in branch
        and branch.keys() <= _PLAIN_BRANCH
        and isinstance(branch.get("title", ""), str)
        and isinstance(branch.get("description", ""), str)
        for branch in branches
    )


_OURS: Final[Mapping[str, Any]] = {
    "additionalProperties": _additional_properties,
    "anyOf": _any_of,
    "enum": _enum,
    "format": _format,
    "multipleOf": _multiple_of,
    "oneOf": _one_of,
    "pattern": _pattern,
    "patternProperties": _pattern_properties,
    "uniqueItems": _unique_items,
}

_KEYWORDS: Final = {**Draft202012Validator.VALIDATORS, **_OURS}
_Bounded: Final[Any] = extend(  # type: ignore[no-untyped-call]
    Draft202012Validator, {name: _counted(keyword) for name, keyword in _KEYWORDS.items()}
)


def validator_for(schema: Any, patterns: SchemaPatterns) -> Any:
    """A validator for the schema, or for any part of it by `evolve`; always 2020-12."""
    # An empty registry: a reference to another document leads nowhere, and nothing is fetched.
    return _Bounded(without_dialects(schema), registry=Registry(), format_checker=Bounds(patterns))


def without_dialects(schema: Any) -> Any:
    """A copy without `$schema` (jsonschema would change its validator at each) and root `$id`."""
    copy = _copy(schema)
    # With a root `$id` each local `$ref` would be resolved against that address.
    if isinstance(copy, dict) and isinstance(copy.get("$id"), str):
        del copy["$id"]
    return copy


def _copy(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {
            # Only as a keyword: a property may have this name.
            key: _copy(part)
            for key, part in value.items()
            if key != "$schema" or not isinstance(part, str)
        }
    return [_copy(part) for part in value] if isinstance(value, list) else value


def metaschema_problem(schema: Mapping[str, Any]) -> str | None:
    """Why this is no JSON Schema, as its path and keyword; None when it is one."""
    checker = Bounds(SchemaPatterns())
    validator = _Bounded(
        Draft202012Validator.META_SCHEMA, registry=Registry(), format_checker=checker
    )
    outline = _outline(without_dialects(schema))
    if sum(1 for _ in islice(objects(outline), MAX_SUBSCHEMAS + 1)) > MAX_SUBSCHEMAS:
        return "its schema is too complicated to be checked"
    # The first one is enough, as the schema is not used then.
    error = next(validator.iter_errors(outline), None)
    return None if error is None else _in_words(error)


def _outline(value: Any) -> Any:
    """The schema with each list of titled constants cut to its first: they are checked by hand."""
    if isinstance(value, dict):
        return {
            key: _outline(part[:1] if key in ("anyOf", "oneOf") and is_choice_list(part) else part)
            for key, part in value.items()
        }
    return [_outline(part) for part in value] if isinstance(value, list) else value


def _in_words(error: Any) -> str:
    """Where the schema is no schema, and what is wanted there."""
    path = ".".join(str(step) for step in error.absolute_path)
    complaint = "is not as the specification of JSON Schema has it"
    if error.validator == "type":
        types = error.validator_value
        complaint = f"must be of type {' or '.join(types) if isinstance(types, list) else types}"
    elif error.validator in ("minimum", "exclusiveMinimum"):
        edge = "at least" if error.validator == "minimum" else "more than"
        complaint = f"must be {edge} {error.validator_value}"
    return f"it is not a JSON Schema: {neutral_line(path, 120)} {complaint}"
