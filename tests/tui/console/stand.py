"""The console on the real broker, policy, guardian and ledger, with a host that is scripted."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from elicit_tui.broker import Broker, BrokerOptions
from elicit_tui.elicitation import Call, ElicitationRequest, Outcome, Queue, ServerIdentity
from elicit_tui.elicitation.settings import ServerSettings, Settings
from elicit_tui.errors import Interrupted, ServerError, ToolRefused
from elicit_tui.host.events import CallSent, ServerStateChanged
from elicit_tui.host.gate import ToolGate
from elicit_tui.host.offers import CallResult, ResourceTemplate, Tool
from elicit_tui.host.open_calls import OpenCalls
from elicit_tui.ledger import Ledger
from elicit_tui.policy import Policy
from elicit_tui.runtime import Runtime
from elicit_tui.runtime.opening import LazyGuardian
from elicit_tui.tui.console.application import ConsoleApp
from elicit_tui.tui.console.screen import ConsoleScreen

CITY = {
    "type": "object",
    "properties": {"city": {"type": "string", "title": "City"}},
    "required": ["city"],
}

Work = Callable[["FakeConnection", Call], Awaitable[dict[str, Any]]]


@dataclass(eq=False)
class FakeConnection:
    """A ready connection whose calls run a scripted coroutine."""

    name: str
    host: FakeHost
    tool_list: tuple[Tool, ...] = ()
    work: Work | None = None
    sends: bool = True
    """Whether its calls go out at once; else they wait as those behind another one do."""
    process_id: int = 4711
    instructions: str | None = None
    calls: list[Call] = field(default_factory=list)
    running: dict[str, asyncio.Task[Any]] = field(default_factory=dict)
    open_calls: OpenCalls = field(default_factory=lambda: OpenCalls(lambda call_id: False))
    id: str = "connection"
    tells_of_changed_tools: bool = True

    def __post_init__(self) -> None:
        self.gate = ToolGate(self, self.host.broker)

    @property
    def identity(self) -> ServerIdentity:
        return ServerIdentity(self.name, "stdio", f"{self.name}-server")

    async def settled(self) -> None:
        return

    async def tools(self) -> tuple[Tool, ...]:
        return self.tool_list

    async def prompts(self) -> tuple[Any, ...]:
        if self.host.no_prompts is not None:
            raise self.host.no_prompts
        return ()

    async def resources(self) -> tuple[Any, ...]:
        return ()

    async def templates(self) -> tuple[ResourceTemplate, ...]:
        return self.host.templates

    @property
    def capabilities(self) -> Mapping[str, Any]:
        return {"completions": {}} if self.host.completions else {}

    async def complete(self, ref: Any, argument: Any, context: Any = None) -> dict[str, Any]:
        self.host.completed.append((ref, argument, context))
        known = self.host.completions.get(argument["name"], ())
        values = [value for value in known if value.startswith(argument["value"])]
        return {"completion": {"values": values}}

    async def watch_lists(self) -> None:
        self.host.watched.append(self.name)
        if self.host.no_prompts is not None:
            raise self.host.no_prompts

    async def call(self, call: Call) -> CallResult:
        listed = {tool.name: tool.raw for tool in self.tool_list}
        if call.method == "tools/call":
            outcome = await self.host.broker.approve(
                self.identity, call, listed.get(call.name), f"pid {self.process_id}"
            )
            if outcome is not None and outcome.action != "accept":
                raise ToolRefused(call.name, outcome)
        self.calls.append(call)
        task = self.running[call.id] = asyncio.ensure_future(self._in_turn(call))
        try:
            return CallResult(await task)
        except asyncio.CancelledError:
            raise Interrupted("The call was cancelled.") from None

    async def _in_turn(self, call: Call) -> dict[str, Any]:
        """It goes out once it has its turn, as with a real connection."""
        async with self.open_calls.turn(call):
            if self.sends:
                self.host.tell(CallSent(self.name, call.id))
            if self.work is None:
                return {"content": [{"type": "text", "text": "done"}]}
            return await self.work(self, call)

    async def cancel(self, call_id: str) -> None:
        self.running[call_id].cancel()


@dataclass(eq=False)
class FakeHost:
    """Connects at once, or fails with the sentence given for a server."""

    broker: Broker
    tools: Mapping[str, Sequence[Tool]] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)
    work: Work | None = None
    listeners: list[Any] = field(default_factory=list)
    launched: list[str] = field(default_factory=list)
    no_prompts: Exception | None = None
    """What asking any server for its prompts, or to watch its lists, ends with."""
    watched: list[str] = field(default_factory=list)
    templates: tuple[ResourceTemplate, ...] = ()
    completions: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """What it completes: for each argument its values."""
    completed: list[tuple[Any, Any, Any]] = field(default_factory=list)
    connections: dict[str, FakeConnection] = field(default_factory=dict)

    def subscribe(self, listener: Any) -> None:
        self.listeners.append(listener)

    def tell(self, event: Any) -> None:
        for listener in self.listeners:
            listener(event)

    async def connect(self, name: str) -> FakeConnection:
        self.tell(ServerStateChanged(name, "starting"))
        if name in self.failures:
            self.tell(ServerStateChanged(name, "failed", self.failures[name]))
            raise ServerError(self.failures[name])
        connection = FakeConnection(name, self, tuple(self.tools.get(name, ())), self.work)
        self.connections[name] = connection
        self.tell(ServerStateChanged(name, "ready"))
        return connection

    async def disconnect(self, name: str) -> None:
        self.broker.server_gone(name, f"The connection to {name} was closed.")
        self.tell(ServerStateChanged(name, "closed"))


@dataclass(eq=False)
class Stand:
    """A running console and what is behind it."""

    app: ConsoleApp
    pilot: Pilot[int]
    outcomes: list[tuple[str, Outcome]] = field(default_factory=list)
    asked: list[asyncio.Task[Any]] = field(default_factory=list)

    @property
    def runtime(self) -> Runtime:
        assert self.app.runtime is not None
        return self.app.runtime

    @property
    def host(self) -> FakeHost:
        host: Any = self.runtime.host
        assert isinstance(host, FakeHost)
        return host

    def ask(
        self,
        server: str = "alpha",
        message: str = "Where to?",
        schema: Mapping[str, Any] = CITY,
        **more: Any,
    ) -> ElicitationRequest:
        """Let a server ask; its outcome is added to `outcomes` once there is one."""
        return self.asks_with(server, {"message": message, "requestedSchema": schema}, **more)

    def ask_page(self, server: str = "alpha", **more: Any) -> ElicitationRequest:
        """Let a server ask to open a page whose end the answer waits for."""
        params = {
            "mode": "url",
            "message": "Sign in.",
            "url": "https://example.com/sign-in",
            "elicitationId": "page",
        }
        return self.asks_with(server, params, **{"era": "modern", **more})

    def asks_with(self, server: str, params: dict[str, Any], **more: Any) -> ElicitationRequest:
        identity = ServerIdentity(server, "stdio", f"{server}-server", calls_itself="Some server")
        request = ElicitationRequest(identity, params, **more)
        self.asked.append(asyncio.create_task(self._resolve(request)))
        return request

    async def _resolve(self, request: ElicitationRequest) -> None:
        outcome = await self.runtime.broker.resolve(request)
        self.outcomes.append((request.id, outcome))

    def outcome(self, request: ElicitationRequest) -> Outcome | None:
        return next((outcome for key, outcome in self.outcomes if key == request.id), None)

    async def until(self, condition: Callable[[], Any], seconds: float = 30) -> None:
        """Let the console work until the condition holds; fails after so many seconds.

        A screen that has just been pushed shows nothing yet: it is waited for as well.
        """

        def holds() -> bool:
            return bool(condition()) and (not self.app.is_running or self.shows_something())

        async def wait() -> None:
            while not holds():
                # A pause visits every widget: one for all that came meanwhile is enough.
                while not condition():  # noqa: ASYNC110
                    await asyncio.sleep(0.01)
                await self.pilot.pause(0.01)

        try:
            await asyncio.wait_for(wait(), seconds)
        except asyncio.TimeoutError:
            raise AssertionError(f"it did not come; on the screen:\n{self.text()}") from None

    async def lists_what_waits(self) -> None:
        """Wait until the list of questions is drawn and takes keys, as a person would see it."""
        await self.until(
            lambda: "Waiting for you" in self.text() and not self.app.typed_ahead.waits
        )

    async def shown(self, request: ElicitationRequest) -> None:
        """Wait until this question is on the screen, painted, and no longer deaf."""

        def listens() -> bool:
            waiting = self.app.state.questions.open
            view = getattr(self.app.screen, "view", None)
            return (
                waiting is not None
                and waiting.question.id == request.id
                and view is not None
                and not view._debounce.deaf
            )

        await self.until(listens)

    async def settled(self) -> None:
        """Wait until every server is ready or failed."""
        servers = self.app.state.servers.values()
        await self.until(
            lambda: (
                self.app.runtime is not None
                and all(
                    record.offers_read or record.state not in ("waiting", "starting", "ready")
                    for record in servers
                )
            )
        )

        screen = self.app.screen
        assert isinstance(screen, ConsoleScreen)
        await self.until(lambda: screen._seen == self.app.state.version)
        await self.pilot.pause()

    async def press(self, *keys: str) -> None:
        await self.app._press_keys(keys)
        await self.pilot.pause()

    def notices(self) -> str:
        """What the console has told in passing."""
        return "\n".join(f"{told.title} {told.message}" for told in self.app._notifications)

    def shows_something(self) -> bool:
        """Whether any widget of the screen has drawn a sign."""
        drawn = self.app.screen._compositor._get_renders()
        return any(strip.text.strip() for *_, strips in drawn for strip in strips)

    def text(self) -> str:
        """What the screen shows, line by line."""
        strips = self.app.screen._compositor.render_strips(self.app.screen.size)
        return "\n".join(strip.text.rstrip() for strip in strips)


async def _ended(app: ConsoleApp) -> None:
    while app.is_running:  # noqa: ASYNC110
        await asyncio.sleep(0.005)


@asynccontextmanager
async def console(
    path: Path,
    *,
    servers: Sequence[str] = ("alpha", "beta"),
    tools: Mapping[str, Sequence[Tool]] | None = None,
    failures: dict[str, str] | None = None,
    work: Work | None = None,
    no_prompts: Exception | None = None,
    templates: tuple[ResourceTemplate, ...] = (),
    completions: Mapping[str, Sequence[str]] | None = None,
    size: tuple[int, int] = (100, 30),
    server_settings: Mapping[str, ServerSettings] | None = None,
    inbox: bool = False,
    notifications: bool = False,
    **settings: Any,
) -> AsyncIterator[Stand]:
    """Run the console; on the way out it leaves as a person would, without asking.

    `notifications`: what is told in passing is drawn too.
    """
    configured = server_settings or {
        name: ServerSettings(name, command=f"{name}-server") for name in servers
    }
    owner = Settings(servers=configured, **settings)

    @asynccontextmanager
    async def factory(*, responder: Any, launch: Sequence[str]) -> AsyncIterator[Runtime]:
        policy = Policy(owner)
        guardian = LazyGuardian(owner.guardian)
        ledger = Ledger.open(path / "ledger.sqlite3")
        queue = Queue()
        broker = Broker(policy, guardian, ledger, responder(queue), BrokerOptions(queue=queue))
        host: Any = FakeHost(
            broker, tools or {}, failures or {}, work, launched=list(launch), no_prompts=no_prompts
        )
        host.templates, host.completions = templates, completions or {}
        try:
            yield Runtime(owner, policy, guardian, ledger, broker, host)
        finally:
            await broker.close()
            ledger.close()

    app = ConsoleApp(
        owner, factory, config_path="/home/you/.config/elicit-tui/config.toml", inbox=inbox
    )
    async with app.run_test(size=size, notifications=notifications) as pilot:
        stand = Stand(app, pilot)
        await stand.settled()
        await pilot.pause()
        yield stand
        await app.leave()
        if app._work is not None:
            await asyncio.wait_for(asyncio.shield(app._work), 30)
        # Lists are not taken away under what still reads: as in a terminal, that is ended first.
        await asyncio.wait_for(_ended(app), 30)
        if stand.asked:
            await asyncio.wait(stand.asked, timeout=5)
