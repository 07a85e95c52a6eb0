"""What a hook says that could be read in two ways, or not be sent on, is no answer."""

from __future__ import annotations

import pytest

from elicit_tui.errors import HookError
from elicit_tui.hooks.running import (
    LONGEST_REASON,
    REFUSING_CODE,
    Reply,
    reply_of_command,
    reply_of_text,
)

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
        ('{"action": "accept", "content": [1]}', "no object"),
        ('["accept"]', "did not answer with a JSON object"),
        ('"accept"', "did not answer with a JSON object"),
        ("I think yes", "did not answer in JSON"),
        ('{"hookSpecificOutput": "accept"}', "did not answer for Elicitation"),
        ('{"hookSpecificOutput": {"hookEventName": "Stop", "action": "accept"}}', "did not answer"),
        ('{"hookEventName": "ElicitationResult", "action": "accept"}', "did not answer for"),
        ('{"content": {"a": 1}}', "content and no action"),
        (NESTED % ', "content": {"a": 1}', "content in two places"),
        ('{"continue": "false", "action": "accept"}', "neither true nor false"),
        ('{"continue": 0, "action": "accept"}', "neither true nor false"),
        ('{"decision": "block", "reason": "No."}', "a decision and no action"),
        ('{"hookSpecificOutput": {"decision": {"behavior": "deny"}}}', "a decision and no action"),
        ('{"action": "allow"}', "none of accept, decline and cancel"),
        ('{"action": true}', "none of accept, decline and cancel"),
    ],
)
def test_what_says_two_things_or_none_is_no_answer(said: str, why: str) -> None:
    with pytest.raises(HookError, match=why):
        reply_of_text(said.encode(), "Elicitation")


def test_an_action_in_both_places_counts_where_it_is_the_same() -> None:
    assert reply_of_text((NESTED % ', "action": "accept"').encode(), "Elicitation") == Reply(
        "accept"
    )


@pytest.mark.parametrize(
    ("said", "reply"),
    [
        ("", Reply()),
        (" \n", Reply()),
        ("{}", Reply()),
        ('{"content": null}', Reply()),
        ('{"continue": true}', Reply()),
        ('{"continue": null, "decision": null}', Reply()),
        ('{"action": "accept", "content": {"a": 1}}', Reply("accept", {"a": 1})),
        ('{"action": "accept", "content": {}}', Reply("accept", {})),
        ('{"action": "decline", "content": {"a": 1}}', Reply("decline")),
        ('{"action": "cancel", "reason": "Later."}', Reply("cancel", reason="Later.")),
        (NESTED % ', "reason": "Outer."', Reply("accept", reason="Outer.")),
        (
            '{"hookSpecificOutput": {"action": "decline", "reason": "In."}, "reason": "Out."}',
            Reply("decline", reason="In."),
        ),
        ('{"action": "decline", "reason": 5}', Reply("decline")),
        ('{"systemMessage": "Look\\u001b twice."}', Reply(warning="Look␛ twice.")),
        (
            '{"action": "accept", "systemMessage": "Look."}',
            Reply("accept", None, None, "Look."),
        ),
        (
            '{"continue": false, "stopReason": "Enough.", "systemMessage": "Look.",'
            ' "action": "accept"}',
            Reply("cancel", reason="Enough.", warning="Look."),
        ),
    ],
)
def test_what_a_hook_says_is_read_as_it_is_meant(said: str, reply: Reply) -> None:
    assert reply_of_text(said.encode(), "Elicitation") == reply


def test_a_command_refuses_by_its_exit_code_and_fails_by_any_other() -> None:
    accepts = b'{"action": "accept"}'
    assert reply_of_command(0, accepts, b"noise", "Elicitation") == Reply("accept")
    no = reply_of_command(2, accepts, b" Not on\x1b a Friday.\n", "Elicitation")
    assert no == Reply("decline", reason="Not on␛ a Friday.")
    assert reply_of_command(2, b"", b" ", "Elicitation") == Reply("decline")
    for code, errors, why in (
        (1, b"", "ended with exit code 1"),
        (3, b"broken", "ended with exit code 3: broken"),
        (-9, b"", "was ended by signal 9"),
    ):
        with pytest.raises(HookError) as error:
            reply_of_command(code, accepts, errors, "Elicitation")
        assert str(error.value) == why


def test_a_reason_is_bounded() -> None:
    reply = reply_of_command(2, b"", b"x" * 5000, "Elicitation")
    assert len(reply.reason or "") <= LONGEST_REASON


def test_a_refusal_stands_whatever_bytes_its_reason_is_written_in() -> None:
    reply = reply_of_command(REFUSING_CODE, b"", b"Not \xff today\x1b.", "Elicitation")
    assert reply.action == "decline"
    assert (reply.reason or "").startswith("Not ")
    assert (reply.reason or "").isprintable()
