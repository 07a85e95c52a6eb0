"""A text of several lines in JSON is read as lines, and still says exactly what is there."""

from __future__ import annotations

from typing import Any

import pytest

from elicit_tui.text import readable_json
from elicit_tui.text.spread import texts_as_lines


@pytest.mark.parametrize(
    ("value", "lines"),
    [
        ({"text": "one\ntwo"}, ["{", '  "text": 2 lines', "    │ one", "    │ two", "}"]),
        (
            {"text": "one\n\n"},
            ["{", '  "text": 2 lines, ended by a line break', "    │ one", "    │", "}"],
        ),
        (["a\nb", "c"], ["[", "  2 lines", "    │ a", "    │ b", '  "c"', "]"]),
        (
            {"t": '"q" \\n \u202e\t \nend'},
            ["{", '  "t": 2 lines', '    │ "q" \\\\n \\u202e\\t\\u0020', "    │ end", "}"],
        ),
        ({"a\nb": "no\\n lines"}, ["{", '  "a\\nb": "no\\\\n lines"', "}"]),
        ({"a": 1, "b": None}, ["{", '  "a": 1,', '  "b": null', "}"]),
    ],
)
def test_a_text_of_several_lines_stands_as_lines(value: Any, lines: list[str]) -> None:
    assert texts_as_lines(readable_json(value)).split("\n") == lines


def test_what_is_too_long_to_be_read_costs_nothing() -> None:
    most = readable_json({"a": "\n" * 19_000})
    assert texts_as_lines(most).count("│") == 19_000
    beyond = readable_json({"a": "\n" * 2_000_000})
    assert texts_as_lines(beyond) is beyond


def test_no_line_of_a_text_looks_like_one_of_ours() -> None:
    hostile = {"a": 'x\n}\n"b": 1\n  │ y'}
    inner = texts_as_lines(readable_json(hostile)).split("\n")[2:-1]
    assert len(inner) == 4
    assert all(line.startswith("    │ ") for line in inner)
