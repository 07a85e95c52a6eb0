"""What the agent is told, in words that it obeys: paused, refused, nobody answered.

Each sentence names what the agent should do next. Nothing here names a rule, a key or a path of
the owner's: the agent may be the attacker.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from elicit_tui.broker import Resolved
from elicit_tui.elicitation import Outcome
from elicit_tui.elicitation.outcome import PUBLIC_REASONS
from elicit_tui.errors import (
    ElicitTuiError,
    Interrupted,
    LedgerError,
    StoreError,
    TaskCancelled,
)
from elicit_tui.gateway.fit_to_pass import OURS
from elicit_tui.host.number_text import json_line
from elicit_tui.text import ascii_json, neutral_line

PAUSED_META_KEY: Final = f"{OURS}paused"
ELICITATIONS_META_KEY: Final = f"{OURS}elicitations"

NOT_KNOWN: Final = "Not known. Do not repeat the tool without asking the user."
STILL_WAITING: Final = "Still waiting. End your turn; call again when the user says so."
STILL_WAITING_ALONE: Final = (
    "Still waiting for a person. Not done yet. Call elicit_resume with the same id again; "
    "do not repeat the tool."
)
"""The same where no user comes back: the end of the turn would be the end of the agent."""
STILL_RUNS: Final = "Answered. The tool still runs. Call again."
CANNOT_BE_USED: Final = "What elicit-tui keeps on its machine cannot be used now."
NOT_VISITED: Final = "The page that this needs was not visited."
CANCELLED: Final = "Cancelled. The call was given up; do not repeat it without asking the user."
NOT_KNOWN_IF_RUN: Final = (
    "It is not known whether the tool ran. Do not repeat it without asking the user."
)

TASK_WAITS: Final = "Waiting for a person, who answers in elicit-tui."
TASK_RUNS: Final = "The tool runs."
TASK_NOT_KEPT: Final = "Its outcome is there, and has to be written down before it is told."
TASK_CANCELLED_BELOW: Final = "Cancelled; the tool's server says so."
TASK_MESSAGES: Final[Mapping[str, str]] = {
    "input_required": "Waiting for an answer in this client.",
    "completed": "Done.",
    "cancelled": "Cancelled before the tool was called.",
    "failed": "The call failed.",
}

RUN_NOT_KNOWN: Final = (
    "The gateway that made this call has ended. It is not known whether the tool ran. "
    "Do not repeat it without asking the user."
)
NOT_RUN: Final = (
    "The gateway that held this call ended before the tool was called. It did not run; "
    "it may be called again."
)
UNREAD: Final = (
    "The tool was not called: too many results of paused calls wait to be read. "
    "Read them first, with elicit_resume and the ids that you were given."
)
NOT_CALLED: Final = "The tool was not called."
TOLD_THE_OTHER: Final = (
    "The gateway that makes this call was told. elicit_resume tells how it ends."
)

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


def still_waiting(*, alone: bool) -> str:
    """What an agent reads that came back too early; `alone`: no user comes back to it."""
    return STILL_WAITING_ALONE if alone else STILL_WAITING


def not_known_if_run(error: ElicitTuiError) -> ElicitTuiError:
    """The end of a task whose server had begun with it; one that was cancelled is told as such."""
    if isinstance(error, TaskCancelled):
        return error
    reason = "" if isinstance(error, Interrupted) else f"{failed(error)} "
    return ElicitTuiError(f"{reason}{NOT_KNOWN_IF_RUN}")


_IN_BRACKETS: Final = re.compile(r" \(.*\)", re.DOTALL)


def failed(error: BaseException) -> str:
    """Why a call has no result; what nobody foresaw is no words for an agent.

    Nor is where its owner keeps things.
    """
    if not isinstance(error, ElicitTuiError):
        return NOT_KNOWN_IF_RUN
    sentence = str(error)
    if isinstance(error, (StoreError, LedgerError)):
        if error.place:  # Nor what its library or its server says of it.
            sentence = _IN_BRACKETS.sub("", sentence.replace(f" {error.place}", ""))
        # Its own words may name another place, such as the folder of a file.
        return CANNOT_BE_USED if "/" in sentence or "\\" in sentence else sentence
    return sentence


def ticking(seconds: float) -> str:
    """The message of a progress tick while a person is waited for."""
    minutes = int(seconds // 60)
    waited = f"{minutes} min" if minutes else f"{int(seconds)} s"
    return f"Waiting for a person ({waited})."


def refused_call(outcome: Outcome) -> Result:
    """The result of a tool call that was not made."""
    return text_result(refusal_text(outcome), is_error=True)


def refusal_text(outcome: Outcome) -> str:
    """Why a tool was not called, and what its person adds to that."""
    # Most ends have the name of who decided. A person's are told apart by what they decided.
    text = f"{_REFUSED.get(_case(outcome), _NOT_CALLED)} The tool was not called."
    return _with_note(text, outcome)


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
    # Whoever answers in the person's place does so with their word.
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
    reason = {
        "declined": "The user declined to answer. Do not ask this again.",
        "dismissed": "The user dismissed the question without an answer.",
        "deadline": "Nobody answered in time; the user may be away. Do not ask again by yourself.",
        "policy": "The owner's policy lets you ask no questions.",
        "guardian": "The safety check stopped this question. Do not ask it in other words.",
    }.get(case, PUBLIC_REASONS[outcome.decided_by])
    structured = {"action": outcome.action or "cancel", "content": None}
    return text_result(
        # A no is an answer that was asked for; every other end is none, and a failure.
        _with_note(reason, outcome),
        structuredContent=structured,
        is_error=case != "declined",
    )


def with_elicitations(result: Result, resolved: Sequence[Resolved]) -> Result:
    """A result that says which of its questions no person answered, and how they ended."""
    unasked = [
        event.outcome
        for event in resolved
        # What was refused with an error was not answered at all.
        if event.outcome.decided_by not in ANSWERED_BY_A_PERSON and event.outcome.action
    ]
    if not unasked:
        return result
    meta, content = result.get("_meta"), result.get("content")
    ours = {ELICITATIONS_META_KEY: list(map(_for_programs, unasked))}
    # A server's own notes stay beside ours.
    changed = {**result, "_meta": {**(meta if isinstance(meta, Mapping) else {}), **ours}}
    if isinstance(content, list):
        changed["content"] = [*content, *_for_models(unasked)]
    return changed


def _for_programs(outcome: Outcome) -> Result:
    return {
        "action": outcome.action,
        "decidedBy": outcome.decided_by,
        "reason": PUBLIC_REASONS[outcome.decided_by],
    }


def _for_models(unasked: Sequence[Outcome]) -> Iterator[Result]:
    """The same in a block of text each: what the client ended, and what nobody was asked."""
    by_client = [outcome for outcome in unasked if outcome.decided_by == "client"]
    by_nobody = [outcome for outcome in unasked if outcome.decided_by != "client"]
    for line in (_client_line(by_client), _unasked_line(by_nobody)):
        if line:
            yield {"type": "text", "text": line}


def _many(outcomes: Sequence[Outcome]) -> str:
    return "A question" if len(outcomes) == 1 else f"{len(outcomes)} questions"


def _unasked_line(unasked: Sequence[Outcome]) -> str:
    if not unasked:
        return ""
    ends = "; ".join(
        dict.fromkeys(
            f"{outcome.action}: {PUBLIC_REASONS[outcome.decided_by]}" for outcome in unasked
        )
    )
    return f"({_many(unasked)} of this call had no answer of a person. {ends})"


def _client_line(answered: Sequence[Outcome]) -> str:
    """What came through the client's own form, which may well have been a person."""
    if not answered:
        return ""
    ends = ", ".join(dict.fromkeys(str(outcome.action) for outcome in answered))
    were = "was" if len(answered) == 1 else "were"
    return f"({_many(answered)} of this call {were} answered in this client's own form: {ends}.)"


def as_text(result: Result) -> Result:
    """The result for a model that reads `structuredContent` alone: the same value as text.

    Only where something of ours has to be read beside it.
    """
    content = result.get("content")
    if "structuredContent" not in result or not isinstance(content, list):
        return result
    value = result["structuredContent"]
    kept = {key: item for key, item in result.items() if key != "structuredContent"}
    # A server may have written the value as text by itself.
    if any(_says(block, value) for block in content):
        return kept
    text = {"type": "text", "text": json_line(value).decode().rstrip()}
    return {**kept, "content": [text, *content]}


def _says(block: Any, value: Any) -> bool:
    """Whether a block of text is this very value."""
    if not isinstance(block, Mapping) or not isinstance(block.get("text"), str):
        return False
    try:
        return bool(json.loads(block["text"]) == value)
    except (ValueError, RecursionError):
        return False
