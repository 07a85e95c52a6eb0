"""Every action that has a key, by its id, and the keys that the owner gave (`[console.keys]`)."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache

from textual.binding import Binding

from elicit_tui.tui.ordered_app import OrderedApp


@cache
def known_keys(application: type, main_screen: type) -> dict[str, Binding]:
    """Action id to its binding, of the application and of all its screens and widgets."""
    from elicit_tui.tui.console.dialog import Dialog
    from elicit_tui.tui.console.line_view import LineView
    from elicit_tui.tui.console.panels.activity import ActivityPane
    from elicit_tui.tui.console.panels.calls import CallsPane
    from elicit_tui.tui.console.panels.history import HistoryPane
    from elicit_tui.tui.console.panels.questions import QuestionsPane
    from elicit_tui.tui.console.panels.servers import ServersPane
    from elicit_tui.tui.console.row_list import RowList
    from elicit_tui.tui.console.screens.allowances import AllowancesScreen
    from elicit_tui.tui.console.screens.arguments import ArgumentsScreen
    from elicit_tui.tui.console.screens.decline_all import DeclineAllScreen
    from elicit_tui.tui.console.screens.leave import LeaveScreen
    from elicit_tui.tui.question import QuestionView
    from elicit_tui.tui.widgets.date_line import DateLine
    from elicit_tui.tui.widgets.text_block import TextBlock

    places = (
        application,
        main_screen,
        ServersPane,
        QuestionsPane,
        CallsPane,
        ActivityPane,
        HistoryPane,
        QuestionView,
        DateLine,
        TextBlock,
        ArgumentsScreen,
        AllowancesScreen,
        LeaveScreen,
        DeclineAllScreen,
        Dialog,
        RowList,
        LineView,
    )
    found: dict[str, Binding] = {}
    for place in places:
        for owner in place.__mro__:
            for binding in owner.__dict__.get("BINDINGS", ()):
                if isinstance(binding, Binding) and binding.id:
                    found.setdefault(binding.id, binding)
    return found


def give_keys(
    app: OrderedApp[int], keys: Mapping[str, str], known: Mapping[str, Binding]
) -> list[str]:
    """Remap the known actions; a sentence for each name that no action has."""
    app.give_keys({name: key for name, key in keys.items() if name in known})
    sentences = []
    for name in keys:
        if name not in known:
            near = get_close_matches(name, known, 1)
            hint = f" Did you mean {near[0]}?" if near else ""
            sentences.append(f"console.keys: there is no action {name!r}.{hint}")
    return sentences
