from __future__ import annotations

import pytest
from textual.drivers.headless_driver import HeadlessDriver

from elicit_tui.tui import question_gate


@pytest.fixture
def real_pause() -> None:
    """For a test about the pause itself: it stays as long as it is."""


@pytest.fixture(autouse=True)
def quick_to_hear(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Most tests need no pause before a decision."""
    monkeypatch.setattr(question_gate.Debounce, "last_input", float("-inf"))
    if "real_pause" not in request.fixturenames:
        monkeypatch.setattr(question_gate, "DEAF_SECONDS", 0.0)


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Everything that is written to the terminal, one text for each writing."""
    written: list[str] = []
    monkeypatch.setattr(HeadlessDriver, "is_headless", property(lambda driver: False))
    monkeypatch.setattr(HeadlessDriver, "write", lambda driver, data: written.append(data))
    return written
