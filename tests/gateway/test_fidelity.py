"""What comes through is the same JSON, its numbers by their text, but for what the gateway adds."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from tests.gateway.world import ERAS, WAIT
from tests.host.world import HANDSHAKE, MODERN, SERVERS

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(180)]

PATIENCE = 6 * WAIT

TOOL = """{"name": "odd", "title": "Ødd \\ud83d\\ude00", "description": "a\\u0007b",
 "x-own": [1.10],
 "inputSchema": {"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
  "title": "T", "$defs": {"d": {"type": "string", "x-y": null}}, "additionalProperties": false,
  "properties": {"a": {"$ref": "#/$defs/d"}, "b": {"type": "number", "multipleOf": 1e-7}}},
 "annotations": {"readOnlyHint": true, "x": {"y": []}}, "_meta": {"own": {"n": 0.10}},
 "icons": [{"src": "https://example.com/i.png"}], "execution": {"taskSupport": "optional"}}"""

CALLS = {
    "odd": """{"content": [
      {"type": "text", "text": "lone \\ud800 half", "annotations": {"priority": 0.50}},
      {"type": "image", "data": "aGk=", "mimeType": "image/png", "x-own": true},
      {"type": "audio", "data": "aGk=", "mimeType": "audio/wav"},
      {"type": "resource_link", "uri": "memo://1", "name": "one", "size": 12345678901234567890},
      {"type": "resource", "resource": {"uri": "memo://2", "text": "t", "_meta": {"k": 1}}}],
     "structuredContent": {"price": 1.10, "tiny": 1e-7, "whole": 5.0, "huge": 1e400, "big":
      123456789012345678901234567890, "exp": 1E+2, "zero": -0.0, "none": null},
     "_meta": {"a/b": [1.0, 2.50]}, "x-unknown": {"kept": true}}""",
    "failing": '{"content": [{"type": "text", "text": "no"}], "isError": true}',
    "nothing": '{"content": []}',
}
PROMPT = """{"description": "d", "x-own": 1.50,
 "messages": [{"role": "user", "content": {"type": "text", "text": "x"}}]}"""
RESOURCE = '{"contents": [{"uri": "memo://1", "blob": "aGk=", "x-own": 2.50}], "_meta": {"m": 1}}'


def plain(name: str) -> str:
    return json.dumps({"name": name, "inputSchema": {"type": "object"}})


def by_text(text: str) -> Any:
    """JSON in which numbers are the same only when they are spelled the same."""
    return json.loads(text, parse_float=lambda number: ("number", number))


class Agent:
    """An agent without any library: it reads and writes lines."""

    def __init__(self, process: asyncio.subprocess.Process, upwards: str) -> None:
        self._process = process
        self._upwards = upwards
        self._number = 0

    async def asks(self, method: str, params: str = "{}") -> Any:
        """The result as it was on the wire."""
        self._number += 1
        if self._upwards == MODERN and method != "initialize":
            meta = {
                "io.modelcontextprotocol/protocolVersion": MODERN,
                "io.modelcontextprotocol/clientCapabilities": {},
                "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
            }
            rest = params.removeprefix("{")
            comma = "" if rest.strip() == "}" else ","
            params = f'{{"_meta": {json.dumps(meta)}{comma}{rest}'
        head = f'"jsonrpc": "2.0", "id": {self._number}, "method": "{method}"'
        self._send(f'{{{head}, "params": {params}}}')
        while True:
            assert self._process.stdout is not None
            line = await asyncio.wait_for(self._process.stdout.readline(), PATIENCE)
            answer = by_text(line.decode())
            if answer.get("id") == self._number:
                assert "result" in answer, answer
                return answer["result"]

    def _send(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(line.encode() + b"\n")

    async def begin(self) -> None:
        if self._upwards == MODERN:
            return
        info = '"clientInfo": {"name": "raw", "version": "1"}'
        await self.asks(
            "initialize", f'{{"protocolVersion": "{HANDSHAKE}", "capabilities": {{}}, {info}}}'
        )
        self._send('{"jsonrpc": "2.0", "method": "notifications/initialized"}')


@asynccontextmanager
async def raw_agent(tmp_path: Path, upwards: str, downwards: str) -> AsyncIterator[Agent]:
    names = [f"tool_{number:03}" for number in range(500)]
    pages = [[TOOL, plain("failing"), plain("nothing"), plain("echo")]]
    pages += [[plain(name) for name in names[start : start + 100]] for start in range(0, 500, 100)]
    results = {
        "instructions": '"Be careful."',
        "tools": [f"[{', '.join(page)}]" for page in pages],
        "calls": CALLS,
        "prompts/list": '{"prompts": [{"name": "p", "x-own": 1.50}]}',
        "prompts/get": PROMPT,
        "resources/list": '{"resources": [{"uri": "memo://1", "name": "one", "x-own": 1.50}]}',
        "resources/templates/list": '{"resourceTemplates": []}',
        "resources/read": RESOURCE,
    }
    file = tmp_path / "results.json"
    file.write_text(json.dumps(results))
    server = f"lit={sys.executable} {SERVERS / 'literal.py'} {downwards} {file}"
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "elicit_tui", "--with", server, "--protocol", downwards, "gateway", "lit"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        limit=2**26,
    )
    try:
        agent = Agent(process, upwards)
        await agent.begin()
        yield agent
    finally:
        assert process.stdin is not None
        process.stdin.close()
        await asyncio.wait_for(process.wait(), PATIENCE)


ADDED = {"resultType", "ttlMs", "cacheScope"}
"""The modern era's envelope, which each side has of its own."""


def without_envelope(result: Any) -> Any:
    return {key: value for key, value in result.items() if key not in ADDED}


# Over HTTP the SDK writes, and numbers are the same by value only.
@pytest.mark.parametrize(("upwards", "downwards"), [*product(ERAS, ERAS)])
async def test_everything_comes_through_as_it_was(
    tmp_path: Path, upwards: str, downwards: str
) -> None:
    async with raw_agent(tmp_path, upwards, downwards) as agent:
        tools = {tool["name"]: tool for tool in (await agent.asks("tools/list"))["tools"]}
        assert len([name for name in tools if name.startswith("lit__tool_")]) == 500
        odd = tools["lit__odd"]
        meta = odd.pop("_meta")
        expected = by_text(TOOL)
        assert meta.pop("dev.elicit-tui/origin") == {"server": "lit", "name": "odd"}
        assert meta == expected.pop("_meta")
        assert {**odd, "name": "odd"} == expected
        for name, text in CALLS.items():
            result = await agent.asks("tools/call", f'{{"name": "lit__{name}", "arguments": {{}}}}')
            assert without_envelope(result) == by_text(text), name
        prompt = await agent.asks("prompts/get", '{"name": "lit__p", "arguments": {}}')
        assert without_envelope(prompt) == by_text(PROMPT)
        resource = await agent.asks("resources/read", '{"uri": "memo://1"}')
        assert without_envelope(resource) == by_text(RESOURCE)
        listed = (await agent.asks("resources/list"))["resources"]
        assert listed == [by_text('{"uri": "memo://1", "name": "one", "x-own": 1.50}')]
        arguments = '{"name": "lit__echo", "arguments": {"a": 1.10, "b": 1e-7, "c": null}}'
        echoed = (await agent.asks("tools/call", arguments))["content"][0]["text"]
        assert by_text(echoed) == by_text('{"a": 1.10, "b": 1e-7, "c": null}')


async def test_five_hundred_calls_leave_nothing_behind(tmp_path: Path) -> None:
    async with raw_agent(tmp_path, HANDSHAKE, HANDSHAKE) as agent:
        await agent.asks("tools/call", '{"name": "lit__nothing"}')
        before = held_files(agent)
        for _ in range(500):
            await agent.asks("tools/call", '{"name": "lit__nothing"}')
        assert held_files(agent) == before


def held_files(agent: Agent) -> int:
    import psutil

    return int(psutil.Process(agent._process.pid).num_fds())
