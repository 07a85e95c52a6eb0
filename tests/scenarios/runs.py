"""Scenario files, and `elicit-tui test` run on them as a process."""

from __future__ import annotations

from pathlib import Path

from tests.cli.running import DEMO, SECONDS, Ended, run

LONG = 240

CACHE = """
[[scenario]]
name = "clears the cache"
server = "demo"
call = "clear_cache"
expect = { structured = { "/cleared" = true }, text = "The cache is empty*", questions = 1 }

[[scenario.answers]]
message = "Clear*"
content = {}
"""
BOOKS = """
[[scenario]]
name = "books a table"
server = "table"
call = "book"
expect = { structured = { "/booked" = true }, questions = 1 }

[[scenario.answers]]
message = "For how many*"
content = { guests = 3 }
"""


def scenarios(directory: Path, text: str, name: str = "scenarios.toml") -> Path:
    file = directory / name
    file.write_text(text, encoding="utf-8")
    return file


def outcome_of(file: Path, *options: str, server: str = DEMO, seconds: float = SECONDS) -> Ended:
    arguments = ("--with", server, "test", str(file), "--output", "json", *options)
    return run(*arguments, seconds=seconds)


def ways(ended: Ended) -> dict[str, bool]:
    return {f"{run['branch']} {run['era']}": run["passed"] for run in ended.document["runs"]}


def failures(ended: Ended) -> str:
    return "\n".join(each for run in ended.document["runs"] for each in run["failures"])
