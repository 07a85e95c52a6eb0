"""`python -m tests.faults`: write README.md anew from the tests."""

from tests.faults.table import README, table

README.write_text(table(), encoding="utf-8")
