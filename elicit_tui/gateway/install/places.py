"""Where an agent's own configuration is, and what stands there."""

from __future__ import annotations

import os
import re
import stat
import sys
from pathlib import Path
from typing import Final

from elicit_tui.dataclass import dataclass
from elicit_tui.errors import ConfigError, UsageError
from elicit_tui.gateway.agents import UNKNOWN, Agent, known_agents
from elicit_tui.text import neutral_line

LARGEST_FILE: Final = 64 * 1024 * 1024
"""Bytes; Claude Code keeps its history in the same file."""

_VARIABLE: Final = re.compile(r"\$\{(\w+):-([^}]*)\}")


def installable() -> dict[str, Agent]:
    """The agents whose file `install` writes."""
    return {key: agent for key, agent in known_agents().items() if agent.place}


def own_file(agent: Agent) -> Path:
    """Where the agent keeps its person's own configuration. Raises ConfigError, UsageError."""
    place = agent.place.get(sys.platform, agent.place.get("any"))
    if place is None:
        raise UsageError(f"{agent.title} has no known file on this system; give it with --file.")
    return _here(place)


def hooks_file(agent: Agent) -> Path:
    """Where the agent looks for its person's hooks. Raises ConfigError."""
    return _here(agent.hooks)


def _here(place: str) -> Path:
    """A place of `agents.toml` on this machine. Raises ConfigError."""
    path = Path(_VARIABLE.sub(lambda match: os.environ.get(match[1]) or match[2], place))
    try:
        path = path.expanduser()
    except RuntimeError:
        path = Path()
    if not path.is_absolute():
        raise ConfigError([f"the place of {place} is not known here: set HOME"])
    return path


def is_of_a_project(agent: Agent, path: Path) -> bool:
    """Whether a file is the one that a project shares with everybody who works on it."""
    ending = Path(agent.project).parts
    if not ending or path.parts[-len(ending) :] != ending:
        return False
    try:
        return path != own_file(agent)
    except (ConfigError, UsageError):  # The person has none on this system.
        return True


def shown_path(path: Path) -> str:
    """A path as a person reads it, the home as `~`."""
    try:
        inside = path.relative_to(Path.home())
    except (ValueError, RuntimeError):
        return neutral_line(str(path))
    return neutral_line(f"~/{inside.as_posix()}")


@dataclass(frozen=True)
class FoundFile:
    """What stands in a file; `content` None: there is no file."""

    path: Path
    content: bytes | None
    mode: int = 0o600

    @property
    def private(self) -> bool:
        """Whether only its owner can read it, or could if it were made now."""
        return self.content is None or os.name != "posix" or not self.mode & 0o077


def look(path: Path) -> FoundFile:
    """What stands there now. Raises ConfigError for what is not to be touched."""
    _refuse_links(path)
    try:
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
        descriptor = os.open(path, flags)
    except FileNotFoundError:
        return FoundFile(path, None)
    except OSError as error:
        raise left_as_it_is(path, f"it cannot be read: {error.strerror}") from None
    with os.fdopen(descriptor, "rb") as stream:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise left_as_it_is(path, "it is not a file")
        if os.name == "posix" and status.st_uid != os.geteuid():
            raise left_as_it_is(path, "it belongs to another user")
        if os.name == "posix" and not status.st_mode & stat.S_IWUSR:
            raise left_as_it_is(path, "it is read-only")
        if status.st_nlink > 1:
            raise left_as_it_is(
                path, "it has a second name (a hard link), which would lose touch with it"
            )
        content = stream.read(LARGEST_FILE + 1)
    if len(content) > LARGEST_FILE:
        raise left_as_it_is(path, f"it is larger than {LARGEST_FILE // 2**20} MiB")
    return FoundFile(path, content, stat.S_IMODE(status.st_mode))


def _refuse_links(path: Path) -> None:
    """A link may lead to a file that others write, or share; what is above the home is not ours."""
    home = Path(os.path.expanduser("~"))  # noqa: PTH111 - never raises
    below = [folder for folder in (path, *path.parents) if home in folder.parents]
    for folder in below or [path, path.parent]:
        if folder.is_symlink():
            target = neutral_line(str(folder.readlink()))
            raise ConfigError(
                [f"{shown_path(folder)} is a symbolic link (to {target}), which is not followed: "
                 "give the real file with --file, or use `gateway snippet`"]
            )  # fmt: skip


def left_as_it_is(path: Path, why: str) -> ConfigError:
    """The error of a file that is not to be touched; `why` is a sentence without its point."""
    return ConfigError([f"{shown_path(path)}: {why}; it is left as it is"])


def agent_named(name: str, command: str) -> Agent:
    """The agent that a command line names for `install` and its like. Raises UsageError."""
    agents = known_agents()
    agent = agents.get(name)
    if agent is not None and (agent.place or command == "doctor"):
        return agent
    if agent is not None and agent.key != UNKNOWN:
        raise UsageError(
            f"{agent.title} has no file that install writes; "
            f"`elicit-tui gateway snippet {name}` prints the entry."
        )
    known = list(installable()) if command != "doctor" else list(agents)
    raise UsageError(f"gateway {command} takes an agent: {', '.join(known)}.")
