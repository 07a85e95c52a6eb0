"""A gateway on a Redis of its own, its agent, and a person with the inbox open, for tests."""

from __future__ import annotations

import base64
import os
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import httpx2

from elicit_tui.ledger import Ledger
from elicit_tui.ledger.rows import Row
from tests.cli.running import Ended, run
from tests.cli.terminal import ReadTerminal
from tests.gateway.http_world import ACCEPT, answer_in, modern_request
from tests.host.world import SERVERS
from tests.keys import ENTER
from tests.store.redis import SECRET, RedisProcess, free_ports

PATIENCE = 90.0
AHEAD = 3600.0
HURRIED = (sys.executable, str(Path(__file__).with_name("hurried.py")))
KEEPS = ("--appendonly", "yes", "--appendfsync", "always", "--save", "")
CONFIG = """
[elicitation.limits]
per_minute = 5000
[store]
url = "{url}"
secret_env = "STORE_SECRET"
[gateway]
ask_via = "console"
hold_sec = 100
"""


def until(true: Callable[[], Any], what: str, shown: Callable[[], str] = str) -> Any:
    """What it says, once that is true; `shown`: what stands on the screen where it never is."""
    end = time.monotonic() + PATIENCE
    while not (found := true()):
        assert time.monotonic() < end, f"{what}; shown last: {shown()[-2000:]}"
        time.sleep(0.02)
    return found


class House:
    """One Redis, one gateway with one server and one agent, one person with the inbox open."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.folder = folder
        self.redis = RedisProcess(*KEEPS)
        stack.callback(lambda: self.redis.end())
        self.home = self.new_home("home")
        self.runs = folder / "runs"
        self.url, self.token = "", ""
        self.calls_under_way = stack.enter_context(ThreadPoolExecutor(8))
        self.inbox = ReadTerminal(["inbox"], command=HURRIED, **self.environment())
        stack.enter_context(self.inbox)
        self.start_gateway(stack)

    def new_home(self, name: str) -> Path:
        home = self.folder / name
        config = home / ".config" / "elicit-tui"
        config.mkdir(parents=True)
        (config / "config.toml").write_text(CONFIG.format(url=self.redis.url))
        return home

    def environment(self, home: Path | None = None, secret: bytes = SECRET) -> dict[str, str]:
        shown = base64.b64encode(secret).decode()
        return {"HOME": str(home or self.home), "STORE_SECRET": shown}

    def start_gateway(self, stack: ExitStack) -> None:
        self.token = self.command("gateway", "token", "add", "agent").stdout.strip()
        (port,) = free_ports(1)
        self.url = f"http://127.0.0.1:{port}/mcp"
        server = f"counting={sys.executable} {SERVERS / 'counting.py'} {self.runs}"
        told = self.folder / "gateway.log"
        with told.open("wb") as file:
            gateway = subprocess.Popen(
                [*HURRIED, "--with", server, "gateway", "counting", "--listen", self.url[7:-4]],
                stdin=subprocess.DEVNULL,
                stderr=file,
                env={**os.environ, **self.environment(), "CLOCK_AHEAD": str(AHEAD)},
                start_new_session=True,
            )
        stack.callback(gateway.wait, PATIENCE)
        stack.callback(gateway.kill)
        is_up = lambda: "listening on" in told.read_text()  # noqa: E731
        until(is_up, "the gateway does not listen", told.read_text)

    def command(self, *words: str, **more: Any) -> Ended:
        """A command of the owner's beside it all; `more` as in `environment`."""
        return run(*words, env=self.environment(**more))

    # The agent

    def calls(self, tag: str, tool: str = "run") -> Future[str]:
        """What its call comes to."""

        def call() -> str:
            headers = {**ACCEPT, "Authorization": f"Bearer {self.token}"}
            params = {"name": f"counting__{tool}", "arguments": {"tag": tag}}
            with httpx2.Client(headers=headers, timeout=PATIENCE) as client:
                response = client.post(self.url, **modern_request("tools/call", params))
            assert response.status_code == 200, response.text
            content = answer_in(response)["result"]["content"]
            return "\n".join(part.get("text", "") for part in content)

        return self.calls_under_way.submit(call)

    # The person

    def press(self, keys: str, true: Callable[[], Any], what: str) -> None:
        """Press these keys until they were taken: a question is deaf for a moment."""
        pressed = 0.0

        def taken() -> bool:
            nonlocal pressed
            if true():
                return True
            if time.monotonic() > pressed + 0.5:
                pressed = time.monotonic()
                self.inbox.type(keys)
            return False

        until(taken, what, lambda: self.inbox.news)

    def types(self, tag: str, text: str) -> None:
        """Open the question and begin to answer it."""
        news = lambda *words: all(word in self.inbox.news for word in words)  # noqa: E731
        until(lambda: news(f"Value for {tag}?"), "it is not in the list")
        self.press(ENTER, lambda: news("Cancel"), "it does not open")
        self.press(text, lambda: news("ready to send"), "nothing is typed")

    # What is seen

    def heard(self, tag: str) -> list[list[str]]:
        """What its server heard as an answer."""
        steps = [line.split(" ") for line in self.runs.read_text().splitlines()]
        return [words[2:] for words in steps if words[:2] == ["got", tag]]

    def ran(self, tag: str) -> int:
        return self.runs.read_text().splitlines().count(f"ran {tag}")

    def row(self, tag: str) -> Row:
        """The one row of the ledger about it, once that has an end."""

        def decided() -> Row | None:
            path = self.home / ".local" / "state" / "elicit-tui" / "ledger.sqlite3"
            with closing(Ledger.open(path, create=False)) as ledger:
                assert ledger.verify().ok
                rows = [row for row in ledger.rows() if tag in str(row.message)]
            assert len(rows) <= 1
            return rows[0] if rows and rows[0].decided_by is not None else None

        found: Row = until(decided, "no end in the ledger")
        return found

    def assert_answered_once(self, call: Future[str], tag: str) -> str:
        """Everybody saw the same accept; what was answered."""
        told = call.result(PATIENCE)
        ((action, value),) = self.heard(tag)
        assert (action, self.ran(tag)) == ("accept", 1), (action, told)
        assert f"'value': '{value}'" in told
        row = self.row(tag)
        assert (row.action, row.decided_by, row.content) == ("accept", "user", {"value": value})
        return value
