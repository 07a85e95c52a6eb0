"""A small application that asks one question, and the words to drive it with."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pyte
from textual.pilot import Pilot

from elicit_tui.elicitation import (
    Call,
    Deadline,
    Draft,
    ElicitationRequest,
    Finding,
    Outcome,
    Question,
    Review,
    ServerIdentity,
    Severity,
)
from elicit_tui.form.schema_reading import read_form
from elicit_tui.responders.browser import open_in_browser
from elicit_tui.tui.ordered_app import OrderedApp
from elicit_tui.tui.question import QuestionScreen, QuestionView
from elicit_tui.tui.question.actions import Answered, Later
from elicit_tui.tui.question.frame_heading import Surroundings
from elicit_tui.tui.theme import use_theme

URL = "https://login.accounts.example.co.uk/authorize?state=abc"
LOOKALIKE = Finding("url.punycode", Severity.WARN, "url", "xn--…", "Check the letters.")
SERVER = ServerIdentity("deploy", "stdio", "deploy-mcp-server", "Deploy Server", "1.4")
WARNING = Finding(
    "destructive.production",
    Severity.WARN,
    "message",
    "production",
    "This acts on production. Make sure that this is what you want.",
)


def schema(required: tuple[str, ...] = (), **properties: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required)}


def form_question(
    requested: Mapping[str, Any],
    *findings: Finding,
    message: str = "Where to?",
    server: ServerIdentity = SERVER,
    **more: Any,
) -> Question:
    params = {"message": message, "requestedSchema": requested}
    call = Call("tools/call", "deploy", {"branch": "fix/login"})
    request = ElicitationRequest(server, params, **{"calls": (call,), "wire_id": 7, **more})
    return Question(request, Review(findings), form=read_form(requested))


def url_question(url: str, *findings: Finding, **more: Any) -> Question:
    params = {"mode": "url", "message": "Sign in.", "url": url, "elicitationId": "e1"}
    request = ElicitationRequest(SERVER, params, **{"wire_id": 7, **more})
    return Question(request, Review(findings))


class Asking(OrderedApp[None]):
    """Shows one question and keeps what came of it."""

    def __init__(
        self,
        question: Question,
        *,
        review: Any = "risky",
        examine: Callable[[Mapping[str, Any]], tuple[Finding, ...]] = lambda content: (),
        draft: Draft | None = None,
        startled: bool = False,
        follows: str | None = None,
        opener: Callable[[str], bool] | None = None,
        theme: str = "dark",
        deadline: Deadline | None = None,
        queue_position: tuple[int, int] = (1, 1),
        origin: str = "",
    ) -> None:
        super().__init__()
        use_theme(self, theme)
        if question.request.mode == "form":
            question = replace(question, form=read_form(question.request.requested_schema))
        question = replace(question, examine=examine, draft=draft or Draft())
        self.deadline = deadline or Deadline(300)
        self.view = QuestionView(
            question,
            self.deadline,
            Surroundings(review, queue_position, opener or open_in_browser, origin=origin),
            startled=startled,
            follows=follows,
        )
        self.outcomes: list[Outcome] = []
        self.later: list[Draft] = []

    def on_mount(self) -> None:
        self.push_screen(QuestionScreen(self.view))

    def on_question_view_answered(self, event: Answered) -> None:
        self.outcomes.append(event.outcome)

    def on_question_view_later(self, event: Later) -> None:
        self.later.append(event.question.draft)

    @property
    def outcome(self) -> Outcome | None:
        return self.outcomes[-1] if self.outcomes else None

    @property
    def words(self) -> str:
        return screen_text(self)


def screen_text(app: OrderedApp[Any]) -> str:
    """What a person can read on the screen, line by line."""
    width, height = app.size
    strips = app.screen._compositor.render_strips()
    return "\n".join(strip.text for strip in strips)[: (width + 1) * height * 4]


def colour_of(app: OrderedApp[Any], word: str) -> Any:
    """In which colour a word was drawn last on the screen."""
    strips = app.screen._compositor.render_strips()
    found = [each for strip in strips for each in strip if word in each.text]
    return found[-1].style.color if found and found[-1].style else None


def rows(written: list[str], size: tuple[int, int]) -> list[str]:
    """What a terminal that joins no signs shows of all that was written."""
    screen = pyte.Screen(*size)
    stream = pyte.Stream(screen)
    for data in written:
        stream.feed(data)
    return screen.display


async def until(pilot: Pilot[Any], condition: Callable[[], bool], what: str) -> None:
    """Let the application work until the condition holds; fails after half a minute."""
    end = asyncio.get_running_loop().time() + 30
    while not condition():
        while not condition():
            assert asyncio.get_running_loop().time() < end, f"never came: {what}"
            await asyncio.sleep(0.01)
        # A pause visits every widget: one for all that came meanwhile is enough.
        await pilot.pause()


@asynccontextmanager
async def asked(app: Asking, size: tuple[int, int] = (80, 24)) -> AsyncIterator[Pilot[None]]:
    """The question on the screen, ready to be decided."""
    async with app.run_test(size=size) as pilot:
        await until(pilot, lambda: not app.view.deaf, "the question is ready")
        yield pilot


async def answer(app: Asking, *keys: str, size: tuple[int, int] = (80, 24)) -> Outcome | None:
    """Press these keys, one page after the other, and give what came of it."""
    async with asked(app, size) as pilot:
        for key in keys:
            await pilot.press(key)
            await until(pilot, lambda: bool(app.outcomes) or not app.view.deaf, "the page is ready")
        await pilot.pause()
    return app.outcome


def typing(text: str) -> list[str]:
    """The keys for a text."""
    return ["space" if character == " " else character for character in text]


class Browser:
    def __init__(self, starts: bool = True) -> None:
        self.starts = starts
        self.opened: list[str] = []

    def __call__(self, url: str) -> bool:
        self.opened.append(url)
        return self.starts
