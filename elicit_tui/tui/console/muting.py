"""Servers that ask too much: muted for a run, or all of their questions declined at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from elicit_tui.text import quoted

if TYPE_CHECKING:
    from elicit_tui.elicitation import Pending
    from elicit_tui.tui.console.controller import Controller

STARTING: Final = "elicit-tui is still starting: once it is ready, this can be done."


class Muting:
    """What a person does against a server that asks without end."""

    def __init__(self, app: Controller) -> None:
        self._app = app

    @property
    def servers(self) -> frozenset[str]:
        """Those muted for this run."""
        runtime = self._app.runtime
        return runtime.broker.muted if runtime is not None else frozenset()

    def toggle(self, server: str) -> None:
        """Mute a server for this run, or let it ask again; asks first where some of it waits."""
        waiting = self._waiting(server)
        if server in self.servers or not waiting:
            self.toggle_now(server)
            return
        from elicit_tui.tui.console.screens.confirmations import MuteScreen

        def mute(sure: bool | None) -> None:
            if sure and server not in self.servers:
                self.toggle_now(server)

        typed = sum(pending.question.draft.typed for pending in waiting)
        self._app.push_screen(MuteScreen(server, len(waiting), typed), mute)

    def toggle_now(self, server: str) -> None:
        """The same without asking: one that asks in a loop would ask on meanwhile."""
        app, runtime = self._app, self._app.runtime
        if runtime is None:
            app.notify(STARTING, markup=False)
            return
        name = quoted(server, 40)
        if server in self.servers:
            runtime.broker.unmute(server)
            words = f"{name} may ask again."
        else:
            runtime.broker.mute(server)
            words = (
                f"{name} is muted for this run: what it asks is cancelled. {self._undone} "
                "lets it ask again."
            )
        app.hush()  # What was told of the key before is so no longer.
        app.state.say(server, words)
        app.screen.refresh_bindings()
        app.notify(words, markup=False)

    @property
    def _undone(self) -> str:
        """The key that lets a muted server ask again, and where it works, wherever one is."""
        place = "servers" if self._app.has_pane("servers") else "questions"
        return f"Key {self._app.key_of(f'{place}.mute')} under {place.capitalize()}"

    def _waiting(self, server: str) -> list[Pending]:
        return [pending for pending in self._app.state.questions if pending.server == server]

    def toggle_worst(self) -> None:
        """Mute the server that asks in a loop, or the one whose question is open.

        Pressed once more while it is asked whether that is sure, the key says yes.
        """
        from elicit_tui.tui.console.screens.confirmations import MuteScreen

        if isinstance(self._app.screen, MuteScreen):
            self._app.screen.action_sure()
            return
        state = self._app.state
        looping = [loop.name for loop in state.looping if loop.name not in self.servers]
        shown = state.questions.open
        if looping:
            self.toggle_now(looping[0])
        elif shown is not None:
            self.toggle(shown.server)
        else:
            key = self._app.key_of("servers.mute")
            words = f"No server asks in a loop. {key} under Servers mutes one that does not."
            self._app.notify(words, markup=False)

    def decline_all(self, server: str) -> None:
        """Ask once more, then decline the questions of a server that waited when it was asked."""
        from elicit_tui.tui.console.screens.confirmations import DeclineAllScreen

        app, runtime = self._app, self._app.runtime
        listed = self._waiting(server)
        if runtime is None or not listed:
            app.notify(f"No question of {quoted(server, 40)} waits.", markup=False)
            return

        def decline_listed(sure: bool | None) -> None:
            if sure:
                count = runtime.broker.decline_all(server, listed)
                app.notify(f"Declined {count} of {quoted(server, 40)}.", markup=False)

        typed = sum(pending.question.draft.typed for pending in listed)
        app.push_screen(DeclineAllScreen(server, len(listed), typed), decline_listed)
