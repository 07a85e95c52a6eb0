"""Whether a tool may be called: few keys, and a line to the agent that wanted it."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from textual.color import Color

from elicit_tui.elicitation import (
    Call,
    Finding,
    Question,
    Review,
    Severity,
    prompt_request,
)
from elicit_tui.elicitation.own_questions import approval_request
from elicit_tui.tui.inline_app import rows_of
from tests.tui.question.asking import (
    SERVER,
    WARNING,
    Asking,
    answer,
    asked,
    colour_of,
    typing,
    until,
)

pytestmark = pytest.mark.anyio

CALL = Call("tools/call", "deploy", {"branch": "main"})
DESTRUCTIVE = {"annotations": {"destructiveHint": True}}
QUESTION = Question(approval_request(SERVER, CALL, DESTRUCTIVE, ""))
OF_AN_AGENT = replace(QUESTION, takes_note=True)


ALLOWS = r"\^A allows .*any arguments,? until the server ends or the tool"


def in_one_line(app: Asking) -> str:
    """The words of the screen, without its frames."""
    return " ".join(app.words.replace("│", " ").replace("▌", " ").split())


@pytest.mark.parametrize(
    ("key", "action", "scope"),
    [("y", "accept", "once"), ("n", "decline", None), ("ctrl+a", "accept", "session")],
)
async def test_one_key_decides(key: str, action: str, scope: str | None) -> None:
    outcome = await answer(Asking(QUESTION), key)
    assert outcome is not None
    assert (outcome.action, outcome.scope, outcome.note) == (action, scope, None)


@pytest.mark.parametrize("size", [(140, 40), (80, 24), (40, 15)])
async def test_that_a_tool_destroys_stands_above_arguments_of_any_length(
    size: tuple[int, int],
) -> None:
    call = replace(CALL, arguments={"hosts": [f"host-{n}" for n in range(200)]})
    app = Asking(Question(approval_request(SERVER, call, DESTRUCTIVE, "")))
    async with asked(app, size):
        assert "tool claims ▲ destructive" in in_one_line(app)
        assert app.words.index("▲ destructive") < app.words.index("arguments")


@pytest.mark.parametrize("size", [(140, 40), (80, 24), (40, 15)])
async def test_what_more_can_be_allowed_is_in_sight_of_any_arguments_and_the_tool_speaks_below(
    size: tuple[int, int],
) -> None:
    call = replace(CALL, arguments={"hosts": [f"host-{n}" for n in range(200)]})
    said = {**DESTRUCTIVE, "description": "Deletes all. " + "And so on. " * 60 + "That is all."}
    app = Asking(Question(approval_request(SERVER, call, said, "")))
    async with asked(app, size) as pilot:
        assert '"host-0"' in app.words
        assert re.search(ALLOWS, in_one_line(app))
        await pilot.press("end")
        await until(pilot, lambda: "That is all." in in_one_line(app), "the end of what it says")
        assert re.search(ALLOWS, in_one_line(app))


@pytest.mark.parametrize("size", [(140, 40), (80, 60), (40, 60)])
async def test_arguments_stand_before_all_of_what_the_tool_says_and_why_one_is_asked_behind_it(
    size: tuple[int, int],
) -> None:
    tool = {**DESTRUCTIVE, "description": "It deploys. " + "And so on. " * 20 + "That is all."}
    why = "“deploy” is confirmed at every call: mcp_servers.shop.default_tools_approval_mode"
    request = approval_request(SERVER, CALL, tool, why)
    app = Asking(Question(request, note=f"The hook “look” failed. {why}"), follows="")
    async with asked(app, size):
        words = in_one_line(app)
        told = ("Call “deploy”", "The hook “look” failed.", "▲ destructive", '"branch": "main"')
        said = ("It deploys.", "That is all.", "“deploy” is confirmed at every call:")
        places = [words.index(each) for each in (*told, *said)]
        assert places == sorted(places)
        assert words.count("tool says") == words.count("why asked") == 1


async def test_the_first_words_of_a_tool_have_to_be_seen_below_the_arguments_of_an_agent() -> None:
    call = replace(CALL, arguments={"hosts": [f"host-{n}" for n in range(30)]}, own=False)
    tool = {"name": "deploy", "description": "Deletes all. " + "And so on. " * 300}
    app = Asking(Question(approval_request(SERVER, call, tool, "")))
    async with asked(app, (80, 24)) as pilot:
        assert "Deletes all." not in app.words
        for _ in range(4):
            if "Deletes all." in app.words:
                break
            await pilot.press("y")
            await until(pilot, lambda: not app.view.deaf, "it hears again")
        assert "Deletes all." in app.words
        assert app.outcome is None


async def test_the_page_about_an_approval_says_that_it_asks_before_the_call() -> None:
    app = Asking(QUESTION)
    async with asked(app) as pilot:
        await pilot.press("f2")
        await until(pilot, lambda: "asks before  deploy(" in app.words, "the facts")


@pytest.mark.parametrize("size", [(140, 40), (80, 24), (40, 15)])
async def test_which_agent_wants_the_call_stands_above_it(size: tuple[int, int]) -> None:
    app = Asking(OF_AN_AGENT, origin="claude-code 2.1.319 in /home/me/code")
    async with asked(app, size):
        assert "wanted by claude-code 2.1.319" in app.words
        assert app.words.index("wanted by") < app.words.index("Call “deploy”")


@pytest.mark.parametrize("size", [(140, 40), (80, 24), (40, 15)])
async def test_while_a_note_is_written_the_key_that_shows_more_of_the_call_is_named(
    size: tuple[int, int],
) -> None:
    call = replace(CALL, arguments={"hosts": [f"host-{n}" for n in range(30)]})
    question = replace(OF_AN_AGENT, request=approval_request(SERVER, call, DESTRUCTIVE, ""))
    app = Asking(question)
    async with asked(app, size) as pilot:
        await pilot.press("n", *typing("not yet"))
        await until(pilot, lambda: "PgDn reads on" in app.words, "the key")
        for _ in range(30):
            await pilot.press("pagedown")
        await until(pilot, lambda: '"host-29"' in app.words, "the last argument")
        await until(pilot, lambda: "PgDn" not in app.words, "no more of it")
        assert app.view.body.note == "not yet"


@pytest.mark.parametrize("question", [QUESTION, OF_AN_AGENT], ids=["own", "of an agent"])
async def test_y_allows_whoever_asks_and_enter_decides_nothing_that_was_not_chosen(
    question: Question,
) -> None:
    app = Asking(question)
    async with asked(app) as pilot:
        await pilot.press("enter")
        await until(pilot, lambda: "y calls it, n declines" in app.words, "the way")
        await pilot.press("enter")
        await pilot.pause()
        assert app.outcome is None
        await pilot.press("y")
        await until(pilot, lambda: app.outcome is not None, "the answer")
    assert app.outcome is not None
    assert (app.outcome.action, app.outcome.scope) == ("accept", "once")


@pytest.mark.parametrize("question", [QUESTION, OF_AN_AGENT], ids=["own", "of an agent"])
async def test_the_key_that_sent_the_calls_form_only_says_which_keys_decide(
    question: Question,
) -> None:
    app = Asking(question)
    async with asked(app) as pilot:
        await pilot.press("ctrl+s")
        await until(pilot, lambda: "y calls it, n declines" in app.words, "the way")
        await pilot.press("ctrl+s")
        await pilot.pause()
        assert app.outcome is None


async def test_a_note_opens_after_n_and_in_it_letters_decide_nothing_and_enter_declines() -> None:
    app = Asking(OF_AN_AGENT)
    async with asked(app) as pilot:
        assert "Your note" not in app.words
        await pilot.press("n")
        await until(pilot, lambda: "Enter declines with this note" in app.words, "the note's line")
        assert "empty on purpose" not in app.words
        assert app.words.count("Enter") == 1, "it is not said to lead on, too"
        await pilot.press(*typing("yes, but not on Fridays"))
        await until(pilot, lambda: "yes, but not on Fridays" in app.words, "the note")
        assert app.outcome is None
        await pilot.press("enter")
        await until(pilot, lambda: app.outcome is not None, "the answer")
    assert app.outcome is not None
    assert (app.outcome.action, app.outcome.note) == ("decline", "yes, but not on Fridays")


async def test_every_key_that_a_sentence_of_an_approval_names_stands_out() -> None:
    app = Asking(OF_AN_AGENT)
    async with asked(app) as pilot:
        accent = Color.parse(app.theme_variables["accent"]).rich_color
        await pilot.press("n")
        await until(pilot, lambda: "Enter declines with this note" in app.words, "the note")
        assert [colour_of(app, key) for key in ("Enter", "Esc")] == [accent, accent]


@pytest.mark.parametrize("size", [(140, 40), (80, 24), (40, 15)])
async def test_that_n_opens_a_note_is_told_and_beside_it_stands_no_letter_that_decides(
    size: tuple[int, int],
) -> None:
    app = Asking(OF_AN_AGENT)
    async with asked(app, size) as pilot:
        assert "n declines with a note" in app.words
        assert "n Decline…" in app.words
        assert "y Allow once" in app.words
        await pilot.press("n")
        await until(pilot, lambda: "^S Allow once" in app.words, "the keys of the note")
        assert "Goes to the agent alone, and only if you decline." in in_one_line(app)
        for key in ("^N Decline", "Esc Back"):
            assert key in app.words
        for key in ("n Decline ", "y Allow", "Esc Cancel"):
            assert key not in app.words
        await pilot.press("tab")
        await pilot.pause()
        assert "^S Allow once" in app.words
        await pilot.press("shift+tab", "escape")
        await until(pilot, lambda: "y Allow once" in app.words, "the keys of the call")
        assert "n Decline " in app.words
        assert app.outcome is None


async def test_from_an_empty_note_one_comes_back_to_a_call_that_nothing_has_decided() -> None:
    app = Asking(OF_AN_AGENT)
    async with asked(app) as pilot:
        await pilot.press("n", "escape")
        await until(pilot, lambda: "Your note" not in app.words, "the call")
        assert app.outcome is None
        await pilot.press("n")
        await until(pilot, lambda: app.outcome is not None, "the second no")
    assert app.outcome is not None
    assert (app.outcome.action, app.outcome.note) == ("decline", None)


async def test_letters_of_a_note_that_was_not_opened_do_not_call_the_tool() -> None:
    app = Asking(OF_AN_AGENT)
    async with asked(app) as pilot:
        await pilot.press("W", "h", "y")
        await until(pilot, lambda: "What you typed has no place here" in app.words, "the word")
        assert app.outcome is None


@pytest.mark.parametrize(("key", "scope"), [("ctrl+s", "once"), ("ctrl+a", "session")])
@pytest.mark.parametrize("away", [("tab",), ()], ids=["beside the note", "in the note"])
async def test_a_note_is_not_dropped_by_a_yes_without_a_word(
    away: tuple[str, ...], key: str, scope: str
) -> None:
    app = Asking(OF_AN_AGENT)
    async with asked(app) as pilot:
        await pilot.press("n", *typing("my note"), *away, key)
        await until(pilot, lambda: "again calls it without your note" in app.words, "the word")
        assert app.outcome is None
        await pilot.press(key)
        await until(pilot, lambda: app.outcome is not None, "the answer")
    assert app.outcome is not None
    assert (app.outcome.action, app.outcome.scope, app.outcome.note) == ("accept", scope, None)


async def test_a_note_outlives_later_and_a_call_that_nobody_waits_for_takes_none() -> None:
    app = Asking(OF_AN_AGENT)
    async with asked(app) as pilot:
        await pilot.press("n", *typing("no"), "ctrl+l")
        await until(pilot, lambda: bool(app.later), "later")
    again = Asking(OF_AN_AGENT, draft=app.later[0])
    async with asked(again):
        assert again.view.body.note == "no"
        assert "from before" in again.words
    own = Asking(QUESTION)
    async with asked(own):
        assert "Your note" not in own.words


async def test_whoever_looked_at_the_request_while_writing_goes_on_writing() -> None:
    app = Asking(OF_AN_AGENT)
    async with asked(app) as pilot:
        await pilot.press("n", *typing("not"), "f2")
        await until(pilot, lambda: "As it arrived" in app.words and not app.view.deaf, "all of it")
        await pilot.press("escape")
        await until(pilot, lambda: "Your note" in app.words and not app.view.deaf, "the call")
        assert "Enter Decline" not in app.words
        await pilot.press(*typing(" now"), "ctrl+n")
        await until(pilot, lambda: app.outcome is not None, "the answer")
    assert app.outcome is not None
    assert app.outcome.note == "not now"


async def test_the_button_with_the_focus_says_what_enter_does_there() -> None:
    app = Asking(QUESTION)
    async with asked(app) as pilot:
        await pilot.press("tab")
        await until(pilot, lambda: "Enter Decline: an explicit no" in app.words, "the first")
        await pilot.press("tab")
        await until(pilot, lambda: "Enter Allow once: called, this time" in app.words, "the next")


@pytest.mark.parametrize(
    ("key", "reason"),
    [
        ("ctrl+n", "You declined."),
        ("y", "You allowed the call."),
    ],
)
async def test_what_a_person_did_is_told_to_that_person(key: str, reason: str) -> None:
    outcome = await answer(Asking(QUESTION), key)
    assert outcome is not None
    assert outcome.reason == reason


async def test_the_key_that_leads_back_elsewhere_cancels_a_waiting_call_the_second_time() -> None:
    app = Asking(QUESTION)
    async with asked(app) as pilot:
        assert "Esc Cancel" in app.words
        assert "Cancel…" not in app.words, "no other page follows"
        await pilot.press("escape")
        await until(pilot, lambda: "Esc again cancels." in app.words, "what it does")
        assert app.outcome is None
        await pilot.press("escape")
        await until(pilot, lambda: app.outcome is not None, "the answer")
    assert app.outcome is not None
    assert app.outcome.action == "cancel"
    assert app.outcome.reason == "You dismissed the question."


async def test_one_key_cancels_a_call_of_ones_own_as_its_button_says() -> None:
    app = Asking(Question(approval_request(SERVER, replace(CALL, own=True), DESTRUCTIVE, "")))
    async with asked(app) as pilot:
        assert "Esc Cancel" in app.words
        await pilot.press("escape")
        await until(pilot, lambda: app.outcome is not None, "the answer")
    assert app.outcome is not None
    assert app.outcome.action == "cancel"


async def test_each_thing_is_said_once_and_help_is_in_reach() -> None:
    app = Asking(OF_AN_AGENT)
    async with asked(app) as pilot:
        assert app.words.count("destructive") == 1
        assert "F1 Help" in app.words
        await pilot.press("f1")
        await until(pilot, lambda: "put it off" in app.words, "the rest of the keys")


async def test_what_a_server_calls_itself_is_said_to_be_the_servers() -> None:
    server = replace(SERVER, name="files", calls_itself="claude-code", version="1")
    question = Question(approval_request(server, CALL, DESTRUCTIVE, ""))
    app = Asking(question)
    async with asked(app, (100, 30)):
        assert "“files” calls itself “claude-code” “1”" in app.words


def of_an_agent_s_own(command: str, *found: Finding) -> Question:
    call = Call("tools/call", "Bash", {"command": command})
    request = prompt_request("Claude Code", call, "Let Claude Code run a command?")
    return Question(request, Review(found), takes_note=True)


async def test_what_an_agent_itself_wants_is_allowed_once_and_never_for_the_session() -> None:
    app = Asking(of_an_agent_s_own("make release"))
    async with asked(app) as pilot:
        assert "Claude Code asks" in app.words
        assert "make release" in app.words
        assert "This session" not in app.words
        await pilot.press("ctrl+a")
        await pilot.pause()
        assert app.outcome is None
        await pilot.press("y")
        await until(pilot, lambda: app.outcome is not None, "the answer")
    assert app.outcome is not None
    assert (app.outcome.action, app.outcome.scope) == ("accept", "once")


async def test_what_was_found_in_a_command_takes_a_second_step_that_acknowledges_it() -> None:
    found = Finding("destructive.effect", Severity.WARN, "arguments", "rm -rf", "Look twice.")
    app = Asking(of_an_agent_s_own("rm -rf build", found))
    async with asked(app) as pilot:
        await pilot.press("y")
        await until(pilot, lambda: "One more look" in app.words, "the second step")
        assert app.outcome is None
        await until(pilot, lambda: not app.view.deaf, "keys to be heard")
        await pilot.press("ctrl+y")
        await until(pilot, lambda: app.outcome is not None, "the answer")
    assert app.outcome is not None
    assert app.outcome.action == "accept"
    assert app.outcome.acknowledged == {found.id}


async def test_a_text_of_several_lines_is_read_as_lines_before_it_is_written() -> None:
    call = replace(CALL, arguments={"path": "a.txt", "content": 'one\n"two"\u202e'})
    app = Asking(Question(approval_request(SERVER, call, DESTRUCTIVE, "")))
    async with asked(app, (80, 30)) as pilot:
        await until(pilot, lambda: '"content": 2 lines' in app.words, "how many there are")
        assert "│ one" in app.words
        assert '│ "two"\\u202e' in app.words


LINES = "\n".join(f"line {n}" for n in range(200))


async def test_one_button_reads_on_while_a_call_is_not_seen_to_its_end() -> None:
    call = Call("tools/call", "write", {"text": LINES})
    app = Asking(Question(approval_request(SERVER, call, {"description": "Writes."}, "")))
    async with asked(app) as pilot:
        await until(pilot, lambda: "y Read on" in app.words, "that it goes on")
        assert app.words.count("Read on") == 1
        while "line 199" not in app.words:
            await pilot.press("pagedown")
            await pilot.pause()
        await until(pilot, lambda: "^A This session" in app.words, "all ways to allow it")
        assert "y Allow once" in app.words


async def test_what_a_person_wrote_into_a_call_need_not_be_read_by_them_before_it_is_made() -> None:
    call = Call("tools/call", "write", {"text": LINES}, own=True)
    app = Asking(Question(approval_request(SERVER, call, {"description": "Writes."}, "")))
    async with asked(app) as pilot:
        await until(pilot, lambda: "y Allow once" in app.words, "that it can be called")
        assert "line 1" in app.words
        await pilot.press("y")
        await until(pilot, lambda: app.outcome is not None, "the answer")
    assert app.outcome is not None
    assert "call" in (app.outcome.seen or ())


async def test_allowing_a_warned_tool_for_the_session_has_its_second_step_too() -> None:
    app = Asking(replace(OF_AN_AGENT, review=Review((WARNING,))))
    async with asked(app) as pilot:
        await pilot.press("ctrl+a")
        await until(pilot, lambda: app.view.page == "step" and not app.view.deaf, "the step")
        assert app.outcome is None
        assert "with any arguments later in this session" in " ".join(app.words.split())
        await pilot.press("ctrl+y")
        await until(pilot, lambda: app.outcome is not None, "the answer")
    assert app.outcome is not None
    assert (app.outcome.scope, app.outcome.acknowledged) == ("session", {WARNING.id})


async def test_the_rows_that_an_approval_takes_under_the_prompt_hide_nothing_of_it() -> None:
    definition = {"description": "\n".join(f"Line {number}." for number in range(40))}
    app = Asking(Question(approval_request(SERVER, CALL, definition, "")))
    async with asked(app, (98, 30)):
        call = app.view.body.panel
        assert call.max_scroll_y > 0
        assert rows_of(app.view) == app.size.height + call.max_scroll_y
