"""The command and the environment by which an agent starts this very gateway."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from pathlib import Path
from typing import Final

CARRIED: Final = ("XDG_CONFIG_HOME", "XDG_STATE_HOME")
"""An agent may start us without them, and we would look in other places."""


def gateway_program(namespace: argparse.Namespace) -> list[str]:
    """The absolute command; the names of servers follow it."""
    found = shutil.which(sys.argv[0]) or shutil.which("elicit-tui")
    by_module = [sys.executable, "-m", "elicit_tui"]
    command = [str(Path(found).absolute())] if found and "elicit-tui" in found else by_module
    config = ["--config", str(namespace.config.absolute())] if namespace.config else []
    return [*command, *config, "gateway"]


def gateway_environment() -> dict[str, str]:
    """What of our environment decides where configuration and store are."""
    return {name: os.environ[name] for name in CARRIED if os.environ.get(name)}
