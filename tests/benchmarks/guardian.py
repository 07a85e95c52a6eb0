"""What the guardian costs: `python -m tests.benchmarks.guardian`."""

from __future__ import annotations

import json
import subprocess
import sys
import time

from elicit_tui.elicitation import ElicitationRequest
from elicit_tui.guardian import Guardian
from tests.guardian.requests import TEXT, form
from tests.guardian.scores import OWN, SHARED, request_of


def seconds(guardian: Guardian, request: ElicitationRequest) -> float:
    best = float("inf")
    for _ in range(3):
        started = time.perf_counter()
        guardian.review(request)
        best = min(best, time.perf_counter() - started)
    return best


REPEATED = ("api_key", "token=", "que vous ", "we never ask for ", "密码", "what you ", "a,b ")
"""What a hostile text may repeat to be read slowly."""


def growth(name: str, rows: list[tuple[int, float]]) -> None:
    print(f"\n{name:>12}{'ms':>12}{'times the first':>18}{'size ratio':>14}")
    for size, cost in rows:
        ratio, larger = cost / rows[0][1], size / rows[0][0]
        print(f"{size:12,}{cost * 1000:12.2f}{ratio:18.1f}{larger:14,.0f}")


def main() -> None:
    code = (
        "import time;t=time.perf_counter();from elicit_tui.guardian import Guardian;"
        "g=Guardian();a=time.perf_counter();from tests.guardian.requests import form;"
        "g.review(form('How many?',n={'type':'integer'}));b=time.perf_counter();print(a-t,b-a)"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    imported, first = (float(word) * 1000 for word in loaded.stdout.split())
    print(f"import {imported:.0f} ms, first request {first:.0f} ms")
    guardian = Guardian()
    path = SHARED if SHARED.exists() else OWN
    items = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]
    for item in items:
        guardian.review(request_of(item))
    costs = [(seconds(guardian, request_of(item)), item["id"]) for item in items]
    slowest = max(costs)
    total = sum(cost for cost, _ in costs)
    print(f"{path.name}: {len(items) / total:,.0f} requests/s")
    print(f"slowest {slowest[0] * 1000:.1f} ms ({slowest[1]})")
    sizes = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)
    growth("message", [(n, seconds(guardian, form("word " * (n // 5), v=TEXT))) for n in sizes])
    counts = (1, 10, 100, 1_000)
    growth(
        "fields",
        [
            (n, seconds(guardian, form("x", **{f"field_{i}": TEXT for i in range(n)})))
            for n in counts
        ],
    )
    print(f"\n{'repeated':>20}{'ms':>8}{'times prose':>14}")
    prose = seconds(guardian, form("word " * 4_000, v=TEXT))
    for text in REPEATED:
        cost = seconds(guardian, form((text * 20_000)[:20_000], v=TEXT))
        print(f"{text!r:>20}{cost * 1000:8.0f}{cost / prose:14.1f}")


if __name__ == "__main__":
    main()
