"""A call that a person made in the shell: the console finds it in its history."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import TimeoutError as StillWrites
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from elicit_tui.errors import ElicitTuiError
from elicit_tui.tui.console.call_ends import end_with, note_question
from elicit_tui.tui.console.calls import CallRecord
from elicit_tui.tui.console.kept_calls import KeptCalls
from elicit_tui.tui.console.written_later import until_written

if TYPE_CHECKING:
    from elicit_tui.broker import Resolved
    from elicit_tui.elicitation import Call
    from elicit_tui.elicitation.settings import ContentPolicy
    from elicit_tui.runtime.opening import LazyGuardian

WRITTEN_SECONDS: Final = 20.0
"""So long the end of the command waits for what is kept of its call."""


class ShellCall:
    """One call from its beginning to its end, kept as a call of the console is."""

    def __init__(
        self,
        server: str,
        call: Call,
        schema: Mapping[str, Any],
        policy: ContentPolicy,
        guardian: LazyGuardian,
    ) -> None:
        """`schema`: of its arguments, in which secrets are looked for by `guardian`."""
        self._record = CallRecord(server, call, in_shell=True)
        self._schema, self._policy, self._guardian = schema, policy, guardian

    def note_question(self, event: Resolved) -> None:
        """A question of it, or whether it may be made, has its end."""
        if event.request.traits.from_server:
            self._record.questions += 1
        if not (event.outcome.in_group or event.outcome.unasked):
            note_question(self._record, event, self._policy)

    def keep(self, result: dict[str, Any] | None, error: BaseException | None) -> None:
        """It is over; what cannot be kept costs the command nothing."""
        if result is not None:
            self._record.end("answered", result=result)
        elif isinstance(error, ElicitTuiError):
            end_with(self._record, error)
        else:
            self._record.end("failed", failure="The call broke off.")
        with suppress(ElicitTuiError, StillWrites):
            KeptCalls(self._policy).add(self._record, self._schema, self._guardian)
            until_written(WRITTEN_SECONDS)
