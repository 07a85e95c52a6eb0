"""One line of plain text to raw input, for plain prompts and KEY=VALUE arguments."""

from __future__ import annotations

import json
from typing import Any, Final

from elicit_tui.form.conversion import entry_for, means, wanted
from elicit_tui.form.field import Chosen, Entry, Field, Problem, Ticked, Typed, Unset
from elicit_tui.form.json_values import json_key

YES: Final = frozenset({"yes", "y", "true"})
NO: Final = frozenset({"no", "n", "false"})
_MAX_LIST: Final = 100_000
"""Characters of a JSON list typed on one line."""


def entry_from_text(field: Field, text: str) -> Entry | Problem:
    """The entry that one line of plain text means for this field, or what is wanted instead.

    Booleans take yes/no/true/false, selects a value, a label or the number of a choice counted
    from 1, multi-selects several with commas between, or a JSON list.
    """
    if field.kind == "boolean":
        return _boolean(field, text.strip())
    if field.kind == "single":
        return _single(field, text)
    if field.kind == "multi":
        return _multi(field, text)
    if field.kind == "unsupported":
        return Problem(field.name, wanted(field))
    listed = _json_list(text) if field.each_line else None
    if listed is not None:
        entry = entry_for(field, listed)
        split = isinstance(entry, Typed) and not means(field, entry, listed)
        return Problem(field.name, wanted(field)) if split else entry
    return Typed(text) if text else Unset()


def _boolean(field: Field, text: str) -> Entry | Problem:
    word = text.lower()
    if not word:
        return Unset()
    if word in YES or word in NO:
        return Ticked(word in YES)
    return Problem(field.name, "yes or no")


def _single(field: Field, text: str) -> Entry | Problem:
    if not text.strip():
        return Unset()
    value = _find(field, text)
    return Problem(field.name, _listed(field)) if value is None else Chosen(value)


def _multi(field: Field, text: str) -> Entry | Problem:
    whole = text.strip()
    if not whole:
        return Unset()
    listed = _json_list(whole)
    if listed is not None:
        return entry_for(field, listed)
    # The whole line may be one choice with a comma in it.
    alone = _find(field, text)
    if alone is not None:
        return entry_for(field, [alone])
    values = [_find(field, part) for part in whole.split(",")]
    if any(value is None for value in values):
        return Problem(field.name, f"{_listed(field)}, with commas between")
    return entry_for(field, list({json_key(value): value for value in values}.values()))


def _json_list(text: str) -> list[Any] | None:
    if len(text) > _MAX_LIST:
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, list) else None


def _find(field: Field, text: str) -> Any:
    """The value that a text names: exactly, as a label in any case, or by its number from 1."""
    # From what is exact to what is a guess: as it stands, as JSON (`1`, `true`), in any case where
    # only one fits, and last by number, as `2` may be a value.
    for wanted_text in (text, text.strip()):
        for choice in field.choices:
            if wanted_text in (choice.value, choice.label):
                return choice.value
    word = text.strip()
    spelled = [c for c in field.choices if json_key(_as_json(word)) == json_key(c.value)]
    if spelled:
        return spelled[0].value
    folded = word.casefold()
    alike = [
        choice.value
        for choice in field.choices
        if folded in (choice.label.casefold(), str(choice.value).casefold())
    ]
    if len(alike) == 1:
        return alike[0]
    if word.isascii() and word.isdigit() and len(word) < 6:
        number = int(word)
        if 1 <= number <= len(field.choices):
            return field.choices[number - 1].value
    return None


def _as_json(word: str) -> Any:
    if len(word) > 40:
        return word
    try:
        return json.loads(word)
    except ValueError:
        return word


def _listed(field: Field) -> str:
    labels = [choice.label for choice in field.choices[:6]]
    return f"one of: {', '.join(labels)}{' …' if len(field.choices) > 6 else ''}"
