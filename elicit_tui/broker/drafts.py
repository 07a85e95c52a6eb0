"""The drafts of a run: found again when the same server asks the same thing anew.

Those of `call` outlive their run: in a private file, for a day, without what seems secret.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from elicit_tui.elicitation import Draft, ElicitationRequest, Outcome
from elicit_tui.errors import StoreError
from elicit_tui.paths import replace_file
from elicit_tui.text.digest import digest

if TYPE_CHECKING:
    from elicit_tui.broker.contracts import Guardian
    from elicit_tui.form import Entry

FILE_NAME: Final = "drafts.json"
KEPT_SECONDS: Final = 86_400.0
MOST_BYTES: Final = 1_000_000


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


class DraftFile(Drafts):
    """Drafts that are found again by the next run; a file that cannot be used is no error."""

    def __init__(
        self, directory: Path, guardian: Guardian, clock: Callable[[], float] = time.time
    ) -> None:
        super().__init__()
        self._path = directory / FILE_NAME
        self._guardian = guardian
        self._clock = clock

    def of(self, request: ElicitationRequest) -> Draft:
        """The draft of this question: what was typed before, also in another run."""
        draft = super().of(request)
        if not draft.typed and (kept := self._read().get(self._name(request))) is not None:
            from elicit_tui.store.nouns import read

            try:
                found = read(Draft, json.dumps(kept["draft"]).encode())
            except (StoreError, KeyError, TypeError):
                return draft  # Written by another version.
            draft.write(found.entries, found.touched)
        return draft

    def ended(self, request: ElicitationRequest, outcome: Outcome) -> bool:
        """Forget what was answered or declined; keep what was not, on disk too."""
        typed = super().of(request)
        kept = super().ended(request, outcome)
        self._write(request, typed if kept else None)
        return kept

    @staticmethod
    def _name(request: ElicitationRequest) -> str:
        return " ".join(Drafts.key(request))

    def _read(self) -> dict[str, Any]:
        """What is kept and not older than a day."""
        try:
            if self._path.stat().st_size > MOST_BYTES:
                return {}
            kept = json.loads(self._path.read_bytes())
            oldest = self._clock() - KEPT_SECONDS
            return {name: one for name, one in kept.items() if one["at"] >= oldest}
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return {}

    def _write(self, request: ElicitationRequest, draft: Draft | None) -> None:
        kept = self._read()
        entries = {} if draft is None else self._harmless(request, draft.entries)
        touched = frozenset() if draft is None else draft.touched & set(entries)
        changed = kept.pop(self._name(request), None) is not None
        if touched:
            from elicit_tui.store.nouns import written

            noun = json.loads(written(Draft(entries, touched)))
            kept[self._name(request)] = {"at": self._clock(), "draft": noun}
        if touched or changed:
            self._replace(kept)

    def _harmless(
        self, request: ElicitationRequest, entries: Mapping[str, Entry]
    ) -> dict[str, Entry]:
        """The entries without those that the guardian would mask or warn of."""
        from elicit_tui.form import Typed

        review = self._guardian.review(request)
        harmless = {}
        for name, entry in entries.items():
            if isinstance(entry, Typed):
                content = {name: entry.text}
                if review.masked(content) != content or self._guardian.outgoing(content, None):
                    continue
            harmless[name] = entry
        return harmless

    def _replace(self, kept: Mapping[str, Any]) -> None:
        try:
            if not kept:
                self._path.unlink(missing_ok=True)
                return
            replace_file(self._path, json.dumps(kept).encode("ascii"))
        except OSError:
            return  # The draft is lost with the run, as without a file.
