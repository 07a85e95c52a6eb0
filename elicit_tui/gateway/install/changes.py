"""Changes to files: shown as a difference without secrets, then made all or none."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterator, Sequence
from operator import add
from pathlib import Path
from typing import Final

from elicit_tui.dataclass import dataclass
from elicit_tui.elicitation.hiding import hidden, hidden_argument, stars
from elicit_tui.errors import ConfigError
from elicit_tui.gateway.install.places import look, shown_path
from elicit_tui.paths import replace_file
from elicit_tui.text import neutral_line

AROUND: Final = 60
"""Characters that are shown on both sides of a change inside a long line."""
LONGEST_LINE: Final = 400
_INDENT: Final = re.compile(r"[ \t]+(?:- )?")
_WORD: Final = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|'[^'\n]*'")
"""A string of JSON or TOML."""


@dataclass(frozen=True)
class Change:
    """One file as it is and as it shall be; None: there is no file."""

    path: Path
    before: bytes | None
    after: bytes | None
    mode: int


def difference(change: Change) -> list[str]:
    """What would change, as a unified diff; secrets are stars, and nothing in it is active."""
    name = shown_path(change.path)
    before, after = (_lines(text) for text in (change.before, change.after))
    lines = difflib.unified_diff(
        before,
        after,
        name if change.before is not None else "(no file)",
        name if change.after is not None else "(no file)",
        lineterm="",
    )
    shown = [line[:1] + _without_secrets(line[1:]) for line in lines]
    # Cut only now: what is secret is known by the name before it, which may be cut off.
    if shown and len(before) == len(after) == 1:
        cut = _around(*(line[1:] for line in shown[-2:]))
        shown[-2:] = map(add, "-+", cut)
    return [line[:1] + neutral_line(line[1:], LONGEST_LINE) for line in shown]


def _lines(content: bytes | None) -> list[str]:
    text = (content or b"").decode("utf-8-sig", "replace").replace("\r\n", "\n")
    return _arguments_hidden(text).splitlines()


def _arguments_hidden(text: str) -> str:
    """The text without each secret that is an argument behind that of its flag."""
    pieces: list[str] = []
    position, flag, end = 0, "", 0
    for word in _WORD.finditer(text):
        argument = word[0][1:-1]
        # Behind a flag, with nothing but a comma between: its value.
        if flag.startswith("-") and text[end : word.start()].strip() == ",":
            masked = hidden_argument(flag, argument, stars)
            if masked != argument:
                pieces += (text[position : word.start() + 1], masked)
                position = word.end() - 1
        flag, end = argument, word.end()
    return "".join(pieces) + text[position:]


def _around(before: str, after: str) -> tuple[str, str]:
    """Two long lines cut to where they differ."""
    if max(len(before), len(after)) <= LONGEST_LINE:
        return before, after
    shorter = min(len(before), len(after))
    start = next((at for at in range(shorter) if before[at] != after[at]), shorter)
    end = next(
        (at for at in range(shorter - start) if before[-1 - at] != after[-1 - at]), shorter - start
    )
    start, end = max(0, start - AROUND), max(0, end - AROUND)

    def cut(line: str) -> str:
        return ("…" if start else "") + line[start : len(line) - end] + ("…" if end else "")

    return cut(before), cut(after)


def _without_secrets(line: str) -> str:
    line = line.expandtabs(4)
    if not re.search(r"\s", line):
        # Written without blanks: words begin behind its commas and brackets.
        line = re.sub(r"([,{\[:])(?=[\"\[{])", r"\1 ", line)
    # The name of a value may begin the line, and then all behind it is the value.
    indent = _INDENT.match(line)
    return indent[0] + hidden(line[indent.end() :], stars) if indent else hidden(line, stars)


def make(changes: Sequence[Change], first: Callable[[], None] = lambda: None) -> None:
    """Make every change, `first` before them.

    Raises ConfigError: then nothing is changed but what it says could not be put back.
    """
    for change in changes:
        # Read at the beginning, and shown to a person: what is another by now was not agreed to.
        if look(change.path).content != change.before:
            raise ConfigError(
                [f"{shown_path(change.path)} was changed meanwhile; nothing was written"]
            )
    done: list[Change] = []
    try:
        first()
        for change in changes:
            _write(change.path, change.after, change.mode)
            done.append(change)
    except OSError as error:
        left = [trouble for change in reversed(done) if (trouble := _put_back(change))]
        name = shown_path(Path(str(error.filename or changes[-1].path)))
        what = "; ".join(left) or "nothing was changed"
        raise ConfigError([f"{name}: {error.strerror}; {what}"]) from None


def _put_back(change: Change) -> str:
    """Undo a change that was made; what is told where that fails."""
    try:
        _write(change.path, change.before, change.mode)
    except OSError as error:
        return f"{shown_path(change.path)} was changed and is not put back: {error.strerror}"
    return ""


def _write(path: Path, content: bytes | None, mode: int) -> None:
    if content is None:
        path.unlink(missing_ok=True)
    else:
        replace_file(path, content, mode)


def only_real(changes: Sequence[Change]) -> Iterator[Change]:
    """The changes that change something."""
    return (change for change in changes if change.before != change.after)
