"""A server that others wrote, from the registry, through npx."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from elicit_tui.elicitation import Call, Outcome, Question, accept
from elicit_tui.elicitation.settings import ServerSettings
from tests.host.world import text_of, world

NPX = shutil.which("npx")
PACKAGES = Path.home() / ".npm"
"""The developer's own cache, so that a sealed home does not download everything anew."""

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(NPX is None, reason="npx is not installed; it brings the server"),
]


def everything() -> ServerSettings:
    return ServerSettings(
        "everything",
        command=NPX,
        args=("-y", "@modelcontextprotocol/server-everything", "stdio"),
        env={"npm_config_cache": str(PACKAGES), "npm_config_update_notifier": "false"},
        startup_timeout_sec=100,
    )


def defaults_and_names(question: Question) -> Outcome:
    if question.request.mode == "url":
        return accept("user", "", None)
    schema: Any = question.request.requested_schema
    content = {
        name: field["default"] for name, field in schema["properties"].items() if "default" in field
    }
    return accept("user", "", {**content, "name": "Grace Hopper"})


async def test_server_everything_is_answered_in_both_modes() -> None:
    async with world(everything(), answer=defaults_and_names) as here:
        connection = await here.host.connect("everything")
        assert connection.identity.protocol_version == "2025-11-25"
        form = await connection.call(Call("tools/call", "trigger-elicitation-request"))
        assert "Grace Hopper" in text_of(form.result)
        page = await connection.call(
            Call("tools/call", "trigger-url-elicitation", {"url": "https://example.com/"})
        )
        assert "accept" in text_of(page.result).lower()
        assert [question.request.mode for question in here.person.asked] == ["form", "url"]
        assert len(here.person.asked[0].request.requested_schema["properties"]) == 13  # type: ignore[index]
        assert connection.process is not None
        process = connection.process
    assert not process.group_alive()
