"""Scenario files: read and checked, and one written from an answers file such as of `--record`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from elicit_tui.config.answer_entry import fits_toml
from elicit_tui.config.documents import Document, read
from elicit_tui.config.keys import FileKind
from elicit_tui.config.nodes import Table, Tables, Value, table_of
from elicit_tui.config.validating import Diagnostic, as_json
from elicit_tui.elicitation.request import fits
from elicit_tui.elicitation.settings import Rule
from elicit_tui.elicitation.toml_spelling import dotted, toml_value
from elicit_tui.errors import ConfigError, UsageError
from elicit_tui.scenarios.scenario import Expectation, PreparedAnswer, Scenario

_ANSWER: Final = table_of(
    "The answer to one question, in order.",
    PreparedAnswer,
    {
        "action": "What to do: accept, decline or cancel.",
        "message": "A glob over the question's message.",
        "content": "The form's content, for accept.",
        "use_defaults": "Takes the schema's defaults for what content leaves out.",
        "despite": "Globs of guardian rule ids whose warnings it may pass.",
        "refusal": "What of the content would say no; {}: nothing would.",
    },
)


def _expectation_table(doc: str, questions: str) -> Table:
    about = {
        "is_error": "Whether the result says isError.",
        "text": "A glob over the result's text.",
        "structured": "JSON pointers into structuredContent, each with its value.",
        "questions": questions,
    }
    return table_of(doc, Expectation, about, {"questions": 0})


_EXPECT: Final = _expectation_table("What the call must come to.", "How many questions there are.")
_ON_REFUSAL: Final = _expectation_table(
    "What the call must come to where an answer is a refusal.",
    "How many questions may come at most after the one that is refused.",
)

SCENARIO_FILE: Final = FileKind(
    Table(
        "Scenarios of a server.",
        {
            "scenario": Tables(
                "One call and what must come of it.",
                Table(
                    "One scenario.",
                    {
                        "name": Value("string", "Its name, once in a file."),
                        "server": Value("string", "A configured server, or one of --with."),
                        "call": Value("string", "The tool."),
                        "arguments": Value("json table", "The tool's arguments.", {}),
                        "answers": Tables("Its answers.", _ANSWER),
                        "expect": _EXPECT,
                        "on_refusal": _ON_REFUSAL,
                        "watch": Value(
                            "strings",
                            "Files or commands, where the server starts, for accepts alone.",
                            [],
                        ),
                        "changes": Value(
                            "integer", "How much an accept changes in each.", minimum=1
                        ),
                    },
                    required=("name", "server", "call"),
                ),
            )
        },
    ),
    {"answers": "answers stand under their scenario, written [[scenario.answers]]"},
)


def read_scenarios(files: Sequence[Path]) -> tuple[Scenario, ...]:
    """The scenarios of these files, in order. Raises ConfigError with every problem found."""
    scenarios: list[Scenario] = []
    problems: list[Diagnostic] = []
    for file in files:
        # A file with faults gives no scenarios, and all faults of all files are told at once.
        document = read(file, SCENARIO_FILE, "command line")
        faults = (*document.problems, *_faults(document))
        problems += faults
        if not faults:
            scenarios += (
                _scenario(entry, file, document.line(path) or 1)
                for path, entry in document.sound_tables("scenario")
            )
    if problems:
        raise ConfigError([str(problem) for problem in problems])
    return tuple(scenarios)


def _faults(document: Document) -> Iterator[Diagnostic]:
    if not document.problems and not document.get("scenario"):
        yield document.problem("has no [[scenario]]", ())
    names: set[str] = set()
    for path, entry in document.sound_tables("scenario"):
        if entry["name"] in names:
            yield document.problem("is the name of an earlier scenario", (*path, "name"))
        names.add(entry["name"])
        for number, answer in enumerate(entry.get("answers", ())):
            if answer.get("action", "accept") != "accept" and "content" in answer:
                place = (*path, "answers", number, "content")
                yield document.problem("content goes with accept only", place)
        for key in ("expect", "on_refusal"):
            for pointer in entry.get(key, {}).get("structured", {}):
                if pointer and not pointer.startswith("/"):
                    place = (*path, key, "structured", pointer)
                    yield document.problem("is not a JSON pointer: it begins with /", place)
        if "changes" in entry and not entry.get("watch"):
            yield document.problem("goes with watch: nothing is watched", (*path, "changes"))


def _scenario(entry: Mapping[str, Any], file: Path, line: int) -> Scenario:
    on_refusal = entry.get("on_refusal")
    return Scenario(
        name=entry["name"],
        server=entry["server"],
        call=entry["call"],
        arguments=as_json(entry.get("arguments", {})),
        answers=tuple(map(_answer, entry.get("answers", ()))),
        expect=_expectation(entry.get("expect", {})),
        # Whether a refusal fails is left open, unless the file says it.
        on_refusal=None if on_refusal is None else _expectation({"is_error": None, **on_refusal}),
        watch=tuple(entry.get("watch", ())),
        changes=entry.get("changes"),
        file=file,
        line=line,
    )


def _expectation(entry: Mapping[str, Any]) -> Expectation:
    values = dict(entry)
    if "structured" in values:
        values["structured"] = as_json(values["structured"])
    return Expectation(**values)


def _answer(entry: Mapping[str, Any]) -> PreparedAnswer:
    values = dict(entry)
    for key in ("content", "refusal"):
        if key in values:
            values[key] = as_json(values[key])
    values["despite"] = tuple(values.get("despite", ()))
    return PreparedAnswer(**values)


# Written


def scenario_from_answers(
    rules: Sequence[Rule], server: str, tool: str, arguments: Mapping[str, Any]
) -> str:
    """The TOML of one scenario that answers as these entries do. Raises UsageError.

    An entry that is for another server or tool is left out.
    """
    entries = [rule for rule in rules if fits(rule.server, server) and fits(rule.tool, tool)]
    if not entries:
        raise UsageError(f"No entry of the answers file is for {tool} of {server}.")
    unfit = next((name for name, value in arguments.items() if not fits_toml(value)), None)
    if unfit is not None:
        raise UsageError(f"The argument {unfit!r} cannot stand in a scenario: TOML cannot hold it.")
    head = [
        "[[scenario]]",
        f"name = {toml_value(tool)}",
        f"server = {toml_value(server)}",
        f"call = {toml_value(tool)}",
    ]
    if arguments:
        head.append(f"arguments = {toml_value(arguments)}")
    head.append(f"expect = {{ questions = {len(entries)} }}")
    blocks = ["\n".join(head), *("\n".join(_answer_lines(rule)) for rule in entries)]
    return "\n\n".join(blocks)


def _answer_lines(rule: Rule) -> Iterator[str]:
    if rule.action == "ask":
        raise UsageError(f"Entry {rule.position} asks, and a scenario asks nobody.")
    yield "[[scenario.answers]]"
    if rule.message is not None:
        yield f"message = {toml_value(rule.message)}"
    if rule.action != "accept":
        yield f"action = {toml_value(rule.action)}"
    if rule.use_defaults:
        yield "use_defaults = true"
    if rule.despite:
        yield f"despite = {toml_value(rule.despite)}"
    if rule.content is not None:
        pairs = ", ".join(f"{dotted(key)} = {toml_value(v)}" for key, v in rule.content.items())
        yield f"content = {{ {pairs} }}" if pairs else "content = {}"
