"""A question whose agent took its call back, or ended, is recorded as that and nothing else."""

from __future__ import annotations

import asyncio
from contextlib import closing

import pytest

from elicit_tui.elicitation.settings import GatewaySettings
from elicit_tui.gateway.held_calls import TAKEN_BACK
from elicit_tui.gateway.telling import CANCELLED, PAUSED_META_KEY
from elicit_tui.ledger import Ledger
from elicit_tui.paths import ledger_file
from tests.gateway.world import HANDSHAKE, MODERN, asking, text_of, workshop, world

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("way", ["gives it up", "ends"])
@pytest.mark.parametrize("tool", ["asking__one", "workshop__delete", "elicit"])
@pytest.mark.parametrize("upwards", [HANDSHAKE, f"{MODERN}+http"])
async def test_a_question_of_a_call_that_was_taken_back_is_recorded_as_that(
    upwards: str, tool: str, way: str
) -> None:
    settings = GatewaySettings(ask_via="console", hold_sec=5)
    async with world(asking(), workshop(), upwards=upwards, gateway=settings) as here:
        call = here.begins(tool, **({"message": "Which?"} if tool == "elicit" else {}))
        question = await here.person.question()
        if way == "gives it up":
            await here.held()
            await here.clock.move(5)
            meta = (await call).meta
            assert meta is not None
            told = await here.calls("elicit_cancel", id=meta[PAUSED_META_KEY]["id"])
            assert text_of(told) == CANCELLED
    await asyncio.gather(call, return_exceptions=True)
    assert here.person.withdrawn == [question]
    with closing(Ledger.open(ledger_file(), create=False)) as ledger:
        (row,) = ledger.rows()
    assert (row.action, row.decided_by, row.reason) == ("cancel", "withdrawn", TAKEN_BACK)
