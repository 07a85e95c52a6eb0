"""Saves a call's result where only its owner can read it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from elicit_tui import paths
from elicit_tui.tui.console.results import as_text, binaries, blocks


def results_directory() -> Path:
    """Where results are saved."""
    return paths.state_directory() / "results"


def save_result(result: Mapping[str, Any]) -> list[Path]:
    """Save each binary part, or the whole text when there is none. Raises OSError, ValueError."""
    directory = results_directory()
    found = binaries(result)
    if found:
        return [binary.save(directory) for binary in found]
    path, file = paths.new_private_file(directory, "result", ".txt")
    with file:
        file.write(_whole_text(result).encode("utf-8", "backslashreplace"))
    return [path]


def _whole_text(result: Mapping[str, Any]) -> str:
    texts = [block["text"] for block in blocks(result) if isinstance(block.get("text"), str)]
    return "\n".join(texts) if texts else as_text(result)
