"""The screens of the sheets: each scene drives the console or one question, and takes pictures."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from textual.app import App

from elicit_tui.elicitation import Call
from elicit_tui.elicitation.settings import ConsoleSettings
from elicit_tui.host.offers import Tool
from elicit_tui.tui.console.calls import AnsweredQuestion
from elicit_tui.tui.console.panels.calls import CallsPane
from elicit_tui.tui.console.screens.arguments import ArgumentsScreen
from elicit_tui.tui.console.screens.confirmations import UnderWay, UnsentScreen
from elicit_tui.tui.console.screens.links import LinksScreen, PageScreen
from elicit_tui.tui.console.screens.result_reader import ResultScreen
from elicit_tui.tui.console.screens.server_dialogs import (
    OtherServersScreen,
    RemoveServerScreen,
    ServerScreen,
)
from elicit_tui.tui.console.servers import OwnFile
from elicit_tui.tui.console.shared_questions import Unsent
from elicit_tui.tui.question import QuestionScreen
from tests.tui.console.stand import Stand, console

Take = Callable[[str, App[Any]], None]


@dataclass(frozen=True)
class Look:
    """At which size and in which theme a scene is played, and where it may write."""

    size: tuple[int, int]
    theme: str
    folder: Path


Scene = Callable[[Look, Take], Awaitable[None]]

TEXT: Final = {"type": "string"}
ADDRESS: Final = "https://docs.example.org/manual?page=deploy"


def tool(name: str, description: str, properties: Mapping[str, Any], **more: Any) -> Tool:
    schema = {"type": "object", "properties": properties, "required": list(properties)[:1]}
    raw = {"name": name, "description": description, "inputSchema": schema, **more}
    read = Tool.read(raw)
    assert read is not None
    return read


TOOLS: Final = {
    "deploy": [
        tool(
            "deploy_branch",
            "Deploys a branch to one of the environments. It waits until all replicas are up.",
            {
                "branch": {**TEXT, "description": "What is checked out."},
                "environment": {**TEXT, "enum": ["staging", "canary", "production"]},
                "replicas": {"type": "integer", "minimum": 1, "default": 3},
                "dryRun": {"type": "boolean"},
            },
            annotations={"destructiveHint": True},
        ),
        tool(
            "list_hosts", "Lists the hosts with their load.", {}, annotations={"readOnlyHint": True}
        ),
        tool(
            "relate",
            "Takes nested objects.",
            {
                "relations": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {"from": TEXT, "to": TEXT},
                        "required": ["from"],
                    },
                }
            },
        ),
        tool("convert_time_between_any_two_zones_of_the_world", "Converts a time. " * 12, {}),
    ]
}
ROWS: Final = [
    {"name": f"host-{n}.eu-central.example.org", "load": n / 10, "up": n % 7 != 0, "zone": f"z{n}"}
    for n in range(40)
]
MARKDOWN: Final = (
    f"# Deploying\n\nRead [the manual]({ADDRESS}) first.\n\n- one\n- two\n\n"
    "```sh\nelicit-tui call deploy deploy_branch branch=main\n```\n"
)
DEEP: Final = {"services": {"web": {"replicas": 3, "hosts": ROWS[:3]}, "db": {"primary": None}}}
RESULTS: Final[dict[str, dict[str, Any]]] = {
    "text": {"content": [{"type": "text", "text": "Deployed main to staging.\n" * 3}]},
    "table": {"content": [], "structuredContent": {"hosts": ROWS}},
    "json": {"content": [{"type": "text", "text": json.dumps(DEEP)}]},
    "markdown": {"content": [{"type": "text", "text": MARKDOWN}]},
    "error": {"content": [{"type": "text", "text": "No such branch: mian."}], "isError": True},
    "links": {
        "content": [
            {"type": "resource_link", "uri": "note://today", "name": "today", "title": "A note"},
            {"type": "resource_link", "uri": ADDRESS, "name": "the manual"},
        ]
    },
}


def stand(look: Look, **more: Any) -> Any:
    return console(
        look.folder,
        size=look.size,
        console=ConsoleSettings(theme=look.theme, notify="off"),
        **{"servers": ["deploy"], "tools": TOOLS, **more},
    )


async def at(stand: Stand, screen: type) -> None:
    await stand.until(lambda: isinstance(stand.app.screen, screen))
    await calm(stand)


async def calm(stand: Stand) -> None:
    for _ in range(4):
        await stand.pilot.pause()


# The console


async def no_server(look: Look, take: Take) -> None:
    async with stand(look, servers=[]) as it:
        take("servers-none", it.app)


async def servers(look: Look, take: Take) -> None:
    names = ["deploy", "notes", "a-server-of-a-long-name-by-somebody", "filesystem"]
    failures = {"notes": "notes-server was not found in PATH. Install it, or change its command."}
    async with stand(look, servers=names, failures=failures) as it:
        take("servers", it.app)
        await it.press("down")
        await calm(it)
        take("servers-failed", it.app)
        await it.press("up", "f2")
        await calm(it)
        take("servers-about", it.app)
        await it.press("escape", "enter")
        await calm(it)
        take("tools", it.app)
        await it.press("f2")
        await calm(it)
        take("tools-about", it.app)
        await it.press("escape", "slash", *"long")
        await calm(it)
        take("tools-search", it.app)
        await it.press("escape", "escape", "f1")
        await calm(it)
        take("help", it.app)
        await it.press("slash", *"fav")
        await calm(it)
        take("help-search", it.app)
        await it.press("escape", "escape", "ctrl+p")
        await calm(it)
        take("palette", it.app)
        await it.press("escape", "f3")
        await calm(it)
        take("allowed-tools", it.app)


async def arguments(look: Look, take: Take) -> None:
    async with stand(look) as it:
        await it.press("enter", "enter")
        await at(it, ArgumentsScreen)
        take("arguments", it.app)
        await it.press("ctrl+s")
        await calm(it)
        take("arguments-error", it.app)
        await it.press("escape", "down", "down", "enter")
        await at(it, ArgumentsScreen)
        take("arguments-json", it.app)
        await it.press("escape")


async def own_file(look: Look, take: Take) -> None:
    async with stand(look) as it:
        path = it.app.config_path = "~/.config/elicit-tui/config.toml"
        other = 'command = "npx"\nargs = ["-y", "notes-server"]\n'
        it.app.own_file = OwnFile(
            lambda: it.app.state.settings,
            lambda: {
                "notes": ("Claude Code: ~/.claude.json", other),
                "time": ("Cursor: ~/.cursor/mcp.json", other),
            },
            lambda names: None,
        )
        await it.press("n")
        await at(it, ServerScreen)
        take("server-new", it.app)
        await it.press("escape", "i")
        await at(it, OtherServersScreen)
        take("servers-elsewhere", it.app)
        await it.press("escape")
        it.app.push_screen(RemoveServerScreen(UnderWay("deploy", 1, 0, 2), path, keeps_calls=True))
        await at(it, RemoveServerScreen)
        take("server-remove", it.app)
        await it.press("escape")


async def waiting(look: Look, take: Take) -> None:
    async with stand(look) as it:
        await it.press("2")
        await calm(it)
        take("questions-none", it.app)
        await it.press("1", "slash")
        for message in (
            "Where to?",
            "Which branch is deployed, and who signs it off? " * 3,
            "When?",
        ):
            it.ask("deploy", message)
        await it.until(lambda: len(it.app.state.questions) == 3)
        await calm(it)
        take("servers-banner", it.app)
        await it.press("escape", "2")
        await it.lists_what_waits()
        await calm(it)
        take("questions", it.app)
        await it.press("ctrl+q")
        await calm(it)
        take("leave", it.app)
        await it.press("n")
        it.app.decline_all("deploy")
        await calm(it)
        take("decline-all", it.app)
        await it.press("n")
        it.app.toggle_mute("deploy")
        await calm(it)
        take("mute", it.app)
        await it.press("n")
        pending = next(iter(it.app.state.questions))
        typed = (("City", "Lisbon"),)
        sentence = "It was answered in another window first: your answer was not sent."
        it.app.push_screen(UnsentScreen(Unsent(pending.question, sentence, typed)))
        await at(it, UnsentScreen)
        take("unsent", it.app)
        await it.press("escape")  # The first of them opens by itself.
        await at(it, QuestionScreen)
        take("question-of-three", it.app)
        await it.press("ctrl+l")


async def blocked(look: Look, take: Take) -> None:
    async with stand(look) as it:
        secret = {"type": "object", "properties": {"password": {**TEXT, "title": "Password"}}}
        it.ask("deploy", "Enter the password of your bank account", secret)
        await it.until(lambda: it.outcomes)
        await it.press("2", "escape")  # The key opens at once what was stopped last.
        await calm(it)
        take("questions-stopped", it.app)
        await it.press("enter")
        await calm(it)
        take("stopped", it.app)
        await it.press("escape", "5")
        await calm(it)
        take("history", it.app)
        await it.press("enter")
        await calm(it)
        take("history-record", it.app)
        await it.press("escape", "4")
        await calm(it)
        take("activity", it.app)


async def calls(look: Look, take: Take) -> None:
    async with stand(look) as it:
        await it.press("3")
        await calm(it)
        take("calls-none", it.app)
        made = it.app.state.calls
        for name, arguments in (
            ("table", {}),
            ("error", {"branch": "mian"}),
            ("text", {"branch": "main"}),
        ):
            call = Call("tools/call", "deploy_branch", arguments)
            record = made.start("deploy", call)
            record.end("answered", result=RESULTS[name])
        record.answered.append(
            AnsweredQuestion("Where to?", "accept", "you answered", sent='{"city": "Lisbon"}')
        )
        record.questions = len(record.answered)
        running = made.start("deploy", Call("tools/call", "count_slowly", {"to": 5}))
        running.progress, running.total, running.progress_message = 3, 5, "counted to 3"
        running.add_log("info: counting")
        it.app.state.changed()
        await calm(it)
        for name in ("running", "text", "error", "table"):
            await it.until(lambda: it.app.query_one(CallsPane).record is not None)
            await calm(it)
            take(f"calls-{name}", it.app)
            await it.press("down")
        await it.press("w")
        await calm(it)
        take("keep-call", it.app)
        await it.press("escape")
        running.end("cancelled")


async def results(look: Look, take: Take) -> None:
    async with stand(look) as it:
        await it.press("3")
        before = it.app.state.calls.start("deploy", Call("tools/call", "list_hosts", {}))
        before.end("answered", result=RESULTS["text"])
        for name, result in RESULTS.items():
            call = Call("tools/call", "list_hosts", {"n": name})
            record = it.app.state.calls.start("deploy", call)
            record.end("answered", result=result)
            it.app.push_screen(ResultScreen(record, [before] if name == "json" else []))
            await at(it, ResultScreen)
            await calm(it)
            take(f"result-{name}", it.app)
            if name == "json":
                await it.press("slash", *"host", "enter")
                await calm(it)
                take("result-search", it.app)
                await it.press("d")
                await calm(it)
                take("result-difference", it.app)
            if name == "links":
                await it.press("o")
                await at(it, LinksScreen)
                take("links", it.app)
                await it.press("down", "enter")
                await at(it, PageScreen)
                await calm(it)
                take("link-page", it.app)
                await it.press("n")
            it.app.pop_screen() if isinstance(it.app.screen, ResultScreen) else None
            await calm(it)


async def inbox(look: Look, take: Take) -> None:
    async with stand(look, inbox=True) as it:
        take("inbox-none", it.app)
        it.ask("deploy", "Where to?")
        await calm(it)
        take("inbox", it.app)
        await it.press("enter")
        await at(it, QuestionScreen)
        take("inbox-question", it.app)
        await it.press("ctrl+l")


CONSOLE: Final[dict[str, Scene]] = {
    scene.__name__: scene
    for scene in (
        no_server,
        servers,
        arguments,
        own_file,
        waiting,
        blocked,
        calls,
        results,
        inbox,
    )
}
