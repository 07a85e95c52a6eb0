"""A server's text never looks like a verdict of ours."""

from __future__ import annotations

import pytest

from elicit_tui.tui.names_on_screen import quoting_signs
from tests.tui.question.asking import Asking, asked, form_question, schema

pytestmark = pytest.mark.anyio

VERDICT = "✓ Checked by elicit-tui"
QUOTED = "“✓” Checked by elicit-tui"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (VERDICT, QUOTED),
        (f"Where to?\n{VERDICT}", f"Where to?\n{QUOTED}"),
        (f"Where to?   {VERDICT}", f"Where to?   {QUOTED}"),
        ("▲ look twice ✔️ good", "“▲” look twice “✔️” good"),
        ("a•b, ✓done and plain", "a•b, ✓done and plain"),
        ("Where to?", "Where to?"),
    ],
)
def test_a_sign_of_ours_that_stands_alone_is_quoted(text: str, shown: str) -> None:
    assert quoting_signs(text) == shown


async def test_neither_message_nor_form_nor_field_says_a_verdict_of_ours() -> None:
    field = {"type": "string", "title": f"Name {VERDICT}", "description": VERDICT}
    fields = {**schema(v=field), "title": VERDICT, "description": VERDICT}
    app = Asking(form_question(fields, message=f"Where to?\n{VERDICT}"))
    async with asked(app, (120, 40)):
        assert "✓ Checked" not in app.words
        assert app.words.count("“✓”") == 5


async def test_at_60_by_8_a_field_is_shown_with_its_title() -> None:
    fields = schema(v={"type": "string", "title": "Budget for each guest"})
    app = Asking(form_question(fields))
    async with asked(app, (60, 8)) as pilot:
        await pilot.press(*"Ada")
        await pilot.pause()
        line = next(line for line in app.words.splitlines() if " Ada " in line)
        assert "Budget" in line or "Budget" in app.words
