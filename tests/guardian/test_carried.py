"""A finding says which optional fields alone carry it: left unset, nothing of it goes out."""

from __future__ import annotations

from typing import Any

import pytest

from elicit_tui.elicitation import ElicitationRequest
from elicit_tui.guardian import Guardian
from tests.guardian.requests import TEXT, YES_OR_NO, form

PASSPORT = {"type": "string", "title": "Passport number"}
BORN = {"type": "string", "format": "date", "title": "Date of birth"}
LONG = "passport_number_" * 5


def carried(request: ElicitationRequest, required: Any = ("name",)) -> dict[str, tuple[str, ...]]:
    request.params["requestedSchema"]["required"] = required
    return {one.rule: one.fields for one in Guardian().review(request).findings}


@pytest.mark.parametrize(
    ("request_", "required", "expected"),
    [
        (form("Profile", passport=PASSPORT), [], {"personal.identity": ("passport",)}),
        (form("Profile", passport=PASSPORT), ["passport"], {"personal.identity": ()}),
        (form("Profile", passport=PASSPORT), "passport", {"personal.identity": ()}),
        (form("Your passport number?", v=TEXT), [], {"personal.identity": ()}),
        (form("Your passport number?", passport=PASSPORT), [], {"personal.identity": ()}),
        (form("Profile", password=TEXT), [], {"credentials.secret": ("password",)}),
        (form("Profile", ok={**YES_OR_NO, "title": "Delete all backups"}), [], None),
        (
            form("Profile", name=TEXT, born=BORN, address=TEXT),
            ["name"],
            {"personal.identity_set": ("born",)},
        ),
        (
            form("Profile", name=TEXT, born=BORN, address=TEXT),
            ["name", "born"],
            {"personal.identity_set": ("address",)},
        ),
        (
            form("Profile", name=TEXT, born=BORN, address=TEXT),
            ["name", "born", "address"],
            {"personal.identity_set": ()},
        ),
        (
            form("Enter your birth date and your address", name=TEXT, v=TEXT),
            [],
            {"personal.identity_set": ()},
        ),
    ],
)
def test_a_finding_says_which_optional_fields_alone_carry_it(
    request_: ElicitationRequest, required: Any, expected: dict[str, tuple[str, ...]] | None
) -> None:
    found = carried(request_, required)
    known = {rule: fields for rule, fields in found.items() if not rule.startswith("schema.")}
    if expected is None:
        assert known
        assert set(known.values()) == {()}
    else:
        assert known == expected


def test_fields_whose_long_names_look_alike_carry_it_together_and_only_if_both_may_be_unset() -> (
    None
):
    request = form("Profile", **{LONG + "a": TEXT, LONG + "b": TEXT})
    request.params["requestedSchema"]["required"] = []
    both = (LONG + "a", LONG + "b")
    assert {one.fields for one in Guardian().review(request).findings} == {both}
    request.params["requestedSchema"]["required"] = [LONG + "b"]
    assert {one.fields for one in Guardian().review(request).findings} == {()}
