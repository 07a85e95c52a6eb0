"""Reads one JSON-RPC message from text (spec: basic, "Messages"), and answers without the SDK.

Plain `json` keeps what a faster parser would refuse or change, such as lone surrogates: values
reach the person and the result exactly as the server wrote them.
"""

from __future__ import annotations

import json
from typing import Any, Final, TypeGuard

from mcp_types import (
    ErrorData,
    JSONRPCError,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError

Message = JSONRPCRequest | JSONRPCNotification | JSONRPCResponse | JSONRPCError

PARSE_ERROR: Final = -32700
METHOD_NOT_FOUND: Final = -32601


def read_message(text: str) -> Message | None:
    """One message; None when it is none.

    An answer to a request of ours that breaks the rules becomes an error for that request: it
    would wait for ever otherwise. A server's malformed request keeps its method and id, so that
    it can be judged and refused.
    """
    try:
        raw = json.loads(text, parse_constant=_no_constant)
    except _NotANumber:
        return _answer_failed(_lenient(text), "The server's answer holds a number that JSON lacks.")
    except (ValueError, RecursionError):
        return None
    if not isinstance(raw, dict):
        return None
    try:
        return jsonrpc_message_adapter.validate_python(raw, by_name=False)
    except (ValidationError, RecursionError):
        return _salvaged(raw)


class _NotANumber(ValueError):
    pass


def _no_constant(name: str) -> Any:
    raise _NotANumber(name)


def _lenient(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _salvaged(raw: dict[str, Any]) -> Message | None:
    method = raw.get("method")
    if isinstance(method, str):
        identifier = raw.get("id")
        # The judge of requests wants to see params as they came, whatever they are.
        if _is_id(identifier):
            return JSONRPCRequest.model_construct(
                jsonrpc="2.0", id=identifier, method=method, params=raw.get("params")
            )
        return JSONRPCNotification.model_construct(
            jsonrpc="2.0", method=method, params=raw.get("params")
        )
    return _answer_failed(raw, "The server's answer is not a JSON-RPC message.")


def _answer_failed(raw: Any, sentence: str) -> JSONRPCError | None:
    identifier = raw.get("id") if isinstance(raw, dict) and "method" not in raw else None
    return error_message(identifier, PARSE_ERROR, sentence) if _is_id(identifier) else None


def _is_id(value: Any) -> TypeGuard[str | int]:
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
