"""What the console's panels and screens may ask of the application, and nothing else of it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from textual import events
from textual.binding import Binding
from textual.command import CommandPalette
from textual.screen import Screen

from elicit_tui.tui.console.failed_actions import FORESEEN, outlived
from elicit_tui.tui.console.unfit_keys import tell_why_not
from elicit_tui.tui.ordered_app import OrderedApp, not_shown, question_of

if TYPE_CHECKING:
    from pathlib import Path

    from elicit_tui.elicitation import Pending, Question, Queue, Responder
    from elicit_tui.elicitation.outcome import Via
    from elicit_tui.elicitation.settings import Settings
    from elicit_tui.runtime import Runtime
    from elicit_tui.tui.console.calls import CallRecord
    from elicit_tui.tui.console.remembered import Remembered
    from elicit_tui.tui.console.servers import Offer, OwnFile
    from elicit_tui.tui.console.state import ConsoleState

Result = TypeVar("Result")


class Controller(OrderedApp[int]):
    """The console as its parts see it: panels and screens point here, the application below it."""

    state: ConsoleState
    runtime: Runtime | None
    remembered: Remembered
    config_path: str
    own_file: OwnFile | None
    via: Via
    """Through what its answers come: the console, or the inbox alone."""

    # What fails

    def outlives(self, error: Exception) -> bool:
        """What a person did and what failed is told, and costs its dialog alone."""
        return outlived(self, self.state, error)

    async def run_action(self, *action: Any, **where: Any) -> bool:
        """Perform an action; one that fails ends neither the console nor the keys behind it."""
        try:
            return await super().run_action(*action, **where)
        except FORESEEN as error:
            question = question_of(error)
            if question is not None:
                self.give_up(question, not_shown(error))
            elif not self.outlives(error):
                raise
            return True

    # Keys

    def write_in(
        self, dialog: Screen[Result], then: Callable[[Result | None], None] | None = None
    ) -> None:
        """Open a dialog that one writes in; what is typed while it opens stands in its line."""
        self.hold_keys()
        self.push_screen(dialog, then)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The key that opens the palette goes up in it."""
        if (
            action == "command_palette"
            and self.screen_stack
            and isinstance(self.screen, CommandPalette)
        ):
            return False
        return super().check_action(action, parameters)

    def on_key(self, event: events.Key) -> None:
        """A key that is bound here and does nothing just now says why."""
        tell_why_not(self, event.key)

    @property
    @abstractmethod
    def known_keys(self) -> Mapping[str, Binding]:
        """Every action that has a key, by its id."""

    @abstractmethod
    def key_of(self, action_id: str) -> str:
        """The key that an action has, as it is shown."""

    # Questions

    @abstractmethod
    def responder(self, queue: Queue) -> Responder:
        """Who answers the broker's questions: these screens."""

    @abstractmethod
    def may_be_interrupted(self) -> bool:
        """Whether a question may open by itself: no field is edited, no dialog is open."""

    @property
    def takes_a_question(self) -> bool:
        """Whether one can be opened: over a pane, over what is written or read, beside another."""
        covers_nothing = len(self.screen_stack) == 1 or self.state.questions.open is not None
        return covers_nothing or bool(getattr(self.screen, "lies_below_questions", False))

    @abstractmethod
    def open_question(self, pending: Pending) -> None:
        """Bring this question on the screen, in place of the one that is there."""

    @abstractmethod
    def look_for_questions(self) -> None:
        """A dialog went: a question that waited for this may open."""

    @abstractmethod
    def announce(self, pending: Pending, *, shown: bool) -> None:
        """Make a question heard that came; `shown` says whether it opened by itself."""

    @abstractmethod
    def origin_of(self, question: Question) -> str:
        """For whom another process asks it, in words; empty for the console's own."""

    @abstractmethod
    def held_elsewhere(self, question: Question) -> str:
        """Who else answers it just now, in words; empty when nobody does."""

    @abstractmethod
    def agent_away(self, question: Question) -> str:
        """Where the agent is that waits no longer for it, in words; empty while it waits."""

    @abstractmethod
    def screen_was_answered(self) -> None:
        """A question left the screen; say why, where it was not the person who ended it."""

    @abstractmethod
    def action_next_question(self) -> None:
        """Open the next waiting question; what is typed in the present one stays."""

    @abstractmethod
    def action_allowances(self) -> None:
        """Show what was allowed for the session."""

    # The look

    @abstractmethod
    def wear(self, theme: str) -> None:
        """Change to a theme, for the next runs too."""

    @abstractmethod
    def take_picture(self) -> None:
        """Save a picture of the screen, once the palette is gone."""

    # Servers and calls

    @property
    @abstractmethod
    def muted(self) -> frozenset[str]:
        """The servers muted for this run."""

    @abstractmethod
    def toggle_mute(self, server: str) -> None:
        """Mute a server for this run, or let it ask again."""

    @abstractmethod
    def decline_all(self, server: str) -> None:
        """Ask, then decline every waiting question of a server."""

    @abstractmethod
    def restart(self, server: str) -> None:
        """End a server and start it again."""

    @abstractmethod
    def stop(self, server: str) -> None:
        """End a server; it stays in the list, to be started again."""

    @abstractmethod
    def take_over(self, name: str, now: Settings, was: str = "") -> bool:
        """Let this run have a server as it is now, or no longer; False: there is no run yet.

        `was`: what it was called before, which ends first.
        """

    @abstractmethod
    def call_offer(self, server: str, offer: Offer) -> None:
        """Call a tool, get a prompt or read a resource; its arguments are asked first."""

    @abstractmethod
    def call_kept(self, path: Path) -> None:
        """Make the call of a file again; its arguments can be changed first."""

    @abstractmethod
    def call_again(self, record: CallRecord) -> None:
        """Call the same again; its arguments can be changed first."""

    @abstractmethod
    def cancel_call(self, call_id: str) -> None:
        """Cancel a running call."""

    # The main screen

    @abstractmethod
    def has_pane(self, name: str) -> bool:
        """Whether there is a pane of this name."""

    @abstractmethod
    async def show_pane(self, name: str) -> None:
        """Show a pane of the main screen."""

    @abstractmethod
    def point_at_call(self, call_id: str) -> None:
        """Put the cursor of the calls on this one."""

    @abstractmethod
    def action_help(self) -> None:
        """Explain the console."""
