"""An outcome as the wire spells it, in either era."""

from __future__ import annotations

from typing import Any, Final

from elicit_tui.elicitation import Outcome

REFUSED: Final = "Invalid elicitation request"
"""All that a server is told about what was wrong: the details are for the person."""


def elicit_result(outcome: Outcome) -> dict[str, Any]:
    """The ElicitResult of an outcome that has an action (spec: client/elicitation, "Response")."""
    result: dict[str, Any] = {"action": outcome.action}
    if outcome.action == "accept" and outcome.content is not None:
        result["content"] = dict(outcome.content)
    result["_meta"] = outcome.public_meta
    return result
