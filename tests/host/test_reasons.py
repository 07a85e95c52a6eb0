"""Why a connection ended, told by what was raised: a class of that name is not that class."""

from __future__ import annotations

import asyncio
import socket

import anyio
import httpx2
import pytest
from mcp.shared.exceptions import MCPError
from pydantic import TypeAdapter, ValidationError

from elicit_tui.errors import ServerError
from elicit_tui.host.faults import leaf, reason_of
from elicit_tui.host.session import TransportRefused

REQUEST = httpx2.Request("POST", "http://127.0.0.1/mcp")


def invalid() -> ValidationError:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(int).validate_python("none")
    return caught.value


def of_an_unknown_host() -> Exception:
    error = httpx2.ConnectError("failed")
    error.__cause__ = socket.gaierror(-2, "Name or service not known")
    return error


REASONS = [
    (ServerError("It went away."), "It went away"),
    (
        httpx2.HTTPStatusError("x", request=REQUEST, response=httpx2.Response(404)),
        "there is no MCP endpoint at its url (HTTP 404)",
    ),
    (httpx2.ConnectError("refused"), "nothing answers at its address; it may not be running"),
    (httpx2.ConnectTimeout("late"), "nothing answers at its address; it may not be running"),
    (
        of_an_unknown_host(),
        "the name of its host is not known here; look at its URL, or at your network",
    ),
    (httpx2.ReadError("reset"), "the connection broke: reset"),
    (httpx2.RemoteProtocolError("cut off"), "the connection broke: cut off"),
    (httpx2.CloseError(""), "the connection broke"),
    (httpx2.UnsupportedProtocol("gopher"), "its URL cannot be used"),
    (httpx2.InvalidURL("no"), "its URL cannot be used"),
    (
        httpx2.SSEError("Unexpected content type: text/html"),
        "its answer is neither JSON nor an event stream but text/html",
    ),
    (
        TransportRefused("Redirect to /b not followed"),
        "it redirects to another place, which is not followed: /b",
    ),
    (invalid(), "it answered with something that the protocol does not allow"),
    (MCPError(-32000, "Connection closed"), "the connection closed"),
    (MCPError(-32603, "No."), "No (-32603)"),
    (
        RuntimeError("Unsupported protocol version from the server: 1999-01-01"),
        "it speaks protocol revision 1999-01-01, which elicit-tui does not know",
    ),
    (RuntimeError(), "RuntimeError"),
]


@pytest.mark.parametrize(("error", "reason"), REASONS, ids=lambda each: type(each).__name__)
def test_what_was_raised_is_told_in_a_persons_words(error: Exception, reason: str) -> None:
    assert reason_of(error) == reason


def test_a_class_that_is_only_called_like_a_librarys_is_no_such_error() -> None:
    class ConnectError(Exception):
        pass

    assert reason_of(ConnectError("of our own")) == "of our own"


def test_what_only_ended_with_something_else_is_not_what_went_wrong() -> None:
    wrong = ValueError("the real one")
    ended = [asyncio.CancelledError(), anyio.ClosedResourceError(), anyio.BrokenResourceError()]

    class Group(Exception):
        exceptions = (*ended, wrong)

    assert leaf(Group()) is wrong

    class ClosedResourceError(Exception):
        pass

    Group.exceptions = (own := ClosedResourceError("of our own"), wrong)
    assert leaf(Group()) is own
