"""What a typed line is: a command, or an answer. The two can never be mistaken for each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

PREFIX: Final = "/"
"""A line that begins with it is a command; twice at the beginning, it is a text with one."""

FIELD_HELP: Final = {
    "back": "the field before",
    "NUMBER": "the field with this number",
    "clear": "leave the field out",
    "empty": "answer with an empty text, or with an empty list",
    "default": "go back to the server's default",
    "review": "see what would be sent",
}
REVIEW_HELP: Final = {
    "send": "send exactly this",
    "back": "the last field",
    "NUMBER": "the field with this number",
}
PAGE_HELP: Final = {
    "open": "agree, and open the page in your browser",
    "agree": "agree; you open the page yourself",
}
APPROVAL_HELP: Final = {
    "once": "call the tool, this time; y does the same",
    "session": "call it, and do not ask again in this session",
}
WAITING_HELP: Final = {
    "finished": "you are done on that page",
    "open": "open the page in your browser once more",
}
COMMON_HELP: Final = {
    "decline": "say no",
    "cancel": "say neither yes nor no",
    "raw": "the request as the server sent it",
    "help": "these commands",
}


@dataclass(frozen=True)
class PromptCommand:
    """A command line, such as `/back` or `/2`."""

    word: str

    @property
    def number(self) -> int | None:
        """The field that `/2` names; None for a word."""
        return int(self.word) if self.word.isascii() and self.word.isdigit() else None


def read_line(line: str) -> PromptCommand | str:
    """A command, or the text of an answer (with a doubled `/` made one)."""
    if line.startswith(PREFIX * 2):
        return line[1:]
    if line.startswith(PREFIX):
        return PromptCommand(line[1:].strip().lower()[:40])
    return line


def help_text(*groups: dict[str, str]) -> str:
    """The commands of these groups, one a line."""
    merged = {word: told for group in groups for word, told in group.items()}
    lines = [f"  /{word:<8} {told}" for word, told in merged.items()]
    lines.append("  To answer with a text that begins with /, type // at its beginning.")
    return "\n".join(lines)
