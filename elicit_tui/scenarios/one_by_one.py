"""The ways of one scenario, each tried when somebody asks for it, as a test runner does."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from elicit_tui.elicitation import accept
from elicit_tui.elicitation.eras import Revision
from elicit_tui.elicitation.settings import Settings
from elicit_tui.form.schema_reading import read_form
from elicit_tui.scenarios.judging import form_refused
from elicit_tui.scenarios.lane import Lane
from elicit_tui.scenarios.result import Run
from elicit_tui.scenarios.running import Options, Ways, goes_on, unheard
from elicit_tui.scenarios.scenario import Scenario
from elicit_tui.scenarios.script import content_of
from elicit_tui.scenarios.snapshots import Kept, Snapshots, request_of
from elicit_tui.scenarios.ways import Way, answers_gone_wrong, as_written, branches


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
