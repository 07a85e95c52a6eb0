"""Who is asked: agents whose own client shows forms, some of them badly."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import mcp_types as types
import pytest
from mcp import ClientSession, MCPError

from elicit_tui.elicitation import decline
from elicit_tui.elicitation.settings import GatewaySettings
from elicit_tui.gateway import agent
from elicit_tui.gateway.telling import ELICITATIONS_META_KEY, PAUSED_META_KEY
from tests.gateway.world import WAIT, asking, settled, text_of, workshop, world

pytestmark = pytest.mark.anyio


class ClientForms:
    """The agent's own form: answers by a script, or never."""

    def __init__(
        self,
        answer: Mapping[str, Any] | None = None,
        *,
        silent: bool = False,
        more: Mapping[str, Any] | None = None,
    ) -> None:
        self._more = more or {}
        """Fields that nobody asked it for."""
        self._answer = answer if answer is not None else {"value": "from the client"}
        self._silent = silent
        self.shown: list[Any] = []
        self.taken_away = 0
        self.someone_asked = asyncio.Event()

    async def __call__(self, context: Any, params: Any) -> types.ElicitResult:
        self.shown.append(params)
        self.someone_asked.set()
        if self._silent:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                self.taken_away += 1
                raise
        schema = getattr(params, "requested_schema", None) or {}
        content = {key: self._answer[key] for key in schema.get("properties", {})}
        content.update(self._more)
        return types.ElicitResult(action="accept", content=content)


def via(ask_via: str, **more: Any) -> GatewaySettings:
    return GatewaySettings(ask_via=ask_via, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("ask_via", ["client", "auto"])
async def test_a_client_with_forms_is_asked_where_nobody_sits_at_a_console(
    upwards: str, downwards: str, ask_via: str
) -> None:
    forms = ClientForms()
    async with world(
        asking(protocol=downwards),
        upwards=upwards,
        gateway=via(ask_via),
        client={"elicitation_callback": forms},
    ) as here:
        result = await here.calls("asking__one")
        assert "from the client" in text_of(result)
        assert here.person.asked == []
        assert forms.shown[0].message == "asking asks: A value"
        assert result.meta is not None
        assert result.meta[ELICITATIONS_META_KEY][0]["decidedBy"] == "client"


async def test_a_client_s_answer_with_a_field_that_was_not_asked_for_never_reaches_the_server(
    upwards: str,
) -> None:
    forms = ClientForms(more={"approve": True})
    async with world(
        asking(), upwards=upwards, gateway=via("client"), client={"elicitation_callback": forms}
    ) as here:
        result = await here.calls("asking__one")
        assert "from the client" not in text_of(result)
        assert result.meta is not None
        assert result.meta[ELICITATIONS_META_KEY][0]["action"] == "cancel"
        assert "“approve”: nothing that the form does not ask for" in forms.shown[-1].message


async def test_questions_side_by_side_reach_the_client_together(upwards: str) -> None:
    forms = ClientForms()
    async with world(
        asking(), upwards=upwards, gateway=via("client"), client={"elicitation_callback": forms}
    ) as here:
        assert text_of(await here.calls("asking__two")).count("from the client") == 2
        assert len(forms.shown) == 2


@pytest.mark.parametrize(
    ("ask_via", "somebody_there"), [("console", False), ("auto", True)], ids=["console", "auto"]
)
async def test_a_client_with_forms_is_passed_over_for_a_person_at_a_console(
    upwards: str, ask_via: str, somebody_there: bool
) -> None:
    forms = ClientForms()
    async with world(
        asking(),
        upwards=upwards,
        gateway=via(ask_via),
        somebody_there=somebody_there,
        client={"elicitation_callback": forms},
    ) as here:
        call = here.begins("asking__one")
        here.person.sends(await here.person.question(), {"value": "at the console"})
        assert "at the console" in text_of(await call)
        assert forms.shown == []


@pytest.mark.parametrize("ask_via", ["client", "auto"])
async def test_a_client_that_stays_silent_loses_the_question_to_the_store(
    upwards: str, downwards: str, ask_via: str
) -> None:
    forms = ClientForms(silent=True)
    async with world(
        asking(protocol=downwards),
        upwards=upwards,
        gateway=via(ask_via, hold_sec=60),
        client={"elicitation_callback": forms},
    ) as here:
        call = here.begins("asking__one")
        await asyncio.wait_for(forms.someone_asked.wait(), WAIT)
        await settled()
        await here.clock.move(61)
        question = await here.person.question()
        if upwards == "2025-11-25":
            result = await call
            assert result.meta is not None
            identifier = result.meta[PAUSED_META_KEY]["id"]
            here.person.sends(question, {"value": "the person"})
            result = await here.calls("elicit_resume", id=identifier)
            assert "the person" in text_of(result)
            assert forms.taken_away == 1
        else:
            call.cancel()
            await asyncio.gather(call, return_exceptions=True)


async def test_a_late_retry_of_a_round_is_answered_as_a_resumed_call() -> None:
    async with world(
        asking(),
        upwards="2026-07-28",
        gateway=via("client", hold_sec=60),
        client={"elicitation_callback": ClientForms()},
    ) as here:
        session = here.agent.session
        first = await session.call_tool("asking__one", {}, allow_input_required=True)
        assert isinstance(first, types.InputRequiredResult)
        await here.clock.move(61)
        question = await here.person.question()
        key = next(iter(first.input_requests or {}))
        late = asyncio.ensure_future(
            session.call_tool(
                "asking__one",
                {},
                input_responses={
                    key: types.ElicitResult(action="accept", content={"value": "too late"})
                },
                request_state=first.request_state,
                allow_input_required=True,
            )
        )
        await settled()
        here.person.sends(question, {"value": "the person"})
        result = await asyncio.wait_for(late, WAIT)
        assert "the person" in text_of(result)  # type: ignore[arg-type]


@asynccontextmanager
async def modern_client() -> AsyncIterator[ClientSession]:
    """A client that answers rounds by hand."""
    async with world(
        asking(protocol="2026-07-28"),
        upwards="2026-07-28",
        gateway=via("client", hold_sec=60),
        client={"elicitation_callback": ClientForms()},
    ) as here:
        yield here.agent.session


async def turn(
    session: ClientSession, state: str | None = None, **answers: str
) -> types.CallToolResult | types.InputRequiredResult:
    """Call a tool that asks twice; `answers`: the values of a round, by key."""
    responses = {
        key: types.ElicitResult(action="accept", content={"value": value})
        for key, value in answers.items()
    }
    call = session.call_tool(
        "asking__rounds",
        {},
        input_responses=responses or None,  # type: ignore[arg-type]
        request_state=state,
        allow_input_required=True,
    )
    return await asyncio.wait_for(call, WAIT)


async def test_a_client_that_lost_its_round_gets_it_again_with_the_same_call() -> None:
    async with modern_client() as session:
        first, again = await turn(session), await turn(session)
        assert isinstance(first, types.InputRequiredResult)
        assert isinstance(again, types.InputRequiredResult)
        assert again.input_requests == first.input_requests


async def test_an_answer_to_an_earlier_round_answers_no_later_one() -> None:
    async with modern_client() as session:
        first = await turn(session)
        assert isinstance(first, types.InputRequiredResult)
        (key,) = first.input_requests or {}
        second = await turn(session, first.request_state, **{key: "first answer"})
        assert isinstance(second, types.InputRequiredResult)
        replayed = await turn(session, first.request_state, **{key: "first answer"})
        assert isinstance(replayed, types.InputRequiredResult)
        assert replayed.input_requests == second.input_requests
        (key,) = replayed.input_requests or {}
        end = await turn(session, replayed.request_state, **{key: "second answer"})
        assert isinstance(end, types.CallToolResult)
        assert "second answer" in text_of(end)


@pytest.mark.parametrize("changed", ["{}0", "0{}", "{}-1", "nothing of ours"])
async def test_a_state_that_was_changed_is_refused(changed: str) -> None:
    async with modern_client() as session:
        first = await turn(session)
        assert isinstance(first, types.InputRequiredResult)
        with pytest.raises(MCPError, match="Not known"):
            await turn(session, changed.format(first.request_state))


async def test_a_client_with_forms_only_leaves_pages_to_the_store(
    upwards: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = agent.agent_info
    # The SDK's client advertises pages as soon as it has a callback.
    monkeypatch.setattr(
        agent, "agent_info", lambda context: replace(whole(context), modes=frozenset({"form"}))
    )
    forms = ClientForms()
    async with world(
        asking(), upwards=upwards, gateway=via("client"), client={"elicitation_callback": forms}
    ) as here:
        call = here.begins("asking__page")
        question = await here.person.question()
        assert question.request.mode == "url"
        here.person.answers(question, decline("user", "You declined."))
        await call
        assert forms.shown == []


async def test_a_client_that_drops_what_it_is_sent_is_never_asked() -> None:
    forms = ClientForms()
    cursor = types.Implementation(name="cursor-vscode", version="3.10.20")
    async with world(
        asking(),
        gateway=via("client"),
        client={"elicitation_callback": forms, "client_info": cursor},
    ) as here:
        call = here.begins("asking__one")
        here.person.sends(await here.person.question(), {"value": "the person"})
        await call
        assert forms.shown == []


@pytest.mark.parametrize("ask_via", ["client", "auto"])
async def test_a_warning_is_acknowledged_in_a_second_step_or_by_a_person_at_a_console(
    upwards: str, ask_via: str
) -> None:
    forms = ClientForms({"value": "yes"})
    async with world(
        workshop("warned"),
        upwards=upwards,
        gateway=via(ask_via),
        client={"elicitation_callback": forms},
    ) as here:
        call = here.begins("warned__wipe")
        if ask_via == "auto":
            question = await here.person.question()
            assert question.to_acknowledge
            here.person.answers(question, decline("user", "You declined."))
        result = await call
        assert len(forms.shown) == (2 if ask_via == "client" else 0)
        if forms.shown:
            assert "Send it all the same?" in forms.shown[1].message
            assert "yes" in text_of(result)
