"""What of an answer may be kept and told: the record, the document and every face ask here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from elicit_tui.elicitation.finding import MASK, Review
from elicit_tui.elicitation.settings import ContentPolicy
from elicit_tui.elicitation.shapes import (
    is_secret_name,
    masked,
    masked_throughout,
    secrets_in,
)

_DEEPEST: Final = 16


def kept_content(
    content: Mapping[str, Any] | None, review: Review, policy: ContentPolicy
) -> dict[str, Any] | None:
    """Accepted content as `history.content` lets it be kept and told; None where nothing may be.

    `redacted` masks the fields that the guardian calls sensitive, those of which an outgoing
    finding says that their value looks like a secret, and inside every other text whatever looks
    like one, also where the outgoing look is off.
    """
    return None if content is None else _kept(content, review, policy, masked, by_name=False)


def kept_arguments(
    arguments: Mapping[str, Any], review: Review, policy: ContentPolicy
) -> dict[str, Any] | None:
    """What a tool was to be called with, as `kept_content`; None where nothing may be kept.

    No form tells which of them are secrets: what is called like one is masked, however deep.
    """
    return _kept(arguments, review, policy, masked, by_name=True)


def kept_result(result: Mapping[str, Any], policy: ContentPolicy) -> dict[str, Any] | None:
    """What came back of a call, as `kept_arguments`, but its texts are kept however long they are.

    Takes about a second for a million characters.
    """
    return _kept(result, Review(), policy, masked_throughout, by_name=True)


_Mask = Callable[[str], str]


def _kept(
    content: Mapping[str, Any],
    review: Review,
    policy: ContentPolicy,
    mask: _Mask,
    *,
    by_name: bool,
) -> dict[str, Any] | None:
    if policy == "none":
        return None
    if policy == "full":
        return dict(content)
    return {
        _without_secrets(name, 0, mask, by_name): MASK
        if value is MASK or (by_name and is_secret_name(name))
        else _without_secrets(value, 0, mask, by_name)
        for name, value in review.masked(content).items()
    }


def _without_secrets(value: Any, depth: int, mask: _Mask, by_name: bool) -> Any:
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return MASK if secrets_in(str(value)) else value
    if depth < _DEEPEST and isinstance(value, Mapping):
        return {
            _without_secrets(name, depth + 1, mask, by_name): MASK
            if by_name and is_secret_name(str(name))
            else _without_secrets(item, depth + 1, mask, by_name)
            for name, item in value.items()
        }
    if depth < _DEEPEST and isinstance(value, (list, tuple)):
        return [_without_secrets(item, depth + 1, mask, by_name) for item in value]
    return value if value is None or isinstance(value, bool) else MASK
