"""Drafts that outlive a run of `call`: in a private file, for a day, without what seems secret."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

from elicit_tui.broker.drafts import Drafts
from elicit_tui.elicitation import Draft, ElicitationRequest, Finding, Outcome, Review
from elicit_tui.errors import StoreError
from elicit_tui.paths import new_private_file, private_directory

if TYPE_CHECKING:
    from elicit_tui.form import Entry

FILE_NAME: Final = "drafts.json"
KEPT_SECONDS: Final = 86_400.0
MOST_BYTES: Final = 1_000_000


class Looks(Protocol):
    """What tells a secret: the guardian."""

    def review(self, request: ElicitationRequest) -> Review:
        """All findings about one request."""

    def outgoing(self, content: Mapping[str, Any]) -> tuple[Finding, ...]:
        """Secrets that an answer seems to hold."""


class DraftFile(Drafts):
    """Drafts that are found again by the next run; a file that cannot be used is no error."""

    def __init__(
        self, directory: Path, guardian: Looks, clock: Callable[[], float] = time.time
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
                if review.masked(content) != content or self._guardian.outgoing(content):
                    continue
            harmless[name] = entry
        return harmless

    def _replace(self, kept: Mapping[str, Any]) -> None:
        try:
            directory = private_directory(self._path.parent)
            if not kept:
                self._path.unlink(missing_ok=True)
                return
            path, file = new_private_file(directory, "drafts", ".tmp")
            with file:
                file.write(json.dumps(kept).encode("ascii"))
            os.replace(path, self._path)  # noqa: PTH105 - atomic, whatever stands there
        except OSError:
            return  # The draft is lost with the run, as without a file.
