"""The way back from an authorization page: once, with this login's state, from this machine."""

from __future__ import annotations

import asyncio
import socket

import pytest

from elicit_tui.errors import LoginError
from elicit_tui.logins import Redirect, RedirectListener

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
    answer = await asyncio.wait_for(reader.read(), 10)
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


def test_a_port_in_use_is_said_or_another_is_taken() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(LoginError, match=f"The port {port}"):
            RedirectListener(port)
        other = RedirectListener(port, also_another=True)
        assert other.port != port
        other.close()
