"""Opens a run, what it is made of, and the store and the inbox that need no run."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, closing, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from elicit_tui import paths
from elicit_tui.broker import Broker, BrokerOptions
from elicit_tui.broker.drafts import DraftFiles
from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation import (
    ElicitationRequest,
    Finding,
    Outcome,
    Queue,
    Responder,
    Review,
    cancel,
)
from elicit_tui.elicitation.settings import GuardianSettings, HistorySettings, Rule, Settings
from elicit_tui.elicitation.toml_spelling import dotted
from elicit_tui.errors import LedgerError, LedgerInUse, SecretError
from elicit_tui.host.host import Host
from elicit_tui.ledger import LateRecords, Ledger, SingleRecords
from elicit_tui.paths import ledger_file, store_file
from elicit_tui.policy import Policy

if TYPE_CHECKING:
    from elicit_tui.broker.contracts import CallingAgent
    from elicit_tui.broker.inbox import Inbox
    from elicit_tui.elicitation import Presence
    from elicit_tui.elicitation.outcome import Via
    from elicit_tui.form.form import Form
    from elicit_tui.guardian import Guardian
    from elicit_tui.hooks import Hooks
    from elicit_tui.host.launch import Launched
    from elicit_tui.store.store import Role, Store


class UnavailableLedger(SingleRecords):
    """A ledger that could not be opened: every write says why (design: fail closed)."""

    def __init__(self, reason: str, late: LateRecords | None = None) -> None:
        """`late`: where outcomes wait for it, if others hold it just now."""
        self.reason = reason
        self._late = late

    def _refuse(self, *event: object, **details: object) -> NoReturn:
        raise LedgerError(self.reason)

    asked = _refuse

    def decided(self, request: ElicitationRequest, outcome: Outcome, review: Review) -> None:
        """Leave what is no accept beside the ledger. Raises LedgerError."""
        if self._late is None or not self._late.leave(request, outcome, review):
            self._refuse()

    def _single(self, event: str, question: str, body: dict[str, Any]) -> None:
        if self._late is None or not self._late.leave_single(event, question, body):
            self._refuse()

    def close(self) -> None:
        """Nothing is open."""


def open_ledger(history: HistorySettings) -> Ledger | UnavailableLedger:
    """The ledger, or one that refuses every write and says why."""
    path = ledger_file(history.path)
    try:
        # Others hold it just now: what is no accept waits beside it and is taken in later.
        return Ledger.open(path, content=history.content)
    except LedgerInUse as error:
        return UnavailableLedger(str(error), LateRecords(path, history.content))
    except LedgerError as error:
        return UnavailableLedger(str(error))


class LazyGuardian:
    """The guardian, loaded when the first question needs it: a refused one never does."""

    def __init__(self, settings: GuardianSettings) -> None:
        self._settings = settings
        self._guardian: Guardian | None = None

    @property
    def guardian(self) -> Guardian:
        """The one guardian of this run."""
        if self._guardian is None:
            from elicit_tui.guardian import Guardian

            self._guardian = Guardian(self._settings)
        return self._guardian

    def review(self, request: ElicitationRequest) -> Review:
        """All findings about one request."""
        return self.guardian.review(request)

    def outgoing(self, content: Mapping[str, Any], form: Form | None = None) -> tuple[Finding, ...]:
        """Secrets that an answer to this form seems to hold."""
        return self.guardian.outgoing(content, form)


@asynccontextmanager
async def open_store(
    settings: Settings,
    role: Role,
    *,
    create: bool = True,
    notify: Callable[[str], None] = lambda sentence: None,
) -> AsyncIterator[Store]:
    """The store beside the ledger, or on Redis (`store.url`), as long as this is open.

    `notify` is told what the owner of a Redis should know. Raises StoreError: StoreTooNew,
    StoreMissing (not `create`), SecretError, or it cannot be used.
    """
    # The secret first: where it cannot be used, nothing is opened.
    secret = store_secret(settings)
    store: Store
    if settings.store.url is not None:
        from elicit_tui.store.redis_store import RedisStore

        store = on_redis = await RedisStore.open(settings.store.url, role, secret=secret)
        for warning in on_redis.server.warnings:
            notify(warning)
    else:
        from elicit_tui.store.sqlite import SqliteStore

        path = store_file(settings.history.path)
        store = await SqliteStore.open(path, role, secret=secret, create=create)
    try:
        yield store
    finally:
        await store.close()


def load_store(settings: Settings) -> None:
    """Load what `open_store` needs: whoever gives the store some seconds means the store alone.

    Raises StoreError where redis-py is missing.
    """
    if settings.store.url is not None:
        import elicit_tui.store.redis_store
    else:
        import elicit_tui.store.sqlite  # noqa: F401


def store_secret(settings: Settings) -> bytes | None:
    """The owner's secret for the store; None where they gave none. Raises SecretError."""
    from elicit_tui.store.sealing import secret_from, secret_in_file

    # The variable counts before the file, as the nearer of the two.
    if value := os.environ.get(settings.store.secret_env):
        return secret_from(settings.store.secret_env, value)
    if settings.store.secret_file is not None:
        try:
            return secret_in_file(Path(settings.store.secret_file).expanduser())
        except RuntimeError:
            raise SecretError("store.secret_file: your home directory is not known here.") from None
    return None


@asynccontextmanager
async def open_inbox(
    settings: Settings, via: Via, *, create: bool = True, presence: Presence | None = None
) -> AsyncIterator[Inbox]:
    """What waits for a person, whoever asked, as long as this is open; raises StoreError.

    Args:
        settings: of the owner; `store` and `history.path` matter here.
        via: through what answers are given, as the ledger will say.
        create: make the store when there is none; else StoreMissing is raised.
        presence: what tells whether somebody sits here; None: only a key does.
    """
    from elicit_tui.broker.answerer import refusal, this_process
    from elicit_tui.broker.inbox import Inbox, InboxRules

    async with open_store(settings, "answerer", create=create) as store:
        may = partial(refusal, without_terminal=settings.store.answer_without_terminal)
        # An answer is examined for secrets only when one is given.
        guardian = LazyGuardian(settings.guardian)
        ends = AbandonedQuestions(ledger_file(settings.history.path))
        rules = InboxRules(may, guardian.outgoing, abandoned=ends.record)
        inbox = Inbox(store, via, me=this_process(), rules=rules, presence=presence)
        try:
            async with inbox.watched():
                yield inbox
        finally:
            await ends.recorded()


class AbandonedQuestions:
    """Gives the questions of processes that are gone an outcome in the ledger, if they have none.

    Where the ledger cannot be written a row stays without one, which is true as well.
    """

    def __init__(self, ledger: Path) -> None:
        self._ledger = ledger
        self._ids: list[str] = []
        self._writing: asyncio.Future[None] | None = None

    def record(self, question_id: str) -> None:
        """Have this one recorded; keys and screens do not wait for others who hold the ledger."""
        self._ids.append(question_id)
        if self._writing is None or self._writing.done():
            self._writing = asyncio.ensure_future(self._write())

    async def recorded(self) -> None:
        """Return once all were, or could not be."""
        if self._writing is not None:
            await self._writing

    async def _write(self) -> None:
        while self._ids:
            ids, self._ids = self._ids, []
            await asyncio.to_thread(self._write_all, ids)

    def _write_all(self, ids: Sequence[str]) -> None:
        outcome = cancel("store", "The process that asked ended before the question had an answer.")
        # Opened for these records: an inbox writes nothing else, and holds no ledger.
        with suppress(LedgerError), closing(Ledger.open(self._ledger, create=False)) as ledger:
            for question_id in ids:
                with suppress(LedgerError):
                    ledger.abandoned(question_id, outcome)


@dataclass(frozen=True)
class RunOptions:
    """What a run can do without."""

    answers: Sequence[Rule] | None = None
    """The entries of an answers file: they answer, and nobody else is asked."""
    person_present: bool = True
    """Whether somebody is there who can be asked."""
    keep_drafts: bool = False
    """Whether what was typed and not sent is there in the next run too; never where nothing may be
    kept (`history.content`)."""
    launched: Launched | None = None
    """Servers whose processes were started even before the run."""
    log_file: Path | None = None
    """Where the run writes what its servers log."""
    agent: CallingAgent | None = None
    """To be given by a face whose calls an agent makes (see `Broker`)."""


@dataclass(frozen=True)
class Runtime:
    """One run: everything a face needs, composed once."""

    settings: Settings
    policy: Policy
    guardian: LazyGuardian
    ledger: Ledger | UnavailableLedger
    broker: Broker
    host: Host
    hooks: Hooks | None = None
    """The owner's hooks, where there are any; who waits in the store tells `hooks.waiting`."""

    def know(self, name: str, now: Settings) -> None:
        """Have policy and host see a server, and whence its settings are, as `now` has them.

        A connection keeps what it began with: it is to be ended first, and begun anew.
        """
        servers, origins = self.settings.servers, self.settings.provenance
        # The mappings in which all of them look it up.
        assert isinstance(servers, dict)
        assert isinstance(origins, dict)
        if name in now.servers:
            servers[name] = now.servers[name]
        else:
            servers.pop(name, None)
        for key in _keys_of(name, origins):
            del origins[key]
        origins.update((key, now.provenance[key]) for key in _keys_of(name, now.provenance))


def _keys_of(server: str, keys: Iterable[str]) -> list[str]:
    """Those that are of this server's table."""
    table = dotted("mcp_servers", server)
    return [key for key in keys if key == table or key.startswith(f"{table}.")]


def _hooks(settings: Settings) -> Hooks | None:
    """The owner's hooks; a run without any does not load their room."""
    if not settings.hooks:
        return None
    from elicit_tui.hooks import Hooks

    return Hooks(settings.hooks, settings.history.content)


@asynccontextmanager
async def open_runtime(
    settings: Settings,
    *,
    responder: Callable[[Queue], Responder],
    launch: Sequence[str] = (),
    options: RunOptions | None = None,
) -> AsyncIterator[Runtime]:
    """Compose a run; `launch` names the servers whose processes start at once.

    `responder` is given the queue, which knows what waits, is open and was put off. On the way out
    every open question ends by `shutdown`, is recorded and sent; then the servers end.
    """
    # One that cannot be opened refuses every write: then nothing is accepted.
    ledger = open_ledger(settings.history)
    # Whatever fails from here on, the ledger is closed.
    with closing(ledger):
        run = _composed(settings, ledger, responder, options or RunOptions())
        # The processes start before anything is connected, and get ready meanwhile.
        run.host.launch(launch)
        async with run.host:
            try:
                yield run
            finally:
                # Questions first, as their answers still leave. Then nothing asks a hook any more,
                # and then the servers end.
                await run.broker.close()
                if run.hooks is not None:
                    await run.hooks.close()


def _composed(
    settings: Settings,
    ledger: Ledger | UnavailableLedger,
    responder: Callable[[Queue], Responder],
    options: RunOptions,
) -> Runtime:
    """A run of which nothing has begun yet."""
    policy = Policy(settings, answers=options.answers, person_present=options.person_present)
    guardian = LazyGuardian(settings.guardian)
    hooks = _hooks(settings)
    queue = Queue()
    may_keep = options.keep_drafts and settings.history.content != "none"
    beside = BrokerOptions(
        queue=queue,
        hooks=hooks,
        drafts=DraftFiles(paths.state_directory(), guardian) if may_keep else None,
        agent=options.agent,
    )
    broker = Broker(policy, guardian, ledger, responder(queue), beside)
    host = Host(settings, broker, log_file=options.log_file, launched=options.launched)
    return Runtime(settings, policy, guardian, ledger, broker, host, hooks)
