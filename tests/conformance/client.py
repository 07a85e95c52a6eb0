"""A thin client of our host for the official conformance suite.

    python -m tests.conformance.client URL

It connects, lists what there is and calls every tool once; whoever is asked accepts with the
form's defaults. Exit code 0 when the host came through.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import httpx2

from elicit_tui.broker import Broker
from elicit_tui.elicitation import (
    Call,
    Deadline,
    ElicitationRequest,
    Finding,
    Outcome,
    Question,
    Review,
    accept,
)
from elicit_tui.elicitation.settings import OAuthSettings, ServerSettings, Settings
from elicit_tui.errors import ElicitTuiError
from elicit_tui.host.connection import Connection
from elicit_tui.host.host import Host
from elicit_tui.host.offers import Tool
from elicit_tui.policy import Policy

CALL_SECONDS = 15.0
CIMD = "https://conformance-test.local/client-metadata.json"
"""What the suite knows as the address of a client metadata document."""


class AcceptsDefaults:
    """A person who presses Send on every form as it comes, and logs in by following the page."""

    async def respond(self, question: Question, deadline: Deadline) -> Outcome:
        if question.request.kind == "authorization":
            # The suite's authorization server sends the browser back at once.
            async with httpx2.AsyncClient(follow_redirects=True, timeout=30) as browser:
                await browser.get(question.request.url or "")
        if question.request.mode == "url":
            return accept("user", "", None)
        schema = question.request.requested_schema or {}
        return accept("user", "", filled(schema, only_needed=True))


class NoFindings:
    def review(self, request: ElicitationRequest) -> Review:
        return Review()

    def outgoing(
        self, content: Mapping[str, Any], schema: Mapping[str, Any] | None = None
    ) -> tuple[Finding, ...]:
        return ()


class NoLedger:
    def asked(self, request: ElicitationRequest, review: Review) -> None: ...

    def decided(self, request: ElicitationRequest, outcome: Outcome, review: Review) -> None: ...

    def sent(self, request_id: str) -> None: ...

    def flood(self, server: str, count: int, outcome: Outcome) -> None: ...


def filled(schema: Mapping[str, Any], *, only_needed: bool = False) -> dict[str, Any]:
    """Defaults, and the plainest value for what is required without one."""
    properties = schema.get("properties") or {}
    required = schema.get("required") or []
    content = {}
    for name, field in properties.items():
        if "default" in field:
            content[name] = field["default"]
        elif name in required or not only_needed:
            content[name] = plainest(field)
    return content


def plainest(field: Mapping[str, Any]) -> Any:
    """A value of this field's type."""
    if field.get("enum"):
        return field["enum"][0]
    if field.get("oneOf"):
        return field["oneOf"][0].get("const")
    kind = field.get("type")
    if kind in ("integer", "number"):
        return field.get("minimum", 5)
    if kind == "boolean":
        return True
    if kind == "array":
        return []
    if kind == "object":
        return filled(field)
    return "text"


async def call_all(connection: Connection) -> None:
    """Call each tool once, or what the scenario lists."""
    context = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT") or "{}")
    tools = await connection.tools()
    listed = context.get("toolCalls")
    if listed:
        for entry in listed:
            await attempt(connection, entry["name"], entry.get("arguments") or {})
        return
    for tool in tools:
        await attempt(connection, tool.name, arguments_of(tool, tools))


def arguments_of(tool: Tool, tools: Sequence[Tool]) -> dict[str, Any]:
    """Plain values; a tool that takes a schema gets another tool's, as we were given it."""
    arguments = filled(tool.input_schema)
    if isinstance(arguments.get("schema"), dict):
        arguments["schema"] = next((o.input_schema for o in tools if o.name != tool.name), {})
    return arguments


async def attempt(connection: Connection, name: str, arguments: Mapping[str, Any]) -> None:
    """One tool that answers with an error is no failure of the host."""
    try:
        await connection.call(Call("tools/call", name, arguments))
    except ElicitTuiError as error:
        print(f"{name}: {error}", file=sys.stderr)


def credentials(url: str) -> OAuthSettings:
    """What the scenario gives beforehand; secrets go the way of the environment."""
    context = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT") or "{}")
    scenario = os.environ.get("MCP_CONFORMANCE_SCENARIO", "")
    secret = context.get("client_secret") or context.get("private_key_pem")
    if secret is not None:
        os.environ["SUITE_SECRET"] = secret
    own: dict[str, Any] = {}
    if scenario.startswith("auth/client-credentials"):
        # The owner of such a client knows who gave it to them.
        place = url.replace("/mcp", "/.well-known/oauth-protected-resource/mcp")
        own["issuer"] = httpx2.get(place).json()["authorization_servers"][0]
        basic = scenario.endswith("basic")
        own["grant"] = "client_credentials" if basic else "private_key_jwt"
    return OAuthSettings(
        client_id=context.get("client_id"),
        client_secret_env="SUITE_SECRET" if secret is not None else None,
        client_metadata_url=CIMD,
        **own,
    )


async def main(url: str) -> int:
    folder = Path(tempfile.mkdtemp(prefix="elicit-tui-conformance-"))
    os.environ["XDG_STATE_HOME"] = str(folder)
    try:
        return await run(url)
    finally:
        shutil.rmtree(folder)


async def run(url: str) -> int:
    version = os.environ.get("MCP_CONFORMANCE_PROTOCOL_VERSION") or "2025-11-25"
    server = ServerSettings(
        "suite",
        url=url,
        oauth=credentials(url),
        protocol="2026-07-28" if version == "2026-07-28" else "2025-11-25",
        tool_timeout_sec=CALL_SECONDS,
    )
    owner = Settings(servers={"suite": server})
    broker = Broker(Policy(owner), NoFindings(), NoLedger(), AcceptsDefaults())  # type: ignore[arg-type]
    try:
        async with Host(owner, broker) as host:
            connection = await host.connect("suite")
            await call_all(connection)
            for prompt in await connection.prompts():
                print("prompt", prompt.name)
            for resource in await connection.resources():
                print("resource", resource.uri)
    except ElicitTuiError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main(sys.argv[1])))
