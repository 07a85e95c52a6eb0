"""An agent's hook as a process of its own, and a person in the inbox of the test."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final

from elicit_tui.broker.answerer import this_process
from elicit_tui.broker.inbox import Inbox, InboxRules
from elicit_tui.broker.inbox_events import Delivery, InboxEvent, QuestionLeft
from elicit_tui.elicitation import Outcome, now
from elicit_tui.elicitation.settings import Settings
from elicit_tui.errors import StoreError
from elicit_tui.ledger import Ledger
from elicit_tui.ledger.rows import Row
from elicit_tui.paths import ledger_file
from elicit_tui.runtime import open_store
from elicit_tui.store.store import Store, Waiting
from tests.forks import COMMAND as COMMAND_LINE

HOOKS: Final = int(os.environ.get("HOOKS", "7"))
"""How many are started at once where many are."""
PATIENCE: Final = 60.0 + HOOKS

COMMAND: Final[Mapping[str, Any]] = {
    "hook_event_name": "PermissionRequest",
    "session_id": "of-the-agent",
    "cwd": "/home/ada/project",
    "permission_mode": "default",
    "tool_name": "Bash",
    "tool_input": {"command": "make release", "description": "Build it"},
}
QUESTION: Final[Mapping[str, Any]] = {
    "hook_event_name": "Elicitation",
    "session_id": "of-the-agent",
    "cwd": "/home/ada/project",
    "mcp_server_name": "deploy",
    "mode": "form",
    "message": "Which environment?",
    "requested_schema": {
        "type": "object",
        "properties": {"environment": {"type": "string", "enum": ["staging", "production"]}},
        "required": ["environment"],
    },
}


@dataclass
class Ended:
    """What the agent got of its hook."""

    code: int
    stdout: bytes
    stderr: str

    @property
    def reply(self) -> Any:
        """What the hook says; None: nothing."""
        return json.loads(self.stdout)["hookSpecificOutput"] if self.stdout else None


@asynccontextmanager
async def hook(
    *words: str,
    agent: str = "claude-code",
    command: Sequence[str] = COMMAND_LINE,
    stdin: int | IO[bytes] = asyncio.subprocess.PIPE,
) -> AsyncIterator[Hook]:
    """The hook, started as an agent starts it; killed if it is still there."""
    process = await asyncio.create_subprocess_exec(
        *(*command, "bridge", agent, *words),
        stdin=stdin,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=dict(os.environ),
    )
    try:
        yield Hook(process)
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


class Hook:
    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    async def asks(self, prompt: Mapping[str, Any] | bytes) -> None:
        """Write the prompt, and end."""
        assert self.process.stdin is not None
        raw = prompt if isinstance(prompt, bytes) else json.dumps(prompt).encode()
        self.process.stdin.write(raw)
        self.process.stdin.write_eof()

    async def ended(self) -> Ended:
        async def read() -> Ended:
            assert self.process.stdout is not None
            assert self.process.stderr is not None
            out, err = await asyncio.gather(self.process.stdout.read(), self.process.stderr.read())
            return Ended(await self.process.wait(), out, err.decode())

        return await asyncio.wait_for(read(), PATIENCE)

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)


async def asked(prompt: Mapping[str, Any] | bytes, *words: str, **more: Any) -> Ended:
    """One prompt from its beginning to its end; `more` as `hook` takes it."""
    async with hook(*words, **more) as started:
        await started.asks(prompt)
        return await started.ended()


class Person:
    """Somebody who sits at the inbox of this process."""

    def __init__(self, inbox: Inbox, store: Store) -> None:
        self.inbox = inbox
        self.store = store
        self.left: list[str] = []
        """How questions left, in the words of the inbox."""
        self._changed = asyncio.Event()
        inbox.subscribe(self._hear)

    def _hear(self, event: InboxEvent) -> None:
        if isinstance(event, QuestionLeft):
            self.left.append(event.sentence)
        self._changed.set()

    async def until(self, true: Callable[[], object]) -> None:
        """Return once it is so; looked at whenever something changes."""

        async def look() -> None:
            while not true():
                self._changed.clear()
                await self._changed.wait()

        await asyncio.wait_for(look(), PATIENCE)

    async def sees(self, number: int = 1) -> Waiting:
        """The oldest question that waits, once so many do."""
        await self.until(lambda: len(self.inbox.waiting) >= number)
        return self.inbox.waiting[0]

    async def stops(self, started: Hook) -> None:
        """Let a hook stand still where it holds nobody up, until it goes on or is killed."""
        while True:
            started.signal(signal.SIGSTOP)
            try:
                await self.store.heartbeat()
                return
            except StoreError:  # It was stopped while it wrote.
                started.signal(signal.SIGCONT)

    async def answers(self, outcome: Outcome) -> Delivery:
        """Answer it."""
        waiting = await self.sees()
        return await asyncio.wait_for(self.inbox.answer(waiting.id, outcome), PATIENCE)


@asynccontextmanager
async def person(*, there: bool = True, settings: Settings | None = None) -> AsyncIterator[Person]:
    """An inbox that is open, in which a key was pressed just now; `settings`: where its store is.

    That the hook is a child of this process does not count: its agent is somebody else.
    """
    async with open_store(settings or Settings(), "answerer") as store:
        inbox = Inbox(
            store,
            "inbox",
            me=this_process(),
            rules=InboxRules(
                refusal=lambda asking: None,
                examine=lambda *_: (),
                abandoned=lambda question_id: None,
            ),
        )
        async with inbox.watched():
            if there:
                inbox.key_pressed()
                await store.heartbeat(now())
            yield Person(inbox, store)


def configure(text: str) -> Path:
    """Our own configuration in this home."""
    file = Path.home() / ".config" / "elicit-tui" / "config.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    file.chmod(0o600)
    return file


def rows() -> list[Row]:
    """What stands in the record, oldest first."""
    with closing(Ledger.open(ledger_file(), create=False)) as ledger:
        return list(ledger.rows())
