"""Templates of resources (RFC 6570): what is to be filled in, and the URI that comes of it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from elicit_tui.errors import UsageError


@lru_cache(maxsize=1024)
def _parsed(template: str) -> Any:
    from mcp.shared.uri_template import InvalidUriTemplate, UriTemplate

    try:
        return UriTemplate.parse(template)
    except InvalidUriTemplate:
        return None


def matches(template: str, uri: str) -> bool:
    """Whether a URI is one of a template's; never for a template that is none."""
    parsed = _parsed(template)
    return parsed is not None and parsed.match(uri) is not None


def values_in(template: str, uri: str) -> dict[str, str] | None:
    """With which values a template comes to this URI; None where it does not, or not for sure."""
    parsed = _parsed(template)
    found = parsed.match(uri) if parsed is not None else None
    values = {name: value for name, value in (found or {}).items() if isinstance(value, str)}
    missing = any(not values.get(name) for name in required(template))
    return values if values and not missing and filled(template, values) == uri else None


def variables(template: str) -> tuple[str, ...]:
    """What is to be filled in, in its order; nothing in a template that is none."""
    parsed = _parsed(template)
    return () if parsed is None else tuple(dict.fromkeys(parsed.variable_names))


def required(template: str) -> tuple[str, ...]:
    """Those without which it is no URI of it: all but the ones of a query."""
    parsed = _parsed(template)
    if parsed is None:
        return ()
    optional = parsed.query_variable_names
    return tuple(name for name in variables(template) if name not in optional)


def filled(template: str, values: Mapping[str, str]) -> str:
    """The URI with these values. Raises UsageError for a name that it has not, and a missing one.

    A URI that is no template stays as it is.
    """
    names = variables(template)
    unknown = next((name for name in values if name not in names), None)
    if unknown is not None:
        listed = ", ".join(names) or "nothing"
        raise UsageError(f"There is no {unknown!r} to fill in here, only: {listed}.")
    missing = next((name for name in required(template) if not values.get(name)), None)
    if missing is not None:
        raise UsageError(f"{missing!r} is to be filled in: {missing}=VALUE.")
    return str(_parsed(template).expand(dict(values))) if names else template
