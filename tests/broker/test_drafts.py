"""What was typed into a question and not sent: there again in the next run, for a day."""

from __future__ import annotations

import stat
from pathlib import Path

from elicit_tui.broker.drafts import FILE_NAME, KEPT_SECONDS, DraftFile
from elicit_tui.elicitation import accept, cancel
from elicit_tui.elicitation.guardian_settings import GuardianSettings
from elicit_tui.form.entry import Typed
from elicit_tui.guardian import Guardian
from tests.broker.conftest import form_request

GUARDIAN = Guardian(GuardianSettings())
CANCELLED = cancel("user", "The person dismissed the question.")


class Clock:
    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


def leave_behind(path: Path, clock: Clock, **typed: str) -> None:
    drafts = DraftFile(path, GUARDIAN, clock)
    draft = drafts.of(form_request())
    draft.write({name: Typed(text) for name, text in typed.items()}, frozenset(typed))
    assert drafts.ended(form_request(), CANCELLED)


def test_it_is_back_in_the_next_run_of_the_same_question_only(tmp_path: Path) -> None:
    clock = Clock()
    leave_behind(tmp_path, clock, colour="bl")
    again = DraftFile(tmp_path, GUARDIAN, clock)
    assert again.of(form_request()).entries == {"colour": Typed("bl")}
    assert not again.of(form_request("Which other colour?")).typed
    assert stat.S_IMODE((tmp_path / FILE_NAME).stat().st_mode) == 0o600


def test_a_day_later_it_is_forgotten(tmp_path: Path) -> None:
    clock = Clock()
    leave_behind(tmp_path, clock, colour="bl")
    clock.now += KEPT_SECONDS + 1
    assert not DraftFile(tmp_path, GUARDIAN, clock).of(form_request()).typed


def test_what_was_sent_is_forgotten(tmp_path: Path) -> None:
    clock = Clock()
    leave_behind(tmp_path, clock, colour="bl")
    drafts = DraftFile(tmp_path, GUARDIAN, clock)
    drafts.of(form_request())
    sent = accept("user", "The person sent the form.", {"colour": "blue"}, via="inline")
    assert not drafts.ended(form_request(), sent)
    assert not (tmp_path / FILE_NAME).exists()


def test_a_value_that_looks_like_a_secret_is_never_written(tmp_path: Path) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    leave_behind(tmp_path, Clock(), colour=secret)
    file = tmp_path / FILE_NAME
    assert not file.exists() or secret not in file.read_text()


def test_a_file_that_cannot_be_read_is_no_draft(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_text('{"paint": [1, 2')
    assert not DraftFile(tmp_path, GUARDIAN).of(form_request()).typed
