"""A server that does not get ready: the run says why and ends, and nothing of it is left."""

from __future__ import annotations

from tests.faults.row import Row, each
from tests.faults.stand import Stand, one_sentence

ROWS = (
    Row(
        fault="does not start: no such command",
        done="`call`",
        saw="The command no-such-command-anywhere of the server faulty was not found.",
        sent="nothing",
        code=4,
        case="missing",
    ),
    Row(
        fault="does not start: no such directory",
        done="`call`",
        saw="The directory /no/such/place of the server faulty is not there.",
        sent="nothing",
        code=4,
        case="none",
        keys={"cwd": "/no/such/place"},
    ),
    Row(
        fault="exits at once",
        done="`call`",
        saw="The server faulty ended before it was ready (exit code 4); its last words: "
        "no ␛[31mlicense.",
        sent="nothing",
        code=4,
        case="exits",
    ),
    Row(
        fault="hangs at the handshake",
        done="`call`, startup_timeout_sec = 1",
        saw="The server faulty was not ready within 1 seconds "
        "(mcp_servers.faulty.startup_timeout_sec).",
        sent="nothing",
        code=4,
        case="hangs",
        keys={"startup_timeout_sec": 1},
    ),
    Row(
        fault="writes garbage before it is ready",
        done="`call`",
        saw="here I am",
        sent="handshake, list, call",
        code=0,
        case="garbage",
    ),
    Row(
        fault="writes half a message and exits",
        done="`call`",
        saw="The server faulty ended before it was ready (exit code 0).",
        sent="nothing",
        code=4,
        case="half_a_message",
    ),
    Row(
        fault="writes a message without an end",
        done="`call`",
        saw="The server faulty wrote a message of more than 32 MiB.",
        sent="nothing",
        code=4,
        case="a_line_without_end",
    ),
    Row(
        fault="floods standard error before it is ready",
        done="`call`",
        saw="here I am",
        sent="handshake, list, call",
        code=0,
        case="floods_stderr",
    ),
    Row(
        fault="closes its pipes and goes on running",
        done="`call`",
        saw="The server faulty closed its pipes.",
        sent="nothing",
        code=4,
        case="closes_its_pipes",
    ),
    Row(
        fault="answers with a protocol revision that nobody knows",
        done="`call`",
        saw="The server faulty cannot be used: Unsupported protocol version from the server: "
        "1999-01-01.",
        sent="handshake, discovery",
        code=4,
        case="speaks_an_unknown_revision",
    ),
    Row(
        fault="ignores its end: its input's and SIGTERM",
        done="`call`",
        saw="here I am",
        sent="handshake, list, call",
        code=0,
        case="ignores_its_end",
    ),
)


@each(ROWS)
def test_a_server_that_starts_or_ends_badly_costs_only_itself(row: Row, stand: Stand) -> None:
    if row.case == "missing":
        stand.server("faulty", command="no-such-command-anywhere")
    else:
        stand.faulty(row.case, **row.keys)
    ended = stand.call("echo")
    assert ended.code == ended.document["exitCode"] == row.code, ended.stderr
    if row.code == 0:
        assert ended.document["result"]["content"][0]["text"] == row.saw
        assert ended.stderr == ""
    else:
        assert one_sentence(ended) == row.saw
        assert ended.document["error"]["message"] == row.saw
    assert stand.sent() == row.sent
    assert stand.outcomes() == []
    stand.nothing_left()
