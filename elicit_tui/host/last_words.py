"""Finds the line in which a program says why it ended."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

_NPM: Final = re.compile(r"npm (?:error|ERR!) ?(?P<text>.*)")
# Lines of npm that say nothing of the reason; the last alternative is a line without words.
_NPM_WITHOUT_REASON: Final = re.compile(
    r"(?:code|syscall|errno|path|cwd|command)\b.*|A complete log .*|\d{3} ?|"
)
# How Node.js ends what it says of an error: its version, a line of the stack, a property of the
# error or the brace behind them.
_NODE: Final = re.compile(r"Node\.js v[\d.]+|\s+at .+|\s+\w+: .+|[^\w]*")
_ERROR: Final = re.compile(r"(?:Uncaught )?\w*Error\b.*")


def last_words(lines: Sequence[str]) -> str | None:
    """The last line, or the one that says why the program ended where that is known.

    Node.js ends with its version or what belongs to an error, npm with the place of its log; both
    said why before.
    """
    npm_lines = [match for line in lines if (match := _NPM.fullmatch(line)) is not None]
    if lines and (npm_lines or _NODE.fullmatch(lines[-1])):
        errors = [line for line in lines if _ERROR.fullmatch(line)]
        reasons = [
            match[0] for match in npm_lines if not _NPM_WITHOUT_REASON.fullmatch(match["text"])
        ]
        if errors or reasons:
            return errors[-1] if errors else reasons[0]
    return lines[-1] if lines else None
