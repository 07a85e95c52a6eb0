"""What plain prompts refuse, leave out and show at the edges of a question."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from elicit_tui.elicitation import (
    Call,
    Deadline,
    Finding,
    LoginPage,
    Outcome,
    Question,
    Review,
    Severity,
    authorization_request,
)
from elicit_tui.elicitation.own_questions import approval_request
from elicit_tui.elicitation.question import REDIRECT
from elicit_tui.form.field import Typed
from elicit_tui.responders import plain_form, typed_lines
from elicit_tui.responders.dialogue import heading
from elicit_tui.responders.plain import PlainResponder
from elicit_tui.responders.typed_lines import PASTE_BEGINS, PASTE_ENDS, InputGone, Lines
from elicit_tui.text.hosts import host_of
from elicit_tui.tui.question.address import address_of
from tests.responders.typing import SERVER, ask, form_question, page_question

WARNING = Finding("acme.ticket", Severity.WARN, "message", "4711", "Look twice.")
CALL = Call("tools/call", "deploy", {"branch": "main"})
TOOL = {"description": "Puts \x1b[31mit\nout.", "annotations": {"destructiveHint": True}}
APPROVAL = Question(approval_request(SERVER, CALL, TOOL, "It is destructive."))


# A tool call


def test_session_allows_the_tool_for_the_session() -> None:
    outcome, shown = ask("/session", question=APPROVAL)
    assert (outcome.action, outcome.scope) == ("accept", "session")
    assert "/session" in shown
    assert "The tool says of itself:\n  | Puts ␛[31mit\n  | out." in shown
    assert "Its hints: " in shown
    assert "Its hints: none" not in shown


def test_an_agents_own_prompt_cannot_be_allowed_for_the_session() -> None:
    handed = replace(APPROVAL, request=replace(APPROVAL.request, handed_to="claude"))
    outcome, shown = ask("/help", "/session", "y", question=handed)
    assert (outcome.action, outcome.scope) == ("accept", "once")
    assert "session" not in shown.split("Its hints")[1]
    assert "This is not a command here" in shown


def test_a_call_that_is_warned_of_is_allowed_by_a_second_step_alone() -> None:
    warned = replace(APPROVAL, review=Review((WARNING,)))
    outcome, shown = ask("y", "y", "y", "yes", question=warned)
    assert (outcome.action, outcome.acknowledged) == ("accept", frozenset({WARNING.id}))
    assert shown.count("Nothing was sent.") == 1
    refused, _ = ask("y", "no", "n", question=warned)
    assert (refused.action, refused.acknowledged) == ("decline", frozenset())


# A page


def test_an_address_that_is_typed_answers_no_page_of_a_server() -> None:
    opened: list[str] = []
    question = page_question("https://example.com/")
    typed = "https://example.com/?code=1"
    outcome, shown = ask(typed, "/decline", question=question, opener=opens(opened))
    assert (outcome.action, opened) == ("decline", [])
    assert "Nothing was opened. Type one of the commands." in shown
    assert "Paste that address here" not in shown
    retried = page_question("https://example.com/", era="modern")
    outcome, shown = ask("/agree", typed, "/finished", question=retried, opener=opens(opened))
    assert (outcome.action, outcome.content) == ("accept", None)


def opens(pages: list[str]) -> Callable[[str], bool]:
    return lambda url: pages.append(url) is None


def login(review: Review | None = None) -> Question:
    page = LoginPage("https://as.example/authorize", "https://as.example")
    return Question(authorization_request(SERVER, page), review or Review())


def test_the_address_that_a_login_ends_at_may_be_pasted_before_and_after_it_is_opened() -> None:
    address = "http://127.0.0.1:1/callback?code=1"
    for typed in (address, f" {address} "):
        outcome, shown = ask("word", typed, question=login())
        assert (outcome.action, outcome.decided_by) == ("accept", "user")
        assert outcome.content == {REDIRECT: typed}
    assert "Paste that address here" in shown
    assert "This page is to be opened:" in shown
    warned = login(Review((WARNING,)))
    outcome, _ = ask(address, "no", address, "yes", question=warned)
    assert outcome.acknowledged == {WARNING.id}
    for typed, content in ((address, {REDIRECT: address}), ("/finished", None)):
        outcome, _ = ask("/agree", "word", typed, question=login())
        assert (outcome.action, outcome.content) == ("accept", content)


@pytest.mark.parametrize(
    "url",
    [
        "https://example.com/`x`",
        "https://example.com/a|b",
        "https://ex%61mple.com/",
        r"https://evil.example\@good.example/",
    ],
)
def test_a_page_whose_url_could_be_misread_can_only_be_refused(url: str) -> None:
    opened: list[str] = []
    lines = ("/open", "/agree", "/decline")
    outcome, shown = ask(*lines, question=page_question(url), opener=opens(opened))
    assert (outcome.action, opened) == ("decline", [])
    assert "This page may not be opened" in shown


def test_no_host_is_named_that_a_browser_would_not_go_to() -> None:
    url = r"https://evil.example\@good.example/"
    _, shown = ask("/decline", question=page_question(url))
    assert "Host:" not in shown
    assert host_of(url) == ""
    assert address_of(url).domain == ""


def test_a_page_can_be_opened_once_more_while_it_is_waited_for() -> None:
    opened: list[str] = []
    question = page_question("https://example.com/", era="modern")
    lines = ("/open", "/open", "done?", "/finished")
    outcome, shown = ask(*lines, question=question, opener=opens(opened))
    assert (outcome.action, opened) == ("accept", ["https://example.com/"] * 2)
    assert "Type one of the commands." in shown
    assert question.draft.opened


def test_a_page_that_nobody_opened_is_not_said_to_be_open() -> None:
    question = page_question("https://example.com/")
    ask("/open", "/decline", question=question, opener=lambda url: False)
    assert not question.draft.opened


# Above the prompts


def test_the_heading_says_the_round_the_group_and_why_it_is_asked_again() -> None:
    question = form_question({})
    assert 'calls itself "Deploy ␛[31mServer", version "1.4"; stdio' in heading(question)
    assert "Round" not in heading(question)
    request = replace(question.request, round=2, group_size=3)
    shown = heading(replace(question, request=request, note="Not \x1b[2Jvalid."))
    assert "Round 2, with 3 questions." in shown
    assert "Note: Not ␛[2Jvalid." in shown
    side_by_side = replace(question.request, group_size=2)
    assert "Round 1, with 2 questions." in heading(replace(question, request=side_by_side))
    assert "Round 2.\n" in heading(replace(question, request=replace(request, group_size=1)))
    unnamed = replace(question.request, server=replace(SERVER, calls_itself=None))
    assert "calls itself" not in heading(replace(question, request=unnamed))
    unversioned = replace(question.request, server=replace(SERVER, version=None))
    assert "version" not in heading(replace(question, request=unversioned))


def test_what_is_asked_by_us_is_not_said_to_be_the_servers() -> None:
    called = heading(APPROVAL)
    assert called.startswith('=== Call "deploy" of "deploy"? ===')
    assert "The server says:" not in called
    assert "For: " not in called
    logged_in = heading(login())
    assert logged_in.startswith('=== Log in to "deploy"? ===')
    assert "The server says:" not in logged_in
    assert "wants a login" in logged_in


@pytest.mark.parametrize(("seconds", "told"), [(90, True), (0, False)])
def test_how_much_time_there_is_is_said_where_it_ends(seconds: float, told: bool) -> None:
    shown: list[str] = []

    class Silent(Lines):
        def __init__(self) -> None:
            pass

        left_out = 0

        def discard(self) -> None:
            pass

        async def quiet(self) -> None:
            pass

        async def next(self) -> str | None:
            raise InputGone("EIO")

    responder = PlainResponder(Silent(), shown.append)
    outcome = asyncio.run(responder.respond(form_question({}), Deadline(seconds)))
    assert ("You have 90 seconds" in "".join(shown)) is ("You have" in "".join(shown)) is told
    # A terminal that went away is nobody's decision.
    assert (outcome.action, outcome.decided_by, outcome.via) == ("cancel", "nobody", "plain")


# A form


def test_numbers_and_words_that_lead_nowhere_move_nothing() -> None:
    question = form_question({"a": {"type": "string"}, "b": {"type": "string"}})
    lines = ("/back", "/0", "/3", "one", "/open", "two", "/back", "TWO", "/send")
    outcome, shown = ask(*lines, question=question)
    assert outcome.content == {"a": "one", "b": "TWO"}
    assert shown.count("The fields are numbered 1 to 2.") == 2
    assert shown.count("This is not a command here") == 1
    _, page = ask("/2", "/decline", question=page_question("https://example.com/"))
    assert "This is not a command here" in page


def test_a_required_field_is_not_cleared_and_a_wrong_line_keeps_what_stood_there() -> None:
    question = form_question({"a": {"type": "integer"}}, ("a",))
    outcome, shown = ask("5", "/1", "/clear", "x", "", "/send", question=question)
    assert outcome.content == {"a": 5}
    assert shown.count("Press Enter to keep: 5") == 3
    assert shown.count("! a: ") == 2
    assert question.draft.entries == {"a": Typed("5")}


def test_what_stands_in_a_field_is_said_in_the_words_of_its_choices() -> None:
    titles = {"type": "string", "oneOf": [{"const": "a", "title": "First"}]}
    many = {"type": "array", "items": {"anyOf": [{"const": "b", "title": "Sec\x1b[0mond"}]}}
    fields = {"one": titles, "many": many, "tick": {"type": "boolean"}, "text": {"type": "string"}}
    question = form_question(fields)
    outcome, shown = ask("1", "1", "no", "/empty", "/send", question=question)
    assert outcome.content == {"one": "a", "many": ["b"], "tick": False, "text": ""}
    for line in ("1. one: First", "2. many: Sec␛[0mond", "3. tick: no", "4. text: (empty on"):
        assert line in shown
    alike = {"oneOf": [{"const": 1, "title": "One"}, {"const": True, "title": "Yes"}]}
    _, shown = ask("2", "/cancel", question=form_question({"alike": alike}))
    assert "1. alike: Yes" in shown
    assert "3. tick: yes" in ask("", "", "yes", "", "/send", question=form_question(fields))[1]


def test_of_very_many_choices_the_first_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain_form, "CHOICES_SHOWN", 2)
    question = form_question({"a": {"type": "string", "enum": ["x", "y", "z"]}})
    outcome, shown = ask("3", "/send", question=question)
    assert outcome.content == {"a": "z"}
    assert "  2) y\n  and 1 more: /raw shows them all\n" in shown
    monkeypatch.setattr(plain_form, "CHOICES_SHOWN", 3)
    assert "more: /raw" not in ask("", "/send", question=question)[1]


def test_going_back_from_a_question_without_fields_asks_it_again() -> None:
    outcome, shown = ask("/back", "/1", "/send", question=form_question({}))
    assert (outcome.action, outcome.content) == ("accept", {})
    assert shown.count("This question has no fields: to send it means yes.") == 3


def test_a_field_of_blanks_alone_is_left_as_it_is_unless_it_takes_a_text() -> None:
    fields = {"number": {"type": "integer", "default": 3}, "text": {"type": "string"}}
    outcome, _ = ask("   ", "   ", "/send", question=form_question(fields))
    assert outcome.content == {"number": 3, "text": "   "}


class Prepared(Lines):
    """Lines that are there at once, with when what was typed ahead was thrown away."""

    def __init__(self, *lines: str) -> None:
        self.given = list(lines)
        self.log: list[str] = []
        self.left_out = 0

    def discard(self) -> None:
        self.log.append("discarded")

    async def quiet(self) -> None:
        self.log.append("quiet")

    async def next(self) -> str | None:
        self.log.append(self.given[0])
        return self.given.pop(0)


@pytest.mark.parametrize(
    ("question", "log"),
    [
        (replace(APPROVAL, review=Review((WARNING,))), ["quiet", "y", "quiet", "yes"]),
        (
            replace(APPROVAL, takes_note=True),
            ["quiet", "n", "use staging"],
        ),
        (
            page_question("https://example.com/", Review((WARNING,)), era="modern"),
            ["quiet", "/agree", "quiet", "yes", "quiet", "/finished"],
        ),
        (
            form_question({"a": {"type": "string"}}, review=Review((WARNING,))),
            ["text", "quiet", "/send", "quiet", "yes"],
        ),
    ],
)
def test_nothing_that_was_typed_ahead_answers_what_lets_something_happen(
    question: Question, log: list[str]
) -> None:
    lines = Prepared(*(line for line in log if line != "quiet"))
    responder = PlainResponder(lines, lambda text: None)
    outcome = asyncio.run(responder.respond(question, Deadline(60)))
    assert outcome.action == ("decline" if "n" in log else "accept")
    assert lines.log == ["discarded", *log]


# Lines


def lines_of(written: bytes, count: int) -> list[tuple[str | None, int]]:
    async def run() -> list[tuple[str | None, int]]:
        read, write = os.pipe()
        with os.fdopen(read, encoding="utf-8") as stream:
            lines = Lines(stream)
            os.write(write, written)
            os.close(write)
            got: list[tuple[str | None, int]] = []
            for _ in range(count):
                line = await asyncio.wait_for(lines.next(), 20)
                got.append((line, lines.left_out))
            return got

    return asyncio.run(run())


def test_a_line_end_that_is_pasted_ends_no_line() -> None:
    pasted = b"a" + PASTE_BEGINS + b"1\n2\n" + PASTE_ENDS + b"b\nnext\n"
    (first, _), (second, _) = lines_of(pasted, 2)
    assert first is not None
    assert (first[:2], first[-1], second) == ("a1", "b", "next")
    two = PASTE_BEGINS + b"1" + PASTE_ENDS + PASTE_BEGINS + b"2\n/send" + PASTE_ENDS + b"\nnext\n"
    (first, _), (second, _) = lines_of(two, 2)
    assert first is not None
    assert ("/send" in first, second) == (True, "next")
    (unended, _), (end, _) = lines_of(PASTE_BEGINS + b"1\n/send\n", 2)
    assert unended is not None
    assert ("/send" in unended, end) == (True, None)


def test_control_characters_are_no_part_of_a_line_and_are_counted() -> None:
    assert lines_of(b"a\x1b\x07b\x11\x13\nplain\n", 2) == [("ab", 2), ("plain", 0)]


def test_a_line_that_is_too_long_comes_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(typed_lines, "LINE_BYTES", 4)
    got = [line for line, _ in lines_of(b"abcdefghi", 4)]
    assert got == ["abcd", "efgh", "i", None]


def test_what_a_person_is_told_of_control_characters_stands_at_the_prompt() -> None:
    outcome, shown = ask("a\x1bb", "/send", question=form_question({"a": {"type": "string"}}))
    assert outcome.content == {"a": "ab"}
    assert "control character" in shown


def test_a_word_after_a_slash_is_a_command_in_any_case_and_bounded() -> None:
    outcome, _ = ask("/CANCEL ", question=form_question({}))
    assert outcome.action == "cancel"
    read: Any = typed_lines.read_line("/" + "x" * 100)
    assert len(read.word) == 40
    assert typed_lines.PromptCommand("٣").number is None


def test_only_a_line_that_says_yes_goes_on_in_spite_of_a_warning() -> None:
    question = replace(form_question({}), review=Review((WARNING,)))
    outcome: Outcome
    for line in ("", "y", "Yes", "yes "):
        outcome, _ = ask("/send", line, "/cancel", question=question)
        assert outcome.action == "cancel"
