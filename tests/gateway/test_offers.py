"""What an agent is offered: names, lists, prompts, resources, completion, changes, log lines."""

from __future__ import annotations

import asyncio
import gc
import json
from pathlib import Path
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError

from elicit_tui.elicitation import Call
from elicit_tui.elicitation.settings import GatewaySettings, ServerSettings
from elicit_tui.errors import ProtocolCallError, StoreError
from elicit_tui.gateway.catalogue import Catalogue, CatalogueFiles
from elicit_tui.gateway.names import MOST_CHARACTERS, PublicNames
from elicit_tui.gateway.offers import ORIGIN_META_KEY, SessionOffers
from elicit_tui.gateway.own_tools import RESERVED
from elicit_tui.gateway.passing import Background
from elicit_tui.host.connection import Connection
from elicit_tui.host.events import LogMessage
from elicit_tui.host.uri_templates import matches
from tests.gateway.held import Request
from tests.gateway.world import (
    HANDSHAKE,
    WAIT,
    World,
    asking,
    fragments,
    settled,
    text_of,
    until,
    workshop,
    world,
)

pytestmark = pytest.mark.anyio


# Names


def test_a_name_is_the_servers_and_its_own() -> None:
    assert PublicNames(prefix=True).of([("docs", "read_page")]) == {
        ("docs", "read_page"): "docs__read_page"
    }


@pytest.mark.parametrize("name", ["x" * 60, "get.weather", "größe", "mit leer", "", "a/b"])
def test_a_name_that_cannot_stand_is_changed_and_always_in_the_same_way(name: str) -> None:
    origin = ("server", name)
    alone = PublicNames(prefix=True).of([origin])[origin]
    beside = PublicNames(prefix=True).of([("other", "x"), origin, ("server", "y")])[origin]
    assert alone == beside
    assert len(alone) <= MOST_CHARACTERS
    assert alone.isascii()
    assert alone.replace("_", "").replace("-", "").isalnum()


def test_two_names_never_become_one() -> None:
    origins = [
        ("a", "b__c"),
        ("a__b", "c"),
        ("s", "x" * 60),
        ("s", "x" * 61),
        ("s", "ä"),
        ("s", "ö"),
    ]
    names = PublicNames(prefix=True).of(origins)
    assert len(set(names.values())) == len(origins)


def test_without_a_prefix_only_what_would_clash_is_prefixed() -> None:
    origins = [("a", "find"), ("b", "find"), ("b", "read"), ("b", "elicit")]
    assert PublicNames(prefix=False, taken={"elicit"}).of(origins) == {
        ("a", "find"): "a__find",
        ("b", "find"): "b__find",
        ("b", "read"): "read",
        ("b", "elicit"): "b__elicit",
    }


@pytest.mark.parametrize(
    ("template", "uri", "fits"),
    [
        ("memo://{id}", "memo://1", True),
        ("memo://{id}", "other://1", False),
        ("file:///{+path}", "file:///a/b", True),
        ("{unclosed", "{unclosed", False),
    ],
)
def test_a_resource_belongs_to_a_template_that_it_fits(template: str, uri: str, fits: bool) -> None:
    assert matches(template, uri) is fits


# Lists


async def test_entries_are_the_servers_own_but_for_the_name(upwards: str) -> None:
    async with world(workshop(), upwards=upwards) as here:
        tools = {tool.name: tool for tool in (await here.agent.list_tools()).tools}
        delete = tools["workshop__delete"]
        assert delete.description == "deletes for good (as ever)"
        assert delete.annotations is not None
        assert delete.annotations.destructive_hint is True
        assert delete.meta == {ORIGIN_META_KEY: {"server": "workshop", "name": "delete"}}
        theirs = [name for name in tools if name.startswith("workshop__")]
        assert theirs[:3] == ["workshop__delete", "workshop__then_slow", "workshop__redefine"]
        assert list(tools)[: len(theirs)] == theirs, "ours stand behind theirs"


async def test_two_servers_with_the_same_tools_stand_side_by_side(upwards: str) -> None:
    async with world(workshop("one"), workshop("two"), upwards=upwards) as here:
        for name in ("one", "two"):
            assert text_of(await here.calls(f"{name}__plain")) == "plain answer"


async def test_without_a_prefix_names_stay_and_what_clashes_is_told() -> None:
    settings = GatewaySettings(ask_via="console", prefix="never")
    async with world(workshop(), asking(), gateway=settings) as here:
        names = {tool.name for tool in (await here.agent.list_tools()).tools}
        assert {"sum", "confirm", "workshop__plain", "asking__plain"} <= names
        assert text_of(await here.calls("sum")) == "3"
        told = [line for line in here.told if "workshop__plain" in line]
        assert len(told) == 1


async def test_no_servers_tool_takes_a_name_of_ours_where_ours_is_not_offered(
    tmp_path: Path,
) -> None:
    reserved = [{"name": name, "inputSchema": {"type": "object"}} for name in sorted(RESERVED)]
    server = fragments(tmp_path, {"tools/list": f'"result": {json.dumps({"tools": reserved})}'})
    settings = GatewaySettings(ask_via="console", prefix="never", elicit_tool=False)
    async with world(server, gateway=settings) as here:
        names = {tool.name for tool in (await here.agent.list_tools()).tools}
        assert names & RESERVED == {"elicit_resume", "elicit_cancel"}
        assert {f"bad__{name}" for name in RESERVED} <= names


@pytest.mark.parametrize("way", [HANDSHAKE, f"{HANDSHAKE}+http"])
async def test_every_agent_is_told_that_lists_change(way: str) -> None:
    async with world(upwards=way) as here:
        offered = here.agent.server_capabilities
        assert offered is not None
        for each in (offered.tools, offered.prompts, offered.resources):
            assert each is not None
            assert each.list_changed is True


async def test_a_tool_is_offered_with_its_output_schema_only_where_no_call_can_pause() -> None:
    for wait, offered in ((60, False), (10, True)):
        settings = GatewaySettings(ask_via="console", wait_sec=wait, hold_sec=20)
        async with world(workshop(), gateway=settings) as here:
            tools = {tool.name: tool for tool in (await here.agent.list_tools()).tools}
            assert (tools["workshop__sum"].output_schema is not None) is offered
            assert (await here.calls("workshop__sum")).structured_content == {"sum": 3}


async def test_lists_come_from_the_last_known_catalogue_while_the_server_starts(
    upwards: str,
) -> None:
    async with world(workshop()) as seen:
        await seen.calls("workshop__plain")
    never = ServerSettings("workshop", url=workshop().url)
    files = CatalogueFiles()
    known = files.read(never)
    assert known is not None
    files.read = lambda server: known  # type: ignore[method-assign]
    silent = ServerSettings("workshop", command="sleep", args=("60",), startup_timeout_sec=60)
    async with world(silent, upwards=upwards, files=files) as here:
        listed = [tool.name for tool in (await here.agent.list_tools()).tools]
        assert "workshop__plain" in listed
        prompts = (await here.agent.list_prompts()).prompts
        assert [prompt.name for prompt in prompts] == ["workshop__greet"]


async def test_a_list_waits_no_longer_than_five_seconds_for_a_server_never_seen() -> None:
    silent = ServerSettings("silent", command="sleep", args=("60",), startup_timeout_sec=60)
    async with world(silent, files=CatalogueFiles()) as here:
        listing = asyncio.ensure_future(here.agent.list_tools())
        await until(lambda: bool(here.clock.waking))
        await here.clock.move(5)
        names = {tool.name for tool in (await asyncio.wait_for(listing, WAIT)).tools}
        assert names == {"elicit", "elicit_resume", "elicit_cancel"}


async def test_a_list_that_changed_is_told(upwards: str, downwards: str) -> None:
    server = workshop(stdio=True, protocol=downwards)
    async with world(server, upwards=upwards) as here:
        await here.agent.list_tools()
        await here.calls("workshop__plain")
        changed = await told_of_tools(here, upwards)
        await here.calls("workshop__redefine")
        await asyncio.wait_for(changed.wait(), WAIT)
        tools = {tool.name: tool for tool in (await here.agent.list_tools()).tools}
        assert tools["workshop__delete"].description == "deletes for good (not as ever)"


async def told_of_tools(here: World, upwards: str) -> asyncio.Event:
    """An event that is set once the agent hears that its tools are others."""
    changed = asyncio.Event()
    if upwards.startswith("2025"):
        here.heard.clear()

        async def watch() -> None:
            name = "ToolListChangedNotification"
            await until(lambda: any(name in type(message).__name__ for message in here.heard))
            changed.set()

        here.keep(asyncio.ensure_future(watch()))
        return changed
    ready = asyncio.Event()

    async def listen() -> None:
        async with here.agent.listen(tools_list_changed=True) as events:
            ready.set()
            async for _ in events:
                changed.set()

    here.keep(asyncio.ensure_future(listen()))
    await asyncio.wait_for(ready.wait(), WAIT)
    return changed


@pytest.mark.parametrize("prefix", [True, False])
def test_a_person_is_told_once_which_tool_has_another_name_than_its_owner_expects(
    prefix: bool,
) -> None:
    told: list[str] = []
    servers = {name: ServerSettings(name, command="x") for name in ("a", "b")}
    offered = SessionOffers(servers, prefix=prefix, notify=told.append)
    offered.put("a", Catalogue(tools=[{"name": "find"}, {"name": "alone"}]))
    offered.put("b", Catalogue(tools=[{"name": "find"}]))
    for whole in (True, False):
        offered.offers((), output_schemas=whole)
    assert told == (
        []
        if prefix
        else ["“find” of a is offered as a__find.", "“find” of b is offered as b__find."]
    )


def test_instructions_of_blanks_alone_are_none() -> None:
    offered = SessionOffers({"a": ServerSettings("a", command="x")}, prefix=True)
    offered.put("a", Catalogue(instructions=" \n"))
    assert offered.instructions() is None


def test_half_a_character_in_one_servers_instructions_keeps_no_agent_out() -> None:
    offered = SessionOffers({"a": ServerSettings("a", command="x")}, prefix=True)
    offered.put("a", Catalogue(instructions="half \ud800 a character"))
    assert offered.instructions() == "# a\n\nhalf \ufffd a character"


async def test_instructions_are_joined_under_the_servers_names() -> None:
    files = CatalogueFiles()
    async with world(workshop("one"), workshop("two"), files=files) as seen:
        await seen.calls("one__plain")
        await seen.calls("two__plain")
        await seen.agent.list_tools()
    async with world(workshop("one"), workshop("two"), files=files) as here:
        told = here.agent.instructions or ""
        assert told == (
            "# one\n\nDelete nothing without need.\n\n# two\n\nDelete nothing without need."
        )


# Prompts, resources, completion


async def test_a_prompt_is_got_by_its_name_above(upwards: str, downwards: str) -> None:
    async with world(workshop(protocol=downwards), upwards=upwards) as here:
        result = await here.agent.get_prompt("workshop__greet", {"who": "Ada"})
        assert result.messages[0].content.text == "Say hello to Ada."  # type: ignore[union-attr]


async def test_a_resource_is_read_by_its_own_uri_or_by_a_template(
    upwards: str, downwards: str
) -> None:
    async with world(asking(), workshop(protocol=downwards), upwards=upwards) as here:
        listed = {str(one.uri) for one in (await here.agent.list_resources()).resources}
        assert "memo://first" in listed
        templates = (await here.agent.list_resource_templates()).resource_templates
        assert "memo://by-number/{number}" in {each.uri_template for each in templates}
        for uri in ("memo://first", "memo://by-number/7"):
            result = await here.agent.read_resource(uri)
            assert result.contents[0].text == f"text of {uri}"  # type: ignore[union-attr]
        with pytest.raises(MCPError, match="Unknown resource"):
            await here.agent.read_resource("memo://nowhere/7")


async def test_completion_reaches_the_server_whose_prompt_it_is(
    upwards: str, downwards: str
) -> None:
    import mcp_types as types

    async with world(workshop(protocol=downwards), upwards=upwards) as here:
        reference = types.PromptReference(type="ref/prompt", name="workshop__greet")
        result = await here.agent.complete(reference, {"name": "who", "value": "A"})
        assert result.completion.values == ["Ada", "Alan"]


# Progress and log lines


async def test_a_servers_progress_reaches_the_agent_as_it_was(upwards: str, downwards: str) -> None:
    told: list[tuple[float, float | None, str | None]] = []

    async def heard(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, total, message))

    async with world(workshop(protocol=downwards), upwards=upwards) as here:
        await here.agent.call_tool("workshop__steps", {}, progress_callback=heard)
        await until(lambda: len(told) == 3)
        assert told == [(1, 3, "step 1"), (2, 3, "step 2"), (3, 3, "step 3")]


async def test_a_flood_of_progress_is_thinned_and_its_newest_value_arrives(upwards: str) -> None:
    told: list[float] = []

    async def heard(progress: float, total: float | None, message: str | None) -> None:
        told.append(progress)

    async with world(workshop(), upwards=upwards) as here:
        await here.agent.call_tool("workshop__steps", {"steps": 2000}, progress_callback=heard)
        await until(lambda: 2000 in told)
        assert told == sorted(told)
        assert len(told) < 2000 / 3


@pytest.mark.filterwarnings("ignore:The logging capability")
async def test_log_lines_are_told_from_the_level_that_the_agent_wants() -> None:
    lines: list[Any] = []

    async def logged(params: Any) -> None:
        lines.append((params.level, params.logger, params.data))

    async with world(workshop(stdio=True), client={"logging_callback": logged}) as here:
        await here.agent.set_logging_level("error")
        await here.calls("workshop__logs")
        await until(lambda: bool(lines))
        assert lines == [("error", "workshop/inside", {"said": "error"})]


@pytest.mark.filterwarnings("ignore:The logging capability")
async def test_servers_are_asked_for_the_level_that_the_agent_wants(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []

    async def asks(level: str) -> None:
        asked.append(level)

    async with world(workshop(stdio=True)) as here:
        connection = await here.session.runtime.host.connect("workshop")
        monkeypatch.setattr(connection, "set_log_level", asks)
        await here.agent.set_logging_level("error")
        assert asked == ["error"]


async def test_a_line_that_is_known_to_be_of_one_call_reaches_the_request_of_no_other() -> None:
    class Listening(Request):
        def __init__(self) -> None:
            super().__init__(0.0)
            self.lines: list[Any] = []

        def log(self, level: str, logger: str, data: Any) -> None:
            self.lines.append(data)

    async with world(workshop(stdio=True)) as here:
        connection = await here.session.runtime.host.connect("workshop")
        calls = [Call("tools/call", "steps", {"number": number}) for number in range(2)]
        listening = [Listening() for _ in calls]
        for call, request in zip(calls, listening, strict=True):
            work = asyncio.get_running_loop().create_future()
            held = here.session.held_calls.start(call, "workshop", call.id, work)
            attended = here.session.held_calls.attend(held, request, 1000)  # type: ignore[arg-type]
            here.keep(asyncio.ensure_future(attended))
        await settled()
        connection.emit(LogMessage("workshop", "info", None, "of the first", calls[0].id))
        connection.emit(LogMessage("workshop", "info", None, "of nobody knows which"))
        assert [each.lines for each in listening] == [
            ["of the first", "of nobody knows which"],
            ["of nobody knows which"],
        ]


async def test_a_subscription_that_a_server_refused_keeps_no_later_one_open(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    refusals = [ProtocolCallError(-32603, "not now")]
    ended: list[str] = []

    async def refuses_once(self: Connection, uri: str) -> None:
        if refusals:
            raise refusals.pop()

    async def ends(self: Connection, uri: str) -> None:
        ended.append(uri)

    monkeypatch.setattr(Connection, "subscribe", refuses_once)
    monkeypatch.setattr(Connection, "unsubscribe", ends)
    async with world(workshop(stdio=True)) as here:
        passing = here.session.passing
        with pytest.raises(ProtocolCallError, match="not now"):
            await passing.subscribe("memo://first")
        await passing.subscribe("memo://first")
        await passing.unsubscribe("memo://first")
        assert ended == ["memo://first"]


async def test_what_a_session_does_aside_may_fail_and_a_fault_of_ours_is_not_hidden() -> None:
    reported: list[object] = []
    loop = asyncio.get_running_loop()
    before = loop.get_exception_handler()
    loop.set_exception_handler(lambda loop, context: reported.append(context.get("exception")))

    async def raises(error: Exception) -> None:
        raise error

    background = Background()
    for error in (StoreError("It is gone."), KeyError("ours")):
        background.start(raises(error))
    try:
        await until(lambda: gc.collect() >= 0 and bool(reported))
    finally:
        loop.set_exception_handler(before)
    assert [type(error) for error in reported] == [KeyError]
