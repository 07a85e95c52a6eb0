"""Where each microsecond of a warm call through the gateway goes.

A gateway with time stamps (`stamped_gateway`) answers an agent that makes one call at a time; all
clocks are the machine's. Each stage runs from the stamp before it to its own, so that the stages of
one call are its whole; beside it stands the same call through a gateway without stamps.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from time import perf_counter
from typing import Final, Protocol

STAGES: Final = (
    ("agent came", "pipes", "the agent writes; the gateway wakes up"),
    ("agent read", "ours", "the line is read and parsed"),
    ("dispatched", "SDK", "its server half finds who answers"),
    ("held", "ours", "name, session, joining; a task for the call"),
    ("connected", "ours", "connection, what is allowed for the session"),
    ("passed", "ours", "policy and rights (guardian: only of a question)"),
    ("server spelled", "SDK", "its client half makes the request; the wire judges"),
    ("server came", "server", "it is written; its own time; the gateway wakes up"),
    ("server read", "ours", "the answer is read and parsed"),
    ("judged", "ours", "the wire judges, and keeps it as it came"),
    ("woken", "SDK", "its client half wakes who waits"),
    ("ended", "ours", "the call ends below"),
    ("answered", "ours", "the held call ends; what the agent is told"),
    ("enveloped", "SDK", "its server half makes the response"),
    ("agent spelled", "ours", "the response as a line"),
    ("agent", "pipes", "it is written; the agent wakes up"),
)
"""What a stage ends with, whose it is, and what happens in it."""

AGENT: Final = "agent"
"""The last stamp, which the agent itself makes."""


class Calling(Protocol):
    """An agent that makes one call at a time."""

    def call(self, tool: str) -> float:
        """The seconds of one call."""

    def close(self) -> None:
        """Hang up."""


def stages(stamped: Calling, stamps: Path, plain: Calling, tool: str, calls: int) -> str:
    """The table of one run; `stamps` is where the stamped gateway leaves its own."""
    spans, without = [], []
    for _ in range(calls):
        began = perf_counter()
        stamped.call(tool)
        spans.append((began, perf_counter()))
        without.append(plain.call(tool))
    stamped.close()
    plain.close()
    made = [(str(name), float(at)) for name, at in json.loads(stamps.read_text())]
    return _table(_taken(spans[calls // 5 :], made), without[calls // 5 :])


def _taken(
    spans: Sequence[tuple[float, float]], made: Sequence[tuple[str, float]]
) -> list[list[float]]:
    """Each call's seconds by stage, of those that went straight through.

    A call now and then asks for the server's list of tools first (`LIVE_SECONDS` in `host/gate`).
    """
    order = [name for name, _, _ in STAGES]
    taken, at = [], 0
    for began, ended in spans:
        while made[at][1] < began:
            at += 1
        passed = []
        while at < len(made) and made[at][1] < ended:
            passed.append(made[at])
            at += 1
        if [*(name for name, _ in passed), AGENT] != order:
            continue
        times = [began, *(moment for _, moment in passed), ended]
        taken.append([later - earlier for earlier, later in pairwise(times)])
    if len(taken) < len(spans) * 0.9:
        raise SystemExit("The stages of a call are others than `STAGES` says.")
    return taken


def _table(taken: Sequence[Sequence[float]], without: Sequence[float]) -> str:
    """Of the fastest quarter: the slower calls tell what else the machine had to do."""
    taken = sorted(taken, key=sum)[: max(1, len(taken) // 4)]
    without = sorted(without)[: max(1, len(without) // 4)]
    middle = [statistics.median(spent) * 1e6 for spent in zip(*taken, strict=True)]
    whole = statistics.median(sum(each) for each in taken) * 1e6
    lines = [
        f"{'where each microsecond goes (the fastest quarter)':56}{'whose':>8}{'µs':>7}{'share':>8}"
    ]
    lines += [
        f"  {what:54}{whose:>8}{spent:7.0f}{spent / whole:8.1%}"
        for (_, whose, what), spent in zip(STAGES, middle, strict=True)
    ]
    for owner in dict.fromkeys(whose for _, whose, _ in STAGES):
        spent = sum(
            one for (_, whose, _), one in zip(STAGES, middle, strict=True) if whose == owner
        )
        lines.append(f"{'':56}{owner:>8}{spent:7.0f}{spent / whole:8.1%}")
    bare = statistics.median(without) * 1e6
    lines.append(f"{'the stages together':64}{sum(middle):7.0f}{sum(middle) / whole:8.1%}")
    lines.append(f"{'the call, with time stamps':64}{whole:7.0f}{1:8.1%}")
    lines.append(f"{'the same call without them':64}{bare:7.0f}{bare / whole:8.1%}")
    return "\n".join(lines)
