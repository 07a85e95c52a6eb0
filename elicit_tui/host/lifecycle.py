"""One connection from start to end: its process, its transport, its session.

In order: the owner's configuration is asked, the process started, and the SDK loaded in a thread
while the process gets ready; then the transport opens, the session greets, and the connection is
held until its lifeline is over. Whatever happens on the way, in any depth of task groups, becomes
one sentence and ends this server alone; and on every way out the process is ended and waited for.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, contextmanager
from typing import TYPE_CHECKING, Any, Final

import anyio

from elicit_tui.broker import Broker
from elicit_tui.errors import ElicitTuiError, ProtocolCallError, ServerError
from elicit_tui.host.connection import Connection
from elicit_tui.host.events import LoginAwaited
from elicit_tui.host.launch import ServerProcess, start_process
from elicit_tui.host.sdk import load_sdk
from elicit_tui.host.server_log import LogFile, ServerLogReader, last_words
from elicit_tui.paths import logins_directory
from elicit_tui.text import in_seconds, neutral_line

if TYPE_CHECKING:
    from elicit_tui.host.login_auth import Authorization
    from elicit_tui.host.wire import Wire

EXIT_KNOWN_SECONDS: Final = 0.5
LAST_WORDS_SECONDS: Final = 0.2
"""How long what a process wrote before it ended is still read; a child may hold the pipe open."""


class Lifecycle:
    """Brings one connection up, holds it, and takes it down; its failure is one sentence."""

    def __init__(self, connection: Connection, broker: Broker, log_file: LogFile) -> None:
        self._connection = connection
        self._broker = broker
        self._log_file = log_file
        self._lifeline = connection.lifeline
        self._asked_to_end = False
        self._late = False
        self._log = ServerLogReader(self._log_line)
        self._log_task: asyncio.Task[None] | None = None
        self._clock: StartupClock | None = None
        """How long it may still take to be ready."""

    def end(self) -> None:
        """Close the connection in order; `run` returns when everything of it is gone."""
        self._asked_to_end = True
        self._lifeline.over.set()

    def _log_line(self, line: str) -> None:
        self._log_file.write(self._connection.name, line)
        self._connection.log(line)

    async def run(self) -> None:
        """Bring the connection up and hold it to its end. Raises only CancelledError."""
        connection = self._connection
        failure: str | None = None
        try:
            await self._lived()
        except asyncio.CancelledError:
            # A cancellation is ours to pass on, unless it is the one that `give_up` sent to
            # ourselves.
            if not self._late:
                connection.ended(None)
                raise
            failure = self._lifeline.lost or self._not_ready()
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # noqa: BLE001 - ends this server only
            # Whatever a library or a server raises, in groups of any kind, ends this server only.
            failure = await self._sentence(error)
        finally:
            await self._end_process()
        connection.ended(None if self._asked_to_end else failure)

    async def _lived(self) -> None:
        settings = self._connection.settings
        _may_start(self._connection)
        process: ServerProcess | None = None
        if settings.url is None and self._connection.in_process is None:
            # Started ahead by `Host.launch`, or now.
            process = self._connection.process or start_process(settings)
            self._connection.process = process
            self._log_task = asyncio.ensure_future(self._log.run(process))
        # In a thread, as the import would hold the event loop from the other servers and the
        # screen.
        await asyncio.to_thread(load_sdk, remote=process is None)
        async with AsyncExitStack() as stack:
            with self._opening():
                read, write = await stack.enter_async_context(self._streams(process))
            await self._session(stack, read, write)
            # In use from here on, until somebody lets go of the lifeline.
            await self._lifeline.over.wait()
            if not self._asked_to_end:
                # Told before the streams are closed: a question on the screen goes away at once.
                self._connection.ended(await self._went_away())

    @contextmanager
    def _opening(self) -> Iterator[None]:
        """The time in which a transport must open; the older one waits for a server's word.

        A scope of cancellation would not do: what is opened within has scopes of its own that
        outlast this one.
        """
        task = asyncio.current_task()
        assert task is not None
        seconds = self._connection.settings.startup_timeout_sec

        def give_up() -> None:
            # `run` finds out by this that the cancellation is its own.
            self._late = True
            task.cancel()

        self._lifeline.give_up = give_up
        self._clock = StartupClock(seconds, give_up)
        try:
            yield
        finally:
            self._lifeline.give_up = None
            self._clock.stop()
            self._clock = None

    def _not_ready(self) -> str:
        settings = self._connection.settings
        return (
            f"The server {settings.name} was not ready within "
            f"{in_seconds(settings.startup_timeout_sec)} "
            f"({settings.key('startup_timeout_sec')} allows more)."
        )

    def _streams(self, process: ServerProcess | None) -> Any:
        if process is not None:
            from elicit_tui.host.stdio import stdio_streams

            breaches = self._connection.breaches
            return stdio_streams(process, breaches, self._stray_line, self._flooded)
        if self._connection.in_process is not None:
            from elicit_tui.host.in_process import in_process_streams

            return in_process_streams(self._connection.in_process)
        from elicit_tui.host.http import http_streams

        return http_streams(
            self._connection.settings, self._refused, self._flooded, self._authorization()
        )

    def _authorization(self) -> Authorization | None:
        """Adds the token of a login, where this server may be logged in to."""
        connection = self._connection
        if not connection.settings.may_log_in:
            return None
        from elicit_tui.host.login_auth import Authorization
        from elicit_tui.logins import LoginShelf

        shelf = LoginShelf(logins_directory(), connection.owner.logins.store)
        return Authorization(connection, self._broker, shelf, self._person_waited_for)

    @contextmanager
    def _person_waited_for(self) -> Iterator[None]:
        """The time in which a person logs in, which counts for no limit of the server's."""
        self._connection.open_calls.logging_in = True
        self._connection.emit(LoginAwaited(self._connection.name))
        clock = self._clock
        if clock is not None:
            clock.stop()
        try:
            yield
        finally:
            self._connection.open_calls.logging_in = False
            # Only if it is the clock that still runs: the opening or the greeting may be over by
            # now.
            if clock is not None and clock is self._clock:
                clock.go_on()

    def _flooded(self, what: str) -> None:
        self._connection.lose(f"The server {self._connection.name} {what}.")

    def _refused(self, status: int | None) -> None:
        self._connection.http_refusal = status

    async def _session(self, stack: AsyncExitStack, read: Any, write: Any) -> None:
        from elicit_tui.host.session import Gone, open_session

        connection = self._connection
        settings = connection.settings
        session = await stack.enter_async_context(
            open_session(
                read,
                write,
                self._wire(),
                remote=settings.url is not None,
                broken=self._broken_message,
                # The end of the server's stream is the end of the connection.
                gone=self._lifeline.over.set,
            )
        )
        with anyio.CancelScope() as scope:
            self._clock = StartupClock(settings.startup_timeout_sec, scope.cancel)
            try:
                await session.connect(settings.protocol)
            except Gone:
                # Found out before the streams are closed: that ends the process, and tells of our
                # end.
                raise ServerError(await self._went_away()) from None
            finally:
                self._clock.stop()
                self._clock = None
        # The scope keeps the cancellation to itself, and knows whether there was one.
        if scope.cancelled_caught:
            raise ServerError(self._not_ready())
        connection.became_ready(session)

    def _wire(self) -> Wire:
        from elicit_tui.host.wire import Wire

        connection = self._connection
        return Wire(
            self._broker,
            connection.settings.advertised_modes,
            lambda: connection.identity,
            connection.open_calls,
            connection.emit,
            connection.breaches,
        )

    def _stray_line(self, text: str, wrong: str | None = None) -> None:
        """Tell of something that is no message where messages belong, as `Breaches.line` does."""
        line = self._connection.breaches.line(text, wrong)
        if line is not None:
            self._log_line(line)

    def _broken_message(self, error: Exception) -> None:
        """The SDK's transport could not read an event, or the stream that events come on."""
        from elicit_tui.host.faults import unreadable_reason

        # Only what could be read, and is wrong, counts as a message that was lost. A stream that
        # broke was written by nobody, and what ends with it is told as ended.
        if isinstance(error, (ValueError, RecursionError)):
            self._stray_line(str(error), f"it {unreadable_reason(str(error))}")
        else:
            self._log_line(f"(the stream of events broke) {neutral_line(str(error), 500)}")

    async def _went_away(self) -> str:
        if self._lifeline.lost is not None:
            return self._lifeline.lost
        name = self._connection.name
        process = self._connection.process
        when = "" if self._connection.state == "ready" else " before it was ready"
        if process is None:
            return f"The server {name} ended the connection{when}."
        return f"The server {name} {await self._exit(process, when)}{self._last_words()}."

    async def _exit(self, process: ServerProcess, when: str) -> str:
        # The pipes close a moment before the system knows the exit code, and the code says more to
        # a person than the closed pipes do.
        for _ in range(int(EXIT_KNOWN_SECONDS / 0.01)):
            code = process.exit_code()
            if code is not None:
                if self._log_task is not None:
                    await asyncio.wait((self._log_task,), timeout=LAST_WORDS_SECONDS)
                return f"ended{when} ({_exit_in_words(code)})"
            await asyncio.sleep(0.01)
        return f"closed its pipes{when} without ending, and was stopped"

    def _last_words(self) -> str:
        """What it wrote to its standard error in the end, already neutral."""
        lines = last_words(self._log.last)
        return "; its standard error is empty" if lines is None else f"; its last words: {lines}"

    async def _sentence(self, error: BaseException) -> str:
        from elicit_tui.host.faults import leaf, reason_of
        from elicit_tui.host.session import Gone

        found = leaf(error)
        # Whoever gave the connection up said why. What broke because of that says less.
        if self._lifeline.lost is not None:
            return self._lifeline.lost
        if isinstance(found, ProtocolCallError):
            return self._refusal(found)
        if isinstance(found, ElicitTuiError):
            return str(found)
        if isinstance(found, Gone):
            return await self._went_away()
        # Before the transport's own words: "HTTP 401" is what a person sees of a login that failed,
        # and this says why it did.
        if (wanted := self._connection.login_refusal) is not None:
            return wanted
        what = "went away" if self._connection.state == "ready" else "cannot be used"
        reason = reason_of(found, self._connection.http_refusal)
        return f"The server {self._connection.name} {what}: {reason}."

    def _refusal(self, error: ProtocolCallError) -> str:
        """The server answered the greeting with an error; its words stay on one line."""
        settings = self._connection.settings
        reason = neutral_line(error.message, 200).rstrip(".")
        sentence = (
            f"The server {settings.name} refused to connect: {reason} (error {error.shown_code})."
        )
        if settings.protocol == "auto":
            return sentence
        only = f'{settings.key("protocol")} = "{settings.protocol}"'
        return f"{sentence} It was asked for one revision only ({only})."

    async def _end_process(self) -> None:
        process = self._connection.process
        if process is None:
            return
        from elicit_tui.host.ending import close_pipes, end_process

        await end_process(process)
        code = process.exit_code()
        if self._asked_to_end and code and not process.was_told_to_end:
            # Its input was closed, which asks for an end that is none of a failure's.
            self._connection.breaches.ended_with(_exit_in_words(code))
        if self._log_task is not None:
            self._log_task.cancel()
            await asyncio.wait((self._log_task,))
        close_pipes(process)


def _exit_in_words(code: int) -> str:
    """A process's exit code in words; a negative one is a signal."""
    return f"exit code {code}" if code >= 0 else f"signal {-code}"


def _may_start(connection: Connection) -> None:
    """What the owner's configuration says against starting a server. Raises ServerError."""
    settings = connection.settings
    if settings.refused is not None:
        raise ServerError(settings.refused, code="refused")
    if settings.lack is not None:
        raise ServerError(settings.lack, code="not_started")


# The limit of time until it is ready


class StartupClock:
    """Runs from when it is made; 0 seconds: no limit."""

    def __init__(self, seconds: float, over: Callable[[], None]) -> None:
        """`over` is called when the time has passed."""
        self._left = seconds
        self._over = over
        self._timer: asyncio.TimerHandle | None = None
        self.go_on()

    def stop(self) -> None:
        """Let no more time pass."""
        if self._timer is not None:
            self._left = max(0.001, self._timer.when() - asyncio.get_running_loop().time())
            self._timer.cancel()
            self._timer = None

    def go_on(self) -> None:
        """Let time pass again."""
        if self._left and self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(self._left, self._over)
