"""A unified diff in a result is read in the colours of changes, its signs in front."""

from __future__ import annotations

import copy
import difflib
import json
from pathlib import Path

import pytest

from elicit_tui.elicitation import Call
from elicit_tui.tui.console import line_changes
from elicit_tui.tui.console.diffs import diff_lines
from elicit_tui.tui.console.line_changes import unified
from elicit_tui.tui.console.result_data import difference
from elicit_tui.tui.console.screens.result_reader import ResultScreen
from elicit_tui.tui.console.spans import Role, text_of
from elicit_tui.tui.console.views import span_style
from tests.tui.console.stand import Stand, console

pytestmark = pytest.mark.anyio

OLD = ["same", "-- a comment", "\tone\t1", "same too"]
NEW = ["same", "++ another", "\tone\t2", "same too"]
DIFF = "\n".join(difflib.unified_diff(OLD, NEW, "a/x", "b/x", lineterm=""))
COMMIT = f"commit 12ab\n\n    - words\n\ndiff --git a/x b/x\n{DIFF}\n- no line of it\n+ nor this"


def roles(text: str) -> dict[str, Role]:
    return {text_of(spans): spans[0][1] for spans in diff_lines(text, 80)}


def test_only_the_lines_of_a_hunk_are_changes() -> None:
    drawn = roles(COMMIT)
    assert {line for line, role in drawn.items() if role == "good"} == {
        "+++ another",
        "+        one     2",
    }
    assert {line for line, role in drawn.items() if role == "gone"} == {
        "--- a comment",
        "-        one     1",
    }
    assert [line for line, role in drawn.items() if role == "dim"] == ["@@ -1,4 +1,4 @@"]


def test_what_is_gone_weighs_as_much_as_what_is_new() -> None:
    drawn = {line[:1]: span_style("#ff0000", role) for line, role in roles(DIFF).items()}
    assert drawn["-"] == drawn["+"]


def test_a_diff_that_a_fence_holds_has_its_colours_too() -> None:
    assert roles(f"Done:\n```diff\n{DIFF}\n```\n- bye")["+++ another"] == "good"


def test_a_text_that_is_no_diff_is_plain() -> None:
    for text in ("- one\n- two\n+ three", "@@ -1 +1 @@\n-a\n+b", "--- a\n+++ b\n-a\n+b"):
        assert set(roles(text).values()) == {"plain"}


def test_a_line_without_an_end_of_its_own_counts_as_none() -> None:
    text = "--- a\n+++ b\n@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+y\n-behind it"
    assert roles(text)["+y"] == "good"
    assert roles(text)["-behind it"] == "plain"


def test_each_row_of_a_wrapped_change_begins_with_its_sign() -> None:
    changes = "--- a\n+++ b\n@@ -1 +1 @@\n-    one two three four\n+    one two three five"
    rows = [text_of(spans) for spans in diff_lines(changes, 16)]
    assert rows[3:] == ["-    one two", "-    three four", "+    one two", "+    three five"]


def colour_of(stand: Stand, words: str) -> str:
    """The colour in which these words are drawn."""
    for strip in stand.app.screen._compositor.render_strips(stand.app.screen.size):
        for segment in strip:
            if words in segment.text and segment.style and segment.style.color:
                return segment.style.color.name
    return ""


async def test_a_diff_has_colours_in_the_calls_and_in_the_reader(tmp_path: Path) -> None:
    async with console(tmp_path, size=(100, 30)) as stand:
        result = {"content": [{"type": "text", "text": COMMIT}]}
        stand.app.state.calls.start("alpha", Call("tools/call", "git_show", {})).end(
            "answered", result=result
        )
        await stand.press("3")
        await stand.until(lambda: "+++ another" in stand.text())
        in_the_calls = [colour_of(stand, words) for words in ("+++ another", "--- a comment")]
        await stand.press("z")
        await stand.until(lambda: isinstance(stand.app.screen, ResultScreen))
        await stand.until(lambda: "+++ another" in stand.text())
        in_the_reader = [colour_of(stand, words) for words in ("+++ another", "--- a comment")]
        variables = stand.app.theme_variables
        wanted = [variables["success"].lower(), variables["error"].lower()]
        assert [name.lower() for name in in_the_calls] == wanted
        assert [name.lower() for name in in_the_reader] == wanted
        await stand.press("escape")


async def test_a_diff_in_markdown_has_its_colours_too(tmp_path: Path) -> None:
    async with console(tmp_path, size=(100, 30)) as stand:
        result = {"content": [{"type": "text", "text": f"# Done\n\n```diff\n{DIFF}\n```\n"}]}
        stand.app.state.calls.start("alpha", Call("tools/call", "edit_file", {})).end(
            "answered", result=result
        )
        await stand.press("3")
        await stand.until(lambda: "+++ another" in stand.text())
        await stand.press("z")
        await stand.until(lambda: "Markdown · alpha" in stand.text())
        await stand.until(lambda: "--- a comment" in stand.text())
        colours = [colour_of(stand, words) for words in ("+++ another", "--- a comment")]
        variables = stand.app.theme_variables
        assert [name.lower() for name in colours] == [
            variables["success"].lower(),
            variables["error"].lower(),
        ]
        await stand.press("escape")


def test_a_part_of_a_diff_of_json_names_the_rows_in_which_the_changes_are() -> None:
    rows = [{"id": number * 10, "of": {"state": "open"}} for number in range(20)]
    changed = copy.deepcopy(rows)
    changed[3]["of"] = {"state": "done"}
    changed[15]["id"] = "x"
    for before, after in ((rows, changed), ({"notes": rows}, {"notes": changed})):
        old, new = (json.dumps(data, indent=2).split("\n") for data in (before, after))
        heads = [line for line in unified(old, new) if line.startswith("@@")]
        assert [head.rpartition("@@ ")[2] for head in heads] == ["row 4 · id 30", "row 16 · id 150"]
    old, new = (json.dumps({"of": rows, "n": n}, indent=2).split("\n") for n in (1, 2))
    assert next(unified(old, new)).endswith(" @@")


def difference_of(before: str, now: str) -> list[str]:
    """The lines of the difference between two results that are these texts."""
    old, new = ({"content": [{"type": "text", "text": text}]} for text in (before, now))
    return [text_of(line) for line in difference(old, new, 80)]


def test_a_value_of_json_whose_comma_alone_came_or_went_is_unchanged() -> None:
    few, more = ["phone 4711"], ["phone 4711", {"of": 1}]
    lines = difference_of(json.dumps({"said": few}), json.dumps({"said": more}))
    assert [line for line in lines if line[0] in "+-"] == ["+    {", '+      "of": 1', "+    }"]
    assert '     "phone 4711",' in lines, "as it stands now"
    back = difference_of(json.dumps({"said": more}), json.dumps({"said": few}))
    assert [line for line in back if line[0] in "+-"] == ["-    {", '-      "of": 1', "-    }"]


def test_a_comma_that_ends_a_line_of_other_text_is_compared() -> None:
    assert difference_of("one\ntwo", "one,\ntwo")[1:3] == ["-one", "+one,"]


def test_that_one_text_alone_ends_with_a_line_break_is_said_once_and_changes_no_line() -> None:
    ends = "Only the text marked {} ends with a line break."
    assert difference_of("a\nb", "a\nb\n") == [ends.format("+")]
    assert difference_of("a\nb\n", "a\nb") == [ends.format("-")]
    assert difference_of("a\nb", "a\nb\nc\n") == [
        *("@@ -1,2 +1,3 @@", " a", " b", "+c"),
        ends.format("+"),
    ]


def test_other_text_with_braces_has_no_rows() -> None:
    old = ["int main()", "{", "  return 1;", "}"]
    assert next(unified(old, [*old[:2], "  return 2;", "}"])).endswith(" @@")


def test_a_text_that_ends_where_a_row_would_begin_is_compared_all_the_same() -> None:
    told = [*unified(["["], ["[", "{"])]
    assert told == ["@@ -1 +1,2 @@ row 1", " [", "+{"]


@pytest.mark.parametrize(("rows", "left"), [(12, 4), (4, 12), (9, 1), (1, 9), (11, 0)])
@pytest.mark.parametrize("at_once", [4, 5, 8])
def test_of_rows_that_are_alike_each_that_came_or_went_is_in_the_difference_once(
    rows: int, left: int, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(line_changes, "COMPARED_AT_ONCE", at_once)
    monkeypatch.setattr(line_changes, "AROUND", 1_000)
    old, new = (json.dumps([{"a": 1, "b": 2}] * count, indent=2) for count in (rows, left))
    _, *told = unified(old.split("\n"), new.split("\n"))
    assert "\n".join(line[1:] for line in told if line[0] != "+") == old
    assert "\n".join(line[1:] for line in told if line[0] != "-") == new
