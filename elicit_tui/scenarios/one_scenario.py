"""The ways of one scenario in one revision: side by side, or each when somebody asks for it.

A way has a server process of its own where its scenario watches something. Elsewhere one process
serves many, if it answers the accepted call a second time as it did the first; what fails on it is
tried once more on a process of its own, and that counts.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping
from dataclasses import field, replace
from pathlib import Path
from typing import Any, Final

from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation import accept
from elicit_tui.elicitation.eras import Revision
from elicit_tui.elicitation.settings import Settings
from elicit_tui.errors import ElicitTuiError, Interrupted, ProtocolCallError
from elicit_tui.form.json_values import same_json
from elicit_tui.form.schema_reading import read_form
from elicit_tui.scenarios.acting import hides_an_act, untold
from elicit_tui.scenarios.judging import form_refused, hint_of
from elicit_tui.scenarios.lane import Lane, Tell, Trial
from elicit_tui.scenarios.result import Run, RunEvent
from elicit_tui.scenarios.scenario import Scenario, advice
from elicit_tui.scenarios.scenario_settings import scenario_settings
from elicit_tui.scenarios.script import content_of
from elicit_tui.scenarios.snapshots import Kept, Snapshots, question_snapshot, request_of
from elicit_tui.scenarios.ways import Asked, Way, answers_gone_wrong, as_written, branches
from elicit_tui.text import neutral_line

WAYS_OF_A_LANE: Final = 12
"""So many ways are worth the start of one more server process."""


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
    jobs: int = 1
    """How many ways are tried at once."""
    snapshots: bool = True
    """Whether questions are compared with what was asked last time."""
    fresh: bool = False
    """Whether each way has a server process of its own, whatever is watched."""
    in_process: Mapping[str, Any] = field(default_factory=dict)
    """Servers that are objects in this process, or what makes one for each lane, by name."""


@dataclass(eq=False)
class Ways:
    """All ways through one scenario in one revision."""

    settings: Settings
    scenario: Scenario
    era: Revision
    options: Options
    snapshots: Snapshots
    free: asyncio.Semaphore
    tell: Tell
    runs: list[Run | None] = field(default_factory=list)
    """In order; None: it has not ended yet."""
    told_runs: int = 0
    """How many of them were told of."""
    over: bool = False
    otherwise: str | None = None
    """What a process did otherwise when it was called again, where it did."""

    @property
    def next_run(self) -> Run | None:
        """The next one to be told of, if it has ended."""
        return self.runs[self.told_runs] if self.told_runs < len(self.runs) else None

    async def run(self, ended: Callable[[], None]) -> None:
        """Try the scenario as it is written, then its other ways."""
        async with self.free:
            base, others = await self.first()
        self.runs = [base, *(None for _ in others)]
        ended()
        await self._try(base, list(enumerate(others, 1)), ended)
        self.over = True
        ended()

    async def first(self) -> tuple[Run, list[Way]]:
        """The scenario as it is written, and the other ways that its questions have."""
        trial = Trial(self.scenario, self.era, as_written(self.scenario), None, self.tell)
        # Always alone: what came before would be part of what is watched.
        base = await self.alone(trial)
        self._compare(base)
        if (hint := hint_of(base)) is not None:
            base.notes.append(hint)
        # Made of what was asked, so that a server that asks otherwise is tried otherwise.
        others = list(self._others(base, trial.by_step()))
        more = self.options.branches or self.options.answers_gone_wrong
        if others or base.refused:
            base.notes += untold(base, more_ways=more)
        # Where a no was given nothing was changed that could hide an act.
        if others and self.scenario.watch and not base.refused:
            base.failures += await self._hides_an_act(base)
        # Without a base that passed there is nothing that another way could be held against.
        return base, others if base.passed else []

    async def _hides_an_act(self, base: Run) -> list[str]:
        """Where what is watched is not as it was before the accept: whether that hides an act."""
        lane, again = self.lane(), self._as_written()
        try:
            await lane.connect()
            # Its start has laid it anew: each other way begins where this one did, and nothing is
            # hidden.
            if await again.states(lane) == base.watched.before:
                return []
            await again.call(lane)
        except ElicitTuiError as error:
            return [f"it could not be called a second time: {neutral_line(str(error), 400)}"]
        finally:
            await lane.close()
        return list(hides_an_act(base, await again.judge()))

    def _as_written(self) -> Trial:
        """The scenario itself, once more, of which nobody is told."""
        return Trial(self.scenario, self.era, as_written(self.scenario), None, unheard)

    async def _try(
        self, base: Run, waiting: list[tuple[int, Way]], ended: Callable[[], None]
    ) -> None:
        """Try what waits, on as many processes at once as there may be."""
        watches = bool(self.scenario.watch)  # What one way changes would be another's.
        shared = len(waiting) > 1 and not watches and not self.options.fresh
        # Set once it is known whether one process serves many: `shared` says so from then on.
        sharing_known = asyncio.Event()

        async def one_by_one(earlier: int) -> None:
            """Try ways beside so many `earlier` ones of these."""
            nonlocal shared
            # All but the first wait until that knows, and begin only where enough is left for them.
            if earlier and shared:
                await sharing_known.wait()
                if shared and len(waiting) <= WAYS_OF_A_LANE * earlier:
                    return
            while waiting:
                async with self.free:
                    if shared:
                        shared = await self._on_one_lane(base, waiting, sharing_known, ended)
                    # While this waited for its turn another lane may have taken the last one.
                    elif waiting:
                        number, way = waiting.pop(0)
                        self.runs[number] = await self.alone(self.trial(way, base))
                sharing_known.set()
                ended()
            # Also where nothing waits: the others must not wait for ever.
            sharing_known.set()

        await all_of(map(one_by_one, range(1 if watches else self.options.jobs)))

    def trial(self, way: Way, base: Run) -> Trial:
        """One of the other ways, about to be tried."""
        return Trial(self.scenario, self.era, way, base, self.tell)

    async def alone(self, trial: Trial) -> Run:
        """One way on a server process of its own, judged when that has ended."""
        lane = self.lane()
        try:
            await trial.call(lane)
        finally:
            await lane.close()
        run = await trial.judge()
        if self.otherwise is not None:
            run.notes.append(f"a second call on one process ends otherwise: {self.otherwise}")
            self.otherwise = None
        return run

    async def _on_one_lane(
        self,
        base: Run,
        waiting: list[tuple[int, Way]],
        sharing_known: asyncio.Event,
        ended: Callable[[], None],
    ) -> bool:
        """Try ways on one process until one fails or none waits.

        Returns whether a process may serve many. Where that is not known yet it is found out first,
        and `sharing_known` is set if one may. Only the last way is judged when the process has
        ended: what that says then is said of it. What fails here is tried alone, and that counts.
        """
        lane = self.lane()
        # What was typed may come back as long as the process lives; the last ends with it.
        unsettled: list[tuple[int, Trial]] = []
        try:
            if not sharing_known.is_set() and not await self.answers_alike(lane, base):
                return False
            sharing_known.set()
            while waiting:
                number, way = waiting.pop(0)
                trial = self.trial(way, base)
                unsettled.append((number, trial))
                await trial.call(lane)
                # The last one is judged with the process's end, and whoever did not go on ends the
                # lane.
                if not waiting or not goes_on(trial.run) or not (await trial.judge()).passed:
                    break
                if way.typed is None:
                    unsettled.pop()
                    self.runs[number] = trial.run
                    ended()
        finally:
            await lane.close()
        for number, trial in unsettled:
            self.runs[number] = await self.at_the_end(trial, base)
        return True

    async def at_the_end(self, trial: Trial, base: Run) -> Run:
        """What came of a trial whose process has ended; where it failed there it is tried alone."""
        run = trial.run if trial.judged else await trial.judge()
        if run.passed and not run.came_back:
            return run
        again = self.trial(trial.way, base)
        # What was seen was seen: alone a process may end before it comes to that.
        again.run.came_back |= run.came_back
        again.run.failures += trial.broken
        alone = await self.alone(again)
        if alone.passed:
            why = run.failures[0]
            alone.notes.append(f"fails on a process that served other ways before: {why}")
        return alone

    async def answers_alike(self, lane: Lane, base: Run) -> bool:
        """Whether a process answers the accepted call a second time as it did the first."""
        asked = [question_snapshot(request) for request in base.asked]
        # Once as the first call of this process, and once more.
        for _ in range(2):
            trial = self._as_written()
            await trial.call(lane)
            run = await trial.judge()
            if not run.passed:
                self.otherwise = run.failures[0]
            elif not same_json([question_snapshot(request) for request in run.asked], asked):
                self.otherwise = "its questions are others"
            # Another result alone is nothing to tell of, as of a server that counts its calls.
            if self.otherwise is not None or not same_json(run.result, base.result):
                return False
        return True

    def lane(self) -> Lane:
        """A server process of its own, which the first call starts."""
        server, options = self.scenario.server, self.options
        settings = scenario_settings(self.settings, server, self.era, options.timeout_sec)
        return Lane(settings, server, options.log_file, options.in_process.get(server))

    def _others(self, base: Run, asked: Asked) -> Iterator[Way]:
        if not base.passed or form_refused(self.scenario, asked):
            return
        if self.options.branches:
            yield from branches(self.scenario, asked)
        if self.options.answers_gone_wrong:
            yield from answers_gone_wrong(self.scenario, asked)

    def _compare(self, run: Run) -> None:
        # An error that is expected ends a call that asked all the same.
        if (run.error is not None and not run.passed) or run.protocol_version is None:
            return
        questions = [question_snapshot(request) for request in run.asked]
        name, revision = self.scenario.name, run.protocol_version
        # Before the snapshots are looked at: the revisions of one run are compared in any case.
        run.failures += self.snapshots.between_eras(name, revision, questions)
        if not self.options.snapshots:
            return
        # Only what passed is kept: a wrong question must not become what is expected.
        if self.options.update:
            if run.passed:
                self.snapshots.take_over(name, revision, questions)
            return
        found = self.snapshots.differences(name, revision, questions)
        if found is None and questions:
            if self.options.need_snapshots:
                file = neutral_line(self.snapshots.path.name, 200)
                run.failures.append(
                    "no snapshot to compare with (CI is set): run elicit-tui test --update where "
                    f"you write it, and keep {file} beside it"
                )
            else:
                how = advice(self.scenario.runner, "first snapshot")
                run.notes.append(f"no snapshot yet: {how}")
        how = advice(self.scenario.runner, "update")
        run.failures += (f"{difference} ({how})" for difference in found or ())


def goes_on(run: Run) -> bool:
    """Whether the server answered, be it with an error, or was let go."""
    # An error that the server gave leaves the process usable; one of the connection does not.
    return run.error is None or isinstance(run.error, (ProtocolCallError, Interrupted))


def unheard(event: RunEvent) -> None:
    """Tell nobody: this call is no way of its own."""


async def all_of(work: Iterable[Coroutine[Any, Any, None]]) -> None:
    """Do all of it at once; where one fails or we are cancelled, the others end with it."""
    tasks = [asyncio.ensure_future(part) for part in work]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


class OneByOne:
    """The ways of one scenario in one revision, each tried when somebody asks for it."""

    def __init__(
        self, settings: Settings, scenario: Scenario, era: Revision, options: Options
    ) -> None:
        """`options`: `update` and `jobs` mean nothing here. Raises UsageError for snapshots."""
        free = asyncio.Semaphore(1)
        snapshots = Snapshots(scenario.file)
        self._ways = Ways(settings, scenario, era, options, snapshots, free, unheard)
        self._base: Run | None = None
        self._others: list[Way] = []
        self._lane: Lane | None = None
        # None: not tried yet.
        self._may_share: bool | None = False if options.fresh or scenario.watch else None

    async def base(self) -> Run:
        """The scenario as it is written; it runs once."""
        if self._base is None:
            self._base, self._others = await self._ways.first()
        return self._base

    async def names(self) -> list[str]:
        """The other ways that there are, once the scenario as it is written has passed."""
        await self.base()
        return [way.name for way in self._others]

    async def way(self, name: str) -> Run | None:
        """One of the other ways; None where the questions have no such way."""
        base = await self.base()
        way = next((other for other in self._others if other.name == name), None)
        if way is None:
            return None
        trial = self._ways.trial(way, base)
        # What was typed may come back as long as a process lives, and who asks is told now.
        lane = await self._shared(base) if way.typed is None else None
        if lane is None:
            return await self._ways.alone(trial)
        await trial.call(lane)
        run = await trial.judge()
        if run.passed and goes_on(run):
            return run
        await self.close()
        return await self._ways.at_the_end(trial, base)

    async def _shared(self, base: Run) -> Lane | None:
        """The process that serves several ways; None where each has to have its own."""
        if self._lane is None and self._may_share is not False:
            self._lane = self._ways.lane()
            if self._may_share is None:
                self._may_share = await self._ways.answers_alike(self._lane, base)
            if not self._may_share:
                await self.close()
        return self._lane

    async def close(self) -> None:
        """End the process that served several ways."""
        if self._lane is not None:
            await self._lane.close()
            self._lane = None


def ways_known(scenario: Scenario, era: Revision) -> list[str]:
    """The names of the ways through a scenario that its snapshots tell of; none without them.

    Raises UsageError where the snapshots cannot be read.
    """
    # Without running anything: a test runner wants names before it runs.
    revision, questions = Snapshots(scenario.file).kept_questions(scenario.name, era)
    if revision is None:
        return []
    asked = []
    # A question without an answer of its own ends the ways that are known.
    for number, (question, answer) in enumerate(zip(questions, scenario.answers, strict=False)):
        request = request_of(scenario.server, Kept(revision, number, question))
        content = content_of(read_form(request.requested_schema), answer)
        outcome = accept("answers", "", content)
        asked.append((request, replace(outcome, action=answer.action)))
    names = [as_written(scenario).name]
    if not form_refused(scenario, asked):
        names += (way.name for way in branches(scenario, asked))
        names += (way.name for way in answers_gone_wrong(scenario, asked))
    return list(dict.fromkeys(names))
