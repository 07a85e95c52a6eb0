"""Which arguments of a call are secrets, and a call's arguments as they may be shown."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from elicit_tui.elicitation.finding import MASK
from elicit_tui.elicitation.shapes import is_secret_name
from elicit_tui.form.field import Field
from elicit_tui.form.shape import says_secret


def is_secret(name: str, marked: Collection[str]) -> bool:
    """Whether an argument is one: by its name, or because its schema says so (`marked`)."""
    return name in marked or is_secret_name(name)


def is_secret_field(field: Field) -> bool:
    """The same of a field of a form, by its schema."""
    return is_secret(field.name, (field.name,) if says_secret(field.schema) else ())


def shown_arguments(arguments: Mapping[str, Any], marked: Collection[str]) -> dict[str, Any]:
    """The arguments with a mask for each secret among them, however deep."""
    return {
        name: MASK if value not in ("", None) and is_secret(name, marked) else _shown(value, marked)
        for name, value in arguments.items()
    }


def _shown(value: Any, marked: Collection[str]) -> Any:
    if isinstance(value, Mapping):
        return shown_arguments(value, marked)
    return [_shown(item, marked) for item in value] if isinstance(value, list) else value
