"""Authorizes the requests of one connection to a remote server, and has a person log in.

Each request carries the token of the login that this machine has for its server. One that ends
soon is renewed first; a refusal (HTTP 401, or 403 for want of a scope) is answered by what another
process did meanwhile, by a renewal, or by a login that the broker has asked of a person (spec:
basic/authorization). What cannot be had is no exception: the refusal goes on to the SDK, and
the connection's `login_refusal` says in a sentence what a person can do.

A renewal may use its refresh token up, so one process at a time does it: under a lock of the shelf,
with another look at what stands there inside of it.
"""

from __future__ import annotations

import asyncio
import os
import random
import re
import time
from collections import Counter
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractContextManager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qs, urlsplit

import httpx2

from elicit_tui.broker import Broker
from elicit_tui.elicitation import (
    Call,
    ElicitationRequest,
    LoginPage,
    Outcome,
    authorization_request,
)
from elicit_tui.elicitation.own_questions import is_scope
from elicit_tui.errors import LoginError, LoginNotOffered, RefreshRefused
from elicit_tui.host.events import UrlCompleted
from elicit_tui.host.exchange import CURRENT
from elicit_tui.host.sdk import load_login
from elicit_tui.logins import Login, LoginShelf, Redirect, RedirectListener
from elicit_tui.logins.login import AHEAD_SECONDS
from elicit_tui.policy import issuer_refusal
from elicit_tui.text import neutral_line

if TYPE_CHECKING:
    from mcp.shared.auth import AuthorizationCodeResult

    from elicit_tui.host.connection import Connection
    from elicit_tui.host.oauth import OAuthFlow

MOST_STEP_UPS: Final = 2
"""How often one call may want more than was allowed."""
JITTER_SECONDS: Final = 10.0
"""Processes that were started together do not all renew at once."""
AGAIN_SECONDS: Final = 30.0
"""How long a renewal ahead of time is not tried again once one has failed."""
ELSEWHERE_SECONDS: Final = 1.0
"""How often it is looked whether another process logged in meanwhile."""
MOST_CALLS: Final = 1000

NOT_BACK: Final = "The page has not led back to here yet."

_SCOPE: Final = re.compile(r'error="?insufficient_scope\b')


class _LoggedInElsewhere(Exception):
    """Another process has a new login for the same server."""

    def __init__(self, login: Login) -> None:
        self.login = login


class Authorization(httpx2.Auth):
    """The authorization of one connection's requests."""

    def __init__(
        self,
        connection: Connection,
        broker: Broker,
        shelf: LoginShelf,
        person_waited_for: Callable[[], AbstractContextManager[None]],
    ) -> None:
        """`person_waited_for`: within it no clock of the connection runs."""
        self._connection = connection
        self._server = connection.settings
        self._broker = broker
        self._shelf = shelf
        self._person_waited_for = person_waited_for
        self._one_at_a_time = asyncio.Lock()
        self._login: Login | None = None
        self._stamp: int | None = None
        self._replaced_token = ""
        """Of the login that a person is asked to replace; "" where there is none."""
        self._not_ahead_until = 0.0
        """Until then no token is renewed before it has ended, by the monotonic clock."""
        self._not_had: LoginError | None = None
        """Why there was no login the last time that one was wanted."""
        self._step_ups: Counter[str] = Counter()

    async def async_auth_flow(
        self, request: httpx2.Request
    ) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        """Send one request, and send it again while the refusal of it can be answered."""
        # A redirect, or an address in a server's own words, may lead the client elsewhere. The
        # token does not come along.
        if not self._is_of_the_server(request.url):
            yield request
            return
        login = await self._in_time()
        tried: set[str] = set()
        step_ups = 0
        while True:
            # It is the same request each time: the token of the try before goes first.
            request.headers.pop("Authorization", None)
            if login is not None and login.access_token:
                request.headers["Authorization"] = f"Bearer {login.access_token}"
            response = yield request
            step_up = response.status_code == 403 and _wants_scope(response)
            # To end a session nobody has to log in.
            if request.method == "DELETE":
                return
            if not (step_up or response.status_code == 401):
                # Whatever goes wrong now, it is not for want of a login.
                self._connection.login_refusal = None
                return
            # A server that wants one scope more with each answer would have a person log in without
            # end.
            step_ups += step_up
            if step_ups > MOST_STEP_UPS or (not step_up and "login" in tried):
                self._connection.login_refusal = self._sentence(
                    "does not take the login that it asked for"
                )
                return
            known = self._not_had
            try:
                # The second of two requests that were refused together finds the login of the first
                # there; or why there is none, which the person is not asked for once more.
                async with self._one_at_a_time:
                    if not step_up and self._not_had is not None and self._not_had is not known:
                        raise self._not_had
                    login = await self._answered(response, login, tried, step_up)
            except LoginError as error:
                if not step_up:
                    self._not_had = error
                self._connection.login_refusal = str(error)
                return

    def _is_of_the_server(self, url: httpx2.URL) -> bool:
        """A token goes to the origin that it was given out for, and nowhere else."""
        own = httpx2.URL(self._server.url or "")
        return (url.scheme, url.host, url.port) == (own.scheme, own.host, own.port)

    # The token

    def _read(self) -> Login | None:
        """The login as it stands on this machine now; another process may have changed it."""
        held = self._login
        # Whether the file is another is asked with each request, and it is read only then.
        if held is None or self._shelf.stamp(held.key) != self._stamp:
            client_id = self._server.oauth.client_id
            self._login = self._shelf.of_server(self._server.url or "", client_id)
            if self._login is not None:
                self._stamp = self._shelf.stamp(self._login.key)
        return self._login

    async def _in_time(self) -> Login | None:
        """The login, renewed where it ends soon; what goes wrong is found out by the server."""
        # A renewal that fails ends nothing: the token may be good still, which the server knows.
        with suppress(LoginError):
            login = await asyncio.to_thread(self._read)
            soon = AHEAD_SECONDS + random.uniform(0, JITTER_SECONDS)
            if login is not None and login.refresh_token and login.ends_within(soon, time.time()):
                async with self._one_at_a_time:
                    return await self._renewed_ahead(login)
        return self._login

    async def _renewed_ahead(self, login: Login) -> Login | None:
        """The login renewed; as it is where that failed a moment ago. Raises LoginError."""
        if time.monotonic() < self._not_ahead_until:
            return self._login
        try:
            return await self._renewed(login)
        except LoginError:
            # A server that does not answer is waited for once, and not by one request after the
            # other.
            self._not_ahead_until = time.monotonic() + AGAIN_SECONDS
            raise

    async def _renewed(self, login: Login) -> Login:
        """The login renewed, by us or by who was first. Raises LoginError, RefreshRefused."""
        async with self._shelf.lock(login.key):
            stored = await asyncio.to_thread(self._shelf.read, login.key)
            if stored is None or not stored.refresh_token:
                raise RefreshRefused("its login was ended")
            # Whoever had the lock before may have renewed it: then the new token is there already,
            # and our refresh token is of no use any more.
            if stored.access_token == login.access_token:
                try:
                    renewed = await (await self._flow(stored)).refreshed()
                except RefreshRefused as error:
                    # The authorization server has forgotten who we are: the next login registers
                    # anew. A client of the owner's stays as it is, and only its tokens go.
                    if error.client_unknown and self._server.oauth.client_id is None:
                        await asyncio.to_thread(self._shelf.forget, stored.key)
                    else:
                        await asyncio.to_thread(self._shelf.forget_tokens, stored)
                    raise
                stored = await asyncio.to_thread(self._shelf.save, renewed)
        return self._keep(stored)

    def _keep(self, login: Login) -> Login:
        self._login, self._stamp = login, self._shelf.stamp(login.key)
        return login

    async def _flow(self, login: Login | None) -> OAuthFlow:
        await asyncio.to_thread(load_login)
        from elicit_tui.host.oauth import OAuthFlow

        may = partial(issuer_refusal, self._connection.owner, self._server)
        return OAuthFlow(self._server, os.environ, login, may)

    # The answer to a refusal

    async def _answered(
        self, response: httpx2.Response, used: Login | None, tried: set[str], step_up: bool
    ) -> Login:
        """The login with which to try again. Raises LoginError with a sentence of ours.

        `tried`: what was done for this request; a renewal and a login are done once.
        """
        try:
            current = await asyncio.to_thread(self._read)
            failed = used.access_token if used is not None else ""
            # A request beside this one, or another process, has a newer token: that one first.
            if current is not None and current.access_token not in ("", failed):
                tried.add("another")
                return current
            # A renewed token allows no more than the one before, so that at a step-up it is no
            # help.
            may_renew = not step_up and "renewal" not in tried
            if may_renew and current is not None and current.refresh_token:
                tried.add("renewal")
                with suppress(RefreshRefused):
                    return await self._renewed(current)
            tried.add("login")
            return await self._logged_in(response, step_up)
        except LoginError as error:
            # Each way to fail becomes one sentence that names the server and what helps. A sentence
            # that has all of that already stays as it is.
            if isinstance(error, _Sentence):
                raise
            helps = not isinstance(error, LoginNotOffered)
            raise _Sentence(self._sentence(f"wants a login, and {error}", helps=helps)) from None

    def _sentence(self, what: str, *, helps: bool = True) -> str:
        """`helps`: whether a person who logs in would mend it."""
        name = self._server.name
        sentence = f"The server {name} {what.rstrip('.')}."
        if not (helps and self._server.oauth.needs_person):
            return sentence
        return f"{sentence} Log in with: elicit-tui login {name}"

    async def _logged_in(self, response: httpx2.Response, step_up: bool) -> Login:
        if self._connection.login_refusal is not None and self._connection.state == "starting":
            # The greeting of the other era asks no second time.
            raise _Sentence(self._connection.login_refusal)
        stored = await asyncio.to_thread(self._read)
        # Remembered, as any other request reads what another process put there meanwhile.
        self._replaced_token = stored.access_token if stored is not None else ""
        oauth = self._server.oauth
        # With the owner's own credentials there is no page and nobody to ask.
        if not oauth.needs_person:
            login = await (await self._flow(stored)).logged_in(response, None, _nobody)
            return await self._saved(login, stored)
        self._check_policy()
        if step_up:
            self._count_step_up()
        # A configured port is the only one; where ours is in use, another one is registered.
        port = oauth.callback_port or _registered_port(stored)
        listener = RedirectListener(port, also_another=oauth.callback_port is None)
        try:
            by_person = partial(self._by_person, listener, stored if step_up else None)
            flow = await self._flow(stored)
            with self._person_waited_for():
                login = await flow.logged_in(response, listener.uri, by_person)
            return await self._saved(login, stored)
        except _LoggedInElsewhere as elsewhere:
            return self._keep(elsewhere.login)
        finally:
            listener.close()

    async def _saved(self, login: Login, replaced: Login | None) -> Login:
        """Keep a new login in the place of this one; one of another issuer stays."""
        async with self._shelf.lock(login.key):
            login = self._keep(await asyncio.to_thread(self._shelf.save, login))
        # The same issuer, and another client: the login before would be found beside it.
        if replaced is not None and replaced.issuer == login.issuer and replaced.key != login.key:
            await asyncio.to_thread(self._shelf.forget, replaced.key)
        return login

    def _count_step_up(self) -> None:
        for call in self.calls:
            self._step_ups[call.id] += 1
            if self._step_ups[call.id] > MOST_STEP_UPS:
                raise LoginError(f"it wanted more than {MOST_STEP_UPS} times in one call")
        # Nobody tells here when a call ends.
        if len(self._step_ups) > MOST_CALLS:
            self._step_ups.clear()

    # By a person

    @property
    def calls(self) -> tuple[Call, ...]:
        """The calls that wait for the login."""
        exchange = CURRENT.get()
        if exchange is not None and exchange.call is not None:
            return (exchange.call,)
        return self._connection.open_calls.calls

    def _check_policy(self) -> None:
        """Raises _Sentence where no person may be asked to log in to this server."""
        outcome = self._broker.may_log_in(self._server.name).outcome
        if outcome is not None:
            why = "" if outcome.decided_by == "nobody" else f": {neutral_line(outcome.reason)}"
            raise _Sentence(self._sentence(f"wants a login{why}"))

    async def _by_person(
        self, listener: RedirectListener, before: Login | None, address: str, context: Any
    ) -> AuthorizationCodeResult:
        """Have a person log in at this address; what the page led back with. Raises LoginError.

        `before`: the login whose scopes do not suffice, at a step-up.
        """
        from mcp.shared.auth import AuthorizationCodeResult

        from elicit_tui.host.oauth import issuer_of

        parameters = parse_qs(urlsplit(address).query)
        # `OAuthFlow` has seen that the address has one state, and no more.
        redirect = Redirect(listener.uri, parameters["state"][0])
        scopes = tuple(" ".join(parameters.get("scope", ())).split())
        if not all(map(is_scope, scopes)):
            raise LoginError("it asks for something that is no scope")
        known = before.scopes if before is not None else None
        page = LoginPage(
            address,
            issuer_of(context, context.server_url),
            scopes,
            () if known is None else tuple(scope for scope in scopes if scope not in known),
        )
        # Before the person is asked: a browser may lead back at once.
        await listener.listen(redirect)
        outcome = await self._consent(page, redirect)
        if outcome.action != "accept":
            raise LoginError(_refused(outcome))
        if redirect.error is not None:
            word = neutral_line(redirect.error, 80)
            raise LoginError(f'it was refused on the page (it says "{word}")')
        assert redirect.code is not None
        return AuthorizationCodeResult(
            code=redirect.code, state=parameters["state"][0], iss=redirect.issuer
        )

    async def _consent(self, page: LoginPage, redirect: Redirect) -> Outcome:
        """Ask the person to open the page; returns when it led back, or they refused.

        Raises _LoggedInElsewhere where another process was faster.
        """
        request = authorization_request(self._connection.identity, page, self.calls)

        # A page that led back on another machine: the person gives its address by hand. With an
        # empty one they only say that they are done there.
        def take(address: str) -> str | None:
            if redirect.came.is_set():
                return None
            return redirect.take(address) if address else NOT_BACK

        asking = asyncio.ensure_future(self._broker.authorize(request, take))
        came = asyncio.ensure_future(redirect.came.wait())
        try:
            while not (asking.done() or came.done()):
                await asyncio.wait(
                    {asking, came}, timeout=ELSEWHERE_SECONDS, return_when=asyncio.FIRST_COMPLETED
                )
                ended = asking.done() or came.done()
                if not ended and (login := await self._elsewhere()) is not None:
                    sentence = "Somebody logged in to it from another window."
                    self._broker.withdraw(request.id, sentence, "not needed")
                    raise _LoggedInElsewhere(login)
            if not asking.done():
                await self._page_led_back(request, asking)
            return asking.result()
        finally:
            for task in (asking, came):
                task.cancel()
            await asyncio.gather(asking, came, return_exceptions=True)

    async def _page_led_back(
        self, request: ElicitationRequest, asking: asyncio.Future[Outcome]
    ) -> None:
        """Tell that the page led back, and wait until its question has ended."""
        self._connection.emit(UrlCompleted(self._server.name, request.elicitation_id or ""))
        while not asking.done():
            # Again and again: the person may agree to what was found after the page.
            self._broker.page_led_back(request.id)
            await asyncio.wait((asking,), timeout=ELSEWHERE_SECONDS)

    async def _elsewhere(self) -> Login | None:
        """A login that was not there when this one was begun."""
        with suppress(LoginError):
            client_id = self._server.oauth.client_id
            found = await asyncio.to_thread(
                self._shelf.of_server, self._server.url or "", client_id
            )
            if found is not None and found.access_token not in ("", self._replaced_token):
                return found
        return None


class _Sentence(LoginError):
    """A LoginError whose sentence says all of it."""


def _refused(outcome: Outcome) -> str:
    by = outcome.decided_by
    if by == "user":
        done = "declined" if outcome.action == "decline" else "dismissed"
        return f"the question about it was {done}"
    if by == "deadline":
        return "nobody answered in time"
    return f"it was not asked or not answered: {neutral_line(outcome.reason)}"


def _wants_scope(response: httpx2.Response) -> bool:
    return _SCOPE.search(response.headers.get("WWW-Authenticate", "")) is not None


def _registered_port(login: Login | None) -> int | None:
    """The port that the registration was made with: a server may match it exactly."""
    for uri in login.client.get("redirect_uris", ()) if login is not None else ():
        with suppress(ValueError, TypeError):
            return urlsplit(str(uri)).port
    return None


async def _nobody(address: str, context: Any) -> AuthorizationCodeResult:
    raise LoginError("it wants a person to log in")
