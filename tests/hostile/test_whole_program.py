"""Attacks on the whole program, without a terminal: what it runs, reads, asks and writes down."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from tests.cli.running import Ended, run
from tests.config.test_importing import KEPT_BACK

RAW = Path(__file__).parents[1] / "servers" / "raw.py"


def configured(directory: Path, *arguments: str, **keys: Any) -> tuple[str, str]:
    """The option that configures a server `s`, a Python program with these arguments."""
    table = {"command": sys.executable, "args": arguments, **keys}
    file = directory / "config.toml"
    lines = (f"{key} = {json.dumps(value)}" for key, value in table.items())
    file.write_text("[mcp_servers.s]\n" + "\n".join(lines) + "\n")
    return "--config", str(file)


def raw(directory: Path, era: str, tool: str, *arguments: str) -> Ended:
    """Call a tool of the raw server with answers that accept every form."""
    answers = directory / "answers.toml"
    answers.write_text('[[answers]]\ncontent = { value = "x" }\n')
    server = configured(directory, str(RAW), era, f"--tool={tool}", protocol=era)
    more = ("--answers", str(answers), "--output", "json")
    return run(*server, "call", "s", tool, *arguments, *more)


def test_a_cloned_repository_runs_nothing_of_its_own(tmp_path: Path) -> None:
    repository = tmp_path / "cloned"
    repository.mkdir()
    ran = tmp_path / "ran"
    (repository / "my_server.py").write_text(f"open({str(ran)!r}, 'w')")
    done = run(*configured(tmp_path, "-m", "my_server"), "tools", cwd=repository)
    assert done.code == 4
    assert not ran.exists()


def test_a_form_in_place_of_a_page_is_neither_asked_nor_recorded(tmp_path: Path) -> None:
    done = raw(tmp_path, "2025-11-25", "only_a_form")
    assert done.document["elicitations"] == []
    assert done.document["error"]["code"] == "-32042"
    assert run("history", "export").stdout == ""


def test_a_crowd_of_pages_is_told_with_the_limit_and_stands_in_the_document(tmp_path: Path) -> None:
    done = raw(tmp_path, "2025-11-25", "many_pages", "count:=17")
    assert "no more than 16 at once are asked about" in done.document["error"]["message"]
    assert len(done.document["elicitations"]) == 17


def test_an_answer_of_a_kind_that_nobody_knows_is_no_result(tmp_path: Path) -> None:
    done = raw(tmp_path, "2026-07-28", "odd_kind", "kind=riddle")
    assert done.code == 4
    assert done.document["result"] is None
    assert "does not know (resultType: “riddle”)" in done.stderr


def test_an_import_writes_no_secret_wherever_it_stood(tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    tables = {f"s{number}": table for number, (table, _, _) in enumerate(KEPT_BACK)}
    file.write_text(json.dumps({"mcpServers": tables}))
    done = run("config", "import", str(file))
    assert done.code == 0, done.stderr
    written = done.stdout + done.stderr
    assert [secret for _, secret, _ in KEPT_BACK if secret in written] == []


def test_an_import_of_a_file_without_end_ends_and_a_huge_number_is_told(tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    file.write_text('{"a": "' + '\\"' * 80_000)
    assert run("config", "import", str(file), seconds=10).code == 2
    number = '"startup_timeout_ms": 1' + "0" * 400
    file.write_text('{"mcpServers": {"a": {"command": "x", ' + number + "}}}")
    done = run("config", "import", str(file))
    assert done.code in (0, 2)
    assert "internal" not in done.stderr
