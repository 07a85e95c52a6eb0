"""The requests of a login: where they may go, how much may come back, and how many there are.

Whom they go to was chosen by the server and its authorization server, which may be hostile.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Mapping
from typing import Final
from urllib.parse import quote, urlsplit

import anyio
import httpx2

from elicit_tui.elicitation.own_questions import shown_address
from elicit_tui.elicitation.settings import ServerSettings
from elicit_tui.errors import LoginError, RefreshRefused
from elicit_tui.logins import Login
from elicit_tui.text.hosts import ip_address_of, is_loopback, is_web_address

MOST_REQUESTS: Final = 20
"""Of one login: discovery tries seven places, and each may lead on within its origin."""
MOST_BYTES: Final = 1024 * 1024
"""Of one answer; metadata has a few kilobytes."""
REQUEST_SECONDS: Final = 30.0
_ERROR_WORD: Final = re.compile(r"[a-z_]{1,60}")


def check_address(url: str, near: bool) -> None:
    """Raises LoginError where no request of a login may go.

    `near`: the server itself is on this machine or in a private network, so that its authorization
    server may be too.
    """
    address = shown_address(url.partition("?")[0])
    if not is_web_address(url):
        raise LoginError(f"it leads to {address}, which is no http or https address")
    parts = urlsplit(url)
    host = parts.hostname or ""
    if parts.username is not None or parts.password is not None:
        raise LoginError("it leads to an address with a user name in it")
    if is_private(host) and not near:
        raise LoginError(f"it leads to {address}, which is inside a private network")
    if parts.scheme != "https" and not (near and is_loopback(host)):
        raise LoginError(f"it leads to {address}, which is not https")


def is_private(host: str) -> bool:
    """Whether a host is this machine or an address that is not reached from everywhere."""
    address = ip_address_of(host)
    if address is not None:
        # An IPv4 address may be spelled as an IPv6 one (`::ffff:10.0.0.1`).
        return not (getattr(address, "ipv4_mapped", None) or address).is_global
    # What ends in a number is an address too, in a spelling that some read and others do not.
    numeric = re.fullmatch(r"(?:.*\.)?(?:\d+|0x[0-9a-f]*)", host) is not None
    return numeric or is_loopback(host) or host.endswith((".local", ".internal"))


class CheckedRequests:
    """Sends the requests of one login, each looked at first and bounded."""

    def __init__(self, server_url: str) -> None:
        self.near = is_private(urlsplit(server_url).hostname or "")
        self._sent = 0
        self.refused: httpx2.Response | None = None
        """The last answer that was no success."""

    async def send(self, request: httpx2.Request) -> httpx2.Response:
        """Send one; its whole answer. Raises LoginError."""
        check_address(str(request.url), self.near)
        self._sent += 1
        if self._sent > MOST_REQUESTS:
            raise LoginError("it sends us round in circles")
        request.headers["Accept-Encoding"] = "identity"
        host = shown_address(request.url.host)
        try:
            with anyio.fail_after(REQUEST_SECONDS):
                async with httpx2.AsyncClient(follow_redirects=False) as client:
                    answer = await self._whole(client, request)
        except TimeoutError:
            raise LoginError(f"{host} did not answer in time") from None
        except (httpx2.HTTPError, OSError) as error:
            from elicit_tui.host.faults import reason_of

            raise LoginError(f"{host} could not be reached: {reason_of(error)}") from None
        self.refused = answer if answer.status_code >= 400 else None
        return answer

    async def _whole(self, client: httpx2.AsyncClient, request: httpx2.Request) -> httpx2.Response:
        response = await client.send(request, stream=True)
        try:
            coding = response.headers.get("content-encoding", "identity").strip().lower()
            if coding not in ("", "identity"):
                raise LoginError("it answered in a compression that it was not asked for")
            body = bytearray()
            async for chunk in response.aiter_raw():
                body += chunk
                if len(body) > MOST_BYTES:
                    raise LoginError(f"it sent more than {MOST_BYTES // 1024 // 1024} MiB")
        finally:
            await response.aclose()
        whole = httpx2.Response(
            response.status_code, headers=response.headers, content=bytes(body), request=request
        )
        # The SDK follows a redirect within its origin by this, and that request comes here too.
        whole.next_request = response.next_request
        return whole


def not_renewed(refused: httpx2.Response | None) -> LoginError:
    """Why a login was not renewed, and whether a person has to log in again for that."""
    if refused is not None and refused.status_code in (400, 401):
        word = error_word(refused)
        if word in (None, "invalid_grant", "invalid_client", "unauthorized_client"):
            return RefreshRefused(
                f"its login was ended ({word or refused.status_code})",
                client_unknown=word == "invalid_client",
            )
    status = f"HTTP {refused.status_code}" if refused is not None else "no token"
    return LoginError(f"its login could not be renewed ({status})")


def error_word(response: httpx2.Response) -> str | None:
    """The `error` of a token endpoint (RFC 6749, 5.2), where it is a word."""
    try:
        held = json.loads(response.content)
    except (ValueError, RecursionError):
        return None
    word = held.get("error") if isinstance(held, dict) else None
    return word if isinstance(word, str) and _ERROR_WORD.fullmatch(word) else None


async def revoked(server: ServerSettings, environment: Mapping[str, str], login: Login) -> bool:
    """Tell the authorization server that this login is over (RFC 7009); whether it took that.

    Raises LoginError where it could not be told.
    """
    address = (login.authorization_server or {}).get("revocation_endpoint")
    token = login.refresh_token or login.access_token
    if not isinstance(address, str) or not token:
        return False
    secret = login.client_secret or environment.get(server.oauth.client_secret_env or "")
    data = {"token": token, "client_id": login.client_id}
    headers = {}
    if secret and login.client.get("token_endpoint_auth_method") == "client_secret_basic":
        pair = f"{quote(login.client_id, safe='')}:{quote(secret, safe='')}"
        headers["Authorization"] = f"Basic {b64encode(pair.encode()).decode()}"
    elif secret:
        data["client_secret"] = secret
    request = httpx2.Request("POST", address, data=data, headers=headers)
    answer = await CheckedRequests(login.server_url).send(request)
    return answer.status_code == 200
