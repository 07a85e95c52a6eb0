"""Long results of calls: they are there in the next run, as far as there is room for them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from elicit_tui.elicitation import Call
from elicit_tui.elicitation.finding import MASK
from elicit_tui.elicitation.settings import ContentPolicy, HistorySettings
from elicit_tui.paths import state_directory
from elicit_tui.tui.console import kept_calls, kept_results
from elicit_tui.tui.console.kept_calls import KeptCalls
from elicit_tui.tui.console.kept_results import (
    TOO_LARGE,
    folder,
    how_large,
    read_result,
    written_down,
)
from tests.tui.console.stand import console
from tests.tui.console.test_calls_of_earlier_runs import kept_again, saying, until_written
from tests.tui.console.test_kept_calls import SECRET

pytestmark = pytest.mark.anyio

LONG = "\n".join(f"{number} It rains in the mountains." for number in range(3_000))
"""More than stands beside its call."""


def files() -> list[Path]:
    return sorted(folder().glob("*"))


@pytest.mark.parametrize("content", ["redacted", "full"])
def test_a_long_result_is_kept_in_a_private_file_without_its_secrets(
    content: ContentPolicy,
) -> None:
    text = f"{LONG}\n{SECRET}\n{LONG}"
    kept = kept_again(content, saying(text))
    (file,) = files()
    assert kept.result_file == file.name
    assert file.stat().st_mode & 0o777 == 0o600
    assert folder().stat().st_mode & 0o777 == 0o700
    assert read_result(file.name) == saying(
        text if content == "full" else text.replace(SECRET, MASK)
    )
    assert SECRET not in (state_directory() / "calls.json").read_text()


@pytest.mark.parametrize("before", [13_990, 19_990, 20_005])
def test_a_secret_is_found_wherever_it_stands_in_a_long_text(before: int) -> None:
    kept_again("redacted", saying(f"{'a ' * (before // 2)}{SECRET}{' a' * 30_000}"))
    (file,) = files()
    assert SECRET[:12] not in file.read_text()


def test_of_long_results_the_oldest_go_until_the_others_have_room(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(kept_results, "LARGEST_OF_ALL", 250_000)
    for number in range(3):
        kept_again("full", saying(f"{number} {LONG}"))
    oldest, *others = KeptCalls("full").read()
    assert (oldest.result, oldest.result_file) == (None, "")
    assert "results of newer calls have its room" in oldest.no_result
    assert sorted(call.result_file for call in others) == [file.name for file in files()]


def test_with_a_call_its_long_result_goes_from_the_disk() -> None:
    kept = kept_again("full", saying(LONG))
    assert len(files()) == 1
    KeptCalls("full").remove(kept)
    until_written()
    assert files() == []


@pytest.mark.parametrize(
    ("result", "told"),
    [
        ({**saying("x" * 600_000), "structuredContent": {"text": "x" * 600_000}}, "1,200,"),
        ({**saying("few"), "structuredContent": {"rows": [1] * 60_000}}, "1,200,"),
        (saying("x" * 9_000_000), "more than 4,000,000"),
    ],
)
async def test_a_result_that_is_too_large_says_what_counts_beside_the_size_that_is_shown(
    tmp_path: Path, result: dict[str, Any], told: str
) -> None:
    async with console(tmp_path, servers=["alpha"], size=(140, 40)) as stand:
        made = stand.app.state.calls.start("alpha", Call("tools/call", "look", {}))
        made.end("answered", result=result)
        await stand.press("3")
        await stand.until(lambda: "goes with this run" in stand.text())
        words = " ".join(stand.text().replace("│", " ").split())
        assert f"s saves it. It counts as {told}" in words
        assert "its data included, and 20 for each value; at most 1,000,000 are kept." in words


def test_what_is_written_down_in_too_many_bytes_says_so() -> None:
    spelled = saying("\u2603" * 900_000)
    assert written_down(spelled, "") == {"no_result": TOO_LARGE}
    assert how_large(spelled).startswith("Written down it takes more than the 4,000,000 bytes")


def test_a_name_that_is_none_of_ours_is_no_file_of_a_result() -> None:
    assert kept_results.named_file({"result_file": "../../secrets.json"}) == ""


async def test_a_long_result_of_an_earlier_run_is_read_searched_and_compared(
    tmp_path: Path,
) -> None:
    kept_again("redacted", saying(LONG))
    kept_again("redacted", saying(f"{LONG} Now it snows."))
    async with console(tmp_path, servers=["alpha"], size=(140, 40)) as stand:
        await stand.press("5")
        await stand.until(lambda: stand.text().count("look") == 2)
        await stand.press("slash", *"snows")
        await stand.until(lambda: stand.text().count("look") == 0)
        await stand.press("escape", "3")
        await stand.until(lambda: "of an earlier run, secrets masked" in stand.text())
        assert "It rains in the mountains." in stand.text()
        await stand.press("d")
        await stand.until(lambda: "Now it snows." in stand.text())


async def test_a_long_result_whose_file_is_gone_says_that_it_cannot_be_read(
    tmp_path: Path,
) -> None:
    kept_again("redacted", saying(LONG))
    files()[0].unlink()
    async with console(tmp_path, servers=["alpha"], size=(140, 40)) as stand:
        await stand.press("3")
        await stand.until(lambda: "what came back cannot be read any more" in stand.text())


async def test_a_result_is_looked_through_and_written_beside_the_loop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also read again: neither on the thread that draws and hears the keys."""
    threads: list[str] = []

    def noted(work: Callable[..., object]) -> Callable[..., object]:
        def beside(*given: object) -> object:
            threads.append(threading.current_thread().name)
            return work(*given)

        return beside

    monkeypatch.setattr(kept_calls, "may_be_kept", noted(kept_calls.may_be_kept))
    monkeypatch.setattr(kept_results, "read_result", noted(kept_results.read_result))
    kept_again("full", saying(LONG))
    history = HistorySettings(content="full")
    async with console(tmp_path, servers=["alpha"], history=history, size=(140, 40)) as stand:
        await stand.press("3")
        await stand.until(lambda: "It rains in the mountains." in stand.text())
    assert len(threads) == 2
    assert threading.main_thread().name not in threads
