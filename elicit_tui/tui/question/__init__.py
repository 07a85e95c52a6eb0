"""Everything that shows one question."""

from elicit_tui.tui.question.screen import QuestionScreen
from elicit_tui.tui.question.view import QuestionView

__all__ = ["QuestionScreen", "QuestionView"]
