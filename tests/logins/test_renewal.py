"""A login that goes on: renewed before it ends, at the right place, else asked for anew."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import pytest

from tests.logins.browser import (
    COMMAND,
    LoginServer,
    called,
    kept_whole,
    refused,
    run_async,
    shelf,
)


def aged(seconds: float = 10.0) -> None:
    """The token that is kept ends so many seconds from now."""
    shelf().save(replace(kept_whole(), expires_at=time.time() + seconds))


def test_a_cold_start_with_a_token_that_ended_renews_it_at_the_right_place(
    server: LoginServer,
) -> None:
    run_async(called(server))
    aged(-5)
    later = run_async(called(server))
    assert later.person.asked == []
    assert server.asked[3:] == [f"refresh {server.url}"]


def test_a_token_is_renewed_ahead_of_its_end_and_the_newest_is_kept(server: LoginServer) -> None:
    run_async(called(server))
    before = kept_whole()
    aged(30)
    run_async(called(server))
    after = kept_whole()
    assert after.refresh_token != before.refresh_token
    assert after.expires_at > time.time() + 3000


def test_a_token_that_is_refused_early_is_renewed(server: LoginServer) -> None:
    run_async(called(server))
    server.change(forget_access=True)
    assert run_async(called(server)).person.asked == []
    assert server.asked[3:] == [f"refresh {server.url}"]


def test_a_server_that_does_not_rotate_keeps_its_refresh_token(server: LoginServer) -> None:
    server.reset(rotates=False)
    run_async(called(server))
    before = kept_whole()
    aged()
    run_async(called(server))
    assert kept_whole().refresh_token == before.refresh_token


@pytest.mark.parametrize("seconds", [3600, -3600])
def test_a_clock_that_is_an_hour_off_costs_a_renewal_and_no_login(
    server: LoginServer, monkeypatch: pytest.MonkeyPatch, seconds: float
) -> None:
    run_async(called(server))
    right = time.time
    monkeypatch.setattr(time, "time", lambda: right() + seconds)
    if seconds < 0:
        server.change(forget_access=True)  # It has ended, and this machine does not know.
    assert run_async(called(server)).person.asked == []
    assert run_async(called(server)).person.asked == []
    assert server.asked[3:] == [f"refresh {server.url}"]


def test_a_login_that_was_revoked_is_asked_for_anew_and_only_it_is_forgotten(
    server: LoginServer,
) -> None:
    run_async(called(server))
    other = replace(kept_whole(), server_url="https://other.example/mcp", resource="https://o")
    shelf().save(other)
    server.change(forget_access=True, forget_refresh=True)
    later = run_async(called(server))
    assert len(later.person.asked) == 1
    assert "register" not in server.asked[3:]
    assert shelf().of_server(other.server_url).refresh_token == other.refresh_token  # type: ignore[union-attr]


def test_a_client_that_is_not_known_any_more_registers_anew(server: LoginServer) -> None:
    run_async(called(server))
    server.reset()
    assert len(run_async(called(server)).person.asked) == 1
    assert server.asked == ["register", "authorize", "code"]


def test_a_revoked_login_with_nobody_there_ends_in_one_sentence(server: LoginServer) -> None:
    run_async(called(server))
    server.change(forget_access=True, forget_refresh=True)
    sentence, _ = run_async(refused(server, present=False))
    assert sentence == f"The server remote wants a login. {COMMAND}"


def test_an_authorization_server_that_is_down_costs_no_login(server: LoginServer) -> None:
    run_async(called(server))
    server.change(forget_access=True, token_status=503)
    sentence, ours = run_async(refused(server))
    assert "its login could not be renewed (HTTP 503)" in sentence
    assert "canary" not in sentence
    assert ours.person.asked == []
    server.change(token_status=None)
    assert run_async(called(server)).person.asked == []


@pytest.mark.parametrize(
    "spoilt",
    [
        {"authorization_server": {"issuer": 7}},
        {"protected_resource": {"resource": "https://elsewhere.example/", "x": 1}},
        {"client": {"redirect_uris": "none"}},
    ],
    ids=lambda spoilt: next(iter(spoilt)),
)
@pytest.mark.parametrize("renewable", [True, False])
def test_a_login_of_which_nothing_that_is_kept_can_be_used_is_asked_for_anew(
    server: LoginServer, spoilt: dict[str, Any], renewable: bool
) -> None:
    run_async(called(server))
    whole = kept_whole()
    refresh_token = whole.refresh_token if renewable else None
    shelf().save(replace(whole, refresh_token=refresh_token, **spoilt))
    server.change(forget_access=True)
    assert len(run_async(called(server)).person.asked) == 1
    assert run_async(called(server)).person.asked == []
