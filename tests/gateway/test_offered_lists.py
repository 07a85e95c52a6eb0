"""The lists of several servers as one: in which order, whose each entry is, under which title."""

from __future__ import annotations

from typing import Any

import pytest

from elicit_tui.elicitation.settings import ServerSettings
from elicit_tui.gateway.catalogue import Catalogue
from elicit_tui.gateway.offers import SessionOffers


def offered_by(**catalogues: Catalogue) -> SessionOffers:
    """What the servers `a` and `b` offer, seen in this order."""
    servers = {name: ServerSettings(name, command="x") for name in ("a", "b")}
    offered = SessionOffers(servers, prefix=True)
    for name, catalogue in catalogues.items():
        offered.put(name, catalogue)
    return offered


def test_lists_have_the_same_order_whichever_server_comes_first() -> None:
    a = Catalogue(
        [{"name": "z"}, {"name": "y"}, {"name": "z", "title": "again"}],
        resources=[{"uri": "m:3"}, {"uri": "m:1"}],
        templates=[{"uriTemplate": "z:{n}"}, {"uriTemplate": "m:{n}"}],
    )
    b = Catalogue([{"name": "x"}], resources=[{"uri": "m:2"}], templates=[{"uriTemplate": "n:{n}"}])
    for offered in (offered_by(a=a, b=b), offered_by(b=b, a=a)):
        offers = offered.offers((), output_schemas=True)
        assert [tool["name"] for tool in offers.tools] == ["a__z", "a__y", "b__x"]
        assert "title" not in offers.tools[0]
        assert [one["uri"] for one in offers.resources] == ["m:1", "m:2", "m:3"]
        assert [one["uriTemplate"] for one in offers.templates] == ["m:{n}", "n:{n}", "z:{n}"]


def test_a_resource_that_is_listed_is_of_that_server_though_the_template_of_another_fits() -> None:
    template = Catalogue(templates=[{"uriTemplate": "m:{n}"}])
    offers = offered_by(a=template, b=Catalogue(resources=[{"uri": "m:1"}])).offers(
        (), output_schemas=True
    )
    assert (offers.server_of("m:1"), offers.server_of("m:2")) == ("b", "a")
    assert offers.server_of("n:1") is None


def test_a_name_that_had_to_be_changed_is_shown_as_its_server_spells_it() -> None:
    tools: list[dict[str, Any]] = [{"name": "get.it"}, {"name": "get/it", "title": "Get"}]
    offers = offered_by(a=Catalogue([*tools, {"name": "plain"}])).offers((), output_schemas=True)
    assert [tool.get("title") for tool in offers.tools] == ["get.it", "Get", None]


def test_of_a_server_whose_names_change_again_and_again_a_person_is_told_so_often_and_no_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("elicit_tui.gateway.offers.MOST_TOLD", 2)
    told: list[str] = []
    servers = {"a": ServerSettings("a", command="x")}
    offered = SessionOffers(servers, prefix=False, notify=told.append)
    offered.put("a", Catalogue([{"name": f"get.{number}"} for number in range(5)]))
    offered.offers((), output_schemas=True)
    assert len(told) == 2
