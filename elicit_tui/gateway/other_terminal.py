"""The person in another terminal, as one session of the gateway reaches them: by the store."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from elicit_tui.broker import BrokerEvent, Resolved
from elicit_tui.broker.contracts import Allowance, Allowances
from elicit_tui.broker.store_responder import StoreResponder, StoreWatch, TellWaiting
from elicit_tui.elicitation import Deadline, Outcome, Question, cancel, new_id
from elicit_tui.errors import StoreError
from elicit_tui.gateway.requester import AgentInfo
from elicit_tui.store.living import machine_id, machine_name
from elicit_tui.store.store import Asker, Grant, Store
from elicit_tui.store.transitions import AgentState


class OtherTerminal:
    """Where a question waits for a person who is not at the agent's terminal.

    The session begins with its first question: until then nobody knows who asks.
    """

    def __init__(
        self, store: Store, watch: StoreWatch, directory: Path | None, token: str | None = None
    ) -> None:
        """`directory`: where the agent works, if it started us; `watch`: one for the process.

        `token`: the name of what it showed. It stands before what the agent calls itself, which
        may be the name of another one.
        """
        self._store = store
        self._watch = watch
        self._directory = directory
        self._token = token
        self.session = new_id()
        """Its id in the store."""
        self._agent = AgentInfo()
        self._beginning: asyncio.Lock = asyncio.Lock()
        self._responder: StoreResponder | None = None
        self._tell_waiting: TellWaiting | None = None
        self._granted: set[Allowance] = set()

    def known_as(self, agent: AgentInfo) -> None:
        """Learn who asks, before the first question."""
        self._agent = agent

    @property
    def _name(self) -> str | None:
        return ": ".join(part for part in (self._token, self._agent.name) if part) or None

    async def _begun(self) -> StoreResponder:
        async with self._beginning:
            if self._responder is None:
                asker = Asker(
                    self.session,
                    self._name,
                    self._agent.version,
                    str(self._directory) if self._directory is not None else None,
                    machine_name(),
                    machine_id(),
                )
                await self._store.begin(asker)
                self._responder = StoreResponder(self._store, asker, self._watch)
                self._responder.tell_waiting = self._tell_waiting
            return self._responder

    async def respond(
        self, question: Question, deadline: Deadline, agent_state: Callable[[], AgentState]
    ) -> Outcome:
        """Let the question wait in the store; cancelled by `store` when it cannot."""
        try:
            responder = await self._begun()
        except StoreError as error:
            return cancel("store", str(error))
        return await responder.respond(question, deadline, agent_state)

    async def somebody_is_there(self) -> bool:
        """Whether somebody sits at a console or inbox; nobody, when that cannot be known."""
        try:
            return await self._store.somebody_is_there()
        except StoreError:
            return False

    def tell_waiting_to(self, listener: TellWaiting) -> None:
        """Learn whom to tell that a question waits and nobody is there."""
        self._tell_waiting = listener

    def page_finished(self, server: str, elicitation_id: str) -> None:
        """End the wait of whoever has its page open: its server says that it is done."""
        if self._responder is not None:
            self._responder.page_finished(server, elicitation_id)

    async def mark_agent(self, question_id: str, state: AgentState) -> None:
        """Show in every inbox that the agent was told to come back, has left, or is back."""
        if self._responder is not None:
            await self._responder.mark_agent(question_id, state)

    async def drop_revoked(self, allowances: Allowances) -> None:
        """Tell the store of new allowances and of those that ended; drop what was revoked there.

        When the store cannot be read nothing is allowed: the tool is asked for again.
        """
        held = tuple(allowances)
        ended = self._granted.difference(held)
        if not held and not ended:
            return
        try:
            await self._begun()
            for gone in ended:
                await self._store.revoke(gone.server, gone.tool, self.session)
                self._granted.discard(gone)
            for new in (grant for grant in held if grant not in self._granted):
                await self._store.grant(Grant(self.session, *new))
                self._granted.add(new)
            listed = await self._store.grants(self.session)
        except StoreError:
            listed = ()
        standing = {
            Allowance(grant.server, grant.tool, grant.process, grant.definition) for grant in listed
        }
        for grant in held:
            if grant not in standing:
                allowances.drop(grant.server, grant.tool)
                self._granted.discard(grant)

    def on_broker_event(self, event: BrokerEvent) -> None:
        """Tell the store how a question ended."""
        if self._responder is not None and isinstance(event, Resolved):
            self._responder.on_broker_event(event)

    async def close(self) -> None:
        """End the session in the store, once its broker has ended every question.

        A store that is gone has ended it itself.
        """
        if self._responder is None:
            return
        try:
            await self._responder.close()
        finally:
            with suppress(StoreError):
                await self._store.end(self.session)
