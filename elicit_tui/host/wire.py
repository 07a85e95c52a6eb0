"""Sees every raw message between the transport and the SDK, and asks the broker's first steps.

It stands here because the SDK answers a malformed request by itself in the handshake era and
raises for a whole round in the modern one, so neither would ever be judged, and because a burst
of questions must be refused before it costs memory. Nothing here awaits a write: a server that
is busy writing to us does not read.

What the eras make of this. In the handshake era a question is a request of the server's own:
`inbound` judges it, the SDK has its callback ask for the outcome (`decide`), and `outbound` puts
that outcome in the place of what the SDK would have written. In the modern era a question comes in
the answer to a request of ours: `_answered` takes the round out of the SDK's sight, and the host
sends the request again with the answers in it. In both, `written` is the moment at which an answer
has left:

    handshake   question ─▶ inbound ─▶ SDK ─▶ decide (a person) ─▶ SDK ─▶ outbound ─▶ written
    modern      round ─▶ _answered ─▶ host.rounds (a person) ─▶ the call again ─▶ written
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextvars import Context
from typing import Any, Final

from mcp.shared.dispatcher import coerce_request_id
from mcp.shared.message import SessionMessage
from mcp.shared.subscriptions import SUBSCRIPTION_ID_META_KEY
from mcp_types import (
    ErrorData,
    JSONRPCError,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
)

from elicit_tui.broker import Broker
from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation import Call, ElicitationRequest, Era, Outcome, ServerIdentity
from elicit_tui.elicitation.eras import ERAS, EraTraits
from elicit_tui.elicitation.outcome import INVALID_PARAMS
from elicit_tui.host.bounds import Outbox, SeenIds, sample
from elicit_tui.host.breaches import Breaches
from elicit_tui.host.events import HostEvent, read_notification, read_progress
from elicit_tui.host.exchange import CURRENT, Exchange, Round, is_round, is_task, judge_round
from elicit_tui.host.messages import (
    ELICITATION,
    METHOD_NOT_FOUND,
    REFUSED,
    Message,
    advertise,
    elicit_result,
    error_message,
    is_id,
    result_message,
    want_log_level,
)
from elicit_tui.host.open_calls import OpenCalls
from elicit_tui.text import neutral_line

INITIALIZED: Final = "notifications/initialized"
JSONRPC: Final = "2.0"
MOST_ACCEPTED: Final = 100
"""Accepts of one connection that a late withdrawal is still told of."""

_STUB_ROUND: Final[dict[str, Any]] = {"resultType": "input_required", "requestState": ""}
"""What the SDK is shown in place of a round or a task, which the host itself drives."""


@dataclass(eq=False)
class Pushed:
    """A question of the handshake era that was let through."""

    request: ElicitationRequest
    outcome: Outcome | None = None
    """None: nobody has decided yet."""


class Wire:
    """The judge of one connection's messages, in both directions."""

    def __init__(
        self,
        broker: Broker,
        modes: tuple[str, ...],
        identity: Callable[[], ServerIdentity],
        open_calls: OpenCalls,
        emit: Callable[[HostEvent], None],
        breaches: Breaches,
    ) -> None:
        """`breaches`: told what the server did against the protocol."""
        self._broker = broker
        self._modes = modes
        self._identity = identity
        self._open_calls = open_calls
        self._emit = emit
        self._breaches = breaches
        self.era: Era = "handshake"
        self.log_level: str | None = None
        """From which level on the server is to log, in the modern era said with each request."""
        self.outbox = Outbox()
        # Of the server's requests, to find one whose id is used twice.
        self._seen = SeenIds()
        # Our own requests that wait for an answer, by id.
        self._exchanges: dict[str | int, Exchange] = {}
        self._pushed: dict[str | int, Pushed] = {}
        """Handshake era: questions that the SDK has, until their answer was written."""
        self._accepted: dict[str | int, ElicitationRequest] = {}
        """Handshake era: those whose accept was handed to the transport, the latest ones."""
        self._initialized = False
        """Whether the server was told that it may ask (spec: basic/lifecycle)."""
        self._rounds: dict[str, tuple[ElicitationRequest, ...]] = {}
        """Modern era: the questions of each call's round, until their answers were written."""

    @property
    def protocol(self) -> EraTraits:
        """What the era of this connection is like."""
        return ERAS[self.era]

    # From the server

    def inbound(self, item: SessionMessage, context: Context | None) -> SessionMessage | None:
        """Judge one message; what it returns goes on to the SDK, None goes nowhere."""
        # Answers to us go on in any case, and questions once they were let through. What the SDK
        # would only start a task for is dealt with here.
        message = item.message
        if isinstance(message, JSONRPCResponse):
            self._answered(message)
        elif isinstance(message, JSONRPCError):
            self._failed(message)
        elif isinstance(message, JSONRPCRequest):
            return item if self._requested(message, context) else None
        elif not self._notified(message, context):
            return None
        return item

    def _requested(self, message: JSONRPCRequest, context: Context | None) -> bool:
        if message.method == ELICITATION:
            return self._admit_question(message, context)
        # The SDK would answer these too, each in a task that waits for its write.
        if message.method == "ping":
            self.outbox.put(result_message(message.id, {}))
        else:
            self._breaches.asked_for(message.method)
            self.outbox.put(error_message(message.id, METHOD_NOT_FOUND, "Method not found"))
        return False

    def _admit_question(self, message: JSONRPCRequest, context: Context | None) -> bool:
        defect = None
        if str(message.jsonrpc) != JSONRPC:
            defect = "The request does not say that it is JSON-RPC 2.0."
        elif not self._seen.add(message.id):
            defect = "The request repeats the id of an earlier one."
        elif self.protocol.rounds:
            defect = "The server pushed a question, which this protocol revision does not allow."
        elif not self._initialized:
            defect = "The question came before the connection was initialized."
        request = self._request(message.params, context, message.id, defect)
        outcome = self._broker.admit(request)
        if outcome is None:
            self._pushed[message.id] = Pushed(request)
            return True
        # A question that was refused has one of three ends: a result, an error, or silence.
        if outcome.action is not None:
            answer: Message = result_message(message.id, elicit_result(outcome))
        elif outcome.error_code is not None:
            answer = error_message(message.id, outcome.error_code, REFUSED, outcome.public_meta)
        else:
            return False
        self.outbox.put(answer, None if outcome.in_group else lambda: self._broker.sent(request))
        return False

    def _request(
        self, params: Any, context: Context | None, wire_id: str | int | None, defect: str | None
    ) -> ElicitationRequest:
        exchange = context.get(CURRENT) if context is not None else None
        return ElicitationRequest(
            server=self._identity(),
            params=params,
            # A pushed question is the handshake era's shape, whatever was negotiated.
            era="handshake",
            calls=self._calls_of(exchange),
            round=exchange.round if exchange is not None else 1,
            wire_id=wire_id,
            defect=defect,
        )

    def _notified(self, message: JSONRPCNotification, context: Context | None) -> bool:
        params: Any = message.params
        if message.method == ELICITATION:
            # Nobody can be answered; it is admitted for the record alone.
            self._broker.admit(
                self._request(params, context, None, "The request was sent without an id.")
            )
            return False
        if params is not None and not isinstance(params, Mapping):
            # A message read in spite of its faults may hold anything.
            method = neutral_line(message.method, 80)
            self._breaches.message(f"{method}, whose params are no object")
            return False
        if message.method == "notifications/cancelled":
            # At the broker first. The SDK then cancels its callback, which waits in `decide`.
            self._withdrawn(params or {})
            return True
        if message.method == "notifications/progress":
            self._progressed(params or {})
            return False
        if message.method == "notifications/subscriptions/acknowledged":
            self._acknowledged(params or {})
            return False
        calls = self._calls_of(context.get(CURRENT) if context is not None else None)
        # Told only where it is certain: by the stream, or since no other call is open.
        call_id = calls[0].id if len(calls) == 1 else None
        event = read_notification(self._identity().name, message.method, params or {}, call_id)
        if event is not None:
            # Not passed on: the SDK would start a task for each, and nobody listens there.
            self._emit(event)
            return False
        return True

    def _calls_of(self, exchange: Exchange | None) -> tuple[Call, ...]:
        """The calls that what came with this request of ours may belong to.

        A stream that a server writes to by itself was opened with a request that has ended long
        ago, and tells as little as no request at all.
        """
        if exchange is not None and exchange.call is not None:
            return (exchange.call,)
        # An open request of ours that is no call, such as subscriptions/listen: so is what comes
        # with it.
        if any(kept is exchange for kept in self._exchanges.values()):
            return ()
        return self._open_calls.calls

    def _acknowledged(self, params: Mapping[str, Any]) -> None:
        """A stream that we asked for has begun; its request's id is in its `_meta`."""
        meta = params.get("_meta")
        identifier = meta.get(SUBSCRIPTION_ID_META_KEY) if isinstance(meta, Mapping) else None
        exchange = self._exchange(identifier)
        if exchange is not None and exchange.acknowledged is not None:
            exchange.acknowledged()

    def _progressed(self, params: Mapping[str, Any]) -> None:
        """Told for our own open calls only; the id of a request is its progress token."""
        exchange = self._exchange(params.get("progressToken"))
        if exchange is None or exchange.call is None:
            return
        event = read_progress(self._identity().name, exchange.call.id, params)
        if event is not None:
            self._emit(event)

    def _exchange(self, identifier: Any) -> Exchange | None:
        """Our open request that the server means by this, if it is the id of one."""
        return self._exchanges.get(coerce_request_id(identifier)) if is_id(identifier) else None

    def _withdrawn(self, params: Mapping[str, Any]) -> None:
        identifier = params.get("requestId")
        if not is_id(identifier):
            return
        sentence = _withdrawal(params.get("reason"))
        # It may be in one of three states: its accept has left, nobody has decided it yet, or it is
        # decided and not written.
        accepted = self._accepted.pop(identifier, None)
        if accepted is not None:
            self._broker.withdrawn_late(accepted, sentence)
            return
        pushed = self._pushed.get(identifier)
        if pushed is None:
            return
        if pushed.outcome is None:
            self._broker.withdraw(pushed.request.id, sentence)
        elif pushed.outcome.action is not None:
            # Decided, and its answer still on its way out: nothing is sent, and the record says so.
            # An accept that had left already is the case above.
            pushed.outcome = self._broker.taken_back(pushed.request, sentence)

    def _answered(self, message: JSONRPCResponse) -> None:
        self._breaches.answered(message.id)
        # Taken out at once: a second answer under this id finds nothing.
        exchange = self._exchanges.pop(coerce_request_id(message.id), None)
        if exchange is None:
            return
        exchange.result = message.result
        if self.protocol.rounds and exchange.call is not None and is_round(message.result):
            # Of a call that was given up what it asks now is not even judged.
            exchange.new_round = (
                Round() if exchange.last else self._judged(exchange, message.result)
            )
            message.result = dict(_STUB_ROUND)
        elif self.protocol.tasks and exchange.call is not None and is_task(message.result):
            message.result = dict(_STUB_ROUND)
        else:
            # The SDK checks every result against its models, which takes long for long lists. It is
            # shown their first entries; the host goes on with the true ones in `exchange.result`.
            message.result = sample(message.result)

    def _judged(self, exchange: Exchange, result: Mapping[str, Any]) -> Round:
        assert exchange.call is not None
        asked = judge_round(result, self._broker, self._identity(), exchange.call, exchange.round)
        questions = tuple(judged.request for judged in asked.let_through)
        self._rounds[exchange.call.id] = questions
        return asked

    def _failed(self, message: JSONRPCError) -> None:
        if message.id is None:
            return
        self._breaches.answered(message.id)
        exchange = self._exchanges.pop(coerce_request_id(message.id), None)
        if exchange is not None:
            exchange.answered_by_error = True

    # To the server

    def outbound(self, message: Message) -> bool:
        """Prepare one message of the SDK; False when nothing may be sent."""
        if isinstance(message, JSONRPCRequest):
            self._breaches.requested(message.id)
            # The SDK sends in the task that awaits the answer, where `Session` has set this.
            exchange = CURRENT.get()
            if exchange is not None:
                self._exchanges[message.id] = exchange
                if exchange.extra:
                    message.params = {**(message.params or {}), **exchange.extra}
            advertise(message, self._modes)
            if self.protocol.stateless and self.log_level is not None:
                want_log_level(message, self.log_level)
        elif isinstance(message, JSONRPCResponse):
            return self._answering(message)
        elif isinstance(message, JSONRPCError) and message.id is not None:
            return self._refusing(message)
        elif isinstance(message, JSONRPCNotification):
            self._initialized = self._initialized or message.method == INITIALIZED
        return True

    def _answering(self, message: JSONRPCResponse) -> bool:
        # What the SDK writes for a question has its action only: the true result takes its place.
        pushed = self._pushed.get(message.id)
        if pushed is None or pushed.outcome is None:
            return True
        # Withdrawn, or without a server: an answer would be one to nothing.
        if pushed.outcome.action is None:
            del self._pushed[message.id]
            return False
        message.result = elicit_result(pushed.outcome)
        if pushed.outcome.action == "accept":
            self._accepted[message.id] = pushed.request
            # Kept for one reason only: a server that withdraws a question whose accept has left is
            # told of. The oldest go, for a server could make them grow for ever.
            if len(self._accepted) > MOST_ACCEPTED:
                self._accepted.pop(next(iter(self._accepted)))
        return True

    def _refusing(self, message: JSONRPCError) -> bool:
        """An error of the SDK for a request that was let through: its own checks, or an end."""
        assert message.id is not None
        pushed = self._pushed.get(message.id)
        if pushed is None:
            return True
        # Nobody has decided yet: the SDK finds fault with what the broker let through, or it ends.
        # The question ends at the broker too, or a person would still be asked.
        if pushed.outcome is None:
            refused = "The protocol library refused the request."
            self._broker.refused_on_the_wire(pushed.request, refused)
            # The SDK would spell out what went wrong inside of us.
            message.error = ErrorData(code=INVALID_PARAMS, message=REFUSED)
            return True
        # The question has its outcome and it says that nothing can be sent.
        del self._pushed[message.id]
        return pushed.outcome.action is not None

    def written(self, message: Message) -> None:
        """One message has left."""
        if isinstance(message, JSONRPCRequest):
            exchange = self._exchanges.get(message.id)
            if exchange is not None:
                self._answers_left(exchange)
        elif isinstance(message, (JSONRPCResponse, JSONRPCError)) and message.id is not None:
            pushed = self._pushed.pop(message.id, None)
            # Without an outcome it was an error of the SDK's, which the broker knows of already.
            if pushed is not None and pushed.outcome is not None:
                self._broker.sent(pushed.request)

    def _answers_left(self, exchange: Exchange) -> None:
        # The request that carries a round's answers closes the round as a whole.
        if exchange.call is not None:
            self._rounds.pop(exchange.call.id, None)
        for request in exchange.answering:
            self._broker.sent(request)
            # An answer of a task goes by itself, in a request without a call: one question is taken
            # off.
            for call in request.calls:
                asked = self._rounds.pop(call.id, ())
                if left := tuple(waiting for waiting in asked if waiting is not request):
                    self._rounds[call.id] = left

    def asked_in_task(self, call_id: str, requests: Sequence[ElicitationRequest]) -> None:
        """Keep what a task of this call asks besides, until it is answered."""
        self._rounds[call_id] = (*self._rounds.get(call_id, ()), *requests)

    def forget(self, exchange: Exchange) -> None:
        """Our request has ended; an answer that comes later belongs to nothing."""
        for identifier in [key for key, kept in self._exchanges.items() if kept is exchange]:
            del self._exchanges[identifier]

    # For the callback

    async def decide(self, wire_id: str | int) -> Outcome | None:
        """The outcome of a request that was let through; None when it is not known here."""
        pushed = self._pushed.get(wire_id)
        if pushed is None:
            return None
        try:
            pushed.outcome = await self._broker.resolve(pushed.request)
        except asyncio.CancelledError:
            # The SDK writes nothing for it any more.
            self._pushed.pop(wire_id, None)
            raise
        return pushed.outcome

    def unanswered(self, call_id: str | None) -> tuple[ElicitationRequest, ...]:
        """The questions of one call, or of all, whose answers have not left yet."""
        in_rounds = (request for questions in self._rounds.values() for request in questions)
        return tuple(
            request
            for request in (*(pushed.request for pushed in self._pushed.values()), *in_rounds)
            if call_id is None or self._open_calls.only_for(request, call_id)
        )

    def call_ended(self, call_id: str) -> None:
        """End what is still asked for a call that has ended.

        A question that was pushed still wants its answer; those of a round went with the call.
        """
        for request in self.unanswered(call_id):
            if not request.protocol.rounds:
                self._broker.call_ended(request.id)
            else:
                self._broker.withdraw(
                    request.id, "The call that it belongs to has ended.", "call ended"
                )
        self._rounds.pop(call_id, None)


def _withdrawal(reason: Any) -> str:
    """Why a question went away, in the server's words where it gave any, made safe."""
    sentence = "The server withdrew the question"
    if not isinstance(reason, str) or not reason:
        return f"{sentence}."
    return f'{sentence}; it says "{neutral_line(reason, 100)}".'
