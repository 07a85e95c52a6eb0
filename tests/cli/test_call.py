"""`call`, `prompt`, `read` and the lists, as real processes on the demo server."""

from __future__ import annotations

import json

import pytest

from tests.cli.running import DEMO, call_demo, run, run_program


def test_with_never_the_question_is_declined_by_policy_and_the_tool_answers() -> None:
    ended = call_demo("book_table", "--approval-policy", "never", "--output", "json")
    assert ended.code == 0, ended.stderr
    document = ended.document
    assert list(document) == [
        "server",
        "tool",
        "protocolVersion",
        "result",
        "elicitations",
        "error",
        "exitCode",
    ]
    assert document["server"] == "demo"
    assert document["tool"] == "book_table"
    assert document["protocolVersion"] == "2025-11-25"
    assert document["result"]["structuredContent"] == {"booked": False}
    assert document["error"] is None
    assert document["exitCode"] == 0
    (elicitation,) = document["elicitations"]
    assert list(elicitation) == [
        "id",
        "tool",
        "mode",
        "message",
        "requestedSchema",
        "url",
        "elicitationId",
        "round",
        "verdict",
        "findings",
        "action",
        "decidedBy",
        "reason",
        "content",
        "waitedMs",
    ]
    assert elicitation["tool"] == "book_table"
    assert "name" in elicitation["requestedSchema"]["properties"]
    assert (elicitation["url"], elicitation["elicitationId"]) == (None, None)
    assert elicitation["action"] == "decline"
    assert elicitation["decidedBy"] == "policy"
    assert "approval_policy" in elicitation["reason"]
    assert elicitation["content"] is None


def test_a_run_under_never_loads_no_judge_no_screen_and_no_tables() -> None:
    program = (
        "import sys; from elicit_tui.cli import run; run(sys.argv[1:]);"
        "print(*sorted({name.partition('.')[0] for name in sys.modules}), file=sys.stderr)"
    )
    arguments = ["--with", DEMO, "call", "demo", "book_table", "--approval-policy", "never"]
    loaded = set(run_program(program, *arguments).stderr.splitlines()[-1].split())
    assert "mcp" in loaded
    assert not loaded & {"jsonschema", "textual", "rich", "regex"}


def test_a_call_that_asks_nothing_loads_nothing_of_forms_and_of_what_waits() -> None:
    program = (
        "import sys; from elicit_tui.cli import run; run(sys.argv[1:]);"
        "print(*sys.modules, file=sys.stderr)"
    )
    ended = run_program(program, "--with", DEMO, "call", "demo", "tell_time")
    loaded = set(ended.stderr.splitlines()[-1].split())
    assert "elicit_tui.broker.drafts" in loaded
    assert not loaded & {"elicit_tui.form.field", "elicit_tui.form.form", "elicit_tui.store.nouns"}


@pytest.mark.parametrize("protocol", ["2025-11-25", "2026-07-28"])
def test_url_mode_is_declined_in_both_eras(protocol: str, tmp_path: object) -> None:
    from pathlib import Path

    config = Path(str(tmp_path)) / "config.toml"
    command, *arguments = DEMO.removeprefix("demo=").split()
    config.write_text(
        f'[mcp_servers.demo]\ncommand = "{command}"\nargs = {json.dumps(arguments)}\n'
        f'protocol = "{protocol}"\n'
    )
    ended = run(
        "--config",
        str(config),
        *("call", "demo", "sign_in", "--approval-policy", "never", "--output", "json"),
    )
    assert ended.code == 0, ended.stderr
    assert ended.document["protocolVersion"] == protocol
    (elicitation,) = ended.document["elicitations"]
    assert (elicitation["mode"], elicitation["action"]) == ("url", "decline")
    assert elicitation["url"].startswith("https://")
    assert elicitation["requestedSchema"] is None


def test_with_nobody_there_a_question_is_cancelled_at_once() -> None:
    ended = call_demo("book_table", "--output", "json")
    (elicitation,) = ended.document["elicitations"]
    assert (elicitation["action"], elicitation["decidedBy"]) == ("cancel", "nobody")
    assert ended.code == 0
    assert "cancelled by nobody" in ended.stderr


def test_strict_makes_a_question_that_was_not_accepted_exit_code_3() -> None:
    ended = call_demo("book_table", "--strict", "--output", "json")
    assert ended.code == ended.document["exitCode"] == 3
    assert ended.document["error"]["code"] == "not_accepted"
    assert ended.document["result"] is not None


def test_strict_is_content_with_a_call_that_asks_nothing() -> None:
    assert call_demo("tell_time", "--strict").code == 0


def test_text_output_is_the_results_text_and_nothing_else() -> None:
    ended = call_demo("book_table", "--approval-policy", "never")
    assert ended.stdout == "You declined, so no table was booked.\n"


def test_jsonl_tells_each_event_as_it_happens() -> None:
    ended = call_demo("count_slowly", "steps=2", "seconds=0.01", "--output", "jsonl")
    assert [event["event"] for event in ended.events] == [
        *("connected", "progress", "log", "progress", "log", "result")
    ]
    assert all(event["time"].endswith("Z") for event in ended.events)
    assert ended.events[1]["message"] == "counted to 1"
    assert ended.events[-1]["result"]["structuredContent"] == {"counted": 2}
    assert ended.events[-1]["exitCode"] == 0


def test_jsonl_tells_a_question_when_it_comes_and_when_it_is_decided() -> None:
    events = call_demo("plan_trip", "--output", "jsonl").events
    requested = [event for event in events if event["event"] == "elicitation.requested"]
    resolved = [event for event in events if event["event"] == "elicitation.resolved"]
    assert {event["id"] for event in requested} == {event["id"] for event in resolved}
    assert len(requested) == len(resolved) == 2
    assert all(event["action"] == "cancel" for event in resolved)


def test_a_tool_that_fails_is_exit_code_1() -> None:
    ended = call_demo("fail", "--output", "json")
    assert ended.code == ended.document["exitCode"] == 1
    assert ended.document["result"]["isError"] is True
    assert ended.document["error"] is None


def test_an_error_of_the_protocol_is_exit_code_1_and_stands_in_the_document() -> None:
    ended = run("--with", DEMO, "read", "demo", "demo://nothing", "--output", "json")
    assert ended.code == 1
    assert ended.document["error"]["code"] == "-32602"
    assert ended.document["result"] is None


def test_an_unmet_page_is_the_calls_error() -> None:
    ended = call_demo("read_mail", "--output", "json")
    assert ended.code == 1
    assert ended.document["error"]["code"] == "-32042"
    assert ended.document["elicitations"][0]["mode"] == "url"


def test_what_the_guardian_blocks_is_declined_and_the_person_is_told_why() -> None:
    ended = call_demo("verify_account", "--output", "json")
    (elicitation,) = ended.document["elicitations"]
    assert (elicitation["verdict"], elicitation["decidedBy"]) == ("block", "guardian")
    assert "credentials." in ended.stderr


def test_a_tool_that_needs_a_confirmation_is_not_called_when_nobody_is_there() -> None:
    ended = call_demo("deploy", "branch=main", "--output", "json")
    assert ended.code == ended.document["exitCode"] == 2
    assert ended.document["error"]["code"] == "tool_not_allowed"
    assert "approval_mode" in ended.stderr


def test_a_missing_argument_is_the_tools_own_error(tmp_path: object) -> None:
    ended = call_demo("count_slowly", "steps=many")
    assert ended.code == 2
    assert "must be integer" in ended.stderr


def test_an_unknown_tool_is_wrong_usage_with_the_nearest_name() -> None:
    ended = call_demo("tell_tim")
    assert ended.code == 2
    assert "tell_time" in ended.stderr


def test_an_unknown_server_is_wrong_usage() -> None:
    ended = run("--with", DEMO, "call", "dem", "tell_time")
    assert ended.code == 2
    assert "Did you mean 'demo'" in ended.stderr


def test_a_server_that_does_not_start_is_exit_code_4_with_a_document() -> None:
    ended = run("--with", "ghost=/no/such/command", "call", "ghost", "x", "--output", "json")
    assert ended.code == ended.document["exitCode"] == 4
    assert ended.document["protocolVersion"] is None


def test_a_server_that_dies_during_the_call_is_exit_code_4_with_its_elicitations() -> None:
    ended = call_demo(
        "leave_while_asking", "seconds=0.2", "--approval-policy", "never", "--output", "json"
    )
    assert ended.code == 4
    assert len(ended.document["elicitations"]) == 1
    assert "Traceback" not in ended.stderr


def test_a_limit_of_time_is_exit_code_5_with_a_document() -> None:
    ended = call_demo("count_slowly", "steps=50", "--timeout", "1.5", "--output", "json")
    assert ended.code == ended.document["exitCode"] == 5
    assert ended.document["error"]["code"] == "timeout"


def test_arguments_come_from_standard_input_as_one_object() -> None:
    ended = call_demo("count_slowly", "--arguments", "-", stdin='{"steps": 1, "seconds": 0}')
    assert ended.stdout == "Counted to 1.\n"


def test_a_prompt_is_got_and_a_resource_is_read() -> None:
    prompt = run("--with", DEMO, "prompt", "demo", "welcome", "name=Ada", "--output", "json")
    assert prompt.document["prompt"] == "welcome"
    assert "Ada" in prompt.document["result"]["messages"][0]["content"]["text"]
    resource = run("--with", DEMO, "read", "demo", "demo://menu")
    assert "Soup of the day" in resource.stdout


def test_the_lists_name_what_a_server_offers() -> None:
    tools = run("--with", DEMO, "tools", "--output", "json")
    assert tools.code == 0, tools.stderr
    first = tools.document[0]
    assert list(first) == [
        *("server", "name", "title", "description", "annotations", "inputSchema"),
        *("outputSchema", "execution"),
    ]
    assert "book_table" in run("--with", DEMO, "tools", "demo").stdout
    assert "welcome name=" in run("--with", DEMO, "prompts", "demo").stdout
    assert "demo://guide" in run("--with", DEMO, "resources", "demo").stdout


def test_a_list_goes_on_past_a_server_that_does_not_start() -> None:
    ended = run("--with", DEMO, "--with", "ghost=/no/such/command", "tools", "--output", "json")
    assert ended.code == 4
    assert {tool["server"] for tool in ended.document} == {"demo"}
    assert "ghost" in ended.stderr


def test_an_added_server_of_a_name_that_exists_is_wrong_usage() -> None:
    ended = run("--with", DEMO, "--with", DEMO, "tools")
    assert ended.code == 2
    assert "demo" in ended.stderr


def test_the_reader_of_stdout_may_go_away_early() -> None:
    import subprocess

    from tests.cli.running import COMMAND, SECONDS, environment

    command = ["--with", DEMO, "call", "demo", "count_slowly", "steps=3", "seconds=0.1"]
    process = subprocess.Popen(
        [*COMMAND, *command, "--output", "jsonl"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    told = process.stderr.read()
    process.stderr.close()
    assert process.wait(SECONDS) == 0
    assert b"Traceback" not in told
    assert b"BrokenPipe" not in told


def test_a_misspelt_argument_is_told_before_the_tool_is_called() -> None:
    ended = call_demo("book_table", "restaurnt=Luigi", "--output", "json")
    assert ended.code == 2
    assert "restaurnt" in ended.stderr
    missing = call_demo("deploy")
    assert missing.code == 2
    assert "needs the argument 'branch'" in missing.stderr
    assert "--incomplete" in missing.stderr


def test_incomplete_calls_a_tool_without_what_it_requires_so_that_it_may_ask() -> None:
    ended = call_demo("deploy", "--incomplete", "--allow-tool", "--output", "json")
    assert ended.code == 1
    # This one does not ask: what is told is the server's own answer.
    assert ended.document["error"]["message"] == "Missing argument: branch."


@pytest.mark.parametrize("protocol", ["2025-11-25", "2026-07-28"])
def test_the_revision_of_an_added_server_can_be_pinned(protocol: str) -> None:
    ended = run(
        *("--protocol", protocol, "--with", DEMO),
        *("call", "demo", "book_table", "--output", "json"),
    )
    assert ended.document["protocolVersion"] == protocol
    assert len(ended.document["elicitations"]) == 1


def test_a_revision_without_an_added_server_pins_nothing_and_is_wrong_usage() -> None:
    ended = run("--protocol", "2026-07-28", "tools")
    assert ended.code == 2
    assert "mcp_servers.NAME.protocol" in ended.stderr
