"""Asked once more before something is lost: leaving, declining all; and what was not sent."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from elicit_tui.dataclass import dataclass
from elicit_tui.text import neutral, neutral_line, quoted
from elicit_tui.tui.console.dialog import SureDialog, TextDialog
from elicit_tui.tui.console.outcome_words import plural
from elicit_tui.tui.console.shared_questions import Unsent
from elicit_tui.tui.console.spans import Line, joined, labelled, text_lines

if TYPE_CHECKING:
    from elicit_tui.tui.console.calls import CallRecord

# Asks once before leaving: while questions wait or calls run, or where a letter alone asks for it.


@dataclass(frozen=True)
class Leaves:
    """What ends with a run, and what stays."""

    ending: int
    """How many questions wait that end with this."""
    staying: int
    """How many wait that do not."""
    running: int
    """How many calls run."""
    lost: int
    """How many results are too large to be kept, and were not saved."""
    drafts_kept: bool
    """Whether the next run has what was typed."""


class LeaveScreen(SureDialog):
    """Result: True to leave."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y,ctrl+q", "sure", "Leave", key_display="y", id="leave.sure"),
        Binding("escape,n", "leave", "Stay", key_display="n", id="leave.stay"),
    ]

    def __init__(self, what: Leaves) -> None:
        super().__init__("Leave elicit-tui?")
        self._what = what

    def body(self) -> ComposeResult:
        """What leaving does to what is open."""
        what, words = self._what, []
        if what.ending:
            waiting, end = ("waits", "ends") if what.ending == 1 else ("wait", "end")
            words.append(
                f"{plural(what.ending, 'question')} {waiting} for you and {end} with this: the "
                "server is told that elicit-tui ended, not that you declined."
            )
        if what.staying:
            goes = "goes" if what.staying == 1 else "go"
            words.append(f"{plural(what.staying, 'question')} of agents {goes} on waiting.")
        if what.running:
            words.append(f"{plural(what.running, 'running call')} will be cancelled.")
        if what.ending:
            typed = ", with what you typed" if what.drafts_kept else ""
            words.append(
                f"History keeps what was asked. A tool that you call again asks again{typed}."
            )
        if what.lost:
            are, them = ("is", "it") if what.lost == 1 else ("are", "them")
            words.append(
                f"{plural(what.lost, 'result')} {are} too large to be kept for the next run: "
                f"{self.app.key_of('calls.save')} under Calls saves {them} to a file."
            )
        if not words:
            words.append("No question waits, and no call runs.")
        yield from self.asking(words, "leave", "Leave", "Stay")


# Asks once before a server is muted whose questions wait: they are cancelled with it.


class MuteScreen(SureDialog):
    """Result: True to mute it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "sure", "Mute", key_display="y", id="mute.sure"),
        Binding("escape,n", "leave", "Back", key_display="n", id="mute.stay"),
    ]

    def __init__(self, server: str, waiting: int, typed: int) -> None:
        """`waiting`: how many of its questions end with this; `typed`: how many hold text."""
        self._server = quoted(server, 40)
        super().__init__(f"Mute {self._server} for this run?")
        self._waiting = waiting
        self._typed = typed

    def body(self) -> ComposeResult:
        """What it does to how many questions."""
        waits, is_ = ("waits", "is") if self._waiting == 1 else ("wait", "are")
        words = [
            f"{plural(self._waiting, 'question')} of {self._server} {waits} for you and {is_} "
            "cancelled; so is what it asks later, until you unmute it."
        ]
        if self._typed:
            holds = "holds" if self._typed == 1 else "hold"
            words.append(f"{self._typed:,} of {self._waiting:,} {holds} what you typed.")
        yield from self.asking(words, "mute", "Mute", "Back")


# What ends with a server's process.


@dataclass(frozen=True)
class UnderWay:
    """What ends with a server's process: how many questions and calls."""

    server: str
    waiting: int
    typed: int
    """How many of those questions hold text."""
    running: int

    @property
    def words(self) -> list[str]:
        """What becomes of it, a sentence for the calls and one for the questions."""
        words = []
        if self.running:
            verb = "is" if self.running == 1 else "are"
            words.append(f"{plural(self.running, 'running call')} {verb} cancelled.")
        if self.waiting:
            waits, ends = ("waits", "is") if self.waiting == 1 else ("wait", "are")
            words.append(
                f"{plural(self.waiting, 'question')} of {quoted(self.server, 40)} {waits} for you "
                f"and {ends} cancelled."
            )
        return words


# Asks once before a server is started again that has something under way.


class RestartScreen(SureDialog):
    """Result: True to start it again."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "sure", "Restart", key_display="y", id="restart.sure"),
        Binding("escape,n", "leave", "Back", key_display="n", id="restart.stay"),
    ]

    def __init__(self, ending: UnderWay) -> None:
        super().__init__(f"Restart {quoted(ending.server, 40)}?")
        self._under_way = ending

    def body(self) -> ComposeResult:
        """What it does to what is under way."""
        words = self._under_way.words
        if self._under_way.typed:
            words.append("What you typed is kept, and comes back when the same is asked again.")
        yield from self.asking(words, "restart", "Restart", "Back")


class StopScreen(SureDialog):
    """Result: True to end it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "sure", "Stop", key_display="y", id="stop.sure"),
        Binding("escape,n", "leave", "Back", key_display="n", id="stop.stay"),
    ]

    def __init__(self, ending: UnderWay) -> None:
        super().__init__(f"Stop {quoted(ending.server, 40)}?")
        self._under_way = ending

    def body(self) -> ComposeResult:
        """What it does to what is under way."""
        yield from self.asking(self._under_way.words, "stop", "Stop", "Back")


# Asks once before a server that has ended is started for a call that is made again.


class StartAndCallScreen(SureDialog):
    """Result: True to start it and make the call."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "sure", "Start and call", key_display="y", id="start.sure"),
        Binding("escape,n", "leave", "Back", key_display="n", id="start.stay"),
    ]

    def __init__(self, server: str, called: str, *, opens_form: bool) -> None:
        """`called`: its name, neutral text. `opens_form`: its arguments are asked for first."""
        self._server = quoted(server, 40)
        super().__init__(f"Start {self._server} and call {quoted(called, 40)} again?")
        self._called = quoted(called, 40)
        self._opens_form = opens_form

    def body(self) -> ComposeResult:
        """Why it is asked, and what comes of it."""
        calls = f"{self._called} is called again"
        if self._opens_form:
            calls = f"the form of {self._called} opens with the arguments of this call"
        words = f"{self._server} does not run. It is started again, and once it is ready {calls}."
        yield from self.asking([words], "start", "Start and call", "Back")


# Asks once before a call is made again that nothing else would ask about.


class AgainScreen(SureDialog):
    """Result: True to call it again."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "sure", "Call", key_display="y", id="again.sure"),
        Binding("escape,n", "leave", "Back", key_display="n", id="again.stay"),
    ]

    def __init__(self, server: str, tool: str, *, of_file: bool) -> None:
        """`tool`: its name, neutral text. `of_file`: a file calls it, and nobody has before."""
        super().__init__(f"Call {quoted(tool, 40)}{'' if of_file else ' again'}?")
        self._server = quoted(server, 40)
        self._of_file = of_file

    def body(self) -> ComposeResult:
        """Why it is asked."""
        words = (
            f"The tool takes no arguments, and its server {self._server} does not say that it "
            "destroys nothing: what it did may be done once more."
        )
        if self._of_file:
            words = f"The file calls this tool of {self._server}, without arguments."
        verb = "Call" if self._of_file else "Call again"
        yield from self.asking([words], "again", verb, "Back")


# Asks once before a call goes from the list.


class RemoveCallScreen(SureDialog):
    """Result: True to have it in the list no more."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "sure", "Remove", key_display="y", id="forget.sure"),
        Binding("escape,n", "leave", "Keep", key_display="n", id="forget.stay"),
    ]

    def __init__(self, record: CallRecord) -> None:
        self._called = quoted(record.call.name, 40)
        super().__init__(f"Remove the call of {self._called}?")

    def body(self) -> ComposeResult:
        """What goes with it, and what stays."""
        words = (
            "It goes from the calls and from the history, with its result and your note. What it "
            "asked, and how that was answered, stays in the history. Nothing that it did is undone."
        )
        yield from self.asking([words], "forget", "Remove", "Keep")


# Asks once before all waiting questions of a server are declined.


class DeclineAllScreen(SureDialog):
    """Result: True to decline those that waited when this was asked."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "sure", "Decline", key_display="y", id="decline_all.sure"),
        Binding("escape,n", "leave", "Back", key_display="n", id="decline_all.stay"),
    ]

    def __init__(self, server: str, waiting: int, typed: int) -> None:
        """`waiting`: how many questions it declines; `typed`: in how many of them there is text."""
        self._server = quoted(server, 40)
        super().__init__(f"Decline {plural(waiting, 'question')} of {self._server}?")
        self._waiting = waiting
        self._typed = typed

    def body(self) -> ComposeResult:
        """What it does to how many questions."""
        whose = "it" if self._waiting == 1 else "each of them"
        told = f"{self._server} is told that you declined {whose}."
        words = [f"{told} What it asks later still comes to you."]
        if self._typed:
            holds = "holds" if self._typed == 1 else "hold"
            words.append(f"{self._typed:,} of {self._waiting:,} {holds} what you typed.")
        yield from self.asking(words, "decline_all", "Decline", "Back")


# An answer that did not go out: why, and what was typed for it.


class UnsentScreen(TextDialog):
    """Stays until the person has read it; what was typed can be copied."""

    interruptible = False

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("c", "copy", "Copy it", id="unsent.copy"),
    ]

    def __init__(self, unsent: Unsent) -> None:
        super().__init__("Not sent", neutral_line(unsent.question.request.server.name, 60))
        self._unsent = unsent

    def lines(self, width: int) -> list[Line]:
        """Why it did not go out, then what was typed."""
        typed: list[Line] = []
        for title, text in self._unsent.typed:
            typed.extend(labelled(neutral_line(title, 40), neutral(text, 20_000), width))
        message = neutral(self._unsent.question.request.message, 4_000)
        return joined(
            [
                text_lines(self._unsent.sentence, width, "warn"),
                text_lines(message, width, "strong"),
                [(("what you typed", "accent"),), *typed],
            ]
        )

    def action_copy(self) -> None:
        """Copy what was typed, a line for each field."""
        from elicit_tui.tui.console.taking import copy_text

        lines = [f"{title}: {text}" for title, text in self._unsent.typed]
        copy_text(self.app, "\n".join(lines), "What you typed")


SCREENS: Final[tuple[type, ...]] = (
    LeaveScreen,
    DeclineAllScreen,
    MuteScreen,
    RestartScreen,
    StopScreen,
    StartAndCallScreen,
    AgainScreen,
    RemoveCallScreen,
    UnsentScreen,
)
