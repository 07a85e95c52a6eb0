"""Starts a stdio server's process, ahead of the SDK: both then get ready at the same time.

It stands in for the SDK's own start of a process. Nothing here is asynchronous and nothing heavy is
imported, so that a process can be started before anything else happens.
"""

from __future__ import annotations

import atexit
import contextlib
import errno
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Final

from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation.settings import ServerSettings, Settings
from elicit_tui.errors import ServerError
from elicit_tui.paths import SYSTEM_PATH, program, start_directory, windows_program
from elicit_tui.text import neutral_line

INHERITED: Final = (
    (
        "APPDATA",
        "HOMEDRIVE",
        "HOMEPATH",
        "LOCALAPPDATA",
        "PATH",
        "PATHEXT",
        "PROCESSOR_ARCHITECTURE",
        "SYSTEMDRIVE",
        "SYSTEMROOT",
        "TEMP",
        "USERNAME",
        "USERPROFILE",
    )
    if sys.platform == "win32"
    else ("HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER")
)
"""All that a server gets of our environment; the rest it is given by its configuration."""

FIXED_PATH: Final = ":".join(SYSTEM_PATH)
"""Where a managed command is looked up, and its PATH unless its own table sets one."""

_running: set[ServerProcess] = set()


@dataclass(eq=False)
class ServerProcess:
    """A server's process with its three pipes, the leader of a process group of its own."""

    name: str
    popen: subprocess.Popen[bytes]
    was_told_to_end: bool = False
    """Whether it still ran when it was first sent a signal of ours."""

    @property
    def pid(self) -> int:
        """The process id, which is the group's id too."""
        return self.popen.pid

    @property
    def stdin(self) -> IO[bytes]:
        """The pipe to the server."""
        assert self.popen.stdin is not None
        return self.popen.stdin

    @property
    def stdout(self) -> IO[bytes]:
        """The pipe of messages from the server."""
        assert self.popen.stdout is not None
        return self.popen.stdout

    @property
    def stderr(self) -> IO[bytes]:
        """The pipe of the server's standard error; it never reaches our screen."""
        assert self.popen.stderr is not None
        return self.popen.stderr

    def exit_code(self) -> int | None:
        """The exit code, negative for a signal; None while the process runs."""
        return self.popen.poll()

    def group_alive(self) -> bool:
        """Whether anything of the process's group is left, also after its leader ended."""
        if self.popen.poll() is None:
            return True
        if sys.platform == "win32":
            return False
        try:
            os.killpg(self.pid, 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            # What is left runs as somebody else; there is nothing that we could end.
            return False
        return _living_member(self.pid)

    def terminate(self) -> None:
        """Ask the whole group to end."""
        self.was_told_to_end = self.was_told_to_end or self.popen.poll() is None
        if sys.platform == "win32":
            self.kill()
        else:
            self._signal(signal.SIGTERM)

    def kill(self) -> None:
        """End the whole group at once."""
        if sys.platform == "win32":
            taskkill = windows_program("taskkill")
            if taskkill is None:
                self.popen.kill()
                return
            subprocess.run(
                [taskkill, "/F", "/T", "/PID", str(self.pid)],
                check=False,
                capture_output=True,
            )
        else:
            self._signal(signal.SIGKILL)

    def _signal(self, number: int) -> None:
        if sys.platform != "win32":
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, number)

    def forget(self) -> None:
        """Do not end it when we end: it has ended already."""
        _running.discard(self)


def _living_member(group: int) -> bool:
    """Whether a process of this group still runs, by Linux's /proc; elsewhere taken as true.

    In a container whose first process reaps nobody, an orphan that has ended stays as a zombie:
    the group exists, but there is nothing left in it to wait for.
    """
    processes = Path("/proc")
    if not sys.platform.startswith("linux") or not processes.is_dir():
        return True
    for entry in processes.iterdir():
        if entry.name.isdecimal():
            with contextlib.suppress(OSError):
                # `PID (NAME) STATE PARENT GROUP …`: a name may hold blanks and brackets, so that
                # only what stands behind the last bracket can be split.
                fields = (entry / "stat").read_text(errors="replace").rpartition(")")[2].split()
                if int(fields[2]) == group and fields[0] not in ("Z", "X"):
                    return True
    return False


Launched = dict[str, "ServerProcess | ServerError"]
"""What came of starting servers early, by configured name."""


def launch_servers(settings: Settings, names: Iterable[str]) -> Launched:
    """Start the processes of these stdio servers at once.

    Give the result to `Host`; whoever does not must end them. A server that cannot be started,
    or may not be, is told by `Host.connect`.
    """
    launched: Launched = {}
    for name in names:
        server = settings.servers.get(name)
        if server is None or server.command is None or server.refused or server.missing:
            continue
        try:
            launched[name] = start_process(server)
        except ServerError as error:
            launched[name] = error
    return launched


def start_process(settings: ServerSettings) -> ServerProcess:
    """Start a configured server. Raises ServerError with one sentence when it cannot be."""
    environment = server_environment(settings)
    try:
        command = _resolved(settings, environment)
        popen = _popen_class()(
            [command, *settings.args],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            # The event loop reads and writes the pipes itself.
            bufsize=0,
            env=environment,
            cwd=server_directory(settings),
            # A group of its own: the terminal's Ctrl-C does not reach it, and its children end with
            # it.
            start_new_session=sys.platform != "win32",
        )
    except (OSError, ValueError) as error:
        raise ServerError(_sentence(settings, error), code="not_started") from None
    process = ServerProcess(settings.name, popen)
    _running.add(process)
    return process


def _popen_class() -> type[subprocess.Popen[bytes]]:
    """On Windows the event loop reads only overlapped pipes, which asyncio's own class makes."""
    if sys.platform == "win32":
        from asyncio import windows_utils

        return windows_utils.Popen
    return subprocess.Popen


def server_directory(settings: ServerSettings) -> str | None:
    """Where a server starts; None: in our own directory.

    One that `--with` names on the command line starts where a shell would start it.
    """
    if settings.cwd is not None:
        return settings.cwd
    managed = settings.fixed_path or settings.layer == "managed"
    if settings.layer == "command line" and not managed:
        return None
    return str(start_directory(managed=managed))


def server_environment(settings: ServerSettings) -> dict[str, str]:
    """The environment of a server: the few inherited names, then the configured ones."""
    environment = {
        name: value
        for name in INHERITED
        # A value that starts so is a function of old shells, which some of them would run.
        if (value := os.environ.get(name)) is not None and not value.startswith("()")
    }
    if settings.fixed_path and sys.platform != "win32":
        environment["PATH"] = FIXED_PATH
    return {**environment, **settings.env}


def _resolved(settings: ServerSettings, environment: dict[str, str]) -> str:
    command = settings.command or ""
    # What a managed server runs is not chosen by who can change a PATH.
    if settings.fixed_path and not Path(command).is_absolute():
        found = shutil.which(command, path=FIXED_PATH) if Path(command).name == command else None
        if found is None:
            raise ServerError(
                f"The command {neutral_line(command)} of the server {settings.name} is neither "
                "absolute nor in the system's own path.",
                code="not_started",
            )
        return found
    if sys.platform == "win32":
        if Path(command).name != command:
            return shutil.which(command) or command
        found = program(command, environment.get("PATH"))
        if found is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), command)
        return found
    return command


def _sentence(settings: ServerSettings, error: OSError | ValueError) -> str:
    from elicit_tui.elicitation.hiding import hidden, stars

    command = neutral_line(hidden(settings.command or "", stars))
    if settings.cwd is not None and not Path(settings.cwd).is_dir():
        directory = neutral_line(settings.cwd)
        key = settings.key("cwd")
        return f"The directory {directory} of the server {settings.name} is not there ({key})."
    key = settings.key("command")
    what = f"The command {command} of the server {settings.name}"
    if isinstance(error, FileNotFoundError):
        return f"{what} was not found ({key})."
    if isinstance(error, PermissionError):
        return f"{what} may not be executed ({key})."
    reason = neutral_line(getattr(error, "strerror", None) or str(error))
    return f"{what} could not be started ({key}): {reason}."


@atexit.register
def _end_all() -> None:
    """The last resort when a run ends without taking its servers down in order."""
    for process in tuple(_running):
        if process.group_alive():
            process.kill()
