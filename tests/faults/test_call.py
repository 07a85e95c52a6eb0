"""A server that fails while it is called: one sentence, truthful outcomes, nothing left."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tests.faults.console import QUESTION, console_on
from tests.faults.row import CALLED, Row, each, proves
from tests.faults.stand import Stand, runs
from tests.keys import DOWN

NOBODY = "cancel by nobody"
EITHER = f"{NOBODY} or no answer by server"
"""Nobody's answer may be out before the server ends or withdraws; both are true."""

SILENT = "its standard error is empty"
REFUSED = "no answer by policy"
MODERN = {"protocol": "2026-07-28"}


def ended(how: str, words: str = SILENT) -> str:
    return f"The server faulty {how}; {words}."


def never_ends(tool: str) -> str:
    return (
        f"The call of {tool} went on for 5 rounds in which no person was asked "
        "(elicitation.rounds allows more)."
    )


ALONE = (
    Row(
        "exits during a call",
        ended("ended (exit code 3)", "its last words: cannot go on ␛[31mred␛[0m"),
        case="exits",
        code=4,
    ),
    Row(
        "hangs during a call",
        'The server faulty did not answer "hangs" within 1 second '
        "(mcp_servers.faulty.tool_timeout_sec allows more).",
        case="hangs",
        code=5,
        keys={"tool_timeout_sec": 1},
    ),
    Row("writes garbage during a call", "after the garbage", case="garbage"),
    Row(
        "writes half of its answer and exits",
        ended("ended (exit code 0)"),
        case="half_an_answer",
        code=4,
    ),
    Row(
        "writes an answer without an end",
        "The server faulty wrote a message of more than 32 MiB, and was stopped.",
        case="an_answer_without_end",
        code=4,
    ),
    Row("floods standard error during a call", "after the flood", case="floods_stderr"),
    Row(
        "closes its output and goes on running",
        ended("closed its pipes without ending, and was stopped"),
        case="closes_its_output",
        code=4,
    ),
    Row(
        "answers twice, with an error too, and answers what nobody asked",
        "first",
        case="answers_twice",
    ),
    Row("changes its tools during a call", "they are others by now", case="changes_its_tools"),
    Row(
        "never ends its rounds (2026-07-28)",
        never_ends("never_ends_its_rounds"),
        case="never_ends_its_rounds",
        code=5,
        sent="discovery, list" + ", call" * 6,
        keys=MODERN,
    ),
)
"""Faults in which nobody is asked anything."""

WITH_A_QUESTION = (
    Row(
        "asks, then closes its input and goes on running",
        ended("closed its pipes without ending, and was stopped"),
        case="closes_its_input",
        code=4,
        ledger=EITHER,
    ),
    Row(
        "reuses the id of a question",
        "cancel error -32602 then error -32602",
        case="reuses_request_ids",
        sent=" or ".join(
            f"{CALLED}, {answers}, error -32602"
            for answers in ("cancel, error -32602", "error -32602, cancel")
        ),
        ledger=", ".join((NOBODY, REFUSED, REFUSED)),
    ),
    Row(
        "sends notifications too late: a withdrawal, progress, a page's completion, a log, an "
        "error",
        "cancel",
        case="late_notifications",
        sent=f"{CALLED}, cancel",
        ledger=NOBODY,
    ),
    Row(
        "ends while its question is open",
        ended("ended (exit code 9)", "its last words: out of memory"),
        case="ends_while_asking",
        code=4,
        ledger=EITHER,
    ),
    Row(
        "withdraws its question",
        "never mind",
        case="takes_it_back",
        sent=f"{CALLED} or {CALLED}, cancel",
        ledger=EITHER,
    ),
    Row(
        "asks round after round (2026-07-28)",
        never_ends("asks_round_after_round"),
        case="asks_round_after_round",
        code=5,
        sent="discovery, list" + ", call" * 6,
        ledger=", ".join([NOBODY] * 6),
        keys=MODERN,
    ),
)
"""The same where a question is open, which nobody is there to answer."""


MET_BY_NOBODY = (
    "The server faulty wrote a message that could not be read; it may have asked something that "
    "nobody met."
)


def lost(what: str, case: str) -> Row:
    return Row(what, MET_BY_NOBODY, case, done="`call --strict`", code=4)


UNREAD = (
    lost("asks inside a JSON-RPC batch", "asks_in_a_batch"),
    lost("asks in JSON that is cut short", "asks_in_broken_json"),
    lost("asks behind words of its own on the same line", "asks_behind_a_prefix"),
    lost("asks without an id, in JSON that is broken", "asks_without_an_id_in_broken_json"),
    lost("sends a notification whose params are a list", "tells_of_a_page_in_a_list"),
    lost("sends a message whose method is a number", "names_no_method"),
)
"""What cannot be read may be a question, and the tool's result looks as if all were well."""


@each(UNREAD)
def test_a_message_that_nobody_could_read_is_never_green_where_all_had_to_be_met(
    row: Row, stand: Stand
) -> None:
    stand.faulty()
    called = stand.call(row.case, "--strict")
    called.says(row)
    assert called.document["error"]["code"] == "unread_message"
    assert called.document["result"]["content"][0]["text"] == "as if all were well"
    stand.bears_out(row)


@each(replace(row, saw="as if all were well", done="`call`", code=0) for row in UNREAD)
def test_without_strict_a_sentence_tells_of_a_message_that_nobody_could_read(
    row: Row, stand: Stand
) -> None:
    stand.faulty()
    called = stand.call(row.case)
    called.says(row)
    assert "faulty: It wrote a message that could not be read; whether that asked" in called.stderr
    stand.bears_out(row)


MISREAD = tuple(
    Row(what, f"The server faulty {saw}.", case, done="`call --strict`", code=4)
    for what, saw, case in (
        (
            "says a key twice in its result",
            "says “isError” twice in one object; what was read may not be what it meant",
            "says_a_key_twice",
        ),
        (
            "asks a while after its result",
            "asked something that nobody met, when its connection was being closed",
            "asks_after_its_result",
        ),
        (
            "asks when its input is closed",
            "asked something that nobody met, when its connection was being closed",
            "asks_when_it_is_closed",
        ),
    )
)
"""What was read or came in a way that nobody can be sure to have met every question."""


def is_red_if_strict(stand: Stand, row: Row, code: str) -> None:
    """The result is as if all were well: only a strict call ends by this error."""
    stand.faulty()
    called = stand.call(row.case, "--strict")
    called.says(row)
    assert called.document["error"]["code"] == code
    assert called.document["result"]["content"][0]["text"] == "as if all were well"
    stand.bears_out(row)
    assert stand.call(row.case).code == 0


@each(MISREAD)
def test_a_strict_call_is_not_green_where_nobody_can_be_sure_what_was_asked(
    row: Row, stand: Stand
) -> None:
    is_red_if_strict(stand, row, "unread_message")


CONTRADICTS = tuple(
    Row(what, saw, case, done="`call --strict`", code=4, sent=sent)
    for what, saw, case, sent in (
        (
            "answers its call twice, the second time with isError",
            "The server faulty answered a request twice; only the first answer counted.",
            "then_fails",
            CALLED,
        ),
        (
            "answers its call under an id that is text",
            "The server faulty answered request 3 under the id “3”, a text that no request had.",
            "answers_under_a_text_id",
            CALLED,
        ),
        (
            "answers a request that was never made",
            "The server faulty answered a request that was never made (id “nobody's”).",
            "answers_what_nobody_asked",
            CALLED,
        ),
        (
            "exits badly when its input is closed",
            "The server faulty ended with exit code 3.",
            "exits_badly_when_it_is_closed",
            CALLED,
        ),
        (
            "asks for sampling, which was never offered",
            "The server faulty asked for sampling/createMessage, which was never offered to it.",
            "wants_a_model",
            f"{CALLED}, error -32601",
        ),
        (
            "prints what is no message",
            "The server faulty wrote to its standard output what is no message, such as "
            '"booking a table".',
            "prints_for_its_author",
            CALLED,
        ),
    )
)
"""A server that contradicts itself: `test` is red by the same sentences (tests/scenarios)."""


@each(CONTRADICTS)
def test_a_strict_call_is_not_green_where_a_server_contradicts_itself(
    row: Row, stand: Stand
) -> None:
    is_red_if_strict(stand, row, "broke_protocol")


EXITS = Row(
    "exits right after its result, with a code that says that it failed",
    "exit code 9",
    done="`call --strict`",
    code=4,
)


@proves(EXITS)
def test_an_exit_code_right_after_the_result_is_no_green_strict_call(stand: Stand) -> None:
    """Whether it is met before the connection is closed or after is the system's choice."""
    stand.faulty()
    called = stand.call("exits_after_its_result", "--strict")
    assert (called.code, called.document["error"]["code"]) == (EXITS.code, "broke_protocol")
    assert EXITS.saw in called.document["error"]["message"]
    stand.bears_out(EXITS)


BATCH = Row(
    "answers inside a JSON-RPC batch",
    "The server's answer came in a JSON-RPC batch, which is not read.",
    code=1,
)


@proves(BATCH)
def test_a_call_that_is_answered_in_a_batch_ends_at_once_with_the_reason(stand: Stand) -> None:
    stand.faulty()
    called = stand.call("answers_in_a_batch")
    assert (called.code, called.document["error"]["message"]) == (BATCH.code, BATCH.saw)
    stand.bears_out(BATCH)


STRAY = Row("writes garbage at the start and in a call", "after the garbage")


@proves(STRAY)
def test_lines_that_were_never_meant_as_messages_spoil_no_call(stand: Stand) -> None:
    stand.faulty("garbage")
    called = stand.call("garbage")
    called.says(STRAY)
    assert "faulty: It writes lines that are no messages" in called.stderr
    stand.bears_out(STRAY)


ASKS_BY_A_RESULT = (
    Row(
        "asks by its result, which its protocol revision does not know",
        "The server's answer is of a kind that revision 2025-11-25 does not know (resultType: "
        "“input_required”).",
        case="asks_by_its_result",
        code=4,
    ),
    Row(
        "asks beside its result, which its protocol revision does not know",
        "The server's answer says that it is complete, and asks for input.",
        case="asks_beside_its_result",
        code=4,
    ),
)


@each(ASKS_BY_A_RESULT)
def test_a_result_that_asks_is_no_result_where_the_protocol_does_not_know_it(
    row: Row, stand: Stand
) -> None:
    stand.faulty()
    called = stand.call(row.case)
    assert (called.code, called.document["error"]["message"]) == (row.code, row.saw)
    assert f"elicit-tui: {row.saw}\n" in called.stderr
    assert 'Try mcp_servers.faulty.protocol = "2026-07-28".' in called.stderr
    stand.bears_out(row)


UNENDED = Row("ends its result by its own end, without a line's", "here I was")


@proves(UNENDED)
def test_a_last_message_counts_that_its_server_ended_with_its_own_end(stand: Stand) -> None:
    stand.faulty()
    called = stand.call("ends_its_result_with_its_end")
    assert (called.code, called.document["result"]["content"][0]["text"]) == (0, UNENDED.saw)
    assert "after its result: The server faulty ended (exit code 0)" in called.stderr
    stand.bears_out(UNENDED)


def era(row: Row) -> str:
    return "modern" if row.keys == MODERN else "none"


@each((*ALONE, *WITH_A_QUESTION))
def test_a_server_that_fails_in_a_call_ends_or_spoils_only_that(row: Row, stand: Stand) -> None:
    stand.setting("[elicitation]", "rounds = 5")
    stand.faulty(era(row), **row.keys)
    stand.go()
    called = stand.call(row.case)
    called.says(row)
    told = [f"{e['action'] or 'no answer'} by {e['decidedBy']}" for e in called.elicitations]
    assert sorted(told) == sorted(filter(None, stand.ledger().split(", ")))
    stand.bears_out(row)


def in_the_console() -> Iterator[Row]:
    """The same faults, each of a server of its own that is named as its case."""
    for row in ALONE:
        saw = row.saw.replace("server faulty", f"server {row.case}")
        saw = saw.replace("servers.faulty", f"servers.{row.case}")
        sent = row.sent
        if row.case == "changes_its_tools":
            sent += ", list"
        # The console wants to hear of changed lists, and looks once more when it will.
        sent = sent.replace("discovery, list", "discovery, list, listen, list")
        yield replace(
            row, saw=saw, sent=sent, code=0, done="the console, a form of another server open"
        )


BESIDE = tuple(in_the_console())


@proves(
    *BESIDE,
    Row(
        "nine other servers fail while a form is half filled in",
        'accept {"name": "Ada"}',
        done="the console: the form was sent after that",
        sent=f"{CALLED}, accept",
        ledger="accept by user",
    ),
)
def test_servers_that_fail_leave_another_ones_question_as_it_is(stand: Stand) -> None:
    stand.setting("[elicitation]", "rounds = 5")
    for row in BESIDE:
        stand.faulty("modern" if row.keys == MODERN else "when_told", row.case, **row.keys)
    stand.faulty(name="steady")
    names = [row.case for row in BESIDE]
    with console_on(stand, f"{len(names) + 1} of {len(names) + 1} ready", lines=50) as console:
        for name in names:
            console.call(name, name)
        console.is_asked("steady", typed="Ada")
        dying = [stand.pid(row.case) for row in BESIDE if ", and was stopped" in row.saw]
        stand.go(*names)
        console.until(lambda: not any(map(runs, dying)), "their ends")
        console.shows(QUESTION, "name        Ada")
        console.send()
        console.shows('accept {"name": "Ada"}')
        for row in reversed(BESIDE):
            console.press_until(DOWN, lambda row=row: console.points_at(f" {row.case} "), row.case)
            console.until(lambda row=row: row.saw in console.said, row.saw)
    for row in BESIDE:
        assert stand.sent(row.case) == row.sent
    assert stand.sent("steady") == f"{CALLED}, accept"
    assert stand.ledger() == "accept by user"
