"""A change to a file of the person's, an agent's or our own: tried, shown, and made after a yes.

With it stands how this program is started, which is what goes into an agent's file.
"""

from __future__ import annotations

import argparse
import os
import os.path
import shutil
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from elicit_tui import paths
from elicit_tui.cli.narration import Narration
from elicit_tui.cli.output import Output
from elicit_tui.cli.own_terminal import coloured_change, person_present
from elicit_tui.config import CommandLine, load
from elicit_tui.errors import ConfigError, UsageError
from elicit_tui.gateway.install.changes import difference
from elicit_tui.text import neutral_line

if TYPE_CHECKING:
    from elicit_tui.gateway.install.planning import Plan

ChangeEnd = Literal["unchanged", "refused", "changed"]
"""How a change ended: nothing was to do, nobody said yes, or it is made."""
YES: Final = frozenset({"y", "yes"})
NAME: Final = "elicit-tui"
CARRIED: Final = ("XDG_CONFIG_HOME", "XDG_STATE_HOME")
"""An agent may start us without them, and we would look in other places."""


# How we are started


def own_program(module_arguments: Sequence[str] = ("-m", "elicit_tui")) -> list[str]:
    """The absolute command that starts us.

    `module_arguments`: what Python is given where no script of ours is installed.
    """
    script = shutil.which(sys.argv[0]) or shutil.which(NAME)
    if script is not None and Path(script).stem == NAME:
        return [str(Path(script).absolute())]
    return [sys.executable, *module_arguments]


def own_config(namespace: argparse.Namespace) -> list[str]:
    """The option that names our configuration, where it is another than the person's own."""
    return ["--config", str(namespace.config.absolute())] if namespace.config else []


def gateway_program(namespace: argparse.Namespace) -> list[str]:
    """The absolute command; the names of servers follow it."""
    return [*own_program(), *own_config(namespace), "gateway"]


def gateway_environment() -> dict[str, str]:
    """What of our environment decides where configuration and store are."""
    return {name: os.environ[name] for name in CARRIED if os.environ.get(name)}


# Tried and asked


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

    async def read_line() -> str:
        lines = Lines(sys.stdin)
        try:
            # A line typed ahead is no answer to what was not read yet.
            lines.discard()
            narration.write(prompt)
            return await lines.next() or ""
        except InputGone:
            return ""

    return asyncio.run(read_line())


# An agent's file


def add_file(
    parser: argparse.ArgumentParser, description: str = "the agent's configuration"
) -> None:
    """The option that says where the file is."""
    parser.add_argument(
        "--file", metavar="FILE", type=Path, help=f"{description}, where it is elsewhere"
    )


def add_consent(parser: argparse.ArgumentParser) -> None:
    """The option that says yes."""
    parser.add_argument("--yes", action="store_true", help="write without asking")


def chosen_file(namespace: argparse.Namespace, own: Callable[[], Path]) -> Path:
    """The agent's file, absolute and without `..`; links in it stay visible.

    `own` looks for it where none is named.
    """
    chosen: Path | None = namespace.file
    return own() if chosen is None else Path(os.path.normpath(chosen.absolute()))


def change_after_consent(
    plan: Plan, namespace: argparse.Namespace, *, unchanged: str, changed: str, forget: bool = False
) -> ChangeEnd:
    """Show a plan, ask, carry it out, and tell how it ended.

    `forget`: it takes us out of the file; what we remember of that goes even where the file is
    without us already. Raises UsageError, ConfigError.
    """
    narration = Narration()
    show_plan(plan, narration)
    if not plan.changes:
        # There is nothing to change in the file, and still something to forget.
        if forget:
            plan.carry_out()
        narration.say(f"✓ {unchanged}")
        return "unchanged"
    if not agreed_to(namespace, narration):
        return "refused"
    plan.carry_out()
    narration.say(f"✓ {changed}")
    return "changed"


def show_plan(plan: Plan, narration: Narration) -> None:
    """The difference on standard output; what stays and why beside it."""
    output = Output()
    for change in plan.changes:
        for line in difference(change):
            output.text(coloured_change(line, terminal=output.on_terminal))
    for server in plan.staying:
        narration.say(
            f"✗ {without_stop(server.name)} stays where it is: {without_stop(server.why)}."
        )
    for note in plan.notes:
        narration.say(f"  {without_stop(note)}")


def without_stop(text: str) -> str:
    """Text on one neutral line, without the full stop that may end it."""
    return neutral_line(text, 500).rstrip(".")


def agreed_to(namespace: argparse.Namespace, narration: Narration) -> bool:
    """Whether the person says yes, here or on the command line. Raises UsageError."""
    if namespace.yes:
        return True
    if not person_present():
        raise UsageError("Nothing was written. Say --yes, or run it in a terminal to be asked.")
    return agreed(narration)
