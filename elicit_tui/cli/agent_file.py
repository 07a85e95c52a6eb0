"""An agent's own file, changed after a yes to the difference that is shown."""

from __future__ import annotations

import argparse
import os.path
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from elicit_tui.cli.narration import Narration
from elicit_tui.cli.output import Output
from elicit_tui.cli.own_file import agreed
from elicit_tui.cli.presence import person_present
from elicit_tui.cli.signs import coloured_change
from elicit_tui.errors import UsageError
from elicit_tui.gateway.install.changes import difference
from elicit_tui.text import ci_safe, neutral_line

if TYPE_CHECKING:
    from elicit_tui.gateway.install.planning import Plan

ChangeEnd = Literal["unchanged", "refused", "changed"]
"""How a change ended: nothing was to do, nobody said yes, or it is made."""


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


def chosen_file(namespace: argparse.Namespace, own: Path) -> Path:
    """The agent's file, absolute and without `..`; links in it stay visible."""
    chosen: Path | None = namespace.file
    return own if chosen is None else Path(os.path.normpath(chosen.absolute()))


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
            output.text(coloured_change(ci_safe(line), terminal=output.on_terminal))
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
