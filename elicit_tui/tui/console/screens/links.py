"""What a result points to: read from its server, or opened as a page once the person agrees."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content

from elicit_tui.elicitation import Call, ElicitationRequest, Review, ServerIdentity
from elicit_tui.responders.browser import may_open, open_in_browser
from elicit_tui.text import neutral, neutral_line
from elicit_tui.tui.console.calls import CallRecord
from elicit_tui.tui.console.controller import Controller
from elicit_tui.tui.console.dialog import Dialog, DialogButton, SureDialog
from elicit_tui.tui.console.results import Link
from elicit_tui.tui.console.servers import read_offer
from elicit_tui.tui.console.spans import Line, shortened
from elicit_tui.tui.console.views import RowList
from elicit_tui.tui.question.address import address_of, copy, handed_over
from elicit_tui.tui.question.frame_words import SIGNS, STYLES
from elicit_tui.tui.question.url_panel import NOT_OPENED
from elicit_tui.tui.widgets.buttons import KeyRow, Meaning


def open_link(
    app: Controller,
    server: str,
    links: Sequence[Link],
    leave: Callable[[], None] = lambda: None,
) -> None:
    """Follow a link of a result, asking which where there are several; `leave`: before it is read.

    A page is shown and asked about; anything else is read from the server that named it.
    """

    def chosen(link: Link | None) -> None:
        if link is None:
            return
        if link.is_page:
            app.push_screen(PageScreen(server, link, _review(app, server, link)))
        else:
            leave()
            _read(app, server, link.uri)

    if len(links) == 1:
        chosen(links[0])
    else:
        app.push_screen(LinksScreen(server, links), chosen)


def _read(app: Controller, server: str, uri: str) -> None:
    """Read just what a link names: nothing is left to be filled in, also of a template's."""
    offer = read_offer("resource", {"uri": uri})
    if server in app.state.servers and offer is not None:
        app.call_offer(server, offer)
    else:
        app.call_again(CallRecord(server, Call("resources/read", uri, {})))


def _review(app: Controller, server: str, link: Link) -> Review:
    """What the guardian finds about a page, as about one that a question names."""
    record = app.state.servers.get(server)
    connection = record.connection if record is not None else None
    identity = (
        connection.identity if connection is not None else ServerIdentity(server, "stdio", "")
    )
    params = {"mode": "url", "message": link.title, "url": link.uri, "elicitationId": "link"}
    runtime = app.runtime
    return runtime.guardian.review(ElicitationRequest(identity, params)) if runtime else Review()


class LinksScreen(Dialog[Link]):
    """The links of a result; result: the one to follow."""

    interruptible: ClassVar[bool] = True

    def __init__(self, server: str, links: Sequence[Link]) -> None:
        super().__init__("Links of the result", neutral_line(server, 60))
        self._links = links

    def body(self) -> ComposeResult:
        """A row for each: its title, and where it leads."""
        yield RowList(row_height=2, verb="Open", id="links")

    def on_mount(self) -> None:
        """List them."""
        rows = self.query_one("#links", RowList)
        rows.styles.height = 2 * len(self._links)
        rows.show([str(number) for number in range(len(self._links))], self._row)
        rows.focus()

    def _row(self, key: str, width: int) -> list[Line]:
        link = self._links[int(key)]
        about = " · ".join(filter(None, (link.title or link.about, link.kind)))
        title = shortened(neutral_line(about, 300) or "(no title)", width - 4)
        return [
            ((f" {link.sign} ", "accent"), (title, "plain")),
            ((f"   {shortened(neutral_line(link.uri, 2_000), width - 4)}", "dim"),),
        ]

    @on(RowList.Chosen, "#links")
    def _chosen(self, event: RowList.Chosen) -> None:
        self.dismiss(self._links[int(event.key)])


class PageScreen(SureDialog):
    """Shows the address whole, with what the guardian finds; opened only when the person says so.

    One that the guardian would have stopped in a question is not opened from here either.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "sure", "Open page", key_display="y", id="link.open"),
        Binding("c", "copy", "Copy", id="link.copy"),
        Binding("escape,n", "leave", "Back", key_display="n", id="link.stay"),
    ]

    def __init__(self, server: str, link: Link, review: Review) -> None:
        self._link = link
        self._review = review
        self._may_open = may_open(link.uri) and review.verdict != "block"
        title = "Open this page in your browser?" if self._may_open else "A page, not opened"
        super().__init__(title, neutral_line(server, 60))

    def body(self) -> ComposeResult:
        """The address, where it leads, what is found; then the buttons."""
        parts = [address_of(self._link.uri).lines()]
        if self._link.about:
            parts.append(Content.styled(neutral(self._link.about, 400), "$faint"))
        for finding in self._review.findings:
            sign, style = SIGNS[finding.severity], STYLES[finding.severity]
            parts.append(Content.styled(f"{sign} {neutral(finding.advice, 400)}", style))
        if not may_open(self._link.uri):
            parts.append(Content.styled(NOT_OPENED, "bold $error"))
        elif not self._may_open:
            words = "■ The guardian stops such a page: it is not opened from here."
            parts.append(Content.styled(words, "bold $error"))
        else:
            parts.append(Content.styled("Nothing is opened before you choose it.", "$faint"))
        yield from self.reading(Content("\n\n").join(parts))
        with KeyRow(classes="buttons"):
            yield DialogButton("Back", "link.stay", id="stay", main=True)
            if self._may_open:
                yield DialogButton("Open page", "link.open", id="sure", means=self._means)

    @property
    def _means(self) -> Meaning:
        return "loses" if self._review.findings else "accepts"

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """What may not be opened has no key that opens or copies it."""
        if action == "sure":
            return self._may_open
        if action == "copy":
            return may_open(self._link.uri)
        return super().check_action(action, parameters)

    def action_sure(self) -> None:
        """Hand the address to the system's browser, away from the event loop."""
        self.app.run_worker(_opened(self.app, self._link.uri), group="opening")
        self.dismiss(True)

    def action_copy(self) -> None:
        """Put the address on the clipboard."""
        copy(self.app, self._link.uri)
        self.app.notify(handed_over(), title="The address", markup=False)


async def _opened(app: Controller, url: str) -> None:
    if not await asyncio.to_thread(open_in_browser, url):
        words = "No browser could be started here. Copy the address, and open it elsewhere."
        app.notify(words, severity="warning", markup=False, timeout=12)
