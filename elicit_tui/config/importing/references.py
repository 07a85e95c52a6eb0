"""Rewrites what other programs refer to in a server's values as our `${NAME}`."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from elicit_tui.config.importing.sources import Dialect
from elicit_tui.elicitation.hiding import hidden_under, stars

_REFERENCE: Final = re.compile(r"\$\{([^{}]*)\}")
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PREDEFINED: Final = {
    "userHome": "HOME",
    "workspaceFolder": "WORKSPACE_FOLDER",
    "workspaceRoot": "WORKSPACE_FOLDER",
}


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
    if _NAME.fullmatch(inner) is None:
        note(f"${{{inner}}} has no equal here")
    return f"${{{inner}}}"
