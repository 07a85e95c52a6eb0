"""A server that wants a login: from its first refusal to its last, against real servers."""

from __future__ import annotations

import asyncio
from contextlib import closing, nullcontext
from types import SimpleNamespace
from typing import Any, cast
from urllib.parse import parse_qs, unquote, urlsplit

import httpx2
import pytest
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken

from elicit_tui.elicitation import Outcome, Question, cancel, decline
from elicit_tui.elicitation.settings import (
    ElicitationSettings,
    LoginSettings,
    OAuthSettings,
    ServerSettings,
)
from elicit_tui.errors import ServerError
from elicit_tui.host.login_auth import Authorization
from elicit_tui.host.oauth import Memory, OAuthFlow
from elicit_tui.ledger import Ledger
from elicit_tui.logins import Login, LoginShelf
from elicit_tui.paths import logins_directory
from tests.logins.browser import (
    CANARIES,
    COMMAND,
    LoginServer,
    agrees,
    called,
    ended_at,
    follow,
    kept,
    kept_whole,
    paste,
    refused,
    run,
    run_async,
    shelf,
    written,
)

NOT_TAKEN = "does not take the login that it asked for."


# The first login


def test_a_person_is_asked_once_and_every_later_process_has_the_login(server: LoginServer) -> None:
    ours = run_async(called(server))
    (question,) = ours.person.asked
    assert question.request.kind == "authorization"
    assert question.request.mode == "url"
    assert question.request.message == (
        f"“remote” ({server.origin[7:]}) wants a login. You log in at {server.origin}. "
        "It asks for: read."
    )
    assert [finding.rule for finding in question.review.findings] == ["url.address"]
    (end,) = ours.ended
    assert (end.outcome.action, end.outcome.decided_by) == ("accept", "user")
    assert end.outcome.content is None
    later = run_async(called(server))
    assert later.person.asked == []
    assert server.asked == ["register", "authorize", "code"]


def test_the_ledger_has_the_login_and_nothing_that_was_written_has_a_token(
    server: LoginServer,
) -> None:
    run_async(called(server, answer=paste))
    files = written()
    assert any(path.name.startswith("ledger") for path in files)
    for path, content in files.items():
        for canary in CANARIES:
            assert canary.encode() not in content, path
    with closing(Ledger.open(logins_directory().parent / "ledger.sqlite3", create=False)) as ledger:
        (row,) = ledger.rows()
    assert (row.kind, row.action, row.decided_by) == ("authorization", "accept", "user")


def test_an_error_that_nobody_foresaw_tells_no_token(
    server: LoginServer, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def breaks(self: LoginShelf, login: Login) -> Login:
        assert "access-canary" in login.access_token
        raise RuntimeError(f"{login} {self}")

    monkeypatch.setattr(LoginShelf, "save", breaks)
    sentence, _ = run_async(refused(server, answer=paste))
    shown = (sentence, *capfd.readouterr())
    for canary in CANARIES:
        assert not any(canary in text for text in shown)
        assert not any(canary.encode() in content for content in written().values())


def test_what_a_login_is_made_of_is_printed_without_its_secrets() -> None:
    token = OAuthToken(access_token="access-canary", refresh_token="refresh-canary")
    client = OAuthClientInformationFull(
        client_id="c", client_secret="secret-canary", redirect_uris=None
    )
    assert "canary" not in repr(Memory(token, client, token))


def test_an_address_pasted_from_another_machine_does(server: LoginServer) -> None:
    ours = run_async(called(server, answer=paste))
    assert len(ours.person.asked) == 1


def test_a_foreign_address_is_given_back_until_the_right_one_comes(server: LoginServer) -> None:
    async def wrong_first(question: Question) -> Outcome:
        address = await ended_at(question)
        if question.attempt == 1:
            return agrees(question, address.replace("state=", "state=x"))
        assert "another login" in (question.note or "")
        return agrees(question, address)

    ours = run_async(called(server, answer=wrong_first))
    assert [question.attempt for question in ours.person.asked] == [1, 2]


def test_who_says_that_they_are_done_too_early_is_asked_again(server: LoginServer) -> None:
    async def too_early(question: Question) -> Outcome:
        if question.attempt == 1:
            return agrees(question)
        assert "has not led back" in (question.note or "")
        return await follow(question)

    assert len(run_async(called(server, answer=too_early)).person.asked) == 2


def test_the_question_ends_by_itself_when_the_page_has_led_back(server: LoginServer) -> None:
    async def never_says_so(question: Question) -> Outcome:
        question.draft.opened = True
        question.draft.acknowledged = agrees(question).acknowledged
        await follow(question)
        return await asyncio.Event().wait()  # type: ignore[return-value]

    (end,) = run_async(called(server, answer=never_says_so)).ended
    assert (end.outcome.action, end.outcome.decided_by) == ("accept", "user")


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (decline("user", "You declined."), "declined"),
        (cancel("user", "You dismissed it."), "dismissed"),
    ],
)
def test_without_a_consent_one_sentence_names_the_command(
    server: LoginServer, answer: Outcome, why: str
) -> None:
    async def refuses(question: Question) -> Outcome:
        return answer

    sentence, ours = run_async(refused(server, answer=refuses))
    assert len(ours.person.asked) == 1
    assert sentence.startswith("The server remote wants a login, and ")
    assert sentence.endswith(COMMAND)
    assert why in sentence
    assert "code" not in server.asked


def test_a_login_in_another_window_ends_the_question_here(server: LoginServer) -> None:
    async def here(question: Question) -> Outcome:
        await called(server)
        return await asyncio.Event().wait()  # type: ignore[return-value]

    (end,) = run_async(called(server, answer=here)).ended
    assert (end.outcome.action, end.outcome.decided_by) == (None, "server")
    assert end.outcome.reason == "Somebody logged in to it from another window."


def test_a_login_in_another_window_is_seen_also_where_another_request_has_read_it_first(
    server: LoginServer,
) -> None:
    async def seen() -> list[bool]:
        connection: Any = SimpleNamespace(settings=ServerSettings("remote", url=server.url))
        asking = Authorization(connection, cast("Any", None), shelf(), nullcontext)
        before = await asking._elsewhere()
        await called(server)
        assert asking._read() is not None
        return [before is not None, await asking._elsewhere() is not None]

    assert run_async(seen()) == [False, True]


def test_a_login_that_is_denied_on_the_page_says_so(server: LoginServer) -> None:
    server.reset(consent="deny")
    sentence, _ = run_async(refused(server))
    assert 'it was refused on the page (it says "access_denied")' in sentence


def test_a_login_that_is_abandoned_ends_in_time_and_its_page_leads_nowhere(
    server: LoginServer,
) -> None:
    async def leaves(question: Question) -> Outcome:
        return await asyncio.Event().wait()  # type: ignore[return-value]

    soon = ElicitationSettings(timeout_sec=0.2)
    sentence, ours = run_async(refused(server, answer=leaves, elicitation=soon))
    assert sentence == (f"The server remote wants a login, and nobody answered in time. {COMMAND}")
    with pytest.raises(httpx2.ConnectError):
        asyncio.run(follow(ours.person.asked[0]))
    assert "code" not in server.asked


def test_a_page_that_leads_back_twice_makes_one_login(server: LoginServer) -> None:
    async def twice(question: Question) -> Outcome:
        await follow(question)
        address = await ended_at(question)
        async with httpx2.AsyncClient() as browser:
            shown = await browser.get(address)
        assert (shown.status_code, "not the page" in shown.text) == (400, True)
        return agrees(question, address)

    assert len(run_async(called(server, answer=twice)).person.asked) == 1
    assert server.asked == ["register", "authorize", "authorize", "code"]


def test_the_code_of_another_login_gives_no_token(server: LoginServer) -> None:
    codes: list[str] = []

    async def keeps_the_code(question: Question) -> Outcome:
        codes.append(code_of(await ended_at(question)))
        return decline("user", "You declined.")

    async def brings_that_code(question: Question) -> Outcome:
        address = await ended_at(question)
        return agrees(question, address.replace(code_of(address), codes[0]))

    run_async(called(server))
    shelf().forget_tokens(kept_whole())
    run_async(refused(server, answer=keeps_the_code))
    sentence, _ = run_async(refused(server, answer=brings_that_code))
    assert 'its authorization server gave no token (it says "invalid_grant")' in sentence
    assert "canary" not in sentence
    assert "register" not in server.asked[1:]
    assert "code" not in server.asked[3:]


def code_of(address: str) -> str:
    return parse_qs(urlsplit(address).query)["code"][0]


def test_with_nobody_there_nothing_is_asked_and_the_command_is_named(server: LoginServer) -> None:
    sentence, ours = run_async(refused(server, present=False))
    assert sentence == f"The server remote wants a login. {COMMAND}"
    assert server.asked == []
    assert ours.person.asked == []


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"approval_policy": "never"}, 'approval_policy = "never"'),
        ({"logins": LoginSettings(allow=False)}, "logins.allow = false"),
        ({"logins": LoginSettings(issuers=("https://as.example",))}, "not among logins.issuers"),
        ({"oauth": OAuthSettings(issuer="https://as.example")}, "mcp_servers.remote.oauth.issuer"),
    ],
)
def test_what_the_owner_or_the_administrator_forbids_is_not_asked(
    server: LoginServer, more: dict[str, Any], why: str
) -> None:
    sentence, ours = run_async(refused(server, **more))
    assert why in sentence
    assert ours.person.asked == []
    assert server.asked == []


# Whom the token is shown


def test_a_token_goes_to_the_origin_of_its_server_and_nowhere_else(server: LoginServer) -> None:
    run_async(called(server))
    connection: Any = SimpleNamespace(settings=ServerSettings("remote", url=server.url))
    authorization = Authorization(connection, cast("Any", None), shelf(), nullcontext)

    async def shown(url: str) -> bool:
        flow = authorization.async_auth_flow(httpx2.Request("POST", url))
        sent = await anext(flow)
        await flow.aclose()
        return "Authorization" in sent.headers

    assert run_async(shown(f"{server.origin}/other"))
    port = server.origin.rpartition(":")[2]
    for foreign in (
        "http://127.0.0.1:1/mcp",
        "http://evil.example/mcp",
        f"http://localhost:{port}/",
    ):
        assert not run_async(shown(foreign))


@pytest.mark.parametrize(
    ("method", "told"), [("POST", None), ("GET", None), ("DELETE", "It wants a login.")]
)
def test_what_goes_wrong_after_a_refusal_is_not_told_as_the_refusal(
    method: str, told: str | None
) -> None:
    url = "https://mcp.example/mcp"
    connection: Any = SimpleNamespace(settings=ServerSettings("remote", url=url))
    connection.login_refusal = "It wants a login."
    authorization = Authorization(connection, cast("Any", None), shelf(), nullcontext)

    async def fails() -> None:
        flow = authorization.async_auth_flow(httpx2.Request(method, url))
        await anext(flow)
        with pytest.raises(StopAsyncIteration):
            await flow.asend(httpx2.Response(500))

    run_async(fails())
    assert connection.login_refusal == told


# More than was allowed


def test_a_step_up_in_a_call_shows_what_is_added_and_the_call_goes_on(server: LoginServer) -> None:
    ours = run_async(called(server, "read_it", "write_it"))
    first, second = (question.request for question in ours.person.asked)
    assert first.param("addedScopes") == []
    assert second.param("addedScopes") == ["write"]
    assert second.message.startswith(
        "“remote” wants to be allowed more: write. Allowed already: read."
    )
    assert kept().scopes == ("read", "write")


def test_a_step_up_that_is_declined_refuses_that_call_only(server: LoginServer) -> None:
    async def reads_only(question: Question) -> Outcome:
        if question.request.param("addedScopes"):
            return decline("user", "You declined.")
        return await follow(question)

    async def both() -> tuple[str, str]:
        async with run(server, reads_only) as ours:
            await ours.call()
            with pytest.raises(ServerError) as error:
                await ours.call("write_it")
            return str(error.value), await ours.call()

    sentence, again = run_async(both())
    assert "the question about it was declined" in sentence
    assert again == "read_it done"


def test_a_server_that_always_wants_more_is_asked_for_twice_in_one_call(
    server: LoginServer,
) -> None:
    async def insatiable() -> tuple[str, int]:
        async with run(server) as ours:
            await ours.call()
            server.change(wants_more=True)
            with pytest.raises(ServerError) as error:
                await ours.call("write_it")
        return str(error.value), len(ours.person.asked)

    sentence, asked = run_async(insatiable())
    assert (sentence, asked) == (f"The server remote {NOT_TAKEN} {COMMAND}", 3)


def test_a_server_that_takes_no_token_asks_a_person_once(server: LoginServer) -> None:
    server.reset(takes_token=False)
    sentence, ours = run_async(refused(server))
    assert sentence == f"The server remote {NOT_TAKEN} {COMMAND}"
    assert len(ours.person.asked) == 1
    assert server.asked[3:] == [f"refresh {server.url}"]


# Clients of the owner's


def test_a_client_that_was_registered_beforehand_is_used_with_its_port(
    server: LoginServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    client = {
        "client_id": "owned",
        "client_secret": "canary-secret",
        "redirect_uris": [f"http://127.0.0.1:{port}/callback"],
        "scope": "read write admin root",
        "token_endpoint_auth_method": "client_secret_post",
    }
    server.change(clients=[client])
    monkeypatch.setenv("OWNED_SECRET", "canary-secret")
    oauth = OAuthSettings(
        client_id="owned",
        client_secret_env="OWNED_SECRET",
        callback_port=port,
        scopes=("read", "write"),
    )
    ours = run_async(called(server, "read_it", "write_it", oauth=oauth))
    (question,) = ours.person.asked
    assert question.request.param("scopes") == ["read", "write"]
    assert "register" not in server.asked
    assert all(b"canary-secret" not in file.read_bytes() for file in logins_directory().iterdir())


def test_a_port_that_is_in_use_is_said(server: LoginServer) -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as taken:
        oauth = OAuthSettings(callback_port=taken.getsockname()[1])
        sentence, _ = run_async(refused(server, oauth=oauth))
    assert f"The port {oauth.callback_port} of this machine is in use" in sentence


def test_a_port_that_was_registered_and_is_in_use_now_is_replaced_by_another(
    server: LoginServer,
) -> None:
    import socket

    run_async(called(server))
    (uri,) = kept_whole().client["redirect_uris"]
    shelf().forget_tokens(kept_whole())
    with socket.create_server(("127.0.0.1", urlsplit(uri).port or 0)):
        ours = run_async(called(server))
    assert server.asked[3:] == ["register", "authorize", "code"]
    assert [uri] != kept_whole().client["redirect_uris"]
    assert uri not in (unquote(ours.person.asked[0].request.url or ""))


@pytest.mark.parametrize(
    ("header", "told"),
    [
        (None, 'Bearer scope="own"'),
        ("Bearer", 'Bearer scope="own"'),
        ('Bearer scope="read"', 'Bearer scope="own read"'),
        ('Bearer scope="read", error="x"', 'Bearer scope="own read", error="x"'),
        ('Bearer error="x", scope="own a"', 'Bearer error="x", scope="own a"'),
        ('Bearer error="x"', 'Bearer error="x", scope="own"'),
    ],
)
def test_the_owners_scopes_are_added_to_a_challenge_wherever_its_own_stand(
    header: str | None, told: str
) -> None:
    server = ServerSettings("r", url="https://r.example/", oauth=OAuthSettings(scopes=("own",)))
    flow = OAuthFlow(server, {}, None, lambda issuer: None)
    headers = {} if header is None else {"WWW-Authenticate": header}
    challenge = flow._with_own_scopes(httpx2.Response(401, headers=headers))
    assert challenge.headers["WWW-Authenticate"] == told
