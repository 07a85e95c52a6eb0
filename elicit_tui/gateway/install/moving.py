"""Which of an agent's servers can run behind the gateway instead, and why the others cannot.

What moves must be the same server here. In doubt it stays where it is, and its person is told why.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any, Final

from elicit_tui.config.importing import Moved, move
from elicit_tui.config.importing.dialects import Dialect
from elicit_tui.config.servers import reserved
from elicit_tui.dataclass import dataclass
from elicit_tui.gateway.agents import Agent
from elicit_tui.gateway.install.gateway_entry import NAME, plain_entry

# A variable as `$NAME`, without braces.
_UNEXPANDED: Final = re.compile(r"\$(?!\{)\w")
_OPENCODE: Final = re.compile(r"\{(?:env|file):")
_FOLDER: Final = re.compile(r"\$\{(?:workspace|cwd|file|pwd)\w*\}", re.IGNORECASE)
_INPUT: Final = re.compile(r"\$\{(?:input|command|config):")
_FILE: Final = re.compile(
    r"[^\s:@]+\.(?:py|[cm]?[jt]sx?|jar|sh|bash|rb|php|pl|lua|go|exe|cmd|bat|ps1|dll|wasm"
    r"|json|toml|ya?ml|env|ini|conf|db|sqlite3?|txt|md|pem|key|crt)"
)
_CONTAINERS: Final = frozenset({"docker", "podman", "nerdctl"})
"""What stands in their arguments with a slash is an image."""


@dataclass(frozen=True)
class Staying:
    """A server that is left where it stands."""

    name: str
    why: str


def movable(
    agent: Agent, name: str, table: Any, ours: Collection[str], *, private: bool
) -> Moved | Staying:
    """What becomes of one server.

    `ours`: the names that our configuration has already. `private`: nobody else can read it.
    """
    if not isinstance(table, Mapping):
        return Staying(name, "it is no table")
    if not name or not name.isprintable():
        return Staying(name, "its name cannot be used here")
    if (reason := reserved(name)) is not None:
        return Staying(name, reason)
    if name in ours:
        return Staying(name, "your configuration has a server of this name already")
    # In the words of all others first, so that what follows knows one spelling.
    table = plain_entry(agent, table)
    dialect: Dialect = "codex" if agent.shape == "codex" else "json"
    found = move(name, table, "vscode" if agent.shape == "servers" else dialect)
    why = next(_against(agent, table, found), None)
    if why is None and found.secret and not private:
        why = "it holds a secret, and others can read your configuration (chmod 600)"
    return found if why is None else Staying(name, why)


def _against(agent: Agent, table: Mapping[str, Any], found: Moved) -> Iterator[str]:
    """What speaks against moving, the plainest reason first."""
    texts = list(_texts(table))
    # Its own gateway behind itself would start without end.
    if any(NAME in text for text in _texts(table.get("command"))):
        yield "it is a gateway of ours"
    if any(_FOLDER.search(text) for text in texts):
        yield "it depends on the folder that is open (${workspaceFolder})"
    if any(_INPUT.search(text) for text in texts):
        yield f"{agent.title} asks for a part of it (${{input:…}})"
    if "envFile" in table or "--env-file" in texts:
        yield "it reads a file of variables, which is not read here"
    if agent.literal and any("${" in text for text in texts):
        yield f"{agent.title} takes ${{…}} as it stands, which is a variable here"
    if agent.key == "gemini-cli" and any(_UNEXPANDED.search(text) for text in texts):
        yield "it has a variable as $NAME, which is no variable here"
    if agent.shape == "opencode" and any(_OPENCODE.search(text) for text in texts):
        yield "it has a variable as {env:NAME} or {file:PATH}, which is no variable here"
    for sentence in found.amiss:
        yield sentence.removesuffix("left out").removesuffix(" and is ").removesuffix("; ")
    relative = next(_relative(found.values), None)
    if relative is not None:
        yield f"{relative!r} is a relative path, and it would start in another folder"


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from _texts(part)
    elif isinstance(value, list):
        for part in value:
            yield from _texts(part)


def _relative(values: Mapping[str, Any]) -> Iterator[str]:
    """The texts of a command that mean a place by where it starts."""
    if "command" not in values:
        return
    cwd, command = values.get("cwd"), str(values["command"])
    if cwd is not None and not _anchored(cwd):
        yield cwd
    if cwd is None and ("/" in command or "\\" in command) and not _anchored(command):
        yield command
    if cwd is not None:
        return  # the same folder here: what is relative to it stays right
    images = PureWindowsPath(command).stem in _CONTAINERS
    for argument in values.get("args", ()):
        # The value of --flag=VALUE counts too.
        flag = argument.startswith("-")
        text = argument.partition("=")[2] if flag else argument
        if _is_relative(text, slashes=not (images or flag)):
            yield text
    for text in values.get("env", {}).values():
        if text.startswith(("./", "../", ".\\", "..\\")):
            yield text


def _is_relative(text: str, *, slashes: bool) -> bool:
    if text in (".", "..") or text.startswith(("./", "../", ".\\", "..\\")):
        return True
    # A scope of npm, an address, an image, a sentence: none of these is a path.
    if _anchored(text) or text.startswith("@") or ":" in text or re.search(r"\s", text):
        return False
    return _FILE.fullmatch(text) is not None or (slashes and "/" in text)


def _anchored(text: str) -> bool:
    """Whether a path means the same place from anywhere."""
    absolute = PurePosixPath(text).is_absolute() or PureWindowsPath(text).is_absolute()
    return absolute or text.startswith(("~", "${"))
