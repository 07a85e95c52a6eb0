"""The call that a result is compared with, chosen among those of the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from elicit_tui.tui.console.call_words import briefly, shown_standing
from elicit_tui.tui.console.calls import CallRecord
from elicit_tui.tui.console.dialog import Dialog
from elicit_tui.tui.console.spans import Line
from elicit_tui.tui.console.views import RowList


class OtherCallScreen(Dialog[CallRecord]):
    """One row for each; result: the one to compare with."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("q", "leave", "Back", show=False)]

    def __init__(self, others: Sequence[CallRecord], present: CallRecord | None) -> None:
        super().__init__("Compare with")
        self._others = {record.call.id: record for record in others}
        self._present = present

    def body(self) -> ComposeResult:
        """The list."""
        yield RowList(verb="Compare", id="other-calls")

    def on_mount(self) -> None:
        """The cursor is on the one it is compared with now."""
        rows = self.query_one("#other-calls", RowList)
        rows.show(tuple(self._others), self._row)
        if self._present is not None:
            rows.point_at(self._present.call.id)
        rows.focus()

    def _row(self, key: str, width: int) -> list[Line]:
        record = self._others[key]
        sign, stands, role = shown_standing(record)
        head: Line = ((f" {sign} ", role), (record.at_second, "dim"), (f"  {stands}", role))
        room = width - sum(len(text) for text, _ in head) - 4
        return [(*head, (f"  {briefly(record.told_texts, room)}", "plain"))]

    @on(RowList.Chosen)
    def _choose(self, event: RowList.Chosen) -> None:
        self.dismiss(self._others[event.key])
