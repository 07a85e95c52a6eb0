"""Builds one run from the owner's settings, and takes it down in order."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from elicit_tui import paths
from elicit_tui.broker import Broker, BrokerOptions
from elicit_tui.broker.drafts import DraftFiles
from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation import Queue, Responder
from elicit_tui.elicitation.settings import Rule, Settings
from elicit_tui.elicitation.toml_spelling import dotted
from elicit_tui.host.host import Host
from elicit_tui.policy import Policy
from elicit_tui.runtime.opening import LazyGuardian, UnavailableLedger, open_ledger

if TYPE_CHECKING:
    from elicit_tui.broker.contracts import CallingAgent
    from elicit_tui.hooks import Hooks
    from elicit_tui.host.launch import Launched
    from elicit_tui.ledger import Ledger


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
    options = options or RunOptions()
    policy = Policy(settings, answers=options.answers, person_present=options.person_present)
    guardian = LazyGuardian(settings.guardian)
    # One that cannot be opened refuses every write: then nothing is accepted.
    ledger = open_ledger(settings.history)
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
    # Whatever fails from here on, the ledger is closed.
    try:
        # The processes start before anything is connected, and get ready meanwhile.
        host.launch(launch)
        async with host:
            try:
                yield Runtime(settings, policy, guardian, ledger, broker, host, hooks)
            finally:
                # Questions first, as their answers still leave. Then nothing asks a hook any more,
                # and then the servers end.
                await broker.close()
                if hooks is not None:
                    await hooks.close()
    finally:
        ledger.close()
