"""What a server does against the protocol is told once of each kind, and kept for whoever asks."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from elicit_tui.errors import UsageError
from elicit_tui.host import breaches as breaches_module
from elicit_tui.host import server_log, uri_templates
from elicit_tui.host.bounds import Outbox, sample
from elicit_tui.host.breaches import LINES_TOLD, Breaches
from elicit_tui.host.events import (
    ListChanged,
    LogMessage,
    ResourceUpdated,
    UrlCompleted,
    read_notification,
    read_progress,
)
from elicit_tui.host.lifecycle import StartupClock
from elicit_tui.host.messages import Message, result_message
from elicit_tui.host.server_log import LogFile, last_words


def judged() -> tuple[Breaches, list[str]]:
    told: list[str] = []
    return Breaches(told.append), told


def test_an_answer_is_a_breach_where_it_is_the_second_or_to_nothing() -> None:
    breaches, told = judged()
    for number in (1, 2, 3):
        breaches.requested(number)
    breaches.answered(1)
    breaches.answered("2")
    assert breaches.found == ("answered request 2 under the id “2”, a text that no request had",)
    breaches.answered(1)
    breaches.answered(1)
    assert breaches.found[1:] == ("answered a request twice; only the first answer counted",)
    breaches.answered(4)
    breaches.answered("no number")
    assert breaches.found[2:] == ("answered a request that was never made (id “4”)",)
    # The third one was given up, and is answered late.
    breaches.answered(3)
    assert len(breaches.found) == len(told) == 3
    fresh, _ = judged()
    fresh.answered("no number")
    assert len(fresh.found) == 1


def test_what_is_remembered_of_requests_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(breaches_module, "REMEMBERED", 2)
    breaches, _ = judged()
    for number in range(1, 6):
        breaches.requested(number)
    assert list(breaches._open) == [4, 5]
    for number in range(1, 6):
        breaches.answered(number)
    breaches.answered(1)
    assert breaches.found == ()
    for number in (6, 7, 8):
        breaches.requested(number)
        breaches.answered(number)
    assert list(breaches._answered) == [7, 8]


def test_a_lost_message_stands_first_and_what_it_prints_is_no_message() -> None:
    breaches, told = judged()
    assert breaches.line("Starting\x1b") == "(not a message) Starting␛"
    breaches.line("Listening")
    breaches.ended_with("exit code 9")
    breaches.ended_with("exit code 8")
    assert len(told) == 2
    assert breaches.lost is None
    breaches.line('{"jsonrpc": broken')
    breaches.line('{"jsonrpc": broken')
    assert len(told) == 3
    assert breaches.found[0] == breaches.lost
    assert "it may have asked something that nobody met" in str(breaches.lost)
    assert [each.partition(" ")[0] for each in breaches.found] == ["wrote", "wrote", "ended"]
    cut, _ = judged()
    cut.line("half", "ends in the middle")
    assert cut.lost is not None


def test_a_key_twice_and_a_question_at_the_end_do_not_hide_what_was_lost_before() -> None:
    breaches, told = judged()
    breaches.repeats_key("name")
    breaches.repeats_key("other")
    assert "says “name” twice in one object" in str(breaches.lost)
    breaches.asked_at_the_end()
    assert "twice" in str(breaches.lost)
    assert len(told) == 1
    breaches.message("half of one")
    breaches.repeats_key("name")
    assert "could not be read" in str(breaches.lost)
    assert len(breaches.found) == 1
    late, told = judged()
    late.asked_at_the_end()
    late.asked_at_the_end()
    assert late.found == ("asked something that nobody met, when its connection was being closed",)
    assert len(told) == 1


def test_a_server_that_writes_nothing_but_lines_is_soon_not_told_of_any_more() -> None:
    breaches, _ = judged()
    lines = [breaches.line("x") for _ in range(LINES_TOLD + 2)]
    assert lines[LINES_TOLD - 2] == "(not a message) x"
    assert lines[LINES_TOLD - 1] == (
        f"(more than {LINES_TOLD} lines are no message; no more of them is told)"
    )
    assert lines[LINES_TOLD:] == [None, None]


def test_what_was_never_offered_is_told_once() -> None:
    breaches, told = judged()
    for method in ("sampling/createMessage", "roots/list"):
        breaches.asked_for(method)
    assert breaches.found == ("asked for sampling/createMessage, which was never offered to it",)
    assert len(told) == 1


def test_an_answer_is_told_to_have_left_once_it_was_written_and_not_before() -> None:
    async def run() -> None:
        outbox, steps, written = Outbox(), list[str](), asyncio.Event()
        broken = True

        async def send(message: Message) -> None:
            steps.append("sending")
            if broken:
                raise OSError("away")
            assert not outbox.empty

        def left(name: str) -> Callable[[], None]:
            def note() -> None:
                steps.append(name)
                if name != "first":
                    written.set()

            return note

        assert outbox.empty
        outbox.put(result_message(1, {}), left("first"))
        outbox.put(result_message(2, {}))
        outbox.put(result_message(3, {}), left("third"))
        with pytest.raises(OSError, match="away"):
            await outbox.run(send)
        # What could not be written is still there.
        assert (steps, outbox.empty) == (["sending"], False)
        broken = False
        running = asyncio.ensure_future(outbox.run(send))
        for more in ("third", "fourth"):
            await asyncio.wait_for(written.wait(), 30)
            written.clear()
            assert (steps[-1], outbox.empty) == (more, True)
            if more == "third":
                outbox.put(result_message(4, {}), left("fourth"))
        assert steps[1:] == ["sending", "first", "sending", "sending", "third", "sending", "fourth"]
        running.cancel()

    asyncio.run(run())


def test_the_library_checks_the_first_entries_of_long_lists_alone() -> None:
    from elicit_tui.host.bounds import CHECKED, MOST_ENTRIES

    long = list(range(CHECKED + 5))
    found = sample({"content": long, "messages": "text", "other": long})
    assert len(found["content"]) == CHECKED
    assert (found["messages"], found["other"]) == ("text", long)
    # Of tools as many as are kept: it says which of them it would call.
    many = list(range(MOST_ENTRIES + 5))
    kinds = ("tools", "prompts", "resources", "resourceTemplates")
    found = sample(dict.fromkeys(kinds, many))
    assert [len(found[kind]) for kind in kinds] == [MOST_ENTRIES, *[CHECKED] * 3]


def test_of_the_lists_in_what_the_library_checks_it_checks_the_first_entries_together() -> None:
    from elicit_tui.host.bounds import CHECKED

    icons = [{"src": "a", "sizes": ["1x1"]}] * (CHECKED // 2)
    link = {"type": "resource_link", "icons": icons}
    found = sample({"content": [link, link], "serverInfo": {"icons": icons}})
    # Each icon has one size, which counts too.
    assert [len(entry["icons"]) for entry in found["content"]] == [CHECKED // 2, 0]
    assert found["serverInfo"] == {"icons": []}
    assert found["content"][0]["icons"] == icons
    # What it makes no objects of stays whole, and so does what it does not know.
    long = list(range(CHECKED * 2))
    schema = {"required": long}
    plain = {"structuredContent": schema, "_meta": schema, "other": long}
    assert sample(plain) == plain
    assert sample({"tools": [{"inputSchema": schema}]}) == {"tools": [{"inputSchema": schema}]}
    deep: dict[str, object] = {"list": long}
    for _ in range(20):
        deep = {"in": deep}
    assert sample({"content": [deep]}) == {"content": [deep]}


# What it tells


def test_notifications_become_events_and_what_is_none_of_them_does_not() -> None:
    assert read_notification("s", "notifications/elicitation/complete", {}) == UrlCompleted("s", "")
    page = {"elicitationId": "e"}
    assert read_notification("s", "notifications/elicitation/complete", page) == UrlCompleted(
        "s", "e"
    )
    odd = read_notification("s", "notifications/message", {"level": 5, "logger": 5, "data": 1}, "c")
    assert odd == LogMessage("s", "info", None, 1, "c")
    whole = {"level": "error", "logger": "db", "data": "x"}
    assert read_notification("s", "notifications/message", whole) == LogMessage(
        "s", "error", "db", "x"
    )
    updated = "notifications/resources/updated"
    assert read_notification("s", updated, {"uri": "a:b"}) == ResourceUpdated("s", "a:b")
    assert read_notification("s", updated, {"uri": 5}) is None
    assert read_notification("s", "notifications/tools/list_changed", {}) == ListChanged(
        "s", "tools"
    )
    assert read_notification("s", "notifications/other", {}) is None


@pytest.mark.parametrize("value", [None, "5", True, float("nan"), float("inf"), 10**400, []])
def test_progress_that_is_no_number_is_none(value: object) -> None:
    assert read_progress("s", "c", {"progress": value}) is None
    told = read_progress("s", "c", {"progress": 1, "total": value, "message": value})
    assert told is not None
    assert (told.progress, told.total) == (1, None)
    assert told.message == (value if isinstance(value, str) else None)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ("plain\x1b", "info: plain␛"),
        ('{"msg": "said", "a": 1, "none": null}', "info: said, a: 1"),
        ({"a": [1], "text": "said"}, "info: said, a: [1]"),
        ({"a": {"b": None}}, 'info: a: {"b": null}'),
        ({}, "info: {}"),
        ([1, 2], "info: [1, 2]"),
        ('["x"]', 'info: ["x"]'),
        ('{"half', 'info: {"half'),
        ("{" * 100_000, None),
    ],
)
def test_a_line_of_a_log_says_its_message_first(data: object, sentence: str | None) -> None:
    told = LogMessage("s", "info", None, data).sentence
    assert len(told) <= 2_100
    if sentence is not None:
        assert told == sentence


# Its standard error, its templates, its time


def test_a_log_that_is_full_says_so_once_and_grows_no_further(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_log, "FILE_BYTES", 200)
    path = tmp_path / "log"
    log = LogFile(path)
    log.close()
    assert not path.exists()
    for _ in range(50):
        log.write("s", "a line of forty characters, more or less")
    log.close()
    lines = path.read_text().splitlines()
    assert [line for line in lines if "this log is full" in line] == [lines[-1]]
    assert 2 <= len(lines) <= 4
    again = LogFile(path)
    again.write("s", "more")
    again.close()
    assert path.read_text().splitlines()[:-1] == lines
    LogFile(None).write("s", "nowhere")
    # A line that comes after the end is written all the same.
    late = LogFile(tmp_path / "late")
    for line in ("first", "second"):
        late.write("s", line)
        late.close()
        late.close()
    assert [line.split()[-1] for line in (tmp_path / "late").read_text().splitlines()] == [
        "first",
        "second",
    ]


def test_a_log_is_never_written_through_a_link_or_into_what_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")
    (tmp_path / "link").symlink_to(tmp_path / "mine")
    for path in (tmp_path / "link", tmp_path):
        with pytest.raises(UsageError, match="cannot be written"):
            LogFile(path).check()
        LogFile(path).write("s", "line")
    assert (tmp_path / "mine").read_text() == "mine"
    os.mkfifo(tmp_path / "pipe")
    for path in (Path("/dev/null"), tmp_path / "pipe"):
        with pytest.raises(UsageError, match="cannot be written"):
            LogFile(path).check()


def test_a_log_that_cannot_be_written_costs_no_server_its_reader_and_is_told_once(
    tmp_path: Path,
) -> None:
    told: list[str] = []
    log = LogFile(tmp_path, told.append)
    for _ in range(2):
        log.write("s", "line")
    assert told == [f"The log file {tmp_path} cannot be written: Is a directory."]
    log.close()


def test_the_last_line_counts_where_neither_npm_nor_node_said_why() -> None:
    assert last_words([]) is None
    assert last_words(["TypeError: x", "bye"]) == "bye"
    assert last_words(["TypeError: x", "", "Node.js v22.1.0"]) == "TypeError: x"
    failed = ["Error [ERR_X]: not there", "    at resolve (a.js:1:2) {", "  code: 'ERR_X'", "}"]
    assert {last_words(failed[:end]) for end in (2, 3, 4)} == {failed[0]}
    assert last_words(["nothing", "Node.js v22.1.0"]) == "Node.js v22.1.0"
    npm = ["npm error code E404", "npm error 404", "npm error Not there", "npm error path /x"]
    assert last_words(npm) == "npm error Not there"
    assert last_words(["npm error code E404"]) == "npm error code E404"


def test_a_template_is_filled_with_what_it_names_and_all_but_its_query_is_needed() -> None:
    template = "note://{owner}/{name}{?page,size}"
    assert uri_templates.variables(template) == ("owner", "name", "page", "size")
    assert uri_templates.required(template) == ("owner", "name")
    values = {"owner": "me", "name": "a b"}
    assert uri_templates.filled(template, values) == "note://me/a%20b"
    assert uri_templates.filled(template, {**values, "page": "2"}) == "note://me/a%20b?page=2"
    assert uri_templates.filled("note://plain", {}) == "note://plain"
    assert uri_templates.variables("note://{broken") == ()
    assert uri_templates.required("note://{broken") == ()
    for wrong, said in (
        ({"owner": "me"}, "'name' is to be filled in"),
        ({"owner": "", "name": "x"}, "'owner' is to be filled in"),
        ({**values, "other": "x"}, "only: owner, name, page, size"),
    ):
        with pytest.raises(UsageError, match=said):
            uri_templates.filled(template, wrong)
    assert uri_templates.matches("note://{name}", "note://a")
    assert not uri_templates.matches("note://{name}", "mail://a")
    assert not uri_templates.matches("note://{broken", "note://a")


def test_the_time_to_get_ready_stands_still_while_it_is_stopped() -> None:
    async def run() -> None:
        over = asyncio.Event()
        waiting = asyncio.ensure_future(over.wait())
        clock = StartupClock(0.03, over.set)
        clock.stop()
        clock.stop()
        await asyncio.wait([waiting], timeout=0.06)
        assert not over.is_set()
        clock.go_on()
        clock.go_on()
        await asyncio.wait_for(waiting, 30)
        endless = StartupClock(0, over.clear)
        endless.go_on()
        await asyncio.wait([asyncio.ensure_future(asyncio.Event().wait())], timeout=0.01)
        assert over.is_set()

    asyncio.run(run())


def test_a_log_line_is_json_only_where_it_is_an_object() -> None:
    told = LogMessage("s", "info", None, json.dumps({"message": "m", "text": "t"})).sentence
    assert told == "info: m, text: t"
