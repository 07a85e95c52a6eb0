"""A change to the person's own configuration: tried before it is made, and asked for."""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping
from typing import Final

from elicit_tui import paths
from elicit_tui.cli.narration import Narration
from elicit_tui.config import CommandLine, load
from elicit_tui.errors import ConfigError

YES: Final = frozenset({"y", "yes"})


def may_not_run(candidate: bytes, names: Collection[str]) -> Mapping[str, str]:
    """Try our configuration as it would be, from a private file of its own.

    Gives why not, by the name of each of the servers `names` that may not run.
    """
    folder = paths.state_directory() / "gateway" / "installed"
    trial = paths.new_private_file(folder, "trial", ".toml", candidate)
    try:
        settings = load(CommandLine(config_file=trial))
    except ConfigError as error:
        problem = error.problems[0].replace(str(trial), "your configuration")
        return dict.fromkeys(names, f"with it your configuration would be wrong: {problem}")
    finally:
        trial.unlink(missing_ok=True)
    refused = {name: settings.servers[name].refused for name in names}
    return {name: why for name, why in refused.items() if why is not None}


def agreed(narration: Narration, question: str = "Write this? [y/N] ") -> bool:
    """Whether the person who is there says yes to what they have read."""
    if _answer(narration, question).strip().lower() in YES:
        return True
    narration.say("Nothing was written.")
    return False


def _answer(narration: Narration, prompt: str) -> str:
    import asyncio

    from elicit_tui.responders.typed_lines import InputGone, Lines

    async def asked() -> str:
        lines = Lines(sys.stdin)
        try:
            # A line typed ahead is no answer to what was not read yet.
            lines.discard()
            narration.write(prompt)
            return await lines.next() or ""
        except InputGone:
            return ""

    return asyncio.run(asked())
