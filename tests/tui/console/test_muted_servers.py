"""A server that may ask no more until it is let again."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tui.console.stand import console

pytestmark = pytest.mark.anyio


async def test_a_muted_server_is_cancelled_until_it_may_ask_again(tmp_path: Path) -> None:
    async with console(tmp_path) as stand:
        await stand.press("m")
        assert stand.app.muted == {"alpha"}
        muted = stand.ask("alpha")
        await stand.until(lambda: stand.outcome(muted))
        outcome = stand.outcome(muted)
        assert outcome is not None
        assert outcome.action == "cancel"
        await stand.press("5")
        await stand.until(lambda: "cancelled · you muted its server" in stand.text())
        assert "your policy" not in stand.text()
        await stand.press("enter")
        await stand.until(lambda: "○ cancelled · you muted its server" in stand.text())
        await stand.press("escape", "1", "m")
        request = stand.ask("alpha")
        await stand.shown(request)


async def test_a_server_whose_questions_wait_is_muted_only_when_that_is_sure(
    tmp_path: Path,
) -> None:
    async with console(tmp_path) as stand:
        request = stand.ask("alpha")
        await stand.shown(request)
        await stand.press("ctrl+l", "2", "m")
        await stand.until(lambda: "Mute “alpha” for this run?" in stand.text())
        await stand.press("n")
        await stand.until(lambda: "Mute “alpha” for this run?" not in stand.text())
        assert stand.outcome(request) is None
        assert not stand.app.muted
        await stand.press("m")
        await stand.until(lambda: "1 question of “alpha” waits for you" in stand.text())
        await stand.press("y")
        await stand.until(lambda: stand.outcome(request))
        await stand.until(lambda: "m under Servers lets it ask again" in stand.notices())
        # Nothing of it is listed any more; the same key undoes it all the same.
        await stand.until(lambda: "m Unmute server" in stand.text())
        await stand.press("m")
        await stand.until(lambda: not stand.app.muted)


async def test_what_is_told_of_a_muted_server_goes_once_it_may_ask_again(tmp_path: Path) -> None:
    async with console(tmp_path, servers=["alpha"]) as stand:
        await stand.press("m")
        await stand.until(lambda: "is muted for this run" in stand.notices())
        await stand.press("m")
        await stand.until(lambda: "may ask again" in stand.notices())
        assert "is muted" not in stand.notices()


@pytest.mark.parametrize(
    ("inbox", "where"),
    [(False, "stands under History"), (True, "is in “elicit-tui history list”")],
    ids=["console", "inbox"],
)
async def test_where_nothing_was_stopped_it_says_where_what_a_gateway_refused_stands(
    tmp_path: Path, inbox: bool, where: str
) -> None:
    servers = [] if inbox else ["alpha"]
    async with console(tmp_path, servers=servers, inbox=inbox, size=(200, 40)) as stand:
        await stand.press("1" if inbox else "2")
        await stand.until(lambda: f"what a gateway refuses {where}" in stand.text())
