"""The tools that the gateway adds: to ask the user, and to come back to what waits for one.

The agent chooses neither a time limit nor a channel; both are its user's.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation import Call, ElicitationRequest, ServerIdentity
from elicit_tui.elicitation.request import AGENT
from elicit_tui.elicitation.settings import GatewaySettings
from elicit_tui.gateway.catalogue import Entry
from elicit_tui.gateway.requester import AgentInfo

ELICIT: Final = "elicit"
RESUME: Final = "elicit_resume"
CANCEL: Final = "elicit_cancel"
ANSWER: Final = "elicit_answer"

DOCTOR: Final = "elicit_doctor"
"""Offered by `measuring` while a doctor runs."""
RESERVED: Final = frozenset({ELICIT, RESUME, CANCEL, ANSWER, DOCTOR})
"""No server's tool is offered by these names, also where an agent is not offered ours."""

MOST_QUESTIONS: Final = 4

_ID: Final[Mapping[str, Any]] = {
    "type": "string",
    "description": "The id that the paused call gave.",
}

_OPTION: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {"label": {"type": "string"}, "description": {"type": "string"}},
    "required": ["label"],
}

_QUESTION: Final[Mapping[str, Any]] = {
    "type": "object",
    "properties": {
        "question": {"type": "string"},
        "header": {"type": "string", "description": "A word or two that name the question."},
        "options": {"type": "array", "items": _OPTION, "description": "Left out: free text."},
        "multiSelect": {"type": "boolean"},
    },
    "required": ["question"],
}

_TOOLS: Final[Mapping[str, Entry]] = {
    ELICIT: {
        "name": ELICIT,
        "title": "Ask the user",
        "description": (
            "Asks the user by a form and returns the answer. Give either `message` with a flat "
            "JSON Schema (`schema`: string, number, integer, boolean, enum and multi-select "
            "properties), or one to four `questions` with options. It may answer that it waits; "
            "then call elicit_resume. Never ask for passwords or other secrets."
        ),
        "inputSchema": {
            "type": "object",
            "properties": {
                "message": {"type": "string", "description": "What the user is asked."},
                "schema": {"type": "object", "description": "The form; none: a yes or no."},
                "questions": {
                    "type": "array",
                    "items": _QUESTION,
                    "minItems": 1,
                    "maxItems": MOST_QUESTIONS,
                },
            },
        },
        "annotations": {"readOnlyHint": True, "openWorldHint": False},
    },
    RESUME: {
        "name": RESUME,
        "title": "Resume a paused call",
        "description": (
            "Returns the result of a call that answered that it waits for a person. Call it with "
            "the id given there, instead of repeating the tool."
        ),
        "inputSchema": {"type": "object", "properties": {"id": _ID}, "required": ["id"]},
        "annotations": {"readOnlyHint": True, "openWorldHint": False},
    },
    CANCEL: {
        "name": CANCEL,
        "title": "Give up a paused call",
        "description": "Takes back a call that waits for a person; it is not made.",
        "inputSchema": {"type": "object", "properties": {"id": _ID}, "required": ["id"]},
        "annotations": {"destructiveHint": False, "openWorldHint": False},
    },
    ANSWER: {
        "name": ANSWER,
        "title": "Answer for the user",
        "description": (
            "Answers the question that a paused call waits for, in the user's place. Only what "
            "the user has told you in this conversation; when in doubt, ask the user first."
        ),
        "inputSchema": {
            "type": "object",
            "properties": {
                "id": _ID,
                "question": {"type": "string", "description": "Which one, as the call says it."},
                "action": {"type": "string", "enum": ["accept", "decline", "cancel"]},
                "content": {"type": "object", "description": "By the question's schema."},
            },
            "required": ["id", "question", "action"],
        },
        "annotations": {"destructiveHint": False, "openWorldHint": False},
    },
}


def own_tools(gateway: GatewaySettings, modes: Collection[str]) -> list[Entry]:
    """The gateway's own entries of tools/list, for an agent whose client elicits in these modes."""
    # A client with forms of its own asks its user by them; only one without any may be answered
    # for.
    answer = gateway.agent_answers == "allow" and not modes
    asking = [ELICIT] if gateway.elicit_tool else []
    return [dict(_TOOLS[name]) for name in (RESUME, CANCEL, *asking, *([ANSWER] if answer else []))]


def note_of(name: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
    """What another gateway process is told that makes the call which a tool of ours is about."""
    if name == CANCEL:
        return {"cancel": True}
    return {"answer": dict(arguments)} if name == ANSWER else {}


class NotAQuestion(Exception):
    """What the agent gave `elicit` cannot be asked; `str()` tells it why."""


@dataclass(frozen=True)
class AgentQuestion:
    """A question of the agent's own, as an elicitation's params."""

    message: str
    schema: Mapping[str, Any]
    titles: Mapping[str, str] | None = None
    """The question that each field stands for, where it came as `questions`."""

    @property
    def params(self) -> dict[str, Any]:
        """As a server would send it (spec: client/elicitation)."""
        return {"mode": "form", "message": self.message, "requestedSchema": dict(self.schema)}

    def request(self, call: Call, agent: AgentInfo) -> ElicitationRequest:
        """It as a request of the agent's, asked by this call."""
        itself = ServerIdentity(
            AGENT, "stdio", "the agent itself", calls_itself=agent.name, version=agent.version
        )
        return ElicitationRequest(server=itself, params=self.params, era="modern", calls=(call,))

    def content(self, answer: Mapping[str, Any]) -> dict[str, Any]:
        """The answer by the agent's own words."""
        if self.titles is None:
            return dict(answer)
        return {self.titles.get(name, name): value for name, value in answer.items()}


def agent_question(arguments: Mapping[str, Any]) -> AgentQuestion:
    """Read the arguments of `elicit`. Raises NotAQuestion."""
    questions = arguments.get("questions")
    message = arguments.get("message")
    if questions is not None:
        if arguments.get("schema") is not None:
            raise NotAQuestion("Give either questions or message with schema, not both.")
        return _from_questions(questions, message)
    if not isinstance(message, str) or not message.strip():
        raise NotAQuestion("Give a message, or questions.")
    # Without a schema it is a form without fields: a yes or a no.
    schema = arguments.get("schema", {"type": "object", "properties": {}})
    if not isinstance(schema, Mapping) or not isinstance(schema.get("properties"), Mapping):
        raise NotAQuestion('`schema` is an object with "properties", each of them flat.')
    # A type of the agent's own stays as it is, and is judged with the whole form.
    return AgentQuestion(message, {"type": "object", **schema})


def _from_questions(questions: Any, message: Any) -> AgentQuestion:
    if not isinstance(questions, Sequence) or isinstance(questions, str):
        raise NotAQuestion("`questions` is a list.")
    if not 1 <= len(questions) <= MOST_QUESTIONS:
        raise NotAQuestion(f"Ask one to {MOST_QUESTIONS} questions at a time.")
    properties: dict[str, Any] = {}
    titles: dict[str, str] = {}
    for number, question in enumerate(questions, 1):
        text = question.get("question") if isinstance(question, Mapping) else None
        if not isinstance(text, str) or not text.strip():
            raise NotAQuestion(f"questions[{number - 1}].question is missing.")
        name = f"question_{number}"
        properties[name] = _field(question, text, f"questions[{number - 1}]")
        # Answers go back under the words of their question. The same words twice get a number.
        while text in titles.values():
            text = f"{text} ({number})"
        titles[name] = text
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    first = next(iter(titles.values()))
    many = first if len(titles) == 1 else f"{len(titles)} questions"
    return AgentQuestion(message if isinstance(message, str) and message else many, schema, titles)


def _field(question: Mapping[str, Any], text: str, where: str) -> dict[str, Any]:
    options, several = question.get("options"), question.get("multiSelect")
    # Not read as one: its user could choose less than what was asked for.
    if several is not None and not isinstance(several, bool):
        raise NotAQuestion(f"{where}.multiSelect is true or false.")
    if options is None or options == []:
        return {"type": "string", "title": text}
    if not isinstance(options, Sequence) or isinstance(options, str):
        raise NotAQuestion(f"{where}.options is a list.")
    choices = [_choice(option, f"{where}.options[{place}]") for place, option in enumerate(options)]
    # The label is what is sent, so two equal ones would be one answer.
    if len({choice["const"] for choice in choices}) < len(choices):
        raise NotAQuestion(f"{where}.options has a label twice.")
    if several:
        return {"type": "array", "title": text, "items": {"anyOf": choices}, "minItems": 1}
    return {"type": "string", "title": text, "oneOf": choices}


def _choice(option: Any, where: str) -> dict[str, str]:
    label = option.get("label") if isinstance(option, Mapping) else option
    if not isinstance(label, str) or not label:
        raise NotAQuestion(f"{where}.label is missing.")
    described = option.get("description") if isinstance(option, Mapping) else None
    title = f"{label}: {described}" if isinstance(described, str) and described else label
    return {"const": label, "title": title}
