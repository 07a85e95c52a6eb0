"""What an agent asks by itself, and what it may answer by itself."""

from __future__ import annotations

from typing import Any

import pytest

from elicit_tui.elicitation import decline
from elicit_tui.elicitation.settings import GatewaySettings
from elicit_tui.gateway.telling import PAUSED_META_KEY
from tests.gateway.world import World, asking, text_of, workshop, world

pytestmark = pytest.mark.anyio

COLOUR = {"type": "object", "properties": {"colour": {"type": "string"}}, "required": ["colour"]}
ALLOWED = GatewaySettings(ask_via="console", agent_answers="allow", hold_sec=10)


async def names(here: World) -> set[str]:
    return {tool.name for tool in (await here.agent.list_tools()).tools}


async def test_an_agent_asks_its_user_by_a_schema(upwards: str) -> None:
    async with world(asking(), upwards=upwards) as here:
        call = here.begins("elicit", message="Which colour?", schema=COLOUR)
        question = await here.person.question()
        assert question.request.server.name == "agent"
        assert question.request.message == "Which colour?"
        here.person.sends(question, {"colour": "green"})
        result = await call
        assert result.structured_content == {"action": "accept", "content": {"colour": "green"}}


async def test_an_agent_asks_as_agents_write_questions(upwards: str) -> None:
    questions = [
        {
            "question": "Which library?",
            "header": "Library",
            "options": [{"label": "one", "description": "the small one"}, {"label": "two"}],
        },
        {
            "question": "Which parts?",
            "multiSelect": True,
            "options": [{"label": "a"}, {"label": "b"}],
        },
        {"question": "Anything else?"},
    ]
    async with world(asking(), upwards=upwards) as here:
        call = here.begins("elicit", questions=questions)
        question = await here.person.question()
        assert question.form is not None
        answer = {"question_1": "two", "question_2": ["a", "b"], "question_3": "no"}
        here.person.sends(question, answer)
        assert (await call).structured_content == {
            "action": "accept",
            "content": {
                "Which library?": "two",
                "Which parts?": ["a", "b"],
                "Anything else?": "no",
            },
        }


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"message": " "},
        {"message": "Go?", "schema": "a string"},
        {"questions": []},
        {"questions": [{"question": "x"}] * 5},
        {"questions": [{"options": []}]},
        {"questions": [{"question": "x", "options": [{"label": "a"}, {"label": "a"}]}]},
        {"message": "Go?", "schema": COLOUR, "questions": [{"question": "x"}]},
    ],
    ids=lambda arguments: ",".join(arguments) or "nothing",
)
async def test_what_is_no_question_is_told_to_the_agent_and_asked_of_nobody(
    arguments: dict[str, Any],
) -> None:
    async with world(asking()) as here:
        assert (await here.calls("elicit", **arguments)).is_error
        assert here.person.asked == []


async def test_a_persons_note_reaches_the_agent(upwards: str) -> None:
    async with world(asking(), upwards=upwards) as here:
        call = here.begins("elicit", message="Deploy to production?")
        declined = decline("user", "You declined.", note="use staging instead")
        here.person.answers(await here.person.question(), declined)
        result = await call
        assert "use staging instead" in text_of(result)
        assert result.structured_content == {"action": "decline", "content": None}


async def test_a_secret_is_not_asked_for_by_an_agent_either() -> None:
    secret = {"type": "object", "properties": {"password": {"type": "string"}}}
    async with world(asking()) as here:
        result = await here.calls("elicit", message="Enter your password", schema=secret)
        assert "safety check" in text_of(result)
        assert here.person.asked == []


async def test_an_agent_is_not_offered_what_its_owner_does_not_want() -> None:
    settings = GatewaySettings(ask_via="console", elicit_tool=False)
    async with world(asking(), gateway=settings) as here:
        assert not {"elicit", "elicit_answer"} & await names(here)
        assert {"elicit_resume", "elicit_cancel"} <= await names(here)


async def waits(here: World, tool: str, **arguments: Any) -> str:
    call = here.begins(tool, **arguments)
    await here.person.question(len(here.person.asked) + 1)
    await here.clock.move(11)
    result = await call
    assert result.meta is not None
    return str(result.meta[PAUSED_META_KEY]["id"])


async def test_without_leave_an_agent_cannot_answer(upwards: str) -> None:
    settings = GatewaySettings(ask_via="console", hold_sec=10)
    async with world(asking(), upwards=upwards, gateway=settings) as here:
        identifier = await waits(here, "asking__one")
        assert "elicit_answer" not in await names(here)
        refused = await here.calls(
            "elicit_answer", id=identifier, action="accept", content={"value": "mine"}
        )
        assert refused.is_error
        assert text_of(refused) == "Unknown tool: elicit_answer"


async def test_with_leave_an_agent_answers_and_is_judged_like_anybody(
    upwards: str, downwards: str
) -> None:
    async with world(asking(protocol=downwards), upwards=upwards, gateway=ALLOWED) as here:
        call = here.begins("asking__one")
        await here.person.question()
        await here.clock.move(11)
        paused = await call
        assert '"requestedSchema"' in text_of(paused)
        assert paused.meta is not None
        identifier = paused.meta[PAUSED_META_KEY]["id"]
        wrong = await here.calls("elicit_answer", id=identifier, action="accept", content={})
        assert wrong.is_error
        assert "content.value" in text_of(wrong)
        right = await here.calls(
            "elicit_answer", id=identifier, action="accept", content={"value": "by the agent"}
        )
        assert "by the agent" in text_of(right)
        assert right.meta is not None
        assert right.meta["dev.elicit-tui/elicitations"][0]["decidedBy"] == "agent"


@pytest.mark.parametrize(
    ("server", "tool", "content"),
    [
        (asking, "asking__page", None),
        (workshop, "workshop__wipe", {"value": "yes"}),
        (asking, "asking__one", {"value": "AKIAIOSFODNN7EXAMPLE"}),
    ],
    ids=["page", "warning", "secret"],
)
async def test_with_leave_an_agent_still_answers_nothing_that_needs_a_person(
    server: Any, tool: str, content: Any
) -> None:
    async with world(server(), gateway=ALLOWED) as here:
        identifier = await waits(here, tool)
        result = await here.calls("elicit_answer", id=identifier, action="accept", content=content)
        assert result.is_error
        assert len(here.person.open) == 1


async def test_with_leave_an_agent_does_not_answer_its_own_question() -> None:
    async with world(asking(), gateway=ALLOWED) as here:
        identifier = await waits(here, "elicit", message="May I?")
        for action in ("accept", "decline"):
            result = await here.calls("elicit_answer", id=identifier, action=action)
            assert "your own question" in text_of(result)
        assert len(here.person.open) == 1
