"""What an inbox makes of what it reads in the store, told of each change once."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from typing import Any, cast

import pytest

from elicit_tui.broker.inbox import Inbox, InboxRules
from elicit_tui.broker.inbox_events import InboxEvent, QuestionCame, QuestionLeft, StoreTrouble
from elicit_tui.elicitation import Presence
from elicit_tui.elicitation.question import Draft
from elicit_tui.errors import StoreError
from elicit_tui.form.field import Typed
from elicit_tui.store.store import Answer, Changes, Store, Waiting
from tests.broker.elsewhere import bounded, sent
from tests.broker.test_inbox_words import ME, THERE, waits

pytestmark = pytest.mark.anyio


class Scripted:
    """A store that tells this, one look after the other, and then stands still."""

    def __init__(self, *looks: Iterable[Waiting] | StoreError) -> None:
        self._looks = list(looks)
        self.read = asyncio.Event()

    async def heartbeat(self, last_key: datetime | None = None) -> None: ...

    async def asking_processes(self) -> tuple[()]:
        return ()

    async def changes(self, since: int, wait: float) -> Changes:
        if not self._looks:
            self.read.set()
            await asyncio.Event().wait()
        await asyncio.sleep(0)  # Whoever opens the inbox hears of each look after the first.
        look = self._looks.pop(0)
        if isinstance(look, StoreError):
            raise look
        return Changes(since + 1, tuple(look))


class Told:
    """An inbox on such a store, once all of it was read, with what it told."""

    def __init__(
        self, *looks: Iterable[Waiting] | StoreError, presence: Presence | None = None
    ) -> None:
        self.store = Scripted(*looks)
        self.events: list[InboxEvent] = []
        self.abandoned: list[str] = []
        self.examined: list[object] = []

        def examine(*given: object) -> tuple[()]:
            self.examined.append(given)
            return ()

        self.inbox = Inbox(
            cast("Store", self.store),
            "console",
            me=ME,
            rules=InboxRules(
                refusal=lambda asking: None,
                examine=examine,
                abandoned=self.abandoned.append,
            ),
            presence=presence,
        )
        self.inbox.subscribe(self.events.append)

    async def read(self, then: Any = None) -> Any:
        async with self.inbox.watched():
            await bounded(self.store.read.wait())
            return await then(self.inbox) if then else self.inbox.waiting

    @property
    def names(self) -> list[str]:
        return [type(event).__name__ for event in self.events]


@pytest.fixture(autouse=True)
def brisk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("elicit_tui.broker.store_reader.RETRY_SECONDS", 0.0)


async def test_a_store_that_cannot_be_read_is_told_once_and_that_it_can_again() -> None:
    gone = StoreError("The disk is gone.")
    told = Told([], gone, gone, [])
    assert await told.read() == ()
    assert told.events == [StoreTrouble("The disk is gone."), StoreTrouble(None)]
    assert told.inbox.trouble is None
    told = Told(gone)
    await told.read()
    assert told.inbox.trouble == "The disk is gone."


async def test_a_question_comes_once_and_changes_after_that() -> None:
    first = waits()
    told = Told([first], [replace(first, state="claimed", held_by=THERE)], [first])
    (waiting,) = await told.read()
    assert told.names == ["QuestionCame", "QuestionChanged", "QuestionChanged"]
    assert waiting.question.form is not None


@pytest.mark.parametrize(
    ("end", "abandoned"),
    [
        ({"decided_by": "store", "action": None}, True),
        ({"decided_by": "store", "action": "cancel"}, False),
        ({"decided_by": "server", "action": None}, False),
        ({"decided_by": "user", "action": "accept"}, False),
    ],
)
async def test_only_of_a_question_whose_process_is_gone_the_end_is_written_here(
    end: dict[str, Any], abandoned: bool
) -> None:
    first = waits()
    told = Told([first], [replace(first, state="settled", question=None, **end)])
    assert await told.read() == ()
    assert told.abandoned == ([first.id] if abandoned else [])
    assert isinstance(told.events[-1], QuestionLeft)
    assert told.events[-1].waiting.question is not None


async def test_what_cannot_be_read_here_is_not_answered_here() -> None:
    sealed = waits(question=None, unreadable="Its seal does not open here.")
    reply = await Told([sealed]).read(lambda inbox: inbox.answer(sealed.id, sent()))
    assert (reply.kind, reply.sentence) == ("refused", "Its seal does not open here.")


async def test_what_was_typed_last_is_in_the_store_before_an_inbox_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first, begun, ended = waits(), asyncio.Event(), list[str]()

    async def claim(*_: object) -> None:
        begun.set()
        for _turn in range(10):
            await asyncio.sleep(0)
        ended.append("the claim")

    async def touches(inbox: Inbox) -> None:
        inbox.touched(first.id)
        await bounded(begun.wait())

    told = Told([first])
    monkeypatch.setattr(told.store, "claim", claim, raising=False)
    await told.read(touches)
    ended.append("the inbox")
    assert ended == ["the claim", "the inbox"]


async def test_an_inbox_ends_though_its_store_takes_nothing_any_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("elicit_tui.broker.inbox.CLOSE_SECONDS", 0.01)
    first, begun, ended = waits(), asyncio.Event(), list[str]()

    async def claim(*_: object) -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("the claim")

    async def touches(inbox: Inbox) -> None:
        inbox.touched(first.id)
        await bounded(begun.wait())

    told = Told([first])
    monkeypatch.setattr(told.store, "claim", claim, raising=False)
    await bounded(told.read(touches))
    assert ended == ["the claim"]


async def test_what_a_key_wrote_only_after_it_was_told_of_is_told_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("elicit_tui.broker.inbox.CLAIM_SECONDS", 0.0)
    first, told_of = waits(), asyncio.Queue[Any]()
    shown: list[Draft] = []

    async def claim(question_id: str, by: Any, draft: Draft) -> None:
        told_of.put_nowait(dict(draft.entries))
        # The field takes the key's letter after the key itself was told of.
        shown[0].write({"colour": Typed("bl")}, frozenset({"colour"}))

    async def types(inbox: Inbox) -> None:
        (waiting,) = inbox.waiting
        assert waiting.question is not None
        shown.append(waiting.question.draft)
        inbox.touched(first.id)
        assert await bounded(told_of.get()) == {}
        assert await bounded(told_of.get()) == {"colour": Typed("bl")}

    told = Told([first])
    monkeypatch.setattr(told.store, "claim", claim, raising=False)
    await told.read(types)


async def test_a_key_that_the_store_cannot_be_told_of_is_said_to_who_pressed_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first = waits()
    told = Told([first])

    async def claim(*_: object) -> None:
        raise StoreError("The disk is full.")

    async def touches(inbox: Inbox) -> None:
        said = asyncio.Event()
        inbox.subscribe(lambda event: said.set() if isinstance(event, StoreTrouble) else None)
        inbox.touched(first.id)
        await bounded(said.wait())

    monkeypatch.setattr(told.store, "claim", claim, raising=False)
    await told.read(touches)
    assert told.events[-1] == StoreTrouble("The disk is full.")
    assert told.inbox.trouble == "The disk is full."


async def test_a_key_that_is_being_told_of_does_not_hold_again_what_was_put_off(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first, begun, ended = waits(), asyncio.Event(), list[str]()

    async def claim(*_: object) -> None:
        begun.set()
        try:
            for _turn in range(10):
                await asyncio.sleep(0)
        finally:
            ended.append("the claim")

    async def release(*_: object) -> None:
        ended.append("the release")

    async def puts_off(inbox: Inbox) -> None:
        inbox.touched(first.id)
        await bounded(begun.wait())
        await inbox.release(first.id)
        for _turn in range(10):
            await asyncio.sleep(0)

    told = Told([first])
    monkeypatch.setattr(told.store, "claim", claim, raising=False)
    monkeypatch.setattr(told.store, "release", release, raising=False)
    await told.read(puts_off)
    assert ended == ["the claim", "the release"]


@pytest.mark.parametrize("put_off", [False, True])
async def test_a_key_is_told_of_once_a_second_and_at_once_after_it_was_put_off(
    monkeypatch: pytest.MonkeyPatch, put_off: bool
) -> None:
    monkeypatch.setattr("elicit_tui.broker.inbox.CLAIM_SECONDS", 60.0)
    first, told_of = waits(), list[str]()
    again = asyncio.Event()

    async def claim(question_id: str, *_: object) -> None:
        told_of.append(question_id)
        if len(told_of) > 1:
            again.set()

    async def release(*_: object) -> None: ...

    async def types(inbox: Inbox) -> None:
        await inbox.claim(first.id)
        if put_off:
            await inbox.release(first.id)
        inbox.touched(first.id)
        if put_off:
            await bounded(again.wait())
        for _turn in range(20):
            await asyncio.sleep(0)

    told = Told([first])
    monkeypatch.setattr(told.store, "claim", claim, raising=False)
    monkeypatch.setattr(told.store, "release", release, raising=False)
    await told.read(types)
    assert len(told_of) == (2 if put_off else 1)


@pytest.mark.parametrize("mine", ["opened", "typed"])
async def test_a_page_that_was_opened_and_a_text_that_was_typed_here_stay_when_a_question_changes(
    mine: str,
) -> None:
    first = waits()
    told = Told([first], [replace(first, agent_state="paused")])

    def hears(event: InboxEvent) -> None:
        if isinstance(event, QuestionCame):
            assert event.waiting.question is not None
            draft = event.waiting.question.draft
            draft.opened = mine == "opened"
            if mine == "typed":
                draft.write({"colour": Typed("bl")}, frozenset({"colour"}))

    told.inbox.subscribe(hears)
    (waiting,) = await told.read()
    draft = waiting.question.draft
    assert (waiting.agent_state, draft.opened, draft.typed) == (
        *("paused", mine == "opened", mine == "typed"),
    )


async def test_nothing_typed_for_a_question_that_is_over_is_kept() -> None:
    first = waits()
    over = replace(first, state="settled", question=None, decided_by="user", action="decline")
    told = Told([first], [over], [first])

    def hears(event: InboxEvent) -> None:
        if isinstance(event, QuestionCame) and len(told.events) == 1:
            assert event.waiting.question is not None
            event.waiting.question.draft.write({"colour": Typed("bl")}, frozenset({"colour"}))

    told.inbox.subscribe(hears)
    (waiting,) = await told.read()
    assert told.names == ["QuestionCame", "QuestionLeft", "QuestionCame"]
    assert not waiting.question.draft.typed


@pytest.mark.parametrize("what", ["touches", "claims", "answers"])
async def test_whoever_does_something_with_a_question_is_seen_to_be_there(
    monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    first, presence = waits(), Presence()

    async def does(inbox: Inbox) -> None:
        assert presence.last_sign is None
        if what == "touches":
            inbox.touched(first.id)
        elif what == "claims":
            await inbox.claim(first.id)
        else:
            await inbox.answer("another", sent())
        assert presence.last_sign is not None

    async def nothing(*_: object) -> None: ...

    told = Told([first], presence=presence)
    monkeypatch.setattr(told.store, "claim", nothing, raising=False)
    monkeypatch.setattr(told.store, "get", nothing, raising=False)
    await told.read(does)


async def test_an_answer_says_where_it_was_given_and_its_content_is_looked_at_with_its_form(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first, given = waits(), list[Answer]()

    async def answer(_: str, one: Answer) -> None:
        given.append(one)

    async def answers(inbox: Inbox) -> None:
        (waiting,) = inbox.waiting
        question = waiting.question
        assert question is not None
        assert question.examine({"colour": "red"}) == ()
        assert told.examined == [({"colour": "red"}, question.form)]
        await inbox.answer(first.id, sent(colour="red"))

    told = Told([first])
    monkeypatch.setattr(told.store, "answer", answer, raising=False)
    await told.read(answers)
    (one,) = given
    assert (one.outcome.via, one.by, one.attempt, one.digest) == ("console", ME, 1, "d")


async def turned(seconds: float) -> None:
    """Returns once timers of that time have run."""
    over = asyncio.Event()
    asyncio.get_running_loop().call_later(seconds, over.set)
    await bounded(over.wait())


async def test_an_inbox_that_has_ended_tells_nobody_anything(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("CLAIM_SECONDS", "END_SECONDS"):
        monkeypatch.setattr(f"elicit_tui.broker.inbox.{name}", 1.0)
    first, second, claims = waits(), waits(), list[str]()
    gone = replace(second, state="settled", question=None)
    told = Told([first, second], [gone])

    async def claim(question_id: str, *_: object) -> None:
        claims.append(question_id)

    async def touches(inbox: Inbox) -> None:
        await inbox.claim(first.id)
        inbox.touched(first.id)

    monkeypatch.setattr(told.store, "claim", claim, raising=False)
    await told.read(touches)
    await turned(1.2)
    assert claims == [first.id]
    assert told.names == ["QuestionCame", "QuestionCame"]


@pytest.mark.parametrize("late", [False, True])
async def test_how_a_question_that_was_withdrawn_ended_is_told_once(
    monkeypatch: pytest.MonkeyPatch, late: bool
) -> None:
    seconds = 0.05 if late else 1.0
    monkeypatch.setattr("elicit_tui.broker.inbox.END_SECONDS", seconds)
    first = waits()
    gone = replace(first, state="settled", question=None)
    ended = replace(gone, decided_by="server")
    told = Told([first], [gone], *([] if late else [[ended]]))

    async def then(inbox: Inbox) -> None:
        await turned(2 * seconds)
        if late:
            inbox._changed([ended])
            await turned(2 * seconds)

    await told.read(then)
    sentences = [event.sentence for event in told.events if isinstance(event, QuestionLeft)]
    assert sentences == ["It was taken back." if late else "The server took it back, or went away."]
