"""What a draft takes over, what of arguments is kept, who is told, which saved calls are found."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from elicit_tui.broker.contracts import Listeners
from elicit_tui.elicitation import Draft, Finding, Question, Review, Severity, accept
from elicit_tui.elicitation.eras import (
    EXTENSION,
    HANDSHAKE,
    MODERN,
    declares_tasks,
    era_of,
    revision_to_try,
)
from elicit_tui.elicitation.finding import MASK
from elicit_tui.elicitation.keeping import kept_arguments
from elicit_tui.elicitation.outcome import cancel, decline, unsent
from elicit_tui.elicitation.question import finished
from elicit_tui.elicitation.saved_call import (
    MOST_FOUND,
    SavedCall,
    file_called,
    new_file,
    rename_server,
    saved_calls,
)
from elicit_tui.elicitation.toml_spelling import comment, dotted, in_ascii, toml_value
from elicit_tui.errors import INVALID_ANSWER, ProtocolCallError, ServerError, UsageError
from elicit_tui.form.field import Typed
from elicit_tui.guardian import Guardian
from tests.broker.conftest import form_request

# Drafts


def test_a_draft_takes_all_that_stands_elsewhere_and_none_of_it_was_typed_here() -> None:
    mine, theirs = Draft(), Draft()
    mine.write({"a": Typed("mine")}, frozenset({"a"}))
    mine.in_hand("a")
    theirs.fill_in({"b": Typed("client's")}, frozenset({"b", "not there"}))
    assert theirs.touched == {"b"}
    theirs.write({"a": Typed("theirs"), "b": Typed("client's")}, frozenset({"a", "b"}))
    theirs.opened, theirs.acknowledged = True, frozenset({"x y"})
    mine.take(theirs)
    assert mine == theirs
    assert (mine.continues, dict(mine.typed_here), mine.by_client) == (None, {}, {"b"})
    mine.write({"a": Typed("mine again"), "b": Typed("client's")}, frozenset({"a", "b"}))
    assert dict(mine.typed_here) == {"a": Typed("mine again")}
    mine.clear()
    assert (mine == Draft(), mine.filled, mine.typed) == (True, False, False)


def test_what_was_acknowledged_when_a_page_was_opened_goes_out_with_its_end() -> None:
    draft = Draft(opened=True, acknowledged=frozenset({"url.address url"}))
    outcome = finished(Question(form_request(), draft=draft))
    assert (outcome.action, outcome.content) == ("accept", None)
    assert outcome.acknowledged == {"url.address url"}


# What is kept and told


def test_arguments_are_masked_by_their_names_and_their_looks_at_any_depth() -> None:
    token = "ghp_" + "x7Kd92LmQ4" * 3 + "aBcDeF"
    given = {
        "password": "hunter2",
        "to": [{"api_key": 5, "name": "Ada"}, token],
        token: True,
        "headers": [{token: "x", "page": {f"Bearer {token}": 1}}],
        "count": 4111111111111111,
        "plain": None,
    }
    kept: Any = kept_arguments(given, Review(), "redacted")
    assert kept["password"] == kept["count"] == MASK
    assert kept["to"] == [{"api_key": MASK, "name": "Ada"}, MASK]
    assert kept["headers"][0][MASK] == "x"
    assert (kept["plain"], token in str(kept)) == (None, False)
    assert kept_arguments(given, Review(), "full") == given
    assert kept_arguments(given, Review(), "none") is None


def test_a_part_of_a_field_that_was_found_masks_the_field_and_no_other() -> None:
    def masks(where: str, name: str) -> bool:
        found = Finding("outgoing.token", Severity.WARN, where, "x", "Look.")
        return Review((found,)).masks(name) and Review(outgoing=(found,)).masks(name)

    assert masks("content.a", "a")
    assert masks("content.a[0]", "a")
    assert masks("content.a.b", "a")
    assert not masks("content.ab", "a")
    # A place is told on one line, neutral and of a bounded length.
    for name in ("n" * 130, "a\u200bb", "a\nb"):
        (found,) = Guardian().outgoing({name: "ghp_" + "a1B2" * 9})
        assert masks(found.where, name)
        assert Review(outgoing=(found,)).masked({name: "x"}) == {name: MASK}
    assert not masks("message", "a")


def test_an_accept_that_is_withheld_or_handed_back_takes_its_content_along() -> None:
    given = accept("user", "Sent.", {"a": 1}, acknowledged=frozenset({"x"}))
    held = given.withheld("The disk is full.")
    assert (held.action, held.decided_by, held.content) == ("cancel", "ledger", None)
    back = given.handed_back()
    assert (back.action, back.decided_by, back.content) == (None, "nobody", None)
    assert [one.was_given for one in (given, held, back)] == [True, False, False]
    assert decline("hook", "No.").was_given
    assert not cancel("deadline", "Late.").was_given
    assert unsent("server", "Gone.").action is None


def test_a_listener_that_fails_costs_no_other_its_events_and_is_told_of_once() -> None:
    failures: list[str] = []
    heard: list[tuple[str, int]] = []
    listeners: Listeners[int] = Listeners(failures.append)

    def fails(event: int) -> None:
        heard.append(("fails", event))
        raise ValueError("no\x1b[31m")

    def late(event: int) -> None:
        heard.append(("late", event))

    def first(event: int) -> None:
        heard.append(("first", event))
        if event == 1:
            listeners.add(late)

    for listener in (first, fails, lambda event: heard.append(("last", event))):
        listeners.add(listener)
    listeners.tell(1)
    listeners.tell(2)
    assert heard == [(name, 1) for name in ("first", "fails", "last")] + [
        (name, 2) for name in ("first", "fails", "last", "late")
    ]
    (told,) = failures
    assert told == "Something that is told what happens failed: ValueError: no␛[31m"
    listeners.add(lambda event: [][event])
    listeners.tell(3)
    assert len(failures) == 2


# Revisions


@pytest.mark.parametrize("code", [-32603, -32601, -32600, -32021, -32022])
def test_an_error_of_a_server_of_the_other_era_names_its_revision(code: int) -> None:
    error = ProtocolCallError(code, "no")
    assert revision_to_try(error, HANDSHAKE) == revision_to_try(error, "2024-11-05") == MODERN
    assert revision_to_try(error, MODERN) == HANDSHAKE
    assert revision_to_try(error, None) is None


def test_an_answer_that_cannot_be_read_is_one_of_another_era_and_no_other_failure_is() -> None:
    broken = ServerError("It wrote nonsense.", code=INVALID_ANSWER)
    assert revision_to_try(broken, HANDSHAKE) == MODERN
    for other in (ServerError("gone"), ProtocolCallError(-32602, "no"), ValueError("x"), None):
        assert revision_to_try(other, HANDSHAKE) is None
    dated = ("2024-11-05", HANDSHAKE, "2026-07-27", MODERN, "2027-01-01")
    assert [era_of(each) for each in dated] == ["handshake"] * 3 + ["modern"] * 2


def test_tasks_are_declared_by_an_object_under_their_name_alone() -> None:
    assert declares_tasks({"extensions": {EXTENSION: {}}})
    for none in (None, [], {}, {"extensions": [EXTENSION]}, {"extensions": {EXTENSION: True}}):
        assert not declares_tasks(none)


# Files


def test_the_saved_calls_of_a_server_follow_its_new_name_and_nothing_else_does(
    tmp_path: Path,
) -> None:
    calls = {"a": "old", "b": "other", "c": "old"}
    for name, server in calls.items():
        SavedCall(server, "tool", {"n": 1}).write(tmp_path / new_file(name))
    (tmp_path / new_file("aa")).write_text("no call")
    elsewhere = tmp_path / "elsewhere.json"
    SavedCall("old", "tool", {}).write(elsewhere)
    (tmp_path / new_file("link")).symlink_to(elsewhere)
    (tmp_path / new_file("folder")).mkdir()
    assert rename_server(tmp_path, "old", "new") == 2
    found = {name: SavedCall.read(tmp_path / new_file(name)) for name in calls}
    assert {name: call.server for name, call in found.items()} == {
        "a": "new",
        "b": "other",
        "c": "new",
    }
    assert found["a"] == SavedCall("new", "tool", {"n": 1})
    assert SavedCall.read(elsewhere).server == "old"
    assert (tmp_path / new_file("aa")).read_text() == "no call"
    assert rename_server(tmp_path / "none", "old", "new") == 0


def test_saved_calls_are_found_by_name_and_bounded(tmp_path: Path) -> None:
    for number in range(MOST_FOUND + 1):
        (tmp_path / new_file(f"{number:03}")).touch()
    (tmp_path / "other.json").touch()
    found = saved_calls(tmp_path)
    assert [path.name for path in found] == [f"{n:03}.call.json" for n in range(MOST_FOUND)]


def test_a_whole_name_goes_before_a_name_without_its_ending(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("both").touch()
    Path("both.call.json").touch()
    Path("one.call.json").touch()
    names = ("both", "one", "one.call.json")
    assert [str(file_called(name)) for name in names] == [
        "both",
        "one.call.json",
        "one.call.json",
    ]
    with pytest.raises(UsageError, match=r"no none and no none\.call\.json"):
        file_called("none")


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ({"server": "s", "tool": "t", "more": 1}, "there is no key 'more'"),
        ({"server": "s"}, "needs"),
        ({"server": "", "tool": "t"}, "needs"),
        ({"server": "s", "tool": 5}, "needs"),
        ({"server": "s", "tool": "t", "arguments": [1]}, "needs"),
        ([], "needs"),
    ],
)
def test_a_file_that_is_no_saved_call_is_told(tmp_path: Path, written: Any, said: str) -> None:
    file = tmp_path / "x.call.json"
    file.write_text(json.dumps(written))
    with pytest.raises(UsageError, match=said):
        SavedCall.read(file)
    file.write_text(json.dumps({"server": "s", "tool": "t"}))
    assert SavedCall.read(file) == SavedCall("s", "t", {})


def test_what_is_written_as_toml_is_printable_ascii_on_one_line() -> None:
    assert toml_value('a"\\\n\x1bü\ud800😀') == '"a\\"\\\\\\u000a\\u001b\\u00fc?\\U0001f600"'
    assert toml_value(("a", 1, True, {})) == '["a", 1, true, {}]'
    assert toml_value({"a b": [1.5], "c": {"d": False}}) == '{ "a b" = [1.5], c = { d = false } }'
    assert dotted("a", "b c", "ü") == 'a."b c"."\\u00fc"'
    assert comment('say "x"\nand') == 'say "x"\\u000aand'
    assert in_ascii("ü" * 400, 10) == "\\xfc\\xfc\\x"
