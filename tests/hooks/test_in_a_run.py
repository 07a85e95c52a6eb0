"""Hooks in real runs: `call` without and with a person, the console, and the configuration."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from elicit_tui.broker.explanation import PossibleQuestion, explain
from elicit_tui.config import load
from elicit_tui.elicitation.toml_spelling import toml_value
from elicit_tui.guardian import Guardian
from elicit_tui.policy import Policy
from tests.cli.running import Ended, run
from tests.hooks.world import answer, command, read
from tests.keys import LEAVE
from tests.servers.scripts import form, scripted


def configured(tmp_path: Path, hooks: list[dict[str, Any]], tool: str = "t") -> list[str]:
    """`--config FILE` with a server `s`, whose tool asks for a name, and with hooks."""
    server = scripted(tmp_path, {tool: [{"ask": form("Name?")}]})
    lines = [f"[mcp_servers.s]\ncommand = {toml_value(server[0])}\nargs = {toml_value(server[1:])}"]
    for hook in hooks:
        lines.append("[[hooks]]")
        lines += [f"{key} = {toml_value(value)}" for key, value in hook.items()]
    file = tmp_path / "config.toml"
    file.write_text("\n".join(lines) + "\n")
    return ["--config", str(file)]


def called(config: list[str]) -> Ended:
    return run(*config, "call", "s", "t", "--output", "json")


def test_a_hook_answers_where_nobody_is_and_the_document_says_which(
    tmp_path: Path, log: Path
) -> None:
    accepts = {
        "event": "Elicitation",
        "command": command("answers", log, answer("accept", name="a")),
    }
    changes = {
        "event": "ElicitationResult",
        "command": command("answers", log, answer("accept", "ElicitationResult", name="b")),
    }
    config = configured(tmp_path, [accepts, changes])
    done = called(config)
    (asked,) = done.document["elicitations"]
    assert (asked["action"], asked["decidedBy"], asked["content"]) == (
        "accept",
        "hook",
        {"name": "b"},
    )
    assert asked["reason"] == "Changed by the hook at config.toml:7: name."
    assert asked["hook"] == {
        "key": "hooks[2]",
        "layer": "user",
        "changed": ["name"],
        "answered": {"action": "accept", "decidedBy": "hook"},
    }
    sent = json.loads(done.document["result"]["content"][0]["text"])[0]
    assert sent["content"] == {"name": "b"}
    assert sent["_meta"]["dev.elicit-tui/outcome"]["decidedBy"] == "hook"
    assert "hooks[" not in json.dumps(sent["_meta"])
    row = json.loads(run(*config, "history", "export").stdout)
    assert (row["decidedBy"], row["via"], row["key"]) == ("hook", "hook", "hooks[2]")


def test_with_a_hook_that_fails_and_nobody_there_the_question_is_cancelled_and_it_is_told(
    tmp_path: Path, log: Path
) -> None:
    hooks = [
        {"event": "Elicitation", "command": command("crashes", log)},
        {"event": "Elicitation", "command": command("answers", log, answer("accept", name="a"))},
    ]
    done = called(configured(tmp_path, hooks))
    (asked,) = done.document["elicitations"]
    assert (asked["action"], asked["decidedBy"]) == ("cancel", "nobody")
    assert "The hook at config.toml:4 ended with exit code 1" in done.stderr
    assert "\x1b" not in done.stderr


@pytest.mark.parametrize(
    ("content", "why"),
    [({"name": 5}, "accepted, which does not count: the content is not valid")],
)
def test_an_accept_that_does_not_count_is_told_where_nobody_is_there_to_read_a_note(
    tmp_path: Path, log: Path, content: dict[str, Any], why: str
) -> None:
    hooks = [
        {"event": "Elicitation", "command": command("answers", log, answer("accept", **content))}
    ]
    done = called(configured(tmp_path, hooks))
    (asked,) = done.document["elicitations"]
    assert (asked["action"], asked["decidedBy"]) == ("cancel", "nobody")
    assert f"The hook at config.toml:4 {why}" in done.stderr


def test_with_an_answers_file_a_users_hook_refuses_and_does_not_rewrite(
    tmp_path: Path, log: Path
) -> None:
    answers = tmp_path / "answers.toml"
    answers.write_text('[[answers]]\ncontent = { name = "prepared" }\n')
    said = answer("accept", "ElicitationResult", name="rewritten")
    hooks = [{"event": "ElicitationResult", "command": command("answers", log, said)}]
    config = configured(tmp_path, hooks)
    prepared = ("call", "s", "t", "--output", "json", "--answers", str(answers))
    done = run(*config, *prepared)
    (asked,) = done.document["elicitations"]
    assert (asked["decidedBy"], asked["content"]) == ("answers", {"name": "prepared"})
    assert "hook at config.toml:4 changed the answer, which does not count" in done.stderr
    config = configured(tmp_path, [{**hooks[0], "command": command("declines", log)}])
    done = run(*config, *prepared)
    (asked,) = done.document["elicitations"]
    assert (asked["action"], asked["decidedBy"]) == ("decline", "hook")


def test_what_policy_refused_is_told_to_hooks_that_are_told_of_everything(
    tmp_path: Path, log: Path
) -> None:
    hooks = [{"event": event, "command": command("passes", log)} for event in ("Asked", "Resolved")]
    config = configured(tmp_path, hooks)
    run(*config, "call", "--approval-policy", "never", "s", "t")
    told = {one["input"]["hook_event_name"]: one["input"] for one in read(log)}
    assert told["Asked"]["message"] == "Name?"
    assert (told["Resolved"]["action"], told["Resolved"]["decided_by"]) == ("decline", "policy")


def test_config_check_finds_what_cannot_run_and_explain_names_the_hooks(tmp_path: Path) -> None:
    hooks = [
        {"event": "Elicitation", "command": ["/nowhere/program"]},
        {"event": "Waiting", "url": "https://x/${NO_SUCH_NAME}", "format": "ntfy"},
        {"event": "ElicitationResult", "command": ["/bin/true"], "server": "s"},
        {"event": "ElicitationResult", "command": ["/bin/true"], "server": "other"},
    ]
    config = configured(tmp_path, hooks)
    done = run(*config, "config", "check")
    assert done.code == 2
    assert "hooks[1]: this hook cannot run: /nowhere/program is no program" in done.stdout
    assert "hooks[2]: this hook cannot run: the environment has no NO_SUCH_NAME" in done.stdout
    told = run(*config, "config", "explain", "s", "--output", "json").document
    steps = [step["sentence"] for step in told["steps"] if step["step"] == "hooks"]
    assert steps == [
        "Asked before a person: hook at config.toml:4. The first that answers decides.",
    ]
    settings = load(config_path=Path(config[1]), managed_path=tmp_path / "none")
    question = PossibleQuestion("s")
    walk = asyncio.run(explain(settings, Policy(settings), Guardian(settings.guardian), question))
    steps = [step.sentence for step in walk.steps if step.step == "hooks"]
    assert steps[-1] == "Sees the answer, and may refuse or change it: hook at config.toml:11."


def test_config_show_hides_what_is_secret_in_a_hook(tmp_path: Path) -> None:
    secret = "https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX"
    hooks = [{"event": "Waiting", "url": secret, "format": "slack"}]
    assert "XXXX" not in run(*configured(tmp_path, hooks), "config", "show").stdout


def test_a_run_without_hooks_loads_nothing_of_them(tmp_path: Path) -> None:
    config = configured(tmp_path, [])
    program = (
        "import sys; sys.argv = ['elicit-tui', *sys.argv[1:]]\n"
        "from elicit_tui.__main__ import main\n"
        "main(); print('elicit_tui.hooks' in sys.modules, file=sys.stderr)"
    )
    from tests.cli.running import run_program

    done = run_program(program, *config, "call", "s", "t")
    assert done.stderr.endswith("False\n")


# With a person

pty = pytest.importorskip("pty", reason="there is no pseudo-terminal")


def test_the_inline_form_says_which_hook_failed_and_what_one_changed(
    tmp_path: Path, log: Path
) -> None:
    from tests.hostile.terminal import Terminal

    hooks = [
        {"event": "Elicitation", "command": command("nonsense", log)},
        {
            "event": "ElicitationResult",
            "command": command("answers", log, answer("accept", "ElicitationResult", name="b")),
        },
    ]
    config = configured(tmp_path, hooks)
    line = [sys.executable, "-m", "elicit_tui", *config, "call", "s", "t"]
    with Terminal(line, os.environ) as terminal:
        assert terminal.read_until("did not answer in JSON", 60), bytes(terminal.written[-3000:])
        assert terminal.read_until("Send", 60)
        terminal.read_for(1.0, most=10)
        terminal.type("a\x13")
        assert terminal.read_until("changed the answer: name from", 60), bytes(
            terminal.written[-3000:]
        )
        assert terminal.end(60) == 0
    assert b'"content": {"name": "b"}' in terminal.written


def test_a_hook_that_refuses_keeps_a_question_off_the_console(tmp_path: Path, log: Path) -> None:
    from tests.hostile.terminal import Terminal

    hooks = [{"event": "Elicitation", "command": command("declines", log)}]
    config = configured(tmp_path, hooks, "paintwall")
    line = [sys.executable, "-m", "elicit_tui", *config]
    with Terminal(line, os.environ, columns=120, lines=40) as terminal:
        assert terminal.read_until("paintwall", 60), bytes(terminal.written[-4000:])
        end = time.monotonic() + 60
        while not read(log):
            assert time.monotonic() < end, bytes(terminal.written[-4000:])
            terminal.type("/paintwall\r")
            terminal.read_for(0.5, 3)
            terminal.type("\r")
            terminal.read_for(0.5, 3)
        assert terminal.read_until("a program of yours", 30), bytes(terminal.written[-4000:])
        terminal.type(LEAVE)
        terminal.read_for(0.5, 3)
        terminal.type("\r")
        terminal.end(10)
    assert read(log)[0]["input"]["message"] == "Name?"
