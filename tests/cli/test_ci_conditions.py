"""Nothing ever waits for a person where none can be: CI, no terminal, closed streams."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from elicit_tui.elicitation.toml_spelling import toml_value
from tests.cli.running import COMMAND, DEMO, SECONDS, call_demo, environment, run
from tests.cli.terminal import Terminal


def test_a_terminal_in_ci_has_nobody_at_it() -> None:
    arguments = ["--with", DEMO, "call", "demo", "book_table", "--strict"]
    with Terminal(arguments, CI="true") as terminal:
        assert terminal.end() == 3
        assert "cancelled by nobody" in terminal.shown


def test_with_closed_standard_streams_every_path_ends() -> None:
    for closing in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
        arguments = [*COMMAND, "--with", DEMO, "call", "demo", "book_table", "--output", "json"]
        quoted = " ".join(f"'{word}'" for word in arguments)
        done = subprocess.run(
            ["sh", "-c", f"exec {quoted} {closing}"],
            capture_output=True,
            timeout=SECONDS,
            env=environment(),
            check=False,
        )
        assert done.returncode == 0, (closing, done.stderr)


def test_standard_input_that_never_ends_is_not_waited_for() -> None:
    process = subprocess.Popen(
        [*COMMAND, "--with", DEMO, "call", "demo", "book_table"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment(),
    )
    try:
        assert process.wait(SECONDS) == 0
    finally:
        assert process.stdin is not None
        process.stdin.close()


@pytest.mark.parametrize("output", ["text", "json", "jsonl"])
def test_a_home_that_cannot_be_written_withholds_accepts_and_lets_refusals_out(
    output: str, tmp_path: Path
) -> None:
    home = tmp_path / "file-not-folder"
    home.write_text("")
    ended = call_demo("book_table", "--output", output, "--strict", env={"HOME": str(home)})
    assert ended.code == 3
    assert "Traceback" not in ended.stderr
    answers = tmp_path / "answers.toml"
    answers.write_text('[[answers]]\naction = "accept"\ncontent = {}\n')
    accepted = call_demo(
        "clear_cache",
        *("--answers", str(answers), "--strict", "--output", "json"),
        env={"HOME": str(home)},
    )
    assert accepted.code == 3
    (elicitation,) = accepted.document["elicitations"]
    assert (elicitation["action"], elicitation["decidedBy"]) == ("cancel", "ledger")


def test_the_console_without_a_terminal_is_wrong_usage() -> None:
    for arguments in ((), ("run",), ("demo",)):
        ended = run(*arguments)
        assert ended.code == 2
        assert "terminal" in ended.stderr
        assert ended.stdout == ""


def test_output_in_a_build_log_commands_no_ci_system() -> None:
    server = (
        "import json,sys\n"
        "for line in sys.stdin:\n"
        "    m = json.loads(line)\n"
        "    if 'id' not in m: continue\n"
        "    t = {'name': 't', 'inputSchema': {'type': 'object'}}\n"
        "    r = {'initialize': {'protocolVersion': '2025-11-25', 'capabilities': {'tools': {}},"
        " 'serverInfo': {'name': '::error::x', 'version': '1'}}, 'tools/list': {'tools': [t]},"
        " 'tools/call': {'content': [{'type': 'text', 'text': 'a\\n::stop-commands::x'}]}}\n"
        "    print(json.dumps({'jsonrpc': '2.0', 'id': m['id'], 'result': r.get(m['method'], {})}),"
        " flush=True)\n"
    )
    import shlex
    import sys

    target = f"evil={shlex.quote(sys.executable)} -c {shlex.quote(server)}"
    ended = run("--with", target, "call", "evil", "t")
    assert ended.code == 0, ended.stderr
    assert not any(line.lstrip().startswith("::") for line in ended.stdout.splitlines())
    assert not any(line.lstrip().startswith("::") for line in ended.stderr.splitlines())


ASKING = Path(__file__).parents[1] / "scenarios" / "credulous_server.py"


@pytest.mark.parametrize("rounds", [3, 100])
def test_a_call_that_pushes_questions_without_end_ends_as_one_with_rounds(
    tmp_path: Path, rounds: int
) -> None:
    config, answers = tmp_path / "config.toml", tmp_path / "answers.toml"
    set_here = f"[elicitation]\nrounds = {rounds}\n" if rounds != 100 else ""
    config.write_text(
        f"{set_here}[mcp_servers.s]\ncommand = {toml_value(sys.executable)}\n"
        f'args = {toml_value([str(ASKING)])}\nprotocol = "2025-11-25"\n'
    )
    answers.write_text('[[answers]]\ncontent = { name = "Ann" }\n')
    call = ("call", "s", "for_ever", "--allow-tool", "--answers", str(answers))
    ended = run("--config", str(config), *call, "--output", "json", seconds=2 * SECONDS)
    assert ended.code == 5, ended.stderr
    error, answered = ended.document["error"], ended.document["elicitations"]
    assert error["code"] == "rounds"
    assert error["message"] == (
        f"for_ever asked {rounds} questions without a person being asked "
        "(elicitation.rounds allows more)."
    )
    assert [each["action"] for each in answered[:rounds]] == ["accept"] * rounds
    assert len(answered) <= rounds + 3


FLOODING = Path(__file__).parents[1] / "benchmarks" / "flooding_server.py"


@pytest.mark.parametrize(
    ("options", "code", "answered"),
    [((), 0, 10), (("--strict",), 3, 10), (("--answers", "answers.toml", "--strict"), 0, 40)],
    ids=["without", "strict", "answers, which no rate limits"],
)
def test_a_flood_that_cost_answers_is_exit_code_3_where_all_had_to_be_accepted(
    tmp_path: Path, options: tuple[str, ...], code: int, answered: int
) -> None:
    config = tmp_path / "config.toml"
    config.write_text(
        "[elicitation.limits]\nper_minute = 10\npending = 5\n"
        f"[mcp_servers.s]\ncommand = {toml_value(sys.executable)}\n"
        f"args = {toml_value([str(FLOODING), '40'])}\n"
        '[[rules]]\nserver = "s"\naction = "accept"\ncontent = { colour = "red" }\n'
    )
    (tmp_path / "answers.toml").write_text('[[answers]]\ncontent = { colour = "red" }\n')
    done = run(
        *("--config", str(config), "call", "s", "flood", "--output", "json", *options),
        cwd=tmp_path,
    )
    decided = Counter(each["decidedBy"] for each in done.document["elicitations"])
    assert (done.code, done.document["exitCode"]) == (code, code)
    assert decided["rule"] + decided["answers"] == answered
    assert decided["flood"] == 40 - answered
