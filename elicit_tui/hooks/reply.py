"""What a hook said, in the words of Claude Code's hooks, whose output ours is."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from elicit_tui.errors import HookError
from elicit_tui.text import neutral_line

ACTIONS: Final = ("accept", "decline", "cancel")
REFUSING_CODE: Final = 2
"""The exit code that declines, with standard error as the reason."""
LONGEST_REASON: Final = 300
_DEEPEST: Final = 64


@dataclass(frozen=True)
class Reply:
    """One hook's answer; without an `action` it passes."""

    action: str | None = None
    """accept, decline or cancel."""
    content: Mapping[str, Any] | None = None
    reason: str | None = None
    """Neutral text, in the hook's own words."""
    warning: str | None = None
    """What the person is to read, whatever the hook answers; neutral text."""


def reply_of_command(code: int, output: bytes, told: bytes, event: str) -> Reply:
    """What a command said by its exit code, standard output and error. Raises HookError."""
    words = neutral_line(told.decode("utf-8", "replace").strip(), LONGEST_REASON)
    if code == REFUSING_CODE:
        return Reply("decline", reason=words or None)
    if code != 0:
        how = f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
        raise HookError(f"{how}: {words}" if words else how)
    return reply_of_text(output, event)


def reply_of_text(output: bytes, event: str) -> Reply:
    """What a hook said as JSON: nested under `hookSpecificOutput`, or flat. Raises HookError.

    Of the fields that all of Claude Code's hooks share, `continue: false` ends the question by
    `cancel` with `stopReason`, whatever else is said; `systemMessage` is told to the person.
    """
    if not output.strip():
        return Reply()
    try:
        said = json.loads(
            output, object_pairs_hook=_once_each, parse_constant=_no_number, parse_float=_finite
        )
    except (ValueError, RecursionError):
        raise HookError("did not answer in JSON") from None
    if not isinstance(said, dict):
        raise HookError("did not answer with a JSON object")
    warning = _words(said.get("systemMessage"))
    if said.get("continue") is False:
        return Reply("cancel", reason=_words(said.get("stopReason")), warning=warning)
    inner = said.get("hookSpecificOutput", said)
    if not isinstance(inner, dict) or inner.get("hookEventName", event) != event:
        raise HookError(f"did not answer for {event}")
    action = inner.get("action")
    if said.get("action", action) != action:
        raise HookError("answered with two actions")
    if action is None:
        return Reply(warning=warning)
    if action not in ACTIONS:
        raise HookError("answered with an action that is none of accept, decline and cancel")
    content = inner.get("content")
    if content is not None and (not isinstance(content, dict) or _too_deep(content)):
        raise HookError("answered with content that is no object")
    reason = _words(inner.get("reason", said.get("reason")))
    return Reply(action, content if action == "accept" else None, reason, warning)


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; raises HookError for one that says a key twice, of which either may be meant."""
    made = dict(pairs)
    if len(made) < len(pairs):
        raise HookError("answered with a key twice")
    return made


def _no_number(word: str) -> float:
    raise ValueError(word)


def _finite(text: str) -> float:
    """A number; raises ValueError for one that could not be written again."""
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(text)
    return value


def _words(value: Any) -> str | None:
    return (neutral_line(value, LONGEST_REASON) or None) if isinstance(value, str) else None


def _too_deep(value: Any, depth: int = 0) -> bool:
    if depth > _DEEPEST:
        return True
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(_too_deep(item, depth + 1) for item in items)
