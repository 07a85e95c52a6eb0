"""An application whose keys act in their order, and which a broken question does not end."""

from __future__ import annotations

import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from textual import events
from textual.app import App, ReturnType
from textual.dom import DOMNode
from textual.geometry import Size
from textual.message_pump import CallbackError
from textual.screen import Screen
from textual.widget import AwaitMount, Widget

from elicit_tui.elicitation import Outcome, Question, cancel
from elicit_tui.text import controls_left_out, neutral_line, without_controls
from elicit_tui.tui.key_gate import (
    LEAVE,
    NOT_OBEYED,
    KeyOrder,
    KeyRun,
    PasteBurst,
    TypedAhead,
    is_field,
)
from elicit_tui.tui.textual_terminal import (
    CompositorUpdate,
    DrawnAlike,
    draw_only_changes,
    make_lines_at_once,
    read_pastes_as_text,
    style_what_is_drawn,
    tell_what_is_seen,
)

Part = TypeVar("Part")

# What came of an error that nobody foresaw on the screen: one question ends, or all of it.


class ShowsQuestion:
    """A part of the screen that shows one question: when it breaks, that question ends alone."""

    question: Question

    def attended(self) -> None:
        """A person is at work on it, without a key that is heard here: it does not end now."""


def cause_of(error: Exception) -> Exception:
    """The error itself: a worker's and a timer's hold the one that they failed with."""
    inner = error.__context__ if isinstance(error, CallbackError) else None
    return inner if isinstance(inner, Exception) else getattr(error, "error", error)


def parts_of(error: Exception, kind: type[Part]) -> list[Part]:
    """The parts of the screen of a kind out of which an error came, what called first in front."""
    frames = (frame for frame, _ in traceback.walk_tb(cause_of(error).__traceback__))
    owners = (frame.f_locals.get("self") for frame in frames)
    # One that is only being made has nothing around it yet.
    nodes = (getattr(o, "ancestors_with_self", [o]) for o in owners if isinstance(o, DOMNode))
    parts = (node for around in nodes for node in around if isinstance(node, kind))
    return list(dict.fromkeys(parts))


def question_of(error: Exception) -> Question | None:
    """The question out of whose widgets an error came; None when it is not a question's."""
    return next((shows.question for shows in parts_of(error, ShowsQuestion)), None)


def broken_question(error: Exception, app: DOMNode) -> Question | None:
    """The question that ends alone by an error; None when it is not a question's.

    What broke in the application's own turn is the application's, whatever it had in its hands:
    it hears nothing after that.
    """
    trace = cause_of(error).__traceback__
    if trace is None or trace.tb_frame.f_locals.get("self") is app:
        return None
    return question_of(error)


def what_broke(error: Exception) -> str:
    """An unforeseen error in a few words, with its place; nothing in it can act on a terminal."""
    error = cause_of(error)
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}: {neutral_line(str(error), 200)}{place}"


def not_shown(error: Exception) -> Outcome:
    """How a question ends that could not be shown: nobody answered it."""
    return cancel("nobody", f"It could not be shown here: {what_broke(error)}.")


# An application whose keys act in their order, and which a broken question does not end.


class OrderedApp(App[ReturnType]):
    """What the console and the inline form are built on."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        read_pastes_as_text()
        draw_only_changes()
        make_lines_at_once()
        style_what_is_drawn()
        super().__init__(*args, **kwargs)
        # A key is answered with where it leads to, not with the way there.
        self.animation_level = "none"
        self.own_keys: Mapping[str, str] = {}
        """The keys that the owner gave to actions (`[console.keys]`), by action id."""
        self.typed_ahead = TypedAhead(self.call_after_refresh)
        self._order = KeyOrder(self, self._in_turn)
        self._burst = PasteBurst()
        self.key_run = KeyRun()
        self.is_away = False
        """Whether the terminal belongs to another program just now."""
        self.is_pressed = False
        """Whether a button of the mouse is down: what it was pressed on stays under it."""
        self.failure: Exception | None = None
        """What ended the application, if an error did."""

    @property
    def whole_size(self) -> Size:
        """Of the terminal, of which a form under the prompt has a part."""
        return self.size

    async def _replace_screen(self, screen: Screen[Any]) -> Screen[Any]:
        """Take a screen apart that was left, once it stands.

        Textual begins at once, and what the screen looks for while it is being made is gone: two
        quick keys, or a server that takes its question back, would end the application by it.
        """
        await AwaitMount(screen, [screen])
        return await super()._replace_screen(screen)

    def give_keys(self, keys: Mapping[str, str]) -> None:
        """Let these actions have these keys, on every screen and in every sentence."""
        self.own_keys = dict(keys)
        self.set_keymap(self.own_keys)

    async def on_event(self, event: events.Event) -> None:
        """Input made before its screen could be seen goes nowhere; the rest goes in its order.

        Of a paste only its text is taken: no key that came with it, no control character in it.
        """
        self.key_run.heard(event)
        if isinstance(event, (events.Key, events.MouseDown, events.MouseUp)):
            self.is_pressed = isinstance(event, events.MouseDown)
        if not isinstance(event, (events.InputEvent, events.Paste)) or event.is_forwarded:
            await super().on_event(event)
        elif not self._drops(event) and not self._order.holds(event):
            await self._hand_on(event)

    async def _hand_on(self, event: events.Event) -> None:
        if isinstance(event, events.Paste):
            self._clean(event)
        await super().on_event(event)
        self._order.passed(event)

    async def _in_turn(self, event: events.Event) -> None:
        """What waited for a key before it meets the screen that this one led to."""
        if not self.typed_ahead.drops(event):
            await self._hand_on(event)

    def keys_follow(self, widget: Widget) -> None:
        """Keep what is typed until a message that this widget just sent has been dealt with."""
        self._order.follow(widget)

    def hold_keys(self) -> None:
        """Keep what is typed until `keys_go_on`: the line that it is meant for is about to open."""
        self._order.hold()

    def keys_go_on(self) -> None:
        """The line is there: what was kept is typed into it, in its order."""
        self._order.go_on()

    def _drops(self, event: events.Event) -> bool:
        is_text = False
        if isinstance(event, events.Key):
            if event.key in LEAVE:
                return False
            focused = self.focused
            is_text = event.is_printable and focused is not None and is_field(focused)
        came_with_paste = self._burst.drops(event, is_text)
        if self.typed_ahead.drops(event):
            return True
        if came_with_paste and self._burst.is_news:
            self.tell_of_input(NOT_OBEYED)
        return came_with_paste

    def _clean(self, event: events.Paste) -> None:
        event.text, count = without_controls(event.text)
        if count:
            self.tell_of_input(controls_left_out(count))

    def notify(self, message: str, *, title: str = "", **more: Any) -> None:
        """Say it in passing; what is being said already is not said twice."""
        if all((told.title, told.message) != (title, message) for told in self._notifications):
            super().notify(message, title=title, **more)

    def hush(self) -> None:
        """Take away what was said in passing: the person turned to something else."""
        for told in list(self._notifications):
            if told.severity == "information":
                self._unnotify(told)
                # The library leaves what held it, which takes a row.
                self.screen.query(f"#--textual-toast-{told.identity}").remove()

    def tell_of_input(self, sentence: str) -> None:
        """Say that something of what was typed or pasted was not taken."""
        self.notify(sentence, severity="warning", markup=False)

    @contextmanager
    def suspend(self) -> Iterator[None]:
        """Leave the terminal to another program; all goes on meanwhile, and nothing is drawn."""
        with super().suspend():
            self.is_away = True
            try:
                yield
            finally:
                self.is_away = False

    def _display(self, screen: Screen[Any], renderable: Any) -> None:
        """Whatever it draws takes as many cells on every terminal, and was seen."""
        if self.is_away:
            return
        if isinstance(renderable, CompositorUpdate):
            renderable = DrawnAlike(renderable)
        super()._display(screen, renderable)
        if renderable is not None:
            tell_what_is_seen(screen)

    def give_up(self, question: Question, outcome: Outcome) -> bool:
        """End a question whose widgets broke; False when the application has to end instead."""
        return False

    def outlives(self, error: Exception) -> bool:
        """Go on after an error that no question's widgets raised; False when it has to end."""
        return False

    def _handle_exception(self, error: Exception) -> None:
        """Every error that nothing caught comes here; the library's way is to end with a trace."""
        question = broken_question(error, self)
        if question is not None and self.give_up(question, not_shown(error)):
            return
        if question is None and self.outlives(error):
            return
        self.failure = self.failure or error
        super()._handle_exception(error)
        # A trace shows what a server sent and a person typed.
        self._exit_renderables.clear()

    def _fatal_error(self) -> None:
        self._close_messages_no_wait()
