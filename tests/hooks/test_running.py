"""How a hook runs; one that does not, or answers as it may not, has failed, which is told."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from pathlib import Path
from typing import Any

import httpx2
import pytest

from elicit_tui.errors import HookError
from elicit_tui.hooks import running
from elicit_tui.hooks.running import Reply, run_hook
from tests.broker.conftest import form_request, run
from tests.hooks.conftest import Person, RunFactory
from tests.hooks.test_behaviours import assert_gone
from tests.hooks.world import (
    SENT,
    Receiver,
    answer,
    command,
    hook,
    read,
)


@pytest.mark.parametrize("status", [302, 403, 404, 500])
def test_a_page_that_answers_with_no_success_has_failed_whatever_it_says(
    start: RunFactory, receiver: Receiver, status: int
) -> None:
    receiver.status, receiver.text = status, answer("accept", colour="blue")

    async def body() -> None:
        there = start(hook("Elicitation", url=receiver.url), person=Person(SENT))
        outcome = await there.broker.resolve(form_request())
        assert (outcome.decided_by, outcome.content) == ("user", SENT)
        assert f"answered with HTTP status {status}" in there.told
        await there.close()

    run(body())


def test_compressed_content_is_not_unpacked(start: RunFactory, receiver: Receiver) -> None:
    receiver.encoding, receiver.text = "gzip", answer("accept", colour="blue")

    async def body() -> None:
        there = start(hook("Elicitation", url=receiver.url), person=Person(SENT))
        assert (await there.broker.resolve(form_request())).decided_by == "user"
        assert "answered with compressed content" in there.told
        await there.close()

    run(body())


def test_a_hook_that_cannot_run_fails_and_is_not_run(start: RunFactory, log: Path) -> None:
    async def body() -> None:
        one = hook("Elicitation", command("declines", log), cannot_run="it is anybody's to write")
        there = start(one, person=Person(SENT))
        assert (await there.broker.resolve(form_request())).decided_by == "user"
        assert "cannot run: it is anybody's to write" in there.told
        assert read(log) == []
        await there.close()

    run(body())


def test_what_a_hook_writes_last_before_it_ends_is_read_to_its_end() -> None:
    written = """print('{"action": "accept", "content": {"a": "' + "x" * 900_000 + '"}}')"""
    one = hook("Elicitation", (sys.executable, "-I", "-S", "-c", written), timeout_sec=30)
    for _ in range(3):
        reply = asyncio.run(run_hook(one, b"{}"))
        assert reply.content == {"a": "x" * 900_000}


def test_a_hook_whose_exit_code_nobody_knows_has_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asyncio.subprocess.Process, "returncode", None)
    one = hook("Elicitation", (sys.executable, "-I", "-S", "-c", ""))
    with pytest.raises(HookError, match="ended without an exit code"):
        asyncio.run(run_hook(one, b"{}"))


def test_what_is_loaded_to_ask_a_page_is_none_of_its_time(
    start: RunFactory, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    receiver.text = answer("accept", colour="blue")

    class Slow(httpx2.AsyncClient):
        def __init__(self, **more: Any) -> None:
            time.sleep(1.2)
            super().__init__(**more)

    monkeypatch.setattr(httpx2, "AsyncClient", Slow)

    async def body() -> None:
        there = start(hook("Elicitation", url=receiver.url, timeout_sec=1), person=Person(SENT))
        assert (await there.broker.resolve(form_request())).decided_by == "hook"
        await there.close()

    run(body())


def test_certificates_that_are_not_there_are_told_and_a_person_is_asked(
    start: RunFactory, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "/nowhere/certificates.pem")

    async def body() -> None:
        there = start(hook("Elicitation", url=receiver.url), person=Person(SENT))
        assert (await there.broker.resolve(form_request())).decided_by == "user"
        assert "could not be reached (FileNotFoundError)" in there.told
        await there.close()

    run(body())


@pytest.mark.skipif(os.name != "posix", reason="sessions are POSIX's")
def test_what_a_hook_started_in_another_session_ends_when_its_time_is_over(
    start: RunFactory, log: Path, tmp_path: Path
) -> None:
    child = tmp_path / "child"

    async def body() -> None:
        one = hook("Elicitation", command("hangs with a session", log, str(child)), timeout_sec=2)
        there = start(one, person=Person(SENT))
        await there.broker.resolve(form_request())
        await there.close()

    run(body())
    assert_gone(int(child.read_text()))


@pytest.mark.parametrize("proxy", ["http://a\nb", "gopher://proxy"])
def test_a_proxy_that_is_no_address_is_told_without_its_words_and_the_hook_has_failed(
    proxy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", proxy)
    monkeypatch.setenv("http_proxy", proxy)
    with pytest.raises(HookError, match=r"^could not be reached \(\w+\)$"):
        asyncio.run(run_hook(hook("Asked", url="http://127.0.0.1:1/"), b"{}"))


@pytest.mark.parametrize("sort", ["command", "page"])
@pytest.mark.parametrize(("more", "fails"), [(0, False), (1, True)])
def test_a_hook_may_answer_with_as_much_as_is_allowed_and_not_with_one_byte_more(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch, sort: str, more: int, fails: bool
) -> None:
    said = '{"action": "decline"}'
    monkeypatch.setattr(running, "MOST_OUTPUT", len(said))
    receiver.text = said + " " * more
    writes = f"import sys; sys.stdout.write({receiver.text!r})"
    where: dict[str, Any] = {"command": (sys.executable, "-I", "-S", "-c", writes)}
    one = hook("Elicitation", **(where if sort == "command" else {"url": receiver.url}))
    if fails:
        with pytest.raises(HookError, match="answered with more than"):
            asyncio.run(run_hook(one, b"{}"))
    else:
        assert asyncio.run(run_hook(one, b"{}")) == Reply("decline")


@pytest.mark.parametrize("encoding", ["identity", "Identity"])
def test_a_page_is_asked_for_plain_words_and_may_say_that_they_are(
    receiver: Receiver, encoding: str
) -> None:
    receiver.encoding, receiver.text = encoding, '{"action": "decline"}'
    assert asyncio.run(run_hook(hook("Elicitation", url=receiver.url), b"{}")) == Reply("decline")
    (headers,) = receiver.headers
    assert headers["accept-encoding"] == "identity"
    assert headers["content-type"] == "application/json"
    assert headers["user-agent"] == "elicit-tui"


@pytest.mark.parametrize("fails", [False, True])
def test_whatever_a_page_says_nothing_stays_open_to_it(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch, fails: bool
) -> None:
    made: list[httpx2.AsyncClient] = []

    class Kept(httpx2.AsyncClient):
        def __init__(self, **more: Any) -> None:
            super().__init__(**more)
            made.append(self)

    monkeypatch.setattr(httpx2, "AsyncClient", Kept)
    receiver.status = 500 if fails else 200

    async def body() -> None:
        try:
            await run_hook(hook("Elicitation", url=receiver.url), b"{}")
        except HookError:
            assert fails

    run(body())
    assert [client.is_closed for client in made] == [True]
