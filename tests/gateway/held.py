"""Held calls without servers: what a session does for them, and the requests that attend them."""

from __future__ import annotations

from elicit_tui.gateway.held_call import HeldCall
from elicit_tui.gateway.requester import AgentInfo


class Watcher:
    """A session that only keeps what its held calls tell it."""

    def __init__(self) -> None:
        self.withdrawn: list[HeldCall] = []
        self.states: list[str] = []

    def withdraw(self, held: HeldCall) -> None:
        self.withdrawn.append(held)
        held.waiting.clear()
        held.changed()

    def outcome_kept(self, held: HeldCall) -> None:
        """Kept nowhere else."""

    def given_up(self, held: HeldCall) -> None:
        """Kept nowhere else."""

    def agent_state_changed(self, held: HeldCall) -> None:
        self.states.append(held.agent_state)

    async def cancel_below(self, held: HeldCall) -> None:
        """There is no server."""


class Request:
    """A request of an agent in the handshake era."""

    era = "handshake"
    agent = AgentInfo()
    has_token = False
    http = False
    knows_tasks = False

    def __init__(self, arrived: float) -> None:
        self.arrived = arrived
