"""What becomes of a server's call: its result without words of ours, or why there is none."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

import pytest

from elicit_tui.broker import Resolved
from elicit_tui.elicitation import Call, Review, decline
from elicit_tui.elicitation.request import URL_ELICITATION_REQUIRED
from elicit_tui.errors import (
    INVALID_ANSWER,
    ElicitTuiError,
    ProtocolCallError,
    ServerError,
    StoreError,
    ToolRefused,
)
from elicit_tui.gateway import telling
from elicit_tui.gateway.held_call import HeldCall
from elicit_tui.gateway.held_calls import HeldCalls
from elicit_tui.gateway.passing import ServerCalls
from elicit_tui.gateway.telling import ELICITATIONS_META_KEY, OURS
from tests.broker.conftest import form_request
from tests.gateway.held import Watcher
from tests.gateway.session_world import says
from tests.gateway.world import MovedClock, settled

pytestmark = pytest.mark.anyio


@dataclass
class Answered:
    result: dict[str, Any]


@dataclass
class Server:
    """A host with one server, which answers a call, or fails it before or after it began."""

    result: dict[str, Any] = field(default_factory=lambda: {"content": []})
    begins: bool = True
    error: Exception | None = None
    about_to: list[str] = field(default_factory=list)
    store: StoreError | None = None

    async def connect(self, server: str) -> Server:
        return self

    async def call(self, call: Call, called: Any) -> Answered:
        if self.begins:
            await called()
        if self.error is not None:
            raise self.error
        return Answered(self.result)

    async def about_to_call(self, call: Call) -> None:
        if self.store is not None:
            raise self.store
        self.about_to.append(call.id)


class World:
    """One call that is held, and the server that it is made of."""

    def __init__(self, server: Server, method: Any = "tools/call") -> None:
        self.held_calls = HeldCalls(MovedClock())
        self.held_calls.watched_by(Watcher())
        host: Any = server
        self.calls = ServerCalls(host, self.held_calls, server.about_to_call)
        self.call = Call(method, "one")
        self.work: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self.held: HeldCall = self.held_calls.start(self.call, "s", "key", self.work)
        self.held.resolved.append(Resolved(form_request(), Review(), decline("policy", "a rule")))

    async def made(self) -> dict[str, Any]:
        return await self.calls.made(self.call, "s")


async def test_a_result_comes_without_our_words_and_with_what_nobody_answered() -> None:
    server = Server(
        {
            "content": [{"type": "text", "text": "done"}],
            "requestState": "x",
            "_meta": {f"{OURS}paused": {}, "theirs": 1},
        }
    )
    here = World(server)
    assert not here.held.called
    result = await here.made()
    assert "requestState" not in result
    assert result["_meta"].keys() == {"theirs", ELICITATIONS_META_KEY}
    assert says(result).startswith("done\n(A question of this call had no answer of a person.")
    assert (here.held.called, server.about_to) == (True, [here.call.id])


async def test_a_call_that_nobody_holds_any_more_is_made_to_its_end() -> None:
    here = World(Server({"content": []}))
    here.work.cancel()
    await settled()
    assert await here.made() == {"content": []}
    fails = World(Server(error=ServerError("The server went away.")))
    fails.work.cancel()
    await settled()
    assert says(await fails.made()) == "The server went away."


async def test_a_refused_tool_says_who_refused_it() -> None:
    outcome = decline("user", "why")
    here = World(Server(begins=False, error=ToolRefused("one", outcome)))
    assert await here.made() == telling.refused_call(outcome)
    assert not here.held.called


async def test_a_store_that_cannot_write_that_a_tool_is_called_keeps_it_from_being_called() -> None:
    here = World(Server(store=StoreError("The disk is full.")))
    result = await here.made()
    assert (says(result), result["isError"]) == (f"The disk is full. {telling.NOT_CALLED}", True)
    assert not here.held.called


async def test_a_page_that_was_not_visited_is_a_result_of_a_tool_alone() -> None:
    error = ProtocolCallError(URL_ELICITATION_REQUIRED, "visit", {"elicitations": []})
    result = await World(Server(error=error)).made()
    assert says(result).startswith(telling.NOT_VISITED)
    assert result["isError"] is True
    assert ELICITATIONS_META_KEY in result["_meta"]
    with pytest.raises(ProtocolCallError):
        await World(Server(error=error), "prompts/get").made()


async def test_any_other_error_of_a_server_is_passed_on_as_it_is() -> None:
    error = ProtocolCallError(-32602, "no such thing", {"a": 1})
    with pytest.raises(ProtocolCallError) as raised:
        await World(Server(error=error)).made()
    assert raised.value is error


@pytest.mark.parametrize("method", ["prompts/get", "resources/read", "tools/call"])
async def test_a_server_that_went_away_is_a_result_of_a_tool_alone(method: Any) -> None:
    here = World(Server(error=ServerError("The server went away.")), method)
    if method == "tools/call":
        result = await here.made()
        assert says(result).startswith("The server went away.")
        assert (result["isError"], ELICITATIONS_META_KEY in result["_meta"]) == (True, True)
    else:
        with pytest.raises(ServerError):
            await here.made()


@pytest.mark.parametrize("is_task", [True, False])
@pytest.mark.parametrize("begins", [True, False])
@pytest.mark.parametrize("code", ["server_unavailable", INVALID_ANSWER])
async def test_only_a_task_whose_server_had_begun_and_gave_no_answer_fails_as_not_known(
    is_task: bool, begins: bool, code: str
) -> None:
    here = World(Server(begins=begins, error=ServerError("It failed.", code=code)))
    here.held.is_task = is_task
    if is_task and begins and code != INVALID_ANSWER:
        with pytest.raises(ElicitTuiError, match=f"It failed. {telling.NOT_KNOWN_IF_RUN}"):
            await here.made()
    else:
        assert says(await here.made()).startswith("It failed.\n(A question")
