"""What is done with the call under the cursor: ended, made again, taken along, written down."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from functools import partial
from typing import ClassVar

from textual.binding import Binding, BindingType

from elicit_tui.text import quoted
from elicit_tui.tui.console.calls import CallRecord
from elicit_tui.tui.console.panels.pane import Pane
from elicit_tui.tui.console.panels.servers import ServersPane
from elicit_tui.tui.console.result_links import links_of
from elicit_tui.tui.console.taking import copy_command, copy_data


class ChosenCall(Pane):
    """A pane in which one call is chosen, and the keys that act on that."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("delete", "remove", "Remove", False, "Del", id="calls.remove"),
    ]

    lists_calls = True

    def have_calls(self, kept: Iterable[CallRecord]) -> None:
        """Have calls of other runs too; the cursor stays on its call."""
        chosen, there = self.record if self.ready else None, len(self.state.calls)
        super().have_calls(kept)
        if chosen is not None and len(self.state.calls) != there:
            self.state.pointed_call = self.state.pointed_call or chosen.call.id
            self.draw()

    @property
    @abstractmethod
    def record(self) -> CallRecord | None:
        """The call under the cursor."""

    @property
    def way_back(self) -> tuple[str, str] | None:
        """The pane to which a key leads back, and what the bar says of it.

        That from which something led to the call; else its server's tools, as far as it is there.
        """
        name = (self.came_from.id or "").removesuffix("-pane") if self.came_from else "servers"
        if name != "servers":
            return name, name.capitalize()
        there = self.record is not None and self.record.server in self.state.servers
        return ("servers", "Tools") if there else None

    async def action_came_from(self) -> None:
        """Back to what led to the call, or to the tools of its server."""
        if self.way_back is None:
            return
        if self.way_back[0] == "servers" and self.record is not None:
            self.screen.query_one(ServersPane).lead_to_tools_of(self.record.server)
        await self.app.show_pane(self.way_back[0])

    def action_cancel(self) -> None:
        """Cancel the call under the cursor."""
        if self.record is not None:
            self.app.cancel_call(self.record.call.id)

    def action_remove(self) -> None:
        """Ask whether the call is to go from the list."""
        from elicit_tui.tui.console.screens.confirmations import RemoveCallScreen

        if self.record is not None:
            sure = partial(self._remove, self.record)
            self.app.push_screen(RemoveCallScreen(self.record), sure)

    def _remove(self, record: CallRecord, sure: bool | None) -> None:
        if sure:
            from elicit_tui.tui.console.kept_calls import KeptCalls

            self.state.calls.remove(record)
            KeptCalls(self.state.settings.history.content).remove(record)
            self.state.changed()

    def action_copy_json(self) -> None:
        """Copy the data of the result as JSON; of one without data all that arrived."""
        if self.record is not None:
            copy_data(self.app, self.record)

    def action_copy_command(self) -> None:
        """Copy the call as a command."""
        if self.record is not None:
            copy_command(self.app, self.record)

    def action_save(self) -> None:
        """Save the result's binary parts, or its text, to private files."""
        from elicit_tui.tui.console.screens.saving import SaveScreen

        if self.record is not None and self.record.result is not None:
            self.app.write_in(SaveScreen(self.record, self.record.result))

    def action_open_link(self) -> None:
        """Read what the result points to, or ask whether its page is to be opened."""
        from elicit_tui.tui.console.screens.links import open_link

        if self.record is not None and self.record.result is not None:
            open_link(self.app, self.record.server, links_of(self.record))

    def action_keep(self) -> None:
        """Write the call to a file, to be made again here and by `elicit-tui call @FILE`."""
        from elicit_tui.tui.console.screens.keep_call import KeepCallScreen

        if self.record is not None:
            self.app.write_in(KeepCallScreen(self.record))

    def action_kept(self) -> None:
        """Show the calls that are kept in files."""
        from elicit_tui.tui.console.kept_again import list_kept

        list_kept(self.app)

    def action_note(self) -> None:
        """Write down what one wants to know of this call later."""
        from elicit_tui.tui.console.screens.keep_call import NoteScreen

        if self.record is not None:
            self.app.write_in(NoteScreen(self.record, self.state.settings.history.content))

    def action_restart(self) -> None:
        """Start the server again that has ended."""
        if self.record is not None:
            self.app.notify(f"Starting {quoted(self.record.server, 40)} again …", markup=False)
            self.app.restart(self.record.server)

    def action_again(self) -> None:
        """Call the same tool again; the arguments can be changed first."""
        if self.record is not None:
            self.app.call_again(self.record)
