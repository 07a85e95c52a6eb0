"""The table for people: every row that a test of this folder proves, as Markdown."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Final

README: Final = Path(__file__).with_name("README.md")
HEAD: Final = """# What happens when something goes wrong

Each row is a test with real processes; `python -m tests.faults` writes this table from the tests,
and a test holds the two together. "Nothing" left behind: no process, no temporary file, nothing
unknown in the state directory, and the terminal as it was. "Handshake, list, call" is what every
call sends; a server that no longer reads gets less.

| fault | what was done | what the person saw | exit code | what was sent | left behind | test |
|---|---|---|---|---|---|---|
"""


def table() -> str:
    """The whole file."""
    lines = []
    for file in sorted(Path(__file__).parent.glob("test_*.py")):
        module = importlib.import_module(f"tests.faults.{file.stem}")
        for name, test in vars(module).items():
            for row in getattr(test, "rows", ()) if name.startswith("test_") else ():
                case = f"[{row.case}]" if row.case else ""
                code = "" if row.code is None else str(row.code)
                cells = (row.fault, row.done, row.saw, code, row.sent, row.left)
                shown = " | ".join(cell.replace("|", "\\|") for cell in cells)
                lines.append(f"| {shown} | `{file.name}::{name}{case}` |")
    return HEAD + "\n".join(lines) + "\n"
