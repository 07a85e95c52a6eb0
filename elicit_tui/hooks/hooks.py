"""The hooks of one run: which match, in which order, what they read, and who is only told.

What a hook reads is JSON: Claude Code's fields, and ours beside them. Values are exactly the
server's, written in printable ASCII.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from elicit_tui.elicitation import ElicitationRequest, Outcome, Review, new_id
from elicit_tui.elicitation.keeping import kept_content
from elicit_tui.elicitation.request import fits, fits_any_tool
from elicit_tui.elicitation.settings import ContentPolicy, Hook, HookEvent, Layer
from elicit_tui.errors import HookError
from elicit_tui.hooks.notices import notice
from elicit_tui.hooks.running import Reply, run_hook
from elicit_tui.text import ascii_json


class HookInput:
    """Writes what hooks read, for every event of one run."""

    def __init__(self, session_id: str, cwd: str) -> None:
        self._head = {"session_id": session_id, "cwd": cwd}

    def asked(self, event: HookEvent, request: ElicitationRequest, review: Review) -> bytes:
        """`Elicitation` and `Asked`: the question, and what the guardian found."""
        return self._written(
            event,
            request,
            message=request.message,
            requested_schema=request.param("requestedSchema"),
            url=request.param("url"),
            verdict=review.verdict,
            findings=[finding.as_json() for finding in review.findings],
        )

    def answered(
        self,
        event: HookEvent,
        request: ElicitationRequest,
        outcome: Outcome,
        content: Mapping[str, Any] | None,
        **more: Any,
    ) -> bytes:
        """`ElicitationResult` and `Resolved`: how it ended, with the content that may be told."""
        return self._written(
            event,
            request,
            action=outcome.action,
            content=None if content is None else dict(content),
            decided_by=outcome.decided_by,
            reason=outcome.reason,
            via=outcome.via,
            **more,
        )

    def _written(self, event: HookEvent, request: ElicitationRequest, **fields: Any) -> bytes:
        call = request.call
        told: dict[str, Any] = {
            **self._head,
            "hook_event_name": event,
            "mcp_server_name": request.server.name,
            "mode": request.mode if request.traits.from_server else None,
            "elicitation_id": request.param("elicitationId"),
            **fields,
            "id": request.id,
            "kind": request.kind,
            "tool": call.name if call is not None else None,
            "arguments": dict(call.arguments) if call is not None else None,
            "round": request.round,
        }
        # What a question does not have is left out, and not told as null.
        present = {name: value for name, value in told.items() if value is not None}
        return (ascii_json(present) + "\n").encode("ascii")


MOST_UNTOLD: Final = 1_000
"""What may wait to be told to one hook; beyond it is left out, and said."""
LAST_SECONDS: Final = 3.0
"""How long the end of a run waits for hooks that are still to be told."""

Tell = Callable[[str, str], None]
"""Says something to the person: a server's name, and a sentence."""


def matches(hook: Hook, request: ElicitationRequest) -> bool:
    """Whether a hook is meant for a request, or for one of the calls that it may belong to."""
    return (
        hook.kind in (None, request.kind)
        and fits(hook.server, request.server.name)
        and fits_any_tool(hook.tool, request)
    )


class Hooks:
    """Runs the owner's hooks. Everything runs on one event loop."""

    def __init__(self, hooks: Sequence[Hook], history_content: ContentPolicy) -> None:
        self._hooks = tuple(hooks)
        self._content = history_content
        self._tell: Tell | None = None
        self._input = HookInput(new_id(), str(Path.cwd()))
        self._listeners = {hook.key: _Listener(hook, self._failed) for hook in self._hooks}

    def tell_by(self, tell: Tell) -> None:
        """Take whom to tell of what a hook says or fails at: the broker that has these hooks."""
        self._tell = tell

    def tell(self, server: str, sentence: str) -> None:
        """Say something about a server's question to the person."""
        if self._tell is None:
            raise RuntimeError("These hooks belong to no broker (Hooks.tell_by).")
        self._tell(server, sentence)

    def chosen(
        self, event: HookEvent, request: ElicitationRequest, layer: Layer | None = None
    ) -> tuple[Hook, ...]:
        """The hooks of an event that are meant, in the order in which they run."""
        found = [
            # The list has the administrator's first.
            hook
            for hook in self._hooks
            if hook.event == event and layer in (None, hook.layer) and matches(hook, request)
        ]
        if event == "ElicitationResult":  # the administrator's have the last word
            found.sort(key=lambda hook: hook.layer == "managed")
        return tuple(found)

    async def ask(self, hook: Hook, request: ElicitationRequest, review: Review) -> Reply:
        """What an `Elicitation` hook says. Raises HookError."""
        return await self._run(hook, request, self._input.asked("Elicitation", request, review))

    async def show(self, hook: Hook, request: ElicitationRequest, outcome: Outcome) -> Reply:
        """What an `ElicitationResult` hook says to an answer. Raises HookError."""
        message = self._input.answered("ElicitationResult", request, outcome, outcome.content)
        return await self._run(hook, request, message)

    async def _run(self, hook: Hook, request: ElicitationRequest, message: bytes) -> Reply:
        reply = await run_hook(hook, message)
        if reply.warning is not None:
            self.tell(request.server.name, f"The {hook.name} says: {reply.warning}")
        return reply

    # Those that are told

    def asked(self, request: ElicitationRequest, review: Review) -> None:
        """Tell the `Asked` hooks, in the background."""
        for hook in self.chosen("Asked", request):
            self._put(hook, request, self._input.asked("Asked", request, review))

    def resolved(self, request: ElicitationRequest, review: Review, outcome: Outcome) -> None:
        """Tell the `Resolved` hooks, in the background; values as `history.content` keeps them."""
        chosen = self.chosen("Resolved", request)
        if not chosen:
            return
        content = kept_content(outcome.content, review, self._content)
        more: Mapping[str, Any] = {
            "key": outcome.key,
            "layer": outcome.layer,
            "waited_ms": outcome.waited_ms or 0,
            "verdict": review.verdict,
            "findings": [finding.as_json() for finding in review.findings],
        }
        message = self._input.answered("Resolved", request, outcome, content, **more)
        for hook in chosen:
            self._put(hook, request, message)

    def waiting(self, request: ElicitationRequest, agent: str | None) -> None:
        """Tell the `Waiting` hooks that a question waits in the store and nobody is there."""
        for hook in self.chosen("Waiting", request):
            self._put(hook, request, *notice(hook, request, agent))

    def _put(self, hook: Hook, request: ElicitationRequest, message: bytes, *kind: str) -> None:
        self._listeners[hook.key].put(request.server.name, message, *kind)

    def _failed(self, hook: Hook, server: str, why: str) -> None:
        self.tell(server, f"The {hook.name} ({hook.event}) {why}.")

    async def close(self) -> None:
        """Let what is still to be told go out, for a short while; what does not is said."""
        working = [task for listener in self._listeners.values() for task in listener.working()]
        if working:
            await asyncio.wait(working, timeout=LAST_SECONDS)
        await asyncio.gather(*(listener.end() for listener in self._listeners.values()))


class _Listener:
    """One hook that is told: in order, one after the other, so that none holds up another."""

    def __init__(self, hook: Hook, failed: Callable[[Hook, str, str], None]) -> None:
        self._hook = hook
        self._report = failed
        self._waiting: deque[tuple[str, bytes, tuple[str, ...]]] = deque()
        self._task: asyncio.Task[None] | None = None
        self._failing = False
        self._full = False

    def put(self, server: str, message: bytes, *kind: str) -> None:
        # A hook that hangs must not fill the memory with what it is not told.
        if len(self._waiting) >= MOST_UNTOLD:
            if not self._full:
                self._full = True
                self._report(self._hook, server, "cannot keep up; not everything is told to it")
            return
        self._waiting.append((server, message, kind))
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._work())

    def working(self) -> Iterator[asyncio.Task[None]]:
        if self._task is not None and not self._task.done():
            yield self._task

    async def end(self) -> None:
        for task in self.working():
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            # One more, which was being told just now.
            left = len(self._waiting) + 1
            server = self._waiting[0][0] if self._waiting else ""
            self._report(self._hook, server, f"was not told of the last {left}: the run ended")

    async def _work(self) -> None:
        while self._waiting:
            server, message, kind = self._waiting.popleft()
            try:
                await run_hook(self._hook, message, *kind)
            except HookError as error:
                if not self._failing:  # once until it works again: a flood would say it for ever
                    self._failing = True
                    self._report(self._hook, server, str(error))
            else:
                self._failing = False
        # It has kept up again: what it loses later is told once more.
        self._full = False
