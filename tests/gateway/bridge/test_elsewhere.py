"""The store of a bridge on Redis: whoever answers may sit at another machine, or Redis be away."""

from __future__ import annotations

import base64
import signal
import sys

import pytest

from elicit_tui.broker.inbox_events import SESSION_ENDED
from elicit_tui.elicitation import accept, decline
from elicit_tui.elicitation.settings import Settings, StoreSettings
from tests.gateway.bridge.hooked import COMMAND, QUESTION, asked, configure, hook, person, rows
from tests.store.redis import SECRET, RedisProcess, needs_redis

pytestmark = [
    pytest.mark.anyio,
    needs_redis,
    pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX"),
]

CONFIG = '[store]\nurl = "{url}"\nsecret_env = "STORE_SECRET"\n'


@pytest.fixture
def settings(redis_process: RedisProcess, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """Of the person; the bridge has the same store."""
    redis_process.command("FLUSHALL")
    monkeypatch.setenv("STORE_SECRET", base64.b64encode(SECRET).decode())
    configure(CONFIG.format(url=redis_process.url))
    return Settings(store=StoreSettings(url=redis_process.url, secret_env="STORE_SECRET"))


async def test_a_prompt_is_answered_through_redis_and_handed_to_the_agent(
    settings: Settings,
) -> None:
    async with person(settings=settings) as somebody, hook() as started, hook() as other:
        await started.asks(COMMAND)
        first = await somebody.sees()
        await other.asks(QUESTION)
        await somebody.sees(2)
        said = await somebody.inbox.answer(first.id, accept("user", "Allowed.", None, scope="once"))
        ended = await started.ended()
        assert (said.kind, said.sentence) == ("sent", "Handed to the agent.")
        assert ended.reply["decision"] == {"behavior": "allow"}
        await somebody.until(lambda: len(somebody.inbox.waiting) == 1)
        await somebody.answers(decline("user", "No."))
        ended = await other.ended()
    assert ended.reply == {"hookEventName": "Elicitation", "action": "decline"}
    assert {(row.action, row.state) for row in rows()} == {
        ("accept", "handed"),
        ("decline", "handed"),
    }


async def test_a_bridge_that_is_killed_leaves_nothing_to_answer_in_redis(
    settings: Settings,
) -> None:
    async with person(settings=settings) as somebody, hook() as started:
        await started.asks(COMMAND)
        await somebody.sees()
        started.signal(signal.SIGKILL)
        await somebody.until(lambda: somebody.left)
    assert somebody.left == [SESSION_ENDED]


async def test_a_redis_that_is_away_or_silent_leaves_the_agent_to_ask_by_itself(
    settings: Settings,
) -> None:
    # Nobody is there: the store is looked at, and the agent asks.
    ended = await asked(COMMAND)
    assert (ended.code, ended.stdout) == (0, b"")
    own = RedisProcess()
    configure(CONFIG.format(url=own.url))
    try:
        own.signal(signal.SIGSTOP)
        ended = await asked(COMMAND)
        assert (ended.code, ended.stdout) == (0, b"")
    finally:
        own.end()
    ended = await asked(COMMAND)
    assert (ended.code, ended.stdout) == (0, b"")
    for row, words in zip(rows(), ("Nobody is there", "within 1 second", "reached"), strict=True):
        assert (row.decided_by, row.action) == ("nobody", None)
        assert row.reason is not None
        assert words in row.reason
