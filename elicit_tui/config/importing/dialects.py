"""What other programs' files say: where their servers stand, and how they refer to values."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final, Literal

import tomli

from elicit_tui.config.importing import jsonc
from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation.hiding import hidden_under, stars
from elicit_tui.elicitation.toml_spelling import in_ascii
from elicit_tui.errors import ConfigError

Dialect = Literal["codex", "json", "vscode"]
"""`json`: the `mcpServers` object of .mcp.json, Claude Desktop and Cursor."""


class NoServersError(ConfigError):
    """The file could be read, and has no place where servers stand."""


@dataclass(frozen=True)
class Source:
    """The servers of one file, as their program wrote them."""

    dialect: Dialect
    servers: Mapping[str, Any]


def recognise(text: str, file: str) -> Source:
    """The servers of a Codex TOML file or of a JSON file. Raises ConfigError."""
    document = _document(text, file)
    servers = document.get("mcp_servers")
    if isinstance(servers, Mapping):
        return Source("codex", servers)
    servers = document.get("mcpServers")
    if isinstance(servers, Mapping):
        return Source("json", servers)
    inner = document.get("mcp")
    holder = inner if isinstance(inner, Mapping) else document
    servers = holder.get("servers")
    if isinstance(servers, Mapping):
        return Source("vscode", servers)
    raise NoServersError(
        [f"{file}: has no servers: neither mcp_servers, mcpServers nor servers is a table in it"]
    )


def _document(text: str, file: str) -> Mapping[str, Any]:
    try:
        document = jsonc.loads(text)
    except ValueError as json_error:
        try:
            document = tomli.loads(text)
        except (ValueError, RecursionError, OverflowError) as toml_error:
            fault = str(json_error if text.lstrip().startswith("{") else toml_error)
            reason = in_ascii(fault, 200)
            raise ConfigError([f"{file}: is neither JSON nor TOML: {reason}"]) from None
    if not isinstance(document, Mapping):
        raise ConfigError([f"{file}: is not an object or a table"])
    return document


_REFERENCE: Final = re.compile(r"\$\{([^{}]*)\}")
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PREDEFINED: Final = {
    "userHome": "HOME",
    "workspaceFolder": "WORKSPACE_FOLDER",
    "workspaceRoot": "WORKSPACE_FOLDER",
}
_OF_THE_EDITOR: Final = frozenset(
    "columnNumber cwd defaultBuildTask execPath extensionInstallFolder file fileBasename "
    "fileBasenameNoExtension fileDirname fileDirnameBasename fileExtname fileWorkspaceFolder "
    "lineNumber relativeFile relativeFileDirname selectedText workspaceFolderBasename "
    "workspaceRootFolderName".split()
)
"""What an editor puts in itself, and no environment has."""


def variable_name(*words: str) -> str:
    """An environment variable's name made of words: `GITHUB_TOKEN`."""
    name = re.sub(r"[^A-Za-z0-9]+", "_", "_".join(words)).strip("_").upper()
    return name if name and not name[0].isdigit() else f"MCP_{name}"


def converted(text: str, dialect: Dialect, note: Callable[[str], None]) -> str:
    """The text with references as we write them; `note` is told what has no equal here."""
    if dialect == "codex":
        if _REFERENCE.search(text):
            note("Codex takes ${...} literally; here ${NAME} is taken from the environment")
        return text
    return _REFERENCE.sub(lambda match: _converted_reference(match[1], note), text)


def _converted_reference(inner: str, note: Callable[[str], None]) -> str:
    """What we write for `${inner}`."""
    kind, colon, rest = inner.partition(":")
    if inner in ("/", "pathSeparator"):
        return "/"
    if inner in _PREDEFINED:
        name = _PREDEFINED[inner]
        if name != "HOME":
            note(f"set {name} to the folder that ${{{inner}}} stood for")
        return f"${{{name}}}"
    if colon and kind == "env" and _NAME.fullmatch(rest):
        return f"${{{rest}}}"
    if colon and kind == "input":
        name = variable_name(rest)
        note(f"set {name} in the environment; VS Code prompted for it")
        return f"${{{name}}}"
    # A default has no equal here, and may be a secret itself.
    if colon and rest.startswith("-") and _NAME.fullmatch(kind):
        value = rest[1:]
        default = f", which was {value}" if hidden_under(kind, value, stars) == value else ""
        note(f"set {kind} in the environment; there is no default here{default}")
        return f"${{{kind}}}"
    if inner in _OF_THE_EDITOR or _NAME.fullmatch(inner) is None:
        note(f"${{{inner}}} has no equal here")
    return f"${{{inner}}}"
