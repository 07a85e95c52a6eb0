"""Files of a configuration that a test has as bytes."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from elicit_tui.config import Diagnostic, load_answers
from elicit_tui.config.loading import check_managed_file
from elicit_tui.elicitation.settings import Rule


@contextmanager
def _written(raw: bytes) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "file.toml")
        path.write_bytes(raw)
        yield path


def read_answers(raw: bytes) -> tuple[Rule, ...]:
    """The entries of an answers file. Raises ConfigError."""
    with _written(raw) as path:
        return load_answers(path)


def check_managed_text(raw: bytes) -> list[Diagnostic]:
    """The problems of an administrator's file."""
    with _written(raw) as path:
        return check_managed_file(path)
