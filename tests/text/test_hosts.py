"""Hosts: both spellings, and the part that somebody registered."""

from __future__ import annotations

import pytest

from elicit_tui.text.hosts import is_web_address, registrable_domain, spellings, unicode_host
from tests.bounds import bounded


@pytest.mark.parametrize(
    ("host", "domain"),
    [
        ("login.accounts.example.co.uk", "example.co.uk"),
        ("example.com", "example.com"),
        ("127.0.0.1", "127.0.0.1"),
        ("localhost", "localhost"),
        ("", ""),
    ],
)
def test_the_registered_part_is_found_or_the_host_is_whole(host: str, domain: str) -> None:
    assert registrable_domain(host) == domain


@pytest.mark.parametrize("host", ["xn--mnchen-3ya.de", "münchen.de"])
def test_a_host_outside_ascii_has_two_spellings_whichever_it_came_in(host: str) -> None:
    assert spellings(host) == ("münchen.de", "xn--mnchen-3ya.de")


def test_a_plain_host_needs_no_second_spelling() -> None:
    assert spellings("example.com") == ()


def test_a_host_that_is_no_legal_name_is_said_to_be_none() -> None:
    assert spellings("exa\u202emple.com") == ("exa⟨U+202E⟩mple.com", "not a legal host name")
    assert all("\u202e" not in spelling for spelling in spellings("xn--\u202e.example"))


def test_punycode_is_decoded_where_it_can_be() -> None:
    assert unicode_host("a.xn--bcher-kva.xn--\u20ac.example") == "a.bücher.xn--\u20ac.example"


@pytest.mark.parametrize("host", ["xn--" + "a" * 500_000, "é" * 500_000, "xn--é." * 80_000])
def test_an_endless_host_costs_no_more_than_a_moment(host: str) -> None:
    with bounded():
        assert spellings(host)[-1] == "not a legal host name"
        unicode_host(host)


@pytest.mark.parametrize(
    ("url", "may_be"),
    [
        ("https://example.com/a?b#c", True),
        ("HTTP://example.com:8080", True),
        ("http://[::1]:65535/", True),
        ("ftp://example.com", False),
        ("javascript:alert(1)", False),
        ("https:///path", False),
        ("https://[", False),
        ("https://example.com:0/", False),
        ("https://example.com:65536/", False),
        ("example.com", False),
        ("", False),
    ],
)
def test_a_web_address_has_a_scheme_of_the_web_a_host_and_a_port_that_can_be(
    url: str, may_be: bool
) -> None:
    assert is_web_address(url) is may_be
