"""The drafts of a run: found again when the same server asks the same thing anew."""

from __future__ import annotations

from elicit_tui.elicitation import Draft, ElicitationRequest, Outcome
from elicit_tui.text.digest import digest


class Drafts:
    """Drafts by server, mode, message and what is asked for; kept in memory for this run."""

    def __init__(self) -> None:
        self._drafts: dict[tuple[str, str], Draft] = {}

    @staticmethod
    def key(request: ElicitationRequest) -> tuple[str, str]:
        """The server's configured name, and the digest of all that it asks."""
        asked = {"message": request.message, "schema": request.requested_schema, "url": request.url}
        return request.server.name, digest({"mode": request.mode, **asked})

    def of(self, request: ElicitationRequest) -> Draft:
        """The draft of this question: what was typed before, or an empty one."""
        return self._drafts.setdefault(self.key(request), Draft())

    def ended(self, request: ElicitationRequest, outcome: Outcome) -> bool:
        """Forget what was answered or declined there; whether anything typed is still kept."""
        draft = self._drafts.get(self.key(request))
        if draft is None:
            return False
        if outcome.via is not None and outcome.action in ("accept", "decline"):
            draft.clear()
        draft.opened = False
        if not draft.typed:
            del self._drafts[self.key(request)]
        return draft.typed
