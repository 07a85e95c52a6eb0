"""How this program is started: what stands in an agent's configuration to start us."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

NAME: Final = "elicit-tui"
CARRIED: Final = ("XDG_CONFIG_HOME", "XDG_STATE_HOME")
"""An agent may start us without them, and we would look in other places."""


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
