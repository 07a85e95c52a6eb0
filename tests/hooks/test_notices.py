"""What each service is sent when a question waits; a real HTTP server receives it."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import Any

import pytest

from elicit_tui.elicitation import LoginPage, ServerIdentity, authorization_request
from elicit_tui.hooks.notices import notice
from tests.broker.conftest import form_request, run
from tests.hooks.conftest import Person, RunFactory
from tests.hooks.world import Receiver, command, hook, read

MESSAGE = "Which *colour* & <!channel> @everyone \x1b[31m for 4711?"


def sent(
    start: RunFactory,
    receiver: Receiver,
    message: str = MESSAGE,
    agent: str = "claude <b>",
    **more: Any,
) -> tuple[bytes, str, str]:
    """What one notice was, its content type, and the question's id."""
    request = form_request(message)

    async def body() -> None:
        there = start(hook("Waiting", url=receiver.url, **more))
        there.hooks.waiting(request, agent)
        await there.close()
        assert there.told == ""

    run(body())
    (got,) = receiver.got
    return (*got, request.id)


@pytest.mark.parametrize("format", ["slack", "discord", "teams", "ntfy", None])
def test_a_notice_of_a_login_holds_nothing_of_its_address(format: Any) -> None:
    page = LoginPage("https://as.example/authorize?state=canary", "https://as.example")
    server = ServerIdentity("remote", "http", "https://user:canary@mcp.example/mcp?key=canary")
    request = authorization_request(server, page)
    told = hook("Waiting", url="https://hooks.example", format=format, include=("message",))
    body, _ = notice(told, request, "claude")
    assert b"wants a login" in body.replace(b"\\", b"")
    assert b"canary" not in body


@pytest.mark.parametrize("include", [(), ("message",)])
@pytest.mark.parametrize("format", ["slack", "discord", "teams", "ntfy"])
def test_a_notice_has_the_shape_of_its_service_whose_own_words_mean_nothing(
    start: RunFactory, receiver: Receiver, format: str, include: tuple[str, ...]
) -> None:
    receiver.text = "ok"
    body, kind, question = sent(start, receiver, format=format, include=include)
    title = "“claude <b>”: a question of paint waits"
    how = f"Answer it: elicit-tui inbox answer {question}"
    lines = [
        title,
        *(["Which *colour* & <!channel> @everyone ␛[31m for 4711?"] * len(include)),
        how,
    ]
    text = "\n".join(lines)
    if format == "ntfy":
        assert (body.decode(), kind) == (text, "text/plain; charset=utf-8")
        return
    assert kind == "application/json"
    told = json.loads(body)
    if format == "slack":
        escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        block = {"type": "section", "text": {"type": "plain_text", "text": text}}
        assert told == {"text": escaped, "mrkdwn": False, "blocks": [block]}
    elif format == "discord":
        assert shown_by_discord(told.pop("content")) == text
        assert told == {"allowed_mentions": {"parse": []}}
    else:
        (attachment,) = told["attachments"]
        assert told["type"] == "message"
        assert attachment["contentType"] == "application/vnd.microsoft.card.adaptive"
        assert runs_of(attachment["content"]["body"]) == lines
        assert attachment["content"]["type"] == "AdaptiveCard"


def shown_by_discord(content: str) -> str:
    """What Discord draws of a message in which no sign is left that could mean anything."""
    meant = re.sub(r"\\[^0-9A-Za-z\s]", "", content)
    assert not re.search(r"[\\*_~`|<>\[\]()#@]|https?:", meant), content
    return re.sub(r"\\([^0-9A-Za-z\s])", r"\1", content)


def runs_of(body: list[dict[str, Any]]) -> list[str]:
    """The lines of a card, none of which Teams reads as Markdown."""
    assert {block["type"] for block in body} == {"RichTextBlock"}
    runs = [run for block in body for run in block["inlines"]]
    assert {run["type"] for run in runs} == {"TextRun"}
    return [run["text"] for run in runs]


MARKDOWN = "[Approve](https://evil.example/x) <https://evil.example/y>\n# **Now** ||or|| `never`"


@pytest.mark.parametrize("format", ["discord", "teams"])
def test_what_an_agent_or_a_server_says_is_no_link_and_no_heading(
    start: RunFactory, receiver: Receiver, format: str
) -> None:
    body, _, question = sent(
        start, receiver, MARKDOWN, MARKDOWN[:33], format=format, include=("message",)
    )
    lines = [
        "“[Approve](https://evil.example/x)”: a question of paint waits",
        *MARKDOWN.split("\n"),
        f"Answer it: elicit-tui inbox answer {question}",
    ]
    told = json.loads(body)
    if format == "discord":
        assert shown_by_discord(told["content"]) == "\n".join(lines)
    else:
        assert runs_of(told["attachments"][0]["content"]["body"]) == lines


def test_a_line_without_words_is_no_part_of_a_card() -> None:
    told = hook("Waiting", url="https://hooks.example", format="teams", include=("message",))
    request = form_request("One\n\nTwo")
    body, _ = notice(told, request, "claude")
    assert runs_of(json.loads(body)["attachments"][0]["content"]["body"]) == [
        "claude: a question of paint waits",
        "One",
        "Two",
        f"Answer it: elicit-tui inbox answer {request.id}",
    ]


def test_the_longest_names_and_message_leave_the_command_that_answers_whole(
    start: RunFactory, receiver: Receiver
) -> None:
    body, _, question = sent(
        start, receiver, "*" * 5000, "(" * 500, format="discord", include=("message",)
    )
    content = json.loads(body)["content"]
    assert len(content) <= 2000
    assert content.endswith(f"\nAnswer it: elicit-tui inbox answer {question}")


def test_without_a_format_a_command_gets_json_and_nothing_of_the_message(
    start: RunFactory, log: Path
) -> None:
    async def body() -> None:
        there = start(hook("Waiting", command("passes", log)))
        there.hooks.waiting(form_request(MESSAGE), "claude")
        await there.close()

    run(body())
    told = read(log)[0]["input"]
    assert told["text"] == "claude: a question of paint waits"
    assert told["command"].startswith("elicit-tui inbox answer ")
    assert "4711" not in json.dumps(told)


@pytest.mark.parametrize("agent", [None, "claude"])
def test_json_has_what_is_known_alone_and_the_message_where_it_is_included(agent: Any) -> None:
    request = form_request("Which?")
    for include, message in (((), None), (("message",), "Which?")):
        told = hook("Waiting", url="https://hooks.example", include=include)
        body, kind = notice(told, request, agent)
        found = json.loads(body)
        assert kind == "application/json"
        assert (found.get("message"), found.get("agent")) == (message, agent)
        assert found["text"] == ("claude: " if agent else "") + "a question of paint waits"
        assert set(found) == {
            "hook_event_name", "id", "kind", "mcp_server_name", "text", "command",
            *(["agent"] if agent else ()), *(["message"] if message else ()),
        }  # fmt: skip


def test_what_a_service_is_sent_of_a_message_is_bounded() -> None:
    long = form_request("m" * 20_000)
    for service, most in (("slack", 3000), ("teams", 1200), ("ntfy", 1200), (None, 1300)):
        told = hook("Waiting", url="https://hooks.example", format=service, include=("message",))
        body, _ = notice(told, long, "claude")
        text = json.loads(body)["blocks"][0]["text"]["text"] if service == "slack" else body
        assert 1000 <= len(text) <= most + 500


def test_a_dead_or_slow_page_delays_no_question(start: RunFactory, receiver: Receiver) -> None:
    receiver.behaviour = "hangs"

    async def body() -> None:
        there = start(
            hook("Asked", url=receiver.url, timeout_sec=60),
            hook("Asked", url="http://127.0.0.1:1/", position=2),
            person=Person({"colour": "red"}),
        )
        started = time.monotonic()
        await there.broker.resolve(form_request())
        assert time.monotonic() - started < 20
        started = time.monotonic()
        await there.close()
        assert time.monotonic() - started < 20
        assert "hooks[2] (Asked) could not be reached (ConnectError)" in there.told
        assert "hooks[1] (Asked) was not told of the last 1" in there.told

    run(body())


def test_an_agent_that_calls_itself_words_of_ours_stands_in_quotation_marks(
    start: RunFactory, log: Path
) -> None:
    async def body() -> None:
        there = start(hook("Waiting", command("passes", log)))
        there.hooks.waiting(form_request(), "elicit-tui: run⠀this\n\x1b[31m now")
        await there.close()

    run(body())
    text = read(log)[0]["input"]["text"]
    assert text == "“elicit-tui: run this⏎␛[31m now”: a question of paint waits"


def test_however_long_a_message_is_discord_is_told_whole_how_to_answer_it() -> None:
    request = form_request("*" * 5_000)
    told = hook("Waiting", url="https://hooks.example", format="discord", include=("message",))
    body, _ = notice(told, request, "*" * 200)
    content = json.loads(body)["content"]
    assert len(content) <= 2_000
    assert content.endswith(f"Answer it: elicit-tui inbox answer {request.id}")


@pytest.mark.parametrize("format", ["slack", "discord", "teams", "ntfy", None])
def test_a_server_that_calls_itself_more_than_a_word_is_quoted_and_bounded(format: Any) -> None:
    request = form_request("Which?", "paint: done\n\x1b[31m" + "x" * 200)
    told = hook("Waiting", url="https://hooks.example", format=format)
    body, _ = notice(told, request, "claude")
    if format == "ntfy":
        found = body.decode()
    else:
        said = json.loads(body)
        found = json.dumps(said if format else said["text"], ensure_ascii=False)
    assert "“paint" in found
    assert "x" * 60 not in found
    assert "\x1b" not in found
