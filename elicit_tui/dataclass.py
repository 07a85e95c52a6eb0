"""`dataclass`, as of the standard library; a frozen one is declared without compiling anything.

For each class `dataclasses` writes six methods as text and compiles them. To declare the classes of
a short command so takes a fifth of its time, and an agent waits for such a command at every prompt.
Here the methods of all frozen classes are the same few functions, over what `dataclasses.fields`
says; `replace`, `asdict` and type checkers see the dataclass that they know. What is made often (a
flood of questions, the fields of a long form at each key) is compiled after all, once it is.
"""

from __future__ import annotations

import dataclasses
from dataclasses import MISSING
from functools import partial
from itertools import count
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(cls=None, /, *, frozen=False, **options):
        """Declare a dataclass; with options of its own it is all the standard library's."""
        if cls is None:
            return partial(dataclass, frozen=frozen, **options)
        if frozen and not options:
            return _frozen(cls)
        return dataclasses.dataclass(frozen=frozen, **options)(cls)


T = TypeVar("T")

OFTEN = 100
"""The instance from which a class has the initializer that `dataclasses` compiles: it makes one
several times as fast, and has earned its compilation by then."""


def _frozen(cls: type[T]) -> type[T]:
    """The class as `dataclasses.dataclass(frozen=True)` would make it."""
    if any(map(dataclasses.is_dataclass, cls.__mro__[1:])):
        return dataclasses.dataclass(frozen=True)(cls)
    own = frozenset(vars(cls))
    declared = dataclasses.dataclass(init=False, repr=False, eq=False)(cls)
    # So that a frozen one may inherit from it, and no other.
    declared.__dataclass_params__.frozen = True  # type: ignore[attr-defined]
    methods = (_initializing(declared), *_compared(declared), _shown(declared))
    for method in (*methods, _refuse_setting, _refuse_deleting):
        if method.__name__ not in own:
            setattr(declared, method.__name__, method)
    return declared


def _initializing(cls: type) -> Any:
    """Its `__init__`: takes each field once, by its place or by its name."""
    names = tuple(field.name for field in dataclasses.fields(cls))
    known = frozenset(names)
    defaults, factories = _defaults(cls)
    required = known - defaults.keys() - factories.keys()
    then = getattr(cls, "__post_init__", None)

    def named(places: tuple[Any, ...], values: dict[str, Any]) -> dict[str, Any]:
        if places:
            placed = dict(zip(names, places, strict=False))
            if len(places) > len(names) or not values.keys().isdisjoint(placed):
                raise TypeError(f"{cls.__name__} was given a field twice, or more than it has")
            values |= placed
        if not values.keys() <= known or not values.keys() >= required:
            wrong = ", ".join(sorted((values.keys() - known) | (required - values.keys())))
            raise TypeError(f"{cls.__name__} has no such field, or needs one more: {wrong}")
        made = {name: make() for name, make in factories.items() if name not in values}
        return {**defaults, **made, **values}

    uses, put = count(1), object.__setattr__

    def __init__(self: Any, /, *places: Any, **values: Any) -> None:
        if next(uses) == OFTEN:
            cls.__init__ = _compiled(cls)  # type: ignore[misc]
        # One by one: so all that are made share one table of names, which halves what each takes.
        for name, value in named(places, values).items():
            put(self, name, value)
        if then is not None:
            then(self)

    return __init__


def _compiled(cls: type) -> Any:
    """Its `__init__` as `dataclasses` compiles it."""
    fields: list[tuple[str, Any, Any]] = []
    for field in dataclasses.fields(cls):
        default: Any = {"default": field.default, "default_factory": field.default_factory}
        fields.append((field.name, Any, dataclasses.field(**default)))
    then = getattr(cls, "__post_init__", None)
    namespace = {} if then is None else {"__post_init__": then}
    made = dataclasses.make_dataclass(cls.__name__, fields, namespace=namespace, frozen=True)
    return vars(made)["__init__"]


def _defaults(cls: type) -> tuple[dict[str, Any], dict[str, Any]]:
    """What its fields are where nothing else is given: values, and what makes them anew."""
    fields = dataclasses.fields(cls)
    values = {field.name: field.default for field in fields if field.default is not MISSING}
    made = {
        field.name: field.default_factory
        for field in fields
        if field.default_factory is not MISSING
    }
    return values, made


def _compared(cls: type) -> tuple[Any, Any]:
    """Its `__eq__` and `__hash__`, by the fields that are compared."""
    names = [field.name for field in dataclasses.fields(cls) if field.compare]
    of = attrgetter(*names) if names else bool

    def __eq__(self: Any, other: Any) -> Any:
        return of(self) == of(other) if type(self) is type(other) else NotImplemented

    def __hash__(self: Any) -> int:
        return hash((cls, of(self)))

    return __eq__, __hash__


def _shown(cls: type) -> Any:
    names = [field.name for field in dataclasses.fields(cls) if field.repr]

    def __repr__(self: Any) -> str:
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{type(self).__qualname__}({shown})"

    return __repr__


def __setattr__(self: Any, name: str, value: Any) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def __delattr__(self: Any, name: str) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


_refuse_setting, _refuse_deleting = __setattr__, __delattr__
