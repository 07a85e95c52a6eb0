"""The table of every key: its type, default and what it does.

Validation, `config schema`, the nearest-name hints and the test of config.example.toml all read
this one table. Types, choices and defaults are those of the settings' dataclasses, which the other
rooms obey; what stands here is what each key does, and the few keys that have no setting of their
own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from elicit_tui.config.nodes import Either, Named, Node, Table, Tables, Value, table_of
from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation.settings import (
    BridgeSettings,
    ConsoleSettings,
    ElicitationLimits,
    ElicitationSettings,
    GatewaySettings,
    GranularApproval,
    GuardianSettings,
    HistorySettings,
    Hook,
    LoginSettings,
    OAuthSettings,
    OwnerRule,
    Rule,
    ServerSettings,
    Settings,
    StoreSettings,
    ToolSettings,
)

_ELSEWHERE = "Codex CLI's name; accepted, without effect here."

APPROVAL_POLICY = Either(
    "What may surface: on-request asks, never declines every question, granular says which kinds.",
    Value("string", "on-request or never.", "on-request", ("on-request", "never")),
    Table(
        "In place of a word: which kinds may surface.",
        {
            "granular": table_of(
                "true (also when absent): may surface; false: declined, by policy.",
                GranularApproval,
                {
                    "mcp_elicitations": "Questions of servers.",
                    "tool_calls": "Confirmations of a tool call.",
                    "rules": 'What a rule\'s "ask" would raise.',
                    "logins": "The consent to log in to a remote server.",
                    "sandbox_approval": Value("boolean", _ELSEWHERE, without_effect=True),
                    "request_permissions": Value("boolean", _ELSEWHERE, without_effect=True),
                    "skill_approval": Value("boolean", _ELSEWHERE, without_effect=True),
                },
            )
        },
        required=("granular",),
    ),
)

ELICITATION = table_of(
    "How questions are asked.",
    ElicitationSettings,
    {
        "timeout_sec": "Seconds a question may wait once it can be answered; 0: none.",
        "rounds": "Rounds of one call, or questions it pushes, without a person in them.",
        "concurrent": "A new question of a server waits (queue) or cancels its pending one "
        "(replace).",
        "review": "The page that shows what will be sent: on every question, on risky ones, never.",
        "limits": table_of(
            "Limits for each server.",
            ElicitationLimits,
            {"per_minute": "Questions a minute.", "pending": "Questions waiting at once."},
            {"per_minute": 1, "pending": 1},
        ),
    },
    {"timeout_sec": 0, "rounds": 1},
)

GUARDIAN_RULE = table_of(
    "A finding of your own.",
    OwnerRule,
    {
        "id": "The rule's name, family.rule.",
        "severity": "How much it weighs.",
        "pattern": "A regular expression, run with a time limit.",
        "where": "A glob over the places a finding names.",
        "advice": "What the person should do, in a sentence.",
    },
)

GUARDIAN = table_of(
    "The look at what servers ask and at what is answered.",
    GuardianSettings,
    {
        "on_block": "What a block does: decline, or ask.",
        "outgoing": "Look at answers for secrets: warn, or off.",
        "trusted_domains": "Registrable domains; they quiet look-alike and host findings only.",
        "disable": "Ids of guardian rules that are not run.",
        "rules": Tables("Guardian rules of your own.", GUARDIAN_RULE),
    },
)

_ENTRY: Mapping[str, str | Node] = {
    "server": "A glob over the server's configured name.",
    "tool": "A glob over the tool's name.",
    "mode": "A glob over the mode: form or url.",
    "message": "A glob over the server's message.",
    "action": "What to do.",
    "content": "The form's content, for accept.",
    "despite": "Globs of guardian rule ids whose warnings it may pass.",
}

RULES = Tables("First match decides.", table_of("One rule.", Rule, _ENTRY))

_ANSWER = table_of(
    "One answer.",
    Rule,
    {
        **_ENTRY,
        "once": "Answers one question, then stands aside.",
        "use_defaults": "Takes the schema's defaults for what content leaves out.",
    },
)

ANSWERS_FILE = Table(
    "An answers file.",
    {"answers": Tables("First match decides; nobody is asked.", Table(_ANSWER.doc, _ANSWER.keys))},
)

SERVER = table_of(
    "A server: exactly one of command and url.",
    ServerSettings,
    {
        "command": "The program of a stdio server.",
        "args": "Its arguments.",
        "env": "Environment variables it gets.",
        "cwd": "The directory it starts in; absent: your home.",
        "url": "The address of a remote server.",
        "transport": "Streamable HTTP, or the older SSE.",
        "http_headers": "Headers sent with each request.",
        "bearer_token_env_var": "The environment variable that holds a bearer token.",
        "oauth": table_of(
            "How it is logged in to, where it wants a login; all of it may be absent.",
            OAuthSettings,
            {
                "client_id": "A client that was registered beforehand.",
                "client_secret_env": "The environment variable that holds its secret; for "
                "private_key_jwt, its private key (PEM).",
                "scopes": "Asked for in place of those that the server names.",
                "callback_port": "The port of 127.0.0.1 that the page leads back to; absent: any.",
                "grant": "A person logs in (authorization_code), or the client shows its secret or "
                "its key.",
                "client_metadata_url": "The https address of a client metadata document.",
                "issuer": "The only authorization server that may be asked.",
            },
            {"callback_port": 1},
        ),
        "enabled": "Whether the console starts it.",
        "startup_timeout_sec": "Seconds until it must be ready.",
        "tool_timeout_sec": "Seconds a call may take, a person's thinking not counted.",
        "enabled_tools": "Only these tools are offered.",
        "disabled_tools": "These tools are not offered.",
        "elicitations": "What its questions meet: ask, decline, cancel, or off (not advertised at "
        "all).",
        "elicitation_modes": "The modes that are advertised.",
        "protocol": "auto: handshake first, 2026-07-28 when the server refuses it; or one pinned "
        "revision.",
        "default_tools_approval_mode": "Confirm its tool calls: when the tool says it is "
        "destructive (auto), always (prompt), unless it says it only reads (writes), never "
        "(approve).",
        "tools": Named(
            "Settings of one tool.",
            table_of(
                "One tool.",
                ToolSettings,
                {"approval_mode": "In place of default_tools_approval_mode."},
            ),
        ),
    },
    {"startup_timeout_sec": 0, "tool_timeout_sec": 0},
)
CONSOLE = table_of(
    "The console.",
    ConsoleSettings,
    {
        "notify": "How a waiting question is announced.",
        "theme": "The name of a theme, or a TOML file with colours; auto follows the terminal.",
        "keys": 'Action id = key: { "question.send" = "f10" }.',
    },
)

HISTORY = table_of(
    "The record of what was asked and answered.",
    HistorySettings,
    {
        "content": "What is kept of answers, and of arguments that were to be approved: sensitive "
        "fields masked, nothing, or everything.",
        "path": "The file; absent: in the platform's state directory.",
    },
)

HOOKS = Tables(
    "Programs that may look at a question, answer it, or be told; in order.",
    table_of(
        "One hook: exactly one of command and url.",
        Hook,
        {
            "event": "When it is run: before the person (Elicitation), after the answer "
            "(ElicitationResult), told of each question (Asked) and outcome (Resolved), or when a "
            "question waits and nobody is there (Waiting).",
            "server": "A glob over the server's configured name.",
            "tool": "A glob over the tool's name.",
            "kind": "Only servers' questions, only confirmations of a tool call, or only logins.",
            "command": "A program and its arguments; it reads JSON on its standard input.",
            "url": "An address that gets the same JSON by POST.",
            "format": "For Waiting: the shape that a service expects.",
            "include": "For Waiting: what the notice may tell beside agent and server.",
            "timeout_sec": "Seconds it may take.",
        },
        {"timeout_sec": 0.1},
    ),
)

STORE = table_of(
    "Where questions wait that another process may answer.",
    StoreSettings,
    {
        "url": "Redis, for several machines: redis://, rediss:// or unix://, with ${NAME} from the "
        "environment; absent: a file beside the history.",
        "secret_env": "The environment variable with the secret that seals them: 32 random bytes "
        "or more, base64; unset there: a key file is made beside the store.",
        "secret_file": "A file of mode 0600 with that secret, where no variable has it.",
        "answer_without_terminal": "Whether a process without a terminal may answer.",
    },
)

LOGINS = table_of(
    "Logins to remote servers.",
    LoginSettings,
    {
        "allow": "Whether anybody may log in to a server.",
        "issuers": "The authorization servers that may be asked; absent: any.",
        "store": "Where tokens are kept: in the keyring where one works, else in a file (auto), or "
        "in one of them only.",
    },
)

GATEWAY = table_of(
    "The MCP server for an agent.",
    GatewaySettings,
    {
        "wait_sec": "Seconds a question waits for a person, in place of elicitation.timeout_sec; "
        "0: while the session lives.",
        "hold_sec": 'Seconds a call is held before it answers "paused"; auto: by the agent\'s '
        "name.",
        "ask_via": "Who shows a question: the console, the agent's own client, or whichever "
        "fits (auto).",
        "prefix": "Tools are named SERVER__TOOL: always, or only where two would share a name.",
        "elicit_tool": "Whether the agent may ask questions of its own.",
        "agent_answers": "Whether the agent may answer by itself what no person answers.",
        "tasks": "Whether a call that waits for a person is answered with a task where the agent "
        "knows tasks.",
    },
    {"wait_sec": 0, "hold_sec": 0},
)

BRIDGE = table_of(
    "The prompts of an agent itself, in the same inbox.",
    BridgeSettings,
    {"hold_sec": "Seconds an agent's own prompt waits here; then the agent asks by itself."},
    {"hold_sec": 1},
)

USER_FILE = table_of(
    "Configuration of elicit-tui.",
    Settings,
    {
        "approval_policy": APPROVAL_POLICY,
        "approvals_reviewer": "auto_review: the guardian may decline; user: it only advises.",
        "elicitation": ELICITATION,
        "guardian": GUARDIAN,
        "rules": RULES,
        "mcp_servers": Named("The servers, by a name of your choice.", SERVER),
        "console": CONSOLE,
        "history": HISTORY,
        "hooks": HOOKS,
        "store": STORE,
        "gateway": GATEWAY,
        "bridge": BRIDGE,
        "logins": LOGINS,
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
            "Which servers and hooks may run.",
            {
                "servers": Value(
                    "string",
                    "only: those defined here; allow: also those that [[managed.allow]] lists.",
                    None,
                    ("only", "allow"),
                ),
                "allow": Tables("Servers of users that may run.", ALLOWED),
                "hooks": Value("string", "only: a user's hooks are left out.", None, ("only",)),
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
