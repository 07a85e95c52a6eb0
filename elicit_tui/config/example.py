"""The example file, and writing it once as the user's own."""

from __future__ import annotations

import re
from pathlib import Path

from elicit_tui import paths
from elicit_tui.errors import ConfigError

_NAME = "config.example.toml"


def example_text() -> str:
    """The example: beside this module in an installed package, else at the top of the checkout."""
    here = Path(__file__).resolve().parent
    for directory in (here, here.parent.parent):
        candidate = directory / _NAME
        if candidate.is_file():
            return candidate.read_text(encoding="utf-8")
    raise ConfigError([f"this installation has no {_NAME}"])


def as_comments(example: str) -> str:
    """The example with each value as a comment: a default that changes later is not held fast.

    The names of tables stay: what is taken out of its comment belongs where it stands.
    """
    # A name at the beginning of a line, before an equals sign; headers and comments begin
    # otherwise.
    return re.sub(r"^(?=[a-z_\"]+ *=)", "#", example, flags=re.MULTILINE)


def write_example(path: Path) -> None:
    """Create the user's file from the example, 0600. Raises ConfigError if anything is there."""
    text = as_comments(example_text())
    try:
        paths.write_private(path, text.encode("utf-8"))
    except FileExistsError:
        raise ConfigError([f"{path} exists already; nothing was written"]) from None
    except OSError as error:
        raise ConfigError([f"{path} cannot be written: {error.strerror}"]) from None
