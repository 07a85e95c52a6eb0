"""A call that was given up is put to nobody, wherever its question stands by then."""

from __future__ import annotations

import asyncio

import pytest

from elicit_tui.elicitation import Call
from elicit_tui.errors import Interrupted
from tests.broker.hooked import Prepared, hook
from tests.host.world import HANDSHAKE, MODERN, python_server, world

WAIT = 20

pytestmark = pytest.mark.anyio


async def test_an_approval_that_a_hook_looks_at_is_put_to_nobody_once_its_call_is_given_up() -> (
    None
):
    server = python_server(
        "raw", "raw.py", HANDSHAKE, protocol=HANDSHAKE, default_tools_approval_mode="prompt"
    )
    hooks = Prepared((hook(),), user_1=None)
    async with world(server, hooks=hooks) as here:
        connection, call = await here.host.connect("raw"), Call("tools/call", "good")
        made = asyncio.ensure_future(connection.call(call))
        await asyncio.wait_for(hooks.reached.wait(), WAIT)
        await connection.cancel(call.id)
        with pytest.raises(Interrupted):
            await asyncio.wait_for(made, WAIT)
        assert (here.person.asked, here.only_outcome().decided_by) == ([], "user")


@pytest.mark.parametrize("protocol", [HANDSHAKE, MODERN])
async def test_a_question_that_a_hook_looks_at_ends_as_whoever_gave_its_call_up_says(
    protocol: str,
) -> None:
    server = python_server("asking", "asking.py", protocol=protocol)
    hooks = Prepared((hook(),), user_1=None)
    async with world(server, hooks=hooks) as here:
        connection, call = await here.host.connect("asking"), Call("tools/call", "one")
        made = asyncio.ensure_future(connection.call(call))
        await asyncio.wait_for(hooks.reached.wait(), WAIT)
        await connection.cancel(call.id)
        with pytest.raises(Interrupted):
            await asyncio.wait_for(made, WAIT)
        outcome = here.only_outcome()
        assert (outcome.action, outcome.decided_by) == ("cancel", "user")
        assert outcome.server_end is None
        # The server was told so.
        assert len(here.ledger.sent_ids()) == 1
        assert here.person.asked == []


async def test_a_call_that_is_given_up_before_it_went_out_is_not_made() -> None:
    server = python_server("asking", "asking.py")
    async with world(server) as here:
        connection = here.host.start("asking")
        early, late = Call("tools/call", "one"), Call("tools/call", "one")

        async def gives_up_late() -> None:
            await connection.cancel(late.id)

        made = asyncio.ensure_future(connection.call(early))
        await asyncio.wait([made], timeout=0.01)
        assert connection.state == "starting"
        await connection.cancel(early.id)
        for going in (made, connection.call(late, gives_up_late)):
            with pytest.raises(Interrupted):
                await asyncio.wait_for(going, WAIT)
        assert here.person.asked == here.outcomes == []


async def test_a_connection_that_has_ended_is_kept_by_nobody() -> None:
    async with world(python_server("asking", "asking.py")) as here:
        for _ in range(2):
            await here.host.connect("asking")
            await here.host.disconnect("asking")
        assert here.host._lifecycles == {}
