"""Which widget shows which kind of field."""

from __future__ import annotations

from elicit_tui.form import Entry, Field, Typed
from elicit_tui.tui.widgets.choice_search import ChoiceSearch
from elicit_tui.tui.widgets.choices import ChoiceStrip
from elicit_tui.tui.widgets.control import FieldControl
from elicit_tui.tui.widgets.date_line import DateLine
from elicit_tui.tui.widgets.number_line import NumberLine
from elicit_tui.tui.widgets.refusal import Refusal
from elicit_tui.tui.widgets.text_block import TextBlock
from elicit_tui.tui.widgets.text_line import TextLine

SHORT_LIST = 6
"""A select with more choices than this gets a search line."""


def control_for(spec: Field, entry: Entry) -> FieldControl:
    """A new widget for this field, showing this entry."""
    if spec.kind == "unsupported":
        return Refusal(spec, entry)
    if spec.kind == "boolean":
        return ChoiceStrip(spec, entry)
    if spec.kind in ("single", "multi") and not spec.each_line:
        return (ChoiceStrip if len(spec.choices) <= SHORT_LIST else ChoiceSearch)(spec, entry)
    if spec.kind in ("number", "integer"):
        return NumberLine(spec, entry)
    if spec.kind in ("date", "date-time"):
        return DateLine(spec, entry)
    several_lines = isinstance(entry, Typed) and "\n" in entry.text
    if spec.multiline or spec.each_line or several_lines:
        return TextBlock(spec, entry)
    return TextLine(spec, entry)
