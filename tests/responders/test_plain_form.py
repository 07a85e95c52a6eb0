from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from elicit_tui.elicitation import Finding, Review, Severity
from elicit_tui.elicitation.question import Draft
from elicit_tui.form.field import Chosen, Problem
from elicit_tui.form.form import Form
from elicit_tui.form.schema_reading import read_form
from elicit_tui.responders.plain_form import entry_text
from tests.form.test_patterns import EXPLODING, FOOD
from tests.responders.typing import ask, form_question
from tests.text.alphabet import active_left

WARNING = Finding("destructive.production", Severity.WARN, "message", "production", "Be sure.")


@pytest.mark.parametrize(
    ("schema", "line", "content"),
    [
        ({"type": "string"}, "Ada", "Ada"),
        ({"type": "string"}, "  two  ", "  two  "),
        ({"type": "string"}, "//etc/passwd", "/etc/passwd"),
        ({"type": "string"}, "///x", "//x"),
        ({"type": "integer"}, "7", 7),
        ({"type": "number"}, "7.5", 7.5),
        ({"type": "boolean"}, "yes", True),
        ({"type": "boolean"}, "no", False),
        ({"type": "string", "format": "date"}, "2026-11-21", "2026-11-21"),
        ({"type": "string", "enum": ["a", "b"]}, "2", "b"),
        ({"type": "string", "enum": ["a", "b"], "enumNames": ["First", "Second"]}, "1", "a"),
        (
            {"type": "array", "items": {"type": "string", "enum": ["a", "b", "c"]}},
            "1, 3",
            ["a", "c"],
        ),
    ],
)
def test_a_line_becomes_the_content_of_its_kind(schema: Any, line: str, content: Any) -> None:
    outcome, _ = ask(line, "/send", question=form_question({"field": schema}, ("field",)))
    assert (outcome.action, outcome.decided_by) == ("accept", "user")
    assert outcome.content == {"field": content}


def test_help_says_how_an_answer_begins_with_a_slash() -> None:
    _, shown = ask("/help", "/cancel", question=form_question({"a": {"type": "string"}}))
    assert "To answer with a text that begins with /, type // at its beginning." in shown


def test_enter_leaves_an_optional_field_out_and_keeps_a_default() -> None:
    question = form_question({"a": {"type": "string"}, "b": {"type": "integer", "default": 0}})
    outcome, shown = ask("", "", "/send", question=question)
    assert outcome.content == {"b": 0}
    assert "Press Enter to leave it out." in shown
    assert "Press Enter to keep: 0" in shown


def test_what_the_agent_filled_in_is_called_the_agents() -> None:
    question = form_question({"a": {"type": "string"}, "b": {"type": "integer", "title": "Amount"}})
    assert question.form is not None
    question.draft.fill_in(question.form.entries_for({"b": 9}), frozenset({"b"}))
    outcome, shown = ask("mine", "", "/send", question=question)
    assert outcome.content == {"a": "mine", "b": 9}
    assert "Filled in by the agent, not by you: Amount." in shown
    assert "What you typed before" not in shown
    assert question.draft.by_client == {"b"}


def test_a_required_field_is_asked_until_it_is_answered() -> None:
    question = form_question({"a": {"type": "boolean"}}, ("a",))
    outcome, shown = ask("", "maybe", "no", "/send", question=question)
    assert outcome.content == {"a": False}
    assert shown.count("Field 1 of 1") == 3


def test_empty_on_purpose_is_not_unset() -> None:
    question = form_question({"a": {"type": "string", "default": "x"}, "b": {"type": "string"}})
    outcome, _ = ask("/empty", "", "/send", question=question)
    assert outcome.content == {"a": ""}


def test_a_default_can_be_cleared_and_brought_back() -> None:
    question = form_question({"a": {"type": "string", "default": "x"}})
    assert ask("/clear", "/send", question=question)[0].content == {}
    again = ["/clear", "/back", "/default", "", "/send"]
    assert ask(*again, question=question)[0].content == {"a": "x"}


def test_what_the_default_was_brought_back_for_is_not_kept_to_be_asked_again() -> None:
    question = form_question({"a": {"type": "string", "default": "x"}})
    ask("mine", "/back", "/default", "/cancel", question=question)
    assert question.draft.entries == {}
    _, shown = ask("/cancel", question=question)
    assert "Press Enter to keep: x" in shown
    assert "mine" not in shown


def test_back_and_numbers_go_to_a_field() -> None:
    question = form_question({"a": {"type": "string"}, "b": {"type": "string"}})
    lines = ["one", "/back", "ONE", "two", "/2", "TWO", "/send"]
    assert ask(*lines, question=question)[0].content == {"a": "ONE", "b": "TWO"}


def test_review_may_come_early_and_says_what_is_missing() -> None:
    question = form_question({"a": {"type": "string"}, "b": {"type": "string"}}, ("b",))
    outcome, shown = ask("/review", "/send", "/2", "x", "/send", question=question)
    assert outcome.content == {"b": "x"}
    assert "It cannot be sent yet" in shown


def test_exactly_what_would_be_sent_is_shown_before_it_is() -> None:
    question = form_question({"a": {"type": "string"}})
    _, shown = ask("東\u200b", "/send", question=question)
    assert '"a": "東\\u200b"' in shown, "as itself, but for what cannot be seen"
    assert shown.index('"a": "東') < shown.rindex("/send")


@pytest.mark.parametrize("line", ["send", "yes", "", "y", "/sendit", "no", "decline", "cancel"])
def test_only_the_command_sends(line: str) -> None:
    question = form_question({"a": {"type": "string", "default": "x"}})
    outcome, shown = ask("", line, "/decline", question=question)
    assert outcome.action == "decline"
    assert ("Nothing was sent. Type /send to send it." in shown) is not line.startswith("/")


@pytest.mark.parametrize(("line", "action"), [("/decline", "decline"), ("/cancel", "cancel")])
def test_decline_and_cancel_work_at_every_prompt(line: str, action: str) -> None:
    fields = {"a": {"type": "string"}}
    warned = form_question(fields, review=Review((WARNING,)))
    for before in ([], ["x"], ["x", "/send"]):
        outcome, _ = ask(*before, line, question=warned)
        assert (outcome.action, outcome.decided_by) == (action, "user")
        assert outcome.content is None


def test_the_words_decline_and_cancel_are_answers() -> None:
    outcome, _ = ask("decline", "/send", question=form_question({"a": {"type": "string"}}))
    assert outcome.content == {"a": "decline"}


def test_an_unknown_command_is_no_answer() -> None:
    question = form_question({"a": {"type": "string"}})
    outcome, shown = ask("/etc/passwd", "", "/send", question=question)
    assert outcome.content == {}
    assert "This is not a command here" in shown


def test_help_and_the_raw_request_are_there_at_every_prompt() -> None:
    question = form_question({"a": {"type": "string"}})
    _, shown = ask("/help", "/raw", "", "/help", "/cancel", question=question)
    assert "/empty" in shown
    assert '"requestedSchema"' in shown
    assert "/send" in shown


def test_a_question_without_fields_is_a_yes_by_sending() -> None:
    outcome, shown = ask("/send", question=form_question({}))
    assert (outcome.action, outcome.content) == ("accept", {})
    assert "to send it means yes" in shown


def test_a_warning_asks_for_a_second_deliberate_step() -> None:
    question = form_question({}, review=Review((WARNING,)))
    outcome, shown = ask("/send", "y", "/send", "yes", question=question)
    assert (outcome.action, outcome.decided_by) == ("accept", "user")
    assert outcome.acknowledged == {WARNING.id}
    assert "WARN destructive.production in message: Be sure." in shown
    assert "Nothing was sent." in shown


def test_an_answer_that_looks_like_a_secret_asks_for_a_second_step() -> None:
    def examine(content: Any) -> tuple[Finding, ...]:
        found = Finding("outgoing.key", Severity.WARN, "content.a", "ghp_…", "It is a key.")
        return (found,) if "ghp" in content.get("a", "") else ()

    question = replace(form_question({"a": {"type": "string"}}), examine=examine)
    outcome, shown = ask("ghp_1", "/send", "no", "/1", "x", "/send", question=question)
    assert (outcome.content, outcome.acknowledged) == ({"a": "x"}, frozenset())
    assert "It is a key." in shown
    outcome, _ = ask("ghp_1", "/send", "yes", question=replace(question, draft=Draft()))
    assert outcome.content == {"a": "ghp_1"}
    assert outcome.acknowledged == {finding.id for finding in examine({"a": "ghp_1"})}


def test_a_form_without_a_legal_answer_can_only_be_refused() -> None:
    question = form_question({"a": {"type": "object", "properties": {}}}, ("a",))
    outcome, shown = ask("x", "/send", "/decline", question=question)
    assert outcome.action == "decline"
    assert "cannot be answered" in shown


def test_an_optional_field_without_a_legal_answer_is_left_out_and_said_to_be() -> None:
    question = form_question({"a": {"type": "object", "properties": {}}, "b": {"type": "string"}})
    outcome, shown = ask("x", "/send", question=question)
    assert outcome.content == {"b": "x"}
    assert "a: left out." in shown


def test_the_review_and_a_field_that_is_asked_again_say_that_its_pattern_was_given_up() -> None:
    question = form_question({"a": {"type": "string", "pattern": EXPLODING}})
    outcome, shown = ask(FOOD, "/1", "", "/send", question=question)
    assert outcome.content == {"a": FOOD}
    first, again = shown.split("This is what would be sent:")[:2]
    assert first.count("Note: the pattern is not checked: it takes too long to run") == 1
    assert first.index("1. a: ") < first.index("Note: the pattern")
    assert again.index("Field 1 of 1") < again.index("Note: the pattern")


def test_a_form_with_fields_can_be_gone_back_into_and_one_without_cannot() -> None:
    back = "/back or the number of a field such as /1, "
    _, shown = ask("x", "/cancel", question=form_question({"field": {"type": "string"}}))
    assert f"\n/send, {back}/decline or /cancel: " in shown
    _, shown = ask("/cancel", question=form_question({}))
    assert "\n/send, /decline or /cancel: " in shown


HOSTILE = "\x1b]0;owned\x07\x1b[2J\u202egnp.exe\u200b\r\nServer: bank"


def test_a_choice_that_is_none_any_more_is_shown_as_it_stands() -> None:
    form = read_form({"type": "object", "properties": {"f": {"type": "string", "enum": ["a"]}}})
    (field,) = form.fields
    assert entry_text(field, Chosen("x\x1b[2J")) == "x␛[2J"
    assert entry_text(field, Chosen("a")) == "a"


def test_nothing_a_server_sends_takes_effect_or_passes_for_a_line_of_ours() -> None:
    fields = {
        HOSTILE: {
            "type": "string",
            "title": HOSTILE,
            "description": HOSTILE,
            "enum": ["a", "b"],
            "enumNames": [HOSTILE, "\x9b31m"],
        }
    }
    question = form_question(fields, message=HOSTILE, title=HOSTILE, description=HOSTILE)
    outcome, shown = ask("/raw", "1", "/send", question=question)
    assert outcome.content == {HOSTILE: "a"}
    for active in ("\x1b", "\x07", "\u202e", "\u200b", "\r", "\x9b"):
        assert active not in shown
    assert [line for line in shown.splitlines() if line.startswith("Server: ")] == [
        line for line in shown.splitlines() if line.startswith("Server: deploy")
    ]


def test_whoever_words_what_a_form_says_none_of_it_takes_effect(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    convert, notes_for = Form.convert, Form.notes_for
    problem = Problem(HOSTILE, f"not this {HOSTILE}")

    def converted(form: Form, entries: Any) -> Any:
        return replace(convert(form, entries), problems=(problem,))

    monkeypatch.setattr(Form, "convert", converted)
    monkeypatch.setattr(Form, "notes_for", lambda *of: (*notes_for(*of), HOSTILE))
    question = form_question({HOSTILE: {"type": "string"}, "left": {"type": "object"}})
    assert question.form is not None
    fields = (replace(field, title=HOSTILE, notes=(HOSTILE,)) for field in question.form.fields)
    form = replace(question.form, fields=tuple(fields), notes=(HOSTILE,), title=HOSTILE)
    _, shown = ask("red", "/review", "/cancel", question=replace(question, form=form))
    assert shown.count("not this") == 2
    assert shown.count("left out. ") == 1
    assert active_left(shown) == []
    assert "Server: bank" not in shown.splitlines()


def test_what_was_noted_at_a_field_is_not_said_again_before_it_is_sent() -> None:
    question = form_question({"a": {"type": "string", "format": "x-unknown"}})
    assert question.form is not None
    (note,) = question.form.notes_for("a")
    outcome, shown = ask("x", "/send", question=question)
    assert (outcome.action, shown.count(note)) == ("accept", 1)


def test_what_is_missing_in_another_field_holds_nobody_up_in_this_one() -> None:
    question = form_question({"a": {"type": "string"}, "b": {"type": "string"}}, ("b",))
    outcome, shown = ask("one", "two", "/send", question=question)
    assert outcome.content == {"a": "one", "b": "two"}
    assert shown.count("Field 1 of 2") == 1


def test_what_a_form_is_called_and_says_stands_before_its_fields_with_their_number() -> None:
    texts = {"title": "Deploy", "description": "Where it goes."}
    for fields, counted in ((["a"], "One field. /help"), (["a", "b"], "2 fields, one after the")):
        properties = {name: {"type": "string"} for name in fields}
        _, shown = ask("/cancel", question=form_question(properties, **texts))
        head, _ = shown.split("Field 1 of")
        assert "  | Deploy\n  | Where it goes.\n" in head
        assert counted in head
    _, shown = ask("/cancel", question=form_question({}, **texts))
    assert "/help lists" not in shown
    refused = form_question(
        {"a": {"type": "object", "properties": {}}, "b": {"type": "string"}}, ("a",)
    )
    _, shown = ask("x", "/cancel", question=refused)
    assert "/help lists" not in shown
    # Nothing of it could be sent, so nothing of it is asked.
    assert "Field 1 of" not in shown
    assert "Only /decline and /cancel can be answered here." in shown
