"""Whoever answers without a screen, nobody too; and the one way to the browser."""

from elicit_tui.responders.nobody import NobodyResponder

__all__ = ["NobodyResponder"]
