"""A server that fails while it is called: one sentence, truthful outcomes, nothing left."""

from __future__ import annotations

from tests.faults.row import Row, each
from tests.faults.stand import Stand, one_sentence

CALLED = "handshake, list, call"
NOBODY = ("cancel", "nobody")

ROWS = (
    Row(
        fault="exits during a call",
        done="`call`",
        saw="The server faulty ended (exit code 3); its last words: cannot go on ␛[31mred␛[0m.",
        sent=CALLED,
        code=4,
        case="exits",
    ),
    Row(
        fault="hangs during a call",
        done="`call`, tool_timeout_sec = 1",
        saw="The server faulty did not answer hangs within 1 seconds "
        "(mcp_servers.faulty.tool_timeout_sec).",
        sent=CALLED,
        code=5,
        case="hangs",
        keys={"tool_timeout_sec": 1},
    ),
    Row(
        fault="writes garbage during a call",
        done="`call`",
        saw="after the garbage",
        sent=CALLED,
        code=0,
        case="garbage",
    ),
    Row(
        fault="writes half of its answer and exits",
        done="`call`",
        saw="The server faulty ended (exit code 0).",
        sent=CALLED,
        code=4,
        case="half_an_answer",
    ),
    Row(
        fault="writes an answer without an end",
        done="`call`",
        saw="The server faulty wrote a message of more than 32 MiB.",
        sent=CALLED,
        code=4,
        case="an_answer_without_end",
    ),
    Row(
        fault="floods standard error during a call",
        done="`call`",
        saw="after the flood",
        sent=CALLED,
        code=0,
        case="floods_stderr",
    ),
    Row(
        fault="closes its output and goes on running",
        done="`call`",
        saw="The server faulty closed its pipes.",
        sent=CALLED,
        code=4,
        case="closes_its_output",
    ),
    Row(
        fault="asks, then closes its input and goes on running",
        done="`call`, nobody there",
        saw="The server faulty closed its pipes.",
        sent=CALLED,
        code=4,
        case="closes_its_input",
    ),
    Row(
        fault="answers twice, with an error too, and answers what nobody asked",
        done="`call`",
        saw="first",
        sent=CALLED,
        code=0,
        case="answers_twice",
    ),
    Row(
        fault="reuses the id of a question",
        done="`call`, nobody there",
        saw="cancel error -32602 then error -32602",
        sent=f"{CALLED}, error -32602, cancel, error -32602",
        code=0,
        case="reuses_request_ids",
    ),
    Row(
        fault="changes its tools during a call",
        done="`call`",
        saw="they are others by now",
        sent=CALLED,
        code=0,
        case="changes_its_tools",
    ),
    Row(
        fault="sends notifications too late: a withdrawal, progress, a page's completion, a log, "
        "an error",
        done="`call`, nobody there",
        saw="cancel",
        sent=f"{CALLED}, cancel",
        code=0,
        case="late_notifications",
    ),
    Row(
        fault="ends while its question is open",
        done="`call`, nobody there",
        saw="The server faulty ended (exit code 9); its last words: out of memory.",
        sent=CALLED,
        code=4,
        case="ends_while_asking",
    ),
    Row(
        fault="withdraws its question",
        done="`call`, nobody there",
        saw="never mind",
        sent=CALLED,
        code=0,
        case="takes_it_back",
    ),
)
EITHER = {(None, "server"), NOBODY}
"""Nobody's answer may be out before the server ends or withdraws; both are true."""

OUTCOMES = {
    "closes_its_input": [{NOBODY}],
    "reuses_request_ids": [{NOBODY}, {(None, "policy")}, {(None, "policy")}],
    "late_notifications": [{NOBODY}],
    "ends_while_asking": [EITHER],
    "takes_it_back": [EITHER],
}


@each(ROWS)
def test_a_server_that_fails_in_a_call_ends_or_spoils_only_that(row: Row, stand: Stand) -> None:
    stand.faulty(**row.keys)
    stand.go()
    ended = stand.call(row.case)
    assert ended.code == ended.document["exitCode"] == row.code, ended.stderr
    if row.code == 0:
        assert ended.document["result"]["content"][0]["text"] == row.saw
        assert ended.document["error"] is None
    else:
        assert one_sentence(ended) == row.saw
        assert ended.document["error"]["message"] == row.saw
    outcomes = stand.outcomes()
    expected = OUTCOMES.get(row.case, [])
    assert len(outcomes) == len(expected)
    assert all(got in allowed for got, allowed in zip(outcomes, expected, strict=True))
    told = [(entry["action"], entry["decidedBy"]) for entry in ended.document["elicitations"]]
    assert sorted(told, key=str) == sorted(outcomes, key=str)
    assert stand.sent() == row.sent
    stand.nothing_left()


ROUNDS = (
    Row(
        fault="never ends its rounds (2026-07-28)",
        done="`call`, elicitation.rounds = 5",
        saw="The server asked 5 rounds without an end and without a person in them "
        "(elicitation.rounds).",
        sent="discovery, list, call, call, call, call, call, call",
        code=5,
        case="never_ends_its_rounds",
        keys={"protocol": "2026-07-28"},
    ),
    Row(
        fault="asks round after round and nobody answers (2026-07-28)",
        done="`call`, elicitation.rounds = 5",
        saw="The server asked 5 rounds without an end and without a person in them "
        "(elicitation.rounds).",
        sent="discovery, list, call, call, call, call, call, call",
        code=5,
        case="asks_round_after_round",
        keys={"protocol": "2026-07-28"},
    ),
)


@each(ROUNDS)
def test_rounds_without_an_end_are_stopped_at_the_owners_limit(row: Row, stand: Stand) -> None:
    stand.setting("[elicitation]", "rounds = 5")
    stand.faulty("modern", **row.keys)
    ended = stand.call(row.case)
    assert ended.code == ended.document["exitCode"] == row.code, ended.stderr
    assert one_sentence(ended) == row.saw
    assert ended.document["error"]["code"] == "rounds"
    assert stand.sent() == row.sent
    asked = 6 if row.case == "asks_round_after_round" else 0
    assert stand.outcomes() == [NOBODY] * asked
    stand.nothing_left()
