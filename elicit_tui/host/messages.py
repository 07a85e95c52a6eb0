"""JSON-RPC messages (spec: basic, "Messages"): read from text, and what we say in ours.

Plain `json` keeps what a faster parser would refuse or change, such as lone surrogates: values
reach the person and the result exactly as the server wrote them.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from itertools import islice
from typing import Any, Final, TypeGuard

from mcp_types import (
    CLIENT_CAPABILITIES_META_KEY,
    LOG_LEVEL_META_KEY,
    ErrorData,
    JSONRPCError,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError

from elicit_tui.elicitation import Outcome
from elicit_tui.elicitation.eras import EXTENSION
from elicit_tui.host.number_text import read_float

Message = JSONRPCRequest | JSONRPCNotification | JSONRPCResponse | JSONRPCError

ELICITATION: Final = "elicitation/create"
PARSE_ERROR: Final = -32700
METHOD_NOT_FOUND: Final = -32601

MOST_OF_A_BATCH: Final = 1_000
"""Answers in it that fail a request of ours; we never have as many under way."""

REFUSED: Final = "Invalid elicitation request"
"""All that a server is told about what was wrong: the details are for the person."""

_OUTLINE: Final = re.compile(
    # Two parts: from the first brace up to what is nested, and from behind it to the last brace.
    # With `null` between them they make an object of all that is not nested.
    r"\A\s*(\{[^{}\[\]]{0,4000}?)[{\[].*[}\]]([^{}\[\]]{0,4000}\})\s*\Z",
    re.DOTALL,
)
"""What stands before and behind everything nested: where writers of messages put the id."""


class MessageReader:
    """Reads the messages of one peer."""

    repeated_key: str | None = None
    """A key that stood twice in one object of what was read; the last one counted."""

    def __init__(self, *, finds_doubles: bool = False) -> None:
        """`finds_doubles`: whether somebody wants to know of `repeated_key`."""

        def read_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
            read = dict(pairs)
            if len(read) < len(pairs) and self.repeated_key is None:
                self.repeated_key = Counter(key for key, _ in pairs).most_common(1)[0][0]
            return read

        # To make one for each message takes as long as to read it.
        # A hook makes reading slower: there is none where nobody wants to know of doubles.
        self._decoder = json.JSONDecoder(
            object_pairs_hook=read_object if finds_doubles else None,
            parse_constant=_no_constant,
            parse_float=read_float,
        )

    def read(self, text: str) -> Message | None:
        """One message; None when it is none.

        An answer to a request of ours that breaks the rules becomes an error for that request: it
        would wait for ever otherwise. A server's malformed request keeps its method and id, so
        that it can be judged and refused.
        """
        try:
            raw = self._decoder.decode(text)
        except _NotANumber:
            return _unreadable(text, "holds a number that JSON lacks")
        except json.JSONDecodeError:
            return _unreadable(text, "is not valid JSON")
        except ValueError:
            return _unreadable(text, "holds a number that is too long")
        except RecursionError:
            return _unreadable(text, "is nested too deep")
        if not isinstance(raw, dict):
            return None
        try:
            return jsonrpc_message_adapter.validate_python(raw, by_name=False)
        except (ValidationError, RecursionError):
            return _salvaged(raw)

    def failures_of_batch(self, text: str) -> list[Message]:
        """An error for each request of ours that a batch answers; empty when it is no batch.

        No more than may wait. Batches are not read (spec: 2025-06-18, "Key Changes"); what they ask
        is lost.
        """
        try:
            entries = self._decoder.decode(text)
        except (ValueError, RecursionError):
            return []
        sentence = "The server's answer came in a JSON-RPC batch, which is not read."
        failed = (_answer_failed(entry, sentence) for entry in entries)
        return list(islice(filter(None, failed), MOST_OF_A_BATCH))


class _NotANumber(ValueError):
    pass


def _no_constant(name: str) -> Any:
    raise _NotANumber(name)


def _unreadable(text: str, what: str) -> Message | None:
    """What can be told of a message that cannot be read as a whole.

    A request keeps its method and id without its params; an answer becomes an error. Only the
    outline is looked at, in time that does not grow with what is nested in it.
    """
    outline = _OUTLINE.match(text)
    try:
        raw = json.loads(f"{outline[1]}null{outline[2]}" if outline else text)
    except (ValueError, RecursionError):
        return None
    # A program may print JSON of its own between the messages.
    if not isinstance(raw, dict) or "jsonrpc" not in raw:
        return None
    if "method" in raw:
        return _salvaged({**raw, "params": None}) if is_id(raw.get("id")) else None
    return _answer_failed(raw, f"The server's answer {what}.")


def _salvaged(raw: dict[str, Any]) -> Message | None:
    method = raw.get("method")
    if isinstance(method, str):
        identifier = raw.get("id")
        # The judge of requests wants to see params as they came, whatever they are.
        if is_id(identifier):
            # Without the SDK's checks, which it has just failed.
            return JSONRPCRequest.model_construct(
                jsonrpc=raw.get("jsonrpc"), id=identifier, method=method, params=raw.get("params")
            )
        return JSONRPCNotification.model_construct(
            jsonrpc="2.0", method=method, params=raw.get("params")
        )
    return _answer_failed(raw, "The server's answer is not a JSON-RPC message.")


def _answer_failed(raw: Any, sentence: str) -> JSONRPCError | None:
    identifier = raw.get("id") if isinstance(raw, dict) and "method" not in raw else None
    return error_message(identifier, PARSE_ERROR, sentence) if is_id(identifier) else None


def is_id(value: Any) -> TypeGuard[str | int]:
    """Whether this can be a message's id (spec: basic, "Requests"): true is no 1."""
    return isinstance(value, (str, int)) and not isinstance(value, bool)


def result_message(identifier: str | int, result: dict[str, Any]) -> JSONRPCResponse:
    """An answer to a server's request."""
    return JSONRPCResponse(jsonrpc="2.0", id=identifier, result=result)


def error_message(
    identifier: str | int, code: int, sentence: str, data: Any = None
) -> JSONRPCError:
    """A refusal of a request; `data` is left out when there is none."""
    error = ErrorData(code=code, message=sentence)
    if data is not None:
        error = ErrorData(code=code, message=sentence, data=data)
    return JSONRPCError(jsonrpc="2.0", id=identifier, error=error)


def elicit_result(outcome: Outcome) -> dict[str, Any]:
    """The ElicitResult of an outcome that has an action (spec: client/elicitation, "Response").

    Only an accept has content: the broker sees to that.
    """
    result: dict[str, Any] = {"action": outcome.action}
    if outcome.content is not None:
        result["content"] = dict(outcome.content)
    result["_meta"] = outcome.public_meta
    return result


def capabilities(modes: tuple[str, ...]) -> dict[str, Any]:
    """What we can do: the elicitation modes, or nothing (spec: client/elicitation)."""
    return {"elicitation": {mode: {} for mode in modes}} if modes else {}


TASKS: Final[dict[str, Any]] = {"extensions": {EXTENSION: {}}}
"""That a call may be answered with a task, said with each request (spec: SEP-2663)."""


def advertise(message: JSONRPCRequest, modes: tuple[str, ...]) -> None:
    """Rewrite the capabilities in `initialize`, or in the modern era's `_meta`, in place.

    The SDK advertises both modes as soon as an elicitation callback is there; this says what the
    owner's configuration says, and nothing else.
    """
    params = message.params
    if params is None:
        return
    if message.method == "initialize":
        params["capabilities"] = capabilities(modes)
    meta = params.get("_meta")
    if isinstance(meta, dict) and CLIENT_CAPABILITIES_META_KEY in meta:
        params["_meta"] = {**meta, CLIENT_CAPABILITIES_META_KEY: capabilities(modes) | TASKS}


def want_log_level(message: JSONRPCRequest, level: str) -> None:
    """Say from which level on the server is to log (spec: 2026-07-28, server/utilities/logging)."""
    params = message.params if message.params is not None else {}
    meta = params.get("_meta")
    params["_meta"] = {**(meta if isinstance(meta, dict) else {}), LOG_LEVEL_META_KEY: level}
    message.params = params
