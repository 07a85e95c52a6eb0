"""`elicit-tui config import` without a file: what the known programs have, offered for ours."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

from elicit_tui.cli.agent_file import agreed, may_not_run
from elicit_tui.cli.exit_codes import FAILED, OK
from elicit_tui.cli.narration import Narration
from elicit_tui.cli.output import Output
from elicit_tui.cli.own_terminal import person_present
from elicit_tui.config.importing import collect
from elicit_tui.errors import ConfigError, UsageError
from elicit_tui.gateway.install.changes import Change, make
from elicit_tui.gateway.install.gateway_entry import NAME
from elicit_tui.gateway.install.places import (
    LARGEST_FILE,
    FoundFile,
    installable,
    look,
    own_file,
    shown_path,
)
from elicit_tui.gateway.install.undoing import own_document, with_servers


class OtherPrograms:
    """The servers of the known programs, beside our own file."""

    def __init__(self, own: Path) -> None:
        """Read them all, and our file; what is wrong with that one is `trouble`."""
        self.titles = _files()
        self.trouble: ConfigError | None = None
        self.ours = FoundFile(own, None)
        known: set[str] = set()
        try:
            self.ours = look(own)
            known.update(own_document(self.ours).servers)
        # A server that ours has already is not offered again.
        except ConfigError as error:
            self.trouble = error
        self.collected = collect(self.titles, known, NAME, LARGEST_FILE)

    def whose(self, name: str) -> str:
        """Which program a server is of, and where that keeps it."""
        path = next(path for path, names in self.collected.found.items() if name in names)
        return f"{self.titles[path]}: {shown_path(path)}"

    def refused(self, names: Collection[str]) -> Mapping[str, str]:
        """Those that would not run, and why. Raises ConfigError."""
        return may_not_run(self._with(names), names)

    def write(self, names: Collection[str]) -> None:
        """Add these at the end of our file. Raises ConfigError, and then nothing is written."""
        if self.trouble is not None:
            raise self.trouble
        ours = self.ours
        make([Change(ours.path, ours.content, self._with(names), ours.mode)])

    def _with(self, names: Collection[str]) -> bytes:
        blocks = (toml for name, toml in self.collected.servers.items() if name in names)
        return with_servers(own_document(self.ours), blocks).as_bytes()


def servers_elsewhere(own: Path) -> Mapping[str, tuple[str, str]]:
    """What other programs have and our file has not: whose it is and its TOML, by name.

    Raises ConfigError.
    """
    others = OtherPrograms(own)
    if others.trouble is not None:
        raise others.trouble
    servers = others.collected.servers
    return {name: (others.whose(name), toml) for name, toml in servers.items()}


def take_servers(own: Path, names: Collection[str]) -> None:
    """Add servers of other programs to our file; all or none. Raises ConfigError."""
    others = OtherPrograms(own)
    refused = others.refused(names)
    if refused:
        raise ConfigError([f"{name} may not run: {why}" for name, why in refused.items()])
    others.write(names)


def import_all(own: Path) -> int:
    """Print their servers as TOML; where a person is there, offer to write them into `own`."""
    narration, others = Narration(), OtherPrograms(own)
    titles, collected = others.titles, others.collected
    if others.trouble is not None:
        narration.error(others.trouble)
    for path, names in collected.found.items():
        narration.say(f"{titles[path]} ({shown_path(path)}): {', '.join(names)}")
    for note in collected.notes:
        narration.tell(note)
    if not collected.found:
        narration.say(
            f"No servers were found: {', '.join(titles.values())}. "
            "`elicit-tui config import FILE` reads another file."
        )
        return OK
    if not collected.servers:
        narration.say(f"✓ {shown_path(own)} has all of them.")
        return OK
    Output().text("\n".join(collected.servers.values()).rstrip("\n"))
    # Into a file that cannot be read nothing is added; what was found is printed all the same.
    if others.trouble is not None or not person_present():
        return OK
    return OK if _written(others, narration) else FAILED


def _files() -> dict[Path, str]:
    """Where each known program has its own file, and what it is called."""
    files = {}
    for agent in installable().values():
        try:
            files[own_file(agent)] = agent.title
        except (ConfigError, UsageError):
            continue  # It does not exist on this system.
    return files


def _written(others: OtherPrograms, narration: Narration) -> bool:
    """Ask, and add the servers at the end of our file. Raises ConfigError."""
    servers = others.collected.servers
    # Each as it would stand beside ours: what is refused is told before anybody is asked.
    refused = others.refused(servers)
    for name, why in refused.items():
        narration.say(f"✗ {name} is left out: {why}")
    chosen = [name for name in servers if name not in refused]
    question = f"Add them to {shown_path(others.ours.path)} ({len(chosen)})? [y/N] "
    if not chosen or not agreed(narration, question):
        return False
    others.write(chosen)
    narration.say("✓ Written. `elicit-tui tools` asks each of them what it offers.")
    return True
