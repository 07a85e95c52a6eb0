"""The table for people: every row that a test of this folder proves, as Markdown."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Final

README: Final = Path(__file__).with_name("README.md")
HEAD: Final = """# What happens when something goes wrong

Each row is a test with real processes; `python -m tests.faults` writes this table from the tests,
and a test holds the two together. What was sent is what the server noted down; the ledger is read
after the run. "Nothing" left behind: no process, no temporary file, nothing unknown in the state
directory, and a terminal with the attributes and the modes that it had before.

"""
COLUMNS: Final = (
    "fault",
    "what was done",
    "what the person saw",
    "exit code",
    "what was sent",
    "in the ledger",
    "left behind",
    "test",
)


def table() -> str:
    """The whole file."""
    lines = [" | ".join(["", *COLUMNS, ""]).strip(), "|---" * len(COLUMNS) + "|"]
    for file in sorted(Path(__file__).parent.glob("test_*.py")):
        module = importlib.import_module(f"tests.faults.{file.stem}")
        for name, test in vars(module).items():
            for row in getattr(test, "rows", ()) if name.startswith("test_") else ():
                shown = " | ".join(cell.replace("|", "\\|") for cell in row.cells)
                case = f"[{row.case}]" if hasattr(test, "case_by_case") else ""
                lines.append(f"| {shown} | `{file.name}::{name}{case}` |")
    return HEAD + "\n".join(lines) + "\n"
