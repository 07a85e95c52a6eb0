"""Who answers here, and whether they may: an agent shall not answer for its person.

To answer takes a terminal; and of the processes from this one up to its first session leader, that
one included, none may be a waiting gateway or an ancestor of one; and of all processes above this
one, none may be the agent that started such a gateway, by itself or through a shell, a launcher or
a package runner. This keeps an agent from answering through its own shell, also on a terminal or in
a session that it makes. It is no border against the same user: a program that detaches itself from
the agent, or writes the store's file, gets past it.
"""

from __future__ import annotations

import getpass
import os
import re
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

import psutil

from elicit_tui.elicitation import Answerer
from elicit_tui.store.living import machine_id, machine_name
from elicit_tui.text import neutral_line

if TYPE_CHECKING:
    from psutil import Process

    from elicit_tui.store.store import AskingProcess

NO_TERMINAL: Final = (
    "Answering takes a terminal, and this process has none"
    " (store.answer_without_terminal lifts that)."
)
BELOW_AN_AGENT: Final = (
    "This process belongs to an agent that waits for an answer; a person answers from a terminal"
    " of their own."
)
FIRST_PROCESSES: Final = frozenset({"systemd", "init", "launchd"})
"""Names of the process above all others, which every person's terminal descends from too."""
_RUNNERS: Final = """
    sh bash dash ash zsh ksh mksh fish csh tcsh nu elvish xonsh busybox cmd powershell pwsh
    env timeout nice ionice nohup setsid stdbuf time xargs script unbuffer sudo doas su runuser
    uv uvx pipx poetry hatch pdm rye pixi conda mamba micromamba mise direnv asdf py
    npm npx pnpm pnpx yarn bunx corepack volta nvm fnm make just task
    nix nix-shell devbox flatpak-spawn systemd-run bwrap firejail strace
    op doppler dotenv infisical aws-vault chamber tini dumb-init catatonit docker-init
    elicit-tui
"""
RUNNERS: Final = frozenset(_RUNNERS.split())
"""Names of programs that stand between an agent and what it starts, and decide nothing."""
PACKAGE_RUNNER: Final = re.compile(
    r"(?:^|[/\\])(?:np[mx]|pnpm|pnpx|yarn)(?:-cli)?(?:\.c?js)?$|[/\\]_npx[/\\]"
)
"""The script of Node.js that is such a program, or that npx has fetched and started."""
UNKNOWN: Final = "The processes above this one cannot be read, so nobody may answer from it."


def this_process() -> Answerer:
    """Who answers from this process, with the processes above it."""
    try:
        user = getpass.getuser()
    except (OSError, KeyError, ImportError):  # no name in the environment nor in the system
        user = str(os.getuid()) if hasattr(os, "getuid") else "?"
    ancestry = tuple(f"{process.pid} {neutral_line(_name(process), 80)}" for process in _line())
    return Answerer(user, terminal(), machine_name(), ancestry, machine_id())


def refusal(asking: Iterable[AskingProcess], *, without_terminal: bool) -> str | None:
    """Why nobody may answer from this process, in a sentence; None where they may.

    `asking`: the processes that wait for answers; those of other machines are none of this one's
    ancestors, whatever their numbers are.
    """
    if not without_terminal and terminal() is None:
        return NO_TERMINAL
    try:
        # Up to the first session leader: whoever answers has typed in that session.
        line = {process.pid for process in _line()}
        here = psutil.Process()
        # And everything above it, for the other question: whether the agent is among them.
        all_above = {process.pid for process in (here, *here.parents())}
        for process in asking:
            if process.machine_id not in (machine_id(), ""):
                continue
            try:
                waiting = psutil.Process(process.number)
                parents = waiting.parents()
            except psutil.NoSuchProcess:
                continue  # It ended just now.
            # Over HTTP whoever started the gateway is no agent.
            asks = process.role == "asker"
            agent = {above.pid for above in _agent_above(waiting, parents)} if asks else set()
            # Either this session has the gateway in it or above it, or the agent stands above this
            # process.
            if line & {above.pid for above in (waiting, *parents)} or all_above & agent:
                return BELOW_AN_AGENT
    except psutil.Error:
        return UNKNOWN
    return None


def started_by() -> tuple[str, ...]:
    """Names of what started this process: each runner, and the agent itself as the last.

    None of their processes may answer what this process asks.
    """
    try:
        here = psutil.Process()
        return tuple(
            neutral_line(_name(process), 80) for process in _agent_above(here, here.parents())
        )
    except psutil.Error:
        return ()


def agent_arguments() -> tuple[str, ...]:
    """The arguments with which the agent that started this process was started itself."""
    try:
        here = psutil.Process()
        above = _agent_above(here, here.parents())
    except psutil.Error:
        return ()
    return tuple(_command_line(above[-1])[1:]) if above else ()


def _agent_above(waiting: Process, parents: Sequence[Process]) -> Sequence[Process]:
    """The agent that started a gateway, behind each runner that stands between the two.

    What takes in processes that lost their parent started none of them. The shell that a person
    types at is the last: what started it is that person's desktop or login.
    """
    agent: list[Process] = []
    below = waiting
    # From the gateway upward, through what only runs the next one.
    for parent in parents:
        if _name(parent) in FIRST_PROCESSES:
            break
        agent.append(parent)
        if not _only_runs(parent, below) or _leads_at_a_terminal(parent):
            break
        below = parent
    return agent


def _only_runs(process: Process, started: Process) -> bool:
    """Whether a process only runs another: a shell, a launcher or a package runner."""
    # npm calls itself “npm exec …”, a login shell “-zsh”.
    name = _name(process).lower().lstrip("-").removesuffix(".exe").partition(" ")[0]
    if name in RUNNERS:
        return True
    words = _command_line(process)
    if name in ("node", "bun"):
        return any(PACKAGE_RUNNER.search(word) for word in words[1:2])
    # A Python of a virtual environment starts, on Windows, the one behind it with its own words.
    # The same words behind a different program: it starts itself again under another name.
    return len(words) > 1 and words[1:] == _command_line(started)[1:]


def _leads_at_a_terminal(process: Process) -> bool:
    if not _leads_a_session(process.pid):
        return False
    try:
        return process.terminal() is not None
    except psutil.Error:
        return False


def _command_line(process: Process) -> Sequence[str]:
    """The command line; empty where it cannot be read."""
    try:
        return process.cmdline()
    except psutil.Error:
        return ()


def terminal() -> str | None:
    """The terminal that a person types at, such as `pts/3`."""
    for stream in (sys.__stdin__, sys.__stderr__):
        try:
            if stream is None or not stream.isatty():
                return None
        except ValueError:  # closed
            return None
    try:
        name = os.ttyname(0)
    except (OSError, AttributeError):
        name = "terminal"
    return neutral_line(name.removeprefix("/dev/"), 80)


def _line() -> Sequence[Process]:
    """This process and those above it, up to the first that leads a session, that one too."""
    line = [psutil.Process()]
    while not _leads_a_session(line[-1].pid):
        parent = line[-1].parent()
        if parent is None:
            break
        line.append(parent)
    return line


def _leads_a_session(pid: int) -> bool:
    if sys.platform == "win32":
        # No sessions there: all processes above count.
        return False
    try:
        return os.getsid(pid) == pid
    except OSError:  # another user's, or it ended: what is above it counts too
        return False


def _name(process: Process) -> str:
    try:
        return process.name()
    except psutil.Error:
        return "?"
