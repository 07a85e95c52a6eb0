"""What content may hold on the wire, beside what the schema says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from elicit_tui.form.field import Problem
from elicit_tui.form.json_values import is_writable
from elicit_tui.text import neutral_line

Purpose = Literal["elicitation", "arguments"]
"""What a form is filled in for: a server's question, or a call of a tool."""


def unsendable(content: Any, purpose: Purpose) -> Problem | None:
    """The first thing that cannot be sent at all, or None.

    An elicitation's content is text, numbers, booleans and lists of texts (spec:
    client/elicitation, `ElicitResult.content`); arguments are any JSON object.
    """
    if not isinstance(content, Mapping):
        return Problem(None, "an object with the answers by name")
    for name, value in content.items():
        if not isinstance(name, str):
            return Problem(None, "names that are texts")
        if purpose == "elicitation" and not _is_flat(value):
            allowed = "a text, a number, yes or no, or a list of texts"
            return Problem(name, f"“{neutral_line(name, 80)}” can only be sent as {allowed}")
        if not _is_writable(value) or not _is_unicode(name):
            return Problem(name, "text and numbers that can be written as JSON")
    return None


def _is_flat(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return all(isinstance(item, str) for item in value)
    return isinstance(value, (str, int, float))


def _is_writable(value: Any) -> bool:
    stack = [value]
    while stack:
        here = stack.pop()
        if isinstance(here, Mapping):
            stack.extend(here.values())
        elif isinstance(here, (list, tuple)):
            stack.extend(here)
        # Half of a surrogate pair is text in Python and cannot be written.
        elif not is_writable(here) or (isinstance(here, str) and not _is_unicode(here)):
            return False
    return True


def _is_unicode(text: str) -> bool:
    """Whether a text can be written as UTF-8: it has no half of a surrogate pair."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
