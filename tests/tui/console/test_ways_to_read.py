"""A result is read as what it is: a diff as lines, the next one as the last was turned."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from elicit_tui.tui.console import action_keys
from elicit_tui.tui.console.diffs import is_diff
from elicit_tui.tui.console.found_lines import FoundLines
from elicit_tui.tui.console.markdown_page import MarkdownPage, markdown_of
from tests.tui.console.reading import reading, text_result

pytestmark = pytest.mark.anyio

LINES = "".join(f"line {number} of a log\n" for number in range(20_000))
DIFF = """Unstaged changes:
diff --git a/README.md b/README.md
--- a/README.md
+++ b/README.md
@@ -1,2 +1,2 @@
 ## See [the guide](https://example.com/guide)
-**old** words
+**new** words
"""


async def test_the_next_result_of_a_tool_is_read_as_the_last_was_turned_but_not_as_a_difference(
    tmp_path: Path,
) -> None:
    async with reading(tmp_path, text_result("# one"), text_result("# two")) as (stand, _):
        for key, shown in (("t", "Markdown ·"), ("t", "JSON ·"), ("d", "Compared with")):
            await stand.press(key)
            await stand.until(lambda title=shown: title in stand.text())
        await stand.press("escape", "z")
        await stand.until(lambda: "JSON ·" in stand.text())


async def test_a_text_is_opened_without_the_dialogs_whose_keys_are_not_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def known_keys(*places: type) -> None:
        raise AssertionError("it loads every dialog")

    async with reading(tmp_path, text_result("one"), text_result(LINES)) as (stand, _):
        await stand.press("escape")
        monkeypatch.setattr(action_keys, "known_keys", known_keys)
        await stand.press("z")
        await stand.until(lambda: "s Save result" in stand.text())
        monkeypatch.undo()


def test_what_draws_markdown_is_loaded_with_the_first_page_of_it() -> None:
    program = (
        "import sys; import elicit_tui.tui.console.screens.result_reader; "
        "print('textual.widgets._markdown' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, check=True
    )
    assert done.stdout.split() == ["False"]


async def test_a_diff_of_markdown_is_read_as_its_lines(tmp_path: Path) -> None:
    async with reading(tmp_path, text_result(DIFF)) as (stand, screen):
        await stand.until(lambda: "-**old** words" in stand.text())
        assert isinstance(screen.view, FoundLines)
    assert not markdown_of(text_result(DIFF))


async def test_markdown_that_shows_a_diff_in_a_fence_is_drawn(tmp_path: Path) -> None:
    page = f"## Review\n\n```diff\n{DIFF}```\n\nas **agreed**"
    async with reading(tmp_path, text_result(page)) as (_, screen):
        assert isinstance(screen.view, MarkdownPage)
    assert is_diff(f"```\ncode\n```\n{DIFF}"), "the fence before it has ended"


async def test_a_value_of_a_tree_that_the_window_cuts_has_a_mark(tmp_path: Path) -> None:
    result = {"content": [], "structuredContent": {"short": 1, "a_long_name": 10**30}}
    async with reading(tmp_path, result, size=(40, 15)) as (stand, _):
        await stand.until(lambda: "JSON · alpha" in stand.text())
        await stand.until(lambda: "000…" in stand.text())
        assert stand.text().count("…") - stand.text().split("\n")[-1].count("…") == 1
        await stand.press("escape")


async def test_a_number_that_the_window_cuts_is_no_other_number(tmp_path: Path) -> None:
    rows = [{"name": f"host-{n}.eu-central.example.org", "load": 12345 + n} for n in range(3)]
    result = {"content": [], "structuredContent": {"hosts": rows}}
    async with reading(tmp_path, result, size=(40, 15)) as (stand, _):
        await stand.until(lambda: "Table · alpha" in stand.text())
        await stand.until(lambda: "12345" in stand.text())
        await stand.press("right")
        await stand.until(lambda: "12347" in stand.text())
        assert "123…" not in stand.text()
        assert "…" in stand.text().split("\n")[2]
