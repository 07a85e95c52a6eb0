"""The agent's own answer, where the owner lets it answer: what comes of it, in words it obeys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from elicit_tui.broker.ask import agent_refusal
from elicit_tui.elicitation import Outcome, Question, accept, cancel, decline
from elicit_tui.elicitation.request import AGENT

_ASK: Final = "Ask the user to answer it in elicit-tui."


def agent_outcome(question: Question, action: Any, content: Any) -> Outcome | str:
    """The agent's answer as an outcome, or in a sentence why it is none.

    The broker asks `agent_refusal` too; here the agent learns of it at once.
    """
    if action not in ("accept", "decline", "cancel"):
        return 'action is "accept", "decline" or "cancel".'
    given: Mapping[str, Any] = content if isinstance(content, Mapping) else {}
    refused = agent_refusal(question, action, given)
    if refused is not None:
        own = question.request.server.name == AGENT
        return f"{'This is your own question to the user.' if own else refused} {_ASK}"
    if action == "decline":
        return decline("agent", "The agent declined.", via="agent")
    if action == "cancel":
        return cancel("agent", "The agent dismissed the question.", via="agent")
    assert question.form is not None
    problems = question.form.judge(given)
    if problems:
        told = "; ".join(f"content.{problem.field}: {problem.message}" for problem in problems)
        return f"The content does not satisfy requestedSchema. {told}"
    return accept("agent", "The agent answered.", given, via="agent")
