"""What a held call's state is to the agent: the result, "paused", or a round for its client."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from elicit_tui.broker import Broker
from elicit_tui.elicitation import Question, now, rfc3339
from elicit_tui.gateway import telling
from elicit_tui.gateway.agent_answers import AgentAnswers
from elicit_tui.gateway.held_call import (
    AsksClient,
    BecameTask,
    Ended,
    HeldCall,
    Reply,
    StillRuns,
)
from elicit_tui.gateway.rounds import input_requests
from elicit_tui.gateway.task_results import created
from elicit_tui.gateway.telling import Result, text_result
from elicit_tui.text import neutral_line


class Replies:
    """Words each reply of a held call as the result of one request."""

    def __init__(self, agent_answers: AgentAnswers, broker: Broker) -> None:
        self._agent_answers = agent_answers
        self._broker = broker

    def result(self, held: HeldCall, reply: Reply, *, resumed: bool, alone: bool) -> Result:
        """The result of the agent's request; `alone`: no user comes back to it."""
        if isinstance(reply, Ended):
            return reply.result
        if isinstance(reply, AsksClient):
            return {
                "resultType": "input_required",
                "inputRequests": input_requests(reply.requests),
                "requestState": reply.state,
            }
        if isinstance(reply, BecameTask):
            return created(held)
        if isinstance(reply, StillRuns):
            return text_result(telling.STILL_RUNS)
        return self._paused(held, resumed=resumed, alone=alone)

    def _paused(self, held: HeldCall, *, resumed: bool, alone: bool) -> Result:
        questions = list(held.waiting.values())
        text = telling.still_waiting(alone=alone) if resumed else telling.paused_text(held.id)
        text += self._agent_answers.asked(held)
        meta = {
            telling.PAUSED_META_KEY: {
                "id": held.id,
                "expiresAt": self._expires(held),
                "toolPath": held.tool_path,
                "message": _question_line(questions),
                "args": dict(held.call.arguments),
            }
        }
        # In the shape of what was asked for: its reader knows no other.
        if not resumed and held.call.method == "prompts/get":
            message = {"role": "user", "content": {"type": "text", "text": text}}
            return {"messages": [message], "_meta": meta}
        if not resumed and held.call.method == "resources/read":
            return {"contents": [{"uri": held.call.name, "text": text}], "_meta": meta}
        return text_result(text, _meta=meta)

    def _expires(self, held: HeldCall) -> str | None:
        """When the first of its questions ends without an answer; None: with the session."""
        left = [
            pending.deadline.remaining
            for pending in self._broker.pending
            if pending.question.id in held.waiting
        ]
        seconds = min((moment for moment in left if moment is not None), default=None)
        return None if seconds is None else rfc3339(now() + timedelta(seconds=seconds))


def _question_line(questions: Sequence[Question]) -> str:
    """What a person is being asked, on one line and neutral."""
    return neutral_line(questions[0].request.message, 500) if questions else ""
