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
_MOST_CHOICES: Final = 4
"""A question to be agreed to has few answers; in a long list `no` may be a country."""


def contents_that_say_no(
    form: Form, content: Mapping[str, Any], told: Mapping[str, Any] | None
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each way to say no in a form that was accepted with this content, under its field's name.

    `told`: what the author says is the no, instead of what is read here; empty: there is none.
    """
    if told is not None:
        if told:
            yield ", ".join(told), {**content, **told}
        return
    for field in form.fields:
        if _is_confirmation(form, field) and content.get(field.name) is True:
            yield field.name, {**content, field.name: False}
        elif field.name in content and not _is_no(field, content[field.name]):
            refusing = next((each for each in _choices(field) if _reads_as_no(each)), None)
            if refusing is not None:
                yield field.name, {**content, field.name: refusing.value}


def says_no(form: Form, content: Mapping[str, Any], told: Mapping[str, Any] | None) -> bool:
    """Whether a form that is accepted with this content says no to what it asks for."""
    if told is not None:
        return bool(told) and all(
            name in content and same_json(content[name], value) for name, value in told.items()
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
    alone = sum(each.sendable for each in form.fields) == 1
    return alone or _CONFIRMS.search(f"{field.name.replace('_', ' ')} {field.title}") is not None


def _choices(field: Field) -> tuple[Choice, ...]:
    fits = field.kind == "single" and 1 < len(field.choices) <= _MOST_CHOICES
    return field.choices if fits else ()


def _is_no(field: Field, value: Any) -> bool:
    chosen = (each for each in _choices(field) if same_json(each.value, value))
    return any(_reads_as_no(each) for each in chosen)


def _reads_as_no(choice: Choice) -> bool:
    texts = (choice.label, choice.value if isinstance(choice.value, str) else "")
    return any(_NO.match(text.replace("_", " ")) for text in texts)
