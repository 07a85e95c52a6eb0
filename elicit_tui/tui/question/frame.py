"""The frame of a question: who asks, the message, what was found, its body, the buttons."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import ClassVar, Final

from textual import events, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.geometry import Size

from elicit_tui.elicitation import Deadline, Outcome, Question, Severity
from elicit_tui.tui.key_gate import TextAhead
from elicit_tui.tui.names_on_screen import key_of
from elicit_tui.tui.ordered_app import ShowsQuestion
from elicit_tui.tui.question import frame_words
from elicit_tui.tui.question.actions import (
    BACK,
    BY_ACTION,
    QUESTION_BINDINGS,
    Action,
    ActionBar,
    Answered,
    PageName,
    PageTurned,
    Painted,
)
from elicit_tui.tui.question.asking_again import asks_again
from elicit_tui.tui.question.body import Body, ShownPage
from elicit_tui.tui.question.frame_heading import (
    CARD_COLUMNS,
    FRAME_CSS,
    Surroundings,
    Titled,
    WhoAsks,
    tighten,
    weight_of,
)
from elicit_tui.tui.question.seen_texts import Page, PartToSee, TextRegion, shown_now
from elicit_tui.tui.question.status import StatusLine
from elicit_tui.tui.question_gate import HELD_SECONDS, TOO_SOON, NextEnter
from elicit_tui.tui.widgets.control import CLEAR

NEXT: Final = "app.next_question"
NOT_HEARD: Final = "Too early, not heard: this was shown only just."
"""Quietly, at the question, until the next key: a key that did nothing looks like a broken one."""


class QuestionFrame(Titled, ShowsQuestion):
    """The places of a question's parts, the pages over its body, and its one end.

    It starts the deadline when it is painted and touches it on each key. What was never on the
    screen is not accepted, whoever decides. What the keys mean is `QuestionView`'s, what accepting
    means is the body's.
    """

    BINDINGS: ClassVar[list[BindingType]] = QUESTION_BINDINGS

    DEFAULT_CSS = FRAME_CSS

    def __init__(
        self,
        question: Question,
        deadline: Deadline,
        body: Callable[[QuestionFrame], Body],
        around: Surroundings,
        *,
        id: str | None = None,
    ) -> None:
        """Show `question`, with what its draft holds; what is typed is written there.

        `body` makes what the question is about, and is given this frame.
        """
        hint = next((f", {do.key} next" for do in around.actions if do.name == NEXT), "")
        heading = frame_words.title(question.request)
        super().__init__(heading, deadline, around.queue_position, hint, id=id)
        self.question = question
        self.around = around
        self.opener = around.opener
        self.decided = False
        self.accepted_by = "send"  # The action by which it was accepted last.
        self.who = WhoAsks(question.request, around)
        self.shown = ShownPage()
        """The page that is shown, with what is sent from there."""
        self.is_measured = False  # Whether it is laid out to be measured, and nothing is drawn.
        self._uncovering = False
        self._read_page = False  # Whether the page that was left had been shown for a moment.
        self._not_heard = False
        # What is typed behind the key that closes a page of this very question.
        self._on_the_way_back = TextAhead(keeps=False)
        self._in_passing = ""  # What is said until the next key.
        self._shown_now = ""  # What an accept showed instead of accepting, as a clause.
        self._next_enter = NextEnter()
        self.restored = question.draft.filled  # The next change is not by hand.
        self._status = StatusLine()
        self.body = body(self)
        request = question.request
        is_url, is_call = request.mode == "url", request.traits.about_call
        kind = {"-url": is_url, "-plain": self.body.is_empty, "-call": is_call}
        self.update_classes(kind, update=False)
        self.aside = Page(Content(""), id="aside")
        self._actions = ActionBar(self.offered("answer"), id="actions")

    def uncovered(self) -> None:
        """What lay over the question is gone."""

    @property
    def page(self) -> PageName:
        """Which page is shown."""
        return self.shown.page

    # What is on the screen

    def compose(self) -> ComposeResult:
        """The frame from top to bottom; every part has its fixed place."""
        self._tighten(self.app.size)
        self._weigh_answer()
        request = self.question.request
        yield self.who
        message, left_out = frame_words.message(request)
        self.message = TextRegion(Content(message), id="message", left_out=left_out)
        yield self.message
        if self.question.review.findings or frame_words.told_above(self.question):
            found = TextRegion(partial(frame_words.found, self.question), id="findings")
            found.set_class(frame_words.blocks(self.question), "-block")
            yield found
        room = self.app.size
        columns = min(room.width, CARD_COLUMNS) if self.has_class("-card") else room.width
        self.body.expect(room.with_width(columns) - self.gutter.totals)
        yield self.body.whole
        self.aside.display = self.aside.can_focus = False
        yield self.aside
        yield self._status
        yield self._actions

    def on_mount(self) -> None:
        """Focus the first field; the clock and the keys wait until it is painted."""
        self.set_interval(1.0, self.retitle)
        self._status.watch_for_more(self.message)
        if self.body.is_judged:
            self.summarise()
        if back := frame_words.what_is_back(self.question.draft):
            self.say(f"{back} {key_of(self, CLEAR)} clears a field.", "bold $accent")
        self._focus_page()
        if not self.is_measured:
            self.await_painting()

    @property
    def focus_settled(self) -> bool:
        """Whether the focus is where this page wants it, and the question where it is seen."""
        if self.is_measured:
            return False
        if self.page != "answer":
            return self.screen.focused is self.aside
        return self.body.has_focus

    def painted(self) -> None:
        """It can be seen: its clock runs, its buttons name their keys."""
        if self.never_painted:
            # What was drawn before it came to rest was there too short to be read.
            for part in self.to_be_seen:
                part.see_afresh()
            self.post_message(Painted(self.question))
        if self._uncovering:
            self.uncovered()
            self._on_the_way_back.write_into(self)
        self.body.showed(self.page, whole=not self.aside.unseen)
        self.deadline.start()
        self._give_free_rows()
        self._name_keys()
        self._status.refresh()
        self.retitle()
        if self._not_heard:
            self.was_not_heard()

    def _name_keys(self) -> None:
        bound = reversed(self.screen.active_bindings.items())  # The first key is the named one.
        mine = {active.binding.action: key for key, active in bound if active.node is self}
        self._actions.name_keys(mine)

    @property
    def comes_back(self) -> bool:
        """Whether the person is back from another page of this question that they have read."""
        came_back, self._uncovering = self._uncovering and self._read_page, False
        return came_back

    def on_resize(self, event: events.Resize) -> None:
        """Tighter spacing where there is little room, whatever of it the question takes."""
        self._tighten(self.app.size)
        self.message.styles.max_height = None
        self.call_after_refresh(self._give_free_rows)

    def _tighten(self, size: Size) -> None:
        tighten(self, self.question, size)
        self._status.set_class(self.has_class("-narrow"), "-narrow")
        self.body.resized()
        self.retitle()

    def _give_free_rows(self) -> None:
        if not self.app.is_inline:
            self.message.grow(self.body.free_rows)

    def _focus_page(self) -> None:
        (self.body if self.page == "answer" else self.aside).focus()

    def summarise(self) -> None:
        """Say how far the answer is; at the deliberate step, which key takes it."""
        if self.page == "step":
            self._status.summarise(frame_words.at_step(self.key("anyway"), self.aside.goes_on))
        elif self.page in ("raw", "help"):
            self._status.summarise(Content(""))
        else:
            self._status.summarise(self.body.summary())
        self._fill()

    def _fill(self) -> None:
        risky = self.weight > Severity.NOTE and self.page not in ("raw", "help")
        self._actions.fill(risky=risky, ready=self.body.ready)

    def say(self, sentence: str, style: str = "bold $warning") -> None:
        """Say something above the buttons, until something else is done."""
        self._status.say(sentence, style)

    def hush(self) -> None:
        """What was said is done: how far the answer is stands there again."""
        self._status.hush()

    # Input

    def attended(self) -> None:
        """As each key does."""
        self.deadline.touch()

    def heard(self, event: events.Event) -> None:
        """Each key moves the deadline."""
        if self._not_heard:
            self._not_heard = False
            self._status.hush()
        if isinstance(event, (events.Key, events.Paste)):
            self.deadline.touch()
        self._hush_passing()
        self._next_enter.heard(event)

    def turned_away(self, event: events.Event) -> None:
        """Say that it went nowhere, unless the question is on its way out."""
        if not self.decided and not self._on_the_way_back.takes(event):
            self.was_not_heard()

    def was_not_heard(self) -> None:
        """Say that something came too early."""
        self._not_heard = True
        self.say(NOT_HEARD, "$warning")

    @property
    def listens(self) -> bool:
        """Nothing counts behind a decision, or while another page is being painted."""
        return not self.decided and super().listens

    def answers_changed(self) -> None:
        """The person changed something in the body: keep it, and count what is missing."""
        if self.body.typed and not self.restored:
            self._status.hush()
        self.restored = False
        self.keep_draft()
        self._weigh_answer()
        self.summarise()

    def _weigh_answer(self) -> None:
        """The colour of the frame is that of what would be sent now."""
        found = weight_of(self.question, self.body.content)
        self.weigh(max(found, Severity.WARN) if self.page == "step" else found)
        self.retitle()

    def keep_draft(self) -> None:
        """Write down what is typed, to the last letter, unless the question is decided."""
        if not self.decided:
            self.body.keep_draft()

    def tell(self, sentence: str, style: str = "bold $accent") -> None:
        """Say something above the buttons, until the next key."""
        self.say(sentence, style)
        self._in_passing = sentence

    def _hush_passing(self) -> None:
        self._status.hush_of(self._in_passing)()
        self._in_passing = ""

    def went_on(self) -> None:
        """The person did something else: what was said in passing is over."""
        self._hush_passing()
        self._next_enter.forget()

    def go_on_to(self, action: str, sentence: str) -> None:
        """Enter went through the last field: the next one presses this button, a moment later."""
        self._next_enter.went_on()
        self._actions.focus_on(action)
        self.tell(sentence)

    def on_action_bar_chosen(self, event: ActionBar.Chosen) -> None:
        """A button does what its key does, unless Enter has only just gone on to it."""
        event.stop()
        self.deadline.touch()
        verdict = self._next_enter.presses()
        if verdict == "unawares":
            self.tell(TOO_SOON, "$warning")
        elif verdict == "meant":
            self._press(event.action)
        else:
            pressed = self._next_enter.at
            self.set_timer(HELD_SECONDS, partial(self._unless_held, pressed, event.action))

    def _unless_held(self, pressed: float, action: str) -> None:
        if self._next_enter.at == pressed and not self.decided:
            self._press(action)

    def _press(self, action: str) -> None:
        if action.startswith("app."):
            self.run_worker(self.app.run_action(action), exit_on_error=False)
        else:
            getattr(self, f"action_{action}")()

    # Its end

    def accept(self, outcome: Outcome) -> None:
        """The person accepts this; what was not on the screen is shown first."""
        if not self.shows_unseen():
            # What was on the screen, or was told of, as the core names its parts.
            read = self.page != "answer" and not self.aside.unseen
            message = frozenset() if self.message.unseen else frozenset({"message"})
            seen = message | self.body.seen(outcome.content or {}, page_read=read)
            self.decide(replace(outcome, seen=seen))

    def decide(self, outcome: Outcome) -> None:
        """This is the answer."""
        self.keep_draft()
        self.decided = True
        self.post_message(Answered(self.question, outcome))

    @property
    def to_be_seen(self) -> tuple[PartToSee, ...]:
        """What says on this page what would be accepted."""
        parts = self.body.to_be_seen(self.page)
        return (self.message, *((self.aside,) if parts is None else parts))

    def shows_unseen(self) -> bool:
        """Whether what is accepted was not all on the screen; then it is shown, and said, once."""
        if self.message.unseen and not self.message.display:
            self.body.put_away()
        self.set_class(self.message.unseen, "-reads")
        shown = shown_now(parts := self.to_be_seen)
        if shown:
            self._shown_now = shown
            again = self._asks_again(any(part.still_unseen for part in parts))
            self.ask_again(again, now=self._asks_again)
        return bool(shown)

    def _asks_again(self, more: bool | None = None) -> str:
        more = self.body.shows_more(self.to_be_seen) if more is None else more
        key, does = self.key(self.accepted_by), self.body.does_by(self.accepted_by)
        return asks_again(self._shown_now, key, does, more=more)

    def ask_again(self, sentence: str, now: Callable[[], str] | None = None) -> None:
        """Say what an accept did instead of accepting; the next one counts once that was read."""
        self._status.say(sentence, now=now)
        self.turn()
        self.await_painting()

    # Pages

    def key(self, action: str) -> str:
        """What the key of one of the question's actions is called."""
        return key_of(self, BY_ACTION[action])

    def turn_to(self, shown: ShownPage) -> None:
        """Show a page; until it is painted nothing is heard."""
        self.body.showed(self.page, whole=not self.aside.unseen)
        self._read_page = not self.deaf
        self.turn()
        self._uncovering = shown.page == "answer" and self.page != "answer"
        self._on_the_way_back = TextAhead(keeps=self._uncovering)
        self.shown = shown
        self._show_page(shown)

    @work(exclusive=True, group="page")
    async def _show_page(self, shown: ShownPage) -> None:
        page = shown.page
        aside = page != "answer"
        if aside:
            self.aside.tell(shown.text, shown.clear)
        self.aside.display = self.aside.can_focus = aside
        self.message.styles.max_height = None
        self.set_class(aside, "-aside")
        self.set_class(page == "step", "-step")
        self._weigh_answer()
        self.set_class(page in ("raw", "help"), "-about")
        if aside:
            self.body.covered()
        else:
            self.body.uncovered()
        self.body.whole.display = not aside
        await self._actions.show(self._actions_now)
        self._status.hush()
        self.summarise()
        self._focus_page()
        self.await_painting()

    def _actions_now(self) -> tuple[Action, ...]:
        page = self.page
        if page == "raw":
            return (BACK,)
        if page == "help":
            aside = [do for do in self.offered("answer") if do.aside]
            hidden = [do for do in aside if do.name not in self._actions.shown]
            return (BACK, *hidden, *self.around.actions)
        return self.offered(page)

    def offered(self, page: PageName) -> tuple[Action, ...]:
        """What can be done on a page of the body: Later only where that leads somewhere."""
        later = self.around.shelf or self.others_wait
        return tuple(do for do in self.body.actions(page) if later or do.name != "later")

    def place_in_queue(self, place: int, of: int) -> None:
        """Show another place in the queue."""
        before = self.others_wait
        super().place_in_queue(place, of)
        if before != self.others_wait and not self.around.shelf and self.is_mounted:
            self.show_actions()

    def rename_button(self, action: Action) -> None:
        """What a key does on the page of the answer just now."""
        if self.page == "answer":
            self._actions.become(action)

    @work(exclusive=True, group="buttons")
    async def show_actions(self) -> None:
        """Other things can be done on this page now."""
        await self._actions.show(self._actions_now)
        self._name_keys()
        self._fill()
        # Whoever counted rows meanwhile counted none for the buttons.
        self.call_after_refresh(self.post_message, PageTurned(self.question))

    @property
    def room(self) -> int:
        """Cells in which a page can write."""
        return max(self.size.width - 4, 16)
