"""Typed text to JSON numbers, and to nothing else."""

from __future__ import annotations

import json
from typing import Any

import pytest

from elicit_tui.form.field import Typed
from elicit_tui.form.json_values import is_number
from tests.form.forms import form_of, sent, wrong

INTEGER = {"type": "integer"}
NUMBER = {"type": "number"}

NO_NUMBERS = [
    "1_000", "٣", "３", "NaN", "nan", "Infinity", "-Infinity", "inf", "+5", "05", "-05", ".5", "5.",
    "1,5", "1e", "1e+", "0x10", "0b1", "1 000", "--1", "-", "e5", "true", "null", "五", "½", "1\n2",
    "\u00a01", "1\u200b", "1.2.3", "1e1.5",
]  # fmt: skip


@pytest.mark.parametrize("text", NO_NUMBERS)
def test_only_json_numbers_are_numbers(text: str) -> None:
    assert wrong(NUMBER, Typed(text)) == "a number, such as 12 or 0.5"
    assert wrong(INTEGER, Typed(text)) == "a whole number, such as 12"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", 0),
        ("-0", 0),
        ("5.0", 5),
        ("5.000", 5),
        ("-7", -7),
        ("1e3", 1000),
        ("1E+3", 1000),
        ("1.5e1", 15),
        ("1500e-2", 15),
        ("0.0", 0),
        ("0e999999", 0),
        ("100e-2", 1),
        ("123456789012345678901234567890", 123456789012345678901234567890),
        ("12345678901234567890.0", 12345678901234567890),
        ("-1.2345678901234567890123e22", -12345678901234567890123),
        ("9" * 4000, int("9" * 4000)),
        ("1e3999", 10**3999),
    ],
)
def test_integers_are_exact_however_they_are_spelled(text: str, value: int) -> None:
    content = sent(INTEGER, Typed(text))
    assert content == {"it": value}
    assert type(content["it"]) is int
    assert json.loads(json.dumps(content)) == content


@pytest.mark.parametrize("text", ["5.5", "1e-1", "0.1", "15e-1", "1.23e1"])
def test_what_is_no_whole_number_is_no_integer(text: str) -> None:
    assert wrong(INTEGER, Typed(text)) == "a whole number, such as 12"


@pytest.mark.parametrize(
    ("text", "value"),
    [("5", 5), ("5.0", 5.0), ("0.1", 0.1), ("-0.0", -0.0), ("1e3", 1000.0), ("1e-300", 1e-300)],
)
def test_numbers_keep_what_was_typed(text: str, value: Any) -> None:
    content = sent(NUMBER, Typed(text))["it"]
    assert repr(content) == repr(value)


@pytest.mark.parametrize("text", ["1e400", "-1e400", "1e309", "1.8e308"])
def test_a_number_that_would_become_infinite_is_refused(text: str) -> None:
    assert wrong(NUMBER, Typed(text)) == "a number between -1.8e308 and 1.8e308"


@pytest.mark.parametrize("value", [float("inf"), float("nan"), True, "5", None])
def test_what_is_no_finite_number_is_no_limit(value: Any) -> None:
    assert not is_number(value)
    field = form_of({"it": {**NUMBER, "maximum": value}}).fields[0]
    assert field.maximum is None


def test_a_number_that_would_become_zero_is_refused() -> None:
    assert wrong(NUMBER, Typed("1e-400")) == "a number that is not so close to 0"
    assert sent(NUMBER, Typed("0e-400")) == {"it": 0.0}


@pytest.mark.parametrize("text", ["9" * 4001, "1e4000", "1e999999999", "1e9999999999", "1" * 10**6])
def test_an_integer_without_end_is_refused_in_no_time(text: str) -> None:
    assert wrong(INTEGER, Typed(text)) == "a number of at most 4000 digits"


@pytest.mark.parametrize(
    ("schema", "text", "message"),
    [
        ({"minimum": 1, "maximum": 10}, "0", "between 1 and 10"),
        ({"minimum": 1, "maximum": 10}, "11", "between 1 and 10"),
        ({"minimum": 1}, "0", "at least 1"),
        ({"maximum": 10.0}, "11", "at most 10"),
        ({"exclusiveMinimum": 0}, "0", "more than 0"),
        ({"exclusiveMaximum": 1, "minimum": 0}, "1", "at least 0 and less than 1"),
        ({"multipleOf": 5}, "7", "a multiple of 5"),
    ],
)
def test_limits_are_said_in_words(schema: Any, text: str, message: str) -> None:
    assert wrong({**INTEGER, **schema}, Typed(text)) == message


@pytest.mark.parametrize(
    ("step", "text"),
    [
        (0.01, "0.07"),
        (0.01, "19.99"),
        (0.1, "0.3"),
        (0.0001, "4.35"),
        (1e-7, "3e-7"),
        (0.5, "12345678901234567890.5"),
        (3, "3" * 60),
        (0.01, "1e300"),
        (1e-300, "1e300"),
    ],
)
def test_a_multiple_is_meant_in_decimals(step: float, text: str) -> None:
    assert sent({**NUMBER, "multipleOf": step}, Typed(text))


def test_what_is_no_multiple_is_said() -> None:
    assert wrong({**NUMBER, "multipleOf": 0.01}, Typed("0.075")) == "a multiple of 0.01"
    assert wrong({**INTEGER, "multipleOf": 3}, Typed("3" * 59 + "4")) == "a multiple of 3"
