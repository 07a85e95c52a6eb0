"""The owner's settings as typed values; `config` reads them, the other rooms obey them.

Names and defaults are those of config.example.toml. Every dataclass is complete without any
configuration file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import field, fields, replace
from typing import Any, Final, Literal

from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation.eras import Revision
from elicit_tui.elicitation.kind import Kind
from elicit_tui.elicitation.toml_spelling import dotted

Layer = Literal["managed", "command line", "user", "default"]

ApprovalMode = Literal["auto", "prompt", "writes", "approve"]
ASK_BEFORE_CALLS: Final = "Ask before calls"
APPROVAL_MODES: Final[Mapping[ApprovalMode, str]] = {
    "auto": "may destroy",
    "writes": "may write",
    "prompt": "every call",
    "approve": "never",
}
"""What a person reads of each approval mode, wherever they are asked, or choose one."""


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
    logins: bool = True


NamedPolicy = Literal["on-request", "never"]
ApprovalPolicy = NamedPolicy | GranularApproval


def granted(policy: ApprovalPolicy) -> GranularApproval:
    """What an approval policy lets surface, whichever way it is written."""
    if policy == "never":
        return GranularApproval(**{flag.name: False for flag in fields(GranularApproval)})
    return GranularApproval() if policy == "on-request" else policy


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

    approval_mode: ApprovalMode | None = None


Grant = Literal["authorization_code", "client_credentials", "private_key_jwt"]
"""How a token is had: a person logs in, or the owner's own credentials are shown."""


@dataclass(frozen=True)
class OAuthSettings:
    """`[mcp_servers.NAME.oauth]`: how this server is logged in to; all of it may be absent."""

    client_id: str | None = None
    """A client that was registered beforehand."""
    client_secret_env: str | None = None
    """The variable with its secret; for `private_key_jwt`, with its private key (PEM)."""
    scopes: tuple[str, ...] = ()
    callback_port: int | None = None
    grant: Grant = "authorization_code"
    client_metadata_url: str | None = None
    issuer: str | None = None
    """The only authorization server that a login may be asked of."""

    @property
    def needs_person(self) -> bool:
        """Whether somebody has to log in."""
        return self.grant == "authorization_code"


@dataclass(frozen=True)
class LoginSettings:
    """`[logins]`."""

    allow: bool = True
    issuers: tuple[str, ...] | None = None
    """The authorization servers that may be asked; None: any."""
    store: Literal["auto", "keyring", "file"] = "auto"


_HEADER_NAME: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")


def _header_fault(name: str, value: str) -> str | None:
    """Why a header cannot be sent as it is (RFC 9110, 5.1 and 5.5), without repeating its value."""
    if not _HEADER_NAME.fullmatch(name):
        return "no header can have such a name"
    if "\r" in value or "\n" in value:
        return "there is a line end in it (as from a file with the line ends of Windows)"
    if not value.isascii():
        return "there is a character outside ASCII in it"
    if value != value.strip(" \t"):
        return "it begins or ends with a blank"
    if not value.replace("\t", " ").isprintable():
        return "there is a control character in it"
    return None


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
    header_variables: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The environment variables that a header's value was made of, by the header's name."""
    bearer_token_env_var: str | None = None
    oauth: OAuthSettings = field(default_factory=OAuthSettings)
    enabled: bool = True
    startup_timeout_sec: float = 30
    tool_timeout_sec: float = 300
    enabled_tools: tuple[str, ...] | None = None
    disabled_tools: tuple[str, ...] = ()
    elicitations: Literal["ask", "decline", "cancel", "off"] = "ask"
    elicitation_modes: tuple[Literal["form", "url"], ...] = ("form", "url")
    protocol: Revision = "auto"
    default_tools_approval_mode: ApprovalMode = "auto"
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

    @property
    def may_log_in(self) -> bool:
        """Whether a login is of use: it is reached by HTTP, and nothing else authorizes us."""
        own = self.bearer_token_env_var is not None or any(
            name.lower() == "authorization" for name in self.http_headers
        )
        return self.url is not None and not own

    def key(self, setting: str) -> str:
        """One of its settings as a configuration file spells it: `mcp_servers.NAME.SETTING`."""
        return dotted("mcp_servers", self.name, setting)

    @property
    def lack(self) -> str | None:
        """What the environment lacks so that it cannot start, in a sentence; None: nothing."""
        if not self.missing:
            return None
        names = ", ".join(self.missing)
        return f"The server {self.name} needs {names}, which the environment does not have."

    def unsendable_headers(self, environment: Mapping[str, str]) -> Iterator[str]:
        """Why headers cannot be sent, in sentences that name header and variable, no value."""
        for name, value in self.http_headers.items():
            if (fault := _header_fault(name, value)) is not None:
                variables = ", ".join(self.header_variables.get(name, ()))
                # What follows the first sign that no name has may be a value.
                named = match[0][:80] if (match := _HEADER_NAME.match(name)) else ""
                shown = named if named == name else f"{named}…"
                yield self._unsendable(f"header {shown}", variables, fault)
        variable = self.bearer_token_env_var
        token = environment.get(variable, "") if variable is not None else ""
        if (fault := _header_fault("Authorization", token)) is not None:
            yield self._unsendable("bearer token", variable or "", fault)

    def _unsendable(self, what: str, variables: str, fault: str) -> str:
        source = f", from the environment's {variables}," if variables else ""
        return f"The {what} of the server {self.name}{source} cannot be sent: {fault}."

    def offers_tool(self, tool: str) -> bool:
        """Whether the owner's lists let this tool be seen and called."""
        listed = self.enabled_tools is None or tool in self.enabled_tools
        return listed and tool not in self.disabled_tools


@dataclass(frozen=True)
class ConsoleSettings:
    """`[console]`."""

    notify: Literal["bell", "notification", "off"] = "bell"
    theme: str = "auto"
    keys: Mapping[str, str] = field(default_factory=dict)


ContentPolicy = Literal["redacted", "none", "full"]
"""What of an accepted answer is kept."""


@dataclass(frozen=True)
class HistorySettings:
    """`[history]`; `path` None is the platform's state directory."""

    content: ContentPolicy = "redacted"
    path: str | None = None


HookEvent = Literal["Elicitation", "ElicitationResult", "Asked", "Resolved", "Waiting"]


@dataclass(frozen=True)
class Hook:
    """One `[[hooks]]`: exactly one of `command` and `url` is set; an absent glob matches all."""

    event: HookEvent
    server: str | None = None
    tool: str | None = None
    kind: Kind | None = None
    command: tuple[str, ...] | None = None
    url: str | None = None
    format: Literal["slack", "discord", "teams", "ntfy"] | None = None
    include: tuple[Literal["message"], ...] = ()
    timeout_sec: float = 10
    layer: Layer = "user"
    position: int = 1
    """From 1, within its file."""
    fixed_path: tuple[str, ...] = ()
    """The directories of a managed command's `PATH`; empty: the person's own `PATH`."""
    cannot_run: str | None = None
    """Why it cannot be run, known before it is tried; None when nothing is known against it."""
    place: str | None = None
    """Where it stands: its file's name and line, as `config.toml:12`."""

    @property
    def key(self) -> str:
        """Its key in the configuration and the ledger: `hooks[1]`, or `managed.hooks[1]`."""
        return f"{'managed.' if self.layer == 'managed' else ''}hooks[{self.position}]"

    @property
    def name(self) -> str:
        """What it is called to a person, who finds it there: `hook at config.toml:12`."""
        return f"hook {self.key}" if self.place is None else f"hook at {self.place}"


@dataclass(frozen=True)
class StoreSettings:
    """`[store]`."""

    url: str | None = None
    """A Redis; None: a file beside the ledger."""
    secret_env: str = "ELICIT_TUI_STORE_SECRET"
    secret_file: str | None = None
    answer_without_terminal: bool = False


AskVia = Literal["auto", "console", "client"]


@dataclass(frozen=True)
class GatewaySettings:
    """`[gateway]`."""

    wait_sec: float = 86400
    hold_sec: float | Literal["auto"] = "auto"
    ask_via: AskVia = "auto"
    prefix: Literal["always", "never"] = "always"
    elicit_tool: bool = True
    agent_answers: Literal["never", "allow"] = "never"
    tasks: Literal["auto", "never"] = "auto"


@dataclass(frozen=True)
class BridgeSettings:
    """`[bridge]`."""

    hold_sec: float = 50


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
    hooks: tuple[Hook, ...] = ()
    """In the order of their files, those of the managed file first."""
    store: StoreSettings = field(default_factory=StoreSettings)
    gateway: GatewaySettings = field(default_factory=GatewaySettings)
    bridge: BridgeSettings = field(default_factory=BridgeSettings)
    logins: LoginSettings = field(default_factory=LoginSettings)
    provenance: Mapping[str, Provenance] = field(default_factory=dict)
    """Dotted key, such as `mcp_servers.deploy.elicitations`, to its origin; absent: default."""
    notices: tuple[str, ...] = ()
    """What the person should be told once: looser values ignored, keys without effect here."""
    config_file: str | None = None
    """The user's file that was read; None when there was none."""
    managed_file: str | None = None
    """The managed file that was read; None when there was none."""

    def with_question_time(self, seconds: float, key: str) -> Settings:
        """With these seconds of a key for each question (0: no end), in a face of its own time.

        Never more than an administrator locked as `elicitation.timeout_sec` who left the key open.
        """
        locked = self.origin("elicitation.timeout_sec").locked
        if locked and self.origin(key).layer != "managed":
            limits = (limit for limit in (seconds, self.elicitation.timeout_sec) if limit)
            seconds = min(limits, default=0)
        return replace(self, elicitation=replace(self.elicitation, timeout_sec=seconds))

    def origin(self, key: str) -> Provenance:
        """Where the effective value of a dotted key came from; a table's, when it has none."""
        while key:
            if key in self.provenance:
                return self.provenance[key]
            key = key.rpartition(".")[0]
        return Provenance("default")
