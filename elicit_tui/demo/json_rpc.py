"""Newline-delimited JSON-RPC 2.0 on standard input and output (spec: basic/transports, "stdio")."""

from __future__ import annotations

import asyncio
import json
import sys
import threading
from collections.abc import Iterator
from typing import Any

METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
URL_ELICITATION_REQUIRED = -32042

Message = dict[str, Any]


class JsonRpcError(Exception):
    """A JSON-RPC error: raised by a handler to send one, and where one came as an answer."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        self.code = code
        self.message = message
        self.data = data
        super().__init__(message)


class JsonRpcStdio:
    """Both directions of one connection; nothing here knows what the messages mean."""

    def __init__(self) -> None:
        self._incoming: asyncio.Queue[Message | None] = asyncio.Queue()
        self._waiting: dict[str, asyncio.Future[Any]] = {}
        self._last_id = 0
        self._loop = asyncio.get_running_loop()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        """Standard input, line by line, in a thread: the one way that works on every platform."""
        for message in _messages():
            self._loop.call_soon_threadsafe(self._incoming.put_nowait, message)
        self._loop.call_soon_threadsafe(self._incoming.put_nowait, None)

    async def receive(self) -> Message | None:
        """The next request or notification; None once the client has closed the connection."""
        while True:
            message = await self._incoming.get()
            if message is None:
                return None
            if "method" in message:
                return message
            self._settle(message)

    def _settle(self, message: Message) -> None:
        future = self._waiting.pop(str(message.get("id")), None)
        if future is None or future.done():
            return
        error = message.get("error")
        if isinstance(error, dict):
            code, text = error.get("code", 0), str(error.get("message", ""))
            future.set_exception(JsonRpcError(code, text, error.get("data")))
        else:
            future.set_result(message.get("result"))

    def start_request(self, method: str, params: Message) -> tuple[str, asyncio.Future[Any]]:
        """Send a request of ours; its id, and a future of the client's answer."""
        self._last_id += 1
        request_id = f"demo-{self._last_id}"
        future: asyncio.Future[Any] = self._loop.create_future()
        self._waiting[request_id] = future
        self._send({"id": request_id, "method": method, "params": params})
        return request_id, future

    def forget(self, request_id: str) -> None:
        """No answer to this request is expected any more."""
        self._waiting.pop(request_id, None)

    def notify(self, method: str, params: Message) -> None:
        """Send a notification."""
        self._send({"method": method, "params": params})

    def answer(self, request_id: Any, result: Message) -> None:
        """Answer a request of the client."""
        self._send({"id": request_id, "result": result})

    def refuse(self, request_id: Any, error: JsonRpcError) -> None:
        """Answer a request of the client with an error."""
        body: Message = {"code": error.code, "message": error.message}
        if error.data is not None:
            body["data"] = error.data
        self._send({"id": request_id, "error": body})

    def _send(self, message: Message) -> None:
        line = json.dumps({"jsonrpc": "2.0", **message}) + "\n"
        sys.stdout.buffer.write(line.encode("ascii"))
        sys.stdout.buffer.flush()


def _messages() -> Iterator[Message]:
    for line in sys.stdin.buffer:
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(message, dict):
            yield message
