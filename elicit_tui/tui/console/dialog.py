"""The frame of every screen that lies over the console: a title, a body, its keys."""

from __future__ import annotations

from typing import Any, ClassVar, Generic, TypeVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Button

from elicit_tui.tui.console.bars import KeyBar

Result = TypeVar("Result")


class DialogButton(Button):
    """A button one row high that names its key, as those of a question do."""

    DEFAULT_CSS = """
    DialogButton, DialogButton.-textual-compact {
        width: auto; min-width: 0; height: 1; border: none !important; padding: 0;
        background: $panel; color: $foreground; text-style: none; margin: 0 1 0 0;
        &.-main { text-style: bold; color: $accent; }
        &:hover { background: $well-focus; }
        &:focus { background: $accent; color: $background; text-style: bold underline; }
        &.-active { background: $well-focus; tint: transparent; border: none; }
    }
    """

    def __init__(self, words: str, action_id: str, *, id: str, main: bool = False) -> None:
        super().__init__(words, id=id, classes="-main" if main else None, compact=True)
        self._words = words
        self._action_id = action_id

    def on_mount(self) -> None:
        """Name the key that the owner gave to the action."""
        key = getattr(self.app, "key_of")(self._action_id)  # noqa: B009 - the console's app has it
        self.label = Content.assemble(self._words, " ", (key, "$faint"))


class Dialog(ModalScreen[Result], Generic[Result]):
    """A framed screen over the console; Escape leaves it without a result."""

    interruptible: ClassVar[bool] = False
    """Whether a question may open over it by itself."""

    wide: ClassVar[bool] = True
    """Whether it fills the screen; else it is as tall as its content."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", "Back", id="dialog.back"),
        Binding("f1", "help", "Help", id="dialog.help"),
    ]

    DEFAULT_CSS = """
    Dialog {
        align: center middle;
        background: $background 70%;
    }
    Dialog > .dialog {
        border: round $accent;
        border-title-color: $accent;
        border-title-style: bold;
        border-subtitle-color: $faint;
        background: $surface;
        padding: 0 1;
        width: 100%;
        height: 1fr;
        max-width: 120;
    }
    Dialog.-small > .dialog {
        height: auto;
        max-height: 90%;
        max-width: 76;
    }
    Dialog .buttons {
        height: auto;
        layout: horizontal;
        margin-top: 1;
    }
    """

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
        yield KeyBar()

    def body(self) -> ComposeResult:
        """What stands in the frame."""
        yield Widget()

    def action_leave(self) -> None:
        """Go back without a result."""
        self.dismiss(None)

    def action_help(self) -> None:
        """Help lies over this too."""
        self.run_worker(self.app.run_action("app.help"))

    def on_unmount(self) -> None:
        """A question that waited for this screen to go may open."""
        stage: Any = getattr(self.app, "stage", None)
        if stage is not None:
            stage.consider_soon()


def _plain(title: str) -> str:
    """A border title without markup: titles are read as markup, and these quote servers."""
    return title.replace("[", "\\[")
