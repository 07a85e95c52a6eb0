"""Where the owner lets an agent answer by itself: what it may answer, and why not the rest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from elicit_tui.elicitation import Outcome, Question, accept, cancel, decline
from elicit_tui.gateway.asking import AGENT

_ASK: Final = "Ask the user to answer it in elicit-tui."


def agent_outcome(question: Question, action: Any, content: Any) -> Outcome | str:
    """The agent's answer as an outcome, or in a sentence why it is none.

    An agent is no person: it consents to nothing. It never approves a tool, answers its own
    question or a page, passes a finding, or fills in a field that asks for a secret.
    """
    if question.request.kind == "approval":
        return f"Only a person can approve a tool. {_ASK}"
    if question.request.server.name == AGENT:
        return f"This is your own question to the user. {_ASK}"
    if action == "decline":
        return decline("agent", "The agent declined.", via="agent")
    if action == "cancel":
        return cancel("agent", "The agent dismissed the question.", via="agent")
    if action != "accept":
        return 'action is "accept", "decline" or "cancel".'
    if question.request.mode != "form" or question.form is None:
        return f"Only a person can visit a page. {_ASK}"
    if question.to_acknowledge or question.review.verdict != "allow":
        return f"This question needs a person's own look. {_ASK}"
    if _asks_a_secret(question):
        return f"It asks for a secret, which only a person gives. {_ASK}"
    given: Mapping[str, Any] = content if isinstance(content, Mapping) else {}
    problems = question.form.judge(given)
    if problems:
        told = "; ".join(f"content.{problem.field}: {problem.message}" for problem in problems)
        return f"The content does not satisfy requestedSchema. {told}"
    if question.examine(given):
        return f"The content looks as if it held a secret. {_ASK}"
    return accept("agent", "The agent answered.", given, via="agent")


def _asks_a_secret(question: Question) -> bool:
    return any(finding.rule.startswith("credentials.") for finding in question.review.findings)
