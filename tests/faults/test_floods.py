"""A server that floods with questions: each gets one answer, and nothing else is held up."""

from __future__ import annotations

import re
from collections import Counter
from itertools import accumulate

import pytest

from tests.faults.console import QUESTION, console_on
from tests.faults.row import CALLED, Row, proves
from tests.faults.stand import Stand
from tests.keys import CLEAR, MUTE, UP

BURST = 10_000
FLOOD_SECONDS = 120
"""So long it may take, in which nothing else is held up, where two processors run six tests."""
ADA = 'accept {"name": "Ada"}'


def answers(stand: Stand) -> Counter[str]:
    """How many answers each question of the flood got, by its id."""
    received = stand.received()
    return Counter(str(message["id"]) for message in received if "method" not in message)


def each_has_one(stand: Stand, asked: int) -> None:
    """Every question got exactly one answer, and the ledger accounts for all of them."""
    got = answers(stand)
    assert len(got) == asked
    assert set(got.values()) == {1}
    assert sum(row.count for row in stand.rows() if row.server == "faulty") == asked
    assert all(row.action == "cancel" for row in stand.rows() if row.server == "faulty")


IN_A_CALL = Row(
    "asks 10,000 questions in one burst",
    "10000 asked",
    case="floods_with_questions",
    done="`call`, nobody there",
    sent=f"{CALLED}, and 10,000 times cancel",
    ledger="10,000 times cancel: within the limits by nobody, the others in groups by flood",
)


@proves(IN_A_CALL)
def test_ten_thousand_questions_of_a_call_get_one_answer_each(stand: Stand) -> None:
    stand.faulty()
    called = stand.call(IN_A_CALL.case)
    called.says(IN_A_CALL)
    each_has_one(stand, BURST)
    told = Counter(entry["decidedBy"] for entry in called.elicitations)
    held = Counter(dict.fromkeys(told, 0))
    for row in stand.rows():
        held[str(row.decided_by)] += row.count
    assert told == held
    assert set(told) == {"nobody", "flood"}
    assert told["nobody"] <= 30
    # On standard error, too, each is told or counted.
    lines = sum(line.startswith("○ faulty asked: ") for line in called.stderr.splitlines())
    counted = re.findall(r"^\((\d+) more lines of it are not shown\)$", called.stderr, re.MULTILINE)
    assert lines + sum(map(int, counted)) == BURST
    stand.nothing_left()


@proves(
    Row(
        "goes on asking, 10,000 times and more",
        f"each key as it was typed; the server that asks in a loop; another server's form; {ADA}",
        done="the console: `F9` mutes the server while it goes on; then the other's form is sent",
        sent=f"{CALLED}, and as often cancel as it asked",
        ledger="as often cancel as it asked, in groups; of the other server: accept by user",
    )
)
@pytest.mark.timeout(4 * FLOOD_SECONDS)
def test_a_flood_holds_up_neither_keys_nor_another_servers_question(stand: Stand) -> None:
    stand.faulty()
    stand.faulty("when_told", "steady")
    with console_on(stand, "2 of 2 ready") as console:
        console.call("steady", "question")
        console.call("faulty", "goes_on_asking")
        console.shows("“faulty” asks", QUESTION)
        console.press_until(CLEAR + "a", lambda: "name        a" in console.text, "a key")
        for typed in list(accumulate("answered at once"))[1:]:
            console.type(typed[-1])
            console.shows(f"name        {typed}")
        stand.go("steady")
        # Once: pressed again before the screen has followed, it is meant for the other server.
        console.type(MUTE)
        console.shows("“steady” asks")
        console.press_until(CLEAR + "Ada", lambda: "name        Ada" in console.text, "Ada")
        console.send()
        console.until(lambda: stand.sent("steady") == f"{CALLED}, accept", "the answer")
        stand.go()
        console.until(lambda: "steady · question" in console.text, "the call just answered")
        # It answers its call once all that it asked is answered.
        console.press_until(UP, lambda: "faulty · goes_on_asking" in console.text, "its call")
        ended = re.compile(r"○ question cancelled by you \d[\d.:]*")
        console.until(lambda: ended.search(console.said), "the end of the flood", FLOOD_SECONDS)
        asked = len(answers(stand))
        console.shows(f"{asked:,} questions")
    assert asked >= BURST
    each_has_one(stand, asked)
    assert [row.decided_by for row in stand.rows() if row.server == "steady"] == ["user"]
