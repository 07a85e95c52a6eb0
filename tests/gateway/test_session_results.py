"""In which shape an agent reads a result: as its model reads it, and as what it asked for."""

from __future__ import annotations

import asyncio
import json
from types import SimpleNamespace
from typing import Any

import pytest

from elicit_tui.broker import Resolved
from elicit_tui.elicitation import Call, Review, decline
from elicit_tui.gateway import own_tools
from elicit_tui.gateway.telling import ELICITATIONS_META_KEY
from tests.broker.conftest import form_request
from tests.gateway.session_world import HOLD, SessionWorld, says
from tests.gateway.test_session import asks_for, here
from tests.gateway.world import settled

pytestmark = pytest.mark.anyio
__all__ = ["here"]


COUNTED = {"content": [], "structuredContent": {"count": 1.50}}


@pytest.mark.parametrize(
    ("name", "declined", "wait_sec", "whole"),
    [
        ("claude-code", True, 86400, False),
        ("claude-code", False, 86400, True),
        # No call of it can pause, so that its tools were offered with their schemas.
        ("claude-code", True, HOLD, True),
        ("a test", True, 86400, True),
    ],
)
async def test_a_model_that_reads_structure_alone_reads_as_text_what_no_person_answered(
    name: str, declined: bool, wait_sec: float, whole: bool
) -> None:
    here = SessionWorld(wait_sec=wait_sec)

    async def made(call: Call, called: Any) -> Any:
        if declined:
            asked = form_request(calls=(call,))
            here.broker.listener(Resolved(asked, Review(), decline("policy", "why")))
        return SimpleNamespace(result=COUNTED)

    here.host.connections["web"] = SimpleNamespace(call=made)
    result = await here.calls_tool("web__deploy", asker=here.asker(name=name))
    assert ("structuredContent" in result) is whole
    assert (ELICITATIONS_META_KEY in (result.get("_meta") or {})) is declined
    if not whole:
        assert result["content"][0]["text"] == '{"count":1.5}'


@pytest.mark.parametrize("read", [True, False])
async def test_what_is_no_tools_result_is_resumed_as_the_text_of_it(
    here: SessionWorld, read: bool
) -> None:
    prompt = {"messages": [{"role": "user", "content": {"type": "text", "text": "é"}}]}
    work: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
    method = "prompts/get" if read else "tools/call"
    held = here.calls.start(Call(method, "greet"), "web", "key", work)
    await here.calls.attend(asks_for(held), here.asker(), 0.0)
    work.set_result(prompt)
    await settled()
    result = await here.calls_tool(own_tools.RESUME, id=held.id)
    if read:
        assert json.loads(says(result)) == prompt
        assert says(result).isascii()
    else:
        assert result == prompt
