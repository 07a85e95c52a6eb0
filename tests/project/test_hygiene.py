"""Habits of the house that the linters do not hold."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import get_args

from elicit_tui.elicitation.outcome import Via

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "elicit_tui"
LONGEST_MODULE = 450
"""Lines; what is longer does more than one thing."""


@cache
def modules() -> tuple[tuple[str, str], ...]:
    """Every module of the package: its path below the package, and its source."""
    return tuple(
        (path.relative_to(PACKAGE).as_posix(), path.read_text(encoding="utf-8"))
        for path in sorted(PACKAGE.rglob("*.py"))
    )


@cache
def nodes() -> tuple[tuple[str, ast.AST], ...]:
    """Every node of every module's syntax tree, with the module's path."""
    return tuple((name, node) for name, source in modules() for node in ast.walk(ast.parse(source)))


MODULES_OF_ONE_ROLE = frozenset(
    {
        # A thing, what draws it, and what reads it from a configuration or a command line.
        *("activity", "arguments", "calls", "choices", "history", "hooks"),
        *("offers", "rules", "servers", "screen"),
        # The same work at two places: towards a server and an agent, in memory and in a file.
        *("asking", "http", "opening", "rounds", "running"),
        *("stdio", "telling"),
        # What a host is, for a screen and for a rule; what is read once, before all else.
        *("hosts", "reading"),
    }
)
"""Names that stand twice because two modules play one role in two rooms."""
CLASSES_OF_ONE_ROLE = frozenset(
    {
        # What the broker asks of another room, and that room's own.
        "Guardian",
        # A choice, and a widget's own message that one was made.
        "Chosen",
    }
)


def shared(names: Iterator[tuple[str, str]]) -> set[str]:
    """The names that stand at more than one place."""
    places: dict[str, set[str]] = {}
    for name, place in names:
        places.setdefault(name, set()).add(place)
    return {name for name, found in places.items() if len(found) > 1}


def test_two_modules_have_one_name_only_where_they_play_one_role() -> None:
    names = ((Path(name).stem, name) for name, _ in modules() if "__" not in name)
    assert shared(names) == MODULES_OF_ONE_ROLE


def test_two_classes_have_one_name_only_where_they_play_one_role() -> None:
    names = ((node.name, name) for name, node in nodes() if isinstance(node, ast.ClassDef))
    assert shared(names) == CLASSES_OF_ONE_ROLE


def test_what_an_answer_is_said_to_come_through_is_known_by_name() -> None:
    said = {
        (name, word.value.value)
        for name, node in nodes()
        if isinstance(node, ast.Call)
        for word in node.keywords
        if word.arg == "via" and isinstance(word.value, ast.Constant)
    }
    unknown = [each for each in sorted(said) if each[1] not in get_args(Via)]
    assert unknown == [], "a face's name in Via of elicitation/outcome.py"


def test_no_module_is_too_long_to_do_one_thing() -> None:
    lengths = {name: source.count("\n") for name, source in modules()}
    assert {name: lines for name, lines in lengths.items() if lines > LONGEST_MODULE} == {}


def test_what_catches_everything_raises_it_again_or_says_why_not() -> None:
    lines = {name: source.splitlines() for name, source in modules()}
    silent = []
    for name, node in nodes():
        if isinstance(node, ast.ExceptHandler) and catches_everything(node):
            raises = any(isinstance(part, ast.Raise) and part.exc is None for part in node.body)
        elif isinstance(node, ast.Call) and suppresses_everything(node):
            raises = False
        else:
            continue
        if not raises and not re.search(r"#.* - \w+", lines[name][node.lineno - 1]):
            silent.append(f"{name}:{node.lineno}")
    assert silent == []


def catches_everything(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    return isinstance(handler.type, ast.Name) and handler.type.id in ("Exception", "BaseException")


def suppresses_everything(call: ast.Call) -> bool:
    called = (
        call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    )
    named = {each.id for each in call.args if isinstance(each, ast.Name)}
    return called == "suppress" and bool(named & {"Exception", "BaseException"})


def test_only_the_modules_that_own_a_stream_write_to_one() -> None:
    owners = {"cli/output.py", "cli/narration.py"}
    writing = {
        f"{name}:{node.lineno}"
        for name, node in nodes()
        if name not in owners
        and not name.startswith("demo/")
        and isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "print"
        and not any(word.arg == "file" for word in node.keywords)
    }
    assert writing == set()


def test_nothing_is_left_to_do_in_a_comment() -> None:
    left = re.compile(r"#.*\b(TODO|FIXME|XXX|HACK)\b")
    assert [name for name, source in modules() if left.search(source)] == []
