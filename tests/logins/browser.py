"""A server that wants a login, and a person whose browser follows its page."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import pytest

from elicit_tui.broker import Broker, Resolved
from elicit_tui.elicitation import Call, Deadline, Outcome, Question, accept
from elicit_tui.elicitation.settings import LoginSettings, OAuthSettings, ServerSettings, Settings
from elicit_tui.errors import ServerError
from elicit_tui.guardian import Guardian
from elicit_tui.host.host import Host
from elicit_tui.ledger import Ledger
from elicit_tui.logins import Login, LoginShelf
from elicit_tui.paths import logins_directory
from elicit_tui.policy import Policy
from tests.forks import ready_python

SERVER = Path(__file__).parent.parent / "servers" / "login.py"
COMMAND = "Log in with: elicit-tui login remote"
CANARIES = ("access-canary", "refresh-canary", "code-canary")


class LoginServer:
    """The process of tests/servers/login.py."""

    def __init__(self, port: int) -> None:
        self.origin = f"http://127.0.0.1:{port}"
        self.url = f"{self.origin}/mcp"

    def reset(self, **ways: Any) -> None:
        """Forget everything, and behave like this."""
        httpx2.post(f"{self.origin}/control", json=ways, timeout=30)

    def change(self, **ways: Any) -> None:
        """Behave like this from now on."""
        httpx2.patch(f"{self.origin}/control", json=ways, timeout=30)

    @property
    def told(self) -> dict[str, Any]:
        """What it was asked so far."""
        told: dict[str, Any] = httpx2.get(f"{self.origin}/control", timeout=30).json()
        return told

    @property
    def asked(self) -> list[str]:
        """Which endpoints of the authorization server were asked, in order."""
        return list(self.told["asked"])


@contextmanager
def login_server() -> Iterator[LoginServer]:
    with subprocess.Popen([*ready_python(), str(SERVER)], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        try:
            yield LoginServer(int(process.stdout.readline()))
        finally:
            process.kill()


def agrees(question: Question, address: str | None = None) -> Outcome:
    """The consent of a person who saw what was found: the test's server has no name."""
    found = frozenset(finding.id for finding in question.to_acknowledge)
    content = None if address is None else {"redirect": address}
    return accept("user", "You logged in.", content, acknowledged=found)


Follow = Callable[[Question], Any]


async def follow(question: Question) -> Outcome:
    """Open the page, and come back with where it led."""
    async with httpx2.AsyncClient(follow_redirects=True, timeout=30) as browser:
        await browser.get(question.request.url or "")
    return agrees(question)


async def paste(question: Question) -> Outcome:
    """Open the page on another machine, and paste the address that it ended at."""
    address = await ended_at(question)
    return agrees(question, address)


async def ended_at(question: Question) -> str:
    """The address that the page leads back to."""
    async with httpx2.AsyncClient(timeout=30) as browser:
        response = await browser.get(question.request.url or "")
    return str(response.headers["location"])


@dataclass
class Person:
    """Answers each question by a function of its own."""

    answer: Follow = follow
    asked: list[Question] = field(default_factory=list)

    async def respond(self, question: Question, deadline: Deadline) -> Outcome:
        deadline.start()
        self.asked.append(question)
        outcome: Outcome = await self.answer(question)
        return outcome


@dataclass
class Run:
    """One process of ours, with a real guardian and a real ledger."""

    host: Host
    broker: Broker
    person: Person
    ended: list[Resolved]

    async def call(self, tool: str = "read_it") -> str:
        connection = await self.host.connect("remote")
        called = await connection.call(Call("tools/call", tool, {}))
        return str(called.result["content"][0]["text"])


@asynccontextmanager
async def run(
    server: LoginServer,
    answer: Follow = follow,
    *,
    oauth: OAuthSettings | None = None,
    logins: LoginSettings | None = None,
    present: bool = True,
    url: str | None = None,
    **more: Any,
) -> AsyncIterator[Run]:
    own = ServerSettings("remote", url=url or server.url, oauth=oauth or OAuthSettings())
    owner = Settings(servers={"remote": own}, logins=logins or LoginSettings(store="file"), **more)
    person = Person(answer)
    directory = logins_directory().parent
    directory.mkdir(parents=True, exist_ok=True)
    ledger = Ledger.open(directory / "ledger.sqlite3")
    policy = Policy(owner, person_present=present)
    broker = Broker(policy, Guardian(owner.guardian), ledger, person)
    ended: list[Resolved] = []
    broker.subscribe(lambda event: ended.append(event) if isinstance(event, Resolved) else None)
    async with Host(owner, broker) as host:
        try:
            yield Run(host, broker, person, ended)
        finally:
            await broker.close()
            ledger.close()


def shelf() -> LoginShelf:
    return LoginShelf(logins_directory(), "file")


def kept() -> Login:
    """The one login that is kept."""
    (login,) = shelf().kept()
    return login


def kept_whole() -> Any:
    """The same with its secrets."""
    return shelf().read(kept().key)


def written() -> Mapping[Path, bytes]:
    """Everything that was written, beside the logins themselves."""
    home = logins_directory().parent
    return {
        path: path.read_bytes()
        for path in home.rglob("*")
        if path.is_file() and path.parent != logins_directory()
    }


def run_async(work: Any) -> Any:
    """Run to the end, within a bound."""

    async def bounded() -> Any:
        return await asyncio.wait_for(work, 60)

    return asyncio.run(bounded())


async def called(server: LoginServer, *tools: str, **more: Any) -> Run:
    """One process that called these tools with success."""
    async with run(server, **more) as ours:
        for tool in tools or ("read_it",):
            assert await ours.call(tool) == f"{tool} done"
    return ours


async def refused(server: LoginServer, **more: Any) -> tuple[str, Run]:
    """The sentence with which the server cannot be used."""
    async with run(server, **more) as ours:
        with pytest.raises(ServerError) as error:
            await ours.call()
    return str(error.value), ours
