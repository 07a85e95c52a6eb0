"""What an agent asks by itself, and what it may answer by itself."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from elicit_tui.elicitation import decline
from elicit_tui.elicitation.settings import GatewaySettings
from elicit_tui.gateway.own_tools import NotAQuestion, agent_question
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


def odd(**question: Any) -> dict[str, Any]:
    """The arguments of one good question and this one."""
    return {"questions": [{"question": "Well?"}, {"question": "x", **question}]}


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({}, "Give a message, or questions."),
        ({"message": " "}, "Give a message, or questions."),
        ({"message": 5}, "Give a message, or questions."),
        ({"message": "Go?", "schema": "a string"}, '`schema` is an object with "properties"'),
        ({"message": "Go?", "schema": {"type": "object"}}, '`schema` is an object with "prop'),
        ({"schema": COLOUR, "questions": [{"question": "x"}]}, "not both"),
        ({"questions": "xy"}, "`questions` is a list."),
        ({"questions": {"question": "x"}}, "`questions` is a list."),
        ({"questions": []}, "Ask one to 4 questions at a time."),
        ({"questions": [{"question": "x"}] * 5}, "Ask one to 4 questions at a time."),
        ({"questions": ["x"]}, "questions[0].question is missing."),
        (odd(question=" "), "questions[1].question is missing."),
        (odd(question=None), "questions[1].question is missing."),
        (odd(options="ab"), "questions[1].options is a list."),
        (odd(options=["a"], multiSelect="true"), "questions[1].multiSelect is true or false."),
        (odd(multiSelect=1), "questions[1].multiSelect is true or false."),
        (odd(options=["a", {"label": ""}]), "questions[1].options[1].label is missing."),
        (odd(options=[{}]), "questions[1].options[0].label is missing."),
        (odd(options=["a", {"label": "a"}]), "questions[1].options has a label twice."),
    ],
)
def test_what_is_no_question_says_what_is_amiss(arguments: dict[str, Any], why: str) -> None:
    with pytest.raises(NotAQuestion, match=re.escape(why)):
        agent_question(arguments)


async def test_what_is_no_question_is_told_to_the_agent_and_asked_of_nobody() -> None:
    async with world(asking()) as here:
        result = await here.calls("elicit", questions=[])
        assert result.is_error
        assert text_of(result) == "Ask one to 4 questions at a time."
        assert here.person.asked == []


def test_questions_of_an_agent_are_one_form_in_their_words() -> None:
    written = [
        {"question": "Which?", "options": [{"label": "one", "description": "small"}, "two"]},
        {"question": "Parts?", "multiSelect": True, "options": [{"label": "a", "description": ""}]},
        {"question": "Else?", "options": []},
        {"question": "Else?"},
    ]
    asked = agent_question({"questions": written})
    choices = [{"const": "one", "title": "one: small"}, {"const": "two", "title": "two"}]
    several = {"anyOf": [{"const": "a", "title": "a"}]}
    assert asked.params == {
        "mode": "form",
        "message": "4 questions",
        "requestedSchema": {
            "type": "object",
            "properties": {
                "question_1": {"type": "string", "title": "Which?", "oneOf": choices},
                "question_2": {
                    "type": "array",
                    "title": "Parts?",
                    "items": several,
                    "minItems": 1,
                },
                "question_3": {"type": "string", "title": "Else?"},
                "question_4": {"type": "string", "title": "Else?"},
            },
            "required": ["question_1", "question_2", "question_3", "question_4"],
        },
    }
    answer = {"question_3": "no", "question_4": "yes", "other": 1}
    assert asked.content(answer) == {"Else?": "no", "Else? (4)": "yes", "other": 1}


def test_each_answer_goes_back_under_words_of_its_own() -> None:
    # The words that the third question would get are those of the first.
    asked = agent_question({"questions": [{"question": each} for each in ("A (3)", "A", "A")]})
    content = asked.content({"question_1": "one", "question_2": "two", "question_3": "three"})
    assert [content["A (3)"], content["A"]] == ["one", "two"]
    assert list(content.values()) == ["one", "two", "three"]


def test_what_a_form_of_an_agent_says_is_its_message_or_its_one_question() -> None:
    one = [{"question": "Which?"}]
    assert agent_question({"questions": one}).message == "Which?"
    assert agent_question({"questions": one, "message": "Please."}).message == "Please."
    bare = agent_question({"message": "Go?", "schema": {"properties": {}}})
    assert bare.schema == agent_question({"message": "Go?"}).schema
    assert bare.schema == {"type": "object", "properties": {}}
    assert bare.content({"a": 1}) == {"a": 1}


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


def asked_in(paused: Any) -> str:
    """The question that the text of a paused call names for `elicit_answer`."""
    asked: dict[str, str] = json.loads(text_of(paused).partition("for elicit_answer: ")[2])
    return asked["question"]


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
        named = {"id": paused.meta[PAUSED_META_KEY]["id"], "question": asked_in(paused)}
        wrong = await here.calls("elicit_answer", **named, action="accept", content={})
        assert wrong.is_error
        assert "content.value" in text_of(wrong)
        content = {"value": "by the agent"}
        right = await here.calls("elicit_answer", **named, action="accept", content=content)
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
        result = await here.calls(
            "elicit_answer",
            id=identifier,
            question=next(iter(here.person.open)),
            action="accept",
            content=content,
        )
        assert result.is_error
        assert len(here.person.open) == 1


async def test_with_leave_an_agent_does_not_answer_its_own_question() -> None:
    async with world(asking(), gateway=ALLOWED) as here:
        identifier = await waits(here, "elicit", message="May I?")
        for action in ("accept", "decline"):
            named = {"question": next(iter(here.person.open))}
            result = await here.calls("elicit_answer", id=identifier, **named, action=action)
            assert "your own question" in text_of(result)
        assert len(here.person.open) == 1
