"""Fixtures of the command line's tests."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.cli.asking_gateway import Gateway, asking_gateway


@pytest.fixture
async def gateway(sealed_machine: Path) -> AsyncIterator[Gateway]:
    async with asking_gateway() as asking:
        yield asking
