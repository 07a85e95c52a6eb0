"""How long the broker waits for others, and how much of what they send it keeps."""

from __future__ import annotations

import pytest

from elicit_tui.broker import (
    admitted,
    ask,
    broker,
    drafts,
    hook_steps,
    inbox,
    inbox_questions,
    reviewing,
    store_reader,
    store_responder,
)
from elicit_tui.elicitation import request
from elicit_tui.hooks import hooks, notices, running
from elicit_tui.responders import browser, dialogue, plain_form, typed_lines

DAY, MEGABYTE = 24 * 3_600, 1024 * 1024


@pytest.mark.parametrize(
    ("shipped", "most"),
    [
        (broker.CLOSE_SECONDS, 10),
        (store_responder.CLOSE_SECONDS, broker.CLOSE_SECONDS),
        (store_reader.BEAT_SECONDS, 10),
        (store_reader.RETRY_SECONDS, 2),
        (inbox.CLAIM_SECONDS, 3),
        (inbox.END_SECONDS, 3),
        (inbox_questions.LEAST_SECONDS, 3),
        (hooks.LAST_SECONDS, 10),
        (running._LOOK_SECONDS, 0.1),
        (running._LAST_WORDS_SECONDS, 1),
        (browser._STARTED_AFTER_SECONDS, 10),
        (typed_lines.QUIET_SECONDS, 1),
    ],
)
def test_nobody_waits_for_others_for_longer_than_a_breath(shipped: float, most: float) -> None:
    assert 0 < shipped <= most


@pytest.mark.parametrize(
    ("shipped", "most"),
    [
        (drafts.KEPT_SECONDS, DAY),
        (drafts.MOST_BYTES, 2 * MEGABYTE),
        (drafts.MOST_DRAFTS, 200),
        (hook_steps._SHOWN_VALUE, 200),
        (request.ID_CHARACTERS, 12),
        (admitted.READING_TURNS, 50),
        (ask.REPEATS, 5),
        (reviewing.LARGE, 5_000),
        (running.MOST_OUTPUT, 2 * MEGABYTE),
        (running.LONGEST_REASON, 1_000),
        (hooks.MOST_UNTOLD, 5_000),
        (notices.USUAL_MESSAGE, 5_000),
        (notices.LONGEST_NAME, 200),
        (dialogue.ARGUMENTS_LIMIT, 1_000),
        (plain_form.CHOICES_SHOWN, 500),
        (typed_lines.READ_BYTES, MEGABYTE),
        (typed_lines.LINE_BYTES, 2 * MEGABYTE),
    ],
)
def test_no_more_is_kept_or_shown_than_a_person_can_use(shipped: float, most: float) -> None:
    assert 0 < shipped <= most
