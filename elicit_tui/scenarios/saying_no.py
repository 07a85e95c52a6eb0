"""The no inside an accept: a confirmation that is false, the refusing choice of an enum.

Many forms are sent to refuse what they ask for; a server that acts on such a form acts against a
no as one that acts on a decline does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from elicit_tui.form.field import Choice, Field
from elicit_tui.form.form import Form
from elicit_tui.form.json_values import same_json

# A word that refuses at the beginning, in the languages that forms are mostly written in. `No` has
# to stand alone, or before something that refuses too.
_NO: Final = re.compile(
    r"\W*((no|nope|nein|non|não|nej|нет|いいえ|不|否)"
    r"(\W*$|\s*[,.;:!(–—-]|\s+(thanks?|i|do|don|not|keep|cancel|leave|stop|danke|merci)\b)"
    r"|(cancel|decline|deny|reject|refuse|abort|disagree|do not|don[’']?t|not now|abbrechen|"
    r"ablehnen|annuler|refuser|cancelar|rechazar)\b)",
    re.IGNORECASE,
)
"""Not "no preference", which refuses nothing."""
_CONFIRMS: Final = re.compile(
    r"confirm|proceed|\bsure\b|agree|accept|approve|consent|continue|\bok(ay)?\b|\ballow|"
    r"acknowledge|go.?ahead|\byes\b|understand|authori[sz]e",
    re.IGNORECASE,
)
_KEEPS: Final = re.compile(r"\W*(keep|leave|retain|behalten|garder)\b", re.IGNORECASE)
_REMOVES: Final = re.compile(
    r"\W*(delete|remove|drop|discard|erase|overwrite|replace|purge|wipe|reset|destroy|löschen|"
    r"supprimer)\b",
    re.IGNORECASE,
)
"""Where one choice removes, the one that keeps is a no."""
_SHORT: Final = (("n", "y"), ("n", "j"), ("false", "true"))
"""The no and the yes of two choices that stand for nothing else beside each other."""
_TYPED: Final = re.compile(r"\b(type|enter|write|retype|repeat|spell)\b", re.IGNORECASE)
_ANOTHER_TEXT: Final = "elicit-tui typed something else"
_MOST_CHOICES: Final = 4
"""A question to be agreed to has few answers; in a long list `no` may be a country."""


def contents_that_say_no(
    form: Form, content: Mapping[str, Any], stated_no: Mapping[str, Any] | None, message: str = ""
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each way to say no in a form that was accepted with this content, under its field's name.

    A text that the question names and wants typed is a yes; any other one is a no. `stated_no`:
    what the author says is the no, instead of what is read here; empty: there is none.
    """
    if stated_no is not None:
        if stated_no:
            yield ", ".join(stated_no), {**content, **stated_no}
        return
    for field in form.fields:
        if _is_confirmation(form, field) and content.get(field.name) is True:
            yield field.name, {**content, field.name: False}
        elif field.name in content and not _is_no(field, content[field.name]):
            refusing = next((choice for choice in _choices(field) if _refuses(field, choice)), None)
            other = {**content, field.name: _ANOTHER_TEXT}
            if refusing is not None:
                yield field.name, {**content, field.name: refusing.value}
            elif _is_typed_to_confirm(field, content, message) and not form.judge(other):
                yield field.name, other


def says_no(form: Form, content: Mapping[str, Any], stated_no: Mapping[str, Any] | None) -> bool:
    """Whether a form that is accepted with this content says no to what it asks for."""
    if stated_no is not None:
        return bool(stated_no) and all(
            name in content and same_json(content[name], value) for name, value in stated_no.items()
        )
    return any(
        field.name in content
        and (
            _is_no(field, content[field.name])
            or (_is_confirmation(form, field) and content[field.name] is False)
        )
        for field in form.fields
    )


def _is_confirmation(form: Form, field: Field) -> bool:
    """Whether a yes or no is meant for all that the form asks for, and is no detail of it."""
    if field.kind != "boolean":
        return False
    # One box alone is the whole question, whatever it is called.
    alone = sum(other.sendable for other in form.fields) == 1
    return alone or _CONFIRMS.search(f"{field.name.replace('_', ' ')} {field.title}") is not None


def _choices(field: Field) -> tuple[Choice, ...]:
    fits = field.kind == "single" and 1 < len(field.choices) <= _MOST_CHOICES
    return field.choices if fits else ()


def _is_no(field: Field, value: Any) -> bool:
    chosen = (choice for choice in _choices(field) if same_json(choice.value, value))
    return any(_refuses(field, choice) for choice in chosen)


def _refuses(field: Field, choice: Choice) -> bool:
    """Whether this choice says no, by itself or beside the other: a yes, or one that removes."""
    if _says(choice, _NO):
        return True
    # Two choices that are each other's opposite: one letter alone says nothing.
    both = {str(other.value).casefold() for other in _choices(field)}
    if any(both == {no, yes} and str(choice.value).casefold() == no for no, yes in _SHORT):
        return True
    return _says(choice, _KEEPS) and any(_says(other, _REMOVES) for other in _choices(field))


def _is_typed_to_confirm(field: Field, content: Mapping[str, Any], message: str) -> bool:
    value, asked = content[field.name], f"{message} {field.title} {field.description or ''}"
    # A single letter is found in any text.
    if field.kind != "string" or not isinstance(value, str) or len(value.strip()) < 2:
        return False
    # As a word of its own in what was asked.
    named = re.search(rf"(?<!\w){re.escape(value.strip())}(?!\w)", asked)
    return named is not None and _TYPED.search(asked) is not None and bool(_CONFIRMS.search(asked))


def _says(choice: Choice, pattern: re.Pattern[str]) -> bool:
    texts = (choice.label, choice.value if isinstance(choice.value, str) else "")
    return any(pattern.match(text.replace("_", " ")) for text in texts)
