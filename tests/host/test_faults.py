"""Servers that fail: each failure is one clear sentence, and the others go on."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from elicit_tui.elicitation import Call
from elicit_tui.elicitation.settings import ServerSettings
from elicit_tui.errors import LimitReached, ProtocolCallError, ServerError
from elicit_tui.host.events import ServerLog
from tests.host.world import (
    HANDSHAKE,
    MODERN,
    World,
    http_server,
    python_server,
    raw_server,
    says,
    text_of,
    world,
)

WAIT = 20

pytestmark = pytest.mark.anyio


@pytest.fixture(params=[HANDSHAKE, MODERN])
def raw(request: pytest.FixtureRequest) -> ServerSettings:
    return raw_server(request.param)


async def call(here: World, tool: str, name: str = "raw", **arguments: object) -> dict[str, Any]:
    connection = await here.host.connect(name)
    made = Call("tools/call", tool, arguments)
    return (await asyncio.wait_for(connection.call(made), WAIT)).result


async def failure(server: ServerSettings) -> str:
    async with world(server) as here:
        with pytest.raises(ServerError) as caught:
            await asyncio.wait_for(here.host.connect(server.name), WAIT)
        connection = here.host.connections[server.name]
        assert connection.state == "failed"
        assert connection.failure == str(caught.value)
        return str(caught.value)


async def test_a_command_that_is_not_there() -> None:
    sentence = await failure(ServerSettings("lost", command="no-such-command-anywhere"))
    assert sentence == (
        "The command no-such-command-anywhere of the server lost was not found "
        "(mcp_servers.lost.command)."
    )


async def test_a_command_that_was_launched_early_and_is_not_there() -> None:
    server = ServerSettings("lost", command="no-such-command-anywhere")
    async with world(server) as here:
        here.host.launch(["lost"])
        with pytest.raises(ServerError, match="was not found"):
            await here.host.connect("lost")


async def test_a_directory_that_is_not_there() -> None:
    sentence = await failure(python_server("lost", "raw.py", HANDSHAKE, cwd="/no/such/place"))
    assert (
        sentence
        == "The directory /no/such/place of the server lost is not there (mcp_servers.lost.cwd)."
    )


async def test_a_command_that_may_not_be_executed(tmp_path: Path) -> None:
    file = tmp_path / "server"
    file.write_text("#!/bin/sh\n")
    sentence = await failure(ServerSettings("closed", command=str(file)))
    assert "may not be executed" in sentence


async def test_a_server_that_exits_at_once_says_its_last_words() -> None:
    code = "import sys; print('no \\x1b[31mlicense', file=sys.stderr); sys.exit(4)"
    sentence = await failure(ServerSettings("brief", command=sys.executable, args=("-c", code)))
    assert sentence.startswith("The server brief ended before it was ready (exit code 4)")
    assert "license" in sentence
    assert "\x1b" not in sentence


NO_SUCH_PACKAGE = """\
npm error code E404
npm error 404 Not Found - GET https://packages.example.com/no-such-server - Not found
npm error 404
npm error 404  'no-such-server@*' is not in this registry.
npm error 404
npm error 404 Note that you can also install from a
npm error 404 tarball, folder, http url, or git folder.
npm error A complete log of this run can be found in: /home/me/.npm/_logs/debug-0.log
"""
NO_NETWORK = """\
npm error code ENOTFOUND
npm error syscall getaddrinfo
npm error errno ENOTFOUND
npm error network request to https://packages.example.com/x failed, reason: getaddrinfo ENOTFOUND
npm error network This is a problem related to network connectivity.
npm error A complete log of this run can be found in: /home/me/.npm/_logs/debug-0.log
"""
NO_MODULE = """\
node:internal/modules/cjs/loader:1080
  throw err;
  ^

Error: Cannot find module '/srv/server.js'
    at Module._resolveFilename (node:internal/modules/cjs/loader:1077:15)
  code: 'MODULE_NOT_FOUND'
}

Node.js v18.19.0
"""


@pytest.mark.parametrize(
    ("wrote", "said"),
    [
        (NO_SUCH_PACKAGE, "npm error 404 Not Found - GET https://packages.example.com/"),
        (NO_NETWORK, "npm error network request to https://packages.example.com/x failed"),
        (NO_MODULE, "Error: Cannot find module '/srv/server.js'."),
        (NO_MODULE + "npm error code 1\nnpm error path /srv\n", "Error: Cannot find module"),
        ("npm error code 7\n", "npm error code 7."),
        ("Error: first\nthen this\n", "then this."),
    ],
)
async def test_of_what_npm_and_node_say_the_line_is_told_that_says_why(
    wrote: str, said: str
) -> None:
    code = f"import sys; sys.stderr.write({wrote!r}); sys.exit(1)"
    sentence = await failure(ServerSettings("npx", command=sys.executable, args=("-c", code)))
    assert f"; its last words: {said}" in sentence


async def test_a_server_that_never_gets_ready() -> None:
    code = "import time; time.sleep(60)"
    server = ServerSettings(
        "slow", command=sys.executable, args=("-c", code), startup_timeout_sec=0.5
    )
    assert "was not ready within 0.5 seconds" in await failure(server)


async def test_a_server_may_take_longer_for_its_discovery_than_the_sdk_waits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from mcp.client import session

    monkeypatch.setattr(session, "DISCOVER_TIMEOUT_SECONDS", 0.5)
    server = python_server("slow", "raw.py", MODERN, "--slow-to-start", protocol=MODERN)
    async with world(server) as here:
        connection = await asyncio.wait_for(here.host.connect(server.name), WAIT)
        assert connection.state == "ready"
        assert connection.broken_rules() == []


async def test_a_missing_variable_stops_only_what_it_would_start() -> None:
    sentence = await failure(python_server("needy", "raw.py", HANDSHAKE, missing=("TOKEN",)))
    assert "TOKEN" in sentence


async def test_a_refused_server_says_why() -> None:
    server = python_server("refused", "raw.py", HANDSHAKE, refused="The admin does not allow it.")
    assert await failure(server) == "The admin does not allow it."


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("401", "HTTP 401"),
        ("403", "HTTP 403"),
        ("404", "HTTP 404"),
        ("500", "HTTP 500"),
        ("html", "text/html"),
        ("reset", "the connection broke"),
    ],
)
async def test_an_http_endpoint_that_refuses(how: str, words: str) -> None:
    with http_server("refusing.py", how) as url:
        assert words in await failure(ServerSettings("remote", url=url))


async def test_an_http_endpoint_that_is_silent() -> None:
    with http_server("refusing.py", "silent") as url:
        server = ServerSettings("remote", url=url, startup_timeout_sec=0.5)
        assert "was not ready within 0.5 seconds" in await failure(server)


@pytest.mark.parametrize("protocol", [HANDSHAKE, MODERN])
@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("401", "HTTP 401"),
        ("404", "HTTP 404"),
        ("500", "HTTP 500"),
        ("202", "HTTP 202"),
        ("html", "text/html"),
        ("reset", "the connection broke"),
        ("stop", "broke off its answer"),
    ],
)
async def test_an_http_server_that_fails_at_a_call(protocol: Any, how: str, words: str) -> None:
    with http_server("breaking.py", how) as url:
        async with world(ServerSettings("remote", url=url, protocol=protocol)) as here:
            with pytest.raises(ServerError, match=words):
                await call(here, "any", "remote")


@pytest.mark.parametrize("transport", ["http", "sse"])
async def test_an_address_where_nothing_answers(transport: str) -> None:
    server = ServerSettings("remote", url="http://127.0.0.1:9/mcp", transport=transport)  # type: ignore[arg-type]
    assert await failure(server) == (
        "The server remote cannot be used: nothing answers at its address; it may not be running."
    )


@pytest.mark.parametrize("transport", ["http", "sse"])
async def test_a_host_that_no_name_server_knows_is_told_apart(transport: str) -> None:
    server = ServerSettings("remote", url="http://no-host.invalid/mcp", transport=transport)  # type: ignore[arg-type]
    assert "the name of its host is not known here" in await failure(server)


async def test_a_bearer_token_that_is_not_set() -> None:
    server = ServerSettings(
        "remote", url="http://127.0.0.1:9/mcp", bearer_token_env_var="NO_SUCH_TOKEN"
    )
    assert "NO_SUCH_TOKEN" in await failure(server)


async def test_one_server_that_fails_does_not_touch_the_others(raw: ServerSettings) -> None:
    broken = ServerSettings("broken", command="no-such-command-anywhere")
    async with world(raw, broken) as here:
        here.host.start("broken")
        result = await call(here, "garbage")
        assert json.loads(text_of(result)) == "after garbage"
        assert here.host.connections["broken"].state == "failed"


async def test_garbage_between_messages_costs_only_itself(raw: ServerSettings) -> None:
    async with world(raw) as here:
        assert json.loads(text_of(await call(here, "garbage"))) == "after garbage"
        lines = [event.line for event in here.events if isinstance(event, ServerLog)]
        assert any("this is no JSON" in line for line in lines)


async def test_a_number_that_json_lacks_fails_its_call_at_once(raw: ServerSettings) -> None:
    async with world(raw) as here:
        with pytest.raises(ProtocolCallError, match="a number that JSON lacks"):
            await call(here, "not_a_number")


async def test_a_result_against_the_protocol_fails_its_call_at_once(raw: ServerSettings) -> None:
    async with world(raw) as here:
        with pytest.raises(ProtocolCallError, match="not a JSON-RPC message"):
            await call(here, "result_is_a_string")
        assert json.loads(text_of(await call(here, "garbage"))) == "after garbage"


@pytest.mark.parametrize("odd", ["true", 1, [], None], ids=repr)
async def test_a_tool_that_does_not_say_plainly_whether_it_failed_fails_its_call(
    raw: ServerSettings, odd: object
) -> None:
    async with world(raw) as here:
        with pytest.raises(ServerError, match=r"isError that is neither true nor false|not what"):
            await call(here, "odd_is_error", is_error=odd)
        assert text_of(await call(here, "garbage"))


async def test_a_result_is_exactly_what_the_server_wrote(raw: ServerSettings) -> None:
    async with world(raw) as here:
        result = await call(here, "exact")
        assert result["structuredContent"] == {
            "big": 123456789012345678901234567890,
            "one": 1.0,
            "lone": "\ud800",
        }
        assert isinstance(result["structuredContent"]["one"], float)
        assert result["vendor"] == {"x": None}


async def test_the_servers_error_is_told_as_it_is(raw: ServerSettings) -> None:
    async with world(raw) as here:
        with pytest.raises(ProtocolCallError) as caught:
            await call(here, "unheard-of")
        error = caught.value
        assert (error.code, error.message, error.data) == (
            -32602,
            "unknown tool unheard-of",
            {"exact": True},
        )


async def test_a_second_answer_to_one_call_is_ignored(raw: ServerSettings) -> None:
    async with world(raw) as here:
        assert json.loads(text_of(await call(here, "answers_twice"))) == "first"
        assert json.loads(text_of(await call(here, "garbage"))) == "after garbage"


async def test_a_server_that_hangs_is_given_up_after_its_time(raw: ServerSettings) -> None:
    async with world(replace(raw, tool_timeout_sec=0.3)) as here:
        with pytest.raises(LimitReached, match=r"0.3 seconds"):
            await call(here, "hang")


async def test_a_server_that_exits_during_a_call_says_its_last_words(raw: ServerSettings) -> None:
    async with world(raw) as here:
        with pytest.raises(ServerError) as caught:
            await call(here, "exit")
        assert "exit code 3" in str(caught.value)
        assert "cannot go on" in str(caught.value)
        assert "\x1b" not in str(caught.value)


async def test_half_a_message_and_an_end(raw: ServerSettings) -> None:
    async with world(raw) as here:
        with pytest.raises(ServerError, match="exit code 0"):
            await call(here, "half_a_message")


@pytest.mark.parametrize("tool", ["close_stdout", "close_stdin"])
async def test_a_server_that_closes_a_pipe_is_ended(raw: ServerSettings, tool: str) -> None:
    async with world(raw) as here:
        connection = await here.host.connect("raw")
        with pytest.raises(ServerError, match="closed its pipes"):
            await asyncio.wait_for(connection.call(Call("tools/call", tool)), WAIT)
        assert connection.process is not None
        pid = connection.process.pid
    assert not _alive(pid)


async def test_a_flood_on_standard_error_blocks_nobody(raw: ServerSettings) -> None:
    async with world(raw) as here:
        assert json.loads(text_of(await call(here, "flood_stderr"))) == "after the flood"


async def test_a_result_of_five_megabytes_comes_through(raw: ServerSettings) -> None:
    async with world(raw) as here:
        assert len(json.loads(text_of(await call(here, "large")))) == 5_000_000


async def test_a_server_that_failed_can_be_connected_anew(raw: ServerSettings) -> None:
    async with world(raw) as here:
        with pytest.raises(ServerError):
            await call(here, "exit")
        assert json.loads(text_of(await call(here, "garbage"))) == "after garbage"


async def test_the_death_of_a_server_in_a_round_is_noticed_while_its_form_is_open() -> None:
    server = raw_server(MODERN)
    async with world(server) as here:
        with pytest.raises(ServerError, match="out of memory"):
            await call(here, "die_while_asking")
        assert len(here.person.withdrawn) == 1


async def test_a_burst_of_questions_is_stopped_before_it_costs_anything() -> None:
    server = raw_server(HANDSHAKE, env={"BURST": "3000"})
    async with world(server, answer=says({})) as here:
        counted = json.loads(text_of(await call(here, "burst")))
        assert sum(counted.values()) == 3000
        assert counted["flood"] >= 2970
        assert len(here.outcomes) == 3000


async def test_auto_takes_the_handshake_first_and_the_modern_era_when_it_is_refused() -> None:
    for era in (HANDSHAKE, MODERN):
        async with world(python_server("raw", "raw.py", era)) as here:
            connection = await here.host.connect("raw")
            assert connection.identity.protocol_version == era
    async with world(python_server("asking", "asking.py")) as here:
        connection = await here.host.connect("asking")
        assert connection.identity.protocol_version == HANDSHAKE


async def test_a_pinned_revision_that_the_server_refuses_is_a_failure() -> None:
    for era, other in ((HANDSHAKE, MODERN), (MODERN, HANDSHAKE)):
        sentence = await failure(python_server("raw", "raw.py", era, protocol=other))
        assert sentence == (
            "The server raw refused to connect: Method not found (error -32601). "
            f'It was asked for one revision only (mcp_servers.raw.protocol = "{other}").'
        )


async def test_the_owners_lists_hide_tools_and_a_broken_entry_hides_no_other() -> None:
    for era in (HANDSHAKE, MODERN):
        server = raw_server(era, disabled_tools=("hidden",))
        async with world(server) as here:
            tools = await (await here.host.connect("raw")).tools()
            assert [tool.name for tool in tools] == ["good"]
            assert tools[0].raw["x-vendor"] == 1


async def test_a_page_of_a_list_that_cannot_be_read_hides_none_that_was() -> None:
    from elicit_tui.broker import Notice

    server = raw_server(HANDSHAKE, "--second-page-fails")
    async with world(server) as here:
        told: list[Any] = []
        here.broker.subscribe(told.append)
        tools = await (await here.host.connect("raw")).tools()
        assert [tool.name for tool in tools] == ["good", "hidden"]
        assert [event.sentence for event in told if isinstance(event, Notice)] == [
            "Its list of tools broke off after 3: the second page is lost."
        ]


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
