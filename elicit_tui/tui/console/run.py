"""Conducts a run behind the screen: connects, reads what servers offer, makes the calls."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Protocol

from elicit_tui.elicitation import Call, Queue, Responder, cancel
from elicit_tui.errors import ElicitTuiError, ToolRefused
from elicit_tui.host.uri_templates import filled, values_in
from elicit_tui.text import name_line, neutral, neutral_line, quoted
from elicit_tui.tui.console.announcer import tell_refused
from elicit_tui.tui.console.call_ends import end_with
from elicit_tui.tui.console.calls import CallRecord
from elicit_tui.tui.console.failed_actions import tell_failure
from elicit_tui.tui.console.once_more import once_meant, once_started
from elicit_tui.tui.console.outcome_words import ROLES
from elicit_tui.tui.console.server_words import why_away
from elicit_tui.tui.console.servers import (
    Offer,
    OfferKind,
    ServerRecord,
    read_offer,
    read_offers,
    server_records,
    startable,
)
from elicit_tui.tui.console.under_way import calls_of, once_sure
from elicit_tui.tui.console.written_later import unforeseen

if TYPE_CHECKING:
    from pathlib import Path

    from elicit_tui.elicitation.settings import ServerSettings, Settings
    from elicit_tui.host.offers import Prompt, Resource, ResourceTemplate, Tool
    from elicit_tui.runtime import Runtime
    from elicit_tui.tui.console.controller import Controller
    from elicit_tui.tui.console.shared_questions import SharedQuestions

    Lister = Callable[[], Awaitable[Sequence[Tool | Prompt | Resource | ResourceTemplate]]]


BROKE_OFF: Final = "It broke off, by a fault of elicit-tui."
STOPPED: Final = "You stopped it."


class RuntimeFactory(Protocol):
    """Opens the run: `runtime.open_runtime` with everything but these bound."""

    def __call__(
        self, *, responder: Callable[[Any], Responder], launch: Sequence[str]
    ) -> AbstractAsyncContextManager[Runtime]:
        """The run, as a context that takes it down in order."""
        ...


class ConsoleRun:
    """Everything of a run that awaits; it tells the state, and the screen draws that."""

    def __init__(self, app: Controller) -> None:
        self._app = app
        self._state = app.state
        self._tasks: set[asyncio.Task[None]] = set()

    async def run(
        self, factory: RuntimeFactory, leaving: asyncio.Event, shared: SharedQuestions
    ) -> None:
        """Open the run, connect to every server, and take it all down once told to leave."""
        waiting = [record for record in self._state.servers.values() if record.state == "waiting"]
        names = [record.name for record in waiting]
        given: list[Responder] = []

        def responder(queue: Queue) -> Responder:
            given.append(self._app.responder(queue))
            return given[0]

        try:
            async with factory(responder=responder, launch=names) as runtime:
                self._app.runtime = runtime
                runtime.broker.subscribe(self._state.broker_event)
                runtime.host.subscribe(self._state.host_event)
                for record in waiting:
                    self._spawn(self._connect(record))
                self._spawn(shared.watch(given[0], self._app.via))
                await leaving.wait()
                # Calls first: each of their questions then ends by `shutdown`, and is answered.
                await runtime.broker.close()
                await self._end_tasks()
        except ElicitTuiError as error:
            self._state.say("", neutral_line(str(error), 400), "bad")
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
            tell_failure(self._app, self._state, error)

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
        record.wants_login = False
        self._state.changed()
        try:
            record.connection = await runtime.host.connect(record.name)
        except ElicitTuiError as error:
            record.state, record.failure = "failed", neutral_line(str(error), 2_000)
            record.wants_login = str(error).endswith(f"elicit-tui login {record.name}")
            self._state.changed()
            return
        except Exception:
            record.state, record.failure = "failed", BROKE_OFF
            raise
        record.state = "ready"
        # The watching first: what changes while they are read is told then.
        await asyncio.gather(self._watch_lists(record), self._read_offers(record))

    async def _watch_lists(self, record: ServerRecord) -> None:
        """A server of the modern era tells of changes only where it was asked to."""
        assert record.connection is not None
        try:
            await record.connection.watch_lists()
        except ElicitTuiError as error:
            words = f"does not tell when its lists change: {neutral_line(str(error), 300)}"
            self._state.say(record.name, words, "dim")

    async def _read_offers(self, record: ServerRecord) -> None:
        connection = record.connection
        if connection is None:
            return
        offers: list[Offer] = []
        list_failed = False
        lists: tuple[tuple[OfferKind, Lister], ...] = (
            ("tool", connection.tools),
            ("prompt", connection.prompts),
            ("resource", connection.resources),
            ("template", connection.templates),
        )
        for kind, listed in lists:
            try:
                offers.extend(read_offers(kind, [offer.raw for offer in await listed()]))
            except ElicitTuiError as error:
                words = f"its {kind}s could not be listed: {neutral_line(str(error), 300)}"
                self._state.say(record.name, words, "warn")
                list_failed = True
        record.offers, record.offers_read = tuple(offers), record.state == "ready"
        record.known_offers = record.offers
        record.list_failed = list_failed
        self._state.changed()

    def tick(self) -> None:
        """Read again what servers say has changed; tell what could not be written."""
        for error in unforeseen():
            tell_failure(self._app, self._state, error)
        while self._state.changed_lists:
            record = self._state.servers.get(self._state.changed_lists.pop())
            if record is not None and record.offers_read:
                self._spawn(self._read_offers(record))

    def restart(self, name: str) -> None:
        """Have a server begin anew as it is configured now; asks first where it is at work."""
        record = self._state.servers.get(name)
        if record is None:
            return
        if record.state == "starting" or self._app.runtime is None:
            self._app.notify(f"{quoted(name, 40)} is starting just now.", markup=False)
        else:
            once_sure(self._app, name, lambda: self._restart(record))

    def stop(self, name: str) -> None:
        """End a server; asks first where it is at work."""
        record = self._state.servers.get(name)
        if record is None or record.state != "ready":
            self._app.notify(f"{quoted(name, 40)} does not run.", markup=False)
        else:
            once_sure(self._app, name, lambda: self._spawn(self._stop(record)), stops=True)

    async def _stop(self, record: ServerRecord) -> None:
        runtime = self._app.runtime
        assert runtime is not None
        await self._end_what_runs(runtime, record, "stopped")
        await runtime.host.disconnect(record.name)
        record.state, record.failure = "closed", STOPPED
        self._state.changed()

    def _restart(self, record: ServerRecord) -> asyncio.Task[None] | None:
        """The start that has begun; None where the file does not let it."""
        runtime, file = self._app.runtime, self._app.own_file
        assert runtime is not None
        server: ServerSettings | None = record.settings
        if file is not None:
            try:
                now = file.reload()
            except ElicitTuiError as error:
                words = neutral_line(f"{quoted(record.name, 40)} stays as it was: {error}", 400)
                self._app.notify(words, severity="warning", markup=False)
                return None
            runtime.know(record.name, now)
            if (server := now.servers.get(record.name)) is None:
                self._app.notify(f"{quoted(record.name, 40)} is configured no more.", markup=False)
        record.state = "starting"
        self._state.say(record.name, "restarting", "dim")
        return self._spawn(self._begin_anew(runtime, record.name, server, "restarted"))

    async def _end_what_runs(self, runtime: Runtime, record: ServerRecord, deed: str) -> None:
        """Before a server ends: what is under way is over by the person's doing, `deed`."""
        words = f"You {deed} {quoted(record.name, 40)}."
        runtime.broker.end_all(record.name, cancel("user", words))
        for entry in calls_of(self._state, record.name):
            entry.cancelled_by = words
            if record.connection is not None:
                await record.connection.cancel(entry.call.id)

    def take_over(self, name: str, now: Settings, was: str) -> None:
        """Have a server as it is configured now, once `was` has ended, its name before; or gone."""
        runtime, server = self._app.runtime, now.servers.get(name)
        if runtime is None:
            return
        runtime.know(name, now)
        if server is not None and name not in self._state.servers:
            self._state.servers.update(server_records({name: server}))
            self._state.changed()
        deed = "changed" if server else "removed"
        self._spawn(self._begin_anew(runtime, name, server, deed, was))

    async def _begin_anew(
        self, runtime: Runtime, name: str, server: ServerSettings | None, deed: str, was: str = ""
    ) -> None:
        if was:
            await self._begin_anew(runtime, was, None, "removed")
        if (old := self._state.servers.get(name)) is not None:
            await self._end_what_runs(runtime, old, deed)
        await runtime.host.disconnect(name)
        if server is None:
            self._state.servers.pop(name, None)
            self._state.changed()
            return
        record = server_records({name: server})[name]
        if old is not None and deed == "restarted":
            record = old.as_configured_in(record)
        self._state.servers[name] = record
        self._state.changed()
        if startable(server):
            await self._connect(record)
        elif deed == "restarted":
            self._app.notify(record.failure or "It may not run.", markup=False)

    # Calls

    def ask_arguments(
        self,
        server: str,
        offer: Offer,
        arguments: dict[str, Any] | None = None,
        old: CallRecord | None = None,
    ) -> None:
        """Ask for the arguments where there are any; then call. `old`: the call made again."""
        record = self._state.servers.get(server)
        if record is not None and (words := record.not_callable(offer)):
            self._app.notify(words, severity="warning", markup=False)
            return
        if _takes_nothing(offer, arguments):
            self._spawn(self._call(server, offer, {}))
            return
        from elicit_tui.tui.console.screens.arguments import ArgumentsScreen

        if isinstance(self._app.screen, ArgumentsScreen):
            return  # The key was pressed twice.

        def given(answer: dict[str, Any] | None) -> None:
            if answer is not None and offer.kind == "template":
                self._app.remembered.used(server, offer.key)
                self._spawn(self._call(server, *_filled(offer, answer)))
            elif answer is not None:
                # What an earlier call or a file gave was not written in this form.
                self._spawn(self._call(server, offer, answer, own=arguments is None))

        of_file = old is not None and old.of_file
        self._app.write_in(ArgumentsScreen(server, offer, arguments, of_file), given)

    def again(self, old: CallRecord) -> None:
        """A call of before or of a file; its form, or where it has none a question, comes first."""
        record = self._state.servers.get(old.server)
        if record is not None and self._state.has_ended(old.server) and startable(record.settings):
            then = partial(self._started_for, record, old)
            once_started(self._app, record, old, then)
            return
        offer = record.offer_of(old.call) if record is not None else None
        if record is None or offer is None or not _takes_nothing(offer, old.call.arguments):
            self._repeat(old)
        else:
            then = partial(self._repeat, old)
            once_meant(self._app, record, offer, then, of_file=old.of_file)

    def _started_for(self, record: ServerRecord, old: CallRecord, asked: bool) -> None:
        """Start a server again that has ended, and make the call once it is ready.

        `asked`: the person was, whether the call is meant.
        """
        if (start := self._restart(record)) is not None:
            self._app.notify(f"Starting {quoted(record.name, 40)} again …", markup=False)
            self._spawn(self._once_it_runs(start, old, asked))

    async def _once_it_runs(self, start: asyncio.Task[None], old: CallRecord, asked: bool) -> None:
        await asyncio.wait({start})
        record = self._state.servers.get(old.server)
        runs = record is not None and record.state == "ready"
        open_to = len(self._app.screen_stack) == 1 and self._app.may_be_interrupted()
        if runs and not open_to:
            key = self._app.key_of("calls.again")
            words = f"{quoted(old.server, 40)} runs again: {key} makes the call."
            self._app.notify(words, markup=False)
        elif runs and (old.of_file or not asked):
            self.again(old)
        else:
            self._repeat(old)

    def _repeat(self, old: CallRecord) -> None:
        record = self._state.servers.get(old.server)
        offers = record.offers if record is not None else ()
        if record is not None and (offer := record.offer_of(old.call)) is not None:
            self.ask_arguments(old.server, offer, dict(old.call.arguments), old)
            return
        # What a template was filled in to is listed nowhere.
        for offer in offers if old.call.method == "resources/read" else ():
            values = values_in(offer.name, old.call.name) if offer.kind == "template" else None
            if values is not None:
                self.ask_arguments(old.server, offer, values, old)
                return
        read = read_offer("resource", {"uri": old.call.name})
        if old.call.method == "resources/read" and read is not None:
            self._spawn(self._call(old.server, read, {}))
            return
        self._app.notify(self._why_not(old.server), markup=False)

    def _why_not(self, server: str) -> str:
        """Why nothing of a server, or not this of it, can be called just now."""
        record, name = self._state.servers.get(server), quoted(server, 80)
        if record is None:
            return f"No server here is called {name}."
        away = why_away(record, self._app.key_of("servers.restart"))
        return f"{name} {away or 'does not offer it at the moment'}."

    def kept(self, path: Path) -> None:
        """The call of a file once more."""
        from elicit_tui.tui.console.kept_again import make_again

        make_again(self._app, path, self.again)

    def _allowed(self, server: str, call: Call) -> str:
        """That its tool was allowed; where that does not hold for it, what is asked takes over."""
        runtime = self._app.runtime
        if runtime is None or call.tool is None:
            return ""
        since = runtime.broker.allowances.since(server, call.tool)
        return f"you allowed the tool for this session at {since:%H:%M}" if since else ""

    async def _call(
        self, server: str, offer: Offer, arguments: dict[str, Any], *, own: bool = False
    ) -> None:
        record = self._state.servers.get(server)
        if record is None or record.connection is None or record.state != "ready":
            self._app.notify(self._why_not(server), severity="warning", markup=False)
            return
        call = Call(offer.method, offer.name, arguments, own=own)
        entry = self._state.calls.start(server, call, offer.schema)
        entry.sent = False
        entry.confirmation = self._allowed(server, call)
        if offer in record.offers:  # What a template was filled in to is none: the template is.
            self._app.remembered.used(server, offer.key)
        await self._app.show_pane("calls")
        self._app.point_at_call(call.id)
        try:
            answer = await record.connection.call(call)
        except ElicitTuiError as error:
            end_with(entry, error)
            if isinstance(error, ToolRefused):
                tell_refused(self._app, error)
        except asyncio.CancelledError:
            entry.end("cancelled", failure="elicit-tui ended.")
            raise
        else:
            entry.end("answered", result=answer.result)
        finally:
            if entry.state == "running":
                entry.end("failed", failure=BROKE_OFF)
            self._keep(entry, offer)
        self._app.look_for_questions()  # One that may have been this call's is another's.
        refusal = entry.refusal
        failed = entry.state != "answered" or entry.is_error
        role = ROLES[refusal.action] if refusal is not None else "bad" if failed else "good"
        self._state.say(server, f"← {offer.shown}: {entry.standing}", role, ("call", call.id))

    def _keep(self, entry: CallRecord, offer: Offer) -> None:
        """Let the next run find this call again."""
        from elicit_tui.tui.console.kept_calls import KeptCalls

        runtime = self._app.runtime
        kept = KeptCalls(self._state.settings.history.content)
        kept.add(entry, offer.schema, runtime.guardian if runtime is not None else None)

    def cancel(self, call_id: str) -> None:
        """Cancel a running call; its questions end with it."""
        entry = self._state.calls.get(call_id)
        record = self._state.servers.get(entry.server) if entry is not None else None
        if entry is None or entry.state != "running":
            self._app.notify("It is over already.", markup=False)
        elif record is not None and record.connection is not None:
            self._spawn(self._cancel(record, call_id))

    async def _cancel(self, record: ServerRecord, call_id: str) -> None:
        assert record.connection is not None
        await record.connection.cancel(call_id)


def _takes_nothing(offer: Offer, arguments: Mapping[str, Any] | None) -> bool:
    """Whether it is called as it is: there is nothing to be filled in."""
    return not offer.schema.get("properties") and not arguments


def _filled(template: Offer, values: dict[str, Any]) -> tuple[Offer, dict[str, Any]]:
    """The resource that a filled in template names, and its arguments: it takes none."""
    uri = filled(template.name, values)
    return replace(template, kind="resource", name=uri, shown=name_line(uri, 120)), {}
