"""JSON that people read: the same value, with nothing in it that a terminal obeys."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from elicit_tui.text import readable_json, stand_in
from tests.text.alphabet import any_text

CONTENT = st.dictionaries(
    st.text(), st.one_of(st.text(), st.integers(), st.booleans(), st.lists(st.text()))
)


@given(CONTENT)
def test_it_is_the_same_value_and_holds_nothing_a_terminal_obeys(
    content: dict[str, object],
) -> None:
    written = readable_json(content)
    assert json.loads(written) == content
    assert all(character == "\n" or character.isprintable() for character in written)


@given(any_text)
def test_what_a_field_would_draw_as_something_else_is_spelled_out(text: str) -> None:
    spelled = readable_json(text)
    assert stand_in(spelled) == spelled


def test_letters_stay_readable_and_what_cannot_be_seen_is_an_escape() -> None:
    assert readable_json("é日") == '"é日"'
    assert readable_json("a\u202eb\u200b\u3164") == '"a\\u202eb\\u200b\\u3164"'
    assert readable_json("\U000e0041") == '"\\udb40\\udc41"'


def test_what_json_has_no_word_for_is_named_and_endless_nesting_is_said() -> None:
    assert readable_json({"v": b"x"}, indent=None) == '{"v": "⟨bytes⟩"}'
    endless: list[object] = []
    endless.append(endless)
    assert readable_json(endless) == "(this cannot be written as JSON)"
