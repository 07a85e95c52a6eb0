"""`python -m tests.benchmarks [NAME…]`: every figure as a median and a ratio to its baseline."""

from __future__ import annotations

import importlib
import sys

BENCHMARKS = (
    "start",
    "paint",
    "form",
    "flood",
    "load",
    "guardian",
    "scenarios",
    "gateway",
    "store",
    "bridge",
)

for name in sys.argv[1:] or BENCHMARKS:
    print(f"\n══ {name}")
    importlib.import_module(f"tests.benchmarks.{name}").main()
