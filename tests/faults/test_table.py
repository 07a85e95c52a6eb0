"""The table for people is what the tests prove."""

from __future__ import annotations

import ast

from tests.faults.table import README, table


def test_the_table_is_written_from_the_tests() -> None:
    assert README.read_text(encoding="utf-8") == table(), "run: python -m tests.faults"


def test_every_test_of_a_fault_has_its_row() -> None:
    shown = README.read_text(encoding="utf-8")
    for file in sorted(README.parent.glob("test_*.py")):
        if file.name == "test_table.py":
            continue
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                assert f"`{file.name}::{node.name}" in shown
