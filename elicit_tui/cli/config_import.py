"""`elicit-tui config import` without a file: what the known programs have, offered for ours."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from elicit_tui.cli.exit_codes import FAILED, OK
from elicit_tui.cli.narration import Narration
from elicit_tui.cli.output import Output
from elicit_tui.cli.own_file import agreed, may_not_run
from elicit_tui.cli.presence import person_present
from elicit_tui.errors import ConfigError, UsageError

if TYPE_CHECKING:
    from elicit_tui.gateway.install.places import FoundFile


def import_all(own: Path) -> int:
    """Print their servers as TOML; where a person is there, offer to write them into `own`."""
    from elicit_tui.config.importing import collect
    from elicit_tui.gateway.install.gateway_entry import NAME
    from elicit_tui.gateway.install.places import LARGEST_FILE, look, shown_path
    from elicit_tui.gateway.install.undoing import own_document

    narration, titles = Narration(), _files()
    ours: FoundFile | None = None
    known: set[str] = set()
    try:
        found = look(own)
        known.update(own_document(found).servers)
        ours = found
    except ConfigError as error:
        narration.error(error)
    collected = collect(titles, known, NAME, LARGEST_FILE)
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
    if ours is None or not person_present():
        return OK
    return OK if _written(ours, collected.servers, narration) else FAILED


def _files() -> dict[Path, str]:
    """Where each known program has its own file, and what it is called."""
    from elicit_tui.gateway.install.places import installable, own_file

    files = {}
    for agent in installable().values():
        try:
            files[own_file(agent)] = agent.title
        except (ConfigError, UsageError):
            continue  # It does not exist on this system.
    return files


def _written(ours: FoundFile, servers: Mapping[str, str], narration: Narration) -> bool:
    """Ask, and add the servers at the end of our file. Raises ConfigError."""
    from elicit_tui.gateway.install.changes import Change, make
    from elicit_tui.gateway.install.places import shown_path
    from elicit_tui.gateway.install.undoing import own_document, with_servers

    document = own_document(ours)
    refused = may_not_run(with_servers(document, iter(servers.values())).as_bytes(), servers)
    for name, why in refused.items():
        narration.say(f"✗ {name} is left out: {why}")
    chosen = [toml for name, toml in servers.items() if name not in refused]
    question = f"Add them to {shown_path(ours.path)} ({len(chosen)})? [y/N] "
    if not chosen or not agreed(narration, question):
        return False
    after = with_servers(document, iter(chosen)).as_bytes()
    make([Change(ours.path, ours.content, after, ours.mode)])
    narration.say("✓ Written. `elicit-tui tools` asks each of them what it offers.")
    return True
