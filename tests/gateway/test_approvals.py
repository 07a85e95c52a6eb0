"""A tool that says it destroys something is called only when a person lets it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from elicit_tui.elicitation import Outcome, Question, accept, decline
from elicit_tui.elicitation.settings import GatewaySettings, ServerSettings
from tests.gateway.test_clients import ClientForms
from tests.gateway.world import World, text_of, workshop, world

pytestmark = pytest.mark.anyio


@pytest.fixture
def calls_made(tmp_path: Path) -> Path:
    return tmp_path / "calls"


@pytest.fixture
def server(calls_made: Path) -> ServerSettings:
    return workshop(stdio=True, env={"WORKSHOP_LOG": str(calls_made)})


def made(log: Path) -> int:
    """How often the tool was really called."""
    return len(log.read_text().splitlines()) if log.exists() else 0


def allows(scope: str) -> Outcome:
    return accept("user", "You allowed it.", None, scope=scope, via="inbox")


async def approved(here: World, scope: str) -> str:
    """Call the tool, let the person allow it, and return what the agent reads."""
    number = len(here.person.asked) + 1
    call = here.begins("workshop__delete", what="everything")
    question = await here.person.question(number)
    assert question.request.kind == "approval"
    here.person.answers(question, allows(scope))
    return text_of(await call)


async def test_it_is_asked_for_each_call_that_was_allowed_once(
    upwards: str, server: ServerSettings, calls_made: Path
) -> None:
    async with world(server, upwards=upwards) as here:
        assert await approved(here, "once") == "deleted"
        assert await approved(here, "once") == "deleted"
        assert made(calls_made) == 2


async def test_what_is_allowed_for_the_session_is_asked_once_and_can_be_taken_back(
    server: ServerSettings, calls_made: Path
) -> None:
    async with world(server) as here:
        await approved(here, "session")
        assert text_of(await here.calls("workshop__delete")) == "deleted"
        assert len(here.person.asked) == 1
        here.person.revoked.append(("workshop", "delete"))
        await approved(here, "once")
        assert made(calls_made) == 3


async def test_it_is_asked_again_after_the_server_restarted(
    server: ServerSettings, calls_made: Path
) -> None:
    async with world(server) as here:
        await approved(here, "session")
        await here.session.runtime.host.disconnect("workshop")
        await approved(here, "once")
        assert made(calls_made) == 2


async def test_it_is_asked_again_after_its_definition_changed(
    server: ServerSettings, calls_made: Path
) -> None:
    async with world(server) as here:
        await approved(here, "session")
        await here.calls("workshop__redefine")
        await approved(here, "once")
        assert made(calls_made) == 2


async def test_a_person_who_declines_with_a_note_is_read_by_the_agent_and_not_by_the_server(
    upwards: str, server: ServerSettings, calls_made: Path
) -> None:
    async with world(server, upwards=upwards) as here:
        call = here.begins("workshop__delete")
        declined = decline("user", "You declined.", note="use staging instead", via="inbox")
        here.person.answers(await here.person.question(), declined)
        result = await call
        assert result.is_error
        assert "use staging instead" in text_of(result)
        assert "was not called" in text_of(result)
        assert made(calls_made) == 0


async def test_an_approval_that_is_not_answered_in_time_is_no_approval(
    upwards: str, server: ServerSettings, calls_made: Path
) -> None:
    settings = GatewaySettings(ask_via="console", wait_sec=1)
    async with world(server, upwards=upwards, gateway=settings) as here:
        result = await here.calls("workshop__delete")
        assert result.is_error
        assert "Nobody answered in time" in text_of(result)
        assert made(calls_made) == 0


async def test_an_approval_waits_paused_and_the_tool_is_called_once_it_is_given(
    upwards: str, server: ServerSettings, calls_made: Path
) -> None:
    async with world(server, upwards=upwards) as here:
        call = here.begins("workshop__delete")
        question = await here.person.question()
        await here.clock.move(50)
        paused = await call
        assert made(calls_made) == 0
        here.person.answers(question, allows("once"))
        assert paused.meta is not None
        identifier = paused.meta["dev.elicit-tui/paused"]["id"]
        for _ in range(2):
            assert text_of(await here.calls("elicit_resume", id=identifier)) == "deleted"
        assert made(calls_made) == 1


async def test_while_its_agent_is_away_an_approval_cannot_be_accepted(
    server: ServerSettings, calls_made: Path
) -> None:
    async with world(server) as here:
        call = here.begins("workshop__delete")
        question = await here.person.question()
        await here.leaves(call)
        assert here.person.agent_states == [(question.id, "left")]
        here.person.answers(question, allows("once"))
        again = await here.person.question(2)
        assert again.id == question.id
        assert "agent has left" in (again.note or "")
        await here.clock.move(31)
        assert made(calls_made) == 0
        assert [each.id for each in here.person.withdrawn] == [question.id]


async def test_an_agent_that_is_back_in_time_has_its_approval_as_before(
    server: ServerSettings, calls_made: Path
) -> None:
    async with world(server) as here:
        call = here.begins("workshop__delete")
        question = await here.person.question()
        await here.leaves(call)
        again = here.begins("workshop__delete")
        await here.held()
        assert here.person.agent_states == [(question.id, "left"), (question.id, "waiting")]
        here.person.answers(question, allows("once"))
        assert text_of(await again) == "deleted"
        assert made(calls_made) == 1


@pytest.mark.parametrize(
    ("ask_via", "by_client"), [("client", True), ("auto", False)], ids=["client", "auto"]
)
async def test_an_approval_is_put_to_a_client_only_where_the_owner_says_so(
    upwards: str, server: ServerSettings, calls_made: Path, ask_via: Any, by_client: bool
) -> None:
    forms = ClientForms({})
    async with world(
        server,
        upwards=upwards,
        gateway=GatewaySettings(ask_via=ask_via),
        client={"elicitation_callback": forms},
    ) as here:
        call = here.begins("workshop__delete")
        if not by_client:
            here.person.answers(await here.person.question(), allows("once"))
        assert text_of(await call) == "deleted"
        assert len(forms.shown) == by_client
        if by_client:
            # What a client approves is approved once.
            await here.calls("workshop__delete")
            assert len(forms.shown) == 2


def nobody(question: Question) -> Outcome:
    raise AssertionError(question)


async def test_a_tool_that_destroys_nothing_is_called_without_a_question(
    upwards: str, server: ServerSettings
) -> None:
    async with world(server, upwards=upwards, answer=nobody) as here:
        assert text_of(await here.calls("workshop__plain")) == "plain answer"
