"""Every command: its summary, its module, and the text of `elicit-tui --help`.

A command's module offers `add_arguments(parser)` and `run(namespace) -> int`, and is imported when
the command is used. Where a program reads its data, `write_end(namespace, error)` writes why there
is none: it is called where `run` raised, or the end was asked for before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from elicit_tui.elicitation.request import Method

METHODS: Final[dict[str, Method]] = {
    "call": "tools/call",
    "prompt": "prompts/get",
    "read": "resources/read",
}
"""What the commands that make one request ask of their server."""


class Command(NamedTuple):
    """One command of the command line."""

    usage: str
    """What stands after `elicit-tui` in the help."""
    summary: str
    module: str
    asks: bool = False
    """Whether it can come to a question, and so takes `--approval-policy`."""
    any_order: bool = True
    """Whether options may stand among its arguments; not where it has commands of its own."""
    default: str | None = None
    """Which of its own commands is meant where none is named."""
    own: Mapping[str, Command] = {}
    """Commands behind its name that are modules themselves; any other word is its argument."""


_GATEWAY: Final[dict[str, Command]] = {
    "install": Command(
        "gateway install AGENT [SERVER]...",
        "write the gateway into an agent's configuration, after a yes",
        "elicit_tui.cli.gateway.install",
    ),
    "uninstall": Command(
        "gateway uninstall AGENT",
        "put everything back that install changed",
        "elicit_tui.cli.gateway.install",
    ),
    "snippet": Command(
        "gateway snippet AGENT [SERVER]...",
        "print the entry for an agent's configuration",
        "elicit_tui.cli.gateway.install",
    ),
    "doctor": Command(
        "gateway doctor AGENT",
        "what an agent supports, and how long it really waits",
        "elicit_tui.cli.gateway.doctor",
    ),
    "token": Command(
        "gateway token list|add NAME|revoke NAME",
        "who may use the gateway over HTTP",
        "elicit_tui.cli.gateway.token",
        any_order=False,
        default="list",
    ),
    "status": Command(
        "gateway status",
        "which agents are connected or were",
        "elicit_tui.cli.gateway.connected_agents",
    ),
}
"""No server can have one of these names (`config.servers.GATEWAY_COMMANDS`)."""


COMMANDS: Final[dict[str, Command]] = {
    "run": Command(
        "[run]", "the console (the same without a command)", "elicit_tui.cli.console", asks=True
    ),
    "call": Command(
        "call SERVER TOOL | @FILE [KEY=VALUE | KEY:=JSON]...",
        "one tool call, without the console",
        "elicit_tui.cli.call",
        asks=True,
    ),
    "prompt": Command(
        "prompt SERVER NAME [KEY=VALUE]...", "one prompt", "elicit_tui.cli.call", asks=True
    ),
    "read": Command(
        "read SERVER URI [KEY=VALUE]...", "one resource", "elicit_tui.cli.call", asks=True
    ),
    "tools": Command("tools [SERVER]", "the tools that servers offer", "elicit_tui.cli.listing"),
    "prompts": Command(
        "prompts [SERVER]", "the prompts that servers offer", "elicit_tui.cli.listing"
    ),
    "resources": Command(
        "resources [SERVER]", "the resources that servers offer", "elicit_tui.cli.listing"
    ),
    "gateway": Command(
        "gateway [SERVER]...",
        "an MCP server for an agent: these servers, with a person behind them",
        "elicit_tui.cli.gateway.serve",
        asks=True,
        own=_GATEWAY,
    ),
    "bridge": Command(
        "bridge install|uninstall|doctor AGENT",
        "the prompts of an agent itself, in your inbox",
        "elicit_tui.cli.bridge_install",
    ),
    "inbox": Command(
        "inbox [list|show ID|answer ID|decline ID|cancel ID|grants|revoke SERVER TOOL]",
        "what waits for a person, whoever asked",
        "elicit_tui.cli.inbox.subcommands",
        any_order=False,
    ),
    "store": Command(
        "store check|secret",
        "whether the place where questions wait can be used, and a fresh secret for it",
        "elicit_tui.cli.store_commands",
        any_order=False,
    ),
    "login": Command(
        "login SERVER",
        "log in to a remote server that wants it, by its page",
        "elicit_tui.cli.logins",
        asks=True,
    ),
    "logout": Command(
        "logout SERVER", "forget a login, and tell who gave it", "elicit_tui.cli.logins"
    ),
    "logins": Command(
        "logins", "where you are logged in, as what, until when", "elicit_tui.cli.logins"
    ),
    "test": Command("test FILE...", "scenarios for a server's author", "elicit_tui.cli.test"),
    "lint": Command(
        "lint [SERVER | FILE]...",
        "what a server's author should mend: its tools, the questions of its snapshots",
        "elicit_tui.cli.lint",
    ),
    "check": Command(
        "check [FILE|-]", "the guardian's view of recorded requests", "elicit_tui.cli.check"
    ),
    "config": Command(
        "config init|show|check|explain|path|schema|import",
        "the configuration, and why it decides as it does",
        "elicit_tui.cli.config_commands",
        any_order=False,
    ),
    "history": Command(
        "history list|show ID|export|verify|prune",
        "what was asked and called, and who decided",
        "elicit_tui.cli.history",
        any_order=False,
        default="list",
    ),
    "demo": Command(
        "demo",
        "the console on a bundled server that asks every kind of question",
        "elicit_tui.cli.console",
        asks=True,
    ),
    "completion": Command(
        "completion bash|zsh|fish",
        "what a shell loads to complete commands, options and servers",
        "elicit_tui.cli.completion",
    ),
}

HEAD: Final = """\
elicit-tui: the terminal where a person answers the questions that MCP servers ask.

usage: elicit-tui [OPTIONS] [COMMAND] [ARGUMENTS AND OPTIONS IN ANY ORDER]

commands:"""

OPTIONS: Final = """\
options before or after any command:
  --config FILE          read FILE instead of your own configuration
  --with NAME=TARGET     add a server for this run: a URL, or a command line (repeatable)
  --protocol REVISION    speak 2025-11-25 or 2026-07-28 with the servers of --with (else auto)
  --log-file FILE        append what servers write to standard error, and details, to FILE
  --version              print the version
  --help                 this text; after a command, its own options

options of run, call, prompt, read, gateway and demo:
  --approval-policy on-request|never"""

EXIT_CODES: Final = """\
exit codes:
  0    the tool answered; `check` found nothing to block
  1    the tool answered with isError, or the call with an error; `check` found something to block
  2    wrong usage or configuration; the tool may not be called; `check` met what is no request
  3    a question did not get its answer of --answers; with --strict: any was not accepted
  4    the server could not be started, reached or understood, or it went away
  5    a limit of time or rounds passed
  130  interrupted"""


def help_parts() -> Iterator[tuple[str, int]]:
    """What `elicit-tui --help` prints: each part, and where its second column begins."""
    lines = [HEAD]
    for command in COMMANDS.values():
        lines += [f"  {command.usage}", f"        {command.summary}"]
    yield "\n".join([*lines, ""]), 0
    yield f"{OPTIONS}\n", OPTIONS.index("read FILE") - OPTIONS.index("  --config")
    yield EXIT_CODES, EXIT_CODES.index("the tool") - EXIT_CODES.index("  0")
