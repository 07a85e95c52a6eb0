"""Scenario files as pytest collects them: each way through each scenario is a test."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest

from elicit_tui.ci import in_ci
from elicit_tui.elicitation.eras import Revision
from elicit_tui.elicitation.settings import Settings
from elicit_tui.errors import ElicitTuiError
from elicit_tui.pytest_plugin.server_loop import (
    SECONDS,
    ScenarioFailed,
    loop_of,
    settings_for,
    summary_of,
)
from elicit_tui.scenarios import OneByOne, Options, Run, Scenario, read_scenarios, ways_known
from elicit_tui.scenarios.ways import as_written

EVERY_OTHER: Final = "every other way"
"""One test for all of them, where no snapshot tells which there are."""


class ScenarioFile(pytest.File):
    """The scenarios of one file; each way through each of them is a test."""

    def collect(self) -> Iterator[pytest.Item]:
        """A test for each way that the file and its snapshots tell of."""
        try:
            found = read_scenarios([self.path])
            scenarios = [replace(scenario, runner="pytest") for scenario in found]
            settings = settings_for(self.config, scenarios)
            for scenario in scenarios:
                for era in self.config.getini("elicit_eras") or ["auto"]:
                    ways = _TriedInTurn(self.config, settings, scenario, era)
                    where = "" if era == "auto" else f" in {era}"
                    unknown = (as_written(scenario).name, EVERY_OTHER)
                    for name in ways_known(scenario, era) or unknown:
                        title = f"{scenario.name}: {name}{where}"
                        yield ScenarioWay.from_parent(self, name=title, way=name, ways=ways)
        except ElicitTuiError as error:
            raise self.CollectError(str(error)) from None


class _TriedInTurn:
    """One scenario in one revision, with the processes that its tests share."""

    def __init__(
        self, config: pytest.Config, settings: Settings, scenario: Scenario, era: Revision
    ) -> None:
        self._config = config
        self._settings = settings
        self.scenario = scenario
        self._era = era
        self._ways: OneByOne | None = None

    def try_all(self, name: str) -> list[Run]:
        """Try this way; the first test also tries the scenario as it is written."""
        return loop_of(self._config).run(self._try_all(name))

    async def _try_all(self, name: str) -> list[Run]:
        if self._ways is None:
            options = Options(
                branches=True,
                answers_gone_wrong=True,
                eras=(self._era,),
                timeout_sec=SECONDS,
                need_snapshots=in_ci(),
            )
            self._ways = OneByOne(self._settings, self.scenario, self._era, options)
            loop_of(self._config).at_the_end.append(self._ways)
        base = await self._ways.base()
        if name == base.branch or not base.passed:
            return [base]
        if name == EVERY_OTHER:
            tried = [await self._ways.way(branch) for branch in await self._ways.names()]
            # There may be none, as of a scenario that refuses.
            return [base, *(run for run in tried if run is not None)]
        run = await self._ways.way(name)
        return [run] if run is not None else []


class ScenarioWay(pytest.Item):
    """One way through one scenario."""

    def __init__(self, *, way: str, ways: _TriedInTurn, **named: Any) -> None:
        super().__init__(**named)
        self._way = way
        self._ways = ways
        # With `--dist loadgroup` the ways of a scenario stay with one worker, and its process.
        self.add_marker(pytest.mark.xdist_group(f"{self.path}::{ways.scenario.name}"))

    def runtest(self) -> None:
        """Try the way. Raises ScenarioFailed with what is not as it must be."""
        runs = self._ways.try_all(self._way)
        if not runs:
            raise ScenarioFailed(
                f"The questions have no such way any more: {self._way}\n"
                "(elicit-tui test --update takes over what is asked now)"
            )
        if any(not run.passed for run in runs):
            raise ScenarioFailed(summary_of(runs))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """What `elicit-tui test` says of it, without a traceback of ours."""
        if isinstance(excinfo.value, ScenarioFailed):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Where it stands."""
        return self.path, None, self.name
