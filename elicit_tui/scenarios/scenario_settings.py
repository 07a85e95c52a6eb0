"""The owner's settings as a scenario has them: its answers in place of rules, hooks and waits.

What an administrator has locked holds here too.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from elicit_tui.elicitation.eras import Revision
from elicit_tui.elicitation.settings import ServerSettings, Settings
from elicit_tui.errors import UsageError

QUESTIONS_A_MINUTE: Final = 10_000
"""What nobody reads costs no attention, and many ways are asked over one connection."""


def scenario_settings(settings: Settings, server: str, era: Revision, seconds: float) -> Settings:
    """Those of a scenario of this server alone, whose calls and questions have so many seconds.

    Raises UsageError for a revision other than that of a server of managed configuration.
    """
    place = _in_era(settings.servers[server], era)
    limit = place.tool_timeout_sec if place.layer == "managed" else 0
    # The scenario's own time, in which nobody has to read anything.
    place = replace(place, tool_timeout_sec=_sooner(seconds, limit))
    asking = settings.elicitation
    limit = asking.timeout_sec if settings.origin("elicitation.timeout_sec").locked else 0
    asking = replace(asking, timeout_sec=_sooner(seconds, limit))
    if not settings.origin("elicitation.limits.per_minute").locked:
        asking = replace(asking, limits=replace(asking.limits, per_minute=QUESTIONS_A_MINUTE))
    return replace(
        settings,
        servers={server: place},
        elicitation=asking,
        # Rules of the user would answer in place of the scenario; those of an administrator hold
        # always.
        rules=tuple(rule for rule in settings.rules if rule.layer == "managed"),
        hooks=tuple(hook for hook in settings.hooks if hook.layer == "managed"),
    )


def _in_era(place: ServerSettings, era: Revision) -> ServerSettings:
    if era in ("auto", place.protocol):
        return place
    if place.layer == "managed":
        raise UsageError(
            f"{place.key('protocol')} is locked by managed configuration: its scenarios are tried "
            f"in no other revision than {place.protocol}."
        )
    return replace(place, protocol=era)


def _sooner(seconds: float, limit: float) -> float:
    """The shorter of both; 0 is no limit."""
    return min(seconds, limit or seconds)
