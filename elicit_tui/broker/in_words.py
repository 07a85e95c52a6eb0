"""An answer that is given in words, by the names of fields, without a look at the form.

With a form go its defaults, what another terminal typed and what the agent filled in: a person sees
them there. Without one nothing goes out but what was given.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, Literal

from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation import Draft, Outcome, Question, accept
from elicit_tui.elicitation.keeping import kept_content

if TYPE_CHECKING:
    from elicit_tui.form.field import Entry
    from elicit_tui.form.form import Form

Source = Literal["default", "typed", "agent"]
"""Where a value comes from: the schema, a person who has not sent it, or the agent's client."""


@dataclass(frozen=True)
class StandingValue:
    """A value that stands in a form as it would be sent, and where it comes from."""

    value: Any
    source: Source


def standing(question: Question, form: Form) -> Mapping[str, StandingValue]:
    """What stands in a question's form before anybody looks, by field; secrets are masked."""
    draft = question.draft
    content = form.convert(_entries(draft, form)).content
    masked = kept_content(content, question.review, "redacted") or {}
    return {name: StandingValue(value, _source(draft, name)) for name, value in masked.items()}


def _entries(draft: Draft, form: Form) -> dict[str, Entry]:
    """What stands in the form's widgets: what was filled in, else the defaults."""
    return {**form.initial(), **(draft.entries if draft.filled else {})}


def _source(draft: Draft, name: str) -> Source:
    if name in draft.by_client:
        return "agent"
    return "typed" if name in draft.touched else "default"


def fill_in_given(question: Question, form: Form, content: Mapping[str, Any]) -> None:
    """Write what was given into the question's draft, as if it had been typed into the form."""
    draft = question.draft
    entries = _entries(draft, form)
    given = form.entries_for(content)
    entries.update({name: given[name] for name in content})
    draft.write(entries, draft.touched | frozenset(content))
    draft.by_client -= frozenset(content)


def beside_given(
    question: Question, form: Form, field_names: Collection[str]
) -> Mapping[str, StandingValue]:
    """What would go out beside the fields that were given."""
    values = standing(question, form)
    return {name: value for name, value in values.items() if name not in field_names}


def accept_given(question: Question, form: Form, field_names: Collection[str]) -> Outcome | None:
    """The accept of a form that nobody looks at; None where a person has to look first.

    A person has to where the accept would carry anything beside the fields that were given, where
    it is not complete, and where there is something to acknowledge.
    """
    converted = form.convert(question.draft.entries)
    if (
        converted.problems
        or not set(converted.content) <= set(field_names)
        or question.to_acknowledge_for(converted.content)
    ):
        return None
    return accept("user", "You sent the form.", converted.content)
