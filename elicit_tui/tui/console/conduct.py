"""Conducts a run behind the screen: connects, reads what servers offer, makes the calls."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any, Final

from elicit_tui.elicitation import Call
from elicit_tui.errors import ElicitTuiError, Interrupted, ProtocolCallError
from elicit_tui.text import neutral, neutral_line
from elicit_tui.tui.breakage import what_broke
from elicit_tui.tui.console.offers import Offer, read_offers
from elicit_tui.tui.console.servers import ServerRecord

if TYPE_CHECKING:
    from elicit_tui.policy import ToolGate
    from elicit_tui.tui import RuntimeFactory
    from elicit_tui.tui.console.application import ConsoleApp
    from elicit_tui.tui.console.calls import CallRecord

BROKE_OFF: Final = "It broke off, by a fault of elicit-tui."


class Conduct:
    """Everything of a run that awaits; it tells the session, and the screen draws that."""

    def __init__(self, app: ConsoleApp) -> None:
        self._app = app
        self._session = app.session
        self._tasks: set[asyncio.Task[None]] = set()

    async def run(self, factory: RuntimeFactory, leaving: asyncio.Event) -> None:
        """Open the run, connect to every server, and take it all down once told to leave."""
        names = [
            record.name for record in self._session.servers.values() if record.state == "waiting"
        ]
        try:
            async with factory(responder=self._app.responder, launch=names) as runtime:
                self._app.runtime = runtime
                runtime.broker.subscribe(self._session.broker_event)
                runtime.host.subscribe(self._session.host_event)
                for name in names:
                    self._spawn(self._connect(self._session.servers[name]))
                await leaving.wait()
                # Calls first: each of their questions then ends by `shutdown`, and is answered.
                await runtime.broker.close()
                await self._end_tasks()
        except ElicitTuiError as error:
            self._session.say("", neutral_line(str(error), 400), "bad")
            self._app.notify(neutral(str(error), 800), severity="error", markup=False, timeout=30)
            await leaving.wait()

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return task

    def _done(self, task: asyncio.Task[None]) -> None:
        """Nobody awaits these: what nobody foresaw is told, and costs nothing else."""
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if isinstance(error, Exception):
            self._session.say("", what_broke(error), "bad")
            self._app.notify(what_broke(error), severity="error", markup=False, timeout=30)

    async def _end_tasks(self) -> None:
        tasks = tuple(self._tasks)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=5)

    # Servers

    async def _connect(self, record: ServerRecord) -> None:
        runtime = self._app.runtime
        assert runtime is not None
        record.state, record.failure, record.connection = "starting", None, None
        self._session.changed()
        try:
            record.connection = await runtime.host.connect(record.name)
        except ElicitTuiError as error:
            record.state, record.failure = "failed", neutral_line(str(error), 2_000)
            self._session.changed()
            return
        except Exception:
            record.state, record.failure = "failed", BROKE_OFF
            raise
        record.state = "ready"
        await self._read_offers(record)

    async def _read_offers(self, record: ServerRecord) -> None:
        connection = record.connection
        if connection is None:
            return
        offers: list[Offer] = []
        try:
            tools = await connection.tools()
            prompts = await connection.prompts()
            resources = await connection.resources()
        except ElicitTuiError as error:
            words = f"could not be listed: {neutral_line(str(error), 300)}"
            self._session.say(record.name, words, "warn")
        else:
            offers.extend(read_offers("tool", [tool.raw for tool in tools]))
            offers.extend(read_offers("prompt", [prompt.raw for prompt in prompts]))
            offers.extend(read_offers("resource", [resource.raw for resource in resources]))
        record.offers, record.offers_read = tuple(offers), record.state == "ready"
        self._session.changed()

    def tick(self) -> None:
        """Read again what servers say has changed."""
        while self._session.changed_lists:
            record = self._session.servers.get(self._session.changed_lists.pop())
            if record is not None and record.offers_read:
                self._spawn(self._read_offers(record))

    def restart(self, name: str) -> None:
        """End a server and start it again; its open questions end with it."""
        record = self._session.servers.get(name)
        if record is None or self._app.runtime is None:
            return
        if record.state in ("off", "refused"):
            self._app.notify(record.failure or "It may not run.", markup=False)
        elif record.state != "starting":
            self._spawn(self._restart(record))

    async def _restart(self, record: ServerRecord) -> None:
        runtime = self._app.runtime
        assert runtime is not None
        record.state, record.offers, record.offers_read = "starting", (), False
        self._session.say(record.name, "restarting", "dim")
        await runtime.host.disconnect(record.name)
        await self._connect(record)

    # Calls

    def ask_arguments(
        self, server: str, offer: Offer, arguments: dict[str, Any] | None = None
    ) -> None:
        """Ask for the arguments where there are any; then call."""
        if not offer.schema.get("properties") and not arguments:
            self._spawn(self._call(server, offer, {}))
            return
        from elicit_tui.tui.console.screens.arguments import ArgumentsScreen

        def given(answer: dict[str, Any] | None) -> None:
            if answer is not None:
                self._spawn(self._call(server, offer, answer))

        self._app.push_screen(ArgumentsScreen(server, offer, arguments), given)

    def again(self, old: CallRecord) -> None:
        """The same call once more."""
        record = self._session.servers.get(old.server)
        offers = record.offers if record is not None else ()
        for offer in offers:
            if (offer.method, offer.name) == (old.call.method, old.call.name):
                self.ask_arguments(old.server, offer, dict(old.call.arguments))
                return
        self._app.notify(f"{old.server} does not offer it at the moment.", markup=False)

    async def _call(self, server: str, offer: Offer, arguments: dict[str, Any]) -> None:
        record = self._session.servers[server]
        if record.connection is None or record.state != "ready":
            self._app.notify(f"{server} is not ready.", severity="warning", markup=False)
            return
        if offer.kind == "tool" and not await self._gate(record, offer, arguments):
            return
        call = Call(offer.method, offer.name, arguments)
        entry = self._session.calls.start(server, call)
        self._session.say(server, f"→ {offer.shown}")
        await self._app.show_pane("calls")
        self._app.point_at_call(call.id)
        try:
            answer = await record.connection.call(call)
        except Interrupted:
            entry.end("cancelled", failure="You cancelled it.")
        except ProtocolCallError as error:
            words = f"The server answered with error {error.shown_code}: {error.message}"
            entry.end("failed", failure=neutral(words, 4_000))
        except ElicitTuiError as error:
            entry.end("failed", failure=neutral(str(error), 4_000))
        except asyncio.CancelledError:
            entry.end("cancelled", failure="elicit-tui ended.")
            raise
        else:
            entry.end("answered", result=answer.result)
        finally:
            if entry.state == "running":
                entry.end("failed", failure=BROKE_OFF)
        failed = entry.state != "answered" or entry.is_error
        self._session.say(server, f"← {offer.shown}: {entry.state}", "bad" if failed else "good")

    async def _gate(self, record: ServerRecord, offer: Offer, arguments: dict[str, Any]) -> bool:
        """Whether policy, or the person it tells to be asked, lets this tool be called."""
        runtime = self._app.runtime
        assert runtime is not None
        process = _process_of(record)
        gate = runtime.policy.tool_gate(
            record.settings, offer.name, offer.annotations, offer.digest, process
        )
        if gate.kind == "deny":
            self._session.say(record.name, neutral_line(gate.reason, 400), "warn")
            self._app.notify(
                neutral(gate.reason, 800),
                title="Not called",
                severity="warning",
                markup=False,
                timeout=12,
            )
            return False
        if gate.kind == "allow":
            return True
        decision = await self._confirm(record, offer, arguments, gate)
        if decision == "session":
            runtime.policy.allow_for_session(record.name, offer.name, offer.digest, process)
        if decision == "no":
            self._session.say(record.name, f"✗ {offer.shown}: not called, by you", "bad")
        return decision != "no"

    async def _confirm(
        self, record: ServerRecord, offer: Offer, arguments: dict[str, Any], gate: ToolGate
    ) -> str:
        from elicit_tui.tui.console.screens.gate import GateScreen

        answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        screen = GateScreen(record.name, offer, arguments, gate, answer)
        self._app.typed_ahead.discard()
        self._app.push_screen(screen)
        self._app.typed_ahead.discard()
        return await answer

    def cancel(self, call_id: str) -> None:
        """Cancel a running call; its questions end with it."""
        entry = self._session.calls.get(call_id)
        record = self._session.servers.get(entry.server) if entry is not None else None
        if entry is None or entry.state != "running":
            self._app.notify("It is over already.", markup=False)
        elif record is not None and record.connection is not None:
            self._spawn(self._cancel(record, call_id))

    async def _cancel(self, record: ServerRecord, call_id: str) -> None:
        assert record.connection is not None
        await record.connection.cancel(call_id)


def _process_of(record: ServerRecord) -> str:
    """What an allowance is bound to: this process, or this connection of a remote server."""
    connection = record.connection
    if connection is None:
        return ""
    process_id = connection.process_id
    return f"connection {connection.id}" if process_id is None else f"pid {process_id}"
