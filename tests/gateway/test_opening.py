"""What a session is composed of, and how its parts end: real parts, no server that answers."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from elicit_tui.elicitation import Call, Question
from elicit_tui.elicitation.settings import (
    ElicitationSettings,
    GatewaySettings,
    Hook,
    ServerSettings,
    Settings,
)
from elicit_tui.gateway.agent import SessionAudience
from elicit_tui.gateway.agent_session import AgentSession
from elicit_tui.gateway.catalogue import CatalogueFiles
from elicit_tui.gateway.connected import session_notes
from elicit_tui.gateway.opening import SessionOptions, open_session, remember_catalogues
from elicit_tui.gateway.requester import AgentInfo
from elicit_tui.gateway.session_catalogues import SessionCatalogues
from tests.broker.conftest import form_request
from tests.gateway.session_world import Asker
from tests.gateway.test_sharing import Shared
from tests.gateway.world import MovedClock, PersonAtOtherTerminal, settled, until, workshop

pytestmark = pytest.mark.anyio


class Person(PersonAtOtherTerminal):
    """Notes what of the session had ended when it was closed."""

    def __init__(self, told: list[Any]) -> None:
        super().__init__()
        self._told = told

    async def close(self) -> None:
        self._told.append("closed")


async def test_a_notice_of_its_broker_is_told_to_the_person_with_its_server() -> None:
    told: list[str] = []
    options = SessionOptions(notify=told.append)
    async with open_session(Settings(), [], PersonAtOtherTerminal(), options) as session:
        session.runtime.broker.notice("web", "It asks too much.")
    assert told == ["web: It asks too much."]


async def test_its_questions_wait_as_long_as_the_gateways_do_and_no_other_settings_change() -> None:
    owner = Settings(
        elicitation=ElicitationSettings(timeout_sec=5), gateway=GatewaySettings(wait_sec=77)
    )
    async with open_session(owner, [], PersonAtOtherTerminal()) as session:
        found = session.runtime.settings
    assert found == replace(owner, elicitation=replace(owner.elicitation, timeout_sec=77))


async def test_how_its_servers_stand_and_its_end_are_noted(sealed_machine: Path) -> None:
    broken = ServerSettings("broken", command="/nonexistent/server")
    owner = Settings(servers={"broken": broken})

    def noted_state() -> str:
        (note,) = session_notes()
        return note.servers["broken"].state

    async with open_session(owner, ["broken"], PersonAtOtherTerminal()) as session:
        session.note.known_as(AgentInfo("codex"), http=False)
        await until(lambda: noted_state() == "failed")
        assert session_notes()[0].ended is None
    assert session_notes()[0].ended is not None


class Told(PersonAtOtherTerminal):
    """Notes whom it is to tell that a question waits."""

    listener: Any = None

    def tell_waiting_to(self, told: Any) -> None:
        self.listener = told


@pytest.mark.parametrize("hooks", [(Hook("Waiting", command=("true",)),), ()])
async def test_the_owners_hooks_learn_that_a_question_waits(hooks: tuple[Hook, ...]) -> None:
    person = Told()
    async with open_session(Settings(hooks=hooks), [], person):
        assert (person.listener is not None) is bool(hooks)


def noted(monkeypatch: pytest.MonkeyPatch, part: Any, told: list[Any]) -> None:
    """Have a part of a session note when it is closed."""
    whole = part.close

    def close(self: Any) -> Any:
        told.append(part.__name__)
        return whole(self)

    monkeypatch.setattr(part, "close", close)


async def test_at_its_end_the_others_learn_what_goes_on_no_more_before_its_place_is_closed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shared = Shared()
    for part in (SessionCatalogues, SessionAudience):
        noted(monkeypatch, part, shared.told)
    person, clock = Person(shared.told), MovedClock()
    options: Any = SessionOptions(clock=clock, shared=shared)  # type: ignore[arg-type]
    async with open_session(Settings(), [], person, options) as session:
        held, task = begun(session), begun(session)
        question = Question(form_request(calls=(held.call,)))
        held.waiting[question.id] = question
        asker: Any = Asker(clock)
        await session.held_calls.attend(held, asker, 0.0)
        await settled()
        shared.told.clear()
    assert shared.told == [
        ("abandoned", held.id),
        ("abandoned", task.id),
        "SessionCatalogues",
        "SessionAudience",
        "closed",
    ]
    assert held.done


def begun(session: AgentSession) -> Any:
    work: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
    return session.held_calls.start(Call("tools/call", "one"), "web", "key", work)


async def test_a_server_that_fails_keeps_no_other_from_being_remembered(tmp_path: Path) -> None:
    told: list[str] = []
    servers = {
        "broken": ServerSettings("broken", command="/nonexistent/server"),
        "workshop": workshop(),
    }
    files = CatalogueFiles(tmp_path)
    owner = Settings(servers=servers)
    assert await remember_catalogues(owner, [*servers], told.append, files) == ["workshop"]
    (why,) = told
    assert why.startswith("broken: ")
    assert "/nonexistent/server" in why
    known = files.read(servers["workshop"])
    assert known is not None
    assert "plain" in {tool["name"] for tool in known.tools}
    assert files.read(servers["broken"]) is None
    await settled()
