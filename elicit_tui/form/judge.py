"""The one judge of content against a schema: jsonschema (2020-12) within bounds.

It retrieves nothing, follows `$ref` only inside the schema, runs patterns and all other work
within limits, and takes any trouble of its own for a no.

What is bounded, and where: the schema's size and the use of `unevaluated…` before anything runs
(`_find_schema_problem`), the keywords that one judgement may look at and their depth
(`bounded_validator`), the time of all patterns together (`pattern`). The values of both sides are
hostile: a schema may be made to take for ever, and content comes from rules and hooks too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from typing import Any, Final

from elicit_tui.dataclass import dataclass
from elicit_tui.form.limits import objects, too_large
from elicit_tui.form.pattern import SchemaPatterns

# Of one judgement; what a person reads is the first of them.
MAX_FAULTS: Final = 1_000
_PANIC: Final = "PanicException"
"""A class that no module has: only its name tells it."""
_OTHER_TROUBLE: Final = "it could not be checked by the server's schema"


@dataclass(frozen=True)
class Fault:
    """One thing that the judge found, before `wording` puts it into words."""

    path: tuple[Any, ...]
    """Where in the content: property names and indexes."""
    keyword: str
    """The schema's keyword that says no; "judge" when the judge itself could not go on."""
    expected: Any = None
    """The keyword's value."""
    instance: Any = None
    """The value at fault."""
    schema: Any = None
    """The schema the keyword stands in."""


class Judge:
    """Judges content against one schema; heavy only from its first use on."""

    def __init__(self, schema: Any) -> None:
        self._schema = schema
        # Outlive a judgement: what was found to be slow or broken once is not tried again.
        self.patterns = SchemaPatterns()
        self._problem: str | None = None
        self._checked = False
        self._validator: Any = None
        self._properties: dict[str, Any] = {}

    @property
    def schema_problem(self) -> str | None:
        """Why this is no schema that content can be judged by, or None."""
        if not self._checked:
            self._problem = self._find_schema_problem()
            self._checked = True
        return self._problem

    def faults(self, content: Any) -> tuple[Fault, ...]:
        """Everything in the content that the whole schema does not allow."""
        if self.schema_problem is not None:
            return (Fault((), "judge", self.schema_problem),)
        return self._run(lambda: self._whole().iter_errors(content))

    def property_faults(self, name: str, value: Any) -> tuple[Fault, ...]:
        """What the schema of one declared property does not allow in one value.

        Cheap enough for each key: the schema itself is checked only the first time.
        """
        if self.schema_problem is not None:
            return (Fault((), "judge", self.schema_problem),)
        return self._run(lambda: self._property(name).iter_errors(value))

    def _property(self, name: str) -> Any:
        if name not in self._properties:
            whole = self._whole()
            # The same validator at a part of the schema, so that `$ref`s in it still find their
            # targets.
            self._properties[name] = whole.evolve(schema=whole.schema["properties"][name])
        return self._properties[name]

    def _whole(self) -> Any:
        if self._validator is None:
            from elicit_tui.form.bounded_validator import validator_for

            self._validator = validator_for(self._schema, self.patterns)
        return self._validator

    def _run(self, errors: Callable[[], Iterable[Any]]) -> tuple[Fault, ...]:
        self.patterns.new_run()
        try:
            self._whole().format_checker.new_run()
            # Lazily, so that a schema that finds fault without end is left after as many as anybody
            # could read.
            return tuple(_fault(error) for error in islice(errors(), MAX_FAULTS))
        except BaseException as trouble:  # noqa: BLE001 - whatever breaks the judge is a no
            return (Fault((), "judge", _in_words(trouble, _OTHER_TROUBLE)),)

    def _find_schema_problem(self) -> str | None:
        # In this order: the size is walked within bounds, and what comes after may take its time
        # with a schema that is known to be small.
        if not isinstance(self._schema, Mapping):
            return "it is not a JSON Schema object"
        large = too_large(self._schema)
        if large is not None:
            return large
        if _cannot_be_bounded(self._schema):
            return "it combines unevaluatedProperties or unevaluatedItems in a way without bounds"
        from elicit_tui.form.bounded_validator import metaschema_problem

        try:
            return metaschema_problem(self._schema)
        except BaseException as trouble:  # noqa: BLE001 - what cannot be checked is no schema
            return _in_words(trouble, "its schema cannot be checked")


def _in_words(trouble: BaseException, otherwise: str) -> str:
    """Why the judge gave up; what is not its own trouble, such as an interrupt, goes on.

    A panic of the Rust code under jsonschema is a BaseException, and the judge's own trouble.
    """
    if not isinstance(trouble, Exception) and type(trouble).__name__ != _PANIC:
        raise trouble
    if isinstance(trouble, RecursionError):
        return "the server's schema refers to itself without end"
    # Loaded by now, or the cause of the trouble.
    from referencing.exceptions import Unresolvable

    from elicit_tui.form.bounded_validator import TooMuchWork

    if isinstance(trouble, Unresolvable):
        return "the server's schema refers to something that it does not hold"
    if isinstance(trouble, TooMuchWork):
        return "checking it by the server's schema takes too long"
    return otherwise


def _fault(error: Any) -> Fault:
    return Fault(
        tuple(error.absolute_path),
        # A schema that is `false` has no keyword, and says no to everything.
        error.validator or "false",
        error.validator_value,
        error.instance,
        error.schema,
    )


def _cannot_be_bounded(schema: Any) -> bool:
    """`unevaluated…` is worked out past the keywords that count steps; alone it stays small."""
    # Counted over the whole schema, whatever is reached: a `$ref` may lead anywhere in it.
    here = list(objects(schema))
    uses = sum(
        ("unevaluatedProperties" in subschema) + ("unevaluatedItems" in subschema)
        for subschema in here
    )
    open_ended = ("$ref", "$dynamicRef", "patternProperties", "dependentSchemas")
    return uses > 1 or (
        uses == 1 and any(key in subschema for subschema in here for key in open_ended)
    )
