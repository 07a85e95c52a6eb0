"""The agents that are known by name: how long each waits for a tool. The figures are data."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import field
from functools import cache, lru_cache
from importlib import resources
from typing import Any, Final, Literal

import tomli

from elicit_tui.dataclass import dataclass

UNKNOWN: Final = "unknown"
MOST_CHARACTERS: Final = 200
"""Of what a client calls itself; no agent's name is as long."""


@dataclass(frozen=True)
class Agent:
    """One agent of `agents.toml`; times in seconds."""

    key: str
    title: str
    names: tuple[str, ...]
    stdio: float
    http: float
    http_mute: float
    file: str
    """Where its own configuration of MCP servers is."""
    shape: str
    """How an entry is written there."""
    supports: str = ""
    """What its own client can ask, and its clock, for a person to read."""
    place: Mapping[str, str] = field(default_factory=dict)
    """Where `install` finds that file, by `sys.platform` or under `any`; empty: it does not."""
    project: str = ""
    """Where the file of a project is, below the project's folder."""
    extra: Mapping[str, Any] = field(default_factory=dict)
    """What its entry needs beside the command."""
    restart: str = ""
    """How it comes to read its file again."""
    literal: bool = False
    """It takes `${NAME}` in an entry as it stands."""
    drops_forms: bool = False
    """It advertises forms and drops what it is sent, so it is never asked."""
    runs_alone: bool | tuple[str, ...] = ()
    """No person sits at it; or the arguments that start it so."""
    form: frozenset[str] | None = None
    """The kinds of fields that its own form can hold; None: all."""
    structured: bool = False
    """Its model reads `structuredContent` alone, where a result has it."""
    begins: str = ""
    """What a file of its own has to begin with."""
    hooks: str = ""
    """The file in which `bridge install` puts its hooks; empty: it has none that we know."""
    hook_events: tuple[str, ...] = ()
    """Which of its prompts a hook may answer."""
    after_hooks: str = ""
    """What a person has to do before the hooks are run."""
    python: str = ""
    """Lines of Python with `{command}`, `{args}` and `{env}`, for a program of its library."""

    @property
    def servers_path(self) -> tuple[str, ...]:
        """The keys that lead to the servers in its file."""
        keys = {
            "codex": "mcp_servers",
            "opencode": "mcp",
            "goose": "extensions",
            "librechat": "mcpServers",
            "continue": "mcpServers",
        }
        return tuple(keys.get(self.shape, self.shape).split("."))

    @property
    def language(self) -> Literal["json", "toml", "yaml"]:
        """What its file is written in."""
        if self.shape == "codex":
            return "toml"
        yaml = self.shape in ("goose", "librechat", "continue", "mcp.servers")
        return "yaml" if yaml else "json"

    @property
    def listed(self) -> bool:
        """Whether its servers stand in a list, each with its name."""
        return self.shape == "continue"

    def is_alone(self, arguments: Sequence[str]) -> bool:
        """Whether no person sits at it; `arguments`: those that it was started with."""
        if isinstance(self.runs_alone, bool):
            return self.runs_alone
        # `python -m fast_agent` says `-m` to the interpreter.
        own = arguments[2:] if list(arguments[:1]) == ["-m"] else arguments
        # With arguments only some starts are without a person.
        return any(argument.partition("=")[0] in self.runs_alone for argument in own)

    def can_show(self, kinds: Collection[str]) -> bool:
        """Whether its own form can hold fields of these kinds."""
        return self.form is None or self.form.issuperset(kinds)

    def is_called(self, name: str) -> bool:
        """Whether a client of this name is this agent."""
        return any(
            # A star at the end stands for whatever follows: some clients append a version.
            name.startswith(known[:-1]) if known.endswith("*") else name == known
            for known in self.names
        )

    def hold_seconds(
        self, chosen: float | Literal["auto"] = "auto", *, http: bool, progress: bool
    ) -> float:
        """How long a call of this agent is held while a person is waited for.

        `chosen`: as `gateway.hold_sec`; `auto`: as long as the agent is known not to give up.
        """
        if chosen != "auto":
            return float(chosen)
        if not http:
            return self.stdio
        # Over HTTP a client that sees progress waits longer than one that hears nothing.
        return self.http if progress else self.http_mute


@cache
def known_agents() -> dict[str, Agent]:
    """Every agent of the data file, by its key."""
    text = resources.files("elicit_tui.gateway").joinpath("agents.toml").read_text("utf-8")
    return {key: _agent(key, table) for key, table in tomli.loads(text).items()}


def _agent(key: str, table: dict[str, Any]) -> Agent:
    runs_alone, form = table.get("runs_alone", ()), table.get("form")
    return Agent(
        key=key,
        **{
            **table,
            "names": tuple(table["names"]),
            "hook_events": tuple(table.get("hook_events", ())),
            "runs_alone": runs_alone if isinstance(runs_alone, bool) else tuple(runs_alone),
            "form": None if form is None else frozenset(form),
        },
    )


def agent_called(name: str | None) -> Agent:
    """The agent with this clientInfo.name; the unknown one when nobody is."""
    return known_agents()[UNKNOWN] if name is None else _agent_called(name[:MOST_CHARACTERS])


@lru_cache(maxsize=64)
def _agent_called(name: str) -> Agent:
    agents = known_agents()
    found = (agent for agent in agents.values() if agent.is_called(name))
    return next(found, agents[UNKNOWN])
