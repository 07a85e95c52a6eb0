"""The way back from an authorization page: a listener on this machine, or an address pasted.

The browser is sent to `http://127.0.0.1:PORT/callback?code=…&state=…` (RFC 8252, 7.3). The listener
is bound before that address is told to anybody, answers with a page that says only that it is done,
and takes one answer, which must carry the state of this login.
"""

from __future__ import annotations

import asyncio
import errno
import secrets
import socket
import sys
from typing import Final
from urllib.parse import parse_qs, urlsplit

from elicit_tui.errors import LoginError

HOST: Final = "127.0.0.1"
PATH: Final = "/callback"
_LONGEST_HEAD: Final = 16 * 1024
_HEAD_SECONDS: Final = 10.0
_MOST_CONNECTIONS: Final = 32
"""At once; the one that has been silent longest makes room, so that a browser always gets in."""
_LONGEST_ADDRESS: Final = 16 * 1024

DONE: Final = "This step is done. You can close this window and go back to elicit-tui."
NOT_THIS: Final = "This is not the page that elicit-tui waits for."

_PAGE: Final = (
    "<!doctype html><html lang=en><meta charset=utf-8><title>elicit-tui</title>"
    "<p style='font:1.2em sans-serif;margin:3em'>{}</p>"
)
_HEAD: Final = (
    "HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {length}\r\n"
    "Cache-Control: no-store\r\nContent-Security-Policy: default-src 'none'; "
    "style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n"
    "Referrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n"
    "X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n"
)


class Redirect:
    """What the browser brings back to one login: once, and only with that login's state."""

    def __init__(self, uri: str, state: str) -> None:
        self._uri = urlsplit(uri)
        self._state = state
        self.code: str | None = None
        self.issuer: str | None = None
        """`iss` as it came (RFC 9207)."""
        self.error: str | None = None
        """The authorization server's word for why it gives none (RFC 6749, 4.1.2.1); hostile."""
        self.came = asyncio.Event()

    def take(self, address: str) -> str | None:
        """Take the address that the browser ended at; why it is not the one, in a sentence."""
        try:
            # Cut to a length first, so that no address takes long to be read.
            parts = urlsplit(address.strip()[:_LONGEST_ADDRESS])
            parameters = parse_qs(parts.query, keep_blank_values=True, max_num_fields=50)
            address.encode()  # Half a character is in no address.
        except ValueError:
            return "That is no address."
        if (parts.scheme, parts.netloc, parts.path) != tuple(self._uri[:3]):
            return "That is not the address that the page leads back to."
        if any(len(values) > 1 for values in parameters.values()):
            return "That address says something twice."
        fields = {name: values[0] for name, values in parameters.items()}
        # In the same time whatever is wrong, so that nobody learns the state by trying.
        if not secrets.compare_digest(fields.get("state", "").encode(), self._state.encode()):
            return "That address belongs to another login."
        if self.came.is_set():
            return "That address was used already."
        self.issuer = fields.get("iss")
        if fields.get("error"):
            self.error = fields["error"]
        elif fields.get("code"):
            self.code = fields["code"]
        else:
            # Nothing is taken yet: the browser may come once more.
            return "That address holds no code."
        self.came.set()
        return None


class RedirectListener:
    """Listens on 127.0.0.1 for as long as one login goes on."""

    def __init__(self, port: int | None = None, *, also_another: bool = False) -> None:
        """Bind the port, any free one where None is given.

        `also_another`: take any where this one is in use. Raises LoginError.
        """
        try:
            self._socket = _bound(port or 0)
        # A port that is in use is another program's: what it would be told is a code.
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise LoginError(
                    f"No port could be opened for the browser to come back to: {error.strerror}."
                ) from None
            if not also_another:
                raise LoginError(
                    f"The port {port} of this machine is in use, and the authorization server "
                    "leads back to that one only; end what uses it, or change callback_port."
                ) from None
            self._socket = _bound(0)
        self.port: int = self._socket.getsockname()[1]
        self._server: asyncio.Server | None = None
        self._redirect: Redirect | None = None
        self._silent: list[asyncio.StreamWriter] = []
        """Connections that have not asked for anything yet, the oldest first."""

    @property
    def uri(self) -> str:
        """Where the browser is to come back to."""
        return f"http://{HOST}:{self.port}{PATH}"

    async def listen(self, redirect: Redirect) -> None:
        """Begin to take what comes for this login."""
        self._redirect = redirect
        self._server = await asyncio.start_server(
            self._answer, sock=self._socket, limit=_LONGEST_HEAD
        )

    def close(self) -> None:
        """Listen no more."""
        if self._server is not None:
            self._server.close()
        self._socket.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._silent.append(writer)
        if len(self._silent) > _MOST_CONNECTIONS:
            self._silent.pop(0).close()
        try:
            head = await asyncio.wait_for(_head(reader), _HEAD_SECONDS)
            done = head is not None and self._takes(head)
            body = _PAGE.format(DONE if done else NOT_THIS).encode()
            status = "200 OK" if done else "400 Bad Request"
            writer.write(_HEAD.format(status=status, length=len(body)).encode() + body)
            await writer.drain()
        except (OSError, ValueError, asyncio.TimeoutError, asyncio.IncompleteReadError):
            pass  # Whoever it was did not speak HTTP, or left.
        finally:
            if writer in self._silent:
                self._silent.remove(writer)
            writer.close()

    def _takes(self, head: str) -> bool:
        lines = head.split("\r\n")
        method, _, rest = lines[0].partition(" ")
        target = rest.partition(" ")[0]
        hosts = [
            value.strip()
            for name, _, value in (line.partition(":") for line in lines[1:])
            if name.strip().lower() == "host"
        ]
        # Another name for this machine: a page that had its own name lead here (DNS rebinding).
        if method != "GET" or hosts != [f"{HOST}:{self.port}"] or not target.startswith("/"):
            return False
        assert self._redirect is not None
        return self._redirect.take(f"http://{HOST}:{self.port}{target}") is None


def _bound(port: int) -> socket.socket:
    bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    if sys.platform == "win32":
        # Without it another program could bind the same port beside this one.
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
    else:
        # The same port at the next login, also while the last connection to it is forgotten.
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((HOST, port))
        bound.listen(8)
    except OSError:
        bound.close()
        raise
    bound.setblocking(False)
    return bound


async def _head(reader: asyncio.StreamReader) -> str | None:
    """The head of one request; None where it is too long."""
    try:
        return (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    except asyncio.LimitOverrunError:
        return None
