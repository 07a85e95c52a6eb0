"""Servers and authorization servers that lie: what is refused, and by which check."""

from __future__ import annotations

import socket
from contextlib import nullcontext
from typing import Any

import httpx2
import pytest

from elicit_tui.cli.logins import described
from elicit_tui.elicitation import (
    LoginPage,
    Outcome,
    Question,
    ServerIdentity,
    authorization_request,
    decline,
)
from elicit_tui.elicitation.settings import LoginSettings, ServerSettings, Settings
from elicit_tui.errors import LoginError, ServerError
from elicit_tui.host.login_requests import CheckedRequests, check_address
from elicit_tui.policy import issuer_refusal
from elicit_tui.responders.browser import may_open
from tests.logins.browser import (
    CANARIES,
    COMMAND,
    LoginServer,
    kept,
    refused,
    run,
    run_async,
    shelf,
)

FORBIDS = Settings(logins=LoginSettings(issuers=()))


@pytest.mark.parametrize(
    ("ways", "why"),
    [
        ({"metadata": {"issuer": "http://127.0.0.1:1"}}, "names another issuer"),
        ({"resource": {"resource": "http://127.0.0.1:1/mcp"}}, "that of another resource"),
        ({"metadata": {"authorization_endpoint": "file:///etc/passwd"}}, "cannot be used"),
        ({"metadata": {"authorization_endpoint": "http://as.example/a"}}, "which is not https"),
        ({"metadata": {"token_endpoint": "http://as.example/t"}}, "which is not https"),
        (
            {"metadata": {"registration_endpoint": "https://u:p@as.example/r"}},
            "an address with a user name in it",
        ),
        (
            {"metadata": {"authorization_endpoint": "https://as.example/a?state=theirs"}},
            "parameters that are ours to give",
        ),
        ({"metadata": {"code_challenge_methods_supported": ["plain"]}}, "PKCE"),
        ({"padding": 50 * 1024 * 1024}, "more than 1 MiB"),
        ({"metadata": {"authorization_endpoint": f"https://as.example/{'a' * 8000}"}}, "too long"),
        (
            {"resource": None, "metadata": {"issuer": "https://accounts.example.com"}},
            "names another issuer",
        ),
        ({"leads_to": ""}, "cannot be used"),
        ({"leads_to": "file:///etc/passwd"}, "cannot be used"),
        ({"leads_to": "http://10.0.0.1/metadata"}, "cannot be used"),
        ({"where": "file:///etc/passwd"}, "no http or https address"),
        ({"where": "http://10.0.0.1/metadata"}, "which is not https"),
        ({"where": "https://u:p@127.0.0.1/metadata"}, "an address with a user name in it"),
        ({"resource": {"authorization_servers": ["http://10.0.0.1"]}}, "which is not https"),
        ({"iss": "https://mix.up.example"}, "in the name of another issuer"),
        ({"resource": {"scopes_supported": ["read.\u2800You"]}}, "something that is no scope"),
    ],
)
def test_a_lie_is_refused_in_one_sentence(
    server: LoginServer, ways: dict[str, Any], why: str
) -> None:
    server.reset(**ways)
    sentence, _ = run_async(refused(server))
    assert why in sentence, sentence
    assert sentence.endswith(COMMAND)
    assert "code" not in server.asked
    for canary in CANARIES:
        assert canary not in sentence


@pytest.mark.parametrize("behind", ["\r\nX-Other: 1", "\n", "\x00", "x" * 20_000])
def test_a_token_that_stands_in_no_header_is_refused_and_not_kept(
    server: LoginServer, behind: str
) -> None:
    server.reset(behind_token=behind)
    sentence, _ = run_async(refused(server))
    assert "gave a token that is none" in sentence
    assert sentence.endswith(COMMAND)
    assert not any(canary in sentence for canary in CANARIES)
    assert shelf().kept() == ()


def test_a_lifetime_that_no_clock_counts_ends_in_one_sentence(server: LoginServer) -> None:
    server.reset(lifetime=10**400)
    sentence, _ = run_async(refused(server))
    assert sentence.endswith(COMMAND)
    assert "bearer_token_env_var" not in sentence
    assert shelf().kept() == ()


@pytest.mark.parametrize("lifetime", [10**18, -(10**18)])
def test_a_token_that_is_said_to_live_for_ever_or_never_can_be_shown(
    server: LoginServer, lifetime: int
) -> None:
    server.reset(lifetime=lifetime, takes_token=lifetime > 0)

    async def calls() -> None:
        async with run(server) as ours:
            with nullcontext() if lifetime > 0 else pytest.raises(ServerError):
                await ours.call()

    run_async(calls())
    assert described(kept()).startswith(f"at {server.origin} as ")


@pytest.mark.parametrize(
    ("page", "said"),
    [
        ("https://login.example.com/a", ""),
        ("https://example.com.evil.example/a", " Its page is at another place, "),
        ("https://xn--exmple-cua.com/a", " Its page is at another place, xn--exmple-cua.com."),
    ],
)
def test_a_page_that_is_at_no_place_of_its_issuer_is_said_to_be_elsewhere(
    page: str, said: str
) -> None:
    server = ServerIdentity("remote", "http", "https://mcp.example.com/")
    for added in ((), ("read",)):
        asked = LoginPage(page, "https://auth.example.com", ("read",), added)
        message = authorization_request(server, asked).message
        assert said in message
        assert ("another place" in message) == bool(said)


def test_the_host_of_an_issuer_is_shown_to_its_end() -> None:
    issuer = f"https://accounts.example.com.{'.'.join(['a' * 60] * 3)}.evil.example/path"
    page = LoginPage("https://evil.example/authorize", issuer)
    message = authorization_request(
        ServerIdentity("remote", "http", "https://a.example/"), page
    ).message
    assert f"You log in at {issuer}." in message
    assert issuer in (issuer_refusal(FORBIDS, ServerSettings("remote"), issuer) or "")


def test_metadata_that_lead_to_another_place_are_not_fetched_there(server: LoginServer) -> None:
    with socket.create_server(("127.0.0.1", 0)) as elsewhere:
        elsewhere.setblocking(False)
        server.reset(leads_to=f"http://127.0.0.1:{elsewhere.getsockname()[1]}/metadata")
        sentence, _ = run_async(refused(server))
        with pytest.raises(BlockingIOError):
            elsewhere.accept()
    assert "cannot be used" in sentence


def test_a_login_ends_where_it_would_take_more_than_20_requests(server: LoginServer) -> None:
    async def in_circles() -> None:
        requests = CheckedRequests(server.url)
        for _ in range(20):
            await requests.send(httpx2.Request("GET", f"{server.origin}/control"))
        with pytest.raises(LoginError, match="sends us round in circles"):
            await requests.send(httpx2.Request("GET", f"{server.origin}/control"))

    run_async(in_circles())


@pytest.mark.parametrize(
    "address",
    [
        "https://127.0.0.1/token",
        "https://10.0.0.1/token",
        "https://169.254.169.254/latest",
        "https://[::1]/token",
        "https://[::ffff:10.0.0.1]/token",
        "https://2130706433/token",
        "https://localhost/token",
        "https://metadata.google.internal/token",
        "http://as.example/token",
        "file:///etc/passwd",
        "https://as.example@evil.example/token",
    ],
)
def test_a_public_server_leads_to_no_private_place_and_to_nothing_but_https(address: str) -> None:
    with pytest.raises(LoginError):
        check_address(address, near=False)
    check_address("https://as.example/token", near=False)


def test_a_page_with_shell_characters_is_handed_to_no_browser(server: LoginServer) -> None:
    page = f"{server.origin}/authorize;$(touch%20x)`id`|'"
    server.reset(metadata={"authorization_endpoint": page})

    async def looks(question: Question) -> Outcome:
        return decline("user", question.request.url or "")

    _, ours = run_async(refused(server, answer=looks))
    assert not may_open(ours.person.asked[0].request.url or "")
