"""Runs scenarios over `runtime`, each way through them on a server process of its own."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Final

from elicit_tui.broker import BrokerEvent, Notice, Requested, Resolved
from elicit_tui.elicitation import Call, ElicitationRequest, Outcome
from elicit_tui.elicitation.request import Revision
from elicit_tui.elicitation.settings import Settings
from elicit_tui.errors import ElicitTuiError, LimitReached, ServerError
from elicit_tui.runtime import open_runtime
from elicit_tui.scenarios.judging import faults_of, hint_of, unmoved
from elicit_tui.scenarios.result import Run, RunEvent, Suite
from elicit_tui.scenarios.scenario import Scenario
from elicit_tui.scenarios.script import Script
from elicit_tui.scenarios.snapshots import Snapshots, question_snapshot
from elicit_tui.scenarios.variants import Variant, answers_gone_wrong, as_written, branches
from elicit_tui.scenarios.watching import Watched, states
from elicit_tui.text import in_seconds, neutral_line

if TYPE_CHECKING:
    from elicit_tui.host import Connection
    from elicit_tui.host.unjudged import Door
    from elicit_tui.runtime import Runtime

DEADLINE_SECONDS: Final = 0.3
"""How long a question waits where its deadline is to pass."""

ALIVE_SECONDS: Final = 5.0
"""How long a server may take to show that it still answers after a refusal."""


@dataclass(frozen=True)
class Options:
    """What is run of the scenarios, and how."""

    branches: bool = False
    """Also every way in which a question is refused."""
    answers_gone_wrong: bool = False
    """Also answers that no client may send."""
    eras: tuple[Revision, ...] = ("auto",)
    update: bool = False
    """Take over what the servers ask now as the snapshots."""
    need_snapshots: bool = False
    """Fail where there is nothing to compare a question with, as in a build."""
    timeout_sec: float = 30.0
    """For each call."""
    log_file: Path | None = None


async def run_scenarios(
    settings: Settings,
    scenarios: Sequence[Scenario],
    options: Options,
    suite: Suite,
    listener: Callable[[RunEvent], None] = lambda event: None,
) -> None:
    """Run them in order and fill the suite as runs end, so that an interrupted one has the rest.

    Raises UsageError when snapshots cannot be read or written.
    """
    for file, of_file in groupby(scenarios, lambda scenario: scenario.file):
        snapshots = Snapshots(file)
        for scenario in of_file:
            for era in options.eras:
                whole = _Ways(settings, scenario, era, options, listener)
                async for run in whole.runs(snapshots):
                    suite.runs.append(run)
        if options.update and snapshots.write():
            suite.written.append(str(snapshots.path))


class _Ways:
    """All ways through one scenario in one revision."""

    def __init__(
        self,
        settings: Settings,
        scenario: Scenario,
        era: Revision,
        options: Options,
        listener: Callable[[RunEvent], None],
    ) -> None:
        self._settings = settings
        self._scenario = scenario
        self._era = era
        self._options = options
        self._tell = listener

    async def runs(self, snapshots: Snapshots) -> AsyncIterator[Run]:
        """Each run when it has ended: the scenario as it is written, then its other ways."""
        single = self._one_run()
        base = await single.run(as_written(self._scenario), None, self._options.log_file)
        self._compare(snapshots, single, base)
        if (hint := hint_of(base)) is not None:
            base.notes.append(hint)
        yield self._ended(base)
        if not (base.passed and self._scenario.accepts):
            return
        for variant in self._others(single):
            yield self._ended(await self._one_run().run(variant, base, self._options.log_file))

    def _one_run(self) -> _OneRun:
        return _OneRun(self._settings_for, self._scenario, self._era, self._tell)

    def _others(self, base: _OneRun) -> Iterator[Variant]:
        if self._options.branches:
            yield from branches(self._scenario)
        if self._options.answers_gone_wrong:
            yield from answers_gone_wrong(self._scenario, base.by_step())

    def _ended(self, run: Run) -> Run:
        self._tell(RunEvent("ended", run))
        return run

    def _compare(self, snapshots: Snapshots, single: _OneRun, run: Run) -> None:
        if run.error is not None or run.protocol_version is None:
            return
        questions = [question_snapshot(request) for _, request in single.script.asked]
        name, revision = self._scenario.name, run.protocol_version
        if self._options.update:
            if run.passed:
                snapshots.take_over(name, revision, questions)
            return
        found = snapshots.differences(name, revision, questions, self._scenario.answers)
        if found is None and questions:
            if self._options.need_snapshots:
                run.failures.append(
                    "no snapshot to compare with (CI is set): run it with --update where you write "
                    f"it, and keep {neutral_line(snapshots.path.name, 200)} beside it"
                )
            else:
                run.notes.append("no snapshot yet: --update writes it")
        run.failures += found or ()

    def _settings_for(self, variant: Variant) -> Settings:
        """The owner's settings with the scenario's answers in place of rules, hooks and waits."""
        seconds = self._options.timeout_sec
        server = self._settings.servers[self._scenario.server]
        server = replace(server, tool_timeout_sec=seconds)
        if self._era != "auto":
            server = replace(server, protocol=self._era)
        waits = DEADLINE_SECONDS if variant.deadline else seconds
        return replace(
            self._settings,
            servers={server.name: server},
            elicitation=replace(self._settings.elicitation, timeout_sec=waits),
            rules=tuple(rule for rule in self._settings.rules if rule.layer == "managed"),
            hooks=tuple(hook for hook in self._settings.hooks if hook.layer == "managed"),
        )


class _OneRun:
    """One way through one scenario, on a connection of its own."""

    def __init__(
        self,
        settings_for: Callable[[Variant], Settings],
        scenario: Scenario,
        era: Revision,
        tell: Callable[[RunEvent], None],
    ) -> None:
        self._settings_for = settings_for
        self._scenario = scenario
        self._era = era
        self._tell = tell
        self.script = Script(())
        self._outcomes: dict[str, Resolved] = {}
        self._connection: Connection | None = None
        self._door: Door | None = None
        self._late: tuple[ElicitationRequest, Outcome] | None = None

    def by_step(self) -> list[tuple[ElicitationRequest, Outcome]]:
        """The questions with their outcomes, by the order of the scenario's answers."""
        numbered = [(number, each) for number, each in self.script.asked if number is not None]
        numbered.sort(key=lambda pair: pair[0])
        return [(each, self._outcomes[each.id].outcome) for _, each in numbered]

    async def run(self, variant: Variant, base: Run | None, log_file: Path | None) -> Run:
        """Call the tool, answer what it asks, and judge what came of it."""
        run = Run(self._scenario, self._era, variant.name, variant.kind)
        again = variant.wrong is not None and variant.wrong.kind == "twice"
        self.script = Script(
            variant.steps, refuse_the_rest=variant.kind != "as written" and not again
        )
        self._tell(RunEvent("started", run))
        began = time.monotonic()
        before = await states(self._scenario.watch)
        alive = True
        try:
            opened = open_runtime(
                self._settings_for(variant),
                responder=lambda queue: self.script,
                launch=(self._scenario.server,),
                log_file=log_file,
            )
            async with opened as runtime:
                alive = await self._called(runtime, variant, run)
            if self._connection is not None and run.error is None:
                self._connection.all_was_read()
        except ElicitTuiError as error:
            run.error = run.error or error
        run.seconds = time.monotonic() - began
        run.resolved = list(self._outcomes.values())
        watched = Watched(before, await states(self._scenario.watch))
        run.failures += faults_of(run, variant, base, self.script, watched, alive=alive)
        if base is None and run.passed:
            run.notes += unmoved(self._scenario, watched)
        return run

    async def _called(self, runtime: Runtime, variant: Variant, run: Run) -> bool:
        """Connect and call; whether the server still answers afterwards."""
        if variant.wrong is not None:
            from elicit_tui.host.unjudged import Door

            self._door = Door(runtime.host, lambda *asked: self._instead(variant, *asked))
        runtime.broker.subscribe(lambda event: self._heard(run, event))
        connection = self._connection = await runtime.host.connect(self._scenario.server)
        run.protocol_version = connection.identity.protocol_version
        self._tell(RunEvent("connected", run, connection.identity))
        call = Call("tools/call", self._scenario.call, self._scenario.arguments)
        try:
            run.result = (await connection.call(call)).result
        except LimitReached as error:
            run.error = _own_words(error, connection)
        except ElicitTuiError as error:
            run.error = error
        if self._late is not None and self._door is not None:
            self._door.send_again(*self._late)
        alive = await _still_answers(connection)
        if variant.kind != "as written":
            return alive
        if not alive and run.error is None and connection.failure is not None:
            run.failures.append(f"after its result: {connection.failure}")
        return True

    def _heard(self, run: Run, event: BrokerEvent) -> None:
        if isinstance(event, Notice) or event.request.kind == "approval":
            return
        if isinstance(event, Resolved):
            self._outcomes[event.request.id] = event
            self._tell(RunEvent("resolved", run, event))
        elif isinstance(event, Requested):
            self._tell(RunEvent("requested", run, event))

    def _instead(self, variant: Variant, request: ElicitationRequest, outcome: Outcome) -> Outcome:
        """What goes past the judge for the question that is to be answered wrongly."""
        wrong = variant.wrong
        number = next((each for each, asked in self.script.asked if asked.id == request.id), None)
        if wrong is None or number != wrong.question or outcome.decided_by != "answers":
            return outcome
        self.script.wrong_message = request.message
        told = f"Sent past the judge: {variant.name}."
        if wrong.kind == "twice":
            if self._door is not None:
                self._door.send_again(request, replace(outcome, reason=told))
            return outcome
        if wrong.kind == "late":
            self._late = (
                request,
                replace(outcome, action="accept", content=wrong.content, reason=told),
            )
            return outcome
        action = "decline" if wrong.kind == "decline with content" else outcome.action
        return replace(outcome, action=action, content=wrong.content, reason=told)


async def _still_answers(connection: Connection) -> bool:
    """Whether the server still answers a plain request."""
    try:
        await asyncio.wait_for(connection.tools(), ALIVE_SECONDS)
    except (ServerError, LimitReached, asyncio.TimeoutError):
        return False
    except ElicitTuiError:
        return True  # It answered, if only with an error.
    return True


def _own_words(error: LimitReached, connection: Connection) -> LimitReached:
    if error.code != "timeout":
        return error
    seconds = in_seconds(connection.settings.tool_timeout_sec)
    return LimitReached(f"The call did not end within {seconds} (--timeout).")
