"""One question in its frame: who asks, what was found, the message, the fields, the way out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from textual.containers import Vertical
from textual.message import Message

from elicit_tui.elicitation import Deadline, Finding, Outcome, Question
from elicit_tui.elicitation.settings import ElicitationSettings
from elicit_tui.form import Form
from elicit_tui.tui.question.drafts import Draft, DraftStore

Examine = Callable[[Mapping[str, Any]], tuple[Finding, ...]]
"""Looks at content before it is sent (the guardian's outgoing rules)."""


class QuestionView(Vertical):
    """Shows one question and posts exactly one `Answered`, or `Later`.

    The view starts the deadline when it is painted and touches it on each key. Whoever holds it
    takes it off the screen after `Answered` or `Later`, or when the question is withdrawn.
    """

    class Answered(Message):
        """The person decided; the outcome is complete and ready to return."""

        def __init__(self, view: QuestionView, outcome: Outcome) -> None:
            super().__init__()
            self.view = view
            self.outcome = outcome

        @property
        def question(self) -> Question:
            """The question that was answered."""
            return self.view.question

    class Later(Message):
        """The person wants another question first; what was typed is in the draft."""

        def __init__(self, view: QuestionView, draft: Draft) -> None:
            super().__init__()
            self.view = view
            self.draft = draft

        @property
        def question(self) -> Question:
            """The question that was put back."""
            return self.view.question

    def __init__(
        self,
        question: Question,
        form: Form | None,
        deadline: Deadline,
        *,
        settings: ElicitationSettings,
        examine: Examine,
        draft: Draft | None = None,
        drafts: DraftStore | None = None,
        queue_position: tuple[int, int] = (1, 1),
        opener: Callable[[str], bool] | None = None,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        """Show `question`; `form` is None in url mode.

        `queue_position` is (place from 1, how many). With `drafts`, what is typed is kept there
        as it is typed, restored from there, and forgotten once sent. `opener` hands a URL to the
        system's browser and says whether it started.
        """
        super().__init__(id=id, classes=classes)
        self.question = question
        self.form = form
        self.deadline = deadline
        self.settings = settings
        self.examine = examine
        self.drafts = drafts

    @property
    def draft(self) -> Draft:
        """What is typed at this moment."""
        raise NotImplementedError

    @property
    def typed(self) -> bool:
        """Whether the person typed or chose anything: then nothing may be opened over it."""
        raise NotImplementedError

    def place_in_queue(self, place: int, of: int) -> None:
        """Show another place in the queue."""
        raise NotImplementedError

    def completed(self) -> None:
        """The server said that what its URL asked for is done (url mode only)."""
        raise NotImplementedError
