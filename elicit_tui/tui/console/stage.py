"""Brings questions on the screen one at a time, and takes them off without losing a word."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from elicit_tui.tui.breakage import not_shown
from elicit_tui.tui.console.waiting import Waiting

if TYPE_CHECKING:
    from elicit_tui.broker.events import Resolved
    from elicit_tui.elicitation import Finding, Outcome
    from elicit_tui.form import Draft, DraftStore
    from elicit_tui.tui.console.application import ConsoleApp
    from elicit_tui.tui.question import QuestionScreen


AROUND: Final = (
    ("next_question", "Next question", "the one after this, what you typed is kept"),
    ("mute_loop", "Mute server", "for this run: what it asks is cancelled"),
    ("allowances", "Allowances", "what may be called without asking"),
)
"""What the console can do while a question is on the screen: (action, words, what it does)."""


class QuestionStage:
    """Decides which question is on the screen; everything runs in the application's own loop."""

    def __init__(self, app: ConsoleApp) -> None:
        self._app = app
        self._session = app.session
        self._questions = app.session.questions
        self._screen: QuestionScreen | None = None
        self._broken: QuestionScreen | None = None
        self._drafts: DraftStore | None = None
        self._kept: dict[str, Draft] = {}
        self._decided: dict[str, Draft | None] = {}
        """What was typed into the questions that were decided here and have not ended yet."""

    # What the responder tells

    def question_came(self, waiting: Waiting) -> None:
        """A question joined the queue."""
        self._session.changed()
        self._app.call_later(self._arrived, waiting)

    def question_went(self, waiting: Waiting) -> None:
        """A question left the queue: answered, withdrawn or out of time."""
        self._session.changed()
        self._app.call_later(self.consider)

    def _arrived(self, waiting: Waiting) -> None:
        if self._questions.get(waiting.question.id) is None:
            return
        self.consider()
        shown = self._questions.open is waiting
        self._app.herald.question(waiting, shown=shown)

    # What is on the screen

    def consider_soon(self) -> None:
        """Look again once the present message has been handled."""
        self._app.call_later(self.consider)

    def consider(self) -> None:
        """Take down what is answered; open the next question where that disturbs nobody."""
        view = self._screen.view if self._screen is not None else None
        if view is not None and self._questions.get(view.question.id) is None:
            self.take_down()
            self._app.screen_was_answered()
        if self._screen is None and self._app.may_be_interrupted():
            following = self._questions.next_to_open()
            if following is not None:
                self.open(following)
        self._show_places()

    def _show_places(self) -> None:
        screen, waiting = self._screen, self._questions.open
        if screen is None or screen is self._broken or waiting is None or not screen.is_mounted:
            return
        screen.view.place_in_queue(*self._questions.place(waiting))

    def open(self, waiting: Waiting) -> None:
        """Bring this question on the screen, in place of the one that is there."""
        if self._questions.open is waiting:
            return
        self.take_down()
        self._app.typed_ahead.discard()
        waiting.put_off = False
        try:
            self._screen = self._screen_of(waiting)
        except Exception as error:  # noqa: BLE001 - a fault of ours costs this question only
            self.answered(waiting.question.id, not_shown(error))
            return
        self._questions.open = waiting
        self._app.push_screen(self._screen)
        self._app.typed_ahead.discard()

    def open_next(self) -> None:
        """Switch to the question after the one on the screen."""
        following = self._questions.after(self._questions.open)
        if following is not None:
            self.open(following)

    def take_down(self) -> None:
        """Take the question off the screen, with everything that lies over it; keep its draft."""
        screen, self._screen = self._screen, None
        waiting, self._questions.open = self._questions.open, None
        if screen is None:
            return
        self._app.typed_ahead.discard()
        if screen.is_mounted and screen is not self._broken:
            draft = screen.view.draft
            screen.view.keep_draft()
            if waiting is not None and self._questions.get(waiting.question.id) is not None:
                self._kept[waiting.question.id] = draft
            elif waiting is not None:
                self._kept.pop(waiting.question.id, None)
        while screen in self._app.screen_stack:
            self._app.pop_screen()

    def _screen_of(self, waiting: Waiting) -> QuestionScreen:
        from elicit_tui.form import DraftStore
        from elicit_tui.tui.question import QuestionScreen, QuestionView
        from elicit_tui.tui.question.actions import Action

        if self._drafts is None:
            self._drafts = DraftStore()
        question = waiting.question
        form = None
        if question.request.mode == "form":
            from elicit_tui.form import read_form

            form = read_form(question.request.requested_schema or {})
        view = QuestionView(
            question,
            form,
            waiting.deadline,
            settings=self._session.settings.elicitation,
            examine=self._examine(question.request.requested_schema),
            draft=self._kept.get(question.id),
            drafts=self._drafts,
            queue_position=self._questions.place(waiting),
            around=tuple(
                Action(f"app.{name}", label, self._app.key_of(f"console.{name}"), does)
                for name, label, does in AROUND
            ),
        )
        return QuestionScreen(view)

    def _examine(self, schema: Mapping[str, Any] | None) -> Any:
        guardian = self._app.guardian

        def examine(content: Mapping[str, Any]) -> tuple[Finding, ...]:
            return () if guardian is None else guardian.outgoing(content, schema)

        return examine

    # What the view says

    def answered(self, question_id: str, outcome: Outcome, draft: Draft | None = None) -> None:
        """The person decided; `draft` is what stood in the form."""
        waiting = self._questions.get(question_id)
        if waiting is not None and not waiting.answer.done():
            waiting.answer.set_result(outcome)
            self._decided[question_id] = draft
        self._kept.pop(question_id, None)

    def ended(self, event: Resolved) -> bool | None:
        """Whether what was typed for a question that ended is kept; None: its form ended it."""
        request = event.request
        decided = request.id in self._decided
        draft = self._decided.pop(request.id, None)
        if decided and event.outcome.decided_by == "user":
            return None
        if draft is not None and self._drafts is not None:
            # The answer was given and never left.
            self._drafts.keep(request, draft)
        return self._drafts is not None and self._drafts.find(request) is not None

    def give_up(self, question_id: str, outcome: Outcome) -> None:
        """Its widgets broke: it ends, and nothing is asked of them any more."""
        if self._screen is not None and self._screen.question.id == question_id:
            self._broken = self._screen
        self.answered(question_id, outcome)

    def put_off(self, question_id: str) -> None:
        """The person wants it later: back to the queue."""
        waiting = self._questions.get(question_id)
        if waiting is not None:
            waiting.put_off = True
        self.take_down()

    def completed(self, server: str, elicitation_id: str) -> None:
        """The server says that what its URL asked for is done, on the screen or put off."""
        from elicit_tui.elicitation import accept
        from elicit_tui.tui.question.view import FINISHED

        for waiting in self._questions:
            request = waiting.question.request
            if waiting.server != server or request.elicitation_id != elicitation_id:
                continue
            if self._screen is not None and waiting is self._questions.open:
                self._screen.view.completed()
            elif (draft := self._kept.get(waiting.question.id)) is not None and draft.opened:
                self.answered(waiting.question.id, accept("user", FINISHED, None))
