"""A point in time as a person types it: a date, a date-time, or how long ago."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone
from typing import Final

_AGO: Final = re.compile(r"([0-9]{1,6})([smhdw])")
_UNITS: Final = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_WHEN: Final = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})"
    r"(?:[Tt ]([0-9]{2}:[0-9]{2}(?::[0-9]{2})?)(?:\.([0-9]{1,9}))?([Zz]|[+-][0-9]{2}:[0-9]{2})?)?"
)


def moment(text: str, current: datetime | None = None) -> datetime:
    """The moment that `text` names, with its zone.

    `2026-11-21` is that day's beginning here; `2026-11-21T09:00:00Z` is RFC 3339, and without an
    offset means the local time; `90m`, `2h`, `7d`, `2w` are that long ago.

    Raises:
        ValueError: it is none of these; the message says what is wanted.
    """
    wanted = f"{text!r} is not a date, an RFC 3339 date-time, or a time ago such as 90m, 2h or 7d"
    ago = _AGO.fullmatch(text)
    when = _WHEN.fullmatch(text)
    try:
        if ago:
            current = current or datetime.now(timezone.utc)
            return current - timedelta(**{_UNITS[ago[2]]: int(ago[1])})
        if when:
            day, time, fraction, offset = when.groups()
            offset = "+00:00" if offset in ("Z", "z") else offset or ""
            micro = (fraction or "0")[:6].ljust(6, "0")
            time = time or "00:00"
            seconds = "" if time.count(":") == 2 else ":00"
            read = datetime.fromisoformat(f"{day}T{time}{seconds}.{micro}{offset}")
            return read if offset else read.astimezone()
    except (ValueError, OverflowError, OSError):
        pass
    raise ValueError(wanted)
