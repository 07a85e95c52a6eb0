"""One call without the console: the whole of `call`, `prompt` and `read`."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING, Any

from elicit_tui.broker import BrokerEvent, Notice, Resolved
from elicit_tui.cli import exit_codes
from elicit_tui.cli.asking import Person
from elicit_tui.cli.interrupts import Interrupts
from elicit_tui.cli.limits import within
from elicit_tui.cli.output import Output
from elicit_tui.cli.presence import wants_plain_prompts
from elicit_tui.cli.report import Report, event_line
from elicit_tui.cli.telling import Telling
from elicit_tui.elicitation import Call
from elicit_tui.errors import ElicitTuiError
from elicit_tui.host import HostEvent, ListChanged, LogMessage, Progress, UrlCompleted

if TYPE_CHECKING:
    from elicit_tui.cli.preparing import Prepared
    from elicit_tui.elicitation import Responder
    from elicit_tui.host import Connection, Launched
    from elicit_tui.runtime import Runtime
    from elicit_tui.runtime.runtime import LazyGuardian


class OneCall:
    """Makes one call and tells it; `run` is the whole command."""

    def __init__(self, prepared: Prepared, launched: Launched, interrupts: Interrupts) -> None:
        self._options = prepared.options
        self._method = prepared.method
        self._given = prepared.given
        self._settings = prepared.settings
        self._answers = prepared.answers
        self._recording = prepared.recording
        self._launched = launched
        self._interrupts = interrupts
        self._narration = prepared.narration
        self._output = Output()
        self._telling = Telling(self._narration)
        self._person = Person(
            present=prepared.person_present,
            plain=self._options.plain or wants_plain_prompts(),
            narration=self._narration,
            output=self._output,
        )
        self._tools_changed = asyncio.Event()
        self._confirming = False
        self._call: Call | None = None
        self._report = Report(
            self._options.server,
            self._method,
            self._options.name,
            self._settings.history.content,
        )

    def run(self) -> int:
        """Make the call; its exit code. Raises what ends with 2, for which there is no document."""
        self._output.claim()
        try:
            try:
                asyncio.run(self._interrupts.run(self._conducted()))
            except Exception as error:  # noqa: BLE001 - one document on stdout, whatever ended it
                self._report.error = error
                self._log_trace(error)
            code = self._finish()
        finally:
            self._output.release()
        if self._interrupts.hung_up:
            # Everything is told, written and ended. A form's thread that still reads from the
            # terminal that is gone would keep the process for ever.
            os._exit(code)
        return code

    def _log_trace(self, error: Exception) -> None:
        """Keep the traceback of what nobody foresaw in the log file; none reaches a screen."""
        if isinstance(error, ElicitTuiError) or self._options.log_file is None:
            return
        from traceback import format_exception

        from elicit_tui.host.server_log import LogFile
        from elicit_tui.text import neutral_line

        log = LogFile(self._options.log_file)
        for line in "".join(format_exception(error)).splitlines():
            log.write("elicit-tui", neutral_line(line, 500))
        log.close()

    def _finish(self) -> int:
        error = self._report.error
        if self._recording is not None:
            self._recording.write(self._narration)
        if error is not None and exit_codes.code_of(error) == exit_codes.USAGE:
            raise error
        code = self._report.exit_code(strict=self._options.strict)
        self._report.write(self._output, self._options.output, code)
        if error is not None:
            self._narration.error(error)
        self._offer_entries()
        if self._output.lost:
            self._narration.say(f"elicit-tui: stdout could not be written: {self._output.failure}")
            return exit_codes.USAGE
        return code

    def _offer_entries(self) -> None:
        """Print an entry to paste for each question that the answers file did not answer."""
        unanswered = self._report.unanswered
        if not unanswered:
            return
        from elicit_tui.cli.recording import missing_entries

        self._narration.say(missing_entries(unanswered, self._options.answers))

    async def _conducted(self) -> None:
        from elicit_tui.runtime import open_runtime

        opened = open_runtime(
            self._settings,
            responder=self._responder,
            answers=self._answers,
            person_present=self._person.present,
            launched=self._launched,
            log_file=self._options.log_file,
        )
        async with opened as runtime:
            runtime.broker.subscribe(self._broker_said)
            runtime.host.subscribe(self._host_said)
            work = asyncio.ensure_future(self._limited_work(runtime))
            try:
                await asyncio.shield(work)
            except asyncio.CancelledError:
                # Before the call is given up: its questions are ended by us, not by the server.
                await runtime.broker.close()
                raise
            finally:
                work.cancel()
                await asyncio.gather(work, return_exceptions=True)

    async def _limited_work(self, runtime: Runtime) -> None:
        work = self._work(runtime)
        if self._options.timeout is None:
            await work
        else:
            await within(self._options.timeout, work, lambda: self._asks_a_person(runtime))

    def _responder(self, guardian: LazyGuardian) -> Responder:
        responder = self._person.responder(self._settings, guardian)
        if self._recording is None:
            return responder
        return self._recording.around(responder, guardian)

    async def _work(self, runtime: Runtime) -> None:
        connection = await runtime.host.connect(self._options.server)
        identity = connection.identity
        self._report.protocol_version = identity.protocol_version
        self._event(
            "connected",
            {
                "server": identity.name,
                "protocolVersion": identity.protocol_version,
                "serverInfo": {"name": identity.calls_itself, "version": identity.version},
            },
        )
        if self._method == "tools/call":
            arguments = await self._tool_arguments(runtime, connection)
        else:
            arguments = self._given.as_texts()
        self._call = Call(self._method, self._options.name, arguments)
        self._report.result = (await connection.call(self._call)).result

    def _asks_a_person(self, runtime: Runtime) -> bool:
        """Whether the run waits for a person, so that its clock stands still."""
        return self._confirming or (
            self._call is not None and runtime.broker.waiting(self._call.id)
        )

    async def _tool_arguments(self, runtime: Runtime, connection: Connection) -> dict[str, Any]:
        """Find the tool, read the arguments by its schema, and ask whether it may be called."""
        from elicit_tui.cli.tool_choice import find_tool, pass_the_gate

        name = self._options.name
        if not connection.settings.offers_tool(name):
            await pass_the_gate(runtime.policy, connection, name, None, {}, self._person)
        tool = await find_tool(connection, name, self._tools_changed)
        arguments = self._given.for_schema(tool.input_schema)
        self._confirming = True
        try:
            await pass_the_gate(
                runtime.policy, connection, name, tool.annotations, arguments, self._person
            )
        finally:
            self._confirming = False
        return arguments

    def _broker_said(self, event: BrokerEvent) -> None:
        if isinstance(event, Notice):
            self._telling.notice(event)
        elif isinstance(event, Resolved):
            self._event("elicitation.resolved", self._report.heard(event))
            self._telling.resolved(event)
        else:
            self._event("elicitation.requested", self._report.heard(event))

    def _host_said(self, event: HostEvent) -> None:
        if isinstance(event, Progress):
            self._event(
                "progress",
                {"progress": event.progress, "total": event.total, "message": event.message},
            )
            self._telling.progress(event)
        elif isinstance(event, LogMessage):
            fields = {"level": event.level, "logger": event.logger, "data": event.data}
            self._event("log", fields)
            self._telling.log(event)
        elif isinstance(event, UrlCompleted) and self._report.asked_page(event.elicitation_id):
            self._telling.completed(event)
            self._person.completed(event.server, event.elicitation_id)
        elif isinstance(event, ListChanged) and event.kind == "tools":
            self._tools_changed.set()

    def _event(self, name: str, fields: dict[str, object]) -> None:
        if self._options.output == "jsonl":
            self._output.json_line(event_line(name, fields))
