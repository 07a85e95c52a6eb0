"""Hooks that say what a test prepared, and a person whose answers are prepared too."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from elicit_tui.elicitation import (
    Deadline,
    ElicitationRequest,
    Outcome,
    Question,
    Review,
    accept,
    decline,
)
from elicit_tui.elicitation.settings import Hook, HookEvent
from elicit_tui.errors import HookError
from elicit_tui.hooks import Hooks, Reply

RED, BLUE = {"colour": "red"}, {"colour": "blue"}
PASS = Reply()


def hook(event: HookEvent = "Elicitation", position: int = 1, **more: Any) -> Hook:
    return Hook(event, command=("nothing",), position=position, **more)


def said(action: str, content: Mapping[str, Any] | None = None, reason: str | None = None) -> Reply:
    return Reply(action, content, reason)


class Prepared(Hooks):
    """Real hooks of which no program runs: each says in turn what is prepared under its key."""

    def __init__(self, hooks: tuple[Hook, ...], **replies: Reply | HookError | None) -> None:
        super().__init__(hooks, "redacted")
        self._replies = dict(replies)
        self.heard: list[tuple[str, Outcome | None]] = []
        """Which hook was asked, and which answer it was shown."""
        self.notes: list[tuple[str, ElicitationRequest, Outcome | None]] = []
        """What those that are only told were told."""
        self.reached = asyncio.Event()
        self.left = asyncio.Event()
        """Set when one was asked, and when one that never answers was cancelled."""

    async def ask(self, hook: Hook, request: ElicitationRequest, review: Review) -> Reply:
        return await self._says(hook, None)

    async def show(self, hook: Hook, request: ElicitationRequest, outcome: Outcome) -> Reply:
        return await self._says(hook, outcome)

    async def _says(self, hook: Hook, outcome: Outcome | None) -> Reply:
        self.heard.append((hook.key, outcome))
        self.reached.set()
        reply = self._replies.get(f"{hook.layer}_{hook.position}", PASS)
        if reply is None:
            try:
                await asyncio.Event().wait()
            finally:
                self.left.set()
        if isinstance(reply, HookError):
            raise reply
        assert reply is not None
        return reply

    def asked(self, request: ElicitationRequest, review: Review) -> None:
        self.notes.append(("Asked", request, None))

    def resolved(self, request: ElicitationRequest, review: Review, outcome: Outcome) -> None:
        self.notes.append(("Resolved", request, outcome))


class Sends:
    """Sends these contents one after the other, at last the last again; None declines."""

    def __init__(self, *contents: Mapping[str, Any] | None) -> None:
        self._contents = list(contents)
        self.shown: list[Question] = []

    async def respond(self, question: Question, deadline: Deadline) -> Outcome:
        deadline.start()
        self.shown.append(question)
        content = self._contents.pop(0) if len(self._contents) > 1 else self._contents[0]
        if content is None:
            return decline("user", "You pressed Decline.")
        found = frozenset(finding.id for finding in question.examine(content))
        return accept("user", "You sent it.", content, acknowledged=found, scope="once")
