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
from elicit_tui.gateway.asking import TOO_FAST_SECONDS
from elicit_tui.gateway.telling import ELICITATIONS_META_KEY, PAUSED_META_KEY
from tests.gateway.world import WAIT, asking, settled, text_of, workshop, world

pytestmark = pytest.mark.anyio

ONE = {"type": "object", "properties": {"value": {"type": "string"}}, "required": ["value"]}


class ClientForms:
    """The agent's own form: answers by a script, or never."""

    def __init__(
        self,
        answer: Mapping[str, Any] | None = None,
        *,
        silent: bool = False,
        more: Mapping[str, Any] | None = None,
        action: str = "accept",
        empty: bool = False,
    ) -> None:
        self._action = action
        self._empty = empty
        """Whether it accepts without content."""
        self._more = more or {}
        """Fields that nobody asked it for."""
        self._answer = answer if answer is not None else {"value": "from the client"}
        self._silent = silent
        self.shown: list[Any] = []
        self.taken_away = 0
        self.someone_asked = asyncio.Event()
        self.goes_on = asyncio.Event()

    async def __call__(self, context: Any, params: Any) -> types.ElicitResult:
        self.shown.append(params)
        self.someone_asked.set()
        if self._silent:
            try:
                await self.goes_on.wait()
            except asyncio.CancelledError:
                self.taken_away += 1
                raise
        if self._action != "accept" or self._empty:
            return types.ElicitResult(action=self._action)  # type: ignore[arg-type]
        schema = getattr(params, "requested_schema", None) or {}
        content = {key: self._answer[key] for key in schema.get("properties", {})}
        content.update(self._more)
        return types.ElicitResult(action="accept", content=content)


def called(name: str) -> types.Implementation:
    return types.Implementation(name=name, version="1")


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
            resumed = here.begins("elicit_resume", id=identifier)
            await settled()
            here.person.sends(question, {"value": 5})
            # Given back, it stays where somebody answered.
            here.person.sends(await here.person.question(2), {"value": "the person"})
            assert "the person" in text_of(await resumed)
            assert (len(forms.shown), forms.taken_away) == (1, 1)
        else:
            call.cancel()
            await asyncio.gather(call, return_exceptions=True)


@pytest.mark.parametrize("action", ["decline", "cancel"])
async def test_a_question_that_a_client_turned_down_unread_is_asked_in_the_inbox(
    upwards: str, action: str
) -> None:
    forms = ClientForms(action=action)
    async with world(
        asking(), upwards=upwards, gateway=via("auto"), client={"elicitation_callback": forms}
    ) as here:
        call = here.begins("asking__one")
        here.person.sends(await here.person.question(), {"value": "the person"})
        assert "the person" in text_of(await call)
        assert len(forms.shown) == 1


async def test_what_a_person_declined_in_their_client_is_declined() -> None:
    forms = ClientForms(silent=True, action="decline")
    async with world(asking(), gateway=via("auto"), client={"elicitation_callback": forms}) as here:
        call = here.begins("asking__one")
        await asyncio.wait_for(forms.someone_asked.wait(), WAIT)
        await here.clock.move(TOO_FAST_SECONDS)
        forms.goes_on.set()
        result = await call
        assert result.meta is not None
        told = result.meta[ELICITATIONS_META_KEY][0]
        assert (told["action"], told["decidedBy"]) == ("decline", "client")
        assert here.person.asked == []


async def test_nobody_is_believed_to_decline_at_a_program_without_a_person() -> None:
    forms = ClientForms(silent=True, action="decline")
    mine = {"elicitation_callback": forms, "client_info": called("mcp")}
    async with world(asking(), gateway=via("auto", hold_sec=60), client=mine) as here:
        call = here.begins("asking__one")
        await asyncio.wait_for(forms.someone_asked.wait(), WAIT)
        await here.clock.move(5)
        forms.goes_on.set()
        here.person.sends(await here.person.question(), {"value": "the person"})
        assert "the person" in text_of(await call)


async def test_a_form_that_a_client_accepts_without_content_is_asked_in_the_inbox_from_then_on(
    upwards: str,
) -> None:
    forms = ClientForms(empty=True)
    async with world(
        asking(), upwards=upwards, gateway=via("client"), client={"elicitation_callback": forms}
    ) as here:
        for number in (1, 2):
            call = here.begins("asking__one")
            here.person.sends(await here.person.question(number), {"value": f"person {number}"})
            assert f"person {number}" in text_of(await call)
        assert len(forms.shown) == 1


async def test_what_a_client_is_known_not_to_hold_is_never_shown_there() -> None:
    forms = ClientForms()
    codex = {"elicitation_callback": forms, "client_info": called("codex-mcp-client")}
    async with world(asking(), gateway=via("auto"), client=codex) as here:
        call = here.begins("asking__everything")
        question = await here.person.question()
        here.person.answers(question, decline("user", "No."))
        await call
        assert forms.shown == []
        await here.calls("asking__one")
        assert len(forms.shown) == 1


async def test_the_model_reads_what_a_client_s_form_answered_where_it_reads_structure_alone(
    upwards: str,
) -> None:
    async def read(name: str) -> types.CallToolResult:
        mine = {"elicitation_callback": ClientForms(), "client_info": called(name)}
        async with world(asking(), upwards=upwards, gateway=via("auto"), client=mine) as here:
            return await here.calls("elicit", message="Which?", schema=ONE)

    whole, plain = await read("a test"), await read("claude-code")
    assert whole.structured_content == {"action": "accept", "content": {"value": "from the client"}}
    assert plain.structured_content is None
    assert '{"action":"accept","content":{"value":"from the client"}}' in text_of(plain)


async def test_an_answer_of_a_client_s_own_form_is_told_as_that() -> None:
    forms = {"elicitation_callback": ClientForms()}
    async with world(asking(), gateway=via("auto"), client=forms) as here:
        told = text_of(await here.calls("asking__one"))
        assert "was answered in this client's own form: accept" in told
        assert "no answer of a person" not in told


async def test_an_agent_to_which_no_user_comes_back_is_told_to_go_on_waiting() -> None:
    forms = ClientForms(action="cancel")
    mine = {"elicitation_callback": forms}
    async with world(asking(), gateway=via("auto", hold_sec=5), client=mine) as here:
        call = here.begins("asking__one")
        await here.person.question()
        await here.clock.move(6)
        meta = (await call).meta
        assert meta is not None
        again = asyncio.ensure_future(here.calls("elicit_resume", id=meta[PAUSED_META_KEY]["id"]))
        await here.held()
        await here.clock.move(6)
        told = text_of(await again)
        assert "Call elicit_resume with the same id again" in told
        assert "End your turn" not in told


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
