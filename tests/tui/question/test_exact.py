"""The JSON of the review page."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from elicit_tui.tui.question.exact import exact_json, frozen

CONTENT = st.dictionaries(
    st.text(), st.one_of(st.text(), st.integers(), st.booleans(), st.lists(st.text()))
)


@given(CONTENT)
def test_it_is_the_same_value_and_holds_nothing_a_terminal_obeys(
    content: dict[str, object],
) -> None:
    written = exact_json(content)
    assert json.loads(written) == content
    assert all(character == "\n" or character.isprintable() for character in written)


def test_letters_stay_readable_and_what_cannot_be_seen_is_an_escape() -> None:
    assert exact_json("é日") == '"é日"'
    assert exact_json("a\u202eb\u200b\u3164") == '"a\\u202eb\\u200b\\u3164"'
    assert exact_json("\U000e0041") == '"\\udb40\\udc41"'


def test_what_was_shown_cannot_be_changed_any_more() -> None:
    chosen = ["a"]
    copy = frozen({"v": chosen})
    chosen.append("b")
    assert copy == {"v": ["a"]}
