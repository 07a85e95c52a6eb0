"""Attacks on the parser, the memory and the patience of a call: one end, no trace, no escape."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.hostile.attacks import CALLS, IN_ROUNDS, LISTS, MODERN, STARTS
from tests.hostile.running import run as run_command
from tests.hostile.tricks import COMMAND_LINES, FORBIDDEN

ATTACKER = Path(__file__).with_name("attacker.py")
HEAVY = ("result_of_31_megabytes", "stderr_of_a_gigabyte", "result_of_a_million_blocks")
"""Right, slow, and told by the smaller ones of their kind, or by a test of their own."""

ENDS = {
    "result_of_50_megabytes": 4,
    "result_nested_deep": 1,
    "result_nested_some": 4,
    "number_huge_integer": 1,
    "invalid_utf8": 1,
    "lone_surrogates": 1,
    "pages_malformed": 1,
    "pages_no_list": 1,
    "pages_10000": 1,
    "error_of_10_megabytes": 1,
    "errors_odd": 1,
    "error_code_huge": 1,
    "error_code_float": 1,
    "blobs_odd": 4,
    "result_not_object": 1,
    "result_odd": 4,
    "result_type_odd": 4,
    "round_odd": 1,
    "info_missing": 4,
    "info_odd": 4,
    "version_nonsense": 4,
    "version_number": 4,
    "version_huge": 4,
    "capabilities_odd": 4,
    "capabilities_hostile": 4,
    "tools_not_list": 4,
}
"""The exit code of each attack that does not end well for its server; of the others it is 0."""


LEFT_OUT = {
    "tools_endless": (200, "what follows the first 200 is left out"),
    "tools_100000": (10_000, "what follows the first 10,000 is left out"),
    "tools_same_cursor": (1, "led back to a page that was read already"),
}
"""How many tools of a list are told, and what is said about the rest."""


def run(attack: str, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    era = MODERN if attack in IN_ROUNDS else ""
    server = f"attacker={sys.executable} {ATTACKER} {attack} {era}"
    return run_command("--with", server, *arguments)


@pytest.mark.parametrize(
    "attacks",
    [
        pytest.param(names, id=names[0])
        for names in (
            [name for name in (*CALLS, *STARTS) if name not in HEAVY][start::8]
            for start in range(8)
        )
    ],
)
def test_an_attack_on_a_call_ends_it_in_order(attacks: list[str]) -> None:
    for attack in attacks:
        done = run(attack, "call", "attacker", "play", "--output", "json")
        told = done.stderr.decode()
        assert done.returncode == ENDS.get(attack, 0), (attack, told[-2000:])
        document = json.loads(done.stdout)
        assert document["exitCode"] == done.returncode, attack
        assert (document["error"] is None) == (done.returncode == 0), attack
        assert done.stdout.isascii(), attack
        assert "Traceback" not in told, attack
        assert "unforeseen" not in told, attack
        assert not FORBIDDEN.search(told), attack
        assert not COMMAND_LINES.search(told), attack
        assert len(told) < 40_000, (attack, len(told))


@pytest.mark.parametrize("attack", LISTS)
def test_an_attack_on_a_list_ends_it_in_order(attack: str) -> None:
    done = run(attack, "tools", "attacker", "--output", "json")
    listed, told = json.loads(done.stdout), done.stderr.decode()
    assert done.returncode == ENDS.get(attack, 0), (attack, told[-2000:])
    assert done.stdout.isascii()
    assert "Traceback" not in told
    assert "unforeseen" not in told
    assert not FORBIDDEN.search(told)
    assert not COMMAND_LINES.search(told)
    count, words = LEFT_OUT.get(attack, (len(listed), ""))
    assert len(listed) == count
    assert words in told


@pytest.mark.parametrize("attack", [name for name in LISTS if name != "tools_100000"])
def test_an_attack_on_a_list_is_harmless_in_text(attack: str) -> None:
    done = run(attack, "tools", "attacker")
    told = (done.stdout + done.stderr).decode()
    assert done.returncode == ENDS.get(attack, 0), (attack, told[-2000:])
    assert "Traceback" not in told
    assert not FORBIDDEN.search(told)
    assert not COMMAND_LINES.search(told)


def test_a_huge_result_is_told_whole() -> None:
    told = run("result_of_a_million_blocks", "call", "attacker", "play", "--output", "json")
    assert len(json.loads(told.stdout)["result"]["content"]) == 500_000


def test_an_error_code_of_hundreds_of_digits_is_told_in_short() -> None:
    told = run("error_code_huge", "call", "attacker", "play", "--output", "json")
    assert len(told.stderr) < 300
    assert json.loads(told.stdout)["error"]["code"] == "(a number of 997 bits)"


def test_what_an_attacker_said_is_harmless_in_the_history() -> None:
    for attack in ("names_hostile", "urls_odd", "messages_odd", "lone_surrogates"):
        run(attack, "call", "attacker", "play")
    for arguments in (("list",), ("export",), ("list", "--output", "json")):
        done = run_command("history", *arguments)
        told = done.stdout.decode()
        assert done.returncode == 0, done.stderr
        assert told
        assert not FORBIDDEN.search(told), arguments
        assert "\x1b" not in told, arguments
