"""Processes of elicit-tui that call one tool of a server that wants a login, all begun at once.

Each line on standard input is `{"env": {…}, "port": …, "processes": …, "dies_at": …}`. All is
imported once, and each process is a fork: it writes how its call ended, and how often its person
was asked. `dies_at`: it kills itself there, "before" a login is saved or "in" the middle of that.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

from elicit_tui.logins import LoginShelf
from elicit_tui.paths import logins_directory
from tests.logins.browser import LoginServer, run, run_async


def main() -> None:
    for line in sys.stdin:
        asked = json.loads(line)
        children = [_forked(asked) for _ in range(asked["processes"])]
        ends = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
        print(json.dumps({"ends": ends}), flush=True)


def _forked(asked: dict[str, Any]) -> int:
    child = os.fork()
    if child:
        return child
    status = 1
    try:
        os.environ.clear()
        os.environ.update(asked["env"])
        _die(asked["dies_at"])
        ended = json.dumps(run_async(_called(LoginServer(asked["port"])))) + "\n"
        os.write(1, ended.encode())
        status = 0
    finally:
        os._exit(status)


async def _called(server: LoginServer) -> dict[str, Any]:
    async with run(server) as ours:
        return {"text": await ours.call(), "asked": len(ours.person.asked)}


def _die(at: str | None) -> None:
    def dies(*given: Any) -> Any:
        os.kill(os.getpid(), signal.SIGKILL)

    replace = Path.replace

    def dies_there(path: Path, target: Any) -> Any:
        return dies() if Path(target).parent == logins_directory() else replace(path, target)

    if at == "before":
        LoginShelf.save = dies  # type: ignore[method-assign]
    elif at == "in":
        Path.replace = dies_there  # type: ignore[method-assign,assignment]


if __name__ == "__main__":
    main()
