"""A remote server that refuses, breaks or stops: one sentence, and the run ends."""

from __future__ import annotations

from dataclasses import replace

from tests.faults.console import console_on
from tests.faults.row import CALLED, Row, each, proves
from tests.faults.stand import Stand

LOG_IN = "wants a login. Log in with: elicit-tui login faulty"
NO_LOGIN = (
    "wants a login, and it does not say how to log in (HTTP 401); its configuration can give a "
    "token instead (bearer_token_env_var, http_headers)."
)
"""Where a person is there, it was tried."""
REGISTERS = "client registration"
FAILED = "it failed inside (HTTP 500); its own log says why"
BROKEN_OFF = "broke off its answer; whether it did the work is not known."
LATE = ", withdrawal"
SLOW_START = "was not ready within 1 second (mcp_servers.faulty.startup_timeout_sec allows more)."
QUICK = {"startup_timeout_sec": 1}
SHORT = {"tool_timeout_sec": 3}


def at_start(words: str, fault: str, saw: str, sent: str = "handshake", **keys: int) -> Row:
    words = f"HTTP: {words}, at the handshake"
    return Row(words, f"The server faulty {saw}", fault, code=4, sent=sent, keys=keys)


def in_call(words: str, fault: str, saw: str, then: str = "", code: int = 4, **keys: int) -> Row:
    words, sent = f"HTTP: {words}, in a call", CALLED + then
    return Row(words, f"The server faulty {saw}", fault, code=code, sent=sent, keys=keys)


def slow(tool: str) -> str:
    key = "mcp_servers.faulty.tool_timeout_sec"
    return f'did not answer "{tool}" within 3 seconds ({key} allows more).'


BOTH = "handshake, discovery"
"""A refused handshake is followed by the newer revision's greeting."""

AT_START = (
    at_start("401", "401", LOG_IN, BOTH),
    at_start("404", "404", "cannot be used: there is no MCP endpoint at its url (HTTP 404).", BOTH),
    at_start("500", "500", f"cannot be used: {FAILED}.", BOTH),
    at_start("the connection is reset", "reset", "cannot be used: the connection broke."),
    at_start("the stream stops", "stops", "ended the connection before it was ready."),
    at_start("the stream falls silent", "falls_silent", SLOW_START, **QUICK),
    at_start("no answer comes", "silent", SLOW_START, **QUICK),
)
IN_CALL = (
    in_call("401", "401", LOG_IN),
    in_call(
        "404",
        "404",
        "no longer knows our session, as after a restart of its own (HTTP 404); connect to it "
        "anew.",
    ),
    in_call("500", "500", f"could not answer: {FAILED}."),
    in_call("the connection is reset", "reset", "went away: the connection broke."),
    in_call("the stream stops", "stops", BROKEN_OFF, ", ping"),
    in_call("the stream falls silent", "falls_silent", slow("falls_silent"), LATE, 5, **SHORT),
    in_call("no answer comes", "silent", slow("silent"), LATE, 5, **SHORT),
)


@each(AT_START)
def test_a_remote_server_that_fails_at_the_start_is_told_in_one_sentence(
    row: Row, stand: Stand
) -> None:
    stand.remote("start", row.case, **row.keys)
    stand.call("any").says(row)
    stand.bears_out(row)


@each(IN_CALL)
def test_a_remote_server_that_fails_in_a_call_is_told_in_one_sentence(
    row: Row, stand: Stand
) -> None:
    stand.remote("call", row.case, **row.keys)
    stand.call(row.case).says(row)
    stand.bears_out(row)


UNREAD = Row(
    "HTTP: asks inside a JSON-RPC batch, on the stream of its own",
    "The server faulty wrote a message that could not be read; it may have asked something that "
    "nobody met.",
    done="`call --strict`",
    code=4,
    sent=f"{CALLED}, a result",
)


@proves(UNREAD)
def test_an_event_that_nobody_could_read_is_never_green_where_all_had_to_be_met(
    stand: Stand,
) -> None:
    stand.remote("call", "breaks_an_event")
    called = stand.call("breaks_an_event", "--strict")
    called.says(UNREAD)
    assert "could not be read; whether that asked something is not known: it is not" in (
        called.stderr
    )
    stand.bears_out(UNREAD)


def beside_others(row: Row, name: str) -> Row:
    """The same in the console, where this server has a name of its own."""
    row = replace(row, done="the console on all servers", code=0)
    if LOG_IN in row.saw:
        calls = row.sent.startswith(CALLED)
        sent = f"{CALLED}, {REGISTERS}" if calls else f"handshake, {REGISTERS}, discovery"
        row = replace(row, saw=row.saw.replace(LOG_IN, NO_LOGIN), sent=sent)
    return replace(row, saw=row.saw.replace("faulty", name))


STARTING = {f"at-{row.case}": beside_others(row, f"at-{row.case}") for row in AT_START}
CALLED_THERE = {f"in-{row.case}": beside_others(row, f"in-{row.case}") for row in IN_CALL}


@proves(*STARTING.values(), *CALLED_THERE.values())
def test_remote_servers_that_fail_leave_the_others_alone(stand: Stand) -> None:
    for name, row in STARTING.items():
        stand.remote("start", row.case, name, **row.keys)
    for name, row in CALLED_THERE.items():
        stand.remote("call", row.case, name, **row.keys)
    stand.faulty(name="steady")
    with console_on(stand, "8 of 15 ready", "7 failed", lines=50) as console:
        for name, row in STARTING.items():
            console.go_to_server(f"✗ {name} ")
            console.until(lambda row=row: row.saw in console.said, row.saw)
        for name, row in CALLED_THERE.items():
            console.call(name, row.case)
            console.until(lambda row=row: row.saw in console.said, row.saw)
        console.call("steady", "echo")
        console.shows("here I am")
    for name, row in {**STARTING, **CALLED_THERE}.items():
        assert stand.sent(name) == row.sent
    assert stand.sent("steady") == CALLED


BREAKS_OFF = Row(
    "HTTP: the stream stops while its question is open",
    f"The server faulty {BROKEN_OFF}",
    done="the console: a form half filled in, which is kept",
    sent=f"{CALLED}, ping, cancel or {CALLED}, ping",
    ledger="cancel by server",
)


@proves(BREAKS_OFF)
def test_what_was_typed_is_kept_when_the_stream_of_a_question_stops(stand: Stand) -> None:
    stand.remote("call", "asks_and_stops")
    with console_on(stand) as console:
        console.is_asked(tool="asks_and_stops", typed="Ada")
        stand.go()
        console.until(lambda: BREAKS_OFF.saw in console.said, BREAKS_OFF.saw)
        console.until(lambda: "kept." in console.text, "what becomes of the draft")
    stand.bears_out(BREAKS_OFF)
