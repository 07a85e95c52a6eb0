"""Faults beside a person in the console: the other servers go on and drafts stay."""

from __future__ import annotations

from tests.faults.console import DOWN, QUESTION, Console
from tests.faults.row import Row, proves
from tests.faults.stand import Stand, runs, until

ADA = 'accept {"name": "Ada"}'


@proves(
    Row(
        fault="five servers of six fail at the start, each in its way",
        done="the console on them, and a call of the sixth",
        saw="each server's own sentence; the result of the call",
        sent="to the sixth: handshake, list, call",
        code=0,
    )
)
def test_servers_that_fail_at_the_start_leave_the_others_alone(stand: Stand) -> None:
    stand.faulty("exits", name="exits")
    stand.faulty("hangs", name="hangs", startup_timeout_sec=1)
    stand.faulty("closes_its_pipes", name="closes")
    stand.server("lost", command="no-such-command-anywhere")
    stand.server("remote", url="http://127.0.0.1:9/mcp")
    stand.faulty(name="steady")
    with Console(stand) as console:
        console.shows("5 failed", "1 of 6 ready")
        for name, sentence in {
            "exits": "(exit code 4); its last words:",
            "hangs": "The server hangs was not ready within 1 seconds",
            "closes": "The server closes closed its pipes.",
            "lost": "The command no-such-command-anywhere of the server lost was",
            "remote": "The server remote cannot be used: nothing answers at its",
        }.items():
            console.press_until(DOWN, lambda name=name: console.points_at(f"✗ {name}"), name)
            console.shows(sentence)
        console.call("steady", "echo")
        console.shows("here I am")
        assert console.leave() == 0
        assert console.as_it_was
    assert stand.sent("steady") == "handshake, list, call"
    stand.nothing_left()


@proves(
    Row(
        fault="exits while a question of another server is being answered",
        done="the console: a form half filled in; then it was sent",
        saw="the form, with what was typed; the server as failed",
        sent="to the other: accept, with the content",
        code=0,
    )
)
def test_a_server_that_dies_does_not_disturb_another_ones_question(stand: Stand) -> None:
    stand.faulty()
    stand.faulty(name="steady")
    with Console(stand) as console:
        console.shows("2 of 2 ready")
        console.call("faulty", "exits_when_told")
        console.call("steady", "question")
        console.shows(QUESTION)
        console.fill("Ada")
        pid = stand.pid()
        stand.go()
        until(lambda: not runs(pid), "the end of the server")
        console.send()
        console.shows("1 failed", ADA)
        assert console.leave() == 0
        assert console.as_it_was
    assert stand.sent("steady") == "handshake, list, call, accept"
    assert stand.outcomes() == [("accept", "user")]
    stand.nothing_left()


@proves(
    Row(
        fault="exits while the person answers its question",
        done="the console: a form half filled in; the server restarted with `r`, its tool called "
        "again, the form sent",
        saw="the server's last words; “What you typed is kept.”; then “Your earlier answers are "
        "back.”",
        sent="nothing for the first question; for the second: accept, with what was typed first",
        code=0,
    )
)
def test_what_was_typed_for_a_server_that_died_is_there_when_it_asks_again(stand: Stand) -> None:
    stand.faulty()
    with Console(stand) as console:
        console.shows("1 of 1 ready")
        console.call("faulty", "ends_while_asking")
        console.shows(QUESTION)
        console.fill("Ada")
        stand.go()
        console.shows("What you typed is kept.", "out of memory")
        console.press_until("1", lambda: "[1 Servers" in console.text, "the servers")
        console.press_until("r", lambda: "1 of 1 ready" in console.text, "the server")
        console.call("faulty", "question")
        console.shows("Your earlier answers are back.", "name        Ada")
        console.send()
        console.shows(ADA)
        assert console.leave() == 0
        assert console.as_it_was
    assert stand.outcomes() == [(None, "server"), ("accept", "user")]
    assert stand.received()[-1]["result"]["content"] == {"name": "Ada"}
    stand.nothing_left()


@proves(
    Row(
        fault="withdraws its question while the person answers it",
        done="the console: a form half filled in; the same was asked again and sent",
        saw="“What you typed is kept.”; then “Your earlier answers are back.”",
        sent="nothing for the first question; for the second: accept, with what was typed first",
        code=0,
    )
)
def test_what_was_typed_for_a_question_taken_back_is_there_when_it_comes_again(
    stand: Stand,
) -> None:
    stand.faulty()
    with Console(stand) as console:
        console.shows("1 of 1 ready")
        console.call("faulty", "takes_it_back")
        console.shows(QUESTION)
        console.fill("Ada")
        stand.go()
        console.shows("What you typed is kept.")
        console.call("faulty", "question")
        console.shows("Your earlier answers are back.", "name        Ada")
        console.send()
        console.shows(ADA)
        assert console.leave() == 0
        assert console.as_it_was
    assert stand.outcomes() == [(None, "server"), ("accept", "user")]
    assert stand.sent() == "handshake, list, call, call, accept"
    stand.nothing_left()


@proves(
    Row(
        fault="changes its tools",
        done="the console: one call that changes them",
        saw="the result; in the list only the tool that is left",
        sent="handshake, list, call, list",
        code=0,
    )
)
def test_a_changed_list_of_tools_is_read_again(stand: Stand) -> None:
    stand.faulty()
    with Console(stand) as console:
        console.shows("1 of 1 ready")
        console.call("faulty", "changes_its_tools")
        console.shows("they are others by now")
        console.until(lambda: stand.sent().endswith("call, list"), "the reading of the list")
        console.press_until("1", lambda: "[1 Servers" in console.text, "the servers")
        console.press_until("/\x15e", lambda: console.points_at("⚒ garbage"), "the list")
        assert "⚒ echo" not in console.text
        assert console.leave() == 0
    assert stand.sent() == "handshake, list, call, list"
    stand.nothing_left()
