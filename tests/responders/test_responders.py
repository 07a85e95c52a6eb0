"""Nobody, and how plain prompts live with time, queues and ends from outside."""

from __future__ import annotations

import asyncio
import os

from elicit_tui.elicitation import Deadline, Outcome
from elicit_tui.responders import NobodyResponder
from elicit_tui.responders.plain import PlainResponder
from elicit_tui.responders.typed_lines import Lines
from tests.responders.typing import answered, ask, form_question, person

CITY = {"city": {"type": "string"}}


def test_nobody_cancels_at_once_without_claiming_that_a_person_decided() -> None:
    outcome = asyncio.run(NobodyResponder().respond(form_question(CITY), Deadline(300)))
    assert (outcome.action, outcome.decided_by) == ("cancel", "nobody")


def test_the_end_of_input_is_a_cancel_by_the_person() -> None:
    async def run() -> Outcome:
        with person() as typist:
            typist.hang_up()
            return await answered(typist, form_question(CITY))

    outcome = asyncio.run(run())
    assert (outcome.action, outcome.decided_by) == ("cancel", "user")


def test_the_clock_starts_with_the_first_prompt_and_each_line_moves_it() -> None:
    moments = iter(range(0, 1000, 10))
    deadline = Deadline(5, clock=lambda: float(next(moments)))

    async def run() -> None:
        with person("Rome", "/send") as typist:
            responder = PlainResponder(Lines(typist.stream), typist.hear)
            await responder.respond(form_question(CITY), deadline)

    asyncio.run(run())
    assert deadline.started
    assert deadline.remaining is not None
    assert deadline.remaining >= 40


def test_two_questions_come_one_after_the_other() -> None:
    async def run() -> tuple[list[Outcome], str]:
        with person("Rome", "/send", "Oslo", "/send") as typist:
            responder = PlainResponder(Lines(typist.stream), typist.hear)
            outcomes = await asyncio.gather(
                *(responder.respond(form_question(CITY), Deadline(300)) for _ in range(2))
            )
            return outcomes, typist.shown

    outcomes, shown = asyncio.run(run())
    assert [outcome.content for outcome in outcomes] == [{"city": "Rome"}, {"city": "Oslo"}]
    assert shown.index("Oslo" if "Oslo" in shown else "asks") >= 0


def test_the_clock_of_a_question_that_waits_its_turn_stands_still() -> None:
    async def run() -> bool:
        with person() as typist:
            responder = PlainResponder(Lines(typist.stream), typist.hear)
            second = Deadline(300)
            tasks = [
                asyncio.ensure_future(responder.respond(form_question(CITY), deadline))
                for deadline in (Deadline(300), second)
            ]
            await asyncio.wait_for(typist.silent.wait(), 20)
            started = second.started
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            return started

    assert asyncio.run(run()) is False


def test_a_question_that_is_withdrawn_says_so_and_the_next_one_is_asked() -> None:
    async def run() -> tuple[Outcome, str]:
        with person("Rome") as typist:
            responder = PlainResponder(Lines(typist.stream), typist.hear)
            question = form_question(CITY)
            first = asyncio.ensure_future(responder.respond(question, Deadline(300)))
            await asyncio.wait_for(typist.silent.wait(), 20)
            first.cancel()
            await asyncio.gather(first, return_exceptions=True)
            assert first.cancelled()
            typist.lines = ["", "/send"]
            outcome = await asyncio.wait_for(responder.respond(question, Deadline(300)), 20)
            return outcome, typist.shown

    outcome, shown = asyncio.run(run())
    assert "This question is over" in shown
    assert "What you typed before is kept" in shown
    assert outcome.content == {"city": "Rome"}


def test_what_was_typed_before_a_question_was_shown_is_thrown_away() -> None:
    async def run() -> Outcome:
        with person("/cancel") as typist:
            lines = Lines(typist.stream)
            os.write(typist.typed_into, b"first\n/send\n/send\n")
            assert await asyncio.wait_for(lines.next(), 20) == "first"
            responder = PlainResponder(lines, typist.hear)
            question = form_question({})
            return await asyncio.wait_for(responder.respond(question, Deadline(300)), 20)

    assert asyncio.run(run()).action == "cancel"


def test_lines_come_whole_whatever_pieces_they_arrive_in() -> None:
    async def run() -> list[str | None]:
        read, write = os.pipe()
        with os.fdopen(read, encoding="utf-8") as stream:
            lines = Lines(stream)
            os.write(write, "é".encode()[:1])
            pending = asyncio.ensure_future(lines.next())
            await asyncio.sleep(0)
            os.write(write, "é".encode()[1:] + b"\r\n\xff\nlast")
            got = [await asyncio.wait_for(pending, 20)]
            os.close(write)
            return [*got, *[await asyncio.wait_for(lines.next(), 20) for _ in range(3)]]

    assert asyncio.run(run()) == ["é", "\ufffd", "last", None]


def test_lines_of_a_regular_file_are_read_too(tmp_path: object) -> None:
    from pathlib import Path

    file = Path(str(tmp_path)) / "lines"
    file.write_text("one\ntwo\n")

    async def run() -> list[str | None]:
        with file.open(encoding="utf-8") as stream:
            lines = Lines(stream)
            return [await asyncio.wait_for(lines.next(), 20) for _ in range(3)]

    assert asyncio.run(run()) == ["one", "two", None]


def test_the_heading_says_who_asks_for_which_call() -> None:
    _, shown = ask("/cancel", question=form_question({}))
    assert '=== "deploy" asks ===' in shown
    assert 'calls itself "Deploy ' in shown
    assert "stdio: deploy-mcp-server" in shown
    assert "For: deploy" in shown
