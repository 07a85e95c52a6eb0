"""Every action of the console that has a key, by its id."""

from __future__ import annotations

from functools import cache

from textual.binding import Binding

from elicit_tui.tui.console.keys import known_ids


@cache
def known_keys() -> dict[str, Binding]:
    """Action id to its binding, for the help screen and `[console.keys]`."""
    from elicit_tui.tui.console.application import ConsoleApp
    from elicit_tui.tui.console.dialog import Dialog
    from elicit_tui.tui.console.lines import LineView
    from elicit_tui.tui.console.panels.activity import ActivityPane
    from elicit_tui.tui.console.panels.calls import CallsPane
    from elicit_tui.tui.console.panels.history import HistoryPane
    from elicit_tui.tui.console.panels.questions import QuestionsPane
    from elicit_tui.tui.console.panels.servers import ServersPane
    from elicit_tui.tui.console.rows import RowList
    from elicit_tui.tui.console.screen import ConsoleScreen
    from elicit_tui.tui.console.screens.allowances import AllowancesScreen
    from elicit_tui.tui.console.screens.arguments import ArgumentsScreen
    from elicit_tui.tui.console.screens.gate import GateScreen
    from elicit_tui.tui.console.screens.leave import LeaveScreen
    from elicit_tui.tui.question import QuestionView
    from elicit_tui.tui.widgets.date_line import DateLine
    from elicit_tui.tui.widgets.text_block import TextBlock

    places = (
        ConsoleApp,
        ConsoleScreen,
        ServersPane,
        QuestionsPane,
        CallsPane,
        ActivityPane,
        HistoryPane,
        QuestionView,
        DateLine,
        TextBlock,
        ArgumentsScreen,
        GateScreen,
        AllowancesScreen,
        LeaveScreen,
        Dialog,
        RowList,
        LineView,
    )
    return known_ids(places)
