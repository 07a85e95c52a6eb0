"""The servers, how each stands, and what it offers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical

from elicit_tui.text import neutral_line, quoted
from elicit_tui.tui.console.bars import SearchLine, keys_in_frame
from elicit_tui.tui.console.panels.pane import CORNERS, NARROW, Pane
from elicit_tui.tui.console.place_in_list import PlacedList
from elicit_tui.tui.console.server_words import introduction, offered, title, way_on, welcome
from elicit_tui.tui.console.servers import STATE_SIGNS, ServerRecord
from elicit_tui.tui.console.spans import Line, Role, apart, fitting, joined, shortened, text_lines
from elicit_tui.tui.console.views import LineView, RowList
from elicit_tui.tui.textual_terminal import write_subtitle

if TYPE_CHECKING:
    from textual import events

    from elicit_tui.tui.console.panels.offers import OffersBox
    from elicit_tui.tui.console.server_editing import ServerEditing
    from elicit_tui.tui.console.state import ConsoleState

IN_FRAME: Final = {
    "add": ("servers.add", "Add"),
    "edit": ("servers.edit", "Edit"),
    "remove": ("servers.remove", "Remove"),
    "take_over": ("servers.import", "Import"),
}
"""What is done with the list: its frame names the keys, as far as it has room."""


class ServersPane(Pane):
    """A list of servers, and beside it what the chosen one offers."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "all_offers", "End search", key_display="Esc"),
        Binding("f2", "about", "About", id="servers.about"),
        Binding("slash", "search", "Search", key_display="/", id="servers.search"),
        Binding("escape,left,h", "servers", "Servers", key_display="Esc", id="servers.list"),
        Binding("r", "restart", "Restart", id="servers.restart"),
        Binding("m", "mute", "Mute", id="servers.mute"),
        Binding("x", "stop", "Stop", id="servers.stop"),
        Binding("f", "favourite", "Favourite", show=False, id="servers.favourite"),
        Binding("n", "add", "Add", show=False, id="servers.add"),
        Binding("i", "take_over", "Import", show=False, id="servers.import"),
        Binding("e", "edit", "Edit", show=False, id="servers.edit"),
        Binding("delete", "remove", "Remove", False, "Del", id="servers.remove"),
        Binding(
            "right,l,tab",
            "offers",
            "To its tools",
            show=False,
            key_display="→",
            id="servers.offers",
        ),
    ]

    def __init__(self, state: ConsoleState) -> None:
        super().__init__(state, id="servers-pane")
        self._offers: OffersBox | None = None
        self._searched_early: ServerRecord | None = None
        """The server whose search was begun last, be it before it had anything to offer."""
        self._among_offers = False
        """Whether the keys go, or went, to what a server offers: one comes back to there."""
        self._in_frame: Mapping[str, str] = {}
        """The keys that the frame of the list names, by their actions."""
        self._keys_do: tuple[object, ...] = ()
        """What the keys were last said to do with the server under the cursor."""

    def compose(self) -> ComposeResult:
        """The list at once; the offers once a server has some."""
        servers = PlacedList(row_height=2, verb="Tools", id="server-list")
        servers.beside, servers.named = self._beside, lambda: self._in_frame.values()
        servers.add_class("box", "first")
        servers.border_title = "Servers"
        yield servers
        with Vertical(classes="box", id="offers-box"):
            yield LineView(id="server-words")

    def on_mount(self) -> None:
        """Start in the list of servers; without any, in the words that help to one."""
        self.query_one("#server-list").display = configured = bool(self.state.servers)
        self.query_one("#server-list" if configured else "#server-words").focus()

    def on_resize(self) -> None:
        """The border says as much as there is room for."""
        self.draw()

    def take_focus(self) -> None:
        """Where one starts, or was before."""
        if self._among_offers and self.state.servers:
            self.action_offers()
        else:
            part = "#server-list" if self.state.servers else "#server-words"
            self.screen.set_focus(self.query_one(part))

    def lead_to_tools_of(self, server: str) -> None:
        """The keys go to its tools once this is shown; a search that found one of them stays."""
        self._among_offers, within = True, self._offers or self
        if within.record is None or within.record.name != server:
            self.query_one("#server-list", RowList).point_at(server)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Remember where the keys go; in a low and narrow window that half has the room."""
        self._mark_meant()
        self._among_offers = event.widget.id != "server-list"
        self.set_class(self._among_offers, "-within")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what makes sense where the focus is."""
        if action == "all_offers":
            return self._narrowed
        if action == "servers":
            elsewhere = not self.query_one("#server-list").has_focus
            return bool(self.state.servers) and elsewhere
        if action == "stop":
            return self._meant is not None and self._meant.state == "ready"
        wants_server = action in ("restart", "mute", "offers", "about", "edit", "remove")
        if wants_server and not self.state.servers:
            return False
        if action == "offers" and self.ready and not self.query_one("#server-list").has_focus:
            return False  # There Tab goes on.
        if action == "about":
            return self._entered is None or not self._entered.finds_nothing
        if action == "favourite":
            return self._entered is not None and not self._entered.finds_nothing
        fits = action != "search" or self._to_search is not None
        return fits and super().check_action(action, parameters)

    def why_not(self, action: str) -> str:
        """There may be no server, or nothing of it to search in; a favourite is a tool of one."""
        if action in ("all_offers", "servers", "offers"):
            return ""
        if not self.state.servers:
            return f"There is no server yet: {self.app.key_of('servers.add')} adds one."
        if action == "stop":
            return "It does not run, or not yet."
        if action == "favourite":
            return f"A favourite is a tool, a prompt or a resource: {self._way_to_offers}."
        return "No server offers anything to search in." if action == "search" else ""

    @property
    def _way_to_offers(self) -> str:
        if self.record is not None and self.record.offers:
            return f"{self.app.key_of('servers.offers')} leads to those of this server"
        return "this server has none just now"

    @property
    def in_frame(self) -> frozenset[str]:
        """The list of servers names its own keys; without a server there is no list."""
        named = frozenset(self._in_frame if self.state.servers else ())
        return named - {"remove"} if self._entered is not None else named

    def _beside(self, room: int) -> str:
        """The keys in the frame of the list; the bar below has those that it has no room for."""
        self._in_frame = keys_in_frame(self.app, IN_FRAME, room)
        self._say_what_keys_do()
        return "  ".join(self._in_frame.values())

    @property
    def remedies(self) -> frozenset[str]:
        """A server that failed is started again, one that is not enabled is changed."""
        state = self.record.state if self.record is not None else ""
        mends = {"failed": "restart", "closed": "restart", "off": "edit"}
        return frozenset([mends.get(state, "")])

    def worded(self, action: str) -> str | None:
        """A muted server is let speak again; among its tools their own keys have the room."""
        if action == "offers" or (action == "servers" and self._narrowed):
            return ""  # Enter, or the key that ends the search, does it and is named.
        if action == "mute" and self._meant is not None and self._meant.name in self.app.muted:
            return "Unmute"
        state = self.record.state if self.record is not None else ""
        if action == "restart" and state in ("off", "closed"):
            return "Start" if state == "closed" else "Read again"  # What its file has now.
        if action == "favourite" and self._entered is not None and self._entered.at_favourite:
            return "Not favourite"
        if action == "remove" and self._entered is not None:
            return "Remove server"  # Not the tool that the cursor is on.
        return "" if self._entered is not None and action in ("restart", "stop", "mute") else None

    @property
    def _narrowed(self) -> bool:
        return self._offers is not None and self._offers.narrowed

    @property
    def record(self) -> ServerRecord | None:
        """The server under the cursor."""
        key = self.query_one("#server-list", RowList).key
        return None if key is None else self.state.servers.get(key)

    @property
    def _meant(self) -> ServerRecord | None:
        """The server that a key acts on: among what a search found whose that is."""
        return (self._entered.record if self._entered is not None else None) or self.record

    def _mark_meant(self) -> None:
        """In the list of servers that one is marked on which the keys act."""
        self.query_one("#server-list", PlacedList).mark(self._meant.name if self._meant else None)

    @property
    def _entered(self) -> OffersBox | None:
        """What servers offer, while the cursor is in it."""
        inside = self._offers is not None and self._offers.has_focus_within
        return self._offers if inside else None

    @property
    def _to_search(self) -> ServerRecord | None:
        """Where a search begins, which is one of all servers: at the chosen one, if it can."""
        there = (self.record, *self.state.servers.values())
        return next((each for each in there if each is not None and each.offers_soon), None)

    def draw(self) -> None:
        """The list, and the chosen server beside it."""
        if self.ready:
            servers = self.query_one("#server-list", RowList)
            servers.display = bool(self.state.servers)
            servers.show(tuple(self.state.servers), self._server_row)
            if self.state.pointed_server in self.state.servers:
                servers.point_at(self.state.pointed_server)
                self.state.pointed_server = ""
                self.screen.set_focus(servers)
            self._draw_chosen()
            if not self.state.servers and self.display and not self._inside_shown:
                self.take_focus()  # The list that had the keys is gone; Start names keys.

    @on(SearchLine.Changed, "#offer-search")
    def _name_box(self) -> None:
        """What is searched are all servers; else it is the chosen one."""
        named = title(self.record) if self.record is not None else "Start"
        if self._narrowed and len(self.state.servers) > 1:
            named = "all servers"
        self.query_one("#offers-box", Vertical).border_title = named.replace("[", "\\[")

    @on(RowList.Highlighted, "#server-list")
    def _draw_chosen(self) -> None:
        record = self.record
        box = self.query_one("#offers-box", Vertical)
        words = self.query_one("#server-words", LineView)
        write_subtitle(box, self._known(box.size.width - CORNERS))
        self._say_what_keys_do()
        has_offers = record is not None and (record.offers_read or self._searches_early)
        keys_here = box.has_focus_within
        words.display = not has_offers
        if not has_offers:
            words.show(self._lines, keep_place=True)
        if has_offers or self._offers is not None:
            self._show_offers(record if has_offers else None)
        self._name_box()
        if keys_here and not self._inside_shown:
            self.action_offers()
        self._mark_meant()

    def _known(self, room: int) -> str:
        """What is known of the server whose it is what the cursor is on."""
        offers = self._offers if self._narrowed else None
        if offers is not None and offers.offer is None and len(self.state.servers) > 1:
            return ""  # Of no server anything was found.
        record = self.record if offers is None else offers.record
        return introduction(record, room) if record is not None else ""

    def _say_what_keys_do(self) -> None:
        """The keys are named anew where for this server they do something else."""
        self.query_one("#server-list", RowList).verb = verb = self._enter_verb
        does = (
            verb,
            # Muting names its key at once, and so before this one does: of another server anew.
            self.record is not None and self.record.name,
            self.worded("mute"),
            self.worded("favourite"),
            self.remedies,
            self.check_action("search", ()),
            self.in_frame,
        )
        if does != self._keys_do:
            self._keys_do = does
            self.refresh_bindings()

    @property
    def _enter_verb(self) -> str:
        """Where a server has nothing to offer it leads to why."""
        record = self.record
        soon = record is not None and record.offers_soon and not record.offers_read
        return "Tools" if soon or (record is not None and record.offers) else "Read"

    @property
    def _searches_early(self) -> bool:
        """Whether what the server is going to offer is searched already."""
        searched = self._searched_early
        return searched is not None and searched is self.record and searched.offers_soon

    @property
    def _inside_shown(self) -> bool:
        """Whether the keys go to what the box shows: either of its parts may have gone."""
        focused = self.screen.focused
        return focused is not None and all(node.display for node in focused.ancestors_with_self)

    def _show_offers(self, record: ServerRecord | None) -> None:
        if self._offers is None:
            from elicit_tui.tui.console.panels.offers import OffersBox

            self._offers = OffersBox()
            self._offers.pointed = self._pointed
            self.query_one("#offers-box", Vertical).mount(self._offers)
        self._offers.display = record is not None
        self._offers.show(record, self._known)

    def _pointed(self) -> None:
        """The cursor is on something else that a server offers."""
        self._mark_meant()
        self._say_what_keys_do()

    def _server_row(self, name: str, width: int) -> list[Line]:
        record = self.state.servers.get(name)
        if record is None:
            return [()]  # It went since the list was drawn.
        sign, role = STATE_SIGNS[record.state]
        muted = name in self.app.muted
        state = "muted" if muted else record.standing
        state_role: Role = "warn" if muted else role if record.state != "ready" else "dim"
        first = apart(((f" {sign} ", role), (name, "strong")), ((f"{state} ", state_role),), width)
        return [first, ((f"   {self._about(record, width - 4)}", "dim"),)]

    def _about(self, record: ServerRecord, width: int) -> str:
        if record.state == "off":
            return shortened(f"{self.app.key_of('servers.edit')} Edit, then “Start it”", width)
        if record.failure:
            return shortened(neutral_line(record.failure, 200), width)
        return fitting(offered(record), width)

    def _lines(self, width: int) -> list[Line]:
        record = self.record
        if record is None:
            add, take = self.app.key_of("servers.add"), self.app.key_of("servers.import")
            return welcome(width, self.app.config_path, add, take, narrow=width < NARROW)
        name = quoted(record.name, 60)
        address = text_lines(neutral_line(record.address, 2_000), width, "dim")
        if record.state in ("waiting", "starting"):
            return joined([text_lines(f"{name} is starting …", width), address])
        if record.state == "ready":
            return joined([text_lines("Reading what it offers …", width), address])
        if record.state == "off":
            words = f"{name} is not enabled, so it was not started."
            place = f"It is {record.settings.key('enabled')} in {self.app.config_path}."
            ways = way_on(record, self.app.key_of, width)
            return joined(
                [text_lines(words, width), ways, text_lines(place, width, "dim"), address]
            )
        title = "did not start" if record.connection is None else "has ended"
        title = "may not run" if record.state == "refused" else title
        why = neutral_line(record.failure or "It ended without saying why.", 2_000)
        ways = [] if record.state == "refused" else way_on(record, self.app.key_of, width)
        return joined(
            [text_lines(f"{name} {title}.", width, "bad"), text_lines(why, width), ways, address]
        )

    @on(RowList.Chosen, "#server-list")
    def action_offers(self) -> None:
        """Go to what the server offers, or to why it offers nothing."""
        if self._offers is not None and self._offers.display:
            self._offers.take_focus()
        else:
            self.screen.set_focus(self.query_one("#server-words"))

    def action_servers(self) -> None:
        """Back to the list of servers, also out of what a search found."""
        if self._narrowed:
            self.action_all_offers()
        self.query_one("#server-list").focus()

    def action_all_offers(self) -> None:
        """Show again everything that the server offers whose what the cursor is on is."""
        if self._offers is not None:
            owner, offer = self._offers.record, self._offers.offer
            self._offers.end_search()
            if owner is not None and offer is not None and owner is not self.record:
                self.query_one("#server-list", RowList).point_at(owner.name)
                self._draw_chosen()
                self._offers.point_at(offer)
            self._name_box()
            self.refresh_bindings()

    def action_about(self) -> None:
        """Show whole what there is to know of what the cursor is on, and of its server."""
        from elicit_tui.tui.console.screens.about import AboutScreen

        if self._meant is not None:
            offer = self._entered.offer if self._entered is not None else None
            self.app.push_screen(AboutScreen(self._meant, offer))

    def action_restart(self) -> None:
        """End the server under the cursor and start it again."""
        if self._meant is not None:
            self.app.restart(self._meant.name)

    def action_stop(self) -> None:
        """End the server under the cursor."""
        if self._meant is not None:
            self.app.stop(self._meant.name)

    def action_mute(self) -> None:
        """Mute the server under the cursor for this run, or let it ask again."""
        if self._meant is not None:
            self.app.toggle_mute(self._meant.name)

    def action_favourite(self) -> None:
        """Let what the cursor is on stand at the top, in the next runs too."""
        if self._entered is not None:
            self._entered.toggle_favourite()
            self._say_what_keys_do()

    @property
    def _editing(self) -> ServerEditing:
        from elicit_tui.tui.console.server_editing import ServerEditing

        return ServerEditing(self.app)

    def action_add(self) -> None:
        """Add a server to the configuration."""
        self._editing.add()

    def action_take_over(self) -> None:
        """Take servers of other programs into the configuration."""
        self._editing.take_over()

    def action_edit(self) -> None:
        """Change how the server under the cursor is reached."""
        if self._meant is not None:
            self._editing.change(self._meant)

    def action_remove(self) -> None:
        """Take the server under the cursor out of the configuration."""
        if self._meant is not None:
            self._editing.remove(self._meant)

    def action_search(self) -> None:
        """Search in what the server offers, or is going to offer: it may still be starting."""
        if self._to_search is not self.record and self._to_search is not None:
            self.query_one("#server-list", RowList).point_at(self._to_search.name)
        self._searched_early = self.record
        self._draw_chosen()
        if self._offers is not None and self._offers.display:
            self._offers.search()
