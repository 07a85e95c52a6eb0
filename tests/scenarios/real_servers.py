"""The real servers that ask, as data: how each is had and started, what is asked, whose faults."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

NPM: Final = {
    "@modelcontextprotocol/server-everything": "2026.8.31",
    "@modelcontextprotocol/sdk": "1.32.2",
    "@modelcontextprotocol/server": "2.4.0",
    "mongodb-mcp-server": "3.0.4",
    "kubernetes-mcp-server": "0.0.67",
    "@azure/mcp": "2.0.5",
    "zod": "4.6.7",
}
PYPI: Final = {"fastmcp": "4.1.2", "pymongo": "4.20.1"}


@dataclass(frozen=True)
class Tool:
    """A tool that asks: how it is called, what a person types, what must come of it."""

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    typed: tuple[str, ...] = ()
    """One line for each field, a number for a choice; forms are sent and pages agreed to."""
    expect: str = ""
    """TOML lines beside the recorded answers: `expect`, `on_refusal`, `watch`, `changes`."""
    faults: Mapping[str, str] = field(default_factory=dict)
    """What the server itself does wrong: globs over `way: failure`, with the proof in its code."""
    written: str = ""
    """The answers as its author writes them where the guardian stops what would be recorded."""


@dataclass(frozen=True)
class Server:
    """A server, as its users start it."""

    name: str
    package: str
    """Of `NPM` or `PYPI`."""
    command: str
    """Started by a shell; `{npm}`, `{python}`, `{tests}`, `{here}`, `{backend}`, `{port}`."""
    tools: tuple[Tool, ...]
    http: bool = False
    """Whether it listens on `{port}`."""
    backend: str | None = None
    """One of `backends.py`, on `{backend}`, with its state in `state.json`."""
    state: Any = None
    """What is laid anew before each start."""
    files: Mapping[str, str] = field(default_factory=dict)
    eras: str = "2025-11-25"


EXAMPLES: Final = "{npm}/@modelcontextprotocol/sdk/dist/esm/examples/server"
EVERYTHING: Final = "exec node {npm}/@modelcontextprotocol/server-everything/dist/index.js stdio"
UNCHECKED: Final = "sends the question by sendRequest, which holds no answer against its schema"
COPIES: Final = "spreads all of an answer's content into its result"
RAW: Final = "writes the raw answer into its result, whatever the action was"
ACTION_ALONE: Final = "looks at the action alone (Action != accept), never at the decision"
REPEATED: Final = 'watch = ["state.json"]'
MONGO: Final = f'expect = {{{{ text = "*{{said}}*" }}}}\n{REPEATED}'
UNASKED: Final = dict.fromkeys(
    (
        "accept: answer 1 was not used*",
        "accept: there are 0 questions, in 2025-11-25 1",
        "accept: it acted and asked nobody*",
    ),
    "over stdio in 2026-07-28 it acts unasked: supportsElicitation() reads what only a handshake "
    "fills (getClientCapabilities)",
)
BOOKS: Final = Tool(
    "book",
    typed=("3",),
    expect="expect = { structured = { '/booked' = true } }\n"
    "on_refusal = { structured = { '/booked' = false } }",
)
SHOP: Final = {"connectionId": "preconfigured", "database": "shop"}
ORDERS: Final = {**SHOP, "collection": "orders"}

SERVERS: Final = (
    Server(
        "everything",
        "@modelcontextprotocol/server-everything",
        EVERYTHING,
        (
            Tool(
                "trigger-elicitation-request",
                typed=("Ada Lovelace", *[""] * 12),
                expect='expect = { text = "✅ User provided*" }',
                faults={
                    "*: it acted all the same*": UNCHECKED,
                    "an extra property: *": RAW,
                    "a decline with content: *": RAW,
                },
            ),
            Tool(
                "trigger-url-elicitation",
                {"url": "https://example.com/a"},
                expect='expect = { text = "✅ User completed*" }',
            ),
            Tool(
                "trigger-url-elicitation",
                {"url": "https://example.com/a", "errorPath": True},
                expect='expect = { text = "✅ User completed*" }',
            ),
        ),
    ),
    Server(
        "sdk-1-forms",
        "@modelcontextprotocol/sdk",
        f"PORT={{port}} exec node {EXAMPLES}/elicitationFormExample.js",
        (
            Tool(
                "register_user",
                expect='expect = { text = "Registration successful!*" }',
                written='[[scenario.answers]]\ndespite = ["credentials.secret"]\ncontent = '
                '{ username = "AdaL", email = "ada@example.com", password = "12345678" }\n',
                faults={"recording: *": "asks for a password in a form, which no server may"},
            ),
            Tool(
                "create_event",
                typed=("Launch", "", "2026-12-01", "10:00", "30"),
                expect='expect = { text = "Event created*" }',
                faults={"*an extra property: it took over*": COPIES},
            ),
            Tool(
                "update_shipping_address",
                typed=("Ada", "Main St 1", "Springfield", "IL", "62701", ""),
                expect='expect = { text = "Address updated*" }',
                faults={"*an extra property: it took over*": COPIES},
            ),
        ),
        http=True,
    ),
    Server(
        "sdk-1-collects",
        "@modelcontextprotocol/sdk",
        f"MCP_PORT={{port}} exec node {EXAMPLES}/simpleStreamableHttp.js",
        (
            Tool(
                "collect-user-info",
                {"infoType": "feedback"},
                typed=("5", "", "yes"),
                expect='expect = { text = "Thank you!*" }',
                faults={
                    "*: it acted all the same*": UNCHECKED,
                    "*an extra property: it took over*": COPIES,
                },
            ),
        ),
        http=True,
    ),
    Server(
        "sdk-1-tasks",
        "@modelcontextprotocol/sdk",
        f"PORT={{port}} exec node {EXAMPLES}/simpleTaskInteractive.js",
        (
            Tool(
                "confirm_delete",
                {"filename": "a.txt"},
                faults={"recording: *requires task mode*": "none: no tasks of 2025-11-25"},
            ),
        ),
        http=True,
    ),
    Server(
        "mongodb",
        "mongodb-mcp-server",
        "exec node {npm}/mongodb-mcp-server/dist/index.js --telemetry disabled "
        "--connectionString 'mongodb://127.0.0.1:{backend}/?directConnection=true'",
        (
            Tool("drop-database", SHOP, ("1",), MONGO.format(said="Successfully dropped"), UNASKED),
            Tool(
                "drop-collection",
                ORDERS,
                ("1",),
                MONGO.format(said="Successfully dropped"),
                UNASKED,
            ),
            Tool("delete-many", ORDERS, ("1",), MONGO.format(said="Deleted"), UNASKED),
        ),
        backend="mongodb",
        state={"shop": {"orders": {"first": {}}}},
        eras="both",
    ),
    Server(
        "kubernetes",
        "kubernetes-mcp-server",
        "exec {npm}/kubernetes-mcp-server-linux-amd64/bin/kubernetes-mcp-server-linux-amd64 "
        "--config {here}/kubernetes.toml",
        (
            Tool(
                "pods_delete",
                {"name": "web", "namespace": "default"},
                expect=f'expect = {{ text = "Pod deleted*" }}\n{REPEATED}',
            ),
        ),
        backend="kubernetes",
        state={"web": {}},
        files={
            "kubernetes.toml": 'kubeconfig = "{here}/kubeconfig"\nconfirmation_fallback = "deny"\n'
            '[[confirmation_rules]]\ntool = "pods_delete"\nmessage = "A pod is to be deleted."\n',
            "kubeconfig": json.dumps(
                {
                    "apiVersion": "v1",
                    "kind": "Config",
                    "current-context": "c",
                    "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
                    "clusters": [{"name": "c", "cluster": {"server": "http://127.0.0.1:BACKEND"}}],
                    "users": [{"name": "u", "user": {}}],
                }
            ),
        },
    ),
    Server(
        "azure",
        "@azure/mcp",
        "export HTTPS_PROXY=http://127.0.0.1:{backend} NO_PROXY=127.0.0.1 IDENTITY_HEADER=x "
        "SSL_CERT_FILE={here}/ca.pem IDENTITY_ENDPOINT=http://127.0.0.1:{backend}/token "
        "AZURE_TOKEN_CREDENTIALS=ManagedIdentityCredential AZURE_MCP_COLLECT_TELEMETRY=false "
        "AZURE_SUBSCRIPTION_ID=00000000-0000-0000-0000-000000000001\n"
        "exec {npm}/@azure/mcp-linux-x64/dist/azmcp server start --mode all --namespace keyvault",
        tuple(
            Tool(
                f"keyvault_secret_{what}",
                {"vault": "ours", "secret": "ada", **more},
                ("1",),
                f'expect = {{ text = "*kept in the vault*" }}\n{REPEATED}',
                {
                    "no: *": ACTION_ALONE,
                    "Decision *": ACTION_ALONE,
                },
            )
            for what, more in (("get", {}), ("create", {"value": "kept in the vault"}))
        ),
        backend="azure",
        state={},
    ),
    Server(
        "python-sdk",
        "mcp",
        "exec {python} {tests}/scenarios/table_server.py",
        (BOOKS,),
        eras="both",
    ),
    Server(
        "fastmcp",
        "fastmcp",
        "exec {python} {tests}/python/table_server.py",
        (BOOKS,),
        eras="both",
    ),
    Server(
        "typescript-2",
        "@modelcontextprotocol/server",
        "exec node {npm}/../table_server.mjs",
        (BOOKS,),
        eras="both",
    ),
)
