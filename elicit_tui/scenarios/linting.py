"""What a server's author should mend: in what its tools say of themselves, and in what they ask.

The questions are those of the snapshots beside a scenario file. What the guardian would tell the
person who is asked is told to the author before.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from elicit_tui.broker.entrance import defect
from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation import ElicitationRequest, Finding, Review, Severity
from elicit_tui.elicitation.settings import GuardianSettings
from elicit_tui.form.field import Field
from elicit_tui.form.form import Form
from elicit_tui.form.json_values import same_json
from elicit_tui.form.schema_reading import read_form
from elicit_tui.guardian import Guardian
from elicit_tui.host.offers import Tool
from elicit_tui.scenarios.scenario import Scenario, excerpt
from elicit_tui.scenarios.script import content_of
from elicit_tui.scenarios.snapshots import Kept, Snapshots, request_of
from elicit_tui.text import neutral_line

RULES: Final[Mapping[str, tuple[Severity, str, str]]] = {
    "lint.protocol": (
        Severity.BLOCK,
        "A server that breaks a rule of the protocol.",
        "Mend it: a client may end the connection.",
    ),
    "lint.malformed": (
        Severity.BLOCK,
        "A question that clients refuse.",
        "Send mode, message and requestedSchema (or url) as the specification has them.",
    ),
    "lint.unanswerable": (
        Severity.BLOCK,
        "A form that nobody can answer.",
        "Ask for texts, numbers, booleans and choices; describe each required field.",
    ),
    "lint.beyond_specification": (
        Severity.WARN,
        "A schema that the specification does not have for questions.",
        "Leave it out, or expect clients that neither show nor check it.",
    ),
    "lint.choice_titles": (
        Severity.WARN,
        "Choices that a person reads as codes.",
        "Give each choice a title: oneOf, or in a list items.anyOf, of const and title.",
    ),
    "lint.default": (
        Severity.WARN,
        "A default that its own schema does not allow.",
        "Mend the default: clients fill it in.",
    ),
    "lint.answer": (
        Severity.WARN,
        "A scenario's answer that its question does not take.",
        "Mend the scenario's content.",
    ),
    "lint.input_schema": (
        Severity.BLOCK,
        "Arguments that cannot be written by their schema.",
        'Make inputSchema a JSON Schema of type "object" that describes what it requires.',
    ),
    "lint.output_schema": (
        Severity.BLOCK,
        "A result that no client can check.",
        "Make outputSchema a JSON Schema.",
    ),
    "lint.tool_name": (
        Severity.WARN,
        "A tool's name that some clients do not take.",
        "Use 1 to 128 of A-Z, a-z, 0-9, underscore, hyphen and dot.",
    ),
    "lint.tool_description": (
        Severity.WARN,
        "A tool of which neither a model nor a person can tell what it does.",
        "Describe it in a sentence.",
    ),
    "lint.tool_hints": (
        Severity.WARN,
        "Hints of a tool that contradict each other or say nothing.",
        "Make each hint true or false; what only reads destroys nothing.",
    ),
}
"""Each rule with its severity, what it protects from, and what to do."""

_FIELD: Final = frozenset({"type", "title", "description", "default"})
_CHOICES: Final = frozenset({"enum", "enumNames", "oneOf"})
_SPECIFIED: Final[Mapping[str, frozenset[str]]] = {
    "string": _FIELD | _CHOICES | {"minLength", "maxLength", "pattern", "format"},
    "number": _FIELD | {"minimum", "maximum"},
    "integer": _FIELD | {"minimum", "maximum"},
    "boolean": _FIELD,
    "array": _FIELD | {"items", "minItems", "maxItems"},
}
"""What a field of each type may have (spec: client/elicitation, "Requested Schema")."""
_ROOT: Final = frozenset({"$schema", "type", "properties", "required", "title"})
"""`title` is beyond the specification; the Python SDKs write it, so no author can leave it out."""
_REMARKS: Final = frozenset(
    {"description", "$comment", "$id", "$defs", "additionalProperties", "examples"}
)
"""At the root, or beside a field's own: beyond the specification, and nothing that binds."""
_ITEMS: Final = frozenset({"type", "enum", "anyOf"})
_FORMATS: Final = ("email", "uri", "date", "date-time")
_CODE: Final = re.compile(r".{0,2}|[a-z0-9.:/-]+|.*[_#].*", re.DOTALL)
"""A value that is no word for a person: `us-east-1`, `y`, `NOT_NOW`."""
_NAME: Final = re.compile(r"[A-Za-z0-9_.-]{1,128}")
_HINTS: Final = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")


@dataclass(frozen=True)
class Linted:
    """A server, one of its tools or one question of a snapshot, and what should be mended of it."""

    server: str
    subject: str
    """Which of these, as a person is told: `tool book`, `books a table: question 1` …"""
    review: Review
    file: Path | None = None
    """Where it stands: the snapshots, or the server's own file where that is known."""
    line: int = 1


def lint_server(
    server: str, tools: Iterable[Tool], broken: Iterable[str] = (), file: Path | None = None
) -> Iterator[Linted]:
    """The tools of a server, and what it did against the protocol while it listed them."""
    rules = tuple(_finding("lint.protocol", "server", breach) for breach in broken)
    if rules:
        yield Linted(server, "the server", Review(rules), file)
    for tool in tools:
        review = Review(_in_order(_of_tool(tool)))
        yield Linted(server, f"tool {neutral_line(tool.name, 80)}", review, file)


def lint_questions(
    scenarios: Iterable[Scenario], settings: GuardianSettings | None = None
) -> Iterator[Linted]:
    """The questions that the snapshots beside these scenarios hold. Raises UsageError.

    What is asked in the same words in another revision as well is told once.
    """
    guardian = Guardian(settings)
    kept: dict[Path, Snapshots] = {}
    for scenario in scenarios:
        snapshots = kept.setdefault(scenario.file, Snapshots(scenario.file))
        linted: list[Any] = []
        # A question that is kept of several revisions, in the same words, is told once.
        for snapshot in snapshots.questions(scenario.name):
            if not any(same_json(snapshot.question, other) for other in linted):
                linted.append(snapshot.question)
                yield _of_question(scenario, snapshot, snapshots.path, guardian)


def _of_question(scenario: Scenario, kept: Kept, path: Path, guardian: Guardian) -> Linted:
    request = request_of(scenario.server, kept)
    ours = list(_of_request(request, scenario, kept.number))
    places = {finding.where for finding in ours}
    review = guardian.review(request)
    theirs = (
        replace(finding, advice=f"A person is told: {finding.advice}")
        for finding in review.findings
        # Where ours tells the author of a place already, the guardian's word to authors about it is
        # the same again.
        if not (finding.to_author and finding.where in places)
    )
    subject = f"{neutral_line(scenario.name, 80)}: question {kept.number + 1}"
    findings = _in_order((*ours, *theirs))
    return Linted(scenario.server, subject, Review(findings), path, kept.line)


def _in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    return tuple(sorted(dict.fromkeys(findings), key=lambda each: -each.severity))


def _finding(rule: str, where: str, evidence: Any, severity: Severity | None = None) -> Finding:
    usual, _, advice = RULES[rule]
    shown = evidence if isinstance(evidence, str) else excerpt(evidence, 160)
    return Finding(
        rule,
        usual if severity is None else severity,
        neutral_line(where, 120),
        neutral_line(shown, 200),
        advice,
        to_author=True,
    )


# A question


def _of_request(request: ElicitationRequest, scenario: Scenario, number: int) -> Iterator[Finding]:
    # What a client refuses before it is read: no more can be said of it.
    malformed = defect(request)
    if malformed is not None:
        yield _finding("lint.malformed", "params", malformed)
        return
    if request.mode != "form":
        return
    schema = request.requested_schema or {}
    form = read_form(schema)
    if form.refusal is not None or form.schema_problem is not None:
        why = form.refusal or form.schema_problem or ""
        yield _finding("lint.unanswerable", "requestedSchema", why)
    # The rest is told also of a form that nobody can answer.
    yield from _beyond(schema, _ROOT, "requestedSchema")
    for field in form.fields:
        yield from _of_field(form, field, f"requestedSchema.properties.{field.name}")
    # The scenario's answer to this question, by its number; a form that is refused takes none.
    if form.refusal is None and number < len(scenario.answers):
        answer = scenario.answers[number]
        if answer.action == "accept":
            for problem in form.judge(content_of(form, answer)):
                yield _finding("lint.answer", f"answers {number + 1}", str(problem))


def _beyond(schema: Mapping[str, Any], specified: Iterable[str], where: str) -> Iterator[Finding]:
    for key in schema:
        if key not in specified:
            # A remark binds nobody; it is noted and not warned of.
            is_remark = key in _REMARKS or str(key).startswith("x-")
            severity = Severity.NOTE if is_remark else None
            yield _finding("lint.beyond_specification", f"{where}.{key}", str(key), severity)


def _of_field(form: Form, field: Field, where: str) -> Iterator[Finding]:
    schema = field.schema if isinstance(field.schema, Mapping) else {}
    declared = schema.get("type")
    specified = _SPECIFIED.get(declared) if isinstance(declared, str) else None
    if specified is None:
        yield _finding("lint.beyond_specification", f"{where}.type", excerpt(declared, 80))
    else:
        yield from _beyond(schema, specified, where)
    if "format" in schema and schema["format"] not in _FORMATS:
        yield _finding("lint.beyond_specification", f"{where}.format", schema["format"])
    items = schema.get("items")
    if isinstance(items, Mapping):
        yield from _beyond(items, _ITEMS, f"{where}.items")
        if declared == "array" and not field.choices:
            evidence = "a list of something else than choices"
            yield _finding("lint.beyond_specification", f"{where}.items", evidence)
    yield from _untitled(schema, where)
    if isinstance(items, Mapping):
        yield from _untitled(items, f"{where}.items")
    yield from _wrong_default(form, field.name, schema, where)


def _untitled(schema: Mapping[str, Any], where: str) -> Iterator[Finding]:
    """A note for any enum without titles, a warning where its values are codes."""
    values = schema.get("enum")
    if isinstance(values, list) and "enumNames" not in schema:
        codes = [code for code in values if isinstance(code, str) and _CODE.fullmatch(code)]
        severity = None if codes else Severity.NOTE
        yield _finding("lint.choice_titles", f"{where}.enum", codes or values, severity)
    for key in ("oneOf", "anyOf"):
        options = schema.get(key)
        for option in options if isinstance(options, list) else ():
            if isinstance(option, Mapping) and "const" in option and not option.get("title"):
                yield _finding("lint.choice_titles", f"{where}.{key}", option["const"])


def _wrong_default(
    form: Form, name: str, schema: Mapping[str, Any], where: str
) -> Iterator[Finding]:
    """A default that its schema does not allow; an empty text stands for none."""
    # The SDKs write an empty text where an author gives no default.
    if "default" not in schema or schema["default"] == "":
        return
    if form.schema_problem is None and form.judge_of_schema.property_faults(
        name, schema["default"]
    ):
        yield _finding("lint.default", f"{where}.default", schema["default"])


# A tool


def _of_tool(tool: Tool) -> Iterator[Finding]:
    if not _NAME.fullmatch(tool.name):
        yield _finding("lint.tool_name", "name", tool.name)
    if not (tool.description or "").strip():
        yield _finding("lint.tool_description", "description", "there is none")
    yield from _of_arguments(tool.raw.get("inputSchema"))
    yield from _of_output(tool.raw.get("outputSchema"))
    yield from _of_hints(tool.raw.get("annotations"))


def _of_arguments(schema: Any) -> Iterator[Finding]:
    form = read_form(schema, "arguments")
    if not isinstance(schema, Mapping) or schema.get("type") != "object":
        yield _finding("lint.input_schema", "inputSchema.type", 'it is not of type "object"')
        return
    if form.schema_problem is not None:
        yield _finding("lint.input_schema", "inputSchema", form.schema_problem)
        return
    properties, required = schema.get("properties"), schema.get("required")
    properties = properties if isinstance(properties, Mapping) else {}
    for name in required if isinstance(required, list) else ():
        if name not in properties:
            evidence = f"{excerpt(name, 80)} is required and not described"
            yield _finding("lint.input_schema", "inputSchema.required", evidence, Severity.WARN)
    for name, part in properties.items():
        if isinstance(part, Mapping):
            yield from _wrong_default(form, name, part, f"inputSchema.properties.{name}")


def _of_output(schema: Any) -> Iterator[Finding]:
    if schema is not None and (problem := read_form(schema, "arguments").schema_problem):
        yield _finding("lint.output_schema", "outputSchema", problem)


def _of_hints(annotations: Any) -> Iterator[Finding]:
    hints = annotations if isinstance(annotations, Mapping) else {}
    for name in _HINTS:
        if name in hints and not isinstance(hints[name], bool):
            yield _finding("lint.tool_hints", f"annotations.{name}", hints[name])
    if hints.get("readOnlyHint") is True and hints.get("destructiveHint") is True:
        evidence = "readOnlyHint and destructiveHint"
        yield _finding("lint.tool_hints", "annotations", evidence)
