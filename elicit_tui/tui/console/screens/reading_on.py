"""What of the arguments of a call was never on the screen is shown before it is called."""

from __future__ import annotations

import time
from abc import abstractmethod
from functools import partial
from typing import Any, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Static

from elicit_tui.elicitation.finding import MASK
from elicit_tui.text import readable_json
from elicit_tui.tui.console.bars import KeyBar
from elicit_tui.tui.console.dialog import Dialog, DialogButton, WritingDialog
from elicit_tui.tui.console.json_editor import JsonEditor
from elicit_tui.tui.question.asking_again import READ_ON, asks_again
from elicit_tui.tui.question.seen_texts import Page
from elicit_tui.tui.question_gate import DEAF_SECONDS
from elicit_tui.tui.widgets import FormView
from elicit_tui.tui.widgets.buttons import KeyButton, KeyRow

# The same promise as that of a question: what others wrote is seen before it goes out.


class ReadsOn(WritingDialog[dict[str, Any]]):
    """Takes arguments once all of them that the person did not write was on the screen."""

    verb: str
    """What becomes of them: `Call`."""

    def __init__(self, title: str, server: str) -> None:
        super().__init__(title, server)
        self.title_of_it, self.server = title, server
        self.unseen_line = Static("", id="unseen", markup=False)
        self.does = ""
        """What the key that takes them does, in a word."""
        self._read_on_at = 0.0
        self._told = ""
        """What was brought into view, until something is written."""

    @property
    @abstractmethod
    def written_in(self) -> FormView | JsonEditor:
        """Where the arguments stand just now."""

    @property
    def lacks(self) -> str:
        """What is not filled in yet; what is wrong in JSON is told while one writes."""
        return self.written_in.lacks

    def on_mount(self) -> None:
        """Follow what comes into sight."""
        self.does = self.verb
        self._lead_to_it()
        for form_view in self.query(FormView):
            self.watch(form_view, "scroll_y", self._scrolled, init=False)

    def on_resize(self, event: events.Resize) -> None:
        """In another layout other things are in sight."""
        self._scrolled()

    def _scrolled(self) -> None:
        self.call_after_refresh(self.count_unseen)

    @on(FormView.SeenMore)
    @on(JsonEditor.SeenWhole)
    def _more_was_seen(self, event: events.Event) -> None:
        event.stop()
        self.count_unseen()

    def count_unseen(self) -> None:
        """Say how much is still to be seen, and what the key that takes them does until then."""
        place, said = self.written_in, ""
        if isinstance(place, JsonEditor):
            said = "◌ not seen to its end" if place.hidden else ""
        elif place.is_attached and place.judged and place.reads_on:
            count = place.answers_unseen
            said = f"◌ {count} not seen yet of {len(place.conversion.content)}" if count else ""
            said = said or "◌ not seen to its end"
        told = self._tells(more=bool(said)) if self._told else said
        self.unseen_line.update(told)
        self.unseen_line.display = bool(told)
        does = READ_ON if said else self.verb
        if does != self.does:
            self.does = does
            self.query_one("#send", DialogButton).name_words(does)
            self._lead_to_it()
            self.query_one(KeyBar).follow()

    def _lead_to_it(self) -> None:
        for form_view in self.query(FormView):
            form_view.lead_to(self.does)

    def _tells(self, *, more: bool) -> str:
        lacks = isinstance(self.written_in, FormView) and bool(self.lacks)
        does = "shows what lacks" if lacks else f"{self.verb.lower()}s"
        return asks_again(self._told, self.app.key_of("arguments.call"), does, more=more)

    def on_form_view_changed(self, event: events.Event) -> None:
        """What was told is over."""
        self._told = ""
        self.count_unseen()

    def take_once_seen(self, content: dict[str, Any], place: FormView | JsonEditor) -> None:
        """Take these, unless something of them was not seen: then show it."""
        if time.monotonic() - self._read_on_at < DEAF_SECONDS:
            return  # Of a key that is held down: what was shown only just was not read.
        if isinstance(place, JsonEditor):
            if place.hidden:
                self._read_on_at = time.monotonic()
                place.read_on()
                return
        elif place.unseen:
            self._read_on_at = time.monotonic()
            if place.wants_a_page:
                whole = WholeArgumentsScreen(self, place, content)
                self.app.push_screen(whole, partial(self._was_read, content))
            else:
                self._show_unseen(place)
            return
        self.dismiss(content)

    def reads_on(self, place: FormView) -> bool:
        """Whether what was not seen of a form that lacks an answer was shown, as its key says."""
        if shows := place.reads_on:
            self._show_unseen(place)
        return shows

    def _show_unseen(self, place: FormView) -> None:
        self._told = place.show_unseen(briefly=False)
        self._scrolled()

    def _was_read(self, content: dict[str, Any], agreed: bool | None) -> None:
        if agreed:
            self.dismiss(content)


class WholeArgumentsScreen(Dialog[bool]):
    """All arguments as they go out, read to their end; result: True to go on with them."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "send", "Call", id="arguments.call"),
    ]

    def __init__(self, over: ReadsOn, form_view: FormView, content: dict[str, Any]) -> None:
        super().__init__(over.title_of_it, over.server)
        self._verb = over.verb
        self._server = over.server
        self._form_view = form_view
        self._content = content
        self._opened_at = 0.0

    def body(self) -> ComposeResult:
        """The arguments, above the key that takes them."""
        from elicit_tui.tui.question.overlays import all_of_it

        why, form = self._form_view.unseen_in_words, self._form_view.form
        hidden = dict.fromkeys(self._form_view.not_shown, MASK)
        shown = {**self._content, **hidden}
        yield Page(all_of_it(self._server, form, shown, readable_json, why), id="whole")
        with KeyRow(classes="buttons"):
            yield DialogButton(self._verb, "arguments.call", id="send", main=True)
            yield DialogButton("Back", "dialog.back", id="back")

    @property
    def _page(self) -> Page:
        return self.query_one("#whole", Page)

    def on_mount(self) -> None:
        """The arrows scroll it."""
        self._opened_at = time.monotonic()
        self._page.focus()

    @on(Page.Seen)
    def _name_key(self) -> None:
        self.query_one("#send", DialogButton).name_words(self._does)
        self.query_one(KeyBar).follow()

    @property
    def _does(self) -> str:
        return READ_ON if self._page.unseen else self._verb

    def worded(self, action: str) -> str | None:
        """The key says what the button says."""
        return self._does if action == "send" else None

    @on(KeyButton.Pressed, "#send")
    def action_send(self) -> None:
        """Go on with them, once their end was there; a page further until then."""
        if time.monotonic() - self._opened_at < DEAF_SECONDS:
            return
        if self._page.unseen:
            self._opened_at = time.monotonic()
            self._page.show_unseen(briefly=True)
            return
        self._form_view.count_as_seen()
        self.dismiss(True)

    @on(KeyButton.Pressed, "#back")
    def _back_pressed(self) -> None:
        self.action_leave()
