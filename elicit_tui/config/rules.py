"""`[[rules]]`, `[[answers]]` and `[[guardian.rules]]` become values, and are checked for sense."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from elicit_tui.config.documents import Document, read
from elicit_tui.config.keys import ANSWERS
from elicit_tui.config.validating import Diagnostic, as_json
from elicit_tui.elicitation.settings import Layer, OwnerRule, Rule
from elicit_tui.elicitation.toml_spelling import in_ascii
from elicit_tui.errors import ConfigError


def rules_of(document: Document | None, table: str = "rules") -> tuple[Rule, ...]:
    """The entries of a checked document, in order; only an answer may leave out its action."""
    # An answer without an action accepts; a rule always has one.
    if document is None:
        return ()
    entries = document.get(table) or []
    return tuple(
        _rule({"action": "accept", **entry}, document.layer, position)
        for position, entry in enumerate(entries, start=1)
    )


def _rule(entry: dict[str, Any], layer: Layer, position: int) -> Rule:
    values = dict(entry)
    if "content" in values:
        values["content"] = as_json(values["content"])
    values["despite"] = tuple(values.get("despite", ()))
    return Rule(layer=layer, position=position, **values)


def rule_faults(document: Document) -> Iterator[Diagnostic]:
    """Rules that could never do what they say."""
    for path, entry in document.sound_tables("rules"):
        # A rule accepts for a server that it names and with a content that it gives: never for
        # anybody, nor with whatever the form holds.
        if entry["action"] == "accept":
            for key in ("server", "content"):
                if key not in entry:
                    yield document.problem(f"an accept rule needs {key}", path)
        elif "content" in entry:
            yield document.problem("content goes with accept only", (*path, "content"))


def answer_faults(document: Document) -> Iterator[Diagnostic]:
    """Answers that could never be given."""
    for path, entry in document.sound_tables("answers"):
        if entry.get("action", "accept") != "accept":
            if "content" in entry:
                yield document.problem("content goes with accept only", (*path, "content"))
        elif "content" not in entry and not entry.get("use_defaults", False):
            needs = "an accept answer needs content, or use_defaults = true"
            yield document.problem(f"{needs}; a page is accepted by no entry", path)


def guardian_rules_of(document: Document | None) -> tuple[OwnerRule, ...]:
    """The guardian rules of a checked document, in order."""
    if document is None:
        return ()
    return tuple(
        OwnerRule(layer=document.layer, **entry)
        for entry in document.get("guardian", "rules") or []
    )


def guardian_faults(document: Document) -> Iterator[Diagnostic]:
    """Guardian rules that could never run."""
    seen: set[str] = set()
    for path, entry in document.sound_tables("guardian", "rules"):
        if entry["id"] in seen:
            yield document.problem("is the id of an earlier rule", (*path, "id"))
        seen.add(entry["id"])
        why = _pattern_fault(entry["pattern"])
        if why is not None:
            yield document.problem(f"is not a regular expression: {why}", (*path, "pattern"))


def _pattern_fault(pattern: str) -> str | None:
    import regex

    try:
        regex.compile(pattern)
    except (regex.error, ValueError, OverflowError, RecursionError) as error:
        return in_ascii(str(error), 120)
    return None


def load_answers(path: Path) -> tuple[Rule, ...]:
    """The entries of an answers file, in order. Raises ConfigError with every problem found."""
    document = read(path, ANSWERS, "command line")
    problems = (*document.problems, *answer_faults(document))
    if problems:
        raise ConfigError([str(problem) for problem in problems])
    return rules_of(document, "answers")


def check_answers(path: Path) -> list[Diagnostic]:
    """The problems of an answers file."""
    document = read(path, ANSWERS, "command line")
    return [*document.problems, *answer_faults(document)]
