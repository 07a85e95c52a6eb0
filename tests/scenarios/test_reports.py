"""What `elicit-tui test` writes for machines: JUnit XML and JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import DEMO, run, run_program
from tests.scenarios.runs import BOOKS, CACHE, outcome_of, scenarios

SCHEMA = Path(__file__).parent.parent / "data" / "junit-10.xsd"


def test_junit_is_valid_against_its_schema(tmp_path: Path) -> None:
    xmlschema = pytest.importorskip("xmlschema")
    text = CACHE.replace('name = "clears the cache"', 'name = "<a> \\u0007 & ]]>"')
    text += BOOKS.replace("table", "demo").replace('"book"', '"::error::"')
    report = tmp_path / "report.xml"
    ended = outcome_of(scenarios(tmp_path, text), "--branches", "--junit", str(report))
    assert ended.code == 1
    schema = xmlschema.XMLSchema(str(SCHEMA))
    schema.validate(str(report))
    lines = report.read_text().splitlines()
    assert sum(line.strip().startswith("<testcase ") for line in lines) == 6
    (suite,) = schema.to_dict(str(report))["testsuite"]
    assert (suite["@tests"], suite["@failures"]) == ("6", "1")
    assert not schema.is_valid(report.read_text().replace('tests="6"', ""))


@pytest.mark.parametrize(
    ("text", "said"),
    [(CACHE.replace("expect", "expct"), "expct"), (CACHE.replace('"demo"', '"nobody"'), "nobody")],
)
def test_junit_is_written_where_nothing_could_be_run_as_well(
    tmp_path: Path, text: str, said: str
) -> None:
    xmlschema = pytest.importorskip("xmlschema")
    report = tmp_path / "report.xml"
    file = scenarios(tmp_path, text)
    assert run("--with", DEMO, "test", str(file), "--junit", str(report)).code == 2
    schema = xmlschema.XMLSchema(str(SCHEMA))
    schema.validate(str(report))
    (suite,) = schema.to_dict(str(report))["testsuite"]
    assert (suite["@tests"], suite["@errors"]) == ("1", "1")
    assert said in report.read_text()


UNFORESEEN = """
import sys
from elicit_tui.cli import %(command)s, run

def breaks(*arguments, **more):
    raise RuntimeError("nobody thought of it")

%(command)s.%(name)s = breaks
sys.exit(run(sys.argv[1:]))
"""
"""The command line in a process in which one function of a command is broken."""


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("test", "run_scenarios"),
        ("test", "read_scenarios"),
        ("lint", "read_scenarios"),
        ("check", "recorded_requests"),
        ("call", "prepare"),
    ],
)
def test_what_nobody_foresaw_is_told_in_the_report_and_in_the_one_document(
    tmp_path: Path, command: str, name: str
) -> None:
    report = tmp_path / "report.xml"
    report.write_text("of the last run")
    words: list[str] = ["demo", "clear_cache"]
    if command != "call":
        words = [str(scenarios(tmp_path, CACHE))]
    if command == "test":
        words += ["--junit", str(report)]
    program = UNFORESEEN % {"command": command, "name": name}
    ended = run_program(program, "--with", DEMO, command, *words, "--output", "json")
    assert ended.code == 4
    assert "nobody thought of it" in json.dumps(ended.document)
    assert "unforeseen RuntimeError: nobody thought of it" in " ".join(ended.stderr.split())
    assert command != "test" or "nobody thought of it" in report.read_text()


def test_a_file_whose_snapshots_can_have_no_name_is_told_and_so_is_its_end(tmp_path: Path) -> None:
    report = tmp_path / "report.xml"
    file = scenarios(tmp_path, CACHE, f"{'a' * 245}.toml")
    ended = outcome_of(file, "--junit", str(report))
    assert ended.code == ended.document["exitCode"] == 2
    assert "cannot be read: File name too long" in ended.document["error"]["message"]
    assert "File name too long" in report.read_text()


def test_the_json_of_a_run_has_all_that_a_call_has(tmp_path: Path) -> None:
    document: Any = outcome_of(scenarios(tmp_path, CACHE)).document
    (only,) = document["runs"]
    assert only["protocolVersion"] == "2025-11-25"
    assert only["elicitations"][0]["requestedSchema"]["properties"] == {}
    assert only["elicitations"][0]["decidedBy"] == "answers"
    assert only["result"]["structuredContent"] == {"cleared": True}
    assert document["coverage"] == [
        {
            "server": "demo",
            "tool": "clear_cache",
            "branches": {
                "accept": "passed",
                "decline": "untried",
                "cancel": "untried",
                "deadline": "untried",
            },
            "wrongAnswers": {"passed": 0, "tried": 0},
            "rightAnswers": {"passed": 0, "tried": 0},
            "leaks": [],
            "tellsActing": True,
            "fields": {},
        }
    ]


def test_a_report_that_cannot_be_written_is_in_the_document(tmp_path: Path) -> None:
    file = scenarios(tmp_path, CACHE)
    ended = outcome_of(file, "--junit", str(tmp_path / "nowhere" / "report.xml"))
    assert ended.code == ended.document["exitCode"] == 2
    assert "--junit" in ended.document["error"]["message"]
    assert not (tmp_path / "nowhere").exists()


def test_a_report_and_snapshots_behind_a_link_are_written_where_it_leads(tmp_path: Path) -> None:
    file, real = scenarios(tmp_path, CACHE), tmp_path / "real.json"
    real.write_text("{}")
    file.with_name("scenarios.snapshots.json").symlink_to(real)
    ended = outcome_of(file, "--update", "--junit", "/dev/stderr")
    assert ended.code == 0
    assert "<testsuites" in ended.stderr
    assert set(json.loads(real.read_text())) == {"clears the cache"}


def test_a_pages_address_is_told_before_it_is_answered(tmp_path: Path) -> None:
    text = CACHE.replace('"clear_cache"', '"sign_in"').replace("Clear*", "*")
    text = text.replace('structured = { "/cleared" = true }, text = "The cache is empty*", ', "")
    file = scenarios(tmp_path, text.replace("content = {}", 'action = "accept"'))
    ended = run("--with", DEMO, "test", str(file), "--output", "jsonl")
    assert ended.code == 0, ended.stdout
    names = [event["event"] for event in ended.events]
    asked = names.index("elicitation.requested")
    assert asked < names.index("elicitation.resolved")
    assert ended.events[asked]["url"].startswith("https://")
    assert ended.events[asked]["scenario"] == "clears the cache"
    assert [names[0], *names[-2:]] == ["started", "result", "summary"]
