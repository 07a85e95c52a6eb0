"""Drives the SDK's OAuth provider through one refresh or one login, request by request.

The SDK decides what is asked of whom (discovery, registration, PKCE, issuer, scopes, tokens; spec:
basic/authorization). Each of its requests passes here first: where it goes, how much comes back
and how many there are. What it would keep in memory only, a cold start is given back: without
expiry it would take a token that has ended for a good one, and without metadata it would renew it
at the wrong place. What it raises may hold a token, so that only our own words leave this module.
"""

from __future__ import annotations

import re
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import field
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

import httpx2
from mcp.client.auth import OAuthClientProvider
from mcp.client.auth.exceptions import OAuthFlowError, OAuthRegistrationError, OAuthTokenError
from mcp.client.auth.extensions.client_credentials import (
    ClientCredentialsOAuthProvider,
    PrivateKeyJWTOAuthProvider,
)
from mcp.shared.auth import (
    AuthorizationCodeResult,
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthMetadata,
    OAuthToken,
    ProtectedResourceMetadata,
)
from pydantic import AnyUrl, ValidationError

from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation.settings import ServerSettings
from elicit_tui.errors import LoginError, LoginNotOffered, RefreshRefused
from elicit_tui.host.login_requests import (
    CheckedRequests,
    check_address,
    error_word,
    is_private,
    not_renewed,
)
from elicit_tui.logins import Login

LONGEST_PAGE: Final = 8_000
"""Characters of an authorization page's address: as many as browsers and servers take."""

_TOKEN: Final = re.compile(r"[\x20-\x7e]{1,16384}")
"""RFC 6749, A.12; what else a server gives stands in no header and would be refused for ever."""
_LONGEST_LIFE: Final = 10 * 365 * 86_400
"""Seconds; a token that is said to live longer is taken to end then."""
_ALGORITHMS: Final = ("RS256", "ES256", "EdDSA")

Asked = Callable[[str, "Context"], Awaitable[AuthorizationCodeResult]]
"""Has a person log in at this address; what the page led back with."""
Context = Any
"""The SDK's OAuthContext: what it found out so far."""


@dataclass
class Memory:
    """What the SDK asks its storage for in one flow, and what it gave it (its `TokenStorage`)."""

    tokens: OAuthToken | None = field(default=None, repr=False)
    client: OAuthClientInformationFull | None = field(default=None, repr=False)
    given: OAuthToken | None = field(default=None, repr=False)

    async def get_tokens(self) -> OAuthToken | None:
        """The tokens before."""
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        """The tokens now."""
        self.given = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        """The registration."""
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        """The registration now."""
        self.client = client_info


class OAuthFlow:
    """One refresh or one login of one server."""

    def __init__(
        self,
        server: ServerSettings,
        environment: Mapping[str, str],
        login: Login | None,
        issuer_refusal: Callable[[str], str | None],
    ) -> None:
        """`login`: what is kept of it; its registration is used again.

        `issuer_refusal`: why an authorization server may not be asked; None where it may.
        """
        assert server.url is not None
        self._server = server
        self._url = server.url
        self._environment = environment
        self._login = login
        self._issuer_refusal = issuer_refusal

    async def refreshed(self) -> Login:
        """The login with a new token.

        Raises RefreshRefused where a person has to log in again, and LoginError.
        """
        login = self._login
        assert login is not None
        tokens = OAuthToken(
            # The SDK renews only what it has a token of; this one is sent nowhere.
            access_token=login.access_token or "none",
            refresh_token=login.refresh_token,
            scope=login.scope,
        )
        memory = Memory(tokens, self._registered())
        provider = self._provider(memory, [], None)
        if not _give_back(provider.context, login) or (login.client and memory.client is None):
            # Another version wrote it, or another program.
            sentence = "what is kept of its login cannot be used"
            raise RefreshRefused(sentence, client_unknown=True)
        requests = CheckedRequests(self._url)
        await self._drive(provider, requests, None)
        if memory.given is None:
            raise not_renewed(requests.refused)
        return self._made(provider.context, memory)

    async def logged_in(
        self, challenge: httpx2.Response, redirect_uri: str | None, ask_person: Asked
    ) -> Login:
        """A login as the answer to this refusal, by a person or by the owner's credentials.

        Raises LoginError.
        """
        login = self._login
        held = None
        if login is not None and login.access_token:
            # Only what was granted matters: the refusal says that the token is of no use.
            held = OAuthToken(access_token=login.access_token, scope=login.scope)
        memory = Memory(held, self._registered(redirect_uri))
        provider = self._provider(memory, [redirect_uri] if redirect_uri else [], ask_person)
        requests = CheckedRequests(self._url)
        await self._drive(provider, requests, self._with_own_scopes(challenge))
        if memory.given is None:
            raise LoginError("it gave no token")
        return self._made(provider.context, memory)

    # The SDK's provider

    def _provider(
        self, memory: Memory, redirect_uris: list[str], ask_person: Asked | None
    ) -> OAuthClientProvider:
        oauth = self._server.oauth
        scope = " ".join(oauth.scopes) or None
        secret = self._environment.get(oauth.client_secret_env or "", "")
        if oauth.grant == "client_credentials":
            return ClientCredentialsOAuthProvider(
                self._url, memory, oauth.client_id or "", secret, scope=scope, issuer=oauth.issuer
            )
        if oauth.grant == "private_key_jwt":
            signed = _assertion(oauth.client_id or "", secret)
            return PrivateKeyJWTOAuthProvider(
                self._url, memory, oauth.client_id or "", signed, scope=scope, issuer=oauth.issuer
            )
        metadata = OAuthClientMetadata(
            redirect_uris=[AnyUrl(uri) for uri in redirect_uris] or None,
            client_name="elicit-tui",
            scope=scope,
        )
        return self._by_a_person(memory, metadata, ask_person)

    def _by_a_person(
        self, memory: Memory, metadata: OAuthClientMetadata, ask_person: Asked | None
    ) -> OAuthClientProvider:
        """The provider of a login in a browser.

        The SDK has the page opened and then asks how that ended; to a person both are one, so the
        second is handed what the first came to.
        """
        answers: list[AuthorizationCodeResult] = []

        async def opened(address: str) -> None:
            assert ask_person is not None
            self._checked_page(provider.context, address)
            _choose_authentication(provider.context)
            answers.append(await ask_person(address, provider.context))

        async def led_back() -> AuthorizationCodeResult:
            return answers.pop()

        known_at = self._server.oauth.client_metadata_url
        provider = OAuthClientProvider(
            self._url, metadata, memory, opened, led_back, client_metadata_url=known_at
        )
        return provider

    def _registered(self, redirect_uri: str | None = None) -> OAuthClientInformationFull | None:
        """The client as it was registered; None: it has to be registered (anew).

        `redirect_uri`: a registration that knows another one only is of no use.
        """
        oauth, login = self._server.oauth, self._login
        uris = [AnyUrl(redirect_uri)] if redirect_uri is not None else None
        if oauth.client_id is not None:
            # What is known of a configured client, under the id and the secret that are configured
            # now.
            known = login.client if login and login.client_id == oauth.client_id else {}
            secret = self._environment.get(oauth.client_secret_env or "") or None
            given = {"client_id": oauth.client_id, "client_secret": secret, "redirect_uris": uris}
            issuer = {"issuer": oauth.issuer}
            return _client({**issuer, **known, **given}) or _client({**issuer, **given})
        if login is None or not login.client:
            return None
        held = {**login.client, "client_id": login.client_id, "client_secret": login.client_secret}
        known_uris = held.get("redirect_uris") or ()
        if redirect_uri is not None and redirect_uri not in known_uris:
            return None
        return _client(held)

    async def _drive(
        self,
        provider: OAuthClientProvider,
        requests: CheckedRequests,
        challenge: httpx2.Response | None,
    ) -> None:
        """See the provider through, up to where it would go on with the request of the server."""
        trigger = httpx2.Request("POST", self._url)
        flow = provider.async_auth_flow(trigger)
        try:
            # The SDK's provider is a generator of requests. It is driven here without the request
            # that it is meant for: that one is answered from the refusal that we hold, everything
            # else goes out through our own bounded client, and the flow ends where it would send
            # the request again.
            outgoing = await flow.__anext__()
            while outgoing is not trigger or challenge is not None:
                if outgoing is trigger:
                    assert challenge is not None
                    answer, challenge = challenge, None
                else:
                    self._checked_issuer(provider.context, outgoing)
                    answer = await requests.send(outgoing)
                outgoing = await flow.asend(answer)
        except StopAsyncIteration:
            pass
        except LoginError:
            raise
        except (OAuthFlowError, ValidationError, ValueError, ArithmeticError) as error:
            found = (provider.context.oauth_metadata, provider.context.protected_resource_metadata)
            if isinstance(error, OAuthRegistrationError) and found == (None, None):
                raise LoginNotOffered(_SAYS_NOTHING) from None
            raise LoginError(_in_words(error, requests.refused)) from None
        finally:
            await flow.aclose()

    def _with_own_scopes(self, challenge: httpx2.Response) -> httpx2.Response:
        """The refusal as if it had asked for the scopes that the owner configured, too."""
        scopes = self._server.oauth.scopes
        if not scopes:
            return challenge
        header = challenge.headers.get("WWW-Authenticate", "Bearer")
        found = re.search(r'scope="([^"]*)"', header)
        merged = dict.fromkeys([*scopes, *(found[1].split() if found else ())])
        scope = f'scope="{" ".join(merged)}"'
        added = f"{header}{',' if '=' in header else ''} {scope}"
        widened = header.replace(found[0], scope) if found else added
        return httpx2.Response(challenge.status_code, headers={"WWW-Authenticate": widened})

    def _checked_issuer(self, context: Context, request: httpx2.Request) -> None:
        """Raises LoginError as soon as it leads to an authorization server that is not allowed.

        Without its metadata the SDK would go on at places of the server's own, which its own
        metadata says are not those.
        """
        named = context.auth_server_url is not None and context.oauth_metadata is None
        if named and request.method == "POST":
            raise LoginError("the metadata of its authorization server cannot be used")
        found = context.oauth_metadata.issuer if context.oauth_metadata else context.auth_server_url
        if found is not None and (why := self._issuer_refusal(str(found))) is not None:
            raise LoginError(why)

    def _checked_page(self, context: Context, address: str) -> None:
        """Raises LoginError for an authorization page that nobody shall be sent to."""
        if (why := self._issuer_refusal(issuer_of(context, self._url))) is not None:
            raise LoginError(why)
        check_address(address, is_private(urlsplit(self._url).hostname or ""))
        if len(address) > LONGEST_PAGE:
            raise LoginError("its authorization page has an address that is too long")
        given = parse_qs(urlsplit(address).query, keep_blank_values=True)
        if any(len(given.get(name, ())) != 1 for name in ("state", "redirect_uri", "client_id")):
            # The metadata put one of our own parameters into its address.
            raise LoginError("its authorization page has parameters that are ours to give")
        metadata = context.oauth_metadata
        methods = metadata.code_challenge_methods_supported if metadata is not None else None
        if methods is not None and "S256" not in methods:
            raise LoginError("its authorization server does not know PKCE with S256")

    def _made(self, context: Context, memory: Memory) -> Login:
        """The login that this flow came to."""
        tokens, client = memory.given, context.client_info
        assert tokens is not None
        for token in filter(None, (tokens.access_token, tokens.refresh_token)):
            if _TOKEN.fullmatch(token) is None:
                raise LoginError("its authorization server gave a token that is none")
        # The provider of a configured client has it, and is not asked for it by its storage.
        assert client is not None
        metadata, resource = context.oauth_metadata, context.protected_resource_metadata
        configured = self._server.oauth.client_secret_env is not None
        return Login(
            server_url=self._url,
            issuer=issuer_of(context, self._url),
            resource=context.get_resource_url(),
            client_id=client.client_id,
            access_token=tokens.access_token,
            refresh_token=tokens.refresh_token,
            client_secret=None if configured else client.client_secret,
            expires_at=None if tokens.expires_in is None else _end(tokens.expires_in),
            scope=tokens.scope,
            client=_plain(client, "client_id", "client_secret"),
            authorization_server=None if metadata is None else _plain(metadata),
            protected_resource=None if resource is None else _plain(resource),
        )


def _client(held: Mapping[str, Any]) -> OAuthClientInformationFull | None:
    """A registration that is kept; None for what is none."""
    try:
        return OAuthClientInformationFull.model_validate(held)
    except ValidationError:
        return None


def _give_back(context: Context, login: Login) -> bool:
    """What the SDK found out in the flow of this login; False where that is none of the kind."""
    try:
        if login.authorization_server is not None:
            context.oauth_metadata = OAuthMetadata.model_validate(login.authorization_server)
        if login.protected_resource is not None:
            resource = ProtectedResourceMetadata.model_validate(login.protected_resource)
            context.protected_resource_metadata = resource
            context.auth_server_url = str(resource.authorization_servers[0])
    except ValidationError:
        return False
    # Long over, so that the SDK renews at once.
    context.token_expiry_time = 1.0
    return True


def _end(seconds: int) -> float:
    """When a token ends that lives so long, as a time of this machine."""
    return time.time() + min(max(seconds, 0), _LONGEST_LIFE)


def issuer_of(context: Context, server_url: str) -> str:
    """Who gives the tokens; a server without metadata does it itself."""
    if context.oauth_metadata is not None:
        return str(context.oauth_metadata.issuer)
    if context.auth_server_url is not None:
        return str(context.auth_server_url)
    parts = urlsplit(server_url)
    return f"{parts.scheme}://{parts.netloc}"


def _plain(model: Any, *left_out: str) -> dict[str, Any]:
    plain: dict[str, Any] = model.model_dump(mode="json", exclude_none=True, exclude=set(left_out))
    return plain


def _choose_authentication(context: Context) -> None:
    """How a client that was registered beforehand shows its secret: as its server wants it."""
    client = context.client_info
    if client.client_secret is None or client.token_endpoint_auth_method is not None:
        return
    metadata = context.oauth_metadata
    known = metadata.token_endpoint_auth_methods_supported if metadata is not None else None
    post = known is not None and "client_secret_basic" not in known
    method = "client_secret_post" if post else "client_secret_basic"
    client.token_endpoint_auth_method = method


def _assertion(client_id: str, key: str) -> Callable[[str], Awaitable[str]]:
    """Signs the client's assertion with its private key (RFC 7523), by the key's own algorithm."""

    async def signed(audience: str) -> str:
        from secrets import token_hex

        import jwt

        now = int(time.time())
        claims = {"iss": client_id, "sub": client_id, "aud": audience, "iat": now, "exp": now + 300}
        # Only the one of the key's own kind takes it.
        for algorithm in _ALGORITHMS:
            try:
                return jwt.encode({**claims, "jti": token_hex(16)}, key, algorithm=algorithm)
            except (jwt.exceptions.PyJWTError, ValueError, TypeError):
                continue
        raise LoginError("the private key is none that can sign (RSA, P-256 or Ed25519, as PEM)")

    return signed


_SAYS_NOTHING: Final = (
    "it does not say how to log in (HTTP 401); its configuration can give a token instead "
    "(bearer_token_env_var, http_headers)"
)
_FLOW_ERRORS: Final = (
    ("Protected resource metadata request failed", "its own metadata could not be read"),
    ("Protected resource ", "its metadata is that of another resource"),
    (
        "Authorization server metadata issuer mismatch",
        "the metadata of its authorization server names another issuer",
    ),
    ("Authorization response iss mismatch", "the page led back in the name of another issuer"),
    ("Authorization response missing iss", "the page led back without saying who issued it"),
    ("State parameter mismatch", "the page led back with the state of another login"),
    ("No authorization server metadata", "the authorization server that is configured was not met"),
)
"""How errors of the SDK begin, and what they mean: their own text may hold a code or a token."""


def _in_words(error: Exception, refused: httpx2.Response | None) -> str:
    status = "" if refused is None else f" (HTTP {refused.status_code})"
    if isinstance(error, OAuthRegistrationError):
        return (
            f"its authorization server does not register this client{status}; a client that was "
            "registered beforehand can be configured (client_id under oauth)"
        )
    if isinstance(error, OAuthTokenError):
        word = error_word(refused) if refused is not None else None
        detail = f' (it says "{word}")' if word is not None else status
        return f"its authorization server gave no token{detail}"
    text = str(error)
    found = next((reason for start, reason in _FLOW_ERRORS if text.startswith(start)), None)
    return found or f"its authorization server does not follow the protocol{status}"
