"""What was allowed for the session, to be seen and revoked."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from elicit_tui.text import neutral_line
from elicit_tui.tui.console.dialog import Dialog
from elicit_tui.tui.console.rows import RowList
from elicit_tui.tui.console.spans import Line, shortened

if TYPE_CHECKING:
    from elicit_tui.broker import Allowance, Broker


class AllowancesScreen(Dialog[None]):
    """One row for each tool that is called without asking until its server ends."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("r,delete", "revoke", "Revoke", key_display="r", id="allowances.revoke"),
    ]

    def __init__(self, broker: Broker) -> None:
        super().__init__("Allowed for this session")
        self._broker = broker
        self._held: tuple[Allowance, ...] = ()

    def body(self) -> ComposeResult:
        """The list."""
        yield RowList(
            empty="Nothing is allowed for this session. When a tool must be confirmed you can "
            "allow it until its server ends; it is then listed here.",
            id="allowances",
        )

    def on_mount(self) -> None:
        """Show it."""
        self._draw()
        self.query_one("#allowances").focus()

    def _draw(self) -> None:
        self._held = tuple(self._broker.allowances)
        keys = tuple(str(index) for index, _ in enumerate(self._held))
        self.query_one("#allowances", RowList).show(keys, self._row)

    def _row(self, key: str, width: int) -> list[Line]:
        allowance = self._held[int(key)]
        about = f"{allowance.process} · definition {allowance.definition_digest[:12]}"
        name = f"{allowance.server} · {neutral_line(allowance.tool, 80)}"
        name = shortened(name, max(10, width - len(about) - 4))
        gap = max(1, width - len(name) - len(about) - 2)
        return [((f" {name}", "strong"), (" " * gap, "plain"), (f"{about} ", "dim"))]

    def action_revoke(self) -> None:
        """Ask again before this tool is called."""
        key = self.query_one("#allowances", RowList).key
        if key is not None:
            allowance = self._held[int(key)]
            self._broker.allowances.drop(allowance.server, allowance.tool)
            self._draw()
