"""Attacks on the parser, the memory and the patience of a call: one end, no trace, no escape."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.hostile.attacker import CALLS, LISTS, MODERN, STARTS
from tests.hostile.tricks import COMMAND_LINES, FORBIDDEN

ATTACKER = Path(__file__).with_name("attacker.py")
SECONDS = 90

IN_ROUNDS = ("round_of_10000", "state_of_10_megabytes", "round_odd")
HEAVY = ("result_of_a_million_blocks", "result_of_31_megabytes", "stderr_of_a_gigabyte")
"""Right, slow, and told by the smaller ones of their kind."""

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


def run(attack: str, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    era = MODERN if attack in IN_ROUNDS else ""
    server = f"attacker={sys.executable} {ATTACKER} {attack} {era}"
    return subprocess.run(
        [sys.executable, "-m", "elicit_tui", "--with", server, *arguments],
        env={**os.environ, "CI": "true"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=SECONDS,
        check=False,
    )


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


def test_an_attack_on_a_list_ends_it_in_order() -> None:
    for attack in LISTS:
        done = run(attack, "tools", "attacker")
        told = (done.stdout + done.stderr).decode()
        assert done.returncode == ENDS.get(attack, 0), (attack, told[-2000:])
        assert "Traceback" not in told, attack
        assert "unforeseen" not in told, attack
        assert not FORBIDDEN.search(told), attack
        assert not COMMAND_LINES.search(told), attack


def test_what_an_attacker_said_is_harmless_in_the_history() -> None:
    for attack in ("names_hostile", "urls_odd", "messages_odd", "lone_surrogates"):
        run(attack, "call", "attacker", "play")
    command = [sys.executable, "-m", "elicit_tui", "history"]
    for arguments in (("list",), ("export",), ("list", "--output", "json")):
        done = subprocess.run(
            [*command, *arguments], capture_output=True, timeout=SECONDS, check=False
        )
        told = done.stdout.decode()
        assert done.returncode == 0, done.stderr
        assert told
        assert not FORBIDDEN.search(told), arguments
        assert "\x1b" not in told, arguments
