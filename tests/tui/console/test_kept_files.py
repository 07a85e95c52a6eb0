"""The calls that are kept in files have a list: they are made again, renamed and removed there."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.widgets import Input

from elicit_tui import paths
from elicit_tui.elicitation.saved_call import SavedCall, file_called, saved_calls
from elicit_tui.errors import UsageError
from elicit_tui.tui.console.argument_values import ValueList
from elicit_tui.tui.console.remembered import Remembered
from elicit_tui.tui.console.screen import ConsoleScreen
from elicit_tui.tui.console.screens.arguments import ArgumentsScreen
from elicit_tui.tui.console.screens.confirmations import AgainScreen
from elicit_tui.tui.console.screens.kept_files import (
    KeptFilesScreen,
    OtherServerScreen,
    RemoveKeptScreen,
    RenameKeptScreen,
)
from elicit_tui.tui.console.views import RowList
from elicit_tui.tui.console.written_later import until_written
from tests.tui.console.stand import Stand, console
from tests.tui.console.test_calls import GREET, calls_of, tool

pytestmark = pytest.mark.anyio

TOOLS = {"alpha": [tool("first")], "beta": [tool("greet", GREET)]}


def keep(path: Path, server: str = "beta", tool_name: str = "greet") -> Path:
    """A call that was kept before."""
    SavedCall(server, tool_name, {"name": "Ada", "times": 2}).write(path)
    return path


@asynccontextmanager
async def listing(path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Stand]:
    """The list, in a console that was started in this folder."""
    monkeypatch.chdir(path)
    async with console(path, tools=TOOLS) as stand:
        await stand.settled()
        await stand.press("3", "W")
        await stand.until(lambda: isinstance(stand.app.screen, KeptFilesScreen))
        yield stand


async def test_a_file_that_nests_deeper_than_anybody_means_it_is_told_and_ends_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deep = "[" * 600 + "]" * 600
    written = f'{{"server": "beta", "tool": "greet", "arguments": {{"name": {deep}}}}}'
    (tmp_path / "deep.call.json").write_text(written)
    async with listing(tmp_path, monkeypatch) as stand:
        await stand.until(lambda: "deep.call.json is" in stand.text())
        await stand.press("escape")
        assert stand.app.is_running


async def test_the_calls_of_this_folder_and_of_others_are_listed_and_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    keep(tmp_path / "hello.call.json")
    keep(elsewhere / "other.call.json")
    remembered = Remembered()
    remembered.keeps_in(elsewhere)
    until_written(20)
    async with listing(tmp_path, monkeypatch) as stand:
        await stand.until(lambda: "other" in stand.text() and "/elsewhere" in stand.text())
        assert stand.text().index("hello") < stand.text().index("other")
        assert "beta · greet  name=Ada, times=2" in stand.text()
        assert "r Rename" in stand.text()
        assert "Del Remove" in stand.text()
        await stand.press("down", "enter")
        await stand.until(lambda: isinstance(stand.app.screen, ArgumentsScreen))
        await stand.press("ctrl+s")
        await stand.until(lambda: calls_of(stand, "beta"))
        assert calls_of(stand, "beta")[0].arguments == {"name": "Ada", "times": 2}


async def test_a_file_calls_a_tool_without_arguments_only_once_it_was_named_and_meant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    SavedCall("alpha", "first", {}).write(tmp_path / "list-notes.call.json")
    async with listing(tmp_path, monkeypatch) as stand:
        for key, calls in (("n", 0), ("y", 1)):
            stand.app.call_kept(tmp_path / "list-notes.call.json")
            await stand.until(lambda: isinstance(stand.app.screen, AgainScreen))
            assert "Call “first”?" in stand.text()
            assert "The file calls this tool of “alpha”" in stand.text()
            await stand.press(key)
            await stand.until(lambda: not isinstance(stand.app.screen, AgainScreen))
            await stand.until(lambda calls=calls: len(calls_of(stand)) == calls)


async def test_an_empty_list_says_how_a_call_is_kept_and_the_palette_has_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with listing(tmp_path, monkeypatch) as stand:
        await stand.until(lambda: "w under Calls keeps a call" in stand.text())
        await stand.press("r", "delete", "escape", "1")
        titles = {command.title for command in stand.app.get_system_commands(stand.app.screen)}
        assert "Calls kept in files" in titles


async def test_a_kept_call_is_renamed_and_none_is_written_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(tmp_path / "hello.call.json")
    keep(tmp_path / "taken.call.json")
    async with listing(tmp_path, monkeypatch) as stand:
        await stand.press("r")
        await stand.until(lambda: isinstance(stand.app.screen, RenameKeptScreen))
        await stand.press("ctrl+u", *"taken", "enter")
        await stand.until(lambda: "taken.call.json exists" in stand.text())
        await stand.press("ctrl+u", *"anew", "enter")
        await stand.until(lambda: isinstance(stand.app.screen, KeptFilesScreen))
        await stand.until(lambda: "anew" in stand.text())
    assert [path.name for path in saved_calls(tmp_path)] == ["anew.call.json", "taken.call.json"]


@pytest.mark.parametrize("name", ["hello", "hello.call.json", "{folder}/hello"])
async def test_a_kept_call_that_is_renamed_may_keep_its_name_which_is_no_other_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    keep(tmp_path / "hello.call.json")
    keep(tmp_path / "hello2.call.json")
    async with listing(tmp_path, monkeypatch) as stand:
        await stand.press("r")
        await stand.until(lambda: "Its name is hello.call.json now" in stand.text())
        values = stand.app.screen.query_one(ValueList)
        stand.app.screen.query_one("#place", Input).value = str(tmp_path / "hell")
        await stand.until(lambda: values.shown)
        offered = [values.value(number) for number in range(values.option_count)]
        assert offered == [str(tmp_path / "hello2.call.json")]
        stand.app.screen.query_one("#place", Input).value = name.format(folder=tmp_path)
        await stand.press("ctrl+s")
        await stand.until(lambda: isinstance(stand.app.screen, KeptFilesScreen))
        assert "hello.call.json exists" not in stand.text()
    assert [path.name for path in saved_calls(tmp_path)] == ["hello.call.json", "hello2.call.json"]


async def test_the_cursor_stays_on_a_kept_call_that_was_renamed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("alone", "beyond", "hello"):
        keep(tmp_path / f"{name}.call.json")
    async with listing(tmp_path, monkeypatch) as stand:
        await stand.press("r")
        await stand.until(lambda: isinstance(stand.app.screen, RenameKeptScreen))
        await stand.press("ctrl+u", *"zebra", "enter")
        await stand.until(lambda: isinstance(stand.app.screen, KeptFilesScreen))
        await stand.until(lambda: "zebra" in stand.text())
        listed = stand.app.screen.query_one("#kept-files", RowList)
        assert Path(listed.key or "").name == "zebra.call.json"
        await stand.press("f1")
        await stand.until(lambda: "the calls kept in files" in stand.text())
        of_this_list = stand.text().partition("moving")[0]
        assert "Rename" in of_this_list
        assert "^S" not in of_this_list, "that is a key of the dialog that renames"


async def test_a_kept_call_is_removed_once_it_was_confirmed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = keep(tmp_path / "hello.call.json")
    async with listing(tmp_path, monkeypatch) as stand:
        for key, there in (("n", True), ("y", False)):
            await stand.press("delete")
            await stand.until(lambda: isinstance(stand.app.screen, RemoveKeptScreen))
            await stand.press(key)
            await stand.until(lambda: isinstance(stand.app.screen, KeptFilesScreen))
            await stand.until(lambda there=there: path.exists() is there)
        await stand.until(lambda: "No call is kept" in stand.text())


async def test_a_kept_call_whose_server_is_gone_is_taken_to_one_that_there_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = keep(tmp_path / "hello.call.json", "gone")
    async with listing(tmp_path, monkeypatch) as stand:
        await stand.until(lambda: "there is no such server now" in stand.text())
        await stand.press("enter")
        await stand.until(lambda: isinstance(stand.app.screen, OtherServerScreen))
        await stand.until(lambda: "offers it" in stand.text())
        assert "No server is called “gone”" in stand.text()
        assert stand.text().index("beta") < stand.text().index("alpha")
        await stand.press("enter")
        await stand.until(lambda: isinstance(stand.app.screen, ArgumentsScreen))
        assert json.loads(path.read_text())["server"] == "beta"


async def test_whoever_chooses_no_server_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = keep(tmp_path / "hello.call.json", "gone")
    async with listing(tmp_path, monkeypatch) as stand:
        await stand.press("enter")
        await stand.until(lambda: isinstance(stand.app.screen, OtherServerScreen))
        await stand.press("escape")
        await stand.until(lambda: not isinstance(stand.app.screen, OtherServerScreen))
        assert json.loads(path.read_text())["server"] == "gone"


def test_the_persons_folder_is_known_behind_an_at_sign(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    path = keep(tmp_path / "hello.call.json")
    assert file_called("~/hello") == path
    assert file_called("~/hello.call.json") == path


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{", "is not JSON"),
        ("[]", 'needs "server"'),
        ('{"server": "a", "tool": ""}', 'needs "server"'),
        ('{"server": "a", "tool": "b", "arguments": []}', "as an object"),
        ('{"server": "a", "tool": "b", "args": {}}', "no key 'args'"),
        ('{"server": "a", "tool": "b", "arguments": {"x": NaN}}', "is not JSON"),
        ('{"server": "a", "tool": "b", "tool": "c"}', "stands twice"),
    ],
)
def test_a_file_that_is_no_call_is_told(tmp_path: Path, text: str, why: str) -> None:
    path = tmp_path / "x.call.json"
    path.write_text(text)
    with pytest.raises(UsageError, match=why):
        SavedCall.read(path)


async def test_a_call_kept_in_another_folder_is_in_the_palette_of_each_with_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "there").mkdir()
    keep(tmp_path / "there" / "orders.call.json")
    monkeypatch.chdir(tmp_path)
    async with console(tmp_path, tools=TOOLS) as stand:
        stand.app.remembered.keeps_in(tmp_path / "there")
        await stand.press("ctrl+p", *"orders")
        await stand.until(lambda: "Kept call: orders" in stand.text())
        await stand.until(lambda: "/there" in stand.text())
        await stand.press("enter")
        await stand.until(lambda: isinstance(stand.app.screen, ArgumentsScreen))


async def test_the_palette_says_what_a_kept_call_calls_and_shows_no_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    keep(tmp_path / "hello.call.json")
    SavedCall("beta", "greet", {"password": "hunter2"}).write(tmp_path / "two.call.json")
    (tmp_path / "three.call.json").write_text("no JSON")
    async with console(tmp_path, tools=TOOLS) as stand:
        commands = list(stand.app.get_system_commands(stand.app.screen))
        told = {each.title: each.help for each in commands if each.title.startswith("Kept call: ")}
        assert told["Kept call: hello"] == "beta · greet  name=Ada, times=2"
        assert told["Kept call: two"] == "beta · greet  password=•••"
        assert "is not JSON" in told["Kept call: three"]


async def test_a_kept_call_cannot_be_given_a_name_that_is_too_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = keep(tmp_path / "hello.call.json")
    async with listing(tmp_path, monkeypatch) as stand:
        await stand.press("r")
        await stand.until(lambda: isinstance(stand.app.screen, RenameKeptScreen))
        stand.app.screen.query_one("#place", Input).value = "y" * 300
        await stand.press("enter")
        await stand.until(lambda: "File name too" in stand.text())
        assert path.exists()


async def test_a_tilde_before_a_name_that_nobody_has_is_one_of_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = keep(tmp_path / "hello.call.json")
    (tmp_path / "~nobody.of.this.name").mkdir()
    async with listing(tmp_path, monkeypatch) as stand:
        await stand.press("r")
        await stand.until(lambda: isinstance(stand.app.screen, RenameKeptScreen))
        values = stand.app.screen.query_one(ValueList)
        stand.app.screen.query_one("#place", Input).value = "~nobody"
        await stand.until(lambda: values.shown)
        assert values.value(0) == "~nobody.of.this.name/"
        stand.app.screen.query_one("#place", Input).value = "~nobody.of.this.name/new"
        await stand.press("enter")
        await stand.until(lambda: isinstance(stand.app.screen, KeptFilesScreen))
    assert (path.exists(), (tmp_path / "~nobody.of.this.name/new.call.json").exists()) == (0, 1)


def test_a_file_is_never_renamed_over_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine, taken = tmp_path / "mine", tmp_path / "taken"
    for links in (True, False):
        mine.write_text("mine")
        taken.write_text("taken")
        if not links:
            monkeypatch.setattr(os, "link", no_links)
        with pytest.raises(FileExistsError):
            paths.rename_to_new(mine, taken)
        assert (mine.read_text(), taken.read_text()) == ("mine", "taken")
        taken.unlink()
        paths.rename_to_new(mine, taken)
        assert taken.read_text() == "mine"
        assert not mine.exists()


def counted_reads(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Each file that is read from now on, as often as it is."""
    reads: list[Path] = []
    read = SavedCall.read

    def counted(path: Path) -> SavedCall:
        reads.append(path)
        return read(path)

    monkeypatch.setattr(SavedCall, "read", counted)
    return reads


async def test_of_the_files_in_a_list_each_is_read_once_and_none_that_is_huge(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    huge = json.dumps({"server": "beta", "tool": "greet", "arguments": {"a": ["x"] * 50_000}})
    for number in range(5):
        (tmp_path / f"huge-{number}.call.json").write_text(huge)
        keep(tmp_path / f"small-{number}.call.json")
    reads = counted_reads(monkeypatch)
    async with listing(tmp_path, monkeypatch) as stand:
        await stand.until(lambda: "a file of 250,057 bytes: Enter reads it" in stand.text())
        await stand.until(lambda: "name=Ada, times=2" in stand.text())
        await stand.press("down", "down", "escape", "ctrl+p", *"small")
        await stand.until(lambda: "Kept call: small-4" in stand.text())
    assert len(reads) == 5
    assert all(path.name.startswith("small") for path in reads)


async def test_a_search_reads_each_of_many_kept_calls_once_whatever_is_typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(300):
        folder = tmp_path / f"f{number // 100}"
        folder.mkdir(exist_ok=True)
        keep(folder / f"kept-{number}.call.json")
    for number in range(3):
        Remembered().keeps_in(tmp_path / f"f{number}")
    until_written(20)
    reads = counted_reads(monkeypatch)
    async with listing(tmp_path, monkeypatch) as stand:
        await stand.until(lambda: "1 of 300" in stand.text())
        in_sight = len(reads)
        assert in_sight < 40
        # No word of it stands in the folder of this run, as a number alone may.
        await stand.press("slash", *"kept-29 ada")
        await stand.until(lambda: "1 of 11 found" in stand.text())
        assert len(reads) < 300 + 2 * in_sight + 11


def no_links(*names: Path) -> None:
    """What a file system says that knows none."""
    raise PermissionError(errno.EPERM, "Operation not permitted")


async def test_in_a_folder_that_was_removed_calls_of_others_are_listed_and_nothing_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone, elsewhere = tmp_path / "gone", tmp_path / "elsewhere"
    for folder in (gone, elsewhere):
        folder.mkdir()
    keep(elsewhere / "other.call.json", "alpha", "first")
    Remembered().keeps_in(elsewhere)
    until_written(20)
    monkeypatch.chdir(gone)
    async with console(tmp_path, tools=TOOLS) as stand:
        gone.rmdir()
        await stand.press("3", "W")
        await stand.until(
            lambda: "other" in stand.text() and "a folder that is gone" in stand.text()
        )
        await stand.press("escape", "ctrl+p", *"kept")
        await stand.until(lambda: "Kept call: other" in stand.text())
        await stand.press("escape", "1", "right", "enter")
        await stand.until(lambda: "done" in stand.text())
        for key, title in (("s", "Save this result"), ("w", "Keep this call")):
            await stand.press(key)
            await stand.until(lambda title=title: title in stand.text())
            await stand.press("ctrl+u", *"a", "enter")
            await stand.until(lambda: "No such file or directory" in stand.text())
            await stand.press("escape")
            await stand.until(lambda: isinstance(stand.app.screen, ConsoleScreen))
