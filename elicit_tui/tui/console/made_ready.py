"""What the first question needs, made ready while the console idles."""

from __future__ import annotations

from typing import Any, Final

from elicit_tui.elicitation import ElicitationRequest, ServerIdentity
from elicit_tui.host.sdk import ONE_AT_A_TIME

_SCHEMA: Final[dict[str, Any]] = {"type": "object", "properties": {"ready": {"type": "string"}}}


def make_ready(guardian: Any) -> None:
    """Load a question's rooms, the judge and the guardian, and let both look at a question once.

    Their words and patterns are read and compiled at their first use, which takes longer than
    all the rest of a question. For a thread: nothing here touches the screen.
    """
    with ONE_AT_A_TIME:
        import elicit_tui.tui.question  # noqa: F401 - loaded for the first question
        from elicit_tui.form.schema_reading import read_form

        form = read_form(_SCHEMA)
        form.convert(form.initial())
        if guardian is not None:
            nobody = ServerIdentity("", "stdio", "")
            request = ElicitationRequest(nobody, {"message": "", "requestedSchema": _SCHEMA})
            guardian.review(request)
