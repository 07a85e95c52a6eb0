"""One connection as its faces see it, over a session whose words are scripted."""

from __future__ import annotations

import asyncio
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from elicit_tui.elicitation import Outcome
from elicit_tui.elicitation.settings import ServerSettings, Settings
from elicit_tui.errors import BROKE_PROTOCOL, UNREAD_MESSAGE, ServerError
from elicit_tui.host import ending
from elicit_tui.host import host as hosting
from elicit_tui.host.awaiting import Lifeline
from elicit_tui.host.connection import Connection
from elicit_tui.host.events import ListChanged, LoginAwaited, ServerLog, ServerStateChanged
from elicit_tui.host.launch import start_process
from elicit_tui.host.lifecycle import Lifecycle
from elicit_tui.host.server_log import LogFile

pytestmark = pytest.mark.anyio


class Broker:
    """Notes what it hears."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, ...]] = []

    def asks_for_call(self, call_id: str) -> bool:
        return False

    def notice(self, server: str, sentence: str) -> None:
        self.heard.append(("notice", server, sentence))

    def server_gone(self, server: str, sentence: str) -> None:
        self.heard.append(("gone", server, sentence))

    def end_all(self, server: str, outcome: Outcome) -> None:
        self.heard.append(("ended", server, outcome.decided_by))


class Session:
    """Says that it can do this, and lists these pages."""

    protocol_version = "2025-11-25"
    server_info = ("Jobs", "1.0")
    instructions = "Be kind."

    def __init__(
        self, capabilities: dict[str, Any], pages: dict[str, Any], **protocol: Any
    ) -> None:
        self.capabilities = capabilities
        self.pages = pages
        traits = {"rounds": False, "listening": False, "stateless": False, **protocol}
        self.wire = SimpleNamespace(protocol=SimpleNamespace(**traits), log_level=None)
        self.requests: list[tuple[str, Any]] = []

    async def page(self, kind: str, cursor: str | None) -> tuple[Any, None]:
        self.requests.append((f"{kind}/list", cursor))
        return self.pages[kind], None

    async def request(self, method: str, params: Any) -> Any:
        self.requests.append((method, params))
        return {"done": method}


def connection(**settings: Any) -> tuple[Connection, Broker, list[Any]]:
    broker, events = Broker(), list[Any]()
    place = ServerSettings("jobs", **{"command": "jobs", **settings})
    made = Connection(place, Settings(), broker, events.append)  # type: ignore[arg-type]
    return made, broker, events


def ready(session: Session, **settings: Any) -> tuple[Connection, Broker, list[Any]]:
    made, broker, events = connection(**settings)
    made.became_ready(session)  # type: ignore[arg-type]
    return made, broker, events


async def test_a_connection_ends_once_and_tells_why() -> None:
    here, broker, events = ready(Session({}, {}))
    await here.settled()
    assert (here.identity.calls_itself, here.identity.protocol_version) == ("Jobs", "2025-11-25")
    assert (here.instructions, here.wire is not None) == ("Be kind.", True)
    here.ended("It went away.")
    here.ended(None)
    here.ended("Again.")
    assert (here.state, here.failure) == ("failed", "It went away.")
    assert (here.wire, here.capabilities, here.instructions) == (None, {}, None)
    assert broker.heard == [("gone", "jobs", "It went away.")]
    assert events == [
        ServerStateChanged("jobs", "ready"),
        ServerStateChanged("jobs", "failed", "It went away."),
    ]
    for work in (here.settled(), here.tools(), here.complete({}, {})):
        with pytest.raises(ServerError, match=r"It went away\."):
            await work
    asked, broker, events = connection()
    asked.ended(None)
    assert (asked.state, asked.failure) == ("closed", None)
    assert broker.heard == [("gone", "jobs", "The connection to jobs was closed.")]
    with pytest.raises(ServerError, match="was closed"):
        await asked.settled()


async def test_what_nobody_may_rely_on_is_told_with_its_kind() -> None:
    here, _, _ = ready(Session({}, {}))
    assert here.broken_rules() == []
    here.breaches.asked_for("roots/list")
    here.breaches.message("half of one")
    assert [error.code for error in here.broken_rules()] == [UNREAD_MESSAGE, BROKE_PROTOCOL]
    assert str(here.broken_rules()[0]).startswith("The server jobs wrote a message")
    here.ended("It ended with exit code 9.")
    last = here.broken_rules()[-1]
    assert (str(last), last.code) == (
        "After its result: It ended with exit code 9.",
        BROKE_PROTOCOL,
    )
    closed, _, _ = ready(Session({}, {}))
    closed.ended(None)
    assert closed.broken_rules() == []


async def test_a_list_is_asked_for_where_the_server_has_it_and_else_is_empty() -> None:
    pages = {
        "tools": {"tools": [{"name": "a"}, {"name": "b"}, {}]},
        "prompts": {"prompts": [{"name": "p"}, {}]},
        "resources": {"resources": [{"uri": "a:b"}]},
        "templates": {"resourceTemplates": [{"uriTemplate": "a:{b}"}]},
    }
    session = Session({"tools": {}, "resources": {}}, pages)
    here, broker, _ = ready(session, disabled_tools=("b",))
    assert [tool.name for tool in await here.tools()] == ["a"]
    assert await here.prompts() == ()
    assert [each.uri for each in await here.resources()] == ["a:b"]
    assert [each.uri_template for each in await here.templates()] == ["a:{b}"]
    assert [method for method, _ in session.requests] == [
        "tools/list",
        "resources/list",
        "templates/list",
    ]
    assert broker.heard == []
    session.pages["tools"] = {"tools": [{"name": "a"}, {"name": "a"}]}
    await here.tools()
    assert [what for what, *_ in broker.heard] == ["notice"]
    bare, _, _ = ready(Session({"prompts": {}}, pages))
    assert await bare.templates() == ()
    assert [prompt.name for prompt in await bare.prompts()] == ["p"]


@pytest.mark.parametrize(
    ("capabilities", "listening", "tells"),
    [
        ({"tools": {"listChanged": True}}, False, True),
        ({"tools": {"listChanged": 1}}, False, False),
        ({"tools": {}}, False, False),
        ({"tools": "x"}, False, False),
        ({}, False, False),
        ({"tools": {"listChanged": True}}, True, False),
    ],
)
async def test_a_server_is_believed_to_tell_of_its_tools_where_it_says_so(
    capabilities: dict[str, Any], listening: bool, tells: bool
) -> None:
    here, _, _ = ready(Session(capabilities, {}, listening=listening))
    assert here.tells_of_changed_tools is tells
    unready, _, _ = connection()
    assert not unready.tells_of_changed_tools


async def test_changed_tools_are_listed_anew_before_the_next_call() -> None:
    here, _, events = ready(Session({"tools": {}}, {"tools": {"tools": [{"name": "a"}]}}))
    await here.tools()
    here.emit(ListChanged("jobs", "prompts"))
    assert here.gate._tools is not None
    here.emit(ListChanged("jobs", "tools"))
    assert here.gate._tools is None
    here.log("line")
    assert events[-3:] == [
        ListChanged("jobs", "prompts"),
        ListChanged("jobs", "tools"),
        ServerLog("jobs", "line"),
    ]


async def test_a_log_level_is_asked_for_where_the_era_and_the_server_know_how() -> None:
    for capabilities, stateless, asked in (
        ({"logging": {}}, False, ["logging/setLevel"]),
        ({}, False, []),
        ({"logging": {}}, True, []),
    ):
        session = Session(capabilities, {}, stateless=stateless)
        here, _, _ = ready(session)
        await here.set_log_level("debug")
        assert [method for method, _ in session.requests] == asked
        assert session.wire.log_level == "debug"


async def test_a_completion_says_what_is_filled_in_already_where_there_is_anything() -> None:
    session = Session({}, {})
    here, _, _ = ready(session)
    ref, argument = {"type": "ref/prompt", "name": "p"}, {"name": "a", "value": "x"}
    assert await here.complete(ref, argument) == {"done": "completion/complete"}
    await here.complete(ref, argument, {"arguments": {"b": "1"}})
    plain = {"ref": ref, "argument": argument}
    assert [params for _, params in session.requests] == [
        plain,
        {**plain, "context": {"arguments": {"b": "1"}}},
    ]


async def test_turns_are_taken_where_nothing_tells_whose_question_it_is() -> None:
    for settings, rounds, turns in (
        ({}, False, True),
        ({}, True, False),
        ({"command": None, "url": "https://a.example"}, False, False),
    ):
        here, _, _ = ready(Session({}, {}, rounds=rounds), **settings)
        assert here.open_calls.take_turns is turns


async def test_what_a_connection_hangs_on_breaks_once_also_while_a_transport_opens() -> None:
    line, given_up = Lifeline(), []
    line.lose("It floods.")
    assert (line.lost, line.over.is_set()) == ("It floods.", True)
    opening = Lifeline()
    opening.give_up = lambda: given_up.append(True)
    opening.lose("It floods.")
    assert given_up == [True]


async def test_of_all_open_questions_those_of_one_server_end_with_it() -> None:
    here, broker, _ = ready(Session({}, {}))
    here._session = None
    await asyncio.wait_for(here.end_all_questions(), 30)
    assert broker.heard == [("ended", "jobs", "shutdown")]


async def test_while_a_person_logs_in_no_time_of_the_servers_passes() -> None:
    here, _, events = connection(url="https://a.example", command=None)
    life = Lifecycle(here, here._broker, LogFile(None))
    steps: list[str] = []
    clock: Any = SimpleNamespace(
        stop=lambda: steps.append("stop"), go_on=lambda: steps.append("go on")
    )
    for later, wanted in ((clock, ["stop", "go on"]), (None, ["stop"])):
        steps.clear()
        life._clock = clock
        with life._person_waited_for():
            assert (steps, here.open_calls.logging_in) == (["stop"], True)
            life._clock = later
        assert (steps, here.open_calls.logging_in) == (wanted, False)
    life._clock = None
    with life._person_waited_for():
        assert here.open_calls.logging_in
    assert events == [LoginAwaited("jobs")] * 3


async def test_a_stream_that_breaks_is_none_of_what_the_server_wrote() -> None:
    here, broker, events = connection(url="https://a.example", command=None)
    life = Lifecycle(here, here._broker, LogFile(None))
    life._broken_message(OSError("peer closed\x1b the connection"))
    assert here.breaches.found == ()
    assert broker.heard == []
    (event,) = events
    assert isinstance(event, ServerLog)
    assert event.line == "(the stream of events broke) peer closed␛ the connection"
    life._broken_message(ValueError("Invalid JSON"))
    assert len(here.breaches.found) == len(broker.heard) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize(
    ("line", "asked", "found"),
    [
        ("cat >&2; exit 3", True, ("ended with exit code 3",)),
        ("cat >&2", True, ()),
        ("cat >&2; exit 3", False, ()),
        ("exec sleep 60", True, ()),
    ],
    ids=["failed", "ended well", "had failed before", "was told to end"],
)
async def test_an_exit_code_counts_only_where_closing_the_input_was_all_that_was_done(
    line: str, asked: bool, found: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ending, "GRACE_SECONDS", 0.05 if "sleep" in line else 20)
    here, _, _ = connection(command="sh", args=("-c", line))
    here.process = start_process(here.settings)
    life = Lifecycle(here, here._broker, LogFile(None))
    if asked:
        life.end()
    await asyncio.wait_for(life._end_process(), 20)
    assert here.breaches.found == found


async def test_a_connection_that_does_not_end_is_cancelled_though_another_one_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    let_go = asyncio.Event()

    class EndsOrHangs:
        def __init__(self, connection: Connection, *more: object) -> None:
            self._over = let_go if connection.name == "hangs" else asyncio.Event()
            connection.state = "ready"

        def end(self) -> None:
            if self._over is not let_go:
                self._over.set()

        async def run(self) -> None:
            await self._over.wait()

    monkeypatch.setattr(hosting, "Lifecycle", EndsOrHangs)
    monkeypatch.setattr(hosting, "END_SECONDS", 0.01)
    servers = {name: ServerSettings(name, command="none") for name in ("ends", "hangs")}

    async def opened_and_closed() -> None:
        async with hosting.Host(Settings(servers=servers), Broker()) as host:  # type: ignore[arg-type]
            for name in servers:
                host.start(name)

    running = asyncio.ensure_future(opened_and_closed())
    try:
        done, _ = await asyncio.wait((running,), timeout=2)
        assert done
    finally:
        let_go.set()
        await running
