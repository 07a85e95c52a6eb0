"""The call of a server, in a task of its own, and its result as the agent may read it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial

from elicit_tui.elicitation import Call
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
from elicit_tui.gateway.fit_to_pass import without_our_words
from elicit_tui.gateway.held_calls import HeldCalls
from elicit_tui.gateway.telling import Result, text_result
from elicit_tui.host.host import Host


class ServerCalls:
    """Makes the calls of one session."""

    def __init__(
        self, host: Host, held_calls: HeldCalls, about_to_call: Callable[[Call], Awaitable[None]]
    ) -> None:
        """`about_to_call`: awaited before a tool is called, which it can keep from it."""
        self._host = host
        self._held_calls = held_calls
        self._about_to_call = about_to_call

    async def made(self, call: Call, server: str) -> Result:
        """The result of a call; raises what is no result of a tool."""
        try:
            connection = await self._host.connect(server)
            called = partial(self._called, call)
            result = without_our_words((await connection.call(call, called)).result)
        except ToolRefused as refusal:
            return telling.refused_call(refusal.outcome)
        except StoreError as error:
            return text_result(f"{error} {telling.NOT_CALLED}", is_error=True)
        except ProtocolCallError as error:
            if error.code == URL_ELICITATION_REQUIRED and call.method == "tools/call":
                # Its pages were put to a person, who did not finish them; the agent may not.
                not_visited = text_result(telling.NOT_VISITED, is_error=True)
                return self._with_elicitations(call, not_visited)
            raise
        except ElicitTuiError as error:
            if call.method != "tools/call":
                raise
            if self._may_have_run(call, error):
                raise telling.not_known_if_run(error) from error
            return self._with_elicitations(call, text_result(str(error), is_error=True))
        return self._with_elicitations(call, result)

    async def _called(self, call: Call) -> None:
        """From here on its server may have begun with it; raises StoreError: it does not."""
        await self._about_to_call(call)
        held = self._held_calls.of_call(call.id)
        if held is not None:
            held.called = True

    def _may_have_run(self, call: Call, error: ElicitTuiError) -> bool:
        """Whether a task fails since nobody knows whether its tool ran; a result tells no less."""
        held = self._held_calls.of_call(call.id)
        if held is None or not held.is_task or not held.called:
            return False
        return not (isinstance(error, ServerError) and error.code == INVALID_ANSWER)

    def _with_elicitations(self, call: Call, result: Result) -> Result:
        held = self._held_calls.of_call(call.id)
        return telling.with_elicitations(result, held.resolved) if held is not None else result
