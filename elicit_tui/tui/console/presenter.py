"""Brings questions on the screen one at a time, and takes them off without losing a word."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Protocol

from elicit_tui.elicitation import Deadline, Outcome, Pending, Question, Queue, finished
from elicit_tui.tui.ordered_app import not_shown
from elicit_tui.tui.question_gate import LastVanished

if TYPE_CHECKING:
    from elicit_tui.broker.contracts import Resolved
    from elicit_tui.elicitation import ElicitationRequest
    from elicit_tui.tui.console.controller import Controller
    from elicit_tui.tui.question import QuestionScreen


# Answers the broker's questions through the console's screens.


class Presenter(Protocol):
    """Where questions are shown."""

    def question_came(self, pending: Pending) -> None:
        """Show it or announce it."""
        ...

    def question_went(self) -> None:
        """Take off the screen what is no longer asked; what was typed is kept."""
        ...


class ConsoleResponder:
    """Waits for what a screen answers to a question in the queue."""

    def __init__(self, queue: Queue, presenter: Presenter) -> None:
        self._queue = queue
        self._presenter = presenter

    async def respond(self, question: Question, deadline: Deadline) -> Outcome:
        """Have the question shown and wait; when cancelled, it leaves the screen."""
        pending = self._queue.get(question.id)
        assert pending is not None, "the broker queues a question before it asks"
        try:
            self._presenter.question_came(pending)
            return replace(await pending.answered, via="console")
        finally:
            self._presenter.question_went()


# Brings questions on the screen one at a time, and takes them off without losing a word.

AROUND: Final = (
    ("next_question", "Next question", "the one after this, what you typed is kept"),
    ("mute_loop", "Mute server", "for this run: what it asks is cancelled"),
    ("allowances", "Allowed tools", "called without asking in this session; to be revoked"),
)
"""What the console can do while a question is on the screen: (action, words, what it does)."""


class QuestionPresenter:
    """Decides which question is on the screen; everything runs in the application's own loop."""

    def __init__(self, app: Controller) -> None:
        self._app = app
        self._state = app.state
        self._shown: Pending | None = None
        self._screen: QuestionScreen | None = None
        self._broken: QuestionScreen | None = None
        self._left: frozenset[str] = frozenset()
        """What waited when the person went back to the queue: of that they choose themselves."""
        self._typed_into = LastVanished()
        """The one that went while somebody typed into it."""
        self._last = LastVanished()
        self._put_off: set[str] = set()
        """The questions that the person put off: each comes back only when they choose it."""
        self._fields: dict[str, str] = {}
        """Where in a question the person was when it left the screen, by its id."""
        self._answered_last = ""
        """The question that was answered last on these screens, by its id."""
        self._places_due = False
        """Whether the frame of the question has to tell what changed around it."""

    @property
    def _queue(self) -> Queue:
        return self._state.questions

    # What the responder tells

    def question_came(self, pending: Pending) -> None:
        """A question joined the queue."""
        self._state.changed()
        self._app.call_later(self._arrived, pending)

    def question_went(self) -> None:
        """A question left the queue: answered, withdrawn or out of time."""
        self._state.changed()
        self._app.call_later(self.consider)

    def _arrived(self, pending: Pending) -> None:
        if self._queue.get(pending.question.id) is not pending:
            return
        self.consider(came=pending)
        self._app.announce(pending, shown=self._shown is pending)

    # What is on the screen

    def consider_soon(self) -> None:
        """Look again once the present message has been handled."""
        self._app.call_later(self.consider)

    def consider(self, *, came: Pending | None = None) -> None:
        """Take down what is answered; open the next question where that disturbs nobody.

        `came`: this question has just arrived; one that a call of this console asks goes first.
        """
        shown = self._shown
        ended = shown is not None and self._queue.get(shown.question.id) is not shown
        if shown is not None and ended:
            if not shown.was_answered:
                self._last.vanished(shown.question.draft)
            if self._went_under_typing(shown):
                self._typed_into.vanished(shown.question.draft)
            self.take_down()
            if shown.was_answered:
                self._point_at_call_of(shown)
            self._app.screen_was_answered()
        if self._screen is None and self._app.may_be_interrupted():
            following = came if came is not None and self._is_own(came) else self._next_to_open()
            if self._app.via == "inbox":
                # The inbox is a list: what opens there was chosen, or was given back.
                following = came if came is not None and self._was_given_back(came) else None
            if following is not None:
                in_its_place = self._last.comes_behind(following.question.draft)
                replaces = in_its_place or (ended and shown is not None and shown.was_answered)
                if replaces or not self._waits_for_keys(following):
                    self.open(following, follows=_became_of(shown, following) if replaces else None)
        self._places_due = True

    def _waits_for_keys(self, pending: Pending) -> bool:
        """Whether it would open under keys that are pressed one behind another; then it is later.

        What was pressed up to the call that asks it was for just that.
        """
        calls = map(self._state.calls.get, (call.id for call in pending.question.request.calls))
        since = max((call.started for call in calls if call), default=float("-inf"))
        seconds = self._app.key_run.lasts(since)
        if seconds:
            self._app.set_timer(seconds, self._app.look_for_questions)
        return seconds > 0

    def _point_at_call_of(self, answered: Pending) -> None:
        """What became of the question just answered is what one sees under Calls."""
        request = self._state.as_it_stands(answered.question.request)
        calls = [call.id for call in request.calls if self._state.calls.get(call.id)]
        if len(calls) == 1:
            self._app.point_at_call(calls[0])

    def _is_own(self, pending: Pending) -> bool:
        """Whether a call of this console asks it: whoever just called waits for just that."""
        calls = self._state.calls
        return any(calls.get(call.id) is not None for call in pending.question.request.calls)

    def _was_given_back(self, pending: Pending) -> bool:
        """Whether the person answered it here, and the answer could not go out."""
        return pending.question.attempt > 1 and pending.question.id == self._answered_last

    def _next_to_open(self) -> Pending | None:
        """The oldest question that came since one was put off, and that nobody else answers.

        What the person put off comes back only when they choose it.
        """
        new = (p for p in self._queue if p.question.id not in self._left)
        waiting = (p for p in new if p.state != "put_off")
        return next((p for p in waiting if not self._app.held_elsewhere(p.question)), None)

    def _went_under_typing(self, shown: Pending) -> bool:
        screen = self._screen
        sound = screen is not None and screen is not self._broken
        return sound and not shown.was_answered and shown.question.draft.typed

    def tick(self) -> None:
        """Tell on the question's frame what changed around it: once, however many came."""
        screen, shown = self._screen, self._shown
        if screen is None or screen is self._broken or shown is None or not screen.is_mounted:
            return
        if not self._places_due:
            return
        self._places_due = False
        screen.view.place_in_queue(*self._queue.place(shown))
        screen.view.who.tell(self._standing(shown.question))

    def _standing(self, question: Question) -> str:
        """Who else has it in front of them, and whether its agent still waits."""
        parts = self._app.agent_away(question), self._app.held_elsewhere(question)
        return " · ".join(filter(None, parts))

    def open(self, pending: Pending, *, follows: str | None = None) -> None:
        """Bring this question on the screen, in place of the one that is there.

        `follows`: nobody chose it, it comes because the one before it ended, just now or just
        before; what the person did with that one, in a word.
        """
        if self._shown is pending:
            return
        self.take_down()
        self._app.typed_ahead.discard()
        try:
            self._screen = self._screen_of(pending, follows)
        except Exception as error:  # noqa: BLE001 - a fault of ours costs this question only
            pending.answer(not_shown(error))
            return
        self._shown = pending
        self._queue.show(pending)
        self._app.push_screen(self._screen)
        self._app.typed_ahead.discard()

    def open_next(self) -> None:
        """Switch to the question after the one on the screen, and go through the queue again."""
        self._left = frozenset()
        following = self._queue.after(self._shown)
        if following is not None:
            self.open(following)

    def take_down(self) -> None:
        """Take the question off the screen, with everything that lies over it; keep its draft."""
        screen, self._screen, shown, self._shown = self._screen, None, self._shown, None
        self._queue.show(None)
        if screen is None:
            return
        self._app.typed_ahead.discard()
        if screen.is_mounted and screen is not self._broken:
            screen.view.keep_draft()
        if shown is not None:
            self._remember(shown, screen)
        while screen in self._app.screen_stack:
            self._app.pop_screen()

    def _remember(self, left: Pending, screen: QuestionScreen) -> None:
        """That it was put off once, and in which field the person was; no longer than it waits."""
        waiting = {pending.question.id for pending in self._queue}
        self._put_off &= waiting
        self._fields = {key: name for key, name in self._fields.items() if key in waiting}
        question_id, field = left.question.id, screen.view.body.last_field
        if question_id in self._put_off:
            left.state = "put_off"
        if question_id in waiting and field is not None:
            self._fields[question_id] = field

    def _screen_of(self, pending: Pending, follows: str | None) -> QuestionScreen:
        from elicit_tui.tui.question import QuestionScreen, QuestionView
        from elicit_tui.tui.question.actions import Action
        from elicit_tui.tui.question.frame_heading import Surroundings

        around = Surroundings(
            self._state.settings.elicitation.review,
            self._queue.place(pending),
            actions=tuple(
                Action(f"app.{name}", label, self._app.key_of(f"console.{name}"), does)
                for name, label, does in AROUND
            ),
            origin=self._app.origin_of(pending.question),
            standing=self._standing(pending.question),
            as_it_stands=self._state.as_it_stands,
            known=partial(self._state.earlier_answers.known, pending.server),
            last=self._sent_before(pending.question.request),
        )
        view = QuestionView(
            pending.question,
            pending.deadline,
            around,
            # The same question once more gets what was meant for it.
            startled=self._typed_into.comes_behind(pending.question.draft),
            follows=follows,
        )
        view.body.last_field = self._fields.get(pending.question.id)
        return QuestionScreen(view)

    def _sent_before(self, request: ElicitationRequest) -> Mapping[str, Any]:
        """What was sent in the same form last, in this run or in one before."""
        from elicit_tui.tui.console.earlier_answers import sent_before

        runtime, last = self._app.runtime, self._state.earlier_answers.last(request)
        return last if last or runtime is None else sent_before(runtime.ledger, request)

    # What the view says

    def answered(self, question: Question, outcome: Outcome) -> None:
        """The person decided."""
        pending = self._queue.get(question.id)
        if pending is not None and pending.question is question:
            self._answered_last = question.id
            self._app.key_run.over()
            pending.answer(outcome)

    def ended(self, event: Resolved) -> bool | None:
        """Whether what was typed for a question that ended is kept; None: its form ended it."""
        if event.outcome.decided_by == "user" and event.outcome.via == "console":
            return None
        return event.draft_kept

    def give_up(self, question: Question, outcome: Outcome) -> None:
        """Its widgets broke: it ends, and nothing is asked of them any more."""
        if self._screen is not None and self._screen.question is question:
            self._broken = self._screen
        self.answered(question, outcome)

    def put_off(self, question: Question) -> bool:
        """The person wants it later: back to the queue, where nothing opens by itself.

        Only what is on the screen can be meant; whether it is.
        """
        if self._screen is None or self._screen.question is not question:
            return False
        self._left = frozenset(waiting.question.id for waiting in self._queue)
        self._put_off.add(question.id)
        pending = self._queue.get(question.id)
        self.take_down()
        self._state.put_off = question.id
        if pending is not None:
            pending.state = "put_off"
        return True

    def completed(self, server: str, elicitation_id: str) -> None:
        """The server says that what its URL asked for is done, on the screen or put off."""
        for pending in self._queue:
            if pending.question.request.elicitation_id != elicitation_id:
                continue
            if pending.server != server:
                continue
            if self._screen is not None and pending is self._shown:
                self._screen.view.completed()
            elif pending.question.draft.opened:
                pending.answer(finished(pending.question))


def _became_of(ended: Pending | None, following: Pending) -> str:
    """What the person did with a question that ended, in a word; empty where they did nothing.

    Nothing, too, where the same call is asked about again: the yes was not used.
    """
    if ended is None or not ended.was_answered or _asks_anew(following, ended):
        return ""
    action = ended.answered.result().action
    if action == "accept":
        if ended.question.request.handed_to is not None:
            return "Handed to the agent."
        return "Allowed." if ended.question.request.traits.about_call else "Sent."
    return {"decline": "Declined.", "cancel": "Cancelled."}.get(action or "", "")


def _asks_anew(following: Pending, ended: Pending) -> bool:
    """Whether a tool changed under the reader's eyes, and its call is asked about once more."""
    now, before = following.question.request, ended.question.request
    return now.definition_before is not None and now.calls == before.calls
