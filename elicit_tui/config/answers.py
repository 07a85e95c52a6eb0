"""Reads an answers file."""

from __future__ import annotations

from pathlib import Path

from elicit_tui.config.documents import Document, read
from elicit_tui.config.keys import ANSWERS
from elicit_tui.config.problem import Problem
from elicit_tui.config.rules import answer_faults, rules_of
from elicit_tui.elicitation.settings import Rule
from elicit_tui.errors import ConfigError


def load_answers(path: Path) -> tuple[Rule, ...]:
    """The entries of an answers file, in order. Raises ConfigError with every problem found."""
    return _answers(read(path, ANSWERS, "command line"))


def check_answers(path: Path) -> list[Problem]:
    """The problems of an answers file."""
    document = read(path, ANSWERS, "command line")
    return [*document.problems, *answer_faults(document)]


def _answers(document: Document) -> tuple[Rule, ...]:
    problems = (*document.problems, *answer_faults(document))
    if problems:
        raise ConfigError([str(problem) for problem in problems])
    return rules_of(document, "answers")
