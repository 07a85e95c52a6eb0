"""`gateway doctor`: how long real clients wait, and what it says about an agent's entry."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from elicit_tui.cli.dispatch import dispatch
from elicit_tui.elicitation.settings import Settings
from elicit_tui.gateway import measuring
from elicit_tui.gateway.agent_session import AgentSession
from elicit_tui.gateway.agents import known_agents
from elicit_tui.gateway.clock import Clock
from elicit_tui.gateway.doctor_files import (
    DoctorFiles,
    DoctorRequest,
    Observation,
    Patience,
    decisive,
    measured,
    proof_of,
)
from elicit_tui.gateway.install.gateway_entry import checks
from elicit_tui.gateway.install.places import own_file
from elicit_tui.gateway.measuring import Measuring
from elicit_tui.gateway.opening import open_session
from elicit_tui.gateway.own_tools import DOCTOR
from elicit_tui.gateway.requester import AgentInfo
from elicit_tui.gateway.tokens import Token
from tests.cli.running import COMMAND
from tests.gateway.world import (
    HANDSHAKE,
    WAIT,
    MovedClock,
    PersonAtOtherTerminal,
    in_memory,
    over_http,
    settled,
    until,
)
from tests.installing import NODE, needs_node

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(60)]

LIMITS = (0.6, 1.4)
"""Seconds after which the clients of these tests give up."""
LONGEST = 2.0
EVERY = 0.1


@pytest.fixture
def files() -> Iterator[DoctorFiles]:
    """A doctor that is there for the agent `crush`."""
    files = DoctorFiles("crush")
    with files.asking(DoctorRequest("crush", LONGEST, EVERY, "nonce")):
        yield files


@asynccontextmanager
async def agent(
    upwards: str = HANDSHAKE, name: str = "crush", **more: Any
) -> AsyncIterator[Client]:
    """The Python SDK's client on a gateway of this process, with the real clock.

    `more`: as that client takes it.
    """

    def opened(token: Token, key: str) -> AbstractAsyncContextManager[AgentSession]:
        return open_session(Settings(), [], PersonAtOtherTerminal())

    era, _, transport = upwards.partition("+")
    mode = "legacy" if era == HANDSHAKE else era
    carried = over_http(opened, Clock()) if transport else in_memory(opened)
    more = {"mode": mode, "cache": None, **more}
    info = types.Implementation(name=name, version="1.0")
    async with carried as streams, Client(streams, client_info=info, **more) as one:
        yield one


async def names(client: Client) -> set[str]:
    return {tool.name for tool in (await client.list_tools(cache_mode="bypass")).tools}


async def gives_up(client: Client, limit: float, *, progress: bool) -> None:
    async def heard(*how: Any) -> None:
        """Ask for progress; this client's clock does not care."""

    with pytest.raises(MCPError, match="timed out"):
        await client.call_tool(
            DOCTOR,
            {"progress": progress},
            read_timeout_seconds=limit,
            progress_callback=heard if progress else None,
        )


async def ended(files: DoctorFiles, number: int) -> list[Patience]:
    await until(lambda: len(measured(files.observations())) >= number)
    return measured(files.observations())


def is_about(seconds: float, limit: float) -> bool:
    """Whether a gateway saw this limit, as far as a busy machine lets it."""
    return limit - 0.3 < seconds < limit + 1


async def test_the_python_sdk_waits_as_long_with_progress_as_without() -> None:
    async def both(name: str, limit: float) -> None:
        files = DoctorFiles(name)
        with files.asking(DoctorRequest(name, 3 * LONGEST, EVERY, "nonce")):
            async with agent(name=name) as client:
                await gives_up(client, limit, progress=False)
                await ended(files, 1)
                await gives_up(client, limit, progress=True)
                found = await ended(files, 2)
        assert [each.progress for each in found] == [False, True]
        assert [each.token for each in found] == [False, True]
        assert all(is_about(each.seconds, limit) and not each.at_least for each in found)

    await asyncio.gather(both("crush", LIMITS[0]), both("goose", LIMITS[1]))


async def test_whoever_gives_up_is_seen_in_both_eras_on_both_transports(
    files: DoctorFiles, upwards: str
) -> None:
    async with agent(upwards) as client:
        await gives_up(client, 0.3, progress=False)
        (found,) = await ended(files, 1)
    assert [each.how for each in files.observations() if each.event == "ended"] == ["gave up"]
    assert is_about(found.seconds, 0.3)
    assert found.http == ("+" in upwards)


@needs_node
async def test_the_typescript_sdk_waits_longer_while_there_is_progress(
    files: DoctorFiles, sealed_machine: Path
) -> None:
    folder = sealed_machine / ".config" / "elicit-tui"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text('[mcp_servers.none]\ncommand = "false"\n')
    process = await asyncio.create_subprocess_exec(
        "node",
        str(NODE / "patient_client.mjs"),
        ",".join(str(round(limit * 1000)) for limit in LIMITS),
        *COMMAND,
        "gateway",
        stdout=asyncio.subprocess.PIPE,
    )
    ending = asyncio.ensure_future(process.communicate())
    while not ending.done():
        files.renew()
        await asyncio.wait((ending,), timeout=1)
    said, _ = await ending
    timed_out, answered = "-32001", "answered"
    assert said.decode().split() == [timed_out, answered] * len(LIMITS)
    found = measured(files.observations())
    quiet = [each for each in found if not each.progress]
    ticked = [each for each in found if each.progress]
    for each, limit in zip(quiet, LIMITS, strict=True):
        assert is_about(each.seconds, limit)
    assert all(each.at_least and each.seconds >= LONGEST for each in ticked)
    assert len(ticked) == len(LIMITS)


async def test_the_tool_is_there_for_that_agent_while_a_doctor_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(measuring, "LOOK_SECONDS", 0.02)
    files = DoctorFiles("crush")
    async with agent() as crush, agent(name="goose") as goose:
        assert DOCTOR not in await names(crush)
        with files.asking(DoctorRequest("crush", LONGEST, EVERY, "nonce")):
            while DOCTOR not in await names(crush):
                await settled()
            assert DOCTOR not in await names(goose)
            refused = await goose.call_tool(DOCTOR, {"progress": False})
            assert refused.is_error
            assert "Unknown tool" in str(refused.content)
        assert DOCTOR not in await names(crush)


async def test_an_agent_that_asked_for_nothing_yet_is_told_that_a_doctor_came(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(measuring, "LOOK_SECONDS", 0.02)
    changed = asyncio.Event()

    async def note(message: Any) -> None:
        if isinstance(message, types.ToolListChangedNotification):
            changed.set()

    async with agent(message_handler=note):
        with DoctorFiles("crush").asking(DoctorRequest("crush", LONGEST, EVERY, "nonce")):
            await asyncio.wait_for(changed.wait(), WAIT)


class Caller:
    """A request of an agent, as far as a measured call looks at it."""

    era = "handshake"
    http = False

    def __init__(self, clock: Clock, *, token: bool = True) -> None:
        self.agent = AgentInfo("crush", "1.0")
        self.arrived = clock.time()
        self.has_token = token
        self.ticks = 0

    def tick(self, total: float | None, message: str) -> None:
        self.ticks += 1


@pytest.fixture
def clock() -> MovedClock:
    return MovedClock()


@pytest.fixture
def measured_here(clock: MovedClock, files: DoctorFiles) -> Measuring:
    one = Measuring(clock, lambda: None, "SECRET_OF_THE_STORE")
    assert one.offered(AgentInfo("crush", "1.0"))
    return one


async def begins(one: Measuring, caller: Caller, *, progress: bool = False) -> asyncio.Task[Any]:
    task = asyncio.ensure_future(one.call({"progress": progress}, caller))  # type: ignore[arg-type]
    await settled()
    return task


async def test_two_calls_side_by_side_are_not_measured_as_one(
    measured_here: Measuring, clock: MovedClock, files: DoctorFiles
) -> None:
    first = await begins(measured_here, Caller(clock))
    beside = await begins(measured_here, Caller(clock))
    assert "One at a time" in (await beside)["content"][0]["text"]
    await clock.move(LONGEST)
    await asyncio.wait_for(first, WAIT)
    # The first has ended: the next one is measured.
    after = await begins(measured_here, Caller(clock))
    await clock.move(LONGEST)
    await asyncio.wait_for(after, WAIT)
    assert [each.at_least for each in measured(files.observations())] == [True, True]


async def test_a_client_that_gives_up_without_a_word_is_seen_when_it_calls_again(
    clock: MovedClock,
) -> None:
    files = DoctorFiles("crush")
    with files.asking(DoctorRequest("crush", 1000, 100, "nonce")):
        one = Measuring(clock, lambda: None, "SECRET_OF_THE_STORE")
        one.offered(AgentInfo("crush"))
        first = await begins(one, Caller(clock))
        await clock.move(60)
        second = await begins(one, Caller(clock))
        await asyncio.wait_for(first, WAIT)
        (found,) = measured(files.observations())
        assert (found.silent, found.seconds) == (True, 60)
        await clock.move(1000)
        await asyncio.wait_for(second, WAIT)
        assert measured(files.observations())[-1].at_least


async def test_ticks_go_out_only_where_they_were_wished_and_asked_for(
    measured_here: Measuring, clock: MovedClock
) -> None:
    for token, progress, ticks in ((True, True, True), (True, False, False), (False, True, False)):
        caller = Caller(clock, token=token)
        task = await begins(measured_here, caller, progress=progress)
        await clock.move(LONGEST + 1)
        await asyncio.wait_for(task, WAIT)
        assert (caller.ticks > 0) == ticks


async def test_without_a_doctor_nothing_is_held(clock: MovedClock) -> None:
    one = Measuring(clock, lambda: None, "SECRET_OF_THE_STORE")
    assert not one.offered(AgentInfo("crush"))
    result = await (await begins(one, Caller(clock)))
    assert result["isError"]


async def test_an_agent_is_told_once_that_the_tool_came_and_once_that_it_went(
    clock: MovedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measuring, "LOOK_SECONDS", 0)
    told: list[bool] = []
    one = Measuring(clock, lambda: told.append(one.offered(crush, look=False)), "SECRET")
    crush = AgentInfo("crush")
    one.offered(crush)
    watching = asyncio.ensure_future(one.watch())
    await settled()
    assert told == []
    with DoctorFiles("crush").asking(DoctorRequest("crush", LONGEST, EVERY, "nonce")):
        await settled()
        assert told == [True]
    await settled()
    watching.cancel()
    assert told == [True, False]


async def test_a_doctor_that_died_is_forgotten(files: DoctorFiles) -> None:
    assert files.request() is not None
    os.utime(files.request_file, (1, 1))
    assert files.request() is None


async def doctors_words(*options: str, agent: str = "crush") -> asyncio.subprocess.Process:
    process = await asyncio.create_subprocess_exec(
        *COMMAND,
        "gateway",
        "doctor",
        agent,
        *options,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stderr is not None
    while True:
        line = await asyncio.wait_for(process.stderr.readline(), WAIT)
        assert line, "the doctor ended early"
        if b"Call the tool elicit_doctor" in line:
            return process


async def test_the_doctor_tells_what_it_measured_and_what_to_set(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ELICIT_TUI_STORE_SECRET", "one")
    process = await doctors_words("--longest", "30", "--every", "0.1")
    monkeypatch.setenv("ELICIT_TUI_STORE_SECRET", "another")
    async with agent() as client:
        await gives_up(client, 1.5, progress=False)
        await gives_up(client, 1.5, progress=True)
        out, err = await asyncio.wait_for(process.communicate(), WAIT)
    told = out.decode()
    assert "✓ It gave up after 1." in told
    assert "with signs of progress, over stdio." in told
    assert "✗ While you are asked, its calls are held 15 min" in told
    assert "set hold_sec = 1 under [gateway]" in told
    assert "✗ The secret in ELICIT_TUI_STORE_SECRET is not the same there as here." in told
    assert re.search(r"✓ No process below \S.* can answer for you\.", told)
    assert "calls, without signs of progress" in err.decode()
    assert process.returncode == 1
    assert not list((DoctorFiles("crush").request_file.parent).iterdir())


@pytest.mark.parametrize(
    ("seconds", "hold"), [(60, 50), (300, 290), (240, 230), (4, 3), (1.2, 1), (0.1, 1)]
)
async def test_a_call_is_to_be_held_for_less_than_its_agent_waits(
    seconds: float, hold: int
) -> None:
    found = Patience(True, True, False, seconds, False, False, "crush")
    assert found.hold == hold


async def test_the_measurement_with_progress_counts_where_there_is_one() -> None:
    def call(progress: bool, seconds: float) -> Observation:
        return Observation("1", "ended", progress, True, False, seconds, "crush", "gave up")

    both = measured([call(False, 60), call(True, 900)])
    best, only = decisive(both), decisive(both[:1])
    assert best is not None
    assert only is not None
    assert (best.seconds, only.seconds) == (900, 60)
    assert decisive([]) is None


async def test_what_a_gateway_of_another_version_tells_is_passed_over(files: DoctorFiles) -> None:
    seen = Observation("1", "ended", True, True, False, 7.0, "c", "gave up", started_by=["sh"])
    strange = [b"{", b"[]", b"7", b'{"call": "2"}', b'{"call": "3", "mood": "good"}', b"\xff"]
    for line in strange:
        files.add(seen)
        with files.request_file.with_suffix(".jsonl").open("ab") as file:
            file.write(line + b"\n")
    assert files.observations() == [seen] * len(strange)


async def test_two_secrets_are_compared_without_being_told() -> None:
    assert proof_of("a", "nonce") == proof_of("a", "nonce") != proof_of("b", "nonce")
    assert proof_of("a", "nonce") != proof_of("a", "other")
    assert proof_of("", "nonce") is proof_of(None, "nonce") is None


def entry_checks(secret_env: str = "SECRET_OF_THE_STORE") -> list[str]:
    agent = known_agents()["cursor"]
    found = checks(agent, own_file(agent), ["elicit-tui", "gateway"], {}, secret_env)
    return [f"{'✓' if each.well else '✗'} {each.sentence}" for each in found]


async def test_the_doctor_says_whether_the_entry_leads_here(
    sealed_machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cursor = sealed_machine / ".cursor" / "mcp.json"
    cursor.parent.mkdir()
    assert entry_checks() == [
        "✗ The gateway does not stand in ~/.cursor/mcp.json: "
        "`elicit-tui gateway install cursor` puts it there."
    ]
    monkeypatch.setattr("elicit_tui.cli.gateway.install.fetch_catalogues", lambda *given: None)
    assert dispatch(["gateway", "install", "cursor", "demo", "--yes"]) == 0
    well = entry_checks()
    assert [line[0] for line in well] == ["✓", "✓"]
    monkeypatch.setenv("SECRET_OF_THE_STORE", "s3cret")
    assert "✗ SECRET_OF_THE_STORE is set here, and the entry does not carry it" in entry_checks()[2]
    assert "s3cret" not in "".join(entry_checks())
    monkeypatch.delenv("SECRET_OF_THE_STORE")
    text = cursor.read_text().replace(sys.executable, "/gone/elicit-tui")
    cursor.write_text(text.replace('"gateway"', '"--config", "/x", "gateway"'))
    told = "\n".join(entry_checks())
    assert "started with another --config" in told
    assert "✗ Its command cannot be started from anywhere: /gone/elicit-tui" in told
    cursor.write_text(text.replace("/gone/elicit-tui", Path(sys.executable).name))
    assert "✗ Its command cannot be started from anywhere" in entry_checks()[1]
    cursor.write_text("{")
    assert entry_checks()[0].startswith("✗ ~/.cursor/mcp.json: it is not JSON")
