"""The servers of all other programs that are known, each once."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import field
from pathlib import Path

from elicit_tui.config.importing.importer import import_from
from elicit_tui.config.importing.sources import NoServersError
from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation.toml_spelling import dotted
from elicit_tui.errors import ConfigError


@dataclass
class Collected:
    """What was found; secrets are nowhere in it."""

    servers: dict[str, str] = field(default_factory=dict)
    """Those that our file has not yet: each as TOML, by its name."""
    found: dict[Path, tuple[str, ...]] = field(default_factory=dict)
    """The names of all servers of each file that has any."""
    notes: list[str] = field(default_factory=list)
    """What their reader should know, and what was left out and why."""


def collect(
    files: Mapping[Path, str], known: Collection[str], ourselves: str, largest: int
) -> Collected:
    """Import from each file that is there.

    Args:
        files: other programs' files, and what each program is called; the first that has a server
            of a name keeps it.
        known: the servers of our file.
        ourselves: the name under which other programs have this one.
        largest: bytes of a file.
    """
    collected = Collected()
    for path, title in files.items():
        if not path.exists():
            continue
        try:
            imported = import_from(path, largest)
        except NoServersError:
            continue
        except ConfigError as error:
            collected.notes += error.problems
            continue
        servers = {name: toml for name, toml in imported.servers.items() if name != ourselves}
        if servers:
            collected.found[path] = tuple(servers)
            collected.notes += [f"{title}: {note}" for note in imported.notes]
        for name, toml in servers.items():
            if name in known:
                collected.notes.append(f"{dotted(name)} is in your configuration already")
            elif collected.servers.setdefault(name, toml) != toml:
                collected.notes.append(f"{title} has another {dotted(name)}, which is left out")
    return collected
