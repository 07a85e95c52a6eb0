"""What an author is told to write, in the words of the place where the scenario stands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

Runner = Literal["command", "pytest", "fixture"]
"""A file that `elicit-tui test` runs, one that pytest runs, or a call of the fixture `elicit`."""

_FILE: Final[Mapping[str, str]] = {
    "despite": 'despite = ["{value}"] beside its answer does',
    "more questions": "on_refusal = {{ questions = N }} allows it",
    "what acting is": "expect = {{ {value} }}, on_refusal or watch would tell",
    "blocked": 'To test it all the same: guardian.on_block = "ask" in a configuration, and '
    'despite = ["{value}"] beside its answer',
    "eras": "--eras {value}",
    "update": "--update takes it over",
    "first snapshot": "--update writes it",
    "seconds": "--timeout",
    "anew": "Lay the state anew in the server's command, as --with NAME='sh fresh.sh' does",
}
_WORDS: Final[Mapping[Runner, Mapping[str, str]]] = {
    "command": _FILE,
    "pytest": {
        **_FILE,
        "eras": "elicit_eras = {value} in the ini file",
        "update": "elicit-tui test --update takes it over",
        "first snapshot": "elicit-tui test --update writes it",
        "seconds": "for each call",
        "anew": "Lay the state anew in the server's command, as "
        "--elicit-with NAME='sh fresh.sh' does",
    },
    "fixture": {
        **_FILE,
        "despite": 'elicit.accepted({{…}}, despite=["{value}"]) does',
        "blocked": 'elicit.accepted({{…}}, despite=["{value}"]) answers it all the same where '
        'guardian.on_block is "ask" in the configuration',
        "more questions": 'on_refusal={{"questions": N}} allows it',
        "what acting is": 'expect={{"text": …}} or {{"structured": …}}, on_refusal or watch would '
        "tell",
        "eras": "elicit_eras = {value} for a scenario file",
        "seconds": "seconds",
        "anew": "Give a function that lays the state anew and returns the server",
    },
}


def advice(runner: Runner, what: str, value: object = "") -> str:
    """The words for one thing that an author may write; `value` stands in them."""
    return _WORDS[runner][what].format(value=value)
