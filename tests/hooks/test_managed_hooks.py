"""The administrator's hooks stand before and behind those of a user."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from elicit_tui.elicitation.settings import Rule
from elicit_tui.hooks.running import run_hook
from tests.broker.conftest import form_request, run
from tests.hooks.conftest import Person, RunFactory
from tests.hooks.world import (
    SENT,
    Receiver,
    accepting,
    answer,
    command,
    hook,
    read,
    receiving,
)


def test_a_managed_hook_speaks_before_a_users_rules_and_hooks(
    start: RunFactory, tmp_path: Path
) -> None:
    managed_log, own_log = tmp_path / "managed", tmp_path / "own"

    async def body() -> None:
        managed = hook("Elicitation", command("declines", managed_log), layer="managed")
        mine = hook("Elicitation", accepting(own_log, colour="blue"))
        rule = Rule("accept", server="paint", content={"colour": "rule"})
        there = start(managed, mine, rules=(rule,))
        outcome = await there.broker.resolve(form_request())
        assert (outcome.action, outcome.key, outcome.layer) == (
            "decline",
            "managed.hooks[1]",
            "managed",
        )
        assert read(own_log) == []
        await there.close()

    run(body())


def test_a_managed_hook_finds_its_programs_where_the_administrator_put_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PATH", "/home/somebody/bin:/usr/bin")
    # Nothing on PATH is needed to write this.
    says = ("/bin/sh", "-c", 'echo "{\\"action\\": \\"decline\\", \\"reason\\": \\"$PATH\\"}"')
    theirs, mine = (
        run(run_hook(hook("Elicitation", says, fixed_path=path), b"{}")).reason
        for path in (("/opt/admin/bin", "/bin"), ())
    )
    assert (theirs, mine) == ("/opt/admin/bin:/bin", "/home/somebody/bin:/usr/bin")


def test_a_managed_result_hook_sees_last_what_a_users_hook_made_of_an_answer(
    start: RunFactory, tmp_path: Path
) -> None:
    managed_log, own_log = tmp_path / "managed", tmp_path / "own"

    async def body() -> None:
        managed = hook("ElicitationResult", command("passes", managed_log), layer="managed")
        said = json.dumps({"action": "accept", "content": {"colour": "blue"}})
        mine = hook("ElicitationResult", command("answers", own_log, said))
        there = start(managed, mine, person=Person(SENT))
        assert (await there.broker.resolve(form_request())).content == {"colour": "blue"}
        assert read(managed_log)[0]["input"]["content"] == {"colour": "blue"}
        await there.close()

    run(body())


def test_a_users_hook_that_hangs_or_floods_starves_no_managed_one(
    start: RunFactory, tmp_path: Path
) -> None:
    managed_log, own_log = tmp_path / "managed", tmp_path / "own"

    async def body() -> None:
        managed = hook("Asked", command("passes", managed_log), layer="managed")
        mine = hook("Asked", command("hangs", own_log), timeout_sec=60)
        there = start(managed, mine, person=Person(SENT, SENT, SENT))
        for _ in range(3):
            await there.broker.resolve(form_request())
        await there.close()
        assert len(read(managed_log)) == 3
        assert "hooks[1] (Asked) was not told of the last 3" in there.told

    run(body())


def test_a_users_proxy_does_not_stand_in_for_a_managed_page(
    start: RunFactory, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    with receiving() as proxy:
        proxy.text = answer("accept", colour="mine")
        receiver.behaviour, receiver.text = "declines", answer("decline")
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, proxy.url.removesuffix("/hook"))

        async def body() -> None:
            there = start(hook("Elicitation", url=receiver.url, layer="managed"))
            outcome = await there.broker.resolve(form_request())
            assert (outcome.action, outcome.key) == ("decline", "managed.hooks[1]")
            await there.close()

        run(body())
        assert (len(receiver.got), len(proxy.got)) == (1, 0)
