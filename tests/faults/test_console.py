"""Faults of a server under its own question in the console: what was typed stays."""

from __future__ import annotations

from tests.faults.console import console_on
from tests.faults.row import CALLED, Row, each, proves
from tests.faults.stand import Stand

ADA = 'accept {"name": "Ada"}'
KEPT = "What you typed is kept."
BACK = "Your earlier answers are back."
SAW = f"“{KEPT}”; then “{BACK}”"
IN_BETWEEN = (
    "a form half filled in; the server restarted with `r`, its tool called again, the form sent"
)
TWICE = "no answer by server, accept by user"


@each(
    (
        Row(
            "exits while the person answers its question",
            f"{SAW}, and its last words",
            case="ends_while_asking",
            done=f"the console: {IN_BETWEEN}",
            sent=f"{CALLED}, {CALLED}, accept",
            ledger=TWICE,
        ),
        Row(
            "closes its input while the person answers its question",
            SAW,
            case="closes_its_input",
            done=f"the console: {IN_BETWEEN}",
            sent=f"{CALLED}, {CALLED}, accept",
            ledger=TWICE,
        ),
        Row(
            "withdraws its question while the person answers it",
            SAW,
            case="takes_it_back",
            done="the console: a form half filled in; the same was asked again and sent",
            sent=f"{CALLED}, call, accept",
            ledger=TWICE,
        ),
    )
)
def test_what_was_typed_is_there_when_the_same_is_asked_again(row: Row, stand: Stand) -> None:
    stand.faulty()
    with console_on(stand) as console:
        console.is_asked(tool=row.case, typed="Ada")
        stand.go()
        console.shows(KEPT, *(["out of memory"] if row.case == "ends_while_asking" else []))
        if row.case != "takes_it_back":
            console.shows("1 failed")
            console.go_to("1")
            console.shows("“faulty” has ended.", "r starts it again.")
            console.press_until("r", lambda: "1 failed" not in console.text, "the restart")
            console.shows("1 of 1 ready")
        console.is_asked()
        console.shows(BACK, "name        Ada")
        console.send()
        console.shows(ADA)
    assert stand.received()[-1]["result"]["content"] == {"name": "Ada"}
    stand.bears_out(row)


@each(
    (
        Row(
            "reuses the id of a question",
            f"{ADA} error -32602 then error -32602",
            case="reuses_request_ids",
            done="the console: the form was sent",
            sent=f"{CALLED}, error -32602, accept, error -32602",
            ledger="accept by user, no answer by policy, no answer by policy",
        ),
        Row(
            "sends notifications too late: a withdrawal, progress, a page's completion, a log, an "
            "error",
            ADA,
            case="late_notifications",
            done="the console: the form was sent",
            sent=f"{CALLED}, accept",
            ledger="accept by user",
        ),
    )
)
def test_a_question_out_of_order_is_answered_once(row: Row, stand: Stand) -> None:
    stand.faulty()
    with console_on(stand) as console:
        console.is_asked(tool=row.case, typed="Ada")
        stand.go()
        if row.case == "reuses_request_ids":
            console.until(lambda: stand.sent() == f"{CALLED}, error -32602", "the refusal")
        console.send()
        console.until(lambda: row.saw in console.said, row.saw)
    stand.bears_out(row)


@proves(
    Row(
        "changes its tools",
        "the result; in the list only the tool that is left",
        done="the console: one call that changes them",
        sent=f"{CALLED}, list",
    )
)
def test_a_changed_list_of_tools_is_read_again(stand: Stand) -> None:
    stand.faulty()
    with console_on(stand) as console:
        console.call("faulty", "changes_its_tools")
        console.shows("they are others by now")
        console.until(lambda: stand.sent() == f"{CALLED}, list", "the reading of the list")
        console.go_to("1")
        console.press_until("/\x15e", lambda: console.points_at("⚒ garbage"), "the list")
        assert "⚒ echo" not in console.text
