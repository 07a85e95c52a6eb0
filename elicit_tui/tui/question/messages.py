"""What a question on the screen tells whoever holds it."""

from __future__ import annotations

from textual.message import Message

from elicit_tui.elicitation import Outcome, Question


class QuestionMessage(Message):
    """Something happened to this question."""

    def __init__(self, question: Question) -> None:
        super().__init__()
        self.question = question


class Painted(QuestionMessage, namespace="question_view"):
    """It was painted for the first time."""


class PageTurned(QuestionMessage, namespace="question_view"):
    """Another of its pages is on the screen, or other buttons on the same one."""


class Later(QuestionMessage, namespace="question_view"):
    """The person wants another question first; what was typed is in the draft."""


class Answered(QuestionMessage, namespace="question_view"):
    """The person decided; the outcome is complete and ready to return."""

    def __init__(self, question: Question, outcome: Outcome) -> None:
        super().__init__(question)
        self.outcome = outcome
