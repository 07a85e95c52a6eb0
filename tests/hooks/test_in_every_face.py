"""What a hook does decides what becomes of a question in `call`, the console and the gateway.

Each face is opened once, with the hooks of all cells; each question has the one hook that is meant
for it, or all those of an event that has no power.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from elicit_tui import paths
from elicit_tui.config import load
from elicit_tui.elicitation import Call
from elicit_tui.runtime import open_runtime
from elicit_tui.tui import question_gate
from elicit_tui.tui.console.application import ConsoleApp
from tests.cli.running import SECONDS, run
from tests.gateway.processes import person
from tests.hooks.cells import ANSWERS_FILE, CELLS, PERSON, Face, Hooked, wrong
from tests.hooks.test_behaviours import assert_gone
from tests.hooks.test_in_the_gateway import agent, until
from tests.hooks.world import Receiver
from tests.tui.console.stand import Stand

IN_ONE_PROCESS = ("Asked", "Elicitation", "ElicitationResult", "Resolved")
"""The events of a face that asks its person itself: no question waits in the store."""
TOOLS = list(dict.fromkeys(map(Hooked.tool, CELLS)))

CALLS = """
import json, sys
from elicit_tui.cli import run
from elicit_tui.hooks import hooks

hooks.LAST_SECONDS = 60.0
for arguments in json.loads(sys.argv[1]):
    code = run(arguments)
    for stream in (sys.stdout, sys.stderr):
        print(end="\\0", file=stream, flush=True)
"""
"""Runs one command line after the other, each as `elicit-tui` does, in one process.

Fifteen hooks are told of one outcome as a run ends; a busy machine does not start so many programs
in the seconds that a run waits for them.
"""


@pytest.fixture
def hooked(tmp_path: Path, receiver: Receiver) -> Hooked:
    return Hooked(tmp_path, receiver)


def judged(hooked: Hooked, face: Face, told: str, events: tuple[str, ...]) -> None:
    """Fails with the cells that did not do as they must."""
    rows = hooked.rows(run("history", "export").stdout)
    assert wrong(hooked, face, rows, told, events) == {}
    for cell in CELLS:
        if cell.behaviour == "leaves" and cell.event in events:
            assert_gone(int(hooked.child(cell).read_text()))


@pytest.mark.timeout(300)
def test_in_call(hooked: Hooked, tmp_path: Path) -> None:
    answers = tmp_path / "answers.toml"
    answers.write_text('[[answers]]\ncontent = { value = "red" }\n')
    lines = []
    for tool in TOOLS:
        # An answers file speaks before a person's own hook, and leaves it nothing to answer.
        given = ["--strict"] if tool.startswith("Elicitation-") else ["--answers", str(answers)]
        lines.append(["call", "s", tool, "--output", "json", *given])
    done = subprocess.run(
        [sys.executable, "-c", CALLS, json.dumps(lines)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS * 4,
        check=True,
    )
    documents = [json.loads(each) for each in done.stdout.split("\0")[:-1]]
    for tool, document in zip(TOOLS, documents, strict=True):
        (asked,) = document["elicitations"]
        as_asked = "hook" if tool.startswith("Elicitation-") else "answers"
        good = (asked["action"], asked["decidedBy"]) == ("accept", as_asked)
        assert document["exitCode"] == (0 if good else 3), tool
    judged(hooked, ANSWERS_FILE, done.stderr, events=IN_ONE_PROCESS)


@pytest.mark.anyio
@pytest.mark.timeout(300)
async def test_in_the_console(
    hooked: Hooked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(question_gate, "DEAF_SECONDS", 0.01)  # nobody types ahead here
    settings = load(config_path=paths.config_file(), managed_path=tmp_path / "none")
    app = ConsoleApp(settings, partial(open_runtime, settings))
    async with app.run_test(size=(100, 30)) as pilot:
        stand = Stand(app, pilot)
        await stand.settled()
        for tool in TOOLS:
            await answered(stand, tool)
        await asyncio.to_thread(until, lambda: hooked.all_ran(IN_ONE_PROCESS))
        await app.leave()
        assert app._work is not None
        await asyncio.wait_for(asyncio.shield(app._work), SECONDS)
    told = "\n".join(line.text for line in app.state.activity)
    judged(hooked, PERSON, told, events=IN_ONE_PROCESS)


async def answered(stand: Stand, tool: str) -> None:
    """Call a tool, and send each form that opens as often as it is asked."""
    connection = await stand.runtime.host.connect("s")
    call = asyncio.ensure_future(connection.call(Call("tools/call", tool)))
    sent: list[object] = []
    while not call.done():
        question = stand.app.state.questions.open
        view = getattr(stand.app.screen, "view", None)
        if question is None or view is None or view.deaf or question.question in sent:
            await asyncio.wait({call}, timeout=0.03)
            continue
        sent.append(question.question)
        await stand.pilot.press("ctrl+s")
    await call


@pytest.mark.anyio
@pytest.mark.timeout(300)
async def test_through_the_gateway(hooked: Hooked, tmp_path: Path) -> None:
    told = tmp_path / "told"
    with agent([], told=told) as there:
        red = {"tag": "red"}
        first = there.send("tools/call", name="s__Waiting", arguments=red)
        waiting = [cell for cell in CELLS if cell.event == "Waiting"]
        until(lambda: all(hooked.runs(cell) for cell in waiting))
        async with person(Path.home(), "all"):
            there.answer_to(first)
            for tool in TOOLS:
                if tool != "Waiting":
                    there.answer_to(there.send("tools/call", name=f"s__{tool}", arguments=red))
        until(lambda: hooked.all_ran((*IN_ONE_PROCESS, "Waiting")))
    judged(hooked, PERSON, told.read_text(), events=(*IN_ONE_PROCESS, "Waiting"))
