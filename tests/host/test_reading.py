"""What is read from a server, whatever it wrote: a value or nothing, in bounded time and memory."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp_types import JSONRPCError, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

from elicit_tui.elicitation import accept, decline
from elicit_tui.elicitation.hiding import shown_address
from elicit_tui.errors import ProtocolCallError
from elicit_tui.host.bounds import Outbox, Overflow, SeenIds
from elicit_tui.host.messages import MessageReader, elicit_result, result_message
from elicit_tui.host.offers import Prompt, Resource, ResourceTemplate, Tool
from elicit_tui.host.open_calls import wait_within
from elicit_tui.host.rounds import url_elicitations

read_message = MessageReader().read

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
PARTS = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.just("2.0") | JSON,
        "id": JSON,
        "method": st.sampled_from(["elicitation/create", "ping"]) | JSON,
        "params": JSON,
        "result": JSON,
        "error": JSON,
    },
)


@given(PARTS | JSON)
@settings(max_examples=300, deadline=None)
def test_any_json_is_a_message_or_none(value: Any) -> None:
    message = read_message(json.dumps(value))
    assert message is None or isinstance(
        message, (JSONRPCRequest, JSONRPCNotification, JSONRPCResponse, JSONRPCError)
    )


@given(st.text())
@settings(max_examples=200, deadline=None)
def test_any_text_is_a_message_or_none(text: str) -> None:
    read_message(text)


def test_deep_nesting_is_no_message() -> None:
    assert read_message("[" * 200_000) is None
    assert read_message('{"a":' * 200_000) is None


def test_an_answer_that_cannot_be_read_fails_its_request_at_once() -> None:
    deep = '{"a":' * 100_000 + "1" + "}" * 100_000
    for value, words in (
        (deep, "is nested too deep"),
        (f'{{"a":1{"0" * 100_000}}}', "holds a number that is too long"),
        ('{"a":NaN}', "holds a number that JSON lacks"),
        ('{"a":"\x1b[2J"}', "is not valid JSON"),
    ):
        for text in (
            f'{{"jsonrpc":"2.0","id":7,"result":{value}}}',
            f'{{"result":{value},"jsonrpc":"2.0","id":7}}',
        ):
            message = read_message(text)
            assert isinstance(message, JSONRPCError)
            assert (message.id, message.error.message) == (7, f"The server's answer {words}.")


def test_a_request_that_cannot_be_read_is_kept_without_its_params() -> None:
    for value in ('{"a":' * 100_000 + "1" + "}" * 100_000, '{"a":NaN}', f"[1{'0' * 5000}]"):
        message = read_message(
            f'{{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{value}}}'
        )
        assert isinstance(message, JSONRPCRequest)
        assert (message.id, message.params) == ("q", None)


def test_a_request_keeps_its_id_whatever_its_params_are() -> None:
    message = read_message('{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":[1]}')
    assert isinstance(message, JSONRPCRequest)
    assert (message.id, message.params) == ("q", [1])


def test_a_request_whose_id_cannot_be_answered_is_a_notification() -> None:
    for identifier in ("null", "1.5", "true", "[]"):
        text = f'{{"jsonrpc":"2.0","id":{identifier},"method":"elicitation/create","params":{{}}}}'
        assert isinstance(read_message(text), JSONRPCNotification), identifier


def test_ids_are_remembered_within_bounds() -> None:
    seen = SeenIds(remembered=3)
    assert [seen.add(identifier) for identifier in (1, "1", 2, 1, 3, 1)] == [
        True,
        True,
        True,
        False,
        True,
        True,
    ]
    assert seen.add("x" * 1_000_000)
    assert not seen.add("x" * 1_000_000)


def test_an_outbox_that_nobody_empties_ends_the_connection(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("elicit_tui.host.bounds.MOST_UNREAD", 2)
    outbox = Outbox()
    outbox.put(result_message(1, {}))
    outbox.put(result_message(2, {}))
    with pytest.raises(Overflow):
        outbox.put(result_message(3, {}))


def test_pages_are_read_only_in_the_agreed_shape() -> None:
    page = {"url": "https://example.com", "message": "m", "elicitationId": "e"}
    good = ProtocolCallError(-32042, "visit", {"elicitations": [page]})
    assert url_elicitations(good) == ({"mode": "url", **page},)
    for data in (None, [], {"elicitations": None}, {"elicitations": []}, {"elicitations": [5]}):
        assert url_elicitations(ProtocolCallError(-32042, "visit", data)) == ()
    form = {"mode": "form", "message": "m", "requestedSchema": {}}
    mixed = ProtocolCallError(-32042, "visit", {"elicitations": [form, page, 5]})
    assert url_elicitations(mixed) == ({"mode": "url", **page},)


def test_an_accept_carries_content_in_form_mode_and_a_refusal_never_does() -> None:
    assert elicit_result(accept("user", "", {}))["content"] == {}
    assert "content" not in elicit_result(accept("user", "", None))
    refused = elicit_result(decline("guardian", "rule credentials.password at layer user"))
    assert "content" not in refused
    assert "credentials" not in json.dumps(refused)


def test_offers_are_read_from_anything() -> None:
    for raw in ({}, {"name": 5}, {"uri": []}):
        assert Tool.read(raw) is None
        assert Prompt.read(raw) is None
        assert Resource.read(raw) is None
    tool = Tool.read({"name": "t", "annotations": "x", "inputSchema": []})
    assert tool is not None
    assert (tool.annotations, tool.input_schema) == ({}, {})
    titled = Tool.read({"name": "t", "annotations": {"title": "T"}, "inputSchema": {"type": "x"}})
    assert titled is not None
    assert (titled.title, titled.input_schema) == ("T", {"type": "x"})
    for named, name in (({}, "a:b"), ({"name": "n"}, "n")):
        resource = Resource.read({"uri": "a:b", **named})
        template = ResourceTemplate.read({"uriTemplate": "a:b", **named})
        assert [found and found.name for found in (resource, template)] == [name, name]
    assert ResourceTemplate.read({"name": "n"}) is None
    prompt = Prompt.read({"name": "p", "arguments": [5, {"name": "a", "required": True}, {}]})
    assert prompt is not None
    assert prompt.input_schema["required"] == ["a"]


def test_an_address_is_shown_without_its_secrets() -> None:
    assert (
        shown_address("https://user:pw@example.com:8443/mcp?token=abc")
        == "https://example.com:8443/mcp?…"
    )
    assert shown_address("http://[") == "?"


def test_a_clock_that_stands_still_does_not_run_out() -> None:
    async def run() -> tuple[bool, bool]:
        still = True
        work: asyncio.Future[object] = asyncio.get_running_loop().create_future()
        waiting = asyncio.ensure_future(wait_within(work, 0.05, lambda: still))
        done, _ = await asyncio.wait((waiting,), timeout=0.3)
        stood_still = not done
        still = False
        return stood_still, await asyncio.wait_for(waiting, 5)

    assert asyncio.run(run()) == (True, False)
