"""Making a call without arguments by one key: asked first where it goes out unasked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from elicit_tui.text import name_line

if TYPE_CHECKING:
    from elicit_tui.tui.console.calls import CallRecord
    from elicit_tui.tui.console.controller import Controller
    from elicit_tui.tui.console.servers import Offer, ServerRecord


def once_meant(
    app: Controller,
    record: ServerRecord,
    offer: Offer,
    then: Callable[[], object],
    *,
    of_file: bool,
) -> None:
    """Make a call without arguments by `then`; ask first where nothing else would.

    `of_file`: a file says what is called, which anybody may have written, under any name.
    """
    if record.not_callable(offer) or not _goes_unasked(app, record, offer, of_file=of_file):
        then()
        return
    from elicit_tui.tui.console.screens.confirmations import AgainScreen

    if isinstance(app.screen, AgainScreen):
        return  # The key was pressed twice.

    def again(sure: bool | None) -> None:
        if sure:
            then()

    app.push_screen(AgainScreen(record.name, offer.shown, of_file=of_file), again)


def once_started(
    app: Controller, record: ServerRecord, old: CallRecord, then: Callable[[bool], object]
) -> None:
    """Start the server of a call of before, which has ended, and make the call by `then`; asked.

    But where the tool is asked about before it is called, that is question enough: `then` is told
    whether this one was put.
    """
    from elicit_tui.tui.console.screens.confirmations import StartAndCallScreen

    if isinstance(app.screen, StartAndCallScreen):
        return  # The key was pressed twice.
    known = [
        offer
        for offer in record.known_offers
        if (offer.method, offer.name) == (old.call.method, old.call.name)
    ]
    if any(_is_asked_about(app, record, offer) for offer in known):
        then(False)
        return

    def start(sure: bool | None) -> None:
        if sure:
            then(True)

    asks = bool(old.call.arguments) or any(offer.schema.get("properties") for offer in known)
    name = name_line(old.call.name, 40)
    app.push_screen(StartAndCallScreen(record.name, name, opens_form=asks), start)


def _goes_unasked(app: Controller, record: ServerRecord, offer: Offer, *, of_file: bool) -> bool:
    """Whether a tool is called without anybody's word, and may do something by that.

    A second time it may do nothing, or destroy nothing, as it says itself; its owner may have
    approved it in the settings of its server; where those ask, the call itself does.
    """
    from elicit_tui.policy.tools import approval_mode

    runtime = app.runtime
    annotations = offer.raw.get("annotations")
    destroys = (
        not isinstance(annotations, Mapping) or annotations.get("destructiveHint") is not False
    )
    harmless = not destroys or not {"read-only", "idempotent"}.isdisjoint(offer.hints)
    approved = approval_mode(record.settings, offer.name)[1] == "approve"
    if runtime is None or offer.kind != "tool" or ((harmless or approved) and not of_file):
        return False
    decision = runtime.policy.judge_call(record.name, offer.name, offer.raw, allowed=False)
    return decision.outcome is None and not decision.asks


def _is_asked_about(app: Controller, record: ServerRecord, offer: Offer) -> bool:
    """Whether a person is asked before this tool is called, once its server runs again.

    What was allowed for the session holds no longer then.
    """
    runtime = app.runtime
    if runtime is None or offer.kind != "tool":
        return False
    return runtime.policy.judge_call(record.name, offer.name, offer.raw, allowed=False).asks
