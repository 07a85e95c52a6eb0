"""The scenes of the pictures: each drives the real application on the bundled demo server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from textual.pilot import Pilot

from elicit_tui.elicitation.settings import (
    ConsoleSettings,
    GuardianSettings,
    ServerSettings,
    Settings,
)
from elicit_tui.runtime import open_runtime
from elicit_tui.tui.console.application import ConsoleApp
from elicit_tui.tui.console.screen import ConsoleScreen
from elicit_tui.tui.console.screens.records import StoppedScreen

SECONDS = 30.0
COUNTING_SECONDS = 60

Take = Callable[[], None]


class Stage:
    """A running console, driven by its keys."""

    def __init__(self, app: ConsoleApp, pilot: Pilot[int]) -> None:
        self.app = app
        self.pilot = pilot

    async def until(self, condition: Callable[[], Any]) -> None:
        """Let the console work until the condition holds."""

        async def wait() -> None:
            while not condition():
                await self.pilot.pause(0.02)

        await asyncio.wait_for(wait(), SECONDS)

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.pilot.pause()

    async def call(self, tool: str) -> None:
        """Find a tool by its name and call it."""
        await self.press("1", "slash", *tool, "enter", "enter")

    async def question(self) -> None:
        """Wait until a question is on the screen and listens."""

        def listens() -> bool:
            view = getattr(self.app.screen, "view", None)
            return view is not None and not view._debounce.deaf

        await self.until(listens)

    async def calm(self) -> None:
        """Wait until everything known is drawn."""
        state, screen = self.app.state, self.app.screen
        if isinstance(screen, ConsoleScreen):
            await self.until(lambda: screen._seen == state.version)
        await self.pilot.pause()
        await self.pilot.pause()


@asynccontextmanager
async def stage(
    size: tuple[int, int], theme: str = "dark", second: bool = False, ask_blocked: bool = False
) -> AsyncIterator[Stage]:
    """The console on the demo server; with `second` on another one too.

    `ask_blocked`: what the guardian would decline is shown, with what it found.
    """
    servers = {"demo": ServerSettings("demo", command="demo-server")}
    if second:
        servers["deploy"] = ServerSettings("deploy", command="deploy-mcp-server")
    settings = Settings(
        servers=servers,
        console=ConsoleSettings(theme=theme, notify="off"),
        guardian=GuardianSettings(on_block="ask" if ask_blocked else "decline"),
    )
    app = ConsoleApp(
        settings, partial(open_runtime, settings), config_path="~/.config/elicit-tui/config.toml"
    )
    async with app.run_test(size=size) as pilot:
        driven = Stage(app, pilot)
        records = app.state.servers.values()
        await driven.until(lambda: all(record.offers_read for record in records))
        await driven.calm()
        yield driven
        await app.leave()
        assert app._work is not None
        await asyncio.wait_for(asyncio.shield(app._work), SECONDS)


async def form_errors(take: Callable[[ConsoleApp], None]) -> None:
    """A form with an error at its field."""
    async with stage((96, 30)) as driven:
        await driven.call("book_table")
        await driven.press("ctrl+s")
        await driven.question()
        await driven.press(*"A", "tab", *"ada@", "tab", "ctrl+s")
        await driven.calm()
        take(driven.app)


async def form_ready(take: Callable[[ConsoleApp], None]) -> None:
    """A short form, filled in."""
    async with stage((96, 24)) as driven:
        await driven.call("plan_trip")
        await driven.question()
        await driven.until(lambda: len(driven.app.state.questions) == 2)
        await driven.press(*"Lisbon")
        await driven.calm()
        take(driven.app)


async def url_consent(take: Callable[[ConsoleApp], None]) -> None:
    """A page that a server wants opened."""
    async with stage((96, 30), ask_blocked=True) as driven:
        await driven.call("open_odd_page")
        await driven.question()
        await driven.calm()
        take(driven.app)


async def queue(take: Callable[[ConsoleApp], None]) -> None:
    """Questions that wait, of two servers."""
    async with stage((96, 26), second=True) as driven:
        await driven.call("plan_trip")
        await driven.question()
        await driven.until(lambda: len(driven.app.state.questions) == 2)
        await driven.press("ctrl+l")
        await driven.press("1", "down")
        await driven.calm()
        await driven.call("clear_cache")
        await driven.until(lambda: len(driven.app.state.questions) == 3)
        await driven.question()
        await driven.press("ctrl+l")
        await driven.until(lambda: isinstance(driven.app.screen, ConsoleScreen))
        await driven.press("2")
        await driven.calm()
        take(driven.app)


async def blocked(take: Callable[[ConsoleApp], None]) -> None:
    """What the guardian stopped, and why."""
    async with stage((96, 28)) as driven:
        await driven.call("verify_account")
        await driven.until(lambda: driven.app.state.stopped)
        await driven.until(lambda: not driven.app.state.calls.running)
        # The key leads to the question only once a notice says that it does.
        await driven.until(lambda: driven.app.state._shown_stopped[0])
        await driven.press("2")
        await driven.until(lambda: isinstance(driven.app.screen, StoppedScreen))
        await driven.calm()
        take(driven.app)


async def call(take: Callable[[ConsoleApp], None]) -> None:
    """The console during a call."""
    async with stage((96, 26)) as driven:
        app = driven.app
        await driven.call("count_slowly")
        await driven.press("ctrl+u", *"5", "tab", "ctrl+u", *str(COUNTING_SECONDS), "ctrl+s")
        await driven.until(lambda: app.state.calls.running)
        record = app.state.calls.running[0]
        await driven.until(lambda: record.logged >= 1)
        record.progress, record.total, record.progress_message = 3, 5, "counted to 3"
        app.state.changed()
        await driven.calm()
        take(app)
        await driven.press("x")
        await driven.until(lambda: not app.state.calls.running)


async def console(take: Callable[[ConsoleApp], None]) -> None:
    """A server and what it offers."""
    async with stage((96, 28)) as driven:
        await driven.press("enter", "down", "down", "down")
        await driven.calm()
        take(driven.app)


async def light(take: Callable[[ConsoleApp], None]) -> None:
    """The same in the light theme."""
    async with stage((96, 28), theme="light") as driven:
        await driven.press("enter", "down", "down", "down")
        await driven.calm()
        take(driven.app)


async def inline(take: Callable[[Any], None]) -> None:
    """A question under a shell prompt."""
    from elicit_tui.elicitation import (
        Call,
        Deadline,
        ElicitationRequest,
        Pending,
        Question,
        Queue,
        ServerIdentity,
    )
    from elicit_tui.form.schema_reading import read_form
    from elicit_tui.tui.inline_app import InlineApp
    from elicit_tui.tui.question import QuestionView
    from elicit_tui.tui.question.frame_heading import Surroundings

    schema = {
        "type": "object",
        "properties": {
            "environment": {
                "type": "string",
                "title": "Environment",
                "enum": ["staging", "canary", "production"],
            },
            "replicas": {
                "type": "integer",
                "title": "Replicas",
                "minimum": 1,
                "maximum": 10,
                "default": 3,
            },
            "downtime": {"type": "boolean", "title": "Accept downtime"},
        },
        "required": ["environment", "downtime"],
    }
    message = "Deploy branch 'fix/login': select the target environment."
    server = ServerIdentity("deploy", "stdio", "deploy-mcp-server", "Deploy Server", "1.4")
    params = {"message": message, "requestedSchema": schema}
    deploy = Call("tools/call", "deploy", {"branch": "fix/login"})
    request = ElicitationRequest(server, params, calls=(deploy,))
    question = Question(request, form=read_form(schema))
    queue = Queue()

    def view(pending: Pending, number: int, startled: bool) -> QuestionView:
        return QuestionView(pending.question, pending.deadline, Surroundings())

    queue.add(Pending(question, Deadline(300)))
    app = InlineApp(queue, view, theme="dark")
    async with app.run_test(size=(60, 18)) as pilot:
        for _ in range(6):
            await pilot.pause()
        await pilot.pause(0.5)
        take(app)


SCENES: dict[str, Callable[[Callable[[Any], None]], Awaitable[None]]] = {
    "form-errors": form_errors,
    "form-ready": form_ready,
    "url-consent": url_consent,
    "queue": queue,
    "blocked": blocked,
    "call": call,
    "console": console,
    "light": light,
    "inline": inline,
}
