"""A person behind any agent: one set of behaviours over both eras upwards and downwards."""

from __future__ import annotations

import asyncio
import re

import pytest

from elicit_tui.elicitation import Question, cancel, decline
from elicit_tui.elicitation.settings import GatewaySettings, ServerSettings
from elicit_tui.gateway.catalogue import CatalogueFiles
from elicit_tui.gateway.telling import (
    ELICITATIONS_META_KEY,
    NOT_KNOWN,
    PAUSED_META_KEY,
    STILL_RUNS,
    STILL_WAITING,
)
from tests.gateway.world import WAIT, World, asking, text_of, until, workshop, world

pytestmark = pytest.mark.anyio

HOLD = 50.0
"""Seconds that a call of an unknown agent is held."""


async def paused(here: World, tool: str = "asking__one") -> str:
    """Make a call that nobody answers in time; the id that it was given."""
    call = here.begins(tool)
    await here.person.question(len(here.person.asked) + 1)
    await here.clock.move(HOLD)
    result = await call
    assert result.meta is not None
    identifier = result.meta[PAUSED_META_KEY]["id"]
    assert identifier in text_of(result)
    assert not result.is_error
    return str(identifier)


async def asked_by_one_that_left(here: World) -> Question:
    """The question of a call whose agent has taken it back."""
    call = here.begins("asking__one")
    question = await here.person.question()
    call.cancel()
    await asyncio.gather(call, return_exceptions=True)
    await here.left()
    return question


async def test_a_tool_that_asks_is_answered_elsewhere_and_the_same_call_returns_its_result(
    upwards: str, downwards: str
) -> None:
    async with world(asking(protocol=downwards), upwards=upwards) as here:
        call = here.begins("asking__one")
        question = await here.person.question()
        assert question.request.message == "A value"
        here.person.sends(question, {"value": "typed elsewhere"})
        result = await call
        assert "typed elsewhere" in text_of(result)
        assert not result.is_error
        assert ELICITATIONS_META_KEY not in (result.meta or {})


async def test_several_rounds_and_questions_side_by_side_are_all_answered(
    upwards: str, downwards: str
) -> None:
    async with world(asking(protocol=downwards), upwards=upwards) as here:
        call = here.begins("asking__two")
        for number in (1, 2):
            question = await here.person.question(number)
            here.person.sends(question, {"value": f"number {number}"})
        assert "number 1" in (told := text_of(await call))
        assert "number 2" in told


async def test_a_question_longer_than_any_hold_pauses_the_call_and_is_resumed(
    upwards: str, downwards: str
) -> None:
    async with world(asking(protocol=downwards), upwards=upwards) as here:
        identifier = await paused(here)
        # More than five minutes pass, and nobody resumes; the question still waits.
        await here.clock.move(400)
        question = await here.person.question()
        assert question.id in here.person.open
        here.person.sends(question, {"value": "after all"})
        first = await here.calls("elicit_resume", id=identifier)
        again = await here.calls("elicit_resume", id=identifier)
        assert "after all" in text_of(first)
        assert text_of(again) == text_of(first)


async def test_resuming_holds_as_a_call_does_and_says_so_when_nobody_answered(
    upwards: str, downwards: str
) -> None:
    async with world(asking(protocol=downwards), upwards=upwards) as here:
        identifier = await paused(here)
        resumed = here.begins("elicit_resume", id=identifier)
        await here.held()
        assert not resumed.done()
        await here.clock.move(HOLD)
        assert text_of(await resumed) == STILL_WAITING


async def test_the_person_knows_whether_the_agent_waits_or_was_told_to_come_back(
    upwards: str, downwards: str
) -> None:
    async with world(asking(protocol=downwards), upwards=upwards) as here:
        identifier = await paused(here, "asking__rounds")
        first = await here.person.question()
        assert [call.id for call in first.request.calls] == [identifier]
        assert here.person.agent_states == [(first.id, "paused")]
        resumed = here.begins("elicit_resume", id=identifier)
        await here.held()
        assert here.person.agent_states[1:] == [(first.id, "waiting")]
        await here.clock.move(HOLD)
        await resumed
        assert here.person.agent_states[2:] == [(first.id, "paused")]
        # The next question of the tool comes while the agent is away.
        here.person.sends(first, {"value": "one"})
        second = await here.person.question(2)
        assert here.person.agent_states[3:] == [(second.id, "paused")]


async def test_an_answer_while_a_resumed_call_is_held_ends_it_with_the_result(
    upwards: str, downwards: str
) -> None:
    async with world(asking(protocol=downwards), upwards=upwards) as here:
        identifier = await paused(here)
        resumed = here.begins("elicit_resume", id=identifier)
        await here.held()
        here.person.sends(await here.person.question(), {"value": "now"})
        assert "now" in text_of(await resumed)


async def test_a_call_made_again_after_a_pause_joins_the_first(
    upwards: str, downwards: str
) -> None:
    async with world(asking(protocol=downwards), upwards=upwards) as here:
        await paused(here)
        again = here.begins("asking__one")
        await here.held()
        here.person.sends(await here.person.question(), {"value": "once"})
        assert "once" in text_of(await again)
        assert len(here.person.asked) == 1


async def test_once_its_outcome_was_delivered_a_call_made_again_is_a_new_one(
    upwards: str, downwards: str
) -> None:
    async with world(asking(protocol=downwards), upwards=upwards) as here:
        identifier = await paused(here)
        here.person.sends(await here.person.question(), {"value": "first"})
        await here.calls("elicit_resume", id=identifier)
        again = here.begins("asking__one")
        here.person.sends(await here.person.question(2), {"value": "second"})
        assert "second" in text_of(await again)


async def test_two_equal_calls_side_by_side_are_two(upwards: str, downwards: str) -> None:
    async with world(asking(protocol=downwards), upwards=upwards) as here:
        calls = [here.begins("asking__one"), here.begins("asking__one")]
        for number in (1, 2):
            here.person.sends(await here.person.question(number), {"value": f"of {number}"})
        told = sorted([text_of(await call) for call in calls])
        assert "of 1" in told[0]
        assert "of 2" in told[1]


async def test_a_tool_that_is_merely_slow_is_never_paused(upwards: str, downwards: str) -> None:
    async with world(asking(protocol=downwards), upwards=upwards) as here:
        call = here.begins("asking__slow")
        await here.calls("asking__plain")
        await here.clock.move(3_600)
        assert not call.done()
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)


async def test_a_resumed_call_whose_tool_still_runs_says_that_it_was_answered(
    upwards: str, downwards: str
) -> None:
    async with world(workshop(protocol=downwards), upwards=upwards) as here:
        identifier = await paused(here, "workshop__then_slow")
        here.person.sends(await here.person.question(), {"value": "go"})
        resumed = here.begins("elicit_resume", id=identifier)
        await here.held()
        await here.clock.move(HOLD)
        assert text_of(await resumed) == STILL_RUNS


async def test_an_agent_that_cancels_is_joined_within_30_seconds(
    upwards: str, downwards: str
) -> None:
    async with world(asking(protocol=downwards), upwards=upwards) as here:
        question = await asked_by_one_that_left(here)
        await here.clock.move(29)
        again = here.begins("asking__one")
        await here.held()
        here.person.sends(question, {"value": "still here"})
        assert "still here" in text_of(await again)
        assert len(here.person.asked) == 1


async def test_an_agent_that_does_not_come_back_has_its_question_withdrawn(
    upwards: str, downwards: str
) -> None:
    async with world(asking(protocol=downwards), upwards=upwards) as here:
        question = await asked_by_one_that_left(here)
        await here.clock.move(31)
        await here.calls("asking__plain")
        assert here.person.withdrawn == [question]
        again = here.begins("asking__one")
        second = await here.person.question(2)
        assert second.id != question.id
        here.person.sends(second, {"value": "anew"})
        assert "anew" in text_of(await again)


async def test_the_end_of_the_session_withdraws_at_once() -> None:
    async with world(asking()) as here:
        call = here.begins("asking__one")
        await here.person.question()
    assert len(here.person.withdrawn) == 1
    call.cancel()
    await asyncio.gather(call, return_exceptions=True)


@pytest.mark.parametrize("identifier", ["", "0" * 32, "not an id"])
async def test_unknown_ids_get_one_answer(upwards: str, identifier: str) -> None:
    async with world(asking(), upwards=upwards) as here:
        for tool in ("elicit_resume", "elicit_cancel"):
            result = await here.calls(tool, id=identifier)
            assert text_of(result) == NOT_KNOWN
            assert result.is_error


async def test_an_id_of_another_session_is_as_unknown_as_any(upwards: str) -> None:
    async with (
        world(asking(), upwards=upwards) as here,
        world(asking(), upwards=upwards) as elsewhere,
    ):
        identifier = await paused(here)
        result = await elsewhere.calls("elicit_resume", id=identifier)
        assert text_of(result) == NOT_KNOWN


async def test_a_call_that_was_given_up_withdraws_its_question_and_is_forgotten(
    upwards: str, downwards: str
) -> None:
    async with world(asking(protocol=downwards), upwards=upwards) as here:
        identifier = await paused(here)
        await here.calls("elicit_cancel", id=identifier)
        await here.calls("asking__plain")
        assert len(here.person.withdrawn) == 1
        assert text_of(await here.calls("elicit_resume", id=identifier)) == NOT_KNOWN


async def test_while_a_question_waits_other_tools_of_the_same_server_answer(
    upwards: str, downwards: str
) -> None:
    server = asking(stdio=True, protocol=downwards)
    async with world(server, upwards=upwards) as here:
        call = here.begins("asking__one")
        question = await here.person.question()
        assert text_of(await here.calls("asking__plain")) == "plain answer"
        here.person.sends(question, {"value": "done"})
        assert "done" in text_of(await call)


async def test_a_question_that_comes_with_several_calls_open_names_them_all(upwards: str) -> None:
    async with world(asking(stdio=True, protocol="2025-11-25"), upwards=upwards) as here:
        first = here.begins("asking__one")
        question = await here.person.question()
        second = here.begins("asking__rounds")
        later = await here.person.question(2)
        assert sorted(call.name for call in later.request.calls) == ["one", "rounds"]
        here.person.sends(question, {"value": "1"})
        here.person.sends(later, {"value": "2"})
        await first
        here.person.sends(await here.person.question(3), {"value": "3"})
        await second


async def test_a_question_that_two_calls_share_stays_while_one_of_them_is_waited_for() -> None:
    async with world(asking(stdio=True, protocol="2025-11-25")) as here:
        first = here.begins("asking__one")
        own = await here.person.question()
        second = here.begins("asking__rounds")
        shared = await here.person.question(2)
        (held,) = (each for each in here.session.held_calls.under_way if each.call.name == "one")
        here.session.held_calls.give_up(held)
        await until(lambda: here.person.withdrawn == [own])
        await first
        assert list(here.person.open) == [shared.id]
        here.person.sends(shared, {"value": "2"})
        here.person.sends(await here.person.question(3), {"value": "3"})
        assert not (await second).is_error


async def test_what_no_person_answered_is_told_in_a_line_and_in_meta(
    upwards: str, downwards: str
) -> None:
    async with world(asking(protocol=downwards, elicitations="decline"), upwards=upwards) as here:
        result = await here.calls("asking__one")
        assert result.meta is not None
        assert result.meta[ELICITATIONS_META_KEY] == [
            {
                "action": "decline",
                "decidedBy": "policy",
                "reason": "The client's policy decided; no person was asked.",
            }
        ]
        assert "no answer of a person" in text_of(result)


async def test_nobody_answers_before_the_deadline(upwards: str, downwards: str) -> None:
    settings = GatewaySettings(ask_via="console", wait_sec=1, hold_sec=20)
    async with world(asking(protocol=downwards), upwards=upwards, gateway=settings) as here:
        result = await here.calls("asking__one")
        assert result.meta is not None
        assert result.meta[ELICITATIONS_META_KEY][0]["decidedBy"] == "deadline"


async def test_a_person_who_declines_or_dismisses_reaches_the_server_as_they_decided(
    upwards: str, downwards: str
) -> None:
    async with world(asking(protocol=downwards), upwards=upwards) as here:
        for number, outcome in enumerate(
            (decline("user", "You declined."), cancel("user", "You dismissed it.")), 1
        ):
            call = here.begins("asking__one")
            here.person.answers(await here.person.question(number), outcome)
            assert outcome.action in text_of(await call)


async def test_progress_ticks_while_a_person_is_waited_for(upwards: str, downwards: str) -> None:
    told: list[tuple[float, float | None, str | None]] = []

    async def heard(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, total, message))

    async with world(asking(protocol=downwards), upwards=upwards) as here:
        call = asyncio.ensure_future(
            here.agent.call_tool("asking__one", {}, progress_callback=heard)
        )
        question = await here.person.question()
        for _ in range(3):
            await here.clock.move(10)
        here.person.sends(question, {"value": "x"})
        await asyncio.wait_for(call, WAIT)
        assert len(told) == 3
        assert [value for value, _, _ in told] == sorted({value for value, _, _ in told})
        assert all("Waiting for a person" in (message or "") for _, _, message in told)


async def test_a_paused_call_says_what_it_waits_for() -> None:
    async with world(asking()) as here:
        call = here.begins("asking__one", unused="argument")
        await here.person.question()
        await here.clock.move(HOLD)
        result = await call
        assert result.meta is not None
        said = result.meta[PAUSED_META_KEY]
        assert said["toolPath"] == "asking/one"
        assert said["message"] == "A value"
        assert said["args"] == {"unused": "argument"}
        assert re.fullmatch(r"[0-9a-f]{32}", said["id"])
        assert said["expiresAt"].endswith("Z")
        assert "do not repeat the tool" in text_of(result)


async def test_a_tool_that_nobody_offers_is_told_as_a_result(upwards: str) -> None:
    async with world(asking(), upwards=upwards) as here:
        result = await here.calls("asking__nothing_of_that_name")
        assert result.is_error
        assert "Unknown tool" in text_of(result)


async def test_a_server_that_cannot_start_says_so_in_the_answer_to_its_call(upwards: str) -> None:
    files = CatalogueFiles()
    async with world(workshop(), upwards=upwards, files=files) as seen:
        await seen.calls("workshop__plain")
        catalogue = files.read(workshop())
        assert catalogue is not None
        known = [tool.name for tool in (await seen.agent.list_tools()).tools]
    files.read = lambda server: catalogue  # type: ignore[method-assign]
    broken = ServerSettings("workshop", command="/nonexistent/workshop")
    async with world(broken, upwards=upwards, files=files) as here:
        assert [tool.name for tool in (await here.agent.list_tools()).tools] == known
        result = await here.calls("workshop__plain")
        assert result.is_error
        assert "/nonexistent/workshop" in text_of(result)
        assert any("/nonexistent/workshop" in line for line in here.told)
