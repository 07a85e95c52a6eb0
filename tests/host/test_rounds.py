"""How one call comes to its end: rounds without end, a run that ends, pages, unknown answers."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace
from itertools import islice
from typing import Any

import pytest

from elicit_tui.elicitation import Call, cancel
from elicit_tui.elicitation.settings import ElicitationSettings, ServerSettings
from elicit_tui.errors import Interrupted, LimitReached, ProtocolCallError, ServerError
from elicit_tui.host import rounds
from tests.host.world import HANDSHAKE, MODERN, World, raw_answers, raw_server, says, world

WAIT = 20

pytestmark = pytest.mark.anyio

HANDSHAKE_SERVER = raw_server(HANDSHAKE)
MODERN_SERVER = raw_server(MODERN)


async def heard(here: World) -> Counter[str]:
    """How often the server heard each method; the asking itself is not counted."""
    counted = Counter(await raw_answers(here, "heard"))
    counted["tools/call"] -= 1
    return counted


async def test_a_run_that_ends_refuses_once_and_asks_nobody_again() -> None:
    async with world(MODERN_SERVER) as here:
        connection = await here.host.connect("raw")
        call = Call("tools/call", "asks_for_ever")
        running = asyncio.ensure_future(connection.call(call))
        await asyncio.wait_for(here.person.someone_asked.wait(), WAIT)
        # As Ctrl+C does: the questions end first, then the call is given up.
        for pending in here.broker.pending:
            pending.settle(cancel("shutdown", "elicit-tui ended before an answer was given."))
        done, _ = await asyncio.wait((running,), timeout=WAIT)
        assert done
        with pytest.raises(Interrupted):
            running.result()
        assert [outcome.decided_by for _, outcome in here.outcomes] == ["shutdown"]
        assert here.ledger.sent_ids() == [here.person.asked[0].id]
        assert (await heard(here))["tools/call"] == 2


async def test_a_call_that_is_given_up_refuses_once_and_asks_nobody_again() -> None:
    async with world(MODERN_SERVER) as here:
        connection = await here.host.connect("raw")
        call = Call("tools/call", "asks_for_ever")
        running = asyncio.ensure_future(connection.call(call))
        await asyncio.wait_for(here.person.someone_asked.wait(), WAIT)
        await connection.cancel(call.id)
        with pytest.raises(Interrupted):
            await asyncio.wait_for(running, WAIT)
        assert [outcome.decided_by for _, outcome in here.outcomes] == ["user"]
        assert (await heard(here))["tools/call"] == 2


async def test_a_server_that_works_on_after_the_refusals_is_told_that_the_call_is_cancelled() -> (
    None
):
    async with world(MODERN_SERVER) as here:
        connection = await here.host.connect("raw")
        running = asyncio.ensure_future(connection.call(Call("tools/call", "asks_then_works")))
        await asyncio.wait_for(here.person.someone_asked.wait(), WAIT)
        running.cancel()
        await asyncio.wait((running,), timeout=WAIT)
        assert await heard(here) >= Counter({"tools/call": 2, "notifications/cancelled": 1})


async def test_rounds_without_a_question_come_slower_and_slower_until_time_is_up() -> None:
    async with world(replace(MODERN_SERVER, tool_timeout_sec=1.0)) as here:
        with pytest.raises(LimitReached) as caught:
            await raw_answers(here, "states_for_ever")
        assert caught.value.code == "timeout"
        # 0, 50, 150, 350 and 750 ms: each pause is twice the one before.
        assert (await heard(here))["tools/call"] <= 5


async def test_rounds_without_a_question_end_after_as_many_as_the_owner_allows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(rounds, "LONGEST_PAUSE_SECONDS", 0.0)
    monkeypatch.setattr(rounds, "FIRST_PAUSE_SECONDS", 0.0)
    async with world(MODERN_SERVER, elicitation=ElicitationSettings(rounds=7)) as here:
        with pytest.raises(LimitReached, match="7 rounds in which no person was asked") as caught:
            await raw_answers(here, "states_for_ever")
        assert caught.value.code == "rounds"
        assert (await heard(here))["tools/call"] == 8


def test_as_shipped_rounds_without_a_question_end_after_three_minutes_and_a_quarter() -> None:
    pauses = rounds.doubling_pauses(rounds.FIRST_PAUSE_SECONDS, rounds.LONGEST_PAUSE_SECONDS)
    asleep = sum(islice(pauses, ElicitationSettings().rounds))
    assert 180 < asleep < 200
    # The time limit of a call would be the later end.
    assert asleep < ServerSettings("s").tool_timeout_sec


@pytest.mark.parametrize("kind", ["later", "INPUT_REQUIRED", 7, None])
async def test_an_answer_of_a_kind_that_nobody_knows_is_invalid(kind: Any) -> None:
    async with world(MODERN_SERVER) as here:
        with pytest.raises(ServerError) as caught:
            await raw_answers(here, "odd_kind", kind=kind)
        if isinstance(kind, str):
            assert str(caught.value).endswith(f"does not know (resultType: “{kind}”).")
        assert caught.value.code == "invalid_answer"
        assert await raw_answers(here, "plain") == "plain"


@pytest.mark.parametrize("more", [{"inputRequests": {}}, {"requestState": "s"}])
async def test_an_answer_that_is_complete_and_asks_for_input_is_invalid(more: Any) -> None:
    async with world(MODERN_SERVER) as here:
        with pytest.raises(ServerError) as caught:
            await raw_answers(here, "odd_kind", kind="complete", **{"with": more})
        assert caught.value.code == "invalid_answer"
        assert "asks for input" in str(caught.value)


async def test_of_what_must_be_visited_first_only_pages_are_asked_about() -> None:
    async with world(HANDSHAKE_SERVER, answer=says(None)) as here:
        assert await raw_answers(here, "page_and_form") == "after the page"
        assert [question.request.mode for question in here.person.asked] == ["url"]


async def test_a_server_that_dies_after_its_page_was_visited_is_gone_and_has_refused_nothing() -> (
    None
):
    async with world(HANDSHAKE_SERVER, answer=says(None)) as here:
        with pytest.raises(ServerError, match="exit code 9"):
            await raw_answers(here, "page_and_death")


async def test_a_form_in_place_of_a_page_is_no_question_and_nothing_was_sent() -> None:
    async with world(HANDSHAKE_SERVER, answer=says({"value": "x"})) as here:
        with pytest.raises(ProtocolCallError, match="Visit"):
            await raw_answers(here, "only_a_form")
        assert (here.person.asked, here.ledger.steps) == ([], [])


@pytest.mark.parametrize("count", [17, 1_000])
async def test_more_pages_than_are_asked_about_at_once_are_told_and_recorded(count: int) -> None:
    async with world(HANDSHAKE_SERVER, answer=says(None)) as here:
        with pytest.raises(ProtocolCallError) as caught:
            await raw_answers(here, "many_pages", count=count)
        assert str(caught.value) == (
            f"The server wants {count:,} pages visited first; no more than 16 at once are asked "
            "about. It says: Visit"
        )
        assert caught.value.code == -32042
        assert here.person.asked == []
        pages = {f"page {number}" for number in range(count)}
        assert {request.elicitation_id for request, _ in here.outcomes} == pages
        assert here.ledger.sent_ids() == []
