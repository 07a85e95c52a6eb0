"""The owner's settings as typed values; `config` reads them, the other rooms obey them.

Names and defaults are those of config.example.toml. Every dataclass is complete without any
configuration file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Layer = Literal["managed", "command line", "user", "default"]


@dataclass(frozen=True)
class Provenance:
    """Where an effective value came from."""

    layer: Layer
    locked: bool = False
    file: str | None = None
    line: int | None = None


@dataclass(frozen=True)
class GranularApproval:
    """`[approval_policy.granular]`: True may surface, False is declined by policy."""

    mcp_elicitations: bool = True
    tool_calls: bool = True
    rules: bool = True


ApprovalPolicy = Literal["on-request", "never"] | GranularApproval


@dataclass(frozen=True)
class ElicitationLimits:
    """`[elicitation.limits]`, counted for each server."""

    per_minute: int = 30
    pending: int = 16


@dataclass(frozen=True)
class ElicitationSettings:
    """`[elicitation]`."""

    timeout_sec: float = 300
    rounds: int = 100
    concurrent: Literal["queue", "replace"] = "queue"
    review: Literal["always", "risky", "never"] = "risky"
    limits: ElicitationLimits = field(default_factory=ElicitationLimits)


@dataclass(frozen=True)
class OwnerRule:
    """One `[[guardian.rules]]`: a finding the owner wants to see."""

    id: str
    severity: Literal["note", "warn", "block"]
    pattern: str
    where: str = "*"
    """A glob over the places a finding names: `message`, `url`, `*` …"""
    advice: str = ""
    layer: Layer = "user"


@dataclass(frozen=True)
class GuardianSettings:
    """`[guardian]`."""

    on_block: Literal["decline", "ask"] = "decline"
    outgoing: Literal["warn", "off"] = "warn"
    trusted_domains: tuple[str, ...] = ()
    disable: tuple[str, ...] = ()
    rules: tuple[OwnerRule, ...] = ()


@dataclass(frozen=True)
class Rule:
    """One `[[rules]]` or `[[answers]]` entry; an absent glob matches everything."""

    action: Literal["ask", "accept", "decline", "cancel"]
    server: str | None = None
    tool: str | None = None
    mode: str | None = None
    message: str | None = None
    content: Mapping[str, Any] | None = None
    despite: tuple[str, ...] = ()
    once: bool = False
    use_defaults: bool = False
    layer: Layer = "user"
    position: int = 1
    """From 1, within its file; names the entry to a person."""


@dataclass(frozen=True)
class ToolSettings:
    """`[mcp_servers.NAME.tools.TOOL]`."""

    approval_mode: Literal["auto", "prompt", "writes", "approve"] | None = None


@dataclass(frozen=True)
class ServerSettings:
    """`[mcp_servers.NAME]`: exactly one of `command` and `url` is set."""

    name: str
    command: str | None = None
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    cwd: str | None = None
    url: str | None = None
    transport: Literal["http", "sse"] = "http"
    http_headers: Mapping[str, str] = field(default_factory=dict)
    bearer_token_env_var: str | None = None
    enabled: bool = True
    startup_timeout_sec: float = 30
    tool_timeout_sec: float = 300
    enabled_tools: tuple[str, ...] | None = None
    disabled_tools: tuple[str, ...] = ()
    elicitations: Literal["ask", "decline", "cancel", "off"] = "ask"
    elicitation_modes: tuple[Literal["form", "url"], ...] = ("form", "url")
    protocol: Literal["auto", "2025-11-25", "2026-07-28"] = "auto"
    default_tools_approval_mode: Literal["auto", "prompt", "writes", "approve"] = "auto"
    tools: Mapping[str, ToolSettings] = field(default_factory=dict)
    layer: Layer = "user"
    missing: tuple[str, ...] = ()
    """Names in `${NAME}` that the environment does not have; starting the server is an error."""
    refused: str | None = None
    """Why managed configuration does not let this server run; None when it may."""
    fixed_path: bool = False
    """A managed command: looked up in the system's own path only, never in `PATH`."""

    @property
    def advertised_modes(self) -> tuple[str, ...]:
        """The elicitation modes the host advertises to this server; none when it is `off`."""
        return () if self.elicitations == "off" else self.elicitation_modes

    def offers_tool(self, tool: str) -> bool:
        """Whether the owner's lists let this tool be seen and called."""
        listed = self.enabled_tools is None or tool in self.enabled_tools
        return listed and tool not in self.disabled_tools


@dataclass(frozen=True)
class ConsoleSettings:
    """`[console]`."""

    notify: Literal["bell", "notification", "off"] = "bell"
    theme: str = "dark"
    keys: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class HistorySettings:
    """`[history]`; `path` None is the platform's state directory."""

    content: Literal["redacted", "none", "full"] = "redacted"
    path: str | None = None


@dataclass(frozen=True)
class Settings:
    """Everything the owner configured, with where each value came from."""

    approval_policy: ApprovalPolicy = "on-request"
    approvals_reviewer: Literal["auto_review", "user"] = "auto_review"
    elicitation: ElicitationSettings = field(default_factory=ElicitationSettings)
    guardian: GuardianSettings = field(default_factory=GuardianSettings)
    rules: tuple[Rule, ...] = ()
    servers: Mapping[str, ServerSettings] = field(default_factory=dict)
    console: ConsoleSettings = field(default_factory=ConsoleSettings)
    history: HistorySettings = field(default_factory=HistorySettings)
    provenance: Mapping[str, Provenance] = field(default_factory=dict)
    """Dotted key, such as `mcp_servers.deploy.elicitations`, to its origin; absent: default."""
    notices: tuple[str, ...] = ()
    """What the person should be told once: looser values ignored, keys without effect here."""
    config_file: str | None = None
    """The user's file that was read; None when there was none."""
    managed_file: str | None = None
    """The managed file that was read; None when there was none."""

    def origin(self, key: str) -> Provenance:
        """Where the effective value of a dotted key came from; a table's, when it has none."""
        while key:
            if key in self.provenance:
                return self.provenance[key]
            key = key.rpartition(".")[0]
        return Provenance("default")
