"""Whatever a configuration looks like, one entry goes in and out, and nothing else changes."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elicit_tui.config.importing import jsonc
from elicit_tui.errors import ConfigError
from elicit_tui.gateway.install import json_text, toml_text
from elicit_tui.gateway.install.document import AgentDocument
from tests.bounds import bounded

ENTRY = {"command": "/bin/elicit-tui", "args": ["gateway"], "env": {"A": 'b"\\'}}
PATH = ("servers",)

trivia = st.lists(
    st.sampled_from([" ", "\n", "  ", "\t", "\r\n", "// { c\n", '/* "a": 1, } */', "/**/"]),
    max_size=3,
).map("".join)
scalars = st.sampled_from(["1", "-0.10", "true", "null", '"//"', '"}, \\" {"', '"ü\\u00fc"', "1E5"])
names = st.sampled_from(["a", "b", "c", "servers", "x // y", "é", ""])


@st.composite
def objects(draw: st.DrawFn, depth: int = 2) -> str:
    """An object as somebody may have typed it: comments, trailing commas, any blanks."""
    keys = draw(st.lists(names, unique=True, max_size=3))
    members = []
    for key in keys:
        value = draw(objects(depth - 1) if depth and draw(st.booleans()) else scalars)
        if depth == 2 and key == "servers":
            value = draw(objects(1))
        parts = (draw(trivia), json.dumps(key, ensure_ascii=False), draw(trivia), ":")
        members.append("".join([*parts, draw(trivia), value, draw(trivia)]))
    text = ",".join(members)
    if members and draw(st.booleans()):
        text += "," + draw(trivia)
    return "{" + text + draw(trivia) + "}"


documents = st.builds(lambda before, text, after: before + text + after, trivia, objects(), trivia)


def document(text: str) -> AgentDocument:
    return AgentDocument("file", ("servers",), "json", text=text)


def comments(text: str) -> list[str]:
    found = jsonc._TOKENS.finditer(text)
    return [match.group().rstrip("\r") for match in found if match.group("comment") is not None]


@given(documents)
@settings(max_examples=60)
def test_an_entry_goes_in_and_out_and_every_comment_and_value_stays(text: str) -> None:
    before = jsonc.loads(text)
    inside = document(text).with_entry("elicit-tui", ENTRY)
    values = jsonc.loads(inside.text)
    assert values.pop("servers") == {**before.get("servers", {}), "elicit-tui": ENTRY}
    assert values == {key: value for key, value in before.items() if key != "servers"}
    assert comments(inside.text) == comments(text)
    # Take out every character that was put in, and the rest is the text before.
    assert is_made_longer(text, inside.text)
    again, _ = inside.without("elicit-tui")
    assert {**jsonc.loads(again.text), "servers": None} == {**before, "servers": None}
    assert again.servers == before.get("servers", {})
    assert comments(again.text) == comments(text)


@given(documents, st.data())
@settings(max_examples=40)
def test_a_server_that_was_taken_out_goes_back(text: str, data: st.DataObject) -> None:
    servers = document(text).servers
    if not servers:
        return
    name = data.draw(st.sampled_from(sorted(servers)))
    without, kept = document(text).without(name)
    assert name not in without.servers
    assert without.with_text(name, kept).servers == servers


@pytest.mark.parametrize(
    "text",
    [
        '{"servers":{// { c\n"a":1}}',
        '{"servers":{// { c\r\n"a":1,}}',
        '{"servers":{"b":2,// { c\n"a":1}}',
        '{"servers":{/**/"a":\n1}}',
    ],
)
def test_a_comment_in_front_of_what_goes_swallows_nothing(text: str) -> None:
    without, kept = document(text).without("a")
    assert comments(without.text) == comments(text)
    assert without.with_text("a", kept).servers == document(text).servers


def is_made_longer(short: str, long: str) -> bool:
    """Whether `short` is in `long`, in order, with pieces between its characters.

    Blanks before a closing bracket are our own to set.
    """
    rest = iter(re.sub(r"\s", "", long))
    return all(character in rest for character in re.sub(r"\s", "", short))


def test_an_entry_is_written_as_its_neighbours_are() -> None:
    assert json_text.put('{"a": 1}', PATH, "x", {}) == '{"a": 1, "servers": {"x": {}}}'
    assert json_text.put("{}", PATH, "x", 1) == '{\n  "servers": {\n    "x": 1\n  }\n}'
    tabs = '{\r\n\t"servers": {\r\n\t\t"a": 1, // one\r\n\t}\r\n}'
    assert json_text.put(tabs, PATH, "x", [1]) == (
        '{\r\n\t"servers": {\r\n\t\t"a": 1, // one\r\n\t\t"x": [\r\n\t\t\t1\r\n\t\t],\r\n\t}\r\n}'
    )


def test_what_is_missing_on_the_way_is_made_in_its_order() -> None:
    made = json_text.put("{}", ("a", "b", "c"), "x", 1)
    assert json.loads(made) == {"a": {"b": {"c": {"x": 1}}}}
    assert json_text.taken('{\n  "a": 1\n}', (), "a")[0] == "{}"


@pytest.mark.parametrize("text", ["", "a = 1\n", "a = 1\r\n", "[x]\nb = 2\n", "# only this\n"])
def test_a_table_of_toml_goes_in_and_out_and_leaves_no_blank_line_behind(text: str) -> None:
    path = ("mcp_servers", "elicit-tui")
    inside = toml_text.put(text, toml_text.table(path, {"command": "x"}))
    assert toml_text.taken(inside, path)[0] == text
    behind = f"{inside}{inside[len(text) :].replace('elicit-tui', 'other')}"
    assert toml_text.taken(behind, ("mcp_servers", "other"))[0] == inside


@pytest.mark.parametrize("line", ["\n", "\r\n"])
def test_a_table_stands_behind_a_blank_line_also_where_the_last_line_was_not_ended(
    line: str,
) -> None:
    text = f"a = 1{line}b = 2"
    assert toml_text.put(text, "[c]\n") == f"{text}{line}{line}[c]{line}"
    assert toml_text.put(text + line, "[c]\n") == f"{text}{line}{line}[c]{line}"
    assert toml_text.put("", "[c]\n") == "[c]\n"


def test_what_is_huge_ends_in_time() -> None:
    filling: dict[str, Any] = {f"key {number}": [{"a": "// {"}] * 5 for number in range(6_000)}
    text = json.dumps({"projects": filling, "servers": {"a": {}}}, indent=1)
    with bounded():
        inside = document(text).with_entry("elicit-tui", ENTRY)
        again, _ = inside.without("elicit-tui")
    assert again.text == text


@pytest.mark.parametrize("removed", ['"b": {}, "c": {}', '"c": {}', ""])
def test_what_would_bring_back_anything_but_the_server_is_refused(removed: str) -> None:
    held = document('{"servers": {"a": {}}}')
    assert held.with_text("b", '"b": {}').servers == {"a": {}, "b": {}}
    with pytest.raises(ConfigError, match="it is left as it is"):
        held.with_text("b", removed)


def test_a_table_that_would_bring_back_nothing_is_refused() -> None:
    held = AgentDocument("file", PATH, "toml", text='[servers.a]\ncommand = "x"\n')
    with pytest.raises(ConfigError, match="'b' cannot be put back"):
        held.with_text("b", "# nothing\n")
