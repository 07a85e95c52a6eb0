"""How much a store keeps, for how long, and how soon it is noticed that something changed."""

from __future__ import annotations

import pytest

from elicit_tui.store import (
    calls,
    living,
    redis_calls,
    redis_questions,
    sealing,
    sqlite,
    sqlite_file,
    transitions,
)

HOUR, MEGABYTE = 3_600, 1024 * 1024


@pytest.mark.parametrize(
    ("shipped", "most"),
    [
        (calls.MOST_OUTCOMES, 100),
        (calls.MOST_OUTCOME_BYTES, 32 * MEGABYTE),
        (calls.MOST_WITHOUT_OUTCOME, 1_000),
        (calls.READ_SECONDS, 2 * HOUR),
        (calls.UNREAD_SECONDS, 8 * 24 * HOUR),
        (transitions.KEPT_SECONDS, 2 * HOUR),
        (redis_questions.MOST_TRIES, 100),
        (redis_calls.MOST_TRIES, 100),
        (living.PRESENCE_SECONDS, HOUR / 4),
        (living._START_SECONDS, 5),
        (sqlite.POLL_SECONDS, 0.2),
        (sqlite.SWEEP_SECONDS, 5),
        (sqlite_file._CHECKPOINT_SECONDS, 1),
    ],
)
def test_nothing_is_kept_or_waited_for_without_end(shipped: float, most: float) -> None:
    assert 0 < shipped <= most


def test_a_secret_is_as_long_as_the_key_of_the_cipher_and_a_nonce_as_that_wants_it() -> None:
    assert (sealing.SECRET_BYTES, sealing._KEY_BYTES, sealing._NONCE_BYTES) == (32, 32, 12)
