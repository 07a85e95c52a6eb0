"""A frozen dataclass of ours behaves as that of the standard library."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import tracemalloc
from collections.abc import Callable
from dataclasses import asdict, field, fields, replace
from typing import Any, ClassVar

import pytest

from elicit_tui.dataclass import OFTEN, dataclass


def declared(dataclass: Any) -> tuple[Any, Any]:
    """Two classes, the second of which inherits from the first."""

    @dataclass(frozen=True)
    class Seat:
        kind: ClassVar[str] = "seat"
        row: int
        number: int = 1
        notes: list[str] = field(default_factory=list, compare=False)
        secret: str = field(default="s3cret", repr=False)

        @property
        def name(self) -> str:
            return f"{self.row}/{self.number}"

    @dataclass(frozen=True)
    class Window(Seat):
        side: str = "left"

        def __post_init__(self) -> None:
            if self.side not in ("left", "right"):
                raise ValueError(self.side)

        def __repr__(self) -> str:
            return f"window {self.name}"

    return Seat, Window


OURS, OFTEN_MADE, THEIRS = map(declared, (dataclass, dataclass, dataclasses.dataclass))
for _ in range(OFTEN):
    OFTEN_MADE[0](1)

USES: dict[str, Callable[[Any, Any], Any]] = {
    "by place": lambda seat, window: repr(seat(3, 4)),
    "by name": lambda seat, window: repr(seat(number=4, row=3)),
    "by both": lambda seat, window: repr(seat(3, secret="x", notes=["by the door"])),
    "a default that is made anew": lambda seat, window: seat(1).notes is seat(1).notes,
    "what inherits": lambda seat, window: (repr(window(1, 2, side="right")), window(1).side),
    "after it is made": lambda seat, window: window(1, side="above"),
    "equal": lambda seat, window: seat(1) == seat(1, notes=["not compared"]),
    "unequal": lambda seat, window: seat(1) == seat(1, secret="other"),
    "of another class": lambda seat, window: seat(1) == window(1),
    "of no class of ours": lambda seat, window: seat(1) == (1, 1, [], "s3cret"),
    "hash": lambda seat, window: hash(seat(1)) == hash(seat(1, notes=["not compared"])),
    "in a set": lambda seat, window: len({seat(1), seat(1), seat(2)}),
    "replaced": lambda seat, window: repr(replace(seat(1), number=7)),
    "as a mapping": lambda seat, window: asdict(window(1)),
    "its fields": lambda seat, window: [each.name for each in fields(window)],
    "matched": lambda seat, window: seat.__match_args__,
    "copied": lambda seat, window: repr(copy.deepcopy(seat(1, 2))),
    "a field too few": lambda seat, window: seat(),
    "a field too many": lambda seat, window: seat(1, 2, [], "s", "more"),
    "a field twice": lambda seat, window: seat(1, row=1),
    "no field of it": lambda seat, window: seat(1, colour="red"),
    "set": lambda seat, window: setattr(seat(1), "row", 2),
    "deleted": lambda seat, window: delattr(seat(1), "row"),
    "what is no field set": lambda seat, window: setattr(seat(1), "colour", "red"),
}


def end(use: Callable[[Any, Any], Any], classes: tuple[Any, Any]) -> Any:
    """What comes of it: its value, or the kind of its exception."""
    try:
        return use(*classes)
    except (TypeError, ValueError, AttributeError) as error:
        return type(error)


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_it_does_what_the_standard_library_s_does(use: Callable[[Any, Any], Any]) -> None:
    assert end(use, OURS) == end(use, THEIRS)


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_one_that_is_made_often_does_the_same(use: Callable[[Any, Any], Any]) -> None:
    assert end(use, OFTEN_MADE) == end(use, THEIRS)


def test_one_that_is_made_often_still_looks_after_itself_when_it_is_made() -> None:
    @dataclass(frozen=True)
    class Side:
        name: str

        def __post_init__(self) -> None:
            if self.name not in ("left", "right"):
                raise ValueError(self.name)

    for _ in range(OFTEN + 1):
        Side("left")
    assert Side.__init__.__code__.co_varnames[1:] == ("name",), "it was compiled"
    with pytest.raises(ValueError, match="above"):
        Side("above")


@dataclass(frozen=True)
class Empty:
    """Without a field."""


@dataclass(frozen=True)
class Sealed:
    """With a field that cannot be hashed."""

    values: dict[str, int] = field(default_factory=dict)


def test_one_without_fields_equals_any_other_of_its_class() -> None:
    assert Empty() == Empty()
    assert len({Empty(), Empty()}) == 1


def test_one_whose_field_has_no_hash_has_none() -> None:
    with pytest.raises(TypeError):
        hash(Sealed())


def test_it_is_pickled_and_read_again() -> None:
    assert pickle.loads(pickle.dumps(Sealed({"a": 1}))) == Sealed({"a": 1})


def test_a_frozen_one_of_the_standard_library_s_inherits_from_it_and_no_other() -> None:
    @dataclasses.dataclass(frozen=True)
    class Seat(Empty):
        row: int = 1

    assert Seat(2) == Seat(2) != Empty()
    with pytest.raises(dataclasses.FrozenInstanceError):
        Seat(2).row = 3  # type: ignore[misc]
    with pytest.raises(TypeError):

        @dataclasses.dataclass
        class Loose(Empty):  # type: ignore[misc]
            row: int = 1


def test_one_that_is_not_frozen_is_the_standard_library_s() -> None:
    @dataclass
    class Count:
        value: int = 0

    count = Count()
    count.value += 1
    assert count == Count(1)


def test_many_of_it_take_no_more_memory_than_those_of_the_standard_library() -> None:
    def taken(seat: Any) -> int:
        tracemalloc.start()
        try:
            kept = [seat(1, 2) for _ in range(OFTEN)]
            return tracemalloc.get_traced_memory()[0] if kept else 0
        finally:
            tracemalloc.stop()

    # A tenth more is the noise of a run; a table of names for each alone doubles it.
    assert taken(OFTEN_MADE[0]) <= 1.1 * taken(THEIRS[0])
