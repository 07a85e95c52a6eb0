"""Answers an agent's first messages before the SDK, the store and the servers are there.

Agents give a server a second or three to answer `initialize` and `tools/list`; to load the SDK
takes most of that. So the beginnings of both eras and the lists that are remembered are answered
here, from the same `SessionOffers` that the session goes on with. Everything else is kept as it
came, in order, for the session: what is not plainly well formed too, since only one place may
judge it. Nothing waits here, nothing is called, and nobody is asked.

The session's SDK has to know the handshake as well. Each beginning that was answered here is handed
over under an id of ours, and its second answer is dropped (`Handover.answered`).
"""

from __future__ import annotations

import json
import os
import select
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field
from typing import Any, Final, NamedTuple

from elicit_tui import __version__
from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation.eras import EXTENSION, MODERN, declares_tasks
from elicit_tui.elicitation.settings import GatewaySettings
from elicit_tui.gateway.doctor_files import doctor_asks
from elicit_tui.gateway.fit_to_pass import MOST_NESTED
from elicit_tui.gateway.offers import LISTS, SessionOffers
from elicit_tui.gateway.own_tools import own_tools
from elicit_tui.gateway.requester import LEVELS, elicitation_modes, may_pause
from elicit_tui.host.number_text import json_line, read_float
from elicit_tui.text.hostile_json import too_deep

MOST_BYTES: Final = 1024 * 1024
"""Of messages that are kept; more of them wait in the agent's pipe."""
MOST_OF_A_LINE: Final = 64 * 1024
"""Of a message that is looked at here."""
MOST_ANSWERED_BYTES: Final = 4 * 1024 * 1024
"""Of answers given here; the session gives the others, as fast as the agent reads."""
CHUNK_BYTES: Final = 64 * 1024
SWITCH_SECONDS: Final = 0.001
"""How soon the thread that loads lets the one that answers run; Python's own is 5 ms."""

HANDSHAKE_REVISIONS: Final = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
META: Final = "io.modelcontextprotocol/"

SERVER_INFO: Final[Mapping[str, Any]] = {
    "name": "elicit-tui",
    "title": "elicit-tui gateway",
    "version": __version__,
}
_CLIENT_SHAPES: Final[Mapping[str, Any]] = {
    "elicitation": {"form": {}, "url": {}},
    "roots": {"listChanged": bool},
    "sampling": {"context": {}, "tools": {}},
    "tasks": {
        "cancel": {},
        "list": {},
        "requests": {"elicitation": {"create": {}}, "sampling": {"createMessage": {}}},
    },
}
"""Each capability of a client, with what the specification names in it: an object or a flag."""

CAPABILITIES: Final[Mapping[str, Any]] = {
    "completions": {},
    "logging": {},
    "prompts": {"listChanged": True},
    "resources": {"listChanged": True, "subscribe": True},
    "tools": {"listChanged": True},
}
"""Ours, as `mcp_server.build_server` has them; a test holds both together."""


class _Agent(NamedTuple):
    """What the lists of an agent depend on."""

    name: str | None
    modes: frozenset[str]
    knows_tasks: bool


@dataclass
class Handover:
    """What a session goes on with after the front."""

    unread: bytes = b""
    """What the agent sent and nobody answered, and the beginnings that were answered."""
    unsent: bytes = b""
    """Answers that the agent has not taken yet."""
    answered: frozenset[str] = frozenset()
    """The ids of requests in `unread` whose answer goes nowhere: the agent has it."""
    listed: bool = False
    """Whether the agent was given a list."""


@dataclass
class Front:
    """Reads what an agent sends first: pure bytes, no file and no clock."""

    offered: SessionOffers
    gateway: GatewaySettings
    _partial: bytearray = field(default_factory=bytearray)
    _kept: list[bytes] = field(default_factory=list)
    _size: int = 0
    _answered_bytes: int = 0
    _agent: _Agent | None = None
    """Who began with `initialize`; in the modern era each request says it anew."""
    _replayed: set[str] = field(default_factory=set)
    """The ids of beginnings that were answered here and are kept for the session."""
    _listed: bool = False

    @property
    def is_full(self) -> bool:
        """Whether nothing more should be read here."""
        return self._size + len(self._partial) > MOST_BYTES

    def read(self, chunk: bytes) -> bytes:
        """Take what the agent sent; returns what is to be sent to it."""
        self._partial += chunk
        *lines, rest = self._partial.split(b"\n")
        self._partial = bytearray(rest)
        return b"".join(map(self._read_line, lines))

    def handover(self, unsent: bytes = b"") -> Handover:
        """Everything that the session needs; nothing is read here any more."""
        unread = b"".join((*self._kept, self._partial))
        return Handover(unread, unsent, frozenset(self._replayed), self._listed)

    def _read_line(self, line: bytearray) -> bytes:
        answer = None
        # What is long is left to the session unread, and so is all that comes when enough was
        # answered.
        if len(line) <= MOST_OF_A_LINE and self._answered_bytes <= MOST_ANSWERED_BYTES:
            request = _request(line)
            answer = self._answer(*request) if request is not None else None
        if answer is None:
            self._keep(bytes(line) + b"\n")
            return b""
        self._answered_bytes += len(answer)
        return answer

    def _keep(self, line: bytes) -> None:
        self._kept.append(line)
        self._size += len(line)

    def _answer(self, identifier: Any, method: str, params: dict[str, Any]) -> bytes | None:
        meta = params.get("_meta", {})
        if not isinstance(meta, dict) or not _is_plain_meta(meta):
            return None
        # A request of the modern era says its revision itself, with each request; one of the
        # handshake era says nothing and belongs to the last `initialize`.
        modern = f"{META}protocolVersion" in meta
        result: Mapping[str, Any] | None = None
        if method == "initialize":
            result = None if modern else self._initialized(params)
        elif method == "server/discover":
            result = self._discovered(meta, params)
        elif modern:
            agent = _modern_agent(meta)
            # Within a session of the handshake era such a request is odd: the session judges it.
            if self._agent is None and agent is not None:
                result = self._list(method, params, agent)
        elif self._agent is not None:
            result = {} if method == "ping" else self._list(method, params, self._agent)
        if result is None:
            return None
        if modern:
            result = {"resultType": "complete", **result}
        return json_line({"jsonrpc": "2.0", "id": identifier, "result": result})

    # The two beginnings; a client may begin anew

    def _initialized(self, params: dict[str, Any]) -> Mapping[str, Any] | None:
        version = params.get("protocolVersion")
        agent = _agent_of(params.get("clientInfo"), params.get("capabilities"))
        if agent is None or not isinstance(version, str):
            return None
        self._agent = agent
        self._replay("initialize", params)
        known = version in HANDSHAKE_REVISIONS
        return {
            "protocolVersion": version if known else HANDSHAKE_REVISIONS[-1],
            "capabilities": CAPABILITIES,
            "serverInfo": SERVER_INFO,
            **self._instructions(),
        }

    def _discovered(
        self, meta: Mapping[str, Any], params: dict[str, Any]
    ) -> Mapping[str, Any] | None:
        if _modern_agent(meta) is None:
            return None
        # Each request says from here on who sends it.
        self._agent = None
        self._replay("server/discover", params)
        tasks: Mapping[str, Any] = (
            {"extensions": {EXTENSION: {}}} if self.gateway.tasks == "auto" else {}
        )
        return {
            "supportedVersions": [MODERN],
            "capabilities": {**CAPABILITIES, **tasks},
            **self._instructions(),
            "ttlMs": 0,
            "cacheScope": "private",
            "_meta": {f"{META}serverInfo": SERVER_INFO},
        }

    def _instructions(self) -> Mapping[str, Any]:
        instructions = self.offered.instructions()
        return {} if instructions is None else {"instructions": instructions}

    def _replay(self, method: str, params: Mapping[str, Any]) -> None:
        """Keep a beginning for the session, under an id that no agent can know."""
        identifier = f"front {os.urandom(16).hex()}"
        self._replayed.add(identifier)
        body = {"jsonrpc": "2.0", "id": identifier, "method": method, "params": params}
        self._keep(json_line(body))

    # Lists

    def _list(
        self, method: str, params: Mapping[str, Any], agent: _Agent
    ) -> Mapping[str, Any] | None:
        """A remembered list; None where one server's has to be waited for."""
        # No list of ours has a second page, which the session says.
        if method not in LISTS or params.get("cursor") is not None:
            return None
        # Servers that were never seen and still come: without them the list would be known to be
        # wrong.
        starting = [name for name in self.offered.unseen if not self.offered.servers[name].lack]
        # While a doctor measures an agent, only the session knows what is offered.
        if starting or (method == "tools/list" and doctor_asks()):
            return None
        own = own_tools(self.gateway, agent.modes)
        # An `outputSchema` must not promise what a paused call breaks.
        offers = self.offered.offers(own, output_schemas=not self._pauses(agent))
        kind, key = LISTS[method]
        self._listed = True
        # How long a list holds is said in the modern era alone, in which nobody is remembered here.
        holds = {"ttlMs": 0, "cacheScope": "private"} if self._agent is None else {}
        return {key: getattr(offers, kind), **holds}

    def _pauses(self, agent: _Agent) -> bool:
        """As `AgentSession._pauses`, on a pipe, where progress makes no agent wait longer."""
        takes_tasks = self.gateway.tasks == "auto" and agent.knows_tasks
        return not takes_tasks and may_pause(self.gateway, agent.name, http=False, progress=False)


def _request(line: bytes | bytearray) -> tuple[Any, str, dict[str, Any]] | None:
    """Id, method and params of a line that is plainly a request; None for any other."""
    try:
        message = json.loads(line.decode(), parse_constant=_no_json, parse_float=read_float)
    except (ValueError, RecursionError):
        return None
    # Anything unusual makes a line none of ours, not an error: the session reads it later and is
    # the only one that judges. To answer here what it would refuse would be a second protocol.
    if not isinstance(message, dict) or not message.keys() <= {"jsonrpc", "id", "method", "params"}:
        return None
    if message.get("jsonrpc") != "2.0":
        return None
    identifier, method = message.get("id"), message.get("method")
    params = message.get("params", {})
    if not isinstance(identifier, (str, int)) or isinstance(identifier, bool):
        return None
    if not isinstance(method, str) or not isinstance(params, dict) or too_deep(params, MOST_NESTED):
        return None
    return identifier, method, params


def _no_json(name: str) -> Any:
    raise ValueError(name)


def _modern_agent(meta: Mapping[str, Any]) -> _Agent | None:
    """Who sends this request of the modern era; None where that is not plain."""
    if meta.get(f"{META}protocolVersion") != MODERN:
        return None
    info = meta.get(f"{META}clientInfo")
    capabilities = meta.get(f"{META}clientCapabilities")
    agent = _agent_of(info, capabilities, may_be_nameless=True)
    return None if agent is None else agent._replace(knows_tasks=declares_tasks(capabilities))


def _agent_of(info: Any, capabilities: Any, *, may_be_nameless: bool = False) -> _Agent | None:
    """Who says this of itself; None where it is not plainly what the specification has there."""
    if not _are_plain_capabilities(capabilities):
        return None
    modes = elicitation_modes(capabilities.get("elicitation"))
    if info is None and may_be_nameless:
        return _Agent(None, modes, knows_tasks=False)
    if not isinstance(info, dict) or not {"name", "version"} <= info.keys():
        return None
    if not all(isinstance(value, str) for key, value in info.items() if key != "icons"):
        return None
    # Icons have a shape of their own, which is not judged here.
    if info.get("icons", []) != []:
        return None
    return _Agent(info["name"], modes, knows_tasks=False)


def _are_plain_capabilities(capabilities: Any) -> bool:
    """Whether these are capabilities as the specification has them; the session judges others."""
    if not isinstance(capabilities, dict):
        return False
    for key, value in capabilities.items():
        if key in _CLIENT_SHAPES:
            if not _has_shape(value, _CLIENT_SHAPES[key]):
                return False
        elif key in ("experimental", "extensions") and not (
            isinstance(value, dict) and all(isinstance(part, dict) for part in value.values())
        ):
            return False
    return True


def _has_shape(value: Any, shape: Any) -> bool:
    """Whether all that a shape names is of that kind, and whatever else is there a flag."""
    if shape is bool:
        return isinstance(value, bool)
    if not isinstance(value, dict):
        return False
    return all(
        _has_shape(item, shape[key]) if key in shape else isinstance(item, bool)
        for key, item in value.items()
    )


def _is_plain_meta(meta: Mapping[str, Any]) -> bool:
    """Whether what a request says beside itself is as the specification has it."""
    token = meta.get("progressToken", "")
    level = meta.get(f"{META}logLevel", LEVELS[0])
    return isinstance(token, (str, int)) and not isinstance(token, bool) and level in LEVELS


# Descriptors 0 and 1


def answer_while(load: Callable[[], None], front: Front) -> Handover:
    """Answer the agent on descriptors 0 and 1 while `load` runs in a thread of its own.

    Returns when that has ended, and raises what it raised.
    """
    unsent = bytearray()
    # What is there already is answered before the thread takes hold of the interpreter.
    reading = _pump(front, unsent, ())
    failures: list[BaseException] = []
    # The thread closes its end of this pipe, which wakes the `select` that waits for the agent.
    loaded, loads = os.pipe()

    def loading() -> None:
        try:
            load()
        except BaseException as error:  # noqa: BLE001 - raised by the thread that waits
            failures.append(error)
        finally:
            os.close(loads)

    thread = threading.Thread(target=loading, daemon=True)
    try:
        with _threads_switched_often():
            thread.start()
            _pump(front, unsent, (loaded,), reading=reading)
            thread.join()
    finally:
        os.close(loaded)
    if failures:
        raise failures[0]
    return front.handover(bytes(unsent))


@contextmanager
def _threads_switched_often() -> Iterator[None]:
    """Imports hold the interpreter for long stretches.

    With Python's own interval the answer to `initialize` would wait for several of them.
    """
    interval = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_SECONDS)
    try:
        yield
    finally:
        sys.setswitchinterval(interval)


def _pump(front: Front, unsent: bytearray, until: Sequence[int], *, reading: bool = True) -> bool:
    """Read and write until one of `until` can be read; without any, only what goes at once.

    Returns whether the agent may send more.
    """
    while True:
        sources = [*until, *([0] if reading and not front.is_full else [])]
        wait = None if until else 0
        readable, writable, _ = select.select(sources, [1] if unsent else [], [], wait)
        if writable:
            _write_some(unsent)
        if 0 in readable:
            chunk = _read_some()
            reading = bool(chunk)
            unsent += front.read(chunk)
        if any(stream in readable for stream in until) or not (until or readable or writable):
            return reading


def _read_some() -> bytes:
    try:
        return os.read(0, CHUNK_BYTES)
    except OSError:
        return b""


def _write_some(unsent: bytearray) -> None:
    """Write as much as a pipe that takes some takes without a wait."""
    try:
        written = os.write(1, unsent[: select.PIPE_BUF])
    except OSError:
        written = len(unsent)  # nobody is there who could read it
    del unsent[:written]
