"""How much of a schema is read, and how long its judge may take, whatever a server sends."""

from __future__ import annotations

import pytest

from elicit_tui.form import (
    bounded_validator,
    choices,
    judge,
    limits,
    pattern,
    pattern_steps,
    plain_text,
    shape,
    skeleton,
    wording,
)


@pytest.mark.parametrize(
    ("shipped", "most"),
    [
        (limits.MAX_NODES, 100_000),
        (limits.MAX_CHARACTERS, 2_000_000),
        (limits.MAX_DEPTH, 100),
        (limits.MAX_PROPERTIES, 500),
        (limits.MAX_CHOICES, 10_000),
        (limits.MAX_REFERENCES, 50),
        (choices.LABEL_LENGTH, 500),
        (judge.MAX_FAULTS, 2_000),
        (pattern.MAX_PATTERN, 10_000),
        (pattern.MAX_PATTERNS, 100_000),
        (pattern.MAX_WRITTEN_OUT, 200_000),
        (pattern_steps.STEPS_TOGETHER, 500_000),
        (pattern_steps._STEPS, pattern_steps.STEPS_TOGETHER / 10),
        (bounded_validator.MAX_STEPS, 100_000),
        (bounded_validator.MAX_KEYWORDS_DEEP, 200),
        (bounded_validator.MAX_SUBSCHEMAS, 10_000),
        (plain_text._MAX_LIST, 200_000),
        (limits._MOST_OBJECTS, 5_000),
        (wording.MOST_MISSING, 10),
        (shape.MOST_LEVELS, 10),
        (shape.MOST_VALUES, 100),
        (shape.MOST_CHOICES, 10),
        (shape.LONGEST_NAME, 200),
        (shape.LONGEST_CHOICE, 200),
        (skeleton.MOST_LEVELS, 10),
        (skeleton.MOST_VALUES, 500),
        (skeleton.LONGEST_NAME, 500),
    ],
)
def test_no_more_of_a_schema_is_looked_at_than_anybody_could_read(
    shipped: float, most: float
) -> None:
    assert 0 < shipped <= most


def test_a_judgement_ends_before_a_person_waits_for_it() -> None:
    assert pattern.SLOW < pattern.SECONDS_EACH < pattern.SECONDS_TOGETHER
    assert pattern.SECONDS_TOGETHER < pattern.SECONDS_OF_SLOWNESS <= 0.5
