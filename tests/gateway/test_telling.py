"""The words that an agent reads: why it has no answer, who answered, and what it should do next."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any, get_args

import pytest

from elicit_tui.broker import Resolved
from elicit_tui.elicitation import Outcome, Review, accept, cancel, decline
from elicit_tui.elicitation.outcome import PUBLIC_REASONS, DecidedBy, unsent
from elicit_tui.errors import (
    ElicitTuiError,
    Interrupted,
    LedgerInUse,
    SecretError,
    ServerError,
    StoreError,
    TaskCancelled,
)
from elicit_tui.gateway import telling
from elicit_tui.gateway.telling import (
    ELICITATIONS_META_KEY,
    answer_of,
    as_text,
    refused_call,
    text_result,
    with_elicitations,
)
from elicit_tui.store.sqlite import SqliteStore
from tests.broker.conftest import form_request
from tests.gateway.session_world import says

PEOPLE = ("user", "client", "agent")


def resolved(*outcomes: Outcome) -> list[Resolved]:
    return [Resolved(form_request(), Review(), outcome) for outcome in outcomes]


# What was not called, and what was not answered


@pytest.mark.parametrize("by", PEOPLE)
def test_who_declined_is_not_asked_again_and_who_dismissed_may_be(by: DecidedBy) -> None:
    declined, dismissed = refused_call(decline(by, "secret why")), refused_call(cancel(by, "why"))
    assert "declined this call. Do not try it again. The tool was not called." in says(declined)
    assert "dismissed the question without deciding. Ask before you try again." in says(dismissed)
    assert declined["isError"] is dismissed["isError"] is True
    assert "secret why" not in says(declined)


def test_each_end_of_an_approval_is_told_in_words_of_its_own_that_name_no_rule() -> None:
    others = [by for by in get_args(DecidedBy) if by not in PEOPLE]
    texts = {by: says(refused_call(cancel(by, "by tools.deploy"))) for by in others}
    assert all(text.endswith(" The tool was not called.") for text in texts.values())
    assert not any("tools.deploy" in text for text in texts.values())
    unworded = {by for by in others if texts[by].startswith("This call was not approved.")}
    assert unworded == {"rule", "answers", "server"}
    assert len(set(texts.values())) == len(others) - len(unworded) + 1


def test_a_persons_note_is_added_on_one_line_and_neutral() -> None:
    noted = decline("user", "why", note="use staging\n\x1b[31mnow")
    for result in (refused_call(noted), answer_of(noted)):
        (line,) = [line for line in says(result).splitlines() if "The user adds" in line]
        assert "use staging" in line
        assert line.endswith('now"')
        assert "\x1b" not in line
    assert "adds" not in says(refused_call(decline("user", "why")))


def test_an_agents_own_question_is_answered_with_the_content_alone() -> None:
    result = answer_of(accept("user", "why", {"a": "é"}), {"Which?": "é"})
    assert result["structuredContent"] == {"action": "accept", "content": {"Which?": "é"}}
    assert says(result) == '{"Which?": "\\u00e9"}'
    assert "isError" not in result


def test_only_a_person_who_declined_leaves_the_agents_question_without_an_error() -> None:
    declined = answer_of(decline("user", "why"))
    assert "isError" not in declined
    assert declined["structuredContent"] == {"action": "decline", "content": None}
    assert says(declined) == "The user declined to answer. Do not ask this again."
    for by in get_args(DecidedBy):
        outcome = cancel(by, "why")
        assert answer_of(outcome)["isError"] is True
        assert answer_of(outcome)["structuredContent"]["action"] == "cancel"
    assert answer_of(unsent("server", "why"))["structuredContent"]["action"] == "cancel"
    assert says(answer_of(cancel("nobody", "why"))) == PUBLIC_REASONS["nobody"]
    assert says(answer_of(cancel("deadline", "why"))) == (
        "Nobody answered in time; the user may be away. Do not ask again by yourself."
    )


# What became of the questions of a call


def test_what_persons_answered_and_what_has_no_answer_changes_no_result() -> None:
    result = text_result("done")
    answered = resolved(accept("user", "why", {}), cancel("server", "why"), unsent("deadline", "x"))
    assert with_elicitations(result, []) == result
    assert with_elicitations(result, answered) == result


def test_what_no_person_answered_is_told_beside_what_its_server_said() -> None:
    ours = resolved(
        accept("user", "why", {}), decline("policy", "a rule"), cancel("deadline", "why")
    )
    result = with_elicitations({**text_result("done"), "_meta": {"theirs": 1}}, ours)
    assert result["_meta"] == {
        "theirs": 1,
        ELICITATIONS_META_KEY: [
            {"action": "decline", "decidedBy": "policy", "reason": PUBLIC_REASONS["policy"]},
            {"action": "cancel", "decidedBy": "deadline", "reason": PUBLIC_REASONS["deadline"]},
        ],
    }
    assert says(result) == (
        "done\n(2 questions of this call had no answer of a person. "
        f"decline: {PUBLIC_REASONS['policy']}; cancel: {PUBLIC_REASONS['deadline']})"
    )
    alike = with_elicitations(text_result("done"), resolved(*[decline("policy", "why")] * 2))
    assert says(alike).count(PUBLIC_REASONS["policy"]) == 1


def test_what_came_by_the_clients_own_form_is_told_as_that() -> None:
    ours = resolved(accept("client", "why", {}), cancel("flood", "why"))
    assert says(with_elicitations(text_result("done"), ours)).splitlines()[1:] == [
        "(A question of this call was answered in this client's own form: accept.)",
        f"(A question of this call had no answer of a person. cancel: {PUBLIC_REASONS['flood']})",
    ]
    two = resolved(accept("client", "why", {}), decline("client", "why"))
    assert says(with_elicitations(text_result("done"), two)).splitlines()[1:] == [
        "(2 questions of this call were answered in this client's own form: accept, decline.)"
    ]


def test_a_result_that_holds_no_texts_is_told_of_in_meta_alone() -> None:
    ours = resolved(decline("policy", "why"))
    for result in ({"messages": []}, {"content": "text", "_meta": "no object"}):
        told = with_elicitations(result, ours)
        assert len(told.pop("_meta")[ELICITATIONS_META_KEY]) == 1
        assert told == {key: value for key, value in result.items() if key != "_meta"}


# Ends, and time


def test_a_task_that_ended_oddly_says_that_nobody_knows_and_a_cancelled_one_that_it_was() -> None:
    cancelled = TaskCancelled("The server says so.")
    assert telling.not_known_if_run(cancelled) is cancelled
    lost = telling.not_known_if_run(ServerError("The server went away."))
    assert str(lost) == f"The server went away. {telling.NOT_KNOWN_IF_RUN}"
    assert str(telling.not_known_if_run(Interrupted("ours"))) == telling.NOT_KNOWN_IF_RUN


@pytest.mark.parametrize(
    ("seconds", "shown"), [(0, "0 s"), (59.9, "59 s"), (60, "1 min"), (119.9, "1 min")]
)
def test_how_long_a_person_is_waited_for_is_told_in_seconds_then_in_minutes(
    seconds: float, shown: str
) -> None:
    assert telling.ticking(seconds) == f"Waiting for a person ({shown})."


def test_who_has_no_user_is_not_told_to_end_its_turn() -> None:
    assert "End your turn" in telling.still_waiting(alone=False)
    assert "End your turn" not in telling.still_waiting(alone=True)
    assert "elicit_resume" in telling.still_waiting(alone=True)


# For a model that reads `structuredContent` alone


@pytest.mark.parametrize("result", [{"content": []}, {"structuredContent": 1, "content": "x"}])
def test_what_has_no_value_or_no_texts_stays_as_it_is(result: dict[str, Any]) -> None:
    assert as_text(result) is result


def test_a_value_that_no_block_says_stands_before_the_others_as_text() -> None:
    value = {"a": [1.50, None]}
    blocks: list[Any] = [
        "no block",
        {"type": "image"},
        {"text": 1},
        {"text": "no JSON"},
        {"text": "[" * 20_000},
        {"text": '{"a": [1.5]}'},
    ]
    told = as_text({"structuredContent": value, "content": blocks, "_meta": {}})
    assert told == {"content": [{"type": "text", "text": '{"a":[1.5,null]}'}, *blocks], "_meta": {}}
    said = [{"text": '{"a": [1.5, null]}'}]
    assert as_text({"structuredContent": value, "content": said}) == {"content": said}


def test_what_nobody_foresaw_is_no_words_for_an_agent() -> None:
    assert telling.failed(ElicitTuiError("The server went away.")) == "The server went away."
    assert telling.failed(KeyError("/home/ada/.secrets")) == telling.NOT_KNOWN_IF_RUN


def test_no_agent_learns_where_its_owner_keeps_things() -> None:
    busy = LedgerInUse("The ledger /home/ada b/ledger is in use by another program.")
    busy.place = "/home/ada b/ledger"
    assert telling.failed(busy) == "The ledger is in use by another program."
    assert "/home" not in str(telling.not_known_if_run(busy))
    away = StoreError("The store redis://ada@h:1 cannot be reached (Error 111 connecting to h:1).")
    away.place = "redis://ada@h:1"
    assert telling.failed(away) == "The store cannot be reached."
    for names_more in (
        SecretError("The key /home/ada/key is gone."),
        SecretError(r"C:\ada is gone."),
    ):
        assert telling.failed(names_more) == telling.CANNOT_BE_USED


def test_a_store_that_cannot_be_used_says_so_without_its_place(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite3"
    for content, said in ((b"no database" * 99, "The store is not a store."), (b"", None)):
        path.write_bytes(content)
        if said is None:
            tmp_path.chmod(0o777)
        with pytest.raises(StoreError) as caught:
            asyncio.run(SqliteStore.open(path, "asker"))
        assert str(tmp_path) in str(caught.value)
        assert telling.failed(caught.value) == (said or telling.CANNOT_BE_USED)
