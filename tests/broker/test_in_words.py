"""An answer in words carries what was given, and nothing else."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from elicit_tui.broker.in_words import accept_given, beside_given, fill_in_given, standing
from elicit_tui.elicitation import Draft, Finding, Question, Review, Severity
from elicit_tui.form.field import Typed
from elicit_tui.form.form import Form
from elicit_tui.form.schema_reading import read_form
from tests.broker.conftest import form_request

SCHEMA = {
    "type": "object",
    "properties": {
        "note": {"type": "string"},
        "amount": {"type": "integer", "default": 500},
        "colour": {"type": "string"},
    },
    "required": ["note"],
}


def asked(*findings: Finding) -> tuple[Question, Form]:
    form = read_form(SCHEMA)
    return Question(
        form_request(params={"requestedSchema": SCHEMA}), Review(findings), form=form
    ), form


def given(question: Question, form: Form, **content: Any) -> dict[str, Any] | None:
    """What goes out when this is given; None where a person has to look first."""
    fill_in_given(question, form, content)
    outcome = accept_given(question, form, content)
    return None if outcome is None else dict(outcome.content or {})


def test_what_was_given_whole_goes_out() -> None:
    assert given(*asked(), note="ok", amount=7) == {"note": "ok", "amount": 7}


def test_a_default_goes_out_only_where_it_was_given_too() -> None:
    question, form = asked()
    assert given(question, form, note="ok") is None
    held = beside_given(question, form, {"note"})
    assert {name: (one.value, one.source) for name, one in held.items()} == {
        "amount": (500, "default")
    }


@pytest.mark.parametrize("by_agent", [False, True])
def test_what_stands_there_already_goes_out_only_where_it_was_given_too(by_agent: bool) -> None:
    question, form = asked()
    entries = form.entries_for({"amount": 9, "colour": "red"})
    if by_agent:
        question.draft.fill_in(entries, frozenset({"amount", "colour"}))
    else:
        question.draft.write(entries, frozenset({"amount", "colour"}))
    assert given(question, form, note="ok", amount=7) is None
    held = standing(question, form)
    assert (held["colour"].value, held["colour"].source) == (
        "red",
        "agent" if by_agent else "typed",
    )
    assert held["amount"].source == "typed"
    assert given(question, form, colour="blue") is None  # the rest was given before, not now
    everything = {"note": "ok", "amount": 7, "colour": "blue"}
    assert given(question, form, **everything) == everything


def test_what_the_agent_filled_in_and_was_then_given_is_the_person_s() -> None:
    question, form = asked()
    question.draft.fill_in(form.entries_for({"colour": "red"}), frozenset({"colour"}))
    fill_in_given(question, form, {"colour": "red"})
    assert standing(question, form)["colour"].source == "typed"


def test_what_is_incomplete_or_warned_of_is_looked_at_first() -> None:
    assert given(*asked(), amount=7) is None
    warning = Finding("own.careful", Severity.WARN, "message", "x", "Be careful.")
    assert given(*asked(warning), note="ok", amount=7) is None
    question, form = asked()
    secret = replace(question, examine=lambda content: (warning,))
    assert given(secret, form, note="ok", amount=7) is None


def test_no_secret_that_stands_there_is_told() -> None:
    question, form = asked()
    question.draft.fill_in(form.entries_for({"note": "AKIAIOSFODNN7EXAMPLE"}), frozenset({"note"}))
    assert "AKIA" not in repr(standing(question, form))


def test_a_draft_knows_what_was_typed_here_elsewhere_and_by_the_agent() -> None:
    draft, theirs = Draft(), Draft()
    theirs.write({"a": Typed("theirs")}, frozenset({"a"}))
    draft.take(theirs)
    assert (draft.typed, dict(draft.typed_here)) == (True, {})
    draft.write({"a": Typed("theirs"), "b": Typed("mine")}, frozenset({"a", "b"}))
    assert draft.typed_here == {"b": Typed("mine")}
    draft.clear()
    assert not draft.filled
    draft.fill_in({"a": Typed("agent's")}, frozenset({"a", "unknown"}))
    assert (draft.filled, draft.typed, draft.by_client) == (True, False, {"a"})
