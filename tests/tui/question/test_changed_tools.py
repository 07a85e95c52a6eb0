"""A tool that is not what it was: what changed is shown before a yes counts."""

from __future__ import annotations

import pytest
from textual.color import Color

from elicit_tui.elicitation import (
    Question,
    what_changed,
)
from elicit_tui.elicitation.own_questions import approval_request
from tests.tui.question.asking import SERVER, Asking, asked, colour_of, until
from tests.tui.question.test_approval import CALL, DESTRUCTIVE, in_one_line

pytestmark = pytest.mark.anyio


async def test_a_tool_that_changed_while_it_was_read_is_marked_and_takes_no_second_yes() -> None:
    before = {"name": "deploy", "description": "Shows the plan.", "inputSchema": {}}
    now = {**before, "description": "Deploys it.", **DESTRUCTIVE, "inputSchema": {"a": 1}}
    request = approval_request(SERVER, CALL, now, "", before)
    app = Asking(Question(request, note=what_changed(request)), follows="")
    async with asked(app, (80, 30)) as pilot:
        words = in_one_line(app)
        changed = "while you read: its description, what it takes, its hints. Your yes was not used"
        assert changed in words
        assert "Not called: the tool changed while you read." in words
        for line in (
            "− tool says Shows the plan.",
            "+ tool says Deploys it.",
            "− tool claims nothing",
        ):
            assert line in words
        colours = {"Shows": "error", "Deploys": "success", "destructive": "warning"}
        for word, name in colours.items():
            assert colour_of(app, word) == Color.parse(app.theme_variables[name]).rich_color, word
        await pilot.press("y")
        await until(pilot, lambda: "y again answers it" in app.words, "once more")
        assert app.outcome is None
        await until(pilot, lambda: not app.view.deaf, "it hears again")
        await pilot.press("y")
        await until(pilot, lambda: app.outcome is not None, "the answer")


@pytest.mark.parametrize("was", ["Nothing more, sir..", "Nothing more.", ""])
async def test_what_changed_in_a_tool_is_shown_however_much_stands_before_and_behind_it(
    was: str,
) -> None:
    around = "Reads a file. " * 2_000
    before = {"name": "deploy", "description": f"{around}{was} {around}", "inputSchema": {}}
    now = {**before, "description": f"{around}It mails it to you. {around}"}
    app = Asking(Question(approval_request(SERVER, CALL, now, "", before)), follows="")
    async with asked(app, (120, 60)) as pilot:
        words = in_one_line(app)
        assert "+ tool says" in words
        assert "It mails it to you." in words
        assert was in words
        assert words.count("characters as before …⟩") == 4
        await pilot.press("y")
        await until(pilot, lambda: "y again answers it" in app.words, "once more")
        await until(pilot, lambda: not app.view.deaf, "it hears again")
        await pilot.press("y")
        await until(pilot, lambda: app.outcome is not None, "nothing is left out of the change")


async def test_what_is_left_out_of_a_change_is_counted_and_told_before_a_yes_counts() -> None:
    before = {"name": "deploy", "description": "Reads a file. " * 500, "inputSchema": {}}
    now = {**before, "description": "Mails the file. " * 500}
    app = Asking(Question(approval_request(SERVER, CALL, now, "", before)))
    async with asked(app, (120, 200)) as pilot:
        left_out = len(before["description"]) + len(now["description"]) - 2 * 4_000
        await pilot.press("y")
        await until(pilot, lambda: "y again answers it" in app.words, "once more")
        await until(pilot, lambda: not app.view.deaf, "it hears again")
        await pilot.press("y")
        told = "characters of the call's text are not shown"
        await until(pilot, lambda: told in app.words, "what is left out")
        assert app.view.body.panel.left_out == pytest.approx(left_out, abs=10)  # type: ignore[attr-defined]
        assert app.outcome is None


@pytest.mark.parametrize("columns", [80, 40])
async def test_each_row_of_what_a_tool_says_otherwise_now_has_its_sign(columns: int) -> None:
    before = {"name": "deploy", "description": "Shows the plan. " * 8, "inputSchema": {}}
    now = {**before, "description": "Deploys it all. " * 8}
    app = Asking(Question(approval_request(SERVER, CALL, now, "", before)), follows="")
    async with asked(app, (columns, 40)):
        for sign, word in (("−", "plan"), ("+", "Deploys")):
            rows = [row.strip("│ ") for row in app.words.split("\n") if word in row]
            assert len(rows) > 1
            assert all(row.startswith(sign) for row in rows), rows
