"""What the agent is told, in words that it obeys: paused, refused, nobody answered.

Each sentence names what the agent should do next. Nothing here names a rule, a key or a path of
the owner's: the agent may be the attacker.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from elicit_tui.broker import Resolved
from elicit_tui.elicitation import Outcome
from elicit_tui.elicitation.outcome import PUBLIC_REASONS
from elicit_tui.gateway.fit_to_pass import OURS
from elicit_tui.text import ascii_json, neutral_line

PAUSED_META_KEY: Final = f"{OURS}paused"
ELICITATIONS_META_KEY: Final = f"{OURS}elicitations"

NOT_KNOWN: Final = "Not known. Do not repeat the tool without asking the user."
STILL_WAITING: Final = "Still waiting. End your turn; call again when the user says so."
STILL_RUNS: Final = "Answered. The tool still runs. Call again."
NOT_VISITED: Final = "The page that this needs was not visited."
CANCELLED: Final = "Cancelled. The call was given up; do not repeat it without asking the user."

ANSWERED_BY_A_PERSON: Final = frozenset({"user", "server"})

Result = dict[str, Any]


def text_result(text: str, *, is_error: bool = False, **more: Any) -> Result:
    """A tool's result of one text."""
    result: Result = {"content": [{"type": "text", "text": text}], **more}
    if is_error:
        result["isError"] = True
    return result


def paused_text(call_id: str) -> str:
    """What an agent reads when its call waits for a person."""
    return (
        f"Waiting for a person. Not done yet. Call elicit_resume with id {call_id}; "
        "do not repeat the tool."
    )


def ticking(seconds: float) -> str:
    """The message of a progress tick while a person is waited for."""
    minutes = int(seconds // 60)
    waited = f"{minutes} min" if minutes else f"{int(seconds)} s"
    return f"Waiting for a person ({waited})."


def refused_call(outcome: Outcome) -> Result:
    """The result of a tool call that was not made."""
    text = f"{_REFUSED.get(_case(outcome), _NOT_CALLED)} The tool was not called."
    return text_result(_with_note(text, outcome), is_error=True)


_NOT_CALLED: Final = "This call was not approved."
_REFUSED: Final[Mapping[str, str]] = {
    "declined": "The user declined this call. Do not try it again.",
    "dismissed": "The user dismissed the question without deciding. Ask before you try again.",
    "deadline": "Nobody answered in time; the user may be away. Do not ask again by yourself.",
    "nobody": "No person could be asked.",
    "policy": "The owner's policy does not allow this call.",
    "guardian": "The safety check stopped this call.",
    "withdrawn": "The call was taken back before it was approved.",
    "store": "The question could not be kept for a person.",
    "shutdown": "The gateway ended before an answer was given.",
    "flood": "Too many questions wait already; no person was asked. Wait until some are answered.",
    "ledger": "The approval could not be recorded, so it was withheld.",
    "hook": "A program of the owner refused this call.",
}


def _case(outcome: Outcome) -> str:
    if outcome.decided_by in ("user", "client", "agent"):
        return "declined" if outcome.action == "decline" else "dismissed"
    return outcome.decided_by


def _with_note(text: str, outcome: Outcome) -> str:
    """A person's own words to the agent, where they wrote any; they never reach a server."""
    if not outcome.note:
        return text
    return f'{text} The user adds: "{neutral_line(outcome.note, 2000)}"'


def answer_of(outcome: Outcome, content: Any = None) -> Result:
    """The result of the agent's own question."""
    if outcome.action == "accept":
        structured = {"action": "accept", "content": content}
        return text_result(ascii_json(content), structuredContent=structured)
    case = _case(outcome)
    said = {
        "declined": "The user declined to answer. Do not ask this again.",
        "dismissed": "The user dismissed the question without an answer.",
        "deadline": "Nobody answered in time; the user may be away. Do not ask again by yourself.",
        "policy": "The owner's policy lets you ask no questions.",
        "guardian": "The safety check stopped this question. Do not ask it in other words.",
    }.get(case, PUBLIC_REASONS[outcome.decided_by])
    structured = {"action": outcome.action or "cancel", "content": None}
    return text_result(
        _with_note(said, outcome), structuredContent=structured, is_error=case != "declined"
    )


def with_elicitations(result: Result, resolved: Sequence[Resolved]) -> Result:
    """A result that says which of its questions no person answered, and how they ended."""
    unasked = [
        event.outcome
        for event in resolved
        if event.outcome.decided_by not in ANSWERED_BY_A_PERSON and event.outcome.action
    ]
    if not unasked:
        return result
    meta = result.get("_meta")
    told = [
        {
            "action": outcome.action,
            "decidedBy": outcome.decided_by,
            "reason": PUBLIC_REASONS[outcome.decided_by],
        }
        for outcome in unasked
    ]
    changed = {
        **result,
        "_meta": {**(meta if isinstance(meta, Mapping) else {}), ELICITATIONS_META_KEY: told},
    }
    content = result.get("content")
    if isinstance(content, list):
        changed["content"] = [*content, {"type": "text", "text": _unasked_line(unasked)}]
    return changed


def _unasked_line(unasked: Sequence[Outcome]) -> str:
    ends = "; ".join(
        dict.fromkeys(
            f"{outcome.action}: {PUBLIC_REASONS[outcome.decided_by]}" for outcome in unasked
        )
    )
    many = "A question" if len(unasked) == 1 else f"{len(unasked)} questions"
    return f"({many} of this call had no answer of a person. {ends})"
