"""One field in words: its label, what is wanted, its choices, and what stands there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from elicit_tui.form import Chosen, ChosenMany, EmptyOnPurpose, Ticked, Typed
from elicit_tui.form.formats import FORMATS
from elicit_tui.responders.heading import indented
from elicit_tui.text import neutral, neutral_line

if TYPE_CHECKING:
    from elicit_tui.form import Entry, Field, Form

CHOICES_SHOWN: Final = 200

WANTED: Final = {
    **{name: each.wanted for name, each in FORMATS.items()},
    "number": "a number",
    "integer": "a whole number",
    "boolean": "yes or no",
    "single": "the number of one choice",
    "multi": "the numbers of your choices with commas between, such as 1,3",
}


def describe(form: Form, field: Field, entry: Entry, number: int, count: int) -> str:
    """The lines above the prompt of one field of a form."""
    return "\n".join(_lines(form, field, entry, number, count))


def _lines(form: Form, field: Field, entry: Entry, number: int, count: int) -> Iterator[str]:
    need = "required" if field.required else "optional"
    yield f"Field {number} of {count}: {neutral_line(field.title)} ({need})"
    if field.description:
        yield indented(neutral(field.description))
    for note in form.notes_for(field.name):
        yield f"  Note: {neutral_line(note, None)}"
    for place, choice in enumerate(field.choices[:CHOICES_SHOWN], start=1):
        yield f"  {place}) {neutral_line(choice.label)}"
    if len(field.choices) > CHOICES_SHOWN:
        hidden = len(field.choices) - CHOICES_SHOWN
        yield f"  and {hidden} more: /raw shows them all"
    wanted = "; ".join(part for part in (WANTED.get(field.kind, ""), field.hint) if part)
    if wanted:
        yield f"  Wanted: {neutral_line(wanted)}"
    yield f"  {_standing(field, entry)}"


def _standing(field: Field, entry: Entry) -> str:
    answer = entry_text(field, entry)
    if answer != LEFT_OUT:
        return f"Press Enter to keep: {answer}"
    return "Nothing yet." if field.required else "Press Enter to leave it out."


LEFT_OUT: Final = "(left out)"


def entry_text(field: Field, entry: Entry) -> str:
    """What stands in a field, in words, on one line."""
    if isinstance(entry, Typed) and entry.text:
        return neutral_line(entry.text)
    if isinstance(entry, EmptyOnPurpose):
        return "(empty on purpose)"
    if isinstance(entry, Ticked):
        return "yes" if entry.value else "no"
    if isinstance(entry, Chosen) and entry.value is not None:
        return _label(field, entry.value)
    if isinstance(entry, ChosenMany) and entry.values:
        return ", ".join(_label(field, value) for value in entry.values)
    return LEFT_OUT


def _label(field: Field, value: object) -> str:
    for choice in field.choices:
        if type(choice.value) is type(value) and choice.value == value:
            return neutral_line(choice.label)
    return neutral_line(str(value))
