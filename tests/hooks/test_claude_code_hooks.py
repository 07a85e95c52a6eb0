"""A hook written for Claude Code, and what any hook may choose and see."""

from __future__ import annotations

import sys
from pathlib import Path

from elicit_tui.elicitation import (
    Call,
    ElicitationRequest,
    Severity,
)
from tests.broker.conftest import form_request, run
from tests.hooks.conftest import Person, RunFactory
from tests.hooks.world import (
    PAGE,
    SENT,
    WARNS,
    command,
    hook,
    read,
)

CLAUDE_CODE = """
import json, sys

told = json.load(sys.stdin)
event = told["hook_event_name"]
assert told["session_id"] and told["cwd"] and told["mcp_server_name"] == "paint", told
if event == "Elicitation" and told["mode"] == "url":
    assert told["url"].startswith("https://") and told["message"], told
    print("no pages here", file=sys.stderr)
    sys.exit(2)
if event == "Elicitation":
    properties = told["requested_schema"]["properties"]
    out = {"action": "accept", "content": {name: "auto" for name in properties}}
elif told["action"] != "accept":
    out = {}
    assert "content" not in told, told
elif told["content"]["colour"] == "stop":
    print(json.dumps({"continue": False, "stopReason": "stopped here"}))
    sys.exit(0)
else:
    out = {"action": "accept", "content": {"colour": "checked " + told["content"]["colour"]}}
    assert told["mode"] == "form", told
nested = {"hookSpecificOutput": {"hookEventName": event, **out}}
print(json.dumps({**nested, "systemMessage": "seen by the hook", "suppressOutput": True}))
"""
"""What the documentation says of both events: fields, exit code 2, nested and shared output."""


def test_a_hook_written_for_claude_code_works_as_it_is(start: RunFactory, tmp_path: Path) -> None:
    script = tmp_path / "elicit.py"
    script.write_text(CLAUDE_CODE)
    ask = hook("Elicitation", (sys.executable, str(script)))
    check = hook("ElicitationResult", (sys.executable, str(script)), position=2)

    async def body() -> None:
        there = start(ask)
        assert (await there.broker.resolve(form_request())).content == {"colour": "auto"}
        assert "The hook hooks[1] says: seen by the hook" in there.told
        outcome = await there.broker.resolve(form_request(params=PAGE))
        assert (outcome.action, outcome.decided_by) == ("decline", "hook")
        assert "no pages here" in outcome.reason
        there = start(check, person=Person(SENT, None, {"colour": "stop"}))
        outcome = await there.broker.resolve(form_request())
        assert outcome.content == {"colour": "checked red"}
        outcome = await there.broker.resolve(form_request())
        assert (outcome.action, outcome.decided_by) == ("decline", "user")
        outcome = await there.broker.resolve(form_request())
        assert (outcome.action, outcome.decided_by) == ("cancel", "hook")
        assert "stopped here" in outcome.reason
        there = start(ask, check)
        outcome = await there.broker.resolve(form_request())
        assert (outcome.content, outcome.key) == ({"colour": "checked auto"}, "hooks[2]")
        await there.close()

    run(body())


def test_globs_and_kind_choose_the_questions(start: RunFactory, log: Path) -> None:
    def asked(*calls: str, server: str = "paint") -> ElicitationRequest:
        return form_request(server=server, calls=tuple(Call("tools/call", name) for name in calls))

    async def body() -> None:
        there = start(hook("Asked", command("passes", log), server="pai*", tool="mix*"))
        for request in (asked("mix"), asked("mix", "mix2"), asked("mix", "buy"), asked(),
                        asked("mix", server="other"), asked("Mix")):  # fmt: skip
            there.person.answers.append(SENT)
            await there.broker.resolve(request)
        await there.close()
        # One that may be of another call too is meant: what a hook refuses stays refused.
        assert len(read(log)) == 3

    run(body())


def test_the_guardians_findings_reach_a_hook(start: RunFactory, log: Path) -> None:
    async def body() -> None:
        one = hook("Elicitation", command("passes", log))
        there = start(one, person=Person(None), guardian=WARNS)
        await there.broker.resolve(form_request("Which? ACME"))
        await there.close()

    run(body())
    told = read(log)[0]["input"]
    assert told["verdict"] == "warn"
    assert {finding["severity"] for finding in told["findings"]} & {Severity.WARN.word}
