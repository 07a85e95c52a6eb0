"""The row of things a person can do, each a button that names its key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from textual import events
from textual.containers import Container
from textual.content import Content
from textual.message import Message
from textual.widgets import Button

from elicit_tui.tui.key_names import key_name
from elicit_tui.tui.widgets.guarded import Guarded


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


class ActionButton(Button, Guarded):
    """A button one row high."""

    DEFAULT_CSS = """
    ActionButton, ActionButton.-textual-compact {
        width: auto; min-width: 0; height: 1; border: none !important; padding: 0;
        background: $panel; color: $foreground; text-style: none; margin: 0 1 0 0;
        &.-main { text-style: bold; color: $accent; }
        &:hover { background: $well-focus; }
        &:focus { background: $accent; color: $background; text-style: bold underline; }
        &.-active { background: $well-focus; tint: transparent; border: none; }
    }
    """

    def __init__(self, action: Action) -> None:
        super().__init__(
            _label(action, action.key),
            id=f"do-{action.name.replace('.', '-')}",
            classes="-main" if action.primary else None,
            compact=True,
        )
        self.does = action.name
        self._action = action
        self._key = action.key
        self.cells = Content(f"{action.label} {action.key}").cell_length + 2

    @property
    def keys(self) -> tuple[tuple[str, str], ...]:
        """What it does, for the status line."""
        return (("Enter", self._action.does or self._action.label.lower()),)

    def name_key(self, key: str) -> bool:
        """Show another key; says whether it is another one."""
        if key == self._key:
            return False
        self._key = key
        self.label = _label(self._action, key)
        self.refresh(layout=True)
        self.cells = Content(f"{self._action.label} {key}").cell_length + 2
        return True


def _label(action: Action, key: str) -> Content:
    return Content.assemble(action.label, " ", (key, "" if action.primary else "$faint"))


class ActionBar(Container):
    """Buttons side by side; in a narrow place, in columns."""

    DEFAULT_CSS = """
    ActionBar { height: auto; width: 100%; layout: horizontal; padding: 0 0 0 1; }
    ActionBar.-tight ActionButton { margin: 0; }
    ActionBar.-narrow { layout: grid; grid-size: 3; grid-gutter: 0 1; grid-rows: 1; }
    ActionBar.-narrow ActionButton { width: 100%; margin: 0; content-align: left middle; }
    """

    class Chosen(Message):
        """A button was pressed."""

        def __init__(self, action: str) -> None:
            super().__init__()
            self.action = action

    def on_resize(self, event: events.Resize) -> None:
        """One row where all buttons fit, else columns of equal width."""
        self._fall(event.size.width)

    def _fall(self, width: int) -> None:
        cells = [button.cells for button in self.query(ActionButton)]
        if not cells or not width:
            return
        columns = sum(cells) + 1 > width
        if columns:
            fitting = max(1, width // (max(cells) - 1))
            rows = -(-len(cells) // fitting)
            self.styles.grid_size_columns = -(-len(cells) // rows)
        for button in self.query(ActionButton):
            button.styles.line_pad = 0 if columns else 1
        self.set_class(columns, "-narrow")
        self.set_class(sum(cells) + len(cells) > width, "-tight")

    async def show(self, actions: Sequence[Action]) -> None:
        """Show these buttons instead of the ones that are there."""
        async with self.batch():
            await self.remove_children()
            await self.mount_all([ActionButton(action) for action in actions])
            self._fall(self.size.width)

    def name_keys(self, keys: Mapping[str, str]) -> None:
        """Show the keys that the actions have in this person's configuration."""
        changed = False
        for button in self.query(ActionButton):
            key = keys.get("cancel" if button.does == "back" else button.does)
            if key is not None and button.name_key(key_name(key)):
                changed = True
        if changed:
            self._fall(self.size.width)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Hand the press on as an action of the view."""
        event.stop()
        if isinstance(event.button, ActionButton):
            self.post_message(self.Chosen(event.button.does))
