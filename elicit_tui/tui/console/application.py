"""The console as a Textual application: paints first, then starts the run behind the screen."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from textual import events
from textual.app import App, SystemCommand
from textual.binding import Binding, BindingType
from textual.screen import Screen

from elicit_tui.elicitation import Outcome, Pending, Question, Queue, Responder
from elicit_tui.elicitation.settings import Settings
from elicit_tui.garbage import collect_again
from elicit_tui.tui.console.announcer import Announcer
from elicit_tui.tui.console.controller import Controller
from elicit_tui.tui.console.leaving import Leaving
from elicit_tui.tui.console.muting import STARTING, Muting
from elicit_tui.tui.console.own_settings import take_settings
from elicit_tui.tui.console.panels.pane import NARROW
from elicit_tui.tui.console.presenter import ConsoleResponder, QuestionPresenter
from elicit_tui.tui.console.remembered import Remembered
from elicit_tui.tui.console.screen import ConsoleScreen, InboxScreen
from elicit_tui.tui.console.shared_questions import SharedQuestions
from elicit_tui.tui.console.state import ConsoleState
from elicit_tui.tui.key_gate import is_field
from elicit_tui.tui.names_on_screen import key_name
from elicit_tui.tui.terminal_answers import BackgroundTold
from elicit_tui.tui.textual_terminal import ask_for_background
from elicit_tui.tui.theme import AUTO, begin_with_theme, is_light, use_theme

if TYPE_CHECKING:
    from pathlib import Path

    from elicit_tui.tui.console.calls import CallRecord
    from elicit_tui.tui.console.run import ConsoleRun, RuntimeFactory
    from elicit_tui.tui.console.servers import Offer, OwnFile
    from elicit_tui.tui.question.actions import Answered, Later

TICK_SECONDS = 0.1
PRELOAD_SECONDS = 0.2
PICTURE_SECONDS = 0.2
COVERED = "Close this first: it would be covered."
LEAVE_SECONDS = 15.0
"""How long leaving waits for the servers to end; each gets its own grace before that."""


class ConsoleApp(Controller):
    """Servers, questions, calls, activity and history on one screen."""

    TITLE = "elicit-tui"
    ESCAPE_TO_MINIMIZE = False
    HORIZONTAL_BREAKPOINTS = [  # noqa: RUF012 - Textual declares it so
        (0, "-narrow"),
        (NARROW, "-normal"),
        (110, "-wide"),
    ]

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+q", "quit", "Leave", priority=True, id="console.quit"),
        Binding("f1,question_mark", "help", "Help", id="console.help"),
        Binding(
            "ctrl+o", "next_question", "Next question", priority=True, id="console.next_question"
        ),
        Binding("f9", "mute_loop", "Mute", priority=True, show=False, id="console.mute_loop"),
        Binding(
            "ctrl+z", "suspend_process", "Suspend", priority=True, show=False, id="console.suspend"
        ),
        Binding(
            "f3", "allowances", "Allowed tools", priority=True, show=False, id="console.allowances"
        ),
    ]
    CSS_PATH = "console.tcss"

    def __init__(
        self,
        settings: Settings,
        factory: RuntimeFactory,
        *,
        only: Sequence[str] | None = None,
        config_path: str = "",
        inbox: bool = False,
        own_file: OwnFile | None = None,
    ) -> None:
        """`inbox`: nothing but the questions of other processes.

        `own_file`: the configuration whose servers may be changed here.
        """
        self.remembered = Remembered.load()
        self._look = self.remembered.theme_for(settings.console.theme)
        begin_with_theme(self, self._look)
        super().__init__()
        self.state = ConsoleState(settings, only)
        if inbox:
            self.state.servers.clear()
        self.via = "inbox" if inbox else "console"
        self._main_screen = InboxScreen if inbox else ConsoleScreen
        self.config_path = config_path
        self.presenter = QuestionPresenter(self)
        self.announcer = Announcer(self)
        self.shared = SharedQuestions(self)
        self._muting = Muting(self)
        self._way_out = Leaving(self, self.shared, self.leave)
        self.runtime = None
        self._factory = factory
        self.own_file = own_file
        self._console_run: ConsoleRun | None = None
        self._leaving = asyncio.Event()
        self._work: asyncio.Task[None] | None = None
        self.exit_code = 0

    # Start and end

    def get_default_screen(self) -> Screen[Any]:
        """The console's main screen."""
        return self._main_screen(self.state)

    def on_mount(self) -> None:
        """Take the owner's keys, paint; everything else comes after."""
        take_settings(self)
        self.call_after_refresh(self._painted)
        self.app_resume_signal.subscribe(self, self._repaint)

    def _repaint(self, app: App[Any]) -> None:
        """Back from the shell the screen is empty: draw every part of it again."""
        for widget in (self.screen, *self.screen.query("*")):
            widget.refresh()

    def _painted(self) -> None:
        collect_again()
        self._work = asyncio.create_task(self._whole_run())
        if self._look == AUTO:
            ask_for_background(self)
        self.set_interval(TICK_SECONDS, self._tick)

    async def _preload(self) -> None:
        """Load what a question needs before the first one comes, so that it opens at once."""
        from elicit_tui.tui.console.made_ready import make_ready

        await asyncio.to_thread(
            make_ready, self.runtime.guardian if self.runtime is not None else None
        )

    async def _whole_run(self) -> None:
        from elicit_tui.tui.console.run import ConsoleRun

        run = self._console_run = ConsoleRun(self)
        try:
            await run.run(self._factory, self._leaving, self.shared)
        except asyncio.CancelledError:
            pass
        except Exception as error:  # noqa: BLE001 - nobody awaits this: the console ends with it
            self._handle_exception(error)

    def responder(self, queue: Queue) -> Responder:
        """Who answers the broker's questions: these screens."""
        self.state.questions = queue
        self.set_timer(PRELOAD_SECONDS, self._preload)
        return ConsoleResponder(queue, self.presenter)

    def action_help_quit(self) -> None:
        """Ctrl+C copies what is selected; say so, and what leaves."""
        self.notify(
            f"Nothing is selected to copy. {self.key_of('console.quit')} leaves.", markup=False
        )

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Where text is edited or a field's key can be undone, the key that suspends undoes it."""
        if action == "suspend_process":
            focused = self.focused
            undoes = getattr(focused, "takes_back", False)
            return focused is None or not (is_field(focused) or undoes)
        return super().check_action(action, parameters)

    async def action_quit(self) -> None:
        """Leave; asks once while questions wait that end with this, or calls run."""
        await self._way_out.quit()

    def action_ask_to_leave(self) -> None:
        """Ask whether to leave, whatever is open."""
        self._way_out.ask()

    async def leave(self, exit_code: int = 0) -> None:
        """End the run in order, then the application; questions end by `shutdown`."""
        if self._leaving.is_set():
            return
        self.exit_code = exit_code
        self._leaving.set()
        if self._work is not None and not self._work.done():
            self.notify("Ending the servers …", markup=False)
            self.run_worker(self._exit_after(self._work), exit_on_error=False)
        else:
            self._gone()

    async def wind_up(self) -> None:
        """End the run in order once nothing is on the screen, also when the screen broke."""
        self._leaving.set()
        if self._work is not None:
            await asyncio.wait({self._work}, timeout=LEAVE_SECONDS)

    async def _exit_after(self, run: asyncio.Task[None]) -> None:
        await asyncio.wait({run}, timeout=LEAVE_SECONDS)
        self._gone()

    def _gone(self) -> None:
        self.announcer.restore()
        self.shared.in_consoles.end()
        self.exit(self.exit_code)

    # Keys and questions

    def may_be_interrupted(self) -> bool:
        """Whether a question may open by itself: no field is edited, no dialog is open."""
        if self._leaving.is_set():
            return False
        screen = self.screen
        if isinstance(screen, ConsoleScreen):
            focused = screen.focused
            return focused is None or not is_field(focused)
        return bool(getattr(screen, "interruptible", False))

    def on_question_view_answered(self, message: Answered) -> None:
        """The person decided."""
        self.presenter.answered(message.question, message.outcome)

    def on_question_view_later(self, message: Later) -> None:
        """The person wants it later."""
        if self.presenter.put_off(message.question):
            self.shared.put_off(message.question)
            self.run_worker(self.show_pane("questions"))

    def give_up(self, question: Question, outcome: Outcome) -> bool:
        """A question that broke ends; everything else goes on."""
        self.presenter.give_up(question, outcome)
        return True

    def action_next_question(self) -> None:
        """Open the next waiting question; what is typed in the present one stays."""
        if not len(self.state.questions):
            self.notify("No question waits.", markup=False)
        elif not self.takes_a_question:
            self.notify(COVERED, markup=False)
        else:
            self.presenter.open_next()

    async def on_event(self, event: events.Event) -> None:
        """A key anywhere says that somebody is there, and so does the focus of the window."""
        if isinstance(event, events.Key):
            self.shared.key_pressed()
        elif isinstance(event, events.AppFocus | events.AppBlur):
            self.shared.presence.has_focus = isinstance(event, events.AppFocus)
        await super().on_event(event)

    def open_question(self, pending: Pending) -> None:
        """Bring this question on the screen, in place of the one that is there."""
        pending.deadline.touch()
        self.presenter.open(pending)

    def look_for_questions(self) -> None:
        """A dialog went: a question that waited for this may open."""
        self.presenter.consider_soon()

    def announce(self, pending: Pending, *, shown: bool) -> None:
        """Make a question heard that came; `shown` says whether it opened by itself."""
        self.announcer.question(pending, shown=shown)

    def origin_of(self, question: Question) -> str:
        """For whom another process asks it, in words; empty for the console's own."""
        return self.shared.origin(question)

    def held_elsewhere(self, question: Question) -> str:
        """Who else answers it just now, in words; empty when nobody does."""
        return self.shared.held(question)

    def agent_away(self, question: Question) -> str:
        """Where the agent is that waits no longer for it, in words; empty while it waits."""
        return self.shared.agent_away(question)

    def screen_was_answered(self) -> None:
        """A question left the screen; say why, where it was not the person who ended it."""
        self.announcer.tell_ends(self.presenter.ended)

    def _tick(self) -> None:
        if not self.is_running:  # What is being taken down is not drawn any more.
            return
        self.announcer.tell_ends(self.presenter.ended)
        self.announcer.tell_notices()
        while self.state.completed_urls:
            self.presenter.completed(*self.state.completed_urls.popitem()[0])
        if self.shared.unsent and isinstance(self.screen, ConsoleScreen):
            from elicit_tui.tui.console.screens.confirmations import UnsentScreen

            self.push_screen(UnsentScreen(self.shared.unsent.popleft()))
        self.announcer.title()
        self.shared.in_consoles.tick()
        self.presenter.tick()
        if isinstance(self.screen, ConsoleScreen):
            self.screen.tick()
        if self._console_run is not None and not self._leaving.is_set():
            self._console_run.tick()

    # The look

    def wear(self, theme: str) -> None:
        """Change to a theme, for the next runs too."""
        self._look = theme
        use_theme(self, theme)
        self.remembered.choose_theme(theme, self.state.settings.console.theme)
        if theme == AUTO:
            ask_for_background(self)

    def on_background_told(self, message: BackgroundTold) -> None:
        """The terminal says how light it is."""
        if self._look == AUTO:
            use_theme(self, "light" if is_light(*message.colour) else "dark")

    def take_picture(self) -> None:
        """Save a picture of the screen, once the palette is gone."""
        from elicit_tui.tui.console.taking import save_picture

        self.set_timer(PICTURE_SECONDS, partial(save_picture, self))

    # Actions of the panes

    @property
    def known_keys(self) -> Mapping[str, Binding]:
        """Every action that has a key, by its id."""
        from elicit_tui.tui.console.action_keys import known_keys

        return known_keys(ConsoleApp, self._main_screen)

    def key_of(self, action_id: str) -> str:
        """The key that an action has, as it is shown."""
        from elicit_tui.tui.console.action_keys import binding_of

        screen = type(self.screen) if self.screen_stack else self._main_screen
        binding = binding_of(action_id, ConsoleApp, self._main_screen, screen)
        key = self.own_keys.get(action_id, binding.key)
        if key == binding.key and binding.key_display:
            return binding.key_display
        return key_name(key)

    def get_key_display(self, binding: Binding) -> str:
        """Keys as the questions spell them: `^S`, `Esc`, `F1`, `Enter`."""
        return binding.key_display or key_name(binding.key)

    @property
    def muted(self) -> frozenset[str]:
        """The servers muted for this run."""
        return self._muting.servers

    def has_pane(self, name: str) -> bool:
        """Whether there is a pane of this name."""
        main = self.screen_stack[0] if self.screen_stack else None
        return isinstance(main, ConsoleScreen) and main.has_pane(name)

    async def show_pane(self, name: str) -> None:
        """Show a pane of the main screen."""
        for screen in self.screen_stack:
            if isinstance(screen, ConsoleScreen):
                await screen.show_pane(name)

    def point_at_call(self, call_id: str) -> None:
        """Put the cursor of the calls on this one."""
        self.state.pointed_call = call_id
        self.state.changed()

    def toggle_mute(self, server: str) -> None:
        """Mute a server for this run, or let it ask again."""
        self._muting.toggle(server)

    def action_mute_loop(self) -> None:
        """Mute the server that asks in a loop, or the one whose question is open."""
        self._muting.toggle_worst()

    def decline_all(self, server: str) -> None:
        """Ask, then decline every waiting question of a server."""
        self._muting.decline_all(server)

    def restart(self, server: str) -> None:
        """End a server and start it again."""
        if self._console_run is not None:
            self._console_run.restart(server)

    def stop(self, server: str) -> None:
        """End a server."""
        if self._console_run is not None:
            self._console_run.stop(server)

    def take_over(self, name: str, now: Settings, was: str = "") -> bool:
        """Let this run have a server as it is now, once `was` ended; False: there is no run yet."""
        if self._console_run is None or self.runtime is None:
            return False
        self._console_run.take_over(name, now, was)
        return True

    def call_offer(self, server: str, offer: Offer) -> None:
        """Call a tool, get a prompt or read a resource; its arguments are asked first."""
        if self._console_run is not None:
            self._console_run.ask_arguments(server, offer)

    def call_kept(self, path: Path) -> None:
        """Make the call of a file again; its arguments can be changed first."""
        if self._console_run is not None:
            self._console_run.kept(path)

    def call_again(self, record: CallRecord) -> None:
        """Call the same again; its arguments can be changed first."""
        if self._console_run is not None:
            self._console_run.again(record)

    def cancel_call(self, call_id: str) -> None:
        """Cancel a running call."""
        if self._console_run is not None:
            self._console_run.cancel(call_id)

    def action_help(self) -> None:
        """Explain the console."""
        from elicit_tui.tui.console.screens.about import HelpScreen, family_of

        if not isinstance(self.screen, HelpScreen):
            active = self.screen.active_bindings.values()
            self.push_screen(HelpScreen({family_of(key.binding.id or "") for key in active}))

    def action_allowances(self) -> None:
        """Show what was allowed for the session."""
        from elicit_tui.tui.console.screens.allowances import AllowancesScreen

        over = isinstance(self.screen, ConsoleScreen) or self.state.questions.open is not None
        if self.runtime is None:
            self.notify(STARTING, markup=False)
        elif not over:
            self.notify(COVERED, markup=False)
        elif not isinstance(self.screen, AllowancesScreen):
            self.push_screen(AllowancesScreen(self.runtime.broker, self.shared))

    def action_command_palette(self) -> None:
        """Show the palette."""
        from elicit_tui.tui.console.palette import Palette

        self.write_in(Palette())

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        """Every action of the console, for the command palette."""
        from elicit_tui.tui.console.action_keys import commands

        return commands(self, screen)
