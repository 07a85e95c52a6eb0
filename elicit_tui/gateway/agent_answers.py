"""What an agent answers in its person's place: only where its owner lets it, and never a person's.

An answer names the question that it is for. A call may ask again, or two things at once, and what
was said of one must not count for the next.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from elicit_tui.broker.ask import agent_refusal
from elicit_tui.elicitation import Outcome, Question, accept, cancel, decline
from elicit_tui.elicitation.request import AGENT
from elicit_tui.gateway.held_call import HeldCall
from elicit_tui.text import ascii_json
from elicit_tui.text.data import neutral_value

_ASK_THE_USER: Final = "Ask the user to answer it in elicit-tui."
_NOT_ALLOWED: Final = f"No agent may answer here for its user. {_ASK_THE_USER}"
_ANOTHER: Final = "That question does not wait, so nothing was answered."


class AgentAnswers:
    """Hands an agent's answers to the questions of one session that wait for a person."""

    def __init__(self, *, allowed: bool) -> None:
        """`allowed`: as `gateway.agent_answers`."""
        self._allowed = allowed
        self._awaited: dict[str, asyncio.Future[Outcome]] = {}

    @contextmanager
    def awaited(self, question: Question) -> Iterator[asyncio.Future[Outcome]]:
        """What the agent answers to a question, for as long as it waits."""
        answered: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        self._awaited[question.id] = answered
        try:
            yield answered
        finally:
            del self._awaited[question.id]

    def take(self, held: HeldCall, arguments: Mapping[str, Any]) -> str | None:
        """Hand the answer over that `elicit_answer` has; in a sentence why it cannot be.

        None too where its call asks nothing any more: what became of it says all.
        """
        if not self._allowed:
            return _NOT_ALLOWED
        if not held.waiting:
            return None
        question = held.waiting.get(str(arguments.get("question")))
        if question is None:
            return f"{_ANOTHER}{self.asked(held)}"
        outcome = agent_outcome(question, arguments.get("action"), arguments.get("content"))
        if isinstance(outcome, str):
            return outcome
        answered = self._awaited.get(question.id)
        if answered is not None and not answered.done():
            answered.set_result(outcome)
        return None

    def asked(self, held: HeldCall) -> str:
        """What an agent that may answer has to know of a call's first question; else nothing."""
        question = next(iter(held.waiting.values()), None)
        if question is None or not self._allowed:
            return ""
        asked = {
            "question": question.id,
            "message": neutral_value(question.request.message),
            "requestedSchema": question.request.requested_schema,
        }
        return f" The question, for elicit_answer: {ascii_json(asked)}"


def agent_outcome(question: Question, action: Any, content: Any) -> Outcome | str:
    """The agent's answer as an outcome, or in a sentence why it is none.

    The broker asks `agent_refusal` too; here the agent learns of it at once.
    """
    if action not in ("accept", "decline", "cancel"):
        return 'action is "accept", "decline" or "cancel".'
    answer: Mapping[str, Any] = content if isinstance(content, Mapping) else {}
    # Nothing goes out with a decline or a cancel, whatever stands beside it.
    if action == "accept" and content is not None and content is not answer:
        return "content is an object, as requestedSchema has it, and no text of one."
    refused = agent_refusal(question, action, answer)
    if refused is not None:
        own = question.request.server.name == AGENT
        return f"{'This is your own question to the user.' if own else refused} {_ASK_THE_USER}"
    if action == "decline":
        return decline("agent", "The agent declined.", via="agent")
    if action == "cancel":
        return cancel("agent", "The agent dismissed the question.", via="agent")
    assert question.form is not None
    problems = question.form.judge(answer)
    if problems:
        reasons = "; ".join(f"content.{problem.field}: {problem.message}" for problem in problems)
        return f"The content does not satisfy requestedSchema. {reasons}"
    return accept("agent", "The agent answered.", answer, via="agent")
