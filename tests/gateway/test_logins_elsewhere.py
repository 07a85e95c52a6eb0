"""A gateway on one machine, its person on another: a login goes through the store between."""

from __future__ import annotations

import asyncio
import base64
import os
import signal
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest
from mcp import Client

from elicit_tui.broker import answerer
from elicit_tui.broker.inbox import Inbox
from elicit_tui.broker.inbox_events import Delivery
from elicit_tui.elicitation import Question
from elicit_tui.elicitation.settings import Settings, StoreSettings
from elicit_tui.ledger import Ledger
from elicit_tui.paths import logins_directory
from elicit_tui.runtime import open_inbox
from tests.gateway.test_nodes_die import new_token
from tests.gateway.world import MODERN, WAIT, http_agent, text_of, until
from tests.logins.browser import CANARIES, LoginServer, agrees, ended_at, login_server
from tests.store.redis import SECRET, RedisProcess, free_ports, needs_redis

pytestmark = [
    pytest.mark.anyio,
    needs_redis,
    pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX"),
]

CONFIG = """
[store]
url = "{store}"
secret_env = "STORE_SECRET"
[gateway]
ask_via = "console"
hold_sec = 20
[logins]
store = "file"
[mcp_servers.remote]
url = "{server}"
"""
FOREIGN = "foreign-state-canary"
"""What makes a state one of another login."""


@pytest.fixture(scope="module")
def server() -> Iterator[LoginServer]:
    with login_server() as process:
        yield process


@asynccontextmanager
async def gateway(home: Path, port: int) -> AsyncIterator[asyncio.subprocess.Process]:
    """The gateway's machine."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "elicit_tui", "gateway", "remote"),
        *("--listen", f"127.0.0.1:{port}"),
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, "HOME": str(home)},
    )
    assert process.stderr is not None
    try:
        told = b""
        while b"listening on" not in told:
            told += (line := await asyncio.wait_for(process.stderr.readline(), WAIT))
            assert line, told
        yield process
    finally:
        process.kill()
        await process.wait()


async def question(inbox: Inbox) -> Question:
    """The login that waits in the inbox."""
    await until(lambda: any(waiting.state == "open" for waiting in inbox.waiting))
    (waiting,) = inbox.waiting
    assert waiting.kind == "authorization"
    assert waiting.question is not None
    return waiting.question


def written(home: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in home.rglob("*") if path.is_file()}


async def test_the_inbox_elsewhere_gives_the_address_back_and_the_gateway_keeps_the_tokens(
    server: LoginServer,
    redis_process: RedisProcess,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    redis_process.command("FLUSHALL")
    # This process sits at another machine.
    monkeypatch.setattr(answerer, "machine_id", lambda: "the desk")
    monkeypatch.setenv("STORE_SECRET", base64.b64encode(SECRET).decode())
    folder = tmp_path / ".config" / "elicit-tui"
    folder.mkdir(parents=True)
    config = CONFIG.format(store=redis_process.url, server=server.url)
    (folder / "config.toml").write_text(config)
    token, (port,) = new_token(tmp_path, "agent"), free_ports(1)
    store = StoreSettings(redis_process.url, "STORE_SECRET", answer_without_terminal=True)

    async with (
        gateway(tmp_path, port) as process,
        open_inbox(Settings(store=store), "inbox") as inbox,
        Client(http_agent(f"http://127.0.0.1:{port}/mcp", token), mode=MODERN, cache=None) as agent,
    ):
        # The code is on its way, and nobody has read it yet.
        listing = asyncio.ensure_future(agent.list_tools())
        asked = await question(inbox)
        process.send_signal(signal.SIGSTOP)
        answer = agrees(asked, await ended_at(asked))
        giving: asyncio.Task[Delivery] = asyncio.ensure_future(inbox.answer(asked.id, answer))
        await until(lambda: not inbox.waiting)
        under_way = redis_process.everything()
        process.send_signal(signal.SIGCONT)
        assert (await giving).kind == "sent"
        assert "remote__read_it" in [tool.name for tool in (await listing).tools]

        # What is of another login comes back with the reason.
        server.change(forget_access=True, forget_refresh=True)
        call = asyncio.ensure_future(agent.call_tool("remote__read_it", {}))
        asked = await question(inbox)
        address = await ended_at(asked)
        foreign = agrees(asked, address.replace("state=", f"state={FOREIGN}"))
        assert (await inbox.answer(asked.id, foreign)).kind == "reopened"
        asked = await question(inbox)
        assert "another login" in (asked.note or "")
        assert (await inbox.answer(asked.id, agrees(asked, address))).kind == "sent"
        assert text_of(await call) == "read_it done"

    assert server.asked.count("code") == 2
    assert not any("agent" in bearer for bearer in server.told["bearers"])
    assert {bearer for bearer in server.told["bearers"] if bearer} == {"access-canary-"}
    state = tmp_path / ".local" / "state" / "elicit-tui"
    with closing(Ledger.open(state / "ledger.sqlite3", create=False)) as ledger:
        rows = [(row.kind, row.action, row.decided_by) for row in ledger.rows()]
    assert rows == [("authorization", "accept", "user")] * 2
    assert not logins_directory().exists()
    kept = written(tmp_path)
    assert any(path.parent.name == "logins" for path in kept)
    texts = [text for path, text in kept.items() if path.parent.name != "logins"]
    for canary in (*CANARIES, FOREIGN):
        assert not any(canary.encode() in text for text in (*texts, under_way))
        assert canary.encode() not in redis_process.everything()
