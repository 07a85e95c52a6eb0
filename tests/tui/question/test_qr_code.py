"""The QR code of a page: whole or not at all, and where it stands."""

from __future__ import annotations

from textwrap import dedent

import pytest

from elicit_tui.tui.question.address import code_size, qr_code
from tests.tui.question.asking import LOOKALIKE, Asking, asked, until, url_question
from tests.tui.question.test_url import address

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("size", [(80, 24), (40, 24), (140, 40)])
async def test_the_qr_code_is_shown_whole_or_not_at_all(size: tuple[int, int]) -> None:
    url = "https://example.com/sign-in?session=814341e8"
    whole = qr_code(url, 500, 500)
    assert whole is not None
    app = Asking(url_question(url, LOOKALIKE))
    async with asked(app, size) as pilot:
        await pilot.press("f6")
        await until(pilot, lambda: "▀" in app.words, "the code")
        assert all(line.rstrip() in app.words for line in whole.plain.splitlines())
        assert "^S Open" in app.words
        await pilot.press("f2")
        await until(pilot, lambda: app.view.page == "raw", "the page")
        await until(pilot, lambda: "calls itself" in app.words, "who asks is back")


@pytest.mark.parametrize("size", [(80, 24), (140, 40)])
async def test_a_qr_code_that_has_room_stands_in_the_middle_of_its_frame(
    size: tuple[int, int],
) -> None:
    app = Asking(url_question("https://example.com/sign-in?session=814341e8", LOOKALIKE))
    async with asked(app, size) as pilot:
        await pilot.press("f6")
        await until(pilot, lambda: "▀" in app.words and not app.view.deaf, "the code")
        await pilot.pause()
        assert "“deploy” asks" in app.words
        drawn = [line for line in app.words.split("\n") if {"▀", "▄"} <= set(line)]
        inside = [line.strip().strip("│") for line in drawn]
        left = min(len(line) - len(line.lstrip()) for line in inside)
        right = min(len(line) - len(line.rstrip()) for line in inside)
        assert abs(left - right) <= 6


@pytest.mark.parametrize("size", [(140, 40), (200, 60)])
async def test_a_qr_code_that_has_room_below_the_question_leaves_it_there(
    size: tuple[int, int],
) -> None:
    app = Asking(url_question("https://example.com/sign-in?session=814341e8", LOOKALIKE))
    async with asked(app, size) as pilot:
        await pilot.press("f6")
        await until(pilot, lambda: "▀" in app.words and not app.view.deaf, "the code")
        assert {"Sign in.", "Check the letters.", "not tied to a tool call"} <= {
            said for said in app.words.split("\n") for said in [said.strip(" │▌▲■")]
        }
        rows = [line.strip(" │") for line in app.words.split("\n")]
        code = [at for at, row in enumerate(rows) if {"▀", "▄"} & set(row)]
        assert not rows[code[0] - 1]
        assert not rows[code[-1] + 1]
        await pilot.resize_terminal(80, 24)
        await until(pilot, lambda: "Sign in." not in app.words, "the code alone")
        assert "▀" in app.words


async def test_beside_the_qr_code_the_keys_stand_in_the_same_order() -> None:
    app = Asking(url_question("https://example.com/sign-in"))
    keys = "F5 Copy  F6 QR  F7 I opened it"
    async with asked(app) as pilot:
        assert keys in app.words
        await pilot.press("f6")
        await until(pilot, lambda: "▀" in app.words and not app.view.deaf, "the code")
        assert keys in app.words
        assert app.words.count("I opened it") == 1


async def test_from_help_one_comes_back_to_the_qr_code_that_lay_below() -> None:
    app = Asking(url_question("https://example.com/sign-in"))
    async with asked(app) as pilot:
        for key, shown in (("f6", "▀"), ("f1", "This question"), ("escape", "▀")):
            await pilot.press(key)
            await until(pilot, lambda shown=shown: shown in app.words, shown)
        await until(pilot, lambda: not app.view.deaf, "it hears")
        await pilot.press("escape")
        await until(pilot, lambda: "▀" not in app.words, "the address")
        assert app.outcome is None


def alone(words: str) -> list[str]:
    """The code in these words, without what stands around it: a frame, where it has room in one."""
    drawn = [line for line in words.split("\n") if set("▀▄█") & set(line)]
    inside = [line.strip().strip("│") if "│" in line else line for line in drawn]
    return dedent("\n".join(line.rstrip() for line in inside)).split("\n")


@pytest.mark.parametrize(
    ("length", "size"),
    [(450, (110, 45)), (550, (110, 45)), (600, (150, 60)), (800, (150, 80)), (450, (75, 40))],
)
async def test_the_qr_code_of_a_long_address_has_the_whole_window(
    length: int, size: tuple[int, int]
) -> None:
    url = address(length)
    app = Asking(url_question(url, LOOKALIKE))
    async with asked(app, size) as pilot:
        await pilot.press("f6")
        await until(pilot, lambda: "▀" in app.words, "the code")
        whole = [qr_code(url, *room) for room in ((500, 500), code_size(url) or size)]
        assert alone(app.words) in [alone(code.plain) for code in whole if code is not None]
        assert "^S Open" in app.words
        await pilot.press("escape")
        await until(pilot, lambda: "Sign in." in app.words, "the question")


def unframed(words: str) -> str:
    """On one line, without the frame."""
    return " ".join(words.replace("│", " ").split())


@pytest.mark.parametrize(
    ("size", "lacks"),
    [
        ((80, 24), "40 rows; there are 24"),
        ((75, 39), "40 rows; there are 39"),
        ((70, 50), "75 columns; there are 70"),
        ((60, 24), "75 columns and 40 rows; there are 60 and 24"),
    ],
)
async def test_a_qr_code_without_room_says_what_it_needs_and_the_page_stays_as_it_was(
    size: tuple[int, int], lacks: str
) -> None:
    app = Asking(url_question(address(450)))
    async with asked(app, size) as pilot:
        before = app.words
        await pilot.press("f6")
        needs = f"The QR code needs {lacks}. F5 copies the address."
        await until(pilot, lambda: needs in unframed(app.words), "the sentence")
        assert "▀" not in app.words
        frame = [line[:1] + line[-1:] for line in before.splitlines()]
        assert [line[:1] + line[-1:] for line in app.words.splitlines()] == frame
        assert "F7 I opened it" in app.words


async def test_a_qr_code_that_no_window_could_show_is_said() -> None:
    app = Asking(url_question(address(4000)))
    async with asked(app, (200, 100)) as pilot:
        await pilot.press("f6")
        await until(pilot, lambda: "is too long for a QR code" in app.words, "the sentence")
