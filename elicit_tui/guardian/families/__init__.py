"""The rules, one module a family."""

from __future__ import annotations

from functools import lru_cache

from elicit_tui.guardian.rule import GuardianRule


@lru_cache(maxsize=1)
def all_rules() -> tuple[GuardianRule, ...]:
    """Every rule of the house, by family."""
    from elicit_tui.guardian.families import (
        credentials,
        deception,
        destructive,
        exfiltration,
        hidden,
        look_alike,
        mistakes,
        payments,
        personal,
        schema,
        url,
    )

    return (
        *credentials.RULES,
        *personal.RULES,
        *exfiltration.RULES,
        *destructive.RULES,
        *payments.RULES,
        *deception.RULES,
        *hidden.RULES,
        *url.RULES,
        *look_alike.RULES,
        *schema.RULES,
        *mistakes.RULES,
    )
