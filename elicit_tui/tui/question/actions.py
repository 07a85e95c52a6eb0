"""The row of things a person can do, each a button that names its key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from textual.app import ComposeResult
from textual.message import Message

from elicit_tui.tui.key_names import key_name
from elicit_tui.tui.widgets.guarded import Guarded
from elicit_tui.tui.widgets.key_button import KeyButton
from elicit_tui.tui.widgets.key_row import KeyRow


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


class ActionButton(KeyButton, Guarded):
    """The button of one action."""

    def __init__(self, action: Action) -> None:
        super().__init__(
            action.label,
            action.key,
            id=f"do-{action.name.replace('.', '-')}",
            main=action.primary,
        )
        self.does = action.name
        self._action = action

    @property
    def keys(self) -> tuple[tuple[str, str], ...]:
        """What it does, for the status line."""
        return (("Enter", self._action.does or self._action.label.lower()),)


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

    def __init__(self, actions: Sequence[Action], *, id: str) -> None:
        super().__init__(id=id)
        self._first = actions

    def compose(self) -> ComposeResult:
        """The first buttons: there before anything is painted."""
        yield from map(ActionButton, self._first)

    async def show(self, actions: Sequence[Action]) -> None:
        """Show these buttons instead of the ones that are there."""
        async with self.batch():
            await self.remove_children()
            await self.mount_all([ActionButton(action) for action in actions])

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
