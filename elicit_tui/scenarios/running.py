"""Runs scenarios over `runtime`, side by side, each way through them told in order."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence

from elicit_tui.elicitation.settings import Settings
from elicit_tui.scenarios.one_scenario import Options, Ways, all_of
from elicit_tui.scenarios.result import Run, RunEvent, Suite
from elicit_tui.scenarios.scenario import Scenario
from elicit_tui.scenarios.snapshots import Snapshots


def processors() -> int:
    """How many ways are tried at once unless told: one for each processor of this process."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # Only some systems tell which of them a process may use.
        return os.cpu_count() or 1


async def run_scenarios(
    settings: Settings,
    scenarios: Sequence[Scenario],
    options: Options,
    suite: Suite,
    listener: Callable[[RunEvent], None] = lambda event: None,
) -> None:
    """Run them, and fill the suite in order as runs end, so that an interrupted one has the rest.

    `listener` is told of the end of each run in that order, and of all else as it happens. Raises
    UsageError when snapshots cannot be read or written.
    """
    files = dict.fromkeys(scenario.file for scenario in scenarios)
    snapshots = {file: Snapshots(file) for file in files}
    # Held by whoever runs a call, so that never more than `jobs` servers are at it together.
    free = asyncio.Semaphore(max(1, options.jobs))
    units = [
        Ways(settings, scenario, era, options, snapshots[scenario.file], free, listener)
        for scenario in scenarios
        for era in options.eras
    ]
    ended = _InOrder(units, suite, listener)
    try:
        await all_of(_run_chain(chain, ended) for chain in _chains(units))
    finally:
        ended.tell_the_rest()
    if options.update:
        for file in snapshots.values():
            if file.write():
                suite.snapshot_files.append(str(file.path))


async def _run_chain(chain: Sequence[Ways], ended: _InOrder) -> None:
    for unit in chain:
        await unit.run(ended.tell_ended)


def _chains(units: Sequence[Ways]) -> list[list[Ways]]:
    """What has to run one after the other: scenarios whose servers share what is watched.

    The eras of one scenario follow each other as well, as their questions are compared.
    """
    chains: list[tuple[set[str], list[Ways]]] = []
    # A server that is watched for one scenario may be changed by any other that calls it.
    watched = {unit.scenario.server for unit in units if unit.scenario.watch}
    for unit in units:
        scenario = unit.scenario
        # Whatever shares a key has to wait for the other.
        keys = {f"scenario {scenario.file} {scenario.name}", *scenario.watch}
        if scenario.server in watched:
            keys.add(f"server {scenario.server}")
        # A unit may join several chains, which become one.
        joined = [chain for chain in chains if chain[0] & keys]
        chains = [chain for chain in chains if not chain[0] & keys]
        keys = keys.union(*(chain_keys for chain_keys, _ in joined))
        together = [earlier for _, chain in joined for earlier in chain]
        chains.append((keys, [*together, unit]))
    # In the order of the file, chain by chain and within each.
    order = {unit: number for number, unit in enumerate(units)}
    ordered = [sorted(chain, key=order.__getitem__) for _, chain in chains]
    return sorted(ordered, key=lambda chain: order[chain[0]])


class _InOrder:
    """Tells of the ends of runs in the order of their scenarios, and puts them into the suite."""

    def __init__(
        self, units: Sequence[Ways], suite: Suite, listener: Callable[[RunEvent], None]
    ) -> None:
        self._left = list(units)
        self._suite = suite
        self._listener = listener

    def tell_ended(self) -> None:
        """Tell of those that ended, as far as none that comes before them is missing."""
        while self._left:
            # The first that has not ended holds up all that come after it.
            unit = self._left[0]
            while (run := unit.next_run) is not None:
                unit.told_runs += 1
                self._end(run)
            if not unit.over:
                return
            self._left.pop(0)

    def tell_the_rest(self) -> None:
        """Tell of all that ended, as no more will."""
        for unit in self._left:
            for run in unit.runs[unit.told_runs :]:
                if run is not None:
                    self._end(run)
        self._left.clear()

    def _end(self, run: Run) -> None:
        self._suite.runs.append(run)
        self._listener(RunEvent("ended", run))
