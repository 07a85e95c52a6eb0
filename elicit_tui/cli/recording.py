"""`--record`: what a person answered, as an answers file; and entries to paste into one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING

from elicit_tui.broker import Resolved
from elicit_tui.cli.narration import Narration
from elicit_tui.elicitation import Responder
from elicit_tui.errors import UsageError
from elicit_tui.responders import AnswerRecorder

if TYPE_CHECKING:
    from elicit_tui.runtime.runtime import LazyGuardian


class Recording:
    """A new private file that gets one entry for each decision of the person."""

    def __init__(self, path: Path, stream: IO[bytes]) -> None:
        self._path = path
        self._stream = stream
        self._recorder: AnswerRecorder | None = None
        self._guardian: LazyGuardian | None = None

    @classmethod
    def create(cls, path: Path) -> Recording:
        """Create the file, 0600, before anything is asked. Raises UsageError if one is there."""
        from elicit_tui.paths import create_private

        try:
            return cls(path, create_private(path))
        except FileExistsError:
            raise UsageError(f"--record: {path} exists already; nothing was written.") from None
        except OSError as error:
            raise UsageError(f"--record: {path} cannot be written: {error.strerror}") from None

    def around(self, responder: Responder, guardian: LazyGuardian) -> Responder:
        """The responder, with its answers recorded."""
        self._guardian = guardian
        self._recorder = AnswerRecorder(responder)
        return self._recorder

    def write(self, narration: Narration) -> None:
        """Write the file, and say so."""
        from elicit_tui.cli.answer_entries import entry_of_answer

        answers = self._recorder.answers if self._recorder is not None else ()
        entries = [
            entry_of_answer(answer, self._guardian.outgoing if self._guardian else None)
            for answer in answers
        ]
        head = "# Recorded by elicit-tui; use it with --answers.\n"
        text = "\n".join([head, *entries]) if entries else head + "# Nobody was asked anything.\n"
        with self._stream as stream:
            stream.write(text.encode("utf-8", "backslashreplace"))
        narration.say(f"elicit-tui: {len(entries)} answers recorded in {self._path}")


def missing_entries(unanswered: Sequence[Resolved], answers_file: Path) -> str:
    """What to paste into an answers file for these questions, with why it was needed."""
    from elicit_tui.cli.answer_entries import entry_to_fill

    count = "One question has" if len(unanswered) == 1 else f"{len(unanswered)} questions have"
    lines = [f"elicit-tui: {count} no valid answer in {answers_file}. To paste there:", ""]
    for event in unanswered:
        lines += [f"# {event.outcome.reason}", entry_to_fill(event.request, event.review)]
    return "\n".join(lines)
