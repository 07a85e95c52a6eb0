"""Makes one call and tells it: data on standard output, narration on standard error."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from traceback import format_exception
from typing import TYPE_CHECKING, Any, Final, TypeVar

from elicit_tui.broker import BrokerEvent, Notice, Resolved
from elicit_tui.cli import exit_codes
from elicit_tui.cli.asking import Person
from elicit_tui.cli.interrupts import Interrupts
from elicit_tui.cli.missing_arguments import refuse_missing
from elicit_tui.cli.output import Output
from elicit_tui.cli.own_terminal import wants_plain_prompts
from elicit_tui.cli.parser import nearest
from elicit_tui.cli.report import Report, connected_fields, event_line
from elicit_tui.cli.telling import Telling
from elicit_tui.elicitation import Call
from elicit_tui.elicitation.eras import revision_to_try
from elicit_tui.errors import (
    ElicitTuiError,
    Interrupted,
    LimitReached,
    ProtocolCallError,
    ToolRefused,
    UsageError,
)
from elicit_tui.host.events import (
    HostEvent,
    ListChanged,
    LogMessage,
    Progress,
    ServerStateChanged,
    UrlCompleted,
)
from elicit_tui.host.open_calls import wait_within
from elicit_tui.runtime import RunOptions, open_runtime
from elicit_tui.text import in_seconds, neutral_line

if TYPE_CHECKING:
    from elicit_tui.cli.arguments import Prepared
    from elicit_tui.cli.shell_call import ShellCall
    from elicit_tui.elicitation import Queue, Responder
    from elicit_tui.host.connection import Connection
    from elicit_tui.host.launch import Launched
    from elicit_tui.host.offers import Tool
    from elicit_tui.runtime import Runtime

Result = TypeVar("Result")

LATE_SECONDS: Final = 1.0
LATE_TIMES: Final = 3
"""How long and how often a tool is waited for that its server registers after the handshake."""


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
        plain = self._options.plain or wants_plain_prompts()
        self._telling = Telling(
            self._narration,
            self._settings.history.content,
            forms=prepared.person_present and not plain,
        )
        self._person = Person(
            present=prepared.person_present,
            plain=plain,
            narration=self._narration,
            output=self._output,
        )
        self._tools_changed = asyncio.Event()
        self._went_away: str | None = None
        """Why the server is gone, where it went by itself."""
        self._connection: Connection | None = None
        self._call: Call | None = None
        self._shell_call: ShellCall | None = None
        """What the console's history is to have of it; None where no person is at the terminal."""
        self._without_person = 0
        """How many questions it pushed that cost nobody's time."""
        self._over: LimitReached | None = None
        """Why the call is broken off, where it asked too much."""
        self._breaking_off: asyncio.Future[None] | None = None
        """Held, as the loop lets go of a task that nobody holds."""
        self._tool: Tool | None = None
        """What is called, as its server lists it."""
        self._report = Report(
            self._options.server,
            self._method,
            self._options.name,
            self._settings.history.content,
            self._answers,
        )

    def run(self) -> int:
        """Make the call; its exit code."""
        # Everything that prints from here on prints to standard error: data alone goes to the
        # other.
        self._output.claim()
        try:
            try:
                asyncio.run(self._interrupts.run(self._conducted()))
            except Exception as error:  # noqa: BLE001 - one document on stdout, whatever ended it
                self._report.error = error
                self._log_trace(error)
            code = self._finish()
            if self._shell_call is not None:
                self._shell_call.keep(self._report.result, self._report.error)
        finally:
            self._output.release()
        return code

    def _log_trace(self, error: Exception) -> None:
        """Keep the traceback of what nobody foresaw in the log file; none reaches a screen."""
        if isinstance(error, ElicitTuiError) or self._options.log_file is None:
            return
        from elicit_tui.host.server_log import LogFile

        log = LogFile(self._options.log_file)
        for line in "".join(format_exception(error)).splitlines():
            log.write("elicit-tui", neutral_line(line, 500))
        log.close()

    def _finish(self) -> int:
        # In this order: what went wrong is known before anything is written, and the data is
        # written before a word of ours.
        self._read_strictly()
        if self._recording is not None:
            self._fail_with(self._recording.finish(self._narration))
        saved = self._save()
        error = self._report.error
        code = self._report.exit_code(strict=self._options.strict)
        self._report.write(self._output, self._options.output, code)
        self._telling.finish()
        if error is not None and code == exit_codes.USAGE:
            self._advise(error)
            self._narration.error(error)
            # Without a result nothing came of it that more could be said of.
            if self._report.result is None:
                return code
        elif error is not None:
            self._narration.error(error)
            self._advise(error)
        elif self._report.schema_problem is not None:
            self._narration.tell(self._report.schema_problem)
        # It is no failure: the result counts, and whoever reads it should know all the same.
        if error is None and self._went_away is not None:
            self._narration.tell(f"after its result: {self._went_away}")
        for sentence in saved:
            self._narration.tell(sentence)
        self._offer_entries()
        return code

    def _fail_with(self, failure: UsageError | None) -> None:
        """Let the call end with this failure; where it failed already, only tell it."""
        if failure is None:
            return
        if self._report.error is None:
            self._report.error = failure
        else:
            self._narration.error(failure)

    def _read_strictly(self) -> None:
        """With `--strict` a call whose server did what nobody may rely on has gone wrong."""
        if not self._options.strict or self._connection is None or self._report.error is not None:
            return
        broken = self._connection.broken_rules()
        if broken:
            self._report.error = broken[0]  # Each was told when it was met.

    def _advise(self, error: BaseException) -> None:
        """Name the option that may mend what ended the call."""
        server = self._settings.servers[self._options.server]
        if isinstance(error, ToolRefused):
            outcome = error.outcome
            confirmable = outcome.decided_by != "user" and "approval_mode" in outcome.reason
            if confirmable and server.layer != "managed":
                self._narration.tell("--allow-tool calls it without a confirmation.")
            return
        spoken = self._report.protocol_version
        other = revision_to_try(error, spoken)
        if other is None:
            return
        if server.layer == "command line":
            way = f"--protocol {other}"
        else:
            way = f'{server.key("protocol")} = "{other}"'
        self._narration.tell(
            f"{server.name} was spoken to in {spoken}; a server that asks only in "
            f"{other} fails so. Try {way}."
        )

    def _save(self) -> list[str]:
        """Write the binary parts of the result where `--save` says; a sentence for each."""
        if self._options.save is None or self._report.result is None:
            return []
        from elicit_tui.cli.result_output import save_binaries

        try:
            return save_binaries(self._report.result, self._options.save)
        except UsageError as error:
            self._fail_with(error)
            return []

    def _offer_entries(self) -> None:
        """Tell entries that answered nothing; print one to paste for each that was missing."""
        for rule in self._report.unused:
            about = f' (message = "{rule.message}")' if rule.message is not None else ""
            self._narration.tell(
                f"entry {rule.position} of {self._options.answers} answered nothing{about}"
            )
        # Without a key it was none of the entries that decided: there was none for the question.
        missing = [
            resolved
            for resolved in self._report.unanswered
            if resolved.outcome.decided_by == "answers" and resolved.outcome.key is None
        ]
        if not missing:
            return
        from elicit_tui.cli.recording import missing_entries

        self._narration.say(missing_entries(missing, self._options.answers), wrap=False)

    async def _conducted(self) -> None:
        opened = open_runtime(
            self._settings,
            responder=self._responder,
            options=RunOptions(
                answers=self._answers,
                person_present=self._person.present,
                keep_drafts=self._answers is None,
                launched=self._launched,
                log_file=self._options.log_file,
            ),
        )
        async with opened as runtime:
            self._person.ledger = runtime.ledger
            runtime.broker.subscribe(self._on_broker_event)
            runtime.host.subscribe(self._on_host_event)
            work = asyncio.ensure_future(self._limited_work(runtime))
            try:
                # Shielded, so that a cancellation finds the work as it is and can end it in order.
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

    def _responder(self, queue: Queue) -> Responder:
        return self._person.responder(self._settings, queue)

    async def _work(self, runtime: Runtime) -> None:
        server = self._settings.servers[self._options.server]
        with self._narration.starting([server], self._options.output):
            connection = self._connection = await runtime.host.connect(server.name)
        self._report.protocol_version = connection.identity.protocol_version
        self._event("connected", connected_fields(connection.identity))
        if self._method == "tools/call":
            arguments = await self._tool_arguments(connection)
        else:
            arguments = self._given.as_texts()
            if self._method == "prompts/get":
                await self._check_prompt(connection, arguments)
        self._call = Call(self._method, self._options.name, arguments)
        if self._person.present:
            self._shell_call = self._kept_as(self._call, runtime)
        try:
            self._report.result = (await connection.call(self._call)).result
        except Interrupted as error:
            raise self._over or error from None
        self._report.schema_problem = self._schema_problem()

    def _kept_as(self, call: Call, runtime: Runtime) -> ShellCall:
        from elicit_tui.cli.shell_call import ShellCall

        schema = self._tool.input_schema if self._tool is not None else {}
        policy = self._settings.history.content
        return ShellCall(self._options.server, call, schema, policy, runtime.guardian)

    def _schema_problem(self) -> str | None:
        """Why the result is not what the tool's outputSchema says (spec: server/tools)."""
        if self._tool is None or self._report.result is None:
            return None
        return self._tool.result_problem(self._report.result)

    def _asks_a_person(self, runtime: Runtime) -> bool:
        """Whether the run waits for a person, so that its clock stands still."""
        return self._call is not None and runtime.broker.asks_for_call(self._call.id)

    async def _check_prompt(self, connection: Connection, arguments: Mapping[str, str]) -> None:
        """Raise UsageError where the prompt, as its server lists it, needs more arguments."""
        try:
            listed = await connection.prompts()
        except ProtocolCallError:
            return  # What it does not list it may have all the same.
        for prompt in listed:
            if prompt.name == self._options.name:
                refuse_missing(arguments, prompt.input_schema, "The prompt", may_ask=False)

    async def _tool_arguments(self, connection: Connection) -> dict[str, Any]:
        """Find the tool, and read the arguments by its schema."""
        name = self._options.name
        if not connection.settings.offers_tool(name):
            return {}  # The owner's lists refuse it, whatever the arguments are.
        self._tool = await find_tool(connection, name, self._tools_changed)
        return self._given.for_schema(self._tool.input_schema, incomplete=self._options.incomplete)

    def _on_broker_event(self, event: BrokerEvent) -> None:
        if isinstance(event, Resolved) and self._shell_call is not None:
            self._shell_call.note_question(event)
        if isinstance(event, Notice):
            self._telling.notice(event)
        elif not event.request.traits.from_server:
            return  # It is no question of the server; a refusal is told as the call's end.
        elif isinstance(event, Resolved):
            if self._recording is not None:
                self._recording.note_answer(event)
            self._event("elicitation.resolved", self._report.note_event(event))
            self._telling.resolved(event)
            self._count(event)
        else:
            self._event("elicitation.requested", self._report.note_event(event))

    def _count(self, event: Resolved) -> None:
        """Break off a call that pushes question after question and costs nobody's time."""
        outcome, most = event.outcome, self._settings.elicitation.rounds
        # Rounds are counted where they are driven, and what is over a limit has its own.
        if event.request.protocol.rounds or outcome.in_group or outcome.cost_a_person:
            return
        self._without_person += 1
        if self._without_person <= most or self._over is not None:
            return
        if self._connection is None or self._call is None:
            return
        self._over = LimitReached(
            f"{neutral_line(self._call.name, 100)} asked {most} questions without a person being "
            "asked (elicitation.rounds allows more).",
            code="rounds",
        )
        work = self._connection.break_off(self._call.id)
        self._breaking_off = asyncio.ensure_future(work)

    def _on_host_event(self, event: HostEvent) -> None:
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
        elif isinstance(event, UrlCompleted):
            if self._report.page_is_done(event.elicitation_id):
                self._telling.completed(event)
            self._person.completed(event.server, event.elicitation_id)
        elif isinstance(event, ListChanged) and event.kind == "tools":
            self._tools_changed.set()
        elif isinstance(event, ServerStateChanged) and event.state == "failed":
            self._went_away = event.failure

    def _event(self, name: str, fields: dict[str, object]) -> None:
        if self._options.output == "jsonl":
            self._output.json_line(event_line(name, fields))


async def find_tool(connection: Connection, name: str, changed: asyncio.Event) -> Tool:
    """The tool of this name. Raises UsageError.

    Some servers register tools only after the handshake: a changed list (`changed`) is read
    again.
    """
    for _ in range(LATE_TIMES):
        changed.clear()
        tools = await connection.tools()
        for tool in tools:
            if tool.name == name:
                return tool
        try:
            await asyncio.wait_for(changed.wait(), LATE_SECONDS)
        except asyncio.TimeoutError:
            break
    raise UsageError(_missing(connection.name, name, [tool.name for tool in tools]))


def _missing(server: str, name: str, offered: list[str]) -> str:
    sentence = f"The server {server!r} has no tool {name!r}."
    if (near := nearest(name, offered)) is not None:
        return f"{sentence} Did you mean {neutral_line(near)}?"
    return f"{sentence} elicit-tui tools {server} lists them."


async def within(
    seconds: float, work: Coroutine[Any, Any, Result], asking: Callable[[], bool]
) -> Result:
    """Do the work within so many seconds of its own time. Raises LimitReached."""
    task = asyncio.ensure_future(work)
    try:
        if await wait_within(task, seconds, asking):
            return task.result()
    # Also by a cancellation: nothing of the work outlives this.
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait({task})
    raise LimitReached(f"The call did not end within {in_seconds(seconds)} (--timeout).")
