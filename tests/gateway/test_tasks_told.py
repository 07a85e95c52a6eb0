"""What is told of tasks, without a server and without a transport: here, elsewhere, on a stream."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, timezone
from types import SimpleNamespace
from typing import Any

import mcp_types as types
import pytest
from mcp.shared.subscriptions import SUBSCRIPTION_ID_META_KEY

from elicit_tui.elicitation import rfc3339
from elicit_tui.errors import ProtocolCallError, StoreError
from elicit_tui.gateway import telling
from elicit_tui.gateway.held_call import HeldCall
from elicit_tui.gateway.mcp_server import _listen
from elicit_tui.gateway.task_results import detailed, of_another
from elicit_tui.gateway.tasks import Tasks, UnknownTask, with_task_notifications
from elicit_tui.store.calls import KeptCall
from elicit_tui.store.sealed_calls import CallSeen
from tests.gateway.held import HeldSession, asked, ends
from tests.gateway.test_sharing import Shared
from tests.gateway.world import WAIT, settled

pytestmark = pytest.mark.anyio

LONG_AGO = datetime(2026, 1, 2, 3, 4, 5, tzinfo=timezone.utc)
KEPT = KeptCall("owner", "call", "key", "process", LONG_AGO.timestamp(), "secret", is_task=True)


async def task(session: HeldSession, key: str = "key") -> HeldCall:
    """A call whose agent was given a task."""
    held = session.begins(key)
    asked(held)
    await asyncio.wait_for(await session.attends(held, takes_task=True), WAIT)
    assert held.is_task
    return held


# When


async def test_when_a_task_was_another_last_is_told_and_at_last_when_it_ended(
    session: HeldSession,
) -> None:
    held = await task(session)
    held.begun_at = held.changed_at = LONG_AGO
    told = detailed(held)
    assert told["createdAt"] == told["lastUpdatedAt"] == rfc3339(LONG_AGO)
    asked(held)
    told = detailed(held)
    assert told["createdAt"] == rfc3339(LONG_AGO)
    assert told["lastUpdatedAt"] > rfc3339(LONG_AGO + timedelta(days=1))
    ends(held)
    await settled()
    held.ended_at = LONG_AGO + timedelta(hours=1)
    assert detailed(held)["lastUpdatedAt"] == rfc3339(LONG_AGO + timedelta(hours=1))


# Of another gateway


@pytest.mark.parametrize(
    ("state", "message"), [("called", telling.TASK_RUNS), ("not called", telling.TASK_WAITS)]
)
def test_what_another_gateway_does_is_told_in_the_words_of_that_one(
    state: Any, message: str
) -> None:
    told = of_another(CallSeen(replace(KEPT, state=state), "unsure", None, None))
    assert (told["status"], told["statusMessage"]) == ("working", message)
    assert told["createdAt"] == told["lastUpdatedAt"] == rfc3339(LONG_AGO)
    ended = replace(KEPT, state="ended", ended_at=LONG_AGO.timestamp() + 60)
    told = of_another(CallSeen(ended, "dead", None, b'{"result": {"content": []}}'))
    assert (told["status"], told["createdAt"]) == ("completed", rfc3339(LONG_AGO))
    assert told["lastUpdatedAt"] == rfc3339(LONG_AGO + timedelta(minutes=1))


async def test_what_a_client_says_of_a_task_goes_to_the_gateway_that_has_it_until_it_ended(
    session: HeldSession,
) -> None:
    seen = CallSeen(KEPT, "lives", None, None)
    shared = Shared(seen_as=seen)
    tasks = Tasks(session.calls, shared)  # type: ignore[arg-type]
    given = {"key": {"action": "decline"}}
    await tasks.update("call", given)
    await tasks.cancel("call")
    assert shared.told == [
        ("note", "call", {"update": given}),
        ("note", "call", {"cancel": True}),
    ]
    shared.told.clear()
    shared.seen_as = replace(seen, outcome=b'{"result": {"content": []}}')
    await tasks.update("call", given)
    await tasks.cancel("call")
    assert shared.told == []
    shared.seen_as = CallSeen(replace(KEPT, is_task=False), "lives", None, None)
    for way in (tasks.get("call"), tasks.cancel("call"), tasks.update("call", given)):
        with pytest.raises(UnknownTask):
            await way
    assert shared.told == []


async def test_a_call_that_joins_a_task_elsewhere_is_given_it_where_the_store_can_tell(
    session: HeldSession,
) -> None:
    shared = Shared(seen_as=CallSeen(KEPT, "lives", b'{"taskId": "call", "ttlMs": null}', None))
    tasks = Tasks(session.calls, shared)  # type: ignore[arg-type]
    assert await tasks.created_elsewhere("call") == {"taskId": "call", "ttlMs": None}
    shared.seen_as = CallSeen(KEPT, "lives", None, None)
    assert await tasks.created_elsewhere("call") is None
    shared.seen_as = None
    assert await tasks.created_elsewhere("call") is None

    async def away(call_id: str) -> None:
        raise StoreError("It is away.")

    shared.seen = away  # type: ignore[method-assign,assignment]
    assert await tasks.created_elsewhere("call") is None
    assert await Tasks(session.calls, None).created_elsewhere("call") is None


async def test_who_reads_the_end_of_a_task_has_it_wherever_it_was_made(
    session: HeldSession,
) -> None:
    shared = Shared(seen_as=CallSeen(KEPT, "lives", None, b'{"cancelled": "x"}'))
    tasks = Tasks(session.calls, shared)  # type: ignore[arg-type]
    assert (await tasks.get("call"))["status"] == "cancelled"
    assert shared.told == [("delivered", "call", True)]
    shared.told.clear()
    held = await task(session)
    assert (await tasks.get(held.id))["status"] == "working"
    assert (shared.told, held.delivered) == ([], False)
    ends(held)
    await settled()
    assert (await tasks.get(held.id))["status"] == "completed"
    assert shared.told == [("ended", held.id), ("delivered", held.id, True)]
    assert held.delivered


# To who listens


async def test_who_listens_to_several_tasks_is_told_of_each_until_all_have_ended(
    session: HeldSession,
) -> None:
    first, second = await task(session, "1"), await task(session, "2")
    tasks, told = Tasks(session.calls, None), list[tuple[str, str]]()

    async def tell(now: Mapping[str, Any]) -> None:
        told.append((now["taskId"], now["status"]))

    assert tasks.among([second.id, "unknown", first.id, second.id]) == [second.id, first.id]
    assert tasks.among(5) == []
    telling_of = asyncio.ensure_future(tasks.tell([first.id, second.id], tell))
    await settled()
    assert told == [(first.id, "working"), (second.id, "working")]
    ends(second)
    await settled()
    assert not telling_of.done()
    ends(first)
    await asyncio.wait_for(telling_of, WAIT)
    assert told[2:] == [(second.id, "completed"), (first.id, "completed")]
    # What was told may be asked for all the same.
    assert (await tasks.get(first.id))["status"] == "completed"


class Connection:
    """The SDK's half of a stream, which keeps what is sent on it."""

    def __init__(self) -> None:
        self.sent: list[tuple[Any, dict[str, Any]]] = []

    async def send_notification(self, notification: Any, **more: Any) -> None:
        self.sent.append((notification, more))


@dataclass
class Context:
    session: Any
    request_id: str = "r1"
    request: Any = None


def acknowledged() -> Any:
    return types.SubscriptionsAcknowledgedNotification(
        params=types.SubscriptionsAcknowledgedNotificationParams(
            notifications=types.SubscriptionFilter()
        )
    )


async def test_an_end_that_an_agent_was_told_of_as_it_listens_keeps_it_from_no_call(
    session: HeldSession,
) -> None:
    shared = Shared()
    tasks, told = Tasks(session.calls, shared), []  # type: ignore[arg-type]

    async def tell(task: Any) -> None:
        told.append(task["status"])

    held = await task(session)
    listening = asyncio.ensure_future(tasks.tell([held.id], tell))
    await settled()
    assert not held.delivered
    held.waiting.clear()
    ends(held)
    await asyncio.wait_for(listening, WAIT)
    assert told == ["working", "completed"]
    assert session.calls.unread == []
    assert shared.told[-1] == ("delivered", held.id, True)
    # It can still be read.
    assert (await tasks.get(held.id))["status"] == "completed"


async def test_a_stream_begins_with_what_it_tells_of_and_ends_with_its_listener(
    session: HeldSession,
) -> None:
    held, connection = await task(session), Connection()
    context: Any = Context(connection)
    inner, stream = with_task_notifications(context, Tasks(session.calls, None), [held.id])
    await settled()
    assert connection.sent == []
    await inner.session.send_notification(acknowledged(), related_request_id="r1")
    await settled()
    (begun, more), (first, first_more) = connection.sent
    assert begun.params.notifications.model_dump(exclude_none=True)["taskIds"] == [held.id]
    assert more == first_more == {"related_request_id": "r1"}
    told = first.model_dump()
    assert told["method"] == "notifications/tasks"
    assert told["params"]["_meta"] == {SUBSCRIPTION_ID_META_KEY: "r1"}
    stream.end()
    ends(held)
    await settled()
    assert len(connection.sent) == 2


async def test_a_stream_that_tells_of_no_task_of_this_agent_promises_none(
    session: HeldSession,
) -> None:
    connection = Connection()
    context: Any = Context(connection)
    inner, _ = with_task_notifications(context, Tasks(session.calls, None), ["another's"])
    await inner.session.send_notification(acknowledged())
    await settled()
    ((begun, _),) = connection.sent
    assert begun == acknowledged()


@pytest.mark.parametrize("http", [True, False])
async def test_what_the_transport_cannot_write_of_a_task_is_told_as_near_as_it_can(
    session: HeldSession, http: bool
) -> None:
    held, connection = await task(session), Connection()
    context: Any = Context(connection, request=object() if http else None)
    inner, _ = with_task_notifications(context, Tasks(session.calls, None), [held.id])
    await inner.session.send_notification(acknowledged())
    work: Any = held.task
    half = chr(0xD800)
    work.set_result(telling.text_result(half))
    await settled()
    told = connection.sent[-1][0].model_dump()["params"]
    text = "\N{REPLACEMENT CHARACTER}" if http else half
    assert told["result"] == {"resultType": "complete", **telling.text_result(text)}


class Listened:
    """A session on which an agent listens until a test says that it hung up."""

    def __init__(self, session: HeldSession) -> None:
        self.tasks = Tasks(session.calls, None)
        self.passing = self.audience = self
        self.asked: list[tuple[str, str]] = []
        self.context: Any = None
        self.hung_up = asyncio.Event()

    async def subscribe(self, uri: str) -> None:
        if uri == "a:refused":
            raise ProtocolCallError(-32603, "not now")
        self.asked.append(("subscribe", uri))

    def unsubscribe_later(self, uri: str) -> None:
        self.asked.append(("unsubscribe", uri))

    async def listen(self, context: Any, params: Any) -> None:
        self.context = context
        await context.session.send_notification(acknowledged())
        await self.hung_up.wait()
        raise StoreError("It hung up.")


@pytest.mark.parametrize("with_tasks", [True, False])
async def test_what_an_agent_listened_to_ends_when_it_hangs_up(
    session: HeldSession, with_tasks: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    held, connection, listened = await task(session), Connection(), Listened(session)
    monkeypatch.setattr("elicit_tui.gateway.mcp_server.must_know_tasks", lambda context: None)
    wanted = SimpleNamespace(
        model_extra={"taskIds": [held.id]},
        resource_subscriptions=["a:1", "a:refused", "a:2"],
    )
    params, context, here = SimpleNamespace(notifications=wanted), Context(connection), listened
    listening = asyncio.ensure_future(
        _listen(here, context, params, tasks=with_tasks)  # type: ignore[arg-type]
    )
    await settled()
    assert listened.asked == [("subscribe", "a:1"), ("subscribe", "a:2")]
    assert len(connection.sent) == (2 if with_tasks else 1)
    listened.hung_up.set()
    with pytest.raises(StoreError):
        await asyncio.wait_for(listening, WAIT)
    assert listened.asked[2:] == [("unsubscribe", "a:1"), ("unsubscribe", "a:2")]
    ends(held)
    await settled()
    assert len(connection.sent) == (2 if with_tasks else 1)
