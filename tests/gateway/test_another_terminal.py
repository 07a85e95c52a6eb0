"""An agent without forms behind a real gateway, and its person in another terminal."""

from __future__ import annotations

import asyncio
import itertools
import json
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from mcp import Client

from elicit_tui import paths
from elicit_tui.elicitation import Answerer, accept
from elicit_tui.elicitation.settings import Settings
from elicit_tui.ledger import Ledger
from elicit_tui.runtime import open_store
from elicit_tui.store.store import Answer
from tests.cli.terminal import ReadTerminal
from tests.cli.test_real_servers import EVERYTHING
from tests.gateway.processes import CONFIG, PATIENCE, agent, identifier, person
from tests.gateway.world import ERAS, text_of
from tests.host.world import HANDSHAKE, server_line
from tests.installing import needs_node
from tests.keys import ENTER, SEND

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(300)]


@pytest.fixture
def home(sealed_machine: Path) -> Path:
    folder = sealed_machine / ".config" / "elicit-tui"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text(f'{CONFIG}\n[guardian]\non_block = "ask"\n')
    return sealed_machine


async def call(client: Client, tool: str, **arguments: Any) -> types.CallToolResult:
    return await asyncio.wait_for(client.call_tool(tool, arguments), PATIENCE)


async def inbox(*arguments: str) -> tuple[int, str]:
    """A command of `inbox` in a terminal's own session; its exit code and what it prints."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "elicit_tui", "inbox", *arguments),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    printed, _ = await asyncio.wait_for(process.communicate(), PATIENCE)
    assert process.returncode is not None
    return process.returncode, printed.decode()


@needs_node
async def test_the_same_call_of_server_everything_returns_what_was_typed_elsewhere(
    home: Path,
) -> None:
    everything = f"everything=node {EVERYTHING} stdio"
    async with person(home, "all"):
        for upwards in ERAS:
            async with agent(home, upwards, HANDSHAKE, everything) as client:
                name = f"Ada of {upwards}"
                tool = "everything__trigger-elicitation-request"
                result = await call(client, tool, tag=name)
                assert name in text_of(result)
                assert not result.is_error


async def shows(inbox: ReadTerminal, words: str, *keys: str) -> None:
    """Press these in turn until the inbox shows these words; a question is deaf for a moment."""
    end = asyncio.get_running_loop().time() + PATIENCE
    for turn in itertools.count():
        if words in inbox.news:
            return
        assert asyncio.get_running_loop().time() < end, inbox.news
        presses, rest = divmod(turn, 50)
        if keys and not rest:
            inbox.type(keys[presses % len(keys)])
        await asyncio.sleep(0.02)


async def test_a_person_at_the_inbox_approves_and_answers_what_an_agent_calls_on_the_demo(
    home: Path,
) -> None:
    with ReadTerminal(["inbox"]) as inbox:
        async with agent(home, server="demo") as client:
            asked = asyncio.ensure_future(call(client, "demo__deploy", branch="fix/login"))
            await shows(inbox, "Cancel", ENTER)
            await shows(inbox, "target environment", "y", ENTER)
            await shows(inbox, "● Canary", "3")
            await shows(inbox, "● no", "\t\tn")
            while not asked.done():
                inbox.type(SEND)
                await asyncio.wait({asked}, timeout=1)
            assert "Deployed fix/login to canary" in text_of(await asked)


@needs_node
async def test_a_person_at_the_inbox_answers_what_an_agent_calls_on_server_everything(
    home: Path,
) -> None:
    everything = f"everything=node {EVERYTHING} stdio"
    with ReadTerminal(["inbox"]) as inbox:
        async with agent(home, HANDSHAKE, HANDSHAKE, everything) as client:
            tool = "everything__trigger-elicitation-request"
            asked = asyncio.ensure_future(call(client, tool))
            await shows(inbox, "Cancel", ENTER)
            await shows(inbox, "Ada", "Ada")
            # What would pass for a person together is optional here, and stays unset.
            while not asked.done():
                inbox.type(SEND)
                await asyncio.wait({asked}, timeout=1)
            assert "Ada" in text_of(await asked)


async def test_what_is_allowed_for_the_session_is_listed_at_once_and_taken_back(
    home: Path,
) -> None:
    workshop = server_line("workshop.py", "stdio")
    logged = f"workshop=env WORKSHOP_LOG={home / 'calls'} {workshop}"
    async with agent(home, server=logged) as client:
        async with person(home, "session"):
            assert text_of(await call(client, "workshop__delete")) == "deleted"
        code, printed = await inbox("grants", "--output", "json")
        assert code == 0
        (grant,) = json.loads(printed)
        assert (grant["server"], grant["tool"]) == ("workshop", "delete")
        # Nobody is there, and nobody is asked.
        assert text_of(await call(client, "workshop__delete")) == "deleted"
        assert (await inbox("revoke", "workshop", "delete"))[0] == 0
        asked = asyncio.ensure_future(call(client, "workshop__delete"))
        code, _ = await inbox("decline", await identifier(), "--note", "not today")
        assert code == 0
        assert "not today" in text_of(await asked)
        assert json.loads((await inbox("grants", "--output", "json"))[1]) == []


async def test_who_writes_the_file_without_the_key_ends_the_question_and_who_has_it_answers(
    home: Path,
) -> None:
    async with agent(home) as client, open_store(Settings(), "answerer") as store:

        async def waits(tag: str) -> tuple[asyncio.Future[types.CallToolResult], Any]:
            asked = asyncio.ensure_future(call(client, "asking__one", tag=tag))
            return asked, await store.get(await identifier())

        def mine(waiting: Any) -> Answer:
            outcome = accept("user", "Sent.", {"value": "mine"}, via="inbox")
            return Answer(outcome, Answerer("me", None, "here"), waiting.attempt, waiting.digest)

        # An answer that was sealed for another question is none here, and no accept.
        first, older = await waits("first")
        seen: list[tuple[object, ...]] = []
        with closing(sqlite3.connect(paths.store_file(), isolation_level=None)) as file:
            stop = asyncio.ensure_future(_steal(file, older.id, seen))
            await store.answer(older.id, mine(older))
            await asyncio.wait_for(stop, PATIENCE)
            assert "mine" in text_of(await first)
            second, other = await waits("second")
            file.execute(
                "UPDATE questions SET state = 'answered', answer_id = ?, answer = ?, answerer = ?,"
                " changed = (SELECT number + 1 FROM counter) WHERE id = ?",
                (*seen[0], other.id),
            )
            file.execute("UPDATE counter SET number = number + 1")
        assert "mine" not in text_of(await second)
        with closing(Ledger.open(paths.ledger_file())) as ledger:
            row = ledger.row(other.id)
        assert (row.action, row.decided_by) == ("cancel", "store")
        # What the README admits: the same user has the key beside the file.
        third, last = await waits("third")
        await store.answer(last.id, mine(last))
        assert "mine" in text_of(await third)


async def _steal(file: sqlite3.Connection, question: str, seen: list[tuple[object, ...]]) -> None:
    """Take the sealed answer out of the file before it is settled."""
    while not seen:
        found = file.execute(
            "SELECT answer_id, answer, answerer FROM questions WHERE id = ?", (question,)
        ).fetchone()
        if found is not None and found[1] is not None:
            seen.append(found)
        await asyncio.sleep(0)
