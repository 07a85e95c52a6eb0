"""A scenario as its author wrote it, and what they are told to write where it stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final, Literal

from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation import Action
from elicit_tui.elicitation.request import fits as matches_glob
from elicit_tui.form.json_values import MISSING, same_json
from elicit_tui.form.limits import at_pointer
from elicit_tui.host.offers import objects
from elicit_tui.text import ascii_json

Runner = Literal["command", "pytest", "fixture"]
"""A file that `elicit-tui test` runs, one that pytest runs, or a call of the fixture `elicit`."""

RunKind = Literal["as written", "refused", "gone wrong"]
"""Which of the ways through a scenario a run takes."""


@dataclass(frozen=True)
class PreparedAnswer:
    """One `[[scenario.answers]]`: the answer to one question, in order."""

    action: Action = "accept"
    message: str | None = None
    """A glob over the question's message; absent: whatever is asked."""
    content: Mapping[str, Any] | None = None
    use_defaults: bool = False
    """Takes the schema's defaults for what `content` leaves out."""
    despite: tuple[str, ...] = ()
    """Globs of guardian rule ids whose warnings the answer may pass."""
    refusal: Mapping[str, Any] | None = None
    """What of the content would say no; absent: read from the form; empty: nothing does."""

    def fits(self, message: str) -> bool:
        """Whether it is meant for a question with this message."""
        return matches_glob(self.message, message)


@dataclass(frozen=True)
class Expectation:
    """`expect` and `on_refusal`: what a call must come to. What is not named is not looked at."""

    is_error: bool | None = False
    """None: not looked at."""
    text: str | None = None
    """A glob over the result's text, its blocks joined by line ends."""
    structured: Mapping[str, Any] | None = None
    """JSON pointers (RFC 6901) into structuredContent, each with the value that stands there."""
    questions: int | None = None
    """Of `on_refusal`: how many may come at most after the one that is refused."""

    @property
    def tells_acceptance(self) -> bool:
        """Whether it describes a result, so that another call's can be compared with it."""
        return self.text is not None or bool(self.structured)

    @property
    def tells_result(self) -> bool:
        """Whether it says anything of a result, be it that it is an error."""
        return self.tells_acceptance or self.is_error is not None

    @property
    def is_any_error(self) -> bool:
        """Whether any error will do, whatever it says."""
        return self.is_error is True and not self.tells_acceptance

    def faults(self, result: Mapping[str, Any]) -> list[str]:
        """What of it a result does not satisfy, each as a sentence."""
        found = []
        if self.is_error is not None and (result.get("isError") is True) is not self.is_error:
            found.append("the tool says isError" if not self.is_error else "isError is not said")
        if self.text is not None and not fnmatchcase(text_of(result), self.text):
            found.append(f"the text is {excerpt(text_of(result))}, not {excerpt(self.text)}")
        if self.structured and "structuredContent" not in result:
            return [
                *found,
                f"there is no structuredContent; the text is {excerpt(text_of(result))}",
            ]
        for pointer, value in (self.structured or {}).items():
            there = at_pointer(result.get("structuredContent"), pointer)
            if there is MISSING:
                whole = excerpt(result.get("structuredContent"))
                found.append(f"structured {pointer} is not there; there is {whole}")
            elif not same_json(there, value):
                found.append(f"structured {pointer} is {excerpt(there)}, not {excerpt(value)}")
        return found


@dataclass(frozen=True)
class Scenario:
    """One `[[scenario]]` of a file."""

    name: str
    server: str
    call: str
    """The tool."""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    answers: tuple[PreparedAnswer, ...] = ()
    expect: Expectation = field(default_factory=Expectation)
    on_refusal: Expectation | None = None
    """What must stand there when an answer is a refusal, in place of what `expect` describes."""
    watch: tuple[str, ...] = ()
    """Files or commands whose state changes on an accept, and on nothing else."""
    changes: int | None = None
    """How many lines, or files of a directory, an accept changes in each of them."""
    file: Path = field(default=Path("scenario.toml"))
    line: int = 1
    """Where it begins in its file."""
    runner: Runner = "command"
    """Who runs it: so its author is told what to write."""

    @property
    def accepts(self) -> bool:
        """Whether every answer is an accept."""
        return bool(self.answers) and all(answer.action == "accept" for answer in self.answers)

    @property
    def acts(self) -> bool:
        """Whether its tool is to do what it is for: all is accepted, no error is expected."""
        return self.accepts and not self.expect.is_error

    @property
    def tells_acting(self) -> bool:
        """Whether it says by what acting can be told from not acting."""
        if self.refuses:
            # What is expected there is the end of a refusal, and an act is in no way of it.
            return False
        by_refusal = self.on_refusal is not None and self.on_refusal.tells_result
        return bool(self.expect.tells_acceptance or by_refusal or self.watch)

    @property
    def refuses(self) -> bool:
        """Whether an answer of it is a refusal."""
        return any(answer.action != "accept" for answer in self.answers)


def text_of(result: Mapping[str, Any]) -> str:
    """The text of a result's content blocks, joined by line ends."""
    blocks = objects(result.get("content"))
    return "\n".join(block["text"] for block in blocks if isinstance(block.get("text"), str))


def excerpt(value: Any, most: int = 200) -> str:
    """A JSON value in a sentence, of so many characters."""
    text = ascii_json(value)
    return text if len(text) <= most else f"{text[: most - 1]}…"


# What an author is told

_FILE: Final[Mapping[str, str]] = {
    "despite": 'despite = ["{value}"] beside its answer does',
    "more questions": "on_refusal = {{ questions = N }} allows up to N",
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
        "more questions": 'on_refusal={{"questions": N}} allows up to N',
        "what acting is": 'expect={{"text": …}} or {{"structured": …}}, on_refusal or watch would '
        "tell",
        "eras": "elicit_eras = {value} for a scenario file",
        "seconds": "seconds",
        "anew": "Give a function that lays the state anew and returns the server",
    },
}


def advice(runner: Runner, subject: str, value: object = "") -> str:
    """The words for one thing that an author may write; `value` stands in them."""
    return _WORDS[runner][subject].format(value=value)
