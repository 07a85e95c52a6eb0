"""`elicit-tui inbox`: what another process asks is listed, shown and answered from a terminal."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from elicit_tui.store.store import Grant
from tests.cli.asking_gateway import (
    ASKER,
    BOUND,
    SCHEMA,
    Gateway,
    asking_gateway,
    at_a_terminal,
    inbox,
)
from tests.cli.running import environment

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals"),
]


async def test_what_waits_is_listed_for_people_and_for_scripts(gateway: Gateway) -> None:
    asked = gateway.asks("Which one?")
    (question,) = await gateway.waiting()
    text = await inbox("list")
    assert text.code == 0
    assert question[:8] in text.stdout
    assert "prod: deploy  for claude-code" in text.stdout
    assert "\x1b" not in text.stdout
    (listed,) = (await inbox("list", "--output", "json")).document
    assert listed["id"] == question
    assert listed["message"] == "Which one?"
    assert listed["requestedSchema"] == SCHEMA
    assert listed["calls"] == [{"name": "deploy", "arguments": {"branch": "fix\x1b[31m"}}]
    assert listed["agent"] == {
        "name": "claude-code",
        "version": "2.1.319",
        "directory": "/home/me/\x1b[2Jwork",
        "machine": None,
    }
    assert (listed["state"], listed["kind"], listed["heldBy"]) == ("open", "elicitation", None)
    (event,) = (await inbox("list", "--output", "jsonl")).events
    assert event == listed
    assert (await inbox("show", question, "--output", "json")).document == listed
    asked.cancel()


async def test_where_nothing_waits_it_is_told_where_else_questions_are_answered(
    sealed_machine: Path,
) -> None:
    listed = await inbox("list")
    assert (listed.code, listed.stdout) == (0, "")
    said = " ".join(listed.stderr.split())
    assert "No question of an agent waits for you." in said
    assert "What the calls of a console or of a command ask is answered there." in said


async def test_an_agent_on_another_machine_is_listed_with_it(sealed_machine: Path) -> None:
    elsewhere = replace(ASKER, machine="build-7", machine_id="another")
    async with asking_gateway(elsewhere) as gateway:
        asked = gateway.asks("Which one?")
        (question,) = await gateway.waiting()
        assert "for claude-code on build-7" in (await inbox("list")).stdout
        (listed,) = (await inbox("list", "--output", "json")).document
        assert listed["agent"]["machine"] == "build-7"
        assert "for claude-code on build-7" in (await inbox("show", question)).stdout
        asked.cancel()


async def test_one_question_is_shown_with_its_fields_and_how_to_answer_it(gateway: Gateway) -> None:
    asked = gateway.asks()
    (question,) = await gateway.waiting()
    shown = await inbox("show", question[:6])
    assert shown.code == 0
    for words in (
        "“claude-code” “2.1.319”",
        "deploy-server",
        "Which one?",
        "environment:",
        "staging",
        "required",
        f"inbox answer|decline|cancel {question[:8]}",
    ):
        assert words in shown.stdout
    asked.cancel()


async def test_what_waits_is_broken_between_words_and_no_line_of_it_passes_for_ours(
    gateway: Gateway,
) -> None:
    long = " ".join(["environments"] * 20)
    asked = gateway.asks(f"{long}\nwarn     own.calm: All is well.")
    (question,) = await gateway.waiting()
    for arguments in (("list",), ("show", question)):
        shown = (await at_a_terminal(*arguments)).stdout
        words = shown.replace("⏎", " ").split()
        assert words.count("environments") == 20, shown
        assert not any(line.startswith("warn") for line in shown.splitlines())
    piped = (await inbox("show", question)).stdout
    assert not any(line.startswith("warn") for line in piped.splitlines())
    asked.cancel()


async def test_grants_are_listed_and_taken_back(gateway: Gateway) -> None:
    grant = Grant(ASKER.session, "prod", "drop", "p", "d")
    for tool in ("drop", "deploy", "restart"):
        await gateway.store.grant(replace(grant, tool=tool))
    listed = await inbox("grants")
    assert "prod  drop  for claude-code" in listed.stdout
    document = (await inbox("grants", "--output", "json")).document
    assert [each["tool"] for each in document] == ["drop", "deploy", "restart"]
    assert (await inbox("revoke", "prod", "drop")).code == 0
    assert (await inbox("revoke", "prod", "drop")).code == 1
    assert (await inbox("revoke", "--all")).code == 0
    assert await gateway.store.grants() == ()


LOADED = """
import json, sys
sys.argv = ["elicit-tui", "inbox", *sys.argv[1:]]
from elicit_tui.__main__ import main
try:
    main()
except SystemExit:
    pass
print(json.dumps(sorted(name for name in sys.modules if "." not in name)), file=sys.stderr)
"""


async def test_listing_loads_neither_the_sdk_nor_textual(gateway: Gateway) -> None:
    asked = gateway.asks()
    await gateway.waiting()

    def work() -> set[str]:
        done = subprocess.run(
            [sys.executable, "-c", LOADED, "list"],
            capture_output=True,
            text=True,
            timeout=BOUND,
            env=environment(),
            check=True,
        )
        return set(json.loads(done.stderr.splitlines()[-1]))

    assert (await asyncio.to_thread(work)).isdisjoint({"mcp", "mcp_types", "textual", "pydantic"})
    asked.cancel()
