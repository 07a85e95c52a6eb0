"""Turns whatever ended a connection into one clear, safe sentence."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Sequence
from typing import Final

from elicit_tui.errors import ElicitTuiError, causes_of
from elicit_tui.text import neutral_line
from elicit_tui.text.tls import tls_reason

CONNECTION_CLOSED: Final = -32000

UNKNOWN_REVISION: Final = "Unsupported protocol version from the server"
"""How the SDK's error begins."""

_STATUS: Final = {
    401: (
        "it wants an authorization that was not given or not accepted (HTTP 401); its "
        "configuration can give one (bearer_token_env_var, http_headers)"
    ),
    403: "it does not allow this access (HTTP 403)",
    404: "there is no MCP endpoint at its url (HTTP 404)",
    407: "a proxy wants an authorization (HTTP 407)",
    429: "it is asked too often (HTTP 429)",
}


def leaf(error: BaseException) -> BaseException:
    """The first real error inside the groups that task groups wrap around it."""
    while True:
        inner_errors = getattr(error, "exceptions", None)
        if not isinstance(inner_errors, Sequence) or not inner_errors:
            return error
        # Down through the groups, by the first error that tells something.
        telling = (inner for inner in inner_errors if not _is_noise(inner))
        error = next(telling, inner_errors[0])


def _is_noise(error: BaseException) -> bool:
    """Whether this only says that something else ended before it."""
    import anyio

    noise = (asyncio.CancelledError, anyio.BrokenResourceError, anyio.ClosedResourceError)
    return isinstance(error, noise)


def status_reason(code: int) -> str:
    """What an HTTP status means for a person."""
    if code in _STATUS:
        return _STATUS[code]
    if code >= 500:
        return f"it failed inside (HTTP {code}); its own log says why"
    return f"it refused the request (HTTP {code})"


# How a sentence of the SDK's transport begins, and what stands in the place of that beginning.
_BEGINNINGS: Final = (
    ("Redirect to ", "it redirects to another place, which is not followed: "),
    ("Unexpected content type: ", "its answer is neither JSON nor an event stream but "),
)
# The first sign that stands in the error counts; the empty one always does.
_UNREADABLE: Final = (
    ("recursion limit", "is nested too deep"),
    ("number out of range", "holds a number that is too long"),
    ("Invalid JSON", "is not valid JSON"),
    ("", "is not a message of the protocol"),
)


def unreadable_reason(message: str) -> str:
    """What the SDK says of a message that it cannot read, as the end of a sentence."""
    return next(reason for sign, reason in _UNREADABLE if sign in message)


def transport_reason(message: str) -> str:
    """What the SDK's HTTP transport says in words for programmers, in a person's."""
    if message.startswith(("Failed to parse", "Error parsing")):
        return f"its answer {unreadable_reason(message)}"
    for beginning, reason in _BEGINNINGS:
        if message.startswith(beginning):
            rest = message.removeprefix(beginning).partition(" not followed")[0]
            return reason + (neutral_line(rest, 120).rstrip(".") or "of no kind at all")
    if message.startswith("server answered a request with 202"):
        return "it accepted the request and will not answer it (HTTP 202)"
    return neutral_line(message, 200).rstrip(".")


def unknown_name(error: BaseException) -> bool:
    """Whether this came of a host whose name leads to no address."""
    return any(isinstance(cause, socket.gaierror) for cause in causes_of(error))


def reason_of(error: BaseException, status: int | None = None) -> str:
    """Why, as the end of a sentence, without a full stop."""
    error = leaf(error)
    if isinstance(error, ElicitTuiError):
        return str(error).rstrip(".")
    # The status that our own transport saw tells more than the words in which the SDK wraps it.
    if status is not None:
        return status_reason(status)
    text = neutral_line(str(error), 200).rstrip(".")
    if text.startswith(UNKNOWN_REVISION):
        revision = text.removeprefix(UNKNOWN_REVISION).strip(": ")
        return f"it speaks protocol revision {revision}, which elicit-tui does not know"
    return (
        _http_reason(error, text) or _protocol_reason(error, text) or text or type(error).__name__
    )


def _http_reason(error: BaseException, text: str) -> str | None:
    """Why an HTTP request failed; None where something else did."""
    import httpx2

    if isinstance(error, httpx2.HTTPStatusError):
        return status_reason(error.response.status_code)
    # In this order: an untrusted certificate and an unknown name come as connections that failed,
    # too.
    if (untrusted := tls_reason(error)) is not None:
        return untrusted
    if unknown_name(error):
        return "the name of its host is not known here; look at its URL, or at your network"
    if isinstance(error, (httpx2.ConnectError, httpx2.ConnectTimeout)):
        return "nothing answers at its address; it may not be running"
    if isinstance(error, (httpx2.UnsupportedProtocol, httpx2.InvalidURL)):
        return "its URL cannot be used"
    # An answer that should be a stream of events and is something else.
    if isinstance(error, httpx2.SSEError):
        return transport_reason(text)
    if isinstance(error, httpx2.TransportError):
        return f"the connection broke{': ' + text if text else ''}"
    return None


def _protocol_reason(error: BaseException, text: str) -> str | None:
    """Why the SDK, or our session on it, could not go on; None where something else failed."""
    from mcp.shared.exceptions import MCPError
    from pydantic import ValidationError

    from elicit_tui.host.session import TransportRefused

    if isinstance(error, TransportRefused):
        return transport_reason(str(error))
    if isinstance(error, ValidationError):
        return "it answered with something that the protocol does not allow"
    # The SDK tells a closed connection as an error of the protocol.
    if isinstance(error, MCPError):
        closed = error.code == CONNECTION_CLOSED
        return "the connection closed" if closed else f"{text} ({error.code})"
    return None
