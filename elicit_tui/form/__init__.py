"""requestedSchema to a form, raw input to content, and the one judge of both.

`read_form` turns any JSON value into a `Form` (or its refusal). Widgets, plain prompts and
answers files hold `Entry` values by field name; `Form.convert` turns them into content and
`Form.judge` is the only verdict on content, whoever answered. jsonschema and regex are loaded
when something is judged for the first time, and every other name when it is used.
"""

from typing import TYPE_CHECKING

from elicit_tui.on_demand import from_modules

if TYPE_CHECKING:
    from elicit_tui.form.conversion import entry_for
    from elicit_tui.form.field import (
        MISSING,
        Choice,
        Chosen,
        ChosenMany,
        EmptyOnPurpose,
        Entry,
        Field,
        Kind,
        Problem,
        Ticked,
        Typed,
        Unset,
        is_unset,
    )
    from elicit_tui.form.form import NEEDS_ANSWER, Conversion, Form, problem_in
    from elicit_tui.form.plain_text import entry_from_text
    from elicit_tui.form.schema_reading import read_form
    from elicit_tui.form.sendable import Purpose

__all__ = [
    "MISSING",
    "NEEDS_ANSWER",
    "Choice",
    "Chosen",
    "ChosenMany",
    "Conversion",
    "EmptyOnPurpose",
    "Entry",
    "Field",
    "Form",
    "Kind",
    "Problem",
    "Purpose",
    "Ticked",
    "Typed",
    "Unset",
    "entry_for",
    "entry_from_text",
    "is_unset",
    "problem_in",
    "read_form",
]

__getattr__ = from_modules(
    __name__,
    __all__,
    ("field", "conversion", "form", "plain_text", "sendable", "schema_reading"),
)
