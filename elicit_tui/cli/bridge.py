"""`elicit-tui bridge AGENT`: what an agent's hook runs; install, uninstall and doctor beside it.

As a hook it ends with exit code 0 and nothing on standard output, unless something was decided: to
an agent any other code means something. Why is on standard error.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from elicit_tui.cli.narration import Narration
from elicit_tui.cli.output import Output
from elicit_tui.errors import ElicitTuiError, HookError, LedgerError, UsageError

if TYPE_CHECKING:
    from elicit_tui.elicitation import ElicitationRequest
    from elicit_tui.elicitation.settings import Settings
    from elicit_tui.gateway.bridge.hook_input import HookPrompt

INSTALL: Final = "install"
UNINSTALL: Final = "uninstall"
DOCTOR: Final = "doctor"
SUBCOMMANDS: Final = (INSTALL, UNINSTALL, DOCTOR)
STDIN: Final = 0


def is_hook(argv: Sequence[str]) -> bool:
    """Whether this command line is that of an agent's hook."""
    return (
        argv[:1] == ["bridge"] and len(argv) > 1 and argv[1] not in (*SUBCOMMANDS, "-h", "--help")
    )


def run_hook(arguments: Sequence[str]) -> int:
    """Decide one prompt of the agent that the words name, or leave it to that agent."""
    from elicit_tui.garbage import no_collection

    try:
        # Until somebody is asked, which ends it.
        with no_collection():
            _decide(arguments)
    except ElicitTuiError as error:
        Narration().error(error)
    except Exception as error:  # noqa: BLE001 - the outermost edge: the agent is as without us
        Narration().error(error)
    return 0


def _decide(arguments: Sequence[str]) -> None:
    from elicit_tui.gateway.bridge.hook_input import hook_input, read_input

    agent, config = _read(arguments)
    try:
        hook = hook_input(read_input(STDIN))
        if hook is None or hook.is_asked_elsewhere:
            return
        from elicit_tui.gateway.bridge import BRIDGED
        from elicit_tui.gateway.bridge.agent_prompt import request_of

        request = request_of(BRIDGED[agent], hook)
    except HookError as error:
        Narration().tell(f"{agent} {error}; it asks by itself.")
        return
    _put(agent, config, hook, request)


def _read(arguments: Sequence[str]) -> tuple[str, Path | None]:
    """The agent, and the configuration that its hook names. Raises UsageError."""
    from elicit_tui.gateway.bridge import BRIDGED

    agent, *rest = arguments
    if agent not in BRIDGED:
        raise UsageError(f"bridge takes an agent: {', '.join(BRIDGED)}.")
    if rest and (len(rest) != 2 or rest[0] != "--config"):
        raise UsageError("bridge AGENT takes --config FILE and nothing else.")
    return agent, Path(rest[1]) if rest else None


def _put(agent: str, config: Path | None, hook: HookPrompt, request: ElicitationRequest) -> None:
    from elicit_tui.config import CommandLine, load
    from elicit_tui.gateway.bridge.silence import record, silent_end

    settings = load(CommandLine(config_file=config))
    # Looked at with as little as possible: most prompts find nobody there.
    end = silent_end(settings, request)
    if end is None:
        _ask(agent, settings, hook, request)
        return
    try:
        record(settings, request, end)
    except LedgerError as error:
        Narration().tell(str(error))


def _ask(agent: str, settings: Settings, hook: HookPrompt, request: ElicitationRequest) -> None:
    from elicit_tui.elicitation import unsent
    from elicit_tui.gateway.bridge.silence import place_among, record

    most = settings.elicitation.limits.pending
    with place_among(most) as may_ask:
        if may_ask:
            _ask_person(agent, settings, hook, request)
            return
    reason = f"{most} prompts of agents wait already (elicitation.limits.pending)."
    record(settings, request, unsent("nobody", reason, key="elicitation.limits.pending"))


def _ask_person(
    agent: str, settings: Settings, hook: HookPrompt, request: ElicitationRequest
) -> None:
    import asyncio

    from elicit_tui.garbage import collect_again
    from elicit_tui.gateway.bridge.bridging import bridge

    collect_again()
    narration, output = Narration(), Output()

    def hand(reply: Mapping[str, Any]) -> bool:
        output.json_line(reply)
        return output.failure is None

    async def work() -> None:
        # A thread of it waits for the store's lock, and would keep the process.
        if not await bridge(agent, hook, request, settings, hand, narration.tell):
            sys.stderr.flush()
            os._exit(0)

    asyncio.run(work())
