"""A pretend person: lines typed one at a time, each after the prompt that asks for it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from elicit_tui.elicitation import (
    Call,
    Deadline,
    ElicitationRequest,
    Outcome,
    Question,
    Review,
    ServerIdentity,
)
from elicit_tui.form.schema_reading import read_form
from elicit_tui.responders.plain import PlainResponder
from elicit_tui.responders.typed_lines import Lines

SERVER = ServerIdentity("deploy", "stdio", "deploy-mcp-server", "Deploy \x1b[31mServer", "1.4")
PROMPTS = ("> ", ": ")


def form_question(
    properties: Mapping[str, Any],
    required: tuple[str, ...] = (),
    *,
    message: str = "Please.",
    review: Review | None = None,
    **schema: Any,
) -> Question:
    """A question with a form."""
    requested = {"type": "object", "properties": dict(properties), "required": list(required)}
    params = {"message": message, "requestedSchema": {**requested, **schema}}
    call = Call("tools/call", "deploy", {"branch": "fix\x1b[2J"})
    request = ElicitationRequest(SERVER, params, calls=(call,))
    return Question(request, review or Review(), form=read_form(request.requested_schema))


def page_question(url: Any, review: Review | None = None, **more: Any) -> Question:
    """A question about a page; one that was pushed, unless told otherwise."""
    params = {"mode": "url", "message": "Sign in.", "url": url, "elicitationId": "e"}
    request = ElicitationRequest(SERVER, params, **{"wire_id": 7, **more})
    return Question(request, review or Review())


class Person:
    """Types the next line whenever a prompt appears; stays silent after the last."""

    def __init__(self, *lines: str) -> None:
        self._read, self.typed_into = os.pipe()
        self.stream = os.fdopen(self._read, encoding="utf-8")
        self.lines = list(lines)
        self.shown = ""
        self.asked = 0
        self.silent = asyncio.Event()

    def hear(self, text: str) -> None:
        """What is written to the terminal."""
        self.shown += text
        if text.endswith(PROMPTS):
            self.asked += 1
            if self.lines:
                os.write(self.typed_into, (self.lines.pop(0) + "\n").encode())
            else:
                self.silent.set()

    def hang_up(self) -> None:
        """End the input."""
        if self.typed_into >= 0:
            os.close(self.typed_into)
        self.typed_into = -1

    def close(self) -> None:
        """Let go of everything."""
        self.hang_up()
        self.stream.close()


@contextmanager
def person(*lines: str) -> Iterator[Person]:
    """A person who types these lines."""
    typist = Person(*lines)
    try:
        yield typist
    finally:
        typist.close()


async def answered(
    typist: Person, question: Question, seconds: float = 20, **options: Any
) -> Outcome:
    """The outcome of one question, within a bound."""
    if question.form is None and question.request.mode == "form":
        question = replace(question, form=read_form(question.request.requested_schema))
    responder = PlainResponder(Lines(typist.stream), typist.hear, **options)
    return await asyncio.wait_for(responder.respond(question, Deadline(300)), seconds)


def ask(*lines: str, question: Question, **options: Any) -> tuple[Outcome, str]:
    """Ask one question of a person who types these lines; the outcome, and all that was shown."""

    async def run() -> tuple[Outcome, str]:
        with person(*lines) as typist:
            outcome = await answered(typist, question, **options)
            return outcome, typist.shown

    return asyncio.run(run())
