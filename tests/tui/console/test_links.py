"""What a result points to is followed by a key: read from its server, or asked about as a page."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from elicit_tui.elicitation import Call
from elicit_tui.tui.console.calls import CallRecord
from elicit_tui.tui.console.result_links import links_of
from elicit_tui.tui.console.screens import links
from elicit_tui.tui.console.screens.links import LinksScreen, PageScreen
from elicit_tui.tui.console.screens.result_reader import ResultScreen
from elicit_tui.tui.console.servers import read_offers
from tests.tui.console.stand import Stand, console
from tests.tui.console.test_calls import tool

pytestmark = pytest.mark.anyio

NOTE = {"type": "resource_link", "uri": "note://today", "name": "today", "title": "Today's note"}
PAGE = {"type": "resource_link", "uri": "https://docs.example.org/a?b=c", "name": "the manual"}


@asynccontextmanager
async def pointing(
    path: Path, *blocks: dict[str, Any], size: tuple[int, int] = (100, 30)
) -> AsyncIterator[tuple[Stand, list[Call]]]:
    """The result of a call, with these blocks, under the cursor; and the calls that were made."""
    made: list[Call] = []

    async def work(connection: Any, call: Call) -> dict[str, Any]:
        made.append(call)
        if call.method == "resources/read":
            return {"contents": [{"uri": call.name, "text": f"what stands in {call.name}"}]}
        return {"content": list(blocks)}

    tools = {"alpha": [tool("look")]}
    async with console(path, servers=["alpha"], tools=tools, work=work, size=size) as stand:
        stand.app.call_offer("alpha", stand.app.state.servers["alpha"].offers[0])
        await stand.until(lambda: "o Link" in stand.text())
        yield stand, made


async def test_a_link_of_a_result_is_read_from_the_server_that_named_it(tmp_path: Path) -> None:
    async with pointing(tmp_path, NOTE) as (stand, made):
        await stand.until(lambda: "▤ Today's note  note://today" in stand.text())
        assert [call.method for call in made] == ["tools/call"], "nothing is read by itself"
        await stand.press("o")
        await stand.until(lambda: "what stands in note://today" in stand.text())
        assert made[-1].method == "resources/read"


async def test_from_the_reader_a_link_leads_to_what_it_names(tmp_path: Path) -> None:
    async with pointing(tmp_path, NOTE) as (stand, _):
        await stand.press("z")
        await stand.until(lambda: isinstance(stand.app.screen, ResultScreen))
        await stand.press("o")
        await stand.until(lambda: "what stands in note://today" in stand.text())
        assert not isinstance(stand.app.screen, ResultScreen)


async def test_a_page_is_shown_whole_and_opened_only_when_the_person_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(links, "open_in_browser", lambda url: bool(opened.append(url)) or True)
    async with pointing(tmp_path, PAGE) as (stand, made):
        await stand.press("enter", "enter")  # To the call, then its link.
        await stand.until(lambda: isinstance(stand.app.screen, PageScreen))
        await stand.until(lambda: "belongs to" in stand.text())
        assert "https://docs.example.org/a?b=c" in stand.text()
        assert "example.org" in stand.text().split("belongs to")[1].splitlines()[0]
        await stand.press("enter")  # The harmless choice has the focus.
        await stand.until(lambda: not isinstance(stand.app.screen, PageScreen))
        assert opened == []
        await stand.press("o")
        await stand.until(lambda: isinstance(stand.app.screen, PageScreen))
        await stand.press("y")
        await stand.until(lambda: opened == ["https://docs.example.org/a?b=c"])
        assert len(made) == 1, "a page is not asked of the server"


async def test_the_button_of_a_page_opens_it_as_its_key_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(links, "open_in_browser", lambda url: bool(opened.append(url)) or True)
    async with pointing(tmp_path, PAGE) as (stand, _):
        await stand.press("o")
        await stand.until(lambda: isinstance(stand.app.screen, PageScreen))
        await stand.press("tab", "enter")
        await stand.until(lambda: not isinstance(stand.app.screen, PageScreen))
        await stand.until(lambda: opened == ["https://docs.example.org/a?b=c"])


@pytest.mark.parametrize(
    "uri",
    ["https://accounts.google.com@evil.example/login", "https://user:pw@10.0.0.1:1/\u202eab"],
)
async def test_a_page_that_the_guardian_stops_has_no_key_that_opens_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, uri: str
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(links, "open_in_browser", opened.append)
    async with pointing(tmp_path, {**PAGE, "uri": uri}) as (stand, _):
        await stand.press("o")
        await stand.until(lambda: isinstance(stand.app.screen, PageScreen))
        await stand.until(lambda: "■" in stand.text())
        assert "y Open page" not in stand.text()
        await stand.press("y", "escape")
        await stand.until(lambda: not isinstance(stand.app.screen, PageScreen))
        assert opened == []


async def test_of_several_links_one_is_chosen_and_no_text_of_them_reaches_the_terminal_raw(
    tmp_path: Path,
) -> None:
    evil = {"type": "resource_link", "uri": "x:\x1b]0;t\x07", "name": "\x1b[2J\u202eevil"}
    async with pointing(tmp_path, NOTE, evil, PAGE) as (stand, made):
        await stand.press("o")
        await stand.until(lambda: isinstance(stand.app.screen, LinksScreen))
        await stand.until(lambda: "↗ the manual" in stand.text())
        assert not {"\x1b", "\u202e", "\x07"} & set(stand.text())
        await stand.press("down", "down", "enter")
        await stand.until(lambda: isinstance(stand.app.screen, PageScreen))
        await stand.press("escape")
        assert len(made) == 1


@pytest.mark.parametrize("whole", [False, True])
async def test_at_80_columns_the_key_of_a_link_stands_beside_the_way_to_all(
    tmp_path: Path, whole: bool
) -> None:
    async with pointing(tmp_path, NOTE, size=(80, 24)) as (stand, _):
        if whole:
            await stand.press("z")
            await stand.until(lambda: isinstance(stand.app.screen, ResultScreen))
        await stand.until(lambda: "o Link" in stand.text().splitlines()[-1])
        assert not whole or "y Copy JSON" in stand.text().splitlines()[-2]
        # In a reader the palette may have no room, which is told in front of the help.
        bar = stand.text().splitlines()[-1].removesuffix(" … F1 Help")
        assert ("…" in bar) is not whole, "in the pane other keys are left out"
        assert whole or bar.endswith("^P Commands  ^Q Leave  F1 Help")


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


@pytest.mark.parametrize("sign", ["\u202e", "\u200b"])
def test_an_address_with_a_sign_that_cannot_be_seen_is_no_link(sign: str) -> None:
    def of(text: str) -> list[str]:
        record = CallRecord("alpha", Call("tools/call", "look", {}))
        record.result = {"content": [{"type": "text", "text": text}]}
        return [link.uri for link in links_of(record)]

    assert of("See https://good.com/a and more") == ["https://good.com/a"]
    assert of(f"See https://good.com{sign}/moc.live and more") == []


async def test_the_links_of_a_text_are_followed_as_what_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(links, "open_in_browser", lambda url: bool(opened.append(url)) or True)
    words = (
        "# Notes\n\nSee [your bank](https://evil.example/x), [today](note://today), notes.md, "
        "[here](docs/a.md), [once more](https://evil.example/x), "
        "[run](javascript://alert(1)) and https://plain.example/y."
    )
    async with pointing(tmp_path, text(words)) as (stand, made):
        await stand.press("o")
        await stand.until(lambda: isinstance(stand.app.screen, LinksScreen))
        await stand.until(lambda: "↗ your bank" in stand.text())
        listed = [line for line in stand.text().splitlines() if "://" in line]
        assert ["evil.example/x" in listed[0], "note://today" in listed[1]] == [True, True]
        assert "https://plain.example/y" in listed[2]
        assert len(listed) == 3
        await stand.press("enter")
        await stand.until(lambda: isinstance(stand.app.screen, PageScreen))
        await stand.until(lambda: "evil.example" in stand.text().split("belongs to")[-1])
        await stand.press("n")
        assert opened == []
        await stand.press("o")
        await stand.until(lambda: isinstance(stand.app.screen, LinksScreen))
        await stand.press("down", "enter")
        await stand.until(lambda: "what stands in note://today" in stand.text())
        assert made[-1].method == "resources/read"


async def test_a_link_of_a_resource_to_another_file_leads_on_from_its_own_address(
    tmp_path: Path,
) -> None:
    words = "[how](how.md), [up](../top.md), [here](#part), [mail](mailto:a@b.example)"
    resource = {"uri": "note://docs/old/first.md", "mimeType": "text/markdown", "text": words}
    block = {"type": "resource", "resource": resource}
    async with pointing(tmp_path, block) as (stand, made):
        await stand.press("o")
        await stand.until(lambda: isinstance(stand.app.screen, LinksScreen))
        await stand.until(lambda: "▤ how" in stand.text())
        listed = [line for line in stand.text().splitlines() if "://" in line]
        assert ["note://docs/old/how.md" in listed[0], "note://docs/top.md" in listed[1]] == [
            True,
            True,
        ]
        assert len(listed) == 2
        await stand.press("enter")
        await stand.until(lambda: "what stands in note://docs/old/how.md" in stand.text())
        assert made[-1].name == "note://docs/old/how.md"


async def test_a_link_that_a_template_comes_to_is_read_without_a_form(tmp_path: Path) -> None:
    async with pointing(tmp_path, NOTE) as (stand, made):
        record = stand.app.state.servers["alpha"]
        template = {"uriTemplate": "note://{day}", "name": "day"}
        record.offers = (*record.offers, *read_offers("template", [template]))
        await stand.press("o")
        await stand.until(lambda: "what stands in note://today" in stand.text())
        assert made[-1].method == "resources/read"


async def test_a_long_text_is_not_looked_through_for_links(tmp_path: Path) -> None:
    async with pointing(tmp_path, NOTE, text("https://a.example/b " * 50_000)) as (stand, _):
        await stand.press("o")
        await stand.until(lambda: "what stands in note://today" in stand.text())
