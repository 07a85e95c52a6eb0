"""`elicit-tui inbox`: what waits for a person, whoever asked; also for scripts."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeVar

from elicit_tui.broker.waiting_here import waiting_in_consoles
from elicit_tui.cli.console import open_console
from elicit_tui.cli.exit_codes import FAILED, OK
from elicit_tui.cli.inbox.answer import give
from elicit_tui.cli.inbox.waiting_text import LABEL, as_json, details, in_client, two_lines
from elicit_tui.cli.interrupts import Interrupts
from elicit_tui.cli.narration import Narration
from elicit_tui.cli.output import TEXT_OR_JSON, Output
from elicit_tui.cli.parser import InAnyOrder
from elicit_tui.cli.run_settings import load_settings
from elicit_tui.elicitation import rfc3339
from elicit_tui.errors import StoreMissing, UsageError
from elicit_tui.gateway.connected import session_notes
from elicit_tui.runtime.opening import open_store
from elicit_tui.text import as_name, neutral_line

if TYPE_CHECKING:
    from elicit_tui.elicitation.settings import Settings
    from elicit_tui.store.store import Grant, Store, Waiting

Result = TypeVar("Result")

_NOTHING: Final = (
    "No question of an agent waits for you. What the calls of a console or of a command ask is "
    "answered there."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The commands of `inbox` and their options; without one it is the console."""
    commands = parser.add_subparsers(
        dest="inbox_command", metavar="COMMAND", parser_class=InAnyOrder
    )
    listing = commands.add_parser("list", help="what waits, oldest first")
    listing.add_argument("--output", choices=("text", "json", "jsonl"), default="text")
    show = commands.add_parser("show", help="one question with all that is known of it")
    _add_id(show)
    show.add_argument("--output", choices=TEXT_OR_JSON, default="text")
    answer = commands.add_parser("answer", help="answer one; what is missing is asked with a form")
    _add_id(answer)
    answer.add_argument(
        "pairs", metavar="KEY=VALUE", nargs="*", help="a field, by its name; KEY:=JSON for a value"
    )
    answer.add_argument(
        "--session", action="store_true", help="of a tool call: allow it for the agent's session"
    )
    answer.add_argument("--plain", action="store_true", help="line prompts in place of a form")
    decline = commands.add_parser("decline", help="say no to one")
    _add_id(decline)
    decline.add_argument(
        "--note", metavar="TEXT", help="what the agent shall read; no server gets it"
    )
    cancel = commands.add_parser("cancel", help="say neither yes nor no to one")
    _add_id(cancel)
    grants = commands.add_parser("grants", help="the tools that are allowed for a session")
    grants.add_argument("--output", choices=TEXT_OR_JSON, default="text")
    revoke = commands.add_parser("revoke", help="take back what was allowed for a session")
    revoke.add_argument("server", metavar="SERVER", nargs="?", help="of this server only")
    revoke.add_argument("tool", metavar="TOOL", nargs="?", help="this tool only")
    revoke.add_argument("--all", action="store_true", help="everything, of every server")


def _add_id(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "id", metavar="ID", help="its id or the one that the agent was told, or the beginning"
    )


def run(namespace: argparse.Namespace) -> int:
    """Run one of the commands; exit code 1 when an answer did not go out."""
    settings = load_settings(namespace, Narration())
    if namespace.inbox_command is None:
        return open_console(settings, (), namespace, inbox=True)
    commands: dict[str, Callable[[Settings, argparse.Namespace], Coroutine[Any, Any, int]]] = {
        "list": _list,
        "show": _show,
        "answer": _answer,
        "decline": _answer,
        "cancel": _answer,
        "grants": _grants,
        "revoke": _revoke,
    }
    with Interrupts() as interrupts:
        work = commands[namespace.inbox_command](settings, namespace)
        return asyncio.run(interrupts.run(work))


async def _of_store(
    settings: Settings, work: Callable[[Store], Awaitable[Result]], nothing: Result
) -> Result:
    """What `work` gets of the store; `nothing` where there is no store yet."""
    try:
        async with open_store(settings, "answerer", create=False) as store:
            return await work(store)
    except StoreMissing:
        return nothing


async def _waiting(settings: Settings) -> Sequence[Waiting]:
    """What can be answered now, oldest first."""
    waiting: tuple[Waiting, ...] = await _of_store(settings, lambda store: store.waiting(), ())
    return [question for question in waiting if question.state != "answered"]


def chosen(waiting: Sequence[Waiting], prefix: str) -> Waiting:
    """The one question whose id, or whose call's id, begins so. Raises UsageError."""
    found = [
        question
        for question in waiting
        if prefix and any(known.startswith(prefix) for known in (question.id, *question.call_ids))
    ]
    if len(found) == 1:
        return found[0]
    shown = neutral_line(prefix, 80)
    if found:
        raise UsageError(f"{len(found)} questions begin with {shown!r}; give more of the id.")
    raise UsageError(f"No question {shown!r} waits (see elicit-tui inbox list).")


async def _list(settings: Settings, namespace: argparse.Namespace) -> int:
    output = Output()
    waiting = await _waiting(settings)

    def write_lines() -> None:
        for question in waiting:
            output.json_line(as_json(question))

    def write_text() -> None:
        for question in waiting:
            output.prose(two_lines(question))
        if not waiting:
            Narration().say(_NOTHING)
        _tell_elsewhere()

    writers: dict[str, Callable[[], None]] = {
        "json": lambda: output.json([as_json(question) for question in waiting]),
        "jsonl": write_lines,
        "text": write_text,
    }
    writers[namespace.output]()
    return OK


def _tell_elsewhere() -> None:
    """Tell of what is asked in a console, or in an agent's own client, and answered there alone."""
    for console in waiting_in_consoles():
        for sentence in console.sentences:
            Narration().say(sentence)
    for note in session_notes():
        for asked in note.in_client if note.alive else ():
            agent = as_name(note.agent, 60) if note.agent else "an agent"
            Narration().say(f"{agent}: {in_client(asked)}")


async def _show(settings: Settings, namespace: argparse.Namespace) -> int:
    output = Output()
    waiting = chosen(await _waiting(settings), namespace.id)
    output.text_or_json(
        namespace.output,
        lambda: output.prose(details(waiting), LABEL),
        lambda: as_json(waiting),
    )
    return OK


async def _answer(settings: Settings, namespace: argparse.Namespace) -> int:
    return await give(settings, namespace, chosen(await _waiting(settings), namespace.id).id)


async def _grants(settings: Settings, namespace: argparse.Namespace) -> int:
    output = Output()
    grants: tuple[Grant, ...] = await _of_store(settings, lambda store: store.grants(), ())
    output.text_or_json(
        namespace.output,
        lambda: _write_grants(grants, output),
        lambda: [
            {
                "server": grant.server,
                "tool": grant.tool,
                "agent": grant.agent,
                "session": grant.session,
                "grantedAt": rfc3339(grant.granted_at) if grant.granted_at else None,
            }
            for grant in grants
        ],
    )
    return OK


def _write_grants(grants: Sequence[Grant], output: Output) -> None:
    for grant in grants:
        agent = as_name(grant.agent, 80) if grant.agent else "an agent"
        tool = as_name(grant.tool, 80)
        output.text(f"{neutral_line(grant.server, 80)}  {tool}  for {agent}")
    if not grants:
        Narration().say("Nothing is allowed for a session.")


async def _revoke(settings: Settings, namespace: argparse.Namespace) -> int:
    if namespace.server is None and not namespace.all:
        raise UsageError("Which? Name a SERVER, a SERVER and a TOOL, or give --all.")
    server, tool = namespace.server, namespace.tool
    count = await _of_store(settings, lambda store: store.revoke(server, tool), 0)
    Narration().say(f"Taken back: {count}." if count else "There was nothing to take back.")
    return OK if count else FAILED
