"""Text of a server, made safe to show: nothing active is left, nothing natural is lost.

What goes to a build's log commands no CI system either (`ci_safe`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from elicit_tui.text.active import (
    active_pattern,
    drawn,
    is_plain,
    natural_length,
    piled_marks_pattern,
    visible,
)
from elicit_tui.text.deceptive import BLANKS, EMPTY_LETTERS, with_single_blanks

if TYPE_CHECKING:
    import regex

_ONE_WORD: Final = re.compile(f'[^{re.escape(BLANKS)}()"“”„«»]+')

_BARE_NAME: Final = re.compile(r"[A-Za-z0-9_.-]+")
"""What most names are: nothing in it has to be marked, cut into or looked at twice."""

NEW_LINE_MARK: Final = "⏎"

SLACK: Final = 8
"""Characters beyond a cut that are looked at, as they may tell whether the last one is natural."""
_DANGLING: Final = "".join(
    [
        "\r\u200c\u200d\u180b\u180c\u180d\u180e\u180f",
        EMPTY_LETTERS,
        *map(chr, range(0xFE00, 0xFE10)),
        *map(chr, range(0xE0000, 0xE0080)),
        *map(chr, range(0xE0100, 0xE01F0)),
    ]
)
"""Characters that mean nothing without the one that the cut took from behind them."""
CUT_ENDS: Final = " characters in all⟩"
"""How a text ends that was cut."""
_CUT_MARK = re.compile("⟨U?\\+?[0-9A-F]{0,6}\\Z")


def neutral(text: str, limit: int | None = None) -> str:
    """Text of any number of lines, safe on a screen, in a log or in a record.

    Line feeds and tabs stay, CR LF becomes LF, every active character (see
    `elicit_tui.text.active`) becomes a visible mark; everything else is untouched. Takes time
    linear in the text, or in `limit` where one is given, and twice is the same as once.

    Args:
        text: anything, lone surrogates included.
        limit: the most characters to return; longer text ends in a mark with its whole length.
    """
    if limit is None or len(text) <= limit:
        clean = _neutralise(text)
        if limit is None or len(clean) <= limit:
            return clean
        return _cut(clean, limit, len(text))
    # Cut before it is made neutral, so that a gigabyte costs no more than its beginning. A few more
    # characters are taken than are shown, as whether the last one is natural depends on what
    # follows it.
    return _cut(_neutralise(_whole_characters(text[: limit + SLACK])), limit, len(text))


def neutral_line(text: str, limit: int | None = 200) -> str:
    """The same on one line: line feeds are shown as `⏎`, tabs as `␉`."""
    head = text if limit is None else text[: limit + SLACK]
    shorter = len(head) < len(text)
    if shorter:
        head = _whole_characters(head)
    head = head.replace("\r\n", "\n").replace("\n", NEW_LINE_MARK).replace("\t", "␉")
    clean = _neutralise(head)
    if limit is None or (not shorter and len(clean) <= limit):
        return clean
    return _cut(clean, limit, len(text))


def quoted(text: str, limit: int = 200, marks: str = "“”") -> str:
    """A name that somebody gives himself, in quotation marks that he cannot leave.

    A mark inside becomes a single one, and a run of anything that looks blank one blank: with
    either a name could look like the words of ours that stand beside it.
    """
    if len(text) <= limit and _BARE_NAME.fullmatch(text):
        return marks[0] + text + marks[-1]
    line = with_single_blanks(neutral_line(_with_plain_blanks(text, limit), limit))
    return marks[0] + re.sub('["“”„«»]', "'", line) + marks[-1]


def name_line(text: str, limit: int | None = 200) -> str:
    """The name of a thing that is called by it, on one line: letters of another script are marked.

    Two such names must not look alike; in a sentence a person can read, and letters stay theirs.
    """
    if text.isascii():
        return neutral_line(text, limit)
    from elicit_tui.text.deceptive import with_marked_letters

    shown = len(text) if limit is None else limit + SLACK
    return neutral_line(with_marked_letters(text[:shown]) + text[shown:], limit)


def as_name(text: str, limit: int = 200, marks: str = "“”") -> str:
    """A name that stands among words of ours: one word as it is, anything else `quoted`."""
    line = name_line(_with_plain_blanks(text, limit), limit)
    return line if _ONE_WORD.fullmatch(line) else quoted(line, limit, marks)


def quoted_name(text: str, limit: int = 200, marks: str = "“”") -> str:
    """A name in a sentence of ours, where a bare word would read as part of it: always `quoted`."""
    if text.isascii():
        return quoted(text, limit, marks)
    return quoted(name_line(_with_plain_blanks(text, limit), limit), limit, marks)


def _with_plain_blanks(text: str, limit: int) -> str:
    """The text with a blank for each letter that looks like one, as far as it will be shown."""
    if text.isascii():
        return text
    shown = limit + SLACK
    return re.sub(f"[{EMPTY_LETTERS}]", " ", text[:shown]) + text[shown:]


def stand_in(text: str, keep: str = "") -> str:
    """The text with one visible character for each active one, so that positions stay the same.

    For a field that edits the true value and must draw something else: a cursor at position 5 of
    the one is at position 5 of the other. Controls are shown as their pictures,
    the rest as U+FFFD.

    Args:
        text: the value, of any length.
        keep: which of line feed and tab stay themselves; the others become `⏎` and `␉`.
    """
    for character, mark in (("\n", NEW_LINE_MARK), ("\t", "␉")):
        if character not in keep:
            text = text.replace(character, mark)
    return marked(text, drawn)


def marked(text: str, mark: Callable[[str], str]) -> str:
    """The text with what `mark` makes of each run of active characters in its place."""
    if is_plain(text):
        return text

    # Two passes: marks that pile up on one base are active only beyond a number, which no single
    # character tells; what is active by itself or by its neighbours is found after that.
    def piled(match: regex.Match[str]) -> str:
        run: str = match[0]
        natural = natural_length(run)
        return run[:natural] + mark(run[natural:])

    def active(match: regex.Match[str]) -> str:
        found: str = match[0]
        return found if match["natural"] else mark(found)

    clean: str = active_pattern().sub(active, piled_marks_pattern().sub(piled, text))
    return clean


def _neutralise(text: str) -> str:
    return marked(text.replace("\r\n", "\n"), visible)


def _whole_characters(head: str) -> str:
    """`head` without the half of a cluster that a cut left at its end."""
    return head.rstrip(_DANGLING)


def _cut(clean: str, limit: int, whole: int) -> str:
    """Neutral text shortened to `limit` characters, with a mark that says so."""
    mark = f"…⟨{whole:,}{CUT_ENDS}"
    # Where the mark would take more than half, only the dots are left of it.
    if len(mark) * 2 > limit:
        mark = "…"[: max(limit, 0)]
    head = clean[: max(limit - len(mark), 0)]
    # A mark that was cut in two would look like text.
    return _whole_characters(_CUT_MARK.sub("", head)) + mark


# The commands of CI systems

_LINE_ENDS: Final = "\n\r\v\f\x1c-\x1e\x85\u2028\u2029"
# Blanks of one line only: from each of many empty lines those of all others would be read again.
_DOUBLE_COLON = re.compile(f"((?:\\A|(?<=[{_LINE_ENDS}]))[^\\S{_LINE_ENDS}]*):(?=:)")
_BRACKET = re.compile(r"#(?=#(?:vso|teamcity)?\[)", re.IGNORECASE)


def escaped_commands(text: str) -> str:
    """Text of a JSON or TOML string in which `##[` and its like begin with an escape.

    A program reads the same value; a CI system that reads the log sees no command. In JSON and in a
    TOML basic string a `#` stands for itself, so the text may also be a whole JSON document.
    """
    return _BRACKET.sub(r"\\u0023", text) if "##" in text else text


def escaped_commands_in_xml(document: str) -> str:
    """An XML document in which every command begins with a reference; a program reads the same."""
    return _BRACKET.sub("&#35;", _DOUBLE_COLON.sub(r"\1&#58;", document))


def ci_safe(text: str) -> str:
    """Text in which no line is a workflow command of a CI system.

    Broken visibly: a line that starts, after blanks, with `::` (GitHub Actions), and `##[`,
    `##vso[`, `##teamcity[` anywhere (GitHub, Azure Pipelines, TeamCity). To be used on the whole
    text that goes out, since a command may begin in one piece and end in the next. Twice is the
    same as once.
    """
    if "::" in text:
        text = _DOUBLE_COLON.sub(r"\1⟨:⟩", text)
    if "##" in text:
        text = _BRACKET.sub("⟨#⟩", text)
    return text
