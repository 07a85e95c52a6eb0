"""Whether an answer is what a form allows: a server checks, whatever its client promised.

The demo is another program than the client that runs it; it does not ask that client's judge.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final
from urllib.parse import urlsplit

from jsonschema import Draft202012Validator, FormatChecker

FORMATS: Final = FormatChecker(("date", "email"))


@FORMATS.checks("date-time", raises=ValueError)
def is_date_time(value: object) -> bool:
    """A moment with its offset from UTC (RFC 3339)."""
    if not isinstance(value, str):
        return True  # Another keyword speaks of the type.
    read = datetime.fromisoformat(value.upper().replace("Z", "+00:00"))
    return "T" in value.upper() and read.tzinfo is not None


@FORMATS.checks("uri", raises=ValueError)
def is_uri(value: object) -> bool:
    """An address with its scheme (RFC 3986)."""
    return not isinstance(value, str) or bool(urlsplit(value).scheme)


def is_valid(content: Mapping[str, Any], schema: Mapping[str, Any]) -> bool:
    """Whether the content satisfies a requestedSchema of the demo."""
    return bool(Draft202012Validator(schema, format_checker=FORMATS).is_valid(content))
