"""What a call's result is held against, what of it is saved, and what is advised when it fails."""

from __future__ import annotations

import stat
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.cli.running import DEMO, Ended, run, run_program

ODD = f"odd={sys.executable} {Path(__file__).with_name('odd_results.py')}"


def call(tool: str, *more: str, before: tuple[str, ...] = ()) -> Ended:
    return run(*before, "--with", ODD, "call", "odd", tool, "--output", "json", *more)


@pytest.mark.parametrize(
    ("tool", "said"),
    [
        ("breaks", "outputSchema: /count: a whole number"),
        ("leaves_out", "outputSchema: there is no structuredContent"),
    ],
)
def test_a_result_that_breaks_its_output_schema_is_told_and_strict_minds(
    tool: str, said: str
) -> None:
    told = call(tool)
    assert (told.code, told.document["error"]) == (0, None)
    assert said in told.stderr
    strict = call(tool, "--strict")
    assert strict.code == strict.document["exitCode"] == 1
    assert strict.document["error"]["code"] == "output_schema"
    assert said in strict.document["error"]["message"]
    assert strict.document["result"]["content"][0]["text"] == "three"


def test_a_result_that_keeps_its_output_schema_or_says_that_it_failed_is_no_news() -> None:
    assert "outputSchema" not in call("keeps", "--strict").stderr
    failed = call("fails", "--strict")
    assert (failed.code, failed.document["error"]) == (1, None)


def test_the_list_of_tools_has_what_they_promise() -> None:
    tools = {
        tool["name"]: tool for tool in run("--with", ODD, "tools", "--output", "json").document
    }
    assert tools["keeps"]["outputSchema"]["required"] == ["count"]
    assert tools["keeps"]["execution"] == {"taskSupport": "never"}
    assert tools["draws"]["outputSchema"] is None


def test_binary_parts_are_saved_under_names_of_ours(tmp_path: Path) -> None:
    directory = tmp_path / "new"
    ended = call("draws", "--save", str(directory))
    assert ended.code == 0, ended.stderr
    assert sorted(path.name for path in directory.iterdir()) == ["result-1.png", "result-2.bin"]
    assert (directory / "result-1.png").read_bytes().startswith(b"\x89PNG")
    assert (directory / "result-2.bin").read_bytes() == b"hi"
    assert {stat.S_IMODE(path.stat().st_mode) for path in directory.iterdir()} == {0o600}
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    assert "no base64" in ended.stderr
    again = call("draws", "--save", str(directory))
    assert again.code == 0
    assert len(list(directory.iterdir())) == 4


def test_a_folder_that_cannot_be_written_is_exit_code_2(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("mine")
    ended = call("draws", "--save", str(file))
    assert ended.code == ended.document["exitCode"] == 2
    assert "--save" in ended.document["error"]["message"]
    assert ended.document["result"]["content"]
    assert file.read_text() == "mine"


@pytest.mark.skipif(sys.platform == "win32", reason="modes of POSIX")
def test_a_folder_in_which_others_may_replace_what_is_saved_is_told(tmp_path: Path) -> None:
    directory = tmp_path / "everybodys"
    directory.mkdir()
    directory.chmod(0o777)
    ended = call("draws", "--save", str(directory))
    assert ended.code == 0
    assert "everybodys can be written by everybody: others may replace what" in ended.stderr


def test_a_folder_that_is_a_link_to_nothing_is_exit_code_2(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "nowhere")
    ended = call("draws", "--save", str(link))
    assert ended.code == ended.document["exitCode"] == 2
    assert f"--save: {link} cannot be written" in ended.document["error"]["message"]


@pytest.mark.skipif(sys.platform == "win32", reason="there is no RLIMIT_FSIZE")
def test_on_a_full_disk_no_half_of_a_picture_is_left(tmp_path: Path) -> None:
    program = (
        "import resource, sys; from elicit_tui.cli import run;"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (5, resource.RLIM_INFINITY));"
        "sys.exit(run(sys.argv[1:]))"
    )
    directory = tmp_path / "new"
    arguments = ("--with", ODD, "call", "odd", "draws", "--output", "json")
    ended = run_program(program, *arguments, "--save", str(directory))
    assert ended.code == ended.document["exitCode"] == 2
    assert "result-1.png cannot be written: File too large" in " ".join(ended.stderr.split())
    assert list(directory.iterdir()) == []


def test_a_failure_that_the_other_revision_may_not_have_names_the_flag() -> None:
    ended = call("cannot_ask")
    assert ended.code == 1
    assert "Try --protocol 2026-07-28" in ended.stderr
    other = call("cannot_ask", before=("--protocol", "2026-07-28"))
    assert "Try --protocol 2025-11-25" in other.stderr


def test_a_tool_that_wants_a_confirmation_is_called_with_allow_tool() -> None:
    refused = call("risky")
    assert refused.code == refused.document["exitCode"] == 2
    assert "--allow-tool" in refused.stderr
    assert call("risky", "--allow-tool").code == 0
    assert call("risky", "--allow-tool", before=("--approval-policy", "never")).code == 0


def test_a_tool_with_an_open_schema_gets_what_it_does_not_name() -> None:
    ended = call("takes_all", "restaurnt=Luigi")
    assert ended.code == 0
    assert ended.document["result"]["content"][0]["text"] == '{"restaurnt": "Luigi"}'
    refused = call("logs_json", "restaurnt=Luigi")
    assert refused.code == 2
    assert refused.document["result"] is None


def test_a_log_line_that_is_json_reads_as_words() -> None:
    assert "info: half of it is done, left: 4" in call("logs_json").stderr


def test_allow_tool_does_not_reach_past_the_owners_lists(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    program = ODD.split()[1]
    config.write_text(
        f'[mcp_servers.odd]\ncommand = "{sys.executable}"\nargs = ["{program}"]\n'
        'disabled_tools = ["risky"]\n'
    )
    arguments = ("--config", str(config), "call", "odd", "risky", "--allow-tool")
    ended = run(*arguments, "--output", "json")
    assert ended.code == 2
    assert "disabled_tools" in ended.stderr
    assert "--allow-tool calls" not in ended.stderr


@pytest.mark.parametrize(
    "wrong",
    [
        ("call", "nobody", "x"),
        ("call", "demo", "no_such_tool"),
        ("call", "demo", "book_table", "--arguments", "{"),
        ("read", "demo", "demo://menu", "--answers", "/no/file"),
    ],
)
def test_wrong_usage_is_told_as_data_too(wrong: tuple[str, ...]) -> None:
    for output in ("json", "jsonl"):
        ended = run("--with", DEMO, *wrong, "--output", output)
        document = ended.events[-1] if output == "jsonl" else ended.document
        assert ended.code == document["exitCode"] == 2
        assert document["error"]["code"] == "usage"
        assert document["error"]["message"] in ended.stderr.replace("elicit-tui: ", "")
        assert document["result"] is None


def test_a_page_that_was_agreed_to_is_told_as_done_once_whatever_comes_after() -> None:
    from elicit_tui.cli.report import Report

    report = Report("server", "tools/call", "sign_in", "full")
    for page, action in (("agreed", "accept"), ("refused", "decline")):
        request = SimpleNamespace(elicitation_id=page)
        resolved: Any = SimpleNamespace(request=request, outcome=SimpleNamespace(action=action))
        report.resolved.append(resolved)
    notices = ["never asked", "refused", "agreed", "agreed", "agreed"]
    assert [page for page in notices if report.page_is_done(page)] == ["agreed"]
