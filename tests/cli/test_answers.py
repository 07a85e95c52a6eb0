"""Answers as data: `--answers`, what it prints when one is missing, and `--record`."""

from __future__ import annotations

import json
import stat
import sys
from pathlib import Path

import pytest

from tests.cli.running import DEMO, Ended, call_demo, run
from tests.cli.terminal import Terminal

ROUND_ONE = """
[[answers]]
server = "demo"
action = "accept"
message = "Deploy branch *"
content = { environment = "production", replicas = 3, downtime = false }
"""
ROUND_TWO = """
[[answers]]
action = "accept"
message = "*will replace what runs in production*"
content = {}
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """The demo server, with its tools approved."""
    command, *arguments = DEMO.removeprefix("demo=").split()
    file = tmp_path / "config.toml"
    file.write_text(
        f'[mcp_servers.demo]\ncommand = "{command}"\nargs = {json.dumps(arguments)}\n'
        'default_tools_approval_mode = "approve"\n'
    )
    return file


def deploy(config: Path, answers: str, *more: str) -> Ended:
    file = config.with_name("answers.toml")
    file.write_text(answers)
    arguments = ["call", "demo", "deploy", "branch=main", "--answers", str(file)]
    return run("--config", str(config), *arguments, "--output", "json", *more)


def test_answers_go_through_every_round(config: Path) -> None:
    two = ROUND_TWO + 'despite = ["destructive.*"]\n'
    ended = deploy(config, ROUND_ONE + two, "--strict")
    assert ended.code == 0, ended.stderr
    assert ended.document["result"]["structuredContent"]["deployed"] is True
    assert [entry["decidedBy"] for entry in ended.document["elicitations"]] == ["answers"] * 2


def test_all_that_is_wrong_with_an_answer_is_named_at_once(config: Path) -> None:
    more = ROUND_ONE.replace('"production", replicas = 3', '"mars", replicas = 99')
    ended = deploy(config, more)
    assert ended.code == 3
    assert "environment: choose one of" in ended.stderr
    assert "; replicas: " in ended.stderr


def test_an_answer_with_a_field_that_was_not_asked_for_is_refused_by_its_name(config: Path) -> None:
    more = ROUND_ONE.replace("downtime = false", "downtime = false, approve = true")
    ended = deploy(config, more)
    assert ended.code == 3
    first = ended.document["elicitations"][0]
    assert (first["action"], first["content"]) == ("cancel", None)
    assert "“approve”: nothing that the form does not ask for" in first["reason"]


def test_a_warned_question_is_not_answered_without_despite(config: Path) -> None:
    ended = deploy(config, ROUND_ONE + ROUND_TWO)
    assert ended.code == 3
    last = ended.document["elicitations"][-1]
    assert (last["action"], last["decidedBy"]) == ("cancel", "answers")
    assert "destructive." in last["reason"]
    assert "despite" in ended.stderr


def test_a_missing_answer_prints_an_entry_that_can_be_pasted(config: Path) -> None:
    import tomli

    ended = deploy(config, ROUND_ONE)
    assert ended.code == 3
    assert ended.document["error"]["code"] == "not_accepted"
    start = ended.stderr.index("[[answers]]")
    (entry,) = tomli.loads(ended.stderr[start:])["answers"]
    assert entry["server"] == "demo"
    assert entry["content"] == {}


def test_the_printed_entry_completed_by_hand_answers_the_question(config: Path) -> None:
    ended = deploy(config, "")
    pasted = ended.stderr[ended.stderr.index("[[answers]]") :]
    lines = [
        {"environment": 'environment = "staging"', "downtime": "downtime = true"}.get(
            line.lstrip("# ").partition(" ")[0], line
        )
        for line in pasted.splitlines()
    ]
    assert deploy(config, "\n".join(lines)).code == 0


@pytest.mark.parametrize(
    ("content", "named"),
    [
        ('{ environment = "mars", downtime = true }', "environment"),
        ('{ environment = "staging" }', "downtime"),
        ('{ environment = "staging", downtime = true, replicas = 11 }', "replicas"),
        ('{ environment = "staging", downtime = "true" }', "downtime"),
    ],
)
def test_an_invalid_answer_is_cancelled_and_its_field_is_named(
    config: Path, content: str, named: str
) -> None:
    ended = deploy(
        config, f'[[answers]]\naction = "accept"\nmessage = "Deploy*"\ncontent = {content}\n'
    )
    assert ended.code == 3
    assert named in ended.document["elicitations"][0]["reason"]


def test_an_entry_that_declines_is_an_answer_and_only_strict_minds() -> None:
    def ended(directory: Path, *more: str) -> Ended:
        file = directory / "answers.toml"
        file.write_text('[[answers]]\naction = "decline"\n')
        return call_demo("book_table", "--answers", str(file), *more)

    import tempfile

    with tempfile.TemporaryDirectory() as directory:
        assert ended(Path(directory)).code == 0
        assert ended(Path(directory), "--strict").code == 3


def test_never_stands_before_answers_and_says_so(config: Path) -> None:
    ended = deploy(config, ROUND_ONE, "--approval-policy", "never")
    assert ended.code == 3
    assert ended.document["elicitations"][0]["decidedBy"] == "policy"
    assert "is not used" in ended.stderr


def test_an_answers_file_with_a_mistake_is_exit_code_2_before_anything_starts(
    config: Path,
) -> None:
    ended = deploy(config, '[[answers]]\nmesage = "x"\n')
    assert ended.code == ended.document["exitCode"] == 2
    assert ended.document["elicitations"] == []
    assert "message" in ended.document["error"]["message"]
    assert "message" in ended.stderr
    missing = run("--config", str(config), "call", "demo", "deploy", "--answers", "/no/file")
    assert missing.code == 2


def test_what_is_recorded_at_a_terminal_replays_without_a_person(
    config: Path, tmp_path: Path
) -> None:
    recorded = tmp_path / "recorded.toml"
    arguments = ["--config", str(config), "call", "demo", "deploy", "branch=f[x]*", "--plain"]
    with Terminal([*arguments, "--record", str(recorded)]) as terminal:
        terminal.answer("\n> ", "2")
        terminal.answer("\n> ", "4")
        terminal.answer("\n> ", "yes")
        terminal.answer("or /cancel: ", "/send")
        terminal.answer("or /cancel: ", "/send")
        terminal.answer("the same: ", "yes")
        assert terminal.end() == 0, terminal.shown
    assert stat.S_IMODE(recorded.stat().st_mode) == 0o600
    replay = run(
        *("--config", str(config), "call", "demo", "deploy", "branch=f[x]*", "--strict"),
        *("--answers", str(recorded), "--output", "json"),
    )
    assert replay.code == 0, replay.stderr + recorded.read_text()
    assert replay.document["result"]["structuredContent"]["answers"] == {
        "environment": "production",
        "replicas": 4,
        "downtime": True,
    }
    other = run(
        *("--config", str(config), "call", "demo", "deploy", "branch=fxy"),
        *("--answers", str(recorded)),
    )
    assert other.code == 3


def test_a_secret_that_was_typed_is_left_out_of_the_recording(config: Path, tmp_path: Path) -> None:
    recorded = tmp_path / "recorded.toml"
    secret = "ghp_" + "Q7w2E9r4T1y6U3i8O5p0A2s4D6f8G1h3J5k7"
    arguments = ["--config", str(config), "call", "demo", "plan_trip", "--plain"]
    with Terminal([*arguments, "--record", str(recorded)]) as terminal:
        terminal.answer("\n> ", secret)
        terminal.answer("or /cancel: ", "/send")
        terminal.answer("the same: ", "yes")
        terminal.answer("\n> ", "3")
        terminal.answer("or /cancel: ", "/send")
        assert terminal.end() == 0, terminal.shown
    text = recorded.read_text()
    assert secret not in text
    assert "city was left out" in text
    assert "nights = 3" in text


def test_an_existing_file_is_never_recorded_over(config: Path, tmp_path: Path) -> None:
    recorded = tmp_path / "recorded.toml"
    recorded.write_text("mine")
    arguments = ["--config", str(config), "call", "demo", "book_table", "--plain"]
    with Terminal([*arguments, "--record", str(recorded)]) as terminal:
        assert terminal.end() == 2
    assert recorded.read_text() == "mine"


def test_recording_without_a_person_is_wrong_usage(tmp_path: Path) -> None:
    ended = call_demo("book_table", "--record", str(tmp_path / "r.toml"))
    assert ended.code == 2
    assert not (tmp_path / "r.toml").exists()


def test_when_nothing_was_answered_no_file_stands_in_the_way_of_the_next_try(
    config: Path, tmp_path: Path
) -> None:
    recorded = tmp_path / "recorded.toml"
    arguments = ["--config", str(config), "call", "demo", "tell_time", "--plain"]
    with Terminal([*arguments, "--record", str(recorded)]) as terminal:
        assert terminal.end() == 0
        assert "nothing was recorded" in terminal.shown
    assert not recorded.exists()


@pytest.fixture(params=["2025-11-25", "2026-07-28"])
def rounds(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A server that asks three times, twice with the same words, in each era."""
    program = Path(__file__).with_name("three_rounds.py")
    file = tmp_path / "config.toml"
    file.write_text(
        f'[mcp_servers.demo]\ncommand = "{sys.executable}"\nargs = ["{program}"]\n'
        f'protocol = "{request.param}"\n'
    )
    return file


def city(name: str, more: str = "once = true") -> str:
    return (
        '[[answers]]\naction = "accept"\nmessage = "Which city[?]"\n'
        f'content = {{ city = "{name}" }}\n{more}\n'
    )


NIGHTS = '[[answers]]\naction = "accept"\nmessage = "How*"\ncontent = { nights = 3 }\n'


@pytest.mark.parametrize(
    ("answers", "code", "said"),
    [
        (city("Rome") + city("Oslo") + NIGHTS, 0, ["Rome", "Oslo", 3]),
        (city("Rome", "") + NIGHTS, 0, ["Rome", "Rome", 3]),
        (city("Rome") + NIGHTS, 3, ["Rome"]),
        (city("Rome") + city("Oslo"), 3, ["Rome", "Oslo"]),
        (NIGHTS, 3, []),
    ],
)
def test_questions_of_the_same_words_are_answered_in_order_over_three_rounds(
    rounds: Path, answers: str, code: int, said: list[object]
) -> None:
    file = rounds.with_name("answers.toml")
    file.write_text(answers)
    ended = run(
        *("--config", str(rounds), "call", "demo", "three_rounds"),
        *("--answers", str(file), "--output", "json"),
    )
    assert ended.code == code, ended.stderr
    assert ended.document["result"]["structuredContent"] == {"said": said}


def test_what_is_recorded_over_three_rounds_replays_in_order(rounds: Path) -> None:
    recorded = rounds.with_name("recorded.toml")
    arguments = ["--config", str(rounds), "call", "demo", "three_rounds", "--plain"]
    with Terminal([*arguments, "--record", str(recorded)]) as terminal:
        for line in ("Rome", "Oslo", "7"):
            terminal.answer("\n> ", line)
            terminal.answer("or /cancel: ", "/send")
        assert terminal.end() == 0, terminal.shown
    replay = run(*arguments[:-1], "--answers", str(recorded), "--strict", "--output", "json")
    assert replay.code == 0, replay.stderr + recorded.read_text()
    assert replay.document["result"]["structuredContent"] == {"said": ["Rome", "Oslo", 7]}


def test_an_entry_that_answered_nothing_is_told_and_strict_minds(tmp_path: Path) -> None:
    file = tmp_path / "answers.toml"
    file.write_text('[[answers]]\nmessage = "Clear everything?"\ncontent = {}\n')
    ended = call_demo("tell_time", "--answers", str(file), "--output", "json")
    assert ended.code == 0
    assert f"entry 1 of {file} answered nothing" in ended.stderr
    assert "Clear everything?" in ended.stderr
    strict = call_demo("tell_time", "--answers", str(file), "--output", "json", "--strict")
    assert strict.code == strict.document["exitCode"] == 3
    assert strict.document["error"]["code"] == "unused_answers"


@pytest.mark.parametrize(
    ("tool", "decided_by"),
    [("verify_account", "guardian"), ("ask_the_impossible", "guardian"), ("read_mail", "answers")],
)
def test_a_question_that_anything_kept_from_its_answer_is_exit_code_3(
    tmp_path: Path, tool: str, decided_by: str
) -> None:
    file = tmp_path / "answers.toml"
    file.write_text('[[answers]]\nuse_defaults = true\ncontent = { password = "x" }\n')
    ended = call_demo(tool, "--answers", str(file), "--output", "json")
    assert ended.code == 3, ended.stderr
    assert ended.document["elicitations"][0]["decidedBy"] == decided_by


def test_a_malformed_question_is_exit_code_3_too(tmp_path: Path) -> None:
    file = tmp_path / "answers.toml"
    file.write_text("[[answers]]\ncontent = {}\n")
    forms = tmp_path / "forms.json"
    asked = {"message": "Well?", "requestedSchema": {"type": "object"}}
    forms.write_text(json.dumps({"ask": asked}))
    server = Path(__file__).parent.parent / "servers" / "forms.py"
    ended = run(
        *("--with", f"forms={sys.executable} {server} {forms}", "call", "forms", "ask"),
        *("--answers", str(file), "--output", "json"),
    )
    assert ended.code == 3, ended.stderr
    assert ended.document["elicitations"][0]["decidedBy"] == "policy"


def test_a_recorded_page_keeps_its_place_and_becomes_a_scenarios_accept(tmp_path: Path) -> None:
    recorded = tmp_path / "recorded.toml"
    arguments = ["--with", DEMO, "call", "demo", "sign_in", "--plain"]
    with Terminal([*arguments, "--record", str(recorded)]) as terminal:
        terminal.answer("/decline or /cancel: ", "/agree")
        terminal.end()
    replay = call_demo("sign_in", "--answers", str(recorded), "--output", "json")
    assert replay.code == 3, replay.stderr
    assert "never accepts a URL" in replay.document["elicitations"][0]["reason"]
    scenario = tmp_path / "page.toml"
    scenario.write_text(run("test", "--from", str(recorded), "demo", "sign_in").stdout)
    ended = run("--with", DEMO, "test", str(scenario), "--output", "json")
    assert ended.code == 0, ended.stdout
    assert ended.document["runs"][0]["elicitations"][0]["action"] == "accept"


def test_a_pasted_entry_names_values_with_titles_and_defaults_for_lists_too(
    tmp_path: Path,
) -> None:
    import tomli

    file = tmp_path / "answers.toml"
    file.write_text("")
    ended = call_demo("choose_colours", "--answers", str(file))
    assert ended.code == 3
    pasted = ended.stderr[ended.stderr.index("[[answers]]") :]
    assert 'some of "' in pasted
    assert " (" in pasted.split("some of ")[1].splitlines()[0]
    (entry,) = tomli.loads(pasted)["answers"]
    assert any(isinstance(value, list) for value in entry["content"].values())


def test_an_invalid_choice_is_told_with_values_and_titles(config: Path) -> None:
    wrong = '[[answers]]\nmessage = "Deploy*"\ncontent = { environment = "Staging" }\n'
    reason = deploy(config, wrong).document["elicitations"][0]["reason"]
    assert "choose one of: staging (Staging), production (Production)" in reason


def test_with_allow_tool_an_added_servers_destructive_tool_is_answered_from_a_file(
    tmp_path: Path,
) -> None:
    file = tmp_path / "answers.toml"
    file.write_text(
        '[[answers]]\nmessage = "Deploy*"\ncontent = { environment = "staging", downtime = true }\n'
    )
    arguments = ("branch=main", "--answers", str(file), "--strict", "--output", "json")
    assert call_demo("deploy", *arguments).code == 2
    allowed = call_demo("deploy", *arguments, "--allow-tool")
    assert allowed.code == 0, allowed.stderr
    assert allowed.document["result"]["structuredContent"]["deployed"] is True
