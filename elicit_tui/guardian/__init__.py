"""Risk found by rule in one request, and secrets found in an answer; no network, no model."""

from elicit_tui.guardian.guardian import Guardian

__all__ = ["Guardian"]
