"""What a person can do with a question: its keys, its buttons, and what they tell its holder."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final, Literal

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message

from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation import Outcome, Question
from elicit_tui.tui.names_on_screen import key_name
from elicit_tui.tui.question.asking_again import READ_ON
from elicit_tui.tui.question_gate import Guarded
from elicit_tui.tui.widgets.buttons import KeyButton, KeyRow, Meaning

# What a question on the screen tells whoever holds it.


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


# The keys of a question, by id, so that the configuration can name others.

QUESTION_BINDINGS: Final[list[BindingType]] = [
    Binding("ctrl+s", "send", "Send", id="question.send"),
    Binding("ctrl+a", "session", "Allow for this session", show=False, id="question.session"),
    Binding("ctrl+n", "decline", "Decline", id="question.decline"),
    Binding("escape", "cancel", "Cancel", id="question.cancel"),
    Binding("y", "yes", "Yes", id="question.yes"),
    Binding("n", "no", "No", id="question.no"),
    Binding("ctrl+l", "later", "Later", id="question.later"),
    Binding("ctrl+r", "review", "Review", id="question.review"),
    Binding("f2", "raw", "About", id="question.raw"),
    Binding("f1,question_mark", "help", "Help", id="question.help"),
    Binding("ctrl+y", "anyway", "Send anyway", id="question.anyway", show=False),
    Binding("f5", "copy", "Copy the URL", id="question.copy", show=False),
    Binding("c", "copy_here", "Copy the URL", id="question.copy_here", show=False),
    Binding("f6", "code", "QR code", id="question.code", show=False),
    Binding("f7", "elsewhere", "Opened elsewhere", id="question.elsewhere", show=False),
    Binding("f8", "again", "Again, as last time", id="question.again", show=False),
    Binding("f12", "more_time", "More time", id="question.more_time"),
    Binding("q", "back", "Back", show=False),
    # Before any widget sees them: a letter right behind a Tab belongs to the next field.
    Binding("tab", "focus_next", "Next field", priority=True, show=False),
    Binding("shift+tab", "focus_previous", "Previous field", priority=True, show=False),
    Binding("pageup", "scroll_hidden(-1)", "What is hidden above", show=False),
    Binding("pagedown", "scroll_hidden(1)", "What is hidden below", show=False),
]

BY_ACTION: Final[Mapping[str, Binding]] = {
    binding.action: binding
    for binding in QUESTION_BINDINGS
    if isinstance(binding, Binding) and binding.id
}


# What a person can do on each page of a question: a row of buttons that name their keys.


@dataclass(frozen=True)
class Action:
    """One button: the action it runs, its words, its key as shown, and what it does.

    `name` is an action of the question, or `app.…` one of the application around it.
    """

    name: str
    label: str
    key: str
    does: str = ""
    primary: bool = False
    aside: bool = False
    """Calm, at the right edge, and left out of a row that is too short: help has it."""
    reads_on: bool = False
    """Whether it only shows more of what would be accepted."""


class ActionButton(KeyButton, Guarded):
    """The button of one action."""

    def __init__(self, action: Action) -> None:
        super().__init__(
            action.label,
            action.key,
            id=f"do-{action.name.replace('.', '-')}",
            main=action.primary,
            aside=action.aside,
        )
        self.does = action.name
        self._action = action
        self._risky = False

    @property
    def is_primary(self) -> bool:
        """Whether it is the one to press where nothing speaks against it."""
        return self._action.primary

    def weigh(self, *, risky: bool) -> None:
        """Have the colour of what it does; `risky`: something speaks against accepting."""
        self._risky = risky
        accepts: Meaning = "loses" if risky else "accepts"
        accepts_now = self.does in ACCEPTING and not self._action.reads_on
        self.means(accepts if accepts_now else "stays" if self.does in SAFE else None)

    def become(self, action: Action) -> bool:
        """Be the button of another action that has the same key; says whether it is another."""
        changed = action != self._action
        if changed:
            self._action = action
            self.name_words(action.label)
            self.weigh(risky=self._risky)
        return changed

    @property
    def keys(self) -> tuple[tuple[str, str], ...]:
        """What it does, for the status line."""
        label, does = self._action.label, self._action.does
        return (("Enter", f"{label}: {does}" if does else label),)


class ActionBar(KeyRow):
    """The buttons of a page."""

    DEFAULT_CSS = """
    ActionBar { padding: 0 0 0 1; }
    """

    class Chosen(Message):
        """A button was pressed."""

        def __init__(self, action: str) -> None:
            super().__init__()
            self.action = action

    class Fitted(Message):
        """The row took out what it has no room for: the words and keys of these buttons."""

        def __init__(self, missing: tuple[str, ...]) -> None:
            super().__init__()
            self.missing = missing

    def __init__(self, actions: Sequence[Action], *, id: str) -> None:
        super().__init__(id=id)
        self._first = actions
        self._more = ""
        self._changing = asyncio.Lock()
        self._missing: tuple[str, ...] | None = ()
        """Those that were told; None: of these buttons nothing was told yet."""

    def compose(self) -> ComposeResult:
        """The first buttons: there before anything is painted."""
        yield from map(ActionButton, self._first)

    def say_more(self, words: str) -> None:
        """Say at the right edge that some have no room, where no border does."""
        if words != self._more:
            self._more = words
            self.refresh()

    def render(self) -> Content:
        """What lies below the buttons."""
        room = self.content_size.width - len(self._more)
        return Content.styled(f"{' ' * room}{self._more}", "$faint")

    async def show(self, actions: Callable[[], Sequence[Action]]) -> None:
        """Show other buttons instead of the ones that are there; those that are right by then.

        Whoever comes while others are on their way waits, and costs nobody else theirs.
        """
        async with self._changing, self.batch():
            await self.remove_children()
            await self.mount_all([ActionButton(action) for action in actions()])
        self._missing = None
        self.fit()

    def fit(self) -> None:
        """Tell which buttons have no room, too."""
        super().fit()
        buttons = self.query_children(ActionButton)
        missing = tuple(button.words for button in buttons if not button.can_focus)
        if missing != self._missing:
            self._missing = missing
            self.post_message(self.Fitted(missing))

    def fill(self, *, risky: bool, ready: bool) -> None:
        """Fill one button: what can be pressed without another look.

        `risky`: something was found in what would be accepted, so that is the way back, or the no.
        Else it is what accepts, once that is `ready`.
        """
        buttons = list(self.query_children(ActionButton))
        safe = [button for name in SAFE for button in buttons if button.does == name]
        for button in buttons:
            filled = button is safe[0] if risky and safe else button.is_primary
            waits = button.is_primary and button.does in ACCEPTING and not ready
            button.fill(filled and not waits, calm=waits)
            button.weigh(risky=risky)

    def become(self, action: Action) -> None:
        """What the button of this name does has another name just now."""
        for button in self.query(ActionButton):
            if button.does == action.name and button.become(action):
                self.refresh(layout=True)
                self.fit()

    def leave_out(self, names: Sequence[str]) -> None:
        """These actions have no button just now: another one reads on, which is enough."""
        for button in self.query(ActionButton):
            if button.display == (button.does in names):
                button.display = not button.display
                self.call_after_refresh(self.fit)

    def focus_on(self, action: str) -> None:
        """Give the focus to the button of this action."""
        self.query_one(f"#do-{action}").focus()

    @property
    def shown(self) -> frozenset[str]:
        """The names of the actions that have a button here just now."""
        return frozenset(button.does for button in self.query(ActionButton) if button.can_focus)

    def name_keys(self, keys: Mapping[str, str]) -> None:
        """Show the keys that the actions have in this person's configuration."""
        for button in self.query(ActionButton):
            key = keys.get("cancel" if button.does == "back" else button.does)
            if key is not None and button.name_key(key_name(key)):
                self.refresh(layout=True)

    def on_key_button_pressed(self, event: KeyButton.Pressed) -> None:
        """Hand the press on as an action of the view."""
        event.stop()
        if isinstance(event.button, ActionButton):
            self.post_message(self.Chosen(event.button.does))


SAFE: Final = ("back", "no", "decline")
"""The buttons after which nothing has gone out and nothing is called, the mildest first."""
ACCEPTING: Final = frozenset({"send", "yes", "session", "elsewhere", "anyway"})

PageName = Literal["answer", "review", "step", "raw", "help"]

BACK = Action("back", "Back", "Esc", "back to the question, nothing changed")
LATER = Action(
    "later", "Later", "^L", "put it off with what you typed; its clock goes on", aside=True
)
RAW = Action(
    "raw", "About", "F2", "who asks, what was found, the request as it arrived", aside=True
)
HELP = Action("help", "Help", "F1", "keys and words", aside=True)
DECLINE = Action("decline", "Decline", "^N", "an explicit no")
CANCEL = Action("cancel", "Cancel", "Esc", "neither yes nor no")
CANCEL_AFTER = replace(CANCEL, does="neither yes nor no, the second time")
"""Where it is asked once more before."""
ALL_CHOICES = Action("cancel", "Back", "Esc", "all choices again, nothing changed")
UNCOVER = Action("cancel", "Back", "Esc", "back to the address, nothing changed")
SEND = Action("send", "Send", "^S", "hand over what is shown", primary=True)
REVIEW_IT = Action("review", "Review", "^R", "the exact JSON that would be sent", aside=True)
FORM = (SEND, DECLINE, CANCEL, LATER, REVIEW_IT, HELP, RAW)
AS_LAST_TIME = Action(
    "again", "As last time", "F8", "fill in what you answered, where you changed nothing"
)
TAKE_OUT = Action("again", "Take back", "F8", "the fields as they stood before")
YES_OR_NO = (
    Action("yes", "Yes", "y", "send it: yes", primary=True),
    Action("no", "No", "n", "decline: an explicit no"),
)
REFUSED_FORM = (DECLINE, CANCEL, LATER, HELP, RAW)
COPY = Action("copy", "Copy", "F5", "hand the address to the clipboard", aside=True)
CODE = Action("code", "QR", "F6", "show it for a telephone", aside=True)
VISITED = Action("elsewhere", "I opened it", "F7", "you opened it elsewhere and agree", aside=True)
URL = (
    Action("send", "Open", "^S", "open this page in your browser", primary=True),
    DECLINE,
    CANCEL,
    COPY,
    CODE,
    VISITED,
    LATER,
    HELP,
    RAW,
)
WAITING = (
    Action("send", "Finished", "^S", "you are done on that page", primary=True),
    DECLINE,
    CANCEL,
    Action("again", "Try again", "F8", "open the page once more", aside=True),
    COPY,
    CODE,
    LATER,
    HELP,
    RAW,
)
APPROVAL = (
    Action("no", "Decline", "n", "an explicit no", primary=True),
    Action("yes", "Allow once", "y", "called, this time"),
    Action("session", "This session", "^A", "called, and not asked again in this session"),
    CANCEL,
    LATER,
    HELP,
    RAW,
)
TO_NOTE = Action("no", "Decline…", "n", "an explicit no, with a note to the agent", primary=True)
"""The first time it opens the line for that note."""
NOTING = (
    Action("decline", "Decline", "^N", "an explicit no, with your note", primary=True),
    Action("send", "Allow once", "^S", "called, this time, without your note"),
    Action("session", "This session", "^A", "called, and not asked again in this session"),
    Action("cancel", "Back", "Esc", "back to the call, nothing decided"),
    LATER,
    HELP,
    RAW,
)
"""While a note is typed: there `y` and `n` are letters."""
STEP_FORM = (
    BACK,
    Action("anyway", "Send it", "^Y", "hand over what is shown", primary=True),
    DECLINE,
    LATER,
)
STEP_CALL = (
    BACK,
    Action("anyway", "Allow it", "^Y", "called, this time", primary=True),
    DECLINE,
    LATER,
)
STEP_SESSION = (
    BACK,
    replace(STEP_CALL[1], label="This session", does="called, now and later in this session"),
    DECLINE,
    LATER,
)


def as_just_now(accepting: Action, *, goes_on: bool, looks_again: bool) -> Action:
    """What accepts, by what its key does just now.

    `goes_on`: some of what it accepts was never on the screen; `looks_again`: another page comes
    first, whatever was.
    """
    if goes_on:
        return replace(accepting, label=READ_ON, does="show the end of it first", reads_on=True)
    if looks_again:
        first = f"one more look, then {accepting.does}"
        return replace(accepting, label=f"{accepting.label}…", does=first)
    return accepting


STEP_URL = (
    BACK,
    Action("anyway", "Open it", "^Y", "open this page in your browser", primary=True),
    DECLINE,
    LATER,
)
STEP_ELSEWHERE = (
    BACK,
    Action("anyway", "I opened it", "^Y", "you opened it elsewhere and agree", primary=True),
    DECLINE,
    LATER,
)
