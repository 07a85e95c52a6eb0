"""Hostile text made harmless: what every screen, log line, record and data line is made of.

`neutral` and `neutral_line` for people, `quoted`, `name_line` and `as_name` for names that servers
give, `stand_in` for a field that is edited, `neutral_value` for records, `readable_json` for values
that people read, `ascii_json` for data, `ci_safe` for a build's log.
What counts as active is defined in `elicit_tui.text.active`, what cannot be seen in
`elicit_tui.text.deceptive` (`looks_blank`; `without_controls` for what a person enters).
`in_figures` writes a number, `in_seconds` puts a span of time in words, `countdown` shows how much
of one is left, `local_time` when it was.
"""

from elicit_tui.text.data import ascii_json, neutral_value, readable_json
from elicit_tui.text.deceptive import controls_left_out, looks_blank, without_controls
from elicit_tui.text.duration import countdown, in_figures, in_seconds, local_time
from elicit_tui.text.neutral import (
    CUT_ENDS,
    as_name,
    ci_safe,
    name_line,
    neutral,
    neutral_line,
    quoted,
    quoted_name,
    stand_in,
)

__all__ = [
    "CUT_ENDS",
    "as_name",
    "ascii_json",
    "ci_safe",
    "controls_left_out",
    "countdown",
    "in_figures",
    "in_seconds",
    "local_time",
    "looks_blank",
    "name_line",
    "neutral",
    "neutral_line",
    "neutral_value",
    "quoted",
    "quoted_name",
    "readable_json",
    "stand_in",
    "without_controls",
]
