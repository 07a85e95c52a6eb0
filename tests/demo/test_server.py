"""The bundled server over its own wire, in both protocol eras, without any client library."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import elicit_tui.demo

MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}, "url": {}}},
}


class Client:
    """Writes and reads one JSON line at a time."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(Path(elicit_tui.demo.__file__).parent / "__main__.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._last = 0

    def send(self, **message: Any) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.process.stdin.flush()

    def read(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        message: dict[str, Any] = json.loads(self.process.stdout.readline())
        return message

    def request(self, method: str, params: dict[str, Any]) -> int:
        self._last += 1
        self.send(id=self._last, method=method, params=params)
        return self._last

    def result(self, method: str, params: dict[str, Any] | None = None) -> Any:
        number = self.request(method, params or {})
        answer = self.read()
        assert answer["id"] == number, answer
        return answer["result"]

    def shake_hands(self, elicitation: Any) -> Any:
        capabilities = {} if elicitation is None else {"elicitation": elicitation}
        offer = {
            "protocolVersion": "2025-11-25",
            "capabilities": capabilities,
            "clientInfo": {"name": "test", "version": "1"},
        }
        result = self.result("initialize", offer)
        self.send(method="notifications/initialized")
        return result

    def call(self, tool: str, arguments: dict[str, Any] | None = None, **more: Any) -> int:
        return self.request("tools/call", {"name": tool, "arguments": arguments or {}, **more})


@pytest.fixture
def client() -> Iterator[Client]:
    client = Client()
    yield client
    assert client.process.stdin is not None
    assert client.process.stdout is not None
    client.process.stdin.close()
    assert client.process.wait(20) == 0
    client.process.stdout.close()


def test_a_handshake_agrees_on_a_revision(client: Client) -> None:
    assert client.shake_hands({"form": {}})["protocolVersion"] == "2025-11-25"


def test_every_tool_tells_what_it_does(client: Client) -> None:
    client.shake_hands({})
    tools = client.result("tools/list")["tools"]
    assert tools[0]["name"] == "book_table"
    for tool in tools:
        assert tool["title"]
        assert tool["description"]
        assert tool["inputSchema"]["type"] == "object"
    hints = {tool["name"]: tool["annotations"] for tool in tools}
    assert hints["deploy"]["destructiveHint"] is True
    assert hints["tell_time"]["readOnlyHint"] is True


def test_a_question_is_pushed_and_its_answer_reaches_the_tool(client: Client) -> None:
    client.shake_hands({"form": {}})
    number = client.call("change_mind", {"seconds": 60})
    question = client.read()
    assert question["method"] == "elicitation/create"
    assert question["params"]["mode"] == "form"
    client.send(id=question["id"], result={"action": "accept", "content": {"city": "Rome"}})
    answer = client.read()
    assert answer["id"] == number
    assert answer["result"]["structuredContent"] == {"withdrawn": False, "action": "accept"}


@pytest.mark.parametrize("content", [{}, {"city": 5}, {"city": ""}])
def test_an_accept_that_the_form_does_not_allow_is_none(
    client: Client, content: dict[str, Any]
) -> None:
    client.shake_hands({"form": {}})
    client.call("change_mind", {"seconds": 60})
    client.send(id=client.read()["id"], result={"action": "accept", "content": content})
    assert client.read()["result"]["structuredContent"]["action"] == "not as asked"


def test_two_questions_are_open_at_once(client: Client) -> None:
    client.shake_hands({"form": {}})
    client.call("plan_trip")
    first, second = client.read(), client.read()
    client.send(id=second["id"], result={"action": "accept", "content": {"nights": 2}})
    client.send(id=first["id"], result={"action": "accept", "content": {"city": "Oslo"}})
    assert client.read()["result"]["structuredContent"]["city"] == "Oslo"


def test_a_withdrawn_question_is_cancelled_on_the_wire(client: Client) -> None:
    client.shake_hands({"form": {}})
    client.call("change_mind", {"seconds": 0.05})
    question, gone = client.read(), client.read()
    assert gone["method"] == "notifications/cancelled"
    assert gone["params"]["requestId"] == question["id"]
    assert client.read()["result"]["structuredContent"] == {"withdrawn": True}


def test_a_mode_that_was_not_offered_is_not_used(client: Client) -> None:
    client.shake_hands({"form": {}})
    client.call("sign_in")
    assert client.read()["result"]["structuredContent"] == {"signedIn": False}


def test_a_client_without_elicitation_is_never_asked(client: Client) -> None:
    client.shake_hands(None)
    client.call("book_table")
    assert client.read()["result"]["structuredContent"] == {"booked": False}


def test_a_page_is_followed_by_its_completion_notice(client: Client) -> None:
    client.shake_hands({"url": {}})
    client.call("sign_in")
    question = client.read()
    assert question["params"]["url"].startswith("https://example.com/")
    client.send(id=question["id"], result={"action": "accept"})
    notice = client.read()
    assert notice["method"] == "notifications/elicitation/complete"
    assert notice["params"]["elicitationId"] == question["params"]["elicitationId"]
    assert client.read()["result"]["structuredContent"] == {"signedIn": True}


def test_a_page_can_be_required_before_the_call(client: Client) -> None:
    client.shake_hands({"url": {}})
    client.call("read_mail")
    error = client.read()["error"]
    assert error["code"] == -32042
    assert error["data"]["elicitations"][0]["mode"] == "url"
    assert client.read()["method"] == "notifications/elicitation/complete"
    client.call("read_mail")
    assert client.read()["result"]["isError"] is False


def test_the_same_tools_ask_in_rounds_on_the_modern_revision(client: Client) -> None:
    discovered = client.result("server/discover", {"_meta": MODERN})
    assert discovered["supportedVersions"] == ["2026-07-28"]
    client.call("deploy", {"branch": "b"}, _meta=MODERN)
    first = client.read()["result"]
    assert first["resultType"] == "input_required"
    (key,) = first["inputRequests"]
    content = {"environment": "production", "downtime": True}
    client.call(
        "deploy",
        {"branch": "b"},
        _meta=MODERN,
        requestState=first["requestState"],
        inputResponses={key: {"action": "accept", "content": content}},
    )
    second = client.read()["result"]
    assert second["resultType"] == "input_required"
    (key,) = second["inputRequests"]
    client.call(
        "deploy",
        {"branch": "b"},
        _meta=MODERN,
        requestState=second["requestState"],
        inputResponses={key: {"action": "decline"}},
    )
    last = client.read()["result"]
    assert last["resultType"] == "complete"
    assert last["structuredContent"] == {"deployed": False}


def test_questions_asked_together_come_in_one_round(client: Client) -> None:
    client.call("plan_trip", _meta=MODERN)
    assert len(client.read()["result"]["inputRequests"]) == 2


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("tools/call", {"name": "no_such_tool"}, -32602),
        ("tools/call", {"name": "deploy"}, -32602),
        ("prompts/get", {"name": "welcome"}, -32602),
        ("resources/read", {"uri": "demo://nothing"}, -32602),
        ("no/such/method", {}, -32601),
        ("tools/call", {"name": "count_slowly", "arguments": {"steps": "x"}}, -32603),
    ],
)
def test_what_cannot_be_done_is_an_error_and_the_server_lives_on(
    client: Client, method: str, params: dict[str, Any], code: int
) -> None:
    client.shake_hands({})
    client.request(method, params)
    assert client.read()["error"]["code"] == code
    assert client.result("ping") == {}


def test_what_is_no_message_ends_nothing(client: Client) -> None:
    client.shake_hands({})
    client.send(id=[1], method="ping")
    client.send(method="notifications/cancelled", params={"requestId": [1]})
    assert client.process.stdin is not None
    client.process.stdin.write("[" * 100_000 + "\n")
    assert client.result("ping") == {}


def test_a_cancelled_call_stops(client: Client) -> None:
    client.shake_hands({})
    number = client.call("count_slowly", {"steps": 50, "seconds": 5})
    client.send(method="notifications/cancelled", params={"requestId": number})
    assert client.result("ping") == {}


def test_the_prompt_and_the_resources_can_be_read(client: Client) -> None:
    client.shake_hands({})
    for resource in client.result("resources/list")["resources"]:
        assert resource["description"]
        contents = client.result("resources/read", {"uri": resource["uri"]})["contents"]
        assert contents[0]["text"]
    (prompt,) = client.result("prompts/list")["prompts"]
    got = client.result("prompts/get", {"name": prompt["name"], "arguments": {"name": "Ada"}})
    assert "Ada" in got["messages"][0]["content"]["text"]
