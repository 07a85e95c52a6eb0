"""`--record`: what a person answered, as an answers file; and entries to paste into one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

from elicit_tui.broker import Resolved
from elicit_tui.cli.narration import Narration
from elicit_tui.elicitation import Responder
from elicit_tui.errors import UsageError
from elicit_tui.responders import AnswerRecorder, RecordedAnswer

if TYPE_CHECKING:
    from elicit_tui.runtime.runtime import LazyGuardian

HEAD: Final = "# Recorded by elicit-tui; use it with --answers.\n"


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
        """Write the file, and say so; without an answer there is none."""
        answers = self._recorder.answers if self._recorder is not None else ()
        if not answers:
            self._stream.close()
            self._path.unlink(missing_ok=True)  # So that the next try finds no file in its way.
            narration.say("elicit-tui: nothing was answered, so nothing was recorded")
            return
        text = "\n".join([HEAD, *map(self._entry, answers)])
        with self._stream as stream:
            stream.write(text.encode("utf-8", "backslashreplace"))
        count = "1 answer" if len(answers) == 1 else f"{len(answers)} answers"
        narration.say(f"elicit-tui: {count} recorded in {self._path}")

    def _entry(self, answer: RecordedAnswer) -> str:
        """One decision as TOML; what no entry may do stands there as a comment."""
        from elicit_tui.config.answer_entry import recorded_entry

        question, outcome = answer.question, answer.outcome
        action = outcome.action or "cancel"
        entry = recorded_entry(
            question.request, action, outcome.content, question.review, self._withheld(answer)
        )
        if action != "accept":
            return entry
        if question.request.mode == "url":
            return _commented("You agreed to a page. No entry can: a person has to.", entry)
        if question.review.verdict == "block":
            return _commented("No entry can accept what the guardian blocks.", entry)
        return entry

    def _withheld(self, answer: RecordedAnswer) -> dict[str, str]:
        """The fields whose values must not be written, each with the reason."""
        request, review = answer.question.request, answer.question.review
        withheld = {}
        for name, value in (answer.content or {}).items():
            if review.masks(name):
                withheld[name] = "the guardian calls it sensitive"
            elif self._guardian is not None:
                found = self._guardian.outgoing({name: value}, request.requested_schema)
                if found:
                    withheld[name] = f"it looks like a secret ({found[0].rule})"
        return withheld


def _commented(why: str, entry: str) -> str:
    return "".join(f"# {line}\n" for line in (why, *entry.splitlines()))


def missing_entries(unanswered: Sequence[Resolved], answers_file: Path) -> str:
    """What to paste into an answers file for these questions, with why it was needed."""
    from elicit_tui.config.answer_entry import ready_entry

    count = "One question has" if len(unanswered) == 1 else f"{len(unanswered)} questions have"
    where = f"{answers_file}, before any other entry that matches"
    lines = [f"elicit-tui: {count} no valid answer. To paste into {where}:", ""]
    for event in unanswered:
        lines += [f"# {event.outcome.reason}", ready_entry(event.request, event.review)]
    return "\n".join(lines)
