"""What `install` and `uninstall` would do, before anything is done."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from elicit_tui.config.importing import Moved
from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation.hiding import hidden, stars
from elicit_tui.errors import ConfigError, UsageError
from elicit_tui.gateway.agents import Agent
from elicit_tui.gateway.install import undoing
from elicit_tui.gateway.install.changes import Change, make, only_real
from elicit_tui.gateway.install.document import AgentDocument, read_document
from elicit_tui.gateway.install.gateway_entry import NAME, entry, plain_entry, starts_us
from elicit_tui.gateway.install.moving import Staying, movable
from elicit_tui.gateway.install.places import FoundFile, is_of_a_project, look, shown_path
from elicit_tui.gateway.install.undoing import InstallRecord, Records, sha256_of

Refusals = Callable[[bytes, Collection[str]], Mapping[str, str]]
"""Tries our configuration with more servers in it: which of them may not run, and why."""


@dataclass(frozen=True)
class InstallRequest:
    """What is to be installed."""

    agent: Agent
    path: Path
    ours: Path
    """Our own configuration."""
    command: Sequence[str]
    """What starts the gateway, without the names of servers."""
    servers: Sequence[str]
    """The servers to serve; empty: all enabled ones."""
    environment: Mapping[str, str]
    take_over: bool = False
    reserved: Collection[str] = ()
    """The names of servers that an administrator has."""


@dataclass(frozen=True)
class Plan:
    """Changes in the order of writing, and what a person should know of them."""

    changes: tuple[Change, ...]
    carry_out: Callable[[], None]
    """Makes the changes. Raises ConfigError, and then nothing is changed."""
    moved: tuple[str, ...] = ()
    staying: tuple[Staying, ...] = ()
    notes: tuple[str, ...] = ()
    copy: Path | None = None


@dataclass(frozen=True)
class _Base:
    """Both files without any installation of this kind."""

    theirs: FoundFile
    ours: FoundFile
    their_content: bytes | None
    our_content: bytes | None
    document: AgentDocument
    own: AgentDocument


def plan_install(request: InstallRequest, refusals: Refusals) -> Plan:
    """Put the entry into the agent's file. Raises ConfigError, UsageError."""
    agent, records = request.agent, Records(request.agent, request.path)
    if request.path == request.ours:
        raise UsageError(f"{shown_path(request.path)} is our own configuration, not an agent's.")
    record = records.read()
    request = _as_before(request, record)
    base = _base(request, records, record)
    moved, staying = _moving(request, base, refusals) if request.take_over else ({}, ())
    document, taken, kept_in = _without(base.document, moved)
    # Only what could be taken out of their file may stand in ours.
    moved = {name: verdict for name, verdict in moved.items() if name in taken}
    replaced = _replaced(agent, document) if record is None else ()
    # An entry of our name is replaced, and kept to be put back.
    if NAME in document.servers:
        document, taken[NAME] = document.without(NAME)
    document = document.with_entry(NAME, _gateway_entry(request, moved))
    blocks = {name: verdict.toml for name, verdict in moved.items()}
    own_after = undoing.with_servers(base.own, iter(blocks.values())).as_bytes()
    new = _record_of(request, base, document.as_bytes(), own_after, taken, blocks)
    # Ours first: a death in between leaves a server in both files, and never in none.
    ours = _change(base.ours, own_after if moved else base.our_content)
    changes = tuple(only_real((ours, _change(base.theirs, document.as_bytes()))))
    our_copy = base.our_content if moved else None
    return Plan(
        changes,
        # The record before the files: what was done can then always be undone.
        lambda: make(changes, lambda: records.write(new, base.their_content, our_copy)),
        tuple(moved),
        (*staying, *kept_in),
        (*replaced, *_remote(moved), *_left_out(base.document)),
        records.copy if base.their_content is not None else None,
    )


def _as_before(request: InstallRequest, record: InstallRecord | None) -> InstallRequest:
    """Where servers were taken over before, they are again. Raises ConfigError."""
    if record is None or not record.moved:
        return request
    _refuse_another_home(request, record)
    return replace(request, take_over=True)


def _record_of(
    request: InstallRequest,
    base: _Base,
    after: bytes,
    ours_after: bytes,
    taken: Mapping[str, str],
    moved: Mapping[str, str],
) -> InstallRecord:
    """What is remembered of both files as they were, to put them back, and of what was made."""
    return InstallRecord(
        agent=request.agent.key,
        file=str(request.path),
        created=base.their_content is None,
        after=sha256_of(after),
        private=base.theirs.private,
        made_table=not base.document.has_table,
        taken=taken,
        ours=str(request.ours),
        ours_created=base.our_content is None,
        ours_after=sha256_of(ours_after),
        moved=moved,
    )


def _change(file: FoundFile, content: bytes | None) -> Change:
    return Change(file.path, file.content, content, file.mode)


def _refuse_another_home(request: InstallRequest, record: InstallRecord) -> None:
    """What was moved before comes back before it can move elsewhere."""
    if record.ours == str(request.ours):
        return
    raise UsageError(
        f"{request.agent.title}'s servers were moved into {shown_path(Path(record.ours))}: "
        f"`elicit-tui gateway uninstall {request.agent.key}` puts them back first."
    )


def _base(request: InstallRequest, records: Records, record: InstallRecord | None) -> _Base:
    theirs, ours = look(request.path), look(request.ours)
    if theirs.content is None and not request.path.parent.is_dir():
        raise UsageError(
            f"There is no folder {shown_path(request.path.parent)}: is {request.agent.title} "
            "installed? Another place is given with --file."
        )
    their_content = theirs.content
    if record is not None:
        their_content = undoing.theirs(request.agent, theirs, records, record).content
    our_content = undoing.ours(ours, records, record).content
    return _Base(
        theirs,
        ours,
        their_content,
        our_content,
        read_document(request.agent, their_content or b"", shown_path(request.path)),
        undoing.own_document(replace(ours, content=our_content)),
    )


def _without(
    document: AgentDocument, moved: Iterable[str]
) -> tuple[AgentDocument, dict[str, str], list[Staying]]:
    """The document without these servers, their text, and those that cannot be taken out."""
    taken: dict[str, str] = {}
    staying = []
    for name in moved:
        try:
            document, taken[name] = document.without(name)
        except ConfigError as error:
            staying.append(Staying(name, str(error).partition(": ")[2]))
    return document, taken, staying


def _gateway_entry(request: InstallRequest, moved: Iterable[str]) -> Mapping[str, Any]:
    # Where servers are named, those that move have to be named too.
    names = [*request.servers, *(moved if request.servers else ())]
    return entry(request.agent, [*request.command, *dict.fromkeys(names)], request.environment)


def _moving(
    request: InstallRequest, base: _Base, refusals: Refusals
) -> tuple[dict[str, Moved], tuple[Staying, ...]]:
    """The servers that move, and those that stay."""
    servers = {name: table for name, table in base.document.servers.items() if name != NAME}
    # A project's file is shared with others, whose gateway this is not.
    if is_of_a_project(request.agent, request.path):
        return {}, tuple(Staying(name, "it belongs to a project") for name in servers)
    known = {*base.own.servers, *request.reserved}
    judged = {
        name: movable(request.agent, name, table, known, private=base.ours.private)
        for name, table in servers.items()
    }
    moved = {name: verdict for name, verdict in judged.items() if isinstance(verdict, Moved)}
    staying = [verdict for verdict in judged.values() if isinstance(verdict, Staying)]
    if moved:
        # Tried as they would stand there, with all that our configuration and an administrator say.
        trial = undoing.with_servers(base.own, (verdict.toml for verdict in moved.values()))
        for name, why in refusals(trial.as_bytes(), tuple(moved)).items():
            del moved[name]
            staying.append(Staying(name, why))
    staying += _of_projects(base.document)
    return moved, tuple(staying)


def _of_projects(document: AgentDocument) -> list[Staying]:
    """The servers that Claude Code keeps for single projects in the same file."""
    projects = document.values.get("projects")
    found = []
    for folder, project in (projects if isinstance(projects, Mapping) else {}).items():
        servers = project.get("mcpServers") if isinstance(project, Mapping) else None
        for name in servers if isinstance(servers, Mapping) else ():
            found.append(Staying(name, f"it belongs to the project {folder}"))
    return found


def _replaced(agent: Agent, document: AgentDocument) -> tuple[str, ...]:
    """What a person is told of an entry of our name that starts something else."""
    entry = document.servers.get(NAME)
    if entry is None or starts_us(agent, entry):
        return ()
    held = plain_entry(agent, entry) if isinstance(entry, Mapping) else {}
    started = held.get("command", held.get("url"))
    what = f" ({hidden(str(started), stars)})" if started else ""
    return (
        f"an entry {NAME!r} stands there that is not this program's{what}: "
        "it is replaced, and uninstall puts it back",
    )


def _remote(moved: Mapping[str, Moved]) -> tuple[str, ...]:
    return tuple(
        f"{name}: if it wants a login, log in once (elicit-tui login {name}) or when you are asked."
        for name, verdict in moved.items()
        if "url" in verdict.values and not verdict.values.get("http_headers")
    )


def _left_out(document: AgentDocument) -> tuple[str, ...]:
    """gemini-cli may be told which servers it starts."""
    settings = document.values.get("mcp")
    allowed = settings.get("allowed") if isinstance(settings, Mapping) else None
    if not isinstance(allowed, list) or NAME in allowed:
        return ()
    return (f"only the servers in mcp.allowed are started: add {NAME!r} there.",)


def plan_uninstall(agent: Agent, path: Path, own_file: Path) -> Plan:
    """Take the entry out, and put back what was taken over. Raises ConfigError."""
    records = Records(agent, path)
    record = records.read()
    found = look(path)
    # By the record, as our configuration may be another by now.
    own = look(Path(record.ours) if record is not None and record.ours else own_file)
    undone = undoing.theirs(agent, found, records, record)
    undone_ours = undoing.ours(own, records, record)
    mode = found.mode
    if record is not None and record.private and record.taken:
        mode &= 0o700  # What comes back into it was never for others to read.
    real = tuple(
        only_real(
            (
                Change(path, found.content, undone.content, mode),
                _change(own, undone_ours.content),
            )
        )
    )

    def carry_out() -> None:
        make(real)
        records.forget()

    return Plan(real, carry_out, notes=(*undone.notes, *undone_ours.notes))
