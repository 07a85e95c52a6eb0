"""What a hook says that could be read in two ways, or not be sent on, is no answer."""

from __future__ import annotations

import pytest

from elicit_tui.errors import HookError
from elicit_tui.hooks.running import Reply, reply_of_text

DEEP = "[" * 80 + "1" + "]" * 80
NESTED = '{"hookSpecificOutput": {"hookEventName": "Elicitation", "action": "accept"}%s}'


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ('{"action": "decline", "action": "accept"}', "a key twice"),
        ('{"action": "accept", "content": {"a": 1, "a": 2}}', "a key twice"),
        (NESTED % ', "action": "decline"', "two actions"),
        ('{"action": "accept", "content": {"n": NaN}}', "did not answer in JSON"),
        ('{"action": "accept", "content": {"n": 1e400}}', "did not answer in JSON"),
        (f'{{"action": "accept", "content": {{"n": {DEEP}}}}}', "no object"),
    ],
)
def test_what_says_two_things_or_none_is_no_answer(said: str, why: str) -> None:
    with pytest.raises(HookError, match=why):
        reply_of_text(said.encode(), "Elicitation")


def test_an_action_in_both_places_counts_where_it_is_the_same() -> None:
    assert reply_of_text((NESTED % ', "action": "accept"').encode(), "Elicitation") == Reply(
        "accept"
    )
