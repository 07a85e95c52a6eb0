from __future__ import annotations

import pytest

from elicit_tui.demo import forms
from elicit_tui.form.schema_reading import read_form
from elicit_tui.tui.widgets.row import SHORT_LIST

FORMS = {
    name: value for name, value in vars(forms).items() if name.isupper() and isinstance(value, dict)
}


@pytest.mark.parametrize("name", sorted(set(FORMS) - {"NESTED"}))
def test_every_form_can_be_answered_and_is_drawn_without_notes(name: str) -> None:
    form = read_form(FORMS[name])
    assert form.refusal is None
    assert not [field.notes for field in form.fields if field.notes]


def test_the_impossible_form_says_why() -> None:
    assert read_form(forms.NESTED).refusal


def test_the_forms_together_have_every_kind_of_field() -> None:
    kinds = {field.kind for schema in FORMS.values() for field in read_form(schema).fields}
    assert kinds == {
        "string",
        "email",
        "uri",
        "date",
        "date-time",
        "number",
        "integer",
        "boolean",
        "single",
        "multi",
        "unsupported",
    }


def test_one_field_has_a_list_that_is_searched() -> None:
    fields = [field for schema in FORMS.values() for field in read_form(schema).fields]
    (searched,) = [field for field in fields if len(field.choices) > SHORT_LIST]
    assert 60 <= len(searched.choices) <= 250
    assert not searched.required
