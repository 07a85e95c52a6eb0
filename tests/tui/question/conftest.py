from __future__ import annotations

import pytest

from elicit_tui.tui.question import debounce


@pytest.fixture
def real_pause() -> None:
    """For a test about the pause itself: it stays as long as it is."""


@pytest.fixture(autouse=True)
def quick_to_hear(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Most tests need no pause before a decision."""
    monkeypatch.setattr(debounce.Debounce, "last_input", float("-inf"))
    if "real_pause" not in request.fixturenames:
        monkeypatch.setattr(debounce, "DEAF_SECONDS", 0.0)
