"""Whoever answers without a screen, nobody too; a recorder; and the one way to the browser."""

from elicit_tui.responders.nobody import NobodyResponder
from elicit_tui.responders.recorder import AnswerRecorder, RecordedAnswer

__all__ = ["AnswerRecorder", "NobodyResponder", "RecordedAnswer"]
