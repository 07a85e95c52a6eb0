"""The rules, one module a family."""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from typing import Final

from elicit_tui.guardian.rule import GuardianRule

_FAMILIES: Final = ["credentials", "private", "destructive", "deception", "hidden", "url", "schema"]


@lru_cache(maxsize=1)
def all_rules() -> tuple[GuardianRule, ...]:
    """Every rule of the house, by family."""
    return tuple(
        rule for family in _FAMILIES for rule in import_module(f"{__name__}.{family}").RULES
    )
