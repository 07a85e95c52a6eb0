"""A server that does not get ready: the run says why and ends, and nothing of it is left."""

from __future__ import annotations

from tests.faults.console import console_on
from tests.faults.row import CALLED, Row, each, proves
from tests.faults.stand import Stand

TOOLS = "⚒ echo"
"""What the console shows of a server that is ready."""
QUICK = {"startup_timeout_sec": 1}


def ended(how: str, words: str = "its standard error is empty") -> str:
    return f"The server faulty {how}; {words}."


ROWS = (
    Row(
        "does not start: no such command",
        "The command no-such-command-anywhere of the server faulty was not found "
        "(mcp_servers.faulty.command).",
        case="missing",
        code=4,
        sent="nothing",
    ),
    Row(
        "does not start: no such directory",
        "The directory /no/such/place of the server faulty is not there (mcp_servers.faulty.cwd).",
        case="none",
        code=4,
        sent="nothing",
        keys={"cwd": "/no/such/place"},
    ),
    Row(
        "exits at once",
        ended("ended before it was ready (exit code 4)", "its last words: no ␛[31mlicense"),
        case="exits",
        code=4,
        sent="nothing",
    ),
    Row(
        "hangs at the handshake",
        "The server faulty was not ready within 1 second "
        "(mcp_servers.faulty.startup_timeout_sec allows more).",
        case="hangs",
        code=4,
        sent="nothing",
        keys=QUICK,
    ),
    Row("writes garbage before it is ready", "here I am", case="garbage"),
    Row(
        "writes half a message and exits",
        ended("ended before it was ready (exit code 0)"),
        case="half_a_message",
        code=4,
        sent="nothing",
    ),
    Row(
        "writes a message without an end",
        "The server faulty wrote a message of more than 32 MiB, and was stopped.",
        case="a_line_without_end",
        code=4,
        sent="nothing",
    ),
    Row("floods standard error before it is ready", "here I am", case="floods_stderr"),
    Row(
        "closes its pipes and goes on running",
        ended("closed its pipes before it was ready without ending, and was stopped"),
        case="closes_its_pipes",
        code=4,
        sent="nothing",
    ),
    Row(
        "answers with a protocol revision that nobody knows",
        "The server faulty cannot be used: it speaks protocol revision 1999-01-01, which "
        "elicit-tui does not know.",
        case="speaks_an_unknown_revision",
        code=4,
        sent="handshake, discovery",
    ),
    Row("ignores its end: its input's and SIGTERM", "here I am", case="ignores_its_end"),
)


TOLD = {
    "garbage": "faulty: It writes lines that are no messages where only messages belong, such as "
    '"Listening on port 8080"; they are left out.\n'
}
"""What a person reads beside the answer, by the case."""


def configure(row: Row, stand: Stand, name: str = "faulty") -> None:
    if row.case == "missing":
        stand.server(name, command="no-such-command-anywhere")
    else:
        stand.faulty(row.case, name, **row.keys)


@each(ROWS)
def test_a_server_that_starts_or_ends_badly_costs_only_itself(row: Row, stand: Stand) -> None:
    configure(row, stand)
    ended = stand.call("echo")
    ended.says(row)
    assert ended.code or ended.stderr == TOLD.get(row.case, "")
    stand.bears_out(row)


def in_the_console(row: Row) -> Row:
    """The same fault of a server beside others, which is named as its case."""
    saw = row.saw.replace("faulty", row.case) if row.code else TOOLS
    sent = "handshake, list" if row.sent == CALLED else row.sent
    return Row(row.fault, saw, row.case, "the console on all servers", sent=sent, keys=row.keys)


BESIDE = tuple(in_the_console(row) for row in ROWS)


@proves(*BESIDE)
def test_servers_that_start_badly_leave_the_others_alone(stand: Stand) -> None:
    for row in BESIDE:
        configure(row, stand, row.case)
    stand.faulty(name="steady")
    ready = sum(row.saw == TOOLS for row in BESIDE) + 1
    said = (f"{ready} of {len(BESIDE) + 1} ready", f"{len(BESIDE) + 1 - ready} failed")
    with console_on(stand, *said, lines=50) as console:
        for row in BESIDE:
            mark = "●" if row.saw == TOOLS else "✗"
            console.go_to_server(f"{mark} {row.case} ")
            console.until(lambda row=row: row.saw in console.said, row.saw)
        console.call("steady", "echo")
        console.shows("here I am")
    for row in BESIDE:
        assert stand.sent(row.case) == row.sent
    assert stand.sent("steady") == CALLED
