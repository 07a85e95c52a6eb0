"""Screens over the console: a question of ours to the person, or a text to read."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Final, Generic, TypeVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Input, Static, TextArea

from elicit_tui.elicitation import Draft
from elicit_tui.form.field import Entry, Typed, is_unset
from elicit_tui.text import neutral
from elicit_tui.tui.console.argument_values import ValueList
from elicit_tui.tui.console.bars import KeyBar
from elicit_tui.tui.console.failed_actions import FORESEEN, Leavable
from elicit_tui.tui.console.outcome_words import time_of_the_first
from elicit_tui.tui.console.spans import Line, shortened, wrapped
from elicit_tui.tui.console.unfit_keys import SaysWhyNot
from elicit_tui.tui.console.views import LineView
from elicit_tui.tui.key_gate import is_field
from elicit_tui.tui.names_on_screen import key_name
from elicit_tui.tui.question_gate import HELD_SECONDS, TOO_SOON, NextEnter
from elicit_tui.tui.textual_terminal import write_subtitle
from elicit_tui.tui.widgets import FormView
from elicit_tui.tui.widgets.buttons import KeyButton, KeyRow, Meaning
from elicit_tui.tui.widgets.control import FieldControl

if TYPE_CHECKING:
    from elicit_tui.tui.console.controller import Controller


# The frame of every screen that lies over the console: a title, a body, its keys.

Result = TypeVar("Result")


_MEANINGS: Final[Mapping[str, Meaning]] = {
    "send": "accepts",
    "sure": "loses",
    "stay": "stays",
    "back": "stays",
}


class DialogButton(KeyButton):
    """The button of an action of the console, with the key that the owner gave to it."""

    app: Controller

    def __init__(
        self,
        text: str,
        action_id: str,
        *,
        id: str,
        main: bool = False,
        means: Meaning | None = None,
    ) -> None:
        super().__init__(text, "", id=id, main=main, means=means or _MEANINGS.get(id))
        self._action_id = action_id

    def on_mount(self) -> None:
        """Name the key."""
        if self.name_key(self.app.key_of(self._action_id)) and self.parent is not None:
            self.parent.refresh(layout=True)


class CutText(Static):
    """As much of a text as there is room for; an ellipsis stands for what was cut."""

    def __init__(self, text: str, *, id: str) -> None:
        super().__init__(text, id=id, markup=False)
        self._whole = text

    def render(self) -> Content:
        """Its lines, the last one cut where more would follow."""
        width, height = self.size
        lines = list(wrapped(self._whole, max(8, width)))
        if len(lines) > height > 0:
            lines[height - 1 :] = [shortened(f"{lines[height - 1]} {lines[height]}", width)]
        return Content("\n".join(lines))


class Dialog(ModalScreen[Result], SaysWhyNot, Leavable, Generic[Result]):
    """A framed screen over the console; Escape leaves it without a result."""

    app: Controller

    interruptible: ClassVar[bool] = False
    """Whether a question may open over it by itself."""

    lies_below_questions: ClassVar[bool] = False
    """Whether the key that opens a question opens it over this, and leaves it as it is."""

    VERTICAL_BREAKPOINTS = [(0, "-low"), (20, "-tall")]  # noqa: RUF012 - Textual declares it so

    wide: ClassVar[bool] = True
    """Whether it fills the screen; else it is as tall as its content."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Back", id="dialog.back"),
        Binding("f1,question_mark", "help", "Help", id="dialog.help"),
    ]

    def __init__(self, title: str, subtitle: str = "") -> None:
        super().__init__()
        self._frame_title = title
        self._frame_subtitle = subtitle

    def compose(self) -> ComposeResult:
        """The frame around the body."""
        self.set_class(not self.wide, "-small")
        with Vertical(classes="dialog") as frame:
            frame.border_title = _plain(self._frame_title)
            frame.border_subtitle = _plain(self._frame_subtitle)
            yield from self.body()
        yield KeyBar(names_field=True)

    def body(self) -> ComposeResult:
        """What stands in the frame."""
        yield Widget()

    def action_leave(self) -> None:
        """Go back without a result."""
        self.dismiss(None)

    def failed(self) -> None:
        """It is left, as by its key; where that fails too, with nothing kept."""
        super().failed()
        if self.app.screen is self:
            try:
                self.action_leave()
            except FORESEEN:
                self.dismiss(None)

    def action_help(self) -> None:
        """Help lies over this too."""
        self.run_worker(self.app.run_action("app.help"))

    def on_unmount(self) -> None:
        """A question that waited for this screen to go may open."""
        self.app.look_for_questions()


class SureDialog(Dialog[bool]):
    """Asks once more; result: True to do it. Its buttons are `#stay` and `#sure`.

    Its words scroll where there is no room for them; the buttons stay.
    """

    wide = False

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,pageup", "scroll_words(-1)", "What is hidden above", show=False),
        Binding("down,pagedown", "scroll_words(1)", "What is hidden below", show=False),
    ]

    def on_mount(self) -> None:
        """Staying is the harmless choice; no notice stands over the buttons."""
        self.app.clear_notifications()
        self.query_one("#stay").focus()
        self.watch(self.query_one(".words"), "scroll_y", self._tell_more, init=False)

    def asking(self, words: Sequence[str], family: str, sure: str, stay: str) -> ComposeResult:
        """What it does, in paragraphs, above its two buttons; `family`: of its keys' ids."""
        yield from self.reading("\n\n".join(words))
        with KeyRow(classes="buttons"):
            yield DialogButton(stay, f"{family}.stay", id="stay", main=True)
            yield DialogButton(sure, f"{family}.sure", id="sure")

    def reading(self, words: str | Content) -> ComposeResult:
        """A text that scrolls where there is no room for it."""
        with VerticalScroll(classes="words", can_focus=False):
            yield Static(words, markup=False)

    def on_resize(self) -> None:
        """The buttons have their rows, the words those that are left."""
        buttons = self.query_one(KeyRow)
        taken = buttons.size.height + buttons.styles.margin.height
        self.query_one(".words").styles.max_height = max(1, self.size.height - AROUND - taken)
        self.call_after_refresh(self._tell_more)

    def _tell_more(self) -> None:
        """In the frame, the key that shows what is hidden below."""
        words = self.query_one(".words")
        more = f"… {key_name('pagedown')}" if words.scroll_y < words.max_scroll_y else ""
        write_subtitle(self.query_one(".dialog"), more)

    def action_scroll_words(self, pages: int) -> None:
        """Show what is hidden of the words."""
        words = self.query_one(".words", VerticalScroll)
        (words.scroll_page_down if pages > 0 else words.scroll_page_up)(animate=False)

    def action_sure(self) -> None:
        """Do it."""
        self.dismiss(True)

    @on(KeyButton.Pressed, "#sure")
    def _sure_pressed(self) -> None:
        self.action_sure()

    @on(KeyButton.Pressed, "#stay")
    def _stay(self) -> None:
        self.dismiss(False)


WAITING_SECONDS: Final = 0.5
"""How often the time that is left to a waiting question is drawn anew."""


def waiting_in_words(app: Controller) -> str:
    """How many questions wait, how long the one that ends first still does, which key opens one."""
    waiting = list(app.state.questions)
    if not waiting:
        return ""
    waits = "1 question waits" if len(waiting) == 1 else f"{len(waiting):,} questions wait"
    return f"{waits}{time_of_the_first(waiting)} · {app.key_of('console.next_question')} opens"


class WritingDialog(Dialog[Result]):
    """Takes what a person writes; what is wrong with it stands above its two buttons."""

    AUTO_FOCUS = ""
    """Each focuses its first line: a button that is there earlier would take what is typed."""

    lies_below_questions: ClassVar[bool] = True

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("shift+tab", "focus_before", "Previous field", show=False),
    ]

    _opens = True

    _written_in: Widget | None = None
    """The field that had the keys last."""

    def __init__(self, title: str, subtitle: str = "") -> None:
        super().__init__(title, subtitle)
        self._next_enter = NextEnter()

    @property
    def field_keys(self) -> tuple[tuple[str, str], ...]:
        """What Enter does in the field, or at the button, that has the keys, and what leads on."""
        focused = self.focused
        if isinstance(focused, KeyButton):
            return (("Enter", focused.label),)
        if isinstance(focused, Input) and not isinstance(focused, FieldControl):
            return (("Enter", self.query_one("#send", DialogButton).label),)
        if not isinstance(focused, FieldControl):
            return ()
        return (*(pair for pair in focused.own_keys if pair[0] == "Enter"), focused.way_on)

    def on_mount(self) -> None:
        """What waits meanwhile is told in the frame, what is missing beside the buttons.

        What was told in passing is of what lies below, and hides nothing of this.
        """
        self.app.hush()
        self._tell_waiting()
        self.tell_lacks()
        self.set_interval(WAITING_SECONDS, self._tell_waiting)

    def _tell_waiting(self) -> None:
        # The end is what a narrow frame leaves out.
        parts = filter(None, (waiting_in_words(self.app), self._frame_subtitle))
        write_subtitle(self.query_one(".dialog"), " · ".join(parts))

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """What was typed while it opened stands in its first line."""
        field = event.widget
        if isinstance(field, FieldControl) or is_field(field):
            # In a text of many lines nobody sees from a button where a letter would land.
            goes_on = isinstance(field, FieldControl) or not isinstance(field, TextArea)
            self._written_in = field if goes_on else None
        if self._opens:
            self._opens = False
            self.app.keys_go_on()

    def on_key(self, event: events.Key) -> None:
        """A letter typed on a button is meant for the field that one came from.

        So is one that does nothing in its list of known values.
        """
        self._next_enter.heard(event)
        field = self._written_in
        writes = event.is_printable or event.key == "backspace"
        in_values = isinstance(self.focused, ValueList) and event.key not in ("j", "k")
        on_button = writes and (in_values or isinstance(self.focused, KeyButton))
        if on_button and field is None and event.is_printable:
            self.say("Not typed: a button has the keys. Shift+Tab goes back to the text.")
        if on_button and field is not None and field.focusable:
            event.stop()
            self.set_focus(field)
            field.post_message(events.Key(event.key, event.character))

    def action_focus_before(self) -> None:
        """The field before; from the first one the last."""
        for form_view in self.query(FormView):
            form_view.focus_beside(-1)
            return
        self.focus_previous()

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """A click is meant for what it hits."""
        self._next_enter.heard(event)

    @abstractmethod
    def action_send(self) -> None:
        """Take what stands there, or say what is wrong."""

    def ending(self, verb: str, action_id: str) -> ComposeResult:
        """The line for what is wrong, the button that takes it, and the way back."""
        yield Static("", id="trouble", markup=False)
        with KeyRow(classes="buttons"):
            yield DialogButton(verb, action_id, id="send", main=True)
            yield DialogButton("Back", "dialog.back", id="back")

    @property
    def lacks(self) -> str:
        """What is missing before it can be taken, in few words; empty where nothing is."""
        return ""

    def tell_lacks(self) -> None:
        """The button that takes it is filled once nothing is missing."""
        lacks = self.lacks
        self.query_one("#send", DialogButton).fill(not lacks, calm=bool(lacks))
        self.query_one(KeyRow).tell(lacks)

    def say(self, trouble: str) -> None:
        """Show what is wrong; nothing takes it away."""
        line = self.query_one("#trouble", Static)
        line.update(neutral(trouble, 600))
        line.display = bool(trouble)
        self.set_class(bool(trouble), "-troubled")

    @on(KeyButton.Pressed, "#send")
    def _send_pressed(self) -> None:
        """Take it, unless it is the Enter that has only just gone on to the button."""
        verdict = self._next_enter.presses()
        if verdict == "unawares":
            self.say(TOO_SOON)
        elif verdict == "meant":
            self.action_send()
        else:
            self.set_timer(HELD_SECONDS, partial(self._unless_held, self._next_enter.at))

    def _unless_held(self, pressed: float) -> None:
        if self._next_enter.at == pressed and self.is_current:
            self.action_send()

    @on(KeyButton.Pressed, "#back")
    def _back_pressed(self) -> None:
        self.action_leave()

    def on_form_view_finished(self, event: FormView.Finished) -> None:
        """From the last field Enter goes on to the button that takes it."""
        event.stop()
        self._next_enter.went_on(typed=bool(event.view.touched))
        self.query_one("#send").focus()

    def on_form_view_focused(self, event: events.Event) -> None:
        """Other keys act in this field."""
        event.stop()
        self.query_one(KeyBar).follow()

    def on_form_view_changed(self, event: events.Event) -> None:
        """What was wrong before may be right now."""
        event.stop()
        self.say("")
        self.tell_lacks()


def half_typed(form_view: FormView) -> Draft:
    """What the person wrote into a form that they leave, and the field they were in."""
    entries, touched = form_view.entries, form_view.touched
    typed = {name: entries[name] for name in touched}
    draft = Draft(typed, touched, unread=touched & form_view.unread)
    field = form_view.focused_field
    draft.in_hand(field.spec.name if field is not None else None)
    return draft


def filled(entries: Mapping[str, Entry]) -> dict[str, Entry]:
    """Those of the entries in which something stands."""
    return {name: entry for name, entry in entries.items() if not is_unset(entry)}


def written_down(form_view: FormView) -> dict[str, Any]:
    """What a form holds as content; what is wrong in it as the text that was typed."""
    content, entries = form_view.conversion.content, form_view.entries
    wrong = {problem.field for problem in form_view.conversion.problems}
    values = (
        (name, entry.text if name in wrong and isinstance(entry, Typed) else content.get(name, ...))
        for name, entry in entries.items()
    )
    return {name: value for name, value in values if value is not ...}


def _plain(title: str) -> str:
    """A border title without markup: titles are read as markup, and these quote servers."""
    return title.replace("[", "\\[")


# A screen over the console that holds one text to read.

AROUND: Final = 3
"""Rows that the frame and the bar of keys take."""


class TextDialog(Dialog[None]):
    """Shows its words, to be scrolled where there are more than fit; nothing is decided here."""

    interruptible: ClassVar[bool] = True
    lies_below_questions: ClassVar[bool] = True

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q", "leave", "Back", show=False),
        Binding("colon", "app.command_palette", "Commands", show=False),
    ]

    room_taken = 0
    """Rows of the frame that something else than the words has."""

    @abstractmethod
    def lines(self, width: int) -> list[Line]:
        """The text, in lines for a width in cells."""

    def body(self) -> ComposeResult:
        """The text alone."""
        yield LineView(id="words")

    def on_mount(self) -> None:
        """Show it from the top."""
        view = self.query_one("#words", LineView)
        view.show(self.lines)
        view.focus()

    def on_resize(self) -> None:
        """As high as its words; what there is no room for is scrolled to."""
        most = self.size.height - AROUND - self.room_taken
        self.query_one("#words", LineView).styles.max_height = most
