"""Hooks for tests: real programs, a real HTTP server, and a broker whose person is scripted."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from elicit_tui.elicitation.settings import GuardianSettings, Hook, HookEvent, Layer, OwnerRule

SCRIPT = Path(__file__).parents[1] / "servers" / "hook.py"


def command(behaviour: str, log: Path, *more: str) -> tuple[str, ...]:
    """The command of a hook that behaves so and keeps what it read in `log`."""
    return (sys.executable, "-I", "-S", str(SCRIPT), behaviour, str(log), *more)


def answer(action: str, event: str = "Elicitation", **content: Any) -> str:
    """An answer in the nested form of Claude Code."""
    inner: dict[str, Any] = {"hookEventName": event, "action": action}
    if content:
        inner["content"] = content
    return json.dumps({"hookSpecificOutput": inner})


def hook(
    event: HookEvent,
    command: tuple[str, ...] | None = None,
    *,
    position: int = 1,
    layer: Layer = "user",
    **more: Any,
) -> Hook:
    """A hook with little time."""
    return Hook(
        event, command=command, position=position, layer=layer, **{"timeout_sec": 5, **more}
    )


def read(log: Path) -> list[dict[str, Any]]:
    """What a hook was told, one entry for each time it ran."""
    if not log.exists():
        return []
    return [json.loads(line) for line in log.read_text().splitlines()]


class Receiver:
    """A real HTTP server on loopback that answers as it is told, and keeps what it got.

    It behaves so wherever it is asked, or by the path that it is asked at.
    """

    def __init__(self) -> None:
        self.got: list[tuple[bytes, str]] = []
        self.headers: list[dict[str, str]] = []
        """Of each request, by their names in small letters."""
        self.asked_at: list[str] = []
        """The path of each request."""
        self.behaviour = "passes"
        self.text = ""
        self.status = 200
        self.encoding: str | None = None
        self.pages: dict[str, tuple[str, str]] = {}
        """A behaviour and a text for some paths."""
        self.url = ""

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        length = int(handler.headers.get("content-length") or 0)
        self.got.append((handler.rfile.read(length), handler.headers.get("content-type") or ""))
        self.headers.append({name.lower(): value for name, value in handler.headers.items()})
        self.asked_at.append(handler.path)
        behaviour, text = self.pages.get(handler.path, (self.behaviour, self.text))
        if behaviour == "crashes":
            handler.connection.close()
            return
        handler.send_response(self.status)
        if self.encoding is not None:
            handler.send_header("content-encoding", self.encoding)
        if behaviour == "hangs":
            handler.end_headers()
            with_bound = time.monotonic() + 30
            while time.monotonic() < with_bound:
                handler.wfile.write(b" ")
                handler.wfile.flush()
                time.sleep(0.1)
            return
        handler.end_headers()
        if behaviour == "nonsense":
            handler.wfile.write(b"I think yes")
        elif behaviour == "floods":
            for _ in range(50):
                handler.wfile.write(b"x" * 1_000_000)
        else:
            handler.wfile.write(text.encode())


@contextmanager
def receiving() -> Iterator[Receiver]:
    """Such a server while the block runs."""
    receiver = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            try:
                receiver.answer(self)
            except OSError:
                self.close_connection = True

        def log_message(self, *words: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    receiver.url = f"http://127.0.0.1:{server.server_address[1]}/hook"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)


SENT = {"colour": "red"}
WARNS = GuardianSettings(rules=(OwnerRule("acme.ticket", "warn", "ACME"),))
PAGE = {"mode": "url", "url": "https://example.com/sign-in", "elicitationId": "page-1"}


def accepting(log: Path, **content: Any) -> tuple[str, ...]:
    return command("answers", log, answer("accept", **content))
