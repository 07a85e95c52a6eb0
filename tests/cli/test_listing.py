"""What servers offer is listed, however odd the lists are."""

from __future__ import annotations

from typing import Any

import pytest

from elicit_tui.cli.listing import _described, _lines
from elicit_tui.elicitation.settings import LoginSettings, ServerSettings, Settings
from elicit_tui.host.offers import Prompt, Tool
from elicit_tui.logins import Login, LoginShelf
from elicit_tui.paths import logins_directory
from tests.bounds import bounded


@pytest.mark.parametrize("arguments", [5, True, "a", {"name": "a"}, [5, {"name": 7}]])
def test_a_prompt_with_odd_arguments_is_listed_beside_the_others(arguments: Any) -> None:
    raws = [{"name": "odd", "arguments": arguments}, {"name": "greet", "arguments": []}]
    prompts = [prompt for raw in raws if (prompt := Prompt.read(raw)) is not None]
    listed = list(_lines("prompts", _described("alpha", prompts), Settings()))
    assert listed[0] == "alpha offers these prompts:"
    assert listed[-1] == "  greet"


def test_a_hundred_thousand_required_arguments_take_linear_time() -> None:
    names = [f"argument{number}" for number in range(100_000)]
    schema = {"type": "object", "properties": dict.fromkeys(names, True)}
    tool = Tool.read({"name": "play", "inputSchema": {**schema, "required": [*names, {}]}})
    assert tool is not None
    with bounded():
        (_, line) = _lines("tools", _described("alpha", [tool]), Settings())
    assert line.endswith(" argument99999=")


@pytest.mark.parametrize(
    ("annotations", "shown"),
    [
        ({"destructiveHint": "yes"}, "  odd  (says: destructive)"),
        ({"readOnlyHint": True, "destructiveHint": True}, "  odd  (says: read-only)"),
        ({"readOnlyHint": "true"}, "  odd"),
        ([], "  odd"),
    ],
    ids=repr,
)
def test_a_tool_is_listed_with_the_hints_that_its_confirmation_goes_by(
    annotations: Any, shown: str
) -> None:
    tool = Tool.read({"name": "odd", "inputSchema": {"type": "object"}, "annotations": annotations})
    assert tool is not None
    assert list(_lines("tools", _described("alpha", [tool]), Settings()))[1] == shown


def test_a_login_is_listed_until_its_tokens_are_gone() -> None:
    url, tool = "https://mcp.example/mcp", Tool.read({"name": "one", "inputSchema": {}})
    assert tool is not None
    servers = {"alpha": ServerSettings("alpha", url=url)}
    settings = Settings(servers=servers, logins=LoginSettings(store="file"))
    shelf = LoginShelf(logins_directory(), "file")
    login = shelf.save(Login(url, "https://as.example/", url, "client-1", access_token="token"))

    def listed() -> str:
        return "\n".join(_lines("tools", _described("alpha", [tool]), settings))

    assert "logged in at https://as.example" in listed()
    shelf.forget_tokens(login)
    assert "logged in" not in listed()
