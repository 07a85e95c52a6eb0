"""A plugin for pytest: scenario files are collected, and `elicit` calls servers in own tests.

Loaded by pytest wherever elicit-tui is installed (entry point `pytest11`), in runs too that have
nothing to do with it. So this module holds the hooks alone; the others, and with them all of
elicit-tui, are imported with the first scenario or the first use of the fixture.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from elicit_tui.pytest_plugin.calling import Elicit
    from elicit_tui.pytest_plugin.server_loop import ServerLoop

LOOP: Final[pytest.StashKey[ServerLoop]] = pytest.StashKey()
LARGEST: Final = 1024 * 1024
"""Bytes of a TOML file that is looked at for scenarios."""


def pytest_configure(config: pytest.Config) -> None:
    """Name the marker that keeps the ways of a scenario on one worker, where xdist does not."""
    config.addinivalue_line("markers", "xdist_group(name): tests that run on the same worker")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of scenario files."""
    group = parser.getgroup("elicit", "scenarios of MCP servers (elicit-tui)")
    group.addoption(
        "--elicit-with",
        action="append",
        default=[],
        metavar="NAME=TARGET",
        help="a server that scenarios name: a command line or a URL",
    )
    parser.addini("elicit_with", "servers, as --elicit-with has them", "linelist", [])
    parser.addini("elicit_eras", "the protocol revisions that scenarios are run in", "args", [])
    parser.addini("elicit_scenarios", "globs of the files that hold scenarios", "args", ["*.toml"])


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect a TOML file that holds scenarios."""
    globs = parent.config.getini("elicit_scenarios")
    if file_path.suffix != ".toml" or not any(file_path.match(glob) for glob in globs):
        return None
    if not _holds_scenarios(file_path):
        return None
    from elicit_tui.pytest_plugin.scenario_files import ScenarioFile

    found: pytest.Collector = ScenarioFile.from_parent(parent, path=file_path)
    return found


def _holds_scenarios(path: Path) -> bool:
    try:
        if path.stat().st_size > LARGEST:
            return False
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return False
    return any(line.strip().startswith("[[scenario]]") for line in lines)


@pytest.fixture
def elicit(request: pytest.FixtureRequest) -> Elicit:
    """Calls tools that ask, of servers in this process and out of it."""
    from elicit_tui.pytest_plugin.calling import Elicit

    return Elicit(request.config)


def pytest_unconfigure(config: pytest.Config) -> None:
    """End what was started."""
    loop = config.stash.get(LOOP, None)
    if loop is not None:
        del config.stash[LOOP]
        loop.close()
