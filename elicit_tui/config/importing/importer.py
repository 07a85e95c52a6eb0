"""Converts each server of another program's file, or of all that are known, to TOML for ours."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import field
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

from elicit_tui.config.documents import LARGEST_FILE
from elicit_tui.config.importing.dialects import (
    Dialect,
    NoServersError,
    converted,
    recognise,
    variable_name,
)
from elicit_tui.config.keys import SERVER, FileKind
from elicit_tui.config.nodes import Table, Value
from elicit_tui.config.servers import header_fault, reserved
from elicit_tui.config.validating import validate, value_in_words
from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation.hiding import (
    Put,
    hidden,
    hidden_argument,
    hidden_under,
    is_variable,
    stars,
)
from elicit_tui.elicitation.toml_spelling import comment, dotted, toml_value
from elicit_tui.errors import ConfigError

# A day, in milliseconds.
_LONGEST_START: Final = 86_400_000
# Words that change nothing here. The kind of transport is read before they are left out.
_IGNORED: Final = {"type", "transport", "name", "description", "$schema"}
_OF_COMMAND: Final = ("args", "env", "env_vars", "cwd")
_OF_ADDRESS: Final = ("url", "headers", "http_headers", "bearer_token_env_var", "oauth")

Kind = TypeVar("Kind", list[Any], dict[str, Any], bool)
_NOT_OF: Final = {list: "no list", dict: "no table", bool: "neither true nor false"}


@dataclass(frozen=True)
class Imported:
    """Servers for our file, and what its reader should know; secrets are in neither."""

    servers: Mapping[str, str]
    """Each server as TOML, by its name."""
    notes: tuple[str, ...] = ()

    @property
    def toml(self) -> str:
        """All of them, as they would stand in our file."""
        return "\n".join(self.servers.values())


@dataclass(frozen=True)
class Moved:
    """One server as it is to run here, its secrets included."""

    toml: str
    secret: bool
    """Whether `toml` holds a secret, and so belongs into a file that nobody else can read."""
    values: Mapping[str, Any]
    """The keys and values of `toml`."""
    amiss: tuple[str, ...] = ()
    """Why it would not be the same server here."""


@dataclass
class _Server:
    """One server on its way: our keys, and what was said about it."""

    name: str
    dialect: Dialect
    keeps_secrets: bool = False
    secret: bool = False
    values: dict[str, Any] = field(default_factory=dict)
    notes: dict[str, None] = field(default_factory=dict)

    def note(self, sentence: str) -> None:
        self.notes[comment(sentence)[:300]] = None

    def part(self, rest: dict[str, Any], key: str, kind: type[Kind]) -> Kind | None:
        """Take a value out of `rest`; None where there is none, or, which is told, another kind."""
        value = rest.pop(key, None)
        if value is None or isinstance(value, kind):
            return value
        self.note(f"{key} is {_NOT_OF[kind]} and is left out")
        return None

    def leave_out(self, rest: dict[str, Any], keys: Iterable[str], beside: str) -> None:
        """Tell of keys that mean nothing beside another one; a secret may stand in them."""
        for key in keys:
            # An empty one leaves nothing out: many programs write `env = {}` for every server.
            if rest.pop(key, None):
                self.note(f"{key} does not go with {beside} and is left out")

    def text(self, value: Any) -> str | None:
        """A text with its references converted; None for anything else."""
        if isinstance(value, (str, int, float)) and not isinstance(value, bool):
            return converted(str(value), self.dialect, self.note)
        return None

    def take(self, key: str, text: str, *, called: str = "") -> None:
        """Take over one text, in which a secret may stand; `called`: what a note calls it."""
        hide = partial(hidden, text)
        self.values[key] = self.without_secrets(text, hide, called or key, self.name, key)

    def without_secrets(
        self, text: str, hide: Callable[[Put], str], place: str, *words: str
    ) -> str:
        """The text as `hide` makes it; as it is where secrets are kept."""
        # What stands in the place of a secret names a variable. By the stars it is seen whether
        # there was one at all.
        if not self.keeps_secrets:
            return hide(self._put(place, *words))
        self.secret = self.secret or hide(stars) != text
        return text

    def _put(self, place: str, *keys: str) -> Put:
        """What stands in the place of secrets: variables named by `keys`, each told once."""
        count = 0

        def variable() -> str:
            nonlocal count
            count += 1
            # A second secret in one place gets a number behind its name.
            name = variable_name(*keys, *([str(count)] if count > 1 else []))
            self.note(f"{place} holds a secret, which is not copied: set {name}")
            return f"${{{name}}}"

        return variable


def import_from(path: Path, largest: int = LARGEST_FILE) -> Imported:
    """The servers of a Codex, .mcp.json, Claude Desktop, VS Code or Cursor file as TOML.

    Nothing is written, launched or looked up; `largest`: bytes. Raises ConfigError.
    """
    try:
        with path.open("rb") as stream:
            raw = stream.read(largest + 1)
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ConfigError([f"{path}: is not UTF-8 text"]) from None
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "its name is not one"
        raise ConfigError([f"{path}: cannot be read: {why}"]) from None
    # One byte more than the largest was read, so that this can be seen without reading all of it.
    if len(raw) > largest:
        raise ConfigError([f"{path}: is larger than {largest // 2**20} MiB"])
    return import_text(text, str(path))


def import_text(text: str, file: str = "-") -> Imported:
    """As import_from, for a text."""
    source = recognise(text, file)
    servers: dict[str, str] = {}
    notes: list[str] = []
    for name, table in source.servers.items():
        if not isinstance(name, str) or not name.isprintable() or not name:
            notes.append(f"a server's name is not usable: {value_in_words(name)}")
        elif (reason := reserved(name)) is not None:
            notes.append(f"{reason}; this server is left out: give it another name first")
        elif not isinstance(table, Mapping):
            notes.append(f"{dotted(name)}: is not a table, left out")
        else:
            server = _convert(name, table, source.dialect)
            notes += [f"{dotted(name)}: {sentence}" for sentence in server.notes]
            servers[name] = _written(server)
    if not servers:
        notes.append("no server was found")
    return Imported(servers, tuple(notes))


def move(name: str, table: Mapping[str, Any], dialect: Dialect) -> Moved:
    """One server with its secrets, and all that speaks against running it here instead."""
    server = _convert(name, table, dialect, keeps_secrets=True)
    toml = _written(server, comments=False)
    return Moved(toml, server.secret, server.values, tuple(server.notes))


def _convert(
    name: str, table: Mapping[str, Any], dialect: Dialect, *, keeps_secrets: bool = False
) -> _Server:
    server = _Server(name, dialect, keeps_secrets)
    # What is converted is taken out of `rest`. What is left there at the end is told to be left
    # out.
    rest = {key: value for key, value in table.items() if key not in _IGNORED}
    # One that is null or empty beside an address is none.
    if table.get("command") or ("command" in table and not table.get("url")):
        _stdio(server, rest)
    else:
        _remote(server, rest, str(table.get("type") or table.get("transport") or ""))
    disabled = server.part(rest, "disabled", bool)
    milliseconds = rest.pop("startup_timeout_ms", None)
    if type(milliseconds) is int and 0 <= milliseconds <= _LONGEST_START:
        server.values["startup_timeout_sec"] = milliseconds / 1000
    elif milliseconds is not None:
        server.note(f"startup_timeout_ms: {value_in_words(milliseconds)} is left out")
    # Keys that are called the same there and here.
    for key in [key for key in rest if key in SERVER.keys]:
        _same(server, key, rest.pop(key))
    if disabled:
        server.values["enabled"] = False
    if "envFile" in rest:
        rest.pop("envFile")
        server.note("envFile is not read here; set its variables in the environment or in env")
    for key in rest:
        server.note(f"{key[:60]} has no equal here and is left out")
    return server


def _stdio(server: _Server, rest: dict[str, Any]) -> None:
    command = server.text(rest.pop("command"))
    if command is None:
        server.note("command is not a text")
    command = command or ""
    server.take("command", command)
    # A server is reached in one way: where there is a command, nothing of an address is taken over.
    server.leave_out(rest, _OF_ADDRESS, "command")
    arguments = server.part(rest, "args", list)
    if arguments is not None:
        server.values["args"] = _arguments(server, arguments)
    environment = _texts(server, rest, "env")
    for name in server.part(rest, "env_vars", list) or ():
        wanted = name.get("name") if isinstance(name, Mapping) else name
        if isinstance(wanted, str) and is_variable(wanted):
            # Passed on from our environment, as a reference to it.
            environment.setdefault(wanted, f"${{{wanted}}}")
        else:
            server.note("an entry of env_vars names no variable and is left out")
    if environment:
        server.values["env"] = environment
    folder = rest.pop("cwd", None)
    if (cwd := server.text(folder)) is not None:
        server.take("cwd", cwd)
    elif folder is not None:
        server.note("cwd is not a text and is left out")


def _remote(server: _Server, rest: dict[str, Any], kind: str) -> None:
    server.leave_out(rest, ("command", *_OF_COMMAND), "url")
    url = None
    # Each program has its own word for the address; the first that is there counts.
    for key in ("url", "serverUrl", "httpUrl"):
        url = url or server.text(rest.pop(key, None))
    if url is None:
        server.note("has neither command nor url")
    url = url or ""
    server.take("url", url, called="the url")
    if kind == "sse":
        server.values["transport"] = "sse"
    # A token that was written out. It is asked for by a variable, as our files take none.
    if rest.pop("bearer_token", None) is not None:
        name = variable_name(server.name, "bearer_token")
        server.note(f"bearer_token is a secret, which is not copied: set {name}")
        server.values["bearer_token_env_var"] = name
    if headers := _headers(server, rest):
        server.values["http_headers"] = headers


def _headers(server: _Server, rest: dict[str, Any]) -> dict[str, str]:
    """The headers of a remote server, without those that would lead elsewhere."""
    headers: dict[str, str] = {}
    for key in ("http_headers", "headers"):
        headers.update(_texts(server, rest, key))
    # Names of variables in the place of values: references to them, as in our `http_headers`.
    for header, variable in (server.part(rest, "env_http_headers", dict) or {}).items():
        if isinstance(variable, str) and is_variable(variable):
            headers[header] = f"${{{variable}}}"
        else:
            server.note(f"env_http_headers.{header[:60]} names no variable and is left out")
    # After all of them are known, whichever key they came from.
    for header in list(headers):
        if (why := header_fault(header)) is not None:
            del headers[header]
            server.note(f"the header {header} {why}; left out")
    return headers


def _arguments(server: _Server, arguments: list[Any]) -> list[str]:
    texts: list[str] = []
    before = ""
    for position, argument in enumerate(arguments, start=1):
        text = server.text(argument)
        if text is None:
            server.note(f"argument {position} is not a text and is left out")
            continue
        hide = partial(hidden_argument, before, text)
        words = (server.name, "arg", str(position))
        texts.append(server.without_secrets(text, hide, f"argument {position}", *words))
        # A flag tells what its next argument is.
        before = text
    return texts


def _texts(server: _Server, rest: dict[str, Any], key: str) -> dict[str, str]:
    """The texts of the table `key`, by name."""
    texts: dict[str, str] = {}
    for name, value in (server.part(rest, key, dict) or {}).items():
        if isinstance(value, bool):
            value = "true" if value else "false"
        text = server.text(value)
        if text is None:
            server.note(f"{key}.{name[:60]} is not a text and is left out")
            continue
        # A variable keeps its own name, which its server knows; any other key is told apart by the
        # server's.
        words = (name,) if key == "env" else (server.name, name)
        hide = partial(hidden_under, name, text)
        texts[name] = server.without_secrets(text, hide, f"{key}.{name[:60]}", *words)
    return texts


def _same(server: _Server, key: str, value: Any) -> None:
    """A key of ours by the same name, where its value is one that we take."""
    faults = validate({key: value}, FileKind(Table("", {key: SERVER.keys[key]})))
    if faults:
        server.note(f"{key}: {faults[0].message}; left out")
    elif key == "bearer_token_env_var" and not is_variable(value):
        server.note(f"{key} is no name of a variable; left out")
    elif key == "oauth" and not is_variable(value.get("client_secret_env", "NAME")):
        server.note("oauth: its client_secret_env is no name of a variable; left out")
    else:
        server.values[key] = value


def _written(server: _Server, *, comments: bool = True) -> str:
    header = dotted("mcp_servers", server.name)
    lines = [f"# {note}" for note in server.notes] if comments else []
    lines.append(f"[{header}]")
    # In the order of the table of keys. Plain values come first, as what stands below the header of
    # a tool would belong to the tool.
    for key, node in SERVER.keys.items():
        if isinstance(node, Value) and key in server.values:
            lines.append(f"{key} = {toml_value(server.values[key])}")
    tables: dict[tuple[str, ...], Mapping[str, Any]] = {("oauth",): server.values.get("oauth", {})}
    tables |= {("tools", tool): own for tool, own in server.values.get("tools", {}).items()}
    for path, own in tables.items():
        if own:
            lines.append(f"[{dotted('mcp_servers', server.name, *path)}]")
            lines += [f"{key} = {toml_value(value)}" for key, value in own.items()]
    return "\n".join(lines) + "\n"


# All that are known


@dataclass
class Collected:
    """What was found; secrets are nowhere in it."""

    servers: dict[str, str] = field(default_factory=dict)
    """Those that our file has not yet: each as TOML, by its name."""
    found: dict[Path, tuple[str, ...]] = field(default_factory=dict)
    """The names of all servers of each file that has any."""
    notes: list[str] = field(default_factory=list)
    """What their reader should know, and what was left out and why."""


def collect(
    files: Mapping[Path, str], known: Collection[str], ourselves: str, largest: int
) -> Collected:
    """Import from each file that is there.

    Args:
        files: other programs' files, and what each program is called; the first that has a server
            of a name keeps it.
        known: the servers of our file.
        ourselves: the name under which other programs have this one.
        largest: bytes of a file.
    """
    collected = Collected()
    for path, title in files.items():
        if not path.exists():
            continue
        try:
            imported = import_from(path, largest)
        except NoServersError:
            continue
        except ConfigError as error:
            collected.notes += error.problems
            continue
        servers = {name: toml for name, toml in imported.servers.items() if name != ourselves}
        if servers:
            collected.found[path] = tuple(servers)
            collected.notes += [f"{title}: {note}" for note in imported.notes]
        for name, toml in servers.items():
            if name in known:
                collected.notes.append(f"{dotted(name)} is in your configuration already")
            elif collected.servers.setdefault(name, toml) != toml:
                collected.notes.append(f"{title} has another {dotted(name)}, which is left out")
    return collected
