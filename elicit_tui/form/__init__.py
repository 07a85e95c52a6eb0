"""requestedSchema to a form, raw input to content, and the one judge of both.

`schema_reading.read_form` turns any JSON value into a `Form` (or its refusal). Widgets, plain
prompts and answers files hold `Entry` values by field name; `Form.convert` turns them into content
and `Form.judge` is the only verdict on content, whoever answered. jsonschema and regex are loaded
when something is judged for the first time. Importing this package loads nothing.
"""
