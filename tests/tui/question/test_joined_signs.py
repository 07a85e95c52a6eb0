"""Emoji of several code points, on a terminal that draws each code point for itself."""

from __future__ import annotations

import pytest
from wcwidth import wcwidth

from elicit_tui.text import neutral
from tests.tui.question.asking import Asking, asked, form_question, rows, schema, until

pytestmark = pytest.mark.anyio

FAMILY = "👨\u200d👩\u200d👧"
SIGNS = (
    FAMILY,
    "🏳\ufe0f\u200d🌈",
    "👍🏽",
    "👩🏽\u200d💻",
    "❤\ufe0f",
    "❤\ufe0f\u200d🔥",
    "1\ufe0f\u20e3",
    "🇮🇹",
    "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
    "✌🏽",
)
ALL = " ".join(SIGNS)
SIZES = ((80, 24), (140, 40))
FRAMED_ROWS = {(80, 24): 22, (140, 40): 10}


def cells(line: str) -> int:
    """Cells on a terminal that joins nothing."""
    return sum(max(wcwidth(character), 0) for character in line)


@pytest.mark.parametrize("size", SIZES)
async def test_no_emoji_moves_the_border(size: tuple[int, int], terminal: list[str]) -> None:
    question = form_question(
        schema(name={"type": "string"}, sign={"type": "string", "enum": [FAMILY, "👍🏽", "🇮🇹"]}),
        message=f"{ALL} {ALL}",
    )
    app = Asking(question)
    async with asked(app, size) as pilot:
        for sign in ALL:
            app.view.body.panel.focused_field.insert_text_at_cursor(sign)
        await until(pilot, lambda: "👍🏽 👩" in app.words, "the signs in the line")
        app.screen.refresh()
        await pilot.pause()
        shown = rows(terminal, size)
    framed = [line.rstrip() for line in shown if line.lstrip().startswith("│")]
    assert len(framed) >= FRAMED_ROWS[size], "the frame's rows, in a card or on all of the screen"
    for line in framed:
        assert line[-1] == "│", line
        left = line.index("│")
        assert left in (0, 4), "at the edge, or where a card of 132 cells begins"
        assert cells(line) == size[0] - left, "the right border stands as far from its edge"
    assert "IT" in "".join(shown)


@pytest.mark.parametrize("sign", SIGNS)
def test_a_sign_that_many_write_is_shown_to_a_reader_who_joins_it(sign: str) -> None:
    assert neutral(f"before {sign} behind") == f"before {sign} behind"


@pytest.mark.parametrize("text", ["a🏽b", "🏽", "👍🏽🏽", "中🏽"])
def test_a_skin_tone_without_its_picture_cannot_hide(text: str) -> None:
    assert "⟨U+1F3FD⟩" in neutral(text)
