"""Whoever answers without a screen: nobody, plain line prompts, and a recorder around either."""

from elicit_tui.responders.nobody import NobodyResponder
from elicit_tui.responders.recorder import AnswerRecorder, RecordedAnswer

__all__ = ["AnswerRecorder", "NobodyResponder", "RecordedAnswer"]
