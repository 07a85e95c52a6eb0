"""Whatever a scenario watches, its state is found in bounded time and memory."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import psutil
import pytest
from mcp.server.mcpserver import Context, MCPServer
from pydantic import BaseModel

from elicit_tui.elicitation.settings import ServerSettings, Settings
from elicit_tui.scenarios import (
    Options,
    PreparedAnswer,
    Scenario,
    Suite,
    run_scenarios,
    watching,
)
from elicit_tui.scenarios.watching import CHUNK_BYTES, Watched, states
from tests.cli.running import Ended, run
from tests.scenarios.runs import failures, outcome_of, scenarios

LAB = Path(__file__).with_name("lab.py")
BOUND = 20.0


class Nothing(BaseModel):
    """Asks for nothing."""


@pytest.mark.anyio
async def test_a_pipe_a_device_and_what_is_no_name_are_told_as_not_watched(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    odd = {
        str(pipe): "is no file",
        "/dev/zero": "is no file",
        "x" * 5000: "cannot be read",
        "a\0b": "cannot be read",
        "x" * 5000 + " y": "cannot be run",
        "no-such-program --state": "cannot be run",
        "an 'open quotation": "cannot be run",
    }
    found = await states(tuple(odd))
    said = Watched(found, found).problems
    assert len(said) == len(odd)
    for sentence, (each, problem) in zip(said, odd.items(), strict=True):
        assert sentence.startswith(f"watch: {each} {problem}")


@pytest.mark.anyio
async def test_what_could_not_be_watched_afterwards_is_told_too(tmp_path: Path) -> None:
    state = tmp_path / "state"
    state.write_text("one")
    before = await states([str(state)])
    state.unlink()
    os.mkfifo(state)
    assert Watched(before, await states([str(state)])).problems == [f"watch: {state} is no file"]


@pytest.mark.anyio
async def test_a_command_that_never_ends_is_ended_and_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(watching, "COMMAND_SECONDS", 0.3)
    # Whoever stops reading may do so while the pipe is full.
    monkeypatch.setattr(watching, "CHUNK_BYTES", 1)
    found = await states(["yes and so on"])
    said = ["watch: yes and so on did not end within 0.3 seconds"]
    assert Watched(found, found).problems == said


@pytest.mark.anyio
async def test_a_command_that_ends_otherwise_has_changed_though_it_prints_nothing(
    tmp_path: Path,
) -> None:
    file = tmp_path / "file"
    watched = [f"test -e {file}"]
    before = await states(watched)
    assert Watched(before, await states(watched)).changed == []
    file.touch()
    assert Watched(before, await states(watched)).changed == watched


@pytest.mark.anyio
async def test_a_file_that_was_written_has_changed(tmp_path: Path) -> None:
    file, other = tmp_path / "file", tmp_path / "other"
    file.write_text("one")
    watched = [str(file), str(other), f"cat {file}"]
    before = await states(watched)
    assert Watched(before, before).never_there == [str(other)]
    file.write_text("two")
    other.write_text("new")
    seen = Watched(before, await states(watched))
    assert (seen.changed, seen.unchanged, seen.problems, seen.never_there) == (watched, [], [], [])


def _empty_directory(place: Path) -> None:
    (place / "below" / "empty").mkdir()


def _another_name(place: Path) -> None:
    (place / "below" / "file").rename(place / "below" / "renamed")


def _a_link_elsewhere(place: Path) -> None:
    (place / "link").unlink()
    (place / "link").symlink_to("below/twin")


def _a_directory_instead(place: Path) -> None:
    (place / "pipe").unlink()
    (place / "pipe").mkdir()


def _content_far_below(place: Path) -> None:
    (place / "below" / "file").write_text("two")


@pytest.mark.parametrize(
    "change",
    [
        _empty_directory,
        _another_name,
        _a_link_elsewhere,
        _a_directory_instead,
        _content_far_below,
    ],
)
@pytest.mark.anyio
async def test_whatever_changes_in_a_directory_has_changed_it(
    tmp_path: Path, change: Callable[[Path], None]
) -> None:
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "file").write_text("one")
    (tmp_path / "below" / "twin").write_text("one")
    (tmp_path / "link").symlink_to("below/file")
    os.mkfifo(tmp_path / "pipe")
    watched = [str(tmp_path)]
    before = await states(watched)
    assert Watched(before, await states(watched)).changed == []
    change(tmp_path)
    seen = Watched(before, await states(watched))
    assert (seen.changed, seen.problems) == (watched, [])


WATCHING = """
[[scenario]]
name = "watches"
server = "lab"
call = "TOOL"
watch = [WATCHED]
expect = { questions = 1 }

[[scenario.answers]]
message = "Book*"
action = "ACTION"
"""


def trial(
    directory: Path, watched: str, tool: str, action: str, *options: str, laid: bool = False
) -> Ended:
    """Test a tool of the lab that writes what it books to `state`; `laid`: anew when it starts."""
    state = directory / "state"
    text = WATCHING.replace("WATCHED", json.dumps(watched)).replace("TOOL", tool)
    command = f"{sys.executable} -S {LAB} {tool} {state}"
    if laid:
        command = f"sh -c 'echo laid anew > {state}; exec {command}'"
    server = f"lab={command}"
    return outcome_of(scenarios(directory, text.replace("ACTION", action)), *options, server=server)


@pytest.mark.parametrize(
    ("watched", "said"),
    [
        ("no-such-program --count bookings", "cannot be run"),
        ("STATE.misspelt", "is not there, also after the accept: nothing is watched"),
        ("/dev/null", "is no file"),
    ],
)
def test_a_watch_that_watches_nothing_fails_its_scenario(
    tmp_path: Path, watched: str, said: str
) -> None:
    watched = watched.replace("STATE", str(tmp_path / "state"))
    ended = trial(tmp_path, watched, "acts_on_decline_mended", "accept")
    assert ended.code == 1, ended.stdout
    assert f"watch: {watched} {said}" in failures(ended)


def test_a_watch_that_an_accept_leaves_as_it_was_fails_its_scenario(tmp_path: Path) -> None:
    ended = trial(tmp_path, "echo always", "acts_on_decline_mended", "accept")
    assert ended.code == 1, ended.stdout
    assert "watch: echo always is the same after the accept" in failures(ended)


def test_a_scenario_that_refuses_fails_where_what_it_watches_changed(tmp_path: Path) -> None:
    state = str(tmp_path / "state")
    ended = trial(tmp_path, state, "acts_on_decline_mended", "decline")
    assert ended.code == 0, ended.stdout
    assert "is not shown where the only answer is a no" in ended.document["runs"][0]["notes"][-1]
    ended = trial(tmp_path, state, "acts_on_decline", "decline")
    assert ended.code == 1
    assert failures(ended) == f"{state} changed"


def test_what_a_server_writes_when_it_starts_is_no_act_of_the_call(tmp_path: Path) -> None:
    state = str(tmp_path / "state")
    ended = trial(tmp_path, state, "acts_on_decline_mended", "decline", laid=True)
    assert ended.code == 0, failures(ended)


def failed(ended: Ended) -> dict[str, list[str]]:
    return {each["branch"]: each["failures"] for each in ended.document["runs"] if each["failures"]}


@pytest.mark.parametrize(
    "tool", ["acts_and_says_that_it_failed", "acts_and_says_that_it_failed_mended"]
)
def test_a_state_that_an_accept_left_may_not_hide_what_a_refusal_does(
    tmp_path: Path, tool: str
) -> None:
    state = tmp_path / "state"
    state.write_text("")
    once = f"grep -m1 booked {state}"  # The same after one booking and after many.
    ended = trial(tmp_path, once, tool, "accept", "--branches")
    (told,) = failed(ended)["accept"]
    assert told.startswith(f"watch: {once} is the same after a second accept")
    assert told.endswith(
        "Lay the state anew in the server's command, as --with NAME='sh fresh.sh' does"
    )
    assert [each["branch"] for each in ended.document["runs"]] == ["accept"]
    ended = trial(tmp_path, once, tool, "accept", "--branches", laid=True)
    acts = {"decline": [f"{once} changed"]}
    assert failed(ended) == ({} if tool.endswith("mended") else acts)


@pytest.mark.parametrize(
    "tool", ["acts_and_says_that_it_failed", "acts_and_says_that_it_failed_mended"]
)
def test_a_state_that_each_accept_changes_need_not_be_laid_anew(tmp_path: Path, tool: str) -> None:
    state = str(tmp_path / "state")
    ended = trial(tmp_path, state, tool, "accept", "--branches")
    assert failed(ended) == ({} if tool.endswith("mended") else {"decline": [f"{state} changed"]})


@pytest.mark.parametrize("watched", ["state", "wc state", "misspelt"])
def test_what_is_watched_is_where_the_server_starts(tmp_path: Path, watched: str) -> None:
    there = tmp_path / "there"
    there.mkdir()
    config = tmp_path / "config.toml"
    words = [sys.executable, "-S", str(LAB), "acts_on_decline_mended", "state"]
    server = {"command": words[0], "args": words[1:], "cwd": str(there)}
    lines = "\n".join(f"{key} = {json.dumps(value)}" for key, value in server.items())
    config.write_text(f"[mcp_servers.lab]\n{lines}\n")
    text = WATCHING.replace("WATCHED", json.dumps(watched)).replace("ACTION", "accept")
    file = scenarios(tmp_path, text.replace("TOOL", "acts_on_decline_mended"))
    ended = run("--config", str(config), "test", str(file), "--output", "json")
    missing = (
        f"watch: misspelt ({there / 'misspelt'}) is not there, also after the accept: "
        "nothing is watched"
    )
    told = failed(ended).get("accept", [])
    assert told == ([missing] if watched == "misspelt" else [])


@pytest.mark.anyio
async def test_what_an_accept_changes_before_the_next_question_is_no_act_before_an_answer(
    tmp_path: Path,
) -> None:
    state = tmp_path / "state"
    server = MCPServer("table")

    @server.tool()
    async def book(context: Context) -> str:
        for question in ("Book?", "Pay?"):
            await context.elicit(question, Nothing)
            state.write_text(question)
        return "booked"

    accept = PreparedAnswer(content={})
    scenario = Scenario("books", "table", "book", answers=(accept, accept), watch=(str(state),))
    place = ServerSettings("table", command="-", default_tools_approval_mode="approve")
    options = Options(eras=("2025-11-25",), in_process={"table": server}, snapshots=False)
    suite = Suite()
    await run_scenarios(Settings(servers={"table": place}), (scenario,), options, suite)
    assert [run.failures for run in suite.runs] == [[]]


@pytest.mark.anyio
@pytest.mark.parametrize("beside", ["calls", "log"])
async def test_a_switch_beside_what_each_accept_changes_hides_an_act(
    tmp_path: Path, beside: str
) -> None:
    state, server = tmp_path / "state.json", MCPServer("table")
    state.write_text(json.dumps({"table": {"booked": False}, "calls": 0, "log": []}))

    @server.tool()
    async def book(context: Context) -> str:
        held = json.loads(state.read_text())
        if (await context.elicit("Book?", Nothing)).action == "accept":
            held["calls" if beside == "calls" else "log"] += 1 if beside == "calls" else ["booked"]
        held["table"]["booked"] = True
        state.write_text(json.dumps(held))
        return "booked"

    scenario = Scenario(
        "books", "table", "book", answers=(PreparedAnswer(content={}),), watch=(str(state),)
    )
    place = ServerSettings("table", command="-", default_tools_approval_mode="approve")
    options = Options(True, eras=("2025-11-25",), in_process={"table": server}, snapshots=False)
    suite = Suite()
    await run_scenarios(Settings(servers={"table": place}), (scenario,), options, suite)
    ((told,),) = [run.failures for run in suite.runs]
    assert told.startswith(f"watch: {state} /table/booked is the same after a second accept")


@pytest.mark.anyio
async def test_the_parts_of_a_json_object_are_its_values_and_a_list_is_one_part(
    tmp_path: Path,
) -> None:
    async def parts(text: str) -> Mapping[str, str]:
        (tmp_path / "state").write_text(text)
        return (await states(["state"], directory=tmp_path))["state"].parts

    assert await parts('{"a/b": {"c": 1, "d": [{"e": 2}]}, "f": null}') == {
        "/a~1b/c": "1",
        "/a~1b/d": '[{"e": 2}]',
        "/f": "null",
    }
    for text in ("", "[1]", "3", "{", "[" * 100_000, json.dumps({"a": "b" * CHUNK_BYTES})):
        assert await parts(text) == {}


@pytest.mark.anyio
async def test_what_has_a_blank_in_its_name_and_is_there_is_no_command(tmp_path: Path) -> None:
    (tmp_path / "my state").write_text("one")
    (tmp_path / "my folder").mkdir()
    watched = ("my state", "my folder")
    before = await states(watched, directory=tmp_path)
    assert Watched(before, before).problems == []
    (tmp_path / "my state").write_text("two")
    (tmp_path / "my folder" / "file").write_text("one")
    assert Watched(before, await states(watched, directory=tmp_path)).changed == [*watched]


def lives(number: int) -> bool:
    try:
        return psutil.Process(number).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


@pytest.mark.anyio
async def test_a_command_whose_time_is_over_ends_with_all_that_it_began(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "COMMAND_SECONDS", 0.5)
    numbers = tmp_path / "numbers"
    script = tmp_path / "begins.sh"
    script.write_text(f"sleep 300 & echo $$ $! > {numbers}; wait\n")
    found = await states([f"sh {script}"])
    assert "did not end" in str(found[f"sh {script}"].problem)
    shell, child = map(int, numbers.read_text().split())
    give_up = time.monotonic() + BOUND
    while lives(shell) or lives(child):
        assert time.monotonic() < give_up
        await asyncio.sleep(0.01)


@pytest.mark.anyio
async def test_what_a_command_says_beside_its_output_is_no_state(tmp_path: Path) -> None:
    said = tmp_path / "said"
    said.write_text("one")
    command = f"sh -c 'cat {said} >&2'"
    before = await states([command])
    said.write_text("two")
    assert Watched(before, await states([command])).changed == []


@pytest.mark.anyio
async def test_lines_and_parts_are_the_same_in_however_many_pieces_they_are_read(
    tmp_path: Path,
) -> None:
    text = b'{"a": 1,\n"bcdefgh": [2,\n3]}\nlast'
    found = []
    for size in (1, 2, 3, 5, 8, len(text)):
        read = watching._Content(counted=True)
        for place in range(0, len(text), size):
            read.add(text[place : place + size])
        found.append(read.state())
    assert all(each == found[0] for each in found)
    assert sum((found[0].lines or {}).values()) == 4
    in_order = watching._Content(counted=False)
    in_order.add(b'{"a": ')
    in_order.add(b"1}")
    assert in_order.state().parts == {"/a": "1"}


@pytest.mark.anyio
async def test_of_too_many_lines_no_number_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "MOST_LINES", 2)
    (tmp_path / "few").write_text("a\nb\n")
    (tmp_path / "many").write_text("a\nb\nc\n")
    found = await states(["few", "many"], counted=True, directory=tmp_path)
    assert (found["few"].lines is None, found["many"].lines is None) == (False, True)
    assert Watched(found, found).changes("many") is None


@pytest.mark.anyio
async def test_a_directory_is_the_same_in_whatever_order_its_files_were_made(
    tmp_path: Path,
) -> None:
    names = [f"{number}" for number in range(40)]
    for folder, order in (("one", names), ("other", names[::-1])):
        (tmp_path / folder / "below").mkdir(parents=True)
        for name in order:
            (tmp_path / folder / name).write_text(name)
            (tmp_path / folder / "below" / name).write_text(name)
    found = await states(["one", "other"], directory=tmp_path)
    assert found["one"].digest == found["other"].digest
