"""Who may answer: a person at a terminal of their own, and no process of an agent that waits."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psutil
import pytest

from elicit_tui.broker import answerer, inbox_events
from elicit_tui.broker.answerer import BELOW_AN_AGENT, NO_TERMINAL, _command_line
from elicit_tui.elicitation import Answerer
from elicit_tui.store import living
from elicit_tui.store.store import AskingProcess

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="sessions of POSIX")

ROOT = Path(__file__).parents[2]
BOUND = 60.0

SHOW = """
import json, os, sys
from dataclasses import asdict
from elicit_tui.broker.answerer import refusal, this_process
from elicit_tui.store.store import AskingProcess
asking = [AskingProcess(int(sys.argv[1]), "listener" if "listener" in sys.argv else "asker")]
if "elsewhere" in sys.argv:
    asking = [AskingProcess(asking[0].number, asking[0].role, "another machine")]
lifted = "lifted" in sys.argv
print(json.dumps({"refusal": refusal(asking, without_terminal=lifted), **asdict(this_process())}))
"""
AGENT = """
import subprocess, sys
gateway = subprocess.Popen(sys.argv[1:])
print(gateway.pid, flush=True)
gateway.wait()
"""
OWN_SHELL = """
import os, signal, subprocess, sys
show, *command = sys.argv[1:]
gateway = subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True)
number = gateway.stdout.readline().decode().strip()
subprocess.run([sys.executable, "-c", show, number], start_new_session=True)
os.killpg(gateway.pid, signal.SIGKILL)
"""
"""An agent: starts its gateway by a command, then tries to answer in a session of its own."""
PYTHON = f"{sys.executable} -c '{SHOW}'"


def in_a_session(script: str, *, terminal: bool = True) -> dict[str, object]:
    """What `script` prints, a shell script that leads a session of its own on a new terminal."""
    if not terminal:
        return _printed(subprocess.PIPE, script)
    master, slave = os.openpty()
    try:
        return _printed(slave, script)
    finally:
        os.close(slave)
        os.close(master)


def _printed(terminal: int, script: str) -> dict[str, object]:
    done = subprocess.run(
        ["/bin/sh", "-c", script],
        cwd=ROOT,
        stdin=terminal if terminal != subprocess.PIPE else subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=terminal,
        text=True,
        timeout=BOUND,
        check=False,
        start_new_session=True,
    )
    shown: dict[str, object] = json.loads(done.stdout)
    return shown


@pytest.fixture
def asking() -> Iterator[int]:
    """The number of a process that another agent started."""
    with subprocess.Popen(
        [sys.executable, "-c", AGENT, "sleep", "60"], stdout=subprocess.PIPE, start_new_session=True
    ) as agent:
        assert agent.stdout is not None
        yield int(agent.stdout.readline())
        os.killpg(agent.pid, signal.SIGKILL)


def test_a_person_at_a_terminal_of_their_own_may_answer(asking: int) -> None:
    shown = in_a_session(f"{PYTHON} {asking}; true")
    assert shown["refusal"] is None
    assert str(shown["terminal"]).startswith(("pts/", "tty"))
    assert shown["user"]
    assert shown["machine"]
    names = [str(process).partition(" ")[2] for process in shown["ancestry"]]  # type: ignore[attr-defined]
    assert len(names) == 2
    assert names[0].startswith("python")
    assert names[1] in ("sh", "dash", "bash")


def test_without_a_terminal_nobody_answers_unless_the_owner_lifts_that(asking: int) -> None:
    refused = in_a_session(f"{PYTHON} {asking}; true", terminal=False)
    assert refused["refusal"] == NO_TERMINAL
    lifted = in_a_session(f"{PYTHON} {asking} lifted; true", terminal=False)
    assert lifted["refusal"] is None
    assert lifted["terminal"] is None


def test_a_child_of_who_asks_does_not_answer() -> None:
    shown = in_a_session(f"{PYTHON} $$; true")
    assert shown["refusal"] == BELOW_AN_AGENT


def test_a_process_beside_who_asks_below_the_same_shell_does_not_answer() -> None:
    shown = in_a_session(f"sleep 30 & ASKER=$!; {PYTHON} $ASKER; kill $ASKER")
    assert shown["refusal"] == BELOW_AN_AGENT


def test_lifting_the_terminal_lifts_nothing_else() -> None:
    shown = in_a_session(f"{PYTHON} $$ lifted; true", terminal=False)
    assert shown["refusal"] == BELOW_AN_AGENT


def test_the_same_number_on_another_machine_is_another_process() -> None:
    shown = in_a_session(f"{PYTHON} $$ elsewhere; true")
    assert shown["refusal"] is None


def test_a_machine_is_another_one_after_a_start_and_in_a_container(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def machine(boot: str, namespace: str) -> str:
        monkeypatch.setattr(living, "_line_of", lambda path: boot if "boot" in path else "same id")
        monkeypatch.setattr(os, "readlink", lambda path: namespace)
        return living.machine_id.__wrapped__()

    ids = {machine("one", "pid:[1]"), machine("two", "pid:[1]"), machine("one", "pid:[2]")}
    assert len(ids) == 3
    assert machine("one", "pid:[1]") in ids
    assert not any("same id" in each for each in ids)


def test_where_somebody_answers_names_the_machine_only_where_it_is_another_one() -> None:
    here = Answerer("me", "pts/3", "laptop", machine_id=living.machine_id())
    assert inbox_events.where(here) == "pts/3"
    assert inbox_events.where(replace(here, machine_id="another")) == "pts/3 on laptop"
    assert inbox_events.where(replace(here, terminal=None)) == "laptop"


def test_who_asked_and_has_ended_is_in_nobodys_way() -> None:
    shown = in_a_session(f"sleep 0 & ASKER=$!; wait; {PYTHON} $ASKER; true")
    assert shown["refusal"] is None


def test_a_gateway_that_has_ended_hides_none_of_those_that_wait() -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait(BOUND)
    asking = [AskingProcess(ended.pid, "asker"), AskingProcess(os.getpid(), "asker")]
    assert answerer.refusal(asking, without_terminal=True) == BELOW_AN_AGENT


def test_who_waits_in_an_older_version_that_named_no_machine_is_of_this_one() -> None:
    asking = [AskingProcess(os.getpid(), "asker", machine_id="")]
    assert answerer.refusal(asking, without_terminal=True) == BELOW_AN_AGENT


SETSID = pytest.mark.skipif(sys.platform != "linux", reason="setsid as a program")


@SETSID
def test_no_session_of_its_own_lets_a_process_of_the_agent_answer() -> None:
    shown = in_a_session(f"sleep 30 & ASKER=$!; setsid -w {PYTHON} $ASKER; kill $ASKER")
    assert shown["refusal"] == BELOW_AN_AGENT


GATEWAY = "sleep 60 & echo $!; wait"


@pytest.mark.parametrize(
    "command",
    [
        ["/bin/sh", "-c", GATEWAY],
        [
            "/bin/sh",
            "-c",
            '"$@"; exit $?',
            "sh",
            "timeout",
            "--foreground",
            "60",
            "/bin/sh",
            "-c",
            GATEWAY,
        ],
        ["{bin}/npx", "-c", GATEWAY],
        ["{bin}/uv", "-c", GATEWAY],
        ["{bin}/node", "{bin}/_npx/0123/wrapper.js"],
        ["{bin}/node", "{bin}/npm-cli.js"],
    ],
    ids=["sh", "sh-timeout-sh", "npx", "uv", "node-of-npx", "npm"],
)
def test_a_runner_between_the_agent_and_its_gateway_lets_no_process_of_the_agent_answer(
    command: list[str], tmp_path: Path
) -> None:
    # A program is known by its file's name.
    for name in ("npx", "uv", "node"):
        (tmp_path / name).symlink_to("/bin/sh")
    for script in ("_npx/0123/wrapper.js", "npm-cli.js"):
        (tmp_path / script).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / script).write_text(GATEWAY)
    words = [
        sys.executable,
        "-c",
        OWN_SHELL,
        SHOW,
        *(each.format(bin=tmp_path) for each in command),
    ]
    shown = in_a_session(f"{shlex.join(words)}; true")
    assert shown["refusal"] == BELOW_AN_AGENT


def test_what_started_the_shell_that_a_person_types_at_is_no_agent(
    asking: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A desktop or a multiplexer starts every terminal of its person."""
    shell, desktop = psutil.Process(asking), psutil.Process()
    monkeypatch.setattr(answerer, "terminal", lambda: "pts/1")
    monkeypatch.setattr(answerer, "_line", list)
    monkeypatch.setattr(answerer, "_name", lambda process: "bash")
    above = {shell.pid: [shell, desktop]}
    monkeypatch.setattr(psutil.Process, "parents", lambda process: above.get(process.pid, []))
    waiting = [AskingProcess(asking, "asker")]
    assert answerer.refusal(waiting, without_terminal=False) == BELOW_AN_AGENT
    monkeypatch.setattr(answerer, "_leads_a_session", lambda number: True)
    monkeypatch.setattr(psutil.Process, "terminal", lambda process: "/dev/pts/1")
    assert answerer.refusal(waiting, without_terminal=False) is None


@SETSID
def test_whoever_starts_a_gateway_for_agents_over_http_is_none_of_them() -> None:
    shown = in_a_session(f"sleep 30 & ASKER=$!; setsid -w {PYTHON} $ASKER listener; kill $ASKER")
    assert shown["refusal"] is None


@SETSID
def test_who_detaches_from_the_agent_gets_past_it_as_the_readme_says() -> None:
    shown = in_a_session(f"sleep 30 & ASKER=$!; setsid -f {PYTHON} $ASKER | cat; kill $ASKER")
    assert shown["refusal"] is None


def test_what_takes_in_processes_that_lost_their_parent_is_no_agent(
    asking: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = psutil.Process()
    monkeypatch.setattr(answerer, "terminal", lambda: "pts/1")
    monkeypatch.setattr(answerer, "_line", list)
    monkeypatch.setattr(psutil.Process, "parents", lambda process: [terminal])
    waiting = [AskingProcess(asking, "asker")]
    assert answerer.refusal(waiting, without_terminal=False) == BELOW_AN_AGENT
    monkeypatch.setattr(answerer, "_name", lambda process: "systemd")
    assert answerer.refusal(waiting, without_terminal=False) is None


@pytest.mark.skipif(not Path("/proc/self/comm").exists(), reason="a process names itself there")
def test_what_started_a_process_is_named_without_what_its_name_would_do_to_a_terminal() -> None:
    child = (
        "import json; from elicit_tui.broker.answerer import agent_arguments, started_by; "
        "print(ascii(started_by())); print(json.dumps(agent_arguments()))"
    )
    agent = (
        "import subprocess, sys; open('/proc/self/comm', 'w').write('\\x1b[2Jagent'); "
        "print(subprocess.check_output([sys.executable, '-c', sys.argv[1]], text=True))"
    )
    command = [sys.executable, "-c", agent, child]
    shown = subprocess.run(command, capture_output=True, text=True, timeout=BOUND, check=True)
    names, arguments = shown.stdout.strip().splitlines()
    assert "[2Jagent" in names
    assert "\\x1b" not in names
    assert json.loads(arguments) == command[1:]


def test_where_the_processes_above_cannot_be_read_nobody_answers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def unreadable(process: psutil.Process) -> list[psutil.Process]:
        raise psutil.AccessDenied(process.pid)

    monkeypatch.setattr(answerer, "_line", list)
    monkeypatch.setattr(psutil.Process, "parents", unreadable)
    assert answerer.refusal((), without_terminal=True) == answerer.UNKNOWN
    assert answerer.started_by() == answerer.agent_arguments() == ()


class Made:
    """A process with this name and these words; it leads nothing."""

    def __init__(self, name: str, *words: str) -> None:
        self.pid = 2**22 + 1
        self._name, self._words = name, [name, *words]

    def name(self) -> str:
        return self._name

    def cmdline(self) -> list[str]:
        return self._words


def test_a_runner_that_starts_itself_again_under_another_name_hides_no_agent() -> None:
    runner = Made("uv", "run", "gateway")
    above: Any = [runner, Made("shim", "run", "gateway"), Made("agent"), Made("desktop")]
    waiting: Any = Made("python", "gateway.py")
    assert answerer._agent_above(waiting, above) == above[:3]


def test_nothing_that_a_process_calls_itself_reaches_a_terminal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hostile: Any = Made("agent\x1b[2J")
    monkeypatch.setattr(answerer, "_agent_above", lambda *_: [hostile])
    monkeypatch.setattr(answerer, "_line", lambda: [hostile])
    assert answerer.started_by() == ("agent␛[2J",)
    assert answerer.this_process().ancestry == (f"{hostile.pid} agent␛[2J",)


@pytest.mark.parametrize("name", ["npm exec gateway", "-zsh", "UV.EXE", "sh"])
def test_a_runner_is_known_whatever_it_makes_of_its_name(name: str) -> None:
    above: Any = [Made(name), Made("agent"), Made("desktop")]
    waiting: Any = Made("python", "gateway.py")
    assert answerer._agent_above(waiting, above) == above[:2]


def test_two_programs_that_were_given_no_words_are_not_one_that_started_itself_again() -> None:
    above: Any = [Made("agent"), Made("desktop")]
    waiting: Any = Made("gateway")
    assert answerer._agent_above(waiting, above) == above[:1]


def test_an_agent_whose_own_words_name_a_package_runner_is_none() -> None:
    above: Any = [Made("node", "agent.js", "/usr/bin/npm"), Made("desktop")]
    waiting: Any = Made("python", "gateway.py")
    assert answerer._agent_above(waiting, above) == above[:1]


def test_who_answers_here_is_known_with_the_machine() -> None:
    assert answerer.this_process().machine_id == living.machine_id() != ""


@pytest.mark.parametrize(("keys", "screen"), [(True, False), (False, True), (True, True)])
def test_a_person_types_at_a_terminal_and_reads_there(
    monkeypatch: pytest.MonkeyPatch, keys: bool, screen: bool
) -> None:
    for name, there in (("__stdin__", keys), ("__stderr__", screen)):
        monkeypatch.setattr(sys, name, SimpleNamespace(isatty=lambda there=there: there))
    refused = answerer.refusal((), without_terminal=False)
    assert refused == (None if keys and screen else NO_TERMINAL)


def test_a_process_that_hides_its_command_line_has_none() -> None:
    class Hidden:
        def cmdline(self) -> list[str]:
            raise psutil.AccessDenied(1)

    hidden: Any = Hidden()
    assert _command_line(hidden) == ()


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="numbers of users are of POSIX")
def test_a_user_without_a_name_is_known_by_number(monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody() -> str:
        raise KeyError("getpwuid(): uid not found")

    monkeypatch.setattr(answerer.getpass, "getuser", nobody)
    assert answerer.this_process().user == str(os.getuid())
