"""`elicit-tui test` as real processes: what passes, what fails, what is written."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from elicit_tui.elicitation.eras import MODERN
from tests.cli.running import DEMO, run
from tests.cli.terminal import Terminal
from tests.forks import ready_python
from tests.host.world import http_server
from tests.keys import INTERRUPT
from tests.scenarios.runs import BOOKS, CACHE, LONG, failures, outcome_of, scenarios, ways

HERE = Path(__file__).parent
SCHEMA = HERE.parent / "data" / "junit-10.xsd"

BY_TASK = """
[[scenario]]
name = "books by a task"
server = "table"
call = "books"
expect = { text = "Booked.", questions = 1 }

[[scenario.answers]]
message = "Book a table*"
content = { confirm = true }
"""


def test_a_scenario_is_a_tree_and_a_coverage_a_person_likes_to_read(tmp_path: Path) -> None:
    file = scenarios(tmp_path, CACHE)
    ended = run("--with", DEMO, "test", str(file), "--branches")
    assert ended.code == 0, ended.stderr
    lines = ended.stdout.splitlines()
    assert lines[:2] == [str(file), "  clears the cache (clear_cache of demo)"]
    assert [line.split()[:2] for line in lines if line.startswith("    ✓")] == [
        ["✓", "accept"],
        ["✓", "decline"],
        ["✓", "cancel"],
        ["✓", "deadline"],
        ["✓", "call"],
    ]
    coverage = "clear_cache: accept ✓ decline ✓ cancel ✓ deadline ✓ call cancelled ✓"
    assert lines[-2:] == [coverage, "5 passed"]


UNEXPECTED = [
    (("/cleared", "/gone"), "structured /gone is not there"),
    (("= true", "= 1"), "structured /cleared is true, not 1"),
    (("The cache is empty*", "Gone*"), 'not "Gone*"'),
    (("questions = 1", "questions = 2"), "there were 1 questions, not 2"),
    (('message = "Clear*"', 'message = "Drop*"'), "a question that was not expected"),
    (("content = {}", "content = { x = 1 }\n[[scenario.answers]]"), "answer 2 was not used"),
    (('"clear_cache"', '"clear_cash"'), "There is no such tool"),
    (('"clear_cache"', '"plan_trip"'), "was not expected"),
]
"""What is changed in a scenario that passes, and what is said of it then."""


def test_what_is_not_as_expected_fails_and_is_said(tmp_path: Path) -> None:
    changed = [
        CACHE.replace(*change).replace("clears the cache", f"change {number}")
        for number, (change, _) in enumerate(UNEXPECTED)
    ]
    ended = outcome_of(scenarios(tmp_path, "\n".join(changed)))
    assert ended.code == ended.document["exitCode"] == 1
    told = {run["scenario"]: "\n".join(run["failures"]) for run in ended.document["runs"]}
    for number, (change, said) in enumerate(UNEXPECTED):
        assert said in told[f"change {number}"], (change, ended.stdout)


def test_an_answer_that_the_schema_does_not_allow_or_a_warning_stops_is_told(
    tmp_path: Path,
) -> None:
    text = CACHE.replace('"clear_cache"', '"deploy"').replace("Clear*", "Deploy*")
    text = text.replace("expect", 'arguments = { branch = "main" }\nexpect')
    wrong = text.replace("content = {}", 'content = { environment = "mars" }')
    assert "environment: choose one of: staging (Staging)" in failures(
        outcome_of(scenarios(tmp_path, wrong))
    )
    warned = text.replace(
        "content = {}",
        'content = { environment = "production", downtime = true }\n'
        '[[scenario.answers]]\nmessage = "*production*"\ncontent = {}',
    )
    assert "despite does not list it" in failures(outcome_of(scenarios(tmp_path, warned)))


def test_a_message_that_nobody_could_read_fails_its_scenario(tmp_path: Path) -> None:
    text = """
        [[scenario]]
        name = "asks where nobody hears it"
        server = "faulty"
        call = "asks_in_a_batch"
        expect = { text = "as if all were well" }
    """
    faulty = HERE.parent / "faults" / "servers" / "faulty.py"
    ended = outcome_of(
        scenarios(tmp_path, text), server=f"faulty={sys.executable} {faulty} {tmp_path} faulty none"
    )
    assert ended.code == 1, ended.stdout
    assert "wrote a message that could not be read" in failures(ended)


CONTRADICTIONS = {
    "then_fails": "answered a request twice; only the first answer counted",
    "answers_under_a_text_id": "a text that no request had",
    "answers_what_nobody_asked": "answered a request that was never made",
    "exits_after_its_result": "exit code 9",
    "exits_badly_when_it_is_closed": "exit code 3",
    "wants_a_model": "asked for sampling/createMessage, which was never offered to it",
    "prints_for_its_author": "wrote to its standard output what is no message",
}
"""Of tests/faults, where `call --strict` fails by the same sentences."""


def test_a_server_that_contradicts_itself_fails_its_scenario_as_a_strict_call_does(
    tmp_path: Path,
) -> None:
    text = "".join(
        f"""
            [[scenario]]
            name = "{tool}"
            server = "faulty"
            call = "{tool}"
            expect = {{ text = "*" }}
        """
        for tool in ("echo", *CONTRADICTIONS)
    )
    faulty = HERE.parent / "faults" / "servers" / "faulty.py"
    server = f"faulty={sys.executable} {faulty} {tmp_path} faulty none"
    ended = outcome_of(scenarios(tmp_path, text), server=server)
    right, *wrong = ended.document["runs"]
    assert (ended.code, right["failures"]) == (1, [])
    assert {each["scenario"] for each in wrong if not each["passed"]} == set(CONTRADICTIONS)
    for each in wrong:
        assert CONTRADICTIONS[each["scenario"]] in " ".join(each["failures"])


def test_a_server_that_does_not_start_fails_its_scenarios(tmp_path: Path) -> None:
    ended = outcome_of(scenarios(tmp_path, CACHE), server="demo=/no/such/program")
    assert ended.code == 1
    assert ended.document["runs"][0]["error"]["code"] == "server_unavailable"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (CACHE.replace("expect", "expct"), "expect"),
        (CACHE + CACHE, "earlier scenario"),
        (CACHE.replace('"/cleared"', '"cleared"'), "JSON pointer"),
        (CACHE.replace("content = {}", 'action = "decline"\ncontent = {}'), "accept only"),
        ("", "has no [[scenario]]"),
        ("[[answers]]\n", "[[scenario.answers]]"),
        (CACHE.replace('"demo"', '"nobody"'), "There is no server 'nobody'"),
    ],
)
def test_a_file_that_is_wrong_is_exit_code_2(tmp_path: Path, text: str, said: str) -> None:
    ended = run("--with", DEMO, "test", str(scenarios(tmp_path, text)))
    assert (ended.code, ended.stdout) == (2, "")
    assert said in ended.stderr


def test_a_document_comes_also_where_no_scenario_could_be_run(tmp_path: Path) -> None:
    files = ("test", str(scenarios(tmp_path, CACHE)), str(tmp_path / "none.toml"))
    ended = run("--with", DEMO, *files, "--output", "json")
    assert ended.code == 2
    document = ended.document
    assert (document["runs"], document["passed"], document["exitCode"]) == ([], 0, 2)
    assert document["error"]["code"] == "usage"
    assert "none.toml" in document["error"]["message"]
    (line,) = run("--with", DEMO, *files, "--output", "jsonl").events
    assert (line["event"], line["error"]) == ("summary", document["error"])


def test_what_was_sent_past_the_judge_is_in_the_ledger_and_the_demo_refuses_it(
    tmp_path: Path,
) -> None:
    text = CACHE.replace('"clear_cache"', '"book_table"').replace("Clear*", "*table*")
    text = text.replace('"/cleared" = true }, text = "The cache is empty*"', '"/booked" = true }')
    content = 'name = "Ada", date = "2026-12-24", guests = 2, seat = "bar"'
    text = text.replace("content = {}", f"use_defaults = true\ncontent = {{ {content} }}")
    ended = outcome_of(scenarios(tmp_path, text), "--answers-gone-wrong", seconds=LONG)
    assert ended.code == 0, failures(ended)
    rows = [json.loads(line) for line in run("history", "export").stdout.splitlines()]
    (tool,) = ended.document["coverage"]
    assert tool["fields"] == {**dict.fromkeys(tool["fields"], "passed")}
    assert tool["wrongAnswers"]["passed"] == tool["wrongAnswers"]["tried"] > 20
    assert "Guests" in tool["fields"]
    past = [row for row in rows if "past the judge" in str(row["reason"])]
    assert len(past) > 20
    assert "elicit-tui" in [(row["content"] or {}).get("guests") for row in past]
    assert run("history", "verify").code == 0


def test_what_a_person_answered_becomes_a_scenario_by_one_command(tmp_path: Path) -> None:
    recorded = tmp_path / "recorded.toml"
    arguments = ["--with", DEMO, "call", "demo", "plan_trip", "--plain"]
    with Terminal([*arguments, "--record", str(recorded)]) as terminal:
        for line in ("Rome", "3"):
            terminal.answer("\n> ", line)
            terminal.answer("or /cancel: ", "/send")
        assert terminal.end() == 0, terminal.shown
    written = run("test", "--from", str(recorded), "demo", "plan_trip")
    assert written.code == 0, written.stderr
    ended = outcome_of(scenarios(tmp_path, written.stdout, "trip.toml"))
    assert ended.code == 0, ended.stdout
    assert ended.document["runs"][0]["result"]["structuredContent"]["city"] == "Rome"
    typed = run("test", "--from", str(recorded), "demo", "plan_trip", "days=3", "city=Rome")
    assert 'days = "3"' in typed.stdout
    assert typed.stderr.splitlines() == [
        "elicit-tui: days is written as a string; days:=JSON writes another value."
    ]


def test_an_interrupted_run_tells_what_came_until_then(tmp_path: Path) -> None:
    text = CACHE.replace('"clear_cache"', '"count_slowly"').replace(
        "expect", "arguments = { steps = 60, seconds = 1 }\nexpect"
    )
    file = scenarios(tmp_path, CACHE + text.replace("clears", "counts"))
    with Terminal(["--with", DEMO, "test", str(file)]) as terminal:
        terminal.wait_for("✓ accept")
        terminal.wait_for("counts the cache: accept")
        terminal.type(INTERRUPT)
        assert terminal.end() == 130, terminal.shown
        assert "1 passed" in terminal.shown


def test_a_server_that_pushes_is_told_what_it_lacks_in_the_later_revision(tmp_path: Path) -> None:
    text = BOOKS.replace("{ guests = 3 }", '{ city = "Rome" }').replace("For how many*", "Where*")
    text = text.replace('structured = { "/booked" = true }', 'text = "booked Rome"')
    server = f"table={' '.join(ready_python())} {HERE / 'pushing_server.py'}"
    ended = outcome_of(scenarios(tmp_path, text), "--eras", "both", server=server)
    assert ended.code == 1
    assert ways(ended) == {"accept 2025-11-25": True, "accept 2026-07-28": False}
    (failed,) = [run for run in ended.document["runs"] if not run["passed"]]
    assert "write --eras 2025-11-25" in failed["notes"][-1]
    (tool,) = ended.document["coverage"]
    assert {way: state for way, state in tool["branches"].items() if state != "untried"} == {
        "accept in 2025-11-25": "passed",
        "accept in 2026-07-28": "failed",
    }


def test_a_tool_that_answers_with_a_task_is_tried_in_every_way(tmp_path: Path) -> None:
    careless = BY_TASK.replace('"books"', '"books_anyway"').replace("by a task", "anyway")
    options = ("--branches", "--answers-gone-wrong", "--eras", MODERN, "-j", "2")
    with http_server("tasking.py") as url:
        file = scenarios(tmp_path, BY_TASK + careless)
        ended = outcome_of(file, *options, server=f"table={url}")
    right, wrong = (
        {
            run["branch"]: run["failures"]
            for run in ended.document["runs"]
            if run["scenario"] == name
        }
        for name in ("books by a task", "books anyway")
    )
    refused = {"decline", "cancel", "deadline", "no"}
    assert set(right) > {"accept", *refused, "confirm is missing"}
    assert len(right) == 1 + len(refused) + 5
    assert not any(right.values()), right
    acted = 'it acted all the same: the text is "Booked." (Booked.)'
    assert {way: wrong[way] for way in refused} == {way: [acted] for way in refused}
    assert wrong["accept"] == []
