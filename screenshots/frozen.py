"""Holds still what would make two pictures of the same screen differ: clocks, ids, addresses."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timezone
from pathlib import Path
from unittest.mock import patch

from elicit_tui.elicitation import Deadline, Pending
from elicit_tui.tui.console.calls import CallRecord
from elicit_tui.tui.console.servers import ServerRecord
from elicit_tui.tui.widgets.lines import DateLine

LEFT_SECONDS = 271.0
AGE_SECONDS = 12.0
ELAPSED_SECONDS = 2.4
AT = "09:30"
TODAY = datetime(2026, 11, 20, 9, 30, tzinfo=timezone.utc)


@contextmanager
def held_still(home: Path) -> Iterator[None]:
    """A home of its own, clocks that stand, and the demo server under one short name."""
    programs = home / "bin"
    programs.mkdir(parents=True)
    for name in ("demo-server", "deploy-mcp-server"):
        program = programs / name
        python = shlex.quote(sys.executable)
        program.write_text(f"#!/bin/sh\nexec {python} -m elicit_tui.demo\n", encoding="utf-8")
        program.chmod(0o700)
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("XDG_") and name not in ("NO_COLOR", "FORCE_COLOR", "CI")
    }
    environment.update(HOME=str(home), PATH=f"{programs}{os.pathsep}{os.environ['PATH']}")
    environment.update(COLORTERM="truecolor", TERM="xterm-256color")
    with (
        patch.dict(os.environ, environment, clear=True),
        patch.object(Deadline, "remaining", property(lambda deadline: LEFT_SECONDS)),
        patch.object(Pending, "age", property(lambda pending: AGE_SECONDS)),
        patch.object(ServerRecord, "last_asked", property(lambda record: AT)),
        patch.object(CallRecord, "at", property(lambda record: AT)),
        patch.object(CallRecord, "elapsed", property(lambda record: ELAPSED_SECONDS)),
        patch.object(DateLine, "clock", staticmethod(lambda: TODAY)),
    ):
        yield


def settled(svg: str) -> str:
    """The picture without what differs from run to run, and without fonts from the network."""
    svg = re.sub(r"terminal-\d+", "terminal", svg)
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)
    return svg.rstrip() + "\n"


def words(svg: str) -> list[str]:
    """What the picture says, run by run: stable where another version draws it otherwise."""
    texts = re.findall(r"<text[^>]*>(.*?)</text>", svg, flags=re.DOTALL)
    return "".join(texts).replace("&#160;", " ").split()
