"""Each format that a field can have, really checked."""

from __future__ import annotations

from datetime import date, datetime, timezone
from typing import get_args

import pytest

from elicit_tui.form.field import FieldKind, Typed
from elicit_tui.form.formats import FORMATS
from tests.form.forms import form_of, wrong
from tests.form.schemas import FORMATTED

VALID = {
    "date": ["2026-11-21", "2024-02-29", "2000-02-29", "0000-02-29", "9999-12-31"],
    "date-time": [
        "2026-11-21T09:30:00Z",
        "2026-11-21t09:30:00z",
        "2026-11-21T09:30:00.123456789+02:00",
        "2026-11-21T23:59:59-23:59",
        "2026-11-21T00:00:00-00:00",
        "1990-12-31T23:59:60Z",
        "1990-12-31T15:59:60-08:00",
        "1991-01-01T01:59:60.5+02:00",
        "2016-12-31T23:59:60Z",
        "2015-06-30T23:59:60Z",
        "2015-07-01T00:59:60+01:00",
    ],
    "email": [
        "a@b",
        "joe.bloggs@example.com",
        "te~st@example.com",
        "~test@example.com",
        "user+tag@sub-domain.example.co",
        '"joe bloggs"@example.com',
        '"joe..bloggs"@example.com',
        '"joe@bloggs"@example.com',
        "joe@[127.0.0.1]",
        "joe@[IPv6:::1]",
        "a" * 64 + "@example.com",
        "a" * 64 + "@" + ".".join(["b" * 63, "c" * 63, "d" * 61]),
    ],
    "uri": [
        "https://example.com/",
        "http://user:pass@example.com:8080/a/b?c=d&e=%20#f",
        "HTTP://EXAMPLE.COM",
        "urn:isbn:0451450523",
        "mailto:name@example.com",
        "tel:+1-816-555-1212",
        "file:///etc/passwd",
        "http://[2001:db8::7]/c=GB?objectClass?one",
        "http://[v7.a:b]/",
        "http://[::1]:8080/",
        "http://[::1]:/",
        "ftp://ftp.is.co.za/rfc/rfc1808.txt",
        "javascript:alert(1)",
        "x:",
    ],
}

INVALID = {
    "date": [
        "2026-02-29",
        "1900-02-29",
        "2026-13-01",
        "2026-00-10",
        "2026-04-31",
        "2026-11-00",
        "2026-1-1",
        "20261121",
        "2026-325",
        "2026-W47-6",
        "26-11-21",
        "2026-11-21T00:00:00Z",
        "٢٠٢٦-11-21",
        "２０２６-11-21",
        "2026-11-2１",
        "today",
    ],
    "date-time": [
        "2026-11-21",
        "2026-11-21T09:30:00",
        "2026-11-21 09:30:00Z",
        "2026-11-21T09:30Z",
        "2026-11-21T9:30:00Z",
        "2026-11-21T24:00:00Z",
        "2026-11-21T09:60:00Z",
        "2026-11-21T09:30:61Z",
        "2026-02-30T09:30:00Z",
        "2026-11-21T09:30:00+24:00",
        "2026-11-21T09:30:00+01:60",
        "2026-11-21T09:30:00+0100",
        "2026-11-21T09:30:00.Z",
        "2026-11-21T09:30:00,5Z",
        "1990-12-31T22:59:60Z",
        "1990-12-31T23:58:60Z",
        "1990-12-30T23:59:60Z",
        "1990-12-31T15:59:60-07:00",
        "1990-12-31T23:59:61Z",
        "2026-11-21T09:30:00Zulu",
        "2026-11-21T0٩:30:00Z",
    ],
    "email": [
        "@",
        "a@",
        "@b",
        "2962",
        "a b@example.com",
        ".a@example.com",
        "a.@example.com",
        "a..b@example.com",
        "a@b@c",
        "a@-b.com",
        "a@b-.com",
        "a@b..com",
        "a@.com",
        "a@b.com.",
        "joe@invalid=domain.com",
        "joe@[127.0.0.300]",
        "joe@[127.0.0.11",
        "joe@127.0.0.1]",
        "a" * 64 + "@" + ".".join(["b" * 63, "c" * 63, "d" * 62]),
        "joe@[::1]",
        "joe@[IPv6:fe80::1%eth0]",
        "a" * 65 + "@example.com",
        "a@" + "b" * 64 + ".com",
        "a@" + "b.c" * 120,
        "müller@example.com",
        "a@exämple.com",
        "a@example.com, b@example.com",
        "Joe <joe@example.com>",
        'a"b@example.com',
    ],
    "uri": [
        "",
        "example.com",
        "www.example.com/page",
        "//example.com/",
        "https://us[er@example.com/",
        "https://a%zz@example.com/",
        "/path",
        "?query",
        "http:",
        "http://",
        "https:///path",
        "http://:80",
        "http:example.com",
        "http://exa mple.com",
        "http://example.com/a b",
        "http://example.com\\@evil.example",
        "http://example.com/%",
        "http://example.com/%2",
        "http://example.com/%zz",
        "http://example.com:port/",
        "http://example.com:٨٠/",
        "http://[::1",
        "http://[::1]x/",
        "http://[::1]:x8/",
        "http://[::1]:8x/",
        "http://[::1%25eth0]/",
        "http://[not-ip]/",
        "http://example.com/[a]",
        "urn:[a",
        "urn:a]",
        "http://example.com/?a=[b]",
        "http://example.com/#a#b",
        "http://exämple.com/",
        "1http://example.com",
        "ht tp://example.com",
        ":foo",
        "http://example.com/<a>",
        'http://example.com/"',
        "http://example.com/{a}",
        "http://example.com/^`|",
        "C:\\windows",
    ],
}


def test_every_format_is_tried_here_is_a_kind_of_field_and_has_an_example_that_conforms() -> None:
    for cases in (VALID, INVALID, FORMATTED):
        assert set(FORMATS) == set(cases), (
            "a format's cases: VALID, INVALID; FORMATTED of schemas.py"
        )
    assert set(FORMATS) <= set(get_args(FieldKind)), "its name in FieldKind of form/field.py"
    assert {name: each.check(each.example) for name, each in FORMATS.items()} == dict.fromkeys(
        FORMATS
    )


@pytest.mark.parametrize(("name", "text"), [(n, t) for n in VALID for t in VALID[n]])
def test_what_has_the_format_is_sent_unchanged(name: str, text: str) -> None:
    form = form_of({"it": {"type": "string", "format": name}})
    assert form.check_field("it", Typed(text)) is None
    assert form.convert({"it": Typed(text)}).content == {"it": text}
    assert form.judge({"it": text}) == ()


@pytest.mark.parametrize(("name", "text"), [(n, t) for n in INVALID for t in INVALID[n]])
def test_what_lacks_the_format_is_refused_whoever_answers(name: str, text: str) -> None:
    form = form_of({"it": {"type": "string", "format": name}})
    assert [problem.field for problem in form.judge({"it": text})] == ["it"]
    if text:
        assert form.check_field("it", Typed(text))


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("email", "@", "an email address such as name@example.com"),
        ("uri", "example.com", "a full address such as https://example.com/page"),
        (
            "uri",
            "http://a b",
            "an address without blanks, backslashes or letters that need a % escape",
        ),
        ("date", "21.11.2026", "a date such as 2099-12-31"),
        ("date", "2026-13-01", "a month from 01 to 12, not 13"),
        ("date", "2026-02-30", "a day from 01 to 28 in that month, not 30"),
        (
            "date-time",
            "2026-11-21",
            "a date and time with its offset, such as 2099-12-31T09:30:00Z",
        ),
        ("date-time", "2026-11-21T25:00:00Z", "a time from 00:00:00 to 23:59:59"),
        ("date-time", "2026-11-21T09:00:00+99:00", "an offset from -23:59 to +23:59"),
    ],
)
def test_the_format_that_is_wanted_is_said(name: str, text: str, message: str) -> None:
    assert wrong({"type": "string", "format": name}, Typed(text)) == message


def test_long_hostile_text_is_checked_in_a_moment() -> None:
    for name in VALID:
        form = form_of({"it": {"type": "string", "format": name}})
        for text in ("a." * 50_000 + "@", "a://" + "%20" * 50_000 + "[", '"' + "\\a" * 50_000):
            assert form.judge({"it": text})


@pytest.mark.parametrize("name", ["date", "date-time"])
def test_no_example_of_a_date_lies_in_the_past(name: str) -> None:
    wanted = FORMATS[name].wanted
    example = date.fromisoformat(wanted.partition("such as ")[2][:10])
    assert example > datetime.now(timezone.utc).date()
