"""What is worked out once and kept: most of what a rule asks for has been asked for before."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar

Value = TypeVar("Value")


class kept(Generic[Value]):
    """A property that is worked out once. `cached_property` takes a lock for it up to 3.11."""

    def __init__(self, work: Callable[[Any], Value]) -> None:
        self._work, self._name = work, work.__name__
        self.__doc__ = work.__doc__

    def __get__(self, owner: Any, kind: type) -> Value:
        value = owner.__dict__[self._name] = self._work(owner)
        return value


class AsFarAsAsked(Generic[Value]):
    """Values that are worked out one by one, each once, and only as far as somebody asks."""

    def __init__(self, rest: Iterator[Value]) -> None:
        self._known: list[Value] = []
        self._rest = rest

    def __iter__(self) -> Iterator[Value]:
        yield from self._known
        for value in self._rest:
            self._known.append(value)
            yield value

    def __bool__(self) -> bool:
        return any(True for _ in self)
