"""A stand for each test, cleared away afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.register_assert_rewrite("tests.faults.stand", "tests.faults.console")

from tests.faults.stand import Stand  # noqa: E402 - its assertions are told in full


@pytest.fixture
def stand(tmp_path: Path) -> Iterator[Stand]:
    made = Stand(tmp_path)
    yield made
    made.clear_away()
