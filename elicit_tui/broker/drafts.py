"""The drafts of a run: found again when the same server asks the same thing anew.

A draft belongs to one question as long as that is open, whatever else is asked in the same words;
once it is over, the next that asks the same takes it over. Not after the person ended the
question in its own form: what was sent, declined or dismissed there on purpose is over. Every other
end (withdrawn, out of time, shut down, muted) keeps what was typed. Those of `call` outlive their
run: for a day, in private files, without what seems secret. Each question has a file of its own, so
that neither questions nor runs which end together lose each other's.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation import Draft, ElicitationRequest, Outcome
from elicit_tui.errors import StoreError
from elicit_tui.paths import replace_file
from elicit_tui.text.hostile_json import digest

if TYPE_CHECKING:
    from elicit_tui.broker.reviewing import Guardian
    from elicit_tui.form.field import Entry

FOLDER_NAME: Final = "drafts"
KEPT_SECONDS: Final = 86_400.0
MOST_BYTES: Final = 1_000_000
"""Of one draft."""
MOST_DRAFTS: Final = 100


def _never() -> bool:
    return False


@dataclass
class _Open:
    """The draft of a question that has no outcome yet."""

    key: tuple[str, str]
    draft: Draft
    is_over: Callable[[], bool]
    is_taken: bool = False
    """Another question goes on with it, as this one was over."""


@dataclass(frozen=True)
class _Left:
    """What a question that is over left."""

    request_id: str
    draft: Draft


class Drafts:
    """The drafts of open questions, and what ended ones left; in memory for this run.

    What is left is found by server, mode, message and what is asked for.
    """

    def __init__(self) -> None:
        self._open: dict[str, _Open] = {}
        """By the id of the request."""
        self._left: dict[tuple[str, str], list[_Left]] = {}
        """In the order in which their questions ended."""
        self._alike: dict[tuple[str, str], dict[str, _Open]] = {}
        """The open ones again, by what is asked: a thousand may be open, few are alike."""

    @staticmethod
    def key(request: ElicitationRequest) -> tuple[str, str]:
        """The server's configured name, and the digest of all that it asks."""
        return request.server.name, request.digest_of_what_is_asked

    def draft_for(self, request: ElicitationRequest, is_over: Callable[[], bool] = _never) -> Draft:
        """The draft of this question: what the last one like it left, or a new one.

        It is this question's alone until `forget_or_keep`; or until it `is_over`, ended from
        outside and on its way there: its server may ask the same again at once.
        """
        held = self._open.get(request.id)
        if held is None:
            key = self.key(request)
            draft = self._take_over(request, key) or Draft()
            held = self._open[request.id] = _Open(key, draft, is_over)
            self._alike.setdefault(key, {})[request.id] = held
        return held.draft

    def _take_over(self, request: ElicitationRequest, key: tuple[str, str]) -> Draft | None:
        """What the last question like it left; no other one gets it any more."""
        left = self._last_left(key)
        return None if left is None else left.draft

    def _last_left(self, key: tuple[str, str]) -> _Left | None:
        for request_id, held in reversed(self._alike.get(key, {}).items()):
            if held.draft.typed and not held.is_taken and held.is_over():
                held.is_taken = True
                held.draft.opened = False
                # The same one: the last letters are written into it as its form goes.
                return _Left(request_id, held.draft)
        left = self._left.get(key)
        if left is None:
            return None
        last = left.pop()
        if not left:
            del self._left[key]
        return last

    def forget_or_keep(self, request: ElicitationRequest, outcome: Outcome) -> bool:
        """Forget what was ended on purpose; whether anything typed in it is still kept."""
        held = self._open.pop(request.id, None)
        if held is None:
            return False  # It ended before anybody was asked: what is left stays.
        alike = self._alike[held.key]
        del alike[request.id]
        if not alike:
            del self._alike[held.key]
        draft = held.draft
        if held.is_taken:
            return draft.typed
        if _ended_on_purpose(outcome):
            draft.clear()
        draft.opened = False
        if draft.typed:
            self._left.setdefault(held.key, []).append(_Left(request.id, draft))
        self._ended(request, draft)
        return draft.typed

    def _ended(self, request: ElicitationRequest, draft: Draft) -> None:
        """Its question has ended, and what was to be forgotten is."""


def _ended_on_purpose(outcome: Outcome) -> bool:
    """Whether somebody ended the question through a face, not the run around it."""
    if outcome.via is None:
        return False
    return outcome.action in ("accept", "decline") or outcome.decided_by == "user"


class DraftFiles(Drafts):
    """Drafts that are found again by the next run; a file that cannot be used is no error.

    What reads and writes them is loaded for the first question: most calls ask nothing.
    """

    def __init__(
        self, directory: Path, guardian: Guardian, clock: Callable[[], float] = time.time
    ) -> None:
        super().__init__()
        self._folder = directory / FOLDER_NAME
        self._guardian = guardian
        self._clock = clock

    def _take_over(self, request: ElicitationRequest, key: tuple[str, str]) -> Draft | None:
        """What the last question like it left, also in another run; its file is this one's now."""
        if (left := self._last_left(key)) is not None:
            self._hand_on(self._file(request, left.request_id), request)
            return left.draft
        for file in self._left_by_others(request, key):
            if (draft := self._read(file)) is not None:
                self._hand_on(file, request)
                return draft
        return None

    def _ended(self, request: ElicitationRequest, draft: Draft) -> None:
        """Keep on disk too what was not forgotten."""
        self._write(request, draft if draft.typed else None)

    def _file(self, request: ElicitationRequest, request_id: str | None = None) -> Path:
        """Where the draft of this question is kept, or of one like it with another id."""
        own = digest(request.id if request_id is None else request_id)
        return self._folder / f"{digest(self.key(request))}-{own}.json"

    def _left_by_others(self, request: ElicitationRequest, key: tuple[str, str]) -> list[Path]:
        """The files of questions like it that are not open in this run, the newest first."""
        asked = digest(key)
        open_here = {self._file(request, request_id) for request_id in self._alike.get(key, {})}
        try:
            # A pattern would be compiled anew for each question of a burst.
            found = (file for file in self._folder.iterdir() if file.name.startswith(asked))
            aged = [(file.stat().st_mtime_ns, file) for file in found if file not in open_here]
        except OSError:
            return []  # Another run takes them away just now.
        return [file for _, file in sorted(aged, reverse=True)]

    def _hand_on(self, file: Path, request: ElicitationRequest) -> None:
        """Have the file of an ended question stand for this one, which ends it in its turn."""
        with suppress(OSError):  # What held only secrets has none.
            file.replace(self._file(request))

    def _read(self, file: Path) -> Draft | None:
        """The draft that is kept there and not older than a day."""
        from elicit_tui.store.nouns import noun_of

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
        from elicit_tui.store.nouns import written

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
        from elicit_tui.form.field import Typed

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
