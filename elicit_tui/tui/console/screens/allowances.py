"""What was allowed for the session, to be seen and revoked."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Static

from elicit_tui.broker.contracts import Allowance
from elicit_tui.text import neutral_line
from elicit_tui.tui.console.dialog import Dialog
from elicit_tui.tui.console.spans import Line, shortened
from elicit_tui.tui.console.views import RowList

if TYPE_CHECKING:
    from elicit_tui.broker import Broker
    from elicit_tui.store.store import Grant
    from elicit_tui.tui.console.shared_questions import SharedQuestions


FOLLOWED_SECONDS: Final = 0.5
"""How often it is looked whether all that is listed still holds."""


class AllowancesScreen(Dialog[None]):
    """One row for each tool that is called without asking until its server ends."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("r,delete", "revoke", "Revoke", key_display="r", id="allowances.revoke"),
        Binding("q", "leave", "Back", show=False),
    ]

    DEFAULT_CSS = """
    AllowancesScreen #where-set { color: $faint; height: auto; padding: 1 1 0 1; }
    """

    def __init__(self, broker: Broker, shared: SharedQuestions) -> None:
        super().__init__("Allowed tools")
        self._broker = broker
        self._shared = shared
        self._own: tuple[Allowance, ...] = ()
        """Those of this console's own calls."""
        self._held: tuple[Allowance | Grant, ...] = ()

    def body(self) -> ComposeResult:
        """The list."""
        yield RowList(
            empty="You have allowed no tool. Each call that must be confirmed asks you; there you "
            "can allow its tool for this session, until its server ends, and it is listed here.",
            verb="",
            id="allowances",
        )
        edit = self.app.key_of("servers.edit"), "bold $accent"
        where = "Which calls ask you first is set for each server: ", edit, " under Servers."
        yield Static(Content.assemble(*where), id="where-set")

    async def on_mount(self) -> None:
        """Show it."""
        self.query_one("#allowances").focus()
        await self._draw()
        self.set_interval(FOLLOWED_SECONDS, self._follow)

    async def _follow(self) -> None:
        """What a server that ends meanwhile was allowed goes from the list."""
        if self._own != (*self._broker.allowances,):
            await self._draw()

    async def _draw(self) -> None:
        self._own = (*self._broker.allowances,)
        self._held = (*self._own, *await self._shared.grants())
        keys = tuple(str(index) for index, _ in enumerate(self._held))
        self.query_one("#allowances", RowList).show(keys, self._row)
        self.refresh_bindings()

    def _row(self, key: str, width: int) -> list[Line]:
        held = self._held[int(key)]
        about = _about(held)
        name = f"{neutral_line(held.server, 80)} · {neutral_line(held.tool, 80)}"
        name = shortened(name, max(10, width - len(about) - 4))
        gap = max(1, width - len(name) - len(about) - 2)
        return [((f" {name}", "strong"), (" " * gap, "plain"), (f"{about} ", "dim"))]

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Nothing can be revoked where nothing is allowed."""
        return action != "revoke" or bool(self._held)

    async def action_revoke(self) -> None:
        """Ask again before this tool is called."""
        key = self.query_one("#allowances", RowList).key
        if key is None:
            return
        held = self._held[int(key)]
        if isinstance(held, Allowance):
            self._broker.allowances.drop(held.server, held.tool)
        else:
            await self._shared.revoke(held)
        await self._draw()


def _about(held: Allowance | Grant) -> str:
    """For whom it is allowed: a server's process of ours, or the session of an agent."""
    if isinstance(held, Allowance):
        return f"{held.process} · definition {held.definition_digest[:12]}"
    return f"for {neutral_line(held.agent or 'an agent', 60)}"
