"""The first login through the consent page of a real browser."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from elicit_tui.elicitation import Outcome, Question
from tests.logins.browser import LoginServer, agrees, run, run_async

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
OPTIONS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking")


async def opened(address: str, profile: Path) -> str:
    """What the browser shows in the end; the page presses its own button."""
    options: Sequence[str] = (*OPTIONS, f"--user-data-dir={profile}", "--virtual-time-budget=5000")
    browser = await asyncio.create_subprocess_exec(
        CHROMIUM or "", *options, "--dump-dom", address, stdout=-1, stderr=-3
    )
    shown, _ = await asyncio.wait_for(browser.communicate(), 50)
    return shown.decode()


@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here")
def test_a_browser_leads_back_through_the_consent_page(server: LoginServer, tmp_path: Path) -> None:
    shown = []

    async def by_browser(question: Question) -> Outcome:
        shown.append(await opened(question.request.url or "", tmp_path))
        return agrees(question)

    async def called() -> str:
        async with run(server, by_browser) as ours:
            return await ours.call()

    server.reset(consent="page")
    assert run_async(called()) == "read_it done"
    assert "This step is done. You can close this window" in shown[0]
    assert "canary" not in shown[0]
