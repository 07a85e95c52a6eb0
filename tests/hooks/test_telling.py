"""Hooks that are only told: of whom, of what, in which order, and how long the end waits for it."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from elicit_tui.elicitation import (
    Call,
    Review,
    accept,
)
from elicit_tui.errors import HookError
from elicit_tui.hooks import hooks
from elicit_tui.hooks.running import Reply
from tests.broker.conftest import form_request, run
from tests.hooks.conftest import RunFactory
from tests.hooks.world import (
    command,
    hook,
    read,
)


def test_what_waits_to_be_told_to_one_hook_is_bounded_and_said_once(
    start: RunFactory, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hooks, "MOST_UNTOLD", 2)
    monkeypatch.setattr(hooks, "LAST_SECONDS", 0.0)

    async def body() -> None:
        there = start(hook("Asked", command("hangs", log), timeout_sec=60))
        for _ in range(6):
            there.hooks.asked(form_request(), Review())
        assert there.told.count("cannot keep up; not everything is told to it") == 1
        await there.close()
        assert "was not told of the last" in there.told

    run(body())


def test_a_hook_that_kept_up_again_and_then_does_not_is_told_of_once_more(
    start: RunFactory, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hooks, "MOST_UNTOLD", 1)
    done = asyncio.Event()

    async def tells(*given: Any) -> Reply:
        await done.wait()
        return Reply()

    monkeypatch.setattr(hooks, "run_hook", tells)

    async def body() -> None:
        there = start(hook("Asked", command("hangs", log)))
        for times in (1, 2):
            done.clear()
            for _ in range(4):
                there.hooks.asked(form_request(), Review())
            assert there.told.count("cannot keep up") == times
            done.set()
            await there.hooks.close()
        await there.close()

    run(body())


@pytest.mark.parametrize(
    ("meant", "chosen"),
    [
        ({}, True),
        ({"kind": "elicitation"}, True),
        ({"kind": "approval"}, False),
        ({"server": "pa*"}, True),
        ({"server": "other"}, False),
        ({"tool": "paint*"}, True),
        ({"tool": "drop"}, False),
        ({"server": "pa*", "tool": "drop"}, False),
    ],
)
def test_a_hook_is_meant_for_what_it_names_alone(meant: dict[str, Any], chosen: bool) -> None:
    one = hook("Asked", ("true",), **meant)
    some = hooks.Hooks([one, hook("Resolved", ("true",), position=2)], "redacted")
    request = replace(form_request(), calls=(Call("tools/call", "paint_it"),))
    assert some.chosen("Asked", request) == ((one,) if chosen else ())
    assert some.chosen("Asked", request, "managed") == ()
    assert some.chosen("Asked", request, "user") == ((one,) if chosen else ())


@pytest.mark.parametrize("event", ["Elicitation", "ElicitationResult"])
def test_hooks_run_in_their_order_and_the_administrators_have_the_last_word(event: Any) -> None:
    managed = hook(event, ("true",), layer="managed")
    mine = [hook(event, ("true",), position=number) for number in (1, 2)]
    some = hooks.Hooks([managed, *mine], "redacted")
    last = event == "ElicitationResult"
    assert some.chosen(event, form_request()) == ((*mine, managed) if last else (managed, *mine))


def test_how_many_notes_a_hook_was_not_told_of_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    async def hangs(*_: object) -> Reply:
        await asyncio.Event().wait()
        return Reply()

    monkeypatch.setattr(hooks, "run_hook", hangs)
    monkeypatch.setattr(hooks, "LAST_SECONDS", 0.01)
    told: list[tuple[str, str]] = []

    async def body() -> None:
        some = hooks.Hooks([hook("Asked", ("true",))], "redacted")
        some.tell_by(lambda server, sentence: told.append((server, sentence)))
        for _ in range(3):
            some.asked(form_request(), Review())
            await asyncio.sleep(0)
        await some.close()
        await hooks.Hooks([hook("Asked", ("true",))], "redacted").close()

    run(body())
    sentence = "The hook hooks[1] (Asked) was not told of the last 3: the run ended."
    assert told == [("paint", sentence)]


def test_a_run_ends_only_after_the_hooks_that_it_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[str] = []

    async def run_hook(*_: object) -> Reply:
        try:
            await asyncio.Event().wait()
        finally:
            # Its process is killed and waited for, which takes some turns of the loop.
            for _turn in range(10):
                await asyncio.sleep(0)
            ended.append("the hook")
        return Reply()

    monkeypatch.setattr(hooks, "run_hook", run_hook)
    monkeypatch.setattr(hooks, "LAST_SECONDS", 0.0)

    async def body() -> None:
        some = hooks.Hooks([hook("Asked", ("true",))], "redacted")
        some.tell_by(lambda server, sentence: None)
        some.asked(form_request(), Review())
        await asyncio.sleep(0)
        await some.close()
        ended.append("the run")

    run(body())
    assert ended == ["the hook", "the run"]


def test_hooks_of_no_broker_fail_instead_of_saying_nothing_to_nobody() -> None:
    with pytest.raises(RuntimeError, match="tell_by"):
        hooks.Hooks([], "redacted").tell("s", "Something.")


def test_a_hook_that_was_told_all_there_was_is_told_of_what_comes_later(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told: list[object] = []

    async def run_hook(*_: object) -> Reply:
        told.append(_)
        return Reply()

    monkeypatch.setattr(hooks, "run_hook", run_hook)

    async def body() -> None:
        some = hooks.Hooks([hook("Asked", ("true",))], "redacted")
        for number in (1, 2):
            some.asked(form_request(), Review())
            await some.close()
            assert len(told) == number

    run(body())


def test_of_more_than_may_wait_only_so_many_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[object] = []

    async def run_hook(*given: object) -> Reply:
        told.append(given)
        return Reply()

    monkeypatch.setattr(hooks, "run_hook", run_hook)
    monkeypatch.setattr(hooks, "MOST_UNTOLD", 2)

    async def body() -> None:
        some = hooks.Hooks([hook("Asked", ("true",))], "redacted")
        some.tell_by(lambda server, sentence: None)
        for _ in range(6):
            some.asked(form_request(), Review())
        await some.close()

    run(body())
    assert len(told) == 2


def test_a_hook_that_fails_again_after_it_had_worked_is_told_of_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ends = iter([HookError("failed"), HookError("failed"), Reply(), HookError("failed")])

    async def run_hook(*_: object) -> Reply:
        end = next(ends)
        if isinstance(end, HookError):
            raise end
        return end

    monkeypatch.setattr(hooks, "run_hook", run_hook)
    told: list[str] = []

    async def body() -> None:
        some = hooks.Hooks([hook("Asked", ("true",))], "redacted")
        some.tell_by(lambda server, sentence: told.append(sentence))
        for _ in range(4):
            some.asked(form_request(), Review())
        await some.close()

    run(body())
    assert told == ["The hook hooks[1] (Asked) failed."] * 2


@pytest.mark.parametrize(
    ("policy", "kept"),
    [("redacted", {"colour": "the password is •••"}), ("none", None)],
)
def test_whoever_is_told_how_a_question_ended_gets_the_values_that_the_record_keeps(
    log: Path, policy: Any, kept: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hooks, "LAST_SECONDS", 30.0)

    async def body() -> None:
        some = hooks.Hooks([hook("Resolved", command("passes", log), timeout_sec=30)], policy)
        sent = accept("user", "Sent.", {"colour": "the password is swordfish"})
        some.resolved(form_request(), Review(), sent)
        await some.close()

    run(body())
    (told,) = read(log)
    assert told["input"].get("content") == kept
