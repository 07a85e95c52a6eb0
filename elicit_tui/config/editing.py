"""Changes a server in the person's own file, in place: every comment and every other key stays."""

from __future__ import annotations

import glob
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import dropwhile, takewhile
from pathlib import Path
from typing import Any, Final, NamedTuple

import tomlkit
from tomlkit import parse as parse_toml
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import InlineTable

from elicit_tui import paths
from elicit_tui.config.command_line import server_table
from elicit_tui.config.documents import parse
from elicit_tui.config.keys import USER
from elicit_tui.config.loading import managed_document, user_faults
from elicit_tui.elicitation.settings import ServerSettings
from elicit_tui.elicitation.toml_spelling import dotted, toml_value
from elicit_tui.errors import ConfigError

_SERVERS: Final = "mcp_servers"
_HEADER: Final = re.compile(
    # Not of an array of tables: a server is none.
    r"(?P<before>[ \t]*\[[ \t]*)(?P<key>[^\[\]#]+?)(?P<behind>[ \t]*\][^\n]*\n?)"
)
"""The line with which a table begins."""
_OF_A_TARGET: Final = ("command", "args", "url")
DEFAULT_MODE: Final = ServerSettings.default_tools_approval_mode


def target_of(path: Path, name: str) -> str | None:
    """A server's command line or URL, as the file writes it; None where it does not name one.

    Raises ConfigError.
    """
    table = _servers(_document(_text(path))).get(name)
    if not isinstance(table, Mapping):
        return None
    if isinstance(table.get("url"), str):
        return str(table["url"])
    words = [table.get("command"), *(table.get("args") or ())]
    return shlex.join(str(word) for word in words if word is not None)


def surroundings_of(path: Path, name: str) -> tuple[str, Mapping[str, Any]]:
    """The folder that a server runs in, as the file has it, and its environment.

    Empty where the file says nothing of them. Raises ConfigError.
    """
    table = _table(path, name)
    environment = table.get("env")
    return str(table.get("cwd") or ""), environment if isinstance(environment, Mapping) else {}


def approval_mode_of(path: Path, name: str) -> str:
    """When a server's calls are asked before, as the file has it or by default.

    Raises ConfigError.
    """
    return str(_table(path, name).get("default_tools_approval_mode") or DEFAULT_MODE)


def _table(path: Path, name: str) -> Mapping[str, Any]:
    table = _servers(_document(_text(path))).get(name)
    return table if isinstance(table, Mapping) else {}


class BesideTarget(NamedTuple):
    """What else of a server is written: None leaves what the file says.

    What is empty, or is so by default, is taken out.
    """

    cwd: str | None = None
    env: Mapping[str, str] | None = None
    approval_mode: str | None = None
    """Its `default_tools_approval_mode`."""

    @property
    def keys(self) -> Mapping[str, Any]:
        """What is to stand in the table, by key; what is empty in none."""
        mode = "" if self.approval_mode == DEFAULT_MODE else self.approval_mode
        keys = {"cwd": self.cwd, "env": self.env, "default_tools_approval_mode": mode}
        return {key: value for key, value in keys.items() if value is not None}


UNCHANGED: Final = BesideTarget()


def put_server(
    path: Path,
    name: str,
    target: str,
    *,
    was: str | None = None,
    enabled: bool = True,
    beside: BesideTarget = UNCHANGED,
) -> None:
    """Write a server: a new one at the end of the file, one that is there where it stands.

    `was`: its name before. Raises ConfigError with what would be wrong, UsageError for a name or
    target that is none; nothing is written then.
    """
    # As the command line reads it, so that both take the same.
    table = server_table(name, target.strip())
    text = before = _text(path)
    if was is not None and was != name:
        text = _renamed(text, was, name)
    if name in _servers(_document(text)):
        _write(path, before, _changed(text, name, table, beside.keys, enabled=enabled))
        return
    lines = [f"[{dotted(_SERVERS, name)}]"]
    lines += [
        f"{key} = {toml_value(value)}" for key, value in {**table, **beside.keys}.items() if value
    ]
    lines += [] if enabled else ["enabled = false"]
    text = text if not text or text.endswith("\n") else f"{text}\n"
    _write(path, before, text + ("\n" if text.strip() else "") + "\n".join(lines) + "\n")


def remove_server(path: Path, name: str) -> None:
    """Take a server out of the file. Raises ConfigError."""
    text = _text(path)

    def remove(servers: Any) -> None:
        del servers[name]

    _write(path, text, _without_its_gap(text, _with(text, remove)))


def _without_its_gap(before: str, after: str) -> str:
    """What is left of the text without the blank line above a last table that was taken out."""
    lines = after.splitlines(keepends=True)
    is_gap = before.startswith(after) and after.strip() and not lines[-1].strip()
    return "".join(lines[:-1]) if is_gap else after


def _renamed(text: str, old: str, new: str) -> str:
    """The text with a server's tables, and the rules and hooks for it alone, under its new name."""
    # As TOML means it, for the comparison below: what is written in the end has to mean the same.
    document = _document(text).unwrap()
    servers = _servers(document)
    if old not in servers:
        raise ConfigError([f"there is no server {old} in this file"])
    if new in servers:
        raise ConfigError([f"there is a server {new} already"])
    servers[new] = servers.pop(old)
    # Line by line, so that comments and the order of all else stay.
    after = "".join(_renamed_line(line, old, new) for line in text.splitlines(keepends=True))
    written = _document(after)
    _point_at(document, old, new)
    # The document by its meaning has the new name now; so must the text.
    # Only where a rule or a hook changes is the text written by the library.
    if _point_at(written, old, new):
        import tomlkit

        after = tomlkit.dumps(written)
    # A table may be written without a header of its own, and a text may look like one.
    if _document(after).unwrap() != document:
        raise ConfigError([f"how {old} is written lets only you change its name in this file"])
    return after


def _point_at(document: Any, old: str, new: str) -> int:
    """Let the rules and hooks that name this server and no other name it anew; how many did.

    Their `server` is a glob: one that fits other servers too stays as it is.
    """
    entries = [*(document.get("rules") or ()), *(document.get("hooks") or ())]
    own = [entry for entry in entries if entry.get("server") == glob.escape(old)]
    for entry in own:
        # As a glob that means this name alone, whatever marks it holds.
        entry["server"] = glob.escape(new)
    return len(own)


def _renamed_line(line: str, old: str, new: str) -> str:
    header = _HEADER.fullmatch(line)
    parts = _key_parts(header["key"]) if header is not None else []
    if header is None or parts[:2] != [_SERVERS, old]:
        return line
    return f"{header['before']}{dotted(_SERVERS, new, *parts[2:])}{header['behind']}"


def _key_parts(key: str) -> list[str]:
    """The parts of a dotted key; none where it is no key."""
    try:
        # Read as TOML: a part may be quoted and hold dots.
        inside: Any = parse_toml(f"{key} = 0").unwrap()
    except (TOMLKitError, ValueError):
        return []
    parts = []
    while isinstance(inside, Mapping):
        ((part, inside),) = inside.items()
        parts.append(part)
    return parts


def _changed(
    text: str, name: str, wanted: Mapping[str, Any], beside: Mapping[str, Any], *, enabled: bool
) -> str:
    def change(servers: Any) -> None:
        table = servers[name]
        # One that had a command and gets a URL keeps nothing of the command.
        for key in _OF_A_TARGET:
            if key in table and not wanted.get(key):
                del table[key]
        for key, value in wanted.items():
            if value and table.get(key) != value:
                table[key] = value
        for key, value in beside.items():
            _put(table, key, value)
        # True is what it is without the key.
        if enabled and "enabled" in table:
            del table["enabled"]
        elif not enabled:
            table["enabled"] = False

    return _with(text, change)


def _put(table: Any, key: str, value: Any) -> None:
    """Have this value there; of a table with lines of its own only what is another; or nothing."""
    present = table.get(key)
    if not value:
        table.pop(key, None)
    # Each name where it stands, with the comments beside it.
    elif isinstance(present, Mapping) and not isinstance(present, InlineTable):
        for name in [name for name in present if name not in value]:
            del table[key][name]
        for name, text in value.items():
            if present.get(name) != text:
                table[key][name] = text
    elif present != value:
        table[key] = tomlkit.value(toml_value(value))


def _with(text: str, change: Callable[[Any], None]) -> str:
    document = _document(text)
    servers = _servers(document)
    try:
        change(servers)
    except KeyError as error:
        raise ConfigError([f"there is no server {error.args[0]!s} in this file"]) from None
    after = tomlkit.dumps(document)
    mended = _with_comments(text, after)
    # Comments may only be moved where TOML means the same afterwards.
    return mended if _document(mended) == document else after


def _with_comments(before: str, after: str) -> str:
    """The changed text with the comments that stand between a server and what follows it.

    tomlkit counts them to that server: it takes them away with it, and writes new keys below them.
    """
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    # What goes leaves its comments; what comes stands above those that belong to the next table.
    lines: list[str] = []
    for change, start, end, begins, ends in SequenceMatcher(None, old, new, False).get_opcodes():
        if change == "delete":
            lines += _comments_at_the_end(old[start:end])
            continue
        below: list[str] = []
        # What comes anew stands above the comments that belong to what follows.
        while change == "insert" and lines and _is_comment(lines[-1]):
            below.insert(0, lines.pop())
        lines += [*new[begins:ends], *below]
    return "".join(lines)


def _comments_at_the_end(lines: Sequence[str]) -> list[str]:
    """The comments behind the last key, with the blank lines among them."""
    at_the_end = list(takewhile(_is_comment, reversed(lines)))[::-1]
    return list(dropwhile(lambda line: not line.strip(), at_the_end))


def _is_comment(line: str) -> bool:
    return not line.strip() or line.lstrip().startswith("#")


def _document(text: str) -> Any:
    try:
        return tomlkit.parse(text)
    except (TOMLKitError, ValueError, RecursionError) as error:
        raise ConfigError([f"the file is not TOML: {error}"]) from None


def _servers(document: Any) -> Any:
    servers = document.get(_SERVERS)
    return servers if isinstance(servers, Mapping) else {}


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError([f"{path} cannot be read: {error}"]) from None


def _write(path: Path, before: str, after: str) -> None:
    """Write what is without faults, if the file is still what it was read as."""
    # What would not be read at the next start is not written now.
    document = parse(after.encode(), USER, "user", str(path))
    problems = [*document.problems]
    if not problems:
        problems = [*user_faults(document, managed_document(), {})]
    if problems:
        raise ConfigError([str(problem) for problem in problems])
    if _text(path) != before:
        raise ConfigError([f"{path} was changed meanwhile; nothing was written"])
    try:
        if path.exists():
            paths.rewrite_file(path, after.encode())
        else:
            paths.private_directory(path.parent)
            paths.write_private(path, after.encode())
    except OSError as error:
        raise ConfigError([f"{path} cannot be written: {error.strerror}"]) from None
