"""Asks before a tool is called, where the owner's policy wants that."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from elicit_tui.text import neutral, neutral_line, readable_json
from elicit_tui.tui.console.dialog import Dialog, DialogButton
from elicit_tui.tui.console.lines import LineView
from elicit_tui.tui.console.offers import Offer
from elicit_tui.tui.console.spans import Line, joined, labelled, text_lines
from elicit_tui.tui.widgets.key_button import KeyButton
from elicit_tui.tui.widgets.key_row import KeyRow

if TYPE_CHECKING:
    from elicit_tui.policy import ToolGate
    from elicit_tui.tui.console.application import ConsoleApp


class GateScreen(Dialog[None]):
    """Puts `once`, `session` or `no` into a future; also `no` when it is taken away."""

    app: ConsoleApp

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "answer('once')", "Allow once", id="gate.once"),
        Binding("ctrl+a", "answer('session')", "Allow for this session", id="gate.session"),
        Binding("escape,ctrl+n", "answer('no')", "Do not call", key_display="Esc", id="gate.no"),
    ]

    DEFAULT_CSS = """
    GateScreen LineView { height: 1fr; }
    """

    def __init__(
        self,
        server: str,
        offer: Offer,
        arguments: Mapping[str, Any],
        gate: ToolGate,
        answer: asyncio.Future[str],
    ) -> None:
        super().__init__(f"Call {neutral_line(offer.shown, 60)}?", server)
        self._offer = offer
        self._arguments = arguments
        self._gate = gate
        self._answer = answer

    def body(self) -> ComposeResult:
        """What would be called with what, and why it is asked."""
        yield LineView(id="gate-words")
        with KeyRow(classes="buttons"):
            yield DialogButton("Do not call", "gate.no", id="no", main=True)
            yield DialogButton("Allow once", "gate.once", id="once")
            yield DialogButton("For this session", "gate.session", id="session")

    def on_mount(self) -> None:
        """Not calling is the harmless choice."""
        self.query_one("#gate-words", LineView).show(self._words)
        self.query_one("#no").focus()

    def _words(self, width: int) -> list[Line]:
        offer = self._offer
        text = readable_json(dict(self._arguments))
        risky = offer.destructive
        words = "▲ It says of itself that it is destructive." if risky else ""
        hints = ", ".join(offer.hints) or "none"
        key = self.app.key_of("console.allowances")
        return joined(
            [
                text_lines(words, width, "warn") if words else [],
                labelled("arguments", neutral(text, 20_000), width),
                labelled("it says", offer.description or "nothing about itself", width),
                labelled("its hints", hints, width),
                labelled("asked", neutral(self._gate.reason, 2_000), width),
                text_lines(
                    "“For this session” holds until the server ends or the tool's definition "
                    f"changes; it is never written to disk. {key} lists and revokes it.",
                    width,
                    "dim",
                ),
            ]
        )

    def action_answer(self, decision: str) -> None:
        """Decide, and go."""
        self._decide(decision)
        self.dismiss(None)

    @on(KeyButton.Pressed)
    def _pressed(self, event: KeyButton.Pressed) -> None:
        self.action_answer(event.button.id or "no")

    def _decide(self, decision: str) -> None:
        if not self._answer.done():
            self._answer.set_result(decision)

    def on_unmount(self) -> None:
        """Taken away without a decision: the tool is not called."""
        self._decide("no")
        super().on_unmount()
