"""What every engine keeps of a person's yes for a session: listed, taken back, ended with it."""

from __future__ import annotations

import pytest

from elicit_tui.errors import StoreError
from elicit_tui.store.store import Asker, Store
from tests.store.conftest import Engine
from tests.store.world import ASKER, grant

pytestmark = pytest.mark.anyio


async def test_grants_are_listed_oldest_first_with_their_agent_and_taken_back(
    asking: Store, answering: Store, engine: Engine
) -> None:
    await asking.begin(ASKER)
    for tool in ("rollback", "deploy", "rollback"):
        await asking.grant(grant(tool))
        engine.clock.advance(seconds=1)
    listed = await answering.grants()
    assert [(one.tool, one.agent) for one in listed] == [
        ("rollback", "claude-code"),
        ("deploy", "claude-code"),
    ]
    assert await answering.revoke("prod", "rollback") == 1
    assert await answering.revoke("prod", "rollback") == 0
    assert [one.tool for one in await asking.grants(ASKER.session)] == ["deploy"]


async def test_grants_end_with_their_session(asking: Store, answering: Store) -> None:
    await asking.begin(ASKER)
    await asking.begin(Asker("session-two"))
    await asking.grant(grant())
    await asking.grant(grant(session="session-two"))
    await asking.end(ASKER.session)
    assert [one.session for one in await answering.grants()] == ["session-two"]
    with pytest.raises(StoreError, match="has ended"):
        await asking.grant(grant())
    await asking.begin(ASKER)
    assert await answering.grants(ASKER.session) == ()


async def test_revoking_can_name_a_session(asking: Store) -> None:
    await asking.begin(ASKER)
    await asking.begin(Asker("session-two"))
    for session in (ASKER.session, "session-two"):
        await asking.grant(grant("a", session))
        await asking.grant(grant("b", session))
    assert [one.tool for one in await asking.grants("session-two")] == ["a", "b"]
    assert await asking.revoke(session="session-two") == 2
    assert {one.session for one in await asking.grants()} == {ASKER.session}
    assert await asking.revoke("another") == 0
    assert await asking.revoke(tool="a") == 1
    assert [one.tool for one in await asking.grants()] == ["b"]
