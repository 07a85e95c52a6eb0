"""A tool of the demo server: what it replies, and how it talks to the person while it runs.

A tool is written once. On handshake revisions (up to 2025-11-25) a question is pushed as
`elicitation/create`; on 2026-07-28 it waits to be handed over in an `InputRequiredResult`, and the
tool goes on when the client comes back with the answer.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import field, replace
from typing import Any

from elicit_tui.dataclass import dataclass
from elicit_tui.demo.json_rpc import JsonRpcStdio

FORM_REVISION = "2025-06-18"
"""The first revision in which a server may ask."""
NOT_AS_ASKED = "not as asked"


@dataclass(frozen=True)
class ElicitResult:
    """What came back for one question (spec: client/elicitation, "Response Actions")."""

    action: str
    """accept, decline or cancel; `NOT_AS_ASKED` for an accept that its form does not allow."""
    content: Mapping[str, Any] = field(default_factory=dict)

    @property
    def accepted(self) -> bool:
        """Whether the person said yes."""
        return self.action == "accept"

    def refusal(self, what: str) -> str:
        """One sentence about a refusal, for a tool's result."""
        if self.action == "decline":
            return f"You declined, so {what}."
        if self.action == NOT_AS_ASKED:
            return f"The answer was not what was asked for, so {what}."
        return f"It was cancelled, so {what}."


def read_answer(result: Any) -> ElicitResult:
    """An elicitation result as it came; anything odd counts as a cancel."""
    if not isinstance(result, Mapping) or result.get("action") not in ("accept", "decline"):
        return ElicitResult("cancel")
    content = result.get("content")
    return ElicitResult(str(result["action"]), content if isinstance(content, Mapping) else {})


def as_asked(answer: ElicitResult | None, schema: Mapping[str, Any]) -> ElicitResult | None:
    """The answer with nothing in it but what was asked for (spec: "Security Considerations")."""
    if answer is None or not answer.accepted:
        return answer
    # Loaded with the first answer: who only lists tools does not wait for it.
    from elicit_tui.demo.validity import is_valid

    content = {
        name: answer.content[name] for name in schema["properties"] if name in answer.content
    }
    return (
        replace(answer, content=content)
        if is_valid(content, schema)
        else ElicitResult(NOT_AS_ASKED)
    )


class Conversation:
    """One tool call's line to the person."""

    def __init__(
        self,
        wire: JsonRpcStdio,
        *,
        modern: bool,
        modes: tuple[str, ...],
        progress_token: Any,
        logs: bool,
    ) -> None:
        self._wire = wire
        self._modern = modern
        self.modes = modes
        """The elicitation modes that the client advertised."""
        self._progress_token = progress_token
        self._logs = logs
        self.unasked: dict[str, dict[str, Any]] = {}
        """Modern era: questions that no round has carried yet, by key."""
        self._awaited: dict[str, asyncio.Future[ElicitResult]] = {}
        self.asked = asyncio.Event()
        self.state = secrets.token_urlsafe(12)

    @property
    def can_withdraw(self) -> bool:
        """Whether this revision lets a server take a question back."""
        return not self._modern

    async def ask_form(
        self, message: str, schema: Mapping[str, Any], *, seconds: float | None = None
    ) -> ElicitResult | None:
        """Ask with a form; None when `seconds` passed and the question was withdrawn.

        Only content that the form allows comes back as accepted.
        """
        params = {"mode": "form", "message": message, "requestedSchema": schema}
        return as_asked(await self.ask(params, seconds), schema)

    async def ask_url(self, message: str, url: str, elicitation_id: str) -> ElicitResult:
        """Ask the person to open a page."""
        params = {"mode": "url", "message": message, "url": url, "elicitationId": elicitation_id}
        answer = await self.ask(params)
        return answer or ElicitResult("cancel")

    async def ask(
        self, params: dict[str, Any], seconds: float | None = None
    ) -> ElicitResult | None:
        """Ask, and give the answer as it came; None when `seconds` passed."""
        if params["mode"] not in self.modes:
            return ElicitResult("cancel")
        if self._modern:
            return await self._ask_in_round(params)
        request_id, future = self._wire.start_request("elicitation/create", params)
        try:
            return read_answer(await asyncio.wait_for(future, seconds))
        except asyncio.TimeoutError:
            reason = "The answer is not needed any more."
            gone = {"requestId": request_id, "reason": reason}
            self._wire.notify("notifications/cancelled", gone)
            return None
        finally:
            self._wire.forget(request_id)

    async def _ask_in_round(self, params: dict[str, Any]) -> ElicitResult:
        key = f"question-{secrets.token_hex(3)}"
        if params["mode"] == "url":
            params = {name: value for name, value in params.items() if name != "elicitationId"}
        self.unasked[key] = {"method": "elicitation/create", "params": params}
        self._awaited[key] = asyncio.get_running_loop().create_future()
        self.asked.set()
        return await self._awaited[key]

    def next_round(self) -> dict[str, Any]:
        """Modern era: the questions that the tool waits for, taken for one round."""
        questions, self.unasked = self.unasked, {}
        self.asked.clear()
        return questions

    def hear(self, responses: Any) -> None:
        """Modern era: the answers that came with the next request."""
        for key, result in responses.items() if isinstance(responses, Mapping) else ():
            future = self._awaited.pop(key, None)
            if future is not None and not future.done():
                future.set_result(read_answer(result))

    def completed(self, elicitation_id: str) -> None:
        """Tell the client that what happened on the page is over (spec: url mode, completion)."""
        if not self._modern:
            done = {"elicitationId": elicitation_id}
            self._wire.notify("notifications/elicitation/complete", done)

    def progress(self, done: float, total: float, message: str) -> None:
        """Report progress, if the client asked for it."""
        if self._progress_token is not None:
            step = {"progress": done, "total": total, "message": message}
            step["progressToken"] = self._progress_token
            self._wire.notify("notifications/progress", step)

    def log(self, level: str, text: str) -> None:
        """Send a log line, where the revision lets a server do that unasked."""
        if self._logs:
            line = {"level": level, "logger": "demo", "data": text}
            self._wire.notify("notifications/message", line)


@dataclass(frozen=True)
class ToolResult:
    """A tool's result: text for the person, data for a program."""

    text: str
    data: Mapping[str, Any] | None = None
    is_error: bool = False

    def as_json(self) -> dict[str, Any]:
        """The result as the wire spells it (spec: server/tools, "Tool Result")."""
        result: dict[str, Any] = {
            "content": [{"type": "text", "text": self.text}],
            "isError": self.is_error,
        }
        if self.data is not None:
            result["structuredContent"] = dict(self.data)
        return result


Run = Callable[[Conversation, Mapping[str, Any]], Awaitable[ToolResult]]
"""What a tool does with its arguments, and the line to the person."""


@dataclass(frozen=True)
class DemoTool:
    """One tool of the demo server."""

    name: str
    title: str
    description: str
    run: Run
    arguments: Mapping[str, Any] = field(default_factory=dict)
    """The properties of its inputSchema."""
    required: tuple[str, ...] = ()
    read_only: bool = False
    destructive: bool = False

    def as_json(self) -> dict[str, Any]:
        """The definition as `tools/list` gives it."""
        return {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": {
                "type": "object",
                "properties": dict(self.arguments),
                "required": list(self.required),
            },
            "annotations": {
                "title": self.title,
                "readOnlyHint": self.read_only,
                "destructiveHint": self.destructive,
                "openWorldHint": False,
            },
        }
