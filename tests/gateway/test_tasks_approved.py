"""What a person's approval of a task is worth: the promises of SEP-2848 that are ours already.

That proposal (asynchronous approval for tool calls, a draft on top of tasks) is not declared and
has no extension here; what it asks of a server is done all the same.

| promise | tried in |
|---|---|
| the call is answered at once, and waits for its approval as `working` | `test_tasks.py`, at_once |
| an approval is bound to the exact arguments that its person saw | here, exactly_what |
| it is used once | here, used_once |
| policy looks anew after it, at what the tool says of itself then | here, looked_at_anew |
| an equal call joins only while the approval waits unanswered | here, no_longer |
| calls that their server asks about never join | here, two_tasks |
| declined, taken back, timed out: ends in which no tool was called | `test_tasks.py`, refused |
| an end stays as it is | `test_tasks.py`, stays_as_it_is |
| also after a death | `test_tasks_kept.py`, never_told |
| calls of another token never join | `test_tasks_kept.py`, another_tokens |
| an unknown end is told as such, and no call made again by itself | here, unknown_end |
| the same where the gateway died | `test_tasks_kept.py`, after_a_death; `test_tasks_die.py` |
| a client without tasks is told what to do next | `test_calls.py`, longer_than_any_hold |
"""

from __future__ import annotations

from pathlib import Path

import pytest

from elicit_tui.elicitation.settings import ServerSettings
from tests.gateway.task_world import allowed, task_world, text_of
from tests.gateway.test_tasks import gated, log
from tests.gateway.world import asking, until
from tests.host.world import python_server

pytestmark = pytest.mark.anyio
__all__ = ["gated", "log"]


def written(log: Path) -> list[str]:
    """What its server wrote down of the calls."""
    lines = log.read_text().splitlines() if log.exists() else []
    return [line for line in lines if not line.startswith("server ")]


@pytest.fixture
def erasing(log: Path) -> ServerSettings:
    """A server that starts fast, whose `erase` has to be approved."""
    return python_server("counting", "counting.py", str(log))


async def test_a_tool_is_called_with_exactly_what_its_person_saw(
    gated: ServerSettings, log: Path
) -> None:
    async with task_world(gated) as here:
        task = await here.agent.task("workshop__delete", what="a", number=1.0, deep={"list": [1]})
        another = await here.agent.task("workshop__delete", what="b")
        first = await here.asked(1)
        await here.waits(2)
        here.person.answers(first, allowed())
        await here.agent.ended(task)
        assert written(log) == [f"deleted {dict(first.request.call.arguments)}"]
        # The other one waits on: nobody has approved it.
        assert (await here.agent.get(another))["status"] == "working"
        assert len(here.person.open) == 1


async def test_a_tool_that_changed_while_its_approval_waited_is_looked_at_anew(
    gated: ServerSettings, log: Path
) -> None:
    async with task_world(gated) as here:
        task = await here.agent.task("workshop__delete", what="a")
        waiting = await here.asked(1)
        await here.agent.call("workshop__redefine")
        here.person.answers(waiting, allowed())
        again = await here.asked(2)
        assert "not as ever" in again.request.definition["description"]
        assert (await here.agent.get(task))["status"] == "working"
        assert written(log) == []
        here.person.answers(again, allowed())
        await here.agent.ended(task)
        assert len(written(log)) == 1


async def test_an_approval_is_used_once(way: str, erasing: ServerSettings, log: Path) -> None:
    async with task_world(erasing, upwards=way) as here:
        for number in (1, 2):
            task = await here.agent.task("counting__erase", tag="a")
            assert written(log) == ["ran a"] * (number - 1)
            here.person.answers(await here.asked(number), allowed())
            assert text_of(await here.agent.ended(task)) == "a: erased"
        assert written(log) == ["ran a"] * 2


async def test_an_equal_call_joins_a_task_while_it_waits_for_its_approval_and_no_longer(
    way: str, erasing: ServerSettings, log: Path
) -> None:
    async with task_world(erasing, upwards=way) as here:
        first = await here.agent.task("counting__erase", tag="a")
        await here.asked()
        assert await here.agent.task("counting__erase", tag="a") == first
        assert await here.agent.task("counting__erase", tag="b") != first
        here.person.answers(await here.asked(), allowed())
        await here.agent.ended(first)
        assert await here.agent.task("counting__erase", tag="a") != first
        assert written(log) == ["ran a"]


async def test_two_equal_calls_that_their_server_asks_about_are_two_tasks(way: str) -> None:
    async with task_world(asking(), upwards=way) as here:
        first = await here.agent.task("asking__one")
        assert await here.agent.task("asking__one") != first


async def test_after_an_unknown_end_the_call_is_not_made_again_by_itself() -> None:
    async with task_world(asking(stdio=True)) as here:
        task = await here.agent.task("asking__die")
        ended = await here.agent.ended(task)
        assert ended["status"] == "failed"
        assert "Do not repeat it without asking the user" in ended["error"]["message"]
        assert await here.agent.get(task) == ended
        await until(lambda: not here.person.open)
        assert len(here.person.asked) == 1
