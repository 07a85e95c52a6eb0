"""Questions of `call` as a form under the shell prompt, drawn on standard error."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from elicit_tui.elicitation import Deadline, Outcome, Question, accept
from elicit_tui.elicitation.settings import ElicitationSettings
from elicit_tui.form import Draft, DraftStore, Form, read_form
from elicit_tui.tui.breakage import not_shown
from elicit_tui.tui.inline_app import InlineApp
from elicit_tui.tui.question.view import FINISHED, Examine, QuestionView
from elicit_tui.tui.theme import DEFAULT_THEME


@dataclass(eq=False)
class _Waiting:
    """One question that waits for its answer here."""

    question: Question
    form: Form | None
    deadline: Deadline
    answer: asyncio.Future[Outcome]
    draft: Draft | None = None
    """What was typed, or that its page was opened, before it was put off."""


class InlineResponder:
    """Answers questions in one small app for as long as any waits (an `elicitation.Responder`).

    Standard output is never written to. Several questions queue; Later shows the next one. The
    outcome of the last one is returned once the terminal is as it was.
    """

    def __init__(
        self,
        settings: ElicitationSettings,
        examine: Examine,
        *,
        theme: str = DEFAULT_THEME,
        keys: Mapping[str, str] | None = None,
        interrupt: Callable[[], None] | None = None,
        opener: Callable[[str], bool] | None = None,
        headless: bool = False,
    ) -> None:
        """`keys` are the owner's own, by action id (`console.keys`).

        `interrupt` is called after Ctrl+C, with the terminal restored; as shipped: SIGINT.
        """
        self.settings = settings
        self.examine = examine
        self.theme = theme
        self.keys = dict(keys or {})
        self.drafts = DraftStore()
        self._interrupt = interrupt or _raise_interrupt
        self._interrupted = False
        self._opener = opener
        self._headless = headless
        self._queue: list[_Waiting] = []
        self._app: InlineApp | None = None
        self._running: asyncio.Task[None] | None = None

    async def respond(self, question: Question, deadline: Deadline) -> Outcome:
        """Ask the person; cancelled from outside, the form goes and the terminal is restored."""
        request = question.request
        form = None if request.mode == "url" else read_form(request.requested_schema)
        waiting = _Waiting(question, form, deadline, asyncio.get_running_loop().create_future())
        self._queue.append(waiting)
        self._show()
        try:
            return await waiting.answer
        finally:
            if waiting in self._queue:
                self._queue.remove(waiting)
            self._show()
            if not self._queue and self._running is not None:
                await asyncio.shield(self._running)

    @property
    def open(self) -> bool:
        """Whether a form is on the terminal just now."""
        return self._running is not None

    @property
    def app(self) -> InlineApp | None:
        """The app on the terminal, for tests that drive it."""
        return self._app

    def completed(self, server: str, elicitation_id: str) -> None:
        """The server reported the page of a url question finished, shown or put off."""
        view = self._app.shown if self._app is not None else None
        for waiting in list(self._queue):
            request = waiting.question.request
            if request.server.name != server or request.elicitation_id != elicitation_id:
                continue
            if view is not None and view.question is waiting.question:
                view.completed()
            elif waiting.draft is not None and waiting.draft.opened:
                self._answered(waiting.question, accept("user", FINISHED, None))
                self._show()

    def _show(self) -> None:
        """Have the head of the queue on the screen, or nothing."""
        if self._running is None:
            if self._queue and not self._interrupted:
                self._running = asyncio.create_task(self._run())
        elif self._app is not None:
            self._app.refresh_question()

    def _view(self, number: int) -> QuestionView | None:
        """A new view of the head of the queue, for the app to show."""
        if not self._queue:
            return None
        head = self._queue[0]
        return QuestionView(
            head.question,
            head.form,
            head.deadline,
            settings=self.settings,
            examine=self.examine,
            draft=head.draft,
            drafts=self.drafts,
            queue_position=(1, len(self._queue)),
            opener=self._opener,
            id=f"question-{number}",
        )

    def _head(self) -> tuple[Question | None, int]:
        return (self._queue[0].question if self._queue else None), len(self._queue)

    def _answered(self, question: Question, outcome: Outcome) -> None:
        for waiting in self._queue:
            if waiting.question is question:
                self._queue.remove(waiting)
                if not waiting.answer.done():
                    waiting.answer.set_result(outcome)
                break

    def _later(self, question: Question, draft: Draft) -> bool:
        """Put a question to the end of the queue; False when it is the only one."""
        if len(self._queue) < 2:
            return False
        for waiting in self._queue:
            if waiting.question is question:
                self._queue.remove(waiting)
                self._queue.append(waiting)
                waiting.draft = draft
                break
        return True

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        factory = loop.get_task_factory()
        self._app = app = InlineApp(
            head=self._head,
            view=self._view,
            answered=self._answered,
            later=self._later,
            theme=self.theme,
        )
        app.give_keys(self.keys)
        try:
            with size_of_standard_error():
                await app.run_async(inline=not self._headless, headless=self._headless)
        finally:
            loop.set_task_factory(factory)
            self._app = self._running = None
        if app.interrupted:
            self._interrupted = True
            self._interrupt()
        elif app.failure is not None:
            for waiting in list(self._queue):
                self._answered(waiting.question, not_shown(app.failure))
        else:
            self._show()


@contextlib.contextmanager
def size_of_standard_error() -> Iterator[None]:
    """Have the terminal's size read from standard error, where the form is drawn.

    The drivers ask `sys.__stdout__` for it, which is no terminal when stdout is redirected: the
    app would then believe 80x24 for ever. Whoever writes data keeps the real stream.
    """
    real = sys.__stdout__
    sys.__stdout__ = sys.__stderr__  # type: ignore[misc]
    try:
        yield
    finally:
        sys.__stdout__ = real  # type: ignore[misc]


def _raise_interrupt() -> None:
    signal.raise_signal(signal.SIGINT)
