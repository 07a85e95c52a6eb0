"""The way back from an authorization page: once, with this login's state, from this machine."""

from __future__ import annotations

import asyncio
import errno
import os
import socket
from contextlib import suppress

import pytest

from elicit_tui.errors import LoginError
from elicit_tui.logins import Redirect, RedirectListener, redirect
from elicit_tui.logins.redirect import DONE

URI = "http://127.0.0.1:9/callback"


@pytest.mark.parametrize(
    ("address", "why"),
    [
        (f"{URI}?code=c&state=other", "another login"),
        (f"{URI}?code=c", "another login"),
        (f"{URI}?state=s", "no code"),
        (f"{URI}?code=a&code=b&state=s", "twice"),
        ("http://127.0.0.1:10/callback?code=c&state=s", "leads back"),
        ("http://evil.example/callback?code=c&state=s", "leads back"),
        ("https://127.0.0.1:9/callback?code=c&state=s", "leads back"),
        ("http://[", "no address"),
        (f"{URI}?code=c&state=\ud800", "no address"),
    ],
)
def test_a_foreign_address_is_not_taken(address: str, why: str) -> None:
    redirect = Redirect(URI, "s")
    assert why in (redirect.take(address) or "")
    assert not redirect.came.is_set()


def test_the_right_one_is_taken_once() -> None:
    redirect = Redirect(URI, "s")
    assert redirect.take(f"  {URI}?code=c&state=s&iss=https%3A%2F%2Fas.example\n") is None
    assert (redirect.code, redirect.issuer) == ("c", "https://as.example")
    assert "used already" in (redirect.take(f"{URI}?code=d&state=s") or "")
    assert redirect.code == "c"


def test_a_denial_comes_back_as_one() -> None:
    redirect = Redirect(URI, "s")
    assert redirect.take(f"{URI}?error=access_denied&state=s") is None
    assert (redirect.code, redirect.error) == (None, "access_denied")


async def _asked(port: int, head: str) -> str:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(head.encode("latin-1"))
    answer = await asyncio.wait_for(reader.read(), 30)
    writer.close()
    return answer.decode()


def test_the_listener_takes_its_own_page_and_says_only_that_it_is_done() -> None:
    async def talk() -> tuple[list[str], str | None]:
        listener = RedirectListener()
        redirect = Redirect(listener.uri, "s")
        await listener.listen(redirect)
        asks = [
            ("GET /other?code=canary&state=s", f"127.0.0.1:{listener.port}"),
            ("GET /callback?code=canary&state=s", f"rebound.example:{listener.port}"),
            ("POST /callback?code=canary&state=s", f"127.0.0.1:{listener.port}"),
            ("GET /callback?code=canary&state=s", f"127.0.0.1:{listener.port}"),
            ("GET /callback?code=later&state=s", f"127.0.0.1:{listener.port}"),
        ]
        answers = [
            await _asked(listener.port, f"{line} HTTP/1.1\r\nHost: {host}\r\n\r\n")
            for line, host in asks
        ]
        listener.close()
        return answers, redirect.code

    answers, code = asyncio.run(talk())
    assert [answer.split()[1] for answer in answers] == ["400", "400", "400", "200", "400"]
    assert code == "canary"
    assert not any("canary" in answer for answer in answers)


def test_its_page_runs_nothing_loads_nothing_and_stands_in_no_frame() -> None:
    async def talk() -> str:
        listener = RedirectListener()
        await listener.listen(Redirect(listener.uri, "s"))
        line = "GET /callback?error=<script>x</script>&error_description=<b>&state=s HTTP/1.1"
        answer = await _asked(listener.port, f"{line}\r\nHost: 127.0.0.1:{listener.port}\r\n\r\n")
        listener.close()
        return answer

    head, _, page = asyncio.run(talk()).partition("\r\n\r\n")
    assert head.startswith("HTTP/1.1 200 ")
    policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
    assert f"Content-Security-Policy: {policy}; frame-ancestors 'none'\r\n" in head
    assert "Cache-Control: no-store\r\n" in head
    assert "Referrer-Policy: no-referrer\r\n" in head
    assert DONE in page
    assert not [sign for sign in ("script", "<b>", "http", "src=", "href=") if sign in page]


def test_silent_connections_and_endless_ones_do_not_keep_the_browser_out() -> None:
    async def talk() -> tuple[list[bytes], str | None]:
        listener = RedirectListener()
        redirect = Redirect(listener.uri, "s")
        await listener.listen(redirect)
        silent = [await asyncio.open_connection("127.0.0.1", listener.port) for _ in range(40)]
        reader, endless = await asyncio.open_connection("127.0.0.1", listener.port)
        endless.write(b"GET /callback?" + b"a" * 1_000_000)
        with suppress(OSError):
            await asyncio.wait_for(reader.read(), 30)
        # The oldest of the silent ones had to go.
        ended = [await asyncio.wait_for(silent[number][0].read(), 5) for number in range(8)]
        host = f"127.0.0.1:{listener.port}"
        await _asked(
            listener.port, f"GET /callback?code=c&state=s HTTP/1.1\r\nHost: {host}\r\n\r\n"
        )
        for _, writer in silent:
            writer.close()
        endless.close()
        listener.close()
        return ended, redirect.code

    assert asyncio.run(talk()) == ([b""] * 8, "c")


def test_why_no_port_can_be_opened_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*given: object) -> None:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    monkeypatch.setattr(redirect.socket, "socket", full)
    for port, also_another in ((None, False), (8080, True)):
        with pytest.raises(LoginError, match=r"No port could be opened.*Too many open files"):
            RedirectListener(port, also_another=also_another)


def test_a_port_in_use_is_said_or_another_is_taken() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(LoginError, match=f"The port {port}"):
            RedirectListener(port)
        other = RedirectListener(port, also_another=True)
        assert other.port != port
        other.close()
