"""Command lines of `scripted.py`, made by a test."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any


def form(message: str, schema: Any = None) -> dict[str, Any]:
    """Params of a form-mode question; by default one text."""
    properties = {"name": {"type": "string"}}
    return {
        "mode": "form",
        "message": message,
        "requestedSchema": schema or {"type": "object", "properties": properties},
    }


def page(url: str, message: str = "Sign in.") -> dict[str, Any]:
    """Params of a url-mode question."""
    return {"mode": "url", "message": message, "url": url, "elicitationId": "page-1"}


def scripted(
    directory: Path,
    tools: dict[str, Sequence[dict[str, Any]]],
    offers: Sequence[str] = ("tools",),
    **info: str,
) -> list[str]:
    """The command of a server whose tools take these steps; `offers` are its capabilities."""
    script = directory / "script.json"
    script.write_text(json.dumps({"info": info, "offers": list(offers), "tools": tools}))
    return [sys.executable, str(Path(__file__).with_name("scripted.py")), str(script)]


def added(
    directory: Path,
    tools: dict[str, Sequence[dict[str, Any]]],
    name: str = "s",
    offers: Sequence[str] = ("tools",),
    **info: str,
) -> list[str]:
    """The `--with` of such a server."""
    return ["--with", f"{name}={shlex.join(scripted(directory, tools, offers, **info))}"]
