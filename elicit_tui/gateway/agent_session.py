"""One session of one agent: its servers, its calls, its questions. Nothing crosses its border.

The way of a call: `call_tool` finds whose tool it is; `_joined_or_begun` takes the answer to a
round, joins an equal call that is under way here or in another process, or begins a new one;
`_attended` waits for it as long as this agent may be held, and tells what there is to tell by then:
the outcome, a round, a task, or that it is paused and how to come back.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from elicit_tui.broker import BrokerEvent, Resolved
from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation import Call, ElicitationRequest, cancel
from elicit_tui.elicitation.request import AGENT
from elicit_tui.errors import ElicitTuiError, StoreError
from elicit_tui.gateway import own_tools, telling
from elicit_tui.gateway.agent import SessionAudience
from elicit_tui.gateway.agents import agent_called
from elicit_tui.gateway.asking import Asking
from elicit_tui.gateway.catalogue import Entry
from elicit_tui.gateway.clock import Clock
from elicit_tui.gateway.connected import NoteOfSession
from elicit_tui.gateway.held_call import (
    Ended,
    GivenUp,
    HeldCall,
    NewCall,
    OutcomesUnread,
    Paused,
    Reply,
    StillRuns,
    TooManyCalls,
    agent_state,
)
from elicit_tui.gateway.held_calls import TAKEN_BACK, HeldCalls
from elicit_tui.gateway.measuring import TOOL, Measuring
from elicit_tui.gateway.offers import Offers
from elicit_tui.gateway.other_terminal import OtherTerminal
from elicit_tui.gateway.passing import Background, Passing, ServerCalls, Unknown
from elicit_tui.gateway.replies import Replies
from elicit_tui.gateway.requester import (
    AgentInfo,
    Requester,
    RoundAnswer,
    hold_seconds,
    may_pause,
    takes_task,
)
from elicit_tui.gateway.rounds import SEPARATOR
from elicit_tui.gateway.session_catalogues import SessionCatalogues
from elicit_tui.gateway.shared_calls import Elsewhere, NotKnown, SharedCalls
from elicit_tui.gateway.sharing import Sharing
from elicit_tui.gateway.tasks import Tasks
from elicit_tui.gateway.telling import Result, text_result
from elicit_tui.host.events import (
    HostEvent,
    LogMessage,
    Progress,
    ResourceUpdated,
    ServerStateChanged,
    TaskStarted,
    UrlCompleted,
)
from elicit_tui.runtime import Runtime
from elicit_tui.text import ascii_json, neutral_line


@dataclass(frozen=True, kw_only=True)
class SessionParts:
    """What a session is composed of (`opening`)."""

    asking: Asking
    other_terminal: OtherTerminal
    held_calls: HeldCalls
    catalogues: SessionCatalogues
    audience: SessionAudience
    clock: Clock
    measuring: Measuring
    note: NoteOfSession
    """What `gateway status` tells of it."""
    shared: SharedCalls | None = None
    """What other gateway processes of this agent know of its calls."""


class AgentSession:
    """What an agent can do, whatever its transport and era."""

    def __init__(self, runtime: Runtime, parts: SessionParts) -> None:
        self._gateway = runtime.settings.gateway
        self.runtime = runtime
        self._broker = runtime.broker
        self._asking = parts.asking
        self._other_terminal = parts.other_terminal
        self.held_calls = parts.held_calls
        self.tasks = Tasks(self.held_calls, parts.shared)
        self.catalogues = parts.catalogues
        self.clock = parts.clock
        self.note = parts.note
        self.audience = parts.audience
        self._measuring = parts.measuring
        self._replies = Replies(self._asking.agent_answers, self._broker)
        self._background = Background()
        self.passing = Passing(runtime.host, self.catalogues, self._background)
        hold = partial(hold_seconds, self._gateway.hold_sec)
        answer = self._asking.agent_answers.take
        self.sharing = Sharing(
            parts.shared, self.held_calls, self._background, answer=answer, hold=hold
        )
        self._server_calls = ServerCalls(runtime.host, self.held_calls, self.sharing.about_to_call)
        self.held_calls.watched_by(self)
        self._broker.subscribe(self._on_broker_event)
        runtime.host.subscribe(self._on_host_event)

    # Lists

    def own(self, agent: AgentInfo, *, look: bool = True) -> list[Entry]:
        """The gateway's own tools, as this agent is offered them.

        `look`: whether a doctor came or went is looked at anew.
        """
        own = own_tools.own_tools(self._gateway, agent.modes)
        return [*own, TOOL] if self._measuring.offered(agent, look=look) else own

    async def offers(self, requester: Requester) -> Offers:
        """The lists, for this agent."""
        self.note.known_as(requester.agent, http=requester.http)
        own = self.own(requester.agent)
        return await self.catalogues.offers(own, output_schemas=not self._pauses(requester))

    @property
    def offers_tasks(self) -> bool:
        """Whether calls may be answered with tasks."""
        return self._gateway.tasks == "auto"

    def _pauses(self, requester: Requester) -> bool:
        """Whether a call of this agent may answer "paused", which no `outputSchema` allows."""
        name, progress, http = requester.agent.name, requester.has_token, requester.http
        pauses = may_pause(self._gateway, name, http=http, progress=progress)
        return pauses and not takes_task(self._gateway, requester)

    # Calls

    async def call_tool(
        self, name: str, arguments: Mapping[str, Any], requester: Requester
    ) -> Result:
        """Call a tool of a server, or one of ours. Raises Unknown, ProtocolCallError."""
        own = self.own(requester.agent, look=name == own_tools.DOCTOR)
        if any(tool["name"] == name for tool in own):
            return await self._own_tool(name, arguments, requester)
        origin = await self.catalogues.tool_origin(name, own)
        if origin is None:
            return text_result(f"Unknown tool: {neutral_line(name, 200)}", is_error=True)
        server, tool = origin
        call = Call("tools/call", tool, arguments)
        return await self._server_call(call, server, requester)

    async def get_prompt(
        self, name: str, arguments: Mapping[str, Any], requester: Requester
    ) -> Result:
        """Get a prompt of a server. Raises Unknown, ProtocolCallError, ServerError."""
        origin = await self.catalogues.prompt_origin(name)
        if origin is None:
            raise Unknown(f"Unknown prompt: {neutral_line(name, 200)}")
        server, prompt = origin
        call = Call("prompts/get", prompt, arguments)
        return await self._server_call(call, server, requester)

    async def read_resource(self, uri: str, requester: Requester) -> Result:
        """Read a resource of a server. Raises Unknown, ProtocolCallError, ServerError."""
        server = await self.catalogues.server_of(uri)
        if server is None:
            raise Unknown(f"Unknown resource: {neutral_line(uri, 500)}")
        call = Call("resources/read", uri, {})
        return await self._server_call(call, server, requester)

    async def _server_call(self, call: Call, server: str, requester: Requester) -> Result:
        new = NewCall(call, server, partial(self._server_calls.made, call, server))
        return await self._joined_or_begun(new, requester)

    async def _joined_or_begun(self, new: NewCall, requester: Requester) -> Result:
        """Attend a new call, one that is joined, or the one whose round is answered here."""
        self._other_terminal.known_as(requester.agent)
        self.note.known_as(requester.agent, http=requester.http)
        if requester.round_answer is not None:
            return await self._round_answered(requester.round_answer, requester)
        try:
            held = await self._begun(new, requester)
        except (TooManyCalls, OutcomesUnread, NotKnown) as error:
            return text_result(str(error), is_error=True)
        except StoreError as error:
            return text_result(f"{telling.failed(error)} {telling.NOT_CALLED}", is_error=True)
        if isinstance(held, Elsewhere):
            return await self._attended_elsewhere(held.id, requester)
        # One that is joined may have asked a client that does not know of it any more.
        held.rounds.ask_again()
        return await self._attended(held, requester, resumed=False)

    async def _attended_elsewhere(self, call_id: str, requester: Requester) -> Result:
        """What another process's call comes to: its task, where the agent takes one."""
        takes = takes_task(self._gateway, requester)
        task = await self.tasks.created_elsewhere(call_id) if takes else None
        return task or await self.sharing.attended(call_id, requester, telling.paused_text(call_id))

    async def _begun(self, new: NewCall, requester: Requester) -> HeldCall | Elsewhere:
        """The call, begun here, or the one that it joins, wherever that is."""
        if (joined := await self.sharing.joined(new.call, new.key, requester)) is not None:
            return joined
        try:
            return self.held_calls.start(new.call, new.server, new.key, new.make())
        except (TooManyCalls, OutcomesUnread):
            # The store knows already of a call that does not begin.
            await self.sharing.forget(new.call.id)
            raise

    async def _round_answered(self, answer: RoundAnswer, requester: Requester) -> Result:
        """Go on with the call whose round the agent's client has answered."""
        state, responses = answer
        held = self.held_calls.of_state(state)
        if held is not None:
            resumed = not held.rounds.answered(state, responses)
            return await self._attended(held, requester, resumed=resumed)
        call_id = state.rpartition(SEPARATOR)[0]
        if not await self.sharing.pass_on(call_id, {"state": state, "responses": responses}):
            raise Unknown(telling.NOT_KNOWN)
        return await self.sharing.attended(call_id, requester, telling.paused_text(call_id))

    async def _attended(self, held: HeldCall, requester: Requester, *, resumed: bool) -> Result:
        result: Result = {}

        async def kept(reply: Reply) -> bool:
            nonlocal result
            # Only who is told to come back is looked at, which takes the system's processes.
            alone = isinstance(reply, Paused) and self._asking.seems_alone(requester)
            result = self._replies.result(held, reply, resumed=resumed, alone=alone)
            # A task that the store cannot be told of would be lost with this process: it is given
            # as none, and the same request goes on as a call that is held.
            return isinstance(reply, (Ended, StillRuns)) or await self.sharing.paused(held, result)

        hold = hold_seconds(self._gateway.hold_sec, requester)
        takes = takes_task(self._gateway, requester)
        try:
            reply = await self.held_calls.attend(
                held, requester, hold, resumed=resumed, takes_task=takes, keep=kept
            )
        except GivenUp:
            return text_result(telling.CANCELLED, is_error=True)
        except ElicitTuiError:
            # An error is an outcome too.
            await self.sharing.delivered(held, requester)
            raise
        if isinstance(reply, Ended):
            await self.sharing.delivered(held, requester)
        ours = held.server == AGENT or telling.ELICITATIONS_META_KEY in (result.get("_meta") or {})
        reads_structured = agent_called(requester.agent.name).structured
        # What was offered with its outputSchema keeps what that promises.
        if ours and reads_structured and self._pauses(requester):
            return telling.as_text(result)
        return result

    async def _own_tool_elsewhere(
        self, name: str, call_id: Any, arguments: Mapping[str, Any], requester: Requester
    ) -> Result:
        """One of our tools about a call that this process does not make."""
        if not await self.sharing.pass_on(call_id, own_tools.note_of(name, arguments)):
            return text_result(telling.NOT_KNOWN, is_error=True)
        if name == own_tools.CANCEL:
            return text_result(telling.TOLD_THE_OTHER)
        still = telling.still_waiting(alone=self._asking.seems_alone(requester))
        return await self.sharing.attended(call_id, requester, still)

    # Our own tools

    async def _own_tool(
        self, name: str, arguments: Mapping[str, Any], requester: Requester
    ) -> Result:
        if name == own_tools.DOCTOR:
            return await self._measuring.call(arguments, requester)
        if name == own_tools.ELICIT:
            return await self._elicit(arguments, requester)
        call_id = arguments.get("id")
        held = self.held_calls.by_id(call_id)
        if held is None:
            return await self._own_tool_elsewhere(name, call_id, arguments, requester)
        if name == own_tools.CANCEL:
            return self._cancelled(held)
        self._take_round(held, requester.round_answer)
        if name == own_tools.ANSWER:
            refusal = self._asking.agent_answers.take(held, arguments)
            if refusal is not None:
                return text_result(refusal, is_error=True)
        result = await self._attended(held, requester, resumed=True)
        # No result of a tool: its text is what a model can read of it.
        if held.done and held.call.method != "tools/call":
            return text_result(ascii_json(result))
        return result

    def _cancelled(self, held: HeldCall) -> Result:
        if held.done:
            return text_result("It has ended already; elicit_resume tells how.")
        self.held_calls.give_up(held)
        return text_result(telling.CANCELLED)

    def _take_round(self, held: HeldCall, answer: RoundAnswer | None) -> None:
        """Take what the agent's client answered to a round of this call; else ask it again."""
        if answer is None:
            held.rounds.ask_again()
        elif self.held_calls.of_state(answer.state) is held:
            held.rounds.answered(*answer)
        else:
            raise Unknown(telling.NOT_KNOWN)

    async def _elicit(self, arguments: Mapping[str, Any], requester: Requester) -> Result:
        try:
            question = own_tools.agent_question(arguments)
        except own_tools.NotAQuestion as error:
            return text_result(str(error), is_error=True)
        call = Call("tools/call", own_tools.ELICIT, arguments)
        make = partial(self._asked_by_agent, call, question, requester.agent)
        return await self._joined_or_begun(NewCall(call, AGENT, make), requester)

    async def _asked_by_agent(
        self, call: Call, question: own_tools.AgentQuestion, agent: AgentInfo
    ) -> Result:
        request = question.request(call, agent)
        outcome = await self._broker.resolve(request)
        self._broker.sent(request)
        content = question.content(outcome.content) if outcome.content is not None else None
        return telling.answer_of(outcome, content)

    # What its parts tell it

    def withdraw(self, held: HeldCall) -> None:
        """End the questions of a call that nobody waits for, unless another one shares them."""

        def of_no_other(request: ElicitationRequest) -> bool:
            found = self.held_calls.of_request(request)
            return held in found and all(call.withdrawn for call in found)

        self._broker.end_where(of_no_other, cancel("withdrawn", TAKEN_BACK))

    async def cancel_below(self, held: HeldCall) -> None:
        """Have the server of a call told that it is cancelled."""
        if (connection := self.runtime.host.connections.get(held.server)) is not None:
            await connection.cancel(held.id, cancel("withdrawn", TAKEN_BACK))

    def agent_state_changed(self, held: HeldCall) -> None:
        """Show in every inbox that the agent was told to come back, left, or is back."""
        for question in tuple(held.waiting.values()):
            state = agent_state(self.held_calls.of_request(question.request))
            # A store that cannot be written shows it later; the answer is held back here too.
            self._background.start(self._other_terminal.mark_agent(question.id, state))

    def agent_side_changed(self, held: HeldCall) -> None:
        """Tell the other processes whether the agent has left, or waits for a call."""
        self.sharing.agent_side_changed(held)

    def outcome_kept(self, held: HeldCall) -> None:
        """Keep an outcome for whichever process the agent comes back to."""
        self.sharing.outcome_kept(held)

    def given_up(self, held: HeldCall) -> None:
        """Forget a call that its agent took back."""
        self.sharing.given_up(held)

    def _on_broker_event(self, event: BrokerEvent) -> None:
        self._other_terminal.on_broker_event(event)
        if isinstance(event, Resolved):
            self._asking.forget(event.request.id)
            if event.outcome.scope == "session":  # It can be listed and taken back at once.
                self._background.start(self._other_terminal.drop_revoked(self._broker.allowances))
            if event.request.traits.from_server and event.request.server.name != AGENT:
                for held in self.held_calls.of_request(event.request):
                    held.resolved.append(event)

    def _on_host_event(self, event: HostEvent) -> None:
        if isinstance(event, Progress):
            self._progressed(event)
        elif isinstance(event, LogMessage):
            self._logged(event)
        elif isinstance(event, TaskStarted) and (held := self.held_calls.of_call(event.call_id)):
            held.server_task = True
            held.changed()
        elif isinstance(event, UrlCompleted):
            self._other_terminal.page_finished(event.server, event.elicitation_id)
        elif isinstance(event, ResourceUpdated):
            self.audience.resource_updated(event.uri)
        elif isinstance(event, ServerStateChanged) and event.state in ("failed", "closed"):
            # What was allowed of it is listed no more.
            self._background.start(self._other_terminal.drop_revoked(self._broker.allowances))

    def _progressed(self, event: Progress) -> None:
        if (held := self.held_calls.of_call(event.call_id)) is not None:
            held.last_progress = (event.progress, event.total)
            for requester in tuple(held.requesters):
                requester.progress(event.progress, event.total, event.message)

    def _logged(self, event: LogMessage) -> None:
        """Pass a server's line to the call that it is of, and to whoever listens to all."""
        logger = f"{event.server}/{event.logger}" if event.logger else event.server
        for held in self.held_calls.under_way:
            if held.server == event.server and event.call_id in (None, held.call.id):
                for requester in tuple(held.requesters):
                    requester.log(event.level, logger, event.data)
        self.audience.log(event.level, logger, event.data)
