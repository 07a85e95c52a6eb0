"""The table of every key: its type, default and what it does.

Validation, `config schema`, the nearest-name hints and the test of config.example.toml all read
this one table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Kind = Literal[
    "string", "boolean", "number", "integer", "strings", "table of strings", "json table"
]


@dataclass(frozen=True)
class Value:
    """A key with a value."""

    kind: Kind
    doc: str
    default: Any = None
    """None: the key has no default."""
    choices: tuple[str, ...] = ()
    minimum: float | None = None
    without_effect: bool = False
    """Accepted because another program's file has it; does nothing here."""


@dataclass(frozen=True)
class Table:
    """A table with fixed keys."""

    doc: str
    keys: Mapping[str, Node]
    required: tuple[str, ...] = ()


@dataclass(frozen=True)
class Named:
    """A table of tables under names of the owner's choice."""

    doc: str
    item: Table


@dataclass(frozen=True)
class Tables:
    """An array of tables."""

    doc: str
    item: Table


@dataclass(frozen=True)
class Either:
    """A plain value, or a table in its place."""

    doc: str
    value: Value
    table: Table


Node = Value | Table | Named | Tables | Either

_MODES = ("auto", "prompt", "writes", "approve")
_ELSEWHERE = "Codex CLI's name; accepted, without effect here."

APPROVAL_POLICY = Either(
    "What may surface: on-request asks, never declines every question, granular says which kinds.",
    Value("string", "on-request or never.", "on-request", ("on-request", "never")),
    Table(
        "In place of a word: which kinds may surface.",
        {
            "granular": Table(
                "true (also when absent): may surface; false: declined, by policy.",
                {
                    "mcp_elicitations": Value("boolean", "Questions of servers.", True),
                    "tool_calls": Value("boolean", "Confirmations of a tool call.", True),
                    "rules": Value("boolean", 'What a rule\'s "ask" would raise.', True),
                    "sandbox_approval": Value("boolean", _ELSEWHERE, without_effect=True),
                    "request_permissions": Value("boolean", _ELSEWHERE, without_effect=True),
                    "skill_approval": Value("boolean", _ELSEWHERE, without_effect=True),
                },
            )
        },
        required=("granular",),
    ),
)

ELICITATION = Table(
    "How questions are asked.",
    {
        "timeout_sec": Value(
            "number", "Seconds a question may wait once it can be answered; 0: none.", 300, (), 0
        ),
        "rounds": Value("integer", "Rounds of one call without a person in them.", 100, (), 1),
        "concurrent": Value(
            "string",
            "A new question of a server waits (queue) or cancels its pending one (replace).",
            "queue",
            ("queue", "replace"),
        ),
        "review": Value(
            "string",
            "The page that shows what will be sent: on every question, on risky ones, never.",
            "risky",
            ("always", "risky", "never"),
        ),
        "limits": Table(
            "Limits for each server.",
            {
                "per_minute": Value("integer", "Questions a minute.", 30, (), 1),
                "pending": Value("integer", "Questions waiting at once.", 16, (), 1),
            },
        ),
    },
)

GUARDIAN_RULE = Table(
    "A finding of your own.",
    {
        "id": Value("string", "The rule's name, family.rule."),
        "severity": Value("string", "How much it weighs.", None, ("note", "warn", "block")),
        "pattern": Value("string", "A regular expression, run with a time limit."),
        "where": Value("string", "A glob over the places a finding names.", "*"),
        "advice": Value("string", "What the person should do, in a sentence.", ""),
    },
    required=("id", "severity", "pattern"),
)

GUARDIAN = Table(
    "The look at what servers ask and at what is answered.",
    {
        "on_block": Value(
            "string", "What a block does: decline, or ask.", "decline", ("decline", "ask")
        ),
        "outgoing": Value(
            "string", "Look at answers for secrets: warn, or off.", "warn", ("warn", "off")
        ),
        "trusted_domains": Value(
            "strings",
            "Registrable domains; they quiet look-alike and host findings only.",
            [],
        ),
        "disable": Value("strings", "Ids of guardian rules that are not run.", []),
        "rules": Tables("Guardian rules of your own.", GUARDIAN_RULE),
    },
)

_ENTRY: Mapping[str, Node] = {
    "server": Value("string", "A glob over the server's configured name."),
    "tool": Value("string", "A glob over the tool's name."),
    "mode": Value("string", "A glob over the mode: form or url."),
    "message": Value("string", "A glob over the server's message."),
    "action": Value("string", "What to do.", None, ("ask", "accept", "decline", "cancel")),
    "content": Value("json table", "The form's content, for accept."),
    "despite": Value("strings", "Globs of guardian rule ids whose warnings it may pass.", []),
}

RULES = Tables("First match decides.", Table("One rule.", _ENTRY, required=("action",)))

ANSWERS_FILE = Table(
    "An answers file.",
    {
        "answers": Tables(
            "First match decides; nobody is asked.",
            Table(
                "One answer.",
                {
                    **_ENTRY,
                    "action": Value(
                        "string",
                        "What to do; accept when absent.",
                        "accept",
                        ("ask", "accept", "decline", "cancel"),
                    ),
                    "once": Value("boolean", "Answers one question, then stands aside.", False),
                    "use_defaults": Value(
                        "boolean", "Takes the schema's defaults for what content leaves out.", False
                    ),
                },
            ),
        )
    },
)

SERVER = Table(
    "A server: exactly one of command and url.",
    {
        "command": Value("string", "The program of a stdio server."),
        "args": Value("strings", "Its arguments.", []),
        "env": Value("table of strings", "Environment variables it gets.", {}),
        "cwd": Value("string", "The directory it starts in."),
        "url": Value("string", "The address of a remote server."),
        "transport": Value("string", "Streamable HTTP, or the older SSE.", "http", ("http", "sse")),
        "http_headers": Value("table of strings", "Headers sent with each request.", {}),
        "bearer_token_env_var": Value(
            "string", "The environment variable that holds a bearer token."
        ),
        "enabled": Value("boolean", "Whether the console starts it.", True),
        "startup_timeout_sec": Value("number", "Seconds until it must be ready.", 30, (), 0),
        "tool_timeout_sec": Value(
            "number", "Seconds a call may take, a person's thinking not counted.", 300, (), 0
        ),
        "enabled_tools": Value("strings", "Only these tools are offered."),
        "disabled_tools": Value("strings", "These tools are not offered.", []),
        "elicitations": Value(
            "string",
            "What its questions meet: ask, decline, cancel, or off (not advertised at all).",
            "ask",
            ("ask", "decline", "cancel", "off"),
        ),
        "elicitation_modes": Value(
            "strings", "The modes that are advertised.", ["form", "url"], ("form", "url")
        ),
        "protocol": Value(
            "string",
            "auto: handshake first, 2026-07-28 when the server refuses it; or one pinned revision.",
            "auto",
            ("auto", "2025-11-25", "2026-07-28"),
        ),
        "default_tools_approval_mode": Value(
            "string",
            "Confirm its tool calls: when the tool says it is destructive (auto), always (prompt), "
            "unless it says it only reads (writes), never (approve).",
            "auto",
            _MODES,
        ),
        "tools": Named(
            "Settings of one tool.",
            Table(
                "One tool.",
                {
                    "approval_mode": Value(
                        "string", "In place of default_tools_approval_mode.", None, _MODES
                    )
                },
            ),
        ),
    },
)

CONSOLE = Table(
    "The console.",
    {
        "notify": Value(
            "string",
            "How a waiting question is announced.",
            "bell",
            ("bell", "notification", "off"),
        ),
        "theme": Value("string", "The name of a theme.", "dark"),
        "keys": Value("table of strings", 'Action id = key: { "question.send" = "f10" }.', {}),
    },
)

HISTORY = Table(
    "The record of what was asked and answered.",
    {
        "content": Value(
            "string",
            "What is kept of the answers: sensitive fields masked, nothing, or everything.",
            "redacted",
            ("redacted", "none", "full"),
        ),
        "path": Value("string", "The file; absent: in the platform's state directory."),
    },
)

USER_FILE = Table(
    "Configuration of elicit-tui.",
    {
        "approval_policy": APPROVAL_POLICY,
        "approvals_reviewer": Value(
            "string",
            "auto_review: the guardian may decline; user: it only advises.",
            "auto_review",
            ("auto_review", "user"),
        ),
        "elicitation": ELICITATION,
        "guardian": GUARDIAN,
        "rules": RULES,
        "mcp_servers": Named("The servers, by a name of your choice.", SERVER),
        "console": CONSOLE,
        "history": HISTORY,
    },
)

ALLOWED = Table(
    "Lets a user's server run: a name, and either command and args or url.",
    {
        "name": Value("string", "A glob over the server's name."),
        "command": Value("string", "Exactly this program."),
        "args": Value("strings", "Exactly these arguments.", []),
        "url": Value("string", "This address, or below it at a /."),
        "env": Value("table of strings", "The environment variables it gets.", {}),
        "cwd": Value("string", "The directory it starts in."),
    },
    required=("name",),
)

MANAGED_FILE = Table(
    "The administrator's configuration of elicit-tui.",
    {
        **USER_FILE.keys,
        "allowed_approval_policies": Value(
            "strings",
            "The approval policies that may be chosen.",
            None,
            ("on-request", "never", "granular"),
        ),
        "managed": Table(
            "Which servers may run.",
            {
                "servers": Value(
                    "string",
                    "only: those defined here; allow: also those that [[managed.allow]] lists.",
                    None,
                    ("only", "allow"),
                ),
                "allow": Tables("Servers of users that may run.", ALLOWED),
            },
        ),
    },
)


@dataclass(frozen=True)
class FileKind:
    """What a file may hold, and what belongs elsewhere."""

    table: Table
    elsewhere: Mapping[str, str] = field(default_factory=dict)
    """Top-level keys that belong to another file, and what to say about them."""


USER = FileKind(
    USER_FILE,
    {
        "managed": "only the managed file may have it",
        "allowed_approval_policies": "only the managed file may have it",
        "answers": "answers stand in a file of their own, given with --answers",
    },
)
MANAGED = FileKind(MANAGED_FILE)
ANSWERS = FileKind(ANSWERS_FILE, {"rules": "an answers file has its entries under [[answers]]"})
