"""What of an answer may be kept and told: the record, the document and every face ask here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from elicit_tui.elicitation.finding import MASK, Review
from elicit_tui.elicitation.settings import ContentPolicy
from elicit_tui.elicitation.shapes import is_secret_name, masked, secrets_in

_DEEPEST: Final = 16


def kept_content(
    content: Mapping[str, Any] | None, review: Review, policy: ContentPolicy
) -> dict[str, Any] | None:
    """Accepted content as `history.content` lets it be kept and told; None where nothing may be.

    `redacted` masks the fields that the guardian calls sensitive, those of which an outgoing
    finding says that their value looks like a secret, and inside every other text whatever looks
    like one, also where the outgoing look is off.
    """
    if content is None or policy == "none":
        return None
    if policy == "full":
        return dict(content)
    return {
        _without_secrets(name, 0): value if value is MASK else _without_secrets(value, 0)
        for name, value in review.masked(content).items()
    }


def kept_arguments(
    arguments: Mapping[str, Any], review: Review, policy: ContentPolicy
) -> dict[str, Any] | None:
    """What a tool was to be called with, as `kept_content`; None where nothing may be kept.

    No form tells which of them are secrets: what is called like one is masked, however deep.
    """
    named = dict(arguments) if policy == "full" else _without_named(arguments, 0)
    return kept_content(named, review, policy)


def _without_named(value: Any, depth: int) -> Any:
    if depth >= _DEEPEST:
        return MASK
    if isinstance(value, Mapping):
        return {
            name: MASK if is_secret_name(str(name)) else _without_named(item, depth + 1)
            for name, item in value.items()
        }
    if isinstance(value, (list, tuple)):
        return [_without_named(item, depth + 1) for item in value]
    return value


def _without_secrets(value: Any, depth: int) -> Any:
    if isinstance(value, str):
        return masked(value)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return MASK if secrets_in(str(value)) else value
    if depth < _DEEPEST and isinstance(value, Mapping):
        return {name: _without_secrets(item, depth + 1) for name, item in value.items()}
    if depth < _DEEPEST and isinstance(value, (list, tuple)):
        return [_without_secrets(item, depth + 1) for item in value]
    return value if value is None or isinstance(value, bool) else MASK
