"""The formats of the spec (date, date-time, email and uri), really checked.

Each check takes a string and returns None when it conforms, else what is wanted, in words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from typing import Final

from elicit_tui.dataclass import dataclass

_DATE: Final = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_TIME: Final = re.compile(
    # A second may have any number of decimals; an offset is a Z, or a sign with hours and minutes.
    r"([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.[0-9]+)?(?:[Zz]|([+-])([0-9]{2}):([0-9]{2}))"
)
_DAYS: Final = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)

_ATOM: Final = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
_LOCAL_PART: Final = re.compile(
    # Dots stand between atoms only; in quotes anything printable, with `"` and `\` escaped.
    rf"(?:{_ATOM}(?:\.{_ATOM})*|\"(?:[\x20\x21\x23-\x5B\x5D-\x7E]|\\[\x20-\x7E])*\")"
)
_LABEL: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?")

_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*")
_URI_CHARACTERS: Final = re.compile(r"(?:[A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*")
_REGISTERED_NAME: Final = re.compile(r"(?:[A-Za-z0-9._~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*")
_USER_INFORMATION: Final = re.compile(r"(?:[A-Za-z0-9._~!$&'()*+,;=:-]|%[0-9A-Fa-f]{2})*")
_FUTURE_ADDRESS: Final = re.compile(r"[vV][0-9A-Fa-f]+\.[A-Za-z0-9._~!$&'()*+,;=:-]+")


@dataclass(frozen=True)
class Format:
    """One format of a text: all that a field of it, and the judge, need to know."""

    check: Callable[[str], str | None]
    """None for a text that conforms, else what is wanted, in words."""
    wanted: str
    example: str


def check_date(text: str) -> str | None:
    """RFC 3339 `full-date`, in the calendar."""
    match = _DATE.fullmatch(text)
    if match is None:
        return FORMATS["date"].wanted
    return _check_day(*(int(part) for part in match.groups()))


def _check_day(year: int, month: int, day: int) -> str | None:
    if not 1 <= month <= 12:
        return f"a month from 01 to 12, not {month:02}"
    days = _days_of(year, month)
    if not 1 <= day <= days:
        return f"a day from 01 to {days} in that month, not {day:02}"
    return None


def _days_of(year: int, month: int) -> int:
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return 29 if month == 2 and leap else _DAYS[month - 1]


def check_date_time(text: str) -> str | None:
    """RFC 3339 `date-time`: an offset is required, second 60 only where UTC could have one."""
    # T or t, and no blank: RFC 3339 leaves that to each program, JSON Schema does not.
    date = _DATE.match(text)
    if date is None or text[date.end() : date.end() + 1] not in ("T", "t"):
        return FORMATS["date-time"].wanted
    time = _TIME.fullmatch(text, date.end() + 1)
    if time is None:
        return FORMATS["date-time"].wanted
    year, month, day = (int(part) for part in date.groups())
    wrong_day = _check_day(year, month, day)
    if wrong_day is not None:
        return wrong_day
    hour, minute, second = (int(part) for part in time.groups()[:3])
    sign, offset_hour, offset_minute = time.group(4), time.group(5), time.group(6)
    if hour > 23 or minute > 59:
        return "a time from 00:00:00 to 23:59:59"
    if sign is not None and (int(offset_hour) > 23 or int(offset_minute) > 59):
        return "an offset from -23:59 to +23:59"
    if second <= 59:
        return None
    # Minutes since the beginning of the local day, in UTC: they may lie a day before or after.
    offset = 0 if sign is None else int(offset_hour) * 60 + int(offset_minute)
    local = hour * 60 + minute
    utc = local + offset if sign == "-" else local - offset
    if second > 60 or utc % 1440 != 1439 or not _ends_month(year, month, day, utc // 1440):
        return "a second from 00 to 59 (60 only as a leap second, when a month ends in UTC)"
    return None


def _ends_month(year: int, month: int, day: int, days_later: int) -> bool:
    """Whether the day that lies 0 or -1 days later is the last one of its month."""
    return day == (_days_of(year, month) if days_later == 0 else 1)


def check_email(text: str) -> str | None:
    """RFC 5321 `Mailbox`: dot-atom or quoted local part, host name or address literal."""
    # The last one: a quoted local part may hold an `@`.
    local, _, domain = text.rpartition("@")
    if not _LOCAL_PART.fullmatch(local) or len(local) > 64 or len(text) > 254:
        return FORMATS["email"].wanted
    return None if _is_mail_domain(domain) else FORMATS["email"].wanted


def _is_mail_domain(domain: str) -> bool:
    if domain.startswith("[") and domain.endswith("]"):
        literal = domain[1:-1]
        if literal[:5].lower() == "ipv6:":
            return _is_address(IPv6Address, literal[5:])
        return _is_address(IPv4Address, literal)
    return all(_LABEL.fullmatch(label) for label in domain.split("."))


def _is_address(family: type[IPv4Address] | type[IPv6Address], text: str) -> bool:
    # Python takes a scope (`%eth0`) and a prefix (`/64`), which no address of mail or web has.
    if "%" in text or "/" in text:
        return False
    try:
        family(text)
    except AddressValueError:
        return False
    return True


def check_uri(text: str) -> str | None:
    """RFC 3986 `URI`: a scheme is required; http and https also need a host."""
    scheme, colon, rest = text.partition(":")
    if not colon or not _SCHEME.fullmatch(scheme):
        return FORMATS["uri"].wanted
    if not _URI_CHARACTERS.fullmatch(rest):
        return "an address without blanks, backslashes or letters that need a % escape"
    hierarchy = re.split(r"[?#]", rest, maxsplit=1)[0]
    # Brackets are for an IP address in the authority, and there is one fragment.
    beyond = rest[len(hierarchy) :]
    if "[" in beyond or "]" in beyond or beyond.partition("#")[2].count("#"):
        return FORMATS["uri"].wanted
    if not hierarchy.startswith("//"):
        needs_host = scheme.lower() in ("http", "https")
        return FORMATS["uri"].wanted if needs_host or "[" in hierarchy or "]" in hierarchy else None
    authority, _, path = hierarchy[2:].partition("/")
    if "[" in path or "]" in path:
        return FORMATS["uri"].wanted
    return None if _is_authority(authority, scheme.lower()) else FORMATS["uri"].wanted


def _is_authority(authority: str, scheme: str) -> bool:
    user, at, address = authority.rpartition("@")
    if at and not _USER_INFORMATION.fullmatch(user):
        return False
    if address.startswith("["):
        host, bracket, port = address[1:].partition("]")
        if not bracket or not (_is_address(IPv6Address, host) or _FUTURE_ADDRESS.fullmatch(host)):
            return False
        if port and not port.startswith(":"):
            return False
        port = port[1:]
    else:
        host, _, port = address.partition(":")
        if not _REGISTERED_NAME.fullmatch(host):
            return False
    if port and not (port.isascii() and port.isdigit()):
        return False
    return bool(host) or scheme not in ("http", "https")


# An example of a date never lies in the past: many forms take none from there.
FORMATS: Final[Mapping[str, Format]] = {
    "date": Format(check_date, "a date such as 2099-12-31", "2099-12-31"),
    "date-time": Format(
        check_date_time,
        "a date and time with its offset, such as 2099-12-31T09:30:00Z",
        "2099-12-31T09:30:00Z",
    ),
    "email": Format(check_email, "an email address such as name@example.com", "name@example.com"),
    "uri": Format(
        check_uri, "a full address such as https://example.com/page", "https://example.com/"
    ),
}
"""Every format that a field can have, by its name in a schema."""
