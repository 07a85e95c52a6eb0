"""Several requests that are refused at once want one login."""

from __future__ import annotations

import asyncio
import time
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any, cast

import httpx2
import pytest

from elicit_tui.elicitation.settings import ServerSettings
from elicit_tui.errors import LoginError
from elicit_tui.host.login_auth import Authorization
from elicit_tui.logins import Login
from tests.logins.browser import run_async, shelf


def test_a_login_that_is_declined_is_asked_for_no_more_by_requests_that_waited_for_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    url = "https://mcp.example/mcp"
    connection: Any = SimpleNamespace(settings=ServerSettings("remote", url=url))
    authorization = Authorization(connection, cast("Any", None), shelf(), nullcontext)
    asked: list[httpx2.Response] = []
    responses: list[httpx2.Response] = []
    all_refused, has_answer = asyncio.Event(), asyncio.Event()

    async def declined(response: httpx2.Response, step_up: bool) -> Login:
        asked.append(response)
        await has_answer.wait()
        raise LoginError("the question about it was declined")

    monkeypatch.setattr(authorization, "_logged_in", declined)

    async def refused(response: httpx2.Response) -> None:
        flow = authorization.async_auth_flow(httpx2.Request("POST", url))
        await anext(flow)
        responses.append(response)
        if len(responses) == 4:
            all_refused.set()
        with pytest.raises(StopAsyncIteration):
            await flow.asend(response)

    async def together() -> None:
        waiting = [asyncio.ensure_future(refused(httpx2.Response(401))) for _ in range(3)]
        wants = {"WWW-Authenticate": 'Bearer error="insufficient_scope"'}
        step_up = asyncio.ensure_future(refused(httpx2.Response(403, headers=wants)))
        await asyncio.wait_for(all_refused.wait(), 20)
        has_answer.set()
        await asyncio.gather(*waiting, step_up)
        # Another thing is asked for itself, and so is what comes later.
        assert [each.status_code for each in asked] == [401, 403]
        await refused(httpx2.Response(401))
        assert [each.status_code for each in asked] == [401, 403, 401]

    run_async(together())
    assert "the question about it was declined" in connection.login_refusal


def test_a_renewal_ahead_of_time_that_fails_is_waited_for_once_by_all_requests(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    url = "https://mcp.example/mcp"
    connection: Any = SimpleNamespace(settings=ServerSettings("remote", url=url))
    ends_soon = time.time() + 30
    login = Login(url, "https://as.example", url, "c", "token", "renewal", expires_at=ends_soon)
    shelf().save(login)
    authorization = Authorization(connection, cast("Any", None), shelf(), nullcontext)
    tried: list[str] = []
    is_down = asyncio.Event()

    async def renewed(login: Login) -> Login:
        tried.append(login.access_token)
        await is_down.wait()
        raise LoginError("its authorization server did not answer in time")

    monkeypatch.setattr(authorization, "_renewed", renewed)

    async def sent() -> str:
        flow = authorization.async_auth_flow(httpx2.Request("POST", url))
        request = await anext(flow)
        await flow.aclose()
        return request.headers["Authorization"]

    async def together() -> None:
        waiting = [asyncio.ensure_future(sent()) for _ in range(4)]
        await asyncio.wait(waiting, timeout=0.2)
        is_down.set()
        assert await asyncio.wait_for(asyncio.gather(*waiting), 20) == ["Bearer token"] * 4
        assert await sent() == "Bearer token"
        assert tried == ["token"]
        authorization._not_ahead_until = 0.0
        await sent()
        assert tried == ["token", "token"]

    run_async(together())
