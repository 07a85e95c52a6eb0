"""One question in its frame: who asks, what was found, the message, the fields, the way out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, ClassVar

from textual import events, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.geometry import Size
from textual.message import Message

from elicit_tui.elicitation import Deadline, Finding, Question
from elicit_tui.elicitation.settings import ElicitationSettings
from elicit_tui.form import Draft, DraftStore, Form
from elicit_tui.responders.browser import open_in_browser
from elicit_tui.tui.breakage import ShowsQuestion
from elicit_tui.tui.key_names import key_of
from elicit_tui.tui.question import offers, quiet, words
from elicit_tui.tui.question.actions import Action, ActionBar
from elicit_tui.tui.question.bindings import BY_ACTION, QUESTION_BINDINGS
from elicit_tui.tui.question.offers import PageName
from elicit_tui.tui.question.page import Page
from elicit_tui.tui.question.regions import Region
from elicit_tui.tui.question.status import StatusLine, summary
from elicit_tui.tui.question.style import FRAME_CSS, tighten
from elicit_tui.tui.question.title import Titled
from elicit_tui.tui.question.url_panel import UrlPanel
from elicit_tui.tui.widgets.control import CLEAR
from elicit_tui.tui.widgets.form_view import FormView
from elicit_tui.tui.widgets.guarded import InputGuard

Examine = Callable[[Mapping[str, Any]], tuple[Finding, ...]]
"""Looks at content before it is sent (the guardian's outgoing rules)."""

NEXT = "app.next_question"
_PAINTINGS = 20


class QuestionFrame(Titled, InputGuard, ShowsQuestion):
    """The parts of a question in their fixed places, and the pages over the fields.

    It starts the deadline when it is painted and touches it on each key. What decides is
    `QuestionView`.
    """

    BINDINGS: ClassVar[list[BindingType]] = QUESTION_BINDINGS

    DEFAULT_CSS = FRAME_CSS

    class Painted(Message):
        """The question was painted for the first time."""

        def __init__(self, view: QuestionFrame) -> None:
            super().__init__()
            self.view = view

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
        around: tuple[Action, ...] = (),
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        """Show `question`; `form` is None in url mode.

        `queue_position` is (place from 1, how many). With `drafts`, what is typed is kept there
        as it is typed, restored from there, and forgotten once sent. `opener` hands a URL to the
        system's browser, away from the event loop, and says whether it started. `around` are
        actions of the application, for the help page.
        """
        super().__init__(id=id, classes=classes)
        self.question = question
        self.form = form
        self.deadline = deadline
        self.settings = settings
        self.examine = examine
        self.drafts = drafts
        request = question.request
        if draft is None and drafts is not None and form is not None:
            draft = drafts.find(request)
        self._restored = draft is not None and draft.typed
        self._opener = opener or open_in_browser
        self._around = around
        self._queue_position = queue_position
        self._quiet = quiet.Quiet(deaf_seconds=quiet.DEAF_SECONDS)
        self._opened = draft is not None and draft.opened
        self._page: PageName = "waiting" if self._opened else "answer"
        self._origin: PageName = "answer"
        self._held: dict[str, Any] | None = None
        self._asked_to_cancel = False
        self._done = False
        self._turning = False
        self._last_field: str | None = None
        self._url = UrlPanel(request.url or "", self._opened) if form is None else None
        self.set_class(form is None, "-url")
        self._form_view = (
            None
            if form is None
            else FormView(
                form,
                draft.entries if draft else None,
                touched=draft.touched if draft else frozenset(),
                id="form",
            )
        )
        self._aside = Page(Content(""), id="aside")
        self._status = StatusLine()
        self._actions = ActionBar(self._actions_of(self._page), id="actions")

    # What is on the screen

    def compose(self) -> ComposeResult:
        """The frame from top to bottom; every part has its fixed place."""
        self._tighten(self.app.size)
        request = self.question.request
        yield Region(partial(words.identity, request), id="identity")
        yield Region(words.call_line(request), id="call")
        if self.question.review.findings or self.question.note:
            yield Region(partial(words.found, self.question), id="findings")
        yield Region(Content(words.message(request)), id="message")
        if self._form_view is not None:
            self._form_view.expect(self.app.size - self.gutter.totals)
            yield self._form_view
        if self._url is not None:
            yield self._url
        self._aside.display = self._aside.can_focus = False
        yield self._aside
        yield self._status
        yield self._actions

    def on_mount(self) -> None:
        """Focus the first field; the clock and the keys wait until it is painted."""
        self.set_interval(1.0, self._retitle)
        if self._url is not None:
            self._summarise()
        if self._restored:
            self._status.say(
                f"Your earlier answers are back. {key_of(self, CLEAR)} clears a field.",
                "bold $accent",
            )
        self._focus_page()
        self.call_after_refresh(self._when_painted)

    def _when_painted(self, tries: int = _PAINTINGS) -> None:
        """Listen only once something in the frame is painted and has the focus."""
        if not self.is_attached:
            return  # It was taken down before it was painted.
        if tries and not self._focus_settled:
            self.call_after_refresh(self._when_painted, tries - 1)
        else:
            self.call_after_refresh(self._painted)

    @property
    def _focus_settled(self) -> bool:
        focused = self.screen.focused
        if self._page not in ("answer", "waiting"):
            return focused is self._aside
        if self._form_view is None:
            return focused is self._url
        if self.form is not None and any(spec.sendable for spec in self.form.fields):
            return self._form_view.focused_field is not None
        return focused is not None and self in focused.ancestors

    def _painted(self) -> None:
        if not self.is_attached:
            return
        self._turning = False
        if self.deaf and not self.deadline.started:
            self.post_message(self.Painted(self))
        self._quiet.painted()
        self.deadline.start()
        bound = self.screen.active_bindings.items()
        mine = {active.binding.action: key for key, active in bound if active.node is self}
        self._actions.name_keys(mine)
        self._status.refresh()
        self._retitle()

    def on_resize(self, event: events.Resize) -> None:
        """Tighter spacing where there is little room."""
        self._tighten(event.size)

    def _tighten(self, size: Size) -> None:
        narrow = tighten(self, size)
        self._status.set_class(narrow, "-narrow")
        self._retitle()

    def _retitle(self) -> None:
        place, of = self._queue_position
        queued = f"{place} of {of}" if of > 1 else ""
        following = [f", {do.key} next" for do in self._around if do.name == NEXT and of > 1]
        self.entitle(
            f"{words.server_name(self.question.request)} asks",
            queued,
            "".join(following),
            words.time_left(self.deadline.remaining),
        )

    def place_in_queue(self, place: int, of: int) -> None:
        """Show another place in the queue."""
        self._queue_position = (place, of)
        self._retitle()

    def _summarise(self) -> None:
        if self._form_view is not None and self.form is not None:
            self._status.summarise(summary(self.form, self._form_view.conversion))
        elif self._opened:
            self._status.summarise(Content.styled("waiting for the page to be finished", "bold"))
        else:
            self._status.summarise(Content("opens only if you choose it"))

    def _focus_page(self) -> None:
        if self._page in ("answer", "waiting"):
            if self._form_view is None:
                assert self._url is not None
                self._url.focus()
            elif self._last_field is not None:
                self._form_view.focus_field(self._last_field)
            elif not self._form_view.focus_first():
                self.query_one("#message", Region).hear_the_keys()
        else:
            self._aside.focus()

    # Input

    def admits(self, event: events.Event) -> bool:
        """Turn away what was meant for something else; each key moves the deadline."""
        if self._quiet.drops(event.time):
            return False
        if isinstance(event, (events.Key, events.Paste)):
            self.deadline.touch()
        return True

    @property
    def wanted_height(self) -> int:
        """Rows in which nothing would have to scroll, once painted."""
        panel = self._form_view or self._url
        assert panel is not None
        needed = max((child.virtual_region.bottom for child in panel.children), default=0)
        return self.outer_size.height + needed - panel.size.height

    @property
    def listens(self) -> bool:
        """Nothing counts behind a decision, or while another page is being painted."""
        return not self._done and not self._turning

    def acts_on(self, event: events.Key) -> bool:
        """Run one of the question's own actions, whatever key it is bound to."""
        active = self.screen.active_bindings.get(event.key)
        if active is None or active.node is not self or not active.enabled:
            return False
        method = getattr(self, f"action_{active.binding.action}", None)
        if method is None:
            return False
        method()
        return True

    @property
    def deaf(self) -> bool:
        """Whether it is too early to decide anything: not painted, or only just."""
        return self._quiet.deaf

    @property
    def page(self) -> PageName:
        """Which page is shown."""
        return self._page

    @property
    def draft(self) -> Draft:
        """What is typed at this moment."""
        if self._form_view is None:
            return Draft({}, opened=self._opened)
        return Draft(self._form_view.entries, self._form_view.touched)

    def keep_draft(self) -> None:
        """Keep what is typed, to the last letter, unless the question is decided."""
        if self.drafts is not None and self._form_view is not None and not self._done:
            self.drafts.keep(self.question.request, self.draft)

    @property
    def typed(self) -> bool:
        """Whether the person typed or chose anything: then nothing may be opened over it."""
        return self._form_view is not None and bool(self._form_view.touched)

    def on_form_view_changed(self, event: FormView.Changed) -> None:
        """Keep what was typed; count what is missing."""
        event.stop()
        if self._done:
            return
        self._asked_to_cancel = False
        if event.view.touched and not self._restored:
            self._status.hush()
        self._restored = False
        self.keep_draft()
        self._summarise()

    def on_form_view_focused(self, event: FormView.Focused) -> None:
        """Remember where the person is."""
        event.stop()
        self._last_field = event.field_control.spec.name

    def on_form_view_finished(self, event: FormView.Finished) -> None:
        """Enter in the last field sends nothing; say what does."""
        event.stop()
        self._status.say(f"That was the last field. {self.key('send')} sends.", "bold $accent")

    def on_action_bar_chosen(self, event: ActionBar.Chosen) -> None:
        """A button does what its key does."""
        event.stop()
        self.deadline.touch()
        if event.action.startswith("app."):
            self.run_worker(self.app.run_action(event.action), exit_on_error=False)
        else:
            getattr(self, f"action_{event.action}")()

    def action_focus_next(self) -> None:
        """The next field, button or region."""
        if self._form_view is None or not self._form_view.focus_next_unmade():
            self.screen.focus_next()

    def action_focus_previous(self) -> None:
        """The one before."""
        self.screen.focus_previous()

    def action_scroll_message(self, pages_down: int) -> None:
        """Scroll the message while a field has the focus; the fields when it needs none."""
        region: VerticalScroll = self.query_one("#message", Region)
        if region.max_scroll_y == 0 and self._form_view is not None:
            region = self._form_view
        (region.scroll_page_down if pages_down > 0 else region.scroll_page_up)(animate=False)

    # Pages

    def _actions_of(self, page: PageName) -> tuple[Action, ...]:
        ready = page == "review" and self._ready_to_send()
        page = "waiting" if page == "answer" and self._opened else page
        return offers.on_page(page, self.form, self._url, ready=ready, around=self._around)

    def key(self, action: str) -> str:
        """What the key of one of the question's actions is called."""
        return key_of(self, BY_ACTION[action])

    def _turn_to(self, page: PageName, text: Content | None = None) -> None:
        """Show a page; until it is painted nothing is heard."""
        self._quiet.hidden()
        self._turning = True
        self._page = page
        self._show_page(page, text)

    @work(exclusive=True, group="page")
    async def _show_page(self, page: PageName, text: Content | None) -> None:
        aside = page in ("review", "step", "raw", "help")
        if text is not None:
            self._aside.tell(text)
        self._aside.display = self._aside.can_focus = aside
        self.set_class(aside, "-aside")
        self.set_class(page == "step", "-step")
        if self._url is not None and aside:
            self._url.show_code(False)
        for panel in (self._form_view, self._url):
            if panel is not None:
                panel.display = not aside
        await self._actions.show(self._actions_of(self._page))
        self._status.hush()
        self._summarise()
        self._focus_page()
        self.call_after_refresh(self._when_painted)

    def action_back(self) -> None:
        """From a page to the fields, with nothing changed."""
        if self._page not in ("answer", "waiting"):
            self._held = None
            self._turn_to("waiting" if self._opened else "answer")

    @property
    def room(self) -> int:
        """Cells in which a page can write."""
        return max(self.size.width - 8, 16)

    def _ready_to_send(self) -> bool:
        if self._form_view is None or self._form_view.form.refusal is not None:
            return False
        return not self._form_view.conversion.problems
