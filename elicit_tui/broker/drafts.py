"""The drafts of a run: found again when the same server asks the same thing anew.

Not after the person ended the question in its own form: what was sent, declined or dismissed there
on purpose is over. Every other end (withdrawn, out of time, shut down, muted) keeps what was typed.
Those of `call` outlive their run: for a day, in private files, without what seems secret. Each
question has a file of its own, so that runs which end together leave each other's alone.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from elicit_tui.elicitation import Draft, ElicitationRequest, Outcome
from elicit_tui.errors import StoreError
from elicit_tui.form.field import Typed
from elicit_tui.paths import replace_file
from elicit_tui.store.nouns import noun_of, written
from elicit_tui.text.hostile_json import digest

if TYPE_CHECKING:
    from elicit_tui.broker.contracts import Guardian
    from elicit_tui.form.field import Entry

FOLDER_NAME: Final = "drafts"
KEPT_SECONDS: Final = 86_400.0
MOST_BYTES: Final = 1_000_000
"""Of one draft."""
MOST_DRAFTS: Final = 100


class Drafts:
    """Drafts by server, mode, message and what is asked for; kept in memory for this run."""

    def __init__(self) -> None:
        self._drafts: dict[tuple[str, str], Draft] = {}

    @staticmethod
    def key(request: ElicitationRequest) -> tuple[str, str]:
        """The server's configured name, and the digest of all that it asks."""
        asked = {"message": request.message, "schema": request.requested_schema, "url": request.url}
        return request.server.name, digest({"mode": request.mode, **asked})

    def draft_for(self, request: ElicitationRequest) -> Draft:
        """The draft of this question: what was typed before, or a new one, kept from now on."""
        return self._drafts.setdefault(self.key(request), Draft())

    def forget_or_keep(self, request: ElicitationRequest, outcome: Outcome) -> bool:
        """Forget what was ended on purpose; whether anything typed is still kept."""
        draft = self._drafts.get(self.key(request))
        if draft is None:
            return False
        if _ended_on_purpose(outcome):
            draft.clear()
        draft.opened = False
        if not draft.typed:
            del self._drafts[self.key(request)]
        return draft.typed


def _ended_on_purpose(outcome: Outcome) -> bool:
    """Whether somebody ended the question through a face, not the run around it."""
    if outcome.via is None:
        return False
    return outcome.action in ("accept", "decline") or outcome.decided_by == "user"


class DraftFiles(Drafts):
    """Drafts that are found again by the next run; a file that cannot be used is no error."""

    def __init__(
        self, directory: Path, guardian: Guardian, clock: Callable[[], float] = time.time
    ) -> None:
        super().__init__()
        self._folder = directory / FOLDER_NAME
        self._guardian = guardian
        self._clock = clock

    def draft_for(self, request: ElicitationRequest) -> Draft:
        """The draft of this question: what was typed before, also in another run."""
        draft = super().draft_for(request)
        if not draft.typed and (kept := self._read(self._file(request))) is not None:
            draft.write(kept.entries, kept.touched)
        return draft

    def forget_or_keep(self, request: ElicitationRequest, outcome: Outcome) -> bool:
        """Forget what was ended on purpose; keep what was not, on disk too."""
        # The very draft that `super` clears or keeps, not a copy.
        draft = self._drafts.get(self.key(request))
        if draft is None:
            return False  # It ended before anybody was asked: what another run left stays.
        is_kept = super().forget_or_keep(request, outcome)
        self._write(request, draft if is_kept else None)
        return is_kept

    def _file(self, request: ElicitationRequest) -> Path:
        return self._folder / f"{digest(self.key(request))}.json"

    def _read(self, file: Path) -> Draft | None:
        """The draft that is kept there and not older than a day."""
        try:
            if file.stat().st_size > MOST_BYTES:
                return None
            kept = json.loads(file.read_bytes())
            if kept["at"] < self._clock() - KEPT_SECONDS:
                return None
            return noun_of(Draft, kept["draft"])
        except (OSError, ValueError, KeyError, TypeError, RecursionError, StoreError):
            return None  # It cannot be read, or another version wrote it.

    def _write(self, request: ElicitationRequest, draft: Draft | None) -> None:
        entries = {} if draft is None else self._harmless(request, draft.entries)
        # A draft of nothing but secrets, or one that nobody touched, leaves no file; an older one
        # goes.
        touched = frozenset() if draft is None else draft.touched & set(entries)
        try:
            if touched:
                draft_file = written({"at": self._clock(), "draft": Draft(entries, touched)})
                replace_file(self._file(request), draft_file)
            else:
                self._file(request).unlink(missing_ok=True)
            self._clear_away()
        except OSError:
            return  # The draft is lost with the run, as without a file.

    def _clear_away(self) -> None:
        """Remove what is older than a day, or one too many; raises OSError."""
        newest_first = sorted(
            ((file.stat().st_mtime, file) for file in self._folder.glob("*.json")), reverse=True
        )
        for number, (written_at, file) in enumerate(newest_first):
            if number >= MOST_DRAFTS or written_at < self._clock() - KEPT_SECONDS:
                file.unlink(missing_ok=True)

    def _harmless(
        self, request: ElicitationRequest, entries: Mapping[str, Entry]
    ) -> dict[str, Entry]:
        """The entries without those that the guardian would mask or warn of."""
        review = self._guardian.review(request)
        harmless = {}
        for name, entry in entries.items():
            if isinstance(entry, Typed):
                content = {name: entry.text}
                # Asked twice: what the form wants may be a secret whatever is typed, and what was
                # typed may look like one in a harmless field.
                if review.masked(content) != content or self._guardian.outgoing(content, None):
                    continue
            harmless[name] = entry
        return harmless
