"""Which requests an entry of the owner is meant for: globs, case-sensitive; absent, all."""

from __future__ import annotations

from fnmatch import fnmatchcase

from elicit_tui.elicitation.request import ElicitationRequest


def fits(glob: str | None, text: str | None) -> bool:
    """Whether a glob fits a text; `[*]` is a literal star. What is not there fits no glob."""
    return glob is None or (text is not None and fnmatchcase(text, glob))


def fits_each_tool(glob: str | None, request: ElicitationRequest) -> bool:
    """Whether a glob fits the tool: of a question that may belong to several calls, each one's."""
    if glob is None:
        return True
    return bool(request.calls) and all(fits(glob, call.tool) for call in request.calls)
