"""What a person wrote for one call, understood before its server starts.

Its arguments are KEY=VALUE, KEY:=JSON and `--arguments`.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from elicit_tui.cli.command_table import METHODS
from elicit_tui.cli.missing_arguments import refuse_missing
from elicit_tui.cli.narration import Narration
from elicit_tui.cli.own_terminal import person_present, standard_input
from elicit_tui.cli.parser import nearest
from elicit_tui.cli.run_settings import load_settings, named_server
from elicit_tui.dataclass import dataclass
from elicit_tui.errors import UsageError
from elicit_tui.form.limits import NULLABLE, flattened
from elicit_tui.host.uri_templates import filled
from elicit_tui.text import neutral_line
from elicit_tui.text.hostile_json import strict_json

if TYPE_CHECKING:
    from elicit_tui.cli.recording import Recording
    from elicit_tui.elicitation.request import Method
    from elicit_tui.elicitation.settings import Rule, Settings
    from elicit_tui.form.field import Problem

OPEN_KEYWORDS: Final = ("patternProperties", "$ref", "allOf", "anyOf", "oneOf")
"""At the top of an inputSchema these may allow names that its `properties` do not have."""

JSON_TYPES: Final = frozenset({"number", "integer", "boolean", "array", "object", "null"})


@dataclass(frozen=True)
class Given:
    """What the command line says, before the tool's own schema is known."""

    document: Mapping[str, Any] = field(default_factory=dict)
    """The object of `--arguments`."""
    texts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Each KEY=VALUE, in their order: a list may have several."""
    values: Mapping[str, Any] = field(default_factory=dict)
    """Each KEY:=JSON."""

    def for_schema(self, schema: Mapping[str, Any], *, incomplete: bool = False) -> dict[str, Any]:
        """The call's arguments; `incomplete`: the server may ask for what it requires.

        A KEY=VALUE is a string, unless the tool's inputSchema gives the key another type and only
        that, or null: then VALUE must be JSON of it (`true`, `3`, `["a"]`), or one item of a list.
        Raises UsageError, also for a name that the schema does not have where it says all there
        are, for a missing one, and for whatever else the schema does not allow; a KEY:=JSON is sent
        as it is.
        """
        converted = self.filled_in(schema, "The tool has no argument")
        if not incomplete:
            refuse_missing(self._names, schema, "The tool", may_ask=True)
        unfit = _unfit(converted, {**schema, "required": []} if incomplete else schema)
        listed = [str(problem) for problem in unfit if problem.field not in self.values]
        if listed:
            raise UsageError(f"The tool does not take these arguments: {'; '.join(listed[:4])}.")
        return converted

    def filled_in(
        self, schema: Mapping[str, Any], unknown: str = "The form has no field"
    ) -> dict[str, Any]:
        """The same for a form of which the rest is asked for.

        `unknown`: how a sentence begins that ends with a name which the schema does not have.
        """
        properties = schema.get("properties")
        if isinstance(properties, Mapping) and not _takes_others(schema):
            _refuse_unknown(self._names, properties, unknown)
        properties = properties if isinstance(properties, Mapping) else {}
        converted = {
            key: _converted(key, texts, properties.get(key), schema)
            for key, texts in self.texts.items()
        }
        # In this order: a key of the command line takes the place of one of `--arguments`.
        return {**self.document, **converted, **self.values}

    @property
    def _names(self) -> list[str]:
        return [*self.document, *self.texts, *self.values]

    def maybe_no_strings(self) -> list[str]:
        """The keys whose KEY=VALUE would be JSON of another type."""
        found = (key for key, texts in self.texts.items() if any(map(_is_other_json, texts)))
        return [neutral_line(key, 80) for key in found]

    def as_texts(self, whose: str = "A prompt's arguments") -> dict[str, str]:
        """The arguments of a prompt, which are all strings (spec: server/prompts).

        Raises UsageError.
        """
        for key, value in {**self.document, **self.values}.items():
            if not isinstance(value, str):
                raise UsageError(f"{whose} are strings, and {key!r} is not.")
        texts = {key: _the_one_text(key, texts) for key, texts in self.texts.items()}
        return {**self.document, **self.values, **texts}


def _is_other_json(text: str) -> bool:
    try:
        return not isinstance(json.loads(text), str)
    except (ValueError, RecursionError):
        return False


def _takes_others(schema: Mapping[str, Any]) -> bool:
    """Whether arguments beyond `properties` may be meant, so that they are passed on."""
    more = schema.get("additionalProperties")
    # Without `additionalProperties`, JSON Schema takes any name. Here that is taken for a slip of
    # the pen, unless the schema is open in another way.
    return more is True or isinstance(more, Mapping) or any(key in schema for key in OPEN_KEYWORDS)


def _refuse_unknown(names: Sequence[str], properties: Mapping[str, Any], sentence: str) -> None:
    unknown = next((name for name in names if name not in properties), None)
    if unknown is None:
        return
    if (near := nearest(unknown, properties)) is not None:
        hint = f"Did you mean {neutral_line(near, 80)!r}?"
    elif properties:
        listed = ", ".join(neutral_line(name, 80) for name in list(properties)[:20])
        hint = f"It takes: {listed}{', …' if len(properties) > 20 else ''}."
    else:
        hint = "It takes none."
    raise UsageError(f"{sentence} {unknown!r}. {hint}")


def read_given(pairs: Sequence[str], arguments: str | None) -> Given:
    """Read the command line's arguments; a key on it replaces one of `--arguments`.

    Raises UsageError, also for a key that is given as JSON and once more.
    """
    texts: dict[str, tuple[str, ...]] = {}
    values: dict[str, Any] = {}
    for pair in pairs:
        # At the first equals sign: a value may hold more of them.
        key, equals, text = pair.partition("=")
        as_json = key.endswith(":")
        key = key[:-1] if as_json else key
        if not equals or not key:
            raise UsageError(f"{pair!r} is not KEY=VALUE or KEY:=JSON.")
        if key in values or (as_json and key in texts):
            raise UsageError(f"The argument {key!r} is given twice.")
        if as_json:
            values[key] = _json(text, f"{key}:=")
        else:
            texts[key] = (*texts.get(key, ()), text)
    return Given(_document(arguments), texts, values)


def _document(arguments: str | None) -> dict[str, Any]:
    if arguments is None:
        return {}
    document = _json(_text_of(arguments), "--arguments")
    if not isinstance(document, dict):
        raise UsageError("--arguments must be a JSON object.")
    return document


def _text_of(arguments: str) -> str:
    """The text of `JSON`, `@FILE` or `-` (standard input)."""
    try:
        # UTF-8 whatever this machine writes, and perhaps with a byte order mark, as on Windows.
        if arguments == "-":
            return standard_input().decode("utf-8-sig")
        if arguments.startswith("@"):
            return Path(arguments[1:]).read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        raise UsageError(f"--arguments cannot be read: {error}") from None
    return arguments


def _json(text: str, where: str) -> Any:
    try:
        return strict_json(text)
    except ValueError as error:
        raise UsageError(f"{where} is not JSON: {error}") from None


def _converted(key: str, texts: tuple[str, ...], schema: Any, root: Mapping[str, Any]) -> Any:
    from elicit_tui.form.choices import is_select

    schema = _flat(schema, root)
    declared_type, takes_null = _type_of(schema)
    if declared_type == "array" and (len(texts) > 1 or not texts[0].lstrip().startswith("[")):
        items = schema.get("items")
        of_item = _flat(items, root)
        item_type, _ = _type_of(of_item)
        plain = is_select(of_item) if item_type is None else item_type not in ("array", "object")
        if plain and (texts != ("null",) or not takes_null):
            return [_converted(key, (text,), items, root) for text in texts]
    text = _the_one_text(key, texts)
    if declared_type is None:
        return _choice(text, schema)
    if declared_type not in JSON_TYPES:
        return text
    try:
        value = strict_json(text)
    except ValueError:
        value = text
    if value is None and takes_null:
        return None
    if not _is_of_type(value, declared_type):
        wrong = f"The argument {key!r} must be {declared_type}, and {text!r} is not"
        raise UsageError(f"{wrong}{_how_it_is_typed(declared_type, key, text)}.")
    return value


def _choice(text: str, schema: Mapping[str, Any]) -> Any:
    """Of choices that have no type in common the one that is spelled so; else the text itself."""
    from elicit_tui.form.choices import read_choices

    choices, _ = read_choices(schema) or ((), [])
    values = [choice.value for choice in choices]
    if text in values:
        return text
    plain = (value for value in values if not isinstance(value, str))
    return next((value for value in plain if json.dumps(value) == text), text)


def _flat(schema: Any, root: Mapping[str, Any]) -> Mapping[str, Any]:
    """A property's schema as a form draws it: references and "or null" merged in."""
    flat = flattened(schema, root)
    return flat if isinstance(flat, Mapping) else {}


def _type_of(schema: Mapping[str, Any]) -> tuple[str | None, bool]:
    """The one type that a flat schema allows, and whether it allows null beside it."""
    declared, ways = schema.get("type"), schema.get("anyOf")
    types = declared if isinstance(declared, list) else [declared]
    if declared is None and isinstance(ways, list):
        types = [way.get("type") if isinstance(way, Mapping) else None for way in ways]
    others = [name for name in types if name != "null"] or types
    # Every integer is a number, so that both together are one type.
    if "number" in others:
        others = [name for name in others if name != "integer"]
    one = others[0] if others and others.count(others[0]) == len(others) else None
    return one if isinstance(one, str) else None, NULLABLE in schema or "null" in types


def _the_one_text(key: str, texts: tuple[str, ...]) -> str:
    if len(texts) > 1:
        raise UsageError(f"The argument {key!r} is given twice.")
    return texts[0]


def _how_it_is_typed(type_name: str, key: str, text: str) -> str:
    """How a value of this type is typed in a shell, where that is not plain."""
    if type_name == "boolean":
        return ": it is true or false"
    if type_name not in ("array", "object"):
        return ""
    example = [text] if type_name == "array" else {"name": text}
    return f": write it as JSON, {key}={quote(json.dumps(example, ensure_ascii=False))}"


def _unfit(arguments: Mapping[str, Any], schema: Mapping[str, Any]) -> Sequence[Problem]:
    """What the schema does not allow; by one that is none, or takes long, the server judges."""
    if not arguments:
        return ()
    from elicit_tui.form.schema_reading import read_form

    form = read_form(schema, "arguments")
    if form.schema_problem is not None:
        return ()
    problems = form.judge(arguments)
    undecided = problems and any(
        it.keyword == "judge" for it in form.judge_of_schema.faults(arguments)
    )
    return () if undecided else problems


def _is_of_type(value: Any, type_name: str) -> bool:
    if type_name in ("number", "integer"):
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        # JSON does not tell 3.0 from 3.
        whole = isinstance(value, int) or (number and value.is_integer())
        return number and (type_name == "number" or whole)
    if type_name == "null":
        return value is None
    kinds: dict[str, type] = {"boolean": bool, "array": list, "object": dict}
    return isinstance(value, kinds[type_name])


# The call, with its configuration and its answers


class Prepared(NamedTuple):
    """One call, fully understood: from here on only its server can go wrong."""

    options: argparse.Namespace
    method: Method
    given: Given
    settings: Settings
    answers: tuple[Rule, ...] | None
    """The entries of `--answers`; None when nobody gave a file."""
    person_present: bool
    recording: Recording | None
    narration: Narration


def prepare(namespace: argparse.Namespace, narration: Narration) -> Prepared:
    """Read the arguments, the configuration and the answers. Raises UsageError, ConfigError."""
    saved = _take_saved(namespace) if namespace.command == "call" else {}
    inputs = read_given(namespace.pairs, namespace.arguments)
    # What is given now goes before what was saved.
    inputs = replace(inputs, document={**saved, **inputs.document})
    if namespace.command == "read" and namespace.pairs:
        namespace.name, inputs = (
            filled(namespace.name, inputs.as_texts("A template's values")),
            Given(),
        )
    settings = load_settings(namespace, narration, [namespace.server])
    named_server(settings, namespace.server)
    answers = _read_answers(namespace, settings, narration)
    present = answers is None and person_present(stdin_taken=namespace.arguments == "-")
    recording = _open_recording(namespace, present)
    method = METHODS[namespace.command]
    return Prepared(namespace, method, inputs, settings, answers, present, recording, narration)


def _take_saved(namespace: argparse.Namespace) -> Mapping[str, Any]:
    """Read the call that `@FILE` is, into the namespace; its arguments. Raises UsageError."""
    if not namespace.server.startswith("@"):
        return {}
    from elicit_tui.elicitation.saved_call import SavedCall, file_called

    # With `@FILE` what stands in the tool's place is its first argument.
    pairs = [] if namespace.name is None else [namespace.name]
    path = file_called(namespace.server[1:])
    namespace.pairs, namespace.name = [*pairs, *namespace.pairs], ""
    saved = SavedCall.read(path)
    namespace.server, namespace.name = saved.server, saved.tool
    return saved.arguments


def _read_answers(
    namespace: argparse.Namespace, settings: Settings, narration: Narration
) -> tuple[Rule, ...] | None:
    if namespace.answers is None:
        return None
    from elicit_tui.config import load_answers

    answers = load_answers(namespace.answers)
    if settings.approval_policy == "never":
        narration.tell(
            f'approval_policy = "never" declines every question: {namespace.answers} is not used.'
        )
    return answers


def _open_recording(namespace: argparse.Namespace, present: bool) -> Recording | None:
    if namespace.record is None:
        return None
    if not present:
        raise UsageError("--record needs a person who answers at a terminal.")
    from elicit_tui.cli.recording import Recording

    return Recording.create(namespace.record)
