"""One row of what several records say, also of records that an older elicit-tui wrote."""

from __future__ import annotations

import json
from typing import Any

import pytest

from elicit_tui.elicitation import Call, cancel, decline, unsent
from elicit_tui.ledger import Ledger, bodies
from elicit_tui.ledger.rows import fold
from tests.ledger.world import PASSED, Clock, request


def recorded(event: str, at: str, **body: Any) -> tuple[str, str, str]:
    return event, json.dumps({"event": event, "id": "q", "at": at, **body}), f"hash of {event}"


def test_a_record_of_few_words_is_a_servers_question_that_came_once() -> None:
    row = fold("q", [recorded("asked", "2026-11-01T12:00:00.000Z")])
    assert (row.kind, row.server, row.count, row.findings) == ("elicitation", "", 1, ())
    assert (row.state, row.asked_at) == ("asked", "2026-11-01T12:00:00.000Z")
    assert (row.decided_at, row.sent_at, row.details) == (None, None, {})


@pytest.mark.parametrize("kind", ["elicitation", "approval", "authorization"])
def test_a_row_says_of_which_kind_a_question_is(ledger: Ledger, kind: Any) -> None:
    asked = request(kind=kind)
    ledger.asked(asked, PASSED)
    assert ledger.row(asked.id).kind == kind


def test_a_question_was_asked_when_it_arrived_and_not_when_it_could_be_written(
    ledger: Ledger, clock: Clock
) -> None:
    asked = request(clock=clock)
    clock.advance(seconds=7)
    ledger.asked(asked, PASSED)
    clock.advance(seconds=3)
    ledger.decided(asked, decline("user", "No."), PASSED)
    row = ledger.row(asked.id)
    assert row.asked_at == "2026-11-01T12:00:00.000Z"
    assert (row.decided_at, row.waited_ms) == ("2026-11-01T12:00:10.000Z", 10_000)


@pytest.mark.parametrize(
    ("word", "end"), [("withdrew", "withdrew"), ("of a later version", None), (None, None)]
)
def test_what_ended_a_question_is_told_where_its_word_is_known(word: str | None, end: Any) -> None:
    row = fold("q", [recorded("decided", "2026-11-01T12:00:00.000Z", serverEnd=word)])
    assert row.server_end == end


def test_the_name_of_a_server_that_asked_too_much_is_kept_without_its_effect(
    ledger: Ledger,
) -> None:
    ledger.flood("rude\x1b[2J", 40, cancel("flood", "More than 30 a minute."))
    (row,) = ledger.rows()
    assert (row.server, row.count) == ("rude␛[2J", 40)


def test_what_ended_a_question_is_kept_with_its_outcome(ledger: Ledger) -> None:
    asked = request()
    ledger.asked(asked, PASSED)
    ledger.decided(asked, unsent("server", "It withdrew it.", server_end="withdrew"), PASSED)
    assert ledger.row(asked.id).server_end == "withdrew"


def test_the_marker_of_a_prune_says_what_it_removed_and_up_to_when(clock: Clock) -> None:
    assert bodies.pruned(6, "a" * 64, 4, clock()) == {
        "through": 6,
        "hash": "a" * 64,
        "records": 4,
        "before": "2026-11-01T12:00:00.000Z",
    }


def test_whose_prompt_it_was_is_kept_without_its_effect(ledger: Ledger) -> None:
    asked = request(handed_to="codex\x1b[2J")
    ledger.asked(asked, PASSED)
    assert ledger.row(asked.id).details["handedTo"] == "codex␛[2J"


def test_one_text_of_what_was_asked_or_called_with_leaves_room_for_the_others() -> None:
    params = {"message": "m" * 10_000, "last": "kept"}
    asked = request(params=params, kind="approval", calls=(Call("tools/call", "t", params),))
    body = bodies.asked(asked, PASSED)["request"]
    arguments = bodies.decided(asked, decline("user", "No."), PASSED, "full", asked.arrived_at)
    for kept in (body, arguments["arguments"]):
        assert len(kept["message"]) <= bodies.LONGEST_MESSAGE + 100
        assert kept["last"] == "kept"


def test_what_was_called_with_is_bounded_as_a_whole() -> None:
    many = {str(number): "m" * 3_000 for number in range(40)}
    asked = request(kind="approval", calls=(Call("tools/call", "t", many),))
    body = bodies.decided(asked, decline("user", "No."), PASSED, "full", asked.arrived_at)
    assert len(json.dumps(body["arguments"])) < 2 * bodies.LONGEST_REQUEST
