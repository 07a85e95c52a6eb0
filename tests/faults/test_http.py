"""A remote server that refuses, breaks or stops: one sentence, and the run ends."""

from __future__ import annotations

from tests.faults.row import Row, each
from tests.faults.stand import Stand, one_sentence, remote

UNAUTHORIZED = "it wants an authorization that was not given or not accepted (HTTP 401)"
SLOW_START = "was not ready within 1 seconds (mcp_servers.faulty.startup_timeout_sec)."
SLOW_ANSWER = "did not answer work within 1 seconds (mcp_servers.faulty.tool_timeout_sec)."
QUICK = {"startup_timeout_sec": 1}
SHORT = {"tool_timeout_sec": 1}


def row(when: str, fault: str, words: str, saw: str, code: int = 4, **keys: object) -> Row:
    at = "at the handshake" if when == "start" else "in a call"
    limits = "".join(f", {key} = {value}" for key, value in keys.items())
    return Row(
        fault=f"HTTP: {words}, {at}",
        done=f"`call`{limits}",
        saw=f"The server faulty {saw}",
        sent="the handshake's request" if when == "start" else "handshake, list, call",
        code=code,
        case=f"{when}-{fault}",
        keys=keys,
    )


ROWS = (
    row("start", "401", "401", f"cannot be used: {UNAUTHORIZED}."),
    row("start", "404", "404", "cannot be used: there is no MCP endpoint at this URL (HTTP 404)."),
    row("start", "500", "500", "cannot be used: it failed inside (HTTP 500)."),
    row("start", "reset", "the connection is reset", "cannot be used: the connection broke."),
    row("start", "stops", "the stream stops", "ended the connection."),
    row("start", "falls_silent", "the stream falls silent", SLOW_START, **QUICK),
    row("start", "silent", "no answer comes", SLOW_START, **QUICK),
    row("call", "401", "401", f"refused the request: {UNAUTHORIZED}."),
    row("call", "404", "404", "no longer knows our session; connect anew."),
    row("call", "500", "500", "refused the request: it failed inside (HTTP 500)."),
    row("call", "reset", "the connection is reset", "went away: the connection broke."),
    row("call", "stops", "the stream stops", "broke off its answer."),
    row("call", "falls_silent", "the stream falls silent", SLOW_ANSWER, 5, **SHORT),
    row("call", "silent", "no answer comes", SLOW_ANSWER, 5, **SHORT),
)


@each(ROWS)
def test_a_remote_server_that_fails_is_told_in_one_sentence(row: Row, stand: Stand) -> None:
    when, _, fault = row.case.partition("-")
    with remote(when, fault) as url:
        stand.server("faulty", url=url, **row.keys)
        ended = stand.call("work")
    assert ended.code == ended.document["exitCode"] == row.code, ended.stderr
    assert one_sentence(ended) == row.saw
    assert ended.document["error"]["message"] == row.saw
    stand.nothing_left()
