"""A connection of its own over which one way after another is tried, and each such trial."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from elicit_tui.broker import BrokerEvent, Notice, Requested, Resolved
from elicit_tui.elicitation import Call, Deadline, ElicitationRequest, Outcome, Question, cancel
from elicit_tui.elicitation.eras import Revision
from elicit_tui.elicitation.settings import Settings
from elicit_tui.errors import ElicitTuiError, Interrupted, LimitReached, ServerError
from elicit_tui.host.events import HostEvent, LogMessage, Progress, ServerLog
from elicit_tui.host.launch import server_directory
from elicit_tui.runtime import RunOptions, open_runtime
from elicit_tui.scenarios.acting import shows_acting
from elicit_tui.scenarios.judging import faults_of
from elicit_tui.scenarios.result import Run, RunEvent
from elicit_tui.scenarios.scenario import Scenario, advice
from elicit_tui.scenarios.script import MOST_UNPLANNED, Script
from elicit_tui.scenarios.watching import States, Watched, states
from elicit_tui.scenarios.ways import Asked, Way
from elicit_tui.text import in_seconds, neutral_line

if TYPE_CHECKING:
    from elicit_tui.host.connection import Connection
    from elicit_tui.host.offers import Tool
    from elicit_tui.host.unjudged import Door

ALIVE_SECONDS: Final = 5.0
"""How long a server may take to show that it still answers after a refusal."""

Tell = Callable[[RunEvent], None]


class Lane:
    """One server process, or session, and the runtime over it; answers for the trial on it."""

    def __init__(
        self,
        settings: Settings,
        server: str,
        log_file: Path | None = None,
        in_process: Any = None,
    ) -> None:
        """`in_process`: the server where it is an object of this process, or what makes it."""
        self._settings = settings
        self._server = server
        self._log_file = log_file
        self._in_process = in_process
        self._stack = AsyncExitStack()
        self._opened = False
        self.connection: Connection | None = None
        self.door: Door | None = None
        self.trial: Trial | None = None
        """The one that is tried now."""
        self.trials: list[Trial] = []
        """Those that were tried on it."""
        self._breaches_told = 0

    async def connect(self) -> Connection:
        """The connection, which the first call makes. Raises ElicitTuiError."""
        if self.connection is None:
            opened = open_runtime(
                self._settings,
                responder=lambda queue: self,
                launch=() if self._in_process is not None else (self._server,),
                options=RunOptions(log_file=self._log_file),
            )
            runtime = await self._stack.enter_async_context(opened)
            # With it comes the SDK, which the help of a command does without.
            from elicit_tui.host.unjudged import Door

            # The door lets answers past the judge, for those that no client may send.
            self.door = Door(runtime.host, self._instead)
            runtime.broker.subscribe(self._on_broker_event)
            runtime.host.subscribe(self._on_host_event)
            if self._in_process is not None:
                server = self._in_process() if callable(self._in_process) else self._in_process
                runtime.host.serve_in_process(self._server, server)
            self.connection = runtime.host.start(self._server)
        await self.connection.settled()
        return self.connection

    @property
    def directory(self) -> Path:
        """Where the server starts, and so where the files are that it names; a remote one: here."""
        settings = self._settings.servers[self._server]
        there = server_directory(settings) if settings.url is None else None
        return Path.cwd() if there is None else Path(there)

    async def close(self) -> None:
        """End the server; further broken rules may be known then."""
        await self._stack.aclose()

    def newly_broken(self) -> list[str]:
        """What the server did against the protocol since this was asked last."""
        if self.connection is None:
            return []
        broken = list(map(str, self.connection.broken_rules()))
        # What was broken is told once, to the trial during which it was noticed.
        new, self._breaches_told = broken[self._breaches_told :], len(broken)
        return new

    async def respond(self, question: Question, deadline: Deadline) -> Outcome:
        """Answer by the script of the way that is tried now."""
        # Between two trials nothing may be asked.
        if self.trial is None:
            deadline.start()
            return cancel("answers", "Cancelled: no call of the scenario is open.")
        await self.trial.look_before_an_answer()
        return await self.trial.script.respond(question, deadline)

    def _instead(self, request: ElicitationRequest, outcome: Outcome) -> Outcome:
        return outcome if self.trial is None else self.trial.instead(request, outcome)

    def _on_broker_event(self, event: BrokerEvent) -> None:
        if self.trial is not None:
            self.trial.on_broker_event(event)

    def _on_host_event(self, event: HostEvent) -> None:
        # A server may say late what one of them typed.
        for trial in self.trials:
            trial.on_host_event(event)


class Trial:
    """One way through a scenario, tried on a lane."""

    def __init__(
        self, scenario: Scenario, era: Revision, way: Way, base: Run | None, tell: Tell
    ) -> None:
        self._scenario = scenario
        self.way = way
        self._base = base
        self._tell = tell
        self.run = Run(scenario, era, way.name, way.kind, field=way.field)
        self.run.acceptable = way.wrong is not None and way.wrong.acceptable
        self.run.shows_acting = base is None or shows_acting(scenario, base)
        again = way.wrong is not None and way.wrong.kind == "twice"
        allowed = scenario.on_refusal.questions if scenario.on_refusal is not None else None
        self.script = Script(
            way.steps,
            # After a refusal a server may ask more: that is declined, and judged afterwards.
            refuse_the_rest=way.kind != "as written" and not again,
            most_unplanned=MOST_UNPLANNED + (allowed or 0),
            runner=scenario.runner,
        )
        self._outcomes: dict[str, Resolved] = {}
        self._lane: Lane | None = None
        self._late: tuple[ElicitationRequest, Outcome] | None = None
        self._before: States = {}
        self._alive = True
        self.judged = False
        self.broken: list[str] = []
        """What its server was found to do against the protocol."""

    def by_step(self) -> Asked:
        """The questions with their outcomes, by the order of the scenario's answers.

        One whose call ended before it was settled has none, and is left out.
        """
        steps = [
            (number, request)
            for number, request in self.script.asked
            if number is not None and request.id in self._outcomes
        ]
        steps.sort(key=lambda step: step[0])
        return [(request, self._outcomes[request.id].outcome) for _, request in steps]

    async def call(self, lane: Lane) -> None:
        """Call the tool and answer what it asks."""
        run, self._lane = self.run, lane
        self._tell(RunEvent("started", run))
        began = time.monotonic()
        lane.trial = self
        lane.trials.append(self)
        try:
            await self._called(lane)
        except ElicitTuiError as error:
            run.error = run.error or error
        run.seconds = time.monotonic() - began

    async def judge(self) -> Run:
        """Judge what came of it, with what its server did by now."""
        run, lane = self.run, self._lane
        assert lane is not None
        # What it does from now on is no longer of this trial.
        lane.trial = None
        run.resolved = list(self._outcomes.values())
        run.asked = [request for _, request in self.script.asked]
        run.watched = Watched(self._before, await self.states(lane), lane.directory)
        # Where the call itself failed, that says more.
        if run.error is None or isinstance(run.error, Interrupted):
            self.broken = lane.newly_broken()
            run.failures += self.broken
        run.failures += faults_of(
            run, self.way, self._base, self.script, self.by_step(), alive=self._alive
        )
        self.judged = True
        return run

    async def look_before_an_answer(self) -> None:
        """What is watched may not change while the first question still waits for its answer."""
        # Once, at the first question: from the first answer on it may act.
        if self._scenario.watch and not self.script.asked and self._lane is not None:
            watched = Watched(self._before, await self.states(self._lane))
            self.run.failures += (
                f"{subject} changed before the answer" for subject in watched.changed
            )

    async def states(self, lane: Lane) -> States:
        """What the scenario watches, as it is now."""
        counted = self._scenario.changes is not None
        return await states(self._scenario.watch, counted=counted, directory=lane.directory)

    async def _called(self, lane: Lane) -> None:
        run, scenario = self.run, self._scenario
        try:
            connection = await lane.connect()
        finally:
            # What a server does when it starts, as to lay its state anew, is no act of a call.
            self._before = await self.states(lane)
        run.protocol_version = connection.identity.protocol_version
        self._tell(RunEvent("connected", run, connection.identity))
        call = Call("tools/call", scenario.call, scenario.arguments)
        self.script.cancel_call = partial(connection.break_off, call.id)
        try:
            run.result = (await connection.call(call)).result
        except LimitReached as error:
            how = advice(scenario.runner, "seconds")
            run.error = _as_own_timeout(error, connection, how)
        except ElicitTuiError as error:
            run.error = error
        # The call has ended by its decline, and now the accept of the same question comes: whatever
        # the server does on it, it does without a leave.
        if self._late is not None and lane.door is not None:
            lane.door.send_again(*self._late)
        tools = await _still_answers(connection)
        tool = next((offered for offered in tools or () if offered.name == scenario.call), None)
        # What is called where nothing is fails in any case, also when a tool was renamed.
        if tools and tool is None and scenario.expect.is_any_error:
            name = neutral_line(scenario.call, 80)
            run.failures.append(f"the server lists no tool {name}: a call of it shows nothing")
        problem = tool.result_problem(run.result) if tool is not None and run.result else None
        if problem is not None:
            run.failures.append(problem)
        # A refusal must not take the server down with it. A plain list of its tools, asked for
        # after the call, shows that it still answers.
        self._alive = tools is not None

    def on_broker_event(self, event: BrokerEvent) -> None:
        """Keep each question and its outcome, and tell of it."""
        if isinstance(event, Notice) or not event.request.traits.from_server:
            return
        if isinstance(event, Resolved):
            self._outcomes[event.request.id] = event
            self._tell(RunEvent("resolved", self.run, event))
        elif isinstance(event, Requested):
            self._tell(RunEvent("requested", self.run, event))

    def on_host_event(self, event: HostEvent) -> None:
        """Note where the server says what was typed beside its result, however late."""
        where, text = "", ""
        if isinstance(event, ServerLog):
            where, text = "its standard error", event.line
        elif isinstance(event, LogMessage):
            where, text = "its log", str(event.data)
        elif isinstance(event, Progress):
            where, text = "its progress", event.message or ""
        if self.way.typed is not None and self.way.typed in text:
            self.run.came_back.add(where)

    def instead(self, request: ElicitationRequest, outcome: Outcome) -> Outcome:
        """What goes past the judge for the question that is to be answered wrongly."""
        wrong, lane = self.way.wrong, self._lane
        number = next((place for place, asked in self.script.asked if asked.id == request.id), None)
        if wrong is None or number != wrong.question or outcome.decided_by != "answers":
            return outcome
        self.script.wrong_message = request.message
        reason = f"Sent past the judge: {self.way.name}."
        if wrong.kind == "twice":
            if lane is not None and lane.door is not None:
                lane.door.send_again(request, replace(outcome, reason=reason))
            return outcome
        if wrong.kind == "late":
            self._late = (
                request,
                replace(outcome, action="accept", content=wrong.content, reason=reason),
            )
            return outcome
        action = "decline" if wrong.kind == "decline with content" else outcome.action
        return replace(outcome, action=action, content=wrong.content, reason=reason)


async def _still_answers(connection: Connection) -> tuple[Tool, ...] | None:
    """The tools of a server that still answers a plain request; None where it does not."""
    try:
        return await asyncio.wait_for(connection.tools(), ALIVE_SECONDS)
    except (ServerError, LimitReached, asyncio.TimeoutError):
        return None
    except ElicitTuiError:
        return ()  # It answered, if only with an error.


def _as_own_timeout(error: LimitReached, connection: Connection, how: str) -> LimitReached:
    if error.code != "timeout":
        return error
    seconds = in_seconds(connection.settings.tool_timeout_sec)
    return LimitReached(f"The call did not end within {seconds} ({how}).")
