"""One run as it is composed of the owner's settings, and as it is taken down."""

from __future__ import annotations

import asyncio
import base64
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from elicit_tui.broker.drafts import Drafts
from elicit_tui.elicitation import (
    Deadline,
    Draft,
    ElicitationRequest,
    Outcome,
    Question,
    Review,
    accept,
)
from elicit_tui.elicitation.settings import (
    ContentPolicy,
    HistorySettings,
    Provenance,
    ServerSettings,
    Settings,
    StoreSettings,
)
from elicit_tui.errors import SecretError
from elicit_tui.ledger import Ledger
from elicit_tui.paths import ledger_file, state_directory
from elicit_tui.runtime import RunOptions, open_inbox, open_runtime, open_store
from elicit_tui.runtime.opening import (
    AbandonedQuestions,
    LazyGuardian,
    UnavailableLedger,
    open_ledger,
    store_secret,
)
from elicit_tui.store.store import Asker
from tests.broker.conftest import form_request
from tests.hooks.world import command, hook, read
from tests.store.world import ASKER, question

pytestmark = pytest.mark.anyio

SENT = {"colour": "red"}


class Person:
    """Answers at once, or never."""

    def __init__(self, outcome: Outcome | None = None) -> None:
        self.outcome = outcome
        self.asked = asyncio.Event()

    async def respond(self, question: Question, deadline: Deadline) -> Outcome:
        deadline.start()
        self.asked.set()
        if self.outcome is None:
            question.draft.write({}, frozenset())
            await asyncio.Event().wait()
        assert self.outcome is not None
        return self.outcome


def settings_in(directory: Path, content: ContentPolicy = "redacted", **more: Any) -> Settings:
    history = HistorySettings(path=str(directory / "history.sqlite3"), content=content)
    return Settings(history=history, **more)


def opened(settings: Settings, person: Person, **more: Any) -> Any:
    options = RunOptions(**more)
    return open_runtime(settings, responder=lambda queue: person, options=options)


async def test_on_the_way_out_what_is_open_ends_is_recorded_and_is_told(tmp_path: Path) -> None:
    log = tmp_path / "told.jsonl"
    settings = settings_in(tmp_path, hooks=(hook("Resolved", command("passes", log)),))
    person, request = Person(), form_request()
    async with opened(settings, person) as runtime:
        asking = asyncio.ensure_future(runtime.broker.resolve(request))
        await asyncio.wait_for(person.asked.wait(), 20)
    outcome = await asyncio.wait_for(asking, 20)
    assert (outcome.action, outcome.decided_by) == ("cancel", "shutdown")
    with closing(Ledger.open(ledger_file(settings.history.path))) as ledger:
        assert ledger.row(request.id).decided_by == "shutdown"
    assert [told["input"]["decided_by"] for told in read(log)] == ["shutdown"]


async def test_where_the_history_cannot_be_written_nothing_is_accepted(tmp_path: Path) -> None:
    (tmp_path / "history.sqlite3").mkdir()
    settings = settings_in(tmp_path)
    assert isinstance(open_ledger(settings.history), UnavailableLedger)
    person = Person(accept("user", "Sent.", SENT))
    async with opened(settings, person) as runtime:
        outcome = await runtime.broker.resolve(form_request())
    assert outcome.action != "accept"


@pytest.mark.parametrize(
    ("content", "keep", "kept"),
    [("redacted", True, True), ("redacted", False, False), ("none", True, False)],
)
async def test_drafts_are_kept_for_the_next_run_where_anything_may_be_kept(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    content: ContentPolicy,
    keep: bool,
    kept: bool,
) -> None:
    asked: list[Path] = []

    class Files(Drafts):
        def __init__(self, directory: Path, guardian: Any) -> None:
            super().__init__()
            self.directory = directory

        def draft_for(self, request: ElicitationRequest, *more: Any) -> Draft:
            asked.append(self.directory)
            return super().draft_for(request, *more)

    monkeypatch.setattr("elicit_tui.runtime.opening.DraftFiles", Files)
    settings = settings_in(tmp_path, content)
    person = Person(accept("user", "Sent.", SENT))
    async with opened(settings, person, keep_drafts=keep) as runtime:
        await runtime.broker.resolve(form_request())
    assert asked == ([state_directory()] if kept else [])


async def test_a_run_without_hooks_has_none_and_knows_servers_as_they_are_now(
    tmp_path: Path,
) -> None:
    settings = settings_in(tmp_path, servers={"a": ServerSettings("a", command="a")})
    async with opened(settings, Person()) as runtime:
        assert runtime.hooks is None
        now = settings_in(tmp_path, servers={"b": ServerSettings("b", command="b")})
        for name in ("b", "a", "never"):
            runtime.know(name, now)
        assert list(runtime.settings.servers) == ["b"]


async def test_a_run_knows_whence_a_servers_settings_are_as_they_are_now(tmp_path: Path) -> None:
    servers = {name: ServerSettings(name, command="x") for name in ("a", "a.b")}
    here, there = (Provenance("user", file="c.toml", line=line) for line in (1, 9))
    gone, kept = "mcp_servers.a.enabled", 'mcp_servers."a.b".enabled'
    origins = dict.fromkeys((gone, kept, "hooks"), here)
    before = settings_in(tmp_path, servers=servers, provenance=origins)
    mode = "mcp_servers.a.default_tools_approval_mode"
    now = replace(before, provenance={mode: there, kept: there, "hooks": there})
    async with opened(before, Person()) as runtime:
        runtime.know("a", now)
        assert runtime.settings.provenance == {mode: there, kept: here, "hooks": here}


async def test_prepared_answers_and_the_absence_of_a_person_reach_the_policy(
    tmp_path: Path,
) -> None:
    person = Person(accept("user", "Sent.", SENT))
    async with opened(settings_in(tmp_path), person, person_present=False) as runtime:
        assert (await runtime.broker.resolve(form_request())).decided_by == "nobody"
    async with opened(settings_in(tmp_path), person, answers=()) as runtime:
        assert (await runtime.broker.resolve(form_request())).decided_by != "user"
    assert not person.asked.is_set()


async def test_a_question_whose_process_is_gone_is_ended_in_the_history_where_there_is_one(
    tmp_path: Path,
) -> None:
    path = ledger_file(settings_in(tmp_path).history.path)
    ends = AbandonedQuestions(path)
    await ends.recorded()
    ends.record("gone")
    await ends.recorded()
    assert not path.exists()
    request = form_request()
    with closing(Ledger.open(path)) as ledger:
        ledger.asked(request, Review())
        ends.record(request.id)
        ends.record("unknown")
        await ends.recorded()
        row = ledger.row(request.id)
        assert (row.action, row.decided_by) == ("cancel", "store")
        assert [one.id for one in ledger.rows()] == [request.id]


async def test_an_inbox_goes_on_while_others_hold_the_ledger_that_it_gives_an_end_to(
    tmp_path: Path,
) -> None:
    path = ledger_file(settings_in(tmp_path).history.path)
    ends, requests = AbandonedQuestions(path), [form_request() for _ in range(3)]
    with closing(Ledger.open(path)) as ledger:
        for request in requests:
            ledger.asked(request, Review())
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            for request in requests:
                ends.record(request.id)
            recording = asyncio.ensure_future(ends.recorded())
            await asyncio.wait([recording], timeout=0.05)
            assert not recording.done()
        await recording
        assert [row.decided_by for row in ledger.rows()] == ["store"] * 3


def test_the_secret_of_the_environment_goes_before_the_one_in_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "secret"
    file.write_bytes(base64.b64encode(b"f" * 32))
    file.chmod(0o600)
    in_file = Settings(store=StoreSettings(secret_file=str(file), secret_env="ET_TEST_SECRET"))
    assert store_secret(in_file) == b"f" * 32
    monkeypatch.setenv("ET_TEST_SECRET", base64.b64encode(b"e" * 32).decode())
    assert store_secret(in_file) == b"e" * 32
    monkeypatch.setenv("ET_TEST_SECRET", "")
    assert store_secret(in_file) == b"f" * 32
    assert store_secret(Settings(store=StoreSettings(secret_env="ET_TEST_SECRET"))) is None
    monkeypatch.setenv("ET_TEST_SECRET", "short")
    with pytest.raises(SecretError):
        store_secret(in_file)


def test_a_secret_below_a_home_that_is_not_known_is_told() -> None:
    with pytest.raises(SecretError, match="your home directory is not known"):
        store_secret(Settings(store=StoreSettings(secret_file="~nobody-here/secret")))


async def test_an_inbox_answers_what_a_store_was_asked_and_asks_nothing_itself(
    tmp_path: Path,
) -> None:
    settings = settings_in(tmp_path)
    async with open_store(settings, "asker") as store:
        await store.begin(ASKER)
        await store.begin(Asker("other"))
        waiting = await store.put(question(), ASKER)
        async with open_inbox(settings, "inbox", create=False) as inbox:
            assert [one.id for one in inbox.waiting] == [waiting.id]
            await store.heartbeat()
            (process,) = await store.asking_processes()
            assert process.role == "asker"


def test_the_guardian_is_loaded_once_and_by_the_first_question() -> None:
    lazy = LazyGuardian(Settings().guardian)
    assert lazy._guardian is None
    assert lazy.review(form_request("Enter your password to go on")).findings
    assert lazy.guardian is lazy.guardian
    assert lazy.outgoing({"a": "ghp_0123456789abcdefghij0123456789abcd"})
