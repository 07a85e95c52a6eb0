"""What was typed into a question and not sent: there again in the next run, for a day."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from elicit_tui.broker.drafts import (
    FOLDER_NAME,
    KEPT_SECONDS,
    MOST_BYTES,
    MOST_DRAFTS,
    DraftFiles,
    Drafts,
)
from elicit_tui.elicitation import ElicitationRequest, Outcome, accept, cancel, decline
from elicit_tui.elicitation.settings import GuardianSettings
from elicit_tui.form.field import Chosen, ChosenMany, Ticked, Typed
from elicit_tui.guardian import Guardian
from tests.broker.conftest import form_request

GUARDIAN = Guardian(GuardianSettings())
CANCELLED = cancel("shutdown", "The program ended.")
DISMISSED = cancel("user", "You dismissed the question.", via="console")
DECLINED = decline("user", "You declined.", via="inline")
SENT = accept("user", "You sent the form.", {"colour": "blue"}, via="inline")


class Clock:
    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


def leave_behind(path: Path, clock: Clock, **typed: str) -> None:
    drafts = DraftFiles(path, GUARDIAN, clock)
    asked = form_request()
    draft = drafts.draft_for(asked)
    draft.write({name: Typed(text) for name, text in typed.items()}, frozenset(typed))
    assert drafts.forget_or_keep(asked, CANCELLED)


def files_in(path: Path) -> list[Path]:
    return list((path / FOLDER_NAME).glob("*"))


def test_it_is_back_in_the_next_run_of_the_same_question_only(tmp_path: Path) -> None:
    clock = Clock()
    leave_behind(tmp_path, clock, colour="bl")
    again = DraftFiles(tmp_path, GUARDIAN, clock)
    assert again.draft_for(form_request()).entries == {"colour": Typed("bl")}
    assert not again.draft_for(form_request("Which other colour?")).typed
    assert not again.draft_for(form_request(server="another")).typed
    (file,) = files_in(tmp_path)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_what_was_chosen_is_back_too(tmp_path: Path) -> None:
    drafts = DraftFiles(tmp_path, GUARDIAN)
    entries = {"colour": Chosen("blue"), "gloss": Ticked(True), "coats": ChosenMany(("first",))}
    asked = form_request()
    drafts.draft_for(asked).write(entries, frozenset(entries))
    assert drafts.forget_or_keep(asked, CANCELLED)
    assert DraftFiles(tmp_path, GUARDIAN).draft_for(form_request()).entries == entries


def test_what_other_questions_left_is_passed_over_without_a_pattern_for_each_question(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def glob(folder: Path, pattern: str) -> None:
        raise AssertionError(f"{pattern} is compiled")

    clock = Clock()
    leave_behind(tmp_path, clock, colour="bl")
    again = DraftFiles(tmp_path, GUARDIAN, clock)
    monkeypatch.setattr(Path, "glob", glob)
    assert not again.draft_for(form_request("Which other colour?")).typed
    assert again.draft_for(form_request()).typed


def test_a_day_later_it_is_forgotten(tmp_path: Path) -> None:
    clock = Clock()
    leave_behind(tmp_path, clock, colour="bl")
    clock.now += KEPT_SECONDS + 1
    assert not DraftFiles(tmp_path, GUARDIAN, clock).draft_for(form_request()).typed


@pytest.mark.parametrize("ended", [SENT, DECLINED, DISMISSED], ids=lambda end: end.action)
def test_what_the_person_ended_on_purpose_never_comes_back(tmp_path: Path, ended: Outcome) -> None:
    clock = Clock()
    leave_behind(tmp_path, clock, colour="bl")
    drafts = DraftFiles(tmp_path, GUARDIAN, clock)
    asked = form_request()
    assert drafts.draft_for(asked).typed
    assert not drafts.forget_or_keep(asked, ended)
    assert files_in(tmp_path) == []
    assert not drafts.draft_for(form_request()).typed


@pytest.mark.parametrize("ended", [CANCELLED, DECLINED], ids=lambda end: end.action)
def test_a_question_that_ended_before_it_was_asked_leaves_what_another_run_kept(
    tmp_path: Path, ended: Outcome
) -> None:
    clock = Clock()
    leave_behind(tmp_path, clock, colour="bl")
    assert not DraftFiles(tmp_path, GUARDIAN, clock).forget_or_keep(form_request(), ended)
    again = DraftFiles(tmp_path, GUARDIAN, clock)
    assert again.draft_for(form_request()).entries == {"colour": Typed("bl")}


@pytest.mark.parametrize(
    "ended",
    [
        cancel("user", "You muted it for this run."),
        cancel("deadline", "No answer was given in time.", via="console"),
        cancel("nobody", "Its widgets broke.", via="console"),
    ],
    ids=["muted", "out of time", "broken"],
)
def test_what_ended_around_the_person_is_kept(tmp_path: Path, ended: Outcome) -> None:
    drafts = DraftFiles(tmp_path, GUARDIAN)
    asked = form_request()
    drafts.draft_for(asked).write({"colour": Typed("bl")}, frozenset({"colour"}))
    assert drafts.forget_or_keep(asked, ended)
    assert drafts.draft_for(form_request()).entries == {"colour": Typed("bl")}


def test_in_a_run_without_files_what_was_typed_is_there_when_it_is_asked_again() -> None:
    drafts = Drafts()
    asked, again = form_request(), form_request()
    drafts.draft_for(asked).write({"colour": Typed("bl")}, frozenset({"colour"}))
    assert drafts.forget_or_keep(asked, CANCELLED)
    assert drafts.draft_for(again).entries == {"colour": Typed("bl")}
    assert not drafts.forget_or_keep(again, SENT)
    assert not drafts.draft_for(form_request()).typed


def test_what_an_agents_client_filled_in_and_nobody_touched_is_not_written(
    tmp_path: Path,
) -> None:
    drafts = DraftFiles(tmp_path, GUARDIAN)
    asked = form_request()
    drafts.draft_for(asked).fill_in({"colour": Typed("bl")}, frozenset({"colour"}))
    assert not drafts.forget_or_keep(asked, CANCELLED)
    assert files_in(tmp_path) == []


def test_a_page_has_to_be_agreed_to_anew_whatever_else_is_kept(tmp_path: Path) -> None:
    drafts = DraftFiles(tmp_path, GUARDIAN)
    asked, again = form_request(), form_request()
    draft = drafts.draft_for(asked)
    draft.write({"colour": Typed("bl")}, frozenset({"colour"}))
    draft.opened = True
    assert drafts.forget_or_keep(asked, CANCELLED)
    assert drafts.draft_for(again).typed
    assert not drafts.draft_for(again).opened


def test_a_page_that_was_agreed_to_is_no_other_page_of_the_same_words() -> None:
    drafts = Drafts()
    one, other = (
        form_request(params={"mode": "url", "url": f"https://pay.example/{page}"})
        for page in ("one", "other")
    )
    drafts.draft_for(one).opened = True
    assert drafts.draft_for(one).opened
    assert not drafts.draft_for(other).opened


def test_a_value_that_looks_like_a_secret_is_never_written(tmp_path: Path) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    leave_behind(tmp_path, Clock(), colour=secret)
    assert not any(secret in file.read_text() for file in files_in(tmp_path))


def test_what_is_typed_into_a_field_for_a_secret_is_never_written(tmp_path: Path) -> None:
    properties = {name: {"type": "string"} for name in ("colour", "passphrase")}
    asks = form_request(params={"requestedSchema": {"type": "object", "properties": properties}})
    drafts = DraftFiles(tmp_path, GUARDIAN)
    typed = {"colour": Typed("bl"), "passphrase": Typed("swordfish")}
    drafts.draft_for(asks).write(typed, frozenset(typed))
    assert drafts.forget_or_keep(asks, CANCELLED)
    (file,) = files_in(tmp_path)
    assert "swordfish" not in file.read_text()
    assert DraftFiles(tmp_path, GUARDIAN).draft_for(asks).entries == {"colour": Typed("bl")}


def test_a_file_that_cannot_be_read_is_no_draft(tmp_path: Path) -> None:
    leave_behind(tmp_path, Clock(), colour="bl")
    for file in files_in(tmp_path):
        file.write_text('{"paint": [1, 2')
    assert not DraftFiles(tmp_path, GUARDIAN).draft_for(form_request()).typed


def test_a_draft_that_cannot_be_written_is_lost_with_its_run_and_ends_nothing(
    tmp_path: Path,
) -> None:
    (tmp_path / FOLDER_NAME).write_text("no folder")
    leave_behind(tmp_path, Clock(), colour="bl")
    assert not DraftFiles(tmp_path, GUARDIAN).draft_for(form_request()).typed


def test_a_file_of_a_draft_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    leave_behind(tmp_path, Clock(), colour="bl" * MOST_BYTES)
    assert files_in(tmp_path)
    assert not DraftFiles(tmp_path, GUARDIAN, Clock()).draft_for(form_request()).typed


TYPES = """
import sys
from pathlib import Path
from tests.broker.test_drafts import CANCELLED, DraftFiles, GUARDIAN, Typed, form_request
request = form_request(f"Question {sys.argv[2]}?")
drafts = DraftFiles(Path(sys.argv[1]), GUARDIAN)
drafts.draft_for(request).write({"colour": Typed("bl")}, frozenset({"colour"}))
GUARDIAN.review(request)
print("typed", flush=True)
sys.stdin.readline()
drafts.forget_or_keep(request, CANCELLED)
"""


def test_runs_that_end_together_leave_each_other_s_drafts_alone(tmp_path: Path) -> None:
    runs = [
        subprocess.Popen(
            [sys.executable, "-c", TYPES, str(tmp_path), str(number)],
            cwd=Path(__file__).parents[2],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(4)
    ]
    for run in runs:
        assert run.stdout is not None
        assert run.stdout.readline() == "typed\n"
    for run in runs:
        assert run.stdin is not None
        run.stdin.write("end\n")
        run.stdin.flush()
    assert [run.communicate(timeout=60) and run.returncode for run in runs] == [0, 0, 0, 0]
    drafts = DraftFiles(tmp_path, GUARDIAN)
    found = [drafts.draft_for(form_request(f"Question {number}?")).typed for number in range(4)]
    assert found == [True] * 4


def test_what_is_old_is_cleared_away_by_whoever_keeps_something(tmp_path: Path) -> None:
    leave_behind(tmp_path, Clock(), colour="bl")
    (old,) = files_in(tmp_path)
    young = old.with_name("young.json")
    young.write_bytes(old.read_bytes())
    now = old.stat().st_mtime
    os.utime(old, (now - KEPT_SECONDS - 60,) * 2)
    os.utime(young, (now - KEPT_SECONDS + 600,) * 2)
    drafts = DraftFiles(tmp_path, GUARDIAN)
    other = form_request("Which other colour?")
    drafts.draft_for(other).write({"colour": Typed("re")}, frozenset({"colour"}))
    assert drafts.forget_or_keep(other, CANCELLED)
    assert not old.exists()
    assert young.exists()
    assert len(files_in(tmp_path)) == 2


def test_what_is_old_or_one_too_many_is_cleared_away(tmp_path: Path) -> None:
    leave_behind(tmp_path, Clock(), colour="bl")
    (first,) = files_in(tmp_path)
    for number in range(MOST_DRAFTS):
        (first.parent / f"{number}.json").write_bytes(first.read_bytes())
    now = first.stat().st_mtime
    os.utime(first.parent / "0.json", (now - KEPT_SECONDS - 60,) * 2)
    drafts = DraftFiles(tmp_path, GUARDIAN)
    other = form_request("Which other colour?")
    drafts.draft_for(other).write({"colour": Typed("re")}, frozenset({"colour"}))
    assert drafts.forget_or_keep(other, CANCELLED)
    assert len(files_in(tmp_path)) == MOST_DRAFTS
    assert not (first.parent / "0.json").exists()


def test_a_field_for_a_secret_is_not_even_kept_as_one_that_was_touched(tmp_path: Path) -> None:
    properties = {name: {"type": "string"} for name in ("colour", "passphrase")}
    asks = form_request(params={"requestedSchema": {"type": "object", "properties": properties}})
    for typed in ({"passphrase": Typed("x1")}, {"colour": Typed("bl"), "passphrase": Typed("x1")}):
        drafts = DraftFiles(tmp_path, GUARDIAN)
        drafts.draft_for(asks).write(typed, frozenset(typed))
        drafts.forget_or_keep(asks, CANCELLED)
        assert len(files_in(tmp_path)) == len(typed) - 1
        again = DraftFiles(tmp_path, GUARDIAN).draft_for(asks)
        assert again.touched == set(typed) - {"passphrase"}


def test_what_is_being_typed_here_is_not_replaced_by_what_another_run_left(tmp_path: Path) -> None:
    clock = Clock()
    here = DraftFiles(tmp_path, GUARDIAN, clock)
    asked = form_request()
    here.draft_for(asked).write({"colour": Typed("blue")}, frozenset({"colour"}))
    leave_behind(tmp_path, clock, colour="re")
    assert here.draft_for(asked).entries == {"colour": Typed("blue")}


def test_what_was_taken_out_is_gone_where_only_a_secret_stands_in_its_place(tmp_path: Path) -> None:
    leave_behind(tmp_path, Clock(), colour="blue")
    drafts = DraftFiles(tmp_path, GUARDIAN, Clock())
    secret = {"colour": Typed("AKIAABCDEFGH12345678")}
    asked = form_request()
    drafts.draft_for(asked).write(secret, frozenset(secret))
    drafts.forget_or_keep(asked, CANCELLED)
    assert not DraftFiles(tmp_path, GUARDIAN, Clock()).draft_for(form_request()).typed


def typed_in(drafts: Drafts, asked: ElicitationRequest, text: str) -> None:
    drafts.draft_for(asked).write({"colour": Typed(text)}, frozenset({"colour"}))


@pytest.fixture(params=["in memory", "in files"])
def drafts(request: pytest.FixtureRequest, tmp_path: Path) -> Drafts:
    return Drafts() if request.param == "in memory" else DraftFiles(tmp_path, GUARDIAN)


@pytest.mark.parametrize(
    "ended",
    [SENT, DECLINED, DISMISSED, CANCELLED],
    ids=["sent", "declined", "dismissed", "withdrawn"],
)
def test_what_is_typed_in_one_open_question_never_stands_in_another(
    drafts: Drafts, ended: Outcome
) -> None:
    first, second = form_request(), form_request()
    typed_in(drafts, first, "bl")
    assert not drafts.draft_for(second).filled
    typed_in(drafts, second, "re")
    assert drafts.draft_for(first).entries == {"colour": Typed("bl")}
    drafts.forget_or_keep(second, ended)
    assert drafts.draft_for(first).entries == {"colour": Typed("bl")}
    assert drafts.forget_or_keep(first, CANCELLED)
    assert drafts.draft_for(form_request()).entries == {"colour": Typed("bl")}


def test_what_a_question_left_goes_to_one_of_those_that_ask_it_again(drafts: Drafts) -> None:
    first = form_request()
    typed_in(drafts, first, "bl")
    drafts.forget_or_keep(first, CANCELLED)
    one, other = form_request(), form_request()
    assert drafts.draft_for(one).typed
    assert not drafts.draft_for(other).typed
    typed_in(drafts, one, "blue")
    drafts.forget_or_keep(other, SENT)
    assert drafts.draft_for(one).entries == {"colour": Typed("blue")}
    drafts.forget_or_keep(one, SENT)
    assert not drafts.draft_for(form_request()).typed


def test_questions_that_end_together_each_leave_theirs_also_to_the_next_run(
    tmp_path: Path,
) -> None:
    drafts = DraftFiles(tmp_path, GUARDIAN)
    first, second, empty = (form_request() for _ in range(3))
    typed_in(drafts, first, "bl")
    typed_in(drafts, second, "re")
    drafts.draft_for(empty)
    for asked in (first, second, empty):
        drafts.forget_or_keep(asked, CANCELLED)
    following = DraftFiles(tmp_path, GUARDIAN)
    again = [form_request() for _ in range(3)]
    found = [following.draft_for(asked).entries.get("colour") for asked in again]
    assert sorted(found, key=str) == [None, Typed("bl"), Typed("re")]
    following.forget_or_keep(again[0], SENT)
    assert len(files_in(tmp_path)) == 1
    assert DraftFiles(tmp_path, GUARDIAN).draft_for(form_request()).entries["colour"] == found[1]


def test_of_several_the_one_that_ended_last_is_back_first(drafts: Drafts) -> None:
    first, second = form_request(), form_request()
    typed_in(drafts, first, "bl")
    typed_in(drafts, second, "re")
    drafts.forget_or_keep(second, CANCELLED)
    drafts.forget_or_keep(first, CANCELLED)
    back = [drafts.draft_for(form_request()).entries["colour"] for _ in range(2)]
    assert back == [Typed("bl"), Typed("re")]


def test_a_process_that_dies_with_what_came_back_to_it_still_leaves_it(tmp_path: Path) -> None:
    leave_behind(tmp_path, Clock(), colour="bl")
    assert DraftFiles(tmp_path, GUARDIAN, Clock()).draft_for(form_request()).typed
    again = DraftFiles(tmp_path, GUARDIAN, Clock())
    assert again.draft_for(form_request()).entries == {"colour": Typed("bl")}


def test_a_question_that_comes_while_another_ends_goes_on_with_what_was_typed_there(
    drafts: Drafts,
) -> None:
    over: list[str] = []
    older, other, newer = form_request(), form_request("Which other colour?"), form_request()
    for asked, text in ((older, "bl"), (other, "re")):
        drafts.draft_for(asked, lambda asked=asked: asked.id in over)
        typed_in(drafts, asked, text)
    assert not drafts.draft_for(form_request()).filled
    over += [older.id, other.id]
    draft = drafts.draft_for(newer)
    assert not drafts.draft_for(form_request()).filled
    typed_in(drafts, older, "blu")
    assert drafts.forget_or_keep(older, CANCELLED)
    assert drafts.forget_or_keep(other, CANCELLED)
    assert draft.entries == {"colour": Typed("blu")}
    assert not drafts.draft_for(form_request()).typed
    assert not drafts.forget_or_keep(newer, SENT)
    assert not drafts.draft_for(form_request()).typed


def test_what_another_run_left_is_forgotten_by_whoever_went_on_with_it_to_the_end(
    tmp_path: Path,
) -> None:
    leave_behind(tmp_path, Clock(), colour="bl")
    drafts = DraftFiles(tmp_path, GUARDIAN, Clock())
    older, newer = form_request(), form_request()
    assert drafts.draft_for(older, lambda: True).typed
    assert drafts.draft_for(newer).typed
    drafts.forget_or_keep(older, CANCELLED)
    assert len(files_in(tmp_path)) == 1
    drafts.forget_or_keep(newer, SENT)
    assert files_in(tmp_path) == []
