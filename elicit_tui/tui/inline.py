"""Questions of `call` as a form under the shell prompt, drawn on standard error."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

from elicit_tui.elicitation import (
    Deadline,
    ElicitationRequest,
    Outcome,
    Pending,
    Question,
    Queue,
    finished,
)
from elicit_tui.elicitation.settings import ConsoleSettings, ElicitationSettings
from elicit_tui.responders.browser import open_in_browser
from elicit_tui.tui.inline_app import InlineApp
from elicit_tui.tui.ordered_app import not_shown
from elicit_tui.tui.question.frame_heading import Surroundings
from elicit_tui.tui.question.view import QuestionView
from elicit_tui.tui.question_gate import LastVanished
from elicit_tui.tui.textual_terminal import watched_terminal
from elicit_tui.tui.theme import DEFAULT_THEME

SentBefore: TypeAlias = Callable[[ElicitationRequest], Mapping[str, Any]]


def _nothing_sent(request: ElicitationRequest) -> Mapping[str, Any]:
    return {}


class InlineResponder:
    """Answers questions in one small app for as long as any waits (an `elicitation.Responder`).

    Standard output is never written to. Several questions queue; Later shows the next one. The
    outcome of the last one is returned once the terminal is as it was.
    """

    def __init__(
        self,
        settings: ElicitationSettings,
        queue: Queue,
        *,
        console: ConsoleSettings | None = None,
        interrupt: Callable[[], None] | None = None,
        sent_before: SentBefore = _nothing_sent,
        opener: Callable[[str], bool] = open_in_browser,
        headless: bool = False,
    ) -> None:
        """`console`: the theme and the keys of the owner.

        `interrupt` is called after Ctrl+C, with the terminal restored; as shipped: SIGINT.
        `sent_before`: what a form was answered last, to fill it in by a key.
        """
        self.settings = settings
        self._console = console or ConsoleSettings(theme=DEFAULT_THEME)
        self._interrupt = interrupt or _raise_interrupt
        self._interrupted = False
        self._sent_before = sent_before
        self._opener = opener
        self._headless = headless
        self._queue = queue
        self._app: InlineApp | None = None
        self._running: asyncio.Task[None] | None = None
        self._last = LastVanished()
        self._first = True
        """Whether no question was asked yet."""

    async def respond(self, question: Question, deadline: Deadline) -> Outcome:
        """Ask the person; cancelled from outside, the form goes and the terminal is restored."""
        pending = self._queue.get(question.id)
        assert pending is not None, "the broker queues a question before it asks"
        self._show()
        try:
            return replace(await pending.answered, via="inline")
        finally:
            view = self._app.shown if self._app is not None else None
            if view is not None and view.question is question and not pending.was_answered:
                self._last.vanished(question.draft)
            self._show()
            if not len(self._queue) and self._running is not None:
                await asyncio.wait([self._running])

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
        for pending in self._queue:
            request = pending.question.request
            if pending.server != server or request.elicitation_id != elicitation_id:
                continue
            view = self._app.shown if self._app is not None else None
            if view is not None and view.question is pending.question:
                view.completed()
            elif pending.question.draft.opened:
                pending.answer(finished(pending.question))
                self._show()

    def _show(self) -> None:
        """Have the right question on the screen, or nothing."""
        if self._running is None:
            if len(self._queue) and not self._interrupted:
                self._running = asyncio.create_task(self._run())
                self._running.add_done_callback(self._broke_off)
        elif self._app is not None:
            self._app.refresh_question()

    def _view(self, pending: Pending, number: int, startled: bool) -> QuestionView:
        """A new view of a question, for the app to show."""
        in_its_place = self._last.comes_behind(pending.question.draft)
        around = Surroundings(
            self.settings.review,
            self._queue.place(pending),
            self._opener,
            last=self._sent_before(pending.question.request),
            shelf=False,
        )
        return QuestionView(
            pending.question,
            pending.deadline,
            around,
            startled=startled,
            follows="" if in_its_place else None,
            id=f"question-{number}",
        )

    def _broke_off(self, run: asyncio.Task[None]) -> None:
        """What waits for a form that could not be started, or ended in an error, ends with it."""
        error = None if run.cancelled() else run.exception()
        if isinstance(error, Exception):
            for pending in self._queue:
                pending.answer(not_shown(error))

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        factory = loop.get_task_factory()
        self._app = app = InlineApp(
            self._queue, self._view, theme=self._console.theme, first=self._first
        )
        self._first = False
        app.give_keys(dict(self._console.keys))
        try:
            with watched_terminal(_raise_hang_up):
                await app.run_async(inline=not self._headless, headless=self._headless)
        finally:
            loop.set_task_factory(factory)
            self._app = self._running = None
        if app.interrupted:
            self._interrupted = True
            self._interrupt()
        elif app.failure is not None:
            for pending in self._queue:
                pending.answer(not_shown(app.failure))
        else:
            self._show()


def _raise_interrupt() -> None:
    signal.raise_signal(signal.SIGINT)


def _raise_hang_up() -> None:
    """End the run as the system does for those whom the terminal controls, also under nohup."""
    number = getattr(signal, "SIGHUP", signal.SIGINT)
    ignored = signal.getsignal(number) is signal.SIG_IGN
    signal.raise_signal(signal.SIGINT if ignored else number)
