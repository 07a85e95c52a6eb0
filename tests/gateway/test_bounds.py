"""What an agent, its client or a server may take of a gateway, and how long anybody is held up."""

from __future__ import annotations

import pytest

from elicit_tui.gateway import (
    agent,
    asking,
    catalogue,
    connected,
    connections,
    departures,
    fit_to_pass,
    front,
    held_calls,
    http,
    measuring,
    names,
    offers,
    own_tools,
    session_catalogues,
    sessions,
    shared_calls,
    stdio,
    task_results,
    tokens,
)
from elicit_tui.gateway.bridge import bridging, hook_input, silence
from elicit_tui.gateway.install import changes

MEGABYTE = 1024 * 1024


@pytest.mark.parametrize(
    ("shipped", "most"),
    [
        (sessions.MOST_SESSIONS, 200),
        (sessions.MOST_SESSIONS_OF_ONE, sessions.MOST_SESSIONS / 2),
        (sessions.MOST_UNOPENED, sessions.MOST_SESSIONS_OF_ONE),
        (connections.MOST_CONNECTIONS, 1_000),
        (connections.MOST_REQUESTS_OF_ONE, connections.MOST_CONNECTIONS),
        (held_calls.MOST_OPEN, 1_000),
        (held_calls.MOST_OUTCOMES, 100),
        (agent.MOST_UNSENT, 1_000),
        (agent.PROGRESS_BURST, 100),
        (agent.PROGRESS_A_SECOND, 20),
        (agent.MOST_OF_A_NAME, 500),
        (connected.MOST_NOTES, 100),
        (offers.MOST_TOLD, 500),
        (own_tools.MOST_QUESTIONS, 5),
        (fit_to_pass.MOST_NESTED, 200),
        (names.MOST_NAMES, 200_000),
        (names.MOST_CHARACTERS, 64),
        (catalogue.MOST_FILES, 1_000),
        (hook_input.LONGEST_NAME, 500),
        (changes.LONGEST_LINE, 1_000),
        (changes.AROUND, changes.LONGEST_LINE / 2),
    ],
)
def test_there_are_never_more_than_a_working_agent_needs(shipped: float, most: float) -> None:
    assert 0 < shipped <= most


@pytest.mark.parametrize(
    ("shipped", "most"),
    [
        (held_calls.MOST_OUTCOME_BYTES, 32 * MEGABYTE),
        (agent.MOST_UNSENT_BYTES, 8 * MEGABYTE),
        (front.MOST_BYTES, 2 * MEGABYTE),
        (front.MOST_OF_A_LINE, front.MOST_BYTES),
        (front.MOST_ANSWERED_BYTES, 8 * MEGABYTE),
        (front.CHUNK_BYTES, MEGABYTE),
        (stdio.CHUNK_BYTES, MEGABYTE),
        (catalogue.MOST_BYTES, 8 * MEGABYTE),
        (hook_input.MOST_INPUT, 32 * MEGABYTE),
    ],
)
def test_nothing_grows_beyond_what_a_small_machine_has(shipped: int, most: int) -> None:
    assert 0 < shipped <= most


@pytest.mark.parametrize(
    ("shipped", "most"),
    [
        (http.BODY_SECONDS, 60),
        (http.BEAT_SECONDS, 10),
        (connections.REQUEST_SECONDS, 30),
        (sessions.LOOK_SECONDS, 5),
        (sessions.HUNG_UP_SECONDS, 1_800),
        (tokens.REFRESH_SECONDS, tokens.STALE_SECONDS / 2),
        (tokens.STALE_SECONDS, 30),
        (tokens.SETTLED_NANOSECONDS / 1e9, 5),
        (shared_calls.LOOK_SECONDS, 1),
        (shared_calls.NOTES_SECONDS, 1),
        (shared_calls.UNSURE_SECONDS, 5),
        (stdio.SETTLE_SECONDS, 3),
        (front.SWITCH_SECONDS, 0.005),
        (measuring.LOOK_SECONDS, 5),
        (measuring.SIDE_BY_SIDE_SECONDS, 5),
        (asking.TOO_FAST_SECONDS, 2),
        (departures.LEFT_SECONDS, 60),
        (departures.LAST_WORD_SECONDS, 5),
        (held_calls.TICK_SECONDS, 30),
        (session_catalogues.LIST_SECONDS, 10),
        (task_results.POLL_MILLISECONDS / 1_000, 5),
        (bridging.LOOK_SECONDS, 2),
        (hook_input.INPUT_SECONDS, 30),
        (silence.STORE_SECONDS, 3),
    ],
)
def test_nobody_is_held_up_for_longer_than_they_would_wait(shipped: float, most: float) -> None:
    assert 0 < shipped <= most
