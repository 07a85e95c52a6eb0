"""What is worked out once and kept: most of what a rule asks for has been asked for before."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

Value = TypeVar("Value")


class kept(Generic[Value]):
    """A property that is worked out once. `cached_property` takes a lock for it up to 3.11."""

    def __init__(self, work: Callable[[Any], Value]) -> None:
        self._work = work
        self.__doc__ = work.__doc__

    def __get__(self, owner: Any, kind: type) -> Value:
        value = owner.__dict__[self._work.__name__] = self._work(owner)
        return value
