"""What should stay with a person: data about them, and what is in their machine and their session.

Personal data are not forbidden to ask for, but a person should notice that it is; contents of the
machine, the conversation or the organisation are carried out by no honest question.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Final

from elicit_tui.elicitation import Severity
from elicit_tui.guardian.clauses import Standing
from elicit_tui.guardian.demand import Demand, Thing
from elicit_tui.guardian.frames import PROSE, matching, summed
from elicit_tui.guardian.pages import compiled
from elicit_tui.guardian.reading import GENERAL, Reading
from elicit_tui.guardian.rule import Sighting, house_rule, mentions, weight

_KINDS: Final = ("identity", "bank", "health", "biometric", "pay", "location")


def _asked(name: str, request: Reading) -> Iterator[Sighting]:
    if request.concepts.isdisjoint((name, f"maybe {name}")):
        return
    demand = Demand(request, Thing(name.replace(" ", "-"), name, f"maybe {name}"))
    # Of one's health a choice or a yes tells enough.
    told_by = {"health": ("choice", "boolean"), "pay": ("choice",)}.get(name, ())
    typed = [field for field in request.fields if field.is_free or field.kind in told_by]
    yield from filter(None, (demand.sighting(field, Severity.WARN) for field in typed[:50]))
    if typed and name == "health":
        yield from _asks_whether(request)


def _asks_whether(request: Reading) -> Iterator[Sighting]:
    """Of one's health a question for a yes or no asks enough: "Are you pregnant?"."""
    for mention in mentions((request.message,), "health", usual_only=True):
        yours = any(hit.start <= 2 for hit in mention.clause.of("your"))
        if mention.clause.whether and yours and not mention.is_denied:
            yield mention.sighting(Severity.WARN, 3, "asks-whether")
            return


def _members(name: str, request: Reading, unset: frozenset[str]) -> set[str]:
    """The words for something that the form, or a field for more than a yes, asks for."""
    asks = (field.name for field in request.fields if field.kind != "boolean")
    typed = {None, *asks} - unset
    places = request.texts(*GENERAL, "name", "title", "description")
    return {
        clause.said(hit)
        for place, _, clause, hit in mentions(places, name, usual_only=True)
        if place.field in typed
        and clause.standing(hit) >= (Standing.NAMED if place.field else Standing.ASKED)
    }


def _identity_set(request: Reading) -> Iterator[Sighting]:
    if all(field.kind == "boolean" for field in request.fields):
        return
    if sighting := _set_of(request, frozenset()):
        # It is none any more without the day of birth, or without all that may be left out.
        born = {it.name for it in request.fields if any(p.says("birth") for p in it.places)}
        fields = frozenset(field.name for field in request.fields)
        still_asked = any(_members(name, request, fields) for name in ("birth", "set member"))
        left = () if still_asked else (request.optional & born, request.optional)
        carried = (unset for unset in left if unset and _set_of(request, unset) is None)
        yield replace(sighting, carried_by=tuple(sorted(next(carried, ()))))


def _set_of(request: Reading, unset: frozenset[str]) -> Sighting | None:
    """The set that a form asks for whose other fields are filled in."""
    if not _members("birth", request, unset):
        return None
    members = _members("set member", request, unset)
    identity = any(sight.field not in unset for sight in _asked("identity", request))
    parts = len(members) + identity + bool(_members("full name", request, unset))
    quiz = any(place.says("quiz") for place in request.texts(*GENERAL, "choice"))
    if parts < 2 and not identity:
        return None
    severity = Severity.BLOCK if quiz and parts > 2 else Severity.WARN
    return Sighting(severity, "requestedSchema", ", ".join(["date of birth", *sorted(members)[:6]]))


_CONTENTS: Final = Thing("contents", "contents")


def _contents(request: Reading) -> Iterator[Sighting]:
    # A number or a date cannot carry contents.
    free = tuple(field for field in request.free_fields if field.kind == "text")
    demand = Demand(request, _CONTENTS)
    yield from filter(None, (demand.sighting(field, Severity.BLOCK) for field in free))
    for match in matching("exfiltration.contents", request, request.texts(*PROSE) if free else ()):
        yield from (match.sighting(Severity.BLOCK, field.name) for field in free[:50])


def _bulk(request: Reading) -> Iterator[Sighting]:
    yield from summed("exfiltration.bulk", Severity.WARN, typed=True)(request)
    for field in request.called("list of people"):
        if field.kind == "text":
            why = weight(2, "field-is-list-of-people", field.places[0], field.name)
            yield Sighting(Severity.WARN, field.where, field.name[:80], field.name, (why,))


def _expanding_default(request: Reading) -> Iterator[Sighting]:
    for place in request.texts("default", "example"):
        if compiled("expands").search(place.text):
            yield Sighting(Severity.BLOCK, place.where, place.text[:120], place.field)


RULES = (
    *(house_rule(f"personal.{name}", partial(_asked, name)) for name in _KINDS),
    house_rule("personal.identity_set", _identity_set),
    house_rule("exfiltration.contents", _contents),
    house_rule("exfiltration.bulk", _bulk),
    house_rule("exfiltration.expanding_default", _expanding_default),
)
