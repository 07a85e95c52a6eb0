"""Questions that come too early or are taken back too late: what is sent, kept and told."""

from __future__ import annotations

import json
import select
from dataclasses import replace

import pytest

from elicit_tui.broker import Notice
from elicit_tui.elicitation import Call, ElicitationRequest, Review
from tests.host.world import HANDSHAKE, NoFindings, World, raw_server, says, text_of, world

WAIT = 20

pytestmark = pytest.mark.anyio

RAW = raw_server(HANDSHAKE)


async def called(here: World, tool: str) -> str:
    connection = here.host.connections.get("raw") or await here.host.connect("raw")
    return text_of((await connection.call(Call("tools/call", tool))).result)


async def test_a_question_before_the_server_was_told_that_it_may_ask_is_malformed() -> None:
    early = replace(RAW, args=(*RAW.args, "--asks-early"))
    async with world(early, answer=says({"a": "x"})) as here:
        (answer,) = json.loads(await called(here, "late"))
        assert (answer["id"], answer["error"]["code"]) == ("early", -32602)
        (request, outcome) = here.outcomes[0]
        assert request.defect == "The question came before the connection was initialized."
        assert outcome.action is None
        assert here.person.asked == []


class Slow(NoFindings):
    """A guardian that keeps the loop from reading until the server has written on."""

    here: World | None = None

    def review(self, request: ElicitationRequest) -> Review:
        assert self.here is not None
        process = self.here.host.connections["raw"].process
        assert process is not None
        assert select.select([process.stdout], [], [], WAIT)[0]
        return Review()


async def test_an_accept_is_never_sent_for_a_question_that_was_taken_back_while_it_was_judged() -> (
    None
):
    guardian = Slow()
    async with world(RAW, answer=says({"a": "x"}), guardian=guardian) as here:
        guardian.here = here
        await here.host.connect("raw")
        assert await called(here, "withdrawn") == '"withdrawn"'
        outcome = here.only_outcome()
        assert (outcome.action, outcome.decided_by) == (None, "server")
        assert 'says "took too long"' in outcome.reason
        assert here.ledger.sent_ids() == []
        # The tool's next calls find no answer that came late.
        assert await called(here, "late") == "[]"


async def test_a_withdrawal_that_an_accept_crosses_is_recorded_and_told() -> None:
    async with world(RAW, answer=says({"value": "x"})) as here:
        notices: list[str] = []
        here.broker.subscribe(
            lambda event: notices.append(event.sentence) if isinstance(event, Notice) else None
        )
        (answer,) = json.loads(await called(here, "withdrawn_late"))
        assert answer["result"]["action"] == "accept"
        request = here.outcomes[0][0]
        assert ("withdrawn", request.id) in here.ledger.steps
        assert any("The accept had left before" in notice for notice in notices)
