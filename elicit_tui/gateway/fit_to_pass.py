"""What a server says, made fit to be passed on to an agent.

The words by which a gateway speaks to an agent's client are the gateway's own: which questions it
is to ask, who answered. And what one server sends must not cost the agent its other servers: one
half of a character, a number beyond every float or a thousand brackets, in a single entry of a
list, make readers give up the whole message.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Mapping
from typing import Any, Final

OURS: Final = "dev.elicit-tui/"
"""Begins the keys in `_meta` that are ours alone."""

ROUND_KEYS: Final = ("resultType", "inputRequests", "requestState")
"""What makes of a result a question to the client (spec: 2026-07-28, multi round-trip requests)."""

MOST_NESTED: Final = 100
"""Levels of one entry of a list; some agents read no message of more than 128."""

_HALF: Final = re.compile("[\ud800-\udfff]")
_GREATEST: Final = sys.float_info.max


def without_our_words(result: Mapping[str, Any]) -> dict[str, Any]:
    """A server's result without what would be taken for ours."""
    kept = {key: value for key, value in result.items() if key not in ROUND_KEYS}
    meta = kept.get("_meta")
    if isinstance(meta, Mapping) and any(key.startswith(OURS) for key in meta):
        kept["_meta"] = {key: value for key, value in meta.items() if not key.startswith(OURS)}
    return kept


def readable(value: Any) -> Any:
    """The same JSON value where every reader can read it, else one that is nearest to it.

    Raises RecursionError for one that is nested too deep to be written.
    """
    try:
        text = _text(value)
    except ValueError:
        near = _nearest(value)
        try:
            _text(near)
        except ValueError as error:
            raise RecursionError from error
        return near
    odd = b"NaN" in text or b"Infinity" in text
    return _nearest(value) if odd else value


def whole_characters(text: str) -> str:
    """The same text with the replacement character for each half of one."""
    return _HALF.sub("\N{REPLACEMENT CHARACTER}", text)


def _text(value: Any) -> bytes:
    """As the SDK writes it, in a message of some levels more."""
    from pydantic_core import to_json  # not for the front, which only asks how deep a value is

    # In levels of its own: the message around it must be as easy to read.
    return to_json([[[[value]]]])


def _nearest(value: Any) -> Any:
    if isinstance(value, str):
        return whole_characters(value)
    if isinstance(value, float) and not math.isfinite(value):
        # The nearest number that there is; NaN has none.
        return None if math.isnan(value) else math.copysign(_GREATEST, value)
    if isinstance(value, Mapping):
        return {_nearest(key): _nearest(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_nearest(item) for item in value]
    return value
