"""`--record`: what a person answered, as an answers file; and entries to paste into one."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Final

from elicit_tui.broker import Resolved
from elicit_tui.cli.narration import Narration
from elicit_tui.config.answer_entry import ready_entry, recorded_entry
from elicit_tui.errors import UsageError
from elicit_tui.paths import create_private
from elicit_tui.text import neutral_line

HEAD: Final = "# Recorded by elicit-tui; use it with --answers.\n"


class Recording:
    """A new private file that gets one entry for each decision of the person, as it is made.

    Whatever ends the run, the answers before it are there.
    """

    def __init__(self, path: Path, stream: IO[bytes]) -> None:
        self._path = path
        self._stream = stream
        self._written = 0
        """How many answers stand in the file, which ends behind the last of them."""
        self._end = 0
        self._waiting: list[bytes] = []
        """Entries that could not be written yet."""
        self._failure: OSError | None = None

    @classmethod
    def create(cls, path: Path) -> Recording:
        """Create the file, 0600, before anything is asked. Raises UsageError if one is there."""
        try:
            return cls(path, create_private(path))
        except FileExistsError:
            raise UsageError(f"--record: {path} exists already; nothing was written.") from None
        except OSError as error:
            raise UsageError(f"--record: {path} cannot be written: {error.strerror}") from None

    def note_answer(self, event: Resolved) -> None:
        """Write what the person decided, in order, once it is sure that it goes out."""
        # A question that ends since the call is cancelled, or its server muted, was not answered
        # (no `via`).
        by_person = event.outcome.decided_by == "user" and event.outcome.via is not None
        if by_person and event.request.traits.from_server:
            entry = "\n" + self._entry(event)
            self._waiting.append(entry.encode("utf-8", "backslashreplace"))
            self._write()

    def _write(self) -> None:
        """Write what waits; an entry stands in the file whole or not at all."""
        # Past the buffer of the stream, so that what stands in the file is known after each write.
        descriptor = self._stream.fileno()
        try:
            while self._waiting:
                entry = self._waiting[0] if self._end else HEAD.encode() + self._waiting[0]
                rest = memoryview(entry)
                while rest:
                    # The system may take a part of it at a time.
                    rest = rest[os.write(descriptor, rest) :]
                self._end += len(entry)
                self._written += 1
                del self._waiting[0]
        except OSError as error:
            self._failure = error
            # A piece of an entry is taken back. It waits, and is tried again with the next one.
            with suppress(OSError):
                os.ftruncate(descriptor, self._end)
                os.lseek(descriptor, self._end, os.SEEK_SET)

    def finish(self, narration: Narration) -> UsageError | None:
        """Close the file and say what it holds, or why it lacks answers; without one it is gone."""
        # Once more, as there may be room by now.
        self._write()
        self._stream.close()
        if not self._written:
            # So that the next try finds no file in its way.
            self._path.unlink(missing_ok=True)
        if self._waiting and self._failure is not None:
            answers = self._written + len(self._waiting)
            return UsageError(
                f"--record: {self._path} cannot be written: {self._failure.strerror}; "
                f"{self._written} of {answers} answers recorded."
            )
        if not self._written:
            narration.tell("nothing was answered, so nothing was recorded")
        else:
            count = "1 answer" if self._written == 1 else f"{self._written} answers"
            narration.tell(f"{count} recorded in {self._path}")
        return None

    def _entry(self, answer: Resolved) -> str:
        """One decision as TOML, in its place; where no entry can give the answer, that is said."""
        request, review, outcome = answer.request, answer.review, answer.outcome
        action = outcome.action or "cancel"
        entry = recorded_entry(request, action, outcome.content, review, _withheld(answer))
        if action != "accept":
            return entry
        if request.mode == "url":
            return f"# You agreed to a page. No entry can: a person has to.\n{entry}"
        if review.verdict == "block":
            return f"# No entry can accept what the guardian blocks.\n{entry}"
        return entry


def _withheld(answer: Resolved) -> dict[str, str]:
    """The fields whose values must not be written, each with the reason."""
    review = answer.review
    # Findings name a field as it is told, neutral and of that length: names are compared as such.
    found = {finding.where: finding.rule for finding in review.outgoing}
    withheld = {}
    for name in answer.outcome.content or {}:
        rule = found.get(neutral_line(f"content.{name}", 120))
        if rule is not None:
            withheld[name] = f"it looks like a secret ({rule})"
        elif review.masks(name):
            withheld[name] = "the guardian calls it sensitive"
    return withheld


def missing_entries(unanswered: Sequence[Resolved], answers_file: Path) -> str:
    """What to paste into an answers file for these questions, with why it was needed."""
    count = "One question has" if len(unanswered) == 1 else f"{len(unanswered)} questions have"
    where = f"{answers_file}, before any other entry that matches"
    lines = [f"elicit-tui: {count} no valid answer. To paste into {where}:", ""]
    for event in unanswered:
        lines += [f"# {event.outcome.reason}", ready_entry(event.request, event.review)]
    return "\n".join(lines)
