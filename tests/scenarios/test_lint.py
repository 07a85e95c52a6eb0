"""`elicit-tui lint`: each mistake of an author is named, at its place; what is right is silent."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from mcp.server.elicitation import render_elicitation_schema
from pydantic import BaseModel, Field

from elicit_tui.errors import UsageError
from elicit_tui.host.offers import Tool
from elicit_tui.scenarios import lint_questions, lint_server, read_scenarios
from tests.cli.running import DEMO, Ended, run
from tests.guardian.test_check import sarif_schema

SCRIPTED = Path(__file__).parents[1] / "servers" / "scripted.py"
SCENARIO = """# Of the server table.

[[scenario]]
name = "books"
server = "table"
call = "book"

[[scenario.answers]]
content = { guests = 3 }
"""
GUESTS: Mapping[str, Any] = {"type": "integer", "title": "Guests", "minimum": 1, "maximum": 12}


def form(name: str = "guests", required: bool = True, **field: Any) -> dict[str, Any]:
    """A question that is right, for one field with these keywords."""
    schema = {"type": "object", "properties": {name: field or dict(GUESTS)}}
    if required:
        schema["required"] = [name]
    return {"mode": "form", "message": "For how many guests?", "requestedSchema": schema}


def snapshots(directory: Path, *questions: Any, later: Any = None) -> Path:
    """A scenario file with the snapshots of these questions; `later`: of the later revision."""
    file = directory / "books.toml"
    file.write_text(SCENARIO)
    kept: dict[str, Any] = {"another": {}, "books": {"2025-11-25": list(questions)}}
    if later is not None:
        kept["books"]["2026-07-28"] = [later]
    (directory / "books.snapshots.json").write_text(json.dumps(kept, indent=2))
    return file


def found(directory: Path, question: Any) -> dict[str, str]:
    """Each rule that a question breaks, with the place."""
    (linted,) = lint_questions(read_scenarios([snapshots(directory, question)]))
    return {each.rule: each.where for each in linted.review.findings}


def test_a_right_question_is_silent(tmp_path: Path) -> None:
    assert found(tmp_path, form()) == {}


def test_a_question_as_the_sdk_writes_it_is_silent(tmp_path: Path) -> None:
    class Guests(BaseModel):
        guests: int = Field(ge=1, le=12)
        wish: str | None = None

    assert found(tmp_path, {**form(), "requestedSchema": render_elicitation_schema(Guests)}) == {}


PLACES = "requestedSchema.properties.guests"


@pytest.mark.parametrize(
    ("question", "rule", "where"),
    [
        (form(**GUESTS, multipleOf=2), "lint.beyond_specification", f"{PLACES}.multipleOf"),
        (form(type=["integer", "null"]), "lint.beyond_specification", f"{PLACES}.type"),
        (form(type="string", format="uuid"), "lint.beyond_specification", f"{PLACES}.format"),
        (form(type="string", format=["email"]), "lint.beyond_specification", f"{PLACES}.format"),
        (
            form(type="array", items={"type": "string"}, required=False),
            "lint.beyond_specification",
            f"{PLACES}.items",
        ),
        (form(type="object", properties={}), "lint.unanswerable", "requestedSchema"),
        (form(type="string", enum=["us-1", "eu-2"]), "lint.choice_titles", f"{PLACES}.enum"),
        (
            form(type="string", oneOf=[{"const": "y"}, {"const": "n", "title": "No"}]),
            "lint.choice_titles",
            f"{PLACES}.oneOf",
        ),
        (form(**GUESTS, default=13), "lint.default", f"{PLACES}.default"),
        (
            form(type="string", pattern="^[a-z]+$", default="A1"),
            "lint.default",
            f"{PLACES}.default",
        ),
        (form(type="string", format="email", default="me"), "lint.default", f"{PLACES}.default"),
        (form("name", type="string", title="Your name"), "lint.answer", "answers 1"),
        ({"mode": "form", "message": "How many?"}, "lint.malformed", "params"),
        (form("password", type="string"), "credentials.secret", "properties.password"),
        (
            {**form(), "message": "Delete all tables of production? This cannot be undone."},
            "destructive.effect",
            "message",
        ),
    ],
)
def test_each_mistake_in_a_question_is_named_at_its_place(
    tmp_path: Path, question: Any, rule: str, where: str
) -> None:
    seen = found(tmp_path, question)
    assert rule in seen
    assert where in seen[rule]


def test_a_default_that_is_no_choice_is_told_once(tmp_path: Path) -> None:
    seen = found(tmp_path, form(type="string", enum=["Bar", "Window"], default="Roof"))
    assert set(seen) == {"lint.default", "lint.choice_titles", "lint.answer"}


def test_a_question_stands_at_its_line_and_once_for_both_revisions(tmp_path: Path) -> None:
    file = snapshots(tmp_path, form(), form("other", type="string"), later=form())
    linted = list(lint_questions(read_scenarios([file])))
    assert [each.subject for each in linted] == ["books: question 1", "books: question 2"]
    lines = (tmp_path / "books.snapshots.json").read_text().splitlines()
    starts = [number for number, line in enumerate(lines, 1) if line == "      {"]
    assert [each.line for each in linted] == starts[:2]


def test_what_two_scenarios_are_asked_alike_is_told_of_each(tmp_path: Path) -> None:
    file = snapshots(tmp_path, form())
    second = SCENARIO.replace('"books"', '"books for many"').replace("guests = 3", "guests = 30")
    file.write_text(SCENARIO + second)
    kept = file.with_name("books.snapshots.json")
    questions = json.loads(kept.read_text())
    kept.write_text(json.dumps({**questions, "books for many": questions["books"]}, indent=2))
    told = {
        each.subject: [finding.rule for finding in each.review.findings]
        for each in lint_questions(read_scenarios([file]))
    }
    assert told == {"books: question 1": [], "books for many: question 1": ["lint.answer"]}


@pytest.mark.parametrize(
    ("tool", "rule"),
    [
        ({"name": "book a table"}, "lint.tool_name"),
        ({"description": " "}, "lint.tool_description"),
        ({"inputSchema": None}, "lint.input_schema"),
        ({"inputSchema": {"type": "array"}}, "lint.input_schema"),
        (
            {"inputSchema": {"type": "object", "properties": {"n": {"type": 5}}}},
            "lint.input_schema",
        ),
        ({"inputSchema": {"type": "object", "required": ["n"]}}, "lint.input_schema"),
        (
            {"inputSchema": {"type": "object", "properties": {"n": {**GUESTS, "default": 0}}}},
            "lint.default",
        ),
        ({"outputSchema": {"type": "objekt"}}, "lint.output_schema"),
        ({"annotations": {"readOnlyHint": "yes"}}, "lint.tool_hints"),
        ({"annotations": {"readOnlyHint": True, "destructiveHint": True}}, "lint.tool_hints"),
    ],
)
def test_each_mistake_of_a_tool_is_named(tool: Mapping[str, Any], rule: str) -> None:
    right = {"name": "book", "description": "Books a table.", "inputSchema": {"type": "object"}}
    for raw, rules in ((right, []), ({**right, **tool}, [rule])):
        read = Tool.read(raw)
        assert read is not None
        (linted,) = lint_server("table", [read])
        assert [each.rule for each in linted.review.findings] == rules


def linting(*arguments: str) -> Ended:
    return run("lint", *arguments)


def test_what_must_be_mended_is_exit_code_1_and_warnings_are_with_strict(tmp_path: Path) -> None:
    file = str(snapshots(tmp_path, form(**GUESTS, default=13)))
    ended = linting(file)
    assert ended.code == 0, ended.stderr
    assert "books.snapshots.json:5: books: question 1 of table" in ended.stdout
    assert ended.stdout.splitlines()[-1] == "1 looked at: 1 warn"
    assert linting(file, "--strict").code == 1
    snapshots(tmp_path, form("password", type="string"))
    ended = linting(file, "--output", "json")
    assert ended.code == ended.document["exitCode"] == 1
    (row,) = ended.document["linted"]
    assert (row["verdict"], row["line"]) == ("block", 5)
    assert any(each["rule"] == "credentials.secret" for each in row["findings"])


def test_the_tools_of_the_bundled_server_are_right() -> None:
    ended = run("--with", DEMO, "lint", "demo")
    assert (ended.code, ended.stderr) == (0, "")
    assert ended.stdout.endswith("looked at: nothing to mend\n")


def test_a_broken_rule_of_the_protocol_is_told_in_sarif_at_the_servers_file(
    tmp_path: Path,
) -> None:
    server = tmp_path / "server.py"
    program = f"print('ready')\nimport runpy\nrunpy.run_path({str(SCRIPTED)!r}, None, '__main__')\n"
    server.write_text(program)
    script = tmp_path / "script.json"
    script.write_text('{"tools": {"a tool": []}}')
    # A word may be longer than any file's name, as a program behind `-c` is.
    added = f"noisy={sys.executable} -X {'x' * 300} {server} {script}"
    ended = run("--with", added, "lint", "noisy", "--output", "sarif")
    assert ended.code == 1, ended.stderr
    sarif_schema().validate(ended.document)
    (told,) = ended.document["runs"]
    results = {each["ruleId"]: each for each in told["results"]}
    assert "no message" in results["lint.protocol"]["message"]["text"]
    place = results["lint.tool_name"]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"].endswith("/server.py")
    assert {rule["id"] for rule in told["tool"]["driver"]["rules"]} == set(results)


def test_snapshots_that_say_two_things_of_one_scenario_are_told(tmp_path: Path) -> None:
    file = snapshots(tmp_path, form())
    kept = tmp_path / "books.snapshots.json"
    kept.write_text(kept.read_text().replace("{", '{"books": {"2025-11-25": []}, ', 1))
    with pytest.raises(UsageError, match="a key stands twice"):
        list(lint_questions(read_scenarios([file])))


def test_a_document_says_why_it_lacks_a_server_and_so_does_one_of_which_nothing_came(
    tmp_path: Path,
) -> None:
    gone = ("--with", "gone=/nowhere/at-all", "lint")
    document = run(*gone, "gone", "--output", "json").document
    assert (document["linted"], document["exitCode"]) == ([], 4)
    (error,) = document["errors"]
    assert (error["server"], error["code"]) == ("gone", "server_unavailable")
    assert "/nowhere/at-all" in error["message"]
    for subject, code in (("gone", 4), ("nobody", 2), (str(tmp_path / "none.toml"), 2)):
        ended = run(*gone, subject, "--output", "sarif")
        assert ended.code == code
        sarif_schema().validate(ended.document)
        (invocation,) = ended.document["runs"][0]["invocations"]
        (notification,) = invocation["toolExecutionNotifications"]
        assert invocation["executionSuccessful"] is False
        assert subject in notification["message"]["text"]
        told = run(*gone, subject, "--output", "json").document
        assert (len(told["errors"]), told["exitCode"]) == (1, code)
    summary = tmp_path / "summary.md"
    run(*gone, "gone", "--github", env={"GITHUB_STEP_SUMMARY": str(summary)})
    assert "not all servers could be asked" in summary.read_text()
    assert "- **not asked** gone" in summary.read_text()


def test_a_server_that_cannot_be_started_is_exit_code_4_and_its_snapshots_are_told(
    tmp_path: Path,
) -> None:
    file = str(snapshots(tmp_path, form()))
    ended = run("--with", "gone=/nowhere/at-all", "lint", "gone", file)
    assert ended.code == 4
    assert "gone: " in ended.stderr
    assert ended.stdout == "1 looked at: nothing to mend; not asked: gone\n"
    assert linting(str(tmp_path / "none.toml")).code == 2


def test_where_there_is_nothing_to_look_at_lint_fails_and_says_what_is_missing(
    tmp_path: Path,
) -> None:
    ended = run("lint", "--output", "json")
    assert ended.code == ended.document["exitCode"] == 2
    assert "No server is configured" in ended.document["errors"][0]["message"]
    file = str(snapshots(tmp_path, form()))
    other = tmp_path / "other.toml"
    other.write_text(SCENARIO.replace('"books"', '"more"'))
    # That one of them has its questions says nothing of the other, though their server is one.
    told = linting(file, str(other))
    assert (told.code, told.stdout) == (0, "1 looked at: nothing to mend\n")
    assert "more: no snapshot holds its questions; test --update writes it" in " ".join(
        told.stderr.split()
    )
    (tmp_path / "books.snapshots.json").unlink()
    for more in ((), ("--strict",)):
        ended = linting(file, str(other), *more)
        assert (ended.code, ended.stdout) == (2, "")
        assert "There is no question to look at" in ended.stderr
    assert linting(file, "--output", "json").document["exitCode"] == 2
